"""`toolfold schema` says of every golden manifest's shape what the reader says."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from toolfold.errors import ManifestError
from toolfold.manifest.load import load
from toolfold.manifest.read import read_yaml
from toolfold.manifest.tree import plain

from tests.support.commands import toolfold

GOLDEN = Path(__file__).parents[1] / "golden"


def readable() -> dict[str, Any]:
    """Golden manifests that are YAML and stand alone, by case."""
    found = {}
    for path in sorted(GOLDEN.glob("*/tools.yaml")):
        try:
            tree = read_yaml(path.read_bytes(), "tools.yaml")
        except ManifestError:
            continue
        if "include" not in tree and "overlays" not in tree:
            found[path.parent.name] = plain(tree)
    return found


MANIFESTS = readable()


@pytest.fixture(scope="module")
def printed() -> Any:
    done = toolfold(Path.cwd(), "schema")
    assert done.code == 0
    return json.loads(done.out)


def has_good_shape(case: str) -> bool:
    try:
        load(GOLDEN / case / "tools.yaml")
    except ManifestError as error:
        return all(problem.code != "shape" for problem in error.problems)
    return True


@pytest.mark.parametrize("case", MANIFESTS)
def test_schema_and_reader_agree_on_shape(case: str, printed: Any) -> None:
    validator = jsonschema_rs.Draft7Validator(printed)

    assert validator.is_valid(MANIFESTS[case]) == has_good_shape(case)


def test_golden_cases_give_the_schema_both_kinds() -> None:
    verdicts = [has_good_shape(case) for case in MANIFESTS]

    assert verdicts.count(True) >= 30
    assert verdicts.count(False) >= 8


def test_schema_is_itself_draft_07(printed: Any) -> None:
    assert printed["$schema"] == "http://json-schema.org/draft-07/schema#"
    jsonschema_rs.meta.validate(printed)


def test_schema_uses_no_keyword_younger_than_draft_07(printed: Any) -> None:
    text = json.dumps(printed)

    for keyword in ("prefixItems", "unevaluatedProperties", "dependentRequired", "$defs/"):
        assert f'"{keyword}"' not in text
    assert "discriminator" not in text


def test_schema_refers_only_to_its_own_definitions(printed: Any) -> None:
    references = set(_references(printed))

    assert references
    assert references <= {f"#/definitions/{name}" for name in printed["definitions"]}


def test_schema_describes_every_key_that_must_be_there(printed: Any) -> None:
    """The reader's `missing key` takes its way out from the same words."""
    bare = [
        f"{name}.{key}"
        for name, part in {"manifest": printed, **printed["definitions"]}.items()
        for key in part.get("required", [])
        if not part["properties"][key].get("description")
        and "$ref" not in json.dumps(part["properties"][key])
    ]

    assert bare == []


def _references(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
        return own + [found for value in schema.values() for found in _references(value)]
    if isinstance(schema, list):
        return [found for value in schema for found in _references(value)]
    return []
