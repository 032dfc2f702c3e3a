"""The repository's own server, as tests with clients of others know it."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
GENERATED: Final = ROOT / "generated"
PACKAGE: Final = "tana_mcp"
#: What `direct` lists before the tools; the rest is for those who do not see them.
INVENTORY: Final = ["tana_capabilities", "tana_tool_schema"]
#: Beside every tool: some have a budget, so there is a way to read on.
DIRECT: Final = [*INVENTORY, "tana_run_read"]
META: Final = [*INVENTORY, "tana_search_tools", "tana_run_read", "tana_run_write"]
HOT: Final = ["tana_search", "tana_node", "tana_create"]
