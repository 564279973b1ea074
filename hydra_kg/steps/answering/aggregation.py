"""Computed answers: the largest, the earliest, those above a number, from values that the candidates' facts state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import numpy as np

from hydra_kg.domain import Evidence, Floats, Hop, Path, Selection
from hydra_kg.steps.answering.answer_ranking import Choice, choose
from hydra_kg.steps.answering.literal_paths import literal_node, stated_values
from hydra_kg.steps.answering.relation_answers import relation_answers
from hydra_kg.steps.answering.results import NOTHING, Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.steps.retrieval.graph_retrieval import RetrievalResult
from hydra_kg.text.literals import literal_kind, literal_text

_PROPERTY_COSINE: Final = 0.35  # cosine of attribute and property from which a question computes with the property
_PROPERTY_PATHS: Final = 5  # paths, best first, whose ends are tried until they have the property to compute with


SHOWN = 5

_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?")
_DATE = re.compile(r"(-?\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T.*)?")


@dataclass(frozen=True, slots=True)
class CandidateValue:
    """One value of one candidate: its number, literal, property (index), and the handles of the facts that state it."""

    number: float
    literal: str
    pred: int
    handles: tuple[tuple[int, int], ...]


def compute(
    context: Context, selection: Selection, found: RetrievalResult, vectors: Floats, *, phase: str
) -> Conclusion | None:
    """The answers that the selection leaves, each with the value it was chosen by as its path's last hop.

    None if no candidates have such a property: the question is then answered without. No answers if they have, and
    none is above (or below) the bound. ``vectors``: float32 (n, d), those of the judged paths.
    """
    judged = found.judged
    none_left = False
    for k in range(min(_PROPERTY_PATHS, len(judged))):
        # All: the largest may be any of them.
        choice = choose(judged[k:], vectors[k:], most=len(found.hops))
        ends = [int(found.hops.ids[e]) for e, _ in choice.ends]
        values = _values(context, selection, ends)
        left = _selected(selection, values)[: context.settings.answering.max_answers]
        if not left or len(values) < 2:  # one candidate needs no choice: the question is about others
            none_left |= len(values) > 1
            continue
        votes = {int(found.hops.ids[e]): (e, v) for e, v in choice.ends}
        members = tuple(m + k for m in choice.members)
        end = relation_answers(context, Choice(members, tuple(votes[n] for n in left)), found, phase=phase)
        if end.answers:
            evidence = _with_values(context, end.evidence, values)
            return replace(end, evidence=evidence, computation=_words(context, selection, values, left))
    return NOTHING if none_left else None


def _values(context: Context, selection: Selection, nodes: Sequence[int]) -> dict[int, CandidateValue]:
    """The value of the best fitting property for each node that has one, of several the extreme that may win."""
    texts = context.space.predicates.texts
    groups: dict[int, dict[int, dict[float, CandidateValue]]] = {}
    for node, pred, literal, handle in stated_values(context, nodes):
        number = _number(literal, selection.kind)
        if number is None:
            continue
        mine = groups.setdefault(pred, {}).setdefault(node, {})
        old = mine.get(number)
        mine[number] = CandidateValue(number, literal, pred, (*(old.handles if old else ()), handle))
    if not groups:
        return {}
    order = sorted(groups)
    vectors = context.space.embedder.embed([selection.attribute, *(texts[p] for p in order)])
    near, least = vectors[1:] @ vectors[0], _PROPERTY_COSINE
    fits = [(-round(float(c), 6), p) for c, p in zip(near, order, strict=True) if c >= least]
    if not fits:
        return {}
    extreme = min if selection.order in {"min", "below"} else max
    return {n: mine[extreme(mine)] for n, mine in groups[min(fits)[1]].items()}


def _selected(selection: Selection, values: dict[int, CandidateValue]) -> list[int]:
    """Nodes that the selection leaves, best first."""
    numbers = {n: v.number for n, v in values.items()}
    if not numbers:
        return []
    if selection.order in {"max", "min"}:
        best = (max if selection.order == "max" else min)(numbers.values())
        return sorted(n for n, x in numbers.items() if x == best)
    above = selection.order == "above"
    left = [n for n, x in numbers.items() if (x > selection.bound if above else x < selection.bound)]
    return sorted(left, key=lambda n: (abs(numbers[n] - selection.bound), n))


def _with_values(
    context: Context, evidence: Sequence[Evidence], values: dict[int, CandidateValue]
) -> tuple[Evidence, ...]:
    """Each path with the value of its answer as a last hop; the facts of all are fetched at once."""
    chosen = [values[e.answers[0].id] for e in evidence]
    handles = np.array([h for value in chosen for h in value.handles], np.int64).reshape(-1, 2)
    facts = iter(context.snapshot.facts(handles[:, 0].astype(np.int16), handles[:, 1]))
    known, out = context.space.predicates, []
    for e, value in zip(evidence, chosen, strict=True):
        key, text = known.keys[value.pred], known.texts[value.pred]
        stating = tuple(islice(facts, len(value.handles)))
        hop = Hop(e.answers[0], key, text, literal_node(value.literal), True, None, stating)
        out.append(replace(e, path=Path((*e.path.hops, hop), e.path.passage)))
    return tuple(out)


def _words(context: Context, selection: Selection, values: dict[int, CandidateValue], left: Sequence[int]) -> str:
    names = context.entities(sorted(values))
    shown = sorted(values, key=lambda n: (n not in left, -values[n].number * (selection.order != "min"), n))[:SHOWN]
    listed = ", ".join(f"{names[n].node.name} {literal_text(values[n].literal)}" for n in shown)
    more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
    what = {
        "max": "largest",
        "min": "smallest",
        "above": f"above {selection.bound:g}",
        "below": f"below {selection.bound:g}",
    }
    if selection.kind == "date":
        what = {"max": "latest", "min": "earliest"}
    text = context.space.predicates.texts[values[left[0]].pred]
    return f"{what[selection.order]} by “{text}” of {len(values)}: {listed}{more}"


def _number(literal: str, kind: str) -> float | None:
    """The literal as a number: Freebase writes numbers untyped, so what reads as one is one; a date in years."""
    text = literal_text(literal)
    if kind == "date":
        m = _DATE.fullmatch(text) if literal_kind(literal) == "date" or text[:4].isdigit() else None
        return int(m[1]) + int(m[2] or 1) / 12 + int(m[3] or 1) / 372 if m else None
    return float(text.replace(",", "")) if _NUMBER.fullmatch(text) else None
