"""Saved questions: one row a question and strategy, with the answer that was saved last."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hydra_kg import Hydra
from hydra_kg.curation.asking_again import AskedAgain, ask_again, count_changes
from hydra_kg.curation.saved_questions import SavedQuestions, names_of
from hydra_kg.errors import NotFoundError


def answer(*names: str, verdict: str = "supported", **more: Any) -> dict[str, Any]:
    text = " / ".join(names)
    fields = {"id": "0123456789ab", "question": "Who leads Larkwood?", "strategy": "hydra", "confidence": 0.9}
    found = [{"name": name} for name in names]
    return {**fields, "answers": found, "answer_text": text, "verdict": verdict, "abstained": not names, **more}


def test_a_question_saved_again_expects_its_new_answer(tmp_path: Path):
    saved = SavedQuestions(tmp_path / "saved.sqlite")
    assert saved.all() == []
    first = saved.save(answer("Ida Lund"))
    assert saved.save(answer("Bo Berg")).number == first.number
    assert [one.names for one in saved.all()] == [("Bo Berg",)]
    saved.remove(first.number)
    with pytest.raises(NotFoundError):
        saved.remove(first.number)


def test_a_follow_up_is_saved_in_full_and_a_taught_question_as_it_was_asked(tmp_path: Path):
    saved = SavedQuestions(tmp_path / "saved.sqlite")
    full = "When was Ida Lund born?"
    assert saved.save(answer("1960", question="And born?", understood_as=full, after="0" * 12)).question == full
    assert saved.save(answer("5", question="the turnover?", understood_as="the revenue?")).question == "the turnover?"


def test_other_names_are_another_answer_and_their_order_is_not(tmp_path: Path):
    saved = SavedQuestions(tmp_path / "saved.sqlite").save(answer("Ida Lund", "Bo Berg"))
    now = {
        "same": answer("Bo Berg", "Ida Lund"),
        "verdict": answer("Ida Lund", "Bo Berg", verdict="contested"),
        "answer": answer("Ida Lund"),
        "silence": answer(),
    }
    changed = {name: AskedAgain(saved, doc).to_json()["changed"] for name, doc in now.items()}
    assert changed == {"same": "", "verdict": "verdict", "answer": "answer", "silence": "answer"}
    counts = count_changes([AskedAgain(saved, doc) for doc in now.values()])
    assert counts == {"asked": 4, "answers": 2, "verdicts": 1}


def test_yes_and_no_are_different_answers():
    yes, no = (names_of({"answers": [], "answer_text": text, "abstained": False}) for text in ("Yes.", "No."))
    assert yes != no


def test_a_question_is_asked_again_with_the_meanings_that_a_person_chose(sample: Hydra, tmp_path: Path):
    saved, question = SavedQuestions(tmp_path / "saved.sqlite"), "What is the population of Germany?"
    usual, weimar = (sample.ask(question, topics=given, keep=False) for given in ((), ("Germany=m.084n_",)))
    by_relation = sample.ask(question, topics=("Germany=Q183",), relation="P36", keep=False)
    for answer_ in (usual, weimar, by_relation):
        saved.save(answer_.to_dict())
    chosen = [(one.topics, one.relation) for one in saved.all()]
    assert chosen[:2] == [((), ""), (("Germany=m.084n_",), "")]
    assert chosen[2][1] == "P36"
    asked = ask_again(sample, saved.all())
    assert [one.differs for one in asked] == [False] * 3
    assert weimar.answer_text != usual.answer_text
    assert by_relation.answer_text == asked[2].now["answer_text"] == "Berlin"


def test_what_a_person_chose_and_nobody_knows_any_more_is_no_answer(sample: Hydra, tmp_path: Path):
    saved = SavedQuestions(tmp_path / "saved.sqlite")
    kept = saved.save(sample.ask("What is the population of Germany?", keep=False).to_dict())
    (gone,) = ask_again(sample, [replace(kept, topics=("Germany=m.gone",))])
    assert gone.differs
    assert gone.now["abstained"]


def test_questions_that_an_earlier_version_saved_stay(tmp_path: Path):
    path = tmp_path / "saved.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE TABLE saved (number INTEGER PRIMARY KEY AUTOINCREMENT, question TEXT NOT NULL, strategy TEXT NOT "
            "NULL, names TEXT NOT NULL, answer_text TEXT NOT NULL, verdict TEXT NOT NULL, answer TEXT NOT NULL, created"
            " TEXT NOT NULL DEFAULT ''); CREATE UNIQUE INDEX saved_question ON saved(question, strategy);"
            "INSERT INTO saved (question, strategy, names, answer_text, verdict, answer) VALUES ('Who leads Larkwood?',"
            " 'hydra', '[]', '', 'unsupported', '0123456789ab'); PRAGMA user_version=1"
        )
    saved = SavedQuestions(path)
    assert [(one.topics, one.relation) for one in saved.all()] == [((), "")]
    assert saved.save(answer("Bo Berg")).number == 1
