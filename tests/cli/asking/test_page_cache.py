"""Pages that questions kept, as a person sees them: listed among the sources, shown, and dropped."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hydra_kg.domain import Evidence, Hop, Locator, Node, Passage, Scores, Source
from hydra_kg.domain import Path as GraphPath
from hydra_kg.stores.page_cache import FILE, SqlitePageCache

URL = "https://honest.example/tower"
TEXT = "The Eiffel Tower was designed by \x1b[31mStephen Sauvestre."


@pytest.fixture
def store(call, tmp_path: Path) -> Path:
    """A small store with one kept page, and one that expired."""
    folder = tmp_path / "store"
    (tmp_path / "a.csv").write_text("name,capital\nFrance,Paris\n")
    call("load", tmp_path / "a.csv", "--store", folder, "--source", "atlas", "--yes")
    page, old = (
        Passage(f"p{n}", "Tower", TEXT, Source(url, "web", origin="honest.example", url=url), Locator(url=url))
        for n, url in enumerate((URL, "https://old.example/"))
    )
    cited = Passage("p0", "Tower", TEXT, page.source, Locator(url=URL, start=0, end=54))
    hop = Hop(Node(1, "Q243", "Eiffel Tower"), "designed by", "designed by", Node(2, "Q1", "\x1b[31mStephen"))
    kept = SqlitePageCache(folder / FILE)
    evidence = [Evidence(GraphPath((hop,), cited), Scores(0.9), "initial", True)]
    kept.keep([page], evidence, question="q", agent="offline", now=datetime.now(UTC), days=30)
    kept.keep([old], now=datetime.now(UTC), days=0)
    return folder


def test_kept_pages_are_listed_with_the_sources(call, store):
    listed = call("sources", "list", "--store", store).output
    (line,) = [row for row in listed.splitlines() if URL in row]
    assert line.split()[:4] == [URL, "web", "kept", "1"]
    assert "atlas" in listed
    assert "old.example" not in listed
    loads = json.loads(call("sources", "list", "--store", store, "--json").output)
    assert [load["state"] for load in loads] == ["ready", "kept"]
    assert loads[1]["sources"][0]["origin"] == "honest.example"


def test_a_kept_page_is_shown_with_what_was_read_out_of_it(call, store):
    shown = call("sources", "show", URL, "--store", store).output
    assert "Eiffel Tower — designed by → " in shown
    assert "[0:54]" in shown
    assert "expires" in shown
    assert "\x1b" not in shown


def test_a_kept_page_is_dropped_by_its_name(call, store):
    assert "Dropped the stored page" in call("sources", "drop", URL, "--yes", "--store", store).output
    assert URL not in call("sources", "list", "--store", store).output
    assert "atlas" in call("sources", "list", "--store", store).output
    assert "No load or source is called" in call("sources", "drop", URL, "--yes", "--store", store, code=1).stderr
