"""The index of a server's names, kept where it is asked from: made once, made anew when it is not of this load."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers.servers import neo4j_stores

from hydra_kg.events import Event
from hydra_kg.index import shard
from hydra_kg.ports import Store
from hydra_kg.reasoner import Reasoner
from hydra_kg.stores import shard_folder
from hydra_kg.stores.neo4j.reads import like_names
from hydra_kg.stores.neo4j.reads.pinned_loads import pin
from hydra_kg.stores.neo4j.store import Neo4jStore

pytestmark = pytest.mark.server

SAID = ["Wolfgang Amadeus Motzartt", "Salzburgg", "AlbertEinstein", "Xqzvw Kyjpf"]


def store_with(folder: Path | None) -> Neo4jStore:
    """Another process's store: it remembers nothing."""
    return Neo4jStore(neo4j_stores._opened["url"], driver=neo4j_stores.opened(), folder=folder)


def proposed(folder: Path | None, heard: list[Event]) -> list[list[tuple[int, str]]]:
    with store_with(folder).snapshot() as snapshot:
        return [[(h.node, h.text) for h in hits] for hits in snapshot.like(SAID, limit=5, listener=heard.append)]


def test_made_once_and_anew_when_it_is_of_another_load_or_damaged(neo4j_sample: Store, tmp_path: Path) -> None:
    heard: list[Event] = []
    whole = proposed(tmp_path, heard)
    assert [own[0][1] for own in whole[:2]] == ["Wolfgang Amadeus Mozart", "Salzburg"]
    assert heard[-1].kind == "load.index"
    counts = store_with(tmp_path).name_index()
    assert counts["missing"] == 0
    assert counts["names"] == sum(like_names.names_of(neo4j_sample.db, n.number) for n in pin(neo4j_sample.db).loads)
    again: list[Event] = []
    assert proposed(tmp_path, again) == whole
    assert again == []

    db, loads = neo4j_sample.db, pin(neo4j_sample.db).loads
    first, second = sorted(loads, key=lambda n: -like_names.names_of(db, n.number))[:2]
    file = next((tmp_path / "index" / str(first.number)).glob("*.faiss"))
    file.write_bytes(file.read_bytes()[:-1])
    folder = tmp_path / "index" / str(second.number)
    shutil.rmtree(folder)  # for one of what had this number in another database
    build = like_names.NodeIndexBuild(db, first, listener=lambda event: None)
    shard_folder.make(folder, second.info.checksum[::-1], build.shards(), build.columns)
    (tmp_path / "index" / "99").mkdir()
    assert proposed(tmp_path, again) == whole
    assert {e.data["load"] for e in again} == {first.info.name, second.info.name}
    store_with(tmp_path).index_names()
    assert not (tmp_path / "index" / "99").exists()


def test_where_it_cannot_be_kept_a_process_makes_its_own(neo4j_sample: Store, tmp_path: Path) -> None:
    heard: list[Event] = []
    whole = proposed(None, heard)
    assert whole[0][0][1] == "Wolfgang Amadeus Mozart"
    (tmp_path / "index").write_text("in the way")
    assert proposed(tmp_path, heard) == whole


def test_pages_and_shards_are_cut_anywhere(neo4j_sample: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    load = max(pin(neo4j_sample.db).loads, key=lambda n: like_names.names_of(neo4j_sample.db, n.number))
    build = like_names.NodeIndexBuild(neo4j_sample.db, load, listener=lambda event: None)
    whole = [len(s) for s in build.shards()]
    monkeypatch.setattr(like_names, "PAGE", 7)  # fewer than some nodes have names
    small = like_names.NodeIndexBuild(neo4j_sample.db, load, listener=lambda event: None)
    most = whole[0] // 3 + 1
    cut = [len(s) for s in small.shards(exact=10, most=most)]
    assert cut == [most, most, whole[0] - 2 * most]
    assert sorted(small.columns()["nodes"].tolist()) == sorted(build.columns()["nodes"].tolist())


def test_a_load_too_large_for_a_question_is_left_out(
    neo4j_sample: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(like_names, "AT_ONCE", 1)
    assert shard.AT_ONCE > 1
    assert proposed(tmp_path, []) == [[]] * len(SAID)
    store_with(tmp_path).index_names()  # hydra-kg db index
    assert proposed(tmp_path, [])[0][0][1] == "Wolfgang Amadeus Mozart"


def test_a_misspelt_name_is_linked_on_a_server(neo4j_sample: Store, tmp_path: Path) -> None:
    answer = Reasoner(store_with(tmp_path), folder=tmp_path).ask("Where was Wollfgang Amadeuss Motsart born?")
    assert [m.chosen.how for m in answer.mentions if m.chosen] == ["like"]
    assert answer.answer_text == "Salzburg"
