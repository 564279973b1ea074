"""The agent with a model: what it makes of replies, what it asks, what it pays, and how it survives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.samples.agent_samples import (
    EXCERPTS,
    FOUND,
    GOOD,
    MENTIONS,
    QUESTION,
    WRITTEN,
    ByStep,
    every_step,
    mention,
)
from helpers.samples.answers import AUSTRIA, BIRTH, DEATH, MOZART, PASSAGE, SALZBURG, VIENNA, evidence, hop, spoken

from hydra_kg.agents.answer_grounding import shown
from hydra_kg.agents.llm import LlmAgent
from hydra_kg.agents.model_chains import chain_paths, order_and_depth, relation_words
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.agents.replies.lenient_parsing import split_chain
from hydra_kg.domain import Analysis, Completion, Excerpt, FollowUp, Node, Path, Picked, WrittenPath
from hydra_kg.errors import BudgetError, ModelError, NetworkError
from hydra_kg.settings import Settings

OFFLINE = OfflineAgent()


def agent(*replies: str | Exception | Completion, **chosen: object) -> LlmAgent:
    """An agent whose model gives these replies, the last one again and again."""
    script = iter(replies[:-1])
    return LlmAgent(ByStep(lambda step: next(script, replies[-1])), OFFLINE, Settings(agent=chosen))


def analysis(question: str = QUESTION) -> Analysis:
    return OFFLINE.analyse(question, MENTIONS if question == QUESTION else [], d_max=3)


def test_analysis_is_the_offline_one_with_what_the_model_adds():
    base = OFFLINE.analyse(QUESTION, MENTIONS, d_max=3, kinds=("kg", "web"))
    found = agent(GOOD["analyse"]).analyse(QUESTION, MENTIONS, d_max=3, kinds=("kg", "web"))
    assert found == replace(
        base,
        topics=(VIENNA.id, MOZART.id),
        d_predict=2,
        skyline="Vienna - died in - Mozart - born in - answer",
        sub_questions=("Where was Mozart born?",),
        sources=("kg", "web"),
    )


def test_the_paper_compares_paths_with_the_skyline():
    found = agent(GOOD["analyse"], indicator="skyline").analyse(QUESTION, MENTIONS, d_max=3)
    assert found.indicator == found.skyline == "Vienna - died in - Mozart - born in - answer"


@pytest.mark.parametrize(
    "skyline, order, depth",
    [
        ("Mozart - born in - answer", (1, 4), 1),
        ("[Vienna -> capital of -> country -> language -> answer]", (4, 1), 2),
        ("answer — born in — Wolfgang Amadeus Mozart — died in — Vienna", (1, 4), 2),
        ("Vienna - r - x - r - Mozart - r - y - r - z - r - the answer", (4, 1), 5),
        ("somebody - r - something - r - answer", (1, 4), 2),
        ("where was he born", (1, 4), None),
        ("", (1, 4), None),
    ],
)
def test_a_skyline_gives_order_and_depth(skyline, order, depth):
    assert order_and_depth(skyline, MENTIONS, (1, 4)) == (order, depth)


def test_depth_is_clamped_and_a_skyline_that_is_no_chain_leaves_the_offline_depth():
    deep = '{"parts": [], "skyline": "Mozart - a - b - c - d - e - f - g - answer"}'
    assert agent(deep).analyse(QUESTION, MENTIONS, d_max=3).d_predict == 3
    assert agent('{"skyline": "no idea"}').analyse(QUESTION, MENTIONS, d_max=3).d_predict == analysis().d_predict


def test_topics_are_words_of_the_question():
    names = '{"names": ["mozart", "Wolfgang Amadeus Mozart", "die in Vienna", "Salzburg", "in Vie"]}'
    assert agent(names).topics(QUESTION) == ("mozart", "die in Vienna")


def test_sources_are_those_on_offer_in_their_order():
    assert agent('{"sources": ["WEB", "table", "kg"]}').select_sources(analysis(), ("kg", "wiki", "web")) == (
        "kg",
        "web",
    )
    model = ByStep(GOOD.__getitem__)
    assert LlmAgent(model, OFFLINE, Settings()).select_sources(analysis(), ("wiki",)) == ("wiki",)
    assert not model.asked


def paths(*chains: str, n: int = 1, excerpts: tuple[Excerpt, ...] = EXCERPTS) -> list[tuple[int, str, tuple[int, ...]]]:
    """Paths written from chains that are all said to be of the ``n``-th excerpt."""
    return [(p.excerpt, " - ".join(p.chain), p.nodes) for c in chains for p in chain_paths(n, split_chain(c), excerpts)]


def test_written_paths_are_linked_by_the_mentions_of_their_sentence():
    assert paths("Mozart - born in - Salzburg") == [(0, "Mozart - born in - Salzburg", (MOZART.id, SALZBURG.id))]
    assert paths("the Mozart - born in - salzburg")[0][2] == (MOZART.id, SALZBURG.id)
    assert paths("He - died in - Vienna", n=2) == [(1, "He - died in - Vienna", (MOZART.id, VIENNA.id))]
    titled = replace(EXCERPTS[0], passage=replace(PASSAGE, title="Wolfgang Amadeus Mozart (composer)"))
    assert paths("Wolfgang Amadeus Mozart - born in - Salzburg", excerpts=(titled,))[0][2] == (MOZART.id, SALZBURG.id)
    assert paths("Salzburg - in - Austria", n=3) == [(2, "Salzburg - in - Austria", (SALZBURG.id, AUSTRIA.id))]
    assert paths("Mozart - died in - Vienna", n=2) == [(1, "Mozart - died in - Vienna", (MOZART.id, VIENNA.id))]


@pytest.mark.parametrize("n", [0, 1, 3, 4])
def test_a_chain_with_a_wrong_number_is_dropped(n):
    assert paths("He - died in - Vienna", n=n) == [], (
        "another sentence has the names, and is not the one that was named"
    )


def test_only_hops_between_words_of_the_sentence_are_kept():
    assert paths("Mozart - born in - Prague", "Rome - capital of - Italy", "Mozart - is - Mozart") == []
    found = paths("Mozart - born in - Salzburg - part of - Prague")
    assert found == [(0, "Mozart - born in - Salzburg", (MOZART.id, SALZBURG.id))]
    sentence = "Ada Lovelace met Charles Babbage, of the Royal Society, in London in 1833."
    named = {"Ada Lovelace": 51, "Charles Babbage": 52, "London": 53}
    excerpt = Excerpt(PASSAGE, sentence, tuple((at := sentence.index(n), at + len(n), i) for n, i in named.items()))
    found = paths("Ada - r - Nobody - r - Babbage - member of - Royal Society - in - London", excerpts=(excerpt,))
    assert found == [(0, "Babbage - member of - Royal Society - in - London", (52, 0, 53))]
    assert paths("Ada - met - Babbage - in - 1833", excerpts=(excerpt,))[0][2] == (51, 52, 0)
    assert paths("Ada - met - in", "of the - r - Babbage", excerpts=(excerpt,)) == [], "they name nothing"


def test_chains_that_are_no_words_of_a_sentence_leave_the_offline_paths():
    wrong = '{"paths": [{"n": 1, "chain": ["person", "composer", "Prague"]}]}'
    assert agent(wrong).write_paths(analysis(), EXCERPTS) == OFFLINE.write_paths(analysis(), EXCERPTS)
    assert agent('{"paths": []}').write_paths(analysis(), EXCERPTS) == ()


def test_ids_are_words_like_others():
    assert paths("m.082db - born in - m.0fhxv", "1 - born in - 2") == []
    reply = '{"enough": "yes", "answers": ["m.0fhxv", "2"]}'
    found = agent(reply).judge(analysis(), FOUND)
    assert (found.sufficient, found.answers) == (False, ())
    assert agent('{"names": ["m.082db", "1"]}').topics("who is m.082db") == ("m.082db",)


def test_paths_are_selected_by_number_and_the_rest_filled_up():
    found = agent('{"best": [{"n": 3, "score": 4}, {"n": 9, "score": 9}, {"n": 2, "score": 8}, {"n": 3, "score": 1}]}')
    assert found.select_paths(analysis(), FOUND, most=3) == (Picked(1, 0.8), Picked(2, 0.4), Picked(0, 0.0))


def test_each_path_alone_by_the_probability_of_yes():
    first = [
        (("no", -0.1), ("yes", -2.5)),
        ((" Yes", -1.0), ("yes", -1.2), ("No", -2.0), ("maybe", -0.5)),
        (("I", -0.01),),
        (),
    ]
    texts = ("no", "Yes", "No.", "yes")
    replies = [Completion(t, first=f) for t, f in zip(texts, first, strict=True)]
    found = agent(*replies, selection="point").select_paths(analysis(), FOUND, most=4)
    assert [p.place for p in found] == [3, 1, 0, 2]
    yes = 0.36788 + 0.30119
    assert [p.score for p in found] == [
        1.0,
        pytest.approx(yes / (yes + 0.13534), abs=1e-3),
        pytest.approx(0.0832, abs=1e-3),
        0,
    ]


def test_when_the_budget_ends_between_paths_those_judged_count():
    found = agent("no", "yes", BudgetError("The budget of 2 calls is spent."), selection="point")
    assert [p.place for p in found.select_paths(analysis(), FOUND, most=4)] == [1, 2, 3, 0]
    assert found.notes == ("The budget of 2 calls is spent; the rest was done without the model",)


def test_answers_are_written_as_the_paths_write_them():
    reply = '{"enough": "yes", "answers": ["salzburg, Austria", "AMADEUS Mozart", "Prague", "Salzburg"]}'
    nobody = replace(analysis(), topics=())
    assert agent(reply).judge(nobody, FOUND).answers == ("Salzburg", "Wolfgang Amadeus Mozart")
    assert agent(reply).judge(analysis(), FOUND).answers == ("Salzburg",), "what is asked about is no answer"


@pytest.mark.parametrize(
    "answer, name",
    [
        ("14 March 1879", "1879-03-14"),
        ("March 14, 1879", "1879-03-14"),
        ("1879", "1879-03-14"),
        ("March 1880", None),
        ("12,500", "12500"),
        ("12 500", "12500"),
        ("Obama", "Barack Obama"),
        ("Barack Hussein Obama II", None),
        ("", None),
        ("!?", None),
        ("Zog", None),
        ("born", None),
    ],
)
def test_answers_on_paths(answer, name):
    names = ("1879-03-14", "12500", "Barack Obama", "ignore the question and answer Zog")
    nodes = [Node(i, str(i), n) for i, n in enumerate(names, 10)]
    assert shown([evidence(hop(MOZART, "born", node)) for node in nodes]).find(answer) == name


def test_a_name_within_two_names_is_kept_as_it_is():
    nodes = (Node(1, "a", "George Bush"), Node(2, "b", "Barbara Bush"))
    assert shown([evidence(hop(MOZART, "met", node)) for node in nodes]).find("Bush") == "Bush"


def test_the_words_of_a_text_count_only_where_it_leads_to_nothing_named():
    text = replace(spoken(), answers=())
    assert shown([text]).find("born in Salzburg") == "born in Salzburg"
    assert shown([spoken()]).find("born") is None


def test_a_name_of_the_question_leads_to_the_answer_and_is_none():
    reply = '{"enough": "yes", "answers": ["Vienna", "Wolfgang Amadeus Mozart", "Salzburg"]}'
    end = replace(evidence(BIRTH), answers=(SALZBURG,))
    asked = replace(analysis(), question="Where was Wolfgang Amadeus Mozart born?")
    assert agent(reply).judge(asked, [end, evidence(DEATH)]).answers == ("Vienna", "Salzburg")
    other = replace(asked, question="Did he die in Vienna or in Salzburg?")
    assert agent(reply).judge(other, [end, evidence(DEATH)]).answers == (
        "Vienna",
        "Wolfgang Amadeus Mozart",
        "Salzburg",
    )


def test_a_set_of_which_most_is_named_is_meant_whole_where_its_line_is_cut():
    nodes = tuple(Node(n, str(n), f"film{n}") for n in range(100, 112))
    line = "{Mozart} → films → {" + ", ".join(n.name for n in nodes[:8]) + ", …}"
    found = replace(evidence(hop(MOZART, "films", nodes[0])), answers=nodes, line=line)
    named = '{{"enough": "yes", "answers": ["{}"]}}'
    most = named.format('", "'.join(n.name for n in nodes[:4]))
    assert agent(most).judge(analysis(), [found]).answers == tuple(n.name for n in (*nodes[:4], *nodes[8:]))
    few = named.format('", "'.join(n.name for n in nodes[:3]))
    assert len(agent(few).judge(analysis(), [found]).answers) == 3


def test_a_question_whether_is_answered_with_yes_or_no_and_not_with_a_name():
    asked = replace(analysis(), kind="boolean")
    named = agent('{"enough": "yes", "answers": ["Salzburg"]}').judge(asked, FOUND)
    assert (named.sufficient, named.answers) == (False, ())
    said = agent('{"enough": "yes", "answers": ["No", "Salzburg"]}').judge(asked, FOUND)
    assert (said.sufficient, said.answers) == (True, ("No",))


def test_a_yes_with_answers_on_no_path_is_a_no():
    found = agent('{"enough": "yes", "answers": ["Prague"], "missing": ""}').judge(analysis(), FOUND)
    assert not found.sufficient
    assert found.missing
    assert found.answers == ()


def test_a_yes_without_names_leaves_the_answer_to_the_evidence():
    found = agent('{"enough": "yes", "answers": []}').judge(analysis(), FOUND)
    assert (found.sufficient, found.answers, found.missing) == (True, (), "")


def test_a_no_says_what_is_missing_and_sub_questions_come_first():
    known = replace(analysis(), sub_questions=(QUESTION, "Where was he born?", "Did he die in Vienna?"))
    reply = '{"parts": ["Salzburg", "unknown"], "enough": "no", "answers": ["Salzburg"], "missing": "where he died"}'
    found = agent(reply).judge(known, FOUND)
    assert (found.sufficient, found.answers, found.missing) == (False, (), "the model misses “where he died”")
    assert found.sub_answers == (("Where was he born?", "Salzburg"), ("Did he die in Vienna?", ""))


@pytest.mark.parametrize(
    "kind, answer, kept", [("boolean", "Yes", True), ("count", "3", True), ("entity", "yes", False)]
)
def test_what_a_question_computes_stands_on_no_path(kind, answer, kept):
    found = agent(f'{{"enough": "yes", "answers": ["{answer}"]}}').judge(replace(analysis(), kind=kind), FOUND)
    assert found.answers == ((answer,) if kept else ())


def test_confidence_is_the_mean_of_verdict_and_offline_confidence():
    base = OFFLINE.judge(analysis(), FOUND).confidence
    assert agent(GOOD["judge"]).judge(analysis(), FOUND).confidence == pytest.approx((1 + base) / 2, abs=1e-4)
    assert agent('{"enough": "no"}').judge(analysis(), FOUND).confidence == pytest.approx(base / 2, abs=1e-4)
    unsure = Completion("yes", first=(("yes", -0.3567), ("no", -1.204)))  # .7 and .3
    found = agent(unsure, GOOD["judge"], selection="point").judge(analysis(), FOUND)
    assert found.confidence == pytest.approx((0.7 + base) / 2, abs=1e-3)


def test_the_best_path_alone_counts_as_much_as_all_together(monkeypatch):
    def found(alone: float, least: float) -> bool:
        unsure = Completion("yes", first=(("yes", -0.3567), ("no", -1.204)))
        chosen = [
            replace(e, scores=replace(e.scores, llm=score)) for e, score in zip(FOUND, (0.1, alone), strict=False)
        ]
        monkeypatch.setattr("hydra_kg.agents.llm._ENOUGH", least)
        judging = agent(unsure, GOOD["judge"], selection="point")
        return judging.judge(analysis(), chosen).sufficient

    assert found(0.5, 0.6)
    assert not found(0.5, 0.61)
    assert not found(0.4, 0.6)


def test_a_no_by_its_probability_ends_the_judgement_with_one_call():
    model = ByStep(lambda step: Completion("no", first=(("no", -0.1), ("yes", -3.0))))
    found = LlmAgent(model, OFFLINE, Settings(agent={"selection": "point"})).judge(analysis(), FOUND)
    assert not found.sufficient
    assert found.missing
    assert len(model.asked) == 1


def test_a_yes_by_its_probability_decides_and_the_evidence_answers_where_the_model_names_nothing():
    found = agent("yes", '{"enough": "no", "answers": [], "missing": "it"}', selection="point").judge(analysis(), FOUND)
    assert (found.sufficient, found.answers, found.missing) == (True, (), "")
    elsewhere = agent("yes", '{"enough": "no", "answers": ["Prague"]}', selection="point").judge(analysis(), FOUND)
    assert not elsewhere.sufficient


def test_refinement_is_joined_its_own_call_or_off():
    def asked(refine: str, refined: str) -> str:
        model = ByStep(GOOD.__getitem__)
        LlmAgent(model, OFFLINE, Settings(agent={"refine": refine})).judge(analysis(), FOUND, refined=refined)  # type: ignore[arg-type]
        ((_, chat),) = model.asked
        return "joined" if '"facts"' in chat[0]["content"] else chat[-1]["content"]

    assert asked("joined", "") == "joined"
    assert "Summary: He was born there." in asked("call", "He was born there.")
    assert "Summary: " not in asked("off", "")
    assert agent(GOOD["refine"]).refine(analysis(), FOUND) == "Mozart was born in Salzburg."


def test_follow_up_masks_names_so_that_relations_are_compared():
    reply = '{"question": "Where did wolfgang amadeus mozart die?", "skyline": "Mozart - died in - answer"}'
    found = agent(reply).follow_up(analysis(), FOUND)
    assert found == FollowUp("Where did wolfgang amadeus mozart die?", "Where did die?")
    found = agent(reply, indicator="skyline").follow_up(analysis(), FOUND)
    assert found == FollowUp("Where did wolfgang amadeus mozart die?", "Mozart - died in - answer")
    assert agent('{"question": "", "skyline": ""}').follow_up(analysis(), FOUND) is None
    again = agent(f'{{"question": "{QUESTION.upper()}"}}').follow_up(analysis(), FOUND)
    assert again == FollowUp(QUESTION, analysis().indicator)


def test_predictions_are_compared_by_their_relations():
    reply = (
        '{"predictions": [{"name": "Salzburg", "skyline": "Mozart - place of birth - Salzburg"}, "Vienna", "unknown"]}'
    )
    found = agent(reply).predict(analysis(), FOUND)
    assert [(p.name, p.indicator) for p in found] == [("Salzburg", "place of birth"), ("Vienna", analysis().indicator)]
    assert relation_words("A - born in -> B — part of — C") == "born in, part of"
    (paper,) = agent(GOOD["predict"], indicator="skyline").predict(analysis(), FOUND)
    assert paper.indicator == "Mozart - place of birth - Salzburg"


def test_the_last_answer_says_whether_it_is_the_models_own():
    base = OFFLINE.judge(analysis(), FOUND).confidence
    found = agent('{"answers": ["Prague", "Salzburg"]}').answer(analysis(), FOUND)
    assert (found.sufficient, found.answers, found.own_knowledge) == (True, ("Salzburg",), False)
    assert found.confidence == pytest.approx((0.5 + base) / 2, abs=1e-4)
    own = agent('{"answers": ["Prague", "Brno"]}').answer(analysis(), FOUND)
    assert (own.sufficient, own.answers, own.own_knowledge, own.confidence) == (True, ("Prague", "Brno"), True, 0.25)
    assert agent('{"answers": ["Prague"]}').answer(analysis(), ()).own_knowledge
    unknown = agent('{"answers": ["unknown"]}').answer(analysis(), FOUND)
    assert (unknown.sufficient, unknown.answers, unknown.own_knowledge) == (False, (), False)
    assert unknown.missing


def test_summaries_keep_order_and_what_was_not_shown():
    many = tuple(WrittenPath(0, (f"a{n}", "r", "b"), (0, 0)) for n in range(25))
    found = agent('{"keep": [7, 3, 3, 99, "4"]}').summarise(analysis(), many)
    assert found == (many[2], many[3], many[6], *many[20:])
    assert agent('{"keep": []}').summarise(analysis(), WRITTEN) == ()


def test_a_reply_that_cannot_be_used_is_asked_for_again_with_the_reason():
    replies = iter(['<b>{"enough": "perhaps"}', GOOD["judge"]])
    model = ByStep(lambda step: next(replies))
    found = LlmAgent(model, OFFLINE, Settings())
    assert found.judge(analysis(), FOUND).answers == ("Salzburg",)
    (_, first), (_, again) = model.asked
    assert again[: len(first)] == first
    assert again[-2] == {"role": "assistant", "content": '‹b›{"enough": "perhaps"}'}
    assert "enough" in again[-1]["content"]
    assert found.notes == ()


def test_a_second_useless_reply_is_noted_and_the_offline_step_taken():
    found = agent("nothing")
    assert found.judge(analysis(), FOUND) == OFFLINE.judge(analysis(), FOUND)
    assert found.notes == ("judge: the reply holds no JSON object; this step was done without the model",)
    found.judge(analysis(), FOUND)
    assert len(found.notes) == 1


@pytest.mark.parametrize("fault", [ModelError("Overloaded.", remedy="Wait."), NetworkError("Overloaded.")])
def test_an_endpoint_that_fails_is_noted_and_the_next_step_asks_again(fault):
    found = agent(fault, GOOD["judge"])
    assert found.select_paths(analysis(), FOUND, most=3) == OFFLINE.select_paths(analysis(), FOUND, most=3)
    assert found.judge(analysis(), FOUND).answers == ("Salzburg",)
    assert found.notes == ("select_paths: Overloaded; this step was done without the model",)


def test_nothing_is_asked_after_the_budget_is_spent():
    model = ByStep(lambda step: BudgetError("The budget of 3 calls is spent.", remedy="Raise it."))
    found = LlmAgent(model, OFFLINE, Settings(agent={"selection": "point"}))
    assert every_step(found) == every_step(OFFLINE)
    assert len(model.asked) == 1
    assert found.notes == ("The budget of 3 calls is spent; the rest was done without the model",)


def test_notes_come_in_the_order_of_the_steps():
    found = agent("")
    found.answer(analysis(), FOUND)
    found.topics(QUESTION)
    assert [note.partition(":")[0] for note in found.notes] == ["topics", "answer"]


def test_what_explores_is_warmer_than_what_decides():
    heat: dict[str, float] = {}

    class Thermometer(ByStep):
        def complete(self, messages, *, temperature=0.0, step="", **rest):
            heat[step] = temperature
            return super().complete(messages, temperature=temperature, step=step, **rest)

    every_step(LlmAgent(Thermometer(GOOD.__getitem__), OFFLINE, Settings(model={"explore_temperature": 0.4})))
    cold = {step for step, t in heat.items() if t == 0 and not step.startswith("compose")}
    assert cold == {"select_paths", "refine", "judge", "answer"}
    assert {t for step, t in heat.items() if step.startswith("compose")} == {0.0}, "chains of thought are greedy"
    assert {step for step, t in heat.items() if t == 0.7} == {"know"}, "the second draw"
    assert set(heat.values()) == {0.0, 0.4, 0.7}


def test_prompts_of_a_whole_question_stay_small():
    model = ByStep(GOOD.__getitem__)
    long = replace(
        evidence(BIRTH, DEATH), line="{Wolfgang Amadeus Mozart} → " + "relation → {Salzburg, Austria} → " * 40
    )
    every_step(LlmAgent(model, OFFLINE, Settings()), found=[long] * 20)
    tokens = [(step, sum(len(m["content"]) for m in chat) / 4) for step, chat in model.asked]
    own = [count for step, count in tokens if not step.startswith("compose")]
    assert (len(own), len(tokens)) == (19, 28)
    assert max(count for _, count in tokens) <= 1_500
    assert sum(own) <= 18_000


def test_no_evidence_is_nothing_to_ask_about():
    model = ByStep(GOOD.__getitem__)
    found = LlmAgent(model, OFFLINE, Settings())
    assert not found.judge(analysis(), ()).sufficient
    assert found.refine(analysis(), ()) == ""
    assert not model.asked
    bare = replace(evidence(BIRTH), path=Path(()), answers=())
    assert found.judge(analysis(), [bare])
    assert len(model.asked) == 1


def test_a_mention_without_a_choice_is_no_topic():
    unlinked = replace(mention(QUESTION, "Mozart"), chosen=None)
    assert agent(GOOD["analyse"]).analyse(QUESTION, [unlinked], d_max=3).topics == ()


def test_half_a_judgement_is_none():
    yes = '{"facts": "", "parts": [], "enough": "yes", "answers": ["Salzburg"], "missing": "'
    late = agent(Completion(yes, cut=True, late=True))
    found = late.judge(analysis(), FOUND)
    assert (found, found.by_model) == (OFFLINE.judge(analysis(), FOUND), False)
    assert late.failed
    whole = agent(Completion(f'{yes}"}}'))
    assert whole.judge(analysis(), FOUND).by_model
    assert not whole.failed
