"""Value types of answering (Conclusion, Attempt), and the support that an answer's own evidence gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hydra_kg.domain import AnswerTable, AnswerValue, Entity, Evidence, Judgement, Node, TextFinding
from hydra_kg.text.literals import is_literal
from hydra_kg.util.fast_dataclass import dataclass, field


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Answers with evidence, the origins (name → ρ) and kinds for and against, and the ``computation``."""

    answers: tuple[AnswerValue, ...]
    evidence: tuple[Evidence, ...]
    supporting: dict[str, float]
    opposing: dict[str, float]
    kinds: frozenset[str]
    dissent: tuple[str, ...]
    computation: str = ""
    table: AnswerTable | None = None
    """All columns of answers with several."""
    sentence: str = ""
    """The answer as a sentence where it is more than the answers' names: a conflict, with both sides."""
    rivals: tuple[Evidence, ...] = ()
    """What like relations of other sources lead to instead of the answer, one path for each value."""
    backed: Mapping[tuple[int, str, int], frozenset[str]] = field(default_factory=dict)
    """By last hop (subject, predicate, object), the origins that say so in text."""
    findings: tuple[TextFinding, ...] = ()
    """What texts state of what was asked (see :mod:`hydra_kg.steps.crosscheck`)."""


NOTHING: Final = Conclusion((), (), {}, {}, frozenset(), ())


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the agent selected (best first, with its scores), how it judged that, and what follows."""

    conclusion: Conclusion
    judgement: Judgement
    selected: tuple[Evidence, ...] = ()


def named(entity: Entity) -> bool:
    """Return True if a source gives the entity a name that a person can read."""
    return has_name(entity.node)


def has_name(node: Node) -> bool:
    """Return True if a node has a name of its own, not only its key, as mediators have."""
    return node.name not in ("", node.key)


def value_of(node: Node, score: float) -> AnswerValue:
    """Return an end of a path as an answer with its own key only; :func:`with_keys` adds the others."""
    if is_literal(node.key):
        return AnswerValue(node.name, None, node.key, (), round(score, 6))
    return AnswerValue(node.name, node, None, (node.key,), round(score, 6))


def uncontested(answers: Sequence[AnswerValue], evidence: Sequence[Evidence], *, computation: str = "") -> Conclusion:
    """Return the answers with those who state the first one; nobody was asked to oppose them."""
    supporting, kinds = supporters_of(evidence)
    return Conclusion(tuple(answers), tuple(evidence), supporting, {}, kinds, (), computation=computation)


def supporters_of(evidence: Sequence[Evidence]) -> tuple[dict[str, float], frozenset[str]]:
    """Return the origins of the *first* answer's path with their best ρ, and the kinds of source of checked paths."""
    weights: dict[str, float] = {}
    kinds: set[str] = set()
    for number, e in enumerate(evidence):
        if not e.path.checked:
            continue
        sources = [f.source for h in e.path.hops for f in h.facts]
        if e.path.passage:
            sources.append(e.path.passage.source)
        kinds |= {s.kind for s in sources if s.rho > 0}
        if number == 0:
            for s in sources:
                if s.rho > 0 and (s.group in e.origins or s.kind in e.origins):
                    weights[s.group] = max(weights.get(s.group, 0.0), s.rho)
            if not weights:  # hops of different origins: the chain is as good as its weakest link
                worst = min(sources, key=lambda s: (s.rho, s.name), default=None)
                if worst is not None and worst.rho > 0:
                    weights[worst.group] = worst.rho
    return weights, frozenset(kinds)
