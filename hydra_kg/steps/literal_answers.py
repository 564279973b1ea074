"""Literal answers: the conclusion drawn from the best literal-ended path, judged like the others."""

from __future__ import annotations

from hydra_kg.domain import AnswerValue, Evidence
from hydra_kg.steps.conclude import Conclusion, supporters_of
from hydra_kg.steps.context import Context
from hydra_kg.steps.prune import unit
from hydra_kg.steps.structured import Found
from hydra_kg.steps.support import origins
from hydra_kg.steps.values import ValuePath, value_evidence
from hydra_kg.steps.verify import scores


def conclude_values(context: Context, best: ValuePath, found: Found, *, phase: str) -> Conclusion:
    """The literals of the best path as answers; those that several origins state come first."""
    inside = frozenset(found.hops.ids.tolist())
    evidence = []
    for path in value_evidence(context, best, found.hops):
        backers = origins(path, independence=context.settings.independence)
        literal = path.hops[-1].object
        numbers = scores(
            path, unit(best.score), supporters=backers, inside=inside | {literal.id}, settings=context.settings
        )
        evidence.append(Evidence(path, numbers, phase, True, "leads to an answer", (literal,), tuple(sorted(backers))))
    evidence.sort(key=lambda e: (-e.scores.cross, e.answers[0].key))
    evidence = evidence[: context.settings.max_answers]
    supporting, kinds = supporters_of(evidence)
    answers = tuple(
        AnswerValue(e.answers[0].name, None, e.answers[0].key, (), round(e.scores.cross, 6)) for e in evidence
    )
    return Conclusion(answers, tuple(evidence), supporting, {}, kinds, ())
