"""The search index: every tool's text by field, cut into words, with all factors worked out.

What is cut into words here is cut by the very code that cuts a query.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Any, Final

from toolfold_runtime.search.index import packed
from toolfold_runtime.search.words import is_unspaced, joined, pairs, trigrams, words

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan.model import Json, ToolPlan

# Few, round, and the same for every catalog; docs/search.md says what each is worth.
_WEIGHTS: Final = {
    "name": 3.0,
    "server": 1.5,
    "title": 1.0,
    "description": 1.0,
    "tags": 1.0,
    "prompts": 1.0,
    "parameters": 1.0,
    "aliases": 1.0,
    "category": 0.5,
    "hints": 0.5,
    "joined": 0.5,
    "output": 0.3,
}
# How much a longer field dilutes its words.
_DILUTION: Final = {"parameters": 0.4, "hints": 0.4, "output": 0.4, "joined": 0.0}
_DILUTION_OF_PROSE: Final = 0.6
_SATURATION: Final = 0.8  # how fast repeated words stop counting
_PAIRED: Final = tuple(field for field in _WEIGHTS if field != "joined")
_PROSE: Final = ("name", "title", "description", "server")
_DEEPEST: Final = 5
_MOST_OF_ENUM: Final = 30

#: A tool's words by field.
Cut = dict[str, list[str]]
#: Term to the tools that have it, and what it is worth in each.
Worth = dict[str, tuple[list[int], list[float]]]


def search_index(manifest: Manifest, tools: Sequence[ToolPlan]) -> Iterator[tuple[str, list[Any]]]:
    """The files of the index, each a list of lines sorted by their first item."""
    texts = [_texts(manifest, tool) for tool in tools]
    cut = [_cut(text) for text in texts]
    worth, rarity = _worth(cut)
    shares = _name_shares(cut, rarity)
    yield (
        "search/words.jsonl",
        _lines(
            (
                word,
                [
                    round(rarity[word], 4),
                    *packed(*worth[word]),
                    *packed(*shares.get(word, ([], []))),
                ],
            )
            for word in worth
        ),
    )
    paired = [{field: pairs(one.get(field, [])) for field in _PAIRED} for one in cut]
    yield (
        "search/pairs.jsonl",
        _lines((pair, [*packed(*w)]) for pair, w in _worth(paired)[0].items()),
    )
    yield "search/grams.jsonl", _lines((gram, [" ".join(known)]) for gram, known in _grams(worth))
    if manifest.disclosure.search != "lexical" and tools:
        # Imported here: only this strategy needs the packages behind it.
        from toolfold.plan.meaning import related, vectors

        yield "search/vectors.jsonl", vectors(texts)
        near = related(texts, list(worth))
        yield "search/related.jsonl", _lines((word, [others]) for word, others in near.items())


def _texts(manifest: Manifest, planned: ToolPlan) -> dict[str, str]:
    """A tool's text by field."""
    tool = manifest.tools[planned.name]
    names, hints = _schema_texts(planned.entry["definition"]["inputSchema"])
    result_names, result_hints = _schema_texts(planned.returns)
    server = server_of(manifest, planned.name)
    category = manifest.categories[tool.category]
    prompts = [tool.example or "", *(example.description or "" for example in tool.examples)]
    return {
        "name": _own_name(manifest, planned.name),
        "server": server,
        "title": tool.title or "",
        "description": _described(tool),
        "tags": " ".join(tool.tags),
        "prompts": "\n".join(prompts),
        "aliases": " ".join(tool.aliases),
        # An imported tool's category is its server.
        "category": f"{tool.category} {category.title or ''}" if tool.category != server else "",
        "parameters": " ".join(names),
        "hints": " ".join(hints),
        "output": " ".join([*result_names, *result_hints]),
    }


def server_of(manifest: Manifest, name: str) -> str:
    """The server that a tool's id names."""
    return manifest.id_of(name).partition("::")[0]


def _own_name(manifest: Manifest, name: str) -> str:
    """A tool's name without the server that an importer put before it."""
    own = manifest.id_of(name).partition("::")[2]
    return own if own and name.endswith(own) else name


