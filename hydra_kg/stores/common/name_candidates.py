"""Finds candidates for names in every store: equal when folded, else containing all words, else similar words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, Protocol, TypeVar

from hydra_kg.domain import NameHit
from hydra_kg.ports import Reach
from hydra_kg.text.folding import fold, tokens
from hydra_kg.text.plain_text import storable
from hydra_kg.text.typos import Vocabulary, meant

How = Literal["name", "alias", "tokens", "near", "like"]
Row = TypeVar("Row")

KIND_HOW: Final[Mapping[int, How]] = {0: "name", 1: "alias", 2: "alias"}
"""How a name was found, by its kind. Titles count as aliases."""

POPULAR: Final = 8
"""Rows read per requested hit. Of very common words, only the most popular names are seen."""


class NameIndex(Protocol[Row]):
    """The interface to the names of a store."""

    def exact(self, folds: Sequence[str]) -> Mapping[str, Sequence[Row]]:
        """Return the rows of folded names, by name."""

    def containing(self, words: Sequence[Sequence[str]], limit: int) -> Sequence[Row]:
        """Return rows of names that contain, for every entry of ``words``, at least one of its alternatives.

        Every entry has at least one alternative.
        """

    def hits(self, rows: Sequence[Row], limit: int, how: How | None) -> list[NameHit]:
        """Return one hit per class, best first. If ``how`` is None, the kind of name decides how it was found."""

    def vocabularies(self) -> Iterable[Vocabulary]:
        """Return the words of all names."""


def find_names(index: NameIndex[Row], names: Sequence[str], *, limit: int, reach: Reach) -> list[list[NameHit]]:
    """See :meth:`hydra_kg.ports.Snapshot.find`."""
    folds = [fold(storable(name)) for name in names]
    exact = index.exact(sorted(set(folds) - {""}))
    done: dict[str, list[NameHit]] = {}
    known: dict[str, list[str]] = {}

    def containing(words: Sequence[Sequence[str]], how: How) -> list[NameHit]:
        return index.hits(index.containing(words, limit), limit, how) if words and all(words) else []

    for text in folds:
        if text not in done:
            hits = index.hits(exact.get(text, []), limit, None)
            if not hits and reach != "exact":
                words = sorted(set(tokens(text)))
                hits = containing([[w] for w in words], "tokens")
                if not hits and reach == "near":
                    hits = containing(meant(words, index.vocabularies, known), "near")
            done[text] = hits
    return [list(done[text]) for text in folds]


def rank_hits(
    best: Mapping[int, tuple[int, str]], degree: Mapping[int, int], limit: int, how: How | None
) -> list[NameHit]:
    """Return hits for classes, highest degree first, then by class. Each class shows its least (kind, text)."""
    order = sorted(best, key=lambda c: (-degree[c], c))[:limit]
    return [NameHit(c, best[c][1], how or KIND_HOW[best[c][0]], degree[c]) for c in order]
