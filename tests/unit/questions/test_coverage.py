"""Conditions of a question that an answer was not checked against, over conclusions made by hand."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.operator_world import KEYS, World, named

from hydra_kg import ids
from hydra_kg.domain import (
    Analysis,
    AnswerValue,
    Candidate,
    Evidence,
    Hop,
    Judgement,
    Locator,
    Mention,
    Node,
    Passage,
    Path,
    Scores,
    Source,
)
from hydra_kg.fakes import FakeStore
from hydra_kg.plan import model as m
from hydra_kg.questions import coverage
from hydra_kg.questions.coverage import unmet_conditions
from hydra_kg.questions.decision import can_be_given, check_outcome
from hydra_kg.questions.doubt import bordered_places, doubtful_parts
from hydra_kg.questions.plan_comparison import is_no_time, uses_inverse_relation
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.linking.words_beyond_names import words_beyond_names
from hydra_kg.steps.operators.listed_answers import perhaps_incomplete
from hydra_kg.strategies.base import Outcome

FILM, ACTOR, HUSBAND = (Node(n, f"Q{n}", name) for n, name in enumerate(("Cleopatra", "Elizabeth", "Richard"), 1))
CONTEXT: Any = SimpleNamespace(
    agent=SimpleNamespace(reads=False),
    entities=lambda ids: {n: SimpleNamespace(node=Node(n, f"Q{n}", f"name {n}")) for n in ids},
)


def hop(subject: Node, text: str, end: Node) -> Hop:
    return Hop(subject, text, text, end)


def concluded(*hops: Hop, passage: Passage | None = None, computation: str = "") -> Conclusion:
    end = hops[-1].object
    evidence = Evidence(Path(hops, passage), Scores(0.6), "initial", True, "", (end,), ())
    return Conclusion(
        (AnswerValue(end.name, None, end.key, (), 0.6),), (evidence,), {}, {}, frozenset(), (), computation
    )


def asked(plan: m.Plan | None = None, *, conditions: tuple[str, ...] = (), topics: tuple[int, ...] = (1,)) -> Analysis:
    return Analysis("", "", topics, 1, plan=plan, conditions=conditions)


def husband_of(name: str) -> m.Plan:
    return m.Plan(m.Related(m.Named(name, 1), "husband of _", "husband"))


def test_a_path_longer_than_a_question_of_one_relation_passes_something_else():
    through = concluded(hop(FILM, "has the actor", ACTOR), hop(ACTOR, "married to", HUSBAND))
    assert unmet_conditions(CONTEXT, asked(husband_of("Cleopatra")), through) == ("husband of",)
    assert unmet_conditions(CONTEXT, asked(husband_of("Cleopatra")), concluded(hop(FILM, "married to", HUSBAND))) == ()


@pytest.mark.parametrize(
    "sentence, left",
    [
        ("Richard was married to Elizabeth.", ("rocky",)),
        ("Richard was married to Elizabeth in Rocky.", ()),
    ],
)
def test_a_sentence_that_supports_a_path_meets_no_condition_that_it_does_not_mention(sentence, left):
    parts = tuple(
        m.Related(m.Named(name, node), phrase)
        for name, node, phrase in (("cleopatra", 1, "played _"), ("rocky", 9, "in _"))
    )
    passage = Passage("p", "Cleopatra", sentence, Source("w", "wiki"), Locator(), 1)
    found = concluded(hop(FILM, "has the actor", ACTOR), passage=passage)
    assert unmet_conditions(CONTEXT, asked(m.Plan(m.Both(parts))), found) == left


def test_a_path_from_another_name_does_not_answer_for_the_only_name_of_a_plan():
    plan = m.Plan(m.Related(m.Named("white", 9), "where is _ from"))
    assert unmet_conditions(CONTEXT, asked(plan), concluded(hop(FILM, "born in", ACTOR))) == ("white",)


def test_a_count_without_a_plan_goes_through_every_name():
    one = concluded(hop(FILM, "place of death of", ACTOR), computation="57 counted")
    assert unmet_conditions(CONTEXT, asked(topics=(1, 9)), one) == ("name 9",)
    assert unmet_conditions(CONTEXT, asked(topics=(1, 2)), one) == ()


@pytest.mark.parametrize(
    "condition, relation, left",
    [("after", "held office", ("after",)), ("after", "named after", ()), ("first", "x", ())],
)
def test_an_order_is_said_by_a_relation_and_not_by_a_text_about_the_answer(condition, relation, left):
    text = "She was the first to travel after leaving office."
    passage = Passage("p", "Elizabeth", text, Source("w", "wiki"), Locator(), 2)
    found = concluded(hop(FILM, relation, ACTOR), passage=passage)
    assert unmet_conditions(CONTEXT, asked(conditions=(condition,)), found) == left


def test_no_date_is_a_person_or_a_place():
    found = concluded(hop(FILM, "born", Node(7, '"1955"^^xsd:gYear', "1955")))
    when = Conclusion((AnswerValue("1955", None, '"1955"^^xsd:gYear'),), found.evidence, {}, {}, frozenset(), ())
    for asked_for, word in (("location", ("where",)), ("person", ("who",)), ("date", ())):
        analysis = Analysis("", "", (1,), 1, answer_type=asked_for)
        assert unmet_conditions(CONTEXT, analysis, when) == word


def entity(name: str, *types: str, aliases: tuple[str, ...] = ()) -> Any:
    return SimpleNamespace(node=Node(1, "Q1", name), aliases=aliases, types=types, description="")


@pytest.mark.parametrize(
    "text, known, left",
    [
        ("Imagine", entity("Imagine That", "film"), ("Imagine",)),
        ("Imagine", entity("Imagine That", "film", aliases=("Imagine",)), ()),
        ("Star Wars", entity("Star Wars: A New Hope", "film"), ()),
        ("Godfather", entity("The Godfather", "film"), ()),
        ("Kubrick", entity("Stanley Kubrick", "person"), ()),
    ],
)
def test_a_work_is_called_by_its_whole_title(text, known, left):
    context: Any = SimpleNamespace(
        agent=SimpleNamespace(reads=False),
        settings=SimpleNamespace(answering=SimpleNamespace(relation_from=0.35)),
        entities=lambda ids: dict.fromkeys(ids, known),
        question=f"Who is the husband of {text}?",
    )
    named = (Mention(text, 0, len(text), (), Candidate(known.node, 1.0, "exact")),)
    outcome = Outcome(
        named, asked(husband_of(text)), concluded(hop(FILM, "married to", HUSBAND)), Judgement(True, 0.9, "")
    )
    assert doubtful_parts(context, outcome) == left


def test_a_path_far_from_sure_may_not_say_the_relation():
    context: Any = SimpleNamespace(
        agent=SimpleNamespace(reads=False),
        settings=SimpleNamespace(answering=SimpleNamespace(relation_from=0.35)),
        entities=lambda ids: {},
    )
    found = concluded(hop(FILM, "lived with", HUSBAND))
    for confidence, left in ((0.2, ("husband of",)), (0.8, ())):
        outcome = Outcome((), asked(husband_of("Cleopatra")), found, Judgement(True, confidence, ""))
        assert doubtful_parts(context, outcome) == left


def siblings(*found: str) -> Conclusion:
    people = [Node(ids.encode(KEYS[name]), KEYS[name], name) for name in found]
    cy = Node(ids.encode(KEYS["Cy"]), KEYS["Cy"], "Cy")
    one = concluded(hop(cy, "sibling", people[0]))
    paths = tuple(concluded(hop(cy, "sibling", p)).evidence[0] for p in people)
    return replace(one, answers=tuple(AnswerValue(p.name, p) for p in people), evidence=paths)


@pytest.mark.parametrize(
    "found, answers, doubt",
    [
        (("Ada", "Bo"), ["Bo"], ()),
        (("Bo", "Eve"), ["Bo", "Eve"], ()),
        (("Eve", "Dee", "Bo"), ["Eve", "Dee", "Bo"], ("brothers",)),  # of two nothing is stated
    ],
)
def test_who_is_a_sister_is_none_of_the_brothers(tmp_path, found, answers, doubt):
    plan = m.Plan(m.Related(named("Cy"), "brothers of _", "brothers"), "brothers")
    outcome = Outcome((), asked(plan), siblings(*found), Judgement(True, 0.9, ""))
    with World(FakeStore(), tmp_path).context() as context:
        done = check_outcome(context, outcome)
    assert [a.name for a in done.conclusion.answers] == answers
    assert [e.answers[0].name for e in done.conclusion.evidence] == answers
    assert done.in_doubt == doubt


def test_nobody_on_the_way_is_uses_inverse_relation_gender(tmp_path):
    """Bo, whose films are found, is no mother of Cy."""
    cy, bo, film = (Node(ids.encode(KEYS[name]), KEYS[name], name) for name in ("Cy", "Bo", "Orbit"))
    found = concluded(hop(cy, "parents", bo), hop(bo, "director of", film))
    with World(FakeStore(), tmp_path).context() as context:
        for noun, left in (("mother", ("mother",)), ("father", ())):
            plan = m.Plan(m.Related(m.Related(named("Cy"), f"{noun} of _", noun), "directed by _", "films"))
            assert unmet_conditions(context, asked(plan), found) == left


@pytest.mark.parametrize("other, stands", [("Oslo", True), ("Noise", False), ("", False)])
def test_no_is_said_by_what_is_of_the_kind_of_what_is_named(tmp_path, other, stands):
    """That he died in Tallinn says that it was not in Oslo, and nothing of a film, nor where nothing else is named."""
    cy, tallinn = (Node(ids.encode(KEYS[name]), KEYS[name], name) for name in ("Cy", "Tallinn"))
    topics = (cy.id, *([ids.encode(KEYS[other])] if other else []))
    path = concluded(hop(cy, "place of death", tallinn), computation="stated otherwise: Cy died in Tallinn")
    end = replace(path, answers=(AnswerValue("no", None, '"false"^^xsd:boolean'),))
    analysis = replace(asked(topics=topics), kind="boolean")
    with World(FakeStore(), tmp_path).context() as context:
        assert (
            check_outcome(context, Outcome((), analysis, end, Judgement(True, 0.9, ""))).judgement.sufficient == stands
        )


def test_what_is_asked_whether_is_answered_by_yes_or_no(tmp_path):
    analysis = replace(asked(), kind="boolean")
    found = siblings("Ada", "Bo")
    with World(FakeStore(), tmp_path).context() as context:
        assert not check_outcome(context, Outcome((), analysis, found, Judgement(True, 0.9, ""))).judgement.sufficient


@pytest.mark.parametrize("question, left", [("Which cities lie on the Tiber?", ("Tiber",)), ("Which are there?", ())])
def test_a_name_that_nothing_is_linked_to_is_not_passed_over(question, left):
    answering = SimpleNamespace(plan=True, own_words=False, relation_from=0.35)
    context: Any = SimpleNamespace(**vars(CONTEXT), question=question, settings=SimpleNamespace(answering=answering))
    outcome = Outcome((), asked(), concluded(hop(FILM, "contains", ACTOR)), Judgement(True, 0.6, ""))
    assert doubtful_parts(context, outcome) == left


def test_of_several_answers_none_is_given_where_a_name_that_chooses_is_passed_over(tmp_path):
    paths = [replace(e, answers=(e.path.hops[-1].object,)) for e in siblings("Ada", "Bo").evidence]
    end = replace(siblings("Ada", "Bo"), evidence=tuple(paths))
    with World(FakeStore(), tmp_path).context() as context:
        asking = replace(context, question="Which actor played the Joker there?")
        found = check_outcome(asking, Outcome((), asked(topics=()), end, Judgement(True, 0.6, "")))
    assert (found.unchecked, found.in_doubt) == (("Joker",), ())


@pytest.mark.parametrize("question, left", [("who made the novel Noise", ("novel",)), ("who made the film Noise", ())])
def test_what_is_named_is_what_it_is_called(tmp_path, question, left):
    film = Node(ids.encode(KEYS["Noise"]), KEYS["Noise"], "Noise")
    named_so = (Mention("Noise", question.index("Noise"), len(question), (), Candidate(film, 1.0, "exact")),)
    end = concluded(hop(film, "director", ACTOR))
    with World(FakeStore(), tmp_path).context() as context:
        asking = replace(context, question=question)
        assert doubtful_parts(asking, Outcome(named_so, asked(topics=()), end, Judgement(True, 0.9, ""))) == left


@pytest.mark.parametrize("phrase, left", [("directed by _", ("directed by",)), ("star _", ())])
def test_of_several_relations_each_is_said_by_its_hop(tmp_path, phrase, left):
    """Cy acts in Noise, which Ada directed; nothing says that he directed it."""
    cy, noise, ada = (Node(ids.encode(KEYS[name]), KEYS[name], name) for name in ("Cy", "Noise", "Ada"))
    plan = m.Plan(m.Related(m.Related(named("Cy"), phrase, "films"), "director of _"))
    found = concluded(hop(cy, "cast member of", noise), hop(noise, "director", ada))
    outcome = Outcome((), asked(plan, topics=(cy.id,)), found, Judgement(True, 0.9, ""))
    with World(FakeStore(), tmp_path).context() as context:
        assert doubtful_parts(context, outcome) == left
        sure = check_outcome(context, outcome).judgement.confidence
    assert (sure < 0.5) == bool(left)


@pytest.mark.parametrize(
    "called, noun, left",
    [
        ({"country", "state"}, "states", ("states",)),  # "sovereign state" is what sources call a country
        ({"country", "state"}, "countries", ()),
        ({"city", "county"}, "state", ("state",)),  # the state is what it lies in
        ({"city", "county"}, "county", ()),
        ({"city", "state"}, "state", ()),
        ({"city"}, "birth name", ("birth name",)),
        (set(), "birth name", ()),
        ({"king"}, "nickname", ("nickname",)),
    ],
)
def test_what_is_known_to_be_something_else_is_no_answer(monkeypatch, called, noun, left):
    monkeypatch.setattr(coverage, "kinds_of", lambda context, nodes: {ACTOR.id: frozenset(called)})
    answering = SimpleNamespace(own_words=False)
    context: Any = SimpleNamespace(**vars(CONTEXT), settings=SimpleNamespace(answering=answering))
    end = replace(concluded(hop(FILM, "country", ACTOR)), answers=(AnswerValue("Mexico", ACTOR),))
    assert unmet_conditions(context, replace(asked(), answer_noun=noun), end) == left


def test_where_somebody_was_born_says_nothing_of_his_father():
    father = m.Related(m.Named("Elizabeth", 1), "father of _", "father")
    plan = m.Plan(m.Related(father, "where was _ born"))
    for text, left in (("She was born in Rome.", ("born",)), ("Her father was born in Rome.", ())):
        passage = Passage("p", "Elizabeth", text, Source("w", "wiki"), Locator(), 2)
        found = concluded(hop(FILM, "place of birth", HUSBAND), passage=passage)
        assert unmet_conditions(CONTEXT, asked(plan), found) == left


@pytest.mark.parametrize(
    "analysis, kind, left",
    [
        (Analysis("", "", (1,), 1, answer_noun="nickname"), "", ("nickname",)),
        (Analysis("", "", (1,), 1, answer_type="location"), "disease", ("where",)),
        (Analysis("", "", (1,), 1, answer_type="location"), "university", ()),
        (Analysis("", "", (1,), 1, answer_type="location"), "", ()),
    ],
)
def test_a_thing_is_no_nickname_and_a_disease_no_place(monkeypatch, analysis, kind, left):
    monkeypatch.setattr(coverage, "kinds_of", lambda context, ids: {HUSBAND.id: frozenset({kind} - {""})})
    monkeypatch.setattr(coverage, "missed_class", lambda *_: "")
    end = concluded(hop(FILM, "named after", HUSBAND))
    end = replace(end, answers=(replace(end.answers[0], node=HUSBAND, value=None),))
    assert unmet_conditions(CONTEXT, analysis, end) == left


@pytest.mark.parametrize("topic, left", [("military conflict", ()), ("film", ("who",))])
def test_countries_take_part_in_an_event(monkeypatch, topic, left):
    """Of "who fought in _"; no country directed a film."""
    monkeypatch.setattr(coverage, "kinds_of", lambda context, nodes: {HUSBAND.id: frozenset({"country"})})
    monkeypatch.setattr(coverage, "missed_class", lambda *_: "")
    about = SimpleNamespace(node=FILM, types=(topic,), description="", aliases=())
    context: Any = SimpleNamespace(**{**vars(CONTEXT), "entities": lambda nodes: {1: about}})
    end = concluded(hop(FILM, "participant", HUSBAND))
    end = replace(end, answers=(replace(end.answers[0], node=HUSBAND, value=None),))
    assert unmet_conditions(context, Analysis("", "", (1,), 1, answer_type="person"), end) == left


@pytest.mark.parametrize(
    "question, relation, left",
    [
        ("When did it end?", "inception", ("end",)),
        ("When did it end?", "dissolved, abolished or demolished date", ()),
        ("When did it end?", "point in time", ()),
        ("When was it founded?", "inception", ()),
    ],
)
def test_when_something_began_is_not_when_it_ended(question, relation, left):
    year = '"1299"^^xsd:gYear'
    end = concluded(hop(FILM, relation, Node(7, year, "1299")))
    end = replace(end, answers=(AnswerValue("1299", None, year),))
    assert unmet_conditions(CONTEXT, Analysis(question, "", (1,), 1, answer_type="date"), end) == left


def test_nothing_with_a_name_is_an_amount():
    end = concluded(hop(FILM, "located in", ACTOR))
    end = replace(end, answers=(replace(end.answers[0], node=ACTOR, value=None),))
    context: Any = SimpleNamespace(
        **vars(CONTEXT), settings=SimpleNamespace(answering=SimpleNamespace(own_words=False))
    )
    assert unmet_conditions(context, Analysis("How far is it to Rome?", "", (1,), 1), end) == ("How far",)


def test_the_headquarters_are_a_place_themselves():
    """ "Where is the headquarters of _" is answered by one hop, "where was the director of _ born" is not."""
    of = m.Related(m.Named("Cleopatra", 1), "main headquarters of _", "main headquarters")
    found = concluded(hop(FILM, "headquarters", ACTOR))
    assert unmet_conditions(CONTEXT, asked(m.Plan(m.Related(of, "where is _"))), found) == ()
    assert unmet_conditions(CONTEXT, asked(m.Plan(m.Related(of, "where was _ born"))), found) == ("born",)


@pytest.mark.parametrize(
    "phrase, relation, left",
    [
        ("plays drums in _", "member of", ("drums",)),
        ("plays drums in _", "drums player of", ()),
        ("lives in _", "place lived", ()),
    ],
)
def test_the_object_of_a_verb_is_said_by_the_path(tmp_path, phrase, relation, left):
    cy, band = (Node(ids.encode(KEYS[name]), KEYS[name], name) for name in ("Cy", "Band"))
    plan = m.Plan(m.Related(named("Band"), phrase))
    end = concluded(hop(band, relation, cy))
    with World(FakeStore(), tmp_path).context() as context:
        assert (
            doubtful_parts(context, Outcome((), asked(plan, topics=(band.id,)), end, Judgement(True, 0.9, ""))) == left
        )


def test_two_of_three_that_are_asked_for_are_not_all(tmp_path):
    cy, band = (Node(ids.encode(KEYS[name]), KEYS[name], name) for name in ("Cy", "Band"))
    analysis = replace(asked(topics=(band.id,)), wanted=3)
    outcome = Outcome((), analysis, concluded(hop(band, "member", cy)), Judgement(True, 0.9, ""))
    with World(FakeStore(), tmp_path).context() as context:
        assert doubtful_parts(context, outcome) == ("whether these are the 3 (only 1 stated)",)


def test_what_a_plan_leaves_in_doubt_is_less_sure(tmp_path):
    end = concluded(hop(FILM, "director", ACTOR), computation="2 counted")
    sure = Outcome((), asked(), end, Judgement(True, 0.97, ""), planned=True)
    with World(FakeStore(), tmp_path).context() as context:
        assert check_outcome(context, sure).judgement.confidence == 0.97
        assert check_outcome(context, replace(sure, in_doubt=("whether these are all",))).judgement.confidence == 0.7


def test_who_was_also_something_is_that(tmp_path):
    """Of a film and a man, "who … and was a person" has the man."""
    cy, noise, oslo = (Node(ids.encode(KEYS[name]), KEYS[name], name) for name in ("Cy", "Noise", "Oslo"))
    paths = [replace(concluded(hop(oslo, "of", one)).evidence[0], answers=(one,)) for one in (cy, noise)]
    end = replace(
        concluded(hop(oslo, "of", cy)),
        evidence=tuple(paths),
        answers=(AnswerValue("Cy", cy), AnswerValue("Noise", noise)),
    )
    plan = m.Plan(m.OfKind(m.Related(named("Oslo"), "of _"), "person"))
    with World(FakeStore(), tmp_path).context() as context:
        found = check_outcome(
            context, Outcome((), asked(plan, topics=(oslo.id,)), end, Judgement(True, 0.9, ""))
        ).conclusion
    assert [a.name for a in found.answers] == ["Cy"]
    assert [e.answers for e in found.evidence] == [(cy,)]


@pytest.mark.parametrize(
    "name, no_time", [("DVD", True), ("Mark 7", True), ("2010-07-08", False), ("9th century", False)]
)
def test_a_name_without_a_date_is_no_time(name: str, no_time: bool) -> None:
    analysis = Analysis("When was it released?", "released", (), 1, answer_type="date")
    conclusion = Conclusion((AnswerValue(name),), (), {}, {}, frozenset(), ())
    assert is_no_time(analysis, conclusion) is no_time
    assert not is_no_time(replace(analysis, answer_type="person"), conclusion)


@pytest.mark.parametrize(
    "question, relation, left",
    [
        ("where is _ buried?", "place of death", ("buried",)),
        ("where is _ buried?", "place of burial", ()),
        ("where was _ found dead?", "place of burial", ("where",)),
        ("where was _ found dead?", "place of death", ()),
    ],
)
def test_where_somebody_died_is_no_grave(monkeypatch, question, relation, left):
    monkeypatch.setattr(coverage, "kinds_of", lambda context, ids: {})
    end = concluded(hop(FILM, relation, HUSBAND))
    end = replace(end, answers=(replace(end.answers[0], node=HUSBAND, value=None),))
    analysis = replace(asked(), question=question, answer_type="location")
    assert coverage.other_kind(CONTEXT, analysis, end) == left


@pytest.mark.parametrize("day, doubts", [("1968-03", 1), ("1968-03-29", 0), ("1968", 0)])
def test_a_month_is_no_day(day, doubts):
    found = concluded(hop(FILM, "born", Node(7, f'"{day}"^^xsd:date', day)))
    end = Conclusion((AnswerValue(day, None, f'"{day}"^^xsd:date'),), found.evidence, {}, {}, frozenset(), ())
    assert len(perhaps_incomplete(replace(asked(), answer_type="date"), end)) == doubts


@pytest.mark.parametrize(
    "question, relation, given",
    [
        ("What is the shoe size of Elizabeth?", "country", False),
        ("What is the birthday of Elizabeth?", "date of birth", True),
    ],
)
def test_an_unlikely_doubtful_answer_needs_a_relation_with_a_word_of_the_question(question, relation, given):
    found = concluded(hop(FILM, relation, ACTOR))
    analysis = replace(asked(husband_of("Elizabeth")), question=question)
    outcome = Outcome((), analysis, found, Judgement(True, 0.21, ""), (), in_doubt=("shoe size",))
    assert can_be_given(outcome) is given


@pytest.mark.parametrize("unmet, given", [("longest", True), ("4th", True), ("in 2013", False), ("rocky", False)])
def test_a_number_or_an_order_but_no_year_may_have_had_nothing_to_choose_from(unmet, given):
    found = concluded(hop(FILM, "married to", ACTOR))
    outcome = Outcome((), asked(), found, Judgement(True, 0.9, ""), (), unchecked=(unmet,))
    assert can_be_given(outcome) is given


@pytest.mark.parametrize(
    "question, left",
    [
        ('Where was the subject of "Cleopatra: Evolution" born?', ("Cleopatra: Evolution",)),
        ('Who was in "Cleopatra"?', ()),
    ],
)
def test_a_part_of_a_quoted_title_is_not_the_title(question, left):
    start = question.index("Cleopatra")
    mention = Mention("Cleopatra", start, start + 9, (), Candidate(FILM, 1.0, "exact"))
    known = {1: SimpleNamespace(node=FILM, aliases=())}
    context: Any = SimpleNamespace(question=question, entities=lambda ids: known)
    assert words_beyond_names(context, [mention], ()) == left


@pytest.mark.parametrize("relation, inverse", [("student of", True), ("student", False)])
def test_whose_student_somebody_is_does_not_name_the_students(relation, inverse):
    plan = m.Plan(m.Related(m.Named("Elizabeth", 1), "students of _", "students"))
    assert uses_inverse_relation(asked(plan), concluded(hop(FILM, relation, HUSBAND))) is inverse


@pytest.mark.parametrize("relation, left", [("shares border with", ("Richard",)), ("located in", ())])
def test_a_neighbour_does_not_lie_in_the_named_place(relation, left):
    end = concluded(hop(FILM, "filming location", ACTOR), hop(ACTOR, relation, HUSBAND))
    analysis = replace(asked(topics=(1, HUSBAND.id)), question="Where in Richard was it made?", answer_type="location")
    assert bordered_places(analysis, end) == left
