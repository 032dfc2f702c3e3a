"""Examples of every command; each option of a command is in one of them."""

from typing import Final

#: By command. A test has the parser read each of them.
EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "init": (
        "toolfold init hello",
        "toolfold init services/orders --name orders --pytest --github",
    ),
    "generate": (
        "toolfold generate",
        "toolfold generate --watch",
        "toolfold generate -m services/orders/tools.yaml -o services/orders/generated --quiet",
        "toolfold generate --format github --verbose --no-cache",
        "toolfold generate --for-commit",
    ),
    "check": (
        "toolfold check",
        "toolfold check --diff",
        "toolfold check --strict --types",
        "toolfold check --live --timeout 20",
        "toolfold check -m tools.yaml -o generated --format json --verbose --no-cache",
        "toolfold check --for-commit",
    ),
    "schema": ("toolfold schema",),
    "stubs": ("toolfold stubs", "toolfold stubs -m tools.yaml -o tools.pyi"),
    "budget": (
        "toolfold budget",
        "toolfold budget --tiers",
        "toolfold budget -m services/orders/tools.yaml --format json",
    ),
    "serve": (
        "toolfold serve",
        "toolfold serve -m tools.yaml -o generated --reload --log text --log-level info",
        "toolfold serve --exposure progressive --search hybrid --usage off",
        "toolfold serve --http --api --host 127.0.0.1 --port 8080 --workers 4",
        "toolfold serve --http --host 0.0.0.0 --verifier checks:verifier --issuer https://login.example"
        " --resource https://tools.example/mcp --scope tools",
        "toolfold serve --http --allow-host tools.example --allow-origin https://app.example"
        " --shutdown-seconds 20",
        "toolfold serve --http --host 0.0.0.0 --open",
    ),
    "try": (
        "toolfold try find_order '{\"id\": 7}'",
        "toolfold try find_order '{\"id\": 7}' --dry-run",
        "toolfold try capabilities -m tools.yaml -o generated",
    ),
    "search": (
        'toolfold search "where is my order"',
        'toolfold search "where is my order" --limit 10 --search hybrid --json -m tools.yaml',
    ),
    "eval": (
        "toolfold eval queries.jsonl",
        "toolfold eval queries.jsonl --search hybrid --json --rankings found.jsonl -m tools.yaml",
    ),
    "import tools": (
        "toolfold import tools saved/*.json",
        "toolfold import tools list.json -o orders.yaml --name orders --force",
        "toolfold import tools list.json --format json --verbose",
    ),
    "import mcp": (
        "toolfold import mcp --config .mcp.json",
        "toolfold import mcp https://tools.example/mcp --name orders",
        "toolfold import mcp --curate --timeout 20 -- npx -y some-server",
        "toolfold import mcp -m tools.yaml --format github --verbose",
    ),
    "import openapi": (
        "toolfold import openapi shop.json --include orders /customers --exclude '/orders/*/debug'",
        "toolfold import openapi https://shop.example/openapi.json --name shop --timeout 20",
        "toolfold import openapi shop.yaml --url https://eu.shop.example/v1 -o servers/shop.yaml",
        "toolfold import openapi --curate -m tools.yaml --format github --verbose",
    ),
    "servers": (
        "toolfold servers",
        "toolfold servers orders mail --timeout 10 --format json -m tools.yaml",
    ),
    "tiers": (
        "toolfold tiers",
        "toolfold tiers --usage usage.db --format json -m tools.yaml",
    ),
    "tiers update": (
        "toolfold tiers update",
        "toolfold tiers update -m tools.yaml --usage usage.db -o tiers.yaml",
    ),
    "usage": (
        "toolfold usage",
        "toolfold usage --by day --days 7 --format csv",
        "toolfold usage --usage usage.db -m tools.yaml",
    ),
    "docs build": (
        "toolfold docs build",
        "toolfold docs build --since v1.0.0 --site public",
        "toolfold docs build --usage usage.db",
        "toolfold docs build --pages docs/site.yaml --site public",
        "toolfold docs build --url https://example.com/docs/",
        "toolfold docs build -m tools.yaml -o generated --format github --verbose --no-cache",
    ),
    "docs serve": (
        "toolfold docs serve",
        "toolfold docs serve --host 127.0.0.1 --port 9000 -m tools.yaml -o generated",
    ),
}
