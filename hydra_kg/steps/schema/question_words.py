"""Read a question as words to be accounted for: what is asked for, comparisons, superlatives, counts."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import Final, Literal

from hydra_kg.extract.word_classes import ASKING, DO, FUNCTION, PREPOSITIONS, VERB, kind
from hydra_kg.language.adjectives import graded_adjectives
from hydra_kg.language.dates import find_periods
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.language.tokens import split_words
from hydra_kg.steps.own_graphs import costs
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass, replace

Want = Literal["things", "count", "truth"]
Order = Literal["max", "min"]

_CONTENT: Final = list_words("content_in_schema")
_STOP: Final = (FUNCTION - _CONTENT) | list_words("polite function_word_of_requests")
_DENIALS: Final = list_words("no_or_not negation nothing exclusion")
_TITLES: Final = list_words("title") | {"sir"}
_LIGHT: Final = list_words("light_in_schema")
MIRROR: Final = list_words("mirrored")
_LESS: Final = (
    "before|until|under|below|less than|fewer than|lower than|at most|up to|no more than|smaller than|shorter than"
    "|cheaper than|lighter than"
)
_MORE: Final = (
    "after|since|over|above|more than|greater than|higher than|at least|from|exceeding|larger than|bigger than"
    "|taller than|longer than|heavier than"
)
_NUMBER: Final = r"(?P<number>\d[\d,]*(?:\.\d+)?)(?:\s?(?P<unit>cm|mm|kg|g|km|m|years?|euros?|eur|usd|dollars?)\b)?"
_COMPARED: Final = re.compile(rf"\b(?:(?P<less>{_LESS})|(?P<more>{_MORE}))\s+(?:the year\s+)?{_NUMBER}", re.IGNORECASE)
_NUMBER_OF: Final = re.compile(r"what (?:is|was) the (?:total )?number of\b", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\bbetween\s+(\d[\d,.]*)\s+and\s+(\d[\d,.]*)", re.IGNORECASE)
_TELLING: Final = "|".join(sorted(list_words("polite request request_formal name")))
WHETHER: Final = re.compile(rf"(?:do|does|did|is|are|was|were|has|have|can)\b(?! you (?:{_TELLING})\b)", re.IGNORECASE)
_FIRST: Final = frozenset("earliest oldest first".split())
_LAST: Final = frozenset("latest newest youngest last".split())
_WHEN: Final = ("date", "year", "birth", "founded", "released")
_UNMEASURED: Final = list_words("unmeasured_superlative")
"""Superlatives whose noun says what is measured."""


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """One word of a question.

    Args:
        text: The word as written.
        low: The word in lower case.
        bit: Its place, used as the number of its bit.
        start: Its first character.
        stop: Whether it need not be accounted for.
        cost: What it costs if it is not accounted for.
    """

    text: str
    low: str
    bit: int
    start: int
    stop: bool
    cost: float
    owner: bool = False
    """Whether it has the ending "'s"."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison with a number: the bits of its words, and whether the bound itself is included."""

    mask: int
    low: float
    high: float
    measure: tuple[str, ...] = ()
    when: bool = False
    """Whether it is a stretch of time: in 2023."""


@dataclass(frozen=True, slots=True)
class Superlative:
    """A superlative: the ``order`` of what ``measures`` say, best first; () if the noun after it says what."""

    mask: int
    order: Order
    measures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SchemaQuestion:
    """A question as it is read.

    ``head`` is the bit of the noun that is asked for. ``asking`` is who, when, where or "".
    """

    words: tuple[QuestionWord, ...]
    want: Want
    head: int
    asking: str
    compared: tuple[Compared, ...]
    superlative: Superlative | None

    def bits(self, start: int, end: int) -> int:
        """Return the bits of the words within a span of characters."""
        return sum(1 << w.bit for w in self.words if start <= w.start < end)

    @property
    def denies(self) -> bool:
        """Return True if the question excludes something, which only a plan can carry out; titles do not."""
        return any(w.low in _DENIALS and not (w.start and w.text.istitle()) for w in self.words)

    def is_relational(self, word: QuestionWord) -> bool:
        """Return True for a noun of something else: *nation* of "Ada's nation" and of "the nation of Ada"."""
        before = self.words[word.bit - 1] if word.bit else None
        behind = self.words[word.bit + 1] if word.bit + 1 < len(self.words) else None
        articled = before is not None and before.low in ("the", "of")
        return (before is not None and before.owner) or (articled and behind is not None and behind.low == "of")

    @property
    def needed(self) -> int:
        """Return the bits of the words that must be accounted for."""
        return sum(1 << w.bit for w in self.words if not w.stop)


