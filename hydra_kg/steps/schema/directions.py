"""Which way the words of a question lead over a relation, and whether they say all that it is."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from hydra_kg.extract.words import PREPOSITIONS
from hydra_kg.steps.own_graphs.own_graph import OwnRelation
from hydra_kg.steps.own_graphs.stems import kin, singular, stem, words
from hydra_kg.steps.schema.question import QuestionWord

_BEING: Final = frozenset("is are was were be been being".split())
_PLAIN: Final = frozenset("year date day time id code number nr no name type kind value amount kg km cm mm".split())
"""Last words of relations that need not be said: the birth year is when one was born."""
_NO_VERB: Final = ("er", "or", "ers", "ors", "ion", "ions", "ment", "ing")


def is_against(
    relation: OwnRelation, said: Sequence[QuestionWord], last: int, *, forward: bool, named_before: bool
) -> bool:
    """Whether a verb says the other direction of who does it: that *supply* Intel leads to a supplier, that Intel
    supplies and supplied by Intel lead from one, and what *lies in* Elmshire is in it. ``last``: its place ·
    ``named_before``: whether what the way starts from is named before it."""
    label, behind = words(relation.text), [w.low for w in said[last + 1 : last + 2]]
    if not named_before and len(label) > 1 and label[-1] in PREPOSITIONS and behind == label[-1:]:
        return forward
    verb = said[last].low
    if verb.endswith(_NO_VERB) or not any(w.endswith(("er", "or")) and kin(verb, w) for w in relation.words):
        return False
    follows = last + 1 < len(said) and said[last + 1].low == "by"
    passive = not follows and verb.endswith("ed") and last > 0 and said[last - 1].low in _BEING
    return not passive and forward == (follows or named_before)


def is_headless(relation: OwnRelation, parts: Set[str]) -> bool:
    """Whether the words of a relation that are said leave out what it is: the team of a *team captain*."""
    label = words(relation.text)
    if len(label) < 2 or {label[-1], label[0]} & (PREPOSITIONS | {"has"}) or label[-1] in _PLAIN:
        return False
    return stem(label[-1]) not in parts and bool({stem(w) for w in label[:-1]} & parts)


def nouns_away(relation: OwnRelation, said: Sequence[QuestionWord], bits: Sequence[int], *, forward: bool) -> int:
    """Bits of nouns that say what is at the other end of a step: things that *have* a supplier are none, and what
    somebody is the *head of* is no head."""
    label = words(relation.text)
    if forward:
        nouns_before = label[-1:] == ["of"]
        return sum(1 << b for b in bits if nouns_before and not said[b].low.endswith(("ed", "ing")))
    if not label or label[-1] in PREPOSITIONS:
        return 0
    nouns = {singular(w) for w in label}
    return sum(1 << b for b in bits if singular(said[b].low) in nouns)
