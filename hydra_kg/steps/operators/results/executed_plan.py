"""The result of executing a plan: truth of an assertion, and the paths that are its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from hydra_kg.domain import Evidence, Fact, Hop, Node, Path, Scores
from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.plan.model import Root, Step
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import NOTHING, Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import legs_of, reversed_code
from hydra_kg.steps.operators.results.found_entities import SURE, Surety
from hydra_kg.steps.verification.verify import origins
from hydra_kg.util.fast_dataclass import dataclass

PHASE = "plan"
"""The name under which the evidence of a plan is shown."""


@dataclass(frozen=True, slots=True)
class Executed:
    """The answers of a plan.

    Args:
        conclusion: The answers with their evidence.
        steps: One step per operator.
        confidence: The confidence in the answers.
        unmet: Conditions that were not checked.
        reason: The reason why there is no answer.
        decided: Whether the plan ran to its end.
        surety: The lowest certainty of its choices.
        in_doubt: Reservations in words.
        repeated: Whether repeated rows should count, in words, if the answer would be another without them.
        query: The query that was executed.
    """

    conclusion: Conclusion = NOTHING
    steps: tuple[Step, ...] = ()
    confidence: float = 0.0
    unmet: tuple[str, ...] = ()
    reason: str = ""
    decided: bool = False
    surety: Surety = SURE
    in_doubt: tuple[str, ...] = ()
    query: Root | None = None
    repeated: tuple[str, ...] = ()


Truth = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, slots=True)
class AssertionResult:
    """Truth of an assertion with the hop sequences that support it."""

    truth: Truth
    words: str
    ways: tuple[tuple[tuple[Leg, ...], int], ...] = ()
    steps: tuple[Step, ...] = ()
    surety: Surety = SURE
    unmet: tuple[str, ...] = ()
    understood: bool = True
    doubt: tuple[str, ...] = ()


def evidence_for(
    context: Context, ways: Sequence[tuple[Sequence[Leg], tuple[Node, ...]]], *, relevance: float
) -> tuple[Evidence, ...]:
    """Return one piece of evidence for each way and what it leads to; a way without hops gives none."""
    some = [(legs, ends) for legs, ends in ways if legs]
    facts = _facts(context, [leg for legs, _ in some for leg in legs])
    nodes = {n for legs, _ in some for leg in legs for n in (leg.subject, leg.object, leg.via) if n > 0}
    known = {n: e.node for n, e in context.entities(sorted(nodes)).items()} if nodes else {}
    found = []
    for legs, ends in some:
        path = Path(tuple(_hop(context, leg, known, facts) for leg in _joined(legs, context.space.base)))
        backers = tuple(sorted(origins(path, independence=context.settings.verification.independence)))
        scores = Scores(relevance, cross=relevance)
        found.append(Evidence(path, scores, PHASE, True, "leads to an answer", ends, backers))
    return tuple(found)


def _joined(legs: Sequence[Leg], base: int) -> list[Leg]:
    """Join hops into one connected path, inverted where needed; unconnected ones are dropped."""
    left, out = list(legs[1:]), [legs[0]]
    passed = {legs[0].subject, legs[0].object}
    while left:
        leg = next((x for x in left if x.subject in passed or (not x.literal and x.object in passed)), None)
        if leg is None:
            break
        left.remove(leg)
        if leg.subject not in passed:
            leg = _turned(leg, base)
        if not any(_same(leg, one) or _same(leg, _turned(one, base)) for one in out):
            out.append(leg)
        passed |= {leg.subject, leg.object}
    return out


def _turned(leg: Leg, base: int) -> Leg:
    """Return a hop read the other way; one to a literal has none."""
    if leg.literal:
        return leg
    return replace(leg, subject=leg.object, object=leg.subject, code=reversed_code(leg.code, base))


def _same(one: Leg, other: Leg) -> bool:
    """Return True if two hops rest on one fact, which two conditions may have read from both ends."""
    ends = (one.subject, one.object, one.literal) == (other.subject, other.object, other.literal)
    return ends and not set(one.handles).isdisjoint(other.handles)


def _facts(context: Context, legs: Sequence[Leg]) -> dict[tuple[int, int], Fact]:
    handles = sorted({h for leg in legs for h in leg.handles})
    if not handles:
        return {}
    columns = np.array(handles, np.int64)
    return dict(zip(handles, context.snapshot.facts(columns[:, 0].astype(np.int16), columns[:, 1]), strict=True))


def _hop(context: Context, leg: Leg, known: dict[int, Node], facts: dict[tuple[int, int], Fact]) -> Hop:
    space = context.space
    first = legs_of(leg.code, space.base)[0]
    end = literal_node(leg.literal) if leg.literal else known[leg.object]
    return Hop(
        known[leg.subject],
        space.key(leg.code),
        space.text(leg.code),
        end,
        bool(first & 1),
        known[leg.via] if leg.via > 0 else None,
        tuple(facts[h] for h in leg.handles),
    )
