"""Shared rules of search in names and passages: candidates for names, searched words, stems, and bm25 scores."""

from __future__ import annotations

import hashlib
import math
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any, Final, Literal, Protocol, TypeVar

from hydra_kg.domain import NameHit
from hydra_kg.ports import Reach
from hydra_kg.text.folding import fold, tokens
from hydra_kg.text.plain_text import storable
from hydra_kg.text.typos import Vocabulary, meant

Word = TypeVar("Word", bound=Any)

_STOP: Final = (
    "a about all also an and any are as at be been but by can could did do does for from had has have he her his how i"
    " if in into is it its many me more most much my no not of on or our she so than that the their them then there"
    " these they this to up was we were what when where which who whom whose why will with would you your"
)
STOP: Final = frozenset(_STOP.split())
"""Words that are searched only if a query has no others, because nearly every passage contains them."""

TITLE_WEIGHT: Final = 4.0
"""How often a word of the title counts. With 3 to 6 the page with the answer is found more often than with 1."""

WORDS: Final = 40  # words of a query that are looked at
MATCHES: Final = 6_000  # ranking costs a microsecond or two a match: rare words come first, until there are so many
UNRANKED: Final = 20_000  # a query with no rarer word gets the first passages instead of the best
_TABLES = """
CREATE VIRTUAL TABLE passage USING fts5(title, text, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE token USING fts5vocab(passage, instance);
"""
_K1, _B = 1.2, 0.75  # FTS5's own
How = Literal["name", "alias", "tokens", "near", "like"]
Row = TypeVar("Row")

KIND_HOW: Final[Mapping[int, How]] = {0: "name", 1: "alias", 2: "alias"}
"""How a name was found, by its kind. Titles count as aliases."""

POPULAR: Final = 8
"""Rows read per requested hit. Of very common words, only the most popular names are seen."""


def words(query: str) -> list[str]:
    """Return the words of a query that are worth searching, each once."""
    found = list(dict.fromkeys(re.findall(r"\w+", storable(query).casefold())))
    return [w for w in found if w not in STOP][:WORDS] or found[:WORDS]


def passage_id(source: str, url: str, title: str, text: str) -> str:
    """Return the id of a passage. It is the same in every store and does not depend on earlier loads."""
    joined = "\x1f".join((source, url, title, text))
    return "p" + hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:15]


def rarest(counted: Iterable[tuple[int, Word]]) -> tuple[list[Word], bool]:
    """Return the words to search for, rarest first, and whether even the rarest is too common for ranking."""
    known = sorted((n, word) for n, word in counted if n)
    total, chosen = 0, list[Word]()
    for n, word in known:
        total += n
        if chosen and total > MATCHES:
            break
        chosen.append(word)
    return chosen, bool(known) and known[0][0] > UNRANKED


def stem_passages(passages: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return the stemmed words of each (title, text), in order, repeats included."""
    out: list[list[str]] = [[] for _ in passages]
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(_TABLES)
        rows = ((n, title, text) for n, (title, text) in enumerate(passages))
        db.executemany("INSERT INTO passage (rowid, title, text) VALUES (?, ?, ?)", rows)
        for n, term in db.execute("SELECT doc, term FROM token ORDER BY doc, col DESC, offset"):
            out[n].append(term)
    return out


def bm25(
    words: Sequence[str],
    asked: Sequence[Sequence[str]],
    *,
    title: int = 0,
    found: Mapping[str, int],
    passages: int,
    tokens: int,
) -> float:
    """Return the score of a passage; higher is better.

    The formula is BM25 as FTS5 computes it (section "The bm25() function" of the FTS5 documentation).

    Args:
        words: the words of the passage, those of its title first.
        title: the number of words of the title, each of which counts ``TITLE_WEIGHT`` times.
        asked: the stems of each word of the query (nearly always one).
        found: the number of the load's ``passages`` in which a stem occurs.
        passages: the number of passages of the load.
        tokens: the number of words in all its passages.
    """
    average, score = tokens / max(passages, 1) or 1.0, 0.0
    for stems in asked:
        width = len(stems)
        at = (i for i in range(len(words) - width + 1) if list(words[i : i + width]) == list(stems))
        often = sum(TITLE_WEIGHT if i < title else 1.0 for i in at)
        if often:
            hits = min(found.get(s, 0) for s in stems)
            idf = math.log((passages - hits + 0.5) / (hits + 0.5))
            score += max(idf, 1e-6) * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * len(words) / average))
    return score


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