def asked(question: str) -> SchemaQuestion:
    """Read a question; ``costs`` has the costs of words that nothing accounts for."""
    words = tuple(_words(question))
    words = tuple(replace(w, stop=False, cost=costs.PLAIN_WORD) if _is_main_do(words, w) else w for w in words)
    whole = SchemaQuestion(words, "things", 0, "", (), None)
    lows = [w.low for w in words]
    want: Want = "things"
    if lows[:2] == ["how", "many"] or lows[:3] == ["number", "of", "the"] or _NUMBER_OF.match(question):
        want = "count"
        words = tuple(replace(w, stop=True, cost=0.0) if w.low == "many" and w.bit == 1 else w for w in words)
    elif WHETHER.match(question):
        want = "truth"
    compared = tuple(_comparisons(question, whole))
    top = _superlative(words)
    asking = next((w.low for w in words if w.low in ASKING and not _relative(question, words, w)), "")
    return SchemaQuestion(words, want, _head(question, words, lows), asking, compared, top)


def with_own_prepositions(question: SchemaQuestion, labels: Collection[str]) -> SchemaQuestion:
    """Return the question whose prepositions count as content if a relation is called so: a block *below* block 1."""
    words = (
        replace(w, stop=False, cost=costs.PLAIN_WORD) if w.stop and w.low in PREPOSITIONS and w.low in labels else w
        for w in question.words
    )
    return replace(question, words=tuple(words))


def _relative(question: str, words: Sequence[QuestionWord], word: QuestionWord) -> bool:
    """Return True if "where" or "when" says more of a noun before it: *countries where* Intel has sites."""
    before = question[: word.start]
    noun = word.bit and not words[word.bit - 1].stop and words[word.bit - 1].low not in ASKING
    return word.low in ("where", "when") and bool(noun) and "," not in before


def _is_main_do(words: Sequence[QuestionWord], word: QuestionWord) -> bool:
    """Return True for the last word of "What does Ada do?", which asks for an occupation."""
    is_last = word.bit == len(words) - 1 or [w.low for w in words[word.bit + 1 :]] == ["for", "a", "living"]
    return word.low == "do" and is_last and any(w.low in DO for w in words[1:3] if w is not word)


def _words(question: str) -> list[QuestionWord]:
    found = []
    for bit, word in enumerate(split_words(question)):
        text, low = word.text, fold(word.text)
        stop = low in _STOP or low in PREPOSITIONS or (len(low) == 1 and not low.isdigit())
        stop = stop or (low in _TITLES and low != fold(question))
        named = (text[:1].isupper() and word.start > 0) or any(c.isdigit() for c in low)
        plain = costs.SHARED_WORD if low in MIRROR else costs.LIGHT_WORD if low in _LIGHT else costs.PLAIN_WORD
        cost = 0.0 if stop else costs.NAME_WORD if named else plain
        found.append(
            QuestionWord(
                text, low, bit, word.start, stop and not (named and low not in FUNCTION | _TITLES), cost, word.owner
            )
        )
    return found


def _comparisons(question: str, whole: SchemaQuestion) -> list[Compared]:
    found = []
    for m in _BETWEEN.finditer(question):
        low, high = (float(m[i].replace(",", "")) for i in (1, 2))
        found.append(Compared(whole.bits(m.start(), m.end()), low, high))
    found += [
        Compared(sum(1 << b for b in range(p.start, p.end)), p.low, p.high, when=True)
        for p in find_periods([w.low for w in whole.words])
        if not any(f.mask >> p.start & 1 for f in found)
    ]
    for m in _COMPARED.finditer(question):
        number = float(m["number"].replace(",", ""))
        said = (m["less"] or m["more"]).casefold()
        if said == "from" and not 1000 <= number <= 2100:
            continue
        inclusive = said in ("since", "at least", "at most", "up to", "until", "from", "no more than")
        step = 0.0 if inclusive else 1e-9 * max(1.0, abs(number))
        measures = _comparatives().get(said.split()[0], ())
        mask = whole.bits(m.start(), m.end())
        if m["less"]:
            found.append(Compared(mask, float("-inf"), number - step, measures))
        else:
            low = number + 1 - 1e-3 if said == "after" and 1000 <= number <= 2200 else number + step  # after that year
            found.append(Compared(mask, low, float("inf"), measures))
    return found


