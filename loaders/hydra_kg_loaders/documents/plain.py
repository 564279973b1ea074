"""Read plain text and Markdown as documents."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

from hydra_kg_loaders.documents.document import Document, decode_text, is_heading, normalise_capitals
from hydra_kg_loaders.documents.label_pairs import read_pair

_BLANK: Final = re.compile(r"\n[ \t]*\n")
_UNDERLINE: Final = re.compile(r"([=\-~*#^])\1{2,}\s*")
_BULLET: Final = re.compile(r"[-*•·–] +")
_FRONT: Final = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n", re.DOTALL)
_FRONT_TITLE: Final = re.compile(r"^title:\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE | re.IGNORECASE)


def read_plain_text(body: bytes) -> Document:
    """Return a text as a document, with a paragraph between each two empty lines.

    A first line that looks like a title is the title. Later single lines that look like headings are headings.
    """
    text = decode_text(body).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    found = Document()
    blocks = [b.strip("\n") for b in _BLANK.split(text) if b.strip()]
    for number, block in enumerate(blocks):
        lines = block.strip().splitlines()
        underlined = len(lines) > 1 and _UNDERLINE.fullmatch(lines[1].strip()) is not None
        if underlined or (len(lines) == 1 and is_heading(lines[0].strip()) and number + 1 < len(blocks)):
            found.head(normalise_capitals(lines[0].strip()), level=1 if number == 0 else 2)
            lines = lines[2:] if underlined else []
        elif number == 0 and len(lines) > 1 and is_heading(lines[0].strip()) and len(lines[0]) < len(lines[1]) * 0.7:
            found.head(normalise_capitals(lines[0].strip()), level=1)
            lines = lines[1:]
        items = [_BULLET.sub("", line.strip()) for line in lines]
        if _are_pairs(items):
            for item in items:
                found.add(item)
        elif lines:
            found.add(_join_lines(lines))
    return found


def _are_pairs(lines: list[str]) -> bool:
    """Return True for two or more lines such as "Chair: Ada Lund", which may stand below one other line."""
    opening = int(bool(lines) and read_pair(lines[0]) is None)  # "Officers:" above its items
    return len(lines) > opening + 1 and all(map(read_pair, lines[opening:]))


def _join_lines(lines: list[str]) -> str:
    """Join the lines of a paragraph. A word that was divided at the end of a line becomes whole again."""
    text = lines[0]
    for before, line in pairwise(lines):
        divided = before.endswith("-") and before[-2:-1].islower() and line[:1].islower()
        text = text[:-1] + line if divided else f"{text} {line}"
    return text


def read_markdown(body: bytes) -> Document:
    """Return headings, paragraphs, list items and table rows.

    A title in the front matter comes first. Code is left out.
    """
    from markdown_it import MarkdownIt

    text, found = decode_text(body), Document()
    if (front := _FRONT.match(text)) is not None:
        named = _FRONT_TITLE.search(front[1])
        found.title = named[1] if named else ""
        text = text[front.end() :]
    tokens = MarkdownIt("commonmark", {"maxNesting": 40}).enable("table").parse(text)
    rows: list[list[str]] = []
    row: list[str] | None = None
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following is not None:
            found.head(_inline(following), level=int(token.tag[1:]))
        elif token.type == "tr_open":
            row = []
        elif token.type == "tr_close" and row is not None:
            rows.append(row)
            row = None
        elif token.type == "table_close":
            found.add_table(rows, header=True)
            rows = []
        elif token.type == "inline" and row is not None:
            row.append(_inline(token))
        elif token.type == "paragraph_open" and following is not None:
            for paragraph in _definitions(_inline(following, line_break="\n")):
                found.add(paragraph)
    return found


def _definitions(text: str) -> list[str]:
    """Return a definition list ("Term" above lines that begin with ": ") as "Term: definition", other text as it is.

    Lines such as "Chair: Ada Lund" become a paragraph each.
    """
    lines = text.split("\n")
    if _are_pairs(lines):
        return lines
    pairs = next((i for i, line in enumerate(lines) if read_pair(line) is None), len(lines))
    if pairs > 1:  # a sentence below them
        return [*lines[:pairs], "\n".join(lines[pairs:])]
    if len(lines) < 2 or not any(line.startswith(": ") for line in lines[1:]) or lines[0].startswith(": "):
        return [text]
    found: list[str] = []
    term, defined = "", False
    for line in lines:
        if line.startswith(": "):
            found.append(f"{term}{line}")
            defined = True
        elif defined and line[:1].islower():  # a definition goes on
            found[-1] += f" {line}"
        else:
            term, defined = line, False
    return found


def _inline(token: Any, *, line_break: str = " ") -> str:
    """Return the words of a line without Markdown marks."""
    parts = []
    for child in token.children or ():
        if child.type in {"text", "code_inline"}:
            parts.append(child.content)
        elif child.type in {"softbreak", "hardbreak"}:
            parts.append(line_break)
    return "".join(parts)
