"""The types of the manifest's values, and what each asks for in words."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Tag, WithJsonSchema
from toolfold_runtime.contract.vocabulary import CODE_PATTERN

from toolfold.manifest.tree import plain

# Clients accept no other characters in names and no more than 64 of them; a leading dash would
# read as an option on command lines.
_NAME = r"^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$"
_SERVER = r"^[A-Za-z0-9._-]{1,64}$"
_IDENTIFIER = r"^[A-Za-z][A-Za-z0-9_]*$"
_PATH = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*$"
_PREFIX = r"^[A-Za-z0-9_-]{0,32}$"
_ID = r"^[^\r\n]+::[^\r\n]+$"
_REFERENCE = r"^([A-Za-z0-9_][A-Za-z0-9_-]{0,63}|[^\r\n]+::[^\r\n]+)$"
_LINE = r"^[^\r\n]+$"
_URL = r"^(https?://|mailto:)[^\s<>\"\\^`{|}]+$"
_HTTP = r"^https?://[^\s/@]+(/[^\s]*)?$"
_ICON = r"^(https?://|data:image/)[^\s<>\"\\^`{|}]+$"
_COLOUR = r"^#[0-9A-Fa-f]{6}$"
# RFC 6749, section 3.3.
_SCOPE = r"^[!#-\[\]-~]+$"
# What an operating system cannot tell from the value, or not hold at all.
_ENV_NAME = r"^[^=\x00-\x20\x7f]{1,200}$"
# RFC 9110, section 5.6.2.
_HEADER = r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$"
ENV_PATTERN = r"^([A-Za-z]+ )?\$\{[A-Za-z_][A-Za-z0-9_]*\}$"
_MIME = r"^[a-z]+/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*(; ?[a-z]+=[A-Za-z0-9._-]+)?$"
_MEDIA = r"^([A-Za-z0-9!#$&^_.+-]+|\*)/([A-Za-z0-9!#$&^_.+-]+|\*)( ?; ?[ -~]+)?$"
_STATUS = r"^([1-5][0-9X]{2}|default)$"
_OPERATION = r"^[A-Z]{1,20} /[!-\[\]-~]*$"
# What the characters between the braces may be is said by the parser of templates.
_TEMPLATE = r"^[a-z][a-z0-9+.-]*:[A-Za-z0-9!#$%&'()*+,./:;=?@_~{}-]+$"

#: A description of each pattern, for messages.
PATTERN_DESCRIPTIONS = {
    _NAME: "letters, digits, _ and -, at most 64 of them, not starting with -",
    _SERVER: "letters, digits, dots, _ and -, at most 64 of them",
    _IDENTIFIER: "a Python name: letters, digits and _, starting with a letter",
    _PATH: "module.path:ClassName",
    _PREFIX: "letters, digits, _ and -, at most 32 of them",
    _ID: "server::tool",
    _REFERENCE: "the name of a tool, or its id: server::tool",
    _LINE: "one line of text that is not empty",
    _URL: "an http, https or mailto address",
    _HTTP: "an http or https address without a name or password in it",
    _ICON: "an http, https or data:image address",
    _COLOUR: "a colour such as #2f5bd0",
    _SCOPE: 'an OAuth scope: printable ASCII without spaces, " and \\',
    _ENV_NAME: "the name of an environment variable",
    _HEADER: "the name of an HTTP header",
    _MIME: "a media type, such as application/json",
    _MEDIA: "a media type, such as application/json",
    _STATUS: "a status such as 404 or 4XX, in quotes, or default",
    _OPERATION: "a method and a path below the server's address, as in GET /orders/{id}",
    _TEMPLATE: "an address such as orders://{id}: a scheme in lower case, and ASCII without spaces",
    CODE_PATTERN: "lower-case letters, digits and _, starting with a letter, at most 64 of them",
    ENV_PATTERN: "${NAME} of an environment variable, or {plain: value} if it is no secret",
    "text": "text that is not empty",
}

#: Marks, in the JSON Schema of the manifest, where the editor's own schema of schemas belongs.
SCHEMA_MARK = "toolfold: Schema"
PARAMETER_MARK = "toolfold: Parameter"

ToolName = Annotated[str, Field(pattern=_NAME)]
CategoryName = Annotated[str, Field(pattern=_NAME)]
ServerName = Annotated[str, Field(pattern=_SERVER)]
Identifier = Annotated[str, Field(pattern=_IDENTIFIER, max_length=64)]
ImplementationPath = Annotated[str, Field(pattern=_PATH, max_length=200)]
Prefix = Annotated[str, Field(pattern=_PREFIX)]
ErrorCode = Annotated[str, Field(pattern=CODE_PATTERN)]
Scope = Annotated[str, Field(pattern=_SCOPE)]
ToolReference = Annotated[str, Field(pattern=_REFERENCE, max_length=400)]
ToolId = Annotated[str, Field(pattern=_ID, max_length=400)]
Text = Annotated[str, Field(min_length=1)]
Line = Annotated[str, Field(min_length=1, pattern=_LINE)]
Address = Annotated[str, Field(pattern=_URL)]
HttpAddress = Annotated[str, Field(pattern=_HTTP)]
IconAddress = Annotated[str, Field(pattern=_ICON)]
Colour = Annotated[str, Field(pattern=_COLOUR)]
EnvName = Annotated[str, Field(pattern=_ENV_NAME)]
HeaderName = Annotated[str, Field(pattern=_HEADER)]
MimeType = Annotated[str, Field(pattern=_MIME, max_length=100)]
#: A media type of requests or answers, with `*` and parameters allowed.
MediaType = Annotated[str, Field(pattern=_MEDIA, max_length=200)]
StatusCode = Annotated[str, Field(pattern=_STATUS)]
OperationLine = Annotated[str, Field(pattern=_OPERATION, max_length=2000)]
UriTemplate = Annotated[str, Field(pattern=_TEMPLATE, max_length=400)]
PromptName = Annotated[str, Field(pattern=_NAME)]
ResourceName = Annotated[str, Field(pattern=_NAME)]
ArgumentName = Annotated[str, Field(pattern=_NAME)]
Variable = Annotated[str, Field(pattern=ENV_PATTERN)]
Tokens = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Count = Annotated[int, Field(ge=1, le=10_000)]
Switch = Literal["on", "off"]
#: Any JSON object, unchanged: a foreign schema, arguments, annotations.
JsonObject = Annotated[dict[str, Any], BeforeValidator(plain)]
JsonSchema = Annotated[JsonObject, WithJsonSchema({"$comment": SCHEMA_MARK})]
Parameter = Annotated[JsonObject, WithJsonSchema({"$comment": PARAMETER_MARK})]

WORD = Tag("word")
MAPPING = Tag("mapping")
FLAG = Tag("flag")


class ManifestModel(BaseModel):
    """Closed and strict: an unknown key is a mistake, and `"5"` is not a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, validate_by_name=True)


def word_or_mapping(value: object) -> str:
    """`word` or `mapping`: the half of a union that is meant, and that mistakes are reported against."""
    return "word" if isinstance(value, str) else "mapping"


def flag_or_mapping(value: object) -> str:
    """`mapping` or `flag`: which half of a union of a mapping and a truth value is meant."""
    return "mapping" if isinstance(value, dict | ManifestModel) else "flag"
