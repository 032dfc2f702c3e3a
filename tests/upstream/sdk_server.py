"""A server made with the SDK, which speaks both eras: over stdio, or over HTTP on a port.

Run as a program: `sdk_server.py`, or `sdk_server.py PORT [stateful] [sse]`.
"""

import json
import sys
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

Json = dict[str, Any]

TEXT: Final = {"type": "object", "properties": {"text": {"type": "string"}}}
SUM: Final = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
REGION: Final = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
}
DEFINITIONS: Final[list[Json]] = [
    {"name": "echo", "description": "Say it again", "inputSchema": TEXT},
    {
        "name": "add",
        "description": "One more",
        "inputSchema": {"type": "object"},
        "outputSchema": SUM,
    },
    {"name": "headers", "description": "What was sent", "inputSchema": {"type": "object"}},
    {"name": "region", "description": "Where it is", "inputSchema": REGION},
    {"name": "work", "description": "Tell of progress", "inputSchema": {"type": "object"}},
    {"name": "wait", "description": "Wait", "inputSchema": {"type": "object"}},
    {"name": "ask", "description": "Ask the user", "inputSchema": {"type": "object"}},
    {"name": "remember", "description": "Keep a text", "inputSchema": TEXT},
    {"name": "change", "description": "Become another", "inputSchema": TEXT},
]
BUS: Final = InMemorySubscriptionBus()
REMEMBERED: Final[list[str]] = []
LISTED: Final = [types.Tool.model_validate(one) for one in DEFINITIONS]


async def list_tools(_: Any, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=LISTED)


async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> Any:
    given = params.arguments or {}
    if params.name == "add":
        value = {"sum": int(given["number"]) + 1}
        return result(json.dumps(value)) | {"structuredContent": value}
    if params.name in ("headers", "region"):
        return result(json.dumps(dict(ctx.request.headers) if ctx.request else {}))
    if params.name == "work":
        await ctx.session.report_progress(1, 2, "half")
    if params.name == "wait":
        try:
            note("waiting in the server")
            await anyio.sleep(given["number"])
        except BaseException:
            note("cancelled in the server")
            raise
    if params.name == "ask":
        return await asked(ctx, params)
    if params.name == "remember":
        REMEMBERED.append(given["text"])
        return result(",".join(REMEMBERED))
    if params.name == "change":
        LISTED[0].description = given["text"]
        await BUS.publish(ToolsListChanged())
    return result(str(given.get("text", "done")))


def note(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


async def asked(ctx: Any, params: types.CallToolRequestParams) -> Any:
    schema = {"type": "object", "properties": {}}
    if ctx.protocol_version == "2026-07-28":
        form = types.ElicitRequestFormParams(message="Sure?", requested_schema=schema)
        requests: Any = {"go": types.ElicitRequest(params=form)}
        return types.InputRequiredResult(request_state="asked", input_requests=requests)
    try:
        await ctx.session.elicit_form("Sure?", schema, related_request_id=ctx.request_id)
    except Exception as error:
        return result(f"nobody to ask: {error}")
    return result("asked")


def result(text: str) -> Json:
    return {"resultType": "complete", "content": [{"type": "text", "text": text}]}


def server() -> Server[Any]:
    schemas = {tool["name"]: tool["inputSchema"] for tool in DEFINITIONS}
    return Server(
        "sdk",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=schemas.get,
        on_subscriptions_listen=ListenHandler(BUS),
    )


async def over_stdio() -> None:
    async with stdio_server() as (incoming, outgoing):
        instance = server()
        await instance.run(incoming, outgoing, instance.create_initialization_options())


def main(arguments: list[str]) -> None:
    if not arguments:
        anyio.run(over_stdio)
        return
    import uvicorn

    app = server().streamable_http_app(
        stateless_http="stateful" not in arguments, json_response="sse" not in arguments
    )
    # Streams that clients hold open do not keep it from ending.
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=int(arguments[0]),
        log_level="warning",
        timeout_graceful_shutdown=1,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
