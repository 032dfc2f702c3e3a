"""What operations return: rows whose content the generated models of each tool declare and check."""

from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]
