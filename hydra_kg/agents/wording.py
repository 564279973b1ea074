"""General wording rules of English questions: which words suggest which relation, and which type of answer.

The rules stand in ``question_hints.tsv``. Each is about the language, none about a data set: a form over the folded
question with its mentions replaced by ``_``, and the relation wordings, the answer type, or the kinds of
thing that it suggests.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from hydra_kg.language.forms import form_finder
from hydra_kg.language.lexicon import lexicon_table


def hints(masked: str) -> tuple[tuple[str, ...], ...]:
    """Return the relation wordings of each rule that fits a folded question with ``_`` for mentions."""
    found: dict[tuple[str, ...], None] = {}
    for fits, texts in _rules("hint"):
        if fits(masked):
            found[tuple(texts.split("; "))] = None
    return tuple(found)


def answer_type(masked: str) -> str:
    """The coarse expected type: person, location, date, number, boolean, or "" where the wording says none."""
    return next((kind for fits, kind in _rules("type") if fits(masked)), "")


def answer_kinds(masked: str) -> frozenset[str]:
    """Kinds of thing of which an answer must be one ("person"; see ``steps.other_kind``), none where it may be any."""
    return frozenset(next((kinds.split("; ") for fits, kinds in _rules("kind") if fits(masked)), ()))


@cache
def _rules(what: str) -> tuple[tuple[Callable[[str], bool], str], ...]:
    rows = lexicon_table("question_hints")
    return tuple((form_finder(form), text) for kind, form, text in rows if kind == what)
