"""Verification by hand: f1, f2, f3, s_ver and the cross-score of small paths, every verdict, every label."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from helpers.samples.answers import (
    AUSTRIA,
    BIRTH,
    FREEBASE,
    INSIDE,
    MOZART,
    PASSAGE,
    SALZBURG,
    VIENNA,
    WIKIDATA,
    fact,
    hop,
)
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.domain import Entity, Fact, Locator, Node, Passage, Path, Source
from hydra_kg.settings import Settings
from hydra_kg.steps.verification.verify import contested_confidence, label, mentioning, origins, scores, stated, verdict

TABLE = Source("mine", "table")
BLOG = Source("blog", "web", trust=0.25)
DERIVED = Source("types", "derived")
EVENT = Node(9, "m.0cvt_9", "")


def numbers(
    path: Path, *, supporters=(), inside=(), relevance: float = 0.5, w_max: int = 3, **how
) -> tuple[float, ...]:
    s = scores(
        path,
        relevance,
        supporters=set(supporters),
        inside=set(inside),
        settings=Settings(verification={"alpha_cross": 0.7, **how}, pruning={"w_max": w_max}),
    )
    assert s.relevance == relevance
    assert s.llm is None
    return s.f1, s.f2, s.f3, s.verification, s.cross


def test_a_fact_of_two_graphs():
    # f1 = ρ_KG = 1, f2 = 2/3, f3 = 2/2: s_ver = (1 + 2/3 + 1)/3 = 8/9, cross = .7·.5 + .3·8/9 = .61667
    found = numbers(Path((BIRTH,)), supporters={"freebase", "wikidata"}, inside={1, 2})
    assert found == pytest.approx((1, 2 / 3, 1, 8 / 9, 0.35 + 0.3 * 8 / 9))


def test_a_chain_is_trusted_like_its_weakest_hop():
    # The second hop stands in a table only: f1 = .8, f2 = 1/3; Salzburg is outside G_q: f3 = 2/3.
    second = replace(INSIDE, facts=(fact(1, TABLE),))
    found = numbers(Path((BIRTH, second)), supporters={"mine"}, inside={1, 3}, relevance=1.0)
    assert found == pytest.approx((0.8, 1 / 3, 2 / 3, 0.6, 0.7 + 0.3 * 0.6))


@pytest.mark.parametrize(
    "sources, f1",
    [((FREEBASE,), 1), ((TABLE, FREEBASE), 1), ((TABLE,), 0.8), ((BLOG,), 0.25), ((DERIVED,), 0), ((), 0)],
)
def test_f1_is_the_best_source_of_a_hop(sources, f1):
    path = Path((replace(BIRTH, facts=tuple(fact(i, s) for i, s in enumerate(sources, 1))),))
    assert numbers(path)[0] == pytest.approx(f1)


def test_trust_falls_from_graphs_over_wiki_to_the_web():
    kg, wiki, web = (Source("s", kind).rho for kind in ("kg", "wiki", "web"))
    assert kg > wiki > web > Source("s", "derived").rho == 0


@pytest.mark.parametrize("supporters, f2", [(0, 0), (1, 1 / 3), (3, 1), (7, 1)])
def test_f2_is_capped_at_w_max(supporters, f2):
    assert numbers(Path((BIRTH,)), supporters=map(str, range(supporters)))[1] == pytest.approx(f2)
    assert numbers(Path((BIRTH,)), supporters=map(str, range(supporters)), w_max=1)[1] == min(supporters, 1)


def test_f3_counts_each_entity_once_and_no_event():
    back = hop(SALZBURG, "birthplace of", MOZART, fact(5))
    over = replace(BIRTH, via=EVENT)
    assert numbers(Path((over, back, BIRTH)), inside={1})[2] == pytest.approx(1 / 2)
    assert numbers(Path((over,)), inside={9})[2] == 0


def test_a_sentence_is_trusted_like_its_page():
    spoken = Path((replace(BIRTH, facts=()),), PASSAGE)
    assert numbers(spoken, supporters={"wikipedia"}, inside={1}) == pytest.approx(
        (0.8, 1 / 3, 0.5, (0.8 + 1 / 3 + 0.5) / 3, 0.35 + 0.1 * (0.8 + 1 / 3 + 0.5))
    )
    assert numbers(Path((), PASSAGE))[:3] == pytest.approx((0.8, 0, 0))


def test_alpha_cross_weighs_relevance_against_verification():
    for alpha, wanted in ((0.0, 8 / 9), (1.0, 0.5), (0.5, (8 / 9 + 0.5) / 2)):
        found = numbers(Path((BIRTH,)), supporters={"a", "b"}, inside={1, 2}, alpha_cross=alpha)
        assert found[-1] == pytest.approx(wanted)


@given(
    relevance=st.floats(0, 1),
    supporters=st.sets(st.integers(0, 9)),
    inside=st.sets(st.integers(0, 4)),
    kinds=st.lists(st.lists(st.sampled_from(["kg", "wiki", "web", "table", "derived"]), max_size=3), max_size=3),
)
def test_all_numbers_lie_between_0_and_1(relevance, supporters, inside, kinds):
    chain = (BIRTH, INSIDE, hop(AUSTRIA, "capital", VIENNA))
    hops = [
        replace(h, facts=tuple(fact(i + 1, Source(k, k)) for i, k in enumerate(ks)))
        for h, ks in zip(chain, kinds, strict=False)
    ]
    for number in numbers(Path(tuple(hops)), supporters=supporters, inside=inside, relevance=relevance):
        assert 0 <= number <= 1


# Over an event: 1 — 9 — 2, one fact a leg.


def leg(subject: Node, object_: Node, source: Source) -> Fact:
    return Fact(7, subject.key, "p", object_.key, source, Locator())


def over(*facts: Fact):
    return replace(BIRTH, via=EVENT, facts=facts)


@pytest.mark.parametrize(
    "sources, who",
    [
        ((FREEBASE, FREEBASE), {"freebase"}),
        ((FREEBASE, WIKIDATA), set()),
        ((FREEBASE, DERIVED), set()),
    ],
)
def test_who_states_one_leg_of_a_hop_does_not_state_the_hop(sources, who):
    first, second = sources
    path = Path((over(leg(MOZART, EVENT, first), leg(EVENT, SALZBURG, second)),))
    assert origins(path) == who
    assert numbers(path)[0] == min(first.rho, second.rho)


def test_who_states_it_without_the_event_states_it():
    direct = leg(MOZART, SALZBURG, WIKIDATA)
    path = Path((over(leg(MOZART, EVENT, FREEBASE), leg(SALZBURG, EVENT, FREEBASE), direct),))
    assert origins(path) == {"freebase", "wikidata"}
    assert [direct in facts for facts in stated(path.hops[0])] == [True, True]


def test_origins_state_every_hop_and_are_counted_once_each():
    mirror = Source("mirror", "kg", origin="freebase")
    assert origins(Path((BIRTH,))) == {"freebase", "wikidata"}
    assert origins(Path((BIRTH, INSIDE))) == {"freebase"}
    assert origins(Path((replace(BIRTH, facts=(fact(1), fact(2, mirror))),))) == {"freebase"}
    assert origins(Path((replace(BIRTH, facts=(fact(1, DERIVED),)),))) == set()
    assert origins(Path((BIRTH,)), independence="kind") == {"kg"}
    assert origins(Path(())) == set()


def test_text_supports_a_pair_if_it_is_about_one_and_names_the_other():
    mozart = Entity(MOZART, aliases=("Wolfgang Mozart",))
    places = [Entity(SALZBURG), Entity(VIENNA), Entity(AUSTRIA)]

    def told(text: str, *, title: str = "", node: int = 0) -> list[int]:
        return sorted(mentioning(mozart, places, [Passage("p", title, text, FREEBASE, Locator(), node)]))

    assert told("Born in SALZBURG, he died in Vienna.", node=1) == [2, 4]
    assert told("Born in Salzburg.", title="Wolfgang Mozart") == [2]
    assert told("Born in Salzburg.") == []
    assert told("Wolfgang  Mozart was born here.", title="Salzburg") == [2]
    assert told("Wolfgang Mozart was born here.", node=4) == [4]
    assert told("The Salzburger Land and the Viennas.", node=1) == [], "whole words only"


@pytest.mark.parametrize(
    "supporters, f2", [("", 0.6), ("a", 0.6), ("ab", 0.7), ("abc", 0.8), ("abcd", 0.9), ("abcdefg", 0.9)]
)
def test_f2_of_the_published_code_counts_who_agrees_with_the_path(supporters, f2):
    found = numbers(Path((BIRTH,)), supporters=supporters, inside={1, 2}, f2="code")
    assert found == pytest.approx((1, f2, 1, (2 + f2) / 3, 0.35 + 0.1 * (2 + f2)))


@pytest.mark.parametrize("likeness, f3", [(0.0, 0), (0.75, 0.75), (1.5, 1), (-0.5, 0)])
def test_f3_of_the_published_code_is_likeness_to_the_graph(likeness, f3):
    written, stored = Path((BIRTH,), PASSAGE), Path((BIRTH,))
    for path, wanted in ((written, f3), (stored, 1)):
        found = scores(
            path, 0.5, supporters={"a"}, inside=set(), settings=Settings(verification={"f3": "code"}), likeness=likeness
        )
        assert found.f3 == pytest.approx(wanted)
        assert found.verification == pytest.approx((found.f1 + found.f2 + wanted) / 3)
    default = scores(written, 0.5, supporters={"a"}, inside=set(), settings=Settings(), likeness=likeness)
    assert default.f3 == 0


@pytest.mark.parametrize(
    "mix_over, candidates, mixed", [(0, 0, True), (0, 1, True), (40, 40, False), (40, 41, True), (40, 0, True)]
)
def test_verification_counts_only_among_many_candidates(mix_over, candidates, mixed):
    settings = Settings(verification={"mix_over": mix_over, "alpha_cross": 0.5})
    found = scores(Path((BIRTH,)), 0.25, supporters=set(), inside={1, 2}, settings=settings, candidates=candidates)
    assert found.verification == pytest.approx(2 / 3)
    assert found.cross == pytest.approx(0.125 + 1 / 3 if mixed else 0.25)


FULL = {"freebase": 1.0, "wikidata": 1.0, "wikipedia": 0.8}


@pytest.mark.parametrize(
    "pro, con, wanted",
    [
        ({}, {}, ("unsupported", 0, 0)),
        ({"types": 0.0}, {}, ("unsupported", 0, 0)),
        ({"a": 1.0}, {}, ("single-source", 1, 1)),
        ({"a": 0.7}, {}, ("single-source", 1, 0.7)),
        ({"a": 1.0, "types": 0.0}, {}, ("single-source", 1, 1)),
        (FULL, {}, ("supported", 1, 2.8)),
        ({"a": 1.0, "b": 1.0}, {"c": 0.5}, ("supported", 0.6, 2.5)),
        ({"a": 1.0, "b": 0.5}, {"c": 0.5}, ("supported", 0.5, 2)),
        ({"a": 1.0, "b": 0.8}, {"c": 0.7}, ("contested", 1.1 / 2.5, 2.5)),
        ({"a": 1.0}, {"b": 1.0}, ("contested", 0, 2)),
        ({"a": 0.8}, {"b": 1.0, "c": 0.7}, ("contested", -0.9 / 2.5, 2.5)),
        ({"a": 0.5}, {"b": 1.0, "c": 0.5}, ("contradicted", -0.5, 2)),
        ({}, {"b": 1.0}, ("contradicted", -1, 1)),
    ],
)
def test_verdicts(pro, con, wanted):
    found = verdict(pro, con)
    assert found[0] == wanted[0]
    assert found[1:] == pytest.approx(wanted[1:])


WEIGHTS = st.dictionaries(st.sampled_from("abcd"), st.sampled_from([0.25, 0.5, 0.7, 0.8, 1.0]), max_size=4)


@given(pro=WEIGHTS, con=WEIGHTS)
def test_the_other_side_gives_the_other_verdict(pro, con):
    ours, theirs = verdict(pro, con), verdict(con, pro)
    assert ours[1:] == pytest.approx((-theirs[1], theirs[2]))
    assert (ours[0] == "contradicted") == (theirs[0] in {"supported", "single-source"})
    assert (ours[0] == "contested") == (theirs[0] == "contested")


def test_labels_say_what_verified_an_answer_in_one_order():
    for kinds in permutations(["table", "wiki", "kg"]):
        assert label(kinds) == "kg+wiki+table"
    assert label(["web", "web"]) == "web"
    assert label(["kg", "web"]) == "kg+web"
    assert label([]) == label(["derived"]) == "llm"


def test_the_confidence_of_what_is_contested_is_that_of_a_majority():
    assert contested_confidence(0.9, verdict({"a": 1.0, "b": 1.0}, {"c": 1.0})) == pytest.approx(0.6)
    assert contested_confidence(0.9, verdict({"a": 1.0, "b": 1.0}, {})) == 0.9
    assert contested_confidence(0.9, verdict({"a": 0.2}, {"b": 1.0})) == pytest.approx(0.15)
