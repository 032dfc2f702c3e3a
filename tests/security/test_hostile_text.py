"""No string in a manifest becomes code, markup or a path, whatever it contains."""

import json
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolfold.errors import ManifestError

from tests.security.checks import (
    assert_code_is_like,
    assert_importing_does_nothing,
    assert_only_expected_code,
    assert_texts_survive,
    entries_of,
    python_of,
    shape,
)
from tests.security.material import (
    NASTY,
    Files,
    Json,
    compiled,
    examples,
    hostile_manifest,
    hostile_texts,
    hostile_tool,
    manifests,
    number_of_texts,
    one_tool_manifest,
)
from tests.security.page_checks import assert_pages_show_text, rendered, shown


@pytest.fixture(scope="module")
def benign(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The shape of the code for the same manifest with plain words everywhere."""
    words = (f"word{number}" for number in count())
    files = compiled(one_tool_manifest(lambda: next(words)), tmp_path_factory.mktemp("benign"))
    return {path: shape(source) for path, source in python_of(files).items()}


#: How many examples are drawn; many are for `make test-all`.
few_or_many = pytest.mark.parametrize("number", [20, pytest.param(200, marks=pytest.mark.long)])


def say(capfd: pytest.CaptureFixture[str], sentence: str) -> None:
    """Told to whoever watches the run; on stderr, which workers share with the terminal."""
    with capfd.disabled():
        print(f"\n{sentence}", file=sys.stderr, flush=True)


def test_every_nasty_text_in_every_position_stays_text(
    tmp_path: Path, benign: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    """One tool per text, which stands in each of its positions, and one manifest around them."""
    names = {f"tool_{number}": text for number, text in enumerate(NASTY)}
    tools = {name: hostile_tool(lambda text=text: text) for name, text in names.items()}  # type: ignore[misc]  # a default binds the loop's text
    files = compiled(hostile_manifest(lambda: NASTY[0], tools), tmp_path)

    model = benign["hostile/models/tool.py"]
    for number, name in enumerate(tools):
        source = files[PurePosixPath("hostile/models", f"{name}.py")]
        assert_only_expected_code(source)
        assert shape(source) == model.replace("'Tool", f"'Tool{number}"), (name, names[name])
    assert_only_expected_code(files[PurePosixPath("hostile/handlers.py")])
    manifest = json.loads(json.dumps(hostile_manifest(lambda: NASTY[0], tools)))
    assert_texts_survive(manifest, files)
    assert_pages_show_text(manifest, files)
    assert_importing_does_nothing([files], tmp_path)
    positions = number_of_texts(hostile_tool)
    say(capfd, f"hostile: {len(NASTY)} texts, each in {positions} positions of a tool")


@pytest.mark.parametrize(
    "character", ["\u202e", "\u2066", "\u200b", "\ufeff", "\U000e0041"], ids=ascii
)
def test_generated_python_has_no_character_that_hides_or_reorders_text(
    character: str, tmp_path: Path
) -> None:
    files = compiled(one_tool_manifest(lambda: f"a{character}b"), tmp_path)

    assert [path for path, source in python_of(files).items() if character in source] == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=str(number), marks=[pytest.mark.long] if number % 8 else [])
        for number, text in enumerate(NASTY)
    ],
)
def test_a_nasty_text_about_the_server_stays_text(text: str, tmp_path: Path) -> None:
    """The few positions outside tools, where templates place text into modules and the index."""
    tool = hostile_tool(lambda: "word")
    manifest = hostile_manifest(lambda: text, {"tool": tool})
    files = compiled(manifest, tmp_path)

    for source in python_of(files).values():
        assert_only_expected_code(source)
    assert_texts_survive(manifest, files)
    assert_pages_show_text(manifest, files)


def test_every_nasty_text_as_a_parameter_name_stays_a_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A name stands in the model as an alias, in the signature, in tables and in the schema."""
    names = [text for text in NASTY if len(text) < 500]
    plain: Json = {"category": "one", "effect": "read", "summary": "s"}
    tools = {
        f"tool_{number}": {
            **plain,
            "parameters": {name: {"type": "object", "properties": {name: {}}}},
            "returns": {"type": "object", "properties": {name: {"enum": [name]}}},
            "examples": [{"arguments": {name: {name: name}}}],
        }
        for number, name in enumerate(names)
    }
    files = compiled(hostile_manifest(lambda: "word", tools), tmp_path)

    for source in python_of(files).values():
        assert_only_expected_code(source)
    entries = entries_of(files)
    for number, name in enumerate(names):
        entry = entries[f"tool_{number}"]
        assert list(entry.definition.input_schema["properties"]) == [name]
        for page in rendered(files[PurePosixPath(f"docs/tools/tool_{number}.md")]):
            assert page.texts("strong")[:2] == [shown(name), shown(name)]
            assert shown(name) in page.texts("pre")[0]
    assert_importing_does_nothing([files], tmp_path)
    say(capfd, f"hostile: {len(names)} texts as names of parameters and properties")


@few_or_many
def test_drawn_texts_in_every_position_stay_text(
    number: int, tmp_path: Path, benign: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    packages: list[Files] = []
    tried = 0

    @examples(number)
    @given(manifests())
    def holds(manifest: Json) -> None:
        nonlocal tried
        files = compiled(manifest, tmp_path)
        assert_code_is_like(files, benign)
        assert_texts_survive(manifest, files)
        assert_pages_show_text(manifest, files)
        tried += 1
        packages.append({_renamed(path, tried): text for path, text in files.items()})

    holds()
    assert_importing_does_nothing(packages, tmp_path)
    say(
        capfd,
        f"hostile: {tried} drawn manifests of {number_of_texts(one_tool_manifest)} texts each",
    )


def _renamed(path: PurePosixPath, number: int) -> PurePosixPath:
    """The package of one example, under a name of its own; it refers to itself relatively."""
    first, *rest = path.parts
    return PurePosixPath(first if first == "docs" else f"{first}_{number}", *rest)


@few_or_many
def test_any_text_at_any_position_is_accepted_harmlessly_or_refused_as_a_manifest(
    number: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """NUL, surrogates, blanks and line ends included; names of parameters and keys too."""
    positions = sum(1 for _ in _positions(one_tool_manifest(lambda: "word")))
    packages: list[Files] = []
    tried = refused = 0
    anything = hostile_texts | st.text(st.characters(), max_size=6)

    @examples(2 * number)
    @given(st.integers(0, positions - 1), anything)
    def holds(position: int, text: str) -> None:
        nonlocal tried, refused
        manifest = one_tool_manifest(lambda: "word")
        list(_positions(manifest))[position](text)
        tried += 1
        try:
            files = compiled(manifest, tmp_path)
        except ManifestError:
            refused += 1
            return
        for source in python_of(files).values():
            assert_only_expected_code(source)
        for path, page in files.items():
            if path.suffix == ".md":
                list(rendered(page))
        if "hostile" in {path.parts[0] for path in files}:
            packages.append({_renamed(path, tried): text for path, text in files.items()})

    holds()
    assert_importing_does_nothing(packages, tmp_path)
    say(capfd, f"hostile: {tried} single positions tried, {refused} refused")


def _positions(value: Any) -> Iterator[Callable[[str], None]]:
    """A setter for every string and every key below `value`."""
    pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    for key, inner in pairs:
        if isinstance(value, dict):
            yield lambda text, key=key: value.__setitem__(text, value.pop(key))  # type: ignore[misc]  # a default binds the loop's key
        if isinstance(inner, str):
            yield lambda text, key=key: value.__setitem__(key, text)  # type: ignore[misc]  # the same
        elif isinstance(inner, dict | list):
            yield from _positions(inner)


names_drawn = st.lists(
    st.one_of(
        st.sampled_from([text for text in NASTY if len(text) < 200]),
        st.text(min_size=1, max_size=10),
        st.sampled_from(["class", "self", "model_config", "__init__", "json", "copy", "a.b", "$x"]),
    ),
    min_size=1,
    max_size=6,
    unique=True,
)


@few_or_many
def test_drawn_parameter_names_are_encoded_or_refused(
    number: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    packages: list[Files] = []
    tried = refused = 0

    @examples(number)
    @given(names_drawn)
    def holds(names: list[str]) -> None:
        nonlocal tried, refused
        tool: Json = {"category": "one", "effect": "read", "summary": "s"}
        tool["parameters"] = {name: {"type": "string", "description": name} for name in names}
        tool["returns"] = {"type": "object", "properties": {name: {} for name in names}}
        manifest = hostile_manifest(lambda: "word", {"tool": tool})
        tried += 1
        try:
            files = compiled(manifest, tmp_path)
        except ManifestError:
            refused += 1
            return
        for source in python_of(files).values():
            assert_only_expected_code(source)
        entry = entries_of(files)["tool"]
        assert list(entry.definition.input_schema["properties"]) == names
        for page in rendered(files[PurePosixPath("docs/tools/tool.md")]):
            assert page.texts("strong")[: len(names)] == [shown(name) for name in names]
        packages.append({_renamed(path, tried): text for path, text in files.items()})

    holds()
    assert_importing_does_nothing(packages, tmp_path)
    say(capfd, f"hostile: {tried} sets of parameter names tried, {refused} refused")
