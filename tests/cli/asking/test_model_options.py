"""Who is asked, what it may spend, and how the answer says what it cost: the options of ``ask`` about a model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.samples.answers import answer

from hydra_kg.cli.options import chosen_agent, settings_from
from hydra_kg.cli.printing import answer_lines
from hydra_kg.domain import Usage
from hydra_kg.errors import SettingsError, UsageError
from hydra_kg.serialise import answer_json
from hydra_kg.settings import Settings

NAMED = Settings(model={"name": "m"})
SPENT = Usage(
    3,
    1200,
    45,
    0.0123,
    2.5,
    {"analyse": Usage(1, 400, 15, 0.0041, 0.5), "judge": Usage(2, 800, 30, 0.0082, 2.0)},
)


@pytest.mark.parametrize(
    "agent, settings, given, chosen",
    [
        ("auto", Settings(), {}, "offline"),
        ("auto", NAMED, {}, "llm"),
        ("auto", NAMED.changed(no_network=True), {}, "offline"),
        ("auto", NAMED.changed(no_network=True), {"replay": "f"}, "llm"),
        ("offline", NAMED, {}, "offline"),
        ("llm", NAMED, {"record": "f"}, "llm"),
    ],
)
def test_who_is_asked(agent: str, settings: Settings, given: dict[str, str], chosen: str):
    assert chosen_agent(agent, settings, model=given) == chosen


@pytest.mark.parametrize(
    "agent, settings, given, words",
    [
        ("llm", Settings(), {}, "HYDRA_MODEL_NAME"),
        ("llm", NAMED.changed(no_network=True), {}, "--replay FILE"),
        ("offline", NAMED, {"record": "f"}, "--record is about a language model"),
        ("auto", Settings(), {"record": "", "prompts": "d"}, "--prompts is about a language model"),
    ],
)
def test_what_cannot_be_is_wrong_usage(agent: str, settings: Settings, given: dict[str, str], words: str):
    with pytest.raises(UsageError) as caught:
        chosen_agent(agent, settings, model=given)
    assert words in str(caught.value)


def test_a_key_in_the_shell_spends_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HYDRA_MODEL_NAME", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-lying-about")
    assert chosen_agent("auto", settings_from()) == "offline"
    monkeypatch.setenv("HYDRA_MODEL_NAME", "m")
    assert chosen_agent("auto", settings_from()) == "llm"
    monkeypatch.delenv("HYDRA_MODEL_NAME")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "hydra-kg").mkdir(parents=True)
    (tmp_path / "config" / "hydra-kg" / "hydra.toml").write_text('[model]\nname = "m"\n')
    assert chosen_agent("auto", settings_from()) == "llm"


@pytest.mark.parametrize(
    "line",
    [
        'model.name = "m"',
        'model.base_url = "http://attacker.example/v1"',
        'web.engine = "serpapi"',
        'web.url = "http://attacker.example"',
        'store = "bolt://attacker.example"',
        'embedder = "attacker/model"',
        '[model]\nname = "m"',
        '[model]\nbase_url = "http://attacker.example/v1"',
        '[web]\nengine = "serpapi"',
        '"web.url" = "http://attacker.example"',
    ],
)
def test_a_project_file_may_not_say_where_keys_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "hydra.toml").write_text(f"pruning.w1 = 50\n{line}\n")
    with pytest.raises(SettingsError, match="may make settings stricter, but not looser") as caught:
        settings_from()
    assert "config/hydra-kg/hydra.toml" in caught.value.remedy
    (tmp_path / "config" / "hydra-kg").mkdir(parents=True)
    (tmp_path / "hydra.toml").rename(tmp_path / "config" / "hydra-kg" / "hydra.toml")
    assert settings_from().pruning.w1 == 50  # the user's own file may


def test_the_folder_beats_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "hydra-kg").mkdir(parents=True)
    (tmp_path / "config" / "hydra-kg" / "hydra.toml").write_text("[pruning]\nw1 = 50\nw2 = 9\n")
    (tmp_path / "hydra.toml").write_text("[pruning]\nw1 = 60\n")
    assert (settings_from().pruning.w1, settings_from().pruning.w2) == (60, 9)


def test_budgets_beat_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HYDRA_BUDGET_CALLS", "7")
    monkeypatch.setenv("HYDRA_BUDGET_MONEY", "2")
    settings = settings_from(budget={"budget.calls": 3, "budget.seconds": 1.5, "budget.money": None})
    assert (settings.budget.calls, settings.budget.seconds, settings.budget.money) == (3, 1.5, 2.0)
    assert settings.budget.tokens == Settings().budget.tokens


def test_files_of_replies_are_checked_first(call):
    Path("tape").write_text("{}\n")
    assert "there already" in call("ask", "who?", "--record", "tape", code=2).stderr
    assert "does not exist" in call("ask", "who?", "--replay", "nothing", code=2).stderr
    assert "does not exist" in call("ask", "who?", "--prompts", "nowhere", code=2).stderr
    assert "--replay is about a language model" in call("ask", "who?", "--replay", "tape", code=2).stderr
    assert call("ask", "who?", "--budget-calls", "-1", code=2)
    assert call("ask", "who?", "--budget-money", "-1", code=2)


def test_what_was_spent_stands_in_the_document():
    doc = answer_json(replace(answer(), usage=SPENT))
    assert {k: v for k, v in doc["usage"].items() if k != "steps"} == {
        "calls": 3,
        "tokens_in": 1200,
        "tokens_out": 45,
        "money": 0.0123,
    }
    assert list(doc["usage"]["steps"]) == ["analyse", "judge"]
    assert doc["usage"]["steps"]["judge"] == {"calls": 2, "tokens_in": 800, "tokens_out": 30, "money": 0.0082}
    assert {k: v for k, v in doc["seconds"].items() if k.startswith("model")} == {
        "model": 2.5,
        "model.analyse": 0.5,
        "model.judge": 2.0,
    }
    again = answer_json(replace(answer(), usage=replace(SPENT, seconds=9.9)))
    assert {k for k in doc if doc[k] != again[k]} <= {"id", "seconds"}
    json.dumps(doc, allow_nan=False)


def test_verbose_says_what_each_step_cost():
    doc = answer_json(replace(answer(), usage=SPENT))
    lines = list(answer_lines(doc, verbose=True))
    assert "  model: 3 calls, 1,200 + 45 tokens, 0.0123 of money" in lines
    assert "    analyse: 1 call, 400 + 15 tokens, 0.0041 of money, 0.5 s" in lines
    assert not any("tokens" in line for line in answer_lines(doc))
    assert "  model: 0 calls, 0 + 0 tokens" in list(answer_lines(answer_json(answer()), verbose=True))


def test_what_went_wrong_is_said_without_being_asked():
    doc = answer_json(replace(answer(), notes=("The budget of this question ends: \x1b[31mred.",)))
    assert "Note: The budget of this question ends: red." in list(answer_lines(doc))
