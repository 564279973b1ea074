"""One exploration's retrieval (HydraRAG §4.2): candidates from the graph, stored text and the web, verified."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, Exploration, Passage, SearchState
from hydra_kg.steps.answering.candidates import PathCandidate, Structured, candidates
from hydra_kg.steps.answering.literal_paths import evidence_of, value_paths
from hydra_kg.steps.context import Context, tell_explored
from hydra_kg.steps.graph.question_graph import PerQuestion
from hydra_kg.steps.relevance.clause_relevance import relevance_to
from hydra_kg.steps.relevance.path_relevance import Relevance
from hydra_kg.steps.retrieval.graph_retrieval import RetrievalResult, retrieve
from hydra_kg.steps.snapshots.snapshot_proxy import read_event
from hydra_kg.steps.text.sentence_retrieval import excerpts, passages_of, read
from hydra_kg.steps.text.text_paths import text_edges, text_evidence
from hydra_kg.steps.verification.prune import Member, explored, member, supported, verified, with_pool, with_supporters
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.recording import step

_CANDIDATE_VALUES: Final = 3  # literal-ended paths that become candidates
_PAGES: Final = PerQuestion()

INITIAL, REFINED, PREDICTED, JOINT = "initial", "refined", "predicted", "joint"
"""Names of the explorations, and of what is concluded from all of them."""


@dataclass(frozen=True, slots=True)
class Aim:
    """One exploration.

    Args:
        phase: The phase of the search that it belongs to.
        question: The query for text search.
        analysis: The analysis of the question.
        depth: The largest number of hops.
        kinds: The kinds of sources: ``kg``, ``wiki``, ``web``.
        about: The classes that the text should be about.
        toward: The classes at which paths may end, () for any.
        state: The state after the last search.
    """

    phase: str
    question: str
    analysis: Analysis
    depth: int
    kinds: tuple[str, ...]
    about: tuple[int, ...] = ()
    toward: tuple[int, ...] = ()
    state: SearchState = UNSEARCHED


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Candidates, best first, with the exploration as recorded, what was asked, and the state of the search after."""

    candidates: tuple[PathCandidate, ...]
    exploration: Exploration
    analysis: Analysis
    state: SearchState


def gather(context: Context, aim: Aim) -> Gathered:
    """Retrieve from every source of the aim at once, and score all paths as one pool."""
    web = (
        context.services.web(aim.analysis, aim.question)
        if context.services.web is not None and "web" in aim.kinds
        else None
    )
    stored = passages_of(context, aim.about, aim.question) if "wiki" in aim.kinds else []
    ready = context.services.background(lambda: excerpts(context, read(context, _compared(context, aim), stored)))
    searched = _searched(context, aim) if "kg" in aim.kinds and aim.analysis.topics else None
    inside: Collection[int] = searched[0].inside if searched else frozenset(aim.analysis.topics)
    with context.phase("text"):
        ready()
        fetched = _fetched(context, web, aim.phase) if web is not None else []
        groups = [stored, fetched] if context.settings.agent.summarise else [[*stored, *fetched]]
        text = [e for group in groups for e in _text_evidence(context, aim, group, inside)]
    with context.phase("verify"):
        structured = _structured(context, aim, *searched, text) if searched else None
        structured, text = _in_one_pool(context, structured, text)
    if context.settings.retrieval.join_text:
        context.graph.join(text_edges(text, least=context.settings.retrieval.join_text))
    with context.step("prune"):
        pool = candidates(context, structured, text, phase=aim.phase)
    if context.observers.watch is not None:
        for stage, seen in (("pool", text), ("kept", [c.evidence for c in pool])):
            context.observers.watch(stage, np.array([n.id for e in seen for n in e.answers], np.int64))
    competition = structured.competition if structured else None
    open_ = structured.unexplained if structured else 0.0
    state = SearchState(competition or aim.state.competition, open_)
    exploration = tell_explored(context, _exploration(context, aim, structured, text))
    return Gathered(pool, exploration, aim.analysis, state)


