"""The sample's Freebase file through load_files into a store: what is there, where it stands, and how to call it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.samples.loading import fact

from hydra_kg.errors import (
    DiskFullError,
    FormatError,
    NotFoundError,
    RejectedLinesError,
    StoreError,
    UsageError,
)
from hydra_kg.events import Event
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import batch_files, load_files
from hydra_kg.ingest.report import LoadReport
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.util.package_data import find_content
from hydra_kg_loaders.freebase.loader import FreebaseLoader

SAMPLE = find_content("sample", "freebase.nt.gz")
LINKS = [
    fact("m.02mjmr", "people.person.place_of_birth", "m.02hrh0_"),
    fact("m.02mjmr", "type.object.name", '"Barack Obama"@en'),
]


Loaded = tuple[EmbeddedStore, LoadReport, list[Event]]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    """The sample in a store of its own, the report, and every event."""
    events: list[Event] = []
    with EmbeddedStore(tmp_path_factory.mktemp("freebase") / "store") as store:
        report = load_files(store, [SAMPLE], listener=events.append)
        yield store, report, events


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    """An empty store."""
    with EmbeddedStore(tmp_path / "store") as made:
        yield made


def write(path: Path, *lines: str) -> Path:
    """A file of lines."""
    path.write_text("".join(line + "\n" for line in lines))
    return path


def test_every_line_is_accounted_for(loaded: Loaded) -> None:
    store, report, _ = loaded
    (result,) = report.loads
    with gzip.open(SAMPLE) as f:
        assert result.read == sum(1 for _ in f)
    assert result.balanced()
    assert result.rejected == {}
    kept = json.loads(json.dumps(report.to_json()))["loads"][0]
    (row,) = store.loads()
    assert (row["name"], row["state"], row["facts"]) == ("freebase", "ready", result.facts)
    for name in ("read", "kept", "dropped", "rejected", "duplicates", "rules", "files"):
        assert row["details"][name] == kept[name]


def test_the_catalog_knows_the_source(loaded: Loaded) -> None:
    store, report, _ = loaded
    with store.snapshot() as snapshot:
        (info,) = snapshot.manifest()
    (source,) = info.sources
    assert (source.name, source.kind, source.licence) == ("freebase", "kg", "CC-BY 2.5")
    assert source.checksum == report.loads[0].files[0]["sha256"]
    assert info.facts == report.loads[0].facts


def test_every_fact_stands_in_the_line_that_it_names(loaded: Loaded) -> None:
    store, _, _ = loaded
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    with store.snapshot() as snapshot:
        (topic,) = snapshot.lookup(["m.02mjmr"])
        assert topic is not None
        graph = snapshot.cut([topic], depth=2)
        links = snapshot.facts(graph.segment, graph.row)
        found = snapshot.values(graph.ids[graph.nodes].tolist())
        literals = snapshot.facts(found.segment, found.row)
    assert len(links) > 1000
    assert len(literals) > 1000
    turned = 0
    for one in links + literals:
        assert one.locator.file == "freebase.nt.gz"
        s, p, o = (
            t.removeprefix("<http://rdf.freebase.com/ns/").removesuffix(">") for t in lines[one.locator.line - 1][:3]
        )
        if one.object.startswith('"'):
            assert o.startswith(one.object.partition("^^")[0])
        elif (s, p, o) != (one.subject, one.predicate, one.object):
            assert (o, s) == (one.subject, one.object) or one.object == o.removeprefix("<")
            turned += (o, s) == (one.subject, one.object)
    assert 0 < turned < len(links)


def test_names_lead_to_entities_and_mediators_have_none(
    loaded: Loaded,
) -> None:
    store, report, _ = loaded
    with store.snapshot() as snapshot:
        ((hit, *_),) = snapshot.find(["barack obama"], limit=1)
        (entity,) = snapshot.entities([hit.node])
        assert entity.keys == ("m.02mjmr",)
        assert "base.crime.lawyer" in entity.types
        graph = snapshot.cut([hit.node], depth=1)
        mediators = graph.ids[graph.mediator]
        assert len(mediators)
        assert all(e.node.name == e.node.key for e in snapshot.entities(mediators.tolist()))
    assert report.loads[0].mediators > 1000


def test_events_tell_how_far_it_is(loaded: Loaded) -> None:
    _, _, events = loaded
    assert {e.kind for e in events} == {"load.read", "load.sort", "load.write", "load.flip"}
    for kind in ("load.read", "load.write", "load.sort", "load.flip"):
        done = [e.data["done"] for e in events if e.kind == kind]
        totals = {e.data["total"] for e in events if e.kind == kind}
        assert done == sorted(done)
        assert totals == {done[-1]}
    assert all(e.data["load"] == "freebase" for e in events)


def test_keep_reverse_keeps_both_directions(store: EmbeddedStore, tmp_path: Path) -> None:
    twin = fact("m.02hrh0_", "location.location.people_born_here", "m.02mjmr")
    file = write(tmp_path / "a.nt", *LINKS, twin)
    assert load_files(store, [file], LoadOptions(keep_reverse=True)).loads[0].links == 2
    assert load_files(store, [file], LoadOptions(replace=True)).loads[0].links == 1
    with store.snapshot() as snapshot:
        (info,) = snapshot.manifest()
        assert info.facts == 1


def test_other_facts_of_the_same_name_need_replace(store: EmbeddedStore, tmp_path: Path) -> None:
    file = write(tmp_path / "a.nt", *LINKS)
    first = load_files(store, [file]).loads[0]
    again = load_files(store, [file]).loads[0]
    assert (again.already, again.links, again.read) == (True, first.links, first.read)
    with pytest.raises(StoreError, match="loaded already"):
        load_files(store, [file], LoadOptions(limit=1))
    load_files(store, [file], LoadOptions(source="again"))
    assert sorted(row["name"] for row in store.loads()) == ["again", "freebase"]


def test_rejects_are_kept_with_the_load(store: EmbeddedStore, tmp_path: Path) -> None:
    file = write(tmp_path / "a.nt", LINKS[0], "no triple\there", LINKS[1])
    (result,) = load_files(store, [file]).loads
    assert result.rejected == {"subject": 1}
    kept = Path(result.rejects)
    assert kept.is_relative_to(store.path / "loads")
    header, row = gzip.decompress(kept.read_bytes()).decode().splitlines()
    assert header.split("\t") == ["file", "line", "reason", "character", "first bytes"]
    assert row.split("\t") == ["a.nt", "2", "subject", "0", "no triple\\there"]
    assert store.doctor() == [] or all(f.level == "note" for f in store.doctor())


def test_strict_loads_nothing_and_goes_on_without_it(store: EmbeddedStore, tmp_path: Path) -> None:
    file = write(tmp_path / "a.nt", *LINKS, "no triple")
    with pytest.raises(RejectedLinesError, match="1 lines are rejected: subject 1") as caught:
        load_files(store, [file], LoadOptions(strict=True))
    named = Path(str(caught.value).split("listed in ")[1].split(".gz")[0] + ".gz")
    assert b"no triple" in gzip.decompress(named.read_bytes())
    with store.snapshot() as snapshot:
        assert snapshot.manifest() == ()
    (result,) = load_files(store, [file]).loads
    assert "read" in result.resumed
    assert result.links == 1


def test_a_dry_run_says_what_it_would_take_and_does_nothing(store: EmbeddedStore) -> None:
    report = load_files(store, [SAMPLE], LoadOptions(dry_run=True))
    expected = report.loads[0].forecast
    real = 89_883
    assert abs(expected["lines"] - real) < 0.1 * real
    assert expected["seconds"] > 0
    assert expected["bytes_store"] > 1e6
    assert store.loads() == []
    assert report.to_json()["dry_run"] is True


def test_a_disk_that_is_too_small_is_said_before_anything_starts(
    store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FreebaseLoader, "disk_per_byte", 1e12)
    with pytest.raises(DiskFullError, match="GB are free"):
        load_files(store, [SAMPLE])
    with store.snapshot() as snapshot:
        assert snapshot.manifest() == ()


def test_the_limit_of_memory_changes_nothing(store: EmbeddedStore, loaded: Loaded) -> None:
    (result,) = load_files(store, [SAMPLE], LoadOptions(memory="100MB", threads=1)).loads
    full = loaded[1].loads[0]
    assert (result.kept, result.duplicates, result.nodes) == (full.kept, full.duplicates, full.nodes)
    with store.snapshot() as mine, loaded[0].snapshot() as theirs:
        assert mine.manifest()[0].checksum == theirs.manifest()[0].checksum
        assert np.array_equal(mine.predicates().ids, theirs.predicates().ids)


def test_wrong_calls(store: EmbeddedStore, tmp_path: Path) -> None:
    file = write(tmp_path / "a.nt", *LINKS)
    text = write(tmp_path / "a.log", "Dear diary,")
    with pytest.raises(NotFoundError, match="no file"):
        load_files(store, [tmp_path / "nothing.nt"])
    with pytest.raises(FormatError, match="not recognised"):
        load_files(store, [text])
    with pytest.raises(UsageError, match="no format 'xyz'"):
        load_files(store, [file], LoadOptions(format="xyz"))
    with pytest.raises(UsageError, match="no rule xyz"):
        load_files(store, [file], LoadOptions(rules={"xyz": True}))
    with pytest.raises(UsageError, match="No files"):
        load_files(store, [])
    with pytest.raises(UsageError, match="several formats"):
        load_files(store, [file, find_content("sample", "wikidata.nt.gz")], LoadOptions(source="mine"))
    assert store.loads() == []


def test_inferred_types_never_count(tmp_path: Path) -> None:
    """A file of nothing but types is a source of its own, of kind derived; other files are Freebase."""
    types = tmp_path / "types.nt"
    types.write_text(
        "".join(
            fact(f"m.0{c}{d}", "type.object.type", "people.person") + "\n" for c in "bcdfghjklmn" for d in "bcdfghjklmn"
        )
    )
    plain = tmp_path / "plain.nt"
    plain.write_text(types.read_text() + fact("m.0bb", "type.object.name", '"x"@en') + "\n")
    (derived,), (asserted,) = (batch_files([file]) for file in (types, plain))
    assert (derived.source.name, derived.source.kind, derived.source.rho) == ("freebase_types_derived", "derived", 0.0)
    assert (asserted.source.name, asserted.source.kind) == ("freebase", "kg")
