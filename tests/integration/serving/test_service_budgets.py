"""Budgets of a day: never exceeded whoever spends them, kept over restarts, refused in words with when to come back."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers.servers.model_server import ModelServer

from hydra_kg import Hydra, Settings
from hydra_kg.cli.main import main
from hydra_kg.domain import Usage
from hydra_kg.models.budget import paid_by
from hydra_kg.serving.shared.day_budget import DayBudget, KeyAccount
from hydra_kg.serving.shared.service_keys import Keys

from .conftest import Keyed

QUESTION = {"question": "where was Steve Jobs born?"}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": QUESTION}}


def account(path: Path, name: str = "ann") -> KeyAccount:
    keys = Keys(path)
    return keys.account(next(key for key in keys.list() if key.name == name))


def test_a_question_too_many_is_refused_however_it_is_asked(keyed: Keyed):
    with keyed.service.client(keyed.key["poor"]) as poor:
        assert poor.post("/v1/answers", json={"question": ""}).status_code == 422  # costs nothing
        assert [poor.post("/v1/answers", json=QUESTION).status_code for _ in range(2)] == [200, 200]
        for reply in (
            poor.post("/v1/answers", json=QUESTION),
            poor.post("/v1/answers", json=QUESTION, headers={"Accept": "text/event-stream"}),
            poor.post("/v1/answers", json=QUESTION, headers={"Prefer": "respond-async"}),
            poor.post("/mcp", json=CALL, headers={"Accept": "application/json, text/event-stream"}),
            poor.post("/v1/fusion", json={"attribute": "place of birth"}),
        ):
            assert reply.status_code == 429
            assert 1 <= int(reply.headers["retry-after"]) <= 86_400
            assert reply.json()["detail"] == "This key's budget of 2 questions a day is spent."
        left = poor.get("/v1/budget").json()
        assert (left["limits"], left["spent"]) == ({"questions": 2}, {"questions": 2})
        assert poor.get("/v1/sources").status_code == 200  # reading goes on


def test_workers_together_spend_no_more(tmp_path):
    path = tmp_path / "keys"
    Keys(path).add("ann", budget=DayBudget(questions=7, calls=10, tokens=500))
    ready = threading.Barrier(8)

    def worker(_: int) -> tuple[int, int]:
        mine = account(path)  # as another process has it
        ready.wait()
        questions = sum(not mine.take_question() for _ in range(3))
        calls = 0
        for _ in range(4):
            if not mine.take(Usage(1, 60, 20)):
                mine.settle(Usage(1, 60, 20), Usage(1, 30, 10))
                calls += 1
        return questions, calls

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(worker, range(8)))
    assert sum(questions for questions, _ in done) == 7
    spent = account(path).spent()  # of a service that was started anew
    assert spent == {"questions": 7, "calls": sum(c for _, c in done), "tokens": 40 * sum(c for _, c in done)}
    assert spent["calls"] <= 10
    assert "7 questions" in account(path).take_question()


def test_a_key_pays_for_the_calls_of_its_questions(sample_store, tmp_path):
    Keys(tmp_path / "keys").add("ann", budget=DayBudget(calls=2))
    mine = account(tmp_path / "keys")
    store = Path(shutil.copytree(sample_store, tmp_path / "store"))
    with ModelServer(["no plan", "no plan"]) as server:
        settings = Settings(model={"name": "m", "base_url": server.url}, agent={"graph_first": 1})
        with Hydra(store=store, settings=settings, agent="llm") as hydra, paid_by(mine):
            answer = hydra.ask("where was Steve Jobs born?", keep=False)
    assert mine.spent()["calls"] == len(server.bodies) == 2
    assert any("budget of 2 calls of a model" in note for note in answer.notes)
    assert "calls of a model" in mine.take_question()


def test_a_file_of_keys_from_before_budgets_opens(tmp_path):
    path = tmp_path / "keys"
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE key (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, hash BLOB NOT NULL UNIQUE, scopes TEXT "
            "NOT NULL, store TEXT NOT NULL, per_minute REAL NOT NULL, created REAL NOT NULL, revoked REAL) STRICT; "
            "CREATE TABLE bucket (id TEXT PRIMARY KEY, tokens REAL NOT NULL, at REAL NOT NULL) STRICT; "
            "INSERT INTO key VALUES ('a', 'ann', x'00', 'ask', '', 120, 1, NULL); PRAGMA user_version=1;"
        )
    db.close()
    (key,) = Keys(path).list()
    assert (key.name, key.per_minute, key.budget) == ("ann", 120, DayBudget())
    changed = Keys(path).change("ann", per_minute=5, budget={"questions": 1})
    assert (changed.per_minute, changed.budget) == (5, DayBudget(questions=1))
    assert account(path).take_question() == ""
    assert account(path).take_question()


@pytest.mark.parametrize("part", ["questions", "calls", "tokens"])
def test_one_that_found_no_place_is_given_back(tmp_path, part):
    Keys(tmp_path / "keys").add("ann", budget=DayBudget(**{part: 1}))
    mine = account(tmp_path / "keys")
    assert mine.take_question() == ""
    mine.give_back_question()
    assert mine.take_question() == ""


def test_budgets_are_set_and_shown_by_the_command(tmp_path):
    def keys(*words: str) -> str:
        result = CliRunner().invoke(main, ["keys", *words, "--keys", str(tmp_path / "keys")])
        assert result.exit_code == 0, result.output
        return result.output

    assert "Add one: hydra-kg keys add" in keys("list")
    assert keys("add", "ann", "--questions-a-day", "3", "--limit", "0").startswith("hk_")
    assert account(tmp_path / "keys").take_question() == ""
    assert "1 of 3 questions a day" in keys("list")
    assert "ann: 60 a minute, 5 questions a day" in keys("change", "ann", "--questions-a-day", "5", "--limit", "60")
    (row,) = json.loads(keys("list", "--json"))
    assert (row["budget"], row["spent"]["questions"]) == ({"questions": 5}, 1)
    assert CliRunner().invoke(main, ["keys", "change", "bob", "--keys", str(tmp_path / "keys")]).exit_code != 0
