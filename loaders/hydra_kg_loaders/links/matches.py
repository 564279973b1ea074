"""Load pairs that entity resolution found, one JSON object per line, as ``hydra-kg match`` writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.ingest.contract.feed import GAP, Feed
from hydra_kg.ingest.contract.loader import BaseLoader, Streams
from hydra_kg.ingest.contract.work import Rejected, Work, escape_line

_HEAD: Final = b'{"same_as": ["'
_KINDS: Final = ("UBIGINT", "BIGINT", "BIGINT", "VARCHAR", "VARCHAR")


class MatchesLoader(BaseLoader):
    """Loader of same-as links such as ``{"same_as": [KEY, KEY], "probability": 0.98, …}``.

    The other values stay in the file.
    """

    name = "matches"
    version = 1
    source = Source("matches", "derived")

    def sniff(self, head: bytes, path: Path) -> float:
        """Return a high score for a file that begins like the output of ``hydra-kg match``."""
        return 0.95 if head.startswith(_HEAD) else 0.0

    def read(self, work: Work) -> Mapping[str, int]:
        """Make the table ``pair`` (line, a, b, a_text, b_text) of ids, and texts of those that do not encode them."""
        work.db.execute("CREATE TABLE pair (line UBIGINT, a BIGINT, b BIGINT, a_text VARCHAR, b_text VARCHAR)")
        feed = Feed(
            work.files,
            work.folder / "aside.bin",
            limit=work.options.limit,
            max_line=work.options.max_line,
            progress=work.progress(),
        )
        counts = {"blank": 0}
        rejected: list[Rejected] = []
        work.insert("pair", _pairs(_lines(feed), counts, rejected), _KINDS)
        aside = list(feed.set_aside())
        odd = ((line.line, line.data) for line in aside if not line.reason)
        work.insert("pair", _pairs(odd, counts, rejected), _KINDS)
        rejected += [(line.line, line.reason, 0, escape_line(line.data)) for line in aside if line.reason]
        work.reject(rejected)
        work.lines = feed.lines
        return counts

    def clean(self, work: Work) -> Streams:
        """See :class:`hydra_kg.ingest.contract.loader.Loader`."""
        return Streams(
            same_as="SELECT a, b, line FROM pair",
            terms="SELECT a AS id, a_text AS text FROM pair WHERE a_text IS NOT NULL"
            " UNION ALL SELECT b, b_text FROM pair WHERE b_text IS NOT NULL",
        )


def _lines(feed: Feed) -> Iterator[tuple[int, bytes]]:
    number = 0
    for block in feed.blocks():
        for line in block[:-1].split(b"\n"):
            number += 1
            if line != GAP:
                yield number, line


def _pairs(
    lines: Iterator[tuple[int, bytes]], counts: dict[str, int], rejected: list[Rejected]
) -> Iterator[tuple[Any, ...]]:
    """Yield the linked pairs. Blank lines are counted, invalid ones rejected."""
    for number, data in lines:
        if not data.strip():
            counts["blank"] += 1
            continue
        try:
            match json.loads(data):
                case {"same_as": [str(left), str(right)]} if left and right and left != right:
                    a, b = ids.encode(left), ids.encode(right)
                    yield number, a, b, *(k if i & 7 == ids.HASHED else None for k, i in ((left, a), (right, b)))
                case _:
                    rejected.append((number, "object", 0, escape_line(data)))
        except (ValueError, RecursionError):
            rejected.append((number, "json", 0, escape_line(data)))
