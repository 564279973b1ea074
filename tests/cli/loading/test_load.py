"""hydra-kg load, sources and db: every line accounted for, seen at once, dropped cleanly."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys

import pytest

from hydra_kg.cli.loading.reconciliation import reconciliation_lines
from hydra_kg.cli.progress import PlainProgress, clock
from hydra_kg.events import Event
from hydra_kg.util.package_data import find_content

LINK = "<http://rdf.freebase.com/ns/m.0{}>\t<http://rdf.freebase.com/ns/people.person.place_of_birth>\t<http://rdf.freebase.com/ns/m.0{}>\t.\n"
NAME = '<http://rdf.freebase.com/ns/m.0{}>\t<http://rdf.freebase.com/ns/type.object.name>\t"{}"@{}\t.\n'


@pytest.fixture
def dump(tmp_path):
    """Two links (one of them twice), two names to keep, one of another language, one line that is none."""
    path = tmp_path / "tiny.nt.gz"
    lines = [
        LINK.format("a1", "b1"),
        LINK.format("a1", "b1"),
        LINK.format("a2", "b2"),
        NAME.format("a1", "Ann", "en"),
        NAME.format("b1", "Bath", "en"),
        NAME.format("a1", "Anne", "fr"),
        "this is no triple\n",
    ]
    path.write_bytes(gzip.compress("".join(lines).encode()))
    return path


@pytest.mark.slow
def test_libraries_report_nothing_when_the_process_ends(program, tmp_path):
    (tmp_path / "boats.csv").write_text("boat,port\nAda,Hull\nEda,Bath\n", "utf-8")
    loaded = program("load", "boats.csv", "--store", "s", "--yes")
    assert (loaded.returncode, loaded.stderr.splitlines()[-1]) == (0, "boats: flip: 100 %")  # duckdb counts its leaks


def test_load_reconciles_every_line(call, tmp_path, dump):
    report = json.loads(call("load", dump, "--as", "freebase", "--store", tmp_path / "s", "--json").stdout)
    (load,) = report["loads"]
    assert load["read"] == 7 == sum(sum(load[k].values()) for k in ("kept", "dropped", "rejected", "duplicates"))
    assert (sum(load["rejected"].values()), load["duplicates"], load["dropped"]) == (1, {"links": 1}, {"language": 1})


def test_load_prints_the_table_and_progress_apart(call, tmp_path, dump):
    result = call("load", dump, "--as", "freebase", "--store", tmp_path / "s")
    assert "lines read" in result.stdout
    assert "language" in result.stdout
    assert "Loading into" in result.stderr
    assert "Loading into" not in result.stdout


def test_a_rule_is_switched(call, tmp_path, dump):
    words = ("load", dump, "--as", "freebase", "--store", tmp_path / "s", "--rule", "language=off", "--json")
    assert json.loads(call(*words).stdout)["loads"][0]["dropped"] == {}
    assert "NAME=on" in call("load", dump, "--rule", "language", code=2).stderr
    assert "no rule nonsense" in call("load", dump, "--as", "freebase", "--rule", "nonsense=off", code=2).stderr


def test_rules_are_explained(call):
    text = call("load", "--list-rules").output
    assert "freebase" in text
    assert "language" in text


def test_strict_loads_nothing_and_is_exit_status_1(call, tmp_path, dump):
    result = call("load", dump, "--as", "freebase", "--strict", "--store", tmp_path / "s", code=1)
    assert "Traceback" not in result.stderr
    assert (
        "Nothing is loaded" in call("sources", "list", "--store", tmp_path / "s").output
        or "ready" not in call("sources", "list", "--store", tmp_path / "s").output
    )


def test_dry_run_loads_nothing(call, tmp_path, dump):
    result = call("load", dump, "--as", "freebase", "--dry-run", "--store", tmp_path / "s")
    assert "Would load" in result.stderr
    assert result.stdout.strip()
    assert not (tmp_path / "s" / "catalog.sqlite").exists(), "not even a store"


def test_the_same_source_twice_is_loaded_once_and_another_wants_replace(call, tmp_path, dump):
    words = ("load", dump, "--as", "freebase", "--store", tmp_path / "s")
    call(*words)
    assert "nothing was done. --replace loads it again" in call(*words).stdout
    assert "--replace" in call(*words, "--rule", "language=off", code=1).stderr
    call(*words, "--replace")
    loads = json.loads(call("sources", "list", "--store", tmp_path / "s", "--json").output)
    assert [load["state"] for load in loads] == ["ready"]


def test_wrong_files_are_said(call, tmp_path):
    assert call("load", tmp_path / "nothing.nt", code=2)
    (tmp_path / "x.bin").write_bytes(b"\x00\x01\x02" * 100)
    result = call("load", tmp_path / "x.bin", "--store", tmp_path / "s", code=1)
    assert "--as" in result.stderr


def test_sources_are_listed_with_kind_and_licence(call, sample_store):
    text = call("sources", "list", "--store", sample_store).output
    for word in ("freebase", "wikidata", "ready", "kg", "wiki"):
        assert word in text


def test_a_source_shows_what_became_of_its_lines(call, sample_store):
    text = call("sources", "show", "freebase", "--store", sample_store).output
    assert "lines read" in text
    assert "dropped" in text
    with gzip.open(find_content("sample", "freebase.nt.gz")) as file:
        assert f"{sum(1 for _ in file):,}" in text
    assert (
        json.loads(call("sources", "show", "freebase", "--store", sample_store, "--json").output)["name"] == "freebase"
    )
    assert "sources list" in call("sources", "show", "nothing", "--store", sample_store, code=1).stderr


def test_dropping_asks_first_and_leaves_the_rest(call, sample_store, tmp_path):
    shutil.copytree(sample_store, tmp_path / "s")
    words = ("sources", "drop", "wikidata", "--store", tmp_path / "s")
    assert "Aborted" in call(*words, input="n\n", code=1).stderr
    assert "wikidata" in call("sources", "list", "--store", tmp_path / "s").output
    assert "Dropped wikidata" in call(*words, "--yes").output
    left = call("sources", "list", "--store", tmp_path / "s").output
    assert "wikidata" not in left
    assert "freebase" in left
    assert call("ask", "Where was Lionel Messi born?", "--store", tmp_path / "s").output.startswith("Rosario")


def test_status_and_doctor(call, sample_store, tmp_path):
    doc = json.loads(call("db", "status", "--store", sample_store, "--json").output)
    assert doc["ready"] == 4
    assert doc["facts"] > 50_000
    assert "4 (" in call("db", "status", "--store", sample_store).output
    assert not [
        f for f in json.loads(call("db", "doctor", "--store", sample_store, "--json").output) if f["level"] == "error"
    ]
    shutil.copytree(sample_store, tmp_path / "s")
    victim = max((tmp_path / "s" / "loads").rglob("*.npy"), key=lambda p: p.stat().st_size)
    victim.write_bytes(victim.read_bytes()[:-8])
    result = call("db", "doctor", "--store", tmp_path / "s", code=1)
    assert "error: " in result.output
    assert "Traceback" not in result.output


def test_reconciliation_lines_up():
    report = {
        "read": 1000,
        "kept": {"links": 600, "names": 100},
        "dropped": {"language": 200, "schema": 49},
        "rejected": {"no triple": 1},
        "duplicates": {"links": 50},
    }
    assert list(reconciliation_lines(report)) == [
        "lines read     1,000",
        "  kept           700  70.0 %",
        "    links        600  60.0 %",
        "    names        100  10.0 %",
        "  dropped        249  24.9 %",
        "    language     200  20.0 %",
        "    schema        49   4.9 %",
        "  rejected         1   0.1 %",
        "    no triple      1   0.1 %",
        "  duplicates      50   5.0 %",
        "    links         50   5.0 %",
    ]


def read(done: int, seconds: float) -> Event:
    return Event(
        "load.read", {"load": "tiny", "done": done, "total": 1000, "rate": 2e6, "unit": "bytes", "eta": 61}, seconds
    )


def test_progress_in_a_log_is_a_few_lines():
    lines: list[str] = []
    listen = PlainProgress(lines.append)
    for i in range(1001):
        listen(read(i, i / 100))
    listen(Event("load.flip", {"load": "tiny"}))
    assert lines == [*(f"tiny: read: {p} %, 2.0 MB/s, 1:01 left" for p in (25, 50, 75, 100)), "tiny: flip"]
    assert clock(3723) == "1:02:03"


def test_progress_of_a_short_load_is_a_line_a_phase():
    lines: list[str] = []
    listen = PlainProgress(lines.append)
    for i in range(1001):
        listen(read(i, i / 10_000))
    assert lines == ["tiny: read: 100 %, 2.0 MB/s, 1:01 left"]


def test_a_rate_is_told_when_there_was_time_to_measure_it():
    lines: list[str] = []
    listen = PlainProgress(lines.append)
    listen(Event("copy.facts", {"name": "a", "done": 5, "total": 5, "unit": "facts", "rate": 231_195_668_170}, 1e-9))
    assert lines == ["a: facts: 100 %"]


def test_a_language_that_no_label_has_is_told_with_those_that_are_there(call, tmp_path):
    item = "<http://www.wikidata.org/entity/Q{}>"
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    lines = [f'{item.format(n)} {label} "Name {n}"@{tag} .' for n in range(1, 30) for tag in ("en", "fr")]
    spouse = "<http://www.wikidata.org/prop/direct/P26>"
    lines += [f"{item.format(n)} {spouse} {item.format(n + 1)} ." for n in range(1, 29)]
    (tmp_path / "dump.nt").write_text("\n".join(lines) + "\n")
    words = ("load", tmp_path / "dump.nt", "--as", "wikidata_nt", "--store")
    asked = call(*words, tmp_path / "a", "--language", "de")
    assert "has no name in de" in asked.stderr
    assert "The texts are in en, fr." in asked.stderr
    plain = call(*words, tmp_path / "b")
    assert "warning" not in plain.stderr


def test_a_file_of_empty_lines_is_refused_at_once(call, tmp_path):
    (tmp_path / "empty.nt.gz").write_bytes(gzip.compress(b"\n" * (8 << 20)))
    for words in ([], ["--as", "freebase"]):
        done = call("load", tmp_path / "empty.nt.gz", "--store", tmp_path / "store", *words, code=1)
        assert "nothing but empty lines" in done.stderr


def test_from_standard_input(tmp_path, dump):
    """A pipe is loaded like a file, packed or not, and its lines are those of stdin."""
    command = [sys.executable, "-m", "hydra_kg", "load", "-", "--as", "freebase", "--json", "--store"]
    packed = subprocess.run([*command, tmp_path / "a"], input=dump.read_bytes(), capture_output=True, check=True)
    plain = subprocess.run(
        [*command, tmp_path / "b"], input=gzip.decompress(dump.read_bytes()), capture_output=True, check=True
    )
    loads = [json.loads(done.stdout)["loads"][0] for done in (packed, plain)]
    assert [load["kept"] for load in loads] == [{"links": 2, "names": 2}] * 2
    assert [load["files"][0]["name"] for load in loads] == ["stdin", "stdin"]
    assert not [f for f in tmp_path.rglob("*stdin*") if f.is_dir()]


def test_a_truncated_archive_says_how_far_it_got(call, tmp_path):
    """With what to do."""
    path = tmp_path / "cut.nt.gz"
    lines = "".join(LINK.format(f"b{n}", f"c{n}") for n in range(20_000))
    path.write_bytes(gzip.compress(lines.encode())[:-5000])
    result = call("load", path, "--store", tmp_path / "s", code=1)
    assert "cut.nt.gz is damaged: it ends in the middle" in result.stderr
    assert "last whole line is number" in result.stderr
    assert "--limit" in result.stderr


def test_no_network_forbids_databases_too(call, tmp_path):
    words = ("load", "postgresql://reader:secret@localhost:1/shop", "--store", str(tmp_path / "store"))
    said = call(*words, "--no-network", code=1).stderr
    assert "shop is the address of a database, and --no-network forbids" in said
    assert "secret" not in said


def test_a_load_with_too_little_memory_says_how_to_give_more(call, tmp_path):
    words = ("load", str(find_content("sample", "freebase.nt.gz")), "--store", str(tmp_path / "store"))
    assert "--memory 2GB" in call(*words, "--memory", "1MB", code=1).stderr
    assert "not a size" in call(*words, "--memory", "much", code=2).stderr
    call(*words, "--memory", "200MB")
