"""Plan to text: templates place what the plan decided; the result maps each path to its text."""

from collections.abc import Iterator
from functools import cache
from typing import Final

import jinja2

from toolfold.emit.format import formatted
from toolfold.emit.models.modules import Modelling, module_key
from toolfold.emit.templates import templates_dir
from toolfold.memo.keys import content_key
from toolfold.memo.store import Cache
from toolfold.plan.model import Plan
from toolfold.plan.text.paths import OutputPath, output_path

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


def render(plan: Plan, modelling: Modelling, store: Cache) -> Files:
    """Every output file's text by its path below the output folder, sorted by path.

    Models may still be waited for, so they are asked for last.
    """
    files = {**dict(_data(plan)), **page_texts(plan)}
    files |= _module_texts(plan, modelling, store)
    return dict(sorted(files.items()))


def page_texts(plan: Plan) -> Files:
    """The docs alone: every page and what makes them a site, by path."""
    return {
        output_path(*page.path.split("/")): _template(page.template).render(
            plan=plan, page=page.values
        )
        for page in plan.pages
    }


def _data(plan: Plan) -> Iterator[tuple[OutputPath, str]]:
    for name, text in plan.data.items():
        yield output_path(plan.package, "catalog", *name.split("/")), text


def _module_texts(plan: Plan, modelling: Modelling, store: Cache) -> Files:
    """All Python, formatted: what did not change as it was kept, the rest in one pass."""
    modules = {output_path(plan.package, *name.split("/")): name for name in _wanted(plan)}
    keys = {path: _module_key(plan, name) for path, name in modules.items()}
    known = store.get(filter(None, keys.values()))
    texts = {path: known[key] for path, key in keys.items() if key in known}
    sources = {
        path: _template(f"{name}.jinja").render(plan=plan)
        for path, name in modules.items()
        if path not in texts
    }
    pieces = modelling.pieces()
    for tool in plan.tools:
        path, key = output_path(plan.package, "models", f"{tool.module}.py"), module_key(tool)
        if tool.name in pieces:
            template = _template("models/tool.py.jinja")
            sources[path] = template.render(plan=plan, piece=pieces[tool.name])
            keys[path] = key if tool.key else ""
        else:
            texts[path] = modelling.modules[key]
    made = formatted(sources)
    store.put({keys[path]: text for path, text in made.items() if keys[path]})
    return texts | made


def _wanted(plan: Plan) -> list[str]:
    """The modules beside models; a handler exists while its meta-tool is switched on."""
    handlers = {f"{handler.module}.py" for handler in plan.handlers}
    return [name for name in _MODULES if name not in _HANDLERS or name in handlers]


def _module_key(plan: Plan, name: str) -> str:
    """What stands for a module: the protocol is the only one that tells of tools."""
    told = [
        [t.module, t.method, t.params_class, t.result_class, t.docstring]
        for t in (plan.tools if name == "handlers.py" else ())
    ]
    return content_key("module", plan.key, name, told) if plan.key else ""


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
        autoescape=False,  # noqa: S701 - see above
    )
