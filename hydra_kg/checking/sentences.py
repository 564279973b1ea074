"""Split a draft in Markdown or plain text into sentences, with the line on which each begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hydra_kg.extract.path_rules import sentences
from hydra_kg.util.fast_dataclass import dataclass

_MARKUP: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}|<[^>]+>|\[\^?\w+\]")
"""Matches links (their text stays), emphasis, code marks, tags and footnote marks."""

_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+|\s*>\s?")
_FENCES: Final = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence with its line, from 1, and whether it states something. Headings and questions do not."""

    text: str
    line: int
    states: bool = True


def draft_sentences(text: str) -> Iterator[DraftSentence]:
    """Yield the sentences of a draft in order; code blocks and tables are left out."""
    for line, block, is_heading in _blocks(text):
        plain, places = _plain(block)
        for start, end in sentences(plain):
            sentence = " ".join(plain[start:end].split())
            if sentence:
                states = not is_heading and not sentence.rstrip("\"'”)").endswith("?") and len(sentence.split()) > 2
                yield DraftSentence(sentence, line + block.count("\n", 0, places[start]), states)


def _blocks(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield paragraphs, list items and headings: first line, text, and whether it is a heading."""
    block: list[str] = []
    begun, fence = 0, ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        bare = line.strip()
        if fence or bare.startswith(_FENCES):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
            bare = ""
        heading, item = bare.startswith("#"), _ITEM.match(line)
        if (not bare or heading or item or bare.startswith("|") or set(bare) <= {"-", "="}) and block:
            yield begun, "\n".join(block), bool(bare) and set(bare) <= {"-", "="}
            block = []
        if heading:
            yield number, bare.lstrip("# "), True
        elif bare and not bare.startswith("|") and not set(bare) <= {"-", "=", "*", "_", " "}:
            begun = begun if block else number
            block.append(line[item.end() :] if item else line)


def _plain(block: str) -> tuple[str, list[int]]:
    """Return a block without markup, and the position in the block of each remaining character."""
    text, places, at = "", list[int](), 0
    for found in _MARKUP.finditer(block):
        text += block[at : found.start()]
        places += range(at, found.start())
        if found[1]:
            text += found[1]
            places += range(found.start(1), found.end(1))
        at = found.end()
    return text + block[at:], [*places, *range(at, len(block) + 1)]
