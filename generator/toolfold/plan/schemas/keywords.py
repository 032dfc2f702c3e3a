"""What stands under the keywords of a JSON Schema: its subschemas, properties and references."""

from collections.abc import Iterator

from toolfold_runtime.contract.codec import Json

from toolfold.manifest.json_schema import LISTS, MAPPINGS, SINGLE

Step = str | int
SchemaPath = tuple[Step, ...]


def subschemas(schema: object) -> Iterator[tuple[SchemaPath, object]]:
    """The schemas directly under `schema`, each with its path."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key in MAPPINGS and isinstance(value, dict):
            for name, inner in value.items():
                if isinstance(inner, dict | bool):
                    yield (key, name), inner
        elif key in LISTS and isinstance(value, list):
            for index, inner in enumerate(value):
                yield (key, index), inner
        elif key in SINGLE and isinstance(value, dict | bool):
            yield (key,), value


def walk(schema: object) -> Iterator[tuple[SchemaPath, object]]:
    """`schema` and every schema below it, with paths; in document order, without recursion."""
    waiting: list[tuple[SchemaPath, object]] = [((), schema)]
    while waiting:
        here, current = waiting.pop()
        yield here, current
        below = [((*here, *step), inner) for step, inner in subschemas(current)]
        waiting.extend(reversed(below))


def properties_of(schema: object) -> Json:
    """The `properties` of a schema; empty where it has none that are a mapping."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def required_of(schema: object) -> list[object]:
    """The `required` names of a schema; empty where it has none that are a list."""
    required = schema.get("required") if isinstance(schema, dict) else None
    return required if isinstance(required, list) else []


def pointer(path: SchemaPath) -> str:
    """The JSON pointer of a path into a schema."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def resolve(root: object, reference: str) -> Json | bool | None:
    """The schema that a reference within the document points to; None where there is none."""
    if reference != "#" and not reference.startswith("#/"):
        return None  # another document, or an anchor, which only the validator follows
    node = root
    for part in reference[1:].split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and key in node:
            node = node[key]
        elif isinstance(node, list) and key.isdigit() and int(key) < len(node):
            node = node[int(key)]
        else:
            return None
    return node if isinstance(node, dict | bool) else None
