"""Decide which reading of a question over one table is given: logistic regression fitted on other tables."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from hydra_kg.extract.word_classes import NOUN, VERB, kind
from hydra_kg.language.tokens import fold_words
from hydra_kg.steps.sheets.form_features import Features
from hydra_kg.steps.sheets.form_ranking import RankedAnswer, RankedForms
from hydra_kg.steps.sheets.sheet import date_of, number_of
from hydra_kg.util.fast_dataclass import dataclass

_LIMIT: Final = 5.0
"""Log odds of a form beyond which they count the same."""


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The answer of a query.

    `kind` is "cell", "list", "count" and so on. `in_doubt` has the parts that were left out. `unknown` is True if a
    name is unknown.
    """

    names: tuple[str, ...]
    confidence: float
    kind: str
    in_doubt: tuple[str, ...] = ()
    unknown: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SheetCandidate:
    """One answer that may be given: by a form of the sheet, by the query, or by both."""

    names: tuple[str, ...]
    ranked: RankedAnswer | None
    is_query: bool

    @property
    def is_able(self) -> bool:
        """Return False for cells that a form shows without a word of the noun that is asked for."""
        one = self.ranked
        return self.is_query or one is None or one.is_head_placed or one.form.result != "cells"


def candidates(ranked: RankedForms, query: QueryAnswer | None) -> list[SheetCandidate]:
    """Return the answers of the sheet, likeliest first, and that of the query if it is another one."""
    some = [SheetCandidate(one.form.answers, one, False) for one in ranked.best]
    if query is None:
        return some
    for place, one in enumerate(some):
        if sorted(one.names) == sorted(query.names):
            some[place] = SheetCandidate(one.names, one.ranked, True)
            return some
    return [*some, SheetCandidate(query.names, None, True)]


def decide(ranked: RankedForms, query: QueryAnswer | None) -> list[tuple[SheetCandidate, float]]:
    """Return candidates by probability; with an unknown name only the query's."""
    some = [c for c in candidates(ranked, query) if c.is_query or not (query and query.unknown)]
    return sorted(((c, probability(describe(c, ranked, query))) for c in some), key=lambda pair: -pair[1])


def probability(found: Mapping[str, float]) -> float:
    """Return 1 / (1 + exp(-Σ weight · feature)); unknown features count nothing."""
    known = weights()
    score = sum(known.get(name, 0.0) * value for name, value in found.items())
    return 1.0 / (1.0 + math.exp(-score))


@cache
def weights() -> dict[str, float]:
    """Return the weight of each feature, fitted by ``bench/training/fit_sheets.py``."""
    text = files("hydra_kg.steps.sheets").joinpath("decision.json").read_text("utf-8")
    return {name: float(weight) for name, weight in json.loads(text).items()}


def describe(one: SheetCandidate, ranked: RankedForms, query: QueryAnswer | None) -> dict[str, float]:
    """Return the features of a candidate by name."""
    return {
        "bias": 1.0,
        **dict(_likelihood(one, ranked)),
        **dict(_agreement(one, query)),
        **dict(_form(one, ranked.features, query)),
        **dict(_answer(one, ranked.features)),
    }


def _likelihood(one: SheetCandidate, ranked: RankedForms) -> Iterator[tuple[str, float]]:
    """Yield how probable the sheet finds an answer, and how far it is ahead of any other."""
    mine = ranked.support(one.names)
    names = sorted(one.names)
    other = max((p for answers, p in ranked.answers.items() if sorted(answers) != names), default=0.0)
    yield "sheet", max(-_LIMIT, math.log((mine + 1e-6) / (1 - mine + 1e-6))) / _LIMIT if mine < 1 else 1.0
    yield "sheet ahead", max(-_LIMIT, min(_LIMIT, math.log((mine + 1e-4) / (other + 1e-4)))) / _LIMIT
    yield "sheet none", float(not mine)
    yield "sheet first", float(mine > other)


