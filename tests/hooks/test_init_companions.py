"""What `toolfold init` writes besides a manifest works as it lies there."""

import shlex
import sys
from pathlib import Path

import yaml

from tests.support.commands import must, run, toolfold


def must_toolfold(folder: Path, *arguments: str) -> str:
    done = toolfold(folder, *arguments)
    assert done.code == 0, done.text
    return done.out


def toolfold_arguments(step: str) -> list[str]:
    """The arguments of a step that runs one command of toolfold."""
    program, *arguments = shlex.split(step)
    assert program == "toolfold"
    return arguments


def test_a_new_project_commits_through_its_hook(tmp_path: Path) -> None:
    must(tmp_path, "git", "init", "-q")
    must_toolfold(tmp_path, "init", "--name", "demo")
    must(tmp_path, "prek", "install")
    must(tmp_path, "git", "add", "-A")
    first = run(tmp_path, "git", "commit", "-m", "one")
    must(tmp_path, "git", "add", "-A")
    second = run(tmp_path, "git", "commit", "-m", "one")

    assert first.code == 1, first.text
    assert second.code == 0, second.text


def test_below_a_repository_the_hook_lies_at_its_root(tmp_path: Path) -> None:
    must(tmp_path, "git", "init", "-q")
    said = must_toolfold(tmp_path, "init", "services/it's a", "--github")
    hook = yaml.safe_load((tmp_path / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (entry,) = hook["repos"][0]["hooks"]
    must(tmp_path, "git", "add", "-A")
    first = run(tmp_path, "pre-commit", "run")
    must(tmp_path, "git", "add", "-A")
    second = run(tmp_path, "pre-commit", "run")

    assert ".github/workflows/toolfold-check.yml: written" in said
    assert "services/it" in entry["entry"]
    assert (first.code, second.code) == (1, 0), first.text + second.text


def test_what_is_there_is_left_alone_and_the_rest_told(tmp_path: Path) -> None:
    config = tmp_path / ".pre-commit-config.yaml"
    config.write_text("repos: []\n", encoding="utf-8")
    said = must_toolfold(tmp_path, "init")

    assert config.read_text(encoding="utf-8") == "repos: []\n"
    assert ".pre-commit-config.yaml: already there; what it could hold:" in said
    assert "entry: toolfold generate --for-commit --manifest tools.yaml" in said


def test_the_test_for_pytest_fails_with_what_differs(tmp_path: Path) -> None:
    must_toolfold(tmp_path, "init", "--name", "demo", "--pytest")
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_generated.py")
    # Other plugins that are installed here cost a second and say nothing of it.
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    missing = run(tmp_path, *command, environment=alone)
    must_toolfold(tmp_path, "generate")
    current = run(tmp_path, *command, environment=alone)
    manifest = tmp_path / "tools.yaml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace("effect: read", "effect: red"), encoding="utf-8")
    broken = run(tmp_path, *command, environment=alone)

    assert missing.code == 1
    assert "generated/docs/index.md: missing" in missing.text
    assert current.code == 0, current.text
    assert broken.code == 1
    assert 'tools.hello.effect: "red" is not allowed here' in broken.text


def test_workflows_check_with_annotations_and_publish(tmp_path: Path) -> None:
    must(tmp_path, "git", "init", "-q")
    must_toolfold(tmp_path, "init", "a", "--name", "demo", "--github")
    workflows = tmp_path / ".github" / "workflows"
    check, publish = (
        yaml.safe_load((workflows / f"toolfold-{name}.yml").read_text(encoding="utf-8"))
        for name in ("check", "docs")
    )
    step = check["jobs"]["check"]["steps"][-1]["run"]
    missing = toolfold(tmp_path, *toolfold_arguments(step))
    must_toolfold(tmp_path, "generate", "-q", "-m", "a/tools.yaml")
    current = toolfold(tmp_path, *toolfold_arguments(step))
    manifest = tmp_path / "a/tools.yaml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace("effect: read", "effect: red"), encoding="utf-8")
    line = text[: text.index("effect: read")].count("\n") + 1
    broken = toolfold(tmp_path, *toolfold_arguments(step))
    manifest.write_text(text, encoding="utf-8")
    steps = publish["jobs"]["publish"]["steps"]
    (build,) = [s["run"] for s in steps if "docs build" in s.get("run", "")]
    address = "https://example.com/a/"  # what the step before says
    arguments = [given.replace("$URL", address) for given in toolfold_arguments(build)]
    must_toolfold(tmp_path, *arguments)

    assert missing.code == 1
    assert "::error file=a/generated/docs/index.md,title=toolfold::missing" in missing.text
    assert (current.code, current.text.strip()) == (0, "")
    assert broken.code == 1
    assert f"::error file=a/tools.yaml,line={line},col=13,title=toolfold::" in broken.text
    assert address in (tmp_path / "_site/index.html").read_text(encoding="utf-8")