def _superlative(words: Sequence[QuestionWord]) -> Superlative | None:
    for i, word in enumerate(words):
        if word.low in _FIRST | _LAST and (i == 0 or words[i - 1].low in ("the", "is", "was", "which", "are")):
            return Superlative(1 << word.bit, "min" if word.low in _FIRST else "max", _WHEN)
        if word.low in ("most", "least") and i + 1 < len(words):
            order, measures = _adjectives().get(words[i + 1].low, ("max", ()))
            if measures:
                order = order if word.low == "most" else "min" if order == "max" else "max"
                return Superlative(1 << word.bit | 1 << words[i + 1].bit, order, measures)
            if noun := noun_of(words[i + 1].low):
                order = "max" if word.low == "most" else "min"
                return Superlative(1 << word.bit | 1 << words[i + 1].bit, order, (noun,))
            return Superlative(1 << word.bit, "max" if word.low == "most" else "min", ())
        if (found := _adjectives().get(word.low)) and word.low.endswith("st"):
            order, measures = found
            return Superlative(1 << word.bit, order, () if word.low in _UNMEASURED else measures)
    return None


def noun_of(adjective: str) -> str:
    """Return what an adjective says there is much of: powerful → power; "" for any other word."""
    return adjective.removesuffix("ful") if len(adjective) > 5 and adjective.endswith("ful") else ""


def nouns_of(adjective: str) -> frozenset[str]:
    """Return the nouns that an adjective may belong to, whether or not they are words.

    Examples: complex, complexity; dense, density; dangerous, danger; distant, distance.
    """
    endings = (("", "ity"), ("e", "ity"), ("", "ness"), ("ous", ""), ("t", "ce"))
    return frozenset(adjective.removesuffix(a) + b for a, b in endings if adjective.endswith(a))


@cache
def _adjectives() -> dict[str, tuple[Order, tuple[str, ...]]]:
    """Return (order, measures) by superlative and by plain adjective."""
    found: dict[str, tuple[Order, tuple[str, ...]]] = {}
    for one in graded_adjectives():
        said = tuple(w for m in one.measures for w in m.split())
        found[one.superlative] = found[one.plain] = (one.order, said)
    return {k: v for k, v in found.items() if k != "-"}


def is_measured(adjective: str) -> bool:
    """Return True for an adjective of a measure, such as old, long or heavy."""
    return adjective in _adjectives()


@cache
def _comparatives() -> dict[str, tuple[str, ...]]:
    return {a.comparative: tuple(w for m in a.measures for w in m.split()) for a in graded_adjectives()}


def _head(question: str, words: Sequence[QuestionWord], lows: Sequence[str]) -> int:
    """Return the bit of the noun that is asked for.

    It comes after what, which or how many, or else ends the first noun phrase. The result is 0 if who, when or where
    alone says what is asked for.
    """
    asks = (i for i, w in enumerate(lows) if w in ("what", "which") or lows[max(0, i - 1) : i + 1] == ["how", "many"])
    place = next(asks, -1)
    run = _to_plural(words, _run(words, place + 1)) if place >= 0 else []
    if lows[-2:] in (["by", "who"], ["by", "whom"]):
        return 1 << max(0, len(lows) - 3)  # the films were *directed* by who
    if lows[-1:] in (["who"], ["whom"]) or [*lows[:1], *lows[-1:]] == ["who", "by"]:
        return 0  # Ada co-wrote films with whom; who were the films directed by
    if not run:
        who = next((i for i, w in enumerate(lows[:3]) if w in ("who", "whom")), -1)
        if place < 0 and any(w.low in ("where", "when") and not _relative(question, words, w) for w in words):
            return 0
        run = _owned(words, _run(words, max(place, who) + 1, over=True))
        if who >= 0 and run and words[run[0] - 1].low not in ("the", "a", "an", "our"):
            return 0
    while len(run) > 1 and kind(words[run[-1]].low) == VERB:
        run.pop()
    return 1 << run[-1] if run else 0


def _to_plural(words: Sequence[QuestionWord], run: list[int]) -> list[int]:
    """Return a noun phrase up to its plural, after which the verb begins: which *suppliers* deliver valves."""
    many = next((n for n, b in enumerate(run) if singular(words[b].low) != words[b].low), len(run))
    return run[: many + 1]


def _owned(words: Sequence[QuestionWord], run: list[int]) -> list[int]:
    """Return the words after an owner: *Intel's* net profit."""
    owner = next((w.bit for w in words if w.owner), -1)
    return [b for b in run if b > owner] or run if owner in run else run


def _run(words: Sequence[QuestionWord], begin: int, *, over: bool = False) -> list[int]:
    """Return the places of the next words in a row that are no function words.

    With ``over``, function words before them are passed over.
    """
    found: list[int] = []
    for word in words[begin:]:
        if word.stop:
            if found or not over:
                break
            continue
        found.append(word.bit)
    return found
