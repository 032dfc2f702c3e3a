"""An MCP server of the older era in plain Python, which misbehaves on request; run as a program.

It starts in milliseconds and takes 10 MB, so that tests can have a hundred of them.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

Json = dict[str, Any]

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}
NUMBER = {"type": "object", "properties": {"number": {"type": "number"}}}
SUM = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def definition(name: str, schema: Json = TEXT, **more: Any) -> Json:
    return {"name": name, "description": f"What {name} does", "inputSchema": schema, **more}


TOOLS = [
    definition("echo", title="Echo", annotations={"readOnlyHint": True}),
    definition("add", NUMBER, outputSchema=SUM),
    definition("promise", NUMBER, outputSchema=SUM),
    definition("wait", NUMBER),
    definition("work", NUMBER),
    definition("hang"),
    definition("crash", NUMBER),
    definition("noise", NUMBER),
    definition("shout", NUMBER),
    definition("garbage"),
    definition("picture"),
    definition("strange"),
    definition("fail"),
    definition("refuse"),
    definition("remember"),
    definition("pid"),
    definition("env"),
    definition("spawn"),
    definition("ask"),
    definition("big", NUMBER),
    definition("change"),
    definition("swap"),
    definition("repeat"),
    definition("blocks"),
    definition("pester", NUMBER),
]


class Server:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.cancelled: dict[Any, threading.Event] = {}
        self.remembered: list[str] = []
        self.tools = [dict(tool) for tool in TOOLS]
        self.pages = int(os.environ.get("STUB_PAGES", "1"))

    def send(self, message: Json) -> None:
        with self.lock:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            sys.stdout.flush()

    def run(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            if message.get("method") == "notifications/cancelled":
                self.cancelled.setdefault(message["params"]["requestId"], threading.Event()).set()
            elif "method" in message and "id" in message:
                threading.Thread(target=self.answer, args=[message], daemon=True).start()

    def answer(self, message: Json) -> None:
        number = message["id"]
        try:
            result = self.result(number, message["method"], message.get("params", {}))
        except LookupError as error:
            code = -32601 if "method" in str(error) else -32602
            self.send({"id": number, "error": {"code": code, "message": str(error.args[0])}})
        else:
            if result is not None:
                self.send({"id": number, "result": result})

    def result(self, number: Any, method: str, params: Json) -> Json | None:
        if method == "initialize":
            return {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "stub", "version": "1"},
            }
        if method == "tools/list":
            return self.page(int(params.get("cursor") or 0))
        if method == "tools/call":
            return self.call(number, params["name"], params.get("arguments") or {}, params)
        raise LookupError("no such method")

    def page(self, number: int) -> Json:
        kind = os.environ.get("STUB_LIST")
        if kind == "endless":
            tool = definition(f"tool_{number}", description="x" * 10_000)
            return {"tools": [tool], "nextCursor": str(number + 1)}
        if kind == "odd":
            odd = {"type": "object", "properties": {"x-mcp-header": {"default": float("inf")}}}
            second = definition("pid", description="another one of that name")
            return {
                "tools": [*self.tools, definition("endless", odd), {"name": "x-mcp-header"}, second]
            }
        size = -(-len(self.tools) // self.pages)
        page: Json = {"tools": self.tools[number * size : (number + 1) * size]}
        return page | ({"nextCursor": str(number + 1)} if number + 1 < self.pages else {})

    def call(self, number: Any, name: str, given: Json, params: Json) -> Json | None:
        answer: Json | None = getattr(self, f"do_{name}")(number, given, params)
        return answer

    def do_echo(self, number: Any, given: Json, params: Json) -> Json:
        return text(given.get("text", ""))

    def do_add(self, number: Any, given: Json, params: Json) -> Json:
        value = {"sum": int(given["number"]) + 1}
        return text(json.dumps(value)) | {"structuredContent": value}

    def do_promise(self, number: Any, given: Json, params: Json) -> Json:
        return text("all is well") | {"structuredContent": {"sum": "many"}}

    def do_wait(self, number: Any, given: Json, params: Json) -> Json:
        event = self.cancelled.setdefault(number, threading.Event())
        if event.wait(given["number"]):
            sys.stderr.write("cancelled by the gateway\n")
            sys.stderr.flush()
        return text(f"waited {given['number']:g}")

    def do_work(self, number: Any, given: Json, params: Json) -> Json:
        token = (params.get("_meta") or {}).get("progressToken")
        for done in range(1, int(given["number"]) + 1):
            note = {"progressToken": token, "progress": done, "total": given["number"]}
            if token is not None:
                self.send({"method": "notifications/progress", "params": note})
        return text("with a token" if token is not None else "without a token")

    def do_hang(self, number: Any, given: Json, params: Json) -> None:
        return None

    def do_crash(self, number: Any, given: Json, params: Json) -> None:
        sys.stderr.write("out of memory\n")
        sys.stderr.flush()
        os._exit(int(given.get("number", 1)))

    def do_noise(self, number: Any, given: Json, params: Json) -> Json:
        with self.lock:
            for at in range(int(given["number"])):
                sys.stdout.write(f"noise {at} {'x' * 80}\n")
        return text("quiet again")

    def do_shout(self, number: Any, given: Json, params: Json) -> Json:
        for at in range(int(given["number"])):
            sys.stderr.write(f"shout {at} {'x' * 80}\n")
        sys.stderr.flush()
        return text("quiet again")

    def do_garbage(self, number: Any, given: Json, params: Json) -> Json:
        with self.lock:
            sys.stdout.flush()
            junk = b'\xff\xfe\n{"jsonrpc": "2.0"\n[]\n{"jsonrpc":"2.0","id":999999,"result":{}}\nnull\n'
            sys.stdout.buffer.write(junk)
            sys.stdout.buffer.flush()
        return text("after the garbage")

    def do_picture(self, number: Any, given: Json, params: Json) -> Json:
        picture: Json = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
        picture["annotations"] = {"audience": ["user"], "priority": 0.5}
        link: Json = {
            "type": "resource_link",
            "uri": "file:///x",
            "name": "x",
            "vendor": {"kept": True},
        }
        meta = {"example.com/trace": "abc", "io.modelcontextprotocol/serverInfo": {"name": "stub"}}
        return {"content": [picture, link], "_meta": meta}

    def do_strange(self, number: Any, given: Json, params: Json) -> Json:
        return {"content": [{"type": "hologram", "shape": {"faces": 6}}]}

    def do_fail(self, number: Any, given: Json, params: Json) -> Json:
        return text("the disk is full; delete something") | {"isError": True}

    def do_refuse(self, number: Any, given: Json, params: Json) -> Json:
        raise LookupError("no such thing")

    def do_remember(self, number: Any, given: Json, params: Json) -> Json:
        self.remembered.append(given.get("text", ""))
        return text(",".join(self.remembered))

    def do_pid(self, number: Any, given: Json, params: Json) -> Json:
        return text(str(os.getpid()))

    def do_env(self, number: Any, given: Json, params: Json) -> Json:
        return text(os.environ.get(given["text"], "not set"))

    def do_spawn(self, number: Any, given: Json, params: Json) -> Json:
        deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(900)"
        child = subprocess.Popen([sys.executable, "-S", "-c", deaf])
        return text(str(child.pid))

    def do_ask(self, number: Any, given: Json, params: Json) -> Json:
        question = {"message": "Really?", "requestedSchema": {"type": "object", "properties": {}}}
        self.send({"id": "question", "method": "elicitation/create", "params": question})
        return text("asked")

    def do_pester(self, number: Any, given: Json, params: Json) -> Json:
        for at in range(int(given["number"])):
            self.send({"id": f"ping {at}", "method": "ping"})
            self.send({"method": "notifications/message", "params": {"level": "info", "data": at}})
        return text("enough")

    def do_big(self, number: Any, given: Json, params: Json) -> Json:
        return text("x" * int(given["number"]))

    def do_change(self, number: Any, given: Json, params: Json) -> Json:
        for tool in self.tools:
            if tool["name"] == "echo":
                tool["description"] = given.get("text", "")
        self.tools = [tool for tool in self.tools if tool["name"] != "pid"]
        self.send({"method": "notifications/tools/list_changed"})
        return text("changed")

    def do_swap(self, number: Any, given: Json, params: Json) -> Json:
        """A change that nobody is told of."""
        self.tools = [tool for tool in self.tools if tool["name"] != "pid"]
        return text("changed")

    def do_repeat(self, number: Any, given: Json, params: Json) -> Json:
        sys.stderr.write(f"refused: {os.environ['KEY']}\n")
        sys.stderr.flush()
        raise LookupError(f"refused: {os.environ['KEY']}")

    def do_blocks(self, number: Any, given: Json, params: Json) -> Json:
        return {"content": json.loads(given["text"])}


def text(words: str) -> Json:
    return {"content": [{"type": "text", "text": words}]}


def note(what: str) -> None:
    """Add a line to the file that a test looks at, if there is one."""
    if path := os.environ.get("STUB_STARTS"):
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - as little as possible is imported
            file.write(f"{os.getpid()} {what}\n")


def main() -> None:
    if os.environ.get("STUB_AT_START") == "crash":
        sys.stderr.write("no configuration\n")
        sys.exit(3)
    if os.environ.get("STUB_AT_START") == "hang":
        time.sleep(900)
    if os.environ.get("STUB_DEAF"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note("begins")
    if fails_at := os.environ.get("STUB_FAILS_AT"):
        with open(os.environ["STUB_STARTS"], encoding="utf-8") as file:  # noqa: PTH123
            if file.read().count("begins") == int(fails_at):
                sys.exit(1)
    time.sleep(float(os.environ.get("STUB_SECONDS", "0")))
    note("is ready")
    Server().run()
    if os.environ.get("STUB_DEAF"):
        time.sleep(900)


if __name__ == "__main__":
    main()
