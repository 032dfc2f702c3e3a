"""Pages for people whose examples are run by tests."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.commands import Result, run, toolfold

# Both fences of every block, whatever its language: the end of one is not the beginning of another.
_FENCED: Final = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What the line before a block says of it.
_FILE: Final = re.compile(r"`([\w./-]+)`:$|^\*\*([\w./-]+\.\w+)\*\*$")
_ADDED: Final = "Add to"
_NOT_RUN: Final = re.compile(r"<!-- Not run: .+\. -->$")
_WILDCARD: Final = "…"


class Step(NamedTuple):
    """A file that a page has its reader write, or a command that it has them run."""

    #: The command; empty for a file.
    command: str
    #: The path of the file, and whether the text is added to its end.
    path: str
    is_added: bool
    #: What is in the file, or what the command prints; empty where the page does not say.
    text: str


def fenced_blocks(page: str, language: str) -> list[str]:
    """The blocks of code of a language in Markdown, in their order; "" for those that name none."""
    return [code for named, code in _FENCED.findall(page) if named == language]


def steps(page: str) -> Iterator[Step]:
    """What a page has its reader do: files after a line that ends in their name, and commands.

    A name in bold counts too: it titles a tab. A block of commands after `<!-- Not run: … -->` is left out.
    """
    for block in _FENCED.finditer(page):
        before = page[: block.start()].rstrip().rpartition("\n")[2]
        if block[1] == "console" and not _NOT_RUN.match(before):
            yield from _commands(block[2])
        elif (named := _FILE.search(before)) and block[1] not in ("console", "text"):
            yield Step("", named[1] or named[2], _ADDED in before, block[2])


def _commands(block: str) -> Iterator[Step]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command = command.removesuffix("\\") + more.removeprefix("> ")
        yield Step(command, "", is_added=False, text=output)


def walk(page: str, folder: Path) -> int:
    """Do in `folder` what a page says, which must come out as it says; the number of commands."""
    variables: dict[str, str] = {}
    commands = 0
    for step in steps(page):
        if step.path:
            path = folder / step.path
            path.parent.mkdir(parents=True, exist_ok=True)
            start = path.read_text(encoding="utf-8") if step.is_added else ""
            path.write_text(start + step.text, encoding="utf-8")
            continue
        commands += 1
        program, *arguments = shlex.split(step.command)
        if program == "cd":
            folder /= arguments[0]
        elif program == "export":
            variables |= dict(argument.split("=", 1) for argument in arguments)
        else:
            done = _run(folder, program, arguments, variables)
            assert done.code == 0 or step.text, f"$ {step.command}\n{done.text}"
            assert _is_as_shown(step.text, done), f"$ {step.command}\n{done.text}"
    return commands


def _run(folder: Path, program: str, arguments: list[str], variables: dict[str, str]) -> Result:
    """What a command does; the author's code stays out of this process."""
    if program == "toolfold" and not variables and arguments[0] not in ("try", "servers"):
        return toolfold(folder, *arguments)
    return run(folder, program, *arguments, environment=variables)


def _is_as_shown(shown: str, done: Result) -> bool:
    """Whether a command printed what a page shows; `…` stands for anything that is left out."""
    if not shown.strip():
        return True
    lines = [
        ".*" if line == _WILDCARD else "[^\n]*".join(map(re.escape, line.split(_WILDCARD)))
        for line in shown.strip().split("\n")
    ]
    wanted = re.compile("\n".join(lines), re.DOTALL)
    streams = (done.out, done.err, done.out + done.err, done.err + done.out)
    return any(wanted.fullmatch(stream.strip()) for stream in streams)
