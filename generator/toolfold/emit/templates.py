"""Where the templates are."""

from pathlib import Path


def templates_dir() -> Path:
    """A wheel carries the templates inside the package; a checkout keeps them at its root."""
    package = Path(__file__).parents[1]
    shipped = package / "templates"
    return shipped if shipped.is_dir() else package.parents[1] / "templates"
