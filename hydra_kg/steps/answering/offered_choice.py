"""Keep the one of several named things that a question offers as its answers: "who directed it, Lee or Lang?"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.domain import AnswerValue, Mention
from hydra_kg.language.tokens import Token, tokenise
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.text.articles import ARTICLES
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass, replace

_SET_OFF: Final = frozenset({",", ":", ";", "-", "–", "—"})
"""Marks between an offered choice and the rest of its question."""
_ENDS: Final = frozenset({"?", "."})
_LONGEST: Final = 4  # words of a name that is not linked


@dataclass(frozen=True, slots=True)
class OfferedChoice:
    """The names between which a question lets choose, with the character where they begin.

    ``certain``: whether they are answers for sure. "Which films star Titanic, Lee or Lang?" may list three actors.
    """

    names: tuple[str, ...]
    start: int
    certain: bool


def offered_choice(question: str, mentions: Sequence[Mention]) -> OfferedChoice | None:
    """Return the names that the question offers as answers, set off at its beginning or end, or None.

    Examples are "Who is older, A or B?", "A or B: who is older?" and "Of A and B, who is older?". No choice is offered
    by "Who played A or B?".
    """
    placed = sorted((m for m in mentions if m.start >= 0), key=lambda m: m.start)
    for at in range(len(placed) - 1, 0, -1):
        one, other = placed[at - 1], placed[at]
        joiner = [w for w in _words(question[one.end : other.start]) if w not in ARTICLES]
        if joiner[-1:] not in (["or"], ["and"]) or joiner[:-1] not in ([], [","]):
            continue
        first = at - 1
        while first and _words(question[placed[first - 1].end : placed[first].start]) == [","]:
            first -= 1
        before, behind = _words(question[: placed[first].start]), _words(question[other.end :])
        before = [w for w in before if w not in ARTICLES]
        leads = before in (["of"], ["between"], [] if joiner[-1] == "or" else ["of"])
        if leads and bool(behind) and behind[0] in _SET_OFF:
            return _choice(placed[first : at + 1], certain=True)
        if joiner[-1] == "or" and set(behind) <= _ENDS:
            if before[-1:] and before[-1] in _SET_OFF:
                return _choice(placed[first : at + 1], certain=True)
            return _choice([one, other], certain=False) if first < at - 1 else None
    return _last_words(question)


def _choice(names: Sequence[Mention], *, certain: bool) -> OfferedChoice:
    return OfferedChoice(tuple(m.text for m in names), names[0].start, certain)


def _last_words(question: str) -> OfferedChoice | None:
    """Return the choice between names that are not linked, such as values of cells: "…, red or blue?"."""
    tokens = tokenise(question)
    while tokens and tokens[-1].text in _ENDS:
        tokens.pop()
    marks = [i for i, t in enumerate(tokens) if t.text in _SET_OFF]
    if not marks or "or" not in [t.low for t in tokens[marks[-1] :]]:
        return None
    at = next(i for i in range(len(tokens) - 1, -1, -1) if tokens[i].low == "or")
    sides: list[Sequence[Token]] = [tokens[marks[-1] + 1 : at], tokens[at + 1 :]]
    if not all(0 < len(side) <= _LONGEST for side in sides):
        return None
    return OfferedChoice(tuple(question[s[0].start : s[-1].end] for s in sides), sides[0][0].start, certain=False)


def keep_offered(question: str, mentions: Sequence[Mention], end: Conclusion) -> Conclusion | None:
    """Keep the answer that the question offers. Return None if it offers a choice and the answers make none."""
    choice = (
        offered_choice(question, mentions) if end.answers and {"or", "of", "between"} & set(_words(question)) else None
    )
    if choice is None:
        return end
    meant = {m.text: {c.node.id for c in m.candidates} for m in mentions}
    chosen = [[a for a in end.answers if _is_called(a, name, meant.get(name, set()))] for name in choice.names]
    found = [answers for answers in chosen if answers]
    if len(found) != 1:
        return None if choice.certain else end
    names = {a.name for a in found[0]}
    evidence = tuple(e for e in end.evidence if not e.answers or any(n.name in names for n in e.answers))
    return replace(end, answers=tuple(found[0]), evidence=evidence)


def _is_called(answer: AnswerValue, name: str, nodes: set[int]) -> bool:
    """Return True if an answer is what a name of the question means, by its entity or by its words."""
    if answer.node is not None and answer.node.id in nodes:
        return True
    said, called = ({w for w in fold(text).split() if w not in ARTICLES} for text in (name, answer.name))
    return said <= called or called <= said


def _words(text: str) -> list[str]:
    return [t.low for t in tokenise(text)]
