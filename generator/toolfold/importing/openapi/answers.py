"""What an operation answers: the schema of its success, media types, and what its failures mean."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json

from toolfold.importing.openapi.references import References
from toolfold.importing.openapi.schemas import Schemas
from toolfold.importing.openapi.texts import line_of

_LONGEST_ERROR: Final = 100
_MOST_ERRORS: Final = 8
_MOST_TYPES: Final = 4
_FIRST: Final[tuple[str, ...]] = ("200", "201", "202", "203", "206", "207", "2XX")


class Answer(NamedTuple):
    """The `answer:` of a backend, and what its pages are recognised by."""

    entry: Json
    #: The schema of a success, not converted; None where it has none.
    schema: Any
    headers: list[str]


def answer_of(operation: Json, references: References, schemas: Schemas) -> Answer:
    """What an operation answers, by its first success that has a content."""
    responses = operation.get("responses")
    given = {
        str(status).upper(): references.resolved(response)
        for status, response in (responses.items() if isinstance(responses, dict) else ())
    }
    statuses: list[str] = [status for status in _FIRST if status in given]
    statuses += [status for status in given if status[:1] == "2" and status not in statuses]
    statuses += [status for status in ("DEFAULT",) if status in given and not statuses]
    headers = [name for status in statuses[:1] for name in _mapping(given[status].get("headers"))]
    entry: Json = {}
    schema = None
    for status in statuses:
        content = _mapping(given[status].get("content"))
        types = sorted(filter(_is_media_type, content), key=_rank)
        if not types:
            continue
        entry["types"] = list(
            dict.fromkeys(media_type.split(";")[0].strip() for media_type in types)
        )[:_MOST_TYPES]
        schema = _mapping(content[types[0]]).get("schema")
        if schema is not None and _is_json(types[0]):
            entry = {"schema": schemas.converted(schema, "answer"), **entry}
        if entry["types"] == ["application/json"]:
            del entry["types"]  # which is what is asked for anyway
        break
    if errors := dict(_errors(given)):
        entry["errors"] = errors
    return Answer(entry, schema, headers)


def _mapping(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _rank(media_type: str) -> tuple[bool, bool, str]:
    base = media_type.split(";")[0].strip().lower()
    return base != "application/json", not _is_json(base), media_type


def _is_json(media_type: str) -> bool:
    base = media_type.split(";")[0].strip().lower()
    return base in ("application/json", "*/*") or base.endswith("+json")


def _is_media_type(media_type: str) -> bool:
    base = media_type.split(";")[0].strip()
    is_plain = base.isascii() and base.isprintable() and not any(c in base for c in ' ",<>@()[]\\')
    return is_plain and base.count("/") == 1 and len(base) <= 200 and all(base.split("/"))


def _errors(given: dict[str, Json]) -> Iterator[tuple[str, str]]:
    """Statuses of failures, each with what the document says of it beyond the usual words."""
    failures = [status for status in given if status[:1] in ("4", "5") and _is_status(status)]
    for status in failures[:_MOST_ERRORS]:
        said = line_of(given[status].get("description"), _LONGEST_ERROR)
        if said and _folded(said) not in (_usual(status), "", "error", "response"):
            yield status, said


def _is_status(status: str) -> bool:
    return len(status) == 3 and all(c.isdigit() or c == "X" for c in status)


def _usual(status: str) -> str:
    if "X" in status or int(status) not in set(HTTPStatus):
        return ""
    return _folded(HTTPStatus(int(status)).phrase)


def _folded(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalpha())
