"""Stores of others, and files that were swapped: over HTTP and at the command, no citation shows another file."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from helpers.servers.service import service

from hydra_kg import Hydra, Settings
from hydra_kg.cli.main import main
from hydra_kg.ingest.loaded_files import FILE, LoadedFiles
from hydra_kg.serving.shared.service_keys import Keys
from hydra_kg.stores.embedded.catalog.catalog import set_content
from hydra_kg.stores.embedded.operations.backup import backup
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.published.documents import Publication, pack_publication, pointer_of
from hydra_kg.stores.published.publish import publish

pytestmark = pytest.mark.slow

BORN = "Where was Zorblax 1 born?"
PASSWD = Path("/etc/passwd")
TRIPLE = "<http://rdf.freebase.com/ns/{s}>\t<http://rdf.freebase.com/ns/{p}>\t{o}\t.\n"
Call = Callable[..., Result]


def triples() -> str:
    """Where some people were born."""
    lines = [TRIPLE.format(s="m.0town", p="type.object.name", o='"Zorbville"@en')]
    for n in range(1, 16):
        lines.append(TRIPLE.format(s=f"m.0z{n}", p="type.object.name", o=f'"Zorblax {n}"@en'))
        born = "<http://rdf.freebase.com/ns/m.0town>"
        lines.append(TRIPLE.format(s=f"m.0z{n}", p="people.person.place_of_birth", o=born))
    return "".join(lines)


def is_private(text: str) -> bool:
    """Whether a text holds nothing of the machine's /etc/passwd."""
    return not any(line in text for line in PASSWD.read_text().splitlines() if line)


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls the command in this process, as the victim."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.chdir("/etc")  # a relative path leads to the victim's files, too

    def run(*words: object, code: int = 0) -> Result:
        result = CliRunner().invoke(main, [str(word) for word in words])
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store that somebody else loaded, which says that its file was the victim's /etc/passwd. Size and checksum are
    right, so that the file is not "changed"."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "attacker"))
    (tmp_path / "theirs").mkdir()
    file = tmp_path / "theirs" / "passwd"
    file.write_text(triples())
    with Hydra(store=tmp_path / "hostile", settings=Settings()) as hydra:
        hydra.load(file, format="freebase")
    with closing(sqlite3.connect(tmp_path / "hostile" / "catalog.sqlite", isolation_level=None)) as db:
        ((details,),) = db.execute("SELECT details FROM load").fetchall()
        db.execute("UPDATE load SET details = ?", (json.dumps(claims(json.loads(details))),))
        set_content(db)
    (tmp_path / "hostile" / "catalog.sqlite.seal").unlink()
    return tmp_path / "hostile"


