"""A project's ``hydra.toml`` may make settings stricter and never looser; every setting says what "stricter" means."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hydra_kg.errors import SettingsError
from hydra_kg.presets import with_preset
from hydra_kg.settings import Settings, load_settings
from hydra_kg.settings.project_rules import rule_of
from hydra_kg.settings.settings import fields, project_rules

Load = Callable[[str, str], Settings]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Load settings from the text of the user's file and of the project's file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    own, project = tmp_path / "config" / "hydra-kg" / "hydra.toml", tmp_path / "project" / "hydra.toml"
    for path in (own, project):
        path.parent.mkdir(parents=True)
    monkeypatch.chdir(project.parent)

    def loaded(own_text: str, project_text: str) -> Settings:
        own.write_text(own_text)
        project.write_text(project_text)
        return load_settings()

    return loaded


def test_every_setting_has_a_rule() -> None:
    assert [name for name, field in fields().items() if rule_of(field) is None] == []


def test_the_page_lists_every_rule_that_is_not_free() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "settings.md").read_text("utf-8")
    table = page.partition("| setting | what a project's")[2].partition("\n\n")[0]
    listed = {name for row in table.splitlines()[2:] for name in re.findall(r"`([a-z0-9_.]+)`", row.split("|")[1])}
    assert listed == {name for name, rule in project_rules().items() if rule.text != "may be set"}


@pytest.mark.parametrize(
    "own, project, name",
    [
        ("no_network = true", "no_network = false", "no_network"),
        ("", "model.alone = true", "model.alone"),
        ("", "model.retries = 50", "model.retries"),
        ("budget.calls = 5", "budget.calls = 0", "budget.calls"),
        ("budget.calls = 5", "budget.calls = 6", "budget.calls"),
        ("budget.calls = 5", 'budget.calls = "0"', "budget.calls"),
        ("", "budget.tokens = 0", "budget.tokens"),
        ("budget.money = 1.0", "budget.money = 0.0", "budget.money"),
        ("budget.money = 1.0", "budget.money = inf", "budget.money"),
        ("budget.money = 1.0", "[model.prices]\nm = [0, 0]", "model.prices"),
        ("budget.seconds = 9", "budget.seconds = 10", "budget.seconds"),
        ("", "model.timeout = 0", "model.timeout"),
        ('model.base_url = "http://localhost:1/v1"', 'model.base_url = ""', "model.base_url"),
        ('web.url = "http://localhost:1"', 'web.url = ""', "web.url"),
        ('web.engine = ""', 'web.engine = "searxng"', "web.engine"),
        ('retrieval.kinds = "kg,wiki"', 'retrieval.kinds = "kg,web"', "retrieval.kinds"),
        ('retrieval.without = "web"', 'retrieval.without = ""', "retrieval.without"),
        ("", "answering.cypher = true", "answering.cypher"),
        ("", "agent.doubt = 0", "agent.doubt"),
        ("", "telemetry.content = true", "telemetry.content"),
        ("", 'readers.copy_folder = "here"', "readers.copy_folder"),
        ("", "web.days = 0", "web.days"),
        ("", 'embedder = "evil"', "embedder"),
        ("", 'embedder = "sentence-transformers:./evil"', "embedder"),
        ("", 'cross_encoder = "evil"', "cross_encoder"),
        ("", 'store = "../other"', "store"),
        ("", 'store = "/etc"', "store"),
        ("", 'store = "~/other"', "store"),
        ("", 'store = "link/store"', "store"),
        ("", 'store = "file://evil"', "store"),
        ('store = "/mine"', 'store = ""', "store"),
    ],
)
def test_nothing_is_loosened(load: Load, own: str, project: str, name: str) -> None:
    for folder in ("evil", "sentence-transformers:./evil"):  # such folders may lie in a project
        Path(folder).mkdir(parents=True)
    Path("link").symlink_to("/tmp")
    with pytest.raises(SettingsError) as caught:
        load(own, project)
    text = str(caught.value)
    assert f"{name} ({project_rules()[name].text})" in text
    assert str(Path("hydra.toml").resolve()) in text
    assert str(Path("../config/hydra-kg/hydra.toml").resolve()) in caught.value.remedy
    assert load(project, "")  # the user's own file may


@pytest.mark.parametrize(
    "own, project",
    [
        ("", "no_network = true"),
        ("", "no_network = false"),  # as it is already
        ("no_network = true", "no_network = true"),
        ("budget.calls = 5", "budget.calls = 4"),
        ("budget.calls = 0", "budget.calls = 400"),
        ("", "budget.money = 2.5"),
        ("", "model.retries = 0"),
        ("model.alone = true", "model.alone = false"),
        ('model.name = "m"', 'model.name = ""'),
        ('web.engine = "searxng"', 'web.engine = ""'),
        ("", 'retrieval.kinds = "wiki,kg"'),
        ('retrieval.without = "web"', 'retrieval.without = "crm,web"'),
        ("", 'verification.history = "frozen"'),
        ("", "agent.doubt = 0.5"),
        ("", 'store = "kg/store"'),
        ("", "seed = 7\n[pruning]\nw1 = 5000"),
        ('embedder = "mine"', 'embedder = "mine"'),
    ],
)
def test_settings_may_be_tightened(load: Load, own: str, project: str) -> None:
    found, wanted, default = load(own, project).by_name(), load(project, "").by_name(), Settings().by_name()
    assert {name: found[name] for name in found if wanted[name] != default[name]} == {
        name: value for name, value in wanted.items() if value != default[name]
    }


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_an_old_name_loosens_nothing_either(load: Load) -> None:
    assert load("budget.calls = 5", "budget_calls = 6").budget.calls == 5


def test_the_environment_and_options_may_loosen(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    load("", "no_network = true\nbudget.calls = 2\n")
    monkeypatch.setenv("HYDRA_NO_NETWORK", "false")
    settings = load_settings({"budget.calls": 0})
    assert (settings.no_network, settings.budget.calls) == (False, 0)


def test_a_preset_that_the_user_chooses_may_be_tightened(load: Load) -> None:
    with pytest.raises(SettingsError, match=r"budget\.calls"):
        load("", "budget.calls = 50\nmodel.alone = false")
    settings = load_settings(base=with_preset(Settings(), "paper"))  # whose budget has no limit
    assert (settings.budget.calls, settings.model.alone) == (50, False)


def test_all_that_is_refused_is_named_at_once(load: Load) -> None:
    with pytest.raises(SettingsError, match=r"budget\.calls \(.*\), no_network \("):
        load("no_network = true\nbudget.calls = 5", "no_network = false\n[budget]\ncalls = 0")


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_an_infinite_number_loosens_no_limit(value: float) -> None:
    rule = project_rules()["budget.money"]
    assert not rule.allows(1.0, value, Path())
