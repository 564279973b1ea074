"""Settings, regular expressions and word lists do not grow: each has a ceiling in ceilings.toml."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CEILINGS = tomllib.loads(Path(__file__).with_name("ceilings.toml").read_text(encoding="utf-8"))
SLACK = 20
"""How far a count may fall before its ceiling has to follow."""


@pytest.fixture(scope="module")
def counts() -> dict[str, int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        found: dict[str, int] = importlib.import_module("bench.visits").count_code()
    return found


@pytest.mark.parametrize("name", sorted(CEILINGS))
def test_a_count_stays_under_its_ceiling(name, counts):
    assert counts[name] <= CEILINGS[name], f"{name} grew: remove others, or show why this one must be there"


@pytest.mark.parametrize("name", sorted(CEILINGS))
def test_a_ceiling_follows_what_was_removed(name, counts):
    assert counts[name] > CEILINGS[name] - SLACK, f"lower {name} in ceilings.toml to {counts[name]}"
