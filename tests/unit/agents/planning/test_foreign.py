"""Questions in other languages: what they say in English where a rule knows it, else which language it is."""

from __future__ import annotations

import re

import pytest

from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.agents.planning import foreign
from hydra_kg.agents.planning.foreign import LANGUAGES
from hydra_kg.domain import Candidate, Mention, Node
from hydra_kg.steps.linking.mention_spans import words
from hydra_kg.util.package_data import table


def asked(text: str) -> tuple[str, tuple[Mention, ...]]:
    """A question whose one name stands in brackets."""
    m = re.search(r"\[([^\]]*)\]", text)
    if m is None:
        return text, ()
    chosen = Candidate(Node(1, "Q1", m[1]), 1.0, "name")
    return text.replace(m[0], m[1]), (Mention(m[1], m.start(), m.start() + len(m[1]), (chosen,), chosen),)


@pytest.mark.parametrize(
    "question,language,english",
    [
        ("Wo wurde [Clint Eastwood] geboren?", "German", "where was Clint Eastwood born"),
        ("Wer führte Regie bei [Pulp Fiction]?", "German", "who directed Pulp Fiction"),
        ("Wie heißt die Hauptstadt von [Kenia]?", "German", "what is the capital of Kenia"),
        ("Wie viele Kinder hatte [Bach]?", "German", "how many children does Bach have"),
        ("Quelle est la capitale de la [Norvège] ?", "French", "what is the capital of Norvège"),
        ("Où est mort [Richard Wagner] ?", "French", "where did Richard Wagner die"),
        ("Qui a écrit [Les Misérables] ?", "French", "who wrote Les Misérables"),
        ("¿Quién dirigió [Gladiator]?", "Spanish", "who directed Gladiator"),
        ("¿Dónde nació [Pablo Picasso]?", "Spanish", "where was Pablo Picasso born"),
        ("Chi ha scritto [Hamlet]?", "Italian", "who wrote Hamlet"),
        ("Quem escreveu [Hamlet]?", "Portuguese", "who wrote Hamlet"),
        ("Wie schreef [Hamlet]?", "Dutch", "who wrote Hamlet"),
        ("谁导演了[Fargo]?", "Chinese", "who directed Fargo"),
        ("[李白]的妻子是谁", "Chinese", "what is the wife of 李白"),
        ("أين ولد [Pablo Picasso]؟", "Arabic", "where was Pablo Picasso born"),
        ("Кто снял [Солярис]?", "Russian", "who directed Солярис"),
    ],
)
def test_a_question_in_another_language_says_the_same_in_english(question, language, english):
    found = foreign(*asked(question))
    assert found is not None
    assert (found.language, found.question) == (language, english)
    (name,) = found.mentions
    assert found.question[name.start : name.end] == name.text
    assert name.chosen is not None


@pytest.mark.parametrize(
    "question,language",
    [
        ("Wann endete der [Zweite Weltkrieg]?", "German"),
        ("Quels sont les voisins de la [Suisse] ?", "French"),
        ("¿Cuántos kilómetros hay entre [Madrid] y Sevilla?", "Spanish"),
        ("日本の首都はどこですか", "Japanese"),
        ("모나리자는 누가 그렸나요?", "Korean"),
        ("肯尼亚的首都是哪里?", "Chinese"),
    ],
)
def test_where_no_rule_knows_what_is_asked_the_language_is_said(question, language):
    found = foreign(*asked(question))
    assert found is not None
    assert (found.language, found.question) == (language, "")
    agent = OfflineAgent()
    analysis = agent.analyse(*asked(question), d_max=2)
    judged = agent.judge(analysis, ())
    assert not judged.sufficient
    assert language in judged.missing


@pytest.mark.parametrize(
    "question",
    [
        "Where was [Clint Eastwood] born?",
        "who was el chapo",
        "de niro films",
        "What does la vie mean?",
        "Was [Mozart] born in Salzburg?",
        "who is the king of la",
        "When did [die Toten Hosen] form?",
        "What is the 出生地 of [李白]?",
        "?",
        "",
    ],
)
def test_an_english_question_is_in_no_other_language(question):
    assert foreign(*asked(question)) is None


def test_words_in_the_tongue_of_the_question_are_no_names():
    question = "Was ist die Hauptstadt von Kenia"
    chosen = Candidate(Node(1, "Q1", "x"), 1.0, "name")
    places = [(w, question.index(w)) for w in ("Hauptstadt", "Kenia")]
    mentions = [Mention(w, at, at + len(w), (chosen,), chosen) for w, at in places]
    found = foreign(question, mentions)
    assert found is not None
    assert found.question == "what is the capital of Kenia"


def test_the_agent_reads_what_the_question_says_in_english():
    analysis = OfflineAgent().analyse(*asked("Wo wurde [Clint Eastwood] geboren?"), d_max=2)
    assert analysis.answer_type == "location"
    assert analysis.plan is not None
    assert analysis.language == ""


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_rule_of_a_language_has_its_columns(code):
    rows = table("hydra_kg.agents.planning.languages", f"{code}.tsv")
    assert {r[0] for r in rows} <= {"name", "ask", "word", "question", "noun", "verb"}
    assert all(len(r) == (2 if r[0] in {"ask", "word"} else 3) for r in rows)
    assert all(r[1].count("_") == r[2].count("_") == 1 for r in rows if r[0] == "question")


def test_a_name_between_words_without_spaces_is_a_word():
    assert [w.text for w in words("谁导演了Fargo?")] == ["谁导演", "了", "Fargo"]
    assert [w.text for w in words("李白的妻子")] == ["李白", "的", "妻子"]
