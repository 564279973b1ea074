"""Split a question into words, with each mention as a single token, for the grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hydra_kg.domain import Mention
from hydra_kg.language.dates import month_number
from hydra_kg.language.lexicon import list_phrases, list_words, match_phrase
from hydra_kg.language.tokens import MARKS, Splitter, Word, number_pattern
from hydra_kg.plan.model import Named
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

MARK: Final = "_"
"""Text of a token that is a mention."""

_split: Final = Splitter("'’", numbers=number_pattern(), marks=MARKS)
_NEGATED: Final = {"won't": "will", "can't": "can", "cannot": "can", "shan't": "shall"}
_IS: Final = list_words("question_word third_person") | {"that", "there"}
_TOKEN_SYMBOLS: Final = frozenset(",:$€£¥%")
_ABBREVIATION: Final = 4
_ENDING: Final = frozenset(".?!？！。؟")
_ASIDE: Final = frozenset("()[];")


@dataclass(frozen=True, slots=True)
class QuestionToken:
    """A token of a question.

    text: folded word, ``_`` for a mention, or one of ``, : $ %``.
    start: its place in the question.
    raw: its original text.
    """

    text: str
    start: int
    raw: str
    mention: Mention | None = None


def readings(question: str, mentions: Sequence[Mention]) -> Iterator[tuple[QuestionToken, ...]]:
    """Yield the question's tokens, likeliest reading first.

    Further readings treat lower-case names as plain words ("physicist"). Nothing is yielded if a mention has no place
    in the question or no meaning.
    """
    placed = [m for m in mentions if 0 <= m.start < m.end <= len(question)]
    if len(placed) != len(mentions):
        return  # a given topic is not named in the question
    aside = list_phrases("aside") + list_phrases("polite_phrase")
    placed = [m for m in placed if tuple(fold(m.text).split()) not in aside]
    low = [m for m in placed if _is_low(m.text)]
    high = [m for m in placed if not _is_low(m.text)]
    sets = [high, placed] if low and high else [placed]
    sets += [[m for m in placed if m is not one] for one in low if len(placed) > 2 or (len(placed) > 1 and not high)]
    seen: list[list[Mention]] = []
    for chosen in sets:
        if chosen not in seen and all(m.chosen is not None for m in chosen):
            seen.append(chosen)
            tokens = _tokens(question, chosen)
            if tokens and not _unknown(tokens, question):
                yield tokens


def name_of(mention: Mention, noun: str = "") -> Named:
    """Return the meanings of a linked mention, likeliest first; an entity chosen by hand is the only meaning."""
    assert mention.chosen is not None  # readings() yields only linked mentions
    node = mention.chosen.node.id
    given = mention.chosen.how == "given"
    others = () if given else tuple(dict.fromkeys(c.node.id for c in mention.candidates if c.node.id != node))
    return Named(mention.text, node, others, noun)


def _is_low(text: str) -> bool:
    """Return True if a name has no capitals, except for abbreviations among other words: "physicist", "TV series"."""
    words = text.split()
    rest = [w for w in words if not (w.isupper() and len(w) <= _ABBREVIATION)]
    return bool(rest) and all(w == w.lower() for w in rest)


def _unknown(tokens: Sequence[QuestionToken], question: str) -> bool:
    """Return True if an unlinked word looks like a name."""
    shouted = question == question.upper()
    return not shouted and any(
        question[t.start].isupper() and t.start > 0 and not month_number(t.text) and not _is_short(t)
        for t in tokens
        if t.mention is None
    )


def _is_short(token: QuestionToken) -> bool:
    return token.raw.isupper() and len(token.raw) <= _ABBREVIATION


def words_of(question: str, mentions: Sequence[Mention]) -> tuple[QuestionToken, ...]:
    """Return the question's tokens, whatever its mentions mean, and even if it is more than one sentence."""
    placed = [m for m in mentions if 0 <= m.start < m.end <= len(question)]
    return tuple(t for t in _all(question, placed) if _is_word(t))


def _is_word(token: QuestionToken) -> bool:
    return token.text in _TOKEN_SYMBOLS or token.text == MARK or token.text.strip("-")[:1].isalnum()


def _all(question: str, mentions: Sequence[Mention]) -> list[QuestionToken]:
    found: list[QuestionToken] = []
    at = 0
    for m in sorted(mentions, key=lambda m: m.start):
        found += _words(question, at, m.start)
        found.append(QuestionToken(MARK, m.start, m.text, m))
        at = m.end
    return [*found, *_words(question, at, len(question))]


def _tokens(question: str, mentions: Sequence[Mention]) -> tuple[QuestionToken, ...]:
    """Return the question's tokens, or () if the text has two sentences."""
    ends = {m.end for m in mentions}  # the stop of "Jason Robards Jr." belongs to the name
    found = [t for t in _all(question, mentions) if not (t.text == "." and t.start in ends)]
    while found and found[-1].text in _ENDING | {",", ":", "'"}:
        found.pop()
    if any(t.text in _ENDING | _ASIDE for t in found):
        return ()
    return _without_asides(tuple(t for t in found if _is_word(t)))


def _words(question: str, start: int, end: int) -> Iterator[QuestionToken]:
    for word in _split(question, start, end):
        opening = word.start == 0 or question[word.start - 1].isspace()
        for text in _parts(word, opening=opening) if word.text != MARK else ():
            yield QuestionToken(text, word.start, question[word.start : word.full])


def _parts(word: Word, *, opening: bool) -> tuple[str, ...]:
    """Return the tokens of a word; "didn't" and "what's" are two each.

    opening: no character directly precedes the word.
    """
    low = word.text.casefold().replace("’", "'")
    if low in {"'s", "'"}:
        return () if opening else ("s",)
    if low in _NEGATED or low.endswith("n't"):
        return _NEGATED.get(low, low[:-3]), "not"
    if low[-1:] == "s" and low[:-1] in list_words("question_word"):  # "whats the capital of _"
        return low[:-1], "is"
    if word.owner:
        return fold(low), "is" if low in _IS else "s"
    return (fold(low).replace(" ", "") if low[0].isalpha() and "²" not in low else low,)


def _without_asides(tokens: tuple[QuestionToken, ...]) -> tuple[QuestionToken, ...]:
    """Return the tokens without asides such as "please" or "as far as the data says"."""
    words = [t.text for t in tokens]
    remaining: list[QuestionToken] = []
    i = 0
    while i < len(words):
        length = match_phrase(words, i, list_phrases("aside"))
        if length and not (length == 1 and i + 1 < len(words) and words[i + 1 : i + 2] == ["not"] and i == 0):
            i += length
            continue
        remaining.append(tokens[i])
        i += 1
    while remaining and remaining[-1].text == ",":
        remaining.pop()
    return tuple(remaining)
