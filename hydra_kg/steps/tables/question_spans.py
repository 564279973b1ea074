"""Cut a question into spans with a meaning, the cheapest cuts first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from hydra_kg.extract.word_classes import ASKING, BE, DO, FUNCTION, HAVE, PREPOSITIONS, VERB, kind
from hydra_kg.language.dates import month_number
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.operation_words import LATE, NO_CUE, OVERRUN, Cue, QueryToken, is_measuring, is_superlative
from hydra_kg.steps.tables.span_meanings import AMOUNT, NO_TAG, Tag
from hydra_kg.steps.tables.time_columns import BEGINNING
from hydra_kg.util.fast_dataclass import dataclass

FREE: Final = list_words("free_in_tables")
"""What a question may say without meaning anything by it."""
LIGHT: Final = list_words("light_in_tables")
"""What seldom means anything by itself."""

_REQUESTS: Final = list_words("request request_formal request_of_data")
_VERSUS: Final = "versus"
UNUSED: Final = "unused"
"""Cue of things to which no row refers: an *empty* stall."""
SAME: Final = "same"
"""Cue of a value that is that of a named thing: in *the same* room as Salt."""
_STRONG: Final = frozenset(
    "among count not compare after avg sum max min many most top both each share several limit like nth measure"
    " now row adjacent or".split()
) | {_VERSUS, SAME, UNUSED, LATE, OVERRUN}
BINDING: Final = frozenset(
    "not compare after avg max min top many limit both like nth when now row adjacent".split()
) | {_VERSUS, SAME, UNUSED, LATE, OVERRUN}
"""What changes the answers if it is passed over."""
_SMALL: Final = list_words("small_in_tables") | BE | DO | HAVE

Sort = Literal["table", "column", "value", "number", "text", "cue"]


@dataclass(slots=True, eq=False)
class QueryPiece:
    """A span with its meaning; ``used`` is set once a part of the query states it."""

    start: int
    end: int
    sort: Sort
    cost: float
    tag: Tag = NO_TAG
    cue: Cue = NO_CUE
    used: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """The pieces in order, with their cost and that of the words in no piece."""

    cost: float
    pieces: tuple[QueryPiece, ...]


def cuts(words: Sequence[QueryToken], tags: Sequence[Tag], cues: Sequence[Cue]) -> list[Segmentation]:
    """Return the cuts of a question, cheapest first."""
    starting: dict[int, list[QueryPiece]] = {}
    amounts = {t.start for t in tags if t.columns and t.end - t.start == 1 and words[t.start].low == AMOUNT}
    cues = [c for c in cues if c.say != "count" or amounts.isdisjoint(range(c.start, c.end))]
    for piece in (*_of_tags(tags), *_of_cues(cues), *_of_words(words)):
        starting.setdefault(piece.start, []).append(piece)
    spoken = {k for t in tags for k in range(t.start, t.end) if t.tables or t.columns}
    nouns = {t.start for t in tags if t.tables}
    between = {t.end for t in tags if t.tables} & {start - 1 for start in nouns}
    whole = costs.VALUE_LOWERCASE + costs.SAME_FORM
    stated = {t.start for t in tags if t.values and t.end - t.start == 1 and t.cost <= whole}
    undone = _undone()
    doing = {
        k: undone.get(c.say, costs.UNDONE)
        for c in cues
        for k in range(c.start, c.end)
        if c.say in _STRONG and (words[k].low not in _SMALL or c.value == "by")
    }
    compared = {c.start for c in cues if c.say in ("compare", "top")}
    support = next((k for k, word in enumerate(words) if word.low in DO | HAVE), len(words))
    asks = support < len(words) and words[0].low in (ASKING if words[support].low in DO else ("how",))
    doing_so = {t.end for t in tags if asks and t.values and t.start > support}  # how far did Tomas Ruiz *travel*
    ends = len(words) - sum(w.mark for w in words)  # how much does she pay, what do they pay together
    asks_amount = any(c.say == "sum" and (words[c.start].low == "how" or c.end == ends) for c in cues)
    at: list[list[Segmentation]] = [[] for _ in range(len(words) + 1)]
    at[0] = [Segmentation(0.0, ())]
    for i, word in enumerate(words):
        at[i] = sorted(at[i], key=lambda c: c.cost)[: costs.BEAM]
        skipped = _skipped(word, i in spoken, i + 1 in nouns)
        if i in between and skipped == costs.SKIP_WORD:
            skipped = costs.SKIP_VERB  # between two tables a word is their verb: "doctors *treat* patients"
        if skipped == 0 and i in spoken and i > support and word.low in _REQUESTS:
            skipped = costs.SKIP_VERB  # which books did she *return*
        begins = i + 1 in compared and family_stem(word.low) in BEGINNING
        if begins or ((i + 1 in compared or asks_amount) and is_measuring(word)):
            skipped = min(skipped, costs.SKIP_LIGHT)  # books that cost more than 20, how much did Ida pay
        if i in doing_so and skipped == costs.SKIP_WORD:
            skipped = costs.SKIP_VERB
        if i + 1 == ends and word.low in PREPOSITIONS and words[0].low != "how":  # which places does it pass *through*
            skipped = min(skipped, costs.SKIP_LIGHT)
        price = max(skipped, doing.get(i, 0.0))
        if i and words[i - 1].low in ("which", "what") and price > costs.SKIP_LIGHT_SPOKEN / 2:
            price = max(price, costs.SKIP_HEAD)
        sold_out = word.low == "out" and (i + 1 == len(words) or words[i + 1].low != "of")
        price = max(price, costs.SKIP_WORD) if sold_out else price
        describes = word.low not in FUNCTION and (i + 1 in nouns or (i + 1 == ends and words[i - 1].low in BE))
        if i in stated and (describes or price >= costs.SKIP_VERB):
            price = max(price, costs.SKIP_VALUE)  # an available dog, dogs are available
        for cut in at[i]:
            at[i + 1].append(Segmentation(cut.cost + price, cut.pieces))
            for piece in starting.get(i, ()):
                at[piece.end].append(Segmentation(cut.cost + piece.cost + costs.PIECE, (*cut.pieces, piece)))
    return sorted(at[-1], key=lambda c: c.cost)[: costs.BEAM]


def _undone() -> dict[str, float]:
    """Return the cost of passing over something that a question asks to be done."""
    found = dict.fromkeys(BINDING - {"like", "when", "now", UNUSED}, costs.UNDONE_ORDER)
    found |= dict.fromkeys(("top", "compare", _VERSUS, SAME), costs.UNDONE_TOP)
    found |= dict.fromkeys(("not", "share"), costs.UNDONE_NOT) | dict.fromkeys(("sum", "or"), costs.UNDONE_SUM)
    return found | dict.fromkeys(("most", "several"), costs.UNDONE_MOST)


def _of_tags(tags: Sequence[Tag]) -> Iterator[QueryPiece]:
    for tag in tags:
        if tag.tables:
            yield QueryPiece(tag.start, tag.end, "table", tag.cost + min(c for _, c in tag.tables), tag)
        elif tag.columns:
            yield QueryPiece(tag.start, tag.end, "column", tag.cost + min(c for _, c in tag.columns), tag)
        else:
            yield QueryPiece(tag.start, tag.end, "value", tag.cost + min(c for *_, c in tag.values), tag)


def _of_cues(cues: Sequence[Cue]) -> Iterator[QueryPiece]:
    for cue in cues:
        cost = costs.CUE - costs.CUE_WORD * (cue.end - cue.start)
        yield QueryPiece(cue.start, cue.end, "cue", cost, NO_TAG, cue)


def _of_words(words: Sequence[QueryToken]) -> Iterator[QueryPiece]:
    for i, word in enumerate(words):
        if word.number is not None:
            yield QueryPiece(i, i + 1, "number", costs.NUMBER)
        if word.quoted:
            yield QueryPiece(i, i + 1, "text", costs.TEXT)


def _skipped(word: QueryToken, spoken: bool, before: bool) -> float:
    """Return what it costs to pass over a word.

    A participle right before the name of a table costs more than another verb, because it says which rows are meant.
    """
    named = word.named and (bool(month_number(word.low)) or (word.text.isupper() and len(word.text) > 1))
    if word.mark or (word.low in FREE and not named):
        return 0.0
    if word.quoted or word.named or word.number is not None:
        return costs.SKIP_NAME
    if word.low in LIGHT or word.low in FUNCTION:
        return costs.SKIP_LIGHT_SPOKEN if spoken else costs.SKIP_LIGHT
    if is_superlative(word.low):
        return costs.UNDONE_TOP
    if not before and (kind(word.low) == VERB or word.low.endswith(("ed", "ing"))):
        return costs.SKIP_VERB
    return costs.SKIP_WORD
