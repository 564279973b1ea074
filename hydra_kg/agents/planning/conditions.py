"""Words of a question that narrow its answer: whoever answers must have used them."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.domain import Mention


def conditions(question: str, mentions: Sequence[Mention]) -> tuple[str, ...]:
    """stub"""
    return ()
