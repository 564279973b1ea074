"""Names that the graph does not know though it knows others with a word of theirs: "Ivan Bunin" is no other Ivan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.domain import Mention
from hydra_kg.extract.demonyms import described, peoples
from hydra_kg.extract.words import FUNCTION
from hydra_kg.steps.stretches import Word, lowered
from hydra_kg.text import fold

_IN_PART: Final = frozenset({"tokens", "near"})
_TITLES: Final = frozenset(
    "president king queen prince princess pope saint st sir dr mr mrs ms lord lady general captain admiral senator"
    " governor mayor minister secretary emperor empress judge justice coach director actor actress singer author writer"
    " composer painter player film movie book novel series show song album band team company opera ship".split()
)
"""Words before or behind a name that say what it is the name of."""


def without_unknown(question: str, parts: Sequence[Word], mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """The mentions (in order of place), but those that are parts of longer unknown names: one without a chosen
    candidate stands for each such name.

    A single word means somebody else where a capitalised word stands directly beside it that the chosen candidate's
    name does not hold and that is no name itself; where it is one too, if the first is only a part of the candidate's
    name or a common noun. A title, or the name of a people, is no such word.
    """
    places = [_words_of(parts, m) for m in mentions]
    linked = {i for a, b in places for i in range(a, b + 1)}
    capitals, longer = _capitals(parts), {i for a, b in places if a < b for i in range(a, b + 1)}
    spans: list[tuple[int, int]] = []
    for mention, (first, last) in zip(mentions, places, strict=True):
        if mention.chosen is None or first != last or first not in capitals:
            continue
        name = mention.chosen.node.name
        own = fold(name).split()
        part = mention.chosen.how in _IN_PART or name.islower() or (len(own) > 1 and fold(parts[first].text) in own)
        beside = [i for i in (first - 1, first + 1) if i in capitals and _joined(question, parts, min(i, first))]
        if any((part or i not in linked) and not _holds(own, fold(parts[i].text)) for i in beside):
            spans.append(_whole(question, parts, capitals - longer, first))
    kept = [m for m, (at, _) in zip(mentions, places, strict=True) if not any(a <= at <= b for a, b in spans)]
    for a, b in dict.fromkeys(spans):
        inside = [m for m, (at, _) in zip(mentions, places, strict=True) if a <= at <= b]
        meant = {c.node.id: c for m in inside for c in sorted(m.candidates, key=lambda c: c.score)}  # the best of each
        best = sorted(meant.values(), key=lambda c: (-c.score, c.node.id))[: len(inside[0].candidates)]
        start, end = parts[a].start, parts[b].end
        kept.append(Mention(question[start:end], start, end, tuple(best), None))
    return tuple(sorted(kept, key=lambda m: m.start))


def _capitals(parts: Sequence[Word]) -> set[int]:
    """Places of capitalised words that may be part of a name."""
    low = lowered(parts)
    peoples_ = {i for _, a, b in (*described(low), *peoples(low, adjectives=True)) for i in range(a, b + 1)}
    no = FUNCTION | _TITLES
    return {i for i, w in enumerate(parts) if w.text[:1].isupper() and low[i] not in no and i not in peoples_}


def _joined(question: str, parts: Sequence[Word], at: int) -> bool:
    """Whether nothing but space stands between a word and the next."""
    return question[parts[at].end : parts[at + 1].start].isspace()


def _holds(name: Sequence[str], word: str) -> bool:
    """Whether a name holds a word, or begins with its letters as initials: "JRR"."""
    return word in name or "".join(w[:1] for w in name).startswith(word)


def _whole(question: str, parts: Sequence[Word], capitals: set[int], at: int) -> tuple[int, int]:
    """First and last of the capitalised words around one, that stand together."""
    first = last = at
    while first - 1 in capitals and _joined(question, parts, first - 1):
        first -= 1
    while last + 1 in capitals and _joined(question, parts, last):
        last += 1
    return first, last


def _words_of(parts: Sequence[Word], mention: Mention) -> tuple[int, int]:
    inside = [i for i, w in enumerate(parts) if mention.start <= w.start < mention.end]
    return (inside[0], inside[-1]) if inside else (-1, -1)
