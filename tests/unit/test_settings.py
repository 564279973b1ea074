"""Settings that do not fit are refused by name, before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg.errors import SettingsError
from hydra_kg.settings import load_settings


@pytest.mark.parametrize(
    "name,value", [("kinds", "kg,wki"), ("kinds", ""), ("d_max", "deep"), ("reply_cache", "maybe")]
)
def test_a_value_that_does_not_fit_is_named(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"setting {name}: '{value}' does not fit"):
        load_settings({name: value}, folder=tmp_path)


def test_fewer_kinds_of_source_may_be_named(tmp_path: Path) -> None:
    assert load_settings({"kinds": "kg,wiki"}, folder=tmp_path).kinds == "kg,wiki"
