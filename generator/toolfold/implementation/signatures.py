"""What is wrong with a method's signature, as far as its source shows; doubts are not reported."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from toolfold.implementation.annotations import (
    annotation_source,
    argument_of,
    awaited,
    class_named,
)
from toolfold.implementation.classes import Method
from toolfold.implementation.generated import GeneratedPackage
from toolfold.implementation.modules import Function, Module, Placed
from toolfold.implementation.scaffold import import_lines, signature
from toolfold.plan.model import MethodPlan, ProtocolPlan

# A method with any other decorator may have another signature than its `def` shows.
_PLAIN_DECORATORS: Final = frozenset(
    f"{module}.{name}"
    for module in ("typing", "typing_extensions")
    for name in ("final", "override")
)
_SCALARS: Final = frozenset({"str", "int", "float", "bool", "bytes"})
_LISTS: Final = frozenset({"list", "tuple", "set", "frozenset"})
_VALUES: Final = frozenset(
    {"uuid.UUID", "datetime.date", "datetime.datetime", "datetime.time", "decimal.Decimal"}
)
# Types that are certainly not the generated class.
_NOT_PARAMS: Final = _SCALARS | _LISTS | _VALUES | {"dict", "None"}
_NOT_A_MODEL_RESULT: Final = _SCALARS | _LISTS | {"None"}
# A list of content is taken for content, whatever is declared.
_NOT_CONTENT: Final = _SCALARS | {"dict", "None"}
_CONTENT_MODULES: Final = ("toolfold_runtime", "toolfold_runtime.content")
_CONTENT: Final = frozenset(
    f"{module}.{name}"
    for module in _CONTENT_MODULES
    for name in ("Text", "Image", "Audio", "File", "Link", "ToolResult")
)


class Misfit(NamedTuple):
    """Something in a method that does not fit its tool, and the way out."""

    node: Placed
    fact: str
    hint: str


@dataclass(frozen=True)
class Signatures:
    """Compares methods with the protocol."""

    protocol: ProtocolPlan
    generated: GeneratedPackage

    def misfits(self, method: Method, plan: MethodPlan) -> Iterator[Misfit]:
        """What is wrong with the method of a tool, and how to write it."""
        kind = _kind(method)
        for node, fact, hint in () if kind is None else self._wrong(method, plan, kind):
            yield Misfit(node, fact, hint or self._way_out(method, plan, kind))

    def _wrong(self, method: Method, plan: MethodPlan, kind: str) -> Iterator[Misfit]:
        """What is wrong; the hint is empty where the correct signature is the way out."""
        function = method.function
        if kind == "property":
            if self._was_meant_as_method(method):
                yield Misfit(function, "is a property, and the server calls a method", "")
            return
        fact = _why_not_callable(function, kind)
        if fact is not None:
            yield Misfit(function, fact, "")
        elif (wrong := self._wrong_params(method, plan, kind)) is not None:
            written = f'its parameter is annotated "{annotation_source(wrong)}"'
            yield Misfit(wrong, f"{written}; the server passes {plan.params_class}", "")
        if _has_yield(method):
            what = "an async generator" if _is_async(function) else "a generator"
            hint = "collect what it yields in a list, and return that"
            yield Misfit(function, f"is {what}; a tool answers once", hint)
        elif (wrong := self._wrong_result(method, plan)) is not None:
            written = f'is annotated to return "{annotation_source(wrong)}"'
            yield Misfit(wrong, f"{written}; the tool returns {plan.result}", "")

    def is_orphaned(self, method: Method) -> bool:
        """Whether an annotation of it names something that is not generated any more."""
        annotations = [argument.annotation for argument in _positional(method.function)]
        for annotation in (*annotations, awaited(method.module, method.function.returns)):
            name = self._generated_name(method.module, annotation)
            if name is not None:
                module, _, last = name.rpartition(".")
                if not self.generated.has_module(module):
                    return True
                if not self.generated.declares(module, last):
                    return True
        return False

    def _generated_name(self, module: Module, annotation: ast.expr | None) -> str | None:
        """The full name of what an annotation names in the generated package, or None."""
        name = class_named(module, annotation)
        is_generated = name is not None and name.startswith(f"{self.protocol.package}.")
        return name if is_generated else None

    def _wrong_params(self, method: Method, plan: MethodPlan, kind: str) -> ast.expr | None:
        positional = _positional(method.function)[0 if kind == "staticmethod" else 1 :]
        annotation = positional[0].annotation if positional else None
        expected = self._full_name(plan.module, plan.params_class)
        return annotation if self._differs(method, annotation, expected, _NOT_PARAMS) else None

    def _wrong_result(self, method: Method, plan: MethodPlan) -> ast.expr | None:
        annotation = awaited(method.module, method.function.returns)
        if plan.content is not None:
            return annotation if self._is_no_content(method, annotation, plan) else None
        return annotation if self._is_other_model(method, annotation, plan) else None

    def _is_other_model(
        self, method: Method, annotation: ast.expr | None, plan: MethodPlan
    ) -> bool:
        if plan.result_class is None or plan.result_module is None:
            return False
        expected = self._full_name(plan.result_module, plan.result_class)
        return self._differs(method, annotation, expected, _NOT_A_MODEL_RESULT)

    def _is_no_content(self, method: Method, annotation: ast.expr | None, plan: MethodPlan) -> bool:
        """Whether an annotation certainly names no content, of a tool that declares some."""
        if plan.content == "mixed" and plan.result_class is None:
            return False  # a text will do
        expected = {f"{module}.{plan.runtime_names[0].split()[0]}" for module in _CONTENT_MODULES}
        inner = argument_of(method.module, annotation, expected)
        if inner is not None:
            return self._is_other_model(method, inner, plan)
        name = class_named(method.module, annotation)
        if name is None or name in expected:
            return False
        is_builtin = name in _NOT_CONTENT and name not in method.module.bound
        return is_builtin or name in _CONTENT or self.generated.class_of(name) is not None

    def _differs(
        self, method: Method, annotation: ast.expr | None, wanted: str, impossible: frozenset[str]
    ) -> bool:
        """Whether an annotation certainly names another class than the expected one."""
        name = class_named(method.module, annotation)
        if name is None or name == wanted:
            return False
        expected = self.generated.class_of(wanted)
        if name in impossible and name not in method.module.bound:
            return expected is not None
        given = self.generated.class_of(name)
        if given is None:
            return False
        if expected is None:  # an alias of a list or a union; only parameters are surely not it
            return given in self._all_params
        return given != expected

    @property
    def _all_params(self) -> set[str]:
        return {self._full_name(m.module, m.params_class) for m in self.protocol.methods}

    def _was_meant_as_method(self, method: Method) -> bool:
        """Whether a property was surely meant as a method."""
        arguments = method.function.args
        has_params = len(_positional(method.function)) > 1 or bool(arguments.kwonlyargs)
        returns = self._generated_name(method.module, method.function.returns)
        return has_params or returns is not None

    def _full_name(self, module: str, name: str) -> str:
        return f"{self.protocol.package}.models.{module}.{name}"

    def _way_out(self, method: Method, plan: MethodPlan, kind: str | None) -> str:
        """The right signature, and the imports that it needs and the module lacks."""
        first = {"staticmethod": "", "classmethod": "cls, "}.get(kind or "", "self, ")
        right = signature(plan, first, is_async=_is_async(method.function))
        lines = import_lines(self.protocol.package, [plan], without=method.module.bound)
        return f"write `{right}`{''.join(f' (`{line}`)' for line in lines)}"


def _kind(method: Method) -> str | None:
    """How a method is bound: `method`, `staticmethod`, `classmethod` or `property`; None if unclear."""
    kind = "method"
    for decorator in method.function.decorator_list:
        name = method.module.absolute(decorator)
        if name in ("property", "functools.cached_property") and name not in method.module.bound:
            kind = "property"
        elif name in ("staticmethod", "classmethod") and name not in method.module.bound:
            kind = name
        elif name not in _PLAIN_DECORATORS:
            return None
    return kind


def _why_not_callable(function: Function, kind: str) -> str | None:
    """Why the server cannot call it with one argument, or None."""
    arguments, positional = function.args, _positional(function)
    if kind != "staticmethod" and arguments.vararg is None and _lacks_self(positional):
        return f'takes no "{"cls" if kind == "classmethod" else "self"}"'
    positional = positional if kind == "staticmethod" else positional[1:]
    if not positional and arguments.vararg is None:
        return "takes no parameter, and the server passes one"
    required = len(positional) - len(arguments.defaults)
    if required > 1:
        names = ", ".join(f'"{parameter.arg}"' for parameter in positional[:required])
        return f"needs {required} parameters ({names}); the server passes one, with all arguments"
    by_name = [
        parameter.arg
        for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is None
    ]
    if by_name:
        return f'needs "{by_name[0]}" by name; the server passes one parameter and no names'
    return None


def _lacks_self(positional: list[ast.arg]) -> bool:
    """Whether `self` is missing: there is no parameter, or only the one for the arguments."""
    if len(positional) > 1:
        return False
    return not positional or positional[0].arg == "params" or positional[0].annotation is not None


def _positional(function: Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args]


def _is_async(function: Function) -> bool:
    return isinstance(function, ast.AsyncFunctionDef)


def _has_yield(method: Method) -> bool:
    """Whether the method itself yields, and not a function inside it."""
    if "yield" not in method.module.source.text:
        return False  # without a look at every expression
    waiting: list[ast.AST] = list(method.function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))
    return False
