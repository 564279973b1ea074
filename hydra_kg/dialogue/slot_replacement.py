"""Replace one slot of the last question by a fragment of the same kind: "and less than 5000?", "and the average?"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.agents.planning.lexicon import BE, comparative, is_noun, superlative
from hydra_kg.dialogue.follow_up_words import IDENTITY, SaidWord, Utterance, find_rank, split_utterance
from hydra_kg.dialogue.turn import Resolved, Turn
from hydra_kg.language.lexicon import list_words

_AMOUNTS: Final = list_words("mean whole_amount")
_MORE: Final = list_words("most least")
_ARTICLES: Final = list_words("article")

Slot = tuple[int, int]
"""Characters of the last question that a fragment replaces."""


def replace_slot(sentence: Utterance, turn: Turn) -> Resolved | None:
    """Return the last question with a slot replaced by a fragment without names, or None if no slot is of its kind.

    Slots are a comparison with a number, the word of an amount, the noun behind "are" at the end, and the role in
    "Who is the treasurer?".
    """
    last = split_utterance(turn.question, turn.topics)
    words = [w for w in sentence.words if w.low not in _ARTICLES]
    if not words or not last.words or any(w.name for w in words):
        return None
    new = sentence.text[words[0].start : words[-1].end]
    slot = _comparison(words, last) or _amount(words, last) or _predicate(words, last) or _role(sentence, last, turn)
    if slot is None:
        return None
    from_characters, to = slot
    text = f"{last.text[:from_characters]}{new}{last.text[to:]}"
    return Resolved(f"{text}?", tuple((t.name, t.key) for t in turn.topics if t.key))


def _comparison(words: Sequence[SaidWord], last: Utterance) -> Slot | None:
    """Return the place of "more than 50" for "less than 5"; a unit behind the number stays."""
    if _find_comparison(words) != 0:
        return None
    at = _find_comparison(last.words)
    return None if at < 0 else (last.words[at].start, last.words[at + 2].end)


def _find_comparison(words: Sequence[SaidWord]) -> int:
    """Return the place of the first comparison with a number, or −1."""
    for i in range(len(words) - 2):
        more = words[i].low in _MORE or comparative(words[i].low)
        if more and words[i + 1].low == "than" and words[i + 2].text[:1].isdigit():
            return i
    return -1


def _amount(words: Sequence[SaidWord], last: Utterance) -> Slot | None:
    """Return the place of "average" for "highest" or "total"."""
    if len(words) != 1 or not (words[0].low in _AMOUNTS or superlative(words[0].low)):
        return None
    found = next((w for w in last.words if not w.name and w.low in _AMOUNTS), None)
    if found is None and words[0].low in _AMOUNTS and (place := find_rank(last.words)) is not None:
        return last.words[place[0]].start, last.words[place[1] - 1].end
    return None if found is None else (found.start, found.end)


def _predicate(words: Sequence[SaidWord], last: Utterance) -> Slot | None:
    """Return the place of "ketches" in "How many of the boats are ketches" for "sloops"."""
    end, before = last.words[-1], last.word(len(last.words) - 2)
    plural = words[-1].low.endswith("s") and end.low.endswith("s") and not end.name
    return (end.start, end.end) if len(words) == 1 and before in BE and plural and is_noun(words[0].low) else None


def _role(sentence: Utterance, last: Utterance, turn: Turn) -> Slot | None:
    """Return the place of "treasurer" in "Who is the treasurer" for "the chair", if the question names nothing else."""
    if turn.topics or sentence.word(0) not in _ARTICLES or not IDENTITY.match(last.text) or len(last.words) > 4:
        return None
    return (last.words[3].start, last.words[-1].end) if last.word(2) in _ARTICLES and len(last.words) > 3 else None
