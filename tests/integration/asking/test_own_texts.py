"""A folder of texts about things that nobody else knows: loaded by one command, asked in ordinary words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra

NOTES = Path(__file__).parents[2] / "helpers" / "notes"


@pytest.fixture(scope="module")
def hydra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    with Hydra(store=tmp_path_factory.mktemp("notes") / "s") as opened:
        opened.load(NOTES)
        yield opened


def _rows(*, trap: bool) -> list[dict[str, object]]:
    rows = [json.loads(line) for line in NOTES.with_name("notes.questions.jsonl").read_text("utf-8").splitlines()]
    return [row for row in rows if bool(row.get("trap")) is trap]


def _graded(hydra: Hydra, rows: list[dict[str, object]]) -> dict[str, list[str]]:
    graded: dict[str, list[str]] = {"right": [], "wrong": [], "silent": []}
    for row in rows:
        question, gold = str(row["question"]), row["gold"]
        assert isinstance(gold, list)
        names = [a.name.casefold() for a in hydra.ask(question).answers]
        hit = any(g.casefold() in n or n in g.casefold() for n in names for g in gold)
        grade = "right" if hit or (not names and not gold) else "wrong" if names else "silent"
        graded[grade].append(question)
    return graded


@pytest.mark.slow
def test_thirty_questions_that_were_written_before_the_code(hydra: Hydra) -> None:
    graded = _graded(hydra, _rows(trap=False))
    assert len(graded["right"]) >= 24, graded
    assert len(graded["wrong"]) <= 2, graded


@pytest.mark.slow
def test_what_pages_do_not_say_is_seldom_answered(hydra: Hydra) -> None:
    graded = _graded(hydra, _rows(trap=True))
    assert len(graded["wrong"]) <= 1, graded


def test_an_answer_is_cited_by_its_sentence_and_rests_on_one_source(hydra: Hydra) -> None:
    answer = hydra.ask("Who designed the village hall of Lower Quennell?")
    assert [a.name for a in answer.answers] == ["Winifred Ashe"]
    assert (answer.verdict, answer.label) == ("single-source", "wiki")
    passage = answer.evidence[0].path.passage
    assert passage is not None
    assert passage.text.startswith("The village hall was designed by the architect Winifred Ashe")
    assert passage.locator.page == "Lower Quennell § Buildings"
    assert passage.locator.end - passage.locator.start == len(passage.text)


def test_a_name_within_a_page_is_asked_about(hydra: Hydra) -> None:
    assert [a.name for a in hydra.ask("How much does Big Agnes weigh?").answers] == ["6.4 tonnes"]


@pytest.mark.parametrize(
    "question, truth",
    [("Is ashwort poisonous to sheep?", "yes"), ("Was Tarrow Hill School founded in 1931?", "no")],
)
def test_yes_and_no(hydra: Hydra, question: str, truth: str) -> None:
    assert [a.name for a in hydra.ask(question).answers] == [truth]


def test_that_a_page_names_one_work_says_nothing_of_another(hydra: Hydra) -> None:
    """The page has one designer of one hall; it does not say what else she did not design."""
    assert not hydra.ask("Did Winifred Ashe design Tarrow Hill School?").answers


def test_what_a_page_says_of_something_else_is_no_answer(hydra: Hydra) -> None:
    assert not hydra.ask("Who designed the MV Corriedale Star?").answers
    assert not hydra.ask("Who owns tidepool?").answers


def test_pages_are_facts_too_and_know_one_another(hydra: Hydra) -> None:
    from hydra_kg.stores import open_store

    store = open_store(str(hydra.path))
    try:
        with store.snapshot() as snapshot:
            texts = {
                text for text, n in zip(snapshot.predicates().texts, snapshot.predicates().counts, strict=True) if n
            }
    finally:
        store.close()
    assert {"founded by", "date of birth", "opened in"} <= texts


def test_passages_without_ids_are_about_their_titles(tmp_path: Path) -> None:
    file = tmp_path / "pages.jsonl"
    file.write_text(
        json.dumps({"title": "Nordwind Robotics", "text": "Nordwind Robotics was founded in 2012 by Ingrid Solberg."})
        + "\n",
        "utf-8",
    )
    with Hydra(store=tmp_path / "s") as hydra:
        hydra.load(file)
        assert [a.name for a in hydra.ask("Who founded Nordwind Robotics?").answers] == ["Ingrid Solberg"]
        assert [a.name for a in hydra.ask("When was Nordwind Robotics founded?").answers] == ["2012"]


def test_words_of_the_question_and_ends_of_phrases_are_no_answers(tmp_path: Path) -> None:
    text = (
        "Arland is a kingdom in the north. The form of Government is described in its charter of 1612. "
        "Arlandish is spoken by nearly all of the world's population."
    )
    (tmp_path / "pages.jsonl").write_text(json.dumps({"title": "Arland", "text": text}) + "\n", "utf-8")
    with Hydra(store=tmp_path / "s") as hydra:
        hydra.load(tmp_path / "pages.jsonl")
        assert "Government" not in [a.name for a in hydra.ask("What form of government is Arland?").answers]
        assert not [a.name for a in hydra.ask("Who speaks Arlandish in the world?").answers if a.name.startswith("'")]


@pytest.mark.parametrize("relative, name", [("father", "Aldo Lind"), ("mother", "")])
def test_a_father_is_no_mother(tmp_path: Path, relative: str, name: str) -> None:
    page = "Mara Lind was born in Tolm in 1920. She succeeded her father Aldo Lind at the mill at the age of 20.\n"
    (tmp_path / "Mara Lind.txt").write_text(page, "utf-8")
    with Hydra(store=tmp_path / "s") as opened:
        opened.load(tmp_path / "Mara Lind.txt")
        assert opened.ask(f"Who was the {relative} of Mara Lind?").answer_text == name


@pytest.mark.parametrize(
    "question, age",
    [("How old was Mara Lind when she died?", "70"), ("How old was Mara Lind when she founded the mill?", "")],
)
def test_an_age_is_computed_from_the_two_days_that_a_page_states(tmp_path: Path, question: str, age: str) -> None:
    page = "Mara Lind was born on 4 May 1920 in Tolm and died on 9 May 1990. She founded the mill.\n"
    (tmp_path / "Mara Lind.txt").write_text(page, "utf-8")
    with Hydra(store=tmp_path / "s") as opened:
        opened.load(tmp_path / "Mara Lind.txt")
        assert opened.ask(question).answer_text == age


@pytest.mark.parametrize("question", ["What did Mara Lind die of?", "What are the three mills of Mara Lind?"])
def test_an_age_is_no_cause_and_one_name_is_not_three(tmp_path: Path, question: str) -> None:
    page = "Mara Lind (born 1920) died on 9 May 1990, aged 70, in Tolm. Her mills are Nordmill and two others.\n"
    (tmp_path / "Mara Lind.txt").write_text(page, "utf-8")
    with Hydra(store=tmp_path / "s") as opened:
        opened.load(tmp_path / "Mara Lind.txt")
        assert {"70", "Nordmill"}.isdisjoint(a.name for a in opened.ask(question).answers)