@step("search_web")
def _fetched(context: Context, web: Callable[[], Sequence[Passage]], phase: str) -> Sequence[Passage]:
    """Return the web's passages; a follow-up also ranks those of the previous exploration, if the settings say so."""
    pages = web()
    if context.observers.tell is not None and pages:
        context.observers.tell(read_event(pages, web=True))
    if not context.settings.retrieval.earlier_pages:
        return pages
    earlier: list[Passage] = _PAGES.get(context.graph, "pages", list)
    more = [p for p in earlier if p not in pages]
    earlier += [p for p in pages if p not in earlier]
    return [*pages, *more] if phase == REFINED else pages


def _text_evidence(context: Context, aim: Aim, passages: Sequence[Passage], inside: Collection[int]) -> list[Evidence]:
    if not passages:
        return []
    asked = _compared(context, aim)
    return text_evidence(context, aim.analysis, passages, question=asked, inside=inside, phase=aim.phase)


def _compared(context: Context, aim: Aim) -> str:
    """Return the text with which sentences are compared: the question of the aim, or its indicator."""
    return aim.analysis.indicator if context.settings.retrieval.sentences_by == "indicator" else aim.question


def _searched(context: Context, aim: Aim) -> tuple[RetrievalResult, Relevance]:
    with context.phase("explore"):
        relevance = relevance_to(context, aim.analysis)
        window = context.settings.retrieval.window and aim.phase == INITIAL
        return retrieve(context, aim.analysis, relevance, depth=aim.depth, toward=aim.toward, window=window), relevance


def _structured(
    context: Context, aim: Aim, found: RetrievalResult, relevance: Relevance, text: Sequence[Evidence]
) -> Structured:
    """Return what the graph search found, with the facts behind it, before it joins the pool."""
    said = np.unique(np.array([n.id for e in text for n in e.path.entities], np.int64))
    found = verified(context, found, indicator=aim.analysis.indicator, said=said)
    kind = aim.analysis.answer_type
    values = () if aim.toward else tuple(value_paths(context, found, relevance, answer_type=kind))
    literal = tuple(
        evidence_of(context, v, found, indicator=aim.analysis.indicator, phase=aim.phase)
        for v in values[:_CANDIDATE_VALUES]
    )
    return Structured(found, values, relevance, literal)


def _in_one_pool(
    context: Context, structured: Structured | None, text: Sequence[Evidence]
) -> tuple[Structured | None, list[Evidence]]:
    """Return the paths, each with the support that the others in the pool add."""
    judged = structured.found.judged if structured else ()
    literal = structured.value_evidence if structured else ()
    pool = [*(Member(j.path, j.supporters, j.scores) for j in judged), *map(member, literal), *map(member, text)]
    backed = supported(context, pool)
    rest = [with_supporters(e, b) for e, b in zip((*literal, *text), backed[len(judged) :], strict=True)]
    from_text = sorted(rest[len(literal) :], key=lambda e: (-e.scores.cross, e.path.text))
    if structured is None:
        return None, from_text
    found = with_pool(structured.found, backed[: len(judged)])
    return replace(structured, found=found, value_evidence=tuple(rest[: len(literal)])), from_text


def _exploration(context: Context, aim: Aim, structured: Structured | None, text: Sequence[Evidence]) -> Exploration:
    if structured is not None:
        exploration = explored(context, structured.found, aim.analysis, phase=aim.phase)
        return replace(
            exploration, evidence=(*exploration.evidence, *text), counts={**exploration.counts, "written": len(text)}
        )
    nodes = context.entities(aim.analysis.topics)
    topics = tuple(nodes[t].node for t in dict.fromkeys(aim.analysis.topics))
    return Exploration(aim.phase, topics, aim.analysis.indicator, 0, {"written": len(text)}, tuple(text))
