"""Every method of truth discovery against a table worked by hand, and what must hold for all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hydra_kg.errors import UsageError
from hydra_kg.fusion.model.beliefs import Beliefs, believed, normalise_logs, slots_of
from hydra_kg.fusion.model.claims import Claims, claims_of, part_of
from hydra_kg.fusion.truth_discovery.accu import Accu, TwoSided
from hydra_kg.fusion.truth_discovery.default_method import Default
from hydra_kg.fusion.truth_discovery.graded import Graded, _Model, _smooth_rates
from hydra_kg.fusion.truth_discovery.hierarchical import Hierarchical
from hydra_kg.fusion.truth_discovery.ltm import Ltm
from hydra_kg.fusion.truth_discovery.methods import METHODS, method
from hydra_kg.fusion.truth_discovery.query_time import QueryTime
from hydra_kg.fusion.truth_discovery.truthfinder import TruthFinder
from hydra_kg.fusion.truth_discovery.vote import HierarchyVote, Vote, WeightedVote

# Three sources, three claims each:      g0    g1    g2
#                                    a   X     P     U
#                                    b   X     Q     U
#                                    c   Y     P     V
# Slots in order: X Y | P Q | U V. X and U are alike: a and b against c. P: a and c against b.
TABLE = claims_of(
    [
        ("g0", "v", "a", "X"),
        ("g0", "v", "b", "X"),
        ("g0", "v", "c", "Y"),
        ("g1", "v", "a", "P"),
        ("g1", "v", "b", "Q"),
        ("g1", "v", "c", "P"),
        ("g2", "v", "a", "U"),
        ("g2", "v", "b", "U"),
        ("g2", "v", "c", "V"),
    ]
)


def close(beliefs: Beliefs, slots: list[float], sources: list[float]) -> None:
    np.testing.assert_allclose(beliefs.probability, slots, atol=5e-5)
    np.testing.assert_allclose(beliefs.reliability, sources, atol=5e-5)


def test_vote():
    # Shares of three voices. a: (2/3 + 2/3 + 2/3)/3, b: (2/3 + 1/3 + 2/3)/3, c: (1/3 + 2/3 + 1/3)/3.
    close(Vote().judge(TABLE), [2 / 3, 1 / 3] * 3, [2 / 3, 5 / 9, 4 / 9])


def test_weighted_vote():
    # Agreement with the vote: a 3 of 3, b 2 of 3, c 1 of 3; with 1 of 2 added .8, .6, .4, in all 1.8.
    # X: (.8 + .6)/1.8, P: (.8 + .4)/1.8.
    close(WeightedVote().judge(TABLE), [7 / 9, 2 / 9, 2 / 3, 1 / 3, 7 / 9, 2 / 9], [0.8, 0.6, 0.4])


def test_hierarchy_vote():
    # "California" (b) also speaks for "Los Angeles" (a): two of three voices against one for Boston (c).
    claims = claims_of([("p", "v", "a", "Los Angeles"), ("p", "v", "b", "California"), ("p", "v", "c", "Boston")])
    claims = replace(claims, broader=np.array([[0, 0, 1]], np.int32))
    np.testing.assert_allclose(HierarchyVote().judge(claims).probability, [2 / 3, 1 / 3, 1 / 3])


def test_truthfinder():
    # One round: τ = −ln .1 = 2.302585. X: σ = 4.605170, s = 1/(1 + e^−1.381551) = .799240; Y: σ = 2.302585, .666139.
    # P and U as X, Q and V as Y. a: .799240; b: (2 · .799240 + .666139)/3 = .754873; c: (.799240 + 2 · .666139)/3.
    high, low = 0.799240, 0.666139
    close(TruthFinder(rounds=1).judge(TABLE), [high, low] * 3, [high, (2 * high + low) / 3, (high + 2 * low) / 3])


def test_accu():
    # One round: every source votes ln(100 · .8/.2) = ln 400. X: 400²/(400² + 400 + 99) = .996891, Y: 400/160499.
    # b with two claims at .8 added: (2 · .996891 + .002492 + 1.6)/5.
    high, low = 160000 / 160499, 400 / 160499
    beliefs = Accu(rounds=1).judge(TABLE)
    close(beliefs, [high, low] * 3, [(n * high + (3 - n) * low + 1.6) / 5 for n in (3, 2, 1)])


def test_two_sided():
    # From the vote: true mass of a group 1, false mass 1. a says 2 of 3 true, 1 of 3 false: q = 2/3, e = 1/3;
    # b: q = 5/9, e = 4/9; c: q = 4/9, e = 5/9. Prior 1/2.
    # X (a, b, not c): 2 · 1.25 · (5/9)/(4/9) = 3.125; Y (c alone): .5 · .8 · .8 = .32; P (a, c): 2 · .8 · .8 = 1.28;
    # Q (b alone): .5 · 1.25 · 1.25 = .78125. Odds o give o/(1 + o).
    odds = np.array([3.125, 0.32, 1.28, 0.78125, 3.125, 0.32])
    np.testing.assert_allclose(TwoSided(strength=0, rounds=1).judge(TABLE).probability, odds / (1 + odds), atol=5e-5)


def test_tdh():
    # Without a hierarchy a source is right at .6 + .2, wrong at .2, one wrong value each. X: .8² · .2 = .128 against
    # Y: .8 · .2² = .032: .8 and .2; P as X. a: 3 · .8/3; b: (.8 + .2 + .8)/3; c: (.2 + .8 + .2)/3.
    close(Hierarchical(falsehoods=0, strength=0, rounds=1).judge(TABLE), [0.8, 0.2] * 3, [0.8, 0.6, 0.4])


def test_graded():
    # Exact at .6, wrong at .2; no two wrong claims meet, so n stays 1. X: .6² · .2 against .6 · .2²: .75 and .25.
    # Reliability after one round without smoothing: a 3 · .75/3, b (.75 + .25 + .75)/3, c (.25 + .75 + .25)/3.
    beliefs = Graded(falsehoods=1, strength=0, rounds=1).judge(TABLE)
    close(beliefs, [0.75, 0.25] * 3, [0.75, 1.75 / 3, 1.25 / 3])


def test_graded_knows_that_the_truth_may_be_unclaimed():
    claims = claims_of([("p", "v", "a", "St. Louis"), ("p", "v", "b", "Missouri"), ("p", "v", "c", "Boston")])
    claims = replace(claims, broader=np.array([[0, 0, 1]], np.int32))
    # Exact .6, less specific .2, wrong .2; n = 1. Texts: exact to wrong 3, less specific to wrong 1.
    # St. Louis: 3 · .6 · .2 · .2 = .072; Missouri itself: 3 · .2 · .6 · .2 = .072; Boston: 3 · .2 · .2 · .6 = .072.
    # Below St. Louis, two forms: (.2/2) · (.2/2) · .2 = .002; below Missouri and below Boston: .2 · .2 · .2 = .008.
    total = 3 * 0.072 + 0.002 + 2 * 0.008
    found = Graded(rounds=1, falsehoods=1).judge(claims).probability
    np.testing.assert_allclose(found, np.full(3, 0.072 / total), atol=5e-5)


def test_graded_counts_how_often_wrong_claims_agree():
    # Ten groups, three right and two wrong alike: of 10 pairs of wrong claims 10 agree, with 100 to 1 beforehand
    # n = (10 + 100)/(10 + 1) = 10.
    rows = [(f"e{g}", "v", s, f"right {g}" if s in "abc" else f"wrong {g}") for g in range(10) for s in "abcde"]
    claims = claims_of(rows)
    won = np.tile([1.0, 0.0], 10)
    np.testing.assert_allclose(_Model.of(claims, None).wrong_values(won, 100.0), np.full(20, 10.0))


def test_graded_counts_a_source_that_contradicts_itself_once():
    # a says one more value, Z, in g0: X or Z was meant, each with ½. X: (.6/2) · .6 · .2 = .036, Y: .6 · .2² = .024 (a
    # and b wrong), Z: (.6/2) · .2² = .012. Y and Z, wrong by the vote, differ: n = (1 + 1)/(0 + 1) = 2 for each claim
    # that is right: .144, .048, .024. a is wrong where neither X nor Z is the truth.
    claims = claims_of([("g0", "v", "a", "X"), ("g0", "v", "b", "X"), ("g0", "v", "c", "Y"), ("g0", "v", "a", "Z")])
    beliefs = Graded(falsehoods=1, strength=0, rounds=1).judge(claims)
    close(beliefs, [2 / 3, 2 / 9, 1 / 9], [7 / 9, 2 / 3, 2 / 9])


def test_ltm():
    # The priors outweigh nine claims: a true value is stated at .5, a false one at .01, left out at .5 or .99.
    # Y (c alone of three): odds 50 · (.5/.99)² = 12.75, so .93; X: 50² · .505 = 1263, near 1.
    beliefs = Ltm(samples=400, blocks=3).judge(TABLE)
    assert beliefs.probability[[0, 2, 4]].min() > 0.99
    np.testing.assert_allclose(beliefs.probability[[1, 3, 5]], 0.93, atol=0.06)
    again = Ltm(samples=400, blocks=3).judge(TABLE)
    assert np.array_equal(beliefs.probability, again.probability)


def test_query_time_learns_from_query_to_query():
    # The first query (g0) as ACCU's first round. Right so far, of 2 claims at .8: a 1.6 + .996891 of 3, c 1.6 + .0025.
    first = part_of(TABLE, np.array([True, False, False]))
    whole = QueryTime(rounds=1, batch=1)
    judged = whole.judge(TABLE)
    np.testing.assert_allclose(judged.probability[:2], Accu(rounds=1).judge(first).probability, atol=5e-5)
    # So in g1 P (a, c) has 100² · (.865630/.134370) · (.534164/.465836), Q (b) 100 · 6.442140.
    high, low = (1.6 + 160000 / 160499) / 3, (1.6 + 400 / 160499) / 3
    p, q = 1e4 * high / (1 - high) * low / (1 - low), 100 * high / (1 - high)
    np.testing.assert_allclose(judged.probability[2:4], [p / (p + q + 99), q / (p + q + 99)], atol=5e-5)


def test_a_text_is_blamed_less_for_what_a_careless_source_says_of_it():
    said = [(f"junk {n}", {"a": "X", "b": "X", "c": "X", "d": f"J{n}"}) for n in range(20)]
    said += [(f"d errs {n}", {"a": "X", "b": "X", "c": "X", "d": "T"}) for n in range(4)]
    said += [(f"b errs {n}", {"a": "X", "b": "U", "c": "X"}) for n in range(3)]
    said += [(f"a errs {n}", {"a": f"A{n}", "b": "X", "c": "X"}) for n in range(3)]
    said.append(("asked", {"a": "T", "b": "U"}))  # sources as good; T was wrong more often, but in d's mouth
    claims = claims_of((f, "v", s, f"{f}: X" if v == "X" else v) for f, own in said for s, v in own.items())
    assert believed(claims, Graded().judge(claims))[-2:].tolist() == [True, False]
    rates = np.where(np.arange(4)[:, None] == claims.sources.index("d"), [0.05, 0.05, 0.9], [0.8, 0.1, 0.1])
    model, slots = _Model.of(claims, None), len(slots_of(claims))
    texts = np.full((int(model.text.max()) + 1, 3), [0.7, 0.1, 0.2])
    counts = model.text_counts(np.zeros(slots), np.zeros(slots), rates, texts)
    t, u = (int(model.text[slots - 2 + n]) for n in (0, 1))
    # At fault, given that it or all who state it were: .2 / (1 − .8 · (1 − rate)); 4 times d's, once a's; 4 times b's.
    np.testing.assert_allclose(counts[[t, u], 2], [4 * 0.2 / 0.92 + 0.2 / 0.28, 4 * 0.2 / 0.28])


def test_texts_without_counts_have_the_rates_of_their_attribute():
    counts, kind = np.array([[8.0, 0, 0], [0, 0, 8.0], [0, 0, 0], [0, 0, 0]]), np.array([0, 1, 0, 1])
    drawn = _smooth_rates(counts, np.array([0.6, 0.2, 0.2]), 3.0, kind)
    np.testing.assert_allclose(drawn[2:], [[8.6 / 9, 0.2 / 9, 0.2 / 9], [0.6 / 9, 0.2 / 9, 8.2 / 9]])


def test_default_is_graded_without_copies_and_a_vote_where_several_are_true():
    np.testing.assert_allclose(Default().judge(TABLE).probability, Graded().judge(TABLE).probability)
    several = replace(TABLE, many=np.ones(3, np.bool_))
    beliefs = Default().judge(several)
    # Backed by another: all three claims of a, two of b, one of c; with 1 of 2 added they err at .2, .4, .6.
    a, b, c = -np.log([0.2, 0.4, 0.6]) / -np.log(0.2 * 0.4 * 0.6)
    # And that one of those who say it is backed: .92 for a and b, .88 for a and c, .6 for b, .4 for c alone.
    c_alone = c * 0.4 / 0.92
    np.testing.assert_allclose(beliefs.probability, [a + b, c_alone, a + c, b * 0.6 / 0.88, a + b, c_alone])
    # A fifth of the best is believed: Q at .3, not Y and V at .09.
    assert believed(several, beliefs).tolist() == [True, False, True, True, True, False]


def test_where_sources_back_each_other_a_lone_value_is_believed_beside_the_best():
    rows = [(f"g{g}", "v", s, f"X{g}") for g in range(30) for s in "abc"] + [("g0", "v", "a", "Y")]
    several = replace(claims_of(rows), many=np.ones(30, np.bool_))
    assert believed(several, Default().judge(several))[:2].all()  # one voice of three, more than a fifth


def test_what_a_careless_source_says_costs_no_other_source_its_lone_values():
    rows = [(f"g{g}", "v", s, f"X{g}") for g in range(30) for s in "abc"]
    rows += [(f"g{g}", "v", "d", f"junk {g} {n}") for g in range(30) for n in range(3)] + [("g0", "v", "a", "Y")]
    several = replace(claims_of(rows), many=np.ones(30, np.bool_))
    kept = believed(several, Default().judge(several))
    assert {t for t, k in zip(several.texts[0], kept[:5], strict=True) if k} == {"X0", "Y"}


def test_what_contradicts_its_own_source_is_not_heard_in_a_vote_over_lists():
    rows = [(f"g{g}", "v", s, f"X{g}") for g in range(30) for s in "ab"] + [(f"g{g}", "v", "a", "Y") for g in range(30)]
    several = replace(claims_of(rows), many=np.ones(30, np.bool_))
    assert believed(several, Default().judge(several)).all()
    beside = np.array([several.texts[g][v] == "Y" for g, v in zip(several.group, several.value, strict=True)])
    judged = Default().judge(replace(several, outside_list=beside))
    assert believed(several, judged).tolist() == [True, False] * 30
    np.testing.assert_allclose(judged.probability, [1, 0] * 30)


def test_default_takes_a_prior():
    prior = np.array([1.0, 1e6, 1.0, 1.0, 1.0, 1.0])
    assert believed(TABLE, Default(prior=lambda _: prior).judge(TABLE)).tolist() == [
        False,
        True,
        True,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_deterministic_total_and_bounded(name):
    empty = claims_of([])
    assert len(method(name).judge(empty).probability) == 0
    for claims in (TABLE, claims_of([("e", "a", "s", "v")])):
        one, two = method(name).judge(claims), method(name).judge(claims)
        assert np.array_equal(one.probability, two.probability)
        assert np.array_equal(one.reliability, two.reliability)
        assert len(one.probability) == len(slots_of(claims))
        for column in (one.probability, one.reliability):
            assert np.isfinite(column).all()
            assert column.min() >= 0
            assert column.max() <= 1


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"query-time"}))
def test_the_majority_wins_among_equals(name):
    """Whatever the method, three independent sources outweigh one of which nothing else is known."""
    rows = [(f"e{i}", "a", s, f"{i}") for i in range(8) for s in "abc"] + [
        (f"e{i}", "a", "d", f"wrong {i}") for i in range(8)
    ]
    claims = claims_of(rows)
    assert believed(claims, method(name).judge(claims)).tolist() == [True, False] * 8


def test_believed_breaks_ties_for_the_specific_value_then_for_the_first():
    claims = claims_of(
        [("p", "v", "a", "California"), ("p", "v", "b", "Los Angeles"), ("q", "v", "a", "M"), ("q", "v", "b", "N")]
    )
    even = Beliefs(np.full(4, 0.5), np.full(2, 0.5))
    assert believed(claims, even).tolist() == [True, False, True, False]
    known = replace(claims, broader=np.array([[0, 1, 0]], np.int32))
    assert believed(known, even).tolist() == [False, True, True, False]


def test_normalised_leaves_room_for_values_that_nobody_claims():
    slots = slots_of(TABLE)
    np.testing.assert_allclose(normalise_logs(slots, np.zeros(6)), np.full(6, 0.5))
    np.testing.assert_allclose(normalise_logs(slots, np.zeros(6), spare=np.full(3, np.log(2))), np.full(6, 0.25))


def test_an_unknown_method_is_named():
    with pytest.raises(UsageError, match="no method 'majority'"):
        method("majority")


def test_part_of_keeps_sources_and_renumbers_groups():
    part: Claims = part_of(TABLE, np.array([False, True, True]))
    assert part.keys == TABLE.keys[1:]
    assert part.sources == TABLE.sources
    assert part.group.tolist() == [0, 0, 0, 1, 1, 1]
    assert part.value.tolist() == [0, 1, 0, 0, 0, 1]
    beside = np.arange(len(TABLE)) == len(TABLE) - 1
    assert part_of(replace(TABLE, outside_list=beside), np.array([False, True, True])).outside_list.tolist() == [
        False
    ] * 5 + [True]
