"""Wikitext to clean paragraphs with exact link spans, in linear time and bounded memory whatever the text is.

Templates, tables, comments, references, files and categories are left out, links stay as spans of the clean text.
This is no parser of the whole language: it never fails, never looks anything up, and expands nothing. What is not
closed is taken for text, and every scan goes on where the last one ended (Wikipedia's own rules: help pages
"Wikitext", "Links", "Tables").
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from hydra_kg.extract.rules import sentences

LONGEST: Final = 1600
"""Characters of a paragraph; longer ones are divided between sentences."""

SELF: Final = ""
"""The target of a span that names the page's own subject: the bold words of its first paragraph."""

APPARATUS: Final = frozenset(
    "references|notes|footnotes|citations|sources|bibliography|further reading|external links|see also|notes and"
    " references|references and notes|works cited|literature|general references|explanatory notes|reference".split("|")
)
"""Folded headings of sections that hold no running text."""

SPACES: Final = frozenset(
    "media special talk user wikipedia project wp file image mediawiki template help category portal draft module mos"
    " timedtext book wikt wiktionary s wikisource b wikibooks commons c d wikidata m meta q wikiquote n wikinews v"
    " wikiversity voy species phab mw w iarchive doi".split()
)
"""Prefixes that lead out of the articles, folded; a dump names those of its own language."""

HIDDEN: Final = frozenset({"file", "image", "category", "media"})
"""Prefixes of links that show no text of their own."""

