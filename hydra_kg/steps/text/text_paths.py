"""Unstructured retrieval, writing (HydraRAG §4.2.1, Algorithm 2): the agent's paths as evidence, with support."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, Entity, Evidence, Excerpt, Fact, Hop, Node, Passage, Path, WrittenPath
from hydra_kg.extract.stated_relation import RelationClaim, are_stated
from hydra_kg.ids import fact_id
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.context import Context
from hydra_kg.steps.relevance.path_relevance import embeds_text, text_relevance
from hydra_kg.steps.snapshots.overlay import TextEdge
from hydra_kg.steps.text.sentence_retrieval import PassageSentence, excerpts, read
from hydra_kg.steps.verification.verify import LIKE_RELATION, linking, scores, voice
from hydra_kg.text.literals import is_literal
from hydra_kg.text.quoting import quote_with_backslashes
from hydra_kg.util.recording import step

NOT_CHECKED: Final = "relation not checked"


def check_paths(context: Context, paths: Sequence[WrittenPath], excerpts: Sequence[Excerpt]) -> tuple[WrittenPath, ...]:
    """Return paths whose hops their excerpts state.

    Other paths stay unchecked if ``model.alone``, and paths made without a model stay as they are.
    """
    if not context.agent.reads:
        return tuple(paths)
    claims = [_claims(path, excerpts[path.excerpt].text) for path in paths]
    stated = iter(are_stated([c for own in claims for c in own], context.space.embedder.embed))
    sound = [all(list(islice(stated, len(own)))) for own in claims]
    labels = context.settings.model.alone
    return tuple(replace(p, checked=ok) for p, ok in zip(paths, sound, strict=True) if ok or labels)


def relations_of(path: WrittenPath) -> tuple[str, ...]:
    """Return the relations of a path as they are shown, with a label if they are not checked."""
    relations = path.chain[1::2]
    return relations if path.checked else tuple(f"{r} ({NOT_CHECKED})" for r in relations)


def _claims(path: WrittenPath, sentence: str) -> list[RelationClaim]:
    names, relations = path.chain[::2], path.chain[1::2]
    return [RelationClaim(sentence, a, r, b) for a, r, b in zip(names, relations, names[1:], strict=False)]


Pair = tuple[int, int]


@step("text_paths")
def text_evidence(
    context: Context,
    analysis: Analysis,
    passages: Sequence[Passage],
    *,
    question: str,
    inside: Collection[int],
    phase: str,
) -> list[Evidence]:
    """Return evidence from the sentences nearest to the question, best cross-score first.

    ``inside`` has the class ids of G_q. Supp of a path from text is its own origin and, unless ``verification.support``
    is ``paths``, the origins of stored facts that link the ends of every hop by a similar relation, and those of other
    sentences that were read and link the same ends. The pool adds to it (see ``steps.verification.prune``).
    Relevance is ``relevance.hearsay`` × the mean of two cosines: of the question and the sentence, and of the indicator
    and the path's phrases. With ``relevance.path_vectors = text`` it is ``hearsay`` × the cosine of indicator and path.
    """
    near = read(context, question, passages)
    if not near:
        return []
    shown = excerpts(context, near)
    found: Sequence[WrittenPath] = check_paths(context, context.agent.write_paths(analysis, shown), shown)
    if context.settings.agent.summarise:
        found = context.agent.summarise(analysis, found)
    known = context.entities([n for w in found for n in w.nodes if n])
    paths = [_path(w, near[w.excerpt], known) for w in found]
    # Before what is stated, which needs most of these vectors again.
    by_text = embeds_text(context)
    like = (
        text_relevance(context, analysis.indicator, paths) if by_text else _phrase_relevance(context, analysis, found)
    )
    alone = context.settings.verification.support == "paths"
    independence = context.settings.verification.independence
    stated = {} if alone else _stated(context, paths)
    origins_of: dict[Pair, set[str]] = {}
    for path in [] if alone else [p for p in paths if p.checked]:
        for hop in path.hops:
            origins_of.setdefault(_pair(hop), set()).add(_origin(path, independence))
    evidence, hearsay = [], context.settings.relevance.hearsay
    for w, path, cosine in zip(found, paths, like, strict=True):
        backers = [
            stated.get((*_pair(h), h.predicate), frozenset()) | origins_of.get(_pair(h), set()) for h in path.hops
        ]
        own = frozenset({_origin(path, independence)} if path.checked else ())
        supporters = (frozenset.intersection(*map(frozenset, backers)) | own) if path.checked else own
        relevance = cosine if by_text else (near[w.excerpt].score + cosine) / 2
        relevance = float(np.clip(hearsay * relevance, 0, 1))
        numbers = scores(
            path,
            relevance,
            supporters=supporters,
            inside=inside,
            settings=context.settings,
            topics=analysis.topics,
            candidates=len(paths),
        )
        ends = tuple(n for n in reversed(path.entities) if n.id not in analysis.topics)
        origins = tuple(sorted(supporters))
        text = near[w.excerpt].text
        evidence.append(Evidence(path, numbers, phase, bool(ends), "written from text", ends, origins, text))
    return sorted(evidence, key=lambda e: (-e.scores.cross, e.path.text))


def text_edges(evidence: Sequence[Evidence], *, least: float) -> list[TextEdge]:
    """Return the hops of paths from text that may join G_q: both ends are linked, and s_ver is at least ``least``."""
    edges = []
    for e in evidence:
        passage = e.path.passage
        if passage is None or not e.path.checked or e.scores.verification < least:
            continue
        for h in e.path.hops:
            if _loose(h):
                continue
            number = fact_id(h.subject.key, h.predicate, h.object.key, passage.source.name)
            fact = Fact(number, h.subject.key, h.predicate, h.object.key, passage.source, passage.locator)
            edges.append(TextEdge(h.subject.id, h.predicate, h.object.id, fact))
    return edges


def _path(w: WrittenPath, sentence: PassageSentence, known: Mapping[int, Entity]) -> Path:
    nodes = [known[n].node if n else _unlinked(text) for n, text in zip(w.nodes, w.chain[::2], strict=True)]
    hops = (Hop(a, phrase, phrase, b) for a, phrase, b in zip(nodes, relations_of(w), nodes[1:], strict=False))
    return Path(tuple(hops), sentence.cited, w.checked)


def _unlinked(text: str) -> Node:
    return literal_node(quote_with_backslashes(text.replace("\n", " ")))


def _phrase_relevance(context: Context, analysis: Analysis, paths: Sequence[WrittenPath]) -> list[float]:
    """Return the cosine of the indicator and the phrases of each path, at least 0."""
    phrases = [" ".join(p.chain[1::2]) for p in paths]
    if not phrases:
        return []
    vectors = context.space.embedder.embed([analysis.indicator, *phrases])
    return [max(0.0, c) for c in (vectors[1:] @ vectors[0]).tolist()]


def _pair(hop: Hop) -> Pair:
    return hop.subject.id, hop.object.id


def _origin(path: Path, independence: str) -> str:
    return voice(path.passage.source, independence) if path.passage else ""


def _stated(context: Context, paths: Sequence[Path]) -> dict[tuple[int, int, str], frozenset[str]]:
    """Return the origins of stored facts that say what a hop says: they link its ends by a relation of similar text."""
    hops = {(*_pair(h), h.predicate) for p in paths for h in p.hops if not _loose(h)}
    pairs = sorted({(a, b) for a, b, _ in hops})
    if not pairs:
        return {}
    found = linking(context, pairs)
    legs = sorted({leg for facts in found.values() for leg, _ in facts})
    if not legs:
        return {}
    vectors, phrases = context.space.vectors(np.array(legs, np.int64)), sorted({phrase for _, _, phrase in hops})
    like = context.space.embedder.embed(phrases) @ vectors.T >= LIKE_RELATION
    legs_of_phrase = {
        phrase: {leg for leg, ok in zip(legs, row, strict=True) if ok}
        for phrase, row in zip(phrases, like.tolist(), strict=True)
    }
    return {
        (a, b, phrase): frozenset(
            voice(f.source, context.settings.verification.independence)
            for leg, f in found.get((a, b), ())
            if leg in legs_of_phrase[phrase] and f.source.rho > 0
        )
        for a, b, phrase in hops
    }


def _loose(hop: Hop) -> bool:
    """Return True if an end is not linked, so that it is words of the text and no entity."""
    return is_literal(hop.subject.key) or is_literal(hop.object.key)
