"""Chooses between values that exclude each other by the weight of independent sources (HydraRAG §4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hydra_kg.domain import Evidence, Source, TextFinding
from hydra_kg.fusion.conflicts.conflict import Side, conflict_of
from hydra_kg.fusion.truth_discovery.mcc import Record
from hydra_kg.steps.answering.conclude import with_keys
from hydra_kg.steps.answering.disagreement import merge_copies
from hydra_kg.steps.answering.results import Conclusion, value_of
from hydra_kg.steps.context import Context
from hydra_kg.steps.crosscheck.sentence_support import best_by_origin, trust
from hydra_kg.util.fast_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class ExclusiveValue:
    """One of several values that exclude each other: the path to it, the sources and the sentences that state it."""

    evidence: Evidence
    sources: tuple[Source, ...]
    backing: tuple[TextFinding, ...] = ()

    @property
    def name(self) -> str:
        """Return the value."""
        return self.evidence.answers[0].name

    @property
    def groups(self) -> Mapping[str, float]:
        """Return the origins with their best ρ."""
        return {s.group: max(t.rho for t in self.sources if t.group == s.group) for s in self.sources}


def stated_value(evidence: Evidence, backing: Sequence[TextFinding]) -> ExclusiveValue:
    """Return a value with the sources that state its last hop, and the sentences that state it."""
    stating = [f.source for f in evidence.path.hops[-1].facts if f.source.rho > 0]
    own = {s.name: s for s in (*stating, *(f.passage.source for f in backing))}
    return ExclusiveValue(evidence, tuple(own[name] for name in sorted(own)), tuple(backing))


def believed(context: Context, end: Conclusion, values: Sequence[ExclusiveValue]) -> Conclusion:
    """Put the value with the greatest weight first; in a tie, the conclusion's own value stays first.

    The weight of a value is Σ ρ · ``trust`` over its independent origins. If another value than the conclusion's own
    wins, the last item of ``dissent`` gives the reason. The first of ``values`` is the conclusion's own.
    """
    records = context.services.records()
    _, voices = merge_copies(context, [v.evidence for v in values])
    weights = [sum(best_by_origin(v.sources, records, voices).values()) for v in values]
    best = max(range(len(values)), key=lambda i: (round(weights[i], 6), -i))
    if best == 0:
        return end
    ours, others = values[best], [v for i, v in enumerate(values) if i != best]
    sides = [Side(v.name, tuple(s.name for s in v.sources), weight=w) for v, w in zip(values, weights, strict=True)]
    conflict = conflict_of([sides[best], *(s for i, s in enumerate(sides) if i != best)])
    says = tuple(f"{_names(v)} {'says' if len(v.sources) == 1 else 'say'} {v.name}" for v in others)
    heavier, lighter = _who(ours, records), _who(values[0], records)
    why = f"believed is {heavier}, together {weights[best]:.2f}, over {lighter}, together {weights[0]:.2f}"
    answers = with_keys(context, [value_of(ours.evidence.answers[0], ours.evidence.scores.cross)])
    opposing = {o: rho for v in others for o, rho in v.groups.items() if o not in ours.groups}
    return replace(
        end,
        answers=answers,
        evidence=(ours.evidence, *end.evidence),
        rivals=tuple(v.evidence for v in others),
        supporting=dict(ours.groups),
        opposing=opposing,
        kinds=end.kinds | {s.kind for s in ours.sources},
        dissent=(*says, why),
        sentence=conflict.sentence if conflict is not None else "",
    )


def _names(value: ExclusiveValue) -> str:
    return ", ".join(s.name for s in value.sources)


def _who(value: ExclusiveValue, records: Mapping[str, Record]) -> str:
    return ", ".join(f"{s.name} ({trust(s, records):.2f})" for s in value.sources)
