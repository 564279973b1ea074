"""What is decided before a local server is started: places, ports, memory, settings, the word file of secrets."""

from __future__ import annotations

import json
import os
import re
import socket
import stat
from pathlib import Path

import pytest
from helpers.servers import neo4j_server

from hydra_kg.errors import StoreError, UsageError
from hydra_kg.stores.neo4j.connection.connect import address, credentials, database, is_local
from hydra_kg.stores.neo4j.connection.hydra_labels import CHAIN, LABELS
from hydra_kg.stores.neo4j.connection.local_home import Home, ServerInstance, get_default_home
from hydra_kg.stores.neo4j.connection.migrations import Migration, find_needed_migrations, migrations
from hydra_kg.stores.neo4j.local_server import compose, conf, java
from hydra_kg.stores.neo4j.local_server.java import ensure_jars
from hydra_kg.util.package_data import find_content, names

INSTANCE = ServerInstance("local", 17687, 17474, 512, 128)


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch, tmp_path):
    for name in neo4j_server.NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def test_a_home_is_in_the_data_folder_or_where_it_is_said_to_be(monkeypatch, tmp_path):
    assert get_default_home().root == tmp_path / "data" / "hydra-kg" / "neo4j"
    monkeypatch.setenv("HYDRA_NEO4J_HOME", str(tmp_path / "other"))
    assert get_default_home().root == tmp_path / "other"


def test_a_password_is_made_once_and_private_whatever_the_umask(tmp_path):
    home = Home(tmp_path / "home")
    before = os.umask(0)
    try:
        home.make()
        made = home.make_password()
    finally:
        os.umask(before)
    assert home.make_password() == home.password() == made
    assert stat.S_IMODE(home.password_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700


def test_a_folder_that_java_would_read_as_two_is_refused(tmp_path):
    with pytest.raises(UsageError, match="two folders"):
        Home(tmp_path / "a:b").make()


def test_the_local_server_is_known_by_its_port(monkeypatch):
    with pytest.raises(UsageError, match="hydra-kg up"):
        address()
    home = get_default_home()
    home.make()
    home.remember(INSTANCE)
    home.make_password()
    assert address() == "neo4j://localhost:17687"
    assert is_local("bolt://127.0.0.1:17687")
    assert not is_local("bolt://127.0.0.1:7687")
    assert not is_local("bolt://example.org:17687")
    assert database("neo4j://localhost:17687") == "neo4j"
    assert database("neo4j://example.org") is None
    assert credentials("neo4j://localhost:17687").password == home.password()
    with pytest.raises(UsageError, match="NEO4J_PASSWORD"):  # another server never sees this password
        credentials("neo4j://example.org:17687")
    monkeypatch.setenv("NEO4J_PASSWORD", "another")
    assert credentials("neo4j://localhost:17687").password == "another"


def test_a_damaged_record_of_the_last_start_says_what_to_do(tmp_path):
    home = Home(tmp_path)
    home.remember(INSTANCE)
    assert home.instance() == INSTANCE
    home.instance_file.write_text("{")
    with pytest.raises(StoreError, match="Remove it"):
        home.instance()


def test_settings_close_the_server_and_own_ones_win(tmp_path):
    home = Home(tmp_path)
    home.make()
    (home.conf / "custom.conf").write_text("# mine\nserver.memory.pagecache.size=9g\ndb.transaction.timeout=60s\n")
    conf.write_conf(home, INSTANCE)
    lines = (home.conf / "neo4j.conf").read_text().splitlines()
    settings = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    assert len(settings) == len([line for line in lines if "=" in line])  # Neo4j refuses a setting that stands twice
    assert settings["server.memory.pagecache.size"] == "9g"
    assert settings["db.transaction.timeout"] == "60s"
    assert settings["server.bolt.listen_address"] == "127.0.0.1:17687"
    assert settings["dbms.security.auth_enabled"] == "true"
    assert settings["dbms.usage_report.enabled"] == settings["client.allow_telemetry"] == "false"
    style, config = settings["browser.post_connect_cmd"].split("; ")
    assert json.loads(style.removeprefix("style "))["node.HydraEntity"]["caption"] == "{name}"
    assert json.loads(config.removeprefix("config ")) == {"autoComplete": False, "playImplicitInitCommands": False}


def test_options_of_ones_own_reach_java(tmp_path):
    home = Home(tmp_path)
    home.make()
    own = ["-XX:TieredStopAtLevel=1", "-Dmine=a=b"]
    (home.conf / "custom.conf").write_text("".join(f"server.jvm.additional={option}\n" for option in own))
    conf.write_conf(home, INSTANCE)
    assert (home.conf / "neo4j.conf").read_text().splitlines()[-2:] == [f"server.jvm.additional={x}" for x in own]
    found = java.Java("java", 17)
    for command, main in (
        (java.server_command(found, home, INSTANCE), "org.neo4j.server.CommunityEntryPoint"),
        (java.admin(found, home, "--version"), "org.neo4j.cli.AdminTool"),
    ):
        before = command[: command.index(main)]
        assert [option for option in own if option in before] == own


def test_a_free_port_is_free_and_none_that_is_spoken_for():
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        assert not conf.is_free(taken)
        assert conf.free_port(taken) != taken
    free = conf.free_port(0)
    assert conf.free_port(free) == free
    assert conf.free_port(free, reserved=frozenset({free})) != free


def test_memory_stays_within_its_bounds(monkeypatch):
    for mib, heap, pages in ((1024, 512, 128), (8192, 1024, 1024), (262144, 2048, 4096)):
        monkeypatch.setattr(conf, "memory_mib", lambda mib=mib: mib)
        assert (conf.get_default_heap(), conf.get_default_page_cache()) == (heap, pages)


def test_secret_words_reach_java_through_a_file_of_ours_alone(tmp_path):
    seen = tmp_path / "seen"
    script = tmp_path / "java"
    script.write_text(
        f'#!/bin/sh\necho "$@" > "{seen}"\nstat -c %a "${{1#@}}" >> "{seen}"\ncat "${{1#@}}" >> "{seen}"\n'
    )
    script.chmod(0o755)
    home = Home(tmp_path / "home")
    home.make()
    java.run_admin_secretly(java.Java(str(script), 17), home, ["dbms", "set-initial-password", 'can"ary\\'])
    arguments, mode, *words = seen.read_text().splitlines()
    assert "ary" not in arguments
    assert mode == "600"
    assert words[-3:] == ['"dbms"', '"set-initial-password"', '"can\\"ary\\\\"']
    assert list(home.run.iterdir()) == []


def test_no_key_of_the_shell_reaches_the_server(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    assert "canary" not in java.environment(Home(tmp_path)).values()


def test_maven_is_told_of_a_java_that_is_not_on_the_path(monkeypatch, tmp_path):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "mvn").write_text('#!/bin/sh\necho "[ERROR] $JAVA_HOME"\nexit 1\n')
    (tmp_path / "mvn").chmod(0o755)
    home = Home(tmp_path / "home")
    home.make()
    with pytest.raises(StoreError, match=f"Maven failed: .ERROR. {tmp_path}/jdk\n"):
        ensure_jars(home, java=str(tmp_path / "jdk" / "bin" / "java"), tell=lambda _: None)


def engine(folder: Path, text: str) -> None:
    (folder / "docker").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "docker").chmod(0o755)


