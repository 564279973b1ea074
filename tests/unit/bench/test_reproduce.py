"""Cassettes without text replay as recorded, and the leaderboard has a row for each way of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.reproduce.fixed_runs import HERE, Way, runs, with_question, without_question
from bench.reproduce.leaderboard import COLUMNS, board_rows, records_of
from bench.reproduce.run_tables import costs, totals, worth_of_variants
from hydra_kg.domain import Completion
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.models.budget import Budget
from hydra_kg.models.middleware.cassette import Recorder, Replayer, UnrecordedError, hash_request
from hydra_kg.models.request import Request
from hydra_kg.presets import PRESETS
from hydra_kg.settings import Settings


def request(text: str) -> Request:
    return Request("m", "", ({"role": "user", "content": text},), 16, step="judge")


def test_a_cassette_without_text_answers_the_same_requests_and_no_others(tmp_path: Path) -> None:
    heard, shared = tmp_path / "heard.jsonl", tmp_path / "shared.jsonl"
    Recorder(heard).around(lambda r: Completion("Orle", 3, 1))(request("a private question"))
    entries = [hash_request(json.loads(line)) for line in heard.read_text("utf-8").splitlines()]
    shared.write_text("".join(json.dumps(e) + "\n" for e in entries), "utf-8")
    assert "private" not in shared.read_text("utf-8")
    replay = Replayer(shared).replay(Budget())
    assert replay(request("a private question")).text == "Orle"
    with pytest.raises(UnrecordedError):
        replay(request("another question"))


def record(number: int, *, right: bool) -> dict[str, Any]:
    return {
        "dataset": "sets/small.jsonl",
        "question_id": str(number),
        "strategy": "pog",
        "settings_hash": "0123456789abcdef",
        "metrics": {"hits1": float(right), "f1": right / 2},
        "usage": {"calls": 4, "tokens_in": 90, "tokens_out": 10},
        "manifest": {"model": "smollm2", "loads": [{"name": "one", "checksum": "c"}]},
    }


def test_a_run_becomes_a_row_of_the_leaderboard() -> None:
    records = [record(n, right=n < 3) for n in range(4)]
    (row,) = board_rows(records, preset="paper", revision="abc", answerable={("small", "0"): True})
    assert tuple(row) == tuple(COLUMNS)
    assert (row["set"], row["system"], row["preset"], row["model"]) == ("small", "pog", "paper", "smollm2")
    assert (row["n"], row["answerable"], row["settings"]) == ("4", "1", "0123456789ab")
    assert (row["hits1"], row["hits1_low"], row["hits1_high"]) == ("75.0", "30.1", "95.4"), "Wilson's interval"
    assert (row["f1"], row["calls"], row["tokens"]) == ("37.5", "4.0", "100")
    (other,) = board_rows([{**r, "manifest": {"loads": []}} for r in records], preset="paper", revision="abc")
    assert other["store"] != row["store"]
    assert (other["model"], other["answerable"]) == ("none", "")


def test_costs_are_means_of_each_step() -> None:
    rows = [{"system": "tog", "preset": "paper", "steps": {"judge": [calls, 100, 10]}} for calls in (1, 3)]
    assert costs(rows) == [
        {"system": "tog", "preset": "paper", "step": "judge", "questions": 2}
        | {"calls": 2.0, "tokens in": 100.0, "tokens out": 10.0}
    ]


@pytest.mark.parametrize("said", ['{"ask": "Who wrote Ulysses?"}', "who wrote ulysses", "Joyce wrote it.", ""])
def test_a_shared_reply_has_no_question_and_replays_as_it_was(said: str) -> None:
    question = "who wrote ulysses?"
    kept = without_question(said, question)
    assert "wrote ulysses" not in kept.lower()
    assert with_question(kept, question) == said


def recorded(number: int, preset: str, *, right: bool) -> tuple[Way, dict[str, Any]]:
    way = Way(Question("small", str(number), "", (), None), "hydra", preset)
    row = {"hits1": float(right), "f1": right / 2, "calls": 2, "tokens_in": 90, "tokens_out": 10}
    return way, {"answers": ["Mali"] if number else [], **row}


def test_a_variant_is_compared_on_the_questions_that_both_were_asked() -> None:
    found = [recorded(n, "paper", right=n < 3) for n in range(5)]
    found += [recorded(n, "paper+relevance-alone", right=n < 1) for n in range(4)]
    (row,) = worth_of_variants(found)
    assert (row["set"], row["preset"], row["questions"], row["won / lost"]) == ("small", "paper", 4, "2 / 0")
    assert row["right, %"] == "75.0 (30.1–95.4)"
    assert row["difference"].startswith("+50.0 (")
    found += [(found[-1][0], {**found[-1][1], "calls": 0})]
    assert [(r["preset"], r["questions"], r["answered"], r["without a call"]) for r in totals(found)] == [
        ("paper", 5, 4, 0),
        ("paper+relevance-alone", 5, 4, 1),
    ]


def test_recorded_answers_become_rows_of_the_leaderboard() -> None:
    found = [(way, {**row, "settings": "0123"}) for way, row in (recorded(1, "paper+x", right=True),)]
    by_preset = records_of(found, model="smollm2", loads=[{"name": "one", "checksum": "c"}])
    (row,) = board_rows(by_preset["paper"], preset="paper", revision="abc")
    assert (row["set"], row["variant"], row["hits1"], row["calls"]) == ("small", "x", "100.0", "2.0")


@pytest.mark.parametrize("name", ["runs.toml", "pack/runs.toml"])
def test_a_file_of_runs_names_presets_variants_and_settings_that_exist(name: str) -> None:
    fixed = runs(HERE / name)
    for stage in fixed["stages"]:
        assert set(stage["sets"]) <= set(fixed["questions"])
        for preset, _, variant in (full.partition("+") for full in stage["presets"]):
            assert preset in PRESETS
            assert not variant or Settings().changed(**fixed["variants"][variant]) != Settings()
    for ids in fixed["questions"].values():
        assert len(set(ids)) == len(ids)
