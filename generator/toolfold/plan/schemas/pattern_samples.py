"""A short text that matches a regular expression, for common expressions.

Literals, classes, groups, alternatives and repetitions are understood; what looks around itself
or refers back is left out. The caller validates the text.
"""

from typing import Final

_ESCAPES: Final = {"d": "1", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"}
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}
_MAX: Final = 200
# Of a class that excludes characters, the first of these that it does not.
_ORDINARY: Final = "a1A-_ .,;:/xyz"


class _UnclearError(Exception):
    """A part of a pattern that is not supported."""


def text_matching(pattern: str, least: int = 0) -> str | None:
    """A text that matches, of at least `length` if repetitions allow; None for unsupported patterns."""
    for repeats in (1, max(int(least), 1)):
        try:
            text = _Reader(pattern, min(repeats, _MAX)).alternatives()
        except (_UnclearError, RecursionError):
            return None
        if least <= len(text):
            break
    return text


class _Reader:
    """A parser of a pattern that builds the text while it reads."""

    def __init__(self, pattern: str, repeats: int) -> None:
        self._pattern = pattern
        self._at = 0
        self._repeats = repeats

    def alternatives(self) -> str:
        """The text of the first alternative, read up to the end or a closing bracket."""
        text = self._sequence()
        while self._peek() == "|":
            self._at += 1
            self._sequence()
        return text

    def _sequence(self) -> str:
        text = ""
        while (sign := self._peek()) and sign not in "|)":
            piece = self._atom(self._next())
            text += piece * self._count()
            if len(text) > _MAX:
                raise _UnclearError
        return text

    def _atom(self, sign: str) -> str:
        if sign in "^$":
            return ""
        if sign == ".":
            return "a"
        if sign == "(":
            return self._group()
        if sign == "[":
            return self._class()
        if sign == "\\":
            return self._escape()
        if sign in "*+?{":
            raise _UnclearError
        return sign

    def _group(self) -> str:
        is_ignored = False
        if self._peek() == "?":
            self._at += 1
            sign = self._next()
            if sign == "<" and self._peek() not in "=!":
                while self._next() != ">":
                    pass
            elif sign in "=!<":
                is_ignored = True
            elif sign != ":":
                raise _UnclearError
        text = self.alternatives()
        if self._next() != ")":
            raise _UnclearError
        return "" if is_ignored else text

    def _class(self) -> str:
        is_negated = self._peek() == "^"
        self._at += is_negated
        members = [self._member()]
        while self._peek() != "]":
            sign = self._member()
            if sign == "-" and self._peek() != "]":
                last = self._member()
                members.extend(map(chr, range(ord(members[-1]) + 1, min(ord(last) + 1, 0x2000))))
            else:
                members.append(sign)
        self._at += 1
        if not is_negated:
            return members[0]
        return next((sign for sign in _ORDINARY if sign not in members), "~")

    def _member(self) -> str:
        sign = self._next()
        return self._escape() if sign == "\\" else sign

    def _escape(self) -> str:
        sign = self._next()
        if sign in "bB":
            return ""
        if sign in "pPkxuc" or sign.isdigit():
            raise _UnclearError
        return _ESCAPES.get(sign) or _CONTROLS.get(sign) or sign

    def _count(self) -> int:
        """How often the last piece is repeated, according to the quantifier after it."""
        sign = self._peek()
        if sign not in ("*", "+", "?", "{"):
            return 1
        self._at += 1
        count = {"*": 0, "?": 0, "+": 1}.get(sign, 0)
        count = self._repeats if sign in "*+" and self._repeats > 1 else count
        if sign == "{":
            start = self._at
            while self._next() != "}":
                pass
            least, comma, most = self._pattern[start : self._at - 1].partition(",")
            if not least.isdigit() or int(least) > _MAX:
                raise _UnclearError
            count = max(int(least), self._repeats if comma and not most else 0)
        if self._peek() in ("?", "+"):
            self._at += 1  # lazy or possessive, which makes no difference here
        return count

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        sign = self._peek()
        if not sign:
            raise _UnclearError
        self._at += 1
        return sign
