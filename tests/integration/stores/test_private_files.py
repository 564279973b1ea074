"""What commands create under the usual umask: only what is written for others may be read by others."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers.servers.service import service

from hydra_kg import Hydra, Settings
from hydra_kg.cli.main import main
from hydra_kg.ingest.loaded_files import LoadedFiles
from hydra_kg.stores import _keep_apart, store_path
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.published.publish import publish

FERRIES = "ferry,captain\nAurora,Ann Lee\nBorealis,Bo Berg\n"
QUESTION = "Who is the captain of Aurora?"
Run = Callable[..., str]


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """Files that nobody protects may be read by everybody."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that calls the command in an empty folder, for a user who has nothing yet."""
    for name in os.environ:
        if name.startswith(("HYDRA_", "OPENAI_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("home", "work"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def call(*words: object, input: str = "") -> str:  # noqa: A002
        done = CliRunner().invoke(main, [*map(str, words)], prog_name="hydra-kg", input=input)
        assert done.exit_code in (0, 3), f"{words}: {done.output}\n{done.exception!r}"
        return done.output

    return call


def readable_by_others(*folders: Path) -> list[str]:
    """Files and folders in some folders, these included, that others have any right to."""
    found = [path for folder in folders for path in (folder, *folder.rglob("*")) if not path.is_symlink()]
    assert found
    return sorted(str(path) for path in found if stat.S_IMODE(path.stat().st_mode) & 0o077)


@pytest.mark.slow
def test_what_commands_create_is_private(tmp_path: Path, run: Run) -> None:
    work = tmp_path / "work"
    (tmp_path / "ferries.csv").write_text(FERRIES)
    (tmp_path / "boats.csv").write_text(FERRIES.replace("Aurora", "Aurora II"))
    (tmp_path / "set.jsonl").write_text(
        f'{{"id": "1", "question": "{QUESTION}", "answers": [{{"id": "", "name": "Ann Lee"}}]}}\n'
    )
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "customers.csv").write_text("id,name\n1,Ann\n2,Bo\n3,Cy\n")
    (tmp_path / "shop" / "orders.csv").write_text("id,customer,item\n7,1,tea\n8,2,rice\n9,2,salt\n")
    store = ("--store", work / "store")
    run("load", tmp_path / "ferries.csv", "--entity", "ferry", "--yes", *store)
    run("load", tmp_path / "boats.csv", "--entity", "ferry", "--yes", "--hold", *store)
    run("sources", "flip", "boats", "--yes", *store)
    assert "Ann Lee" in run("ask", QUESTION, *store)
    run("chat", *store, input=f"{QUESTION}\n/quit\n")
    run("show", "--html", "page.html", *store)
    run("describe", *store)
    run("load", tmp_path / "shop", "--yes", *store)
    run("confirm", "last", "--right", *store)
    run("match", "ferries", "boats", "--yes", *store)
    run("db", "index", *store)
    run("db", "compact", "--more-than", "0", *store)
    run("db", "backup", "kept", *store)
    run("db", "backup", "kept.tar.zst", *store)
    run("db", "restore", "kept.tar.zst", "--store", work / "restored")
    run("db", "copy", work / "store", work / "copied")
    run("keys", "add", "reader")
    run("eval", "run", tmp_path / "set.jsonl", "--out", "measured", *store)
    run("settings")
    run("load", tmp_path / "ferries.csv", "--entity", "ferry", "--yes")  # into the user's own store
    private = sorted(path.name for path in work.iterdir())
    assert {"store", "kept", "kept.tar.zst", "restored", "copied", "measured", "page.html"} <= set(private)
    assert readable_by_others(*(work / name for name in private)) == []
    assert readable_by_others(*(path for path in (tmp_path / "home").iterdir())) == []
    described = list(tmp_path.rglob("feeds*"))
    assert described
    assert readable_by_others(*described) == []

    run("export", "last", "-o", "answer.ttl", *store)
    run("export", "--jsonld", "claims.jsonld", *store)
    run("fuse", "Aurora", "--export", "fused.csv", *store)
    run("db", "publish", work / "published", *store)
    shared = sorted(path for path in work.rglob("*") if path.relative_to(work).parts[0] not in private)
    assert {path.name for path in shared} >= {"answer.ttl", "claims.jsonld", "fused.csv", "published", "CURRENT"}
    modes = {stat.S_IMODE(path.stat().st_mode) for path in shared if not path.name.startswith(".")}
    assert modes == {0o644, 0o755}
    assert "Ann Lee" in run("ask", QUESTION, "--store", f"file://{work / 'published'}")
    assert readable_by_others(*(path for path in (tmp_path / "home").iterdir())) == []
    assert list((tmp_path / "home").rglob("readers/*/traces.sqlite"))


@pytest.mark.slow
def test_what_a_service_creates_is_private(sample_store: Path, tmp_path: Path) -> None:
    with EmbeddedStore(sample_store) as opened:
        publish(opened, f"file://{tmp_path}/published")
    for words in (("--from", f"file://{tmp_path}/published"), ()):
        user = tmp_path / ("user" if words else "other")
        store = tmp_path / ("copy" if words else "store")
        if not words:
            shutil.copytree(sample_store, store)
            for left in store.glob("*.sqlite*"):  # of questions that other tests asked of the sample
                if left.name.startswith("traces"):
                    left.unlink()
        copied = set(store.rglob("*"))
        with service(store, user, *words) as served:
            served.wait()
            with served.client() as client:
                assert client.post("/v1/answers", json={"question": "where was mozart born?"}).status_code == 200
        made = [path for path in (*user.iterdir(), *store.iterdir()) if path not in copied and path.name != "log"]
        assert any(path.name == "traces.sqlite" for folder in (user, store) for path in folder.rglob("*"))
        assert readable_by_others(*made) == []


def test_answers_of_a_published_store_are_private_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "ferries.csv").write_text(FERRIES)
    with Hydra(store=tmp_path / "store", settings=Settings()) as hydra:
        hydra.load(tmp_path / "ferries.csv", extra={"entity": "ferry"})
        publish(hydra.store, f"file://{tmp_path}/published")
    address = f"file://{tmp_path}/published"
    store_path(address).mkdir(parents=True)  # as an earlier version left it
    with Hydra(store=address, settings=Settings()) as hydra:
        assert hydra.ask(QUESTION).answer_text == "Ann Lee"
    folder = store_path(address)
    assert (folder / "traces.sqlite").is_file()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert [path for path in folder.iterdir() if path.name.startswith("traces") and path.stat().st_mode & 0o077] == []
    assert LoadedFiles().path.stat().st_mode & 0o077 == 0


def test_the_folder_of_answers_of_a_server_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    _keep_apart("neo4j://localhost:7687")
    folder = store_path("neo4j://localhost:7687")
    assert readable_by_others(folder, folder.parent) == []
