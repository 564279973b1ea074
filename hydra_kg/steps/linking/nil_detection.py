"""NIL detection: a name that the graph lacks is not linked to another name that shares a word ("Ivan Bunin")."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from hydra_kg.domain import Mention
from hydra_kg.extract.word_classes import FUNCTION, PREPOSITIONS, described, peoples
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import Word
from hydra_kg.steps.linking.mention_spans import capitalised, lowered, word_at
from hydra_kg.text.folding import fold

_ARTICLES: Final = frozenset({"The", "A", "An"})
_IN_PART: Final = frozenset({"tokens", "near", "like"})
_TITLES: Final = list_words("title title_or_work")
"""Words before or behind a name that say what it is the name of."""
_SMALL: Final = PREPOSITIONS | {"the", "a", "an", "and", "or"}
"""Words that are written small in titles too."""

Places = tuple[int, int]
"""First and last word."""


def without_unknown(
    question: str, parts: Sequence[Word], mentions: Sequence[Mention], most: int
) -> tuple[Mention, ...]:
    """Return at most ``most`` mentions, where a name that the graph lacks is a mention without a candidate.

    Such a name is a run of capitalised words that no mention covers, or capitalised words around the mention of
    somebody else (:func:`_somebody_else`). In a question in lower case, it is two adjacent words that are parts of two
    names.
    """
    places = [(word_at(parts, m.start), word_at(parts, m.end - 1)) for m in mentions]
    linked = {i for a, b in places for i in range(a, b + 1)}
    longer = {i for a, b in places if a < b for i in range(a, b + 1)}
    capitals = _capitals(parts)
    spans = [
        _together(question, parts, capitals - longer, at)
        for m, at in zip(mentions, places, strict=True)
        if at[0] in capitals and _somebody_else(question, parts, m, at, capitals, linked)
    ]
    strange = capitals - linked - {0}
    runs = (_together(question, parts, strange, (i, i)) for i in sorted(strange) if len(mentions) < most)
    spans += [s for s in runs if s[0] < s[1]]
    if not capitalised(parts):
        both = pairwise(zip(mentions, places, strict=True))
        words = [(a, b) for (m, a), (n, b) in both if a[0] == a[1] and b[0] == b[1] and _part(m) and _part(n)]
        spans += [(a[0], b[1]) for a, b in words if a[1] + 1 == b[0] and _joined(question, parts, a[1])]
    apart = _apart(spans)
    remaining = [m for m, (at, _) in zip(mentions, places, strict=True) if not any(a <= at <= b for a, b in apart)]
    for a, b in apart[: most - len(remaining)]:
        inside = [m for m, (at, _) in zip(mentions, places, strict=True) if a <= at <= b]
        meant = {c.node.id: c for m in inside for c in sorted(m.candidates, key=lambda c: c.score)}  # the best of each
        best = sorted(meant.values(), key=lambda c: (-c.score, c.node.id))[: len(inside[0].candidates) if inside else 0]
        start, end = parts[a].start, parts[b].end
        remaining.append(Mention(question[start:end], start, end, tuple(best), None))
    return tuple(sorted(remaining, key=lambda m: m.start))


def _somebody_else(
    question: str, parts: Sequence[Word], mention: Mention, at: Places, capitals: set[int], linked: set[int]
) -> bool:
    """Return True if the words around a mention show that somebody else than its candidate is meant.

    That is so if a capitalised neighbour is not in the candidate's name and belongs to no other name, title or people.
    A neighbour in another name counts too if the mention is only a part of the candidate's name or a common noun ("The
    Magic Flute").
    """
    first, last = at
    if mention.chosen is None or not (_part(mention) or first == last):
        return False
    name = mention.chosen.node.name
    own = fold(name).split()
    part = _part(mention) or name.islower() or (len(own) > 1 and fold(parts[first].text) in own)
    start = _together(question, parts, capitals, at)[0]
    part = part or (start > 1 and parts[start - 1].text in _ARTICLES and _joined(question, parts, start - 1))
    before = [first - 1] if first - 1 in capitals and _joined(question, parts, first - 1) else []
    behind = [last + 1] if last + 1 in capitals and _joined(question, parts, last) else []
    return any((part or i not in linked) and not _holds(own, fold(parts[i].text)) for i in before + behind)


def _part(mention: Mention) -> bool:
    """Return True if only some words of the chosen candidate's name were said, or nearly those."""
    return mention.chosen is not None and mention.chosen.how in _IN_PART


def _capitals(parts: Sequence[Word]) -> set[int]:
    """Return the places of capitalised words that may be part of a name; none if all words are capitalised."""
    low = lowered(parts)
    if not any(w.text[:1].islower() and low[i] not in _SMALL for i, w in enumerate(parts)):
        return set()
    people = {i for _, a, b in (*described(low), *peoples(low, adjectives=True)) for i in range(a, b + 1)}
    no = FUNCTION | _TITLES
    return {i for i, w in enumerate(parts) if w.text[:1].isupper() and low[i] not in no and i not in people}


def _joined(question: str, parts: Sequence[Word], at: int) -> bool:
    """Return True if only space separates a word from the next."""
    return question[parts[at].end : parts[at + 1].start].isspace()


def _holds(name: Sequence[str], word: str) -> bool:
    """Return True if a name contains a word, or if its initials begin with it: "JRR"."""
    return word in name or "".join(w[:1] for w in name).startswith(word)


def _together(question: str, parts: Sequence[Word], capitals: set[int], at: Places) -> Places:
    """Return the span of the words at some place with the capitalised words directly around them."""
    first, last = at
    while first - 1 in capitals and _joined(question, parts, first - 1):
        first -= 1
    while last + 1 in capitals and _joined(question, parts, last):
        last += 1
    return first, last


def _apart(spans: Sequence[Places]) -> list[Places]:
    """Return the spans with overlapping ones merged."""
    out: list[Places] = []
    for a, b in sorted(spans):
        if out and a <= out[-1][1]:
            out[-1] = (out[-1][0], max(b, out[-1][1]))
        else:
            out.append((a, b))
    return out
