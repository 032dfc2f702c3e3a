"""FastMCP's server of an OpenAPI document over stdio, for bench/openapi.py: `fastmcp_openapi.py DOCUMENT [serve]`.

Without `serve` it ends when the tools are made, which is what an import is to it.
"""

import json
import sys
from pathlib import Path
from typing import Any

import httpx2
import yaml
from fastmcp import FastMCP


def document(path: Path) -> Any:
    """The document; of YAML, dates as the text that they are: FastMCP refuses others."""
    if path.suffix == ".json":
        return json.loads(path.read_bytes())

    class Loader(yaml.CSafeLoader):
        pass

    Loader.yaml_implicit_resolvers = {
        first: [resolver for resolver in resolvers if "timestamp" not in resolver[0]]
        for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }
    return yaml.load(path.read_bytes(), Loader=Loader)


def main() -> None:
    client = httpx2.AsyncClient(base_url="http://127.0.0.1")
    server = FastMCP.from_openapi(document(Path(sys.argv[1])), client=client)
    if sys.argv[2:] == ["serve"]:
        server.run(transport="stdio", show_banner=False)


if __name__ == "__main__":
    main()
