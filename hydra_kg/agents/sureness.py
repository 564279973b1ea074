"""Confidence of the offline agent: a logistic regression over a dozen numbers of the best path and its rivals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from hydra_kg.domain import Analysis, Evidence
from hydra_kg.literals import is_literal

MARGIN = 0.2
"""Largest margin that counts."""

LIMIT = 9.0
"""Log-odds beyond which nobody is more certain: .9999."""

TEXT_ALONE = 0.45
"""Relevance below which a sentence is about something else; webqsp_train: right .45 of the time."""


def features(analysis: Analysis, evidence: Sequence[Evidence]) -> Mapping[str, float]:
    """What confidence rests on, by name; ``evidence``: the selected paths, best first, at least one with answers.

    ``relevance``, ``support`` (f2) of the best path · ``margin``: relevance lost by the best other one that leads
    elsewhere, at most .2 · ``agrees``: whether another one holds its first answer · ``further``: its hops after the
    first · ``many``: ln of its number of answers · ``literal``: whether they are literals · ``hinted``, ``typed``:
    whether the question's wording suggests a relation, a type of answer · ``shortfall``, ``taught``, ``kin`` and
    ``unmet``: what it lacks to what the sources state of others (see Analysis), 0 for a path of ``written`` hops.
    """
    first, relevance = evidence[0], evidence[0].scores.relevance
    others = [e for e in evidence[1:] if e.answers and e.path.hops]
    rivals = [e.scores.relevance for e in others if not same(e, first)]
    known = stated(first)
    return {
        "relevance": relevance,
        "support": first.scores.f2,
        "margin": min(MARGIN, max(0.0, relevance - max(rivals, default=0.0))),
        "agrees": float(any(first.answers[0] in e.answers for e in others)),
        "further": float(len(first.path.hops) - 1),
        "many": math.log(len(first.answers)),
        "literal": float(is_literal(first.answers[0].key)),
        "hinted": float(bool(analysis.hints)),
        "typed": float(bool(analysis.answer_type)),
        "shortfall": analysis.shortfall if known else 0.0,
        "taught": analysis.taught_shortfall if known else 0.0,
        "kin": analysis.kin_shortfall if known else 0.0,
        "unmet": analysis.unmet if known else 0.0,
        "written": float(not known),
    }


def confidence(found: Mapping[str, float]) -> float:
    """1 / (1 + exp(-(bias + Σ weight · feature))): how probable it is that the first answer is right.

    The weights stand in ``confidence.tsv``, fitted on webqsp_train alone (``bench/fit_confidence.py``), each question
    once as it is and once with all links to its answers hidden: it means what it says among questions of which half
    cannot be answered from the sources.
    """
    weights = _weights()
    z = weights["bias"] + sum(weights[name] * value for name, value in found.items())
    return round(1 / (1 + math.exp(-min(max(z, -LIMIT), LIMIT))), 4)


def to_the_point(analysis: Analysis, written: Evidence) -> bool:
    """Whether a path written from text is near to the question and about a name that it holds: a sentence that only
    sounds alike is about something or somebody else."""
    about = {n.id for n in written.path.entities} & set(analysis.topics)
    return written.scores.relevance >= TEXT_ALONE and bool(about)


def stated(evidence: Evidence) -> bool:
    """Whether some hop is stated as a fact."""
    return any(h.facts for h in evidence.path.hops)


def same(a: Evidence, b: Evidence) -> bool:
    """Whether two paths are of the same relations."""
    return [h.predicate for h in a.path.hops] == [h.predicate for h in b.path.hops]


@cache
def _weights() -> Mapping[str, float]:
    table = files("hydra_kg.agents").joinpath("confidence.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in table.splitlines() if line and not line.startswith("#"))
    return {name: float(weight) for name, weight in rows}
