"""Restore the last turn from an answer's document, with kinds and gender of its entities from the sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from hydra_kg.dialogue.follow_up_words import is_ordinary, stems
from hydra_kg.dialogue.turn import Thing, Turn
from hydra_kg.domain import Entity, Mention
from hydra_kg.language.lexicon import list_words
from hydra_kg.ports import Snapshot
from hydra_kg.steps.linking.entity_linking import link
from hydra_kg.steps.retrieval.entity_types import Gender, genders, head, kinds_named
from hydra_kg.text.folding import fold, tokens

MOST: Final = 50
"""Largest number of answers that a follow-up can refer to."""

NOTHING: Final[frozenset[str]] = frozenset()
_EDGES: Final = 2_000
_COMPARED: Final = 12  # most things whose relations are read, each by two reads
_UNTRUSTED: Final = ("base.", "user.")
_SMALL: Final = list_words("article name_particle") | {"of", "and", "in"}
_IS_A: Final = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of the) ([^,.;(]+)")
_CLAUSE: Final = re.compile(r"\s(?:of|in|from|by|who|that|which|at|for|formed|based|directed|written|located)\s")


def last_turn(answers: Sequence[Mapping[str, Any]], snapshot: Snapshot) -> Turn:
    """Return the turn of the last answer (``ask --json``), with earlier entities that the store knows, newest first."""
    answer, *before = answers
    turn = _turn(answer, snapshot)
    earlier = tuple(t for doc in before for t in _spoken_of(_turn(doc, snapshot)))
    return replace(turn, earlier=tuple(replace(t, start=-1, end=-1) for t in earlier))


def _spoken_of(turn: Turn) -> tuple[Thing, ...]:
    return (*turn.topics, *(turn.answers if len(turn.answers) == 1 else ()))


def _turn(answer: Mapping[str, Any], snapshot: Snapshot) -> Turn:
    """Return what later questions may refer to in a stored answer."""
    question = str(answer.get("understood_as") or answer["question"])
    chosen = [(m, m["chosen"]) for m in answer["mentions"] if m.get("chosen")]
    answers = [a for a in answer["answers"] if a.get("id")][:MOST]
    between = [] if answer["abstained"] else _between(answer)
    known = things(snapshot, [*(c["id"] for _, c in chosen), *(a["id"] for a in answers), *between])
    topics = tuple(_locate_mention(known[c["id"]], m, question) for m, c in chosen if c["id"] in known)
    return Turn(
        question,
        tuple(sorted(topics, key=lambda t: t.start)),
        tuple(known[a["id"]] for a in answers if a["id"] in known),
        tuple(known[k] for k in between if k in known),
        answered=not answer["abstained"],
    )


def names_in(text: str, snapshot: Snapshot) -> tuple[Thing, ...]:
    """Return the entities that a follow-up names itself, with their places in its text."""
    mentions = [m for m in link(text, snapshot) if m.chosen is not None and m.start >= 0 and _is_name(m, text)]
    known = things(snapshot, [m.chosen.node.key for m in mentions if m.chosen])
    return tuple(
        replace(known[m.chosen.node.key], start=m.start, end=m.end)
        for m in mentions
        if m.chosen and m.chosen.node.key in known
    )


def things(snapshot: Snapshot, keys: Sequence[str]) -> dict[str, Thing]:
    """Return the name, kinds and gender of each entity by its id."""
    wanted = list(dict.fromkeys(keys))
    found = {k: n for k, n in zip(wanted, snapshot.lookup(wanted), strict=True) if n is not None}
    entities = dict(zip(found, snapshot.entities(list(found.values())), strict=True)) if found else {}
    nodes = sorted(set(found.values()))
    known, related = (
        genders(snapshot, nodes),
        {n: _relation_stems(snapshot, n) for n in list(found.values())[:_COMPARED]},
    )
    return {k: _thing(k, e, known.get(found[k], ""), related.get(found[k], NOTHING)) for k, e in entities.items()}


def _relation_stems(snapshot: Snapshot, node: int) -> frozenset[str]:
    """Return the stems of the words in the relations of each entity."""
    predicates = snapshot.predicates()
    cut = snapshot.cut([node], depth=1, budget=_EDGES)
    codes = np.unique(np.concatenate([cut.pred, snapshot.values([node]).pred]))
    return stems(word for code in codes.tolist() for word in tokens(predicates.texts[code]))


def _thing(key: str, entity: Entity, gender: Gender, related: frozenset[str]) -> Thing:
    nouns = _nouns(entity)
    kinds = frozenset[str]().union(*(kinds_named(n) for n in nouns))
    if ("person" in kinds and {"human", "person"} & nouns) or gender:
        kinds = frozenset({"person"})  # a person whose name a ship or a film has is still a person
    return Thing(entity.node.name, key, kinds, nouns, gender, related)


def _nouns(entity: Entity) -> frozenset[str]:
    """Return nouns for an entity's kind: from classes, else its description, else agreed Freebase types."""
    plain = {head(t) for t in entity.types if "." not in t}
    said = {w for part in _IS_A.findall(entity.description)[:1] for w in _heads(part)}
    if not said and entity.description:
        said = {head(_CLAUSE.split(f"{entity.description} ")[0])}
    dotted = {head(t.rsplit(".", 1)[-1].replace("_", " ")) for t in entity.types if not t.startswith(_UNTRUSTED)}
    for nouns in (plain | said if _known(plain) else plain, said, dotted):
        if _known(nouns):
            return frozenset(nouns)
    return frozenset()


def _known(nouns: set[str]) -> bool:
    return any(kinds_named(n) for n in nouns)


def _heads(text: str) -> list[str]:
    """Return the nouns of "English rock band formed in London" or "American actor and director"."""
    phrase = _CLAUSE.split(f"{text} ")[0]
    return [head(part) for part in phrase.split(" and ") if part.strip()]


def _locate_mention(thing: Thing, mention: Mapping[str, Any], question: str) -> Thing:
    """Return a thing with the place of its name in the question."""
    text, start = str(mention["text"]), int(mention["start"])
    at = start if start >= 0 and question[start:].startswith(text[:1]) else question.find(text)
    end = int(mention["end"]) if start >= 0 else at + len(text)
    if at < 0:
        return thing
    said = question[at:end]
    if (of := said.rfind(" of ")) > 0 and fold(said) != fold(thing.name):
        at, said = at + of + 4, said[of + 4 :]  # "capital of Portugal", by which a city is known too
    capitals = all(w[:1].isupper() or w in _SMALL for w in said.split())
    name = said.removeprefix("the ") if capitals and fold(said) != fold(thing.name) and of <= 0 else thing.name
    return replace(thing, name=name, start=at, end=end)


def _between(answer: Mapping[str, Any]) -> list[str]:
    """Return the entities that are on every path of the answer, between its ends."""
    inner = []
    for path in answer["paths"]:
        ids = [h[end]["id"] for h in path["hops"] for end in ("subject", "object")]
        ends = set(ids[:1]) | {n["id"] for n in path["answers"]} | set(ids[-1:])
        inner.append([i for i in dict.fromkeys(ids) if i not in ends])
    return [i for i in inner[0] if all(i in other for other in inner)] if inner else []


def _is_name(mention: Mention, text: str) -> bool:
    """Return True if the words are used as a name.

    A name has a capital. In a text without capitals, it contains no function word and no verb.
    """
    parts = mention.text.split()
    if any(p[:1].isupper() for p in parts) and not (
        mention.start == 0 and len(parts) == 1 and is_ordinary(mention.text)
    ):
        return True
    return not any(c.isupper() for c in text) and not any(map(is_ordinary, parts))
