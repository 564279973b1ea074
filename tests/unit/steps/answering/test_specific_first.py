"""Of several answers, what another one is a kind of comes last, and nothing else moves."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from helpers.samples import graphs
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.domain import Source
from hydra_kg.fakes import FakeStore
from hydra_kg.settings import Settings
from hydra_kg.steps.answering.answer_ranking import SPECIFIC, Choice, specific_first

LOOKED_AT = SPECIFIC

KINDS = ["Q1", "Q2", "Q5", "Q7"]
KIND_OF = [("Q2", "P279", "Q1", 0), ("Q5", "P279", "Q2", 0), ("Q1", "P279", "Q1", 0), ("Q7", "P31", "Q5", 0)]


@pytest.fixture(scope="module")
def taken():
    store = FakeStore()
    graphs.put(store, graphs.Spec("kinds", (Source("kinds"),), KIND_OF))
    with store.snapshot() as snapshot:
        yield snapshot


def ordered(snapshot, keys: list[str], *, more: int = 0) -> list[str]:
    """The keys of answers as they come; ``more`` unknown ones stand before them."""
    ids = np.array([*range(more), *snapshot.lookup(keys)], np.int64)
    choice = Choice((0,), tuple((i, float(-i)) for i in range(len(ids))))
    found = specific_first(SimpleNamespace(snapshot=snapshot, settings=Settings()), choice, SimpleNamespace(ids=ids))
    assert found.members == choice.members
    assert sorted(found.ends) == sorted(choice.ends)
    return [([""] * more + keys)[i] for i, _ in found.ends]


def test_the_general_comes_after_the_special_and_a_kind_of_itself_stays(taken):
    assert ordered(taken, ["Q1", "Q2", "Q7"]) == ["Q2", "Q7", "Q1"]
    assert ordered(taken, ["Q1", "Q7"]) == ["Q1", "Q7"]
    assert ordered(taken, ["Q1"]) == ["Q1"]
    assert ordered(taken, ["Q1", "Q2"], more=LOOKED_AT)[LOOKED_AT:] == ["Q1", "Q2"]


@given(keys=st.permutations(KINDS))
def test_what_is_no_kind_of_another_keeps_its_order(taken, keys):
    found = ordered(taken, keys)
    special = [k for k in keys if k in {"Q5", "Q7"}]
    assert found == [*special, *(k for k in keys if k not in special)]


def test_where_nothing_is_said_of_kinds_nothing_moves():
    with FakeStore().snapshot() as nothing:
        choice = Choice((0,), ((1, 0.5), (0, 0.4)))
        assert (
            specific_first(
                SimpleNamespace(snapshot=nothing, settings=Settings()), choice, SimpleNamespace(ids=np.arange(2))
            )
            is choice
        )
