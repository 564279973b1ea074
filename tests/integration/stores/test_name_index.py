"""The index of names of a store: made by the first question that needs it, remade or bypassed when it is lost."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from hydra_kg import Hydra, Settings
from hydra_kg.cli.main import main
from hydra_kg.events import Event
from hydra_kg.index import shard
from hydra_kg.stores import shard_folder
from hydra_kg.stores.embedded.reads import name_index
from hydra_kg.stores.embedded.segments.name_rows import names_of
from hydra_kg.stores.embedded.store import EmbeddedStore

SAID = ["Wolfgang Amadeus Motzartt", "Salzburgg", "AlbertEinstein", "Xqzvw Kyjpf"]


@pytest.fixture
def store(sample_store: Path, tmp_path: Path) -> Path:
    """Return a copy of the sample with the index of names."""
    shutil.copytree(sample_store, tmp_path / "store")
    with EmbeddedStore(tmp_path / "store") as opened:
        opened.index_names()
    return tmp_path / "store"


def proposed(store: Path, *, heard: list[Event] | None = None) -> list[list[tuple[int, str]]]:
    """What a process that opens the store proposes."""
    events: list[Event] = [] if heard is None else heard
    with EmbeddedStore(store) as opened, opened.snapshot() as snapshot:
        return [[(h.node, h.text) for h in hits] for hits in snapshot.like(SAID, limit=5, listener=events.append)]


def errors(store: Path) -> list[str]:
    with EmbeddedStore(store) as opened:
        return [f.what for f in opened.doctor() if f.level != "note"]


def parts(store: Path) -> list[Path]:
    return sorted((store / "index").glob("*/names-*.faiss"))


def test_the_first_question_makes_it_and_what_is_misspelt_is_found(store: Path) -> None:
    shutil.rmtree(store / "index")
    first: list[Event] = []
    proposed(store, heard=first)
    assert first[-1].kind == "load.index"
    heard: list[Event] = []
    hits = proposed(store, heard=heard)
    assert [own[0][1] for own in hits[:2]] == ["Wolfgang Amadeus Mozart", "Salzburg"]
    assert hits[2][0][1] == "Albert Einstein"
    assert not heard  # it is made once
    with EmbeddedStore(store) as opened:
        counts = opened.name_index()
    assert counts["names"] > 100
    assert counts["missing"] == 0
    assert counts["bytes"] == sum(f.stat().st_size for f in (store / "index").rglob("*") if f.is_file())


def test_a_load_makes_neither_the_index_nor_vectors_of_relations(tmp_path: Path) -> None:
    heard: list[str] = []
    (tmp_path / "films.csv").write_text("film,director\nInception,Christopher Nolan\nTenet,Christopher Nolan\n")
    with Hydra(store=tmp_path / "own", settings=Settings(), listener=lambda event: heard.append(event.kind)) as hydra:
        hydra.load(tmp_path / "films.csv")
        assert not {"load.index", "load.embed"} & set(heard)
        assert not (tmp_path / "own" / "index").exists()
        assert not (tmp_path / "own" / "vectors.sqlite").exists()
        assert hydra.ask("Who directed Inception?").answer_text == "Christopher Nolan"


def test_a_load_makes_the_index_that_no_question_would_make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard, "AT_ONCE", 1)
    (tmp_path / "films.csv").write_text("film,director\nInception,Christopher Nolan\nTenet,Christopher Nolan\n")
    with Hydra(store=tmp_path / "own", settings=Settings()) as hydra:
        hydra.load(tmp_path / "films.csv")
    assert parts(tmp_path / "own")


def test_a_misspelt_name_is_linked_and_may_be_switched_off(store: Path) -> None:
    question = "Where was Wollfgang Amadeuss Motsart born?"
    with Hydra(store=store, settings=Settings()) as hydra:
        answer = hydra.ask(question, keep=False)
    assert answer.answer_text == "Salzburg"
    assert [m.chosen.how for m in answer.mentions if m.chosen] == ["like"]
    with Hydra(store=store, settings=Settings().changed(linking={"entities_by": "off"})) as hydra:
        assert "like" not in [m.chosen.how for m in hydra.ask(question, keep=False).mentions if m.chosen]


def test_lost_or_stale_it_is_made_again_and_proposes_the_same(store: Path) -> None:
    whole = proposed(store)
    manifest = next((store / "index").glob("*/manifest.json"))
    manifest.write_text(manifest.read_text().replace(shard_folder.NAME, "letters-of-another-version"))
    assert proposed(store) == whole
    shutil.rmtree(store / "index")
    heard: list[Event] = []
    assert proposed(store, heard=heard) == whole
    assert heard[-1].kind == "load.index"
    with EmbeddedStore(store) as opened:
        assert {event.data["load"] for event in heard} <= {load["name"] for load in opened.loads()}
    assert parts(store)
    assert errors(store) == []


def test_where_it_cannot_be_written_the_process_makes_its_own(store: Path) -> None:
    whole = proposed(store)
    shutil.rmtree(store / "index")
    (store / "index").write_text("in the way")
    assert proposed(store) == whole
    assert (store / "index").read_text() == "in the way"


def test_a_turned_bit_is_found_and_changes_no_answer(store: Path) -> None:
    whole, draw = proposed(store), random.Random(3)
    for file in parts(store)[:1]:
        good = file.read_bytes()
        place = draw.randrange(60)  # before the vectors: what FAISS would trust
        file.write_bytes(good[:place] + bytes([good[place] ^ 4]) + good[place + 1 :])
        assert any("index of the names" in what for what in errors(store))
        assert proposed(store) == whole  # and it was made anew
        assert errors(store) == []
        file.write_bytes(file.read_bytes()[:-9] + b"\x7f" * 9)  # the last vector
        assert any("index of the names" in what for what in errors(store))
        shutil.rmtree(store / "index")
        proposed(store)


def test_a_killed_build_leaves_what_was_there(store: Path) -> None:
    whole = proposed(store)
    for folder in (store / "index").iterdir():
        manifest = folder / "manifest.json"
        manifest.write_text(manifest.read_text().replace(shard_folder.NAME, "an older version"))
    before = {f: f.read_bytes() for f in (store / "index").rglob("*") if f.is_file()}
    code = (
        "import os, sys; from pathlib import Path; from hydra_kg.stores import shard_folder;"
        "from hydra_kg.stores.embedded.store import EmbeddedStore;"
        "shard_folder.FolderWriter.finish = lambda *a, **k: os._exit(9);"
        "EmbeddedStore(Path(sys.argv[1])).index_names()"
    )
    done = subprocess.run([sys.executable, "-c", code, str(store)], check=False)
    assert done.returncode == 9
    left = [f for f in (store / "index").iterdir() if f.name.startswith(".part-")]
    assert left
    assert {f: f.read_bytes() for f in before} == before
    assert proposed(store) == whole
    assert not any(f.exists() for f in left)


def test_it_goes_with_its_load_and_db_index_tidies(store: Path) -> None:
    with EmbeddedStore(store) as opened:
        first, *_ = opened.loads()
        opened.drop(first["name"])
    assert not shard_folder.index_folder(store, first["id"]).exists()
    (store / "index" / "gone.9").mkdir()
    shutil.rmtree(parts(store)[0].parent)
    done = CliRunner().invoke(main, ["db", "status", "--store", str(store)])
    assert "missing (hydra-kg db index)" in done.output
    done = CliRunner().invoke(main, ["db", "index", "--store", str(store)])
    assert done.exit_code == 0, done.output
    assert "names" in done.output
    assert not (store / "index" / "gone.9").exists()
    assert "missing" not in CliRunner().invoke(main, ["db", "status", "--store", str(store)]).output


def test_large_loads_are_searched_by_cells_in_shards(store: Path) -> None:
    with EmbeddedStore(store) as opened, opened.pin() as pinned:
        info, segment = max(pinned.loads, key=lambda load: names_of(load[1]).count)
    rows, heard = names_of(segment).count, list[Event]()
    shards = list(name_index.make_shards(info, segment, listener=heard.append, exact=10, most=rows // 3 + 1))
    assert [len(s) for s in shards] == [rows // 3 + 1, rows // 3 + 1, rows - 2 * (rows // 3 + 1)]
    assert heard[-1].data["done"] == heard[-1].data["total"] == rows
