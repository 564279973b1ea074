"""Word and PDF files as documents, read by python-docx and pypdf (the extra ``documents``)."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Final

from hydra_kg_loaders.documents.document import Document, DocumentError, is_heading, tidy

ENTRIES: Final = 5_000
"""Files in a Word document."""

UNPACKED: Final = 256 << 20
"""Bytes of a Word document when it is unpacked: what says more is a bomb."""

PAGES: Final = 2_000
"""Pages of a PDF file."""

_HEADING: Final = re.compile(r"(?:heading|überschrift|titre|título)\s*(\d)", re.IGNORECASE)
_NO_TITLE: Final = re.compile(
    r"untitled.*|document\d*|microsoft word.*|.*\.(?:docx?|pdf|tex|indd|odt)|\s*", re.IGNORECASE
)


def word(body: bytes) -> Document:
    """Paragraphs and table rows of a .docx in their order. Raises DocumentError for a bomb and for what is none."""
    _check_archive(body)
    import docx

    try:
        opened = docx.Document(io.BytesIO(body))
    except Exception as e:  # python-docx has errors of many kinds for what is no document
        raise DocumentError("docx", f"{type(e).__name__}: {e}") from e
    found = Document(title=_title(opened.core_properties.title or ""))
    for block in opened.iter_inner_content():
        if isinstance(block, docx.table.Table):
            for row in block.rows:
                found.add(" | ".join(dict.fromkeys(t for c in row.cells if (t := tidy(c.text)))))
            continue
        style = (block.style.name if block.style is not None else "") or ""
        if style == "Title":
            found.title = ""
            found.head(block.text, level=1)
        elif m := _HEADING.match(style):
            found.head(block.text, level=int(m[1]))
        elif not found.paragraphs and not found.title and is_heading(tidy(block.text)):
            found.head(block.text, level=1)
        else:
            found.add(block.text)
    return found


def _check_archive(body: bytes) -> None:
    """Whether it unpacks to what a document may hold; sizes are those of the archive's directory, and no member is
    unpacked beyond its own."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            entries = archive.infolist()
            if len(entries) > ENTRIES or sum(e.file_size for e in entries) > UNPACKED:
                raise DocumentError("bomb", f"{len(entries):,} files of {sum(e.file_size for e in entries):,} bytes")
            if "word/document.xml" not in archive.namelist():
                raise DocumentError("docx", "it holds no Word document")
    except (zipfile.BadZipFile, OSError) as e:
        raise DocumentError("docx", str(e)) from e


def pdf(body: bytes) -> Document:
    """The text of each page as paragraphs under ``page N``. Raises DocumentError for a password, a scan without
    text and what is no PDF."""
    import pypdf
    from pypdf.errors import PyPdfError

    try:
        opened = pypdf.PdfReader(io.BytesIO(body))
        if opened.is_encrypted and not opened.decrypt(""):
            raise DocumentError("password", "it needs a password")
        if len(opened.pages) > PAGES:
            raise DocumentError("too-long", f"more than {PAGES:,} pages")
        title = _title(str((opened.metadata.title if opened.metadata else "") or ""))
        pages = [page.extract_text() for page in opened.pages]
    except DocumentError:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError) as e:
        raise DocumentError("pdf", f"{type(e).__name__}: {e}") from e
    found = Document(title=title)
    for number, text in enumerate(pages, 1):
        for paragraph, alone in _paragraphs(text):
            if alone and not found.paragraphs and (not found.title or paragraph == found.title):
                found.title = found.title or paragraph
                continue
            found.heading = f"page {number}"
            found.add(paragraph)
    if pages and not found.paragraphs:
        raise DocumentError("no-text", "its pages are pictures")
    return found


def _paragraphs(text: str) -> Iterator[tuple[str, bool]]:
    """Paragraphs of a page, each with whether it is a line that looks like a heading: a paragraph ends at an empty line
    and where a line ends a sentence well before the margin."""
    lines = [tidy(line) for line in text.splitlines()]
    width = max(map(len, lines), default=0)
    pending = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        alone = (
            not pending and is_heading(line) and len(line) < 0.7 * width and (following[:1].isupper() or not following)
        )
        if alone:
            yield line, True
            continue
        divided = pending.endswith("-") and pending[-2:-1].islower() and line[:1].islower()
        pending = pending[:-1] + line if divided else f"{pending} {line}".strip()
        if pending and (not line or (line.endswith((".", "!", "?")) and len(line) < 0.85 * width)):
            yield pending, False
            pending = ""
    if pending:
        yield pending, False


def _title(text: str) -> str:
    text = tidy(text)
    return "" if _NO_TITLE.fullmatch(text) else text
