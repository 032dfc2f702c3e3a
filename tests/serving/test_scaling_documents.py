"""The commands of docs/scaling.md and its compose file are commands that there are."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from toolfold.cli.arguments import parser

ROOT = Path(__file__).parents[2]


def commands() -> list[str]:
    document = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    compose = yaml.safe_load((ROOT / "examples/compose/compose.yaml").read_text(encoding="utf-8"))
    container = re.findall(r"args: \[(.*)\]", document)[0].replace(",", " ")
    return [
        *re.findall(r"^\$ (toolfold .*)$", document, re.MULTILINE),
        container,
        compose["services"]["tools"]["command"].partition("exec ")[2].rstrip('" \n'),
    ]


@pytest.mark.parametrize("command", commands())
def test_a_documented_command_is_understood(command: str) -> None:
    program, *arguments = shlex.split(command)

    assert program == "toolfold"
    assert parser().parse_args(arguments).http


def test_every_service_that_another_waits_for_is_there() -> None:
    compose = yaml.safe_load((ROOT / "examples/compose/compose.yaml").read_text(encoding="utf-8"))
    needed = {name for own in compose["services"].values() for name in own.get("depends_on", ())}

    assert needed <= set(compose["services"])
