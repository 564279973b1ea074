"""Bind entities that a person chose by hand to the mentions of the question that they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from rapidfuzz.fuzz import ratio as percent_alike

from hydra_kg.domain import Candidate, Entity, Mention
from hydra_kg.errors import NotFoundError
from hydra_kg.ports import Snapshot
from hydra_kg.steps.context import Context, GivenTopic
from hydra_kg.steps.retrieval.entity_types import kinds_of
from hydra_kg.text.folding import fold

GIVEN: Final = "given"
"""``Candidate.how`` of an entity that a person chose."""
_ALIKE: Final = 60.0
"""Percent of letters that a mention must share with a name of a topic to be replaced by it."""


def given_topics(snapshot: Snapshot, topics: Sequence[str]) -> tuple[GivenTopic, ...]:
    """Return the topics (keys, or "words=key") with their classes. Raises NotFoundError for an unknown one."""
    readings = [[(topic, ""), *_split(topic)] for topic in topics]
    keys = list(dict.fromkeys(key for each in readings for key, _ in each))
    nodes = dict(zip(keys, snapshot.lookup(keys), strict=True)) if keys else {}
    found = [next(((k, n, t) for k, t in each if (n := nodes[k]) is not None), None) for each in readings]
    if unknown := [each[min(1, len(each) - 1)][0] for each, one in zip(readings, found, strict=True) if one is None]:
        raise NotFoundError(
            f"No ready load knows {', '.join(unknown)}.",
            remedy="Topics are ids such as m.042f1 or Q11869, or Germany=m.0345h to say which name the id explains; "
            "leave --topic out to link by name.",
        )
    return tuple(GivenTopic(*one) for one in found if one is not None)


def _split(topic: str) -> Iterator[tuple[str, str]]:
    """Yield (key, words) for each "=" of a topic, the last one first, because keys seldom hold one."""
    for at in reversed([i for i, c in enumerate(topic) if c == "="]):
        if topic[:at].strip() and topic[at + 1 :].strip():
            yield topic[at + 1 :].strip(), topic[:at].strip()


def bind_topics(context: Context, mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Return the mentions with each topic of the context in place of the entity that was linked.

    A mention keeps its place in the question, so that the plan stays the same. A topic replaces the mention whose words
    it gives ("Germany=m.0345h"). Without words it replaces, in this order: the mention that it is a candidate of, the
    only mention, the mention with the most similar name, the only mention of its type. A topic that fits no mention is
    added as a mention without a place (``start`` -1).
    """
    if not context.topics:
        return tuple(mentions)
    known = context.entities([t.node for t in context.topics])
    bound = list(mentions)
    free = set(range(len(bound)))
    added: list[Mention] = []
    linked = {_chosen(m) for m in mentions}
    for topic in sorted(context.topics, key=lambda t: (not t.text, t.node not in linked)):
        entity = known[topic.node]
        if topic.text and (found := _stretch(context.question, topic.text, bound)) is not None:
            others = [m for n, m in enumerate(bound) if n in free and not (m.start < found.end and found.start < m.end)]
            done = [m for n, m in enumerate(bound) if n not in free]
            bound = [*others, *done, found]
            free = set(range(len(others))) | {len(bound) - 1}
        places = _replaced(context, topic, entity, bound, free)
        for n in places:
            bound[n] = choose(bound[n], entity)
        free -= set(places)
        if not places and topic.node not in {_chosen(m) for m in bound}:
            candidate = _given(entity)
            added.append(Mention(topic.key, -1, -1, (candidate,), candidate))
    return (*sorted(bound, key=lambda m: m.start), *added)


def choose(mention: Mention, entity: Entity) -> Mention:
    """Return the mention with an entity chosen; unchanged if it was chosen already, so that answers stay equal."""
    if mention.chosen is not None and mention.chosen.node.id == entity.node.id:
        return mention
    chosen = _given(entity)
    others = tuple(c for c in mention.candidates if c.node.id != entity.node.id)
    return replace(mention, candidates=(chosen, *others), chosen=chosen)


def is_additional(mention: Mention) -> bool:
    """Return True for a topic that was given by hand and that no words of the question name."""
    return mention.start < 0 and mention.chosen is not None and mention.chosen.how == GIVEN


def _given(entity: Entity) -> Candidate:
    return Candidate(entity.node, 1.0, GIVEN, entity.description, entity.degree)


def _stretch(question: str, text: str, mentions: Sequence[Mention]) -> Mention | None:
    """Return an unlinked mention for words of the question that are no mention yet."""
    if any(fold(m.text) == fold(text) for m in mentions):
        return None
    found = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question, re.IGNORECASE)
    return Mention(found[0], found.start(), found.end(), (), None) if found else None


def _replaced(
    context: Context, topic: GivenTopic, entity: Entity, mentions: Sequence[Mention], free: set[int]
) -> list[int]:
    """Return the places of the mentions that a topic replaces: one, or several with the same words."""
    if topic.text:
        return [n for n in sorted(free) if fold(mentions[n].text) == fold(topic.text)]
    listed = [n for n in sorted(free) if any(c.node.id == topic.node for c in mentions[n].candidates)]
    one = next((n for n in listed if _chosen(mentions[n]) == topic.node), listed[0] if listed else None)
    if one is None and len(mentions) == 1 and free:
        one = 0
    if one is None:
        one = _most_similar(entity, mentions, free)
    if one is None:
        one = _of_type(context, topic.node, mentions, free)
    return [] if one is None else [n for n in sorted(free) if fold(mentions[n].text) == fold(mentions[one].text)]


def _chosen(mention: Mention) -> int | None:
    return mention.chosen.node.id if mention.chosen is not None else None


def _most_similar(entity: Entity, mentions: Sequence[Mention], free: set[int]) -> int | None:
    """Return the place of the mention that is spelt most like a name of the entity; None if none is."""
    names = [fold(name) for name in (entity.node.name, *entity.aliases)]
    alike = {n: max(_alike(fold(mentions[n].text), name) for name in names) for n in free}
    best = max(sorted(alike), key=lambda n: alike[n], default=None)
    return best if best is not None and alike[best] >= _ALIKE else None


def _alike(said: str, name: str) -> float:
    """Return the percent of letters that two names share; all of them if one name is some words of the other."""
    return 100.0 if set(said.split()) <= set(name.split()) else percent_alike(said, name)


def _of_type(context: Context, node: int, mentions: Sequence[Mention], free: set[int]) -> int | None:
    """Return the place of the mention that shares a type with a node; None if none or several do."""
    linked = {n: c for n in sorted(free) if (c := _chosen(mentions[n])) is not None}
    kinds: Mapping[int, frozenset[str]] = kinds_of(context, np.array([node, *linked.values()], np.int64))
    alike = [n for n, c in linked.items() if kinds.get(node, frozenset()) & kinds.get(c, frozenset())]
    return alike[0] if len(alike) == 1 else None
