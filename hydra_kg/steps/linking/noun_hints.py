"""Link a name by the noun next to it: "the film Munich" is no city, "Georgia, the country" no state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.domain import Candidate, Entity, Mention
from hydra_kg.language.lexicon import lexicon_table
from hydra_kg.ports import Snapshot
from hydra_kg.steps.context import Context
from hydra_kg.steps.retrieval.entity_types import head, kinds_named, kinds_of
from hydra_kg.text.folding import fold
from hydra_kg.text.literals import literal_text

_BEFORE: Final = re.compile(
    r"\bthe (?:(?P<year>[12][0-9]{3}) )?(?:\w+ )?(?P<noun>\w+) (?P<joint>of |called |named |entitled )?[\"“']?$",
    re.IGNORECASE,
)
_PLAYED: Final = re.compile(
    r"\b(?:play|plays|played|playing|portray|portrays|portrayed|portraying)(?: the(?: role| part| character) of)? $",
    re.IGNORECASE,
)
_AUTHORSHIP: Final = ("wrote", "author of", "writer of")
_BOOKS_AND_PLAYS: Final = frozenset(
    noun for kind, nouns in lexicon_table("kinds_of_thing") if kind in {"book", "play"} for noun in nouns.split()
)
_SERIES: Final = re.compile(r" (?:\w+ )?(?:series|franchise)\b", re.IGNORECASE)
_OF_SERIES: Final = frozenset({"series", "franchise"})
"""Nouns for what several works belong to, which sources use for one another."""
_BEHIND: Final = re.compile(r"[\"”']?(?:, | \()(?:the |an? )?(?P<noun>\w+)\b\)?(?=[\s?.,!]|$)", re.IGNORECASE)


def as_called(context: Context, mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Put the candidate that the question describes ("the film _") first and extend the mention by those words."""
    return tuple(_read(context, m) for m in mentions)


def classes_meant(meant: Mapping[str, str], snapshot: Snapshot) -> dict[str, int]:
    """Return the class of each key, by folded name; unknown keys are left out."""
    found = snapshot.lookup(list(meant.values()))
    return {fold(name): node for name, node in zip(meant, found, strict=True) if node is not None}


def as_meant(context: Context, mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Return the mentions; a name that the last answer explains has that entity as its first candidate."""
    if not context.meant:
        return tuple(mentions)
    texts = [(fold(m.text), m.text.split(maxsplit=1)) for m in mentions]
    names = [fold(parts[-1]) if len(parts) > 1 and _calls(parts[0]) else whole for whole, parts in texts]
    wanted = [context.meant.get(name, context.meant.get(whole)) for name, (whole, _) in zip(names, texts, strict=True)]
    known = context.entities([n for n in wanted if n is not None])
    return tuple(m if n is None else _meaning(m, known[n]) for m, n in zip(mentions, wanted, strict=True))


def _calls(word: str) -> bool:
    """Return True if a word before a name says what it is: "the *film* Munich"."""
    return word.islower() and (bool(kinds_named(word)) or word == "the")


def _meaning(mention: Mention, entity: Entity) -> Mention:
    found = next((c for c in mention.candidates if c.node.id == entity.node.id), None)
    return _with(mention, found or Candidate(entity.node, 1.0, "given", entity.description, entity.degree))


def _read(context: Context, mention: Mention) -> Mention:
    if mention.start < 0 or mention.chosen is None:
        return mention
    before = _BEFORE.search(context.question[: mention.start])
    if (
        before
        and not _says_whose(before)
        and (found := _fitting(context, mention.candidates, before["noun"], before["year"] or ""))
    ):
        start = before.start("year") if before["year"] else before.start("noun")
        return _with(replace(mention, start=start), found)
    if _PLAYED.search(context.question[: mention.start]) and (
        found := _fitting(context, mention.candidates, "character", "")
    ):
        return _with(mention, found)  # who played "Batman" is asked of the character, not of a film's whole cast
    before_name = fold(context.question[: mention.start]).rstrip().removesuffix(" the")
    if before_name.endswith(_AUTHORSHIP) and (books := _books_and_plays(context, mention.candidates)):
        return replace(mention, candidates=books, chosen=books[0])
    if (series := _SERIES.match(context.question, mention.end)) and (found := _series(context, mention.candidates)):
        return _with(replace(mention, end=series.end()), found)
    behind = _BEHIND.match(context.question, mention.end)
    if behind and (found := _fitting(context, mention.candidates, behind["noun"], "")):
        return _with(replace(mention, end=behind.end()), found)
    return mention


def _says_whose(before: re.Match[str]) -> bool:
    """Return True if a noun before a name is a relation ("the brother of"), not a type ("the city of")."""
    return before["joint"] == "of " and bool(kinds_named(before["noun"]) & {"person", "group"})


def _fitting(context: Context, candidates: Sequence[Candidate], noun: str, year: str) -> Candidate | None:
    """Return the first candidate of the noun's kind, with the year that is given for it, if any."""
    asked = kinds_named(noun)
    if not asked:
        return None
    of = kinds_of(context, np.array([c.node.id for c in candidates], np.int64))
    exact = [c for c in candidates if head(noun) in of.get(c.node.id, ())]
    wanted = exact or [c for c in candidates if any(kinds_named(h) & asked for h in of.get(c.node.id, ()))]
    if year:
        wanted = [c for c in wanted if year in c.description.split() or year in _years(context, c.node.id)]
    return wanted[0] if wanted else None


def _books_and_plays(context: Context, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates that are books or plays, which have an author where a film has a director."""
    known = context.entities([c.node.id for c in candidates])
    types = {n: {text.rsplit(".", 1)[-1] for text in entity.types} for n, entity in known.items()}
    return tuple(c for c in candidates if _BOOKS_AND_PLAYS & types.get(c.node.id, set()))


def _series(context: Context, candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the first candidate that several works belong to."""
    of = kinds_of(context, np.array([c.node.id for c in candidates], np.int64))
    return next((c for c in candidates if _OF_SERIES & of.get(c.node.id, frozenset())), None)


def _years(context: Context, node: int) -> set[str]:
    """Return the years of all dates that are stated of a thing."""
    texts = map(literal_text, context.snapshot.values([node]).literal)
    return {t[:4] for t in texts if re.fullmatch(r"[12]\d{3}(-.*)?", t)}


def _with(mention: Mention, chosen: Candidate) -> Mention:
    others = tuple(c for c in mention.candidates if c is not chosen)
    return replace(mention, candidates=(chosen, *others), chosen=chosen)