def test_an_engine_counts_only_if_it_answers_and_knows_compose(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert compose.engine() is None
    engine(tmp_path, "echo 'Cannot connect to the Docker daemon' >&2")
    assert compose.engine() is None
    engine(tmp_path, '[ "$1" = info ]')
    assert compose.engine() is None
    engine(tmp_path, "exit 0")
    assert compose.engine() == "docker"


def test_compose_gets_the_password_in_a_file_and_its_errors_are_told(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    engine(tmp_path, f'echo "$@" > {tmp_path}/words; cat "$HYDRA_NEO4J_AUTH_FILE" > {tmp_path}/auth')
    home = Home(tmp_path / "home")
    instance = compose.up(home, engine="docker", bolt=17687, http=17474, tell=lambda _: None)
    assert (instance.kind, instance.uri) == ("compose", "neo4j://localhost:17687")
    assert (tmp_path / "auth").read_text() == f"neo4j/{home.password()}"
    assert stat.S_IMODE((home.run / "auth").stat().st_mode) == 0o600
    words = (tmp_path / "words").read_text()
    assert words.endswith("compose.yaml up --detach --wait neo4j\n")
    assert str(home.password()) not in words
    engine(tmp_path, "echo no such image >&2; exit 1")
    with pytest.raises(StoreError, match="no such image"):
        compose.up(home, engine="docker", tell=lambda _: None)


def test_a_checksum_is_over_the_statements():
    one = Migration("0001", "V0001__say_what.cypher", ("1234", "56789"))
    assert one.description == "say what"
    assert one.checksum == "3421780262"  # the check value of CRC-32
    assert all(m.statements and not any(s.startswith("//") for s in m.statements) for m in migrations())


@pytest.mark.parametrize(
    "ci, required, outcome",
    [
        ("", "", pytest.skip.Exception),
        ("true", "0", pytest.skip.Exception),
        ("true", "", pytest.fail.Exception),
    ],
)
def test_a_missing_server_is_loud_and_fails_where_it_was_asked_for(monkeypatch, capsys, ci, required, outcome):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("HYDRA_REQUIRE_NEO4J", required)
    with pytest.raises(outcome, match="no Neo4j server for the tests: no Java"):
        neo4j_server.missing("no Java")
    assert ("NOT TESTED" in capsys.readouterr().out) is (outcome is pytest.skip.Exception)


def test_queries_name_no_label_that_others_may_have():
    seen = set()
    for name in names("cypher", suffix=".cypher"):
        text = find_content("cypher", name).read_text("utf-8")
        found = re.findall(r"\(\w*:([\w|]+)|(?:SET|REMOVE) \w+:(\w+)|(?<=WHERE )\w+:(\w+)|OR \(?\w+:(\w+)", text)
        seen |= {label for row in found for group in row for label in group.split("|") if label}
    assert len(seen) > 20
    assert seen <= {*LABELS, *CHAIN}


def test_a_database_begins_with_the_whole_schema_or_goes_on_where_it_was():
    known = [Migration(f"000{i}", f"{kind}000{i}__x.cypher", ("RETURN 1",)) for i, kind in enumerate("VVBVBV", 1)]
    assert [m.version for m in find_needed_migrations(known, set())] == ["0005", "0006"]
    assert [m.version for m in find_needed_migrations(known, {"0005"})] == ["0005", "0006"]
    assert [m.version for m in find_needed_migrations(known, {"0003", "0004"})] == ["0003", "0004", "0005", "0006"]
    assert find_needed_migrations(known, {"0001"}) == find_needed_migrations(known, {"0002"}) == known
    assert find_needed_migrations(known[:2], set()) == known[:2]
