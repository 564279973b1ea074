"""HTML pages as documents."""

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
_NAMED: Final = (" - ", " | ", " – ", " — ", " · ")


def markup(body: bytes) -> Document:
    """Headings, paragraphs, list items and table rows of what a page shows; menus, feet and asides are left out. The
    title is that of the first heading, else the page's own without the name of the site."""
    from lxml import html

    if has_oversized_tag(body):
        raise DocumentError("html", f"a tag has more than {MOST_ATTRIBUTES} attributes")
    body = _DECLARED.sub(b"", body, count=1)
    parser = html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)
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
        elif element.tag == "tr":
            cells = [tidy(c.text_content()) for c in element if c.tag in {"td", "th"}]
            found.add(" | ".join(filter(None, cells)))
        elif element.tag not in {"td", "th", "head", "title"}:
            found.add(_own(element))
    if not found.title and titles and titles[0]:
        found.title = _without_site(titles[0])
    return found


def _own(element: Any) -> str:
    """The text of an element without that of blocks inside it, which are paragraphs of their own."""
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


def _without_site(title: str) -> str:
    for mark in _NAMED:
        title = title.partition(mark)[0] if mark in title else title
    return title
