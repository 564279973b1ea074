"""English questions that are asked in one form and read in another."""

from __future__ import annotations

import pytest

from hydra_kg.extract.languages.question_translation import in_english

FORMS = [
    ("Apart from Lyra, what did Ada Mill found?", "what did Ada Mill found apart from Lyra?"),
    ("At what age did Ada Mill die?", "how old was Ada Mill when Ada Mill died?"),
    ("Emma was directed by whom?", "who was Emma directed by?"),
    ("The author of Emma was born in which county?", "in which county was the author of Emma born?"),
    ("who directd Emma", "who directed Emma"),
    ("who funded Lyra", "who funded Lyra"),
]


@pytest.mark.parametrize("question, plain", FORMS)
def test_a_form_is_read_as_the_grammar_has_it(question, plain):
    assert in_english(question).text == plain


@pytest.mark.parametrize(
    "question",
    [
        "Who came next to last?",
        "Where was Ada Mill born?",
        "The capital of Peru is Lima.",
        "What is the age of Ada Mill?",
        "Who wrote The Man Who Was Thursday?",
    ],
)
def test_another_form_stays(question):
    assert in_english(question).text == question


def test_a_long_question_stays():
    question = "The " + "a was born in " * 150 + "b was born in which county?"
    assert in_english(question).text == question
