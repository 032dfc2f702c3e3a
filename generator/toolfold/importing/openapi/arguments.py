"""The arguments of an operation: parameters and body in one flat object, and how each is sent."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.http import OWN_HEADERS, PLACES, STYLES

from toolfold.importing.openapi.bodies import Body
from toolfold.importing.openapi.schemas import Schemas
from toolfold.importing.openapi.texts import plain_text, without_accents
from toolfold.importing.openapi.warnings import Warnings

# Clients refuse other characters in the names of properties, and more of them.
_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_NAME: Final = 64
_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_IN_PATH: Final = re.compile(r"[^!-\[\]-~]|[\"<>^`|]")
_BODY: Final = "body"
_LEAST_IN_PATH: Final[dict[str, Json]] = {
    "array": {"minItems": 1},
    "object": {"minProperties": 1},
}


@dataclass
class Arguments:
    """The schema of all arguments, the `request:` of the backend, and the path with their names."""

    path: str
    properties: dict[str, Json] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    #: What else holds for them together.
    rules: Json = field(default_factory=dict)
    parameters: dict[str, Json] = field(default_factory=dict)
    body: Json | None = None
    #: Argument to an example of it that the document gives.
    examples: Json = field(default_factory=dict)

    @property
    def input_schema(self) -> Json:
        """The schema of the one object of all arguments."""
        schema: Json = {"type": "object", "properties": self.properties}
        if self.required:
            schema["required"] = self.required
        return {**schema, "additionalProperties": False, **self.rules}

    @property
    def request(self) -> Json:
        """What the manifest says about the request, where it needs to say something."""
        unusual = self.parameters
        if self.body is None:  # in the query, unless it is said otherwise
            unusual = {
                name: parameter
                for name, parameter in unusual.items()
                if parameter != {"in": "query"}
            }
        request: Json = {"parameters": unusual} if unusual else {}
        return {**request, "body": self.body} if self.body is not None else request


class _Flattening:
    """Arguments of one operation while they are put together."""

    def __init__(self, path: str, schemas: Schemas, warnings: Warnings, where: str) -> None:
        self.schemas, self.warnings, self.where = schemas, warnings, where
        self.done = Arguments(path)

    def add_parameters(self, parameters: list[Json], hidden: frozenset[tuple[str, str]]) -> None:
        for parameter in _distinct(parameters, self.warnings, self.where):
            place, name = parameter["in"], parameter["name"]
            # OpenAPI says of some that they are no parameters: the request sets them itself.
            is_set = place == "header" and name.lower() in OWN_HEADERS
            if is_set or (place, name.lower()) in hidden:
                continue
            if place == "header" and not _HEADER.fullmatch(name):
                self.warnings.add("headers whose name is none are left out", self.where)
                continue
            if place == "path" and f"{{{name}}}" not in self.done.path:
                fact = "parameters of the path that the path does not have are left out"
                self.warnings.add(fact, f"{self.where} {name}")
                continue
            self._add_parameter(parameter)

    def _add_parameter(self, parameter: Json) -> None:
        place, name = parameter["in"], parameter["name"]
        argument = self._free_name(name, place)
        given, sent = self._schema_of(parameter)
        schema = dict(given)
        described = plain_text(parameter.get("description"))
        if described:
            schema["description"] = described
        if parameter.get("deprecated") is True:
            schema["deprecated"] = True
        self.done.properties[argument] = schema
        if place == "path" or parameter.get("required") is True:
            self.done.required.append(argument)
        if place == "path":
            # What is empty there would lead to another path, and is not sent.
            schema |= _LEAST_IN_PATH.get(str(schema.get("type")), {})
            self.done.path = self.done.path.replace(f"{{{name}}}", f"{{{argument}}}")
        sent = {"in": place, **({"name": name} if name != argument else {}), **sent}
        if sent != {"in": "path"}:
            self.done.parameters[argument] = sent
        self._note_example(argument, parameter)

    def _schema_of(self, parameter: Json) -> tuple[Json, Json]:
        """The converted schema of a parameter, and how it is written where that is not the usual way."""
        place = parameter["in"]
        content = parameter.get("content")
        if isinstance(content, dict) and content:
            kind = next(iter(content))
            media = content[kind] if isinstance(content[kind], dict) else {}
            schema = self.schemas.converted(media.get("schema", {}), "request")
            return schema, {"content": kind}
        schema = self.schemas.converted(parameter.get("schema", {}), "request")
        style, explode = parameter.get("style"), parameter.get("explode")
        sent: Json = {}
        if style in STYLES[place] and style != STYLES[place][0]:
            sent["style"] = style
        elif style is not None and style not in STYLES[place]:
            self.warnings.add("styles that the place does not have are left out", self.where)
        if isinstance(explode, bool) and explode != (
            sent.get("style", STYLES[place][0]) in _EXPLODED
        ):
            sent["explode"] = explode
        if parameter.get("allowReserved") is True and place == "query":
            sent["reserved"] = True
        return schema, sent

    def add_missing(self) -> None:
        """A parameter of text for each brace of the path that none is declared for."""
        for name in dict.fromkeys(_BRACES.findall(self.done.path)):
            if name not in self.done.properties:
                self.warnings.add("parameters of the path that are not declared", self.where)
                parameter = {"in": "path", "name": name, "schema": {"type": "string"}}
                self._add_parameter(parameter)

    def add_body(self, body: Body) -> None:
        sent: Json = {"type": body.media_type}
        names: dict[str, str] = {}
        if body.properties is None:
            argument = self._free_name(_BODY, "content")
            sent["argument"] = argument
            self.done.properties[argument] = body.schema
            self.done.required += [argument] if body.is_required else []
        else:
            for name, schema in body.properties.items():
                argument = self._free_name(name, _BODY)
                names[name] = argument
                self.done.properties[argument] = schema
            self._require(body, names)
            renamed = {argument: name for name, argument in names.items() if name != argument}
            sent |= {"names": renamed} if renamed else {}
        if body.is_required and body.properties is not None and not body.required:
            sent["required"] = True  # also where nothing is given
        sent |= {"base64": True} if body.is_base64 else {}
        sent |= {"parts": body.parts} if body.parts else {}
        self.done.body = sent

    def _require(self, body: Body, names: dict[str, str]) -> None:
        """What is required of the body; of one that may be left out, only where some of it is given."""
        required = [names[name] for name in body.required]
        if body.is_required:
            self.done.required += required
            self.done.rules = _renamed(body.rules, names)
        elif required:
            needs = {
                argument: [name for name in required if name != argument]
                for argument in names.values()
            }
            self.done.rules = {"dependentRequired": {n: r for n, r in needs.items() if r}}

    def _free_name(self, name: str, suffix: str) -> str:
        base = _ILLEGAL.sub("_", without_accents(name)).strip("_.")[:_LONGEST_NAME] or suffix
        candidate, number = base, 1
        while candidate in self.done.properties:
            end = f"_{suffix}" if number == 1 else f"_{suffix}{number}"
            candidate, number = base[: _LONGEST_NAME - len(end)] + end, number + 1
        return candidate

    def _note_example(self, argument: str, parameter: Json) -> None:
        if "example" in parameter:
            self.done.examples[argument] = parameter["example"]
            return
        given = parameter.get("examples")
        first = next(iter(given.values()), None) if isinstance(given, dict) else None
        first = self.schemas.target_of(first)
        if "value" in first:
            self.done.examples[argument] = first["value"]
        elif argument in self.done.required:
            example = self.schemas.example_of(parameter.get("schema"))
            self.done.examples |= {} if example is None else {argument: example}


_EXPLODED: Final = ("form", "deepObject")


def arguments_of(
    path: str,
    parameters: list[Json],
    body: Body | None,
    schemas: Schemas,
    warnings: Warnings,
    hidden: frozenset[tuple[str, str]],
) -> Arguments:
    """The arguments of an operation; `hidden` are the parameters that credentials are sent as."""
    where, _, path = path.partition(" ")
    flattening = _Flattening(_writable_path(path), schemas, warnings, f"{where} {path}")
    flattening.add_parameters(parameters, hidden)
    flattening.add_missing()
    if body is not None:
        flattening.add_body(body)
    return flattening.done


def _distinct(parameters: list[Json], warnings: Warnings, where: str) -> Iterator[Json]:
    """The parameters by place, those of the operation in the place of those of its path."""
    known: dict[tuple[str, str], Json] = {}
    for parameter in parameters:
        place, name = parameter.get("in"), parameter.get("name")
        if place in PLACES and isinstance(name, str) and len(name.splitlines()) == 1:
            known[place, name] = parameter
        else:
            warnings.add("parameters without a place and a name on one line are left out", where)
    for place in PLACES:
        yield from (parameter for (of, _), parameter in known.items() if of == place)


def _writable_path(path: str) -> str:
    """The path of an address: without a fragment, which no server is sent."""
    path = path.split("#")[0]
    path = path if path.startswith("/") else f"/{path}"
    outside = _BRACES.split(path)  # texts between braces at every second place
    return "".join(
        f"{{{part}}}" if index % 2 else _IN_PATH.sub(_quoted, part)
        for index, part in enumerate(outside)
    )


def _quoted(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))


def _renamed(rules: Json, names: dict[str, str]) -> Json:
    """Rules about properties as rules about the arguments that they are."""

    def named(part: Any) -> Any:
        if "required" not in part:
            return part
        return {"required": [names.get(name, name) for name in part["required"]]}

    return {key: [named(part) for part in parts] for key, parts in rules.items()}
