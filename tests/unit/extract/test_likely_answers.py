"""Likely answers in any passage: which candidates a sentence offers, and which of them comes first."""

from __future__ import annotations

import pytest

from hydra_kg.extract.passages.likely_answers import (
    coverage,
    joined_with,
    likely_answers,
    statements,
)
from hydra_kg.extract.passages.open_question import open_claim, open_question
from hydra_kg.extract.passages.stated_truth import stated_answers
from hydra_kg.extract.passages.values_in_sentences import LikelyAnswer
from hydra_kg.extract.reading.page import Page, Paragraph

ORCHARD = ("Hollin Orchard", "", "Hollin Orchard is a farm in Norland. It was planted by Ada Lund and Bo Rask in 1931.")
KEEPER = ("Cy Holm", "", "Cy Holm (born 1990) is a footballer who plays as a goalkeeper for the club Ostrand Rovers.")
FAIR = ("Minutes", "Summer fair", "The fair takes place on 20 July 2024 in the orchard. Ada Lund bakes the cakes.")
FEES = ("Rules", "Fees", "Lost manual | Fee: 6")
HOURS = ("Policy", "", "Core hours are from 10:00 to 15:00. Overtime must be approved.")
KNOWN = ("Ostrand", "", "Ostrand is a town. It is known for its annual rodeo.")
AGE = ("Ada Lund", "", "Ada Lund was a farmer. She died in Norland at the age of 72.")
LEAVE = ("Rules", "", "Staff may work from home three days a week, after a probation of six months.")
PRESENT = ("Minutes", "", "Present: Ada Lund (chair), Bo Rask (secretary), Cy Holm (treasurer), Dee Moss (coach)")


def found(question: str, passage: tuple[str, str, str]) -> list[LikelyAnswer]:
    asked = open_question(question)
    assert asked is not None
    title, heading, text = passage
    return likely_answers(Page([title], [Paragraph(text, heading)]), asked)


@pytest.mark.parametrize(
    "question, passage, expected",
    [
        ("Who planted Hollin Orchard?", ORCHARD, "Ada Lund"),
        ("In what year was Hollin Orchard planted?", ORCHARD, "1931"),
        ("Which goalkeeper plays for Ostrand Rovers?", KEEPER, "Cy Holm"),
        ("When is the summer fair?", FAIR, "2024-07-20"),
        ("Who bakes the cakes?", FAIR, "Ada Lund"),
        ("What is the fee for a lost manual?", FEES, "6"),
        ("What are the core hours?", HOURS, "from 10:00 to 15:00"),
        ("What is Ostrand known for?", KNOWN, "its annual rodeo"),
        ("At what age did Ada Lund die?", AGE, "72"),
        ("Who is the treasurer?", PRESENT, "Cy Holm"),
        ("Who is the coach?", PRESENT, "Dee Moss"),
        ("How many days a week may staff work from home?", LEAVE, "three days"),
    ],
)
def test_the_best_candidate_answers(question: str, passage: tuple[str, str, str], expected: str) -> None:
    assert found(question, passage)[0].text == expected


def test_a_sentence_without_a_name_of_the_question_scores_low() -> None:
    right, other = found("Who planted Hollin Orchard?", ORCHARD)[0], found("Who planted Quince Park?", ORCHARD)[0]
    assert other.score < right.score / 4


def test_when_something_new_opens_says_nothing_of_the_page() -> None:
    asked, page = "When was Hollin Orchard founded?", ("Hollin Orchard", "")
    founded = found(asked, (*page, "The orchard opened in Norland in 1931."))
    plant = found(asked, (*page, "A cider mill opened in Norland in 1931."))
    assert plant[0].score < founded[0].score / 2


def test_names_that_a_sentence_lists_together_are_one_answer() -> None:
    every = found("Who planted Hollin Orchard?", ORCHARD)
    assert [c.text for c in joined_with(every[0], works=False)] == ["Ada Lund", "Bo Rask"]


