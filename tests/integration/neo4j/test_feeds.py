"""Three feeds that disagree, on a Neo4j server: fused, asked and confirmed word for word as in an embedded store."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from hydra_kg import Hydra
from hydra_kg.cli.main import main
from hydra_kg.settings import Settings
from hydra_kg.util.package_data import find_content

FEEDS = ("harbour", "townsite", "tourbook")
QUESTION = "Which pier does the Aurora leave from?"
SENTENCE = "Sources disagree: harbour and townsite say Pier 3; tourbook says Pier 5."

pytestmark = pytest.mark.server


def call(*words: object) -> str:
    result = CliRunner().invoke(main, [str(w) for w in words], prog_name="hydra-kg")
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"
    return result.stdout


def told(store: str) -> dict[str, object]:
    """All that a person is told of the feeds, but for ids and times."""
    doc = json.loads(call("ask", QUESTION, "--strategy", "multirag", "--json", "--store", store))
    loads = doc["manifest"].pop("loads")  # checksums are of the store's own files
    doc["manifest"]["loads"] = [(m["name"], m["facts"]) for m in loads]
    return {
        "whole": json.loads(call("fuse", "--json", "--store", store)),
        "by hand": call("fuse", "Aurora", "--explain", "--store", store),
        "pier": json.loads(call("fuse", "Aurora", "--attribute", "pier", "--explain", "--json", "--store", store)),
        "answer": {k: v for k, v in doc.items() if k not in ("id", "seconds")},
    }


HOSTILE = ["`]->() DETACH DELETE n //", "'); DROP TABLE said; --", "a`b``c", '"}) RETURN 1 //', "\\u0060 $x /*TYPES*/"]


@pytest.fixture
def stores(neo4j_cleared, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))  # the history of a server's sources is this user's
    return str(tmp_path / "store"), neo4j_cleared.uri


def load(store, *files, **extra):
    with Hydra(store=store, settings=Settings()) as hydra:
        hydra.load(*files, extra=extra)


def test_both_stores_tell_the_same_before_and_after_a_confirmation(stores):
    for store in stores:
        load(store, *(find_content("sample", f"{name}.csv") for name in FEEDS), entity="ferry")
    embedded, server = (told(s) for s in stores)
    assert embedded == server
    assert embedded["pier"]["values"][0]["sentence"] == SENTENCE
    assert {s["locator"] for s in embedded["pier"]["values"][0]["statements"]} == {
        f"column pier ({name}.csv:2)" for name in FEEDS
    }
    assert embedded["answer"]["answer_text"] == SENTENCE
    past = embedded["answer"]["manifest"]["history"]
    moved = [call("confirm", "last", "--wrong", "--answer", "Pier 5", "--store", s) for s in stores]
    assert moved[0] == moved[1]
    assert ["tourbook", "1", "1"] in [line.split() for line in moved[0].splitlines()]
    again = [told(s) for s in stores]
    assert again[0] == again[1]
    assert again[0]["answer"]["manifest"]["history"]["judged"] == past["judged"] + 3
    assert again[0]["answer"]["manifest"]["history"]["hash"] != past["hash"]
    assert list(Path(os.environ["XDG_DATA_HOME"]).rglob("history.sqlite")), "beside this user's answers of the server"


def test_hostile_names_are_names_in_both_stores(stores, tmp_path):
    """Sources, things, attributes and values that would end a query are loaded, fused, asked for and confirmed."""
    values = {evil: evil.translate(dict.fromkeys(map(ord, "/;,&"))) for evil in HOSTILE}  # these part lists
    feed = tmp_path / "feed.csv"
    with feed.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["source", "entity", "attribute", "value"])
        for n, evil in enumerate(HOSTILE):
            other = HOSTILE[n - 1]
            writer.writerows([(evil, evil, evil, f"{values[evil]} one"), (other, evil, evil, f"{values[evil]} two")])
    found = []
    for store in stores:
        load(store, feed, entity="entity", source_column="source")
        whole = json.loads(call("fuse", "--json", "--store", store))
        single = [
            json.loads(call("fuse", e, "--attribute", e, "--explain", "--json", "--store", store)) for e in HOSTILE
        ]
        call("ask", f"What is the {HOSTILE[2]} of {HOSTILE[2]}?", "--store", store, "--strategy", "multirag")
        assert json.loads(call("fuse", "--json", "--store", store)) == whole, "nothing was changed by asking"
        found.append((whole, single))
    assert found[0] == found[1]
    assert (found[0][0]["claims"], {s["name"] for s in found[0][0]["sources"]}) == (2 * len(HOSTILE), set(HOSTILE))
    for evil, doc in zip(HOSTILE, found[0][1], strict=True):
        said = {v["value"] for g in doc["values"] for v in g["values"]}
        assert said
        assert said <= {f"{values[evil]} one", f"{values[evil]} two"}
