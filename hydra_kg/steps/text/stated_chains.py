"""Drop or label chains whose sentence does not state the relations that a model wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from hydra_kg.domain import Excerpt, WrittenPath
from hydra_kg.extract.stated_relation import RelationClaim, are_stated
from hydra_kg.steps.context import Context

NOT_CHECKED: Final = "relation not checked"


def check_paths(context: Context, paths: Sequence[WrittenPath], excerpts: Sequence[Excerpt]) -> tuple[WrittenPath, ...]:
    """Return paths whose hops their excerpts state; others unchecked if ``model.alone``. Paths of the offline agent
    stay."""
    if not context.agent.reads:
        return tuple(paths)
    claims = [_claims(path, excerpts[path.excerpt].text) for path in paths]
    stated = iter(are_stated([c for own in claims for c in own], context.space.embedder.embed))
    sound = [all(list(islice(stated, len(own)))) for own in claims]
    labels = context.settings.model.alone
    return tuple(replace(p, checked=ok) for p, ok in zip(paths, sound, strict=True) if ok or labels)


def relations_of(path: WrittenPath) -> tuple[str, ...]:
    """Return the relations of a path as they are shown: with a label where they are not checked."""
    relations = path.chain[1::2]
    return relations if path.checked else tuple(f"{r} ({NOT_CHECKED})" for r in relations)


def _claims(path: WrittenPath, sentence: str) -> list[RelationClaim]:
    names, relations = path.chain[::2], path.chain[1::2]
    return [RelationClaim(sentence, a, r, b) for a, r, b in zip(names, relations, names[1:], strict=False)]
