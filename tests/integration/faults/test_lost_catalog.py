"""A catalog that is lost, damaged or hostile never lets anything be removed, and can be made anew."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tarfile
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hydra_kg.cli.main import main
from hydra_kg.errors import StoreCorruptError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.operations.backup import restore
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.util.package_data import find_content

QUESTION = "Which pier does the Aurora leave from?"
MORE = ["load", find_content("sample", "tourbook.csv"), "--entity", "ferry", "--yes"]


def call(*words: object) -> Result:
    return CliRunner().invoke(main, list(map(str, words)))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two small loads, to be copied."""
    folder = tmp_path_factory.mktemp("loaded") / "store"
    with EmbeddedStore(folder) as opened:
        load_files(
            opened,
            [find_content("sample", name) for name in ("harbour.csv", "townsite.csv")],
            LoadOptions(extra={"entity": "ferry"}),
        )
    return folder


@pytest.fixture
def store(loaded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(loaded, tmp_path / "store"))


def everything(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted((folder / "loads").rglob("*")) if f.is_file()}


def missing(file: Path) -> None:
    file.unlink()


def empty(file: Path) -> None:
    file.write_bytes(b"")


def garbage(file: Path) -> None:
    file.write_bytes(b"no catalog" * 500)


@pytest.mark.parametrize("damage", [missing, empty, garbage])
def test_nothing_goes_and_repair_brings_all_back(store, damage):
    before = call("sources", "list", "--json", "--store", store).output
    loads = everything(store)
    damage(store / "catalog.sqlite")
    for words in (
        MORE,
        ["sources", "drop", "harbour", "--yes"],
        ["ask", QUESTION],
        ["db", "compact"],
        ["db", "doctor"],
    ):
        done = call(*words, "--store", store)
        assert done.exit_code == 1
        assert "db doctor --repair" in done.output
        assert "Load something first" not in done.output
        assert everything(store) == loads
    repaired = call("db", "doctor", "--repair", "--store", store)
    assert (repaired.exit_code, "harbour (harbour.1" in repaired.output) == (0, True)
    assert everything(store) == loads
    for old, new in zip(
        json.loads(before), json.loads(call("sources", "list", "--json", "--store", store).output), strict=True
    ):
        assert {**old, "flipped": ""} == {**new, "flipped": ""}
    assert call("ask", "Which pier does the Aurora leave from?", "--store", store).exit_code == 0
    again = call("db", "doctor", "--repair", "--store", store)
    assert "nothing to repair" in again.output


def older(file: Path) -> None:
    """Put the catalog back that was there before the second load; its seal stays."""
    call("sources", "drop", "townsite", "--yes", "--store", file.parent)
    old = file.read_bytes()
    townsite = find_content("sample", "townsite.csv")
    assert call("load", townsite, "--entity", "ferry", "--yes", "--store", file.parent).exit_code == 0
    for log in file.parent.glob("catalog.sqlite-*"):
        log.unlink()
    file.write_bytes(old)


def older_with_its_seal(file: Path) -> None:
    older(file)
    file.with_name("catalog.sqlite.seal").unlink()


def without_a_row(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("DELETE FROM load WHERE name = 'townsite'")


@pytest.mark.parametrize("exchange", [older, older_with_its_seal, without_a_row])
def test_nothing_is_written_with_a_catalog_that_was_exchanged(store, tmp_path, exchange):
    exchange(store / "catalog.sqlite")
    loads = everything(store)
    for words in (
        MORE,
        [*MORE, "--hold"],
        ["load", find_content("sample", "harbour.csv"), "--entity", "ferry", "--yes", "--replace"],
        ["sources", "drop", "harbour", "--yes"],
        ["db", "compact", "--force"],
        ["db", "publish", tmp_path / "published"],
    ):
        done = call(*words, "--store", store)
        assert (done.exit_code, "db doctor --repair" in done.output) == (1, True), (words, done.output)
        assert everything(store) == loads
    assert "db doctor --repair" in call("db", "doctor", "--store", store).output
    assert call("db", "doctor", "--repair", "--store", store).exit_code == 0
    assert call("db", "doctor", "--store", store).exit_code == 0
    assert call(*MORE, "--store", store).exit_code == 0
    with EmbeddedStore(store) as opened:
        assert {load["name"] for load in opened.loads()} == {"harbour", "townsite", "tourbook"}


def test_a_load_that_was_not_ready_does_not_become_ready(store):
    with EmbeddedStore(store) as opened:
        from hydra_kg.stores.embedded.operations.pending_load import HoldingStore

        load_files(
            HoldingStore(opened), [find_content("sample", "tourbook.csv")], LoadOptions(extra={"entity": "ferry"})
        )
    (store / "catalog.sqlite").unlink()
    assert call("db", "doctor", "--repair", "--store", store).exit_code == 0
    with EmbeddedStore(store) as opened, opened.snapshot() as snapshot:
        assert [load.name for load in snapshot.manifest()] == ["harbour", "townsite"]
        assert {load["name"]: load["held"] for load in opened.loads()}["tourbook"]


def hostile(folder: Path, load: str, state: str) -> None:
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as db, db:
        db.execute("INSERT INTO load (id, name, state, created) VALUES (?, 'x', ?, '')", (load, state))
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize("state", ["dropped", "ready", "staging"])
@pytest.mark.parametrize("form", ["{}", "../../victim", "../victim", ".."])
def test_ids_of_a_foreign_catalog_name_no_other_folder(store, tmp_path, state, form):
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "letter").write_text("dear")
    hostile(store, form.format(victim), state)
    for words in (
        ["load", find_content("sample", "tourbook.csv"), "--entity", "ferry", "--yes"],
        ["sources", "drop", "x", "--yes"],
    ):
        assert call(*words, "--store", store).exit_code == 1
    assert (victim / "letter").read_text() == "dear"


