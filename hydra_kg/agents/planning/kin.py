"""Turn distant relatives into chains of near ones, which graphs state: a grandfather is a parent's father."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from hydra_kg.language.lexicon import lexicon_table
from hydra_kg.plan.model import Related, Root, Things

_CHILDREN: Final = re.compile(r"child(?:ren)?$")


def by_near_relatives(operator: Root) -> Root:
    """Return a relation to a distant relative as a chain of near relatives; other operators are returned unchanged."""
    if not isinstance(operator, Related) or operator.during is not None:
        return operator
    found = _pattern().search(operator.phrase)
    if found is None:
        return operator
    kin = found[0]
    nearest, *others = _table()[kin]
    root: Things = operator.of
    for relative in reversed(others):
        root = Related(root, f"{relative} of _", relative)
    return Related(root, operator.phrase.replace(kin, nearest), operator.noun.replace(kin, nearest))


@cache
def _table() -> Mapping[str, Sequence[str]]:
    """Return the chain of near relatives, outermost first, for each distant relative, singular and plural."""
    rows = [(kin, near.split()) for kin, near in lexicon_table("kin")]
    return {**dict(rows), **{_plural(kin): [_plural(near), *rest] for kin, (near, *rest) in rows}}


def _plural(noun: str) -> str:
    return f"{noun}ren" if _CHILDREN.search(noun) else f"{noun}s"


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(_table(), key=len, reverse=True))})\b")
