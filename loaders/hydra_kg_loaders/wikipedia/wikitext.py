"""Turn wikitext into clean paragraphs with exact link spans, in linear time. Unclosed markup is text."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from hydra_kg.extract.mentions import sentences
from hydra_kg_loaders.wikipedia.markup_removal import (
    has_double_braces,
    remove_blocks,
    remove_comments,
    remove_elements,
    remove_file_links,
)

LONGEST: Final = 1600
"""Number of characters of the longest paragraph. Longer ones are divided between sentences."""

SELF: Final = ""
"""The target of a span that names the page's own subject: the bold words of its first paragraph."""

APPARATUS: Final = frozenset(
    "references|notes|footnotes|citations|sources|bibliography|further reading|external links|see also|notes and"
    " references|references and notes|works cited|literature|general references|explanatory notes|reference".split("|")
)
"""Folded headings of sections without running text."""

SPACES: Final = frozenset(
    "media special talk user wikipedia project wp file image mediawiki template help category portal draft module mos"
    " timedtext book wikt wiktionary s wikisource b wikibooks commons c d wikidata m meta q wikiquote n wikinews v"
    " wikiversity voy species phab mw w iarchive doi".split()
)
"""Folded prefixes of links to pages that are not articles. A dump names those of its own language."""

HIDDEN: Final = frozenset({"file", "image", "category", "media"})
"""Prefixes of links that show no text."""

_ITEMS: Final = frozenset("*#:;")
_RUN: Final = re.compile(r"[\[\]{}]{2,}")
_LINK: Final = re.compile(r"\[\[([^\[\]|]{0,400})(?:\|([^\[\]]{0,2000}))?\]\]([a-zà-öø-ÿ]{0,20})")
_EXTERNAL: Final = re.compile(r"\[(?:[a-z]{3,6}:)?//[^\s\[\]]*(?:\s([^\[\]]*))?\]")
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>")
_BREAK: Final = re.compile(r"<br\b[^<>]*>", re.IGNORECASE)
_BOLD: Final = re.compile(r"(?<!')'''(?!')([^'\[\]{}<>|]{1,120}(?:'[^'\[\]{}<>|]{1,120})?)'''(?!')")
_QUOTES: Final = re.compile(r"'{2,}(?:(?<=''')(?=s\b))?")
_SWITCH: Final = re.compile(r"__[A-Z]{2,24}__")
_HOLLOW: Final = re.compile(r"\((?:(?:[ ;,/–-]|or |and |born )*\)|[ ;,]+)")
_LOOSE: Final = (" ,", " .", " ;", " :", " )", "  ")
_ANY_LOOSE: Final = re.compile(" [,.;:) ]")
_CONTROL: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff\ud800-\udfff]"
)
_OWN: Final = "\ue000"  # a character for private use, never the name of a page
_LONGEST_TITLE: Final = 255
_PLAIN: Final = re.compile(r"[^#_:\ue000]{1,255}").fullmatch  # a target that is the title as it stands
_LANGUAGE: Final = re.compile("[a-z]{2,3}(?:-[a-z]+)*|simple")  # of a link to the page in another wiki
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_SHORT: Final = 120  # characters of a heading that may be met again


class WikiParagraph(NamedTuple):
    """Clean text of one section. ``links`` has (start, end, target), where ``text[start:end]`` is the shown text."""

    section: str
    text: str
    links: tuple[tuple[int, int, str], ...] = ()


def paragraphs(
    source: str, *, spaces: Collection[str] = SPACES, hidden: Collection[str] = HIDDEN, apparatus: bool = False
) -> Iterator[WikiParagraph]:
    """Yield a page's paragraphs.

    Args:
        spaces: Folded prefixes of links to pages that are not articles.
        hidden: Folded prefixes of links that are not shown.
        apparatus: Whether to include references and external links.
    """
    text = remove_blocks(remove_elements(remove_comments(source)))
    text, spaces = remove_file_links(text, hidden), frozenset(spaces)
    section, skipped, first = "", False, True
    for heading, raw in _pieces(text):
        if heading:
            name = _heading(raw, spaces) if len(raw) <= _SHORT else inline(raw, spaces)[0]
            if heading == 2 or not skipped:
                section = name
            if heading == 2:
                skipped = not apparatus and name.casefold().strip(" .:") in APPARATUS
            continue
        if skipped:
            continue
        if first and not section and "'''" in raw:
            raw, bold = _BOLD.subn(f"[[{_OWN}|\\1]]", raw, count=2)
            first = not bold
        shown, links = inline(raw, spaces)
        if _LETTERS.search(shown):
            if len(shown) <= LONGEST:
                yield WikiParagraph(section, shown, tuple(links))
            else:
                yield from _split_paragraph(section, shown, links)


