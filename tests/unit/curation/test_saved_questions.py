"""Saved questions: one row a question and strategy, with the answer that was saved last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hydra_kg.curation.asking_again import AskedAgain, count_changes
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
