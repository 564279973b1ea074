"""Turn nested questions into chains of clauses, by closed classes of words and their order.

``what is the capital of the country where _ was born``: ``the country where _ was born``, ``what is the capital of _``.
"""

from __future__ import annotations

from typing import Final

from hydra_kg.domain import Clause
from hydra_kg.extract.word_classes import (
    ASKING,
    AUXILIARY,
    DETERMINER,
    NOUN,
    NUMBER,
    PREPOSITION,
    RELATIVES,
    VERB,
    kind,
)
from hydra_kg.language.lexicon import list_words
from hydra_kg.util.fast_dataclass import dataclass

MARK: Final = "_"
"""Placeholder for what a clause is about: a name in the question, or the result of the clause before it."""

MOST: Final = 3
"""The most clauses of a question. If there are more, the innermost ones are answered as one."""

_FEWEST: Final = 4
"""The fewest words of a question with an inner clause: "age _ s wife"."""
_RELATIVE: Final = RELATIVES | {"when"}
_SUPPORT: Final = list_words("modal do")
_BARE: Final = list_words("base_verb")
_NAMING: Final = list_words("naming_noun")
_EMPTY: Final = list_words("empty_in_clause")
_WITH: Final = frozenset({"with", "containing", "including"})
_ING: Final = 5  # letters of the longest noun in -ing that is no participle: "thing", not "bordering"


@dataclass(frozen=True, slots=True)
class _ClauseSpan:
    first: int
    last: int  # inclusive
    noun: str


def clauses(pattern: str) -> tuple[Clause, ...]:
    """Return the clauses of a folded question with ``_`` for names, innermost first; () for one clause or no name."""
    words = pattern.split()
    if len(words) < _FEWEST:
        return ()
    found: list[Clause] = []
    while len(found) < MOST - 1 and (span := _inner(words)) is not None:
        rest = [*words[: span.first], MARK, *words[span.last + 1 :]]
        if not _asks(rest, span.first):
            break
        found.append(Clause(" ".join(words[span.first : span.last + 1]), span.noun))
        words = rest
    return (*found, Clause(" ".join(words))) if found else ()


def _inner(words: list[str]) -> _ClauseSpan | None:
    """Return the innermost phrase around a name that refers to another entity."""
    spans = []
    for at, word in enumerate(words):
        if word == MARK:
            spans += [s for find in (_owned, _of, _related) if (s := find(words, at)) is not None]
    return min(spans, key=lambda s: (s.last - s.first, s.first), default=None)


def _owned(words: list[str], at: int) -> _ClauseSpan | None:
    """Match a possessive such as ``_ s first wife``."""
    if words[at + 1 : at + 2] != ["s"]:
        return None
    end = at + 2
    while end < len(words) and _nominal(words[end]) and words[end] not in _BARE:
        end += 1
    if end == len(words) and end - at > 3 and _SUPPORT & set(words[:at]):
        end -= 1  # "what college did _ s father attend": the last is the verb
    return _ClauseSpan(at, end - 1, words[end - 1]) if end > at + 2 else None


def _of(words: list[str], at: int) -> _ClauseSpan | None:
    """Match a clause such as ``the wife of _``."""
    if words[at - 1 : at] != ["of"] or at < 3:
        return None
    start = _noun_phrase(words, at - 1)
    if start is None or words[start] != "the" or words[at - 2] in _NAMING:
        return None
    return _ClauseSpan(start, at, words[at - 2])


def _related(words: list[str], at: int) -> _ClauseSpan | None:
    """Match a clause such as ``the team that _ owns``, ``the film directed by _`` or ``the team _ owns``."""
    pronoun = next((i for i in range(at - 1, 0, -1) if words[i] in _RELATIVE and words[i - 1] not in ASKING), None)
    if pronoun is not None:
        begins = pronoun - (kind(words[pronoun - 1]) == PREPOSITION)
        last = _end(words, at, complete=pronoun + 1 < at, stranded=words[pronoun] not in {"where", "when"})
    else:
        opened = _participle(words, at)
        begins = at if opened is None else opened
        last = _end(words, at, complete=opened is not None, stranded=True)
        if opened is None and not _reduced(words, at, last):
            return None
    start = _noun_phrase(words, begins)
    if start is None or (start and words[start - 1] in ASKING):
        return None
    return _ClauseSpan(start, last, words[begins - 1])


def _reduced(words: list[str], at: int, last: int) -> bool:
    """Return whether a relative clause without a pronoun follows the name: ``the country _ is located in``."""
    if last == at:
        return False
    following = kind(words[at + 1])
    return kind(words[last]) == PREPOSITION if following == AUXILIARY else following not in {PREPOSITION, NUMBER}


def _participle(words: list[str], at: int) -> int | None:
    """Return where ``directed by``, ``starring`` or ``with the capital`` begins, at most four words before the name."""
    for i in range(at - 1, max(at - 5, 1), -1):
        if _opens(words[i]) and kind(words[i - 1]) == NOUN:
            return i
        if kind(words[i]) not in {PREPOSITION, DETERMINER, NOUN} or words[i] in ASKING:
            break
    return None


def _opens(word: str) -> bool:
    return word in _WITH or kind(word) == VERB or (word.endswith("ing") and kind(word) == NOUN and len(word) > _ING)


def _noun_phrase(words: list[str], end: int) -> int | None:
    """Return where the noun phrase that ends before ``end`` begins, or None if there is none."""
    start = end
    while start and _nominal(words[start - 1]) and end - start < 5:
        start -= 1
    if start == end:
        return None
    return start - 1 if start and kind(words[start - 1]) == DETERMINER else start


def _end(words: list[str], at: int, *, complete: bool, stranded: bool) -> int:
    """Return the end of a clause through ``at``.

    ``complete`` says that its verb came before. ``stranded`` says that a final preposition belongs to the noun before
    ("the team that _ plays for").
    """
    i = at + 1
    if not complete:
        while i < len(words) and kind(words[i]) == AUXILIARY:
            i += 1
        if i < len(words) and kind(words[i]) == DETERMINER:
            while i < len(words) and kind(words[i]) != PREPOSITION:
                i += 1
        elif i < len(words) and words[i] != "s":
            i += 1
        if stranded and i < len(words) and kind(words[i]) == PREPOSITION:
            return i
    while i + 1 < len(words) and kind(words[i]) == PREPOSITION and words[i + 1] != MARK:
        i += 1
        while i < len(words) and kind(words[i]) in {DETERMINER, NOUN, NUMBER} and words[i] != MARK:
            i += 1
    return i - 1


def _nominal(word: str) -> bool:
    return word != MARK and word not in _SUPPORT | ASKING and kind(word) in {NOUN, NUMBER, "R"} and word != "s"


def _asks(words: list[str], at: int) -> bool:
    """Return whether the words around the phrase at ``at`` ask for something about it, not only for what it is."""
    before, after = words[:at], words[at + 1 :]
    if before and before[0] in ASKING and not _content(after) and (not after or kind(after[-1]) != PREPOSITION):
        while len(before) > 1 and _nominal(before[1]) and len(before) > 2:
            before = [before[0], *before[2:]]  # "what country is _": the noun says what the phrase is
    return after[-1:] == ["from"] or _content([*before, *after])


def _content(words: list[str]) -> bool:
    rest = [w for w in words if w not in _EMPTY and w not in ASKING | _SUPPORT and w != MARK]
    return any(kind(w) not in {AUXILIARY, PREPOSITION, DETERMINER, NUMBER} for w in rest)
