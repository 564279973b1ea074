"""Clean pieces of a Wikipedia dump in a process: one JSON line in and out for each piece, with rows in files.

Run it with ``python -P -m hydra_kg_loaders.wikipedia.worker < jobs``.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TextIO

from hydra_kg.errors import LoadError
from hydra_kg.extract.mentions import SubjectFinder, sentences
from hydra_kg.extract.relations import RelationExtractor
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg_loaders.wikipedia.dump import (
    DumpPage,
    PageError,
    Piece,
    cut_pages,
    decompress_piece,
    describe_damage,
    read_page,
)
from hydra_kg_loaders.wikipedia.templates import GAP
from hydra_kg_loaders.wikipedia.wikitext import HIDDEN, SELF, SPACES, WikiParagraph, paragraphs

ARTICLE, REDIRECT, SPACE, MODEL, EMPTY, BAD = range(6)
"""Outcomes of a page: loaded, an alias, not in the main name space, not wikitext, without text, rejected."""

TABLES: Final = ("page", "paragraph", "relation")
_MOST_SECTION: Final = 200
_EXTRACTOR: Final = RelationExtractor()


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of the dump, cleaning options, and ``out``, the prefix of the output files."""

    piece: Piece
    out: str
    spaces: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    apparatus: bool = False
    relations: bool = True
    remove: bool = False  # the piece is a scratch file, to be removed when it is done


@dataclass(frozen=True, slots=True)
class Done:
    """A worker's report: pages, decompressed bytes, and rejects (number, reason, byte, beginning)."""

    pages: int
    plain: int
    rejected: tuple[tuple[int, str, int, str], ...] = ()


def clean_piece(job: Job) -> Done:
    """Clean one piece. Raises LoadError if the piece cannot be decompressed or its last page does not end."""
    plain = count = 0

    def chunks() -> Iterator[bytes]:
        nonlocal plain
        for chunk in decompress_piece(job.piece):
            plain += len(chunk)
            yield chunk

    spaces, hidden = SPACES | frozenset(job.spaces), HIDDEN | frozenset(job.hidden)
    rejected: list[tuple[int, str, int, str]] = []
    files = [Path(f"{job.out}.{table}").open("w", encoding="utf-8", newline="\n") for table in TABLES]  # noqa: SIM115
    try:
        for data in cut_pages(chunks()):
            count += 1
            try:
                page = read_page(data)
            except PageError as e:
                rejected.append((count, e.reason, e.place, _escape_data(data)))
                files[0].write(f"{count}\t{BAD}\t\t\t\t\n")
                continue
            kind, rows = _rows(page, count, spaces, hidden, job)
            redirect = _field(page.redirect) if kind == REDIRECT else ""
            files[0].write(
                f"{count}\t{kind}\t{_field(page.title)}\t{_digits(page.id)}\t{_digits(page.revision)}\t{redirect}\n"
            )
            for file, lines in zip(files[1:], rows, strict=True):
                file.writelines(lines)
    except EOFError as e:
        raise describe_damage(job.piece, "a page does not end" + ("" if job.piece.bz2 else ", or the file does")) from e
    finally:
        for file in files:
            file.close()
    if job.remove:
        Path(job.piece.path).unlink(missing_ok=True)
    return Done(count, plain, tuple(rejected))


def _rows(
    page: DumpPage, number: int, spaces: frozenset[str], hidden: frozenset[str], job: Job
) -> tuple[int, tuple[list[str], list[str]]]:
    """Return the kind of a page, and its rows of the tables paragraph and relation."""
    texts: list[str] = []
    found: list[str] = []
    if page.space:
        return SPACE, (texts, found)
    if page.redirect:
        return REDIRECT, (texts, found)
    if page.model not in {"", "wikitext"}:
        return MODEL, (texts, found)
    subject = SubjectFinder(page.title, 0) if job.relations else None
    section, named, place = "", "", 0
    for p in paragraphs(page.text, spaces=spaces, hidden=hidden, apparatus=job.apparatus):
        place += 1
        if p.section != section:
            section, named, place = p.section, _field(p.section[:_MOST_SECTION]), 1
        texts.append(f"{number}\t{place}\t{named}\t{p.text}\n")
        if subject is not None:
            found += [f"{number}\t{place}\t{named}\t{row}\n" for row in _relations(p, subject)]
    return (ARTICLE if texts else EMPTY), (texts, found)


def _relations(p: WikiParagraph, subject: SubjectFinder) -> Iterator[str]:
    """Yield start, end, subject, phrase, object and confidence of the relations of a paragraph.

    Subject and object are titles, and "" is the page's own.
    """
    reach = -1
    for start, _, title in reversed(p.links):
        if title:
            reach = start
            break
    if reach < 0 or (len(p.links) < 2 and not subject.may_be_in(p.text)):  # fewer than two things
        subject.observe(p.text)
        return
    places = sentences(p.text, reach)
    titles = [SELF]
    mentions = subject.spans(p.text, places)
    used_starts = {start for start, _, _ in mentions}
    for start, end, title in p.links:
        if start not in used_starts:
            mentions.append((start, end, len(titles) if title else 0))
            if title:
                titles.append(title)
    if len(mentions) < 2:
        return
    mentions.sort()
    broken = GAP in p.text
    at = 0
    for begin, stop in places:
        inside = []
        while at < len(mentions) and mentions[at][0] < stop:
            start, end, node = mentions[at]
            at += 1
            if begin <= start and end <= stop:
                inside.append((start - begin, end - begin, node))
        if len(inside) < 2 or (broken and GAP in p.text[begin:stop]):
            continue
        for r in _EXTRACTOR.relations(p.text[begin:stop], inside):
            a, b = titles[r.subject], titles[r.object]
            if a != b:
                yield (
                    f"{begin + r.start}\t{begin + r.end}\t{_field(a)}\t{_field(r.phrase)}\t{_field(b)}\t{r.confidence}"
                )


def _field(text: str) -> str:
    """Return a text as one field of a line."""
    return text if text.isprintable() else " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _digits(text: str) -> str:
    return text if text.isascii() and text.isdigit() and len(text) < 19 else ""


def _escape_data(data: bytes) -> str:
    return data[:200].decode("latin-1").encode("unicode_escape").decode("ascii")


def serve(jobs: TextIO, answers: TextIO) -> None:
    """Clean one piece after the other until the input ends."""
    for line in jobs:
        doc = json.loads(line)
        job = Job(Piece(**doc.pop("piece")), **doc)
        answer: dict[str, Any]
        try:
            answer = asdict(clean_piece(job))
        except LoadError as e:
            answer = {"error": e.args[0], "remedy": e.remedy}
        except OSError as e:
            answer = {"errno": e.errno or 0, "error": str(e)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who started it decides
    try:
        serve(sys.stdin, sys.stdout)
    except BrokenPipeError:  # the one who asked was killed: nobody to tell
        os._exit(1)
