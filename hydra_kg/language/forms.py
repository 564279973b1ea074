"""Write forms of questions and phrases in a simple notation, for people who write no regular expressions.

    who (wrote|penned) [the ]_       one of several, something optional, and "_" for a name
    birth[ ]place* … _               "*" any letters up to the end (or from the beginning) of a word, "…" any text
    {different |distinct }           any number of these, or none
    ~                                any word
    ^when … $                        the beginning and the end of the text

An alternative begins and ends between words. A form that begins with ``re:`` is a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

_SIGNS: Final = {"(": "(?:", "[": "(?:", "{": "(?:", ")": ")", "]": ")?", "}": ")*", "|": "|", "~": r"\w+"}
_ESCAPED: Final = str.maketrans({sign: f"\\{sign}" for sign in ".?+\\"})


def form_pattern(form: str) -> str:
    """Return a form, or a part of one, as a regular expression without word boundaries."""
    if form.startswith("re:"):
        return form[3:]
    return "".join(_SIGNS.get(sign, sign.translate(_ESCAPED)) for sign in form).replace("…", ".*")


def split_alternatives(form: str) -> list[str]:
    """Return the alternatives of a form that are not inside a group."""
    depth, out = 0, [""]
    for sign in form:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "|" and not depth:
            out.append("")
        else:
            out[-1] += sign
    return out


def form_finder(form: str) -> Callable[[str], bool]:
    """Return a test that finds a form in a line in linear time.

    The sign "…" is only between parts, where the first match suffices.
    """
    ways = [[re.compile(part) for part in way] for way in _patterns(form)]
    return lambda text: any(_in_order(parts, text) for parts in ways)


def _patterns(form: str) -> list[list[str]]:
    """Return the ways to match a form, each as the parts that follow one another; whole words are one expression."""
    if form.startswith("re:"):
        return [[form[3:]]]
    ways = [one.split("…") for one in split_alternatives(form)]
    is_plain = [len(way) == 1 and not set(way[0]) & set("^$*") for way in ways]
    plain = "|".join(form_pattern(way[0]) for way, of_words in zip(ways, is_plain, strict=True) if of_words)
    others = [[_bounded(part) for part in way] for way, of_words in zip(ways, is_plain, strict=True) if not of_words]
    return [[rf"\b(?:{plain})\b"], *others] if plain else others


def _bounded(part: str) -> str:
    part = part.strip()
    start = "" if part.startswith(("^", "*")) else r"\b"
    end = "" if part.endswith(("$", "*")) else r"\b"
    return f"{start}(?:{form_pattern(part.strip('*'))}){end}"


def _in_order(parts: Sequence[re.Pattern[str]], text: str) -> bool:
    place = 0
    for part in parts:
        if (match := part.search(text, place)) is None:
            return False
        place = match.end()
    return True
