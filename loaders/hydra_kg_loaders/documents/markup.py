"""Read HTML pages as documents."""

from __future__ import annotations

import re
from typing import Any, Final

from hydra_kg.text.html_tags import MOST_ATTRIBUTES, has_oversized_tag
from hydra_kg_loaders.documents.document import Document, DocumentError, tidy

_LEFT_OUT: Final = (
    "//*[self::script or self::style or self::template or self::noscript or self::nav or self::footer or self::aside"
    " or self::form or self::button or self::svg or self::iframe or @hidden or @aria-hidden='true']"
)
_DECLARED: Final = re.compile(rb"<!DOCTYPE[^>\[]{0,200}\[[^\]]*\]\s*>", re.IGNORECASE)  # entities of its own
_BLOCKS: Final = frozenset("p li dd dt blockquote pre td th caption figcaption address summary".split())
_HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())
_INSIDE: Final = (
    _BLOCKS | _HEADINGS | frozenset("div section article main ul ol dl table tr tbody thead body header".split())
)
_CELLS: Final = frozenset("td th dt dd".split())
_OUTSIDE: Final = frozenset("table dl ul ol".split())
"""Elements inside cells whose text is read separately."""

_MOST_SPAN: Final = 1_000
"""Largest number of columns or rows that one cell may cover."""

_NAMED: Final = (" - ", " | ", " – ", " — ", " · ")


def markup(body: bytes) -> Document:
    """Read a page's headings, paragraphs, list items and table rows without menus. The first heading is the title."""
    from lxml import html

    if has_oversized_tag(body):
        raise DocumentError("html", f"a tag has more than {MOST_ATTRIBUTES} attributes")
    body = _DECLARED.sub(b"", body, count=1)
    encoding = "utf-8" if _is_utf8(body) else None  # else the page's own declaration counts
    parser = html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=False, encoding=encoding)
    try:
        root: Any = html.document_fromstring(body, parser=parser)
    except (ValueError, html.etree.LxmlError) as e:
        raise DocumentError("html", str(e)) from e
    titles = [tidy(t.text_content()) for t in root.iterfind(".//title")]
    for element in root.xpath(_LEFT_OUT):
        if element.getparent() is not None:
            element.drop_tree()
    found = Document()
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        if element.tag in _HEADINGS:
            found.head(element.text_content(), level=int(element.tag[1]))
        elif element.tag == "table":
            rows, marked = _grid(element)
            found.add_table(rows, header=marked)
        elif element.tag == "dl":
            _add_definitions(element, found)
        elif element.tag not in {"head", "title"} and not _is_added(element):
            found.add(_own_text(element))
    if not found.title and titles and titles[0]:
        found.title = _strip_site(titles[0])
    return found


def _is_utf8(body: bytes) -> bool:
    """Return True if a page has characters beyond ASCII, and all of it is UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return not body.isascii()


def _is_added(element: Any) -> bool:
    """Return True for elements whose text was already added with a cell of a table or a definition list."""
    while element is not None and element.tag not in _CELLS | _OUTSIDE | {"caption"}:
        element = element.getparent()
    return element is not None and (element.tag in _CELLS or element.tag == "table")


def _grid(table: Any) -> tuple[list[list[str]], bool | None]:
    """Return a table's cells, and whether its first row is marked as headings (None if unknown).

    A cell that spans several columns is padded with empty ones, and one that spans rows is repeated.
    """
    rows: list[list[str]] = []
    marked = None
    below: dict[int, tuple[int, str]] = {}  # column to the rows that a cell still covers, and its text
    for tr in table.iter("tr"):
        if next(tr.iterancestors("table")) is not table:
            continue
        row: list[str] = []
        cells = [c for c in tr if c.tag in {"td", "th"}]
        if not rows and cells:
            marked = (len(cells) > 1 and all(c.tag == "th" for c in cells)) or None
        for cell in cells:
            _fill(row, below)
            text = tidy(_cell_text(cell))
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            for n in range(across):
                if down > 1:
                    below[len(row)] = (down - 1, text if not n else "")
                row.append(text if not n else "")
        _fill(row, below)
        rows.append(row)
    return rows, marked


def _fill(row: list[str], below: dict[int, tuple[int, str]]) -> None:
    """Append the cells of earlier rows that extend down into this place of a row."""
    while len(row) in below:
        left, text = below.pop(len(row))
        if left > 1:
            below[len(row)] = (left - 1, text)
        row.append(text)


def _span(cell: Any, name: str) -> int:
    number = (cell.get(name) or "1").strip()
    return min(max(int(number), 1), _MOST_SPAN) if number.isdecimal() and len(number) < 6 else 1


def _cell_text(cell: Any) -> str:
    """Return the text of a cell with its parts separated, without the tables and lists in it."""
    parts = [cell.text or ""]
    for child in cell:
        if isinstance(child.tag, str) and child.tag not in _OUTSIDE:
            gap = " " if child.tag in _INSIDE or child.tag == "br" else ""
            parts.append(f"{gap}{_cell_text(child)}{gap}")
        parts.append(child.tail or "")
    return "".join(parts)


def _add_definitions(listed: Any, found: Document) -> None:
    """Add a definition list as "Term: definition", a paragraph for each definition."""
    terms: list[str] = []
    defined = False
    for element in listed.iter("dt", "dd"):
        if next(element.iterancestors("dl")) is not listed:
            continue
        text = tidy(_cell_text(element))
        if element.tag == "dt":
            terms = [text] if defined else [*terms, text]
            defined = False
        else:
            name = ", ".join(filter(None, terms)).removesuffix(":")
            found.add(f"{name}: {text}" if name and text else text)
            defined = True
    if not defined:
        found.add(", ".join(terms))


def _own_text(element: Any) -> str:
    """Return the text of an element without that of blocks inside it, which are separate paragraphs."""
    if element.tag not in _INSIDE or element.tag in {"ul", "ol", "dl", "table", "tbody", "thead"}:
        return ""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and child.tag not in _INSIDE:
            parts.append(" " if child.tag == "br" else child.text_content())
        elif isinstance(child.tag, str):
            parts.append(" ")
        parts.append(child.tail or "")
    return "".join(parts)


def _strip_site(title: str) -> str:
    for mark in _NAMED:
        title = title.partition(mark)[0] if mark in title else title
    return title
