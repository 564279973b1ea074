"""The last stretch: one line of answers, and citations of which every one is used and none stands twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.samples.answers import (
    BIRTH,
    DEATH,
    FREEBASE,
    INSIDE,
    MOZART,
    PASSAGE,
    WIKIDATA,
    evidence,
    fact,
    hop,
    spoken,
)
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.citations import add_units, citations_of, label_of, sentence_for, split_unchecked
from hydra_kg.domain import AnswerValue, Evidence, Node, Path


@pytest.mark.parametrize(
    "names, line",
    [([], ""), (["A"], "A"), (["A", "B"], "A and B"), (["A", "B", "C"], "A, B and C"), ([""], "")],
)
def test_answers_as_one_line(names, line):
    assert sentence_for([AnswerValue(n) for n in names]) == line


def test_citations_are_numbered_in_order_of_first_use():
    found = citations_of([evidence(BIRTH, INSIDE), evidence(DEATH), spoken()])
    assert [(c.n, c.source, str(c.locator)) for c in found] == [
        (1, "freebase", "freebase.nt.gz:11"),
        (2, "wikidata", "wikidata.nt.gz:12"),
        (3, "freebase", "freebase.nt.gz:13"),
        (4, "freebase", "freebase.nt.gz:14"),
        (5, "wikipedia", "Mozart [0:28]"),
    ]
    assert [c.fact for c in found] == [f"{n:015x}" for n in (11, 12, 13, 14)] + [""]
    assert found[-1].url == "https://en.wikipedia.org/wiki/Mozart"


def test_what_is_used_again_keeps_its_number():
    assert citations_of([evidence(BIRTH), evidence(BIRTH), spoken(), spoken()]) == citations_of(
        [evidence(BIRTH), spoken()]
    )


def test_one_place_in_two_sources_is_two_citations():
    mirror = replace(fact(11), source=replace(FREEBASE, name="mirror"))
    found = citations_of([evidence(replace(BIRTH, facts=(fact(11), mirror)))])
    assert [c.source for c in found] == ["freebase", "mirror"]


def test_two_passages_of_one_page_are_two_citations():
    """What a passage says must stand at the place that its number opens."""
    passages = [
        replace(PASSAGE, id=f"w:{n}", locator=replace(PASSAGE.locator, line=n, start=-1, end=-1)) for n in (1, 2)
    ]
    found = citations_of([Evidence(Path((), p), spoken().scores, "text", True) for p in passages])
    assert [(c.n, c.locator.line) for c in found] == [(1, 1), (2, 2)]


def test_no_evidence_no_citations():
    assert citations_of([]) == ()
    assert citations_of([evidence(replace(BIRTH, facts=()))]) == ()


FACTS = st.lists(
    st.tuples(st.integers(1, 5), st.sampled_from([FREEBASE, WIKIDATA])).map(lambda f: fact(f[0], f[1])), max_size=3
)
HOPS = st.tuples(st.sampled_from([BIRTH, INSIDE, DEATH]), FACTS).map(lambda h: replace(h[0], facts=tuple(h[1])))
PASSAGES = st.none() | st.integers(0, 3).map(lambda n: replace(PASSAGE, locator=replace(PASSAGE.locator, start=n)))
EVIDENCE = st.tuples(st.lists(HOPS, min_size=1, max_size=3), PASSAGES).map(
    lambda e: replace(evidence(*e[0]), path=Path(tuple(e[0]), e[1]))
)


@given(st.lists(EVIDENCE, max_size=4))
def test_every_place_is_cited_once_and_nothing_else_is(found):
    places = [(f.source.name, str(f.locator)) for e in found for h in e.path.hops for f in h.facts]
    places += [(e.path.passage.source.name, str(e.path.passage.locator)) for e in found if e.path.passage]
    cited = citations_of(found)
    assert [c.n for c in cited] == list(range(1, len(cited) + 1))
    assert sorted((c.source, str(c.locator)) for c in cited) == sorted(set(places))


@pytest.mark.parametrize(
    "name, shown",
    [
        ("Writer-GB", "Writer"),
        ("Avril Lavigne-US", "Avril Lavigne"),
        ("Singer-songwriter-GB", "Singer-songwriter"),
        ("Scientist-GB and Writer-GB", "Scientist and Writer"),
        ("Toys-R-US", "Toys-R-US"),
        ("non-US", "non-US"),
        ("Waffen-SS", "Waffen-SS"),
        ("Me-TV", "Me-TV"),
        ("EU-US Privacy Shield", "EU-US Privacy Shield"),
        ("shop:ratings#10", "rating 10"),
        ("shop:order_items#3", "order item 3"),
        ("C#3", "C#3"),
        ("", ""),
    ],
)
def test_a_name_is_shown_without_the_region_of_its_language(name, shown):
    assert label_of(name) == shown


@pytest.mark.parametrize(
    "condition, asked",
    [
        ("in 1999", True),
        ("when", True),
        ("Joker", True),
        ("whether these are all (4 are stated)", False),
        ("2 of 4 without a stated date of birth", False),
    ],
)
def test_what_is_asked_and_what_sources_may_lack_are_kept_apart(condition, asked):
    question = "Which actor played the Joker in 1999?"
    assert split_unchecked(question, [condition]) == (([condition], []) if asked else ([], [condition]))


@pytest.mark.parametrize(
    "relation, unit", [("height in metres", "metres"), ("height", ""), ("rank in chess", ""), ("hectares", "")]
)
def test_an_amount_has_the_unit_that_its_relation_names(relation, unit):
    value = '"1.83"^^xsd:decimal'
    stated = hop(MOZART, relation, Node(-1, value, "1.83"), replace(fact(1), object=value))
    (answer,) = add_units([AnswerValue("1.83", None, value, ())], [evidence(stated)], None)
    assert answer.unit == unit
