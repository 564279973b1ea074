"""The context that every asking step receives: one question, and the ports and settings it may use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Analysis, Entity, Evidence, Exploration, Floats, Ids, Judgement, Mention, NameHit, Passage
from hydra_kg.events.question import MOST, Chosen, Found, Judged, Linked, NameLinked, Pruned, QuestionEvent, Understood
from hydra_kg.plan.query_wording import plan_words
from hydra_kg.ports import Agent, Snapshot, VectorIndex
from hydra_kg.settings import Settings
from hydra_kg.steps.graph.question_graph import QuestionGraph
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.util import tracing
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.recording import Recorder

T = TypeVar("T")

Background = Callable[[Callable[[], object]], Callable[[], object]]
"""Starts some work, and gives what waits for its end."""

CANDIDATES: Final = 5
"""Entities that a name may mean, shown as "did you mean"."""

HUB_CAP: Final = 10_000
"""Edges above which a class that is no topic is a leaf of a cut."""

PASSAGES: Final = 12
"""Passages of text read for a question."""

DOCUMENTS: Final = 120
"""Passages read about the entities of one step: pages about a name, a round of ToG-2."""


def in_turn(work: Callable[[], object]) -> Callable[[], object]:
    """Run background work lazily in the calling thread, when its result is awaited."""
    return work


@dataclass(frozen=True, slots=True)
class Services:
    """What steps may call in addition to the graph and the agent.

    Args:
        new_index: Makes an empty vector index.
        web: ``web(analysis, question)`` starts a search of the web and returns a function that waits for its passages;
            None without a search engine.
        snippets: ``snippets(question, limit)`` returns title and snippet of the best results of the web; None without a
            search engine.
        records: Returns, by source, what was confirmed of it (Pr^h and H of MultiRAG Eq. 11).
        like: ``like(texts, limit)`` returns at most ``limit`` names that are spelt like each text; None if the store
            has no index of names.
        rerank: ``rerank(query, texts)`` returns the scores of a cross-encoder, float32 (n,); None if no file of one is
            named.
        background: Starts work that others need not wait for.
        without_model: The agent that judges by rules and vectors, where a model judges.
    """

    new_index: Callable[[], VectorIndex]
    web: Callable[[Analysis, str], Callable[[], Sequence[Passage]]] | None = None
    snippets: Callable[[str, int], Sequence[Passage]] | None = None
    records: Callable[[], Mapping[str, tuple[float, float]]] = dict
    like: Callable[[Sequence[str], int], list[list[NameHit]]] | None = None
    rerank: Callable[[str, Sequence[str]], Floats] | None = None
    background: Background = in_turn
    without_model: Agent | None = None


@dataclass(frozen=True, slots=True)
class Observers:
    """Listeners that are told how a question proceeds; each is None if nobody listens.

    Args:
        watch: ``watch(stage, ids)`` gets the classes that are left after a step (``cut``, ``pool``, ``kept``,
            ``selected``), for measurements.
        tell: Gets what the question finds on its way.
        recorder: Records which steps run.
        note: Gets a sentence for the user about what went wrong.
    """

    watch: Callable[[str, Ids], None] | None = None
    tell: Callable[[QuestionEvent], None] | None = None
    recorder: Recorder | None = None
    note: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class GivenTopic:
    """An entity that a person chose: its ``key``, its class, and the words that it explains, or ""."""

    key: str
    node: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that the steps of one question share: snapshot, settings, agent and caches.

    The reasoner makes it; strategies pass it on.

    Args:
        phase: ``phase(name)`` times a phase and tells listeners.
        topics: Entities that a person chose; they replace those that names were linked to.
        allowed: Names of the sources that may be used, empty for all.
        depth: The number of hops, 0 for the strategy's choice.
        meant: By folded name, the class that it stands for if the last answer says so.
    """

    question: str
    graph: QuestionGraph
    settings: Settings
    agent: Agent
    phase: Callable[[str], AbstractContextManager[dict[str, Any]]]
    services: Services
    observers: Observers = Observers()
    topics: Sequence[GivenTopic] = ()
    allowed: frozenset[str] = frozenset()
    depth: int = 0
    meant: Mapping[str, int] = field(default_factory=dict)

    def step(self, name: str) -> AbstractContextManager[object]:
        """Mark the work of a ``with`` block as a step; :func:`hydra_kg.util.recording.step` marks functions."""
        recorder = self.observers.recorder
        return tracing.span(name) if recorder is None else recorder(name)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a value that is computed once for all questions about a snapshot."""
        return self.space.once(key, make)

    def entities(self, ids: Sequence[int]) -> Mapping[int, Entity]:
        """Return entities by class id."""
        distinct = sorted(set(ids))
        return dict(zip(distinct, self.snapshot.entities(distinct), strict=True)) if distinct else {}

    @property
    def snapshot(self) -> Snapshot:
        """Return the snapshot of the graph, with the text edges that were joined to it so far."""
        return self.graph.snapshot

    @property
    def stored(self) -> Snapshot:
        """Return the snapshot without the edges from text."""
        return self.graph.stored

    @property
    def space(self) -> RelationSpace:
        """Return the relations of the graph."""
        return self.graph.space

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of source that the settings allow: ``kg``, ``wiki``, ``web``."""
        out = self.settings.retrieval.without.split(",")
        return tuple(kind for kind in self.settings.retrieval.kinds.split(",") if kind not in out)

    def may(self, source: str) -> bool:
        """Return True if a source may be used."""
        return not self.allowed or source in self.allowed

    def segments(self) -> npt.NDArray[np.bool_] | None:
        """Return which loads may be used, bool (loads,), or None for all.

        A load may be used if all its sources are allowed.
        """
        if not self.allowed:
            return None
        return np.array([all(s.name in self.allowed for s in m.sources) for m in self.snapshot.manifest()], np.bool_)


