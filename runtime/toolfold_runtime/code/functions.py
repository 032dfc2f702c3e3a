"""The functions that a program may call: which tools they are, and what its types are checked by."""

import re
from collections.abc import Collection
from typing import Final, NamedTuple

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.server import runner_for
from toolfold_runtime.contract.stub import STUB_IMPORTS, ToolStub, stub_source
from toolfold_runtime.contract.vocabulary import Effect

#: Tools whose effects are looked up only to name one of them.
_FEW: Final = 200
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class Offer(NamedTuple):
    """What one program is offered, of the tools that it names."""

    #: Stubs by function.
    functions: dict[str, ToolStub]
    #: Functions of tools that it names and may not call, with their effects.
    withheld: dict[str, Effect]
    #: Python source that its types are checked by.
    stubs: str


class Functions:
    """The tools of a catalog as functions; only those that are asked for are read."""

    def __init__(self, catalog: Catalog, effects: Collection[Effect]) -> None:
        self._catalog = catalog
        self._effects = effects

    def why_withheld(self, function: str, effect: Effect) -> str:
        """Why a function is not offered, and what to use instead."""
        facts = self._catalog.facts
        other = runner_for(facts.program_tools, effect) or runner_for(facts.runners, effect)
        way_out = f"; use {other}" if other else ""
        return f"{function} is not offered here, because its effect is {effect}{way_out}"

    def offer(self, code: str) -> Offer:
        """The functions that a program names, wherever in its text it does.

        More than it calls may be among them: what is only checked against costs little.
        """
        functions: dict[str, ToolStub] = {}
        withheld: dict[str, Effect] = {}
        for word in dict.fromkeys(_WORD.findall(code)):
            stub = self._catalog.stub(word)
            if stub is None:
                continue
            effect = self._catalog.entry(stub.tool).effect
            if effect in self._effects:
                functions[word] = stub
            else:
                withheld[word] = effect
        types = self._catalog.stub_types(functions.values())
        return Offer(
            functions, withheld, f"{STUB_IMPORTS}\n{stub_source(functions.values(), types)}\n"
        )

    def names(self) -> list[str]:
        """Functions to say which was meant: those that may be called here; of very many tools, all."""
        names = [*self._catalog.functions()]
        if len(names) > _FEW:
            return names
        return [name for name in names if self.effect_withheld(name) is None]

    def effect_withheld(self, function: str) -> Effect | None:
        """The effect for which a function may not be called here; None where it may."""
        stub = self._catalog.stub(function)
        effect = self._catalog.entry(stub.tool).effect if stub is not None else None
        return None if effect in self._effects else effect

    def function_of(self, tool: str) -> str | None:
        """The function that a tool is, by the tool's name; None where it has that very name, or is none."""
        if not self._catalog.knows(tool):
            return None
        entry = self._catalog.entry(tool)
        return entry.function or entry.name
