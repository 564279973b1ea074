"""General wording rules of English questions: which words suggest which relation, and which type of answer.

The rules stand in ``wording.tsv``. Each is about the language, none about a data set: a pattern over the folded
question with its mentions replaced by ``_``, and the relation wordings, the answer type, or the kinds of
thing that it suggests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from hydra_kg.content import table


def hints(masked: str) -> tuple[tuple[str, ...], ...]:
    """Relation wordings suggested by a folded question whose mentions are ``_``: one group for each rule that fits.

    A question that fits several rules may hold one question inside another; rules with the same wordings count once.
    """
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
    rows = table("hydra_kg.agents", "wording.tsv")
    return tuple((found(pattern), text) for kind, pattern, text in rows if kind == what)


def found(pattern: str) -> Callable[[str], bool]:
    """Whether a pattern is found in one line of text, in time linear in its length.

    ``.*`` may stand between the parts of an alternative, nowhere else: ``re`` would look for the second part from every
    place where the first one is. The first place is enough, for what follows it follows all others.
    """
    alternatives = [[re.compile(part) for part in one.split(".*")] for one in _split(pattern)]
    return lambda text: any(_in_order(parts, text) for parts in alternatives)


def _in_order(parts: Sequence[re.Pattern[str]], text: str) -> bool:
    place = 0
    for part in parts:
        if (match := part.search(text, place)) is None:
            return False
        place = match.end()
    return True


def _split(pattern: str) -> list[str]:
    """The alternatives of a pattern that stand in no group."""
    depth, out = 0, [""]
    for char in pattern:
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            out.append("")
        else:
            out[-1] += char
    return out
