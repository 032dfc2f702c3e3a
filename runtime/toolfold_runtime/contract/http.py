"""An operation of an HTTP API in the entry of its tool: its request, and its answer.

Nothing here is a default that the runtime has to know: the generator writes each parameter out.
"""

from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from toolfold_runtime.contract.codec import Json

ParameterPlace: TypeAlias = Literal["path", "query", "header", "cookie"]
#: The styles of OpenAPI, and one that Swagger 2 has beside them (`tsv`).
ParameterStyle: TypeAlias = Literal[
    "simple",
    "label",
    "matrix",
    "form",
    "spaceDelimited",
    "pipeDelimited",
    "tabDelimited",
    "deepObject",
]
#: How an API tells that there is more: a cursor in the answer, a number, an offset, a `Link` header.
PageStyle: TypeAlias = Literal["cursor", "page", "offset", "link"]

#: The styles that each place has, the default first.
STYLES: Final[dict[ParameterPlace, tuple[ParameterStyle, ...]]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
PLACES: Final[tuple[ParameterPlace, ...]] = get_args(ParameterPlace)
#: Headers that a request has by itself, or that would say where it goes and who sends it: no argument is one.
OWN_HEADERS: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "cookie",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
#: The styles that by default write a list as several parameters.
EXPLODED: Final[tuple[ParameterStyle, ...]] = ("form", "deepObject")

#: The recommended schema of an argument for a file: its name, and either text or base64.
FILE_SCHEMA: Final[Json] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "File name"},
        "text": {"type": "string", "description": "Content, if it is text"},
        "base64": {"type": "string", "description": "Content as base64, if it is not"},
        "type": {"type": "string", "description": "Media type"},
    },
    "required": ["name"],
    "anyOf": [{"required": ["text"]}, {"required": ["base64"]}],
}


class HttpParameter(NamedTuple):
    """An argument that is sent in the path, the query, a header or a cookie."""

    argument: str
    #: What the API calls it.
    name: str
    place: ParameterPlace
    style: ParameterStyle
    explode: bool
    #: The media type as which the whole value is written (`content:`); None where the style says how.
    media_type: str | None = None
    #: Whether reserved characters are sent as they are, in a query (`allowReserved`).
    allows_reserved: bool = False


class BodyPart(NamedTuple):
    """How a property of a form or of a multipart body is written, where not in the usual way."""

    #: JSON for objects, text for other values, where nothing else is said.
    media_type: str | None = None
    style: ParameterStyle | None = None
    explode: bool | None = None
    #: Whether the argument is a file: base64, or an object as in `FILE_SCHEMA`; of a list, each item.
    is_file: bool = False


class HttpBody(NamedTuple):
    """How the body of a request is made of arguments."""

    media_type: str
    #: The argument that is all of the body; None where it is an object of several.
    argument: str | None = None
    #: Argument to the property of the body that it is.
    properties: dict[str, str] = {}  # noqa: RUF012 - a named tuple's default; never changed
    #: Whether an argument that the schema does not name is a property of the body.
    is_open: bool = False
    #: Whether an object without properties is sent, and not left out.
    is_required: bool = False
    #: Whether the whole argument is bytes, given as base64.
    is_base64: bool = False
    #: Property to how it is written.
    parts: dict[str, BodyPart] = {}  # noqa: RUF012


class HttpPages(NamedTuple):
    """How a list is read on: the argument to change, and where the answer says to what."""

    style: PageStyle
    #: The argument that asks for another page; of the style `link`, any that the address has.
    argument: str = ""
    #: Dotted paths in the answer: the next cursor, the items, and whether there are more of them.
    next: str = ""
    items: str = ""
    more: str = ""


class HttpOperation(NamedTuple):
    """The request that carries a tool out, and what is known of the answer."""

    server: str
    method: str
    #: The path below the server's address, with `{argument}`s.
    path: str
    parameters: tuple[HttpParameter, ...] = ()
    body: HttpBody | None = None
    #: The media types that come back, as `Accept` names them.
    types: tuple[str, ...] = ()
    #: Status (`404`, `4XX`, `default`) to what the document says of it.
    errors: dict[str, str] = {}  # noqa: RUF012
    pages: HttpPages | None = None
    #: Whether a failed request may be sent again, because it is idempotent.
    may_repeat: bool = False
    #: Whether `inputs.jsonl` has the whole schema of the arguments, of which the listed one shows a part.
    has_input_schema: bool = False
    #: Whether `answers.jsonl` has the schema of what comes back.
    has_answer_schema: bool = False
    #: How many parts of that schema one value may be compared with.
    answer_checks: int = 0


class HttpSchema(NamedTuple):
    """A line of `inputs.jsonl` or `answers.jsonl`: a schema of a tool; `#/$defs` are lines of their own."""

    tool: str
    schema: Json


class HttpDefinition(NamedTuple):
    """A line of `definitions.jsonl`: a schema that several inputs and answers share."""

    name: str
    schema: Json
