"""Relations that state the same: what was compared once is remembered, without bounds of memory being passed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hydra_kg.steps.operators.relations import equivalent_relations
from hydra_kg.steps.operators.relations.equivalent_relations import RelationProfile

BASE = 40
BORN, BIRTHPLACE, DIED = 0, 2, 4
NO_SPACE: Any = SimpleNamespace(key=lambda code: "")  # no relation has a phrase of its own here


def profile() -> RelationProfile:
    """Six people: two sources state where each was born, one where each died."""
    ends = {BORN: lambda n: 100 + n, BIRTHPLACE: lambda n: 100 + n, DIED: lambda n: 200 + n}
    rows = [(code, n << 32 | end(n)) for code, end in ends.items() for n in range(6)]
    rows += [(code | 1, end(n) << 32 | n) for code, end in ends.items() for n in range(6)]
    rows.sort()
    codes, pairs = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    return RelationProfile(BASE, codes, pairs, np.array([1, 2, 1], np.int64))


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The comparisons of two relations, in turn."""
    calls: list[object] = []
    shared = equivalent_relations.shared

    def counted(one: Any, other: Any) -> tuple[int, int, int]:
        calls.append((one, other))
        return shared(one, other)

    monkeypatch.setattr(equivalent_relations, "shared", counted)
    monkeypatch.setattr(RelationProfile, "_surpassed", lambda *_: False)
    return calls


def test_relations_are_compared_once_for_all_questions(compared: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    found = profile()
    assert found.shows(NO_SPACE, BORN, BIRTHPLACE, 0.2)
    assert not found.shows(NO_SPACE, BIRTHPLACE, DIED, 0.2)
    count, asked = len(compared), []
    monkeypatch.setattr(RelationProfile, "one_source", lambda *words: asked.append(words))
    assert found.shows(NO_SPACE, BORN, BIRTHPLACE, 0.3)
    assert not found.shows(NO_SPACE, BIRTHPLACE, DIED, 0.1)
    assert (len(compared), asked) == (count, [])


def test_a_relation_of_one_questions_texts_is_not_remembered(compared: list[object]) -> None:
    found = profile()
    written = 2 * len(found.loads)
    assert not found.shows(NO_SPACE, BORN, written, 0.2)
    assert list(found._shown) == []


def test_the_memory_of_pairs_is_bounded(compared: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equivalent_relations, "MOST_REMEMBERED", 2)
    found = profile()
    for one, other in ((BORN, BIRTHPLACE), (BIRTHPLACE, DIED), (BIRTHPLACE, BORN), (DIED, BIRTHPLACE)):
        found.shows(NO_SPACE, one, other, 0.2)
        assert len(found._shown) <= 2
        assert len(found._known) <= 2
