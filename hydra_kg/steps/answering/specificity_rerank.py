"""Of several answers the more specific ones first: "constitutional republic" before "republic"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.steps.answering.answer_ranking import Choice
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.hops import HopGraph

KIND_OF: Final = "P279"
"""The predicate that says that one thing is a kind of another."""


def specific_first(context: Context, choice: Choice, graph: HopGraph) -> Choice:
    """The choice with those answers last, of the best ones, that another one of them is a kind of."""
    most = context.settings.answering.specific
    ends, rest = choice.ends[:most], choice.ends[most:]
    keys = context.snapshot.predicates().keys
    if len(ends) < 2 or KIND_OF not in keys:
        return choice
    ids = graph.ids[[e for e, _ in ends]]
    special, broad = np.nonzero(~np.eye(len(ids), dtype=np.bool_))
    links = context.snapshot.between(ids[special], ids[broad])
    wider = set(broad[links.pair[links.forward & (links.pred == keys.index(KIND_OF))]].tolist())
    places = sorted(range(len(ends)), key=lambda i: i in wider)
    return replace(choice, ends=(*(ends[i] for i in places), *rest))
