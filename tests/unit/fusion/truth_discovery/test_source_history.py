"""The history of sources: Eq. 11 by hand, moved by confirming alone, frozen by a switch."""

from __future__ import annotations

import pytest

from hydra_kg.errors import StoreCorruptError, UsageError
from hydra_kg.fusion.gathering.confirmation import judge_stated_values
from hydra_kg.fusion.truth_discovery.source_history import History


def hop(value, *sources):
    return {
        "subject": {"id": "x:1", "name": "AA-1"},
        "predicate": "gate",
        "object": {"id": value, "name": value},
        "sources": [{"source": s, "fact": "0", "locator": ""} for s in sources],
    }


DOC = {
    "id": "0123456789ab",
    "answers": [{"name": "F78", "value": '"F78"'}],
    "paths": [{"hops": [hop("F78", "a", "b")]}],
    "explorations": [{"paths": [{"hops": [hop("F78", "a", "b")]}, {"hops": [hop("F79", "c")]}]}],
}


def test_right_and_wrong_by_hand(tmp_path):
    history = History(tmp_path / "history.sqlite")
    assert history.records() == {}
    assert not history.path.exists(), "reading makes no file"
    assert judge_stated_values(DOC, right=True) == [("a", "F78", True), ("b", "F78", True), ("c", "F79", False)]
    history.confirm("one", judge_stated_values(DOC, right=True))
    # H = 50, Pr = 1/2: (25 + 1) / 51 for a and b, 25 / 51 for c.
    assert history.records() == {"a": (26 / 51, 51), "b": (26 / 51, 51), "c": (25 / 51, 51)}
    history.confirm("two", [("a", "F80", True)])
    assert history.records()["a"] == (27 / 52, 52)
    again = (51 * (26 / 51) + 1) / 52
    assert history.records()["a"][0] == pytest.approx(again), "which is Eq. 11, once more"


def test_what_is_said_of_wrong_answers():
    assert judge_stated_values(DOC, right=False) == [("a", "F78", False), ("b", "F78", False)], "of c nothing is known"
    assert judge_stated_values(DOC, right=False, answer="f79") == [
        ("a", "F78", False),
        ("b", "F78", False),
        ("c", "F79", True),
    ]
    with pytest.raises(UsageError, match="none of the answers"):
        judge_stated_values(DOC, right=True, answer="F79")
    with pytest.raises(UsageError, match="nothing to confirm"):
        judge_stated_values({**DOC, "answers": []}, right=True)


def test_an_answer_counts_once_however_often_it_is_confirmed(tmp_path):
    history = History(tmp_path / "history.sqlite")
    for right in (True, True, False):
        history.confirm("one", judge_stated_values(DOC, right=right))
    assert history.counts() == {"a": (0, 1), "b": (0, 1)}


def test_frozen_it_stays_in_force_and_does_not_move(tmp_path):
    path = tmp_path / "history.sqlite"
    History(path).confirm("one", judge_stated_values(DOC, right=True))
    before, frozen = path.read_bytes(), History(path, frozen=True)
    with pytest.raises(UsageError, match="frozen"):
        frozen.confirm("two", judge_stated_values(DOC, right=False))
    assert frozen.records()["a"] == (26 / 51, 51)
    assert path.read_bytes() == before


def test_a_damaged_file_says_so(tmp_path):
    path = tmp_path / "history.sqlite"
    path.write_bytes(b"no database at all, but long enough to be read as one" * 30)
    with pytest.raises(StoreCorruptError):
        History(path).records()


def test_hostile_names(tmp_path):
    history = History(tmp_path / "history.sqlite")
    history.confirm("'); DROP TABLE said; --", [("x'; --", "\ud800\x00", True)])
    assert history.counts() == {"x'; --": (1, 1)}
