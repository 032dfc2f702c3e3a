"""Small OpenAPI documents that say what a test wants, converted or imported."""

import json
from pathlib import Path
from typing import Any, Final

from toolfold.importing.openapi.convert import converted
from toolfold.importing.openapi.document import Document
from toolfold.importing.openapi.selection import Selection
from toolfold.importing.openapi.warnings import Warnings

from tests.support.commands import Result, toolfold
from tests.support.projects import Json

#: A parameter of the path, which its path needs.
ID: Final[Json] = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}


def document(paths: Json, version: str = "3.0.3", **more: Any) -> Json:
    """A document with these paths."""
    key = "swagger" if version == "2.0" else "openapi"
    return {key: version, "info": {"title": "Shop", "version": "1"}, "paths": paths, **more}


def operation(**given: Any) -> Json:
    """A document of one operation, `POST /things`, that says this."""
    more = {key: given.pop(key) for key in ("components", "definitions") if key in given}
    version = given.pop("version", "3.0.3")
    post = {"operationId": "do", "responses": {}, **given}
    return document({"/things": {"post": post}}, version, **more)


def with_body(schema: Any, media_type: str = "application/json", **more: Any) -> Json:
    """A document of one operation whose required body has this schema."""
    body = {"required": True, "content": {media_type: {"schema": schema}}}
    return operation(requestBody=body, **more)


def data_of(given: Json, *include: str, server: str = "shop") -> Json:
    """The data of the file that a document becomes."""
    selection = Selection(tuple(include))
    return converted(Document("shop.json", given), server, selection, Warnings()).data


def only(given: Json) -> Json:
    """The entry of the one operation of a document."""
    (entry,) = data_of(given)["tools"].values()
    return dict(entry)


def warned(given: Json) -> list[str]:
    """The facts that converting a document warns of."""
    warnings = Warnings()
    converted(Document("shop.json", given), "shop", Selection(), warnings)
    return [problem.fact for problem in warnings.problems("shop.json")]


def write(folder: Path, given: Json, name: str = "shop.json") -> str:
    """A document as a file; its name."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(given), encoding="utf-8")
    return name


def import_openapi(folder: Path, *arguments: str) -> Result:
    """`toolfold import openapi`, which must never be a bug."""
    done = toolfold(folder, "import", "openapi", *arguments)
    assert "this is a bug" not in done.err, done.err
    return done


def imported(folder: Path, given: Json, *arguments: str) -> Result:
    """An import of a document that must succeed."""
    done = import_openapi(folder, write(folder, given), *arguments)
    assert done.code == 0, done.text
    return done
