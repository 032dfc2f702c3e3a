"""Which version a document is of; Swagger 2 in the shape of OpenAPI 3.0."""

from typing import Any, Final, Literal

from toolfold_runtime.contract.codec import Json

from toolfold.errors import UsageError
from toolfold.importing.openapi.document import Document
from toolfold.importing.openapi.references import References

Version = Literal["2.0", "3.0", "3.1"]

#: The methods that an operation can have, in the order in which documents list them.
METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_JSON: Final = "application/json"
_FORM: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
# What a parameter of Swagger 2 says beside its schema.
_OF_PARAMETER: Final = frozenset(
    {"name", "in", "description", "required", "collectionFormat", "allowEmptyValue"}
)
_STYLES: Final[dict[str, Json]] = {
    "csv": {"style": "form", "explode": False},
    "ssv": {"style": "spaceDelimited", "explode": False},
    "tsv": {"style": "tabDelimited", "explode": False},
    "pipes": {"style": "pipeDelimited", "explode": False},
    "multi": {"style": "form", "explode": True},
}


def version_of(document: Document) -> Version:
    """The version of a document; UsageError where it is no OpenAPI document, or of another one."""
    root = document.data
    stated = root.get("openapi", root.get("swagger"))
    text = str(stated) if isinstance(stated, str | int | float) else ""
    where = f"{document.name}:1:1"
    if not text:
        way_out = "`toolfold import tools` reads saved lists of MCP tools"
        fact = 'neither "openapi" nor "swagger" is among its keys'
        raise UsageError(f"{where}: not an OpenAPI document: {fact}; {way_out}")
    if not isinstance(root.get("paths", {}), dict):
        raise UsageError(f'{where}: not an OpenAPI document: its "paths" are no mapping')
    if "swagger" in root and "openapi" not in root and text.split(".")[0] == "2":
        return "2.0"
    if text.startswith("3.0") or text == "3":
        return "3.0"
    if text.startswith("3."):
        return "3.1"
    way_out = "2.0, 3.0 and 3.1 are read"
    raise UsageError(f"{where}: OpenAPI {text[:20]} is not known; {way_out}")


def operation_of(operation: Json, item: Json, version: Version, references: References) -> Json:
    """An operation with the parameters of its path, in the shape of OpenAPI 3.0."""
    lists = (item.get("parameters"), operation.get("parameters"))
    given = (parameter for listed in lists if isinstance(listed, list) for parameter in listed)
    parameters = [references.resolved(parameter) for parameter in given]
    if version != "2.0":
        return {**operation, "parameters": parameters}
    return _converted(operation, parameters, references)


def servers_of(root: Json, version: Version) -> list[Any]:
    """The `servers` of a document, in the shape of OpenAPI 3.0."""
    if version != "2.0":
        servers = root.get("servers")
        return servers if isinstance(servers, list) else []
    host, base = root.get("host"), root.get("basePath")
    base = base if isinstance(base, str) else ""
    if not isinstance(host, str) or not host:
        return [{"url": base}] if base else []
    if "://" in host:
        return [{"url": f"{host}{base}"}]
    schemes = root.get("schemes")
    schemes = schemes if isinstance(schemes, list) else []
    scheme = "https" if not schemes or "https" in schemes else schemes[0]
    return [{"url": f"{scheme}://{host}{base}"}]


def security_schemes_of(root: Json, version: Version) -> Json:
    """The security schemes of a document by name, in the shape of OpenAPI 3.0."""
    if version != "2.0":
        components = root.get("components")
        schemes = components.get("securitySchemes") if isinstance(components, dict) else None
        return schemes if isinstance(schemes, dict) else {}
    schemes = root.get("securityDefinitions")
    return {
        name: _security_scheme(scheme)
        for name, scheme in (schemes.items() if isinstance(schemes, dict) else ())
        if isinstance(scheme, dict)
    }


