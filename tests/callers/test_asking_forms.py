"""Which forms a method may ask for, and what a mistake in one is told to its author."""

from pathlib import Path
from typing import Any, Final

import mcp_types as types
import pytest
from toolfold_runtime import ToolError, ask
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.call import CallContext, Waiting
from toolfold_runtime.running.question import Question

from tests.running.material import Served, tool
from tests.support.projects import Json

TITLED: Final = [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]
FIELDS: Final[dict[str, Json]] = {
    "text": {"type": "string", "title": "A text", "description": "Any", "default": "x"},
    "short": {"type": "string", "minLength": 1, "maxLength": 5},
    "email": {"type": "string", "format": "email"},
    "number": {"type": "number", "minimum": 0.5, "maximum": 10, "default": 1},
    "integer": {"type": "integer", "minimum": 0},
    "truth": {"type": "boolean", "default": True},
    "choice": {"type": "string", "enum": ["r", "b"], "enumNames": ["Red", "Blue"]},
    "titled": {"type": "string", "oneOf": TITLED, "default": "r"},
    "several": {"type": "array", "items": {"type": "string", "enum": ["r", "b"]}, "maxItems": 2},
    "titled_several": {"type": "array", "items": {"anyOf": TITLED}, "default": ["r"]},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("forms"), {"asks": tool()})


def asked(served: Served, message: Any, schema: Any, name: Any = "answer") -> Question:
    """The question that a user was asked; ToolError where it was none."""
    questions: list[Question] = []

    class Asks:
        async def asks(self, params: Any) -> str:
            await ask(message, schema, name=name)
            return "asked"

    async def user(question: Question, waiting: Waiting) -> Json | None:
        questions.append(question)
        return None

    async def called(door: Dispatcher) -> None:
        await door.call("asks", {}, CallContext(ask=user))

    served.run(Asks(), called)
    return questions[0]


def form(**properties: Any) -> Json:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize("field", FIELDS)
def test_a_form_has_texts_numbers_truths_and_choices(field: str, served: Served) -> None:
    schema = form(**{field: FIELDS[field]}) | {"required": [field]}

    question = asked(served, "What?", schema)

    assert question.schema == schema
    # The protocol's own model of it agrees.
    types.ElicitRequestFormParams(message=question.message, requested_schema=question.schema)


WRONG: Final[dict[str, tuple[Any, str]]] = {
    "no object": ("text", '"text" is not of type "object"'),
    "nothing": (None, 'null is not of type "object"'),
    "no JSON": ({"type": object()}, "Object of type object is not JSON serializable"),
    "an array": (form() | {"type": "array"}, '/type: "object" was expected'),
    "no fields": ({"type": "object"}, '"properties" is a required property'),
    "other keywords": (form() | {"allOf": []}, "'allOf' was unexpected"),
    "an object in it": (form(a={"type": "object"}), '/properties/a/type: "object" is not one of'),
    "a field without a type": (form(a={}), '/properties/a: "type" is a required property'),
    "types": (form(a={"type": ["string", "null"]}), "/properties/a/type"),
    "a reference": (form(a={"$ref": "#/$defs/A"}), "/properties/a"),
    "a pattern": (form(a={"type": "string", "pattern": "(a+)+$"}), "'pattern' was unexpected"),
    "another format": (form(a={"type": "string", "format": "ipv4"}), '"ipv4" is not one of'),
    "numbers to choose": (form(a={"type": "integer", "enum": [1]}), "'enum' was unexpected"),
    "a list of anything": (form(a={"type": "array", "items": {}}), "/properties/a/items"),
    "a list of lists": (
        form(a={"type": "array", "items": {"type": "array"}}),
        "/properties/a/items/type",
    ),
    "choices without titles": (
        form(a={"type": "string", "oneOf": [{"const": "a"}]}),
        '/properties/a/oneOf/0: "title" is a required property',
    ),
    "a default of another type": (form(a={"type": "boolean", "default": "no"}), "/a/default"),
    "a minimum that is none": (form(a={"type": "number", "minimum": "0"}), "/a/minimum"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_no_client_can_show_is_a_mistake_of_the_author(
    case: str, served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    schema, words = WRONG[case]

    with pytest.raises(ToolError, match="asks failed with ValueError; the server's log says why"):
        asked(served, "What?", schema)

    trace = vars(caplog.records[0])["trace"]
    assert "ask: the schema is no object of primitive fields: " in trace
    assert words in trace


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "confirm", "é", 5, None])
def test_a_name_that_is_none_is_a_mistake(
    name: Any, served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ToolError, match="asks failed with ValueError"):
        asked(served, "What?", form(), name)

    assert "ask: the name of a question" in vars(caplog.records[0])["trace"]


@pytest.mark.parametrize("message", ["", 5, None])
def test_a_message_that_is_none_is_a_mistake(message: Any, served: Served) -> None:
    with pytest.raises(ToolError, match="asks failed with ValueError"):
        asked(served, message, form())


def test_a_message_is_sent_as_far_as_it_can_be(served: Served) -> None:
    assert asked(served, "half \ud800", form()).message == "half ?"
    assert len(asked(served, "x" * 1_000_000, form()).message) == 10_000


def test_a_schema_that_its_author_changes_later_stays_what_was_asked(tmp_path: Path) -> None:
    schema = form(name={"type": "string"})
    question = Question("Who?", schema, "who")
    schema["properties"]["name"]["type"] = "integer"

    assert question.content({"name": "Ada"}) == {"name": "Ada"}


def test_content_may_have_numbers_of_any_length() -> None:
    question = Question("What?", form(number={"type": "number"}), "what")

    assert question.content({"number": 10**400}) == {"number": 10**400}


@pytest.mark.parametrize("given", [float("nan"), float("inf"), "half \ud800", [1], {}])
def test_content_that_is_no_json_does_not_fit(given: Any) -> None:
    kind = "string" if isinstance(given, str) else "number"

    with pytest.raises(ValueError, match=r"is not of type|are no JSON"):
        Question("What?", form(field={"type": kind}), "what").content({"field": given})
