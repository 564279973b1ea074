"""A loader of one generator: every line accounted for, provenance by line, values and times, what goes wrong."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from hydra_kg.domain import Source
from hydra_kg.errors import FormatError, LoadError, UsageError
from hydra_kg.ingest.contract.choices import LoadOptions, Rule
from hydra_kg.ingest.contract.loader_records import DroppedLine, Labels, LoaderRecord, RejectedLine, StatedFact, Year
from hydra_kg.ingest.contract.statement_loader import LoadedFile, StatementLoader
from hydra_kg.ingest.load import load_files
from hydra_kg.ingest.report import LoadResult
from hydra_kg.stores.embedded.store import EmbeddedStore


class Triples(StatementLoader):
    """Tab-separated subject, relation and object; ``#`` begins a comment, ``!`` what is left out by a rule."""

    name = "triples"
    source = Source("triples", "table")
    suffixes = (".triples",)
    rules = {"marked": Rule("drop lines that are marked")}

    def statements(self, file: LoadedFile) -> Iterator[LoaderRecord]:
        """One fact a line."""
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if line.startswith("!") and file.rules["marked"]:
                yield DroppedLine("marked")
            elif len(cells) == 3:
                yield StatedFact(*cells)
            elif line.strip() and not line.startswith("#"):
                yield StatedFact("half", "of_a", "line")
                yield RejectedLine("columns", line)


class Records(StatementLoader):
    """A JSON list, which has no lines."""

    name = "records"
    source = Source("records", "table")
    unit = "records"

    def statements(self, file: LoadedFile) -> Iterator[LoaderRecord]:
        """Everything that a record may say."""
        for n, city in enumerate(json.loads(file.path.read_text("utf-8")), 1):
            place = f"record {n}"
            yield Labels(city, f"City of {city}", aliases=["The " + city], description="a city", types=["city", "Q515"])
            yield StatedFact(city, "P17", "Q183", since=Year(1949), locator=place)
            yield StatedFact(city, "population", value=5 * n, at=date(2020, 5, 1), confidence=0.5)
            yield StatedFact(city, "founded", value=Year(814), qualifiers={"season": "winter"})
            yield StatedFact(city, "area", value=Decimal("7.50"))
            yield StatedFact(city, "seen", value=datetime(2020, 5, 1, 12))
            yield StatedFact(city, "motto", value='say "é"\n\0')


class Nameless(StatementLoader):
    """A loader whose author forgot its name."""

    source = Source("nameless")

    def statements(self, file: LoadedFile) -> Iterator[LoaderRecord]:
        """Nothing."""
        return iter(())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(tmp_path / "store") as made:
        yield made


def loaded(store: EmbeddedStore, *files: Path, loader: StatementLoader | None = None, **more: int) -> LoadResult:
    (result,) = load_files(store, files, LoadOptions(format=loader or Triples(), **more)).loads  # type: ignore[arg-type]
    assert result.balanced()
    return result


TEXT = (
    "\ufeffAlien\tdirected_by\tRidley Scott\r\n"
    "# a comment\n"
    "\n"
    "Ridley Scott\tborn in\tSouth Shields\n"
    "Alien\tdirected_by\tRidley Scott\n"
    "no fact\n"
    "!Alien\tdirected_by\tNobody\n"
    "Alien\t\tRidley Scott"
)


def test_every_line_is_accounted_for(store, tmp_path):
    file = tmp_path / "films.triples.gz"
    file.write_bytes(gzip.compress(TEXT.encode() + b"\n\xff\tnot\tUTF-8\n"))
    result = loaded(store, file)
    assert result.read == 9
    said = result.to_json()
    assert said["kept"] == {"lines": 2}
    assert said["dropped"] == {"blank": 1, "marked": 1, "repeated": 1, "silent": 1}
    assert said["rejected"] == {"columns": 1, "encoding": 1, "relation": 1}
    assert (result.links, result.names) == (2, 3), "what was yielded for a rejected line does not count"


def test_rules_can_be_switched_off(store, tmp_path):
    file = tmp_path / "films.triples"
    file.write_text("a\tb\tc\n!Alien\tdirected_by\tNobody\n", "utf-8")
    (result,) = load_files(store, [file], LoadOptions(format=Triples(), rules={"marked": False})).loads
    assert (dict(result.kept)["lines"], result.links) == (2, 2)
    with pytest.raises(UsageError, match="no rule"):
        load_files(store, [file], LoadOptions(format=Triples(), rules={"other": False}, replace=True))


