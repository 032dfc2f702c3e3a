"""The reference of the command line, from its parser: every command, argument and option."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from toolfold.cli.arguments import parser

from manual.command_examples import EXAMPLES
from manual.text import block, code, fields, page, table

_WITHOUT_MEANING: Final = ("help", "version")
_EXIT_CODES: Final = [
    ["0", "Fine. `check`: the output is current."],
    ["1", "A mistake in the manifest, a call that failed, or output that is out of date."],
    ["2", "The command was given wrongly, or toolfold itself failed."],
    ["130", "Interrupted, as by Ctrl-C."],
]
#: By extra, what it is for; one that the project offers and that is not here fails a test.
EXTRAS: Final = {
    "generate": "Where you generate, check and import: every command but `serve`, `try` and `schema`.",
    "docs": "Where you build or preview a site, beside `generate`.",
    "code": "Where a server runs [programs](../how-to/code.md).",
    "semantic": "Where search goes by [meaning](../explanation/search.md) too: to generate, and to serve.",
    "postgres": "Where several servers count [usage](../how-to/usage.md) in one database.",
    "telemetry": "Where [traces and metrics](../how-to/logging.md#traces-and-metrics) are exported.",
}
#: What the environment may say.
VARIABLES: Final = (
    ("TOOLFOLD_CACHE", "The folder for results of earlier runs; default: the user's cache folder."),
    (
        "TOOLFOLD_USAGE",
        "Where calls are counted: a file, `off`, or `postgresql://user@host/database`.",
    ),
    (
        "TOOLFOLD_STATE_KEYS",
        "The keys that seal what clients bring back, with commas; the same for all replicas.",
    ),
    ("TOOLFOLD_TRACE_VALUES", "`1`: spans hold arguments and results too."),
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "Where traces and metrics go, with `toolfold[telemetry]`."),
)


class Argument(NamedTuple):
    """An argument or an option of a command."""

    #: As it is written: `FILE.json …` or `-m FILE, --manifest FILE`.
    written: str
    #: Its longest flag; empty for an argument by its place.
    flag: str
    meaning: str
    choices: tuple[str, ...]


class Command(NamedTuple):
    """A command that does something, by the words after `toolfold`."""

    name: str
    meaning: str
    arguments: tuple[Argument, ...]

    @property
    def usage(self) -> str:
        """How it is called."""
        places = [argument.written for argument in self.arguments if not argument.flag]
        options = ["[OPTIONS]"] if any(argument.flag for argument in self.arguments) else []
        return " ".join(["toolfold", self.name, *options, *places])

    @property
    def missing(self) -> list[str]:
        """What its documentation lacks, and what to do about it."""
        lacks = [] if self.meaning else [f"toolfold {self.name}: give its parser help="]
        examples = [word for line in EXAMPLES.get(self.name, ()) for word in line.split(" ")]
        if not examples:
            lacks.append(f"toolfold {self.name}: add examples to manual/command_examples.py")
        for argument in self.arguments:
            if not argument.meaning or argument.meaning.startswith("default:"):
                lacks.append(f"toolfold {self.name} {argument.written}: say in help= what it is")
            flags = {part.split(" ")[0] for part in argument.written.split(", ")}
            if argument.flag and not flags & set(examples):
                lacks.append(
                    f"toolfold {self.name} {argument.flag}: use it in manual/command_examples.py"
                )
        return lacks


def commands() -> tuple[Command, ...]:
    """Every command, in the order of `toolfold --help`."""
    return tuple(_commands_of(parser(), (), ""))


def commands_page() -> str:
    """The page of the command line."""
    parts = [
        "`toolfold COMMAND --help` says the same in a terminal. Without `-m`, a command is about the"
        " `tools.yaml` of the folder that it is called in.",
        table(
            ["Command", "What it does"],
            [
                [f"[`toolfold {c.name}`](#toolfold-{_anchor(c.name)})", c.meaning]
                for c in commands()
            ],
        ),
    ]
    for command in commands():
        parts += [f"## {code(f'toolfold {command.name}')}", _sentence(command.meaning)]
        parts.append(block("text", command.usage))
        given = [(argument.written, _sentence(argument.meaning)) for argument in command.arguments]
        parts += [fields(given)] if given else []
        parts.append(block("console", "\n".join(f"$ {line}" for line in EXAMPLES[command.name])))
    parts += ["## Exit codes", table(["Code", "What it means"], _EXIT_CODES)]
    parts += ["## Environment variables", fields(VARIABLES)]
    parts += [
        "## Extras",
        "`pip install toolfold` is what a machine needs that serves. In brackets, as in"
        " `pip install 'toolfold[generate,docs]'`, it takes more:",
        table(["Extra", "What needs it"], [[code(name), use] for name, use in EXTRAS.items()]),
    ]
    return page("Commands", *parts)


def _commands_of(
    of: argparse.ArgumentParser, words: Sequence[str], meaning: str
) -> Iterator[Command]:
    """The commands below some words, and the words themselves where they are one."""
    # argparse has no public way to look at a parser.
    actions = [action for action in of._actions if action.dest not in _WITHOUT_MEANING]
    below = [action for action in actions if isinstance(action, argparse._SubParsersAction)]
    if words and not any(action.required for action in below):
        arguments = [action for action in actions if action not in below]
        yield Command(" ".join(words), meaning, tuple(map(_argument, arguments)))
    for action in below:
        meanings = {choice.dest: choice.help or "" for choice in action._choices_actions}
        for name, inner in action.choices.items():
            yield from _commands_of(inner, (*words, name), meanings[name])


def _argument(action: argparse.Action) -> Argument:
    choices = tuple(map(str, action.choices or ()))
    value = _value(action, choices)
    flags = [f"{flag} {value}".rstrip() for flag in action.option_strings]
    # A `%` of argparse's own is doubled.
    meaning = (action.help or "").replace("%%", "%")
    longest = action.option_strings[-1] if action.option_strings else ""
    return Argument(", ".join(flags) or value, longest, meaning, choices)


def _value(action: argparse.Action, choices: Sequence[str]) -> str:
    """What is written for the value: `FILE`, `[JSON]`, `FILE.json …`; nothing for a switch."""
    if action.nargs == 0:
        return ""
    metavar: Any = action.metavar
    dest = action.dest.upper() if action.option_strings else action.dest
    name = metavar or ("|".join(choices) if choices else dest)
    forms = {"?": f"[{name}]", "*": f"[{name} …]", "+": f"{name} …"}
    return forms.get(str(action.nargs), name)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('?') else '.'}"


def _anchor(name: str) -> str:
    return name.replace(" ", "-")
