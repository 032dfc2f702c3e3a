"""FastMCP's proxy over stdio before one server over stdio, for bench/gateway.py: `fastmcp_proxy.py PROGRAM`.

The client is connected once and shared by all calls, which costs least.
"""

import asyncio
import sys

from fastmcp.client import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy


async def main() -> None:
    transport = StdioTransport(sys.executable, sys.argv[1:])
    async with Client(transport) as client:
        await create_proxy(client).run_async(transport="stdio", show_banner=False)


if __name__ == "__main__":
    asyncio.run(main())
