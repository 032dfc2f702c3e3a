"""A module of models as source: the shapes of its fields, and its classes from their templates."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.emit.models.defaults import default_source
from toolfold.emit.models.shapes import (
    ALIAS,
    ALIAS_STUB,
    CLASS_STUB,
    DESCRIPTION,
    FieldTemplate,
    Shape,
)
from toolfold.plan.models.model import (
    ModelAlias,
    ModelClass,
    ModelField,
    ModelsPlan,
    class_reference,
    types_used_by,
)
from toolfold.plan.names.annotation_names import IMPORTED
from toolfold.plan.text.escape import docstring, docstring_block, python_literal

_STANDARD: Final = ("typing", "uuid")
TemplateOf = Callable[[Shape], FieldTemplate]


@dataclass(frozen=True)
class ModelsSource:
    """The source of a module of models: its docstring, import lines and statements, in order."""

    docstring: str
    imports: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(frozen=True)
class _Annotation:
    """An annotation: its shape, and what fills the placeholders of its template."""

    shape: Shape
    values: Mapping[str, str]

    def source(self, template: FieldTemplate) -> str:
        """The template with its placeholders, which are every second part, filled."""
        parts = template.annotation
        return "".join(self.values[p] if n % 2 else p for n, p in enumerate(parts))


class ModelsWriter:
    """Writes the types of one module: first their shapes, then the source from their templates."""

    def __init__(self, plan: ModelsPlan) -> None:
        self._plan = plan
        #: By name: the schema behind an alias, None for a class.
        self._aliases: dict[str, Json | None] = {
            imported.name: imported.alias for imported in plan.imports
        }
        for name, model in plan.types.items():
            self._aliases[name] = model.type if isinstance(model, ModelAlias) else None
        self._needs = {name: types_used_by(model) for name, model in plan.types.items()}
        self._order, self._late = _ordered(self._needs)
        self._names: set[str] = set()

    def shapes(self) -> Iterator[Shape]:
        """The shape of every annotation of the module."""
        for model in self._plan.types.values():
            for part in model.fields if isinstance(model, ModelClass) else (model,):
                yield self._annotation(part).shape

    def source(self, template_of: TemplateOf, definitions_package: str) -> ModelsSource:
        """The module's source, each type after those it needs.

        `definitions_package` leads from the module to those of definitions.
        """
        texts = [self._type(self._plan.types[name], template_of) for name in self._order]
        late = [name for name in self._late if isinstance(self._plan.types[name], ModelClass)]
        texts += ["\n".join(f"{name}.model_rebuild()" for name in late)] if late else []
        relative = [
            f"from {definitions_package}{imported.module} import {imported.name}"
            for imported in self._plan.imports
        ]
        installed = _import_lines(self._names)
        between = [""] if installed and relative else []
        lines = (*installed, *between, *relative)
        return ModelsSource(docstring(self._plan.description), lines, tuple(texts))

    def _annotation(self, part: ModelField | ModelAlias) -> _Annotation:
        """The annotation of a field or an alias: its shape, and apart its texts and class names."""
        references: dict[str, str] = {}
        schema = _replaced(part.type, lambda name: self._stub(name, references))
        values = {stub: name for name, stub in references.items()}
        if isinstance(part, ModelAlias):
            shape = Shape(
                schema,
                is_never_absent=True,
                is_nullable=False,
                is_described=False,
                is_aliased=False,
            )
            return _Annotation(shape, values)
        is_aliased = part.property != part.attribute
        values |= {ALIAS: python_literal(part.property)} if is_aliased else {}
        values |= {DESCRIPTION: python_literal(part.description)} if part.description else {}
        shape = Shape(
            schema,
            is_never_absent=part.is_required or self._default(part) is not None,
            is_nullable=part.is_nullable,
            is_described=bool(part.description),
            is_aliased=is_aliased,
        )
        return _Annotation(shape, values)

    def _type(self, model: ModelClass | ModelAlias, template_of: TemplateOf) -> str:
        if isinstance(model, ModelClass):
            return self._class(model, template_of)
        annotation = self._annotation(model)
        template = template_of(annotation.shape)
        self._names |= set(template.names)
        source = annotation.source(template)
        if self._is_recursive(model.name):
            # Read when it is used: what it refers to may stand below.
            self._names.add("TypeAliasType")
            source = f"{model.name} = TypeAliasType({model.name!r}, {source!r})"
        else:
            self._names.add("TypeAlias")
            source = f"{model.name}: TypeAlias = {source}"
        return f"{source}\n{docstring_block(model.description)}"

    def _class(self, model: ModelClass, template_of: TemplateOf) -> str:
        self._names.add("Model")
        body = [docstring_block(model.description)]
        if model.is_closed:
            self._names.add("ConfigDict")
            body.append("model_config = ConfigDict(extra='forbid')\n")
        body += [self._field(field, template_of) for field in model.fields]
        return "\n    ".join([f"class {model.name}(Model):", *body])

    def _field(self, field: ModelField, template_of: TemplateOf) -> str:
        annotation = self._annotation(field)
        template = template_of(annotation.shape)
        self._names |= set(template.names)
        source = f"{field.attribute}: {annotation.source(template)}"
        default = self._default(field)
        if default is not None:
            self._names |= _names_in(default) & {"dt", "UUID"}
            return f"{source} = {default}"
        return source if field.is_required else f"{source} = None"

    def _default(self, field: ModelField) -> str | None:
        """The source of a default; None for one that needs a class which is not complete yet."""
        if field.is_required or not field.default:
            return None
        source = default_source(field.type, field.default[0], self._aliases)
        is_late = source is not None and any(map(self._is_recursive, _names_in(source)))
        return None if is_late else source

    def _is_recursive(self, name: str) -> bool:
        """Whether a type of this module refers to itself, directly or by others."""
        seen: set[str] = set()
        waiting = [name] if name in self._needs else []
        while waiting:
            for need in self._needs.get(waiting.pop(), ()):
                if need == name:
                    return True
                if need not in seen:
                    seen.add(need)
                    waiting.append(need)
        return False

    def _stub(self, name: str, references: dict[str, str]) -> str:
        """The stub that stands for a type; added to `references` by the type's name."""
        prefix = CLASS_STUB if self._aliases.get(name) is None else ALIAS_STUB
        return references.setdefault(name, f"{prefix}{len(references)}")


