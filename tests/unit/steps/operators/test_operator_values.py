"""Values of things as plans read them: partial dates, units, series, and what may be compared with what."""

from __future__ import annotations

import pytest

from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.language.relation_phrases import suggest_relations
from hydra_kg.plan.model import Condition
from hydra_kg.steps.operators.results.literal_intervals import before, date_span, meets, span_of, years_between
from hydra_kg.steps.operators.values.value_resolution import is_met, settled


def date(text):
    kind = {4: "gYear", 7: "gYearMonth", 10: "date"}.get(len(text), "dateTime")
    return f'"{text}"^^xsd:{kind}'


def told(*values, kind="date", last=False):
    """What settles of (text, load) or (text, load, when)."""
    rows = []
    for i, (text, load, *when) in enumerate(values):
        literal = date(text) if kind == "date" else f'"{text}"^^xsd:decimal'
        leg = Leg(8, 3, literal=literal, handles=((load, ~i),))
        rows.append((span_of(literal, kind), literal, leg, date(when[0]) if when else ""))
    return settled(rows, last=last)


@pytest.mark.parametrize(
    "text, condition, met",
    [
        ("1986-07-18", Condition("in", "date", 1986, 1987), True),
        ("1986", Condition("in", "date", 1986, 1987), True),
        ("1987", Condition("in", "date", 1986, 1987), False),
        ("1986", Condition("<", "date", 1986.5, 1986.5), None),
        ("1989-12-31", Condition("<", "date", 1990, 1990), True),
        ("1990-01-01T00:00:00Z", Condition("<", "date", 1990, 1990), False),
        ("1990", Condition("=", "date", 1990, 1990), True),
        ("1991-02", Condition(">=", "date", 1991, 1991), True),
    ],
)
def test_a_partial_date_meets_a_condition_surely_surely_not_or_it_is_not_known(text, condition, met):
    assert meets(date_span(date(text)), condition) is met


@pytest.mark.parametrize(
    "number, op, bound, met",
    [
        (5, "<", 5, False),
        (5, "<=", 5, True),
        (5, ">", 5, False),
        (5, ">=", 5, True),
        (5, "=", 5, True),
        (6, "=", 5, False),
    ],
)
def test_numbers_at_the_bound(number, op, bound, met):
    assert meets(span_of(f'"{number}"', "number"), Condition(op, "number", bound, bound)) is met


@pytest.mark.parametrize(
    "one, other, less",
    [("1952", "1952-02-03", None), ("1951", "1952-02-03", True), ("1952-03", "1952-02-03", False)],
)
def test_what_comes_first_where_a_date_is_partial(one, other, less):
    assert before(date_span(date(one)), date_span(date(other))) is less


@pytest.mark.parametrize(
    "born, died, years",
    [
        ("1950-06-01", "1990-03-01", (39, 39)),
        ("1950-06-01", "1990-06-01", (40, 40)),
        ("1950", "1990-03-01", (39, 40)),
        ("1950-06", "1990-03", (39, 39)),
        ("1950", "1990", (39, 40)),
    ],
)
def test_full_years_between_dates(born, died, years):
    assert years_between(date_span(date(born)), date_span(date(died))) == years


def test_the_exact_one_of_dates_that_agree_is_taken_with_all_that_state_it():
    one = told(("1879", 0), ("1879-03-14", 1))
    assert one.literal == date("1879-03-14")
    assert one.leg.handles == ((1, -2), (0, -1))
    assert one.rivals == ()


def test_sources_that_differ_are_rivals():
    assert told(("1879-03-14", 0), ("1881-01-02", 1)).rivals == (date_span(date("1881-01-02")),)


@pytest.mark.parametrize("last, wanted", [(False, "1986-07-18"), (True, "1986-11-13")])
def test_of_a_list_of_dates_the_first_or_the_last_counts(last, wanted):
    assert told(("1986-11-13", 0), ("1986-07-18", 0), last=last).literal == date(wanted)


def test_one_number_in_two_units_is_the_one_in_the_larger_unit():
    assert told(("2381741000000", 0), ("2381741", 0), kind="number").span.low == 2381741


def test_what_most_sources_state_counts_and_then_the_greatest():
    assert told(("900", 0), ("500", 0), ("502", 1), kind="number").span.low == 500
    assert told(("93442625", 0), ("2744336793", 0), kind="number").span.low == 2744336793


def test_an_outlier_above_a_long_list_of_small_steps_does_not_count():
    populations = [(str(n), 0) for n in (8_630_430, 9_093_470, 9_558_250, 9_957_865, 10_289_898, 10_600_000)]
    assert told(*populations, ("17103400", 0), kind="number").span.low == 10_600_000
    assert told(*[(str(100 * 2**n), 0) for n in range(7)], kind="number").span.low == 6400


def test_one_of_several_numbers_without_a_date_is_a_choice():
    undated = told(("900", 0), ("500", 0), ("700", 0), kind="number").undated
    assert [span.low for span in undated] == [900, 700, 500]
    assert told(("900", 0), ("900", 1), kind="number").undated == ()
    assert told(("300", 0, "1990"), ("200", 0, "2010"), kind="number").undated == ()


@pytest.mark.parametrize(
    "numbers, met",
    [
        ((52, 48, 46, 43), None),  # most of a few contradict the greatest
        ((52, 51, 46), True),
        (range(44, 56), True),  # a series of years that grows
        ((48, 46), False),
    ],
)
def test_a_number_that_most_others_contradict_decides_nothing(numbers, met):
    stated = told(*((str(number), 0) for number in numbers), kind="number")
    assert is_met(stated, Condition(">", "number", 50, 50)) is met


def test_the_latest_of_a_series_counts_and_its_time_is_kept():
    one = told(("300", 0, "1990"), ("200", 0, "2010"), ("250", 0, "2000"), kind="number")
    assert (one.span.low, one.when) == (200, date("2010"))


@pytest.mark.parametrize(
    "phrase, wording",
    [
        ("directed by _", "director"),
        ("_ s father", "father"),
        ("born in _", "place of birth"),
        ("films that _ starred in", "cast member"),
        ("flows into _", "river mouth"),
    ],
)
def test_phrases_suggest_relations(phrase, wording):
    assert any(wording in group for group in suggest_relations(phrase))
