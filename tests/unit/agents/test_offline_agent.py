"""The offline agent: what it reads out of a question, when it finds evidence enough, always the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.samples.answers import BIRTH, DEATH, INSIDE, MOZART, PASSAGE, SALZBURG, VIENNA, evidence
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.agents import confidence_model as sureness
from hydra_kg.agents import offline
from hydra_kg.agents.offline import NEAR_NAME, OfflineAgent, mask
from hydra_kg.domain import (
    Analysis,
    Candidate,
    Evidence,
    Excerpt,
    Mention,
    Node,
    Path,
    RelationCompetition,
    Scores,
    SearchState,
    WrittenPath,
)
from hydra_kg.settings import Settings

AGENT = OfflineAgent()
QUESTION = "Where was Mozart born?"


def mention(question: str, text: str, node: Node | None = MOZART) -> Mention:
    """The first place where a text stands in a question, linked to a node."""
    start = question.index(text)
    candidate = Candidate(node, 1.0, "name") if node else None
    return Mention(text, start, start + len(text), (candidate,) if candidate else (), candidate)


def analyse(question: str, *mentions: Mention, d_max: int = 3) -> Analysis:
    return AGENT.analyse(question, mentions, d_max=d_max)


def test_what_is_compared_is_the_question_without_its_topic():
    analysis = analyse(QUESTION, mention(QUESTION, "Mozart"))
    assert analysis.question == QUESTION
    assert analysis.indicator == "Where was born?"
    assert analysis.topics == (MOZART.id,)
    assert analysis.answer_type == "location"
    assert analysis.kind == "entity"
    assert any("place of birth" in hint for group in analysis.hints for hint in group)


@pytest.mark.parametrize(
    "pattern, number",
    [
        ("which five countries border _", 5),
        ("what are the four nations of _", 4),
        ("what 2 states is _ in", 2),
        ("what are the three major rivers in _", 3),
        ("who are the two current state senators of _", 2),
        ("what 2 was _ in", 0),
        ("what 4 year old has _ s name", 0),
        ("what are the names of _ s 3 children", 3),
        ("what were _ s three wives", 3),
        ("who won _ 2006 season 5", 0),
        ("which countries border _", 0),
        ("what 4 words mean _", 0),
        ("how many are the two of _", 0),
    ],
)
def test_the_number_of_answers_that_is_asked_for(pattern, number):
    assert offline.wanted(pattern) == number


def test_other_readings_of_names_are_no_answers_where_there_are_several():
    question = "Who did Mozart teach in Vienna?"
    film = Candidate(Node(77, "film", "Mozart"), 0.9, "alias")
    mozart = mention(question, "Mozart")
    mozart = replace(mozart, candidates=(*mozart.candidates, film))
    vienna = mention(question, "Vienna", VIENNA)
    assert analyse(question, mozart, vienna).namesakes == {film.node.id}
    assert not analyse(question, mozart).namesakes, "alone, the other reading may be what is asked for"


def test_two_topics_in_the_order_of_the_question():
    question = "Who met Mozart in Vienna?"
    analysis = analyse(question, mention(question, "Mozart"), mention(question, "Vienna", VIENNA))
    assert analysis.topics == (MOZART.id, VIENNA.id)
    assert len(analysis.sub_questions) == 2
    assert all(name in sub for name, sub in zip(("Mozart", "Vienna"), analysis.sub_questions, strict=True))


def test_a_mention_without_a_choice_is_no_topic():
    assert analyse(QUESTION, mention(QUESTION, "Mozart", None)).topics == ()


def test_what_was_said_nearly_may_not_be_meant():
    said = mention(QUESTION, "Mozart")
    nearly = replace(said, chosen=Candidate(MOZART, 1.0, "near"))
    sure, less = (AGENT.judge(analyse(QUESTION, m), [evidence(BIRTH)]).confidence for m in (said, nearly))
    assert less == pytest.approx(NEAR_NAME * sure, abs=1e-4)


def test_a_name_that_is_not_known_must_stand_in_the_text():
    question = "Where was Mozart born with Eve Nobody?"
    analysis = analyse(question, mention(question, "Mozart"), mention(question, "Eve Nobody", None))
    assert analysis.unknown == ("Eve Nobody",)
    stated = AGENT.judge(analysis, [evidence(BIRTH)])
    assert not stated.sufficient
    assert stated.missing == "no source knows the name “Eve Nobody”"
    for text, enough in (("Eve Nobody and Mozart were born in Salzburg.", True), ("Mozart was born.", False)):
        written = replace(evidence(BIRTH), path=Path((BIRTH,), replace(PASSAGE, text=text)))
        assert AGENT.judge(analysis, [written]).sufficient is enough


@pytest.mark.parametrize("d_max", [1, 2, 3])
def test_depth_stays_within_what_is_allowed(d_max):
    assert 1 <= analyse(QUESTION, mention(QUESTION, "Mozart"), d_max=d_max).d_predict <= d_max


@pytest.mark.parametrize(
    "question, kind",
    [
        ("When was X born?", "date"),
        ("How tall is X?", "value"),
        ("Is X a city?", "boolean"),
        ("How many children had X?", "count"),
        ("In how many films did X play?", "count"),
        ("At what age, and how many years later, did X die?", "entity"),
        ("Who is X?", "entity"),
        ("What is X?", "entity"),
    ],
)
def test_kinds_of_questions(question, kind):
    assert analyse(question, mention(question, "X")).kind == kind


def test_words_that_select_are_kept_each_once():
    question = "What was the first film of 1995, the first of X?"
    assert analyse(question, mention(question, "X")).constraints == ("first", "1995")


def test_a_year_inside_a_name_selects_nothing():
    question = "Who directed 1984?"
    assert analyse(question, mention(question, "1984")).constraints == ()


def test_a_question_that_is_all_topic_is_its_own_indicator():
    assert analyse("Mozart", mention("Mozart", "Mozart")).indicator == "Mozart"


def test_masking():
    question = "Was Mozart (Mozart!) in Vienna?"
    mentions = [mention(question, "Vienna", VIENNA), mention(question, "Mozart")]
    assert mask(question, mentions, "_") == "Was _ (Mozart!) in _?"
    assert mask(question, mentions, "") == "Was (Mozart!) in ?"
    assert mask(question, [], "_") == question


def test_a_topic_that_a_person_named_is_masked_where_the_question_names_it():
    given = Mention("m.082db", -1, -1, (), Candidate(replace(MOZART, name="C++ (a+b)"), 1.0, "given"))
    assert mask("what is c++ (a+b) and c++?", [given], "_") == "what is _ and c++?"


def judged(*found: Evidence, question: str = QUESTION) -> tuple[bool, float, str]:
    judgement = AGENT.judge(analyse(question, mention(question, "Mozart")), found)
    return judgement.sufficient, judgement.confidence, judgement.missing


def relevant(hop, relevance: float, *, f2: float = 1.0) -> Evidence:
    return replace(evidence(hop), scores=Scores(relevance, f2=f2))


def test_no_evidence_is_never_enough_and_it_says_what_was_missing():
    assert judged()[:2] == (False, 0.0)
    assert "born in" in judged()[2]
    nowhere = replace(evidence(BIRTH), answers=())
    assert judged(nowhere, evidence(BIRTH))[:2] == (False, 0.0)
    question = "Mozart zzz?"
    assert judged(question=question)[2] == "nothing that the sources state about the names of the question answers it"


def test_confidence_is_that_of_what_was_found():
    analysis = analyse(QUESTION, mention(QUESTION, "Mozart"))
    found = [relevant(BIRTH, 0.8, f2=0.5), relevant(DEATH, 0.7)]
    judgement = AGENT.judge(analysis, found)
    assert judgement.confidence == sureness.confidence(sureness.features(analysis, found[0]))
    assert judgement.sufficient
    assert judgement.missing == ""


BEST = RelationCompetition(0.5, 0.5, own=0.5, stated=1.0, better=0.0, lead=0.5, unfilled=1.0)
SECOND = RelationCompetition(
    0.01, 0.5, own=0.01, stated=0.1, better=1.1, lead=-0.2, unfilled=0.1, missing="place of death"
)


def test_where_something_fits_better_and_is_not_stated_confidence_is_less_and_it_says_what():
    analysis = analyse(QUESTION, mention(QUESTION, "Mozart"))
    found = [relevant(BIRTH, 0.8)]
    one, other = (AGENT.judge(analysis, found, state=SearchState(s)) for s in (BEST, SECOND))
    assert one.sufficient
    assert other.confidence < one.confidence
    strict = OfflineAgent(Settings(answering={"threshold": one.confidence})).judge(
        analysis, found, state=SearchState(SECOND)
    )
    assert strict.missing == "the sources state nothing like “place of death” for the names of the question"


def test_a_path_far_behind_the_best_relation_of_all_is_not_enough():
    analysis = analyse(QUESTION, mention(QUESTION, "Mozart"))
    near, far = (SearchState(replace(BEST, expected=e)) for e in (0.7, 0.8))
    found = [replace(relevant(BIRTH, 0.6), origins=("freebase",))]
    assert not AGENT.judge(analysis, found, state=near).missing
    assert AGENT.judge(analysis, found, state=far).missing
    assert not AGENT.judge(analysis, [relevant(BIRTH, 0.6)], state=far).missing, "two sources state it"
    dated = replace(found[0], answers=(Node(5, '"1756-01-27"^^xsd:date', "1756-01-27"),))
    assert AGENT.judge(analysis, [dated], state=far).missing
    assert not AGENT.judge(replace(analysis, answer_type="date"), [dated], state=far).missing


def test_confidence_grows_with_support():
    by_support = [judged(relevant(BIRTH, 0.5, f2=f))[1] for f in (0.0, 1 / 3, 1.0)]
    assert by_support == sorted(set(by_support))
    assert all(0 < c < 1 for c in by_support)


def test_text_that_is_about_no_name_of_the_question_is_not_enough():
    written = replace(relevant(BIRTH, 0.9), path=Path((replace(BIRTH, facts=()),)))
    about = analyse(QUESTION, mention(QUESTION, "Mozart"))
    assert AGENT.judge(about, [written]).sufficient
    unknown = AGENT.judge(replace(about, topics=()), [written])
    assert not unknown.sufficient
    assert "no name in the question" in unknown.missing


def test_one_sentence_is_enough_where_no_facts_are_found_and_two_origins_where_they_are():
    asked, known = analyse(QUESTION, mention(QUESTION, "Mozart")), SearchState(SECOND)
    one = replace(relevant(BIRTH, 0.9), path=Path((replace(BIRTH, facts=()),)), origins=("wikipedia",))
    two = replace(one, origins=("wikipedia", "freebase"))
    assert AGENT.judge(asked, [one]).sufficient
    assert not AGENT.judge(asked, [one], state=known).sufficient
    assert AGENT.judge(asked, [two], state=known).sufficient
    unlike = replace(two, scores=replace(two.scores, relevance=0.1))
    assert not AGENT.judge(asked, [unlike], state=known).sufficient


def test_the_sentence_that_says_the_same_is_among_the_selected():
    analysis = analyse(QUESTION, mention(QUESTION, "Mozart"))
    facts = [relevant(BIRTH, 0.9), relevant(DEATH, 0.8), relevant(INSIDE, 0.7), relevant(DEATH, 0.6)]
    other = replace(relevant(DEATH, 0.3), path=Path((replace(DEATH, facts=()),)))
    same = replace(relevant(BIRTH, 0.2), path=Path((replace(BIRTH, facts=()),)))
    picked = AGENT.select_paths(analysis, [*facts, other, same], most=3)
    assert [p.place for p in picked] == [0, 1, 5]
    assert [p.place for p in AGENT.select_paths(analysis, [*facts, other], most=3)] == [0, 1, 2]
    assert [p.place for p in AGENT.select_paths(analysis, [*facts, other, same], most=1)] == [0]


def test_confidence_in_the_first_path_decides():
    analysis = analyse(QUESTION, mention(QUESTION, "Mozart"))
    found = [relevant(BIRTH, 0.5, f2=0.0), relevant(DEATH, 0.9)]
    sure = AGENT.judge(analysis, found).confidence
    assert OfflineAgent(Settings(answering={"threshold": sure})).judge(analysis, found).sufficient
    strict = OfflineAgent(Settings(answering={"threshold": sure + 0.01})).judge(analysis, found)
    assert not strict.sufficient
    assert strict.missing


@pytest.mark.parametrize(
    "question, noun",
    [
        ("which football clubs play in _", "football clubs"),
        ("what year did _ die", "year"),
        ("in which city was _ born", "city"),
        ("what is the capital of _", ""),
        ("what is the highest mountain in _", "mountain"),
        ("what sea borders _", "sea"),
        ("which country s capital is _", "country"),
        ("what s the capital of _", ""),
        ("what river flows through _", "river"),
        ("what language do _ speak", "language"),
        ("what countries border _", "countries"),
        ("which countries speak _ officially", "countries"),
        ("which sports team _ won", "sports team"),
        ("who is _", ""),
        ("", ""),
    ],
)
def test_the_noun_that_is_asked_for(question, noun):
    assert offline.answer_noun(question) == noun


@pytest.mark.parametrize(
    "question, composed",
    [
        ("Which currency is used in the country whose capital is X?", True),
        ("Who directed the film that X was in?", True),
        ("Who directed X?", False),
        ("Where was X born?", False),
    ],
)
def test_a_question_inside_a_question_is_noticed(question, composed):
    assert analyse(question, mention(question, "X")).composed is composed


def test_paths_of_a_sentence():
    sentence = PASSAGE.text
    mentions = [(0, 6, MOZART.id), (19, 27, SALZBURG.id)]
    (found,) = AGENT.write_paths(
        AGENT.analyse("where was Mozart born?", [], d_max=3), [Excerpt(PASSAGE, sentence, tuple(mentions))]
    )
    assert found == WrittenPath(0, ("Mozart", "was born in", "Salzburg"), (MOZART.id, SALZBURG.id))


@given(st.text(max_size=120), st.data())
def test_any_question_can_be_analysed_and_always_alike(question, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(question)), max_size=4, unique=True)))
    mentions = [
        Mention(question[a:b], a, b, (), Candidate(SALZBURG, 1.0, "name"))
        for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    one, two = (OfflineAgent().analyse(question, mentions, d_max=3) for _ in range(2))
    assert one == two
    assert set(one.topics) == ({SALZBURG.id} if mentions else set())
    assert AGENT.judge(one, [evidence(BIRTH, INSIDE)]) == AGENT.judge(two, [evidence(BIRTH, INSIDE)])
