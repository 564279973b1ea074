"""Remove comments, references, templates, tables and files from wikitext in linear time. Unclosed markup is text."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from hydra_kg_loaders.wikipedia.templates import print_template

_NAMES: Final = (
    "ref|references|gallery|math|chem|ce|nowiki|syntaxhighlight|source|score|timeline|imagemap|hiero|pre"
    "|templatedata|graph|mapframe|maplink|style|script|inputbox|templatestyles|section|indicator"
)
_ELEMENTS: Final = re.compile(rf"<(/?)({_NAMES})\b([^<>]*)>", re.IGNORECASE)
_WHOLE: Final = re.compile(  # one that is empty or holds no tag
    rf"<({_NAMES})\b[^<>]*+(?:(?<=/)>|>[^<]*+</\1\b[^<>]*+>)", re.IGNORECASE
)
_TEMPLATE: Final = r"\{\{[^{}]*+(?:@[^{}]*+){0,200}\}\}"  # whole, with those in it where @ stands
_DEEP: Final = _TEMPLATE.replace("@", _TEMPLATE.replace("@", r"\{\{[^{}]*+\}\}"))
_BRACES: Final = re.compile(rf"{_DEEP}(?!\}})|\{{\{{+|\}}\}}+|\{{\||\|\}}(?!\}})")
_INDENT: Final = frozenset("\n :*#")
_STRAY: Final = re.compile(r"\{{2,}|\}{2,}")
_BRACKETS: Final = re.compile(r"\[\[|\]\]")
_MOST_PRINTED: Final = 600  # characters of a template that is not plain and may print something
_MOST_FILE: Final = 20_000  # characters of a file link with its caption


def remove_comments(text: str) -> str:
    """Return the text without ``<!-- … -->``. A comment that is not closed extends to the end."""
    at = text.find("<!--")
    if at < 0:
        return text
    pieces, done = [], 0
    while at >= 0:
        pieces.append(text[done:at])
        end = text.find("-->", at + 4)
        if end < 0:
            return "".join(pieces)
        done = end + 3
        at = text.find("<!--", done)
    return "".join([*pieces, text[done:]])


def remove_elements(text: str) -> str:
    """Return the text without references, formulas, galleries and the like, from opening to closing tag."""
    if "<" not in text:
        return text
    bare = _WHOLE.sub("", text)
    if not _ELEMENTS.search(bare):
        return bare
    tags = [(m.start(), m.end(), m[2].lower(), bool(m[1]), m[3].endswith("/")) for m in _ELEMENTS.finditer(text)]
    closing: dict[str, int] = {}
    for _, _, name, closes, _ in tags:
        closing[name] = closing.get(name, 0) + closes
    pieces, done, inside = [], 0, ""
    for start, end, name, closes, void in tags:
        closing[name] -= closes
        if inside:
            if closes and name == inside:
                inside, done = "", end
            continue
        pieces.append(text[done:start])
        done = end
        if not closes and not void and closing[name]:
            inside = name
    return "".join([*pieces, text[done:]])


def remove_blocks(text: str) -> str:
    """Return the text without tables ``{|…|}`` and with templates ``{{…}}`` printed, in one pass."""
    stack: list[list[int]] = []  # [place, number of pairs, 1 for a table]
    gone: list[tuple[int, int, bool]] = []  # beginning, end, whether it is a template of which something may be shown
    depths = [0, 0]
    for m in _BRACES.finditer(text):
        start, end = m.span()
        opens = text[start] == "{"
        if opens and text[end - 1] == "}":  # whole
            gone.append((start, end, True))
            continue
        table = int(text[start if not opens else end - 1] == "|")
        if table and start and (text[start - 1] not in _INDENT or not _begins(text, start)):
            continue
        if opens:
            stack.append([start, (end - start) // 2, table])
            depths[table] += 1
            continue
        pairs = (end - start) // 2
        while pairs and depths[table]:
            opened = stack[-1]
            if opened[2] != table:
                stack.pop()
                depths[opened[2]] -= 1
                continue
            closed = min(pairs, opened[1])
            pairs -= closed
            opened[1] -= closed
            begin = opened[0] + 2 * opened[1]
            while gone and gone[-1][0] >= begin:
                gone.pop()
            gone.append((begin, end, not table and end - begin < _MOST_PRINTED))
            if not opened[1]:
                stack.pop()
                depths[table] -= 1
    pieces, done = [], 0
    for start, end, shown in gone:
        pieces.append(text[done:start])
        if shown and (words := print_template(text, start, end, remove_blocks)):
            pieces.append(words)
        done = end
    text = "".join([*pieces, text[done:]])
    return _STRAY.sub("", text) if has_double_braces(text) else text


def _begins(text: str, place: int) -> bool:
    """Return True if only indentation precedes a place on its line. It reads at most 20 characters back."""
    before = text[max(place - 20, 0) : place].rpartition("\n")
    return not before[2].strip(" :*#") and (bool(before[1]) or place <= 20)


def remove_file_links(text: str, hidden: Collection[str]) -> str:
    """Return the text without file and category links. Their captions may contain links."""
    opener = _opener(frozenset(hidden))
    pieces, done = [], 0
    m = opener.search(text)
    while m:
        depth, end = 1, m.end(1)
        stop = min(len(text), m.end() + _MOST_FILE)
        for b in _BRACKETS.finditer(text, m.end(), stop) if end < 0 else ():
            depth += 1 if b[0] == "[[" else -1
            if not depth:
                end = b.end()
                break
        pieces.append(text[done : m.start()])
        done = max(end, m.end())
        m = opener.search(text, end if end > 0 else stop)  # nothing up to there closes: it is not looked at again
    return "".join([*pieces, text[done:]])


@lru_cache(maxsize=16)
def _opener(hidden: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern for the beginning of such a link.

    Its group is the rest of the link, if that is short and contains few plain links.
    """
    return re.compile(
        r"\[\[ ?(?:"
        + "|".join(map(re.escape, sorted(hidden)))
        + r") ?:([^][]{0,2000}+(?:\[\[[^][]{0,400}+\]\][^][]{0,2000}+){0,6}\]\])?",
        re.IGNORECASE,
    )


def has_double_braces(text: str) -> bool:
    """Return True if the text has two braces together. Searching for one character first saves most of the time."""
    return ("{" in text and "{{" in text) or ("}" in text and "}}" in text)
