"""English questions that are asked in one form and read in another."""

from __future__ import annotations

import pytest

from hydra_kg.extract.languages.reading import in_english

FORMS = [
    ("Which countries are next to Chad?", "Which countries border Chad?"),
    ("What are the towns adjacent to Kiel?", "What are the towns bordering Kiel?"),
    ("Which country shares a border with Peru?", "Which country borders Peru?"),
    ("Apart from Lyra, what did Ada Mill found?", "what did Ada Mill found apart from Lyra?"),
    ("To what age did Ada Mill live?", "how old was Ada Mill when Ada Mill died?"),
    ("Ada Mill's age at death?", "how old was Ada Mill when Ada Mill died?"),
    ("When is Ada Mill's birthday?", "when was Ada Mill born?"),
    ("Which film of Ada Mill runs the longest?", "Which film of Ada Mill is the longest?"),
    ("Which state covers more ground, Ohio or Utah?", "Which state is larger, Ohio or Utah?"),
    ("What did Ada Mill direct without acting in it herself?", "What did Ada Mill direct but not act in?"),
    ("Which mayor served right before Ada Mill?", "who was the mayor before Ada Mill?"),
    ("The author of Emma was born in which county?", "in which county was the author of Emma born?"),
    ("Who directed Emma in 1996?", "who directed the 1996 Emma?"),
    ("who directd Emma", "who directed Emma"),
    ("who funded Lyra", "who funded Lyra"),
    ("Is Kiel Mill's birthplace?", "Is Kiel the birthplace of Mill?"),
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


def test_a_long_question_takes_no_time_and_stays():
    question = "The " + "a is next to " * 150 + "b?"
    assert in_english(question).text == question