def _replaced(schema: Json, stub: Callable[[str], str]) -> Json:
    """A copy of a schema with other names in its references."""
    if "$ref" in schema:
        return class_reference(stub(schema["$ref"].rsplit("/", 1)[-1]))
    copy = dict(schema)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            copy[key] = _replaced(schema[key], stub)
    for key in ("anyOf", "prefixItems"):
        if key in schema:
            copy[key] = [_replaced(inner, stub) for inner in schema[key]]
    return copy


def _names_in(source: str) -> set[str]:
    nodes = ast.walk(ast.parse(source, mode="eval"))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _ordered(needs: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """Names, each after the names it needs where possible; and the names for which it was not."""
    placed: dict[str, int] = {}
    begun: set[str] = set()

    def place(name: str) -> None:
        begun.add(name)
        for need in needs[name]:
            if need in needs and need not in begun:
                place(need)
        placed[name] = len(placed)

    for name in needs:
        if name not in begun:
            place(name)
    late = [n for n in placed if any(placed.get(need, -1) >= placed[n] for need in needs[n])]
    return list(placed), late


def _import_lines(names: set[str]) -> Sequence[str]:
    """Import lines as sorters order them: the standard library first, constants before classes."""
    by_module: dict[str, list[str]] = {}
    for name in sorted(names - {"dt"}, key=lambda name: (not name.isupper(), name)):
        by_module.setdefault(IMPORTED[name], []).append(name)
    lines = {m: f"from {m} import {', '.join(by_module[m])}" for m in sorted(by_module)}
    standard = ["import datetime as dt"] if "dt" in names else []
    standard += [line for module, line in lines.items() if module in _STANDARD]
    others = [line for module, line in lines.items() if module not in _STANDARD]
    return [*standard, *([""] if standard else []), *others]