@lru_cache(maxsize=1 << 12)
def _heading(raw: str, spaces: frozenset[str]) -> str:
    return inline(raw, spaces)[0]


def inline(raw: str, spaces: Collection[str] = SPACES) -> tuple[str, list[tuple[int, int, str]]]:
    """Return the shown text of one paragraph and its links."""
    if "<" in raw:
        raw = _TAG.sub("", _BREAK.sub(" ", raw))
    if "&" in raw:
        raw = html.unescape(raw)
    if "'" in raw and "''" in raw:  # one character is found in a fraction of the time that two take
        raw = _QUOTES.sub(_apostrophe, raw)
    if "_" in raw:
        raw = _SWITCH.sub("", raw)
    if "/" in raw:
        raw = _EXTERNAL.sub(r"\1", raw)
    loose = not raw.isprintable() or _ANY_LOOSE.search(raw) is not None
    if loose:
        raw = " ".join(raw.split())
        if not raw.isprintable():
            raw = _CONTROL.sub("", raw)
    raw = raw.strip()
    if "(" in raw:
        raw, hollow = _HOLLOW.subn(_hollow, raw)
        loose = loose or hollow > 0
    if loose:
        for pair in _LOOSE:
            raw = raw.replace(pair, pair[1])
        raw = raw.replace(";)", ")")
    if "[" not in raw and "]" not in raw:
        return (_RUN.sub("", raw) if has_double_braces(raw) else raw).strip(), []
    parts = _LINK.split(raw)
    count = len(parts) // 4
    if raw.count("[[") != count or raw.count("]]") != count:  # what is left of broken links
        parts = [p and p.replace("[[", "").replace("]]", "") for p in parts]
    if not count:
        return _RUN.sub("", parts[0]).strip() if _is_doubled(parts[0]) else parts[0].strip(), []
    out: list[str] = []
    links: list[tuple[int, int, str]] = []
    size = 0
    rest = iter(parts)
    before = next(rest).lstrip()
    for target, label, tail, after in zip(rest, rest, rest, rest, strict=True):
        if label and (label[0] == " " or label[-1] == " "):  # space belongs to the text around a link
            if label[0] == " " and before[-1:] != " " and (size or before):
                before += " "
            if label[-1] == " ":
                tail, after = "", f"{tail}{after}"
                after = after if after[:1] == " " else f" {after}"
            label = label.strip()
        title: str | None = target.strip()
        if title and label != "" and _PLAIN(target):
            shown = (label or title) + tail
        else:
            title, shown = _target(target, label, spaces)
            shown = shown.strip() + tail
        out += (before, shown)
        size += len(before)
        if title is not None and shown:
            links.append((size, size + len(shown), title[:1].upper() + title[1:]))
        size += len(shown)
        before = after
    text = "".join([*out, before]).rstrip()
    if _is_doubled(text):
        text, links = _drop_adjacent_brackets(text, links)
    if text[:1] == " ":  # behind a link that shows nothing
        more = len(text) - len(text.lstrip())
        return text[more:], [(start - more, end - more, title) for start, end, title in links]
    return text, links


def _is_doubled(text: str) -> bool:
    return ("[" in text and "[[" in text) or ("]" in text and "]]" in text) or has_double_braces(text)


