"""Questions in other languages, by the tables of the languages: what they ask in English."""

from __future__ import annotations

import random
import re

import pytest

from hydra_kg.extract.languages import question_translation
from hydra_kg.extract.languages.question_translation import in_english
from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.language.form_notation import split_alternatives
from hydra_kg.steps.linking.mention_spans import words


@pytest.mark.parametrize(
    "question,language,english",
    [
        ("Wer hat Inception gedreht?", "German", "Who directed Inception?"),
        ("Von wem wurde Dracula geschrieben?", "German", "Who wrote Dracula?"),
        ("Wann erschien Jaws?", "German", "When was Jaws released?"),
        ("Quand est sorti Titanic ?", "French", "When was Titanic released?"),
        ("¿Cuántos habitantes tiene Perú?", "Spanish", "What is the population of Perú?"),
        ("Où se trouve le siège de Lyra ?", "French", "Where is Lyra headquartered?"),
        ("Quel est le plus long fleuve d'Europe ?", "French", "What is the longest river in Europe?"),
        ("Quelle est la ville la plus grande du Chili ?", "French", "What is the largest city in Chili?"),
        ("Quelle est la deuxième plus grande ville du Chili ?", "French", "What is the second largest city in Chili?"),
        ("Quel est le troisième plus long fleuve d'Europe ?", "French", "What is the third longest river in Europe?"),
        ("Was ist die zweitgrößte Stadt in Peru?", "German", "What is the second largest city in Peru?"),
        ("¿Cuál es la segunda ciudad más grande de Chile?", "Spanish", "What is the second largest city in Chile?"),
        ("¿Cuál es el río más largo de Perú?", "Spanish", "What is the longest river in Perú?"),
        ("¿Dónde está la sede de Lyra?", "Spanish", "Where is Lyra headquartered?"),
        ("Was ist der längste Fluss in Peru?", "German", "What is the longest river in Peru?"),
        ("Wo hat Lyra seinen Sitz?", "German", "Where is Lyra headquartered?"),
        ("Chi ha scritto Hamlet?", "Italian", "who wrote Hamlet"),
        ("Dove è nato Dante?", "Italian", "where was Dante born"),
        ("Quem escreveu Hamlet?", "Portuguese", "who wrote Hamlet"),
        ("Qual é a capital da Noruega?", "Portuguese", "what is the capital of Noruega"),
        ("Wie schreef Hamlet?", "Dutch", "who wrote Hamlet"),
        ("Waar is Rembrandt gestorven?", "Dutch", "where did Rembrandt die"),
        ("谁导演了Fargo?", "Chinese", "who directed Fargo"),
        ("李白是什么时候出生的？", "Chinese", "when was 李白 born"),
        ("李白的妻子是谁", "Chinese", "what is the wife of 李白"),
        ("أين ولد Pablo Picasso؟", "Arabic", "where was Pablo Picasso born"),
        ("Кто снял Солярис?", "Russian", "who directed Солярис"),
    ],
)
def test_a_question_in_another_language_is_read_in_english(question, language, english):
    read = in_english(question)
    assert (read.text, read.language, read.understood) == (english, language, True)


ENGLISH = ("Where was Goethe born?", "who was el chapo", "de niro films", "What does la vie mean?")


@pytest.mark.parametrize("question", ENGLISH)
def test_an_english_question_stays_as_it_is(question):
    read = in_english(question)
    assert (read.text, read.language) == (question, "")


def test_a_name_between_words_without_spaces_is_a_word():
    assert [w.text for w in words("谁导演了Fargo?")] == ["谁导演", "了", "Fargo"]
    assert [w.text for w in words("李白的妻子")] == ["李白", "的", "妻子"]


def drawn(parsed, draw):
    """Return a text that a parsed pattern matches, drawn at random."""
    text = ""
    for kind, value in parsed:
        match str(kind):
            case "LITERAL":
                text += chr(value)
            case "ANY":
                text += "x"
            case "IN":
                text += drawn([draw.choice(value)], draw)
            case "BRANCH":
                text += drawn(draw.choice(value[1]), draw)
            case "SUBPATTERN":
                text += drawn(value[3], draw)
            case "MAX_REPEAT" | "MIN_REPEAT":
                text += "".join(drawn(value[2], draw) for _ in range(draw.randint(value[0], min(value[1], 3))))
            case _:
                raise AssertionError(kind)
    return text


def test_every_question_of_a_form_contains_its_literal():
    draw = random.Random(1)
    for code in question_translation._codes():
        for form in question_translation._table(code).forms:
            for _ in range(3):
                question = drawn(re._parser.parse(form.pattern), draw)
                assert re.fullmatch(form.pattern, question), form
                assert form.literal in question, form


@pytest.mark.parametrize("code", question_translation._codes())
def test_each_form_has_a_word_that_is_not_english(code: str) -> None:
    """Forms are made only if a question has such a word, so a form without one would never be read."""
    slots = {"noun", "superlative", "ordinal"}
    forms = [way for row in question_translation._rows(code) if row[0] == "ask" for way in split_alternatives(row[1])]
    words = [set(question_translation._WORD.findall(question_translation._plain(form))) - slots for form in forms]
    assert forms
    assert [form for form, said in zip(forms, words, strict=True) if said <= FUNCTION] == []


def test_english_questions_make_no_form_of_another_language() -> None:
    question_translation._table.cache_clear()
    assert in_english("Where was Barack Obama born?").language == ""
    assert question_translation._table.cache_info().currsize == 0
