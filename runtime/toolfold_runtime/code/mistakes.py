"""What the type checker found in a program, as an agent can act on it.

Only what would go wrong is a mistake. A checker of annotations sees more: that a dictionary which is
built step by step is no TypedDict, that a value may be None. Refusing those would cost a round trip
for programs that work; whatever is really wrong with an argument, the tool's schema says when it is
called.
"""

import builtins
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from toolfold_runtime.code.checker import Finding
from toolfold_runtime.code.fitting import may_fit, members
from toolfold_runtime.code.functions import Functions, Offer
from toolfold_runtime.code.stub_text import is_optional, keys_of, parameters, signature, types_taken
from toolfold_runtime.contract.stub import ToolStub
from toolfold_runtime.errors import nearest

_MOST: Final = 10
_MOST_VARIABLES: Final = 100
_LONGEST_SOURCE: Final = 160
_LONGEST_REASON: Final = 400
_ARGUMENT: Final = re.compile(
    r"Argument to (?:function|bound method) `(?P<function>[^`]+)` is incorrect: "
    r"Expected `(?P<expected>.*)`, found `(?P<found>.*)`",
    re.DOTALL,
)
_FUNCTION: Final = re.compile(r"of function `(?P<function>[^`]+)`|to function `(?P<to>[^`]+)`")
_KEY: Final = re.compile(
    r'Unknown key "(?P<key>[^"]*)" for TypedDict `(?P<type>[^`]+)`(?:.*has type `(?P<union>[^`]+)`)?',
    re.DOTALL,
)
#: Keys that a program adds itself, or looks for before it takes them.
_OWN_KEY: Final = re.compile(
    r"""\[\s*(["'])(?P<added>[^"'\n]*)\1\s*\]\s*[-+*/|]?=(?!=)"""
    r"""|(["'])(?P<sought>[^"'\n]*)\3\s+in\b"""
    r"""|\.setdefault\(\s*(["'])(?P<set>[^"'\n]*)\5"""
)
#: The keys that `update` adds.
_UPDATE: Final = re.compile(r"\.update\(([^)]{0,500})\)")
_UPDATED_KEY: Final = re.compile(r"""(["'])(?P<key>[^"'\n]*)\1\s*:|(?P<name>\w+)\s*=(?!=)""")
#: What is wrong with a dictionary that is written where a type of the stubs is expected.
_RECORD: Final = re.compile(r"TypedDict `(?P<type>\w+)`")
_VALUE_OF_KEY: Final = re.compile(
    r"with declared type `(?P<expected>[^`]*)` on TypedDict `[^`]*`: value of type `(?P<found>[^`]*)`"
)
#: Variables, by how programs make them.
_VARIABLE: Final = re.compile(r"\b(\w+)\s*:?=(?!=)|\b(?:for|def|as)\s+(\w+)")
#: An argument that is a list or a dictionary, with what is in it.
_WRITTEN: Final = re.compile(r"\w+\s*=\s*[\[{(](?!.*\bfor\b)", re.DOTALL)
_LITERAL: Final = re.compile(r"""'[^'\n]*'|"[^"\n]*"|\b(?:True|False|None)\b""")
_ATTRIBUTE: Final = re.compile(
    r"Object of type `(?P<type>.*)` has no attribute `(?P<attribute>\w+)`", re.DOTALL
)
_SUBSCRIPT: Final = re.compile(
    r"Method `__getitem__` of type .* cannot be called with key of type `(?P<key>.*)`"
    r" on object of type `(?P<type>list\[.*\])`",
    re.DOTALL,
)
_MODULE: Final = re.compile(r"Cannot resolve imported module `(?P<module>[^`]+)`")
#: May be imported, though here stubs come before it.
_FUTURE: Final = "__future__"
_NUMBERS: Final = ("int", "float", "bool")
_BUILTIN_TYPES: Final[dict[str, type]] = {
    kind.__name__: kind for kind in (str, int, float, bool, list, dict, tuple, set)
}
#: Modules that programs may import; others do not exist for them.
MODULES: Final = (
    "json, re, datetime, math, collections, itertools, functools, random, csv, base64, hashlib, "
    "decimal, dataclasses, bisect, copy, unicodedata"
)


class Mistake(NamedTuple):
    """One thing that is wrong with a program, and where."""

    line: int | None
    source: str
    reason: str


def mistakes(
    found: Sequence[Finding], code: str, offer: Offer, functions: Functions
) -> list[Mistake]:
    """What is wrong with a program, at first; nothing where the checker found only what does no harm."""
    judge = _Judge(code, offer, functions, found)
    judged = ((finding, judge.reason(finding)) for finding in found)
    wrong = (
        Mistake(finding.line, judge.source(finding), reason[:_LONGEST_REASON])
        for finding, reason in judged
        if reason
    )
    return [*islice(wrong, _MOST + 1)]


def shown(every: Sequence[Mistake]) -> str:
    """Mistakes as text: each with its line, its source and the way out."""
    lines = []
    for mistake in every[:_MOST]:
        place = f"line {mistake.line}: " if mistake.line else ""
        lines += [f"{place}{mistake.reason}", f"  {mistake.source}"]
    if len(every) > _MOST:
        lines.append("and more of them")
    return "\n".join(lines)


