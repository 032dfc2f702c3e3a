"""An HTTP API to be called, and a client of it that is nothing but httpx2: `http_api.py serve`, `http_api.py call URL`.

The client makes as many requests as the line on its standard input says, then writes a line.
"""

import asyncio
import json
import sys

ITEMS = [
    {"id": number, "name": f"item {number}", "price": number * 1.5, "tags": ["a", "b"]}
    for number in range(50)
]


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    body = json.dumps({"data": ITEMS, "has_more": False}).encode()
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    message = head.encode() + body
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(message)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        writer.close()


async def serve() -> None:
    """Serve until stdin ends; the port is printed first."""
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)


async def call(url: str) -> None:
    """Make the requests that are asked for, and read each answer as JSON."""
    import httpx2

    headers = {"x-api-key": "secret"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False) as client:
        while line := await asyncio.to_thread(sys.stdin.readline):
            for _ in range(int(line)):
                response = await client.get(url, params={"limit": 50, "expand": "tags"})
                json.dumps(response.json())
            print(flush=True)


if __name__ == "__main__":
    asyncio.run(serve() if sys.argv[1] == "serve" else call(sys.argv[2]))
