"""Corruption of claims for robustness curves: seeded, nested masking, overwriting and duplication with wrong values."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from enum import Enum

from hydra_kg.evaluate.fusion.score import fold_text
from hydra_kg.fusion.normalisation.claim_values import Row
from hydra_kg.util.fast_dataclass import dataclass

TRIES = 50


class Mode(Enum):
    """Kind of corruption.

    Claims are dropped (one for each entity and attribute stays), get a second, wrong value, or are overwritten.
    """

    MASK = "mask"
    ADD = "add"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class Corruption:
    """Corruption of the ``share`` of the claims of ``sources`` (all if empty), drawn by hash.

    A wrong value is another one of the same attribute (and day).
    """

    mode: Mode
    share: float
    seed: int = 0
    sources: frozenset[str] = frozenset()
    dated: bool = False

    def __call__(self, rows: Iterable[Row]) -> list[Row]:
        """Return the corrupted rows, with added rows at the end.

        Their order only decides the order of the result.
        """
        rows = list(rows)
        pool: dict[tuple[str, str], set[str]] = defaultdict(set)
        for entity, attribute, _, value in rows:
            pool[self._kind(entity, attribute)].add(value)
        values = {kind: sorted(found) for kind, found in pool.items()}
        stay = self._staying(rows) if self.mode is Mode.MASK else frozenset()
        remaining: list[Row] = []
        added: list[Row] = []
        for number, row in enumerate(rows):
            entity, attribute, source, value = row
            hit = (not self.sources or source in self.sources) and self._pick(row) < self.share
            if not hit or number in stay:
                remaining.append(row)
            elif self.mode is not Mode.MASK:
                other = self._wrong(row, values[self._kind(entity, attribute)])
                changed = (entity, attribute, source, other)
                remaining.append(changed if self.mode is Mode.REPLACE else row)
                if self.mode is Mode.ADD and other != value:
                    added.append(changed)
        return remaining + added

    def _kind(self, entity: str, attribute: str) -> tuple[str, str]:
        return attribute, entity.split(" ", 1)[0] if self.dated else ""

    def _pick(self, row: Row) -> float:
        entity, attribute, source, value = row
        return draw_number(self.seed, "pick", source, entity, attribute, value)

    def _wrong(self, row: Row, values: Sequence[str]) -> str:
        entity, attribute, source, value = row
        for i in range(TRIES):
            other = values[int(draw_number(self.seed, "value", i, source, entity, attribute, value) * len(values))]
            if fold_text(other) != fold_text(value):
                return other
        return value

    def _staying(self, rows: Sequence[Row]) -> frozenset[int]:
        last: dict[tuple[str, str], tuple[float, int]] = {}
        for number, row in enumerate(rows):
            key, own = (fold_text(row[0]), row[1]), (self._pick(row), number)
            last[key] = max(last.get(key, own), own)
        return frozenset(number for _, number in last.values())


def draw_number(*parts: object) -> float:
    """Return a number in [0, 1) that depends only on the parts."""
    text = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") / 2**64


def largest(rows: Iterable[Row], number: int = 1) -> tuple[str, ...]:
    """Return the ``number`` sources with the most claims."""
    count = Counter(source for _, _, source, _ in rows)
    return tuple(name for name, n in sorted(count.items(), key=lambda item: (-item[1], item[0]))[:number])