class _Judge:
    """Says what the findings about one program mean."""

    def __init__(
        self, code: str, offer: Offer, functions: Functions, found: Sequence[Finding]
    ) -> None:
        self._lines = code.split("\n")
        self._offer = offer
        self._functions = functions
        self._own_keys = _own_keys(code)
        self._variables = _variables(code)
        self._taken_types = types_taken(offer.functions.values(), offer.stubs)
        self._findings_at = Counter(map(_start, found))
        self._has_named_modules = False
        self._rules: dict[str, Callable[[Finding], str]] = {
            "unresolved-reference": self._unknown_name,
            "unknown-argument": self._unknown_argument,
            "missing-argument": self._with_signature,
            "too-many-positional-arguments": self._positional,
            "parameter-already-assigned": self._with_signature,
            "invalid-argument-type": self._wrong_type,
            "missing-typed-dict-key": self._wrong_record,
            "invalid-key": self._unknown_key,
            "unresolved-attribute": self._unknown_attribute,
            "unresolved-import": self._unknown_module,
            "invalid-await": lambda _: "tools are called without await: they answer at once",
            "no-matching-overload": self._gathered,
            "not-iterable": self._unless_a_union,
            "call-non-callable": self._unless_a_union,
            "unsupported-operator": self._unsupported_operator,
            "unused-awaitable": lambda _: "nothing waits for this; write await before it",
            "invalid-syntax": self._wrong_syntax,
        }

    def reason(self, finding: Finding) -> str:
        """What is wrong and what to do; empty where nothing goes wrong for it."""
        judge = self._rules.get(finding.rule)
        return judge(finding) if judge else ""

    def source(self, finding: Finding) -> str:
        """The line of the program that a finding is about."""
        lines = self._lines[finding.line - 1 : finding.line]
        return lines[0].strip()[:_LONGEST_SOURCE] if lines else ""

    def _unknown_name(self, finding: Finding) -> str:
        name = self._text(finding)
        if hasattr(builtins, name):
            return ""  # what is missing of those, the checker does not know exactly
        if name in self._offer.withheld:
            return self._functions.why_withheld(name, self._offer.withheld[name])
        written = self._written_name(finding)
        function = self._functions.function_of(written)
        if function is not None and function != name:
            return f"in programs {written} is called {function}"
        if name in MODULES.split(", "):
            return f"{name} is not imported; write import {name} before"
        names = self._functions.names()
        if (joined := written.replace(".", "_").replace("-", "_")) in names:
            return f"in programs {written} is called {joined}"
        others = [variable for variable in self._variables if variable != name]
        near = nearest(name, [*names, *others])
        if not near:
            return f"{name} is not defined: no variable or tool"
        offered = [
            candidate for candidate in near if self._functions.effect_withheld(candidate) is None
        ]
        if not offered and (effect := self._functions.effect_withheld(near[0])):
            return f"{name} is not defined; {self._functions.why_withheld(near[0], effect)}"
        return f"{name} is not defined; did you mean {' or '.join(offered)}?"

    def _unknown_argument(self, finding: Finding) -> str:
        stub = self._stub(_FUNCTION, finding.message)
        if stub is None:
            return finding.message
        given = re.search(r"`([^`]+)`", finding.message)
        name = given.group(1) if given else ""
        known = parameters(stub)
        near = nearest(name, known) or [
            parameter for parameter in known if name in parameter.split("_")
        ]
        way_out = f"; did you mean {near[0]}?" if near else "."
        return f"{stub.function} has no parameter {name}{way_out} {signature(stub)}"

    def _with_signature(self, finding: Finding) -> str:
        stub = self._stub(_FUNCTION, finding.message)
        return f"{finding.message}. {signature(stub)}" if stub else finding.message

    def _positional(self, finding: Finding) -> str:
        stub = self._stub(_FUNCTION, finding.message)
        if stub is None:
            return finding.message
        return f"{stub.function} takes its arguments by keyword. {signature(stub)}"

    def _wrong_type(self, finding: Finding) -> str:
        if finding.message.startswith("Invalid argument to key"):
            value = _VALUE_OF_KEY.search(finding.message)
            fits = value is not None and may_fit(value["expected"], value["found"])
            return "" if fits else self._wrong_record(finding)
        if subscript := _SUBSCRIPT.search(finding.message):
            if self._findings_at[_start(finding)] > 1:
                return ""  # one of several types that the value may have
            return (
                f"this is a list ({subscript['type']}), which has no keys; take one item, or loop"
            )
        match = _ARGUMENT.search(finding.message)
        if match is None:
            return ""
        expected, found = match["expected"], match["found"].rstrip("*")
        stub = self._offer.functions.get(match["function"])
        if stub is None:
            is_number = found in _NUMBERS and expected.startswith(("Sized", "Iterable"))
            return f"{match['function']} takes no {found}" if is_number else ""
        text = self._text(finding)
        is_written = _WRITTEN.match(text) is not None
        may_be_meant = may_fit(expected, found, is_written=is_written)
        if text.startswith("*") or (may_be_meant and not _is_list_of_literals(text, found)):
            return ""
        if found == "None" and is_optional(stub, text.partition("=")[0].strip()):
            return ""  # the same as not given
        reason = f"{stub.function}: expected {expected}, found {found}"
        return f"{reason}. {signature(stub)}"

    def _unknown_key(self, finding: Finding) -> str:
        match = _KEY.search(finding.message)
        if match is None:
            return ""
        key, name = match["key"], match["type"]
        is_also_a_dict = any(member.startswith("dict[") for member in members(match["union"] or ""))
        if key in self._own_keys or is_also_a_dict:
            return ""
        keys = keys_of(name, self._offer.stubs)
        if not keys:
            return ""
        near = nearest(key, keys)
        way_out = f'; did you mean "{near[0]}"?' if near else "."
        return f'{name} has no key "{key}"{way_out} Keys: {", ".join(keys)}'

    def _unknown_attribute(self, finding: Finding) -> str:
        match = _ATTRIBUTE.search(finding.message)
        if match is None:
            return ""
        name, attribute = match["type"], match["attribute"]
        keys = keys_of(name, self._offer.stubs)
        if keys:
            return f'{name} is a dict: write ["{attribute}"]. Keys: {", ".join(keys)}'
        builtin_type = _builtin_type(name)
        if builtin_type is None or hasattr(builtin_type, attribute):
            return ""  # the checker does not know every method that there is
        near = nearest(attribute, [item for item in dir(builtin_type) if not item.startswith("_")])
        way_out = f"; did you mean {near[0]}?" if near else ""
        return f"{name} has no attribute {attribute}{way_out}"

    def _gathered(self, finding: Finding) -> str:
        if "`gather`" not in finding.message:
            return ""
        return "tools are called without gather: they answer at once, so write [one(), two()]"

    def _unknown_module(self, finding: Finding) -> str:
        match = _MODULE.search(finding.message)
        if match is None:
            return finding.message
        module = match["module"]
        if module == _FUTURE:
            return ""
        if module in self._offer.functions:
            return f"{module} is a tool: call it without an import"
        known = "" if self._has_named_modules else f". There are: {MODULES}"
        self._has_named_modules = True
        return f"there is no module {module} here{known}"

    def _wrong_record(self, finding: Finding) -> str:
        """A dictionary is no record; which matters where a tool takes that, and nowhere else."""
        match = _RECORD.search(finding.message)
        return finding.message if match is None or match["type"] in self._taken_types else ""

    def _unsupported_operator(self, finding: Finding) -> str:
        if finding.message.count("`list[") > 1:
            return ""  # lists of different things can be joined
        return self._unless_a_union(finding)

    def _unless_a_union(self, finding: Finding) -> str:
        return "" if " | " in finding.message or "None" in finding.message else finding.message

    def _wrong_syntax(self, finding: Finding) -> str:
        message = finding.message
        is_fine = message.startswith(("`return` statement outside", f"{_FUTURE} imports must be"))
        return "" if is_fine else message

    def _stub(self, pattern: re.Pattern[str], message: str) -> ToolStub | None:
        match = pattern.search(message)
        name = next((group for group in match.groups() if group), "") if match else ""
        return self._offer.functions.get(name)

    def _text(self, finding: Finding) -> str:
        """What the finding is about, as it is written."""
        lines = self._lines[finding.line - 1 : finding.end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][: finding.end_column - 1]
        lines[0] = lines[0][finding.column - 1 :]
        return "\n".join(lines)

    def _written_name(self, finding: Finding) -> str:
        """A name with what is joined to it by dashes or dots: that of a tool may have them."""
        lines = self._lines[finding.line - 1 : finding.line]
        found = re.match(r"[\w.-]+", lines[0][finding.column - 1 :]) if lines else None
        return found.group() if found else ""


def _own_keys(code: str) -> set[str]:
    """The keys that a program adds to what it got, or looks for in it."""
    found = {match["added"] or match["sought"] or match["set"] for match in _OWN_KEY.finditer(code)}
    for update in _UPDATE.findall(code):
        found |= {match["key"] or match["name"] for match in _UPDATED_KEY.finditer(update)}
    return found


def _variables(code: str) -> list[str]:
    """The variables of a program, of very many the first."""
    found = (match[1] or match[2] for match in _VARIABLE.finditer(code))
    return [*islice(dict.fromkeys(found), _MOST_VARIABLES)]


def _is_list_of_literals(argument: str, found: str) -> bool:
    """Whether a list is written in place without a name in it, so that all of it is known."""
    values = _LITERAL.sub("", argument.partition("=")[2])
    return found.startswith("list[") and not re.search("[^\\W\\d]", values)


def _start(finding: Finding) -> tuple[int, int]:
    return finding.line, finding.column


def _builtin_type(name: str) -> type | None:
    if name.startswith("Literal["):
        return {'"': str, "'": str, "T": bool, "F": bool}.get(name[8], int)
    return _BUILTIN_TYPES.get(name.partition("[")[0]) if " | " not in name else None
