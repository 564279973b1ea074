"""Find other names of a document's subject: short forms of its title, and names after words like "also called"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hydra_kg.extract.mentions import plain_title
from hydra_kg.extract.word_classes import FUNCTION

_ALSO: Final = re.compile(
    r"(?:also (?:called|known as|spelled|written)|known as|abbreviated(?: as| to)?|or simply|short for|nicknamed)"
    r" (?:the )?[\"“'‘]?([A-Z][\w&.'’-]*(?: [A-Z][\w&.'’-]*){0,4})"
)
_BRACKETED: Final = re.compile(r"\(([A-Z][A-Za-z]*[A-Z][A-Za-z]*|[A-Z]{2,8})\)")
_PREFIX: Final = re.compile(r"[A-Z]{2,4}")
_SHORT: Final = 4  # letters of a word that may be a name alone
_FIRST: Final = 400  # characters at the beginning of a text that say what a thing is also called


def aliases(title: str, paragraphs: Sequence[str]) -> list[str]:
    """Return names other than the title, without repeats, in the order in which they are found."""
    plain = plain_title(title)
    found = [plain, plain.partition(",")[0], plain.removeprefix("The "), *_ways(plain)]
    words = plain.removeprefix("The ").partition(",")[0].split()  # behind a comma stands where it is
    if len(words) > 1 and _PREFIX.fullmatch(words[0]):
        found.append(" ".join(words[1:]))
    text = " ".join(paragraphs)
    found += [short for short in _parts(words) if _stands(short, plain, text)]
    opening = text[:_FIRST]
    found += [m[1] for m in _ALSO.finditer(opening)]
    found += [m[1] for m in _BRACKETED.finditer(opening)]
    names = (name.strip(" ,.") for name in found)
    return [name for name in dict.fromkeys(names) if len(name) > 1 and name != title]


def _ways(title: str) -> list[str]:
    """Return the title with "and" for "&" or with "&" for "and", or nothing if it has neither."""
    if " & " in title:
        return [title.replace(" & ", " and ")]
    return [title.replace(" and ", " & ")] if " and " in title else []


def _parts(words: Sequence[str]) -> list[str]:
    """Return beginnings and ends of a title, the longest first."""
    found = [(" ".join(words[:n]), " ".join(words[-n:])) for n in range(len(words) - 1, 0, -1)]
    return [part for pair in found for part in pair if _may_be_name(part)]


def _may_be_name(part: str) -> bool:
    words = part.split()
    ends = words[0].lower() in FUNCTION or words[-1].lower() in FUNCTION | {"&"}
    return words[0][:1].isupper() and not ends and (len(words) > 1 or len(words[0]) >= _SHORT)


def _stands(short: str, title: str, text: str) -> bool:
    """Return True if a text uses the words as its subject's name: alone, outside longer names."""
    rest = text.replace(title, " ")
    alone = rf"(?<![\w&-])(?<![A-Z]\. ){re.escape(short)}(?![\w-])(?! [A-Z&])"
    places = [m.start() for m in re.finditer(alone, rest)]
    lower = re.search(rf"\b{re.escape(short.lower())}\b", rest) is not None
    inside = [p for p in places if p > 1 and rest[p - 2] not in ".!?" and not _follows_capital(rest, p)]
    return (bool(inside) or len(places) > 1) and not lower


def _follows_capital(text: str, at: int) -> bool:
    """Return True if the word directly before is capitalised."""
    before = re.search(r"([A-Z][\w'’.-]*) (?:of )?$", text[max(at - 30, 0) : at])
    return before is not None and before[1].lower() not in FUNCTION
