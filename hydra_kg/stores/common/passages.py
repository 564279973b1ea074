"""Shared rules of full-text search: which words of a query are searched, and how passage ids are made."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any, Final, TypeVar

from hydra_kg.text.plain_text import storable

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
