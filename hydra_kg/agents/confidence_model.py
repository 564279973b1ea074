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
    """Return features by name; ``first``: best selected path.

    ``support``: f2 · ``further``: hops that are not asked for · ``text_evidence``: text alone says it, else values of
    :class:`~hydra_kg.domain.RelationCompetition`.
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
    """Return 1 / (1 + exp(-(bias + Σ weight · (feature − mean)))).

    ``confidence.tsv`` was fitted on webqsp_train (``bench/training/fit_confidence.py``) with and without links to
    answers; unknown features count as means.
    """
    weights = _weights()
    z = weights["bias"][0] + sum(weights[k][0] * (v - weights[k][1]) for k, v in found.items())
    return round(1 / (1 + math.exp(-min(max(z, -LIMIT), LIMIT))), 4)


def to_the_point(analysis: Analysis, text_evidence: Evidence, *, least: float) -> bool:
    """Return True if a text path is near to the question (relevance ``least``) and about one of its names."""
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
