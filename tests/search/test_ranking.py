"""What is found first, in any case, form and script; and that it is the same every time."""

from pathlib import Path

import pytest
from toolfold_runtime.contract import files
from toolfold_runtime.contract.codec import encode
from toolfold_runtime.contract.files import Names
from toolfold_runtime.contract.search import SearchNames
from toolfold_runtime.contract.vocabulary import Strategy
from toolfold_runtime.jsontext import compact
from toolfold_runtime.search.find import Finder, finder_for

from tests.search.catalogs import TOOLS, TOWN, finder, found, manifest, tool
from tests.support.commands import toolfold_process
from tests.support.projects import Json, write_manifest


@pytest.mark.parametrize(
    "query",
    [
        "createIssue",
        "createissue",
        "CREATEISSUE",
        "  createIssue ",
        "file_bug",
        "FILE_BUG",
        "github::createIssue",
        "GitHub::CREATEISSUE",
        '"createIssue"',
        "createIssue category:code",
        "category:code file_bug",
    ],
)
def test_a_name_an_alias_and_an_id_come_first_in_any_case(lexical: Finder, query: str) -> None:
    assert found(lexical, query)[0] == "createIssue"
    assert not lexical.find(query, 5).query.hints


def test_what_can_be_nothing_but_a_name_is_looked_up_alone(lexical: Finder) -> None:
    assert found(lexical, "delete_repository") == ["delete_repository"]
    assert len(found(lexical, "delete repository")) > 1


def test_an_exact_name_beats_a_tool_that_says_it_more_often(tmp_path: Path) -> None:
    tools = {"read": tool("Get bytes"), "x": tool("read read read", tags=["read"])}

    assert found(finder(tmp_path, manifest(tools)), "read") == ["read", "x"]


def test_a_name_as_it_is_written_wins_over_another_in_lower_case(tmp_path: Path) -> None:
    tools = {"one": tool("First", aliases=["Read"]), "two": tool("Second", aliases=["READ"])}
    search = finder(tmp_path, manifest(tools))

    assert found(search, "READ")[0] == "two"
    assert found(search, "Read")[0] == "one"


def test_a_name_beside_a_qualifier_that_it_does_not_meet_is_not_found(lexical: Finder) -> None:
    assert "createIssue" not in found(lexical, "createIssue category:maps")


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("create issue", "createIssue"),
        ("CREATE_ISSUE", "createIssue"),
        ("create-issue", "createIssue"),
        ("issues created", "createIssue"),
        ("crate isue", "createIssue"),
        ("isseu", "createIssue"),
        ("repositry", "delete_repository"),
        ("youtube", "search_videos"),
        ("YouTube vidoes", "search_videos"),
        ("SearchVideos", "search_videos"),
        ("translation", "translate_text"),
        ("translator", "translate_text"),
        ("help", "help"),
        ("cafe", "find_cafe"),
        ("CAFÉ", "find_cafe"),
        ("cafe\u0301", "find_cafe"),
        ("ｃａｆｅ", "find_cafe"),
        ("坐标转换", "maps_regeocode"),
        ("微信读书", "weread_rank"),
        ("书", "weread_rank"),
        ("址", "maps_regeocode"),
        ("天気", "tenki"),
        ("날씨", "nalssi"),
        ("อากาศ", "akat"),
        ("الطقس", "taqs"),
        ("मौसम", "mausam"),
        ("прогноз погоды", "pogoda"),
        ("ПРОГНОЗ", "pogoda"),
    ],
)
def test_other_forms_slips_and_scripts_find_the_tool(
    lexical: Finder, query: str, first: str
) -> None:
    assert found(lexical, query)[0] == first


