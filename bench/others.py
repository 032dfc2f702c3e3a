"""Rankings by the methods that ours is compared with: FastMCP's BM25, bm25s, wordllama, fusion.

FastMCP ranks its own text of a tool with its own index. The other three get more than that: the
server's name before the text, and names cut into words.
"""

import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import Stemmer
import wordllama
from fastmcp.server.transforms.search.base import _extract_searchable_text
from fastmcp.server.transforms.search.bm25 import _BM25Index
from fastmcp.tools.base import Tool

logging.disable(logging.WARNING)  # importing wordllama turns logging on

NAMES = ("FastMCP BM25", "bm25s", "wordllama", "rank fusion")
DEPTH = 20
_FUSION = 60

Tools = Sequence[dict[str, Any]]
Rankings = list[list[str]]


def other_rankings(tools: Tools, queries: Sequence[str]) -> dict[str, Rankings]:
    """For each method, the ids that it finds for each query."""
    # Equal scores fall by name, as ours do.
    tools = sorted(tools, key=lambda tool: (tool["name"], tool["server"]))
    ids = [f"{tool['server']}::{tool['name']}" for tool in tools]
    plain = [_extract_searchable_text(fastmcp_tool(tool)) for tool in tools]
    texts = [f"{_cut(tool)} {text}" for tool, text in zip(tools, plain, strict=True)]
    words, meaning = _by_words(texts, queries), _by_meaning(texts, queries)
    fused = sum(1 / (_FUSION + 1 + _ranks(scores)) for scores in (words, meaning))
    numbers = (_fastmcp(plain, queries), _best(words), _best(meaning), _best(fused))
    return {
        name: [[ids[number] for number in row] for row in rows]
        for name, rows in zip(NAMES, numbers, strict=True)
    }


def fastmcp_tool(tool: dict[str, Any], name: str = "") -> Any:
    """A tool as FastMCP knows it."""
    return Tool(
        name=name or tool["name"],
        description=tool.get("description"),
        parameters=tool["inputSchema"],
    )


def _fastmcp(texts: Sequence[str], queries: Sequence[str]) -> list[list[int]]:
    index = _BM25Index()
    index.build(texts)
    return [list(index.query(query, DEPTH)) for query in queries]


def _by_words(texts: Sequence[str], queries: Sequence[str]) -> Any:
    cut = {"stopwords": "en", "stemmer": Stemmer.Stemmer("english"), "show_progress": False}
    model = bm25s.BM25()
    model.index(bm25s.tokenize(texts, **cut), show_progress=False)
    scores = np.zeros((len(queries), len(texts)))
    tokenized = bm25s.tokenize(queries, return_ids=False, **cut)
    for row, tokens in zip(scores, tokenized, strict=True):
        known = [token for token in tokens if token in model.vocab_dict]
        if known:
            row[:] = model.get_scores(known)
    return scores


def _by_meaning(texts: Sequence[str], queries: Sequence[str]) -> Any:
    home = Path(wordllama.__file__).parent
    llama = wordllama.WordLlama.load(cache_dir=home, disable_download=True)
    return llama.embed(list(queries), norm=True) @ llama.embed(list(texts), norm=True).T


def _ranks(scores: Any) -> Any:
    order = np.argsort(-scores, axis=1, kind="stable")
    return np.argsort(order, axis=1, kind="stable")


def _best(scores: Any) -> list[list[int]]:
    order = np.argsort(-scores, axis=1, kind="stable")
    return [[int(number) for number in row] for row in order[:, :DEPTH]]


def _cut(tool: dict[str, Any]) -> str:
    camel = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", f"{tool['server']} {tool['name']}")
    return re.sub(r"[_\-.]", " ", camel)
