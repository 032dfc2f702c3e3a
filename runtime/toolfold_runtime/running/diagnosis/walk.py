"""Finding the faults of a value that its schema refuses: every place, keyword and value.

Found by validating part by part, and only where a part is refused. The validator's own list of
errors is made whole, with every branch of every alternative: a long list takes it seconds, and
alternatives within alternatives take it exponential time.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from toolfold_runtime.pointers import SchemaPath
from toolfold_runtime.running.diagnosis.branches import Branch, branch_pointers, intended_branch
from toolfold_runtime.running.diagnosis.document import SchemaDocument
from toolfold_runtime.running.diagnosis.effort import Effort
from toolfold_runtime.running.diagnosis.faults import Fault, ValuePath
from toolfold_runtime.running.diagnosis.plain import DECISIVE, refusing_keywords
from toolfold_runtime.running.diagnosis.properties import extra_names, known_properties

_MAX_FAULTS: Final = 1_000
# For each other fault. Nulls are left out, all of them, so more are looked for.
_MAX_NULLS: Final = 20
_MAX_DEPTH: Final = 64
# Faults of a branch that are counted, to choose between branches.
_MAX_COUNTED: Final = 20


def faults_of(document: SchemaDocument, value: object, effort: Effort | None = None) -> list[Fault]:
    """The faults of a value that the document refuses: at least one, and not too many.

    `effort` is shared by several diagnoses that are one to whoever waits for them.
    """
    walk = _Walk(document, effort or Effort(), _MAX_FAULTS, looks_into_branches=True)
    walk.node((), value, ())
    return walk.faults or [Fault((), "schema", value)]


class _Walk:
    """Collects the faults of one value."""

    def __init__(
        self, document: SchemaDocument, effort: Effort, most: int, *, looks_into_branches: bool
    ) -> None:
        self.faults: list[Fault] = []
        self._document = document
        self._effort = effort
        self._most = most
        self._looks_into_branches = looks_into_branches
        self._depth = 0
        self._nulls = 0
        self._declared: set[ValuePath] = set()
        self._seen: set[tuple[SchemaPath, ValuePath]] = set()

    def node(self, pointer: SchemaPath, value: Any, path: ValuePath) -> None:
        """Add the faults of a value that the schema at `pointer` refuses."""
        if (pointer, path) in self._seen or self._is_done:
            return
        self._seen.add((pointer, path))
        before = len(self.faults)
        self._depth += 1
        if self._depth <= _MAX_DEPTH:
            self._parts(pointer, value, path)
        self._depth -= 1
        if len(self.faults) == before and not self._is_known(path):
            self._add(path, "schema", value)

    def _is_known(self, path: ValuePath) -> bool:
        """Whether a fault at or below a path was already found through another part of the schema."""
        return any(fault.path[: len(path)] == path for fault in self.faults)

    def _parts(self, pointer: SchemaPath, value: Any, path: ValuePath) -> None:
        schema = self._document.at(pointer)
        if schema is False:
            self._add(path, "false", value)
        if not isinstance(schema, dict) or (pointer and "$id" in schema):
            return  # a document of its own has references of its own
        target = self._document.target(schema.get("$ref"))
        if target is not None:
            self._visit(target, value, path)
        if "$ref" in schema and self._document.ignores_siblings:
            return
        if not self._add_plain_faults(pointer, schema, value, path):
            self._combined(pointer, schema, value, path)
            if isinstance(value, dict):
                self._object(pointer, schema, value, path)
            elif isinstance(value, list):
                self._array(pointer, schema, value, path)

    def _visit(self, pointer: SchemaPath, value: Any, path: ValuePath) -> None:
        self._effort.spend(1)
        if not self._is_done and not self._document.accepts(pointer, value):
            self.node(pointer, value, path)

    def _add(self, path: ValuePath, keyword: str, given: object, expected: object = None) -> None:
        is_null = given is None and keyword != "required"
        if len(self.faults) - self._nulls < self._most or is_null:
            self.faults.append(Fault(path, keyword, given, expected, path in self._declared))
            self._nulls += is_null

    def _bounded(self, items: Iterable[Any], steps: int = 1) -> Iterator[Any]:
        """Items while there is effort left, each for so many steps."""
        for item in items:
            self._effort.spend(steps)
            if self._is_done:
                return
            yield item

    @property
    def _is_done(self) -> bool:
        is_full = len(self.faults) - self._nulls >= self._most
        return is_full or self._nulls >= self._most * _MAX_NULLS or self._effort.is_spent

    def _add_plain_faults(
        self, pointer: SchemaPath, schema: Any, value: Any, path: ValuePath
    ) -> bool:
        """Add the faults of keywords without subschemas; True if no others need be looked for."""
        keywords = refusing_keywords(self._document, pointer, value)
        for keyword in keywords:
            self._add(path, keyword, value, schema[keyword])
        return bool(keywords) and keywords[0] in DECISIVE

    def _combined(self, pointer: SchemaPath, schema: Any, value: Any, path: ValuePath) -> None:
        for index in range(_length(schema.get("allOf"))):
            self._visit((*pointer, "allOf", index), value, path)
        for keyword in ("anyOf", "oneOf"):
            if isinstance(schema.get(keyword), list):
                self._alternatives((*pointer, keyword), value, path)
        if "not" in schema and self._document.accepts((*pointer, "not"), value):
            self._add(path, "not", value, schema["not"])
        if "if" in schema:
            chosen = "then" if self._document.accepts((*pointer, "if"), value) else "else"
            if chosen in schema:
                self._visit((*pointer, chosen), value, path)

    def _alternatives(self, pointer: SchemaPath, value: Any, path: ValuePath) -> None:
        numbers = range(_length(self._document.at(pointer)))
        self._effort.spend(len(numbers))
        fitting = [n for n in numbers if self._document.accepts((*pointer, n), value)]
        if fitting:
            if pointer[-1] == "oneOf" and len(fitting) > 1:
                self._add(path, "oneOf", value, fitting)
        elif self._looks_into_branches:
            self._look_into_branches(pointer, value, path)
        else:
            self._add(path, str(pointer[-1]), value)

    def _look_into_branches(self, pointer: SchemaPath, value: Any, path: ValuePath) -> None:
        pointers = branch_pointers(self._document, pointer, value)
        branches = [Branch(option, self._faults_in(option, value, path)) for option in pointers]
        chosen = intended_branch(self._document, branches, value, path)
        if isinstance(chosen, Fault):
            self._add(*chosen[:4])
        else:
            self.node(chosen, value, path)

    def _faults_in(self, pointer: SchemaPath, value: Any, path: ValuePath) -> list[Fault]:
        """Some faults of a branch; alternatives inside it count as one, so that this stays linear."""
        walk = _Walk(self._document, self._effort, _MAX_COUNTED, looks_into_branches=False)
        walk.node(pointer, value, path)
        return walk.faults

    def _object(self, pointer: SchemaPath, schema: Any, value: Any, path: ValuePath) -> None:
        for name in _texts(schema.get("required")):
            if name not in value:
                self._add((*path, name), "required", None)
        self._dependent(pointer, schema, value, path)
        properties = schema.get("properties")
        for name in value if isinstance(properties, dict) else ():
            if name in properties:
                self._declared.add((*path, name))
                self._visit((*pointer, "properties", name), value[name], (*path, name))
        self._undeclared(pointer, schema, value, path)
        if "propertyNames" in schema:
            for name in self._bounded(value):
                if not self._document.accepts((*pointer, "propertyNames"), name):
                    self._add((*path, name), "propertyNames", name, schema["propertyNames"])

    def _dependent(self, pointer: SchemaPath, schema: Any, value: Any, path: ValuePath) -> None:
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            dependent = schema.get(keyword)
            for name in dependent if isinstance(dependent, dict) else ():
                if name not in value:
                    continue
                for needed in _texts(dependent[name]):
                    if needed not in value:
                        self._add((*path, needed), "required", None, name)
                if isinstance(dependent[name], dict | bool):
                    self._visit((*pointer, keyword, name), value, path)

    def _undeclared(self, pointer: SchemaPath, schema: Any, value: Any, path: ValuePath) -> None:
        names, patterns = (_names(schema.get(k)) for k in ("properties", "patternProperties"))
        for pattern in patterns:
            for name in self._bounded(value):
                if self._document.matches(pattern, name):
                    inner = (*pointer, "patternProperties", pattern)
                    self._visit(inner, value[name], (*path, name))
        if "additionalProperties" in schema:
            given = self._bounded(value, 1 + len(patterns))
            extra = extra_names(self._document, names, patterns, given)
            self._others((*pointer, "additionalProperties"), extra, names, value, path)
        if "unevaluatedProperties" in schema:
            known = known_properties(self._document, pointer)
            given = self._bounded(value, 1 + len(known.patterns))
            extra = extra_names(self._document, known.names, known.patterns, given)
            inner = (*pointer, "unevaluatedProperties")
            self._others(inner, [] if known.is_open else extra, list(known.names), value, path)

    def _others(
        self,
        pointer: SchemaPath,
        extra: Iterable[str],
        known: list[str],
        value: Any,
        path: ValuePath,
    ) -> None:
        """Properties that a schema for all others refuses."""
        for name in extra:
            if self._document.at(pointer) is False:
                self._add((*path, name), "unknown", value[name], known)
            else:
                self._visit(pointer, value[name], (*path, name))
            if self._is_done:
                return

    def _array(self, pointer: SchemaPath, schema: Any, value: Any, path: ValuePath) -> None:
        keyword = "prefixItems" if isinstance(schema.get("prefixItems"), list) else "items"
        first = _length(schema.get(keyword))
        for index in range(min(first, len(value))):
            self._visit((*pointer, keyword, index), value[index], (*path, index))
        rest = "additionalItems" if keyword == "items" and first else "items"
        if schema.get(rest) is False:
            if len(value) > first:
                self._add(path, "maxItems", value, first)
        elif isinstance(schema.get(rest), dict):
            for index in range(first, len(value)):
                self._visit((*pointer, rest), value[index], (*path, index))
                if self._is_done:
                    break
        if "contains" in schema:
            self._contains(pointer, schema, value, path)

    def _contains(self, pointer: SchemaPath, schema: Any, value: Any, path: ValuePath) -> None:
        inner = (*pointer, "contains")
        count = sum(self._document.accepts(inner, item) for item in self._bounded(value))
        if self._is_done:
            return  # not all of them were counted
        least, most = schema.get("minContains", 1), schema.get("maxContains", len(value))
        if count < least:
            self._add(path, "minContains", value, (least, schema["contains"]))
        elif count > most:
            self._add(path, "maxContains", value, (most, schema["contains"]))


def _texts(value: object) -> Iterator[str]:
    return (
        (item for item in value if isinstance(item, str)) if isinstance(value, list) else iter(())
    )


def _names(value: object) -> list[str]:
    return list(value) if isinstance(value, dict) else []


def _length(value: object) -> int:
    return len(value) if isinstance(value, list) else 0