def _described(tool: Tool) -> str:
    """Summary and description, once where one begins with the other."""
    description = tool.description or ""
    is_part = description.startswith(tool.summary.rstrip("….")[:200])
    return description if is_part else f"{tool.summary}\n{description}"


def _schema_texts(schema: Any, depth: int = 0) -> tuple[list[str], list[str]]:
    """Names of properties; their descriptions and the values they may have."""
    names: list[str] = []
    hints: list[str] = []
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or depth > _DEEPEST:
        return names, hints
    for name, inner in properties.items():
        names.append(name)
        for part in (inner, inner.get("items") if isinstance(inner, dict) else None):
            if isinstance(part, dict):
                hints += _own_hints(part)
                deeper = _schema_texts(part, depth + 1)
                names += deeper[0]
                hints += deeper[1]
    return names, hints


def _own_hints(schema: Json) -> Iterator[str]:
    if isinstance(schema.get("description"), str):
        yield schema["description"]
    if isinstance(schema.get("enum"), list):
        yield " ".join(str(value) for value in schema["enum"][:_MOST_OF_ENUM])


def _cut(texts: Mapping[str, str]) -> Cut:
    cut = {field: words(text) for field, text in texts.items()}
    # A tool called `help` stays findable.
    cut["name"] = cut["name"] or words(texts["name"], frozenset())
    cut["joined"] = [word for field in _PROSE for word in joined(texts[field])]
    return cut


def _worth(cut: Sequence[Cut]) -> tuple[Worth, dict[str, float]]:
    """BM25F: weighted, diluted counts summed over fields, saturated, times the term's rarity."""
    weighted: list[dict[str, float]] = [{} for _ in cut]
    for field, weight in _WEIGHTS.items():
        _weigh(cut, field, weight, weighted)
    frequency = Counter(term for tool in weighted for term in tool)
    rarity = {term: log(1 + (len(cut) - n + 0.5) / (n + 0.5)) for term, n in frequency.items()}
    worth: Worth = {}
    for number, tool in enumerate(weighted):
        for term, value in tool.items():
            tools, impacts = worth.setdefault(term, ([], []))
            tools.append(number)
            impacts.append(rarity[term] * value * (_SATURATION + 1) / (value + _SATURATION))
    return worth, rarity


def _weigh(
    cut: Sequence[Cut], field: str, weight: float, weighted: Sequence[dict[str, float]]
) -> None:
    lengths = [len(tool.get(field, ())) for tool in cut]
    filled = sum(length > 0 for length in lengths)
    if not filled:
        return
    mean, dilution = sum(lengths) / filled, _DILUTION.get(field, _DILUTION_OF_PROSE)
    for tool, length, sums in zip(cut, lengths, weighted, strict=True):
        if length:
            scale = weight / (1 - dilution + dilution * length / mean)
            for term in tool[field]:
                sums[term] = sums.get(term, 0.0) + scale


def _name_shares(cut: Sequence[Cut], rarity: Mapping[str, float]) -> Worth:
    """Each word's share of the names it stands in, by rarity."""
    shares: Worth = {}
    for number, tool in enumerate(cut):
        distinct = dict.fromkeys(tool["name"])
        whole = sum(rarity[word] for word in distinct) or 1.0
        for word in distinct:
            tools, parts = shares.setdefault(word, ([], []))
            tools.append(number)
            parts.append(rarity[word] / whole)
    return shares


def _grams(worth: Worth) -> Iterator[tuple[str, list[str]]]:
    """Trigram to the words that have it, for words that may be mistyped.

    In scripts without spaces, one character to the pairs that have it.
    """
    found: dict[str, list[str]] = {}
    for word in sorted(worth):
        grams: set[str] = set()
        if is_unspaced(word):
            grams = set(word)
        elif len(word) > 2 and word.isalpha():
            grams = trigrams(word)
        for gram in grams:
            found.setdefault(gram, []).append(word)
    yield from found.items()


def _lines(items: Any) -> list[Any]:
    return [[term, *rest] for term, rest in sorted(items, key=lambda item: item[0].encode())]
