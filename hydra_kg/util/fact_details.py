"""Details of a fact (rank, confidence, qualifiers, locator) as one record of text, separated by :data:`UNIT`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids

UNIT: Final = "\x1f"
END: Final = "\x1e"

Detail = tuple[int, str, float, str, str]
"""A detail of a fact.

It has the row (``~position`` for literal facts), rank, confidence, qualifiers as a JSON list of [key, value], and
locator.
"""


Shared = tuple[str, float, str, str]
"""The details that facts may share: rank, confidence, qualifiers, locator."""


class Records(NamedTuple):
    """Records in a row: their rows, int64 (n,), their sizes in bytes, int64 (n,), and the bytes."""

    rows: Ids
    sizes: npt.NDArray[np.int64]
    data: bytes


@runtime_checkable
class Packing(Protocol):
    """Optional capability of a stage: fact details packed as bytes, faster than as tuples."""

    def packed_details(self) -> Iterator[Records]:
        """Return the result of ``pack`` for the batches of :meth:`hydra_kg.ports.Stage.details`."""


@runtime_checkable
class Sharing(Protocol):
    """Optional capability of a stage: list the details that its facts share, faster than by listing all of them."""

    def distinct_details(self, most: int) -> set[Shared] | None:
        """Return the distinct details of all facts, None if there are more than ``most``."""

    def detail_codes(self, codes: Mapping[Shared, int]) -> Iterator[tuple[Ids, npt.NDArray[np.uint8]]]:
        """Yield rows as ``details`` does, each with the code of its shared details."""


def pack(details: Sequence[Detail]) -> Records:
    """Return details as records. A lone surrogate becomes a question mark."""
    texts = [
        f"{row}{UNIT}{rank.replace(UNIT, ' ')}{UNIT}{confidence}{UNIT}{qualifiers}{UNIT}{locator}{END}"
        for row, rank, confidence, qualifiers, locator in details
    ]
    return join_records([row[0] for row in details], texts)


def join_records(rows: Sequence[int] | Ids, texts: Sequence[str]) -> Records:
    """Return the joined texts of records."""
    data = "".join(texts).encode("utf-8", "replace")
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    if len(data) != sizes.sum():
        sizes = np.fromiter((len(text.encode("utf-8", "replace")) for text in texts), np.int64, len(texts))
    return Records(np.asarray(rows, np.int64), sizes, data)


def unpack(record: bytes) -> Detail:
    """Return one record as details. Raises ValueError for an invalid record."""
    text = record.decode()
    row, rank, confidence, qualifiers, locator = text.split(UNIT, 4)
    if not locator.endswith(END):
        raise ValueError(text[:100])
    return int(row), rank, float(confidence), qualifiers, locator[:-1]
