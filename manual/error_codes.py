"""The reference of error codes: what each means, and what to do about it."""

from typing import Final, NamedTuple

from toolfold_runtime.contract.vocabulary import Code

from manual.text import code, fields, page, table


class Meaning(NamedTuple):
    """What a code means, and what each side can do."""

    meaning: str
    agent: str
    operator: str


CODES: Final[dict[Code, Meaning]] = {
    "unknown_tool": Meaning(
        "No tool has that name.",
        "Take one of the nearest names in the answer, or search.",
        "Give a renamed tool its old name under `aliases:`.",
    ),
    "unknown_category": Meaning(
        "No category has that name.",
        "Take one of the nearest names in the answer.",
        "Nothing.",
    ),
    "invalid_arguments": Meaning(
        "The arguments break the tool's schema.",
        "Change each parameter that is named; the answer has the signature and a call that is valid.",
        "Where many calls fail alike, give the parameter a description, or an example.",
    ),
    "invalid_result": Meaning(
        "The method answered with what its schema does not allow, or with what cannot be sent.",
        "Nothing: the same call fails again. Say so.",
        "Read the log: it has the field, what is there, and how to mend it.",
    ),
    "invalid_program": Meaning(
        "A program for `run_code` is wrong: its syntax, a name, an argument, a key or a type. Nothing was called.",
        "Change each line that is named, and run the program again.",
        "Nothing; a better `returns:` lets more mistakes be found before a program runs.",
    ),
    "program_failed": Meaning(
        "A program failed while it ran, by an exception of its own, or its value is no JSON.",
        "Look at the line and at how many calls were made before; change the program.",
        "Nothing.",
    ),
    "effect_refused": Meaning(
        "The runner does not run tools of this effect.",
        "Call the runner that the answer names.",
        "Nothing, where the tool's `effect:` is right.",
    ),
    "forbidden": Meaning(
        "The caller's token lacks scopes of the tool.",
        "Get a token with the scopes that the answer names.",
        "Serve with `--verifier`; without one nobody has scopes.",
    ),
    "unconfirmed": Meaning(
        "The user was asked and did not agree, or cannot be asked.",
        "Do not try again unasked; tell the user what the answer says.",
        "`confirm: ask` lets clients through that cannot ask.",
    ),
    "backend_failed": Meaning(
        "The method raised an exception, the server behind the tool failed, or there is neither.",
        "Go on without it, or try again later.",
        "Read the log: it has the exception. Raise `ToolError` for what agents should know.",
    ),
    "definition_changed": Meaning(
        "The server behind the tool publishes another definition than the one that was reviewed.",
        "Take another tool.",
        "Run `toolfold import mcp`, read the difference, generate and commit.",
    ),
    "timeout": Meaning(
        "The call or program took too long, or too many earlier calls of the tool still hang.",
        "Ask for less, or try again later.",
        "Set `timeout:` on the tool, or `execution.code.seconds`, and look for calls that never end.",
    ),
    "budget_exceeded": Meaning(
        "The answer is larger than its budget and cannot be truncated, or larger than can be sent; or a"
        " program took more memory or calls than it may.",
        "Ask for less: a smaller limit, or `fields`.",
        "Raise `budget:` on the tool, or give it a parameter that limits its result; for programs,"
        " `execution.code`.",
    ),
}
#: What commands print about a manifest, by the code in `--format json`: what it means, what to do.
FINDINGS: Final = {
    "aimed-text": (
        "An imported text speaks to the model: it asks it to ignore, to hide or to do something first.",
        "Read it. Leave the tool out with `hidden: true`, or write a `description:` of your own.",
    ),
    "budget": (
        "A view costs more than a budget that the manifest sets (error) or than a default (warning).",
        "Shorten summaries, move tools to other categories, or raise the budget.",
    ),
    "deprecated": (
        "What `deprecated.use` names is missing, deprecated too, or the tool itself.",
        "Name a tool that should be used.",
    ),
    "drift": ("A generated file is missing, out of date or left over.", "Run `toolfold generate`."),
    "enum": ("An `enum` that allows nothing, or one value twice.", "List each value once."),
    "errors": ("A tool declares a code that is the runtime's own.", "Choose a code of your own."),
    "example": (
        "An example, a default or a value of an enum breaks its own schema.",
        "Mend the value or the schema.",
    ),
    "extra": (
        "What the manifest asks for needs a part that is not installed.",
        "Install the extra.",
    ),
    "format": (
        "An unknown format or encoding, or one that does not go with the type.",
        "Take the nearest format in the hint, or leave it out.",
    ),
    "hidden-characters": (
        "Characters that agents read and people do not see.",
        "Delete them, unless they belong to the script of the text.",
    ),
    "implementation": (
        "The class lacks a method, or has one that cannot be called.",
        "Paste what the message shows, or mend the line that it names.",
    ),
    "http": (
        "An operation of an HTTP server and the arguments of its tool do not fit.",
        "Follow the hint.",
    ),
    "instructions": ("The instructions are truncated for clients.", "Shorten them."),
    "keyword": ("An unknown keyword in a schema.", "Take the nearest keyword in the hint."),
    "left-out": ("A field that an import has no place for.", "Nothing, unless you need the field."),
    "left-out-tool": ("A tool that could not be imported.", "Read the reason; tell its author."),
    "live": (
        "A server publishes something else than what was imported, or cannot be reached.",
        "Run `toolfold import mcp` or `import openapi`, read the difference, generate and commit.",
    ),
    "openapi": (
        "Something in an OpenAPI document is wrong, or has no place; the rest was imported.",
        "Read which operations are meant; tell the author of the document.",
    ),
    "manifest": (
        "A rule across entries is broken: a name that is not there, say.",
        "Follow the hint.",
    ),
    "meta-schema": ("A schema is no valid JSON Schema.", "Mend the keyword that is named."),
    "name": ("Two things would share a name in Python, in files or for clients.", "Rename one."),
    "pattern": ("A pattern that does not compile or cannot match.", "Mend the expression."),
    "prompt": ("A prompt's arguments and its text or tool do not fit.", "Follow the hint."),
    "property-names": ("Two properties would share a name in Python.", "Rename one."),
    "protocol": ("A schema of arguments that clients could not read.", "Mend its root."),
    "reference": (
        "A `$ref` to what is not there, out of the document, or to itself.",
        "Take the nearest definition in the hint, or declare it under `$defs:`.",
    ),
    "required": ("`required` names no property.", "Name one that is there."),
    "resource": ("An address that cannot be read, or is another's.", "Follow the hint."),
    "retrieval": (
        "A tool's example prompt does not find the tool.",
        "Say the words of the prompt in the summary, or write another prompt.",
    ),
    "root-type": (
        "Arguments whose root is no object, or that do not say so.",
        "Write `type: object`.",
    ),
    "shadowed-name": ("An imported tool has the name of another server's.", "Look at both."),
    "shape": ("An unknown key, or a value of the wrong type.", "Write what the hint shows."),
    "size": ("More tools than one catalog holds.", "Split the manifest into several servers."),
    "types": ("mypy or pyright found something in the class.", "Mend the line."),
    "validation-cost": (
        "A schema whose validation can take very long.",
        "Break the cycle of definitions, or accept that such calls run in a process of their own.",
    ),
    "yaml": ("The file is no YAML that can be read.", "Mend the line that is named."),
}


