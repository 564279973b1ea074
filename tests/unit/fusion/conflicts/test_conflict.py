"""Conflicts are named for what they are, whichever side is heard first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.fusion.conflicts.conflict import Side, conflict_of, is_less_specific, is_list


def test_one_value_is_no_conflict():
    assert conflict_of([]) is None
    assert conflict_of([Side("F78", ("a",)), Side("f78", ("b",))]) is None


def test_two_values():
    found = conflict_of([Side("F79", ("c",), weight=0.8), Side("F78", ("b", "a"), weight=1.6)])
    assert found.kind == "value"
    assert found.sentence == "Sources disagree: a and b say F78; c says F79."


def test_two_times():
    found = conflict_of(
        [Side("F78", ("a",), when=frozenset({"Monday"})), Side("F79", ("a",), when=frozenset({"Tuesday"}))]
    )
    assert found.kind == "time"
    assert found.sentence == "Different at different times: F78 (Monday; a); F79 (Tuesday; a)."
    both = conflict_of(
        [Side("F78", ("a",), when=frozenset({"Monday"})), Side("F79", ("b",), when=frozenset({"Monday"}))]
    )
    assert both.kind == "value", "both say it of the same time"
    unsaid = conflict_of([Side("F78", ("a",), when=frozenset({"Monday"})), Side("F79", ("b",))])
    assert unsaid.kind == "value", "the other one does not say when"


def test_two_things_of_one_name():
    sides = [Side("Paris", ("a",), things=frozenset({1})), Side("Texas", ("b",), things=frozenset({2}))]
    assert conflict_of(sides, subjects={1, 2}).kind == "entity"
    assert conflict_of(sides, subjects={1}).kind == "value", "they are about the same thing"


def test_one_says_less():
    inside = {"los angeles": {"california"}}
    found = conflict_of(
        [Side("California", ("a", "c"), weight=2.0), Side("Los Angeles", ("b",), weight=1.0)],
        general=lambda broad, narrow: is_less_specific(broad, narrow, inside),
    )
    assert found.kind == "granularity"
    assert found.sentence == "Sources agree, some say less: a and c say California; b says Los Angeles."


@pytest.mark.parametrize(
    "broad, narrow, expected",
    [
        ("1955", "1955-02-24", True),
        ("1955-02", "1955-02-24", True),
        ("1955-02-24", "1955-02", False),
        ("1956", "1955-02-24", False),
        ("Paris", "Paris, France", True),
        ("Paris", "Paris Hilton", False),
        ("F7", "F78", False),
        ("", "x", False),
    ],
)
def test_less_specific(broad, narrow, expected):
    assert is_less_specific(broad, narrow) is expected


_sides = st.lists(
    st.builds(
        Side,
        st.sampled_from(["F78", "F79", "1955", "1955-02-24", "Paris", "Paris, France"]),
        st.lists(st.sampled_from("abcde"), min_size=1, max_size=3, unique=True).map(tuple),
        st.frozensets(st.sampled_from(["Monday", "Tuesday"])),
        st.frozensets(st.integers(1, 3)),
        st.sampled_from([0.5, 0.8, 1.0]),
    ),
    max_size=5,
)

_unhurried = examples(30)


@_unhurried
@given(_sides, st.randoms(use_true_random=False))
def test_the_order_in_which_sources_speak_counts_for_nothing(sides, random):
    shuffled = [replace(s, sources=tuple(random.sample(s.sources, len(s.sources)))) for s in sides]
    random.shuffle(shuffled)
    one, other = (conflict_of(x, general=is_less_specific, subjects={1, 2}) for x in (sides, shuffled))
    assert one == other
    if one is not None:
        assert one.sentence == other.sentence


@_unhurried
@given(_sides)
def test_two_sources_that_swap_what_they_say_swap_in_the_sentence_alone(sides):
    names = {"a": "b", "b": "a"}
    swapped = [replace(s, sources=tuple(names.get(n, n) for n in s.sources)) for s in sides]
    one, other = (conflict_of(x, general=is_less_specific) for x in (sides, swapped))
    assert (one is None) == (other is None)
    if one is not None:
        assert one.kind == other.kind
        assert [s.value for s in one.sides] == [s.value for s in other.sides]


def test_two_values_of_one_source_are_a_list():
    assert is_list([("a", "Salt"), ("b", "Salt"), ("a", "Fen")])
    assert not is_list([("a", "Salt"), ("b", "Fen"), ("a", "Salt")])
