"""Names taken for another entity by hand, and misspelt ones, in ask and chat; on the sample."""

from __future__ import annotations

import json

import pytest

QUESTION = "What is the population of Germany?"
GERMANY, REPUBLIC = "m.0345h", "m.084n_"
CHANGING = {"id", "created", "seconds", "after", "understood_as"}


def asked(call, store, *words, code=0):
    doc = json.loads(call("ask", *words, "--json", "--store", store, "--agent", "offline", code=code).stdout)
    doc["explorations"] = [{k: v for k, v in x.items() if k != "seconds"} for x in doc["explorations"]]
    return {k: v for k, v in doc.items() if k not in CHANGING}


@pytest.mark.parametrize("topic", [GERMANY, f"Germany={GERMANY}"])
def test_the_entity_that_was_linked_gives_an_equal_answer(call, sample_store, topic):
    plain = asked(call, sample_store, QUESTION)
    assert plain["answer_text"] == "82979100"
    assert asked(call, sample_store, QUESTION, "--topic", topic) == plain


@pytest.mark.parametrize("topic", [REPUBLIC, f"Germany={REPUBLIC}"])
def test_another_entity_is_asked_the_same_question(call, sample_store, topic):
    question = "What was the capital of Germany?"
    doc = asked(call, sample_store, question, "--topic", topic)
    assert doc["plan"] != asked(call, sample_store, question)["plan"]  # the same operators over another entity
    (mention,) = doc["mentions"]
    assert (mention["text"], mention["start"], mention["chosen"]["id"]) == ("Germany", 24, REPUBLIC)
    assert doc["answer_text"] == "Berlin"
    text = call("ask", QUESTION, "--topic", topic, "--store", sample_store, "--agent", "offline", code=3).output
    assert "“Germany”: Weimar Republic (m.084n_" in text
    assert "· chosen by hand" in text
    assert "did you mean: Germany (m.0345h" in text
    assert '(--topic "Germany=ID")' in text


def test_a_topic_that_fits_no_name_is_added_and_said(call, sample_store):
    words = ("ask", "Who was it?", "--topic", GERMANY, "--store", sample_store, "--agent", "offline")
    assert f"“{GERMANY}”: Germany" in (text := call(*words, code=None).output)
    assert "added: no name in the question fits it" in text


def test_a_misspelt_name_is_said_to_be_corrected(call, sample_store):
    text = call("ask", "What is the population of Germny?", "--store", sample_store, "--agent", "offline").output
    assert "82979100" in text
    assert any("“Germny”: Germany" in line and "· corrected spelling" in line for line in text.splitlines())


def test_another_name_is_no_spelling_of_it(call, sample_store):
    text = call("ask", "Who composed the Magic Flute?", "--store", sample_store, "--agent", "offline", code=3).output
    assert "“Magic Flute”: unknown" in text


def test_chat_asks_the_last_question_again_with_another_entity(call, sample_store):
    lines = ("/topic Germany=m.084n_", QUESTION, "/topic", "/topic Germany=nobody", "/topic Germany=m.084n_", "/quit")
    text = call("chat", "--store", sample_store, "--agent", "offline", input="\n".join(lines)).output
    assert "There is no answer yet." in text
    assert "/topic NAME=ID: for example" in text
    assert "No ready load knows nobody." in text
    assert "82979100" in text
    assert text.count("“Germany”: Weimar Republic") == 1
