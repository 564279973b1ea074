"""The names of an own graph as sorted hashes: a question finds its words there, and no other name becomes an object."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.language.morphology import family_stem, singular, singular_in_lines
from hydra_kg.language.tokens import fold_words, split_words, without_possessives
from hydra_kg.text.folding import fold_lines
from hydra_kg.text.text_column import hash_pieces, hash_text
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.number_columns import intersect, sort_distinct

_Hashes = npt.NDArray[np.uint64]
_Places = npt.NDArray[np.int32]

FAMILY: Final = 6
"""Least letters of a word that may match another word of the same family."""
_PAGE: Final = 10_000
"""Names that are folded together."""
_CAPITALS: Final = 3
"""Capitalised words of a name that has initials."""
_CAPITAL: Final = np.array([65 <= c <= 90 or c > 127 for c in range(256)], np.bool_)
"""Bytes with which a capitalised word may begin."""
_ALNUM: Final = np.array([chr(c).isalnum() and c < 128 for c in range(256)], np.bool_)
_DIGIT: Final = np.array([chr(c).isdigit() and c < 128 for c in range(256)], np.bool_)
_SPACE: Final = 32
_LINE: Final = 10


class PlacesByText(Mapping[str, list[int]]):
    """Places by a text, which is kept as its hash alone, so that the texts cannot be listed."""

    def __init__(self, pages: Sequence[tuple[_Hashes, _Places]]) -> None:
        hashes = np.concatenate([np.zeros(0, np.uint64), *(h for h, _ in pages)])
        order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[order]
        self._places = np.concatenate([np.zeros(0, np.int32), *(p for _, p in pages)])[order]

    def find(self, text: str) -> Ids:
        """Return the places of a text, ascending, each once."""
        number = np.uint64(hash_text(text))
        low, high = (int(np.searchsorted(self._hashes, number, side)) for side in ("left", "right"))
        return sort_distinct(self._places[low:high].astype(np.int64))

    def find_all(self, texts: Iterable[str]) -> list[int]:
        """Return the places that have all of some texts."""
        found = sorted((self.find(text) for text in texts), key=len)
        common: list[int] = reduce(intersect, found).tolist() if found else []
        return common

    def __getitem__(self, text: str) -> list[int]:
        if not (places := self.find(text).tolist()):
            raise KeyError(text)
        return list(places)

    def __contains__(self, text: object) -> bool:
        number = np.uint64(hash_text(str(text)))
        return bool((self._hashes[np.searchsorted(self._hashes, number) :][:1] == number).any())

    def __len__(self) -> int:
        return int((np.diff(self._hashes) != 0).sum()) + bool(len(self._hashes))

    def __iter__(self) -> Iterator[str]:
        raise NotImplementedError


class GraphNames:
    """Places by folded name in singular words, or by initials (``names``), and by each word of a name (``tokens``).

    Args:
        texts: all names of all places, in UTF-8.
        places: the place of each name, ascending.
        is_value: whether a place is a value, not a thing with a name of its own; one for each place.
    """

    def __init__(self, texts: Iterable[bytes], places: Ids, is_value: npt.NDArray[np.bool_]) -> None:
        self._is_value = is_value
        self._folded: list[tuple[bytes, _Places]] = []
        self._initials: list[str] = []
        whole, words, rest = [], [], iter(texts)
        for at in check_between(range(0, len(places), _PAGE), every=1):
            here = places[at : at + _PAGE].astype(np.int32)
            raw = list(islice(rest, len(here)))
            lines = _fold_page(raw)
            self._folded.append((lines, here))
            starts, ends = _pieces(lines, [_LINE])
            whole.append(_hash_pieces(lines, starts, ends, here))
            first, last = _pieces(lines, [_LINE, _SPACE])
            words.append(_hash_pieces(lines, first, last, here[np.searchsorted(starts, first, "right") - 1]))
            short, having = _read_initials(raw)
            self._initials += short
            heap = "\n".join(short).encode()
            whole.append(_hash_pieces(heap, *_pieces(heap, [_LINE]), here[having]))
        self.names, self.tokens = PlacesByText(whole), PlacesByText(words)

    def without_digits(self) -> list[str]:
        """Return the names and initials without digits, each once, in the order of their places."""
        return list(dict.fromkeys([*(text for text, _ in self._without_digits()), *self._initials]))

    @cached_property
    def families(self) -> Mapping[str, set[str]]:
        """Return the values of one longer word, by its stem."""
        found: dict[str, set[str]] = defaultdict(set)
        for text, place in self._without_digits():
            if len(text) >= FAMILY and self._is_value[place] and text.isalpha():
                found[family_stem(text)].add(text)
        return dict(found)

    def _without_digits(self) -> Iterator[tuple[str, int]]:
        for lines, places in check_between(self._folded, every=1):
            starts, ends = _pieces(lines, [_LINE])
            digits = np.flatnonzero(_DIGIT[np.frombuffer(lines, np.uint8)])
            good = ends > starts
            good[np.searchsorted(starts, digits, "right") - 1] = False
            for a, b, place in zip(starts[good].tolist(), ends[good].tolist(), places[good].tolist(), strict=True):
                yield lines[a:b].decode("utf-8", "surrogatepass"), place


def _fold_page(raw: Sequence[bytes]) -> bytes:
    """Return the names as lines of folded words in the singular."""
    plain = [text.replace(b"\n", b" ") if text.isascii() else b"" for text in raw]
    lines = singular_in_lines(fold_lines(without_possessives(b"\n".join(plain).decode()).encode()).decode()).encode()
    if others := [n for n, text in enumerate(raw) if not text.isascii()]:
        split = lines.split(b"\n")
        for n in others:
            words = fold_words(raw[n].decode("utf-8", "surrogatepass"))
            split[n] = " ".join(map(singular, words)).encode("utf-8", "surrogatepass")
        lines = b"\n".join(split)
    return lines


def _read_initials(raw: Sequence[bytes]) -> tuple[list[str], list[int]]:
    """Return the initials of names of three or more capitalised words, and the places of these names."""
    heap = np.frombuffer(b"\n".join(raw), np.uint8)
    starts = np.append(0, np.cumsum([1 + len(text) for text in raw]))[:-1]
    capital = np.flatnonzero(_CAPITAL[heap] & ~_ALNUM[np.append(np.uint8(_LINE), heap[:-1])])
    counts = np.bincount(np.searchsorted(starts, capital, "right") - 1, minlength=len(raw))
    several = np.flatnonzero(counts >= _CAPITALS).tolist()
    known = [(n, short) for n in several if (short := _initials(raw[n].decode("utf-8", "surrogatepass")))]
    return [short for _, short in known], [n for n, _ in known]


def _initials(text: str) -> str:
    """Return the initials of a name of three or more capitalised words, in lower case, or ""."""
    parts = [w.text for w in split_words(text) if w.text[0].isupper()]
    return "".join(p[0] for p in parts).lower() if len(parts) >= _CAPITALS else ""


def _pieces(heap: bytes, marks: Sequence[int]) -> tuple[Ids, Ids]:
    """Return where each piece between marks begins and ends; an empty heap has none."""
    column = np.frombuffer(heap, np.uint8)
    if not len(column):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    cuts = np.flatnonzero(np.isin(column, np.array(marks, np.uint8)))
    return np.append(0, cuts + 1), np.append(cuts, len(column))


def _hash_pieces(heap: bytes, starts: Ids, ends: Ids, places: _Places) -> tuple[_Hashes, _Places]:
    """Return the hashes of pieces of a text, with the place of each; empty pieces are left out."""
    some = ends > starts
    return hash_pieces(heap, starts[some], ends[some]), places[some]
