"""List adjectives that compare: their forms, what they measure, and which end the superlative asks for."""

from __future__ import annotations

from functools import cache
from typing import Final, Literal, cast

from hydra_kg.language.lexicon import lexicon_table
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

Order = Literal["max", "min"]

QUANTITY_ORDER: Final[dict[str, Order]] = {
    "most": "max", "more": "max", "least": "min", "less": "min", "fewest": "min", "fewer": "min"
}  # fmt: skip
"""Order that words for quantities of a noun ask for: "the most rivers"."""


@dataclass(frozen=True, slots=True)
class GradedAdjective:
    """A row of ``adjectives.tsv``, "-" for missing forms.

    ``measures``: words of the value, best first. ``order``: end that the superlative asks for. ``kind``: numbers or
    dates.
    """

    plain: str
    comparative: str
    superlative: str
    measures: tuple[str, ...]
    order: Order
    kind: Literal["number", "date"]

    @property
    def forms(self) -> tuple[str, str, str]:
        """Return the three forms."""
        return self.plain, self.comparative, self.superlative


@cache
def graded_adjectives() -> tuple[GradedAdjective, ...]:
    """Return all adjectives that compare, in the order of the table. If two rows share a form, the first one counts."""
    return tuple(
        GradedAdjective(
            plain, more, most, tuple(measures.split("; ")), cast(Order, order), cast(Literal["number", "date"], kind)
        )
        for plain, more, most, measures, order, kind in lexicon_table("adjectives")
    )


@cache
def superlative_orders(kind: Literal["number", "date"]) -> dict[str, Order]:
    """Return the superlatives that compare numbers or dates, with the order that each asks for."""
    return {a.superlative: a.order for a in graded_adjectives() if a.kind == kind and a.superlative != "-"}


@cache
def opposite_superlative(word: str) -> str:
    """Return the superlative for the other end of an order: "oldest" → "youngest", "first" → "last"; "" if unknown."""
    pairs = {"first": "last", "last": "first", "most": "least", "least": "most", "fewest": "most"}
    own = next((a for a in graded_adjectives() if a.superlative == word and word != "-"), None)
    if own is None:
        return pairs.get(word, "")
    others = [a for a in graded_adjectives() if a.kind == own.kind and a.order != own.order and a.superlative != "-"]
    common = [(len({*own.measures} & {*a.measures}), a.measures[0] == own.measures[0], a.superlative) for a in others]
    shared, _, best = max(common, key=lambda row: row[:2], default=(0, False, ""))
    return best if shared else ""


def is_another_measure(asked: str, said: str) -> bool:
    """Return True if both name measures without a common adjective.

    Width and length have none; height and length share "short".
    """
    wanted, stated = _measures_in(asked), _measures_in(said)
    return bool(wanted and stated) and not any(wanted & some and stated & some for some in _measured())


def _measures_in(text: str) -> frozenset[str]:
    said = f" {fold(text)} "
    return frozenset(m for some in _measured() for m in some if f" {m} " in said)


@cache
def _measured() -> tuple[frozenset[str], ...]:
    """Return the measures of each adjective that compares numbers."""
    return tuple(frozenset(a.measures) for a in graded_adjectives() if a.kind == "number")
