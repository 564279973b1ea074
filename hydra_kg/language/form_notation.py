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
from functools import cache
from typing import Final

_SIGNS: Final = {"(": "(?:", "[": "(?:", "{": "(?:", ")": ")", "]": ")?", "}": ")*", "|": "|", "~": r"\w+"}
_ESCAPED: Final = str.maketrans({sign: f"\\{sign}" for sign in ".?+\\"})
_GROUP: Final = re.compile(r"\([^()\[\]{}]*\)|\[[^()\[\]{}]*\]|\{[^()\[\]{}]*\}|[^()\[\]{}]\*")
"""Matches the innermost groups of a form, and letters that may be repeated."""
_OPEN: Final = str.maketrans(dict.fromkeys("…~^$*|", "\n"))
"""Signs for any text in a form, and for where a part begins or ends."""


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

    The sign "…" is only between parts, where the first match suffices. Expressions are compiled when a text contains
    the longest literal of their form, because most forms fit no question of a process.
    """
    ways = _ways(form)
    return lambda text: any(
        any(literal in text for literal in literals) and _in_order(parts, text) for literals, parts in ways
    )


def _ways(form: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the ways to match a form: literals of which a text needs one, and expressions that follow one another.

    Alternatives of whole words are one expression.
    """
    if form.startswith("re:"):
        return [(("",), (form[3:],))]
    plain: list[str] = []
    ways: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for one in split_alternatives(form):
        parts = one.split("…")
        if len(parts) == 1 and not set(one) & set("^$*"):
            plain.append(one)
        else:
            ways.append(((longest_literal(one).strip(),), tuple(map(_bounded, parts))))
    if plain:
        pattern = rf"\b(?:{'|'.join(map(form_pattern, plain))})\b"
        ways.insert(0, (tuple({longest_literal(one).strip() for one in plain}), (pattern,)))
    return ways


def longest_literal(form: str, gaps: Sequence[str] = ()) -> str:
    """Return the longest text that is in every text that one alternative of a form fits; "" if there is none.

    ``gaps`` are further words of the notation that stand for other texts.
    """
    for gap in gaps:
        form = form.replace(gap, "\n")
    while (shorter := _GROUP.sub("\n", form)) != form:
        form = shorter
    return max(form.translate(_OPEN).split("\n"), key=len)


def _bounded(part: str) -> str:
    part = part.strip()
    start = "" if part.startswith(("^", "*")) else r"\b"
    end = "" if part.endswith(("$", "*")) else r"\b"
    return f"{start}(?:{form_pattern(part.strip('*'))}){end}"


def _in_order(parts: Sequence[str], text: str) -> bool:
    place = 0
    for part in parts:
        if (match := _compiled(part).search(text, place)) is None:
            return False
        place = match.end()
    return True


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
