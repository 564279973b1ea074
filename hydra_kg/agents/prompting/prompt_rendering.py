"""What a prompt shows of an analysis and of paths: quoted, numbered, and cut to a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hydra_kg.agents.prompting.escaping import numbered, quote
from hydra_kg.domain import Analysis, Evidence
from hydra_kg.text.folding import fold

MOST_PATHS: Final = 20
"""Paths that a prompt shows: W_2."""
BUDGET: Final = 2_600
"""Characters of all that a prompt lists: up to 950 tokens."""
CHOICE: Final = 2_000
"""The same where paths are only chosen from: so 13 calls stay below 14,000 tokens (calls.py)."""
_PARTS: Final = 4


def plan(analysis: Analysis) -> Mapping[str, str]:
    """What the analysis says, for every prompt: it may repeat names of the store, so it is data too."""
    parts = [quote(q, 160) for q in parts_of(analysis)]
    return {"skyline": quote(analysis.skyline, 320) or "-", "parts": " ".join(parts) or "-"}


def parts_of(analysis: Analysis) -> Sequence[str]:
    """The sub-questions that a prompt shows: at most four, without the question itself."""
    return [q for q in analysis.sub_questions if fold(q) != fold(analysis.question)][:_PARTS]


def line_of(evidence: Evidence) -> str:
    """A path as a prompt shows it, not quoted yet."""
    return evidence.line or evidence.path.text


def paths_of(evidence: Sequence[Evidence], *, budget: int = BUDGET, most: int = 400) -> str:
    """The first paths, numbered, at most ``most`` characters of each."""
    return numbered([line_of(e) for e in evidence[:MOST_PATHS]], budget=budget, most=most)
