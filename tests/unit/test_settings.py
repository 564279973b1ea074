"""Settings stand in groups, and are refused by name where they do not fit."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.programs import own_environment
from pydantic import BaseModel

from hydra_kg.errors import SettingsError
from hydra_kg.settings import Settings, load_settings
from hydra_kg.settings.former_names import explain_former_name
from hydra_kg.settings.loading import places
from hydra_kg.settings.settings import descriptions


@pytest.mark.parametrize(
    "name, value",
    [
        ("retrieval.kinds", "kg,wki"),
        ("retrieval.kinds", ""),
        ("retrieval.d_max", "deep"),
        ("retrieval.d_max", "-1"),
        ("model.reply_cache", "maybe"),
        ("verification.f2", "f3"),
    ],
)
def test_a_value_that_does_not_fit_is_named(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"setting {name}: '{value}' does not fit") as caught:
        load_settings({name: value}, folder=tmp_path)
    assert name.replace(".", "_").upper() in caught.value.remedy


def test_fewer_kinds_of_source_may_be_named(tmp_path: Path) -> None:
    assert load_settings({"retrieval.kinds": "kg,wiki"}, folder=tmp_path).retrieval.kinds == "kg,wiki"


def test_every_setting_says_what_it_does() -> None:
    assert list(descriptions()) == list(Settings().by_name())
    assert [name for name, text in descriptions().items() if not text] == []


def test_a_present_name_is_no_former_one() -> None:
    assert [name for name in descriptions() if explain_former_name(name)] == []


@pytest.mark.parametrize(
    "values",
    [{"pruning.w1": 7, "model.name": "m"}, {"pruning": {"w1": 7}, "model": {"name": "m"}}],
)
def test_a_setting_may_be_given_by_group_and_by_full_name(values: dict[str, Any], tmp_path: Path) -> None:
    wanted = Settings().changed(pruning={"w1": 7}, model={"name": "m"})
    assert Settings(**values) == Settings().changed(**values) == load_settings(values, folder=tmp_path) == wanted
    assert (wanted.pruning.w1, wanted.pruning.w2, wanted.model.name) == (7, Settings().pruning.w2, "m")


def test_a_group_may_be_taken_over_whole() -> None:
    own = Settings(pruning={"w1": 7})
    assert Settings(pruning=own.pruning) == own


@pytest.mark.parametrize("values", [{"w3": 1}, {"pruning": {"w3": 1}}, {"pruning.w3": 1}])
def test_a_name_that_is_none_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=r"There is no setting (pruning\.)?w3\."):
        Settings().changed(**values)


def test_settings_and_groups_are_frozen() -> None:
    settings = Settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.seed = 1  # type: ignore[misc]
    with pytest.raises(ValueError, match="frozen"):
        settings.pruning.w1 = 1  # type: ignore[misc]


def test_a_worker_gets_equal_settings() -> None:
    own = Settings(pruning={"w1": 7}, model={"prices": {"m": [1, 2]}})
    assert pickle.loads(pickle.dumps(own)) == own
    assert hash(pickle.loads(pickle.dumps(own))) == hash(own)


def test_old_names_in_files_and_variables_are_named_in_one_warning_with_the_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hydra.toml").write_text('beam = 3\nanswer_threshold = 0.5\nmodel = "m"\nseed = 4\n[pruning]\nw1 = 2\n')
    monkeypatch.setenv("HYDRA_WEB", "searxng")
    with pytest.warns(FutureWarning) as warned:
        found = load_settings(folder=tmp_path)
    assert found == Settings(seed=4, pruning={"w1": 2})
    (text,) = (str(w.message) for w in warned)
    at = tmp_path / "hydra.toml"
    assert f"{at}: beam is called retrieval.beam now; {at}: answer_threshold is called answering.threshold now" in text
    assert f"{at}: model is called model.name now" in text
    assert "HYDRA_WEB is called HYDRA_WEB_ENGINE now" in text
    assert "seed" not in text


def test_new_names_in_files_are_read_without_a_word(tmp_path: Path) -> None:
    text = '"answering.threshold" = 0.5\nseed = 4\n[retrieval]\nbeam = 3\n'
    (tmp_path / "hydra.toml").write_text(text)
    warned: list[str] = []
    found = load_settings(folder=tmp_path, warn=warned.append)
    assert found == Settings(retrieval={"beam": 3}, answering={"threshold": 0.5}, seed=4)
    assert warned == []
    assert places(folder=tmp_path)["retrieval.beam"] == "hydra.toml"


@pytest.mark.parametrize("text", ["w3 = 1\n", "[pruning]\nw3 = 1\n", "pruning = 1\n"])
def test_unknown_names_in_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "hydra.toml").write_text(text)
    with pytest.raises(SettingsError, match=r"unknown settings: (pruning\.w3|w3|pruning)\n"):
        load_settings(folder=tmp_path)


def test_what_is_no_setting_any_more_is_named_in_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hydra.toml").write_text("seed = 4\n[own_tables]\nbeam = 3\n")
    monkeypatch.setenv("HYDRA_OWN_TABLES_STEP", "0.5")
    warned: list[str] = []
    assert load_settings(folder=tmp_path, warn=warned.append) == Settings(seed=4)
    (text,) = warned
    assert f"{tmp_path / 'hydra.toml'}: own_tables.beam is fixed in the program now, remove it" in text
    assert "HYDRA_OWN_TABLES_STEP is fixed in the program now, remove it" in text
    assert "seed" not in text
    assert places(folder=tmp_path) == {"seed": "hydra.toml"}


@pytest.mark.parametrize(
    "values, text",
    [
        ({"own_tables": {"beam": 3}}, "own_tables is fixed in the program now"),
        ({"linking": {"alias": 1}}, "linking.alias is fixed in the program now"),
        ({"retrieval.hub_cap": 3}, "retrieval.hub_cap is fixed in the program now"),
        ({"link_candidates": 3}, "link_candidates is fixed in the program now"),
        ({"passages": 3}, "passages is fixed in the program now"),
        ({"w1": 7}, "w1 is called pruning.w1 now"),
        ({"model": "m"}, "model is called model.name now"),
    ],
)
def test_a_caller_who_sets_what_is_no_setting_any_more_is_told_so(values: dict[str, Any], text: str) -> None:
    with pytest.raises(SettingsError, match=f"The setting {re.escape(text)}"):
        Settings(**values)


def test_the_environment_sets_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYDRA_PRUNING_W1", "7")
    assert load_settings(folder=tmp_path) == Settings(pruning={"w1": 7})
    assert places(folder=tmp_path) == {"pruning.w1": "environment"}


def test_the_hash_is_of_all_that_can_change_an_answer() -> None:
    own = Settings()
    assert own.hash() == Settings(store="/elsewhere").hash() == own.changed(pruning={"w1": own.pruning.w1}).hash()
    changed = [own.changed(**{name: value + 1}) for name, value in own.by_name().items() if type(value) is int]
    assert len({s.hash() for s in changed} | {own.hash()}) == len(changed) + 1


def test_the_page_on_settings_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "settings.md").read_text("utf-8")
    for group, model in Settings.model_fields.items():
        if isinstance(model.default, BaseModel):
            assert f"\n| `{group}` |" in page
    toml, python = (re.search(rf"```{language}\n(.*?)```", page, re.DOTALL) for language in ("toml", "python"))
    assert toml is not None
    assert python is not None
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "hydra-kg").mkdir(parents=True)
    (tmp_path / "config" / "hydra-kg" / "hydra.toml").write_text(toml[1])
    assert load_settings(folder=tmp_path) == Settings(
        seed=7, pruning={"w1": 70}, model={"prices": (("some-model", 0.15, 0.6),)}
    )
    exec(python[1], {})


def test_a_command_warns_of_old_names_once(tmp_path: Path) -> None:
    (tmp_path / "hydra.toml").write_text("w1 = 7\n")
    env = own_environment(drop=(), XDG_CONFIG_HOME=str(tmp_path))
    command = [sys.executable, "-m", "hydra_kg", "settings"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    assert done.stderr.count("w1 is called pruning.w1 now") == done.stderr.count("warning") == 1
    assert "pruning.w1*" not in done.stdout


def test_the_page_of_settings_explains_thirty_that_exist() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")
    table = page.partition("| you want |")[2].partition("\n\n")[0]
    rows = [line.split("|") for line in table.splitlines()[2:]]
    named = [name for row in rows for name in re.findall(r"`([a-z_.]+)`", row[2])]
    assert set(named) <= set(Settings().by_name())
    assert len(named) == len(set(named)) == 30
