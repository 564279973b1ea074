"""Traverse the operators of a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, Final

from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.plan.model import Condition, Named, Operator, Plan, Related, Root
from hydra_kg.text.folding import tokens

PLAIN: Final = frozenset({"Named", "Related", "OfKind"})
"""Operators that only follow relations from named entities."""


def parts(root: Root) -> Iterator[Root]:
    """Yield every operator of a tree, the outermost first, left to right."""
    yield root
    for child in children(root):
        yield from parts(child)


def children(operator: Root) -> Iterator[Root]:
    """Yield the operators directly below one."""
    for field in fields(operator):
        value: Any = getattr(operator, field.name)
        for one in value if isinstance(value, tuple) else (value,):
            if _is_operator(one):
                yield one


def changed(root: Root, change: Callable[[Any], Any]) -> Any:
    """Return the tree with ``change`` applied to every operator, from the leaves up."""
    values: dict[str, Any] = {f.name: getattr(root, f.name) for f in fields(root)}
    for name, value in values.items():
        if isinstance(value, tuple):
            values[name] = tuple(changed(v, change) if _is_operator(v) else v for v in value)
        elif _is_operator(value):
            values[name] = changed(value, change)
    return change(replace(root, **values))


def _is_operator(value: object) -> bool:
    return isinstance(value, Operator)


def with_spans(root: Root, question: str) -> Any:
    """Return the tree with spans: each operator gets the places of the content words of the question that it states.

    Operators that have places keep them. Words of a question are counted from 0, punctuation is not counted.
    """
    words = tokens(question)

    def placed(operator: Any) -> Any:
        values = [getattr(operator, field.name) for field in fields(operator) if field.name != "said"]
        texts = [v.words if isinstance(v, Condition) else v for v in values]
        stated = {w for text in texts if isinstance(text, str) for w in tokens(text)}
        stated -= {"_"} if isinstance(operator, Named) else FUNCTION
        return replace(operator, span=operator.span or tuple(n for n, w in enumerate(words) if w in stated))

    return changed(root, placed)


def operators(plan: Plan) -> frozenset[str]:
    """Return the names of a plan's operators except those of plain chains."""
    return frozenset(type(p).__name__ for p in parts(plan.root)) - PLAIN


def relations(root: Root) -> int:
    """Return the length of the longest chain of relations from a named entity to what is asked for."""
    return isinstance(root, Related) + max(map(relations, children(root)), default=0)


def depth(root: Root) -> int:
    """Return the depth to which operators are nested."""
    return 1 + max(map(depth, children(root)), default=0)
