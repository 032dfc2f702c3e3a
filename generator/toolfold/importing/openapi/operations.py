"""The operations of a document, in its order, those that are asked for."""

import difflib
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json

from toolfold.errors import UsageError
from toolfold.importing.openapi.names import Named
from toolfold.importing.openapi.references import References
from toolfold.importing.openapi.selection import Selection
from toolfold.importing.openapi.version import METHODS, Version, operation_of
from toolfold.importing.openapi.warnings import Warnings

_LONGEST_PATH: Final = 1500
#: What a path has besides operations.
_OF_PATH: Final = frozenset({"$ref", "summary", "description", "parameters", "servers"})
_MOST: Final = 20_000


class Operation(NamedTuple):
    """An operation as the document has it, in the shape of OpenAPI 3.0."""

    named: Named
    tags: tuple[str, ...]
    given: Json
    #: The path that it belongs to, with what holds for all of its operations.
    item: Json


def operations_of(
    references: References, version: Version, selection: Selection, warnings: Warnings
) -> list[Operation]:
    """Every operation that is asked for; UsageError where there is none."""
    paths = references.root.get("paths")
    every = Warnings()
    found = list(_found(paths if isinstance(paths, dict) else {}, references, every))
    if not found:
        raise UsageError(_without_operations(references.root, warnings))
    if len(found) > _MOST:
        raise UsageError(f"{len(found):,} operations; at most {_MOST:,} are imported at once")
    all_tags = list(dict.fromkeys(tag for operation in found for tag in operation.tags))
    known = [(operation.named.path, operation.tags) for operation in found]
    selection.refuse_unused(known, _known(selection, all_tags))
    chosen, left = [], set[str]()
    for operation in found:
        if selection.takes(operation.named.path, operation.tags):
            chosen.append(operation)
        else:
            left.add(f"{operation.named.method} {operation.named.path}")
    if not chosen:
        raise UsageError("everything that is included is excluded again")
    warnings.add_all(every, without=left)
    return [
        operation._replace(given=operation_of(operation.given, operation.item, version, references))
        for operation in chosen
    ]


def _found(paths: Json, references: References, warnings: Warnings) -> Iterator[Operation]:
    seen: set[str] = set()
    hosts = _hosts(references.root.get("servers"))
    for path, given in paths.items():
        if path.startswith("x-"):
            continue
        item = _item(given, references)
        if not item:
            warnings.add("paths without operations are left out", path)
        if len(path) > _LONGEST_PATH:
            warnings.add(f"paths of more than {_LONGEST_PATH:,} characters are left out", path[:60])
            continue
        for method, operation in item.items():
            if method in _OF_PATH or method.startswith("x-"):
                continue
            if method.lower() not in METHODS:
                warnings.add("methods that are not known are left out", f"{method} {path}")
                continue
            where = f"{method.upper()} {path}"
            if not isinstance(operation, dict):
                warnings.add("operations that are no mappings are left out", where)
                continue
            if _own_hosts(operation, item) - hosts:
                warnings.add("on another host, and sent to the declared one all the same", where)
            identity = _identity(operation, seen, where, warnings)
            named = Named(method.upper(), path, identity)
            seen.add(named.unique_id)
            yield Operation(named, tuple(_tags(operation)), operation, item)


def _item(given: Any, references: References) -> Json:
    """What a path says, with what it refers to."""
    referred = references.resolved(given)
    beside = given.items() if isinstance(given, dict) and "$ref" in given else ()
    return {**referred, **{key: value for key, value in beside if key != "$ref"}}


def _without_operations(root: Json, warnings: Warnings) -> str:
    """What to say of a document without operations, and why it has none."""
    fact = "it has no operations; nothing can be imported of it"
    if root.get("webhooks") and not root.get("paths"):
        return f"{fact}: webhooks are requests that the API sends, not tools"
    reasons = (
        f"{problem.fact}; {problem.hint}" for problem in warnings.problems("") if problem.hint
    )
    return ": ".join([fact, *list(reasons)[:1]])


def _own_hosts(operation: Json, item: Json) -> set[str]:
    return _hosts(operation.get("servers")) or _hosts(item.get("servers"))


def _hosts(servers: object) -> set[str]:
    urls = (
        (server.get("url") for server in servers if isinstance(server, dict))
        if isinstance(servers, list)
        else ()
    )
    hosts = (url.partition("://")[2].partition("/")[0] for url in urls if isinstance(url, str))
    return {host for host in hosts if host}


def _identity(operation: Json, seen: set[str], where: str, warnings: Warnings) -> str:
    """The `operationId`, if it has one that no operation before it has."""
    identity = operation.get("operationId")
    if not isinstance(identity, str) or not identity.strip():
        warnings.add("operations without an operationId are called by method and path", where)
        return ""
    if identity in seen:
        warnings.add("an operationId twice: the second is called by method and path", where)
        return ""
    return identity


def _tags(operation: Json) -> Iterator[str]:
    tags = operation.get("tags")
    for tag in tags if isinstance(tags, list) else ():
        if isinstance(tag, str) and tag.strip():
            yield " ".join(tag.split())[:100]


def _known(selection: Selection, tags: list[str]) -> str:
    wanted = [
        tag_or_path
        for tag_or_path in (*selection.include, *selection.exclude)
        if not tag_or_path.startswith("/")
    ]
    near = [tag for wanted_tag in wanted for tag in difflib.get_close_matches(wanted_tag, tags, 3)]
    shown = list(dict.fromkeys(near)) or tags[:20]
    more = ", …" if len(shown) < len(tags) else ""
    return f"tags are: {', '.join(shown)}{more}" if tags else "it has no tags, only paths"
