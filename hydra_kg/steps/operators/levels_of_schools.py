"""Tell schools for pupils from universities, and those of a subject from others, where a question asks for one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from hydra_kg.domain import Entity
from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.relations.noun_filter import called
from hydra_kg.text.folding import fold, tokens

_PUPILS: Final = list_words("pupils_school")
_STUDENTS: Final = frozenset({"university", "college"})


def of_other_level(context: Context, question: str, nodes: Sequence[int]) -> frozenset[int]:
    """Return the schools for pupils among some things if the question says "university", and the other way round.

    If it says "law school", those without the word in their name are returned where others have it.
    """
    said = [singular(word) for word in tokens(fold(question))]
    known = context.entities(list(nodes))
    subject = next((a for a, b in pairwise(said) if b == "school" and a not in _PUPILS | FUNCTION), "")
    named = {node for node, entity in known.items() if subject in tokens(fold(entity.node.name))}
    if named:
        return frozenset(nodes) - named
    pupils, students = _is_for_pupils(said), not _STUDENTS.isdisjoint(said)
    if pupils == students:
        return frozenset()
    levels = {node: _levels(entity) for node, entity in known.items()}
    return frozenset(node for node, known in levels.items() if known == {not pupils})


def _levels(entity: Entity) -> set[bool]:
    """Return the levels that types and description state: True for pupils, False for students."""
    stated = [[singular(word) for word in tokens(fold(text))] for text in (*entity.types, entity.description)]
    students = any(called(text) in _STUDENTS for text in entity.types)
    levels = {True} if any(map(_is_for_pupils, stated)) else set[bool]()
    return levels | {False} if students else levels


def _is_for_pupils(words: Sequence[str]) -> bool:
    """Return True if words say a school for pupils, such as "university-preparatory school"."""
    return any(a in _PUPILS and b == "school" for a, b in pairwise(words))
