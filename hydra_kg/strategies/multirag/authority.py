"""Authority of a source for its statements (MultiRAG Eq. 10), scored by the agent with a prompt of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hydra_kg.domain import Analysis, Option
from hydra_kg.fusion.gathering.store_claims import ClaimStatement
from hydra_kg.fusion.model.beliefs import Reals
from hydra_kg.steps.context import Context


def authority_of(
    context: Context,
    analysis: Analysis,
    stated: Sequence[ClaimStatement],
    sources: Sequence[str],
    *,
    scale: float = 1.0,
) -> Reals | None:
    """Return the authority C_LLM(v) of each node, as reals (M,), or None if the agent gives no score.

    A node is what one source states for one key. The agent sees the nodes in the form of §III.D.2. Its scores are
    multiplied by ``scale``; a node that it does not name has 0.
    """
    nodes: dict[tuple[str, str], list[ClaimStatement]] = {}
    place: dict[str, int] = {}
    for s in stated:
        place.setdefault(s.key, len(place))
        nodes.setdefault((s.key, s.fact.source.name), []).append(s)
    order = {name: n for n, name in enumerate(sources)}
    keys = sorted(nodes, key=lambda k: (place[k[0]], order[k[1]]))
    known = context.entities([s.entity for s in stated])
    said = {name: sum(s.fact.source.name == name for s in stated) for name in sources}
    options = []
    for key in keys:
        first, values = nodes[key][0], ", ".join(dict.fromkeys(s.value.name for s in nodes[key]))
        when = "".join(f", {k} {v}" for k, v in first.when)
        source = f"{first.fact.source.name} ({first.fact.source.kind}, statements here: {said[key[1]]})"
        subject = known[first.entity].node.name
        options.append(Option(f"{source}: {{{subject}}} → {first.attribute}{when} → {{{values}}}", 0.0))
    score = np.zeros(len(keys))
    for picked in context.agent.prune(analysis, "authority", options, most=len(options)):
        score[picked.place] = scale * picked.score
    return score if score.any() else None