def claims(details: dict[str, Any]) -> dict[str, Any]:
    """What a load says of itself, with /etc/passwd as its file."""
    data = PASSWD.read_bytes()
    about = {"folder": "/etc", "name": "passwd", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return {**details, "files": [{**details["files"][0], **about}]}


@contextmanager
def served(store: Path, user: Path, *words: str) -> Iterator[httpx.Client]:
    """A service of the victim."""
    with service(store, user, *words) as running:
        running.wait()
        with running.client() as client:
            yield client


def cited(client: httpx.Client, question: str = BORN) -> dict[str, Any]:
    """The first citation of a new answer, opened."""
    doc = client.post("/v1/answers", json={"question": question}).json()
    assert doc["citations"], doc
    answer = client.get(f"/v1/answers/{doc['id']}/citations/1")
    assert is_private(answer.text)
    place: dict[str, Any] = answer.json()
    return place


def finish(client: httpx.Client, begun: httpx.Response) -> None:
    """Wait until a job is done."""
    until = time.monotonic() + 120
    while (job := client.get(f"/v1/jobs/{begun.json()['id']}").json())["state"] in ("waiting", "running"):
        assert time.monotonic() < until, job
        time.sleep(0.05)
    assert job["state"] == "done", job


def test_a_publication_of_others_opens_no_file(hostile: Path, tmp_path: Path) -> None:
    address = f"file://{tmp_path}/published"
    with EmbeddedStore(hostile) as store:
        publish(store, address)
    pointer = pointer_of((tmp_path / "published" / "CURRENT").read_bytes())
    document = Publication.model_validate_json((tmp_path / "published" / pointer.publication).read_bytes())
    load = document.loads[0].model_copy(update={"details": claims(dict(document.loads[0].details))})
    data, forged = pack_publication(document.model_copy(update={"loads": [load]}))
    (tmp_path / "published" / forged.publication).write_bytes(data)
    (tmp_path / "published" / "CURRENT").write_text(forged.model_dump_json())
    with served(tmp_path / "copy", tmp_path / "user", "--from", address) as client:
        place = cited(client)
    assert (place["state"], place["lines"]) == ("gone", [])
    assert "does not say where passwd was" in place["why"]
    assert place["remedy"]


def test_a_folder_of_others_opens_no_file(hostile: Path, tmp_path: Path, call: Call) -> None:
    with served(hostile, tmp_path / "user") as client:
        place = cited(client)
    assert (place["state"], place["lines"]) == ("not loaded here", [])
    assert "hydra-kg sources trust" in place["remedy"]
    shown = [
        call("sources", "line", "passwd:2", "--store", hostile, code=1),
        call("show", "last", "--cite", 1, "--store", hostile, code=1),
        call("show", "last", "--cite", 1, "--json", "--store", hostile, code=1),
    ]
    for result in shown:
        assert is_private(result.output)
        assert "No load of yours on this machine has read passwd" in result.output


def test_a_backup_of_others_opens_no_file_unless_it_is_trusted(hostile: Path, tmp_path: Path, call: Call) -> None:
    with EmbeddedStore(hostile) as store:
        for kept in ("kept.tar", "kept"):
            backup(store, tmp_path / kept)
    for kept in ("kept.tar", "kept"):
        restored = call("db", "restore", tmp_path / kept, "--store", tmp_path / f"new-{kept}")
        assert "--trust-paths" in restored.output
        refused = call("sources", "line", "passwd:2", "--store", tmp_path / f"new-{kept}", code=1)
        assert is_private(refused.output)
        assert "does not say where passwd was" in refused.output
        listed = json.loads(call("sources", "list", "--json", "--store", tmp_path / f"new-{kept}").stdout)
        assert [f["folder"] for load in listed for f in load["details"]["files"]] == [""]
        call("db", "doctor", "--store", tmp_path / f"new-{kept}")
        words = ("db", "restore", tmp_path / kept, "--trust-paths", "--json", "--store", tmp_path / f"own-{kept}")
        assert json.loads(call(*words).stdout)["trusted"] == 1
        assert not is_private(call("sources", "line", "passwd:1", "--store", tmp_path / f"own-{kept}").output)


def test_sources_trust_lists_the_files_first(hostile: Path, tmp_path: Path, call: Call) -> None:
    asked = call("sources", "trust", "--store", hostile, code=2)
    assert "/etc/passwd" in asked.output
    assert is_private(call("sources", "line", "passwd:2", "--store", hostile, code=1).output)
    assert "Lines of 1 files" in call("sources", "trust", "--yes", "--store", hostile).output
    assert not is_private(call("sources", "line", "passwd:1", "--store", hostile).output)
    assert "nothing to trust" in call("sources", "trust", "--store", hostile).output


def test_a_file_swapped_for_a_link_is_not_opened(tmp_path: Path, call: Call) -> None:
    (tmp_path / "mine").mkdir()
    file = tmp_path / "mine" / "people.nt"
    file.write_text(triples())
    call("load", file, "--as", "freebase", "--store", tmp_path / "store")
    with served(tmp_path / "store", tmp_path / "user") as client:
        assert [line["cited"] for line in cited(client)["lines"]].count(True) == 1
        for swap in (lambda: file.symlink_to(PASSWD), lambda: os.mkfifo(file), lambda: os.link(PASSWD, file)):
            file.unlink()
            try:
                swap()
            except OSError:  # a hard link to another disk
                continue
            place = cited(client)
            assert place["lines"] == []
            assert place["state"] in ("unreadable", "changed")
            assert place["why"]
        file.unlink(missing_ok=True)
        assert cited(client)["state"] == "gone"
        file.write_text(triples())
        assert cited(client)["state"] == "as loaded"


def test_a_file_of_the_inbox_swapped_for_a_link_is_not_opened(tmp_path: Path, call: Call) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "ferries.csv").write_text("ferry,captain\nAurora,Ann Lee\nBorealis,Bo Berg\n")
    keys = Keys(tmp_path / "keys.sqlite")
    admin, reader = keys.add("admin", scopes=["admin"], per_minute=0), keys.add("reader", per_minute=0)
    (tmp_path / "barges.csv").write_text("barge,captain\nCygnus,Cy Cole\nDelphin,Di Dale\n")
    call("load", tmp_path / "barges.csv", "--entity", "barge", "--yes", "--store", tmp_path / "store")
    words = ("--inbox", str(inbox), "--keys", str(keys.path))
    with service(tmp_path / "store", tmp_path / "user", *words) as running:
        running.wait()
        with running.client(admin) as client:
            finish(client, client.post("/v1/loads", json={"files": ["ferries.csv"], "entity": "ferry"}))
            finish(client, client.post("/v1/loads/ferries/flip"))
        with running.client(reader) as client:
            question = "Who is the captain of Aurora?"
            assert "Ann Lee" in str(cited(client, question)["lines"])
            (inbox / "ferries.csv").unlink()
            (inbox / "ferries.csv").symlink_to(PASSWD)
            place = cited(client, question)
    assert (place["state"], place["lines"]) == ("unreadable", [])
    assert "link" in place["why"]
    assert LoadedFiles(tmp_path / "user" / "hydra-kg" / FILE).path.is_file()
