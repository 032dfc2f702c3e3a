"""The official conformance suite, for every version of the protocol that it has requirements for."""

import json
import re
from collections.abc import Iterator
from operator import ge
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
import yaml

from tests.clients.fixture_server import FOLDER, PACKAGE, generate
from tests.clients.node import INSTALLED, program, run_node
from tests.support.servers import package_listening

#: By scenario, the status of each of its checks; the worst where one is made several times.
Checks = dict[str, dict[str, str]]

pytestmark = pytest.mark.long

EXPECTED: Final = FOLDER / "expected_failures.yaml"
REQUIREMENTS: Final = INSTALLED / "node_modules/@modelcontextprotocol/conformance/requirements"
_WORST_LAST: Final = ("INFO", "SKIPPED", "SUCCESS", "WARNING", "FAILURE")


class Counts(NamedTuple):
    """Scored scenarios without a failure, which is what the suite counts, and without a warning."""

    passed: int
    clean: int


#: At least so many of 30 and of 37; those of the older version without sessions.
WANTED: Final = {"2025-11-25": Counts(23, 22), "2026-07-28": Counts(32, 32)}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that has the suite's fixtures."""
    output = generate(tmp_path_factory.mktemp("conformance"))
    with package_listening(PACKAGE, output) as server:
        yield server.url


def test_the_suite_finds_what_is_expected_and_nothing_else(url: str, tmp_path: Path) -> None:
    found: dict[str, Checks] = {}
    for version in WANTED:
        results = tmp_path / version
        done = run_node(
            program("conformance"),
            "server",
            *("--url", url),
            *("--requirements", version),
            *("--expected-failures", str(EXPECTED)),
            *("--output-dir", str(results)),
            home=tmp_path,
        )
        # The suite's own verdict: 1 for failures that are not expected, and expected ones that pass.
        assert done.code == 0, done.out[done.out.find("=== SUMMARY") :] + done.err
        found[version] = _checks(results)
        assert sorted(found[version]) == _required(version)
        counts = _counts(found[version], _scored(version))
        print(f"{version}: {counts} of {len(_scored(version))}")
        assert all(map(ge, counts, WANTED[version])), counts

    # The suite tolerates what never ran and does not judge what is not scored.
    failures = _failures(found)
    expected = _expected(failures)
    assert failures - expected == set(), "not expected"
    assert expected - failures == set(), "expected, but passed or never made"


def _required(version: str) -> list[str]:
    """Every scenario about servers, those included that are run without being scored."""
    extra = _requirements(version)["not_scored"]
    names = [entry["scenario"] for entry in extra if entry["leg"] == "server"]
    return sorted([*_scored(version), *names])


def _scored(version: str) -> list[str]:
    """The scenarios about servers that conformance to a version requires."""
    return list(_requirements(version)["server"])


def _requirements(version: str) -> Any:
    return yaml.safe_load((REQUIREMENTS / f"{version}.yaml").read_text(encoding="utf-8"))


def _checks(results: Path) -> Checks:
    found: Checks = {}
    for file in sorted(results.glob("*/checks.json")):
        named = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT.*", file.parent.name)
        assert named, file
        statuses = found.setdefault(named[1], {})
        for check in json.loads(file.read_text(encoding="utf-8")):
            before = statuses.get(check["id"], _WORST_LAST[0])
            statuses[check["id"]] = max(before, check["status"], key=_WORST_LAST.index)
    return found


def _failures(found: dict[str, Checks]) -> set[str]:
    return {
        f"{scenario}:{check}"
        for checks in found.values()
        for scenario, statuses in checks.items()
        for check, status in statuses.items()
        if status in ("WARNING", "FAILURE")
    }


def _expected(failures: set[str]) -> set[str]:
    """The entries of the file; a whole scenario stands for those of its checks that failed."""
    expected: set[str] = set()
    for entry in yaml.safe_load(EXPECTED.read_text(encoding="utf-8"))["server"]:
        covered = {failure for failure in failures if failure.split(":")[0] == entry}
        expected |= covered or {entry}
    return expected


def _counts(checks: Checks, scored: list[str]) -> Counts:
    worst = [max(checks[scenario].values(), key=_WORST_LAST.index) for scenario in scored]
    failed, warned = worst.count("FAILURE"), worst.count("WARNING")
    return Counts(passed=len(scored) - failed, clean=len(scored) - failed - warned)
