"""What each operator of a plan gives over a small world, in both stores that need no server."""

from __future__ import annotations

from datetime import date

import pytest
from helpers.operator_world import World, named

from hydra_kg.fakes import FakeStore
from hydra_kg.plan import model as m
from hydra_kg.stores.embedded.store import EmbeddedStore

RELEASED = "release date; publication date"
BORN = "date of birth"
DIED = "date of death"


def films(name="Ada"):
    return m.Related(named(name), "directed by _", "films")


def with_cy():
    return m.Related(named("Cy"), "star _", "films")


def members():
    return m.Related(named("Band"), "members of _", "members")


def neighbours():
    return m.Related(named("North"), "border _", "countries")


def age(person, event, attribute):
    return m.Difference(m.Value(named(event), attribute, "date"), m.Value(named(person), BORN, "date"))


def released(film, op, other):
    right = m.Value(named(other), RELEASED, "date") if isinstance(other, str) else m.Constant(other, "date", "then")
    return m.Holds(m.Value(named(film), RELEASED, "date"), op, right)


def when(op, low, high=None, words=""):
    return m.Condition(op, "date", low, low if high is None else high, "", words)


@pytest.fixture(scope="module", params=["fake", "embedded"])
def world(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    if request.param == "fake":
        yield World(FakeStore(), folder)
    else:
        with EmbeddedStore(folder / "store") as store:
            yield World(store, folder)


def names(done):
    return sorted(a.name for a in done.conclusion.answers)


SETS = {
    "two sources, one relation; what she wrote and the series are no films she directed": (
        films(),
        ["Ember", "Harbour", "Noise", "Quiet"],
    ),
    "both": (m.Both((films(), with_cy())), ["Harbour", "Noise"]),
    "either": (m.Either((films("Bo"), with_cy())), ["Harbour", "Lantern", "Noise", "Orbit"]),
    "without a relation": (m.Without(films(), with_cy()), ["Ember", "Quiet"]),
    "without a name": (m.Without(members(), named("Dee")), ["Cy", "Eve"]),
    "without a date that one of them lacks": (
        m.Without(films(), m.Where(films(), RELEASED, when("in", 1986, 1987))),
        ["Ember", "Harbour"],
    ),
    "without both, one unknown": (
        m.Without(films(), m.Both((with_cy(), m.Where(films(), RELEASED, when("in", 1986, 1987))))),
        ["Ember", "Harbour", "Quiet"],
    ),
    "of a kind": (m.OfKind(m.Related(named("Oslo"), "born in _"), "people"), ["Ada", "Cy"]),
    "who was born in a city was born in its country": (m.Related(named("Cy"), "_ born in", "country"), ["South"]),
    "who of them was born in a city of the country": (
        m.Both((members(), m.Related(named("South"), "born in _"))),
        ["Cy"],
    ),
    "who was not: of one nothing is stated": (m.Without(members(), m.Related(named("South"), "born in _")), ["Dee"]),
    "a date": (m.Where(films(), RELEASED, when("in", 1986, 1987)), ["Noise"]),
    "before": (m.Where(films(), RELEASED, when("<", 1994)), ["Ember", "Noise"]),
    "dead by a place of death alone": (m.Where(members(), DIED, m.Condition("exists", "any")), ["Cy", "Dee"]),
    "not dead": (m.Where(members(), DIED, m.Condition("lacks", "any")), ["Eve"]),
    "an area in two units": (m.Where(neighbours(), "area", m.Condition("<", "number", 300, 300)), ["South"]),
    "the largest": (m.Extreme(neighbours(), "area", "number", "max"), ["East"]),
    "the second": (m.Extreme(films(), RELEASED, "date", "min", 2), ["Ember"]),
    "the next": (m.Adjacent(films(), named("Noise"), RELEASED, 1), ["Ember"]),
    "the one before": (m.Adjacent(films(), named("Harbour"), RELEASED, -1), ["Ember"]),
    "the greater": (m.Compare((named("Noise"), named("Ember")), "duration", "number", "max"), ["Ember"]),
    "the one that lived longer": (
        m.Compare((named("Cy"), named("Bo")), DIED, "number", "max", since=BORN),
        ["Bo"],
    ),
    "the one with more": (m.Compare((named("Ada"), named("Bo")), "", "number", "max", "films directed by _"), ["Ada"]),
}


@pytest.mark.parametrize("root, wanted", SETS.values(), ids=SETS)
def test_sets(world, root, wanted):
    done = world(root)
    assert names(done) == wanted
    assert done.decided
    assert all(e.path.hops and all(h.facts for h in e.path.hops) for e in done.conclusion.evidence)


VALUES = {
    "a count": (m.Count(films()), "4"),
    "a count of none": (m.Count(m.Where(films(), RELEASED, when("in", 1950, 1951))), "0"),
    "a value": (m.Value(named("Cy"), BORN, "date"), "1950-06-01"),
    "an age": (age("Cy", "Cy", DIED), "39"),
    "an age at an event": (age("Cy", "Noise", RELEASED), "36"),
    "who was born some time in a year": (age("Dee", "Noise", RELEASED), "about 34"),
    "earlier": (released("Noise", "<", "Ember"), "yes"),
    "later": (released("Noise", ">", "Ember"), "no"),
    "that year": (released("Noise", "=", 1986), "yes"),
    "another year": (released("Noise", "=", 1990), "no"),
    "stated": (m.Among(named("Cy"), members()), "yes"),
    "another is stated where there is one": (m.Among(named("Oslo"), m.Related(named("North"), "capital of _")), "no"),
    "where somebody lived is not where he was born": (
        m.Among(named("Tallinn"), m.Related(named("Cy"), "birthplace of _")),
        "no",
    ),
    "born in a city of the country": (m.Among(named("Cy"), m.Related(named("South"), "born in _")), "yes"),
    "born in a city of another country": (m.Among(named("Cy"), m.Related(named("North"), "born in _")), "no"),
    "stated of the other end": (m.Among(named("Ada"), m.Related(named("Tallinn"), "born in _")), "no"),
}


@pytest.mark.parametrize("root, wanted", VALUES.values(), ids=VALUES)
def test_values(world, root, wanted):
    assert names(world(root)) == [wanted]


SILENT = {
    "no film of that year": m.Where(films(), RELEASED, when("in", 1950, 1951)),
    "two that no date puts in order": m.Extreme(members(), BORN, "date", "max"),
    "one side has no value": m.Compare((named("Noise"), named("Quiet")), "duration", "number", "max"),
    "who lives has no age at death": age("Eve", "Eve", DIED),
    "one of many is not denied": m.Among(named("Dee"), m.Related(named("Noise"), "star _")),
}


@pytest.mark.parametrize("root", SILENT.values(), ids=SILENT)
def test_silence_has_a_reason(world, root):
    done = world(root)
    assert names(done) == []
    assert done.reason


def test_a_place_is_shown_with_what_it_lies_in(world):
    done = world(m.Among(named("Cy"), m.Related(named("South"), "born in _")))
    (evidence,) = done.conclusion.evidence
    assert [h.object.name for h in evidence.path.hops] == ["Oslo", "South"]


@pytest.mark.parametrize(
    "person, country, said",
    [
        ("Bo", "North", "yes"),  # two sources say so of the town, one says another country
        ("Bo", "East", "no"),
        ("Fay", "South", ""),  # as many say the one as the other
        ("Fay", "West", ""),
        ("Gil", "West", "yes"),  # which lies in the other
        ("Gil", "East", "yes"),
    ],
)
def test_of_two_countries_of_a_town_more_sources_decide(world, person, country, said):
    done = world(m.Among(named(person), m.Related(named(country), "born in _")))
    assert "".join(names(done)) == said


@pytest.mark.parametrize(
    "person, countries", [("Bo", ["North"]), ("Fay", ["South", "West"]), ("Gil", ["East", "West"])]
)
def test_of_several_countries_of_a_town_those_that_most_sources_state_are_given(world, person, countries):
    assert names(world(m.Related(named(person), "_ born in", "country"))) == countries


def test_a_river_is_in_all_its_countries_and_not_in_those_of_what_flows_into_it(world):
    assert names(world(m.Related(named("Water"), "_ flows through", "countries"))) == ["North", "South"]


def test_who_is_stated_to_be_a_man_is_no_sister(world):
    assert names(world(m.Related(named("Cy"), "sisters of _", "sisters"))) == ["Ada", "Eve"]
    assert names(world(m.Related(named("Cy"), "brothers of _", "brothers"))) == ["Bo", "Eve"]
    assert names(world(m.Related(named("Cy"), "siblings of _", "siblings"))) == ["Ada", "Bo", "Eve"]


def test_who_is_in_an_organisation_is_a_member_of_it(world):
    assert names(world(m.Related(named("Band"), "in _", "people"))) == ["Cy", "Dee", "Eve"]


def test_of_whom_no_place_is_known_is_counted(world):
    done = world(m.Both((members(), m.Related(named("South"), "born in _"))))
    assert done.surety.coverage == pytest.approx(2 / 3)
    assert any(s.unknown == 1 and "without a stated place" in s.text for s in done.steps)


def test_what_numbers_decide_cites_what_was_counted(world):
    """Four films of the one and two of the other."""
    done = world(m.Compare((named("Ada"), named("Bo")), "", "number", "max", "films directed by _"))
    cited = {(h.subject.name, h.object.name) for e in done.conclusion.evidence for h in e.path.hops}
    assert {s for s, _ in cited} == {"Ada", "Bo"}
    assert len(cited) == 6
    assert done.conclusion.supporting


def test_none_of_some_cites_those_that_were_looked_through(world):
    done = world(m.Count(m.Where(films(), RELEASED, when("in", 1950, 1951))))
    assert names(done) == ["0"]
    ends = {h.object.name for e in done.conclusion.evidence for h in e.path.hops}
    assert {"Ember", "Harbour", "Noise", "Quiet"} <= ends


def test_the_state_of_a_birthplace_is_what_it_lies_in_though_it_is_a_county_too(world):
    done = world(m.Related(named("Fay"), "_ born in", "state"))
    assert names(done) == ["Upland"]
    assert [h.object.name for h in done.conclusion.evidence[0].path.hops] == ["Pori", "Upland"]


def test_a_country_is_no_state_beside_one(world):
    assert names(world(m.Related(named("Pori"), "_ is located in", "states"))) == ["Upland"]


def holders():
    return m.Related(named("Office"), "position held _", "holders")


@pytest.mark.parametrize("rank, first", [(1, []), (2, ["Cy"]), (3, ["Gil"])])
def test_who_came_first_is_said_by_numbers_and_not_by_birth(world, rank, first):
    done = world(m.Extreme(holders(), "start date; took office; from; date", "date", "min", rank))
    assert names(done) == first


def test_who_is_oldest_is_said_by_birth(world):
    assert names(world(m.Extreme(holders(), BORN, "date", "min"))) == ["Hal"]


def test_the_first_of_a_few_known_dates_is_not_given(world):
    few = m.Extreme(holders(), "date of death", "date", "min")
    assert names(world(few)) == []


def test_what_nothing_says_is_not_replaced_by_what_is_near(world):
    """Nobody is said to have produced anything: what was directed is no answer."""
    assert world(m.Count(m.Related(named("Cy"), "directed by _", "films"))) is None


def test_steps_say_what_went_in_and_out_and_what_is_missing(world):
    done = world(m.Where(films(), RELEASED, when("in", 1986, 1987, "in 1986")))
    related, where = done.steps
    assert (related.before, related.after) == (1, 4)
    assert (where.before, where.after, where.unknown) == (4, 1, 1)
    assert "1 of 4 without" in where.text


def test_partial_dates_of_two_sources_are_one_value_and_the_exact_one_is_cited(world):
    done = world(m.Where(films(), RELEASED, when("in", 1986, 1987)))
    last = done.conclusion.evidence[0].path.hops[-1]
    assert last.object.name == "1986-07-18"
    assert {f.source.name for f in last.facts} == {"first", "second"}
    assert set(done.conclusion.supporting) == {"first", "second"}


def test_a_comparison_cites_both_values_and_says_the_numbers(world):
    done = world(m.Compare((named("Noise"), named("Ember")), "duration", "number", "max"))
    assert {h.object.name for e in done.conclusion.evidence for h in e.path.hops} == {"90", "120"}
    assert "Ember 120, Noise 90" in done.conclusion.computation


def test_what_is_missing_costs_confidence(world):
    whole = world(m.Extreme(neighbours(), "area", "number", "max"))
    part = world(m.Extreme(films(), "duration", "number", "max"))
    assert names(part) == ["Ember"]
    assert part.confidence < whole.confidence


def test_who_does_not_border_a_country_is_not_that_country(world):
    """South and East border North; of what borders South, North is the one that is asked not to be bordered."""
    done = world(m.Without(m.Related(named("South"), "border _", "countries"), m.Related(named("North"), "border _")))
    assert names(done) == []


def test_who_lacks_the_value_is_counted_and_what_decided_is_cited(world):
    done = world(m.Without(films(), m.Where(films(), RELEASED, when("in", 1986, 1987))))
    assert done.steps[-1].unknown == 1
    assert {str(e.path.hops[-1].predicate) for e in done.conclusion.evidence} == {"P577"}


def test_the_first_of_one_was_not_compared(world):
    done = world(m.Extreme(m.Related(named("South"), "border _", "countries"), "area", "number", "max"))
    assert names(done) == ["North"]
    assert done.unmet == ("largest (only one is stated)",)


def test_a_kind_that_nothing_is_stated_to_be_excludes_nobody(world):
    done = world(m.Without(members(), m.OfKind(members(), "astronauts")))
    assert done.unmet == ("not astronauts",)


def test_what_nobody_is_called_is_not_counted_as_if_all_were(world):
    done = world(m.Count(m.Related(named("Oslo"), "born in _", "plumbers")))
    assert done.unmet[0] == "plumbers"
    assert "plumbers" not in world(m.Count(m.Related(named("Oslo"), "born in _", "people"))).unmet


def test_how_often_is_not_how_many(world):
    """That somebody directed films does not say how often."""
    done = world(m.Count(films(), times=True))
    assert names(done) == []
    assert done.unmet == ("how many times",)


def test_how_old_somebody_is_today_holds_if_he_is_alive(world):
    today = date.today()
    done = world(m.Difference(m.Today(), m.Value(named("Eve"), BORN, "date")))
    assert names(done) == [str(today.year - 1952 - ((today.month, today.day) < (2, 3)))]
    assert (done.unmet, done.in_doubt) == ((), (f"alive on {today}",))


@pytest.mark.parametrize("person, why", [("Dee", "a death is stated"), ("Ada", "no source states")])
def test_nobody_who_is_dead_or_of_no_date_is_of_an_age_today(world, person, why):
    done = world(m.Difference(m.Today(), m.Value(named(person), BORN, "date")))
    assert not done.conclusion.answers
    assert why in done.reason


def test_which_lasted_longer_cites_both_ends_of_both(world):
    done = world(m.Compare((named("Cy"), named("Bo")), DIED, "number", "max", since=BORN))
    assert done.conclusion.computation.endswith("of 2: Bo 69.0 years, Cy 39.8 years")
    said = {(h.subject.name, h.text) for e in done.conclusion.evidence for h in e.path.hops}
    assert said == {(who, what) for who in ("Cy", "Bo") for what in (BORN, DIED)}


BORN_THERE = m.Related(named("Oslo"), "born in _", "people")


@pytest.mark.parametrize(
    "root, left",
    [
        (m.Count(BORN_THERE), ("whether these are all (only 2 are stated)",)),
        (m.Count(m.Both((members(), BORN_THERE))), ()),
        (m.Count(neighbours()), ()),
        (m.Count(m.Related(named("Cy"), "siblings of _", "sisters")), ()),
        (m.Count(m.Related(named("Hal"), "awards received by _", "awards")), ("how often each was won",)),
    ],
    ids=["born there", "those of a band", "neighbours", "sisters", "awards"],
)
def test_whether_there_are_more_is_not_checked_where_nobody_lists_all(world, root, left):
    assert world(root).unmet == left


def test_the_first_of_what_is_stated_to_be_in_a_place_may_not_be_the_first_of_all(world):
    done = world(m.Extreme(m.Related(named("Tallinn"), "born in _", "people"), BORN, "date", "min"))
    assert names(done) == ["Bo"]
    assert done.unmet == ("earliest of all (only 2 are stated)",)


def test_a_realm_beside_its_country_is_no_further_neighbour(world):
    assert names(world(neighbours())) == ["East", "South"]


def test_a_name_of_another_kind_leaves_nobody_out(world):
    assert world(m.Without(members(), named("Noise"))).unmet == ("not Noise",)


def test_a_film_did_not_come_out_when_something_happened(world):
    done = world(m.Holds(m.Value(named("Noise"), "date; date sunk", "date"), "=", m.Constant(1986, "date", "1986")))
    assert not done.conclusion.answers
