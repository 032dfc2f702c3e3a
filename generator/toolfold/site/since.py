"""The manifest as it was at a git revision, compared with the one of today."""

import io
import tarfile
import tempfile
from pathlib import Path

from toolfold.commands.git import git
from toolfold.errors import UsageError
from toolfold.manifest.load import load, load_with_problems
from toolfold.manifest.read import read_yaml
from toolfold.manifest.schema import Manifest
from toolfold.plan.docs.changes import changes_page
from toolfold.plan.text.header import header_for


def changes_since(manifest: Path, revision: str) -> str:
    """A page that says which tools were added, removed and changed since `revision`."""
    if revision.startswith("-"):
        raise UsageError(f"{revision} is no revision")
    now = load(manifest)
    before = _manifest_at(manifest, revision)
    return changes_page(before, now.manifest, revision, header_for(now.name, "changes"))


def _manifest_at(manifest: Path, revision: str) -> Manifest:
    """The manifest at a revision with its includes and overlays; breaches of today's rules pass."""
    folder, name = manifest.parent, manifest.name
    tree = read_yaml(git(folder, "show", f"{revision}:./{name}"), f"{revision}:{name}")
    lists = [tree[key] for key in ("include", "overlays") if isinstance(tree.get(key), list)]
    # A pattern with a null character matches nothing, and git could not be asked.
    parts = [part for each in lists for part in each if isinstance(part, str) and "\0" not in part]
    patterns = [f":(glob){part}" for part in parts]
    archive = git(folder, "archive", "--format=tar", revision, "--", f":(literal){name}", *patterns)
    with tempfile.TemporaryDirectory() as place:
        try:
            with tarfile.open(fileobj=io.BytesIO(archive)) as files:
                files.extractall(place, filter="data")
        except tarfile.TarError as error:
            raise UsageError(f"{revision}: {error}") from None
        return load_with_problems(Path(place, name), f"{revision}:{name}").manifest