def test_every_field_of_a_tool_is_searched(tmp_path: Path) -> None:
    tools = {
        "by_title": tool("One", title="Aardvark"),
        "by_description": tool("Two", description="Two badgers"),
        "by_tag": tool("Three", tags=["camel"]),
        "by_prompt": tool("Four", example="where is the dolphin?"),
        "by_parameter": tool("Five", parameters={"elephant": {"type": "string"}}),
        "by_hint": tool("Six", parameters={"a": {"type": "string", "description": "a ferret"}}),
        "by_value": tool("Seven", parameters={"a": {"type": "string", "enum": ["giraffe"]}}),
        "by_result": tool("Eight", returns={"type": "object", "properties": {"hare": {}}}),
        "by_server": tool("Nine", id="iguana::by_server"),
        "by_category": tool("Ten", category="jackal"),
        "by_alias": tool("Eleven", aliases=["koala_find"]),
        "by_example": tool("Twelve", examples=[{"description": "a lemur"}]),
    }
    search = finder(tmp_path, manifest(tools))
    animals = ["aardvarks", "badger", "camels", "dolphins", "elephants", "ferrets", "giraffes"]
    animals += ["hares", "iguana", "jackals", "koala", "lemurs"]

    assert [found(search, animal)[:1] for animal in animals] == [[name] for name in tools]


def test_a_word_of_the_name_counts_more_than_one_of_the_description(tmp_path: Path) -> None:
    tools = {"b_invoice": tool("Make a document"), "a_paper": tool("Make an invoice here")}

    assert found(finder(tmp_path, manifest(tools)), "invoice") == ["b_invoice", "a_paper"]


def test_ties_are_ordered_by_name_whatever_the_manifest_says(tmp_path: Path) -> None:
    names = ["delta", "alpha", "charlie", "bravo"]
    search = finder(tmp_path, manifest({name: tool("Paint a wall") for name in names}))

    assert found(search, "paint the wall") == sorted(names)
    assert found(search, "category:all") == sorted(names)


@pytest.mark.parametrize("strategy", ["lexical", "hybrid", "semantic"])
@pytest.mark.parametrize("size", [1, 2])
def test_a_tiny_catalog_finds_its_tools(tmp_path: Path, size: int, strategy: Strategy) -> None:
    tools = dict(list(TOOLS.items())[:size])
    search = finder(tmp_path, manifest(tools, search=strategy), strategy)

    assert found(search, "open an issue")[0] == "createIssue"
    assert found(search, "CreateIssue")[0] == "createIssue"


def test_a_catalog_without_tools_finds_nothing_and_says_so() -> None:
    empty = {
        files.NAMES: compact(encode(Names({}, {}, {}))).encode(),
        files.SEARCH_NAMES: compact(encode(SearchNames((), ()))).encode(),
    }
    search = finder_for(lambda path: empty.get(path, b'{"//":""}\n'), "lexical")

    assert search.find("anything at all. Then something else.", 5).tools == ()
    assert "there is none" in search.find("category:x", 5).reason


TASK = (
    "Find a good video about bread on YouTube. "
    "Then append its title and its length to my spreadsheet as a row. "
    "Finally send an e-mail message to Ann with the address of the sheet."
)


@pytest.mark.parametrize("strategy", ["lexical", "hybrid"])
def test_the_first_hits_cover_a_task_of_three_steps(tmp_path: Path, strategy: Strategy) -> None:
    needed = {"search_videos", "append_row", "send_mail"}
    # Many tools that fit one step well, none of the others.
    crowd = {
        f"video_{n}": tool(f"Search videos, find a video, part {n}", id=f"youtube::video_{n}")
        for n in range(8)
    }
    given = manifest(TOOLS | crowd, search=strategy)

    assert needed <= set(found(finder(tmp_path, given, strategy), TASK, 6))


def test_two_interpreters_with_other_hash_seeds_rank_alike(tmp_path: Path) -> None:
    write_manifest(tmp_path, TOWN | {"disclosure": {"search": "hybrid"}})
    said = set()
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed}
        done = toolfold_process(tmp_path, "search", TASK, "--json", environment=environment)
        assert done.code == 0, done.err
        said.add(done.out)

    assert len(said) == 1
    assert "sheets::append_row" in said.pop()


def identical() -> Json:
    return {f"twin_{n}": tool("Weigh a parcel") for n in range(3)}


@pytest.mark.parametrize("strategy", ["lexical", "hybrid", "semantic"])
def test_identical_tools_are_all_found(tmp_path: Path, strategy: Strategy) -> None:
    search = finder(tmp_path, manifest(identical(), search=strategy), strategy)

    assert sorted(found(search, "weigh parcels")) == list(identical())
