"""Choose which of a store's own graphs a question is about, if any: by the words and names that each part knows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from operator import or_

import numpy as np

from hydra_kg.domain import Candidate, Mention
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.language.units import unit_dimensions
from hydra_kg.ports import Snapshot
from hydra_kg.steps.context import CANDIDATES, Context
from hydra_kg.steps.graph.question_graph import PerQuestion
from hydra_kg.steps.graph.relation_space import RelationScope
from hydra_kg.steps.own_graphs import costs
from hydra_kg.steps.own_graphs.graph_reading import read_own_graphs
from hydra_kg.steps.own_graphs.load_groups import predicate_kinds
from hydra_kg.steps.schema.question_names import NamesElsewhere, correct, name_key, own_names
from hydra_kg.steps.schema.question_words import QuestionWord, SchemaQuestion, asked
from hydra_kg.steps.schema.schema_matching import known_words, spans_of_names
from hydra_kg.util.fast_dataclass import dataclass, replace

LEAST_KNOWN = 1 / 3
"""Share of the plain content words that a graph has to know if a question next to dumps has no name."""
MORE_KNOWN = 1 / 2
"""A graph has to know more than this share if the dumps have all names of the question too."""

_CHOSEN = PerQuestion()


@dataclass(frozen=True, slots=True, eq=False)
class StoreParts:
    """The own graphs of a store; ``alone`` is True if the store has nothing else."""

    graphs: tuple[OwnGraph, ...]
    alone: bool


def store_parts(context: Context) -> StoreParts:
    """Return the own graphs of the store, read once per snapshot."""
    return context.once(("own graphs",), lambda: _parts(context.stored))


def _parts(snapshot: Snapshot) -> StoreParts:
    predicates = snapshot.predicates()
    foreign = predicates.counts[predicate_kinds(predicates).foreign].sum()
    return StoreParts(read_own_graphs(snapshot), not foreign)


def own_graph(context: Context) -> OwnGraph | None:
    """Return the own graph that the question is about; None if there is none. It is chosen once per question."""
    parts = store_parts(context)
    if not parts.graphs or (parts.alone and len(parts.graphs) == 1):
        return parts.graphs[0] if parts.graphs else None
    key = (context.question, tuple(topic.node for topic in context.topics))
    return _CHOSEN.get(context.graph, key, lambda: choose_graph(context, parts))


def choose_graph(context: Context, parts: StoreParts) -> OwnGraph | None:
    """Return the chosen, or most knowing, then largest graph; next to dumps only if :func:`_is_about` agrees."""
    question = asked(context.question)
    graphs = list(parts.graphs)
    if context.topics:
        holding = [g for g in graphs if np.isin([t.node for t in context.topics], g.ids).all()]
        if not holding and not parts.alone:
            return None
        graphs = holding or graphs
    content = _content(question)
    known = [known_words(graph, question) for graph in graphs]
    counts = [(sum(_has(k, w) for w in content), bool(k & question.head), -n) for n, k in enumerate(known)]
    best = counts.index(max(counts))
    if parts.alone or (context.topics and len(graphs) < len(parts.graphs)):
        return graphs[best]
    return graphs[best] if _is_about(context, parts, graphs[best], question, known[best]) else None


def _content(question: SchemaQuestion) -> list[QuestionWord]:
    """Return the words that say what a question is about.

    Function and light words, dates, numbers with their units ("150 euros") and superlatives are left out.
    """
    compared = reduce(or_, (c.mask for c in question.compared), 0)
    compared |= question.superlative.mask if question.superlative is not None else 0
    units = unit_dimensions()
    compared |= sum(1 << w.bit for n, w in pairwise(question.words) if n.low[:1].isdigit() and w.low in units)
    return [w for w in question.words if not (w.stop or compared >> w.bit & 1) and w.cost > costs.LIGHT_WORD]


def _is_about(context: Context, parts: StoreParts, graph: OwnGraph, question: SchemaQuestion, known: int) -> bool:
    """Return True if a question is about an own graph and not about the dumps.

    The names of the question decide first, then the share of its plain words that the graph knows (`MORE_KNOWN`,
    `LEAST_KNOWN`).
    """
    content = _content(question)
    names = [w for w in content if w.text[:1].isupper() and w.start] or [w for w in content if w.text[:1].isupper()]
    elsewhere = NamesElsewhere(context.stored, context.question, question, parts.graphs)
    spans, is_only_here = spans_of_names(graph, question), False
    for word in names:
        own = max((mask.bit_count() for mask in spans if mask >> word.bit & 1), default=0)
        found = None if own else correct(graph, own_names(context, graph), question.words, word)
        if found is not None:
            own = sum(found.start <= w.start < found.end for w in question.words)
        is_only_here = is_only_here or own > elsewhere.longest(word)
        if elsewhere.longest(word) > own or not (own or _has(known, word) or not elsewhere.is_near(word)):
            return False
    if not names and any(elsewhere.is_in_lower_case(w) for w in content if not _has(known, w)):
        return False
    if is_only_here:
        return True
    plain = [w for w in content if w not in names]
    share = sum(_has(known, w) for w in plain) / len(plain) if plain else 0.0
    return share > MORE_KNOWN if names else share >= LEAST_KNOWN


def _has(known: int, word: QuestionWord) -> bool:
    return bool(known >> word.bit & 1)


def confine_to_part(context: Context, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Confine the relations and mentions to the part of the store that the question is about.

    Nothing is confined if the store has only one part, if the user named sources, or if two parts describe the same
    thing.
    """
    parts = store_parts(context)
    whole = context.allowed or not parts.graphs or (parts.alone and len(parts.graphs) == 1)
    if whole or any(len(graph.shared) for graph in parts.graphs) or not context.settings.answering.own_words:
        return mentions
    chosen = own_graph(context)
    if context.space.own:
        context.space.confine(_scope(context, parts, chosen))
    if chosen is not None:
        return tuple(_linked_within(context, m, chosen) for m in mentions)
    own = np.concatenate([g.ids for g in parts.graphs])
    return tuple(_relinked(m, [c for c in m.candidates if c.node.id not in own]) for m in mentions)


def _scope(context: Context, parts: StoreParts, chosen: OwnGraph | None) -> RelationScope:
    kinds = predicate_kinds(context.stored.predicates())
    if chosen is None:
        return RelationScope("dumps", ~kinds.own)
    inside = kinds.ground.copy()
    inside[[relation.pred for relation in chosen.relations]] = True
    return RelationScope(f"own graph {parts.graphs.index(chosen)}", inside)


def _linked_within(context: Context, mention: Mention, graph: OwnGraph) -> Mention:
    """Return the mention with the entities of one graph that have its name, else with its candidates in the graph."""
    places = [p for p in graph.names.get(name_key(mention.text), ()) if p < len(graph.ids)]
    entities = graph.things(places[:CANDIDATES], context.stored.entities).values()
    named = [Candidate(e.node, 1.0, "name", e.description, e.degree) for e in entities]
    return _relinked(mention, named or [c for c in mention.candidates if c.node.id in graph.ids])


def _relinked(mention: Mention, candidates: Sequence[Candidate]) -> Mention:
    """Return the mention with some of its candidates, the chosen one first; without any it is unchanged."""
    if mention.chosen is None or not candidates:
        return mention
    chosen = next((c for c in candidates if c.node.id == mention.chosen.node.id), candidates[0])
    return replace(mention, candidates=tuple(candidates), chosen=chosen)
