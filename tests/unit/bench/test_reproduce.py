"""Cassettes without text replay as recorded, and the leaderboard has a row for each way of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.reproduce.leaderboard import COLUMNS, board_rows
from bench.reproduce.replay import costs
from hydra_kg.domain import Completion
from hydra_kg.models.budget import Budget
from hydra_kg.models.middleware.cassette import Recorder, Replayer, UnrecordedError, hash_request
from hydra_kg.models.request import Request


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