@pytest.mark.slow
def test_lines_count_on_over_several_files_up_to_a_limit(store, tmp_path):
    one, two = tmp_path / "one.triples", tmp_path / "two.triples"
    one.write_text("a\tb\tc\nd\te\tf\n", "utf-8")
    two.write_text("g\th\ti\nbad\n", "utf-8")
    result = loaded(store, one, two)
    assert [(f["name"], f["lines"]) for f in result.files] == [("one.triples", 2), ("two.triples", 2)]
    assert (
        gzip.decompress(Path(result.rejects).read_bytes())
        .decode()
        .splitlines()[1]
        .startswith("two.triples\t2\tcolumns")
    )
    (again,) = load_files(store, [one, two], LoadOptions(format=Triples(), limit=3, replace=True)).loads
    assert (again.read, again.links) == (3, 3)


def test_values_times_and_labels(store, tmp_path):
    file = tmp_path / "cities.json"
    file.write_text(json.dumps(["Bonn", "Köln"]), "utf-8")
    result = loaded(store, file, loader=Records())
    assert (result.read, result.unit, dict(result.kept)["records"]) == (14, "records", 14)
    with store.snapshot() as snapshot:
        (bonn,) = snapshot.lookup(["records:Bonn"])
        (entity,) = snapshot.entities([bonn])
        assert entity.node.name == "City of Bonn"
        names = {n for n in ("Bonn", "The Bonn", "City of Bonn") if any(h.node == bonn for h in snapshot.find([n])[0])}
        assert names == {"Bonn", "The Bonn", "City of Bonn"}
        assert [c for c in ("Q515", "Q183") if snapshot.lookup([c])[0] is None] == []


def test_a_loader_that_fails_says_where(store, tmp_path):
    class Failing(Triples):
        def statements(self, file: LoadedFile) -> Iterator[LoaderRecord]:
            for line in file:
                yield StatedFact(*line.split("\t"))

    file = tmp_path / "films.triples"
    file.write_text("a\tb\tc\nonly one\n", "utf-8")
    with pytest.raises(LoadError, match=r"triples failed at line 2 of films\.triples: TypeError"):
        load_files(store, [file], LoadOptions(format=Failing()))

    class Wrong(Triples):
        def statements(self, file: LoadedFile) -> Iterator[LoaderRecord]:
            yield ("a", "b", "c")  # type: ignore[misc]

    with pytest.raises(LoadError, match="which is not a record"):
        load_files(store, [file], LoadOptions(format=Wrong()))

    class Unruly(Triples):
        def statements(self, file: LoadedFile) -> Iterator[LoaderRecord]:
            yield DroppedLine("other")

    with pytest.raises(LoadError, match="no rule other"):
        load_files(store, [file], LoadOptions(format=Unruly()))
    assert [load for load in store.loads() if load["state"] == "ready"] == []


@pytest.mark.slow
def test_a_load_of_many_lines_is_written_in_batches(store, tmp_path, monkeypatch):
    monkeypatch.setattr("hydra_kg.ingest.contract.statement_loader._BATCH", 10)
    file = tmp_path / "many.triples"
    file.write_text("".join(f"s{n % 40}\tlinks_to\to{n}\n" for n in range(300)), "utf-8")
    result = loaded(store, file)
    assert (result.links, result.names, result.nodes) == (300, 340, 340)


@pytest.mark.parametrize(
    "given, message",
    [
        (Triples, "Triples is a class"),
        (object(), "is not a loader"),
        (
            type("Nameless", (Triples,), {"name": property(lambda self: (_ for _ in ()).throw(AttributeError))})(),
            "no name",
        ),
    ],
)
def test_what_is_no_loader_is_said(store, tmp_path, given, message):
    file = tmp_path / "films.triples"
    file.write_text("a\tb\tc\n", "utf-8")
    with pytest.raises(UsageError, match=message):
        load_files(store, [file], LoadOptions(format=given))


def test_files_are_recognised_by_their_suffix_packed_or_not():
    loader = Triples()
    assert loader.sniff(b"", Path("A.TRIPLES.gz")) == loader.sniff(b"", Path("a.triples")) > 0.9
    assert loader.sniff(b"a\tb\tc\n", Path("a.tsv")) == 0


def test_a_damaged_or_foreign_archive_is_said(store, tmp_path):
    file = tmp_path / "films.triples.gz"
    file.write_bytes(gzip.compress(TEXT.encode() * 1000)[:-20])
    with pytest.raises(LoadError, match="damaged"):
        load_files(store, [file], LoadOptions(format=Triples()))
    file.write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(FormatError, match="zip"):
        load_files(store, [file], LoadOptions(format=Triples()))
