"""Queries in plain English and as JSON: every operator has words, and comes back from its JSON as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.plan.model import (
    Aggregate,
    Both,
    Class,
    Condition,
    Count,
    Difference,
    Either,
    Extreme,
    FileOrder,
    GroupBy,
    Having,
    Headings,
    LongestRun,
    Named,
    Operator,
    Project,
    Ratio,
    Related,
    Some,
    TextMatch,
    Today,
    Top,
    Value,
    Where,
    Without,
)
from hydra_kg.plan.query_wording import asked_words, words
from hydra_kg.plan.serialise import OPERATORS, query_from_json, query_json
from hydra_kg.plan.walk import parts

FILMS = Class("films", "film")
ADA = Named("Ada Lindqvist", 7)
BY_ADA = Having(
    FILMS,
    Where(Class("directors", "director"), "name", Condition("=", "any", words="Ada", values=("Ada",))),
    Condition("exists", "any"),
)
SOME = Condition("exists", "any")


def number(op: str, bound: float, **more: object) -> Condition:
    return Condition(op, "number", bound, bound, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "query, said",
    [
        (FILMS, "films"),
        (BY_ADA, "films whose director is Ada"),
        (Aggregate(BY_ADA, "running time", "mean"), "the mean of running time over films whose director is Ada"),
        (Aggregate(FILMS, "price", "max"), "the highest price over films"),
        (Count(Project(FILMS, ("country",))), "the number of different values of country of films"),
        (Project(FILMS, ("name", "year")), "name and year of films"),
        (Where(FILMS, "opened", Condition("<", "date", 1900, 1900, words="before 1900")), "films opened before 1900"),
        (Where(FILMS, "ordered on", Condition("!=", "date", words="in 1900")), "films not ordered in 1900"),
        (Where(FILMS, "price", number(">", 3, than="mean")), "films whose price is above the mean"),
        (Where(FILMS, "price", number(">=", 3)), "films whose price is at least 3"),
        (Where(FILMS, "end", Condition("lacks", "any")), "films with no end"),
        (TextMatch(FILMS, "title", "starts", "The"), "films whose title starts with “The”"),
        (TextMatch(FILMS, "title", "contains", "The", negated=True), "films whose title does not contain “The”"),
        (Having(FILMS, Class("awards", "award"), number(">=", 2)), "films with at least 2 awards"),
        (Having(FILMS, Class("awards", "award"), number("=", 1)), "films with exactly 1 award"),
        (Having(FILMS, Class("awards", "award"), SOME), "films with any award"),
        (
            Having(FILMS, Top(Class("studios", "studio"), 1, "capital", "number", "max"), SOME),
            "films with the studio with the highest capital",
        ),
        (Having(FILMS, Class("awards", "award"), Condition("lacks", "any")), "films without any award"),
        (
            Having(FILMS, Where(Where(Class("awards", "award"), "year", number("=", 5)), "kind", number("=", 6)), SOME),
            "films with an award whose year is 5 and whose kind is 6",
        ),
        (Top(FILMS, 2, "length", "number", "max"), "films, only the 2 with the highest length"),
        (Top(FILMS, 1, "born", "date", "min", skip=1), "films, only the one with the 2nd earliest “born”"),
        (Top(FILMS, 0, "length", "number", "max"), "films, in descending order of length"),
        (Top(FILMS, 1, "", "number", "max", counted="awards"), "films, only the one with the most awards"),
        (
            Top(GroupBy(FILMS, "country", "list"), 1, "budget", "number", "max", total=True),
            "country with the highest total budget",
        ),
        (GroupBy(FILMS, "country", "list", having=number(">", 2)), "country with more than 2 films"),
        (
            Count(GroupBy(FILMS, "country", "list", having=number(">", 2))),
            "the number of countries with more than 2 films",
        ),
        (GroupBy(FILMS, "country", "mean", "length"), "the mean of length over films, for each country"),
        (
            GroupBy(FILMS, "country", "mean", "length", bound=number(">", 90)),
            "country for which the mean of length over films is above 90",
        ),
        (GroupBy(BY_ADA, "country", "count"), "the number of films whose director is Ada, for each country"),
        (FileOrder(FILMS, place=-1), "films, only the last one in the file"),
        (FileOrder(ADA, step=1), "Ada Lindqvist, the row after it in the file"),
        (
            Ratio(Where(BY_ADA, "colour", Condition("=", "any", words="red", values=("red",))), BY_ADA),
            "of films whose director is Ada, the percentage whose colour is red",
        ),
        (
            Difference(Today(), Value(ADA, "date of birth", "date")),
            "today less the date of birth of Ada Lindqvist, in years",
        ),
        (Headings(ADA, "max"), "the column in which Ada Lindqvist has its highest number"),
        (
            Headings(ADA, "", Condition("<", "number", 600, 600)),
            "the column in which Ada Lindqvist is below 600",
        ),
        (
            Ratio(Value(ADA, "2019", "number"), Aggregate(FILMS, "2019", "sum")),
            "the 2019 of Ada Lindqvist as a percentage of the sum of 2019 over films",
        ),
        (LongestRun(FILMS), "the length of the longest run of films that follow each other"),
        (Either((ADA, Named("Bo", 8))), "Ada Lindqvist or Bo"),
        (Without(FILMS, Related(ADA, "whose director is _")), "films, but not those whose director is Ada Lindqvist"),
        (
            Both((FILMS, Related(ADA, "lies in _", said="that lie in _", closed=True))),
            "films that lie in Ada Lindqvist, directly or through others",
        ),
        (
            Both((FILMS, Related(Related(ADA, "town of _", said="the town of _"), "whose town is _"))),
            "films with the same town as Ada Lindqvist",
        ),
        (
            Some(Both((ADA, Related(Named("Oslo", 9), "lies in _", said="that lie in _")))),
            "whether Ada Lindqvist lies in Oslo",
        ),
        (
            Value(Extreme(Related(ADA, "_ directed", noun="film"), "length", "number", "max"), "budget", "number"),
            "the budget of (film that Ada Lindqvist directed, only the one with the greatest length)",
        ),
    ],
)
def test_a_query_says_what_is_computed(query, said):
    assert words(query) == said
    assert query_from_json(json.loads(json.dumps(query_json(query)))) == query


TEXT = st.sampled_from(["town", "born", "ordered on", "owner's born", "a _ b", "", "“x”"])
CONDITION = st.builds(
    Condition,
    st.sampled_from(["<", "<=", "=", "!=", ">=", ">", "in", "exists", "lacks"]),
    st.sampled_from(["date", "number", "any"]),
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
    words=TEXT,
    values=st.lists(TEXT, max_size=2).map(tuple),
    than=st.sampled_from(["", "mean"]),
)


def grown(below: st.SearchStrategy[Operator]) -> st.SearchStrategy[Operator]:
    pair = st.tuples(below, below)
    order, kind = st.sampled_from(["max", "min"]), st.sampled_from(["date", "number", "any"])
    return st.one_of(
        st.builds(Where, below, TEXT, CONDITION),
        st.builds(
            Having, below, below, CONDITION.filter(lambda c: c.op in ("<", "<=", "=", ">=", ">", "exists", "lacks"))
        ),
        st.builds(Both, pair),
        st.builds(Either, pair),
        st.builds(Without, below, below),
        st.builds(
            Related,
            below,
            st.sampled_from(["whose town is _", "lies in _", "_ s father", "town of _"]),
            closed=st.booleans(),
        ),
        st.builds(Project, below, st.lists(TEXT, min_size=1, max_size=2).map(tuple)),
        st.builds(GroupBy, below, TEXT, st.sampled_from(["list", "count", "share", "mean"]), TEXT),
        st.builds(Top, below, st.integers(0, 3), TEXT, kind, order, st.integers(0, 3), TEXT, st.booleans()),
        st.builds(Extreme, below, TEXT, kind, order, st.integers(1, 3)),
        st.builds(FileOrder, below, st.sampled_from([1, -1, 3]), st.sampled_from([0, 1]), st.none() | below),
        st.builds(TextMatch, below, TEXT, st.sampled_from(["contains", "starts", "ends"]), TEXT, st.booleans()),
    )


SETS = st.recursive(
    st.builds(Class, st.sampled_from(["films", ""]), st.just("film")) | st.builds(Named, TEXT, st.just(-1)), grown
)
QUERIES = st.one_of(
    SETS,
    st.builds(Count, SETS),
    st.builds(Aggregate, SETS, TEXT, st.sampled_from(["mean", "max"])),
    st.builds(Ratio, SETS, SETS),
)


@given(QUERIES)
def test_every_query_has_words_and_comes_back_from_its_json(query):
    assert words(query).strip()
    depth = len(list(parts(query)))
    if depth <= 30:
        assert query_from_json(query_json(query)) == query


def test_the_places_of_words_make_no_difference_but_are_kept_in_json():
    query = Count(Class("films", span=(2,)), span=(0, 1))
    assert query == Count(Class("films"))
    assert query_json(query)["span"] == [0, 1]
    assert query_from_json(query_json(query)).span == (0, 1)


def test_operators_are_those_of_the_model():
    assert {"Named", "Class", "Top", "Untrue"} <= {cls.__name__ for cls in OPERATORS}
    assert Operator not in OPERATORS


def test_a_stored_answer_is_worded_by_its_query():
    query = query_json(Count(FILMS))
    assert asked_words({"query": query, "plan": {"root": query_json(ADA)}, "steps": [1]}) == "the number of films"
    assert asked_words({"query": query, "plan": {"root": query, "unused": ["red"]}}).endswith("(not checked: red)")
    assert asked_words({"query": {"operator": "Count"}}) == asked_words({}) == ""
