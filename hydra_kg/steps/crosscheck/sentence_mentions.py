"""Find where a sentence names a thing: by a name, a part of it, or a word that stands for the page's subject."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.tokens import split_words
from hydra_kg.steps.retrieval.entity_types import Kinds, kinds_named
from hydra_kg.text.folding import flat

Span = tuple[int, int]

_PRONOUN: Final = re.compile(r"\b(?:he|she|it|they|his|her|hers|him|its|their|them|here|there|this|these|such)\b")
_NOUN: Final = re.compile(r"\bthe (?:[a-z]+ )?([a-z]+)\b")
_OPENING: Final = re.compile(
    r"[\"'(\[]*(?:(?:in|on|by|since|after|before|during) [^,]{1,40}, ?)?(?:he|she|it|they|his|her|its|their)\b"
)
_OPENING_NOUN: Final = re.compile(
    r"[\"'(\[]*(?:(?:in|on|by|since|after|before|during) [^,]{1,40}, ?)?the ([a-z]{3,})\b"
)
_LONGER: Final = re.compile(r" (?:[A-ZÀ-Þ][^\W\d_]|[0-9])|[-–][A-ZÀ-Þ]")
_LEAST: Final = 3  # characters of a part of a name that stands for the whole
_GENERIC: Final = list_words("generic_noun")
_LINKS: Final = list_words("joins_names")


class Naming:
    """Finder of the names of one thing in texts.

    Names match as whole words, longest first, and not inside longer names ("Toy Story 2"). A part of a name ("Nixon",
    "Seneca") counts only in a text that has the whole name.
    """

    def __init__(self, names: Iterable[str]) -> None:
        wholes = sorted({_words(n) for n in names} - {()}, key=lambda w: (-len(w), w))
        parts = sorted({p for w in wholes for p in _parts(w)}, key=lambda w: (-len(w), w))
        self._names = frozenset(" ".join(w) for w in wholes)
        self.words = frozenset(w for name in wholes for w in name)
        self._whole, self._part = _pattern(wholes), _pattern(parts)

    def whole(self, text: str, low: str) -> Span | None:
        """Return where a text has a whole name; ``low`` is the same text, folded."""
        return _found(self._whole, text, low)

    def part(self, text: str, low: str) -> Span | None:
        """Return where a text has a whole name, or a part of a name that stands for it."""
        return self.whole(text, low) or _found(self._part, text, low)

    def is_name(self, text: str) -> bool:
        """Return True if a text is one of the names."""
        return " ".join(_words(text)) in self._names


def _words(text: str) -> tuple[str, ...]:
    return tuple(w.text for w in split_words(flat(text)))


def stands_for_subject(low: str, kinds: Kinds) -> bool:
    """Return True if a flat sentence has a word for a subject of these kinds: "it", "the city"."""
    return _PRONOUN.search(low) is not None or any(kinds_named(m[1]) & kinds for m in _NOUN.finditer(low))


def begins_with_subject(low: str) -> bool:
    """Return True if a flat sentence begins with such a word, perhaps after a time."""
    return _OPENING.match(low) is not None


def begins_with_kind(low: str, opening: str) -> bool:
    """Return True if a sentence begins with "the town" and the first sentence of its page says "is a town".

    Both texts are flat.
    """
    found = _OPENING_NOUN.match(low)
    return found is not None and re.search(rf"\b(?:is|was|are|were) an? [^.]*?\b{found[1]}\b", opening) is not None


def _parts(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    if not 1 < len(words) < 5 or _LINKS.intersection(words):
        return []
    part = words[:-1] if words[-1] in _GENERIC else words[-1:]
    return [part] if len(" ".join(part)) >= _LEAST and not part[0].isdigit() else []


def _pattern(names: Iterable[tuple[str, ...]]) -> re.Pattern[str] | None:
    texts = [r"\W{1,3}".join(map(re.escape, words)) for words in names]
    return re.compile(rf"(?<!\w)(?:{'|'.join(texts)})(?!\w)") if texts else None


def _found(pattern: re.Pattern[str] | None, text: str, low: str) -> Span | None:
    for m in pattern.finditer(low) if pattern is not None else ():
        if not _LONGER.match(text, m.end()):
            return m.span()
    return None
