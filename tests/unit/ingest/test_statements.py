"""Streams with more columns: source, rank, confidence, qualifiers and locator of facts, sorted, without repeats."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.memory_stage import FactRow, MemoryStage
from hydra_kg import ids
from hydra_kg.domain import Locator, Source
from hydra_kg.errors import LoadError, UsageError
from hydra_kg.events import ignore
from hydra_kg.fakes.store import FakeStore
from hydra_kg.ingest.contract.choices import LoadOptions, Options, Rule
from hydra_kg.ingest.contract.loader import BaseLoader, Streams, qualifiers_text
from hydra_kg.ingest.contract.work import Work, code_of
from hydra_kg.ingest.load import load_files
from hydra_kg.ingest.staging import stage as stage_module
from hydra_kg.ingest.staging.sorting import prepare
from hydra_kg.ingest.staging.stage import DuckStage
from hydra_kg.util.fact_details import pack

COLUMNS = "source, rank, confidence, qualifiers, locator"


@dataclass
class JsonRows(BaseLoader):
    """A format for tests: one fact a line, as a JSON list of subject, predicate, object and COLUMNS."""

    columns: str = COLUMNS
    name: str = "json_rows"
    version: int = 1
    source: Source = field(default_factory=lambda: Source("rows"))
    rules: Mapping[str, Rule] = field(default_factory=dict)

    def sniff(self, head: bytes, path: Path) -> float:
        """Only when named."""
        return 0.0

    def read(self, work: Work) -> Mapping[str, int]:
        """Every line."""
        lines = [json.loads(line) for file in work.files for line in file.read_text().splitlines()]
        work.lines = [len(lines)]
        work.db.execute(
            "CREATE TABLE f (s BIGINT, p BIGINT, o BIGINT, key VARCHAR, line UBIGINT, source INTEGER,"
            " rank VARCHAR, confidence DOUBLE, qualifiers VARCHAR, locator VARCHAR)"
        )
        for n, (s, p, o, *rest) in enumerate(lines, 1):
            row = [*map(ids.encode, (s, p, o)), o, n, *rest]
            work.db.execute("INSERT INTO f VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return {}

    def clean(self, work: Work) -> Streams:
        """All of it."""
        more = f", {self.columns}" if self.columns else ""
        return Streams(
            links=f"SELECT s, p, o, line{more} FROM f WHERE NOT starts_with(key, '\"')",
            values=f"SELECT s, p, key, line{more} FROM f WHERE starts_with(key, '\"')",
            predicates=tuple((ids.encode(p), p, p, "") for p in ("P1", "P2")),
        )


@dataclass
class ManySources(JsonRows):
    """The same; its options say which sources there are."""

    def sources(self, files: Sequence[Path], *, source: Source, options: Options) -> tuple[Source, ...]:
        """As the options say."""
        return tuple(Source(f"{source.name} {name}", "table") for name in options.extra["names"].split(","))


PLACES = ["", "Q1$AB", "Paris § Name [3:40]", "of\x1f records\x1e"]
FACTS = [
    [s, p, o, source, rank, confidence, qualifiers, ""]
    for s in ("Q1", "Q2")
    for p, o in (("P1", "Q3"), ("P2", '"4"^^xsd:integer'), ("P2", '"x"@en'))
    for source in (0, 1)
    for rank, confidence, qualifiers in (
        (None, None, None),
        ("preferred", None, None),
        ("", 0.5, qualifiers_text([("P7", "Q9"), ("P6", '"1999"^^xsd:gYear')])),
        ("", 0.5, qualifiers_text([("P6", '"é"')])),
    )
]


def staged(rows: Sequence[Sequence[Any]], folder: Path, loader: JsonRows) -> tuple[Any, ...]:
    """What a store would be handed: facts with all their columns, in order, and the counts."""
    folder.mkdir(exist_ok=True)
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sources = (Source("a"), Source("b"))
    with Work(folder / "stage", loader, [file], options=Options(), listener=ignore, sources=sources) as work:
        prepared = prepare(work, loader)
        stage = DuckStage(work.db, prepared.rows(), prepared.streams.predicates)
        assert_packed(stage)
        return (*contents(stage), prepared.counts)


def assert_packed(stage: DuckStage) -> None:
    """The records that the stage packs itself are those of its details, also where a window of facts has none."""
    for size in (stage_module.BATCH, 8, 16):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stage_module, "BATCH", size)
            packed, plain = list(stage.packed_details()), [pack(rows) for rows in stage.details()]
        both = [
            (
                np.concatenate([np.empty(0, np.int64), *(r.rows for r in found)]).tolist(),
                np.concatenate([np.empty(0, np.int64), *(r.sizes for r in found)]).tolist(),
                b"".join(r.data for r in found),
            )
            for found in (packed, plain)
        ]
        assert both[0] == both[1]


def contents(stage: Any) -> tuple[list[tuple[Any, ...]], list[Any], list[int]]:
    """Facts in order, their details by row, the order of the details."""
    facts: list[tuple[Any, ...]] = []
    for kind, batches in (("link", stage.links()), ("value", stage.values())):
        for batch in batches:
            zeros = [0] * len(batch["s"])
            columns = [batch[c].tolist() for c in ("s", "p", "o", "line")]
            columns += [batch["source"].tolist() if "source" in batch else zeros]
            columns += [batch["detail"].tolist() if "detail" in batch else [False] * len(zeros)]
            facts += [(kind, *row) for row in zip(*columns, strict=True)]
    details = [row for batch in stage.details() for row in batch]
    return facts, sorted(details), [row for row, *_ in details]


@pytest.mark.slow
def test_as_the_reference_sorts_them(tmp_path: Path) -> None:
    """Sorting in SQL and in Python give the same statements, whatever the order of the lines; repeats are counted."""
    shuffled = FACTS * 2
    random.Random(7).shuffle(shuffled)
    rows = [[*row[:-1], PLACES[n % len(PLACES)]] for n, row in enumerate(shuffled)]
    facts, details, order, counts = staged(rows, tmp_path, JsonRows())
    wanted = MemoryStage(
        [_row(r, n) for n, r in enumerate(rows, 1) if not r[2].startswith('"')],
        values=[_row(r, n) for n, r in enumerate(rows, 1) if r[2].startswith('"')],
    )
    assert (facts, details, order) == contents(wanted)
    assert order == [*sorted(r for r in order if r >= 0), *sorted((r for r in order if r < 0), reverse=True)]
    assert counts["links"] == {"rows": 32, "kept": 16}
    assert counts["values"] == {"rows": 64, "kept": 32}


def _row(row: Sequence[Any], line: int) -> FactRow:
    s, p, o, source, rank, confidence, qualifiers, locator = row
    pairs = tuple((k, v) for k, v in json.loads(qualifiers or "[]"))
    return FactRow(s, p, o, line, source, rank or "", 1.0 if confidence is None else confidence, pairs, locator)


@pytest.mark.slow
def test_ids_do_not_depend_on_the_order_of_lines(tmp_path: Path) -> None:
    """The n of a statement among equal (s, p, o, source) is that of its content."""
    found = []
    for seed in (1, 2):
        rows = [[*row[:-1], "x"] for row in FACTS]
        random.Random(seed).shuffle(rows)
        facts, details, _, _ = staged(rows, tmp_path / str(seed), JsonRows())
        found.append(([f[:4] + f[5:] for f in facts], details))
    assert found[0] == found[1]


@pytest.mark.parametrize("columns", ["", "locator", "source", "rank, qualifiers", "confidence"])
def test_absent_columns_are_default(columns: str, tmp_path: Path) -> None:
    """Columns that are not given say nothing, and what differs only in them is one fact."""
    rows = [[*row[:-1], "x"] for row in FACTS]
    facts, details, order, _ = staged(rows, tmp_path, JsonRows(columns))
    names = columns.split(", ")
    assert bool(order) == (columns not in {"", "source"})
    assert any(f[5] for f in facts) == ("source" in names)
    assert len(facts) == 6 * {"": 1, "locator": 1, "source": 2, "rank, qualifiers": 4, "confidence": 2}[columns]
    for _, rank, confidence, qualifiers, locator in details:
        assert rank == "" or "rank" in names
        assert confidence == 1.0 or "confidence" in names
        assert qualifiers == "[]" or "qualifiers" in names
        assert locator == "" or "locator" in names


def test_a_source_that_the_load_does_not_have_is_a_fault_of_the_loader(tmp_path: Path) -> None:
    """It is said before anything is written."""
    with pytest.raises(LoadError, match="json_rows"):
        staged([["Q1", "P1", "Q2", 2, "", 1.0, "[]", ""]], tmp_path, JsonRows())


def test_one_load_of_several_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loader says which sources it has; each fact is attributed to its own and shows its place."""
    monkeypatch.setattr("hydra_kg.ingest.contract.loader.loaders", lambda: {"json_rows": ManySources()})
    file = tmp_path / "rows.jsonl"
    rows = [["Q1", "P1", "Q2", 1, "", 1.0, "[]", "row 1, column x"], ["Q1", "P1", "Q3", 0, "preferred", 1.0, "[]", ""]]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    store = FakeStore()
    load_files(store, [file], LoadOptions(format="json_rows", source="mine", extra={"names": "a,b"}))
    with store.snapshot() as snapshot:
        (info,) = snapshot.manifest()
        assert (info.name, [s.name for s in info.sources]) == ("mine", ["mine a", "mine b"])
        cut = snapshot.cut([ids.encode("Q1")], depth=1)
        found = {f.object: (f.source.name, str(f.locator), f.rank) for f in snapshot.facts(cut.segment, cut.row)}
    assert found == {
        "Q2": ("mine b", "row 1, column x (rows.jsonl:1)", ""),
        "Q3": ("mine a", "rows.jsonl:2", "preferred"),
    }
    with pytest.raises(UsageError, match="mine a"):
        load_files(store, [file], LoadOptions(format="json_rows", source="mine", replace=True, extra={"names": "a,a"}))