def test_a_question_in_a_document_is_the_heading_of_its_answer() -> None:
    page = Page(["FAQ"], [Paragraph("When is check-in? It is from 3 pm.")])
    (answer,) = statements(page)
    assert (answer.text, answer.heading) == ("It is from 3 pm.", "When is check-in?")
    asked = open_question("When is check-in?")
    assert asked is not None
    assert coverage(answer, asked, "FAQ") > 0.8


def test_a_yes_or_no_question_has_words_but_no_candidates() -> None:
    asked = open_question("Are dogs allowed?")
    assert asked is not None
    assert [t.low for t in asked.terms] == ["dogs", "allowed"]
    assert not found("Are dogs allowed?", ("FAQ", "", "Only assistance dogs are allowed in Norland."))


def test_what_asks_nothing_is_no_question() -> None:
    assert open_question("") is None
    assert open_question("Ostrand.") is None


@pytest.mark.parametrize(
    "question, text, expected",
    [
        ("When is rent due?", "Rent is due on 1 March.", "1 March"),
        (
            "Who owns Biscuit?",
            "Best in show: Biscuit, a collie owned by Ravi Menon The prize was a bowl.",
            "Ravi Menon",
        ),
        ("What languages does he speak?", "He speaks German and Czech.", "German"),
        ("What is the nationality of Ada Lund?", "Ada Lund is a Swiss baker at Bright Bakery.", "Swiss"),
    ],
)
def test_days_lines_and_peoples_are_candidates(question: str, text: str, expected: str) -> None:
    assert found(question, ("Notes", "", text))[0].text == expected


CLUB = "Bicycles are kept in the Annex; a key costs 12 pounds. On Saturday Mara Silva brings soup, and Jon Weber tools."


@pytest.mark.parametrize(
    "question, text, expected",
    [
        ("Who brings soup?", CLUB, "Mara Silva"),
        ("Where are bicycles kept?", CLUB, "Annex"),
        ("When was it repaired?", "The hall was built in 1962 and repaired in 2015.", "2015"),
        ("Why is the lift closed?", "The lift is closed because of its cables. Hoist & Sons said so.", "its cables"),
        ("When is the office open?", "The office is open daily from 8 am to 8 pm.", "8 am to 8 pm"),
        ("When is the lift closed?", "From 4 to 6 November 2025 the lift is closed.", "4 to 6 November 2025"),
        ("What did Ada Lund study?", "Ada Lund studied physics in Kyoto.", "physics"),
        ("When is the meeting?", "The meeting is on 12 June 2025 at 7 pm.", "2025-06-12"),
    ],
)
def test_phrases_times_and_neighbours_of_the_verb_answer(question: str, text: str, expected: str) -> None:
    assert found(question, ("Notes", "", text))[0].text == expected


def test_a_pronoun_stands_for_what_the_sentence_before_is_about() -> None:
    text = "The main telescope, Big Nora, was made by Otto Grubb. It was named after Nora Ferris."
    assert found("Who is Big Nora named after?", ("Guide", "", text))[0].text == "Nora Ferris"
    text = "The architect, Ruth Calloway, won a prize in 1964. She lived here until her death in 1999."
    assert found("When did Ruth Calloway die?", ("History", "", text))[0].text == "1999"


def test_a_plural_at_the_beginning_is_nobody() -> None:
    bicycles = [c for c in found("Who keeps the key?", ("Rules", "", CLUB)) if c.text == "Bicycles"]
    assert all(c.score < 0.2 for c in bicycles)


def test_the_title_of_a_document_is_no_place() -> None:
    assert "Notes" not in [c.text for c in found("Where are bicycles kept?", ("Notes", "", CLUB))]


def stated(question: str, passage: tuple[str, str, str]) -> list[str]:
    asked = open_question(question)
    assert asked is not None
    title, heading, text = passage
    return [c.text for c in stated_answers(Page([title], [Paragraph(text, heading)]), asked)]


