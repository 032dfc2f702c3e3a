"""Results shaped for an agent: the fields it asked for, within a budget, with a way to read on."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from splintr import Tokenizer
from toolfold_runtime import ToolError
from toolfold_runtime.disclosure.dispatch import Dispatcher, Reply, text_blocks
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.caller import Caller
from toolfold_runtime.running.fields import parsed, picked
from toolfold_runtime.running.results import Result
from toolfold_runtime.running.shape import Shaper
from toolfold_runtime.running.tokens import estimated
from toolfold_runtime.running.truncate import truncate
from toolfold_runtime.running.validators import SchemaValidators

from tests.running.material import Served, tool, value_of
from tests.support.clients import call, names
from tests.support.projects import Json

BOOKS: Final = [
    {"id": n, "title": f"Book number {n}", "author": {"name": f"Author {n}", "born": 1900 + n}}
    for n in range(200)
]
STORY: Final = "\n\n".join(
    " ".join(f"This is sentence {s} of paragraph {p}." for s in range(8)) for p in range(60)
)
TOOLS: Final = {
    "books": tool(budget=300, returns={"type": "array", "items": {"type": "object"}}),
    "shelf": tool(
        budget=300,
        returns={
            "type": "object",
            "properties": {"name": {"type": "string"}, "books": {"type": "array"}},
            "required": ["name", "books"],
        },
    ),
    "closed": tool(
        budget=300,
        returns={"type": "object", "properties": {"books": {}}, "additionalProperties": False},
    ),
    "exact": tool(budget=300, returns={"type": "array", "minItems": 200}),
    "story": tool(budget=300),
    "number": tool(budget=1, returns={"type": "integer"}),
    "write": tool(budget=300, effect="write"),
    "whole": tool(returns={"type": "array"}),
}


class Library:
    """Answers with more than fits."""

    def __init__(self) -> None:
        self.count = 0

    def books(self, params: Any) -> Any:
        return BOOKS

    exact = whole = books

    def write(self, params: Any) -> Any:
        self.count += 1
        return BOOKS

    def shelf(self, params: Any) -> Any:
        return {"name": "Upper", "books": BOOKS}

    def closed(self, params: Any) -> Any:
        return {"books": BOOKS}

    def story(self, params: Any) -> Any:
        return STORY

    def number(self, params: Any) -> Any:
        return 10**30


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("shape"), TOOLS)


def cursor_in(reply: Reply) -> str | None:
    """The cursor in the note of an answer that was cut."""
    for note in reply.texts[1:]:
        if "Read on" in note:
            asked: Json = json.loads(note[note.index("run_read(") + len("run_read(") : -1])
            return str(asked["cursor"])
    return None


async def pages(door: Dispatcher, name: str, runner: str = "run_read", **more: Any) -> list[Reply]:
    """The whole answer, read on to its end."""
    found = [await door.call(runner, {"tool": name, **more})]
    while cursor := cursor_in(found[-1]):
        found.append(await door.call("run_read", {"tool": name, "cursor": cursor}))
        assert len(found) < 200
    return found


# Budgets


def test_a_list_is_read_to_its_end_item_by_item_without_loss(served: Served) -> None:
    found = served.run(Library(), lambda door: pages(door, "books"))

    assert len(found) > 10
    assert [book for page in found for book in value_of(page)] == BOOKS
    assert all(estimated(page.texts[0]) <= 300 for page in found)
    assert found[0].texts[1].startswith("left out: ")
    assert "of 200 items. Read on within 10 minutes: run_read({" in found[0].texts[1]
    assert len(found[-1].texts) == 1


def test_an_object_keeps_its_small_fields_and_its_list_is_cut(served: Served) -> None:
    first, *rest = served.run(Library(), lambda door: pages(door, "shelf"))

    head = value_of(first)
    assert head["name"] == "Upper"
    books = head["books"] + [book for page in rest for book in value_of(page)["books"]]
    assert books == BOOKS
    assert "left out: books: " in first.texts[1]


def test_a_text_is_cut_between_paragraphs_and_read_on_without_loss(served: Served) -> None:
    found = served.run(Library(), lambda door: pages(door, "story"))

    assert "".join(page.texts[0] for page in found) == STORY
    assert all(page.texts[0].endswith("\n\n") for page in found[:-1])
    assert "characters" in found[0].texts[1]


def test_a_call_by_name_gets_structured_content_that_keeps_its_schema(served: Served) -> None:
    reply = served.call(Library(), "books")

    assert reply.structured is not None
    assert reply.structured["result"] == value_of(reply)
    assert 0 < len(value_of(reply)) < 200
    # Clients that read nothing but structured content are told as well.
    assert reply.structured["left_out"] == reply.texts[1]


def test_a_closed_schema_gets_no_word_that_it_has_no_room_for(served: Served) -> None:
    reply = served.call(Library(), "closed")

    assert reply.structured is not None
    assert list(reply.structured) == ["books"]
    assert "left out" in reply.texts[1]


def test_a_result_that_may_not_be_shorter_says_how_to_get_it(served: Served) -> None:
    with pytest.raises(ToolError, match="fields") as caught:
        served.call(Library(), "exact")
    assert caught.value.code == "budget_exceeded"

    # Through a runner it is text, which no schema holds to a length.
    found = served.run(Library(), lambda door: pages(door, "exact"))
    assert [book for page in found for book in value_of(page)] == BOOKS


def test_a_result_that_cannot_be_cut_is_refused(served: Served) -> None:
    with pytest.raises(ToolError, match="cannot be cut") as caught:
        served.call(Library(), "run_read", {"tool": "number"})

    assert caught.value.code == "budget_exceeded"


def test_reading_on_runs_nothing_again(served: Served) -> None:
    library = Library()
    found = served.run(library, lambda door: pages(door, "write", "run_write"))

    assert [book for page in found for book in value_of(page)] == BOOKS
    assert library.count == 1


def test_a_result_within_its_budget_and_one_without_are_left_alone(served: Served) -> None:
    assert value_of(served.call(Library(), "run_read", {"tool": "whole"})) == BOOKS


def test_a_budget_for_all_tools_holds_where_a_tool_has_none(tmp_path: Path) -> None:
    tools = {"books": tool(), "whole": tool(budget=100_000)}
    served = Served(tmp_path, tools, disclosure={"budgets": {"result": 300}})

    assert len(value_of(served.call(Library(), "books"))) < 200
    assert len(value_of(served.call(Library(), "whole"))) == 200


def test_without_a_runner_nothing_can_be_read_on(tmp_path: Path) -> None:
    off = {"meta": {"run_read": "off", "run_write": "off"}}
    served = Served(tmp_path, {"books": tool(budget=300)}, disclosure=off)

    reply = served.call(Library(), "books")

    assert reply.texts[1].endswith("Ask for less to see all of it.")


def test_the_way_to_read_on_is_listed_where_every_tool_is(served: Served, tmp_path: Path) -> None:
    plain = Served(tmp_path, {"books": tool()})

    assert "run_read" in names(served.project.server("direct"))
    assert "run_read" not in names(plain.project.server("direct"))


@pytest.mark.parametrize("cursor", ["x", "", "../", "0" * 10_000, "é"])
def test_a_cursor_that_was_never_given_is_refused(served: Served, cursor: str) -> None:
    with pytest.raises(ToolError, match="Run the tool again") as caught:
        served.call(Library(), "run_read", {"tool": "books", "cursor": cursor or "?"})

    assert caught.value.code == "invalid_arguments"


def test_a_cursor_belongs_to_its_tool(served: Served) -> None:
    async def swapped(door: Dispatcher) -> None:
        cursor = cursor_in(await door.call("books", {}))
        await door.call("run_read", {"tool": "story", "cursor": cursor})

    with pytest.raises(ToolError, match="no such cursor of story"):
        served.run(Library(), swapped)


def test_what_was_cut_off_is_kept_within_bounds(served: Served) -> None:
    async def cursors(door: Dispatcher) -> list[str]:
        found = [cursor_in(await door.call("books", {})) for _ in range(300)]
        outcomes = []
        for cursor in (found[0], found[-1]):
            try:
                await door.call("run_read", {"tool": "books", "cursor": cursor})
                outcomes.append("read")
            except ToolError as error:
                outcomes.append(error.code)
        return outcomes

    assert served.run(Library(), cursors) == ["invalid_arguments", "read"]


def test_where_nobody_holds_a_cursor_the_answer_names_the_offset_to_go_on_from(
    served: Served,
) -> None:
    first = served.call(Library(), "run_read", {"tool": "books"})
    cursor = cursor_in(first)

    with pytest.raises(ToolError, match="another process holds it") as caught:
        served.call(Library(), "run_read", {"tool": "books", "cursor": cursor})
    offset = re.search(r'"cursor":"(@[0-9]+)"', caught.value.text)
    assert offset is not None
    more = served.run(Library(), lambda door: pages(door, "books", cursor=offset[1]))

    assert [item for reply in (first, *more) for item in json.loads(reply.texts[0])] == BOOKS


def test_an_offset_runs_nothing_that_writes(served: Served) -> None:
    library = Library()
    with pytest.raises(ToolError, match="would do so twice"):
        served.call(library, "run_write", {"tool": "write", "cursor": "@20"})

    assert library.count == 0


def test_an_offset_behind_the_end_says_how_much_there_is(served: Served) -> None:
    with pytest.raises(ToolError, match=f"has {len(BOOKS)} items"):
        served.call(Library(), "run_read", {"tool": "books", "cursor": "@99999"})


def test_a_cursor_expires(served: Served) -> None:
    now = [0.0]
    catalog = served.project.catalog
    shaper = Shaper(SchemaValidators(50), "run_read", None, lambda: now[0])
    entry = catalog.entry("books")
    result = Result(BOOKS, compact(BOOKS), len(compact(BOOKS)))
    answer = shaper.text(entry, result, Caller())
    cursor = cursor_in(Reply(text_blocks(answer.text or "", *answer.notes))) or ""

    now[0] = 599.0
    assert json.loads(shaper.read_on(entry, cursor, Caller()).text or "")
    now[0] = 600.0
    with pytest.raises(ToolError, match="it has expired"):
        shaper.read_on(entry, cursor, Caller())


def test_a_result_through_a_runner_is_said_once(served: Served) -> None:
    server = served.project.server("progressive", Library())

    answer = call(server, "run_read", {"tool": "whole"})

    assert json.loads(answer.text) == BOOKS
    assert answer.structured is None


# Fields


@pytest.mark.parametrize(
    ("fields", "first"),
    [
        ("id", {"id": 0}),
        ("id, title", {"id": 0, "title": "Book number 0"}),
        ("author.name", {"author": {"name": "Author 0"}}),
        ("author", {"author": {"name": "Author 0", "born": 1900}}),
        ("author.name,author", {"author": {"name": "Author 0", "born": 1900}}),
        (",id,,id,", {"id": 0}),
    ],
)
def test_only_named_fields_are_kept(served: Served, fields: str, first: Json) -> None:
    asked = {"tool": "whole", "fields": fields}

    reply = served.call(Library(), "run_read", asked)

    assert value_of(reply)[0] == first
    assert len(reply.texts) == 1


def test_fields_that_nothing_has_are_named(served: Served) -> None:
    asked = {"tool": "whole", "fields": "id,isbn,author.phone"}

    reply = served.call(Library(), "run_read", asked)

    assert value_of(reply)[0] == {"id": 0}
    assert reply.texts[1] == "warning: the result has no field isbn, author.phone"


def test_fields_of_a_text_are_a_warning(served: Served) -> None:
    reply = served.call(Library(), "run_read", {"tool": "story", "fields": "id"})

    assert reply.texts[1] == "warning: story returned no fields to choose from"


def test_fields_come_before_the_budget(served: Served) -> None:
    asked = {"tool": "books", "fields": "id"}

    assert len(value_of(served.call(Library(), "run_read", asked))) > 50


def test_fields_are_text_or_a_list_of_names(served: Served) -> None:
    asked = {"tool": "whole", "fields": ["id", "title"]}
    assert list(value_of(served.call(Library(), "run_read", asked))[0]) == ["id", "title"]

    with pytest.raises(ToolError, match="fields: expected string, got object"):
        served.call(Library(), "run_read", {"tool": "whole", "fields": {"id": 1}})


def test_a_name_with_a_dot_is_found_as_it_is() -> None:
    value = {"a.b": 1, "a": {"b": 2, "c": 3}}

    assert picked(value, parsed("a.b")) == ({"a.b": 1, "a": {"b": 2}}, [])


# Any value

_JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=200),
    lambda inner: (
        st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=5), inner, max_size=30)
    ),
    max_leaves=60,
)


@given(value=_JSON, budget=st.integers(1, 200))
@settings(max_examples=300)
def test_whatever_is_cut_fits_and_loses_nothing(value: Any, budget: int) -> None:
    done = truncate(value, budget)

    if done is not None:
        assert estimated(compact(done.head)) <= max(budget, 1)
        assert joined(done.head, done.rest, value) == value


def joined(head: Any, rest: Any, whole: Any) -> Any:
    """A value from its two parts; an item that was cut itself is continued by the first one left."""
    if isinstance(head, str):
        return head + rest
    if isinstance(head, dict):
        both = {k: joined(head[k], v, whole[k]) if k in head else v for k, v in rest.items()}
        return {**head, **both}
    if head != whole[: len(head)]:
        return [joined(head[0], rest[0], whole[0]), *rest[1:]]
    return [*head, *rest]


@given(value=_JSON, fields=st.lists(st.text(max_size=5)))
@settings(max_examples=100)
def test_picking_fields_adds_nothing(value: Any, fields: list[str]) -> None:
    kept, _ = picked(value, parsed(",".join(fields)))

    assert len(compact(kept)) <= len(compact(value))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(compact(BOOKS), id="JSON"),
        pytest.param(STORY, id="prose"),
        pytest.param(compact([n * 7919 for n in range(2000)]), id="numbers"),
        pytest.param(compact([f"{n * 2**60:032x}" for n in range(500)]), id="hashes"),
        pytest.param("今天天气很好，我们去公园散步。" * 50, id="Chinese"),
        pytest.param(Path(__file__).read_text(encoding="utf-8"), id="code"),
    ],
)
def test_tokens_are_estimated_rather_too_high(text: str) -> None:
    counted = len(Tokenizer.from_pretrained("o200k_base").encode(text))

    assert counted <= estimated(text) <= 2.5 * counted
