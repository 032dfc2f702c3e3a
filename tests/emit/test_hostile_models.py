"""Definitions, defaults and stored texts that would break models, or become code in them."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import pytest
from toolfold.compile import compile_manifest
from toolfold.errors import ManifestError

from tests.running.material import Json, Served, tool, value_of
from tests.support.commands import toolfold
from tests.support.projects import generate, small_manifest, write_manifest


def ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def record(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


MEANINGLESS: Final[list[Json]] = [
    {"A": ref("A")},
    {"A": ref("B"), "B": ref("A")},
    {"A": {"anyOf": [ref("A"), {"type": "string"}]}},
    {"A": {"allOf": [ref("B")]}, "B": {"oneOf": [ref("A")]}},
]


@pytest.mark.parametrize("definitions", MEANINGLESS, ids=str)
def test_a_definition_that_is_only_itself_is_refused(definitions: Json, tmp_path: Path) -> None:
    facts = refused(tmp_path, definitions)

    assert facts == [f'"{name}" refers to nothing but itself' for name in definitions]


def test_more_definitions_than_python_can_import_are_refused(tmp_path: Path) -> None:
    cycle = {f"D{n}": record(next=ref(f"D{(n + 1) % 300}")) for n in range(300)}
    chain = {f"L{n}": {"type": "array", "items": ref(f"L{n + 1}")} for n in range(300)}

    assert "300 definitions refer to each other in one cycle" in refused(tmp_path, cycle)[0]
    facts = refused(tmp_path, chain | {"L300": {"type": "string"}})
    assert '"L0" leads through 301 definitions' in facts[0]


def refused(folder: Path, definitions: Json) -> list[str]:
    manifest = small_manifest("one") | {"$defs": definitions}
    with pytest.raises(ManifestError) as caught:
        compile_manifest(write_manifest(folder, manifest))
    return [problem.fact for problem in caught.value.problems]


DEFAULTS: Final[dict[str, Json]] = {
    "itself": {**ref("Loop"), "default": {}},
    "each_other": {**ref("Left"), "default": {}},
    "no_such_day": {**ref("Day"), "default": {"day": "0000-01-01"}},
    "leap_second": {"type": "string", "format": "time", "default": "23:59:60Z"},
}
DEFINITIONS: Final[Json] = {
    "Loop": record(next={**ref("Loop"), "default": {}}),
    "Left": record(right={**ref("Right"), "default": {}}),
    "Right": record(left={**ref("Left"), "default": {}}),
    "Day": record(day={"type": "string", "format": "date"}),
    "true": record(register={"type": "string"}),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    tools = {name: tool(parameters={"p": schema}) for name, schema in DEFAULTS.items()}
    return Served(tmp_path_factory.mktemp("hostile"), tools, **{"$defs": DEFINITIONS})


@pytest.mark.parametrize(("name", "value"), [("itself", {}), ("each_other", {"right": {}})])
def test_a_default_inside_its_own_default_ends(name: str, value: Json, served: Served) -> None:
    class Sees:
        def __getattr__(self, name: str) -> Any:
            return lambda params: params.model_dump(exclude_none=True)

    seen = value_of(served.call(Sees(), name, {"p": value}))

    assert json.dumps(seen).count("{") < 8


@pytest.mark.parametrize("name", DEFAULTS)
def test_models_are_imported_whatever_their_defaults_are(name: str, served: Served) -> None:
    class Answers:
        def __getattr__(self, name: str) -> Any:
            return lambda params: "called"

    given: Json = {"p": {}} if "$ref" in DEFAULTS[name] else {"p": "09:00:00Z"}
    assert served.call(Answers(), name, given).texts == ("called",)


@pytest.mark.parametrize(
    "line",
    [
        "import os; os.abort()",
        "(__import__('os').abort()).x: TypeAlias = str",
        "class B(Model):\n    x: Annotated['__import__(\"os\").abort()', 1]",
        "class B(Model):\n    x: int = Field(default_factory=lambda q=__import__('os').abort(): 1)",
    ],
)
def test_models_that_were_forged_in_the_store_are_not_written(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("TOOLFOLD_CACHE", str(cache))
    project = tmp_path / "project"
    write_manifest(project, small_manifest("one"))
    generate(project)
    (store,) = cache.glob("*.memo")
    store.write_bytes(_forged(store.read_bytes(), f"\n{line}\n"))
    (project / "generated/demo/models/one.py").unlink()
    handlers = (project / "generated/demo/handlers.py").read_text()

    said = toolfold(project, "generate")

    assert said.code != 0
    assert "demo/models/one.py: not written" in said.err
    assert "--no-cache" in said.err
    assert (project / "generated/demo/handlers.py").read_text() == handlers
    assert toolfold(project, "generate", "--no-cache").code == 0


def _forged(data: bytes, text: str) -> bytes:
    header, *lines = data.split(b"\n")
    changed = []
    for line in lines:
        key, _, rest = line.partition(b" ")
        if key.startswith(b"module:"):
            payload = json.dumps(json.loads(rest.partition(b" ")[2]) + text).encode()
            digest = hashlib.sha256(key + b" " + payload).hexdigest().encode()
            rest = digest + b" " + payload
        changed.append(key + b" " + rest)
    return b"\n".join([header, *changed])