_ELEMENTS: Final = re.compile(
    r"<(/?)(ref|references|gallery|math|chem|ce|nowiki|syntaxhighlight|source|score|timeline|imagemap|hiero|pre"
    r"|templatedata|graph|mapframe|maplink|style|script|inputbox|templatestyles|section|indicator)\b([^<>]*)>",
    re.IGNORECASE,
)
_BRACES: Final = re.compile(r"\{\{+|\}\}+|\{\||\|\}(?!\})")
_INDENT: Final = frozenset("\n :*#")
_RUN: Final = re.compile(r"[\[\]{}]{2,}")
_STRAY: Final = re.compile(r"\{{2,}|\}{2,}")
_BRACKETS: Final = re.compile(r"\[\[|\]\]")
_MOST_FILE: Final = 20_000  # characters of a file link with its caption
_LINK: Final = re.compile(r"\[\[([^\[\]|]{0,400})(?:\|([^\[\]]{0,2000}))?\]\]([a-zà-öø-ÿ]{0,20})")
_EXTERNAL: Final = re.compile(r"\[(?:[a-z]{3,6}:)?//[^\s\[\]]*(?:\s([^\[\]]*))?\]")
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>")
_BREAK: Final = re.compile(r"<br\b[^<>]*>", re.IGNORECASE)
_BOLD: Final = re.compile(r"(?<!')'''(?!')([^'\[\]{}<>|]{1,120}(?:'[^'\[\]{}<>|]{1,120})?)'''(?!')")
_QUOTES: Final = re.compile(r"'{2,}(?:(?<=''')(?=s\b))?")
_SWITCH: Final = re.compile(r"__[A-Z]{2,24}__")
_HOLLOW: Final = re.compile(r"\((?:[ ;,/–-]|or |and |born )*\)|(?<=\()[ ;,]+")
_LOOSE: Final = (" ,", " .", " ;", " :", " )", "  ")
_CONTROL: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff\ud800-\udfff]"
)
_OWN: Final = "\ue000"  # a character for private use, never the name of a page
_LONGEST_TITLE: Final = 255
_SPECIAL: Final = re.compile(r"[#_:\ue000]|^ *$|.{256}").search
_LANGUAGE: Final = re.compile("[a-z]{2,3}(?:-[a-z]+)*|simple")  # of a link to the page in another wiki
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Clean text of one section; ``links``: (start, end, target) with ``text[start:end]`` as it is shown."""

    section: str
    text: str
    links: tuple[tuple[int, int, str], ...] = ()


def paragraphs(source: str, *, spaces: Collection[str] = SPACES, hidden: Collection[str] = HIDDEN,
               apparatus: bool = False) -> Iterator[Paragraph]:  # fmt: skip
    """The paragraphs of a page in order. ``spaces``, ``hidden``: folded name-space prefixes that lead elsewhere, and
    those whose links show nothing; ``apparatus``: keep references, external links and the like."""
    text = without_blocks(without_elements(without_comments(source)))
    text = without_files(text, hidden)
    section, skipped, first = "", False, True
    for heading, raw in _pieces(text):
        if heading:
            name = inline(raw, spaces)[0]
            if heading == 2 or not skipped:
                section = name
            if heading == 2:
                skipped = not apparatus and name.casefold().strip(" .:") in APPARATUS
            continue
        if skipped:
            continue
        if first and not section:
            raw, bold = _BOLD.subn(f"[[{_OWN}|\\1]]", raw, count=2)
            first = not bold
        shown, links = inline(raw, spaces)
        if _LETTERS.search(shown):
            yield from _divided(section, shown, links)


def without_comments(text: str) -> str:
    """The text without ``<!-- … -->``; one that is not closed reaches to the end."""
    at = text.find("<!--")
    if at < 0:
        return text
    kept, done = [], 0
    while at >= 0:
        kept.append(text[done:at])
        end = text.find("-->", at + 4)
        if end < 0:
            return "".join(kept)
        done = end + 3
        at = text.find("<!--", done)
    return "".join([*kept, text[done:]])


def without_elements(text: str) -> str:
    """The text without references, formulas, galleries and the like, from opening to closing tag."""
    if "<" not in text:
        return text
    tags = [(m.start(), m.end(), m[2].lower(), bool(m[1]), m[3].endswith("/")) for m in _ELEMENTS.finditer(text)]
    if not tags:
        return text
    closing: dict[str, int] = {}
    for _, _, name, closes, _ in tags:
        closing[name] = closing.get(name, 0) + closes
    kept, done, inside = [], 0, ""
    for start, end, name, closes, void in tags:
        closing[name] -= closes
        if inside:
            if closes and name == inside:
                inside, done = "", end
            continue
        kept.append(text[done:start])
        done = end
        if not closes and not void and closing[name]:
            inside = name
    return "".join([*kept, text[done:]])


def without_blocks(text: str) -> str:
    """The text without templates ``{{…}}`` and tables ``{|…|}``, nested in any way. Of what is not closed only the
    braces go. One pass with a stack; an opening is pushed once and popped once."""
    stack: list[list[int]] = []  # [place, number of pairs, 1 for a table]
    gone: list[tuple[int, int]] = []
    depths = [0, 0]
    for m in _BRACES.finditer(text):
        token, start, end = m[0], m.start(), m.end()
        table = int("|" in token)
        if table and start and (text[start - 1] not in _INDENT or not _begins(text, start)):
            continue
        if token[0] == "{":
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
            taken = min(pairs, opened[1])
            pairs -= taken
            opened[1] -= taken
            begin = opened[0] + 2 * opened[1]
            while gone and gone[-1][0] >= begin:
                gone.pop()
            gone.append((begin, end))
            if not opened[1]:
                stack.pop()
                depths[table] -= 1
    kept, done = [], 0
    for start, end in gone:
        kept.append(text[done:start])
        done = end
    text = "".join([*kept, text[done:]])
    return _STRAY.sub("", text) if "{{" in text or "}}" in text else text


def _begins(text: str, place: int) -> bool:
    """Whether nothing but indentation stands before a place on its line; looks at most 20 characters back."""
    before = text[max(place - 20, 0) : place].rpartition("\n")
    return not before[2].strip(" :*#") and (bool(before[1]) or place <= 20)


def without_files(text: str, hidden: Collection[str]) -> str:
    """The text without file and category links, whose captions may hold links themselves."""
    opener = re.compile(r"\[\[ ?(?:" + "|".join(map(re.escape, sorted(hidden))) + r") ?:", re.IGNORECASE)
    kept, done = [], 0
    m = opener.search(text)
    while m:
        depth, end = 1, 0
        stop = min(len(text), m.end() + _MOST_FILE)
        for b in _BRACKETS.finditer(text, m.end(), stop):
            depth += 1 if b[0] == "[[" else -1
            if not depth:
                end = b.end()
                break
        kept.append(text[done : m.start()])
        done = end or m.end()
        m = opener.search(text, end or stop)  # nothing up to there closes: it is not looked at again
    return "".join([*kept, text[done:]])


def inline(raw: str, spaces: Collection[str] = SPACES) -> tuple[str, list[tuple[int, int, str]]]:
    """The shown text of one paragraph and its links."""
    if "<" in raw:
        raw = _TAG.sub("", _BREAK.sub(" ", raw))
    if "&" in raw:
        raw = html.unescape(raw)
    if "''" in raw:
        raw = _QUOTES.sub(_apostrophe, raw)
    if "__" in raw:
        raw = _SWITCH.sub("", raw)
    if "//" in raw:
        raw = _EXTERNAL.sub(r"\1", raw)
    raw = " ".join(raw.split())
    if not raw.isprintable():
        raw = _CONTROL.sub("", raw)
    if "(" in raw:
        raw = _HOLLOW.sub("", raw)
    for loose in _LOOSE:
        if loose in raw:
            raw = raw.replace(loose, loose[1])
    parts = _LINK.split(raw)
    count = len(parts) // 4
    if raw.count("[[") != count or raw.count("]]") != count:  # what is left of broken links
        parts = [p and p.replace("[[", "").replace("]]", "") for p in parts]
    if not count:
        return _RUN.sub("", parts[0]).strip() if _doubled(parts[0]) else parts[0].strip(), []
    parts[0] = parts[0].lstrip()
    out: list[str] = []
    links: list[tuple[int, int, str]] = []
    size = 0
    for i in range(0, 4 * count, 4):
        before, target, label = parts[i], parts[i + 1], parts[i + 2]
        if label and (label[0] == " " or label[-1] == " "):  # space belongs to the text around a link
            if label[0] == " " and before[-1:] != " " and (size or before):
                before += " "
            if label[-1] == " ":
                rest = f"{parts[i + 3]}{parts[i + 4]}"
                parts[i + 3], parts[i + 4] = "", rest if rest[:1] == " " else f" {rest}"
            label = label.strip()
        if label and not _SPECIAL(target):
            title: str | None = target.strip(" _")
            shown = label + parts[i + 3]
        else:
            title, shown = _target(target, label, spaces)
            shown = shown.strip() + parts[i + 3]
        size += len(before)
        if title is not None and shown:
            links.append((size, size + len(shown), title[:1].upper() + title[1:]))
        size += len(shown)
        out += (before, shown)
    text = "".join([*out, parts[-1]]).rstrip()
    if _doubled(text):
        text, links = _mended(text, links)
    if text[:1] == " ":  # behind a link that shows nothing
        more = len(text) - len(text.lstrip())
        return text[more:], [(start - more, end - more, title) for start, end, title in links]
    return text, links


def _doubled(text: str) -> bool:
    return "[[" in text or "]]" in text or "{{" in text or "}}" in text


def _mended(text: str, links: list[tuple[int, int, str]]) -> tuple[str, list[tuple[int, int, str]]]:
    """The text without brackets that came together when what stood between them was removed; the links move along."""
    gone = [m.span() for m in _RUN.finditer(text)]
    starts, sums = [start for start, _ in gone], [0, *accumulate(end - start for start, end in gone)]

    def moved(place: int) -> int:
        n = bisect_left(starts, place)
        return place - sums[n] + (max(0, gone[n - 1][1] - place) if n else 0)

    text = _RUN.sub("", text).rstrip()
    spans = [(moved(start), min(moved(end), len(text)), title) for start, end, title in links]
    return text, [(start, end, title) for start, end, title in spans if start < end]


def _target(target: str, label: str | None, spaces: Collection[str]) -> tuple[str | None, str]:
    """Title of the page a link leads to (None: no article) and what it shows."""
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


def _apostrophe(m: re.Match[str]) -> str:
    return "'" if len(m[0]) in {3, 4} and m.string[m.end() : m.end() + 2].rstrip(" .,") == "s" else ""


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """(level, heading) and (0, raw paragraph) in order; the items of a list make one paragraph."""
    held: list[str] = []
    size, listed = 0, False
    for line in text.split("\n"):
        head = line[:1]
        if head == "=" and (level := _level(line)):
            if held:
                yield 0, _joined(held, listed)
                held, size = [], 0
            yield level, line.rstrip()[level:-level].strip()
            continue
        if head in {"|", "!"} or line.startswith("----") or not line.strip():
            if held and not listed:
                yield 0, _joined(held, listed)
                held, size = [], 0
            continue
        items = head in {"*", "#", ":", ";"}
        if held and (items != listed or size > 2 * LONGEST):
            yield 0, _joined(held, listed)
            held, size = [], 0
        listed = items
        held.append(line.lstrip("*#:; ") if items else line)
        size += len(line)
    if held:
        yield 0, _joined(held, listed)


def _level(line: str) -> int:
    line = line.rstrip()
    level = min(len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("=")), 6)
    return level if level and len(line) > 2 * level else 0


def _joined(lines: list[str], listed: bool) -> str:
    if not listed:
        return " ".join(lines)
    return " ".join(line if line[-1:] in ".;:,!?" else f"{line};" for line in lines).removesuffix(";")


def _divided(section: str, text: str, links: list[tuple[int, int, str]]) -> Iterator[Paragraph]:
    """One paragraph, or several of at most :data:`LONGEST` characters that end where a sentence (else a word) does."""
    if len(text) <= LONGEST:
        yield Paragraph(section, text, tuple(links))
        return
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
            yield Paragraph(section, part, tuple(mine))
