"""Values of other sources that are the same as the best one, whatever their relation is called."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hydra_kg.settings import Settings
from hydra_kg.steps.answering.literal_paths import ValuePath, like_values

UNLIKE: Any = SimpleNamespace(vectors=lambda codes: np.eye(8, dtype=np.float32)[codes[:, 0]])
CONTEXT: Any = SimpleNamespace(settings=Settings())


def path(code: int, score: float, text: str, *, segment: int = 0, node: int = 1) -> ValuePath:
    kind = "date" if text.count("-") > 1 else "gYearMonth" if "-" in text else "gYear"
    return ValuePath(None, node, code, score, ((f'"{text}"^^xsd:{kind}', segment, code),))


@pytest.mark.parametrize(
    "other, like",
    [
        (path(2, 0.9, "1929-02-11", segment=1), True),
        (path(2, 0.9, "1929-03-11", segment=1), False),
        (path(2, 0.9, "1929-02-11", segment=0), False),  # one source states two things by two relations
        (path(2, 0.1, "1929-02-11", segment=1), False),  # which the question hardly asks for
        (path(2, 0.9, "1929-02-11", segment=1, node=2), False),
    ],
)
def test_a_date_that_says_more_is_the_same(other, like):
    best = path(1, 1.0, "1929-02")
    assert like_values(CONTEXT, [best, other], UNLIKE) == ([best, other] if like else [best])


def test_a_year_in_common_says_nothing():
    best, other = path(1, 1.0, "1929"), path(2, 0.9, "1929-02-11", segment=1)
    assert like_values(CONTEXT, [best, other], UNLIKE) == [best]