def tell_linked(context: Context, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Report the names of the question and what they mean, and return them."""
    if context.observers.tell is not None:
        context.observers.tell(Linked(tuple(_linked(m) for m in mentions)))
    return mentions


def tell_understood(context: Context, analysis: Analysis) -> Analysis:
    """Report how the question was analysed, and return the analysis."""
    if context.observers.tell is not None:
        plan = plan_words(analysis.plan) if analysis.plan is not None else ""
        context.observers.tell(Understood(analysis.indicator, tuple(analysis.sources), analysis.d_predict, plan))
    return analysis


def tell_explored(context: Context, exploration: Exploration) -> Exploration:
    """Report what was found and pruned, and return the exploration."""
    if context.observers.tell is not None:
        evidence = exploration.evidence
        retained = [e for e in evidence if e.kept]
        best = tuple(e.path.text for e in retained[:MOST])
        context.observers.tell(Found(exploration.phase, len(evidence), best, dict(exploration.counts)))
        reasons = Counter(e.reason or "pruned" for e in evidence if not e.kept)
        context.observers.tell(Pruned(exploration.phase, len(retained), len(evidence) - len(retained), dict(reasons)))
    return exploration


def tell_judged(context: Context, chosen: Sequence[Evidence], judgement: Judgement) -> None:
    """Report which paths were chosen, and whether they are enough."""
    if context.observers.tell is not None:
        context.observers.tell(Chosen(tuple(e.path.text for e in chosen[:MOST]), len(chosen)))
        context.observers.tell(Judged(judgement.sufficient, round(judgement.confidence, 4), judgement.missing))


def _linked(mention: Mention) -> NameLinked:
    if mention.chosen is None:
        return NameLinked(mention.text, "", "", len(mention.candidates))
    node = mention.chosen.node
    return NameLinked(mention.text, node.key, node.name, max(len(mention.candidates) - 1, 0))
