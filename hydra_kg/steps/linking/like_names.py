"""Match names that the store lacks by spelling, and by dense entity matching (HydraRAG §4.1) among all names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from rapidfuzz.fuzz import ratio as percent_alike

from hydra_kg.domain import NameHit
from hydra_kg.events import Listener
from hydra_kg.ports import LikeNaming, Snapshot
from hydra_kg.steps.context import Context
from hydra_kg.steps.snapshots.snapshot_proxy import SnapshotProxy
from hydra_kg.text.folding import fold
from hydra_kg.text.typos import digits_of, is_misspelling
from hydra_kg.util.cancelling import alive

_LIKE_LETTERS: Final = 0.88  # share of letters in their order from which a name is taken for another, 0 to 1
LIKE_MEANING: Final = 0.8  # cosine from which a name is taken for another, 0 to 1
_MISSPELT_RATIO: Final = 82.0  # percent of letters that a misspelt name must share
_MISSPELT_LETTERS: Final = 4  # letters up to which a word is too short to be misspelt


Like = Callable[[Sequence[str]], list[list[NameHit]]]
"""For each stretch of the question the names that may be meant by it, the likeliest first."""

_PROPOSED: Final = 20
_SHORT: Final = 6
"""Letters of a name that may be misspelt as a whole; shorter ones have too many neighbours."""


def finder(snapshot: Snapshot, listener: Listener) -> Callable[[Sequence[str], int], list[list[NameHit]]] | None:
    """Return the function for :attr:`Context.like`; ``listener`` hears when the index must be made first."""
    inner = snapshot
    while isinstance(inner, SnapshotProxy):
        inner = inner.inner
    if not isinstance(inner, LikeNaming):
        return None
    named: LikeNaming = inner
    return lambda names, limit: alive(named.like(names, limit=limit, listener=listener))


def like_names(context: Context) -> Like | None:
    """Return the lookup of unknown names by ``linking.entities_by``, or None if ``off`` or not indexed."""
    by = context.settings.linking.entities_by
    if context.services.like is None or by == "off":
        return None
    return partial(_found, context, _by_letters if by == "letters" else _by_meaning)


def resembles(text: str, hit: NameHit) -> bool:
    """Return True if a text may be that name misspelled; short words have too many neighbours."""
    folded = fold(text)
    if hit.how != "near":
        return True
    names = [fold(name) for name in hit.text.split(", ")]
    if " " in folded and any(set(folded.split()) & set(name.split()) for name in names):
        return True  # one of several words is known, which may make it a name that the graph does not know
    alike = max(percent_alike(folded, name) for name in names)
    return len(folded) > _MISSPELT_LETTERS and alike >= _MISSPELT_RATIO


def _found(
    context: Context, accepted: Callable[[Context, str, Sequence[NameHit]], list[NameHit]], texts: Sequence[str]
) -> list[list[NameHit]]:
    long = [t for t in texts if len(fold(t)) >= _SHORT]
    like = context.services.like
    proposed = dict(zip(long, like(long, _PROPOSED), strict=True)) if like and long else {}
    return [accepted(context, t, proposed[t]) if proposed.get(t) else [] for t in texts]


def _by_letters(context: Context, text: str, hits: Sequence[NameHit]) -> list[NameHit]:
    """Return the names with nearly all letters in the same order and all digits, as far as typing errors go."""
    said, least = fold(text), 100 * _LIKE_LETTERS
    names = [[n for n in _names(h) if digits_of(n) == digits_of(said) and is_misspelling(said, n)] for h in hits]
    scores = [max((percent_alike(said, n) for n in own), default=0.0) for own in names]
    order = sorted(range(len(hits)), key=lambda i: -scores[i])
    return [hits[i] for i in order if scores[i] >= least]


def _by_meaning(context: Context, text: str, hits: Sequence[NameHit]) -> list[NameHit]:
    """Return the names whose vectors are near (H_T and H_S)."""
    vectors = context.space.embedder.embed([text, *(h.text for h in hits)])
    cosines = (vectors[1:] @ vectors[0]).tolist()
    scored = sorted(zip(cosines, hits, strict=True), key=lambda s: -s[0])
    return [h for cosine, h in scored if cosine >= LIKE_MEANING]


def _names(hit: NameHit) -> list[str]:
    """Return the names of a hit; aliases of one entity may be listed together, between commas."""
    return [fold(name) for name in dict.fromkeys([hit.text, *hit.text.split(", ")])]