def _drop_adjacent_brackets(text: str, links: list[tuple[int, int, str]]) -> tuple[str, list[tuple[int, int, str]]]:
    """Return the text without the brackets that became adjacent when the text between them was removed.

    The spans of the links are moved along.
    """
    gone = [m.span() for m in _RUN.finditer(text)]
    starts, sums = [start for start, _ in gone], [0, *accumulate(end - start for start, end in gone)]

    def moved(place: int) -> int:
        n = bisect_left(starts, place)
        return place - sums[n] + (max(0, gone[n - 1][1] - place) if n else 0)

    text = _RUN.sub("", text).rstrip()
    spans = [(moved(start), min(moved(end), len(text)), title) for start, end, title in links]
    return text, [(start, end, title) for start, end, title in spans if start < end]


def _target(target: str, label: str | None, spaces: Collection[str]) -> tuple[str | None, str]:
    """Return the title of the page to which a link leads (None if it is no article), and the shown text."""
    if target == _OWN:
        return SELF, label or ""
    page = target.partition("#")[0].replace("_", " ").strip()
    visible = page.startswith(":")
    if visible:
        page = page.lstrip(": ")
    shown = label if label is not None else target.lstrip(": ")
    if label is not None and not label.strip():
        shown = re.sub(r" ?\([^()]*\)$", "", page).rpartition(":")[2]  # the pipe trick
    if ":" in page:
        before = page.partition(":")[0].strip()
        if before.casefold() in spaces or (not label and visible):
            return None, shown
        if _LANGUAGE.fullmatch(before):
            return None, shown if visible or label else ""
    if not page or len(page) > _LONGEST_TITLE:
        return None, shown
    return page, shown


def _hollow(m: re.Match[str]) -> str:
    return "" if m[0][-1] == ")" else "("


def _apostrophe(m: re.Match[str]) -> str:
    return "'" if len(m[0]) in {3, 4} and m.string[m.end() : m.end() + 2].rstrip(" .,") == "s" else ""


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield (level, heading) and (0, raw paragraph) in order. The items of a list make one paragraph."""
    buffer: list[str] = []
    size, listed = 0, False
    for line in text.split("\n"):
        head = line[:1]
        if head == "=" and (level := _level(line)):
            if buffer:
                yield 0, _join_lines(buffer, listed)
                buffer, size = [], 0
            yield level, line.rstrip()[level:-level].strip()
            continue
        if not head or head in "|!" or (head == "-" and line.startswith("----")) or line.isspace():
            if buffer and not listed:
                yield 0, _join_lines(buffer, listed)
                buffer, size = [], 0
            continue
        items = head in _ITEMS
        if buffer and (items != listed or size > 2 * LONGEST):
            yield 0, _join_lines(buffer, listed)
            buffer, size = [], 0
        listed = items
        buffer.append(line.lstrip("*#:; ") if items else line)
        size += len(line)
    if buffer:
        yield 0, _join_lines(buffer, listed)


def _level(line: str) -> int:
    line = line.rstrip()
    level = min(len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("=")), 6)
    return level if level and len(line) > 2 * level else 0


def _join_lines(lines: list[str], listed: bool) -> str:
    if not listed:
        return " ".join(lines)
    return " ".join(line if line[-1:] in ".;:,!?" else f"{line};" for line in lines).removesuffix(";")


def _split_paragraph(section: str, text: str, links: list[tuple[int, int, str]]) -> Iterator[WikiParagraph]:
    """Yield parts of at most :data:`LONGEST` characters that end where a sentence (else a word) ends."""
    cuts = [0]
    for start, end in sentences(text):
        if end - cuts[-1] > LONGEST and start > cuts[-1]:
            cuts.append(start)
        while end - cuts[-1] > LONGEST:
            space = text.rfind(" ", cuts[-1] + LONGEST // 2, cuts[-1] + LONGEST)
            cut = space + 1 if space > 0 else cuts[-1] + LONGEST
            cuts.append(cut + len(text[cut : cut + LONGEST]) - len(text[cut : cut + LONGEST].lstrip(" ")))
    cuts.append(len(text))
    at = 0
    for begin, end in pairwise(cuts):
        part = text[begin:end].rstrip()
        mine = []
        while at < len(links) and links[at][0] < end:
            start, stop, target = links[at]
            if start >= begin and stop <= begin + len(part):
                mine.append((start - begin, stop - begin, target))
            at += 1
        if _LETTERS.search(part):
            yield WikiParagraph(section, part, tuple(mine))
