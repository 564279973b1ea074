"""Other linkings of the names in a question than the likeliest one (part of HydraRAG §4.2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from hydra_kg.domain import Analysis, Exploration, Mention, SearchState
from hydra_kg.steps.answering.results import Attempt
from hydra_kg.steps.answering.select_and_judge import attempt
from hydra_kg.steps.context import Context
from hydra_kg.steps.exploration.analyse import initial
from hydra_kg.steps.exploration.gather import REFINED, gather
from hydra_kg.steps.linking.entity_linking import link
from hydra_kg.steps.linking.given_topics import is_additional
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.recording import step

OTHER_READING: Final = 0.42
"""Probability that another linking of the names is meant. A surer answer ends the search for one."""
_OTHER_READINGS: Final = 5  # readings of the names that are tried beside the likeliest
_NEAR_CANDIDATE: Final = 0.23  # worth that a candidate of a name may have less than the first, to be tried


@dataclass(frozen=True, slots=True)
class Reread:
    """Result of trying alternative linkings.

    It has the most confident linking with its outcome, and the explorations of all others.
    """

    mentions: tuple[Mention, ...]
    analysis: Analysis
    tried: Attempt | None
    state: SearchState
    explorations: tuple[Exploration, ...] = ()


@step("alternative_linkings")
def reread(context: Context, best: Reread) -> Reread:
    """Try other linkings of the names, on facts as deep as before, and return the one with the surest answer.

    An answer is not accepted if it is one of the meanings of a name in the question, or if the question has a
    superlative that nothing ordered. Entities that the user chose are not changed. Agents that read the question with a
    model keep the first linking.
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
    """Yield each other linking of the names once.

    It has another candidate for the only name, leaves a shorter name out, or links a wider or an inner name.
    """
    known = {_meant(mentions)}
    given = {t.node for t in context.topics}
    for other in _others(context, mentions):
        if other and _meant(other) not in known and given.issubset(_meant(other)):
            known.add(_meant(other))
            yield other


def _others(context: Context, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, ...]]:
    """Yield other linkings of the question's names that are nearly as good."""
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
    """Return True if the question has an ordering word that was neither computed nor is stated on the path.

    Examples of such words are "first", "3rd" and "largest".
    """
    path_words = " ".join(h.text for e in tried.conclusion.evidence[:1] for h in e.path.hops).casefold().split()
    orders = [c for c in analysis.constraints if not c.isdigit() and c not in path_words]
    return bool(orders) and not tried.conclusion.computation


def _wider(other: Mention, one: Mention) -> bool:
    """Return True if a name contains the other name and further words, and was not linked by similarity alone."""
    within = other.start <= one.start and one.end <= other.end and other.end - other.start > one.end - one.start
    return within and other.chosen is not None and other.chosen.how not in ("near", "like")


def _behind(other: Mention, one: Mention) -> bool:
    """Return True if a name follows "of" inside the other name, as Portugal does in "capital of Portugal".

    A capital before "of" belongs to the name: the University of Washington is neither a university nor a state.
    """
    inner = one.start < other.start and other.end == one.end and one.text.endswith(f" of {other.text}")
    return inner and one.text[:1].islower()


def _meant(mentions: Sequence[Mention]) -> tuple[int, ...]:
    return tuple(m.chosen.node.id for m in mentions if m.chosen is not None)
