"""Filling templates: they place what the plan decided, and decide nothing."""

from functools import cache

import jinja2

from toolfold.emit.templates import templates_dir


def render(template: str, **values: object) -> str:
    """The text of one file."""
    return _template(template).render(**values)


@cache
def _template(name: str) -> jinja2.Template:
    return _environment().get_template(name)


@cache
def _environment() -> jinja2.Environment:
    # No autoescape: Python and Markdown are escaped by the plan, which knows what is what.
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,  # no template changes within a run; each would be looked up for each page
        autoescape=False,  # noqa: S701 - see above
    )
