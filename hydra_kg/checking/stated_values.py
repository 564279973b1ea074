"""Look up what a thing of the user's own tables states for an attribute, and whether that meets a condition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hydra_kg.citations import label_of
from hydra_kg.domain import Entity
from hydra_kg.execution.own_graph import lexical, number
from hydra_kg.plan import model as m
from hydra_kg.ports import Snapshot
from hydra_kg.text.folding import fold

_OPERATORS = {
    "<": np.less,
    "<=": np.less_equal,
    "=": np.equal,
    ">=": np.greater_equal,
    ">": np.greater,
}


def get_stated_values(snapshot: Snapshot, node: int, attribute: str) -> list[str]:
    """Return the values and names stated for an attribute of a thing, by the words of the attribute."""
    texts = snapshot.predicates().texts
    wanted = {fold(part) for part in attribute.split(";")}
    literals = snapshot.values([node])
    found = [
        lexical(literal)
        for pred, literal in zip(literals.pred.tolist(), literals.literal, strict=True)
        if fold(texts[pred]) in wanted
    ]
    return list(
        dict.fromkeys([*found, *(label_of(e.node.name) for e in _list_linked_entities(snapshot, node, attribute))])
    )


def meets(snapshot: Snapshot, node: int, root: m.Where | m.Having) -> tuple[bool | None, str]:
    """Return whether a thing's own facts meet a condition, and why; None if there are no such facts."""
    match root:
        case m.Where():
            stated = get_stated_values(snapshot, node, root.attribute)
            shown = f"{root.attribute}: {', '.join(stated)}"
            return (_is_met(stated, root.condition), shown) if stated else (None, f"no {root.attribute} is stated")
        case m.Having():
            others = [] if root.back else _list_linked_entities(snapshot, node, root.via)
            inner = root.things
            if not others or not isinstance(inner, m.Where) or root.condition.op not in {"exists", "lacks"}:
                return None, ""
            names = [label_of(e.node.name) for e in others]
            is_name = fold(inner.attribute) == "name"
            found = [
                _is_met([name], inner.condition) if is_name else meets(snapshot, e.node.id, inner)[0]
                for e, name in zip(others, names, strict=True)
            ]
            return any(found) == (root.condition.op == "exists"), f"{root.via}: {', '.join(names)}"


def _list_linked_entities(snapshot: Snapshot, node: int, attribute: str) -> list[Entity]:
    """Return the entities to which an attribute of a node leads."""
    texts, wanted = snapshot.predicates().texts, {fold(part) for part in attribute.split(";")}
    cut = snapshot.cut([node], depth=1)
    rows = [
        i
        for i, (src, pred) in enumerate(zip(cut.ids[cut.src].tolist(), cut.pred.tolist(), strict=True))
        if src == node and fold(texts[pred]) in wanted
    ]
    return snapshot.entities(sorted({int(n) for n in cut.ids[cut.dst[rows]]}))


def _is_met(stated: Sequence[str], condition: m.Condition) -> bool | None:
    """Return whether stated values meet a condition, or None if that cannot be decided."""
    if condition.op in {"exists", "lacks"}:
        return condition.op == "exists"
    if condition.values and condition.op in {"=", "!="}:
        return bool({fold(v) for v in condition.values} & {fold(s) for s in stated}) == (condition.op == "=")
    numbers = [n for n in map(number, stated) if not np.isnan(n)]
    if condition.op == "in":
        return any(condition.low <= n <= condition.high for n in numbers) if numbers else None
    if condition.op in _OPERATORS and numbers and not condition.values and not (condition.than or condition.other):
        return bool(_OPERATORS[condition.op](numbers, condition.low).any())
    return None
