"""Confidence of the offline agent: a logistic regression over the best path's relevance and competition."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache

from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, SearchState
from hydra_kg.util.package_data import table

LIMIT = 9.0
"""Log-odds beyond which nobody is more certain: .9999."""


def features(analysis: Analysis, first: Evidence, state: SearchState = UNSEARCHED) -> Mapping[str, float]:
    """Features of the confidence model, by name; ``first``: the best of the selected paths.

    ``support`` (f2) of the best path · ``further``: hops after the first that the question does not ask for (it asks
    for one where it names two topics, or one question stands inside another) · ``text_evidence``: whether text alone
    says it, and if not, what is known of its :class:`~hydra_kg.domain.RelationCompetition`, by the names there.
    """
    known = stated(first)
    hops = first.path.hops
    long = next((i for i, h in enumerate(hops) if h.object in first.answers), len(hops) - 1)
    asked = analysis.composed or len(set(analysis.topics)) > 1
    found = {"support": first.scores.f2, "further": float(max(0, long - asked)), "written": float(not known)}
    if known and state.competition is not None:
        found |= {k: v for k, v in asdict(state.competition).items() if isinstance(v, float)}
    return found


def confidence(found: Mapping[str, float]) -> float:
    """1 / (1 + exp(-(bias + Σ weight · (feature − mean)))): how probable it is that the first answer is right.

    Means and weights stand in ``confidence.tsv``, fitted on webqsp_train alone (``bench/training/fit_confidence.py``),
    each question once as it is and once with all links to its answers hidden: it means what it says among questions of
    which half cannot be answered from the sources. What is not known of a path counts as its mean.
    """
    weights = _weights()
    z = weights["bias"][0] + sum(weights[k][0] * (v - weights[k][1]) for k, v in found.items())
    return round(1 / (1 + math.exp(-min(max(z, -LIMIT), LIMIT))), 4)


def to_the_point(analysis: Analysis, text_evidence: Evidence, *, least: float) -> bool:
    """Whether a path written from text is near to the question (of relevance ``least``) and about a name that it holds:
    a sentence that only sounds alike is about something or somebody else."""
    about = {n.id for n in text_evidence.path.entities} & set(analysis.topics)
    return text_evidence.scores.relevance >= least and bool(about)


def stated(evidence: Evidence) -> bool:
    """Whether some hop is stated as a fact."""
    return any(h.facts for h in evidence.path.hops)


@cache
def _weights() -> Mapping[str, tuple[float, float]]:
    """(weight, mean) of each feature, and of ``bias``."""
    rows = table("hydra_kg.agents", "confidence.tsv")
    return {name: (float(weight), float(mean)) for name, weight, mean in rows}
