"""The files that `toolfold init` writes beside a manifest: a hook, and on request a test and workflows."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolfold import __version__

_HOOK: Final = """\
# For pre-commit or prek; `pre-commit install` or `prek install` once, then every commit is current.
repos:
  - repo: local
    hooks:
      - id: toolfold-generate
        name: toolfold generate
        entry: {entry}
        language: system
        files: {files}
        pass_filenames: false
"""

_TEST: Final = '''\
"""Is `generated/` what tools.yaml generates today? `toolfold generate` makes it so."""

from pathlib import Path

from toolfold.testing import assert_current


def test_generated_is_current() -> None:
    assert_current(Path(__file__).with_name("tools.yaml"))
'''

_CHECK: Final = """\
name: toolfold check
on: [push, pull_request]
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-python@v6
        with:
          python-version: "3.13"
      - run: pip install 'toolfold[generate]=={version}'
      - run: {check}
"""

_PUBLISH: Final = """\
name: toolfold docs
on:
  push:
    branches: [main]
permissions:
  contents: read
  pages: write
  id-token: write
concurrency:
  group: pages
  cancel-in-progress: true
jobs:
  publish:
    runs-on: ubuntu-latest
    environment:
      name: github-pages
      url: ${{{{ steps.deployed.outputs.page_url }}}}
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-python@v6
        with:
          python-version: "3.13"
      - run: pip install 'toolfold[generate,docs]=={version}'
      - run: {build}
      - uses: actions/upload-pages-artifact@v4
        with:
          path: _site
      - id: deployed
        uses: actions/deploy-pages@v4
"""


def project_files(folder: Path, extras: frozenset[str]) -> Iterator[tuple[Path, str]]:
    """Path and text of each file; those that belong at a repository's root have their path there."""
    root = _repository_root(folder)
    inside = folder.resolve().relative_to(root.resolve()).as_posix()
    prefix = "" if inside == "." else f"{inside}/"
    manifest = shlex.quote(f"{prefix}tools.yaml")
    yield (
        root / ".pre-commit-config.yaml",
        _HOOK.format(
            entry=_yaml(f"toolfold generate --for-commit --manifest {manifest}"),
            files=_yaml(rf"^{re.escape(prefix)}(.*\.ya?ml|generated/.*)$"),
        ),
    )
    if "pytest" in extras:
        yield folder / "test_generated.py", _TEST
    if "github" in extras:
        workflows = root / ".github" / "workflows"
        check = _yaml(f"toolfold check --format github --manifest {manifest}")
        build = _yaml(f"toolfold docs build --site _site --manifest {manifest}")
        yield workflows / "toolfold-check.yml", _CHECK.format(version=__version__, check=check)
        yield workflows / "toolfold-docs.yml", _PUBLISH.format(version=__version__, build=build)


def _repository_root(folder: Path) -> Path:
    """The root of the repository that the folder is in, or the folder itself."""
    for candidate in (folder, *folder.resolve().parents):
        if (candidate / ".git").exists():
            return candidate
    return folder


def _yaml(text: str) -> str:
    """A YAML string: JSON's, and bare where it can be."""
    return text if re.fullmatch(r"[A-Za-z][\w ./=-]*", text) else json.dumps(text)
