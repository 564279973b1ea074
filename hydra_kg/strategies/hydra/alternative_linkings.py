"""Other readings of a question whose names may mean something else than is likeliest (part of HydraRAG §4.2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from hydra_kg.domain import Analysis, Exploration, Mention, SearchState
from hydra_kg.steps.answering.results import Attempt
from hydra_kg.steps.answering.select_and_judge import attempt
from hydra_kg.steps.context import Context
from hydra_kg.steps.exploration.analyse import initial
from hydra_kg.steps.exploration.gather import REFINED, gather
from hydra_kg.steps.linking.given_topics import is_additional
from hydra_kg.steps.linking.link import link
from hydra_kg.util.recording import step

OTHER_READING: Final = 0.42
"""How probable it is that another reading of the names is meant; an answer surer than this ends it."""
_OTHER_READINGS: Final = 5  # readings of the names that are tried beside the likeliest
_NEAR_CANDIDATE: Final = 0.23  # worth that a candidate of a name may have less than the first, to be tried


@dataclass(frozen=True, slots=True)
class Reread:
    """Alternative linkings: the most confident reading, its outcome, and the others' explorations."""

    mentions: tuple[Mention, ...]
    analysis: Analysis
    tried: Attempt | None
    state: SearchState
    explorations: tuple[Exploration, ...] = ()


@step("alternative_linkings")
def reread(context: Context, best: Reread) -> Reread:
    """Try other readings of names, on facts as deep as before, and keep a surer answer: not a name's own meaning, nor
    unordered superlatives. Chosen entities stay; agents that read ask anew.
    """
    mentions, first = best.mentions, best.tried
    sure = first.judgement.confidence if first is not None and first.judgement.sufficient else 0.0
    alone = context.agent.reads or "kg" not in context.kinds
    alone |= any(m.chosen is None or is_additional(m) for m in mentions)
    if sure >= OTHER_READING or context.settings.retrieval.phases == 1 or alone:
        return best
    explored: list[Exploration] = []
    with context.phase(REFINED):
        for other in islice(readings(context, mentions), _OTHER_READINGS):
            read = context.agent.analyse(context.question, other, d_max=context.settings.retrieval.d_max)
            aim = initial(context, replace(read, reading=OTHER_READING * read.reading))
            found = gather(context, replace(aim, phase=REFINED, kinds=("kg",)))
            explored.append(found.exploration)
            tried = attempt(context, found.analysis, found.candidates, phase=REFINED, state=found.state, more=True)
            candidates = {c.node.id for m in other for c in m.candidates}
            ends = {a.node.id for a in tried.conclusion.answers if a.node is not None}
            better = tried.judgement.sufficient and tried.judgement.confidence > sure
            if better and not ends & candidates and not _out_of_order(read, tried):
                best, sure = Reread(other, found.analysis, tried, found.state), tried.judgement.confidence
    return replace(best, explorations=tuple(explored))


def readings(context: Context, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, ...]]:
    """Yield other readings once each: another candidate, or without a shorter, with a wider or inner name."""
    known = {_meant(mentions)}
    given = {t.node for t in context.topics}
    for other in _others(context, mentions):
        if other and _meant(other) not in known and given.issubset(_meant(other)):
            known.add(_meant(other))
            yield other


def _others(context: Context, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, ...]]:
    least = _NEAR_CANDIDATE
    for m in mentions if len(mentions) == 1 else ():
        yield from ((replace(m, chosen=c),) for c in m.candidates[1:] if m.candidates[0].score - c.score <= least)
    longest = max((len(m.text) for m in mentions), default=0)
    for i, m in enumerate(mentions):
        if len(m.text) < longest:
            yield (*mentions[:i], *mentions[i + 1 :])
        if m.start >= 0:
            other = link(
                context.question,
                context.snapshot,
                embedder=context.space.embedder,
                relation_words=context.space.words,
                without=[(m.start, m.end)],
            )
            if any(_wider(o, m) or _behind(o, m) for o in other):
                yield other


def _out_of_order(analysis: Analysis, tried: Attempt) -> bool:
    """Whether words that put in order ("first", "3rd", "largest") select, and no order was computed or is stated."""
    path_words = " ".join(h.text for e in tried.conclusion.evidence[:1] for h in e.path.hops).casefold().split()
    orders = [c for c in analysis.constraints if not c.isdigit() and c not in path_words]
    return bool(orders) and not tried.conclusion.computation


def _wider(other: Mention, one: Mention) -> bool:
    """Whether a name holds another and words beside it, as they are written or with all of them in it."""
    within = other.start <= one.start and one.end <= other.end and other.end - other.start > one.end - one.start
    return within and other.chosen is not None and other.chosen.how not in ("near", "like")


def _behind(other: Mention, one: Mention) -> bool:
    """Whether a name is what stands behind "of" in another: "capital of Portugal"."""
    return one.start < other.start and other.end == one.end and one.text.endswith(f" of {other.text}")


def _meant(mentions: Sequence[Mention]) -> tuple[int, ...]:
    return tuple(m.chosen.node.id for m in mentions if m.chosen is not None)