def errors_page() -> str:
    """The page of error codes."""
    of_calls = [
        f"### {code(name)}\n\n{explanation.meaning}\n\n- The agent: {explanation.agent}\n- You: {explanation.operator}"
        for name, explanation in CODES.items()
    ]
    return page(
        "Error codes",
        "A call that fails is answered by an error of the tool: a code, and words that say what to do. The"
        " codes are stable: programs may compare them.",
        "## Calls",
        "For each code: what it means, what the agent can do, and what you can do, who run the server.",
        *of_calls,
        "A tool may raise codes of its own: [Errors](../how-to/errors.md).",
        "## Findings",
        "What `check`, `generate` and the imports print about files, with the code that `--format json` and"
        " `--format github` give.",
        fields((name, *texts) for name, texts in FINDINGS.items()),
        "## Errors of the protocol",
        table(
            ["Code", "Where", "What it means"],
            [
                ["-32700", "stdio", "A line that is no JSON."],
                ["-32600, -32602", "stdio, HTTP", "No request, or one with wrong parameters."],
                [
                    "-32002",
                    "resources",
                    "Nothing is at that address; for clients of older versions.",
                ],
                ["-32603", "resources", "The tool behind the address failed; `data` has its code."],
                [
                    "-32021",
                    "a call that asks the user",
                    "The client did not say that it can ask, in version 2026-07-28.",
                ],
            ],
        ),
    )
