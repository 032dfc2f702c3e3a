"""The other side of `api.py`: bare Starlette routes that send JSON bodies of given sizes.

Run as `bare_route.py SIZES PORT`, as in `bare_route.py 800,2500 8001`; `/0` sends the first.
"""

import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def route(place: int, size: int) -> Route:
    body = b'"%s"' % (b"x" * max(0, size - 2))

    async def answer(_: Request) -> Response:
        return Response(body, media_type="application/json")

    return Route(f"/{place}", answer)


if __name__ == "__main__":
    sizes = [int(size) for size in sys.argv[1].split(",")]
    app = Starlette(routes=[route(place, size) for place, size in enumerate(sizes)])
    # As our own server is set up, but for the bounds of its connections.
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=int(sys.argv[2]),
        http="h11",
        ws="none",
        loop="asyncio",
        log_config=None,
        access_log=False,
        log_level="error",
        timeout_keep_alive=5,
        server_header=False,
    )
