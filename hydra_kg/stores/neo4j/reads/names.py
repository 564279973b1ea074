"""Proposing link candidates: names equal once folded, names that hold all words, names within typing errors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from hydra_kg import ids
from hydra_kg.domain import NameHit
from hydra_kg.ports import Reach
from hydra_kg.stores.neo4j.reads.reading import BATCH, Reader
from hydra_kg.text.folding import fold, tokens
from hydra_kg.text.quoting import lucene_phrases
from hydra_kg.text.typos import meant

How = Literal["name", "alias", "tokens", "near"]
Hit = tuple[int, int, str]  # node, kind, text

KIND_HOW: Final[dict[int, How]] = {0: "name", 1: "alias", 2: "alias"}
POPULAR: Final = 8  # rows read per hit asked for: of very common words only the most popular names are seen
LONGEST: Final = 500  # characters of a folded name that an index takes as they are


def clean(text: str) -> str:
    """A text that can be stored: lone surrogates, which are no characters, become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def fold_key(folded: str) -> str:
    """A folded name as it is indexed: long ones, which an index would refuse, by their checksum."""
    if len(folded) <= LONGEST:
        return folded
    return f"{folded[:LONGEST]} {hashlib.sha256(folded.encode()).hexdigest()}"


def find(reader: Reader, names: Sequence[str], *, limit: int, reach: Reach) -> list[list[NameHit]]:
    """See :meth:`hydra_kg.ports.Snapshot.find`. Titles count as aliases."""
    folds = [fold(clean(name)) for name in names]
    exact = _exact(reader, sorted(set(folds) - {""}))
    done: dict[str, list[NameHit]] = {}
    known: dict[str, list[str]] = {}
    for text in folds:
        if text not in done:
            hits = _hits(reader, exact.get(fold_key(text), []), limit, None)
            if not hits and reach != "exact":
                words = sorted(set(tokens(text)))
                hits = _containing(reader, [[w] for w in words], limit, "tokens")
                if not hits and reach == "near":
                    hits = _containing(reader, meant(words, lambda: reader.vocabularies, known), limit, "near")
            done[text] = hits
    return [list(done[text]) for text in folds]


def lookup(reader: Reader, keys: Sequence[str]) -> list[int | None]:
    """See :meth:`hydra_kg.ports.Snapshot.lookup`."""
    found, known = reader.classes_of(ids.encode_many(keys))
    return [c if is_known else None for c, is_known in zip(found.tolist(), known.tolist(), strict=True)]


def _exact(reader: Reader, folds: Sequence[str]) -> dict[str, list[Hit]]:
    found: dict[str, list[Hit]] = {}
    wanted = [fold_key(text) for text in folds]
    for i in range(0, len(wanted), BATCH):
        rows = reader.db.read("names_exact", {"folds": wanted[i : i + BATCH], "loads": reader.numbers})
        for text, _, node, kind, name in rows:
            found.setdefault(text, []).append((node, kind, name))
    return found


def _containing(reader: Reader, words: Sequence[Sequence[str]], limit: int, how: How) -> list[NameHit]:
    """Names that hold, for every entry, one of its alternatives."""
    if not words or not all(words):
        return []
    query = " AND ".join(f"({lucene_phrases(alternatives)})" for alternatives in words)
    found = [
        (node, kind, text)
        for load in reader.numbers
        for node, kind, text in reader.db.read(
            "names_containing", {"query": query, "load": load, "limit": POPULAR * limit}
        )
    ]
    return _hits(reader, found, limit, how)


def _hits(reader: Reader, found: Sequence[Hit], limit: int, how: How | None) -> list[NameHit]:
    """One hit a class, from its least (kind, text); highest degree first, then by class id."""
    if not found:
        return []
    best: dict[int, tuple[int, str]] = {}
    for c, (_, kind, text) in zip(
        reader.classes.of(np.array([node for node, _, _ in found], np.int64)).tolist(), found, strict=True
    ):
        if c not in best or (kind, text) < best[c]:
            best[c] = (kind, text)
    classes = np.array(list(best), np.int64)
    degree = dict(zip(best, reader.classes.degree(classes).tolist(), strict=True))
    order = sorted(best, key=lambda c: (-degree[c], c))[:limit]
    return [NameHit(c, best[c][1], how or KIND_HOW[best[c][0]], degree[c]) for c in order]
