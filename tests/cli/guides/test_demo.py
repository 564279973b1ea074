"""hydra-kg demo: from nothing to answers with evidence, twice."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from hydra_kg.cli.setup.demo import ABOUT, FILES
from hydra_kg.util.package_data import find_content

ENTITIES = Path(__file__).resolve().parents[3] / "bench" / "generate" / "demo_entities.tsv"


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the demonstration, loaded once."""
    from hydra_kg import Hydra

    store = tmp_path_factory.mktemp("loaded") / "store"
    with Hydra(store=store, agent="offline") as hydra:
        hydra.load(*(find_content("sample", name) for name in FILES))
    return store


def test_the_demo_announces_as_many_things_as_it_has():
    with ENTITIES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert f"{len(rows)} things" in ABOUT
    texts = find_content("sample", "corner/passages.jsonl").read_text("utf-8").splitlines()
    assert f"short texts about {len({json.loads(line)['title'] for line in texts})} of them" in ABOUT
    assert sum(find_content("sample", name).stat().st_size for name in FILES) < 12_000_000


@pytest.mark.slow
def test_demo_answers_and_says_how_to_go_on(call, tmp_path):
    store = tmp_path / "demo store"
    first = call("demo", "--store", store, "--agent", "offline")
    asked = re.findall(r'^\$ hydra-kg ask "(.+)" --agent offline', first.output, re.MULTILINE)
    assert len(asked) >= 4
    assert first.output.count("Citations") >= 4
    assert "Rosario" in first.output
    assert ABOUT in first.output.split("$ hydra-kg ask")[0], "what can be asked is said first"
    last = first.output.split("$ hydra-kg ask")[-1].split("How to go on")[0]
    assert "Evidence" in last, "the last answer is one with paths"
    assert "No answer" not in last
    assert "'" in first.output.split("How to go on")[1], "a path with a space is quoted"
    assert "Loading the sample" in first.stderr

    own = re.search(r'hydra-kg ask "(.+)" --store', first.output.split("Ask something of your own")[1])
    assert own is not None
    assert own[1] not in asked
    assert "Citations" in call("ask", own[1], "--store", store, "--agent", "offline").output, "what is proposed works"

    second = call("demo", "--store", store)
    assert "loaded already" in second.stderr
    assert re.findall(r'^\$ hydra-kg ask "(.+)" --agent', second.output, re.MULTILINE) == asked
    ids = [line.split()[0] for line in call("show", "--store", store).output.splitlines()[1:]]
    assert len(ids) == 2 * len(asked) + 1
    assert f"hydra-kg show {ids[-1]} --why" in first.output


@pytest.mark.slow
def test_demo_finishes_what_a_stopped_one_began(call, loaded, tmp_path):
    shutil.copytree(loaded, tmp_path / "s")
    call("sources", "drop", "fb2w", "--yes", "--store", tmp_path / "s")
    result = call("demo", "--store", tmp_path / "s")
    assert "Rosario" in result.output
    listed = call("sources", "list", "--store", tmp_path / "s").output
    assert listed.count("ready") == len(FILES)


def test_demo_adds_nothing_to_other_data(call, tmp_path):
    other = tmp_path / "other.nt"
    other.write_text(
        "<http://rdf.freebase.com/ns/m.02_a>\t<http://rdf.freebase.com/ns/a.b.c>\t<http://rdf.freebase.com/ns/m.02_b>\t.\n"
    )
    call("load", other, "--as", "freebase", "--store", tmp_path / "mine")
    assert "other data" in call("demo", "--store", tmp_path / "mine", code=2).stderr


@pytest.mark.slow
def test_a_newer_sample_replaces_the_one_of_an_older_version_and_a_store_of_ones_own_is_left_alone(
    call, tmp_path, monkeypatch
):
    call("load", find_content("sample", FILES[0]), "--limit", 1000, "--store", tmp_path / "home" / "hydra-kg" / "demo")
    monkeypatch.setattr("hydra_kg.cli.setup.demo.sha256_of", lambda file: f"other {file.name}")
    monkeypatch.setenv("HYDRA_STORE", str(tmp_path / "mine"))
    assert "Rosario" in call("demo").output
    assert not (tmp_path / "mine").exists()
    listed = call("sources", "list", "--store", tmp_path / "home" / "hydra-kg" / "demo").output
    assert listed.count("ready") == len(FILES)
