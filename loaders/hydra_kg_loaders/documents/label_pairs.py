"""Find labels with values in documents: rows of two columns, and items such as "Treasurer: Faruk Aydin"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg_loaders.tables.table_headers import is_number

MOST: Final = 60
"""Largest number of consecutive items. More are a glossary."""

LABEL_WORDS: Final = 5
"""Largest number of words of a label. A longer text is a sentence or a name."""

_LABEL: Final = re.compile(r"[^\W\d_][^:|.!?;,]{2,39}")
_PAIR: Final = re.compile(rf"({_LABEL.pattern}): (\S.{{0,119}})")
_SENTENCE: Final = re.compile(r"(?:\S+ ){2,}\S+[.!?]|.*[.!?] [A-Z].*")
_LIGHT: Final = list_words("light_in_tables")
_SHARED: Final = 0.5


def read_pair(text: str) -> tuple[str, str] | None:
    """Return the label and the value of an item such as "Chair: Marta Holm", None for sentences."""
    m = _PAIR.fullmatch(text)
    if m is None or not is_label(m[1]) or _SENTENCE.fullmatch(m[2]):
        return None
    return m[1].strip(), m[2].strip()


def is_label(text: str) -> bool:
    """Return True if a text may be the label of a value: short, not a sentence, not a number."""
    return _LABEL.fullmatch(text) is not None and len(text.split()) <= LABEL_WORDS


def pair_cells(paragraphs: Sequence[tuple[str, str]]) -> Iterator[tuple[int, str, str, str]]:
    """Yield (paragraph, "", label, value) for each of two or more consecutive items under one heading.

    The labels of a run differ, unlike those of a conversation, and it is shorter than a glossary.
    """
    run: list[tuple[int, str, str]] = []
    under = ""
    for number, (heading, text) in enumerate([*paragraphs, ("", "")]):
        pair = read_pair(text)
        if run and (pair is None or heading != under):
            if 1 < len(run) <= MOST and len({label.casefold() for _, label, _ in run}) == len(run):
                yield from ((n, "", label, value) for n, label, value in run)
            run = []
        if pair is not None:
            run.append((number, *pair))
            under = heading


def is_list_of_values(rows: Sequence[Sequence[str]], names: Sequence[str]) -> bool:
    """Return True if the rows of a table of two columns are labels with values of one thing.

    ``names`` has the headings of its columns, if there are any. If the second heading says more than "value", such as
    "Price" after "Dish", each row is a separate thing.
    """
    labels = [row[0].removesuffix(":") for row in rows if len(row) == 2 and all(row)]
    if len(labels) < 2 or len(labels) < len(rows) - 1 or len(set(map(str.casefold, labels))) < len(labels):
        return False
    heading = names[1].casefold().split() if len(names) > 1 else []
    return all(map(is_label, labels)) and all(word in _LIGHT for word in heading)


def is_headed(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if the first row of a table of two columns has headings: only numbers are below its text."""
    return len(rows) > 2 and not is_number(rows[0][1]) and all(len(row) == 2 and is_number(row[1]) for row in rows[1:])


def headings_of_things(cells: Sequence[tuple[int, str, str, str]], headings: Sequence[str]) -> frozenset[str]:
    """Return the headings that name the things described by their items.

    Such a heading shares most of its labels with another one. Example: "Aurora" and "Kormoran", each with a berth and
    an owner; not "Contact".
    """
    labels: dict[str, set[str]] = {}
    for paragraph, row, label, _ in cells:
        if not row and paragraph < len(headings):
            labels.setdefault(headings[paragraph], set()).add(label.casefold())
    counts = Counter(label for some in labels.values() for label in some)
    return frozenset(h for h, some in labels.items() if h and sum(counts[x] > 1 for x in some) > _SHARED * len(some))
