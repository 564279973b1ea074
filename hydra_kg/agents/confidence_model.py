"""Confidence of the offline agent: a logistic regression over the relevance and competition of the best path."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache

from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, SearchState
from hydra_kg.util.package_data import table

LIMIT = 9.0
"""Largest absolute log odds; it corresponds to a probability of .9999."""


def features(analysis: Analysis, first: Evidence, state: SearchState = UNSEARCHED) -> Mapping[str, float]:
    """Return the features of the confidence model by name, for the best selected path ``first``.

    support: f2, the support of the path.
    further: the number of hops that the question does not ask for.
    written: 1 if only a text states the path, else 0.

    The other features are the values of :class:`~hydra_kg.domain.RelationCompetition`.
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

    The weights in ``confidence.tsv`` were fitted on webqsp_train (``bench/training/fit_confidence.py``), with and
    without links to answers. A feature that is unknown counts as its mean.
    """
    weights = _weights()
    z = weights["bias"][0] + sum(weights[k][0] * (v - weights[k][1]) for k, v in found.items())
    return round(1 / (1 + math.exp(-min(max(z, -LIMIT), LIMIT))), 4)


def to_the_point(analysis: Analysis, text_evidence: Evidence, *, least: float) -> bool:
    """Return True if a text path is near to the question (relevance ``least``) and about one of its names."""
    about = {n.id for n in text_evidence.path.entities} & set(analysis.topics)
    return text_evidence.scores.relevance >= least and bool(about)


def stated(evidence: Evidence) -> bool:
    """Return True if at least one hop is stated as a fact."""
    return any(h.facts for h in evidence.path.hops)


@cache
def _weights() -> Mapping[str, tuple[float, float]]:
    """Return (weight, mean) of each feature, and of ``bias``."""
    rows = table("hydra_kg.agents", "confidence.tsv")
    return {name: (float(weight), float(mean)) for name, weight, mean in rows}
