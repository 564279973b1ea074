"""What stretches of a question may be in a schema: tables, columns, values of columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.extract.demonyms import described
from hydra_kg.settings.own_words import OwnWords
from hydra_kg.steps.schema.matching import Embed, synonyms
from hydra_kg.steps.schema.own_graph import words_of
from hydra_kg.steps.schema.stems import kin, singular, stem
from hydra_kg.steps.tables.cues import QueryToken
from hydra_kg.steps.tables.view import Column, View

LONGEST: Final = 8
_JOINING: Final = frozenset("of the a an 's for".split())
_IDS: Final = frozenset("id code number identifier".split())
_COUNTING: Final = frozenset("number count total amount".split())
_MANY: Final = 400


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """A stretch and what it may be: ``tables`` or ``columns`` with costs, or ``values``: columns with the places that
    they have of it, and costs."""

    start: int
    end: int
    cost: float
    tables: tuple[tuple[int, float], ...] = ()
    columns: tuple[tuple[Column, float], ...] = ()
    values: tuple[tuple[Column, Ids, float], ...] = ()


def tags(view: View, words: Sequence[QueryToken], embed: Embed | None, costs: OwnWords) -> list[Tag]:
    """All tags of a question, those of the same stretch and kind together."""
    found = [*_tables(view, words), *_columns(view, words), *_values(view, words)]
    if embed is not None:
        found += _near(view, words, found, embed, costs)
    return found


def same(word: str, other: str) -> float:
    """How far two words are from saying the same: 0 the same, 1 not at all."""
    if singular(word) == other or word in (f"{other}s", f"{other}es"):
        return 0.0
    if other == "name" and word in ("title", "label", "titles", "labels"):
        return 0.08
    if kin(word, other):
        return 0.04
    return 0.14 if stem(other) in synonyms().get(stem(word), frozenset()) else 1.0


def _spoken(said: Sequence[str], words: Sequence[str]) -> tuple[float, set[str]] | None:
    """What it costs to say words of a name so, and which of them are said; None where a word says none of them."""
    cost, met = 0.0, set()
    for one in said:
        best = min(((same(one, w), w) for w in words if w not in met), default=(1.0, ""))
        if best[0] >= 1.0:
            return None
        cost += best[0]
        met.add(best[1])
    return cost, met


def _windows(words: Sequence[QueryToken], longest: int) -> Iterator[tuple[int, int, list[str]]]:
    for i, first in enumerate(words):
        if first.low in _JOINING or first.mark or first.quoted:
            continue
        for j in range(i + 1, min(len(words), i + longest) + 1):
            last = words[j - 1]
            if last.mark or last.quoted:
                break
            if last.low in _JOINING:
                continue
            yield i, j, [w.low for w in words[i:j] if w.low not in _JOINING]


def _tables(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    for i, j, said in _windows(words, 4):
        fits = []
        for table in view.tables:
            costs = []
            for name in table.names:
                if (spoken := _spoken(said, name)) is not None:
                    cost, met = spoken
                    left = [w for w in name if w not in met]
                    last = 0.0 if name and name[-1] in met else 0.12
                    costs.append(cost + 0.14 * min(2, len(left)) + last * bool(left))
            if costs and min(costs) < 0.45:
                fits.append((table.place, min(costs)))
        if fits:
            yield Tag(i, j, 0.0, tables=tuple(sorted(fits, key=lambda f: f[1])[:6]))


def _columns(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    for i, j, said in _windows(words, 6):
        if len(said) == 1 and said[0] in _COUNTING and words[j : j + 1] and words[j].low == "of":
            continue
        fits = []
        for column in view.columns:
            if column.kind == "link" and said[-1] in ("id", "ids", "code", "codes") and len(said) > 1:
                fits += [(key, 0.02) for key in _keys(view, column, said)]
            if any((whole := _spoken(said, a)) is not None and len(whole[1]) == len(a) for a in column.also):
                fits.append((column, 0.01))
                continue
            if (spoken := _spoken(said, column.words)) is None:
                continue
            cost, met = spoken
            nouns = {w for n in view.tables[column.table].names for w in n}
            if column.relation < 0 and ("name" not in met or (len(met) > 1 and not met & nouns)):
                continue
            left = [w for w in column.words if w not in met]
            if column.relation < 0:
                cost += 0.32 if view.tables[column.table].numbered else 0.0
                if met & nouns:
                    names = view.tables[column.table].names
                    cost += 0.12 * min(len(set(name) - met) for name in names)
            if column.kind == "link" and met <= {w for t in column.to for n in view.tables[t].names for w in n}:
                cost += 0.12
            for word in left if column.relation >= 0 else ():
                cost += 0.03 if word in nouns else 0.07 if word in _IDS else 0.13
            if met <= nouns and left and column.relation >= 0:
                cost += 0.1
            elif left and column.words[-1] in left and column.words[-1] not in _IDS and len(column.words[-1]) > 3:
                cost += 0.08
            if cost < 0.5:
                fits.append((column, cost))
        if fits:
            yield Tag(i, j, 0.0, columns=tuple(sorted(fits, key=lambda f: f[1])[:40]))


def _keys(view: View, link: Column, said: Sequence[str]) -> Iterator[Column]:
    """The keys of what a column leads to: the hero id, where the column is read as hero."""
    spoken = _spoken(said[:-1], link.words)
    if spoken is None or len(spoken[1]) < len(link.words):
        return
    for column in view.columns:
        if column.table in link.to and column.words[-1:] == (singular(said[-1]) if len(said[-1]) > 3 else "id",):
            yield column


def _values(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    graph = view.graph
    for i in range(len(words)):
        for j in range(min(len(words), i + LONGEST), i, -1):
            some = words[i:j]
            if any(w.mark for w in some) or (len(some) > 1 and any(w.quoted for w in some)):
                continue
            parts = [singular(p) for w in some for p in (words_of(w.text) or [w.low])]
            text = " ".join(w.text for w in some)
            places = graph.names.get(" ".join(parts))
            if places is None and some[0].number is not None and len(some) == 1 and some[0].low[0].isdigit():
                places = graph.names.get(f"{some[0].number:g}")
            sure = some[0].quoted or any(w.named for w in some) or len(some) > 1
            if places:
                exact = [p for p in places if graph.name(p) == text]
                fits = [
                    (c, p, 0.0 if exact and set(p.tolist()) & set(exact) else 0.03)
                    for c, p in view.holding(places[:_MANY])
                ]
                if fits:
                    cost = (0.0 if sure else 0.12) - 0.03 * (len(some) - 1)
                    yield Tag(i, j, cost, values=tuple(fits))
                    continue
            if (sure and len(some) <= 4) or len(some) == 1:
                if len(parts) == 1 and (len(parts[0]) < 3 or some[0].number is not None):
                    continue
                within = [set(graph.tokens.get(p, ())) for p in parts]
                common = sorted(set.intersection(*within)) if within else []
                if common and len(common) <= _MANY:
                    cost = 0.14 if some[0].quoted else 0.2 if all(w.named for w in some) else 0.45
                    fits = [(c, p, 0.0) for c, p in view.holding(common)]
                    if fits:
                        yield Tag(i, j, cost, values=tuple(fits))
    for i, word in enumerate(words):
        if word.text.isupper() and word.text.isalpha() and 2 <= len(word.text) <= 4:
            longer = [
                p for t in (f"{word.low}a", f"{word.low}s") for p in graph.names.get(t, ()) if graph.name(p).isupper()
            ]
            if longer and (fits := [(c, p, 0.0) for c, p in view.holding(longer)]):
                yield Tag(i, i + 1, 0.1, values=tuple(fits))
    for country, i, j in described([w.low for w in words] + ["thing"]):
        places = graph.names.get(" ".join(singular(w) for w in words_of(country)))
        if places and j < len(words):
            yield Tag(i, j + 1, 0.04, values=tuple((c, p, 0.0) for c, p in view.holding(places)))


def _near(
    view: View, words: Sequence[QueryToken], found: Sequence[Tag], embed: Embed, costs: OwnWords
) -> Iterator[Tag]:
    """Words that nothing else has, by vectors: columns and tables that are near them."""
    taken = {k for t in found for k in range(t.start, t.end) if t.tables or t.columns}
    left = [
        k
        for k, w in enumerate(words)
        if k not in taken and not (w.mark or w.quoted or w.named) and w.number is None and len(w.low) > 2
    ]
    if not left:
        return
    texts = [" ".join(c.words) for c in view.columns] + [" ".join(t.names[0]) for t in view.tables]
    vectors = embed([*texts, *(words[k].low for k in left)])
    near = vectors[len(texts) :] @ vectors[: len(texts)].T
    count = len(view.columns)
    for k, row in zip(left, near, strict=True):
        good = np.flatnonzero(row >= max(costs.table_similar, float(row.max()) - 0.08)).tolist()
        columns = tuple((view.columns[g], 0.22) for g in good if g < count)
        tables = tuple((view.tables[g - count].place, 0.24) for g in good if g >= count)
        if columns:
            yield Tag(k, k + 1, 0.0, columns=columns)
        if tables:
            yield Tag(k, k + 1, 0.0, tables=tables)


def number_like(text: str) -> bool:
    """Whether a text is a number."""
    return bool(re.fullmatch(r"[+-]?\d[\d,]*(?:\.\d+)?", text))
