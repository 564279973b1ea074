"""The recordings that show what a change does to answers, and the part of the questions that nobody reads."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], ModuleType]]:
    """Import modules of bench, which is not installed, with an empty data pack in a temporary folder."""
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.setenv("HYDRA_DATA", str(tmp_path))
    return importlib.import_module


def write_questions(file: Path, questions: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(q) + "\n" for q in questions), encoding="utf-8")


def question(number: int, **more: Any) -> dict[str, Any]:
    return {"id": f"q{number}", "question": f"question {number}?", "answers": [{"name": "x"}], **more}


def test_ids_with_an_odd_hash_are_unread(bench, tmp_path):
    sets = bench("bench.behaviour.sets")
    write_questions(tmp_path / "own/metaqa/questions.dev.jsonl", [question(n) for n in range(40)])
    (metaqa,) = sets.chosen("metaqa")
    every = [i.key for i in sets.read_items(metaqa)]
    read = list(sets.read_items(metaqa, part="read"))
    unread = list(sets.read_items(metaqa, part="unread"))
    # sha1("q2") ends in 1 and sha1("q0") in 2
    assert "q2" in {i.question["id"] for i in unread}
    assert "q0" in {i.question["id"] for i in read}
    assert len(every) == 40
    assert sorted(every) == sorted(i.key for i in [*read, *unread])


def test_every_second_database_is_unread_whatever_is_drawn(bench, tmp_path):
    sets = bench("bench.behaviour.sets")
    databases = ["ant", "bee", "cat", "dog"]
    write_questions(
        tmp_path / "own/spider_tables/questions.dev.jsonl",
        [question(n, db=databases[n % 4]) for n in range(8)],
    )
    (spider,) = sets.chosen("spider_tables")
    assert {i.question["db"] for i in sets.read_items(spider, part="unread")} == {"bee", "dog"}


def test_questions_whose_gold_is_only_a_row_are_left_out(bench, tmp_path):
    sets = bench("bench.behaviour.sets")
    write_questions(
        tmp_path / "own/supplybench/questions.dev.jsonl",
        [question(1), {**question(2), "answers": [{"row": ["a", "b"]}]}],
    )
    (supply,) = sets.chosen("supplybench")
    assert [i.question["id"] for i in sets.read_items(supply)] == ["q1"]


def test_a_recording_holds_no_text_of_questions_or_answers(bench, tmp_path):
    """A table that is loaded and asked for real."""
    sets, asking = bench("bench.behaviour.sets"), bench("bench.behaviour.asking")
    folder = tmp_path / "own/bird_superhero"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "boats.csv").write_text("boat,harbour\nAurora,Larkwood\nNordlicht,Otterby\n", encoding="utf-8")
    asked = {**question(1), "question": "What is the harbour of Aurora?", "answers": [{"name": "Larkwood"}]}
    write_questions(folder / "questions.dev.jsonl", [asked])
    (birds,) = sets.chosen("bird_superhero")
    ((item, document),) = asking.ask_items(sets.read_items(birds), work=tmp_path / "work", slices="")
    result = asking.describe_result(item, document)
    assert result["outcome"] == "right"
    assert "Larkwood" not in json.dumps(result)
    assert "Aurora" not in json.dumps(result)


@pytest.mark.parametrize(
    "old, new, change",
    [
        ({}, {}, ""),
        ({}, {"outcome": "wrong", "answers": "b"}, "right -> wrong"),
        ({}, {"answers": "b"}, "other answers"),
        ({}, {"confidence": 0.7}, "right: no longer sure"),
        ({}, {"confidence": 0.85}, "confidence or verdict"),
        ({}, {"verdict": "partial"}, "confidence or verdict"),
    ],
)
def test_a_change_between_recordings_is_named(bench, old, new, change):
    compare = bench("bench.behaviour.compare")
    base = {"outcome": "right", "answers": "a", "confidence": 0.9, "verdict": "supported"}
    assert compare.change_of({**base, **old}, {**base, **new}) == change


def test_the_log_of_unread_questions_holds_totals_only(bench, tmp_path):
    unread = bench("bench.behaviour.unread")
    records = [
        {"set": "metaqa", "confidence": c, "outcome": o, "answers": "" if o == "silent" else "a"}
        for c, o in [(0.9, "right"), (0.85, "wrong"), (0.0, "silent"), (0.6, "right")]
    ]
    figures = unread.totals(records)
    assert set(figures) == {"metaqa", "family films", "all"}
    assert figures["all"].to_json() | {"auroc": 0.5} == figures["all"].to_json()
    assert figures["metaqa"].sure_right == 0.5
    assert figures["metaqa"].right == 0.5


def test_visits_count_functions_and_not_module_bodies(bench, tmp_path, monkeypatch):
    visits = bench("bench.visits")
    monkeypatch.setattr(visits, "PRODUCT", (tmp_path,))
    (tmp_path / "visited_module.py").write_text(
        "class A:\n    x = 1\n\ndef called():\n    return A()\n\ndef never():\n    return 0\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    run = importlib.import_module("visited_module").called
    assert visits.count_visits(run) == {"packages": 1, "modules": 1, "functions": 1}
