"""Plan to text: templates place what the plan decided; the result maps each path to its text."""

from collections.abc import Iterator
from typing import Final

import jinja2

from toolfold.emit.cache import Cache
from toolfold.emit.format import formatted, key_of
from toolfold.emit.models import Modelling, module_key
from toolfold.emit.templates import templates_dir
from toolfold.plan.model import Plan
from toolfold.plan.paths import OutputPath, output_path

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


def render(plan: Plan, modelling: Modelling, cache: Cache) -> Files:
    """Every output file's text by its path below the output folder, sorted by path.

    Models may still be waited for, so they are asked for last.
    """
    files = {**dict(_data(plan)), **page_texts(plan, cache)}
    files |= dict(_modules(plan))
    sources = {path: text for path, text in files.items() if path.endswith(".py")}
    keys = {path: key_of(text) for path, text in sources.items()}
    pieces = modelling.pieces()
    template = _environment().get_template("models/tool.py.jinja")
    for tool in plan.tools:
        path, key = output_path(plan.package, "models", f"{tool.module}.py"), module_key(tool)
        if tool.name in pieces:
            sources[path] = template.render(plan=plan, piece=pieces[tool.name])
            keys[path] = key if tool.key else key_of(sources[path])
        else:
            files[path] = modelling.modules[key]
    files |= formatted(sources, keys, cache)
    return dict(sorted(files.items()))


def _modules(plan: Plan) -> Iterator[tuple[OutputPath, str]]:
    environment = _environment()
    for name in _MODULES:
        if _is_wanted(name, plan):
            text = environment.get_template(f"{name}.jinja").render(plan=plan)
            yield output_path(plan.package, *name.split("/")), text


def _is_wanted(name: str, plan: Plan) -> bool:
    """A handler module exists while its meta-tool is switched on."""
    modules = {handler.module for handler in plan.handlers}
    return name not in _HANDLERS or name.removesuffix(".py") in modules


def _data(plan: Plan) -> Iterator[tuple[OutputPath, str]]:
    for name, text in plan.data.items():
        yield output_path(plan.package, "catalog", *name.split("/")), text


def page_texts(plan: Plan, cache: Cache) -> Files:
    """The docs alone: every page and what makes them a site, by path."""
    environment = _environment()
    known = cache.get(page.key for page in plan.pages if page.key)
    fresh: dict[str, str] = {}
    texts: Files = {}
    for page in plan.pages:
        text = known.get(page.key)
        if text is None:
            template = environment.get_template(page.template)
            text = template.render(plan=plan, page=page.values())
            fresh |= {page.key: text} if page.key else {}
        texts[output_path(*page.path.split("/"))] = text
    cache.put(fresh)
    return texts


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
