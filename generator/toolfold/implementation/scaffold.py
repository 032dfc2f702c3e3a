"""Methods to paste and classes to start from, written from the plan of the protocol."""

import ast
import textwrap
from collections.abc import Collection, Sequence
from typing import Final

from toolfold.plan.model import MethodPlan, ProtocolPlan

_METHOD: Final = """\
{signature}
    {docstring}
    raise NotImplementedError
"""


def stub(package: str, methods: Sequence[MethodPlan]) -> str:
    """Imports and methods to paste into a class."""
    imports = "\n".join(import_lines(package, methods))
    return f"{imports}\n\n{_sources(methods)}\n"


def scaffold(protocol: ProtocolPlan, name: str) -> str:
    """A module with a class of all methods, none of them implemented; not formatted."""
    from toolfold.emit.render import render  # whoever has a class need not wait for it

    imports = "\n".join(import_lines(protocol.package, protocol.methods))
    return render(
        "project/scaffold.py.jinja",
        package=protocol.package,
        name=name,
        imports=textwrap.indent(imports, "    "),
        methods=_sources(protocol.methods),
    )


def signature(method: MethodPlan, first: str = "self, ", *, is_async: bool = False) -> str:
    """The first line of a method; `first` is what comes before its own parameter."""
    start = "async def" if is_async else "def"
    return f"{start} {method.name}({first}params: {method.params_class}) -> {method.result}:"


def import_lines(
    package: str, methods: Sequence[MethodPlan], without: Collection[str] = ()
) -> list[str]:
    """One import for each module that the signatures need, sorted, without names already there."""
    needed: dict[str, set[str]] = {}
    for method in methods:
        needed.setdefault(f"{package}.models.{method.module}", set()).add(method.params_class)
        if method.result_class is not None:
            module = f"{package}.models.{method.result_module}"
            needed.setdefault(module, set()).add(method.result_class)
        if method.runtime_names:
            needed.setdefault("toolfold_runtime", set()).update(method.runtime_names)
    lacking = {
        module: {name for name in names if _bound(name) not in without}
        for module, names in sorted(needed.items())
    }
    return [f"from {m} import {', '.join(sorted(names))}" for m, names in lacking.items() if names]


def _bound(imported: str) -> str:
    """The name that an import binds: of `File as RuntimeFile`, the last."""
    return imported.split()[-1]


def _sources(methods: Sequence[MethodPlan]) -> str:
    return "\n\n".join(textwrap.indent(_source(method), "    ") for method in methods)


def _source(method: MethodPlan) -> str:
    text = _METHOD.format(signature=signature(method), docstring=method.docstring)
    # Parsed and written again, so that any literal becomes a docstring as people write them.
    return ast.unparse(ast.parse(text))