@pytest.mark.parametrize(
    "question, heading, text, expected",
    [
        ("Can I bring my dog?", "Can I bring my dog?", "No, dogs are not allowed in the domes.", ["no"]),
        ("May I take photographs?", "May I take photographs?", "Yes, but without flash.", ["yes"]),
        ("Are dogs allowed?", "Rules", "Dogs are not allowed.", ["no"]),
        ("Are dogs allowed?", "Rules", "Dogs are allowed.", ["yes"]),
        ("Are dogs allowed?", "Rules", "Only assistance dogs are allowed.", []),
        ("Are dogs allowed?", "Rules", "Cats are allowed.", []),
        ("Where do I pay?", "Where do I pay?", "At the till in Norland.", ["At the till in Norland."]),
        ("Where do I sit?", "Where do I pay?", "At the till in Norland.", []),
    ],
)
def test_a_heading_that_asks_the_same_is_answered(question: str, heading: str, text: str, expected: list[str]) -> None:
    assert stated(question, ("FAQ", heading, text)) == expected


WON = "The Marlow Cup was won by Greta Lindholm. The protest of Ines Duarte against Greta Lindholm was rejected."
LISBON = "Lisbon, the capital of Portugal, lies on the Tagus; Porto lies on the Douro."


@pytest.mark.parametrize(
    "claim, text, expected",
    [
        ("The Marlow Cup was won by Greta Lindholm.", WON, ["yes"]),
        ("Greta Lindholm won the Marlow Cup.", WON, ["yes"]),
        ("The protest of Ines Duarte was rejected.", WON, []),
        ("The protest of Greta Lindholm against Ines Duarte was rejected.", WON, []),
        ("The Marlow Cup won Greta Lindholm.", WON, []),
        ("Ines Duarte won the Marlow Cup.", WON, []),
        ("The capital of Portugal is Porto.", LISBON, []),
        ("The junior race was cancelled.", "The junior race was nearly cancelled.", []),
        ("The junior race was cancelled.", "The junior race was not cancelled.", ["no"]),
    ],
)
def test_a_claim_is_stated_by_a_sentence_that_says_all_of_it(claim: str, text: str, expected: list[str]) -> None:
    asked = open_claim(claim)
    assert asked is not None
    assert [c.text for c in stated_answers(Page(["Notes"], [Paragraph(text)]), asked)] == expected


def test_few_words_are_no_claim() -> None:
    assert open_claim("It rains.") is None


@pytest.mark.parametrize(
    "asked, text",
    [
        ("Ada Lund plays the organ.", "Ada Lund's brother plays the organ."),
        ("Ada Lund plays the organ.", "The brother of Ada Lund plays the organ."),
        ("Dee Park stole the trophy.", "Dee Park denied stealing the trophy."),
        ("Dee Park is the treasurer.", "Dee Park was formerly the treasurer."),
        ("Dee Park is the treasurer.", "Dee Park was the treasurer."),
        ("Bo Rask married Gil Hart.", "Bo Rask married the brother of Gil Hart."),
        ("Does the club sell beer?", "The club stopped selling beer in 2019."),
        ("Is the café open on Mondays?", "The café is open on Mondays at no extra cost."),
        ("Does the bus stop at the mill?", "The bus stops at the mill, not at the church."),
        ("Is the parking free?", "The parking is free for members."),
        ("Do members swim free?", "Members under 12 swim free."),
        ("Does the train leave Tyndrum at noon?", "The train from Oban to Tyndrum leaves at noon."),
    ],
)
def test_a_sentence_that_says_more_than_is_asked_decides_nothing(asked: str, text: str) -> None:
    read = open_question(asked) if asked.endswith("?") else open_claim(asked)
    assert read is not None
    assert list(stated_answers(Page(["Notes"], [Paragraph(text)]), read)) == []


def test_a_heading_that_asks_of_another_is_not_the_same() -> None:
    heading = "Does Kim Lee sing better than Lou May?"
    assert stated("Does Lou May sing better than Kim Lee?", ("FAQ", heading, "No.")) == []


def test_a_score_is_no_time_of_day() -> None:
    assert found("When was the final played?", ("Notes", "", "The final was played by the Reds and ended 3:2.")) == []
