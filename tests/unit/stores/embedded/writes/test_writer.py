"""Writing a load: random stages against what a few lines of Python make of them."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from bench.memory_stage import FactRow, MemoryStage
from hydra_kg.domain import Source
from hydra_kg.errors import StoreError
from hydra_kg.ids import encode, is_inline
from hydra_kg.stores.embedded.segments import adjacency
from hydra_kg.stores.embedded.segments.array_folder import verify
from hydra_kg.stores.embedded.segments.fact_details import read_details
from hydra_kg.stores.embedded.segments.format import SEGMENT, Segment, open_segment
from hydra_kg.stores.embedded.segments.name_rows import names_of
from hydra_kg.stores.embedded.writes.writer import write_segment
from hydra_kg.text.folding import tokens

NODES = [*(f"m.0{c}" for c in "23456789"), "Q1", "Q2", "https://example.org/a", "m.0cvt_aaaaaaaaaaaaaaaa"]
PREDS = ["P1", "P2", "a.b.c", "https://example.org/p"]
SOURCES = (Source("a"), Source("b"))

rows = st.builds(
    FactRow,
    st.sampled_from(NODES),
    st.sampled_from(PREDS),
    st.sampled_from(NODES),
    line=st.integers(0, 9),
    source=st.integers(0, 1),
    rank=st.sampled_from(["", "", "preferred"]),
    qualifiers=st.sampled_from([(), (), (("P3", "Q9"),)]),
)
literals = st.builds(
    FactRow,
    st.sampled_from(NODES),
    st.sampled_from(PREDS),
    st.sampled_from(['"1"^^xsd:integer', '"x"@en']),
    line=st.integers(0, 9),
    source=st.integers(0, 1),
    rank=st.sampled_from(["", "preferred"]),
)


def write(stage: Any, *, sources: tuple[Source, ...] = SOURCES) -> Segment:
    """The stage as a segment in a folder of its own, which stays as long as the process."""
    folder = Path(tempfile.mkdtemp(dir=_BASE.name))
    write_segment(folder / "load", folder, stage, sources=sources)
    verify(folder / "load", magic=SEGMENT)
    assert [f.name for f in folder.iterdir()] == ["load"]  # no scratch is left
    return open_segment(folder / "load")


_BASE = tempfile.TemporaryDirectory(prefix="hydra-kg-test-")

Fact = tuple[int, int, int, int, int, bool]


def distinct(given_rows: list[FactRow]) -> list[Fact]:
    """(s, p, o, line, source, has details) as they must come out, sorted by (s, p, o)."""
    least: dict[FactRow, int] = {}
    for r in given_rows:
        key = FactRow(r.subject, r.predicate, r.object, 0, r.source, r.rank, r.confidence, r.qualifiers)
        least[key] = min(least.get(key, r.line), r.line)
    return sorted(
        (encode(k.subject), encode(k.predicate), encode(k.object), line, k.source, bool(k.rank or k.qualifiers))
        for k, line in least.items()
    )


def bits(packed: Any, count: int) -> list[bool]:
    return [False] * count if packed is None else np.unpackbits(packed, bitorder="little")[:count].astype(bool).tolist()


def all_lines(s: Segment, off: Any, *, literal: bool) -> list[int]:
    subject = np.repeat(np.arange(len(s.nodes)), np.diff(off.astype(np.int64)))
    lines: list[int] = s.lines(np.arange(len(subject)), subject, literal=literal).tolist()
    return lines


def forward(s: Segment) -> list[Fact]:
    owner = np.repeat(s.nodes, np.diff(s.foff.astype(np.int64)))
    source = [0] * len(s.fdst) if s.source is None else s.source.tolist()
    columns = (
        owner.tolist(),
        s.preds[s.fpred].tolist(),
        s.nodes[s.fdst].tolist(),
        all_lines(s, s.foff, literal=False),
        source,
        bits(s.detail, len(s.fdst)),
    )
    return list(zip(*columns, strict=True))


def literal_facts(s: Segment) -> list[Fact]:
    owner = np.repeat(s.nodes, np.diff(s.voff.astype(np.int64)))
    source = [0] * len(s.vobj) if s.vsource is None else s.vsource.tolist()
    columns = (
        owner.tolist(),
        s.preds[s.vpred].tolist(),
        s.vobj.tolist(),
        all_lines(s, s.voff, literal=True),
        source,
        bits(s.vdetail, len(s.vobj)),
    )
    return list(zip(*columns, strict=True))


def check_reverse(s: Segment) -> None:
    """Every fact once at its object, there sorted by (predicate, fact row)."""
    owner = np.repeat(np.arange(len(s.nodes)), np.diff(s.roff.astype(np.int64)))
    assert sorted(s.rfact.tolist()) == list(range(len(s.fdst)))
    assert s.fdst[s.rfact].tolist() == owner.tolist()
    assert s.fpred[s.rfact].tolist() == s.rpred.tolist()
    subject = np.repeat(np.arange(len(s.nodes)), np.diff(s.foff.astype(np.int64)))
    assert subject[s.rfact].tolist() == s.rsrc.tolist()
    order = list(zip(owner.tolist(), s.rpred.tolist(), s.rfact.tolist(), strict=True))
    assert order == sorted(order)


@examples(25)
@given(
    links=st.lists(rows, max_size=40),
    values=st.lists(literals, max_size=12),
    batch=st.integers(1, 50),
    bucket=st.sampled_from([1, 3, 1 << 23]),
)
def test_random_facts(links: list[FactRow], values: list[FactRow], batch: int, bucket: int) -> None:
    stage = MemoryStage(links, values=values, batch=batch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adjacency, "BUCKET", bucket)
        patch.setattr(adjacency, "CHUNK", 4)
        s = write(stage)
    assert [f[:3] for f in forward(s)] == [f[:3] for f in distinct(links)]
    assert Counter(forward(s)) == Counter(distinct(links))
    assert Counter(literal_facts(s)) == Counter(distinct(values))
    check_reverse(s)
    every = links + values
    count = Counter(f[1] for f in distinct(links) + distinct(values))
    assert dict(zip(s.preds.tolist(), s.pcount.tolist(), strict=True)) == count
    nodes = {encode(r.subject) for r in every} | {encode(r.object) for r in links}
    assert s.nodes.tolist() == sorted(nodes)
    keys = {k for r in every for k in (r.subject, r.predicate, r.object) if not is_inline(encode(k))}
    assert dict(zip(s.term_id.tolist(), s.terms(s.term_id), strict=True)) == {encode(k): k for k in keys}
    assert (s.source is None) == (s.vsource is None) or not links or not values
    if not any(r.rank or r.qualifiers for r in links):
        assert s.detail is None


@pytest.mark.slow
@examples(15)
@given(st.lists(rows, max_size=20), st.lists(literals, max_size=10), st.randoms())
def test_the_checksum_is_of_the_content(links: list[FactRow], values: list[FactRow], random: Any) -> None:
    names = [("Q1", "name", "One"), ("Q2", "alias", "Two"), ("Q2", "description", "More")]
    first = write(MemoryStage(links, values=values, names=names)).manifest["checksum"]
    for some in (links, values, names):
        random.shuffle(some)
    assert write(MemoryStage(links, values=values, names=names, batch=3)).manifest["checksum"] == first
    for other in ([("Q1", "name", "Oné")], [("Q2", "alias", "Twice")], [("Q2", "description", "Less")]):
        changed = [n for n in names if n[:2] != other[0][:2]] + other
        assert write(MemoryStage(links, values=values, names=changed)).manifest["checksum"] != first


def test_details_are_found_by_row() -> None:
    literal = FactRow("Q1", "P2", '"x"@en', rank="deprecated", qualifiers=(("P3", "Q4"),))
    s = write(MemoryStage([FactRow("Q1", "P1", "Q2"), FactRow("Q1", "P1", "Q3", confidence=0.5)], values=[literal]))
    assert read_details(s, np.array([~0, 0, 1])) == {
        ~0: (~0, "deprecated", 1.0, '[["P3", "Q4"]]', ""),
        1: (1, "", 0.5, "[]", ""),
    }
    assert bits(s.detail, 2) == [False, True]
    assert bits(s.vdetail, 1) == [True]


def test_lines_beyond_32_bits() -> None:
    s = write(
        MemoryStage(
            [("Q1", "P1", "Q2", 7), ("Q2", "P1", "Q1", 1 << 33), ("Q3", "P1", "Q1", 9)],
            batch=1,
            values=[("Q1", "P2", '"x"@en', 1 << 34)],
            same_as=[("Q1", "m.02", 1 << 35)],
        )
    )
    assert all_lines(s, s.foff, literal=False) == [7, 1 << 33, 9]
    assert (all_lines(s, s.voff, literal=True), s.same_line.tolist()) == ([1 << 34], [1 << 35])


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
@pytest.mark.parametrize("other", [0, 5, 1 << 33])
def test_rows_of_a_table_have_one_line_each(batch: int, other: int) -> None:
    """Other is the line of one more fact of the second row, 0 for that of the row."""
    rows = [(f"Q{n}", f"P{p}", f'"{n * p}"', n + 3) for n in range(1, 5) for p in range(1, 6)]
    odd = ("Q2", "P3", '"odd"', other or 5)
    s = write(MemoryStage([], batch=batch, values=[*rows, odd]))
    assert (s.vline is None, s.vnode_line is None) == ((True, False) if other in (0, 5) else (False, True))
    assert s.foff.dtype == np.uint8
    facts = [(encode(a), encode(p), encode(o), line) for a, p, o, line in [*rows, odd]]
    assert [fact[:4] for fact in literal_facts(s)] == sorted(facts)


@pytest.mark.parametrize("count, kind", [(256, np.uint8), (257, np.uint16)])
def test_predicates_are_numbered_as_narrowly_as_they_can(count: int, kind: type) -> None:
    s = write(MemoryStage([], values=[("Q1", f"P{p}", '"x"') for p in range(1, count + 1)]))
    assert s.vpred.dtype == kind
    assert [fact[1] for fact in literal_facts(s)] == sorted(encode(f"P{p}") for p in range(1, count + 1))


def test_names_labels_and_their_tables() -> None:
    stage = MemoryStage(
        [("Q2", "P1", "Q1"), ("Q2", "P1", "Q3")],
        names=[
            ("Q1", "name", "Zoë"),
            ("Q1", "name", "Ann!"),
            ("Q1", "title", "A title"),
            ("Q1", "alias", "Z. K."),
            ("Q2", "alias", "only an alias"),
            ("Q3", "title", "The title"),
            ("Q3", "title", "The other title"),
            ("Q4", "name", "\ud800x"),
            ("Q1", "name", "Zoë"),
            ("Q1", "description", "short"),
            ("Q1", "description", "the longest"),
            ("Q1", "description", "the LONGEST"),
        ],
        passages=[("Q1", "T", "https://e.org", "Zoë wrote it", 3), ("", "Free", "", "of nodes", 4)],
        predicates={"P1": ("child", "parent")},
    )
    s = write(stage, sources=SOURCES[:1])
    at = {int(n): i for i, n in enumerate(s.nodes.tolist())}
    local = [at[encode(k)] for k in ("Q1", "Q2", "Q3", "Q4")]
    assert s.labels(local) == ["Ann!", "", "The other title", "?x"]
    with closing(sqlite3.connect(s.texts)) as db:
        names = names_of(s)
        found = names.read(np.arange(names.count))
        assert [(n, t) for n, _, t in found if n == local[1]] == [(local[1], "only an alias")]
        assert found[0][0] == local[1]  # two facts: the most popular node comes first
        assert len(found) == 8
        hits = db.execute("SELECT rowid FROM name_full WHERE name_full MATCH ?", ('"title" "the"',)).fetchall()
        assert {found[i - 1][2] for (i,) in hits} == {"The title", "The other title"}
        words = Counter(w for *_, t in found for w in set(tokens(t)))
        assert dict(db.execute("SELECT token, count FROM vocabulary")) == words
        assert db.execute("SELECT * FROM description").fetchall() == [(local[0], "the LONGEST")]
        assert db.execute("SELECT node, title, line FROM passage").fetchall() == [(local[0], "T", 3), (-1, "Free", 4)]
        match = "SELECT rowid FROM passage_full WHERE passage_full MATCH 'zoe writes'"
        assert db.execute(match.replace("writes", "wrote")).fetchall() == [(1,)]
        assert db.execute("SELECT key, text, inverse FROM predicate").fetchall() == [("P1", "child", "parent")]
    assert s.manifest["counts"] == {
        "links": 2,
        "values": 0,
        "same_as": 0,
        "terms": 0,
        "names": 8,
        "descriptions": 1,
        "passages": 2,
        "details": 0,
        "nodes": 4,
        "predicates": 1,
    }


def test_an_empty_load_and_one_with_names_only() -> None:
    empty = write(MemoryStage())
    assert len(empty.nodes) == len(empty.fdst) == len(empty.vobj) == 0
    assert empty.terms([1, 5]) == [None, None]
    named = write(MemoryStage(names=[("Q1", "name", "One")], mediators=["Q1", "Q7"]))
    assert named.labels([0]) == ["One"]
    assert named.mediator.tolist() == [1]


class _Bad(MemoryStage):
    """A stage that breaks its promises."""

    def __init__(self, change: str) -> None:
        super().__init__([("Q1", "P1", "Q2"), ("Q2", "P1", "Q3"), ("Q2", "P2", "Q3")], batch=2)
        self.change = change

    def links(self) -> Iterator[Any]:
        batches = list(super().links())
        return iter(batches[::-1] if self.change == "order" else batches)

    def nodes(self) -> Iterator[Any]:
        ids = np.concatenate(list(super().nodes()))
        yield {"nodes": ids[1:], "twice": np.repeat(ids, 2), "none": ids[:0]}.get(self.change, ids)

    def predicates(self) -> Any:
        rows = super().predicates()
        return rows[1:] if self.change == "predicates" else rows

    def counts(self) -> Any:
        return {"links": 1 if self.change == "counts" else 3, "values": 0}


@pytest.mark.parametrize("change", ["order", "nodes", "twice", "none", "predicates", "counts"])
def test_a_stage_that_breaks_its_promises_is_refused(change: str) -> None:
    with pytest.raises(StoreError, match="stage"):
        write(_Bad(change))