def _agreement(one: SheetCandidate, query: QueryAnswer | None) -> Iterator[tuple[str, float]]:
    """Yield whether the query and the sheet agree, and how sure the query is."""
    if query is None:
        yield "query none", 1.0
        return
    how = "alone" if one.ranked is None else "agrees" if one.is_query else "differs"
    yield f"query {how}", 1.0
    yield f"query {how} {query.kind}", 1.0
    yield f"query {how} confidence", query.confidence
    if one.is_query:
        yield f"query doubts {min(2, len(query.in_doubt))}", 1.0
        yield "query unknown", float(query.unknown)


def _form(one: SheetCandidate, features: Features, query: QueryAnswer | None) -> Iterator[tuple[str, float]]:
    """Yield the operators of a form and which words of the question it leaves out."""
    words = features.question.words
    if one.ranked is None:
        left = [w for text in (query.in_doubt if query else ()) for w in fold_words(text)]
        yield "form none", 1.0
    else:
        form, left = one.ranked.form, list(one.ranked.unplaced)
        yield "score", max(-2.0, min(2.0, one.ranked.score / 10))
        yield "share", one.ranked.share
        yield from _columns(one.ranked, features)
        yield f"result {form.result}", 1.0
        yield f"step {form.step}", 1.0
        yield f"rows {form.rows_by}", 1.0
        yield "head unplaced", float(not one.ranked.is_head_placed)
        yield f"anchors {len(form.anchors)}", 1.0
        yield f"shown {min(3, form.rows.bit_count())} {form.result}", 1.0
    yield f"unplaced {min(3, len(left))}", 1.0
    yield "unplaced share", len(left) / max(1, len(features.content))
    for word in left:
        place = words.index(word) if word in words else -1
        sort = kind(word)
        what = "digit" if word[:1].isdigit() else "verb" if sort == VERB else "noun" if sort == NOUN else "other"
        known = any(features.question.stems[place] in c.token_rows for c in features.sheet.columns) if place >= 0 else 0
        yield f"unplaced {what} {'known' if known else 'unknown'}", 1.0


def _columns(ranked: RankedAnswer, features: Features) -> Iterator[tuple[str, float]]:
    """Yield how the question speaks of the column that is shown and of the one that orders or computes."""
    form, noun = ranked.form, features.noun
    if form.column >= 0:
        said = features.heads[form.column]
        yield f"shown noun {bool(said & noun)} {bool(noun)} {form.result}", 1.0
        yield "shown near", features.near[form.column].get(-1, 0.0) if features.near is not None else 0.0
        yield f"shown {features.sheet.columns[form.column].kind} {features.asked}", 1.0
    if form.by >= 0:
        yield f"by said {bool(features.heads[form.by])} {form.result}", 1.0
    for n in form.anchors:
        anchor = features.anchors[n]
        yield f"anchor {'kin' if anchor.is_kin else 'exact' if anchor.is_exact else 'part'} {anchor.sort}", 1.0
        yield f"anchor rows {min(3, anchor.mask.bit_count())} {form.result}", 1.0


def _answer(one: SheetCandidate, features: Features) -> Iterator[tuple[str, float]]:
    """Yield whether the answer is what the question asks for."""
    asked = features.asked
    if asked.startswith("how") and asked not in ("how many", "how much", "how long"):
        asked = "how"
    yield f"asked {asked} {_sort(one.names[0])}", 1.0
    yield f"answers {min(3, len(one.names))}", 1.0
    said = set(features.question.words)
    yield "echo", float(all(set(fold_words(n)) <= said for n in one.names))
    yield "zero", float(one.names == ("0",))
    yield f"called {'name' in said} {_sort(one.names[0])}", 1.0
    yield "choice", float("or" in said)
    yield f"words {min(4, len(features.question.words) // 4)}", 1.0
    yield f"table {min(4, int(math.log2(max(2, features.sheet.size))) // 2)}", 1.0


def _sort(name: str) -> str:
    if len(name) == 4 and name.isdigit() and 1000 <= int(name) < 2200:
        return "year"
    if not math.isnan(date_of(name)):
        return "date"
    return "text" if math.isnan(number_of(name)) else "number"
