"""A document to the data of a file that a manifest includes, and what to know about it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from toolfold_runtime.contract.codec import Json

from toolfold.errors import UsageError
from toolfold.importing.openapi.categories import categories_of
from toolfold.importing.openapi.document import Document
from toolfold.importing.openapi.entries import Entries
from toolfold.importing.openapi.names import operation_names
from toolfold.importing.openapi.operations import operations_of
from toolfold.importing.openapi.references import References
from toolfold.importing.openapi.schemas import Schemas
from toolfold.importing.openapi.security import Proposal, auth_of, hidden_parameters
from toolfold.importing.openapi.selection import Selection
from toolfold.importing.openapi.servers import Location, location_of
from toolfold.importing.openapi.version import security_schemes_of, servers_of, version_of
from toolfold.importing.openapi.warnings import Warnings

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Surroundings:
    """What the manifest knows already: names from an earlier import, and those that are taken."""

    #: Of each tool's id, its name and its category.
    names: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    categories: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    other_names: Collection[str] = ()
    other_categories: Collection[str] = ()


@dataclass(frozen=True)
class Converted:
    """The data of the file, where the API is, and how requests are authorized."""

    data: Json
    location: Location
    auth: Proposal


def converted(
    document: Document,
    server: str,
    selection: Selection,
    warnings: Warnings,
    around: Surroundings | None = None,
) -> Converted:
    """Every operation of a document that is selected, as tools of a server.

    Raises UsageError where it is no OpenAPI document, or nothing is left to import.
    """
    version = version_of(document)
    try:
        return _converted(document, server, selection, warnings, around or Surroundings())
    except RecursionError:
        raise UsageError(f"{document.name}: OpenAPI {version}, nested too deeply") from None
    except UsageError as error:
        raise UsageError(f"{document.name}: {error}") from None


def _converted(
    document: Document,
    server: str,
    selection: Selection,
    warnings: Warnings,
    around: Surroundings,
) -> Converted:
    version, root = version_of(document), document.data
    references = References(root, warnings)
    operations = operations_of(references, version, selection, warnings)
    ids = [f"{server}::{operation.named.unique_id}" for operation in operations]
    names = operation_names(
        [operation.named for operation in operations],
        server,
        {i.partition("::")[2]: name for i, name in around.names.items()},
        around.other_names,
    )
    categories = categories_of(
        server,
        [
            (operation.tags[0] if operation.tags else "", operation.named.path)
            for operation in operations
        ],
        root["tags"] if isinstance(root.get("tags"), list) else [],
        [around.categories.get(i) for i in ids],
        around.other_categories,
    )
    schemes = security_schemes_of(root, version)
    schemas = Schemas(references, server, version, warnings)
    entries = Entries(server, references, schemas, hidden_parameters(schemes), warnings)
    tools = {
        names[operation.named.unique_id]: entries.entry(operation, category)
        for operation, category in zip(operations, categories.names, strict=True)
    }
    data: Json = {"categories": categories.entries, "tools": tools}
    if definitions := schemas.definitions():
        data["$defs"] = definitions
    location = location_of(servers_of(root, version), document.source, server)
    requirements = [
        operation.given.get("security", root.get("security")) for operation in operations
    ]
    return Converted(data, location, auth_of(schemes, requirements, server))
