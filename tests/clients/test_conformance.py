"""The official conformance suite, for every version of the protocol that it has requirements for."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import yaml

from tests.clients.node import INSTALLED, program, run_node
from tests.support.commands import toolfold
from tests.support.servers import package_listening

#: By scenario, the status of each of its checks; the worst where one is made several times.
Checks = dict[str, dict[str, str]]

pytestmark = pytest.mark.long

FOLDER: Final = Path(__file__).parent / "conformance"
EXPECTED: Final = FOLDER / "expected_failures.yaml"
REQUIREMENTS: Final = INSTALLED / "node_modules/@modelcontextprotocol/conformance/requirements"
VERSIONS: Final = ("2025-11-25", "2026-07-28")
_WORST_LAST: Final = ("INFO", "SKIPPED", "SUCCESS", "WARNING", "FAILURE")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that has the suite's fixtures."""
    folder = tmp_path_factory.mktemp("conformance")
    for name in ("tools.yaml", "fixtures.py"):
        shutil.copy(FOLDER / name, folder)
    assert toolfold(folder, "generate", "--quiet").code == 0
    with package_listening("conformance_mcp", folder / "generated") as server:
        yield server.url


def test_the_suite_finds_what_is_expected_and_nothing_else(url: str, tmp_path: Path) -> None:
    found: dict[str, Checks] = {}
    for version in VERSIONS:
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
        print(_summary(version, found[version]))

    # The suite tolerates what never ran and does not judge what is not scored.
    failures = _failures(found)
    expected = _expected(failures)
    assert failures - expected == set(), "not expected"
    assert expected - failures == set(), "expected, but passed or never made"


def _required(version: str) -> list[str]:
    """Every scenario about servers, those included that are run without being scored."""
    read = yaml.safe_load((REQUIREMENTS / f"{version}.yaml").read_text(encoding="utf-8"))
    extra = [entry["scenario"] for entry in read["not_scored"] if entry["leg"] == "server"]
    return sorted([*read["server"], *extra])


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


def _summary(version: str, checks: Checks) -> str:
    failing = {failure.split(":")[0] for failure in _failures({version: checks})}
    passing = [scenario for scenario in checks if scenario not in failing]
    counts = f"{len(passing)} of {len(checks)} scenarios pass without a warning"
    return f"{version}: {counts}: {', '.join(passing)}"
