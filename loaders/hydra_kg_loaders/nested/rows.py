"""Turn the rows of a nested table into the canonical rows from which tables are staged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg_loaders.tables.text_rows import CELL, FEED, MANY, RETURN, Counts, Reject

_CONTROL: Final = re.compile("[\x00\x1c-\x1f]")
_BATCH: Final = 2_000


@dataclass(slots=True)
class NestedRows:
    """Rows of a nested table.

    Args:
        keys: The columns of the ``cells``.
        places: JSON pointers or lines of the rows.
        bad: (reason, text) of records that are not rows.
    """

    columns: list[str]
    keys: Sequence[str]
    cells: Sequence[dict[str, list[str]]]
    places: Sequence[str]
    max_line: int = 1 << 20
    bad: Sequence[tuple[str, str]] = ()
    counts: Counts = field(default_factory=Counts)

    @property
    def many(self) -> frozenset[int]:
        """Return the columns in which some cell has several values."""
        return frozenset(n for n, key in enumerate(self.keys) if any(len(row.get(key, ())) > 1 for row in self.cells))

    def blocks(self, reject: Reject, *, limit: int = 0, start: int = 0) -> Iterator[str]:
        """Yield canonical rows, many at a time. Reasons of rejects: ``control``, ``too-long``, and those of ``bad``."""
        out: list[str] = []
        for row in self.cells:
            if limit and self.counts.rows >= limit:
                break
            self.counts.rows += 1
            number = start + self.counts.rows
            if not row:
                self.counts.blank += 1
                continue
            if any(_CONTROL.search(text) for texts in row.values() for text in texts):
                reject(number, "control", 0, " ".join(row)[:1000])
                continue
            line = CELL.join([MANY.join(row.get(key, ())) for key in self.keys])
            if len(line) > self.max_line:
                reject(number, "too-long", 0, line[:1000])
                continue
            out.append(f"{number}{CELL}{line}".replace("\n", FEED).replace("\r", RETURN) + "\n")
            if len(out) >= _BATCH:
                yield "".join(out)
                out = []
        if out:
            yield "".join(out)
        for reason, text in self.bad:
            if not limit or self.counts.rows < limit:
                self.counts.rows += 1
                reject(start + self.counts.rows, reason, 0, text[:1000])
