"""Find capitalised names in a sentence, and what each probably is: a person, a place or an organisation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Final

from hydra_kg.extract.word_classes import FUNCTION, PREPOSITIONS
from hydra_kg.language.dates import month_number
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.tokens import Token
from hydra_kg.util.fast_dataclass import dataclass

_TIGHT: Final = list_words("name_particle") | {"&", "'s"}
_PLACING: Final = list_words("before_place_name")
_FUNCTION: Final = list_words("function_in_names") | {"about", "as", "into"}
_STYLES: Final = list_words("title") | {"captain"}
_EACH: Final = list_words("each")
_DAYS: Final = list_words("weekday") | {"easter", "christmas"}
_ERAS: Final = frozenset("bc ad bce ce".split())
_PEOPLES: Final = ("ish", "ian", "ese", "ean", "ican", "ench", "erman", "utch", "reek", "orse", "elsh", "anish")
_LONG: Final = 7  # tokens of a name


@dataclass(frozen=True, slots=True)
class Name:
    """A name at the tokens ``first`` to ``last``. ``kinds``: what it may be, () for anything."""

    first: int
    last: int
    text: str
    kinds: frozenset[str]


def names(sentence: str, tokens: Sequence[Token], *, common: Collection[str] = ()) -> list[Name]:
    """Return the names of a sentence in order.

    ``common``: words in lower case that are not names at its beginning.
    """
    found: list[Name] = []
    at = 0
    while at < len(tokens):
        if not _opens(tokens, at, common):
            at += 1
            continue
        last = _last(tokens, at)
        first = _first(tokens, at, last)
        text = sentence[tokens[first].start : tokens[last].end]
        found.append(Name(first, last, text, _kinds(tokens, at, last)))
        at = last + 1
    return found


def _opens(tokens: Sequence[Token], at: int, common: Collection[str]) -> bool:
    token = tokens[at]
    if not token.capital or month_number(token.low) or token.low in _DAYS:
        return False
    if at and tokens[at - 1].text == "°":
        return False
    if token.low in _ERAS and at and tokens[at - 1].text[0].isdigit():
        return False
    initial = at == 0 or (tokens[at - 1].text in {'"', "“", "(", ":"} and token.text[:1].isupper())
    if at == 0 or initial:
        following = tokens[at + 1].capital if at + 1 < len(tokens) else False
        if token.low in FUNCTION or token.low in PREPOSITIONS or token.low in _EACH or token.low in common:
            return False
        if at == 0 and not following and token.low.endswith(("ly", "ing", "ed")):
            return False
    return token.low not in _FUNCTION or (token.text.isupper() and len(token.text) > 1)


def _last(tokens: Sequence[Token], at: int) -> int:
    """Return the position of the last token of the name that begins at ``at``.

    A name consists of capitalised words, numbers that follow them and small words between them.
    """
    last, i = at, at + 1
    while i < len(tokens) and i - at < _LONG:
        token = tokens[i]
        if token.capital or (token.text.isdigit() and len(token.text) < 3 and i == last + 1):
            if month_number(token.low) and i + 1 < len(tokens) and tokens[i + 1].text.isdigit():
                break
            last, i = i, i + 1
        elif token.low in _TIGHT and i + 1 < len(tokens) and tokens[i + 1].capital:
            if token.low == "'s" and tokens[last].capital and not _thing(tokens[i + 1].low):
                break
            i += 1
        elif token.low == "the" and _epithet(tokens, i):
            i += 1
        elif token.low == "of" and _of(tokens, at, i):
            i += 1 + (tokens[i + 1].low == "the")
        elif token.text in {'"', "“"} and (closed := _nickname(tokens, i)):
            i = closed
        elif token.text == "." and tokens[i - 1].text in {"St", "Dr", "Mr", "Mrs", "Ms", "Jr", "Sr", "Prof"}:
            i += 1
        else:
            break
    runs_on = last + 1 < len(tokens) and tokens[last + 1].word  # a line without a full stop: "Ravi Menon The prize"
    while runs_on and last > at and tokens[last].low in FUNCTION:
        last -= 1
    return last


def _epithet(tokens: Sequence[Token], at: int) -> bool:
    """Match an epithet that ends the name, such as "Alexander the Great"."""
    more = [t.capital for t in tokens[at + 1 : at + 3]]
    return more[:1] == [True] and more[1:] != [True]


def _nickname(tokens: Sequence[Token], at: int) -> int:
    """Return where a nickname in quotation marks within a name ends (Neil "Napoleon" Jones), or 0."""
    for end in range(at + 2, min(at + 4, len(tokens) - 1)):
        if tokens[end].text in {'"', "”"} and tokens[at + 1].capital and tokens[end + 1].capital:
            return end + 1
    return 0


def _of(tokens: Sequence[Token], at: int, i: int) -> bool:
    """Return whether "of" continues the name: "Museum of Bells", "University of the Arts".

    It does not in "Greta Hill of Ostrand".
    """
    following = i + 1 + (i + 1 < len(tokens) and tokens[i + 1].low == "the")
    if following >= len(tokens) or not tokens[following].capital:
        return False
    word = tokens[i - 1].low
    return word in _within() or _thing(word) or i - at == 1


def _thing(word: str) -> bool:
    return _within().get(word, "") in {"organisation", "place"}


def _first(tokens: Sequence[Token], at: int, last: int) -> int:
    """Return the first token of the name without titles such as "Dr"."""
    while at < last and tokens[at].low.rstrip(".") in _STYLES:
        at += 1 + (tokens[at + 1].text == "." and at + 1 < last)
    return at


def _kinds(tokens: Sequence[Token], first: int, last: int) -> frozenset[str]:
    inside = [t.low for t in tokens[first : last + 1]]
    for word in (inside[-1], *inside):
        if kind := _within().get(word):
            if kind == "person" and word != inside[0]:
                continue
            return frozenset({kind})
    if first == last and inside[0].endswith(_PEOPLES):
        return frozenset({"people"})
    before = tokens[first - 1].low if first else ""
    if before == "," and first > 1:
        before = tokens[first - 2].low if _before().get(tokens[first - 2].low) == "person" else before
    if kind := _before().get(before):
        return frozenset({kind})
    if before in {"of", "the"} and first > 1 and (kind := _before().get(tokens[first - 2].low)) and kind != "person":
        acts = first > 3 and tokens[first - 4].low in {"by", "to"}
        return frozenset({kind, "organisation"}) if acts else frozenset({kind})
    if "&" in inside:
        return frozenset({"organisation"})
    if before in _PLACING:
        return frozenset({"place"})
    if inside[0].isupper() and len(inside) == 1:
        return frozenset({"organisation"})
    return frozenset()


@cache
def _within() -> Mapping[str, str]:
    return _table("within")


@cache
def _before() -> Mapping[str, str]:
    return _table("before")


def _table(where: str) -> Mapping[str, str]:
    rows = lexicon_table("titles")
    return {w: kind for kind, place, words in rows if place == where for w in words.split()}
