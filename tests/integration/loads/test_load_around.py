"""``--around``: what is asked around the ids is the same as on the whole, and lines keep their numbers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from helpers.samples.loading import fact

from hydra_kg.domain import Hops
from hydra_kg.errors import LoadError, NotFoundError, UsageError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.ingest.neighbourhood.ball import Ball
from hydra_kg.ingest.report import LoadReport
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.util.package_data import find_content

FILES = [find_content("sample", name) for name in ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz")]
ALL = {"hub_cap": "0"}

Seen = tuple[set[tuple[str, ...]], set[tuple[object, ...]]]


def load(folder: Path, files: Sequence[Path], extra: Mapping[str, str] | None = None) -> LoadReport:
    with EmbeddedStore(folder) as store:
        return load_files(store, files, LoadOptions(extra=extra or {}))


def seen(folder: Path, keys: Sequence[str], depth: int, hops: Hops = "entity") -> Seen:
    """Facts of a cut with their places, and everything that is said about its nodes."""
    with EmbeddedStore(folder) as store, store.snapshot() as snapshot:
        topics = [node for node in snapshot.lookup(keys) if node is not None]
        cut = snapshot.cut(topics, depth=depth, hops=hops)
        nodes = [int(n) for n in cut.ids[cut.nodes]]
        values = snapshot.values(nodes)
        facts = [*snapshot.facts(cut.segment, cut.row), *snapshot.facts(values.segment, values.row)]
        said = {(f.subject, f.predicate, f.object, f.source.name, str(f.locator)) for f in facts}
        entities = snapshot.entities(nodes)
        return said, {(e.node.name, e.aliases, e.types, e.description, e.mediator) for e in entities}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "store"
    load(folder, FILES)
    return folder


@pytest.mark.parametrize("keys, hops", [(["Q615", "m.0c_md_"], 1), (["m.0c_md_"], 2)])
def test_the_cut_is_the_one_of_the_whole(tmp_path: Path, whole: Path, keys: list[str], hops: int) -> None:
    report = load(tmp_path / "part", FILES, {"around": ",".join(keys), "hops": str(hops), **ALL})
    full = {name.name: name for name in report.loads}
    assert all(part.balanced() for part in report.loads)
    assert full["freebase"].dropped["around"] > 0
    expected = seen(whole, keys, hops)
    assert expected[0]
    assert seen(tmp_path / "part", keys, hops) == expected
    assert seen(tmp_path / "part", keys, hops, "paper") == seen(whole, keys, hops, "paper")


def write(folder: Path, lines: Sequence[str]) -> Path:
    file = folder / "dump.nt.gz"
    file.write_bytes(gzip.compress("".join(line + "\n" for line in lines).encode()))
    return file


CHAIN = [fact(f"m.0{a}", "people.person.place_of_birth", f"m.0{b}") for a, b in ("ab", "bc", "cd", "df")]
NAMES = [fact(f"m.0{c}", "type.object.name", f'"{c}"@en') for c in "abcdf"]


def test_lines_that_are_odd_or_no_triples_are_judged_all_the_same(tmp_path: Path) -> None:
    odd = (
        "<http://rdf.freebase.com/ns/m.0a>   <http://rdf.freebase.com/ns/people.person.place_of_birth>"
        " <http://rdf.freebase.com/ns/m.0g> . # odd"
    )
    far = odd.replace("m.0a", "m.0d")
    file = write(tmp_path, [*CHAIN, "nonsense", odd, far, "", "nul \0 here", *NAMES])
    (part,) = load(tmp_path / "part", [file], {"around": "m.0a", "hops": "1"}).loads
    assert part.balanced()
    assert sum(part.rejected.values()) == 2
    found = {(frozenset(f[:3:2]), f[4]) for f in seen(tmp_path / "part", ["m.0a"], 1)[0]}
    assert found == {(frozenset({"m.0a", "m.0b"}), "dump.nt.gz:1"), (frozenset({"m.0a", "m.0g"}), "dump.nt.gz:6")}


def test_hubs_are_kept_and_not_gone_through(tmp_path: Path) -> None:
    born = [fact(f"m.0b{n}", "people.person.place_of_birth", "m.0b") for n in "123456789"]
    file = write(tmp_path, [*CHAIN, *born, *NAMES])
    for cap, nodes in (("5", 2), ("0", 12)):
        load(tmp_path / cap, [file], {"around": "m.0a", "hops": "2", "hub_cap": cap})
        with EmbeddedStore(tmp_path / cap) as store:
            assert store.loads()[0]["counts"]["nodes"] == nodes


def test_ids_that_are_unknown_and_balls_too_large_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, [*CHAIN, *NAMES])
    with pytest.raises(NotFoundError, match=r"m\.0zzz"):
        load(tmp_path / "none", [file], {"around": "m.0zzz"})
    with pytest.raises(UsageError):
        load(tmp_path / "empty", [file], {"around": " , "})
    (tmp_path / "t.csv").write_text("name,x\na,1\nb,2\n")
    with pytest.raises(UsageError, match="tables"):
        load(tmp_path / "table", [tmp_path / "t.csv"], {"around": "m.0a"})
    monkeypatch.setattr(Ball.__init__, "__kwdefaults__", {"hub": 0, "most": 2})
    with pytest.raises(LoadError, match="More than 2 ids"):
        load(tmp_path / "large", [file], {"around": "m.0a", "hops": "2"})


def test_a_forecast_reads_a_sample_and_loads_nothing(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "store") as store:
        report = load_files(store, FILES, LoadOptions(extra={"around": "m.04ltf"}, dry_run=True))
        assert [part.forecast["passes"] for part in report.loads] == [2, 2, 2]
        assert store.loads() == []


def test_entities_of_a_json_dump_are_kept_whole_and_link_only_what_is_kept(tmp_path: Path) -> None:
    def entity(number: int, *objects: int) -> str:
        claims = [
            {
                "id": f"Q{number}$p{o}",
                "rank": "normal",
                "mainsnak": {
                    "snaktype": "value",
                    "property": "P40",
                    "datavalue": {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": f"Q{o}"}},
                },
            }
            for o in objects
        ]
        labels = {"en": {"language": "en", "value": f"n{number}"}}
        doc = {"type": "item", "id": f"Q{number}", "labels": labels, "claims": {"P40": claims} if claims else {}}
        return json.dumps(doc) + ","

    lines = ["[", entity(1, 2), entity(2, 3), entity(3, 4), entity(4, 5), "{broken", "]"]
    file = tmp_path / "latest-all.json.gz"
    file.write_bytes(gzip.compress("\n".join(lines).encode()))
    (part,) = load(tmp_path / "part", [file], {"around": "Q1", "hops": "2"}).loads
    assert part.balanced()
    assert (part.kept["entities"], part.links, sum(part.rejected.values())) == (3, 2, 1)
    found = {(f[0], f[2]) for f in seen(tmp_path / "part", ["Q1"], 2)[0]}
    assert found == {("Q1", "Q2"), ("Q2", "Q3")}


def test_a_part_that_was_killed_goes_on(tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extra = {"around": "m.04ltf", "hops": "1", **ALL}
    with monkeypatch.context() as patch:
        patch.setattr(
            "hydra_kg_loaders.freebase.loader.FreebaseLoader.clean", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        with pytest.raises(KeyboardInterrupt):
            load(tmp_path / "part", FILES, extra)
    report = load(tmp_path / "part", FILES, extra)
    assert report.loads[0].resumed == ("read",)
    assert seen(tmp_path / "part", ["m.04ltf"], 1) == seen(whole, ["m.04ltf"], 1)