def test_a_backup_with_such_an_id_is_refused(store, tmp_path):
    copy = tmp_path / "backup"
    assert call("db", "backup", copy, "--store", store).exit_code == 0
    hostile(copy, "/elsewhere/victim", "dropped")
    for left in copy.glob("catalog.sqlite-*"):
        left.unlink()
    note = json.loads((copy / "backup.json").read_text())
    data = (copy / "catalog.sqlite").read_bytes()
    note["files"]["catalog.sqlite"] = {"bytes": len(data), "crc32": f"{zlib.crc32(data):08x}"}
    (copy / "backup.json").write_text(json.dumps(note))
    with tarfile.open(tmp_path / "backup.tar", "w", format=tarfile.PAX_FORMAT) as tar:
        for file in sorted(copy.rglob("*")):
            if file.is_file() and file.name != "catalog" and "locks" not in file.parts:
                tar.add(file, str(file.relative_to(copy)))
    with pytest.raises(StoreCorruptError, match="which is none"):
        restore(tmp_path / "backup.tar", tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["builder", "catalog"])
def test_a_lock_that_is_a_link_is_not_followed(store, tmp_path, name):
    target = tmp_path / "diary"
    target.write_text("monday")
    lock = store / "locks" / name
    lock.unlink(missing_ok=True)
    lock.symlink_to(target)
    call("load", find_content("sample", "tourbook.csv"), "--entity", "ferry", "--yes", "--store", store)
    assert target.read_text() == "monday"


def test_scratch_that_leads_elsewhere_is_refused(store, tmp_path):
    other = tmp_path / "other"
    (other / "harbour.1").mkdir(parents=True)
    shutil.rmtree(store / "staging")
    (store / "staging").symlink_to(other)
    assert "is a link to another place" in call("db", "status", "--store", store).output
    assert (other / "harbour.1").is_dir()


def test_a_folder_of_nobody_stays(store):
    (store / "loads" / "family-photos").mkdir()
    call("load", find_content("sample", "tourbook.csv"), "--entity", "ferry", "--yes", "--store", store)
    assert (store / "loads" / "family-photos").is_dir()


def test_any_bit_of_a_manifest_is_noticed(store):
    file = store / "loads" / "harbour.1" / "manifest.json"
    good = file.read_bytes()
    for place in (*range(0, len(good), max(1, len(good) // 40)), good.rindex(b"crc32")):
        turned = bytearray(good)
        turned[place] ^= 4
        file.write_bytes(bytes(turned))
        done = call("db", "doctor", "--store", store)
        assert done.exit_code == 1
        assert "unexpected" not in done.output
        assert "unexpected" not in call("ask", "Which pier does the Aurora leave from?", "--store", store).output


def test_parts_of_others_stay(store, tmp_path):
    other = tmp_path / "copy.part"
    other.mkdir()
    (other / "thesis").write_text("chapter one")
    assert call("db", "backup", tmp_path / "copy", "--store", store).exit_code == 0
    assert (other / "thesis").read_text() == "chapter one"


def test_what_is_kept_is_private(store):
    assert store.stat().st_mode & 0o077 == 0
