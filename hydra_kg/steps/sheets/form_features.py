"""Features of a logical form of a question over a sheet, hashed to places in the table of learned weights."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, Final
from zlib import crc32

from hydra_kg.domain import Floats
from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.language.adjectives import graded_adjectives
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.morphology import is_same_family, singular
from hydra_kg.language.number_words import ordinal_number
from hydra_kg.language.tokens import fold_words
from hydra_kg.steps.schema.schema_matching import synonyms
from hydra_kg.steps.sheets.anchors import SheetAnchor, SheetQuestion
from hydra_kg.steps.sheets.logical_forms import Form
from hydra_kg.steps.sheets.sheet import Sheet
from hydra_kg.steps.tables.question_spans import FREE, LIGHT

SIZE: Final = 1 << 16
"""Places in the table of weights."""

_ASKING: Final = ("who", "when", "where", "which", "what", "whose", "how")
_BEFORE_NOUN: Final = list_words("be other") | {"the", "different"}
_DENIALS: Final = frozenset("not no never without except other besides".split())
Embed = Callable[[Sequence[str]], Floats]

_FAR: Final = 0.45
"""Cosine below which a heading does not say a word."""
_HEADING: Final = 4
"""Words of a heading that are looked at one by one."""
_REACH: Final = 5
"""Words before an anchor in which a denial is sought."""


_ENDING: Final = re.compile(r"(?<=[a-z])\[([a-z])\]")
"""An optional last letter in a form of a cue."""


@cache
def _triggers() -> frozenset[str]:
    """Return the words that say what is to be done: of the lexicons of cues and of adjectives."""
    found: set[str] = set()
    for _, _, form in lexicon_table("operators"):
        found.update(w for w in re.findall("[a-z]+", _ENDING.sub(r"\1", form)) if len(w) > 2)
    for one in graded_adjectives():
        found.update(one.forms)
    return frozenset(found) | FREE | LIGHT | FUNCTION


@cache
def _measures() -> dict[str, frozenset[str]]:
    """Return the words of what an adjective in any form measures: longest → length, running, time, duration."""
    found: dict[str, frozenset[str]] = {}
    for one in graded_adjectives():
        measures = frozenset(singular(w) for measure in one.measures for w in fold_words(measure))
        found.update(dict.fromkeys(one.forms, measures))
    return found


@lru_cache(maxsize=1 << 16)
def _place(text: str) -> int:
    return crc32(text.encode()) % SIZE


@lru_cache(maxsize=1 << 16)
def _is_alike(one: str, other: str) -> bool:
    return one == other or is_same_family(one, other) or other in synonyms().get(one, frozenset())


@lru_cache(maxsize=1 << 14)
def _words(text: str) -> frozenset[str]:
    return frozenset(fold_words(text))


def _shown(word: str) -> str:
    """Return a word that says what is to be done; "_" stands for any other."""
    return word if word in _triggers() else "_"


def _tenth(cosine: float) -> int:
    return min(8, max(1, int(10 * cosine)))


class Features:
    """The features of the forms of one question."""

    def __init__(
        self, sheet: Sheet, question: SheetQuestion, anchors: Sequence[SheetAnchor], embed: Embed | None = None
    ) -> None:
        self.sheet, self.question, self.anchors = sheet, question, anchors
        words = question.words
        self.covered = [frozenset(range(a.start, a.end)) for a in anchors]
        self.grams = self._grams()
        self.asked = next((w for w in words if w in _ASKING), "")
        if self.asked == "how":
            self.asked += " " + "".join(words[words.index("how") + 1 :][:1])
        self.heads = [self._head_places(c.words) for c in sheet.columns]
        self.measured = [any(_measures().get(w, frozenset()) & set(c.words) for w in words) for c in sheet.columns]
        self.noun = self._noun_places()
        self.content = frozenset(k for k, w in enumerate(words) if w not in _triggers() and not ordinal_number(w))
        self.taken = frozenset[int]().union(*self.heads)
        self.last_noun = self.question.stems[max(self.noun)] if self.noun else ""
        self.cues = [w for w in dict.fromkeys(words) if w in _measures()]
        self.lows = frozenset(words)
        anchored = frozenset[int]().union(*self.covered)
        self.near = self._similarities(self.content - anchored, embed) if embed is not None else None
        self._cache: dict[tuple[Any, ...], tuple[int, ...]] = {}

    def _similarities(self, places: frozenset[int], embed: Embed) -> list[dict[int, float]]:
        """Return the cosine of each heading with each of some words; at -1 with the noun that is asked for."""
        texts = {k: self.question.words[k] for k in sorted(places)}
        if self.noun:
            texts[-1] = " ".join(self.question.words[k] for k in sorted(self.noun))
        if not texts:
            return [{} for _ in self.sheet.columns]
        vectors = embed([*(" ".join(c.words) or c.text for c in self.sheet.columns), *texts.values()])
        count = len(self.sheet.columns)
        cosines = (vectors[:count] @ vectors[count:].T).tolist()
        return [dict(zip(texts, row, strict=True)) for row in cosines]

    def _grams(self) -> tuple[str, ...]:
        """Return single words and pairs that say what is to be done; "@" stands for an anchor, "#" for a number."""
        anchored = frozenset[int]().union(*self.covered)
        marks = [w if ordinal_number(w) else _shown(w) for w in self.question.words]
        marks = ["#" if k in self.question.numbers else m for k, m in enumerate(marks)]
        marks = ["@" if k in anchored and m in ("_", "#") else m for k, m in enumerate(marks)]
        plain = {"_", "#", "@"}
        singles = [m for m in marks if m not in plain]
        pairs = [f"{a} {b}" for a, b in itertools.pairwise(marks) if {a, b} - plain]
        ends = [f"^{' '.join(marks[:2])}", f"^{' '.join(marks[:3])}", f"{' '.join(marks[-2:])}$"]
        return tuple(dict.fromkeys([*singles, *pairs, *ends]))

    def _head_places(self, head: Sequence[str]) -> frozenset[int]:
        """Return the places of the question that say a word of a heading."""
        stems = enumerate(self.question.stems)
        return frozenset(
            k for k, stem in stems if len(stem) > 1 and stem not in FREE and any(_is_alike(stem, w) for w in head)
        )

    def _noun_places(self) -> frozenset[int]:
        """Return the places of the noun after the question word: "which *team*", "how many *gold medals*"."""
        words = self.question.words
        asking = ("which", "what", "whose", "many", "much")
        begin = next((k + 1 for k, w in enumerate(words) if w in asking), len(words))
        while begin < len(words) and words[begin] in _BEFORE_NOUN:
            begin += 1
        end = begin
        while end < len(words) and words[end] not in FREE:
            end += 1
        return frozenset(range(begin, end))

    def of(self, form: Form) -> list[int]:
        """Return the places of a form's features."""
        used = form.anchors
        return [
            *self._cached(self._operators, form.rows_by, form.step, form.result),
            *self._cached(self._column, "c", form.column, form.step, form.result),
            *self._cached(self._column, "b", form.by, form.step, form.result),
            *self._cached(self._anchors, used, form.column, form.rows_by, form.result),
            *self._cached(self._unsaid, used, form.column, form.by, form.rows_by, form.result),
            *map(_place, self._answers(form)),
        ]

    def unsaid(self, form: Form) -> frozenset[int]:
        """Return the places of the content words that a form does not account for."""
        return self.content - self._placed(form.anchors, form.column, form.by)

    def _cached(self, make: Callable[..., Iterator[str]], *key: Any) -> tuple[int, ...]:
        whole = (make.__name__, *key)
        if whole not in self._cache:
            self._cache[whole] = tuple(map(_place, make(*key)))
        return self._cache[whole]

    def _operators(self, rows_by: str, step: str, result: str) -> Iterator[str]:
        whole = f"{step}|{result}"
        yield from (f"o {rows_by}|{whole}", f"o {whole}", f"or {rows_by}")
        for gram in self.grams:
            yield from (f"s {step} {gram}", f"r {whole} {gram}", f"b {rows_by} {gram}")

    def _column(self, role: str, number: int, step: str, result: str) -> Iterator[str]:
        """Yield how the question speaks of the column that is shown ("c") or orders the rows ("b")."""
        if number < 0:
            return
        one, said = self.sheet.columns[number], self.heads[number]
        some = "own" if said and any(said <= places for places in self.covered) else "said" if said else "none"
        stems = [self.question.stems[k] for k in said]
        whole = bool(said) and all(any(_is_alike(s, w) for s in stems) for w in one.words)
        yield f"{role} {result} {some} {whole}"
        yield f"{role} {step} {some} {whole} {one.kind}"
        yield f"{role} {result} {one.kind} {self.asked}"
        noun, among = bool(said & self.noun), self.noun <= self.taken
        yield f"{role} {result} noun {noun} {bool(self.noun)}"
        yield f"{role} {result} noun {noun} {self.noun <= said} {among}"
        yield f"{role} {step}|{result} name {one.is_name} {self.asked}"
        yield f"{role} {result} unique {len(one.values) >= self.sheet.size * 0.9}"
        if self.near is not None:
            cosines = self.near[number]
            best = max((v for k, v in cosines.items() if k >= 0), default=0.0)
            yield f"{role} near {_tenth(best)} {bool(said)} {result}"
            if role == "c":
                mine = cosines.get(-1, 0.0)
                is_nearest = mine >= max(other.get(-1, 0.0) for other in self.near)
                yield f"c noun near {_tenth(mine)} {bool(said & self.noun)} {result}"
                yield f"c noun nearest {is_nearest} {_tenth(mine) > 4} {result}"
        for word in one.words[:_HEADING]:
            yield f"{role} word {self.asked} {word} {result}"
            if role == "b":
                yield from (f"b word {cue} {word} {step}" for cue in self.cues)
            elif self.last_noun:
                yield f"c noun {self.last_noun} {word}"
        if role == "b":
            first = min(said, default=-1)
            near = first > 0 and self.question.words[first - 1] in _triggers() - FREE
            yield f"b measured {self.measured[number]} {bool(said)}"
            yield f"b near {near} {step}"
            yield f"b only {sum(c.kind != 'text' for c in self.sheet.columns)}"

    def _anchors(self, used: Sequence[int], column: int, rows_by: str, result: str) -> Iterator[str]:
        """Yield how the question speaks of the anchors that a form uses, and of two next to each other."""
        words = self.question.words
        for n in used:
            one, places = self.anchors[n], self.covered[n]
            its = self.sheet.columns[one.column]
            near = any(one.start - 3 <= k < one.end + 2 for k in self.heads[one.column] - places)
            yield f"a {one.sort} exact {one.is_exact} near {near} {rows_by}"
            yield f"a kin {one.is_kin} {rows_by}"
            yield f"a {one.sort} length {min(4, one.end - one.start)} content {bool(places & self.content)}"
            yield f"a column same {one.column == column} {result} {rows_by}"
            yield f"a heading {bool(places & self.taken)}"
            yield f"a kind {its.kind} {one.sort} name {its.is_name}"
            before = words[max(0, one.start - _REACH) : one.start]
            yield f"a denied {bool(_DENIALS & set(before))} {rows_by}"
            yield f"a before {' '.join(map(_shown, before[-1:]))} {rows_by}"
            yield f"a two {' '.join(map(_shown, before[-2:]))} {rows_by}"
            yield f"a behind {' '.join(map(_shown, words[one.end : one.end + 1]))} {rows_by}"
        if len(used) == 2:
            one, other = sorted((self.anchors[n] for n in used), key=lambda a: a.start)
            between = [_shown(w) for w in words[one.end : other.start]]
            joined = " ".join(between if len(between) < 3 else (between[0], "..", between[-1]))
            yield from (f"p {rows_by} {joined}", f"p {rows_by} {joined} {result}")
            yield f"p {rows_by} {one.column == other.column}"

    def _unsaid(self, used: Sequence[int], column: int, by: int, rows_by: str, result: str) -> Iterator[str]:
        """Yield how much of the question a form leaves out."""
        placed = self._placed(used, column, by)
        others = [n for n, p in enumerate(self.covered) if not p & placed and self.anchors[n].sort == "value"]
        exact = {self.anchors[n].start for n in others if self.anchors[n].is_exact and not self.covered[n] & self.taken}
        left = frozenset[int]().union(*(self.covered[n] for n in others))
        unsaid = self.content - placed
        yield f"u anchors {min(3, len({self.anchors[n].start for n in others}))} {rows_by}"
        yield f"u exact {min(2, len(exact))}"
        yield f"u content {min(3, len(left & self.content))}"
        yield f"u words {min(6, len(unsaid))}"
        yield f"u words {result} {min(4, len(unsaid))}"
        yield f"u numbers {min(2, len(set(self.question.numbers) - placed))}"
        yield f"u headings {min(3, len((self.taken & self.content) - placed))}"
        yield f"u share {round(4 * len(unsaid) / max(1, len(self.content)))}"
        yield f"u noun {bool(self.noun & unsaid)} {result}"
        if self.near is not None:
            heads = self._used(used, column, by)
            far = sum(all(self.near[c].get(k, 0.0) < _FAR for c in heads) for k in unsaid)
            yield f"u far {min(4, far)} {result}"
        if column < 0:
            kinds = [c.kind for c, head in zip(self.sheet.columns, self.heads, strict=True) if head & self.noun]
            yield f"m {result} {''.join(kinds[:1])} {bool(self.noun - self.content)}"
        elif by >= 0:
            yield f"cb same {column == by} {result}"
            if rows_by in ("a", "a&a") and result != "cells":
                ends = [min(self.heads[c], default=99) for c in (column, by)]
                yield f"cb order {ends[0] < ends[1]} {99 in ends} {result}"

    def _placed(self, used: Sequence[int], column: int, by: int) -> frozenset[int]:
        """Return the places of the question that the anchors and headings of a form say."""
        heads = self._used(used, column, by)
        return frozenset[int]().union(*(self.covered[n] for n in used), *(self.heads[c] for c in heads))

    def _used(self, used: Sequence[int], column: int, by: int) -> set[int]:
        return {*(self.anchors[n].column for n in used), column, by} - {-1}

    def _answers(self, form: Form) -> Iterator[str]:
        size, first = form.rows.bit_count(), form.answers[0]
        many = str(len(form.answers)) if len(form.answers) < 3 else "+"
        yield from (f"n {form.result} {form.step} {many}", f"n {many} {self.asked}")
        if form.result == "cells":
            echoed = _words(first) <= self.lows
            yield f"echo {echoed} {form.rows_by} {form.step}"
            yield f"rows {min(3, size)} {form.step} {form.rows_by}"
            yield f"digit {first[:1].isdigit()} {self.asked}"
        elif form.result == "count":
            yield f"count all {size == self.sheet.size} 1 {size == 1}"
        else:
            yield f"zero {first == '0'} {form.result}"
