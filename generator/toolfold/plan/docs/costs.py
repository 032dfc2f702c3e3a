"""What disclosure costs an agent, on the first page: in words, as steps and as a picture."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from toolfold.plan.disclosure.costs import cost_of, start_tokens
from toolfold.plan.docs.charts import bars
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.links import plural
from toolfold.plan.text.escape import markdown_code


@dataclass(frozen=True)
class CostSection:
    """The section of a catalog, whose words fit what its server lists."""

    facts: CatalogFacts

    @cached_property
    def _every_tool(self) -> int:
        return cost_of(self.facts.costs, "direct")

    @cached_property
    def _hot(self) -> int:
        """The tokens of the tools that are listed beside the meta-tools."""
        names = self.facts.listed_hot if self.facts.exposure == "hybrid" else ()
        return sum(self.facts.listed[name] for name in names)

    @cached_property
    def _start(self) -> int:
        return start_tokens(self.facts.costs) + self._hot

    @cached_property
    def _first_call(self) -> int:
        return self._start + self.facts.typical_schema

    @property
    def _pays(self) -> bool:
        """Whether going step by step costs less than every tool listed."""
        return self._first_call < self._every_tool

    def words(self) -> Iterator[str]:
        """Paragraphs."""
        if self.facts.exposure == "direct":
            yield from self._direct_words()
            return
        yield (
            f"An agent does not see all of the {plural(len(self.facts.tools), 'tool')} at once, which would"
            f" cost it {self._every_tool:,} tokens before it has done anything. The server lists"
            f" {self._listed()}."
        )
        if self._pays:
            which = "any other" if self._hot else "a"
            yield (
                f"Before it calls {which} tool it reads an inventory and the schema of that tool: about"
                f" {self._first_call:,} tokens in all, {self._first_call / self._every_tool:.1%} of the whole list."
            )

    def _direct_words(self) -> Iterator[str]:
        yield (
            f"An agent sees every tool at once, which costs it {self._every_tool:,} tokens when a conversation"
            " begins. It can call any of them right away."
        )
        if self._pays:
            yield (
                "Started with `--exposure progressive`, the server lists its meta-tools instead. An agent then"
                f" goes step by step, and makes its first call after about {self._first_call:,} tokens:"
            )

    def _listed(self) -> str:
        if not self._hot:
            return "its meta-tools"
        return (
            f"its meta-tools and {plural(len(self.facts.listed_hot), 'hot tool')},"
            " which can be called right away"
        )

    def steps(self) -> Iterator[dict[str, str]]:
        """The rows of a table; none where every tool listed is the cheaper way."""
        if self.facts.exposure == "direct" and not self._pays:
            return
        names, costs = self.facts.meta_names, self.facts.costs
        hot = f" and {plural(len(self.facts.listed_hot), 'hot tool')}" if self._hot else ""
        yield {
            "call": markdown_code("tools/list"),
            "tokens": f"{cost_of(costs, 'surface') + self._hot:,}",
            "words": f"{plural(len(self.facts.meta), 'meta-tool')}{hot}: how to find the rest",
        }
        if "capabilities" in names:
            yield {
                "call": markdown_code(f"{names['capabilities']}()"),
                "tokens": f"{cost_of(costs, 'capabilities'):,}",
                "words": "the inventory, as much of it as fits its budget",
            }
        if "schema" in names:
            yield {
                "call": markdown_code(f"{names['schema']}(tool)"),
                "tokens": f"about {self.facts.typical_schema:,}",
                "words": "all that a correct call of one tool needs",
            }
        runners = [names[role] for role in ("run_read", "run_write", "run") if role in names]
        if runners:
            yield {
                "call": " or ".join(markdown_code(runner) for runner in runners),
                "tokens": "",
                "words": "the call itself, held to the schema",
            }

    def chart(self) -> str:
        """Bars, where they speak for what this server does; else nothing."""
        if self.facts.exposure != "progressive" or not self._pays:
            return ""
        rows = [
            ("every tool listed", self._every_tool),
            ("up to a first call", self._first_call),
            ("to start with", self._start),
        ]
        return bars("start", "Tokens an agent pays", rows, "tokens", is_linear=True)
