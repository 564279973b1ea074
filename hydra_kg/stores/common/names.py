"""Link candidates for names, as every store proposes them: equal once folded, else holding all words, else alike."""

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
"""How a name was found by its kind; titles count as aliases."""

POPULAR: Final = 8
"""Rows read per hit asked for: of very common words only the most popular names are seen."""


class NameIndex(Protocol[Row]):
    """The names of a store."""

    def exact(self, folds: Sequence[str]) -> Mapping[str, Sequence[Row]]:
        """Return the rows of folded names, by name."""

    def containing(self, words: Sequence[Sequence[str]], limit: int) -> Sequence[Row]:
        """Rows of names that hold, for every entry, one of its alternatives; there is one at least of each."""

    def hits(self, rows: Sequence[Row], limit: int, how: How | None) -> list[NameHit]:
        """One hit a class, best first; ``how`` None: as its kind of name says."""

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


def ranked(
    best: Mapping[int, tuple[int, str]], degree: Mapping[int, int], limit: int, how: How | None
) -> list[NameHit]:
    """Return the hits of classes by their least (kind, text): highest degree first, then by class."""
    order = sorted(best, key=lambda c: (-degree[c], c))[:limit]
    return [NameHit(c, best[c][1], how or KIND_HOW[best[c][0]], degree[c]) for c in order]
