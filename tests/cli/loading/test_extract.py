"""``hydra-kg extract``: a model on loopback reads passages; facts are held to the text, kept, resumed and loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from helpers.samples.agent_samples import ODD
from helpers.servers.model_server import ModelServer

from hydra_kg.cli.main import main
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore

TEXTS = [
    {"title": "Orle Bridge", "text": "Orle Bridge was designed by Mara Quill. It crosses the Vell."},
    {"title": "Mara Quill", "text": "Mara Quill came into the world in Dunmore."},
]
SAYS: Mapping[str, Mapping[str, Any]] = {
    "Orle Bridge": {
        "names": {"names": ["Orle Bridge", "Mara Quill", "Vell", "Atlantis"]},
        "triples": {
            "facts": [
                {"n": 1, "chain": ["Orle Bridge", "was designed by", "Mara Quill"]},
                {"n": 2, "chain": ["Orle Bridge", "crosses", "Vell"]},
                {"n": 2, "chain": ["Orle Bridge", "sunk in", "Atlantis"]},
                {"n": 1, "chain": ["Vell", "flows past", "Orle Bridge"]},
                {"n": 7, "chain": ["Orle Bridge", "crosses", "Vell"]},
                {"n": 1, "chain": ["Orle Bridge", "is", "orle bridge"]},
            ]
        },
        "standard": {
            "facts": [
                {"n": 1, "chain": ["Orle Bridge", "Designed by", "Mara Quill"]},
                {"n": 2, "chain": ["Orle Bridge", "crosses", "Atlantis"]},
            ]
        },
    },
    "Mara Quill": {
        "names": {"names": ["Mara Quill", "Dunmore"]},
        "triples": {"facts": [{"n": 1, "chain": ["Mara Quill", "came into the world in", "Dunmore"]}]},
        "standard": {"facts": [{"n": 1, "chain": ["Mara Quill", "place of birth", "Dunmore"]}]},
    },
}


def reply(body: Mapping[str, Any]) -> str:
    """By the page and by what the prompt asks for."""
    last = body["messages"][-1]["content"]
    step = "standard" if " - " in last else "triples" if "Names: " in last else "names"
    return json.dumps(SAYS[last.rpartition("Page: ")[2].strip()][step])


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps(doc) + "\n" for doc in TEXTS))
    return path


def run(server: ModelServer, monkeypatch: pytest.MonkeyPatch, *words: object) -> Any:
    monkeypatch.setenv("HYDRA_MODEL_NAME", "scripted")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return CliRunner().invoke(main, ["extract", *map(str, words)])


def test_what_stands_in_the_text_is_kept_and_loads_as_extracted(texts, tmp_path, monkeypatch):
    place = tmp_path / "facts.jsonl"
    with ModelServer(reply) as server:
        done = run(server, monkeypatch, texts, "--out", place, "--yes", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["passages"], told["facts"], told["left"], told["calls"]) == (2, 3, 0, 6)
    first, second = (json.loads(line) for line in place.read_text().splitlines())
    assert first["facts"] == [
        ["Orle Bridge", "designed by", "Mara Quill", 0, 38],
        ["Orle Bridge", "crosses", "Vell", 40, 60],
    ]
    assert second["facts"] == [["Mara Quill", "place of birth", "Dunmore", 0, 41]]
    assert "Known: designed by, crosses" in server.bodies[-1]["messages"][-1]["content"]
    with EmbeddedStore(tmp_path / "store") as store:
        load_files(store, [place])
        with store.snapshot() as snapshot:
            (bridge,), (born,) = (snapshot.find([name])[0] for name in ("Orle Bridge", "Dunmore"))
            cut = snapshot.cut([bridge.node], depth=2)
            facts = snapshot.facts(cut.segment, cut.row)
    assert born.node in cut.ids
    assert sorted(f.predicate for f in facts) == ["open:crosses", "open:designed by", "open:place of birth"]
    assert {f.confidence for f in facts} == {0.5}
    assert all(f.locator.page.partition(", ")[2].startswith("extracted by scripted") for f in facts)
    spans = {f.predicate: TEXTS[0]["text"][f.locator.start : f.locator.end] for f in facts if f.locator.line == 1}
    assert spans["open:designed by"] == "Orle Bridge was designed by Mara Quill"


def test_a_spent_budget_and_a_killed_run_go_on_where_they_stopped(texts, tmp_path, monkeypatch):
    place = tmp_path / "facts.jsonl"
    with ModelServer(reply) as server:
        done = run(server, monkeypatch, texts, "--out", place, "--yes", "--budget-calls", 4)
        assert done.exit_code == 0, done.output
        assert "1 passages are left. " in done.output
        assert "budget" in done.output
        assert len(server.bodies) <= 4
        with place.open("a") as file:
            file.write('{"title": "Mara Qu')
        asked = len(server.bodies)
        done = run(server, monkeypatch, texts, "--out", place, "--yes")
        assert "1 passages to read, 1 read before" in done.stderr
        assert len(server.bodies) == asked + 3
        done = run(server, monkeypatch, texts, "--out", place)
        assert (done.exit_code, len(server.bodies)) == (0, asked + 3), "nothing is left to ask, or to be asked about"
    assert [json.loads(line)["title"] for line in place.read_text().splitlines()] == ["Orle Bridge", "Mara Quill"]


def test_nothing_goes_out_unasked(texts, tmp_path, monkeypatch):
    place = tmp_path / "facts.jsonl"
    with ModelServer(reply) as server:
        monkeypatch.setenv("HYDRA_MODEL_NAME", "scripted")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        done = CliRunner().invoke(main, ["extract", str(texts), "--out", str(place)], input="n\n")
        assert (done.exit_code, server.bodies) == (0, [])
        assert server.url.split("/")[2] in done.stderr
        assert not place.exists()
    monkeypatch.delenv("HYDRA_MODEL_NAME")
    done = CliRunner().invoke(main, ["extract", str(texts), "--out", str(place), "--yes"])
    assert done.exit_code == 2
    assert "No language model is named." in done.output


def test_replies_that_are_none_are_no_facts_and_the_passage_is_read_again(texts, tmp_path, monkeypatch):
    place = tmp_path / "facts.jsonl"
    with ModelServer(lambda body: ODD[len(server.bodies) % len(ODD)]) as server:
        done = run(server, monkeypatch, texts, "--out", place, "--yes", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["facts"] == 0
    with ModelServer(reply) as server:
        done = run(server, monkeypatch, texts, "--out", place, "--yes", "--json")
    assert json.loads(done.stdout)["passages"] == told["left"]


@pytest.mark.parametrize("content", ["not json\n", '{"title": "a"}\n', '{"extracted": {"by": 1}}\n', "[]\n"])
def test_a_file_that_is_no_such_result_is_left_alone(texts, tmp_path, monkeypatch, content):
    place = tmp_path / "facts.jsonl"
    place.write_text(content)
    with ModelServer(reply) as server:
        done = run(server, monkeypatch, texts, "--out", place, "--yes")
        assert done.exit_code in {1, 2}
        assert server.bodies == []
        assert run(server, monkeypatch, texts, "--out", texts, "--yes").exit_code == 2
        assert run(server, monkeypatch, place, "--out", tmp_path / "other", "--yes").exit_code == 1
    assert place.read_text() == content


def test_hostile_facts_in_a_file_are_left_out(tmp_path):
    doc = {"title": "A", "text": "A is by B.", "extracted": {"by": "x'; DROP TABLE paragraph; --"}}
    facts = [
        ["A", "by", "B", 0, 9],
        ["A", "by", "A", 0, 9],
        ["A", "", "B", 0, 9],
        ["A", "by", "B", -1, 9],
        ["A", "by", "B", True, 9],
        ["A", "by", "B", 0, 1e400],
        ["A", "by" * 999, "B", 0, 9],
        {"a": 1},
        "A",
    ]
    path = tmp_path / "f.jsonl"
    rows = [{**doc, "facts": facts}, {**doc, "facts": 7}, {**doc, "facts": facts, "extracted": None}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with EmbeddedStore(tmp_path / "store") as store:
        (load,) = load_files(store, [path]).loads
    assert (load.links, load.passages) == (1, 1), "the same text three times"


def test_half_a_character_in_a_fact_does_not_stop_the_load(tmp_path):
    path = tmp_path / "f.jsonl"
    half = {"facts": [["A", "by\ud83d", "B\ud83d", 0, 9]], "extracted": {"by": "m\ud83d"}}
    path.write_text(json.dumps({"title": "A", "text": "A is by B.", **half}) + "\n")
    with EmbeddedStore(tmp_path / "store") as store:
        (load,) = load_files(store, [path]).loads
    assert (load.links, load.passages) == (1, 1)
