"""Looking after a store from the command line: compact, backup, restore, copy, and a newer load that is held."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

LINE = "<https://e.org/{}> <https://e.org/knows> <https://e.org/{}> .\n"


@pytest.fixture
def store(call, tmp_path: Path) -> Path:
    """A store of one source with two facts."""
    write(tmp_path / "old.nt", ("ann", "bob"), ("bob", "cid"))
    call("load", tmp_path / "old.nt", "--as", "rdf", "--source", "people", "--store", tmp_path / "store")
    return tmp_path / "store"


def write(file: Path, *pairs: tuple[str, str]) -> Path:
    file.write_text("".join(LINE.format(*pair) for pair in pairs))
    return file


def sources(call, store: Path) -> list[tuple[str, str, int]]:
    loads = json.loads(call("sources", "list", "--store", store, "--json").stdout)
    return [(load["name"], load["state"], load["facts"]) for load in loads]


def test_a_newer_load_is_compared_and_taken(call, store: Path, tmp_path: Path):
    newer = write(tmp_path / "new.nt", ("ann", "bob"), ("ann", "dora"), ("ann", "eve"))
    said = call("load", newer, "--as", "rdf", "--source", "people", "--hold", "--store", store).stdout
    assert "people is loaded and waits" in said
    assert sources(call, store) == [("people", "ready", 2), ("people", "staging", 3)]
    assert "held" in call("sources", "list", "--store", store).stdout
    shown = call("sources", "show", "people", "--store", store).stdout
    assert "only in force" in shown
    assert any(line.split() == ["facts", "1", "2", "1"] for line in shown.splitlines())
    assert "https://e.org/dora" in shown
    assert "sources flip people" in shown
    doc = json.loads(call("sources", "show", "people", "--store", store, "--json").stdout)
    assert doc["difference"]["facts"] == {"old_only": 1, "new_only": 2, "common": 1}
    assert doc["waiting"]["facts"] == 3
    again = call("load", newer, "--as", "rdf", "--source", "people", "--replace", "--store", store, code=1)
    assert "is waiting" in again.stderr
    assert "sources discard people" in again.stderr
    call("sources", "flip", "people", "--store", store, input="n\n", code=1)
    assert "3 facts" in call("sources", "flip", "people", "--yes", "--store", store).stdout
    assert sources(call, store)[-1] == ("people", "ready", 3)


def test_a_newer_load_is_discarded(call, store: Path, tmp_path: Path):
    newer = write(tmp_path / "new.nt", ("ann", "dora"))
    call("load", newer, "--as", "rdf", "--source", "people", "--hold", "--store", store)
    call("sources", "discard", "people", "--yes", "--store", store)
    assert sources(call, store) == [("people", "ready", 2)]
    assert (
        "No load called people is waiting"
        in call("sources", "flip", "people", "--yes", "--store", store, code=1).stderr
    )


def test_a_command_that_did_its_work_before_says_so_and_ends_well(call, store: Path, tmp_path: Path):
    newer = write(tmp_path / "new.nt", ("ann", "dora"))
    load = ("load", newer, "--as", "rdf", "--source", "people", "--store", store)
    hold, drop = (*load, "--hold"), ("sources", "drop", "people", "--yes", "--store", store)
    flip, discard = (("sources", what, "people", "--yes", "--store", store) for what in ("flip", "discard"))
    for command, words, state in (
        (hold, "already loaded", ["ready", "staging"]),
        (discard, "discarded already", ["ready"]),
        (hold, "already loaded", ["ready", "staging"]),
        (flip, "in force already", ["ready"]),
        (drop, "dropped already", []),
        (load, "already loaded", ["ready"]),
    ):
        assert words not in call(*command).output
        for _ in range(2):
            assert words in call(*command).stdout
        assert [one[1] for one in sources(call, store)] == state
    call(*discard, code=1)  # of the load that is in force now, none was ever held
    call(*flip, code=1)
    call(*drop)
    assert json.loads(call(*drop, "--json").stdout)["name"] == "people"
    call("sources", "drop", "poeple", "--yes", "--store", store, code=1)


def test_a_second_of_several_files_is_loaded_where_the_first_one_is_already(call, tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text(f"boat,pier\n{name},7\n")
    words = ("--entity", "boat", "--yes", "--store", tmp_path / "store")
    call("load", tmp_path / "one.csv", *words)
    said = call("load", tmp_path / "one.csv", tmp_path / "two.csv", *words).stdout
    assert said.count("already loaded") == 1
    assert [one[0] for one in sources(call, tmp_path / "store")] == ["one", "two"]
    (tmp_path / "one.csv").write_text("boat,pier\none,8\n")
    assert "--replace" in call("load", tmp_path / "one.csv", *words, code=1).stderr
    call("load", tmp_path / "two.csv", *words, "--limit", "1", code=1)


def test_holding_is_for_folders(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    newer = write(tmp_path / "new.nt", ("ann", "dora"))
    refused = call("load", newer, "--as", "rdf", "--hold", "--store", "bolt://127.0.0.1:1", code=2)
    assert "hydra-kg db copy" in refused.stderr


def test_compact(call, store: Path, tmp_path: Path):
    assert "Nothing to merge: the links of this store are in 1 place." in call("db", "compact", "--store", store).stdout
    call(
        "load",
        write(tmp_path / "b.nt", ("bob", "eve"), ("eve", "ann")),
        "--as",
        "rdf",
        "--source",
        "b",
        "--store",
        store,
    )
    done = json.loads(call("db", "compact", "--force", "--json", "--store", store).stdout)
    assert (done["merged"], done["before"], done["after"], done["links"]) == (2, 2, 1, 4)
    assert json.loads(call("db", "status", "--json", "--store", store).stdout)["places"] == 1
    assert call("db", "doctor", "--store", store).stdout.startswith("All files")
    assert "nothing to merge" in call("db", "compact", "--store", "bolt://127.0.0.1:1", code=2).stderr


def test_backup_and_restore(call, store: Path, tmp_path: Path):
    assert "1 loads" in call("db", "backup", tmp_path / "kept.tar.zst", "--store", store).stdout
    done = json.loads(call("db", "backup", tmp_path / "kept", "--store", store, "--json").stdout)
    assert done["loads"] == 1
    assert "is there already" in call("db", "backup", tmp_path / "kept", "--store", store, code=2).stderr
    assert "Restored 1 loads" in call("db", "restore", tmp_path / "kept.tar.zst", "--store", tmp_path / "new").stdout
    for made in (tmp_path / "new", tmp_path / "kept"):
        assert sources(call, made) == sources(call, store)
    assert (
        "hydra-kg db copy bolt" in call("db", "backup", tmp_path / "x", "--store", "bolt://127.0.0.1:1", code=2).stderr
    )


def test_copy(call, store: Path, tmp_path: Path):
    assert "people: copied 2 facts" in call("db", "copy", store, tmp_path / "other").stdout
    assert "people: there already" in call("db", "copy", store, tmp_path / "other").stdout
    assert sources(call, tmp_path / "other") == sources(call, store)
    call(
        "load",
        write(tmp_path / "b.nt", ("bob", "eve")),
        "--as",
        "rdf",
        "--source",
        "people",
        "--replace",
        "--store",
        store,
    )
    assert "--replace" in call("db", "copy", store, tmp_path / "other", code=1).stderr
    done = json.loads(call("db", "copy", store, tmp_path / "other", "--replace", "--json").stdout)
    assert [(load["name"], load["facts"], load["copied"]) for load in done["loads"]] == [("people", 1, True)]
