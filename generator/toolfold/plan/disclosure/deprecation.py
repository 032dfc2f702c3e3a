"""How views mark deprecated tools: the mark comes first, so that no truncation loses it."""

from toolfold.manifest.schema import Tool


def replacement_of(tool: Tool) -> str | None:
    """The tool to use instead; empty where none is named, None where the tool is not deprecated."""
    return None if tool.deprecation is None else tool.deprecation.use or ""


def since_and_reason(tool: Tool) -> str:
    """Since which version and why a tool is deprecated, as far as the manifest says."""
    deprecation = tool.deprecation
    if deprecation is None:
        return ""
    since = f"since {deprecation.since}" if deprecation.since else ""
    return ": ".join(part for part in (since, deprecation.reason) if part)


def instead(replacement: str) -> str:
    """The sentence that says which tool to use instead of a deprecated one."""
    return f"use {replacement}" if replacement else "no replacement"


def mark(replacement: str | None) -> str:
    """`[deprecated: use other]` or `[deprecated]`; empty for a tool that is not deprecated."""
    if replacement is None:
        return ""
    return f"[deprecated: {instead(replacement)}]" if replacement else "[deprecated]"


def marked(text: str, replacement: str | None) -> str:
    """A summary or description after the mark, if there is one."""
    return text if replacement is None else f"{mark(replacement)} {text}"