def test_what_a_killed_load_is_recognised_by(tmp_path: Path) -> None:
    """Other choices, other sources and other code begin anew."""
    file = tmp_path / "x"
    file.write_text("")

    def signature(loader: JsonRows, extra: Mapping[str, str], *sources: str) -> object:
        options = Options(extra=extra)
        return Work(
            tmp_path, loader, [file], options=options, listener=ignore, sources=[Source(s) for s in sources]
        ).signature()

    first = signature(JsonRows(), {}, "a")
    assert first == signature(JsonRows(), {}, "a")
    assert first != signature(JsonRows(), {"map": "x"}, "a")
    assert first != signature(JsonRows(), {}, "a", "b")
    assert code_of(JsonRows()) in json.dumps(first)


@pytest.mark.parametrize(
    "text, shown, page, span",
    [
        ("", "f.gz:7", "", (-1, -1)),
        ("Q42$8419-AB", "Q42$8419-AB (f.gz:7)", "Q42$8419-AB", (-1, -1)),
        ("Paris § Name [3:40]", "Paris § Name [3:40] (f.gz:7)", "Paris § Name", (3, 40)),
        ("[1:2]", "[1:2] (f.gz:7)", "[1:2]", (-1, -1)),
        ("a [1:2", "a [1:2 (f.gz:7)", "a [1:2", (-1, -1)),
        ("two\nlines [0:1]", "two\nlines [0:1] (f.gz:7)", "two\nlines", (0, 1)),
    ],
)
def test_a_place_in_words(text: str, shown: str, page: str, span: tuple[int, int]) -> None:
    """It is shown beside the line, and a span at its end is read."""
    place = Locator.at(text, file="f.gz", line=7)
    assert (str(place), place.page, (place.start, place.end)) == (shown, page, span)


def test_qualifiers_have_one_form() -> None:
    """Equal sets of qualifiers are equal texts."""
    assert qualifiers_text([]) == "[]"
    assert qualifiers_text([("P2", "é"), ("P1", "Q2"), ("P2", "é")]) == '[["P1", "Q2"], ["P2", "é"]]'
