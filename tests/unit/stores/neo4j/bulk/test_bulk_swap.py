"""A swap of data folders that was cut off leaves the old or the new one, and the next start settles which."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg.errors import StoreError, UsageError
from hydra_kg.stores.neo4j.bulk.bulk_choice import Forecast
from hydra_kg.stores.neo4j.bulk.import_tool import stop_import
from hydra_kg.stores.neo4j.connection.local_home import Home
from hydra_kg.stores.neo4j.local_server import java
from hydra_kg.stores.neo4j.local_server.server import LocalServer


def folder(path: Path, text: str) -> Path:
    path.mkdir(parents=True)
    (path / "store").write_text(text)
    return path


def begun(server: LocalServer, monkeypatch: pytest.MonkeyPatch, *, broken: str = "") -> list[str]:
    """What the server is started on, as it comes; it does not start on ``broken``."""
    seen: list[str] = []

    def begin(*_: object, **__: object) -> object:
        seen.append((server.home.data / "store").read_text())
        if seen[-1] == broken:
            raise StoreError("no", remedy="")
        return server.status()

    monkeypatch.setattr(server, "_begin", begin)
    return seen


@pytest.mark.parametrize("old,new,left", [("old", "", "old"), ("old", "new", "new"), ("", "new", "new")])
def test_what_a_cut_off_swap_leaves(tmp_path: Path, old: str, new: str, left: str) -> None:
    home = Home(tmp_path)
    if old:
        folder(home.old_data, old)
    if new:
        folder(home.data, new)
    home.settle()
    assert (home.data / "store").read_text() == left
    assert not home.old_data.exists()


def test_a_server_that_does_not_start_on_the_new_data_gets_the_old_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path / "home")
    home.make()
    folder(home.data, "old")
    new = folder(tmp_path / "home" / "bulk" / "new", "new")
    server = LocalServer(home)
    seen = begun(server, monkeypatch, broken="new")
    with pytest.raises(StoreError):
        server.exchange(new)
    assert seen == ["new", "old"]
    assert (home.data / "store").read_text() == "old"
    assert (new / "store").read_text() == "new"


def test_a_folder_that_cannot_be_moved_leaves_the_old_server_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path / "home")
    home.make()
    folder(home.data, "old")
    server = LocalServer(home)
    seen = begun(server, monkeypatch)
    with pytest.raises(StoreError, match="the old one is in force"):
        server.exchange(tmp_path / "nowhere")
    assert seen == ["old"]
    assert not home.old_data.exists()


def test_users_and_passwords_are_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path / "home")
    home.make()
    folder(home.data / "databases" / "system", "old users")
    new = folder(tmp_path / "new", "new")
    folder(new / "databases" / "system", "fresh users")
    server = LocalServer(home)
    monkeypatch.setattr(server, "_begin", lambda *_, **__: server.status())
    server.exchange(new, keep=("databases/system", "transactions/system"))
    assert (home.data / "databases" / "system" / "store").read_text() == "old users"
    assert (home.data / "store").read_text() == "new"
    assert not home.old_data.exists()


def test_a_process_that_is_not_the_import_is_left_alone(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.make()
    (home.run / "import.pid").write_text("1\n")
    stop_import(home)


def test_the_quicker_way_is_taken() -> None:
    assert Forecast(new=1_000, there=5_000_000, read_back=0, possible=True).way == "online"
    assert Forecast(new=5_000_000, there=1_000_000, read_back=0, possible=True).way == "import"
    assert Forecast(new=5_000_000, there=9_000_000, read_back=9_000_000, possible=False).way == "online"


def test_java_is_only_asked_for_where_it_is_needed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(java, "find_java", lambda: pytest.fail("Java was looked for"))
    monkeypatch.setenv("HYDRA_NEO4J_HOME", str(tmp_path))
    from hydra_kg.stores.neo4j.bulk.bulk_choice import bulk_load

    with pytest.raises(UsageError, match="hydra-kg up"):
        bulk_load(
            "neo4j://elsewhere.invalid", lambda *_: None, expected=lambda _: 0, way="import", listener=print, tell=print
        )