def _converted(operation: Json, parameters: list[Json], references: References) -> Json:
    """An operation of Swagger 2: its body and forms as a request body, its answers by media type."""
    converted = {k: v for k, v in operation.items() if k not in ("consumes", "produces")}
    converted["parameters"] = [
        _parameter(parameter)
        for parameter in parameters
        if parameter.get("in") not in ("body", "formData")
    ]
    consumes = _types(operation, references.root, "consumes")
    body = _body(parameters, consumes)
    if body is not None:
        converted["requestBody"] = body
    produces = _types(operation, references.root, "produces") or [_JSON]
    responses = operation.get("responses")
    converted["responses"] = {
        status: _response(references.resolved(response), produces)
        for status, response in (responses.items() if isinstance(responses, dict) else ())
    }
    return converted


def _types(operation: Json, root: Json, key: str) -> list[str]:
    given = operation.get(key, root.get(key))
    return (
        [media_type for media_type in given if isinstance(media_type, str)]
        if isinstance(given, list)
        else []
    )


def _parameter(parameter: Json) -> Json:
    converted = {key: value for key, value in parameter.items() if key in _OF_PARAMETER}
    converted["schema"] = _inline_schema(parameter)
    if parameter.get("type") == "array":
        place, form = parameter.get("in"), parameter.get("collectionFormat", "csv")
        style = _STYLES.get(str(form), _STYLES["csv"])
        converted |= style if place == "query" else {"style": "simple"}
    return converted


def _inline_schema(parameter: Json) -> Json:
    """The schema of a parameter, which Swagger 2 writes beside the rest."""
    return {key: value for key, value in parameter.items() if key not in _OF_PARAMETER}


def _body(parameters: list[Json], consumes: list[str]) -> Json | None:
    for parameter in reversed(parameters):  # that of the operation before that of its path
        if parameter.get("in") == "body":
            media = {"schema": parameter.get("schema", {})}
            content = dict.fromkeys(consumes or [_JSON], media)
            described = {key: parameter[key] for key in ("description",) if key in parameter}
            return {"content": content, "required": parameter.get("required") is True, **described}
    forms = [field for field in parameters if field.get("in") == "formData" and "name" in field]
    if not forms:
        return None
    has_files = any(field.get("type") == "file" for field in forms)
    named = {str(field["name"]): _form_schema(field) for field in forms}
    required = [str(field["name"]) for field in forms if field.get("required") is True]
    schema: Json = {"type": "object", "properties": named}
    if required:
        schema["required"] = required
    is_multipart = has_files or (_MULTIPART in consumes and _FORM not in consumes)
    kind = _MULTIPART if is_multipart else _FORM
    media = {"schema": schema, "encoding": dict(_form_encodings(forms))}
    return {"content": {kind: media}, "required": bool(required)}


def _form_schema(parameter: Json) -> Json:
    described = {k: parameter[k] for k in ("description",) if k in parameter}
    return {**_inline_schema(parameter), **described}


def _form_encodings(forms: list[Json]) -> list[tuple[str, Json]]:
    return [
        (str(field["name"]), _STYLES.get(str(field.get("collectionFormat", "csv")), _STYLES["csv"]))
        for field in forms
        if field.get("type") == "array"
    ]


def _response(response: Json, produces: list[str]) -> Json:
    converted = {key: value for key, value in response.items() if key not in ("schema", "examples")}
    schema = response.get("schema")
    if isinstance(schema, dict):
        converted["content"] = {kind: {"schema": schema} for kind in produces}
    return converted


def _security_scheme(scheme: Json) -> Json:
    if scheme.get("type") == "basic":
        return {**scheme, "type": "http", "scheme": "basic"}
    if scheme.get("type") != "oauth2":
        return scheme
    flow = {"application": "clientCredentials", "accessCode": "authorizationCode"}
    name = flow.get(str(scheme.get("flow")), str(scheme.get("flow")))
    return {**scheme, "flows": {name: scheme}}
