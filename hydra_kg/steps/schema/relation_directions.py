"""The direction in which words of a question lead over a relation, and whether they say all of the relation.

Both ends of a relation between things of one kind, such as the manager of an employee, fit "who" and "which employees".
Only the form of its word and its place tell them apart: "Who manages Ida?" asks for her manager, "Who does Ida manage?"
for those whose manager she is.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

import numpy as np

from hydra_kg.execution.own_graph import OwnGraph, OwnRelation
from hydra_kg.extract.word_classes import HAVE, PREPOSITIONS, VERB, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem, is_same_family, singular
from hydra_kg.language.tokens import split_identifier
from hydra_kg.steps.own_graphs.relation_roles import asks_for_role, is_form_of
from hydra_kg.steps.schema.question_words import QuestionWord
from hydra_kg.util.number_columns import contains

_PLAIN: Final = list_words("plain_attribute")
"""Last words of relations that need not be said: the birth year is when one was born."""
_NO_VERB: Final = ("er", "or", "ers", "ors", "ion", "ions", "ment", "ing")

_NEAR: Final = 2.5
"""Words between the middle of a name and the word that it owns."""


def is_against(
    relation: OwnRelation, said: Sequence[QuestionWord], last: int, *, forward: bool, named_before: bool
) -> bool:
    """Return True if a verb asks for the other direction of the relation than a step takes.

    What *supplies* Intel leads to a supplier. What Intel supplies, and what is supplied by Intel, lead from a supplier.
    What *lies in* Elmshire is in it.

    Args:
        relation: The relation of the step.
        said: The words of the question.
        last: The place of the last word that means the relation.
        forward: Whether the step walks the relation forward.
        named_before: Whether the thing from which the step starts is named before that word.
    """
    label, behind = split_identifier(relation.text), [w.low for w in said[last + 1 : last + 2]]
    if not named_before and len(label) > 1 and label[-1] in PREPOSITIONS and behind == label[-1:]:
        return forward
    lows = [w.low for w in said]
    if lows[last].endswith(_NO_VERB) or not any(
        w.endswith(("er", "or")) and is_same_family(lows[last], w) for w in relation.words
    ):
        return False
    asked = asks_for_role(lows, last, named_before=named_before, owned=False)
    return asked is not None and asked != forward


def is_headless(relation: OwnRelation, parts: Set[str]) -> bool:
    """Return True if the words that mean a relation leave out its main word: the team of a *team captain*."""
    label = split_identifier(relation.text)
    if len(label) < 2 or {label[-1], label[0]} & (PREPOSITIONS | {"has"}) or label[-1] in _PLAIN:
        return False
    return family_stem(label[-1]) not in parts and bool({family_stem(w) for w in label[:-1]} & parts)


def self_relations(graph: OwnGraph) -> frozenset[int]:
    """Return the numbers of the relations that lead from things of a class to things of the same class."""
    return graph.derived(
        "self relations",
        lambda: frozenset(number for number, relation in enumerate(graph.relations) if _is_self(graph, relation)),
    )


def _is_self(graph: OwnGraph, relation: OwnRelation) -> bool:
    starts, ends = np.unique(relation.there.start), np.unique(relation.there.end)
    if relation.literal or not len(ends) or ends[-1] >= len(graph.ids):
        return False
    classes = [members for members in graph.classes.values() if bool(contains(members, ends).all())]
    if not classes:
        return bool(contains(starts, ends).mean() > 0.5)
    return any(bool(contains(members, starts).all()) for members in classes)


def asked_direction(
    relation: OwnRelation,
    said: Sequence[QuestionWord],
    place: int,
    named_at: float,
    *,
    after_step: bool,
    of_class: bool,
) -> bool | None:
    """Return True if a word asks for what the relation leads to, False for where it comes from, None if unclear.

    Args:
        relation: A relation between things of one kind.
        said: The words of the question.
        place: Which of them means the relation.
        named_at: Middle of the words that name the thing from which the answer is sought.
        after_step: Whether another relation was followed from there before.
        of_class: Whether all things of a class are meant there ("employees").
    """
    label = _label(relation)
    role = _role_direction(label, said, place, named_at, after_step=after_step, of_class=of_class) if label else None
    if role is None or label[-1] == "by" or (label[-1] not in PREPOSITIONS and not _is_verb(label)):
        return role
    return not role if label[-1] == "of" else named_at < place  # father of: leads to the child · reports to: the boss


def _label(relation: OwnRelation) -> list[str]:
    label = split_identifier(relation.text)
    while len(label) > 1 and label[-1] in _PLAIN:
        label.pop()
    return label[1:] if len(label) > 1 and label[0] == "has" else label


def _is_verb(label: Sequence[str]) -> bool:
    """Return True for a label such as "knows" or "manages", False for "manager" and "sponsor"."""
    return len(label) == 1 and (kind(label[0]) == VERB or (label[0].endswith("s") and singular(label[0]) != label[0]))


def _role_direction(
    label: Sequence[str], said: Sequence[QuestionWord], place: int, named_at: float, *, after_step: bool, of_class: bool
) -> bool | None:
    """Return the direction if the label names the role of what the relation leads to, as "manager" does."""
    lows, named_before = [w.low for w in said], named_at < place
    before = lows[:place]
    if not any(is_form_of(lows[place], word) for word in label):
        return None  # a synonym
    if before[-1:] == ["whose"]:
        return False
    having = next((n for n, low in enumerate(before) if low in HAVE), -1)
    if having >= 0 and named_before and not lows[place].endswith("ed"):
        # "does Ida have a manager", not "who have Ida as manager" or "employees that have a manager"
        return named_at < having and not of_class
    owned = place > 0 and said[place - 1].owner and (after_step or (named_before and place - named_at <= _NEAR))
    return asks_for_role(lows, place, named_before=named_before, owned=owned)
