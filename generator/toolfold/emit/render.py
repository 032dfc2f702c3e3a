"""Plan to text: templates place what the plan decided; the result maps each path to its text."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import jinja2

from toolfold.emit.cache import Cache
from toolfold.emit.classes import ModelsPiece
from toolfold.emit.format import formatted
from toolfold.emit.templates import templates_dir
from toolfold.plan.escape import OutputPath, output_path
from toolfold.plan.model import Plan

Files = dict[OutputPath, str]

_HANDLERS: Final = ("capabilities.py", "tool_schema.py", "search_tools.py")
_MODULES: Final = (
    "__init__.py",
    "py.typed",
    "models/__init__.py",
    "catalog/__init__.py",
    "handlers.py",
    "server.py",
    *_HANDLERS,
)


def render(plan: Plan, models: Callable[[], Mapping[str, ModelsPiece]], cache: Cache) -> Files:
    """Every output file's text by its path below the output folder, sorted by path.

    `models` may still be waited for, so they are asked for last.
    """
    files = {**dict(_data(plan)), **dict(page_texts(plan))}
    python = dict(_python(plan, models()))
    sources = {path: text for path, text in python.items() if path.endswith(".py")}
    files |= python | formatted(sources, cache)
    return dict(sorted(files.items()))


def _python(plan: Plan, pieces: Mapping[str, ModelsPiece]) -> Iterator[tuple[OutputPath, str]]:
    environment = _environment()
    for name in _MODULES:
        if not _is_wanted(name, plan):
            continue
        text = environment.get_template(f"{name}.jinja").render(plan=plan)
        yield output_path(plan.package, *name.split("/")), text
    template = environment.get_template("models/tool.py.jinja")
    for tool in plan.tools:
        text = template.render(plan=plan, piece=pieces[tool.name])
        yield output_path(plan.package, "models", f"{tool.module}.py"), text


def _is_wanted(name: str, plan: Plan) -> bool:
    """A handler module exists while its meta-tool is switched on."""
    modules = {handler.module for handler in plan.handlers}
    return name not in _HANDLERS or name.removesuffix(".py") in modules


def _data(plan: Plan) -> Iterator[tuple[OutputPath, str]]:
    for name, text in plan.data.items():
        yield output_path(plan.package, "catalog", *name.split("/")), text


def page_texts(plan: Plan) -> Iterator[tuple[OutputPath, str]]:
    """The docs alone: every page and what makes them a site, by path."""
    environment = _environment()
    for page in plan.pages:
        text = environment.get_template(page.template).render(plan=plan, page=page.values)
        yield output_path(*page.path.split("/")), text


def _environment() -> jinja2.Environment:
    # No autoescape: Python and Markdown are escaped by the plan, which knows what is what.
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - see above
    )
