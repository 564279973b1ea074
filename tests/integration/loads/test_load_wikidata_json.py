"""Wikidata's JSON dump: what becomes of an entity, in one process and in several, and of lines that are none."""

from __future__ import annotations

import bz2
import gzip
import json
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.samples.loading import Staged, data_pack, stage_files
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg import ids
from hydra_kg.domain import Fact
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.contract.loader import find_loader
from hydra_kg.ingest.contract.work import escape_line
from hydra_kg.ingest.load import load_files
from hydra_kg.ports import Snapshot
from hydra_kg.stores import open_store
from hydra_kg.stores.embedded.segments.format import open_segment
from hydra_kg.stores.embedded.segments.name_rows import names_of
from hydra_kg.util.fact_details import UNIT
from hydra_kg_loaders.wikidata import json_loader as wikidata_json
from hydra_kg_loaders.wikidata.entities import COLUMNS, Entities
from hydra_kg_loaders.wikidata.json_loader import WikidataJsonLoader

ALL = frozenset(name for name, rule in wikidata_json.RULES.items() if rule.default)
WP, FB, BOOK = "Q328", "Q15241312", "Q36578"


def snak(p: str, value: str) -> dict[str, Any]:
    """A value snak: an item or a text."""
    if value in {"somevalue", "novalue"}:
        return {"snaktype": value, "property": p}
    if value.startswith("Q"):
        ref = {"entity-type": "item", "numeric-id": int(value[1:]), "id": value}
        data: dict[str, Any] = {"type": "wikibase-entityid", "value": ref}
    else:
        data = {"type": "string", "value": value}
    return {"snaktype": "value", "property": p, "datatype": "", "datavalue": data}


def statement(
    p: str, value: str, n: int, *, rank: str = "normal", source: Sequence[tuple[str, str]] = (), **qualifiers: str
) -> dict[str, Any]:
    """A statement with its GUID ``Q1$<n>``."""
    made: dict[str, Any] = {"mainsnak": snak(p, value), "type": "statement", "id": f"Q1${n}", "rank": rank}
    if qualifiers:
        made["qualifiers"] = {q: [snak(q, v) for v in values.split("|")] for q, values in qualifiers.items()}
    if source:
        made["references"] = [{"hash": "x", "snaks": {q: [snak(q, v)]}} for q, v in source]
    return made


def entity(key: str, *statements: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An entity with an English label."""
    claims: dict[str, list[dict[str, Any]]] = {}
    for made in statements:
        claims.setdefault(made["mainsnak"]["property"], []).append(made)
    kind = {"Q": "item", "P": "property", "L": "lexeme"}[key[0]]
    label = {"en": {"language": "en", "value": f"label of {key}"}}
    return {"type": kind, "id": key, "labels": label, "claims": claims, **more}


FILM = entity(
    "Q1",
    statement("P161", "Q2", 1, P453="Q3", P1480="Q99"),
    statement("P161", "Q2", 2, P453="Q4|Q5", P580="1999"),
    statement("P161", "Q2", 3, rank="deprecated"),
    statement("P57", "Q6", 4, source=[("P143", WP)]),
    statement("P57", "Q6", 5, rank="preferred", source=[("P143", WP), ("P248", BOOK)]),
    statement("P57", "Q7", 6, source=[("P248", FB)]),
    statement("P646", "/m/0bcd", 7),
    statement("P1476", "somevalue", 8),
    statement("P1476", "novalue", 9),
    {"mainsnak": {"snaktype": "value", "property": "P18"}, "id": "Q1$10", "rank": "normal"},
    descriptions={"en": {"language": "en", "value": "a film"}, "fr": {"language": "fr", "value": "un film"}},
    aliases={"en": [{"language": "en", "value": "the film"}], "fr": [{"language": "fr", "value": "le film"}]},
    sitelinks={
        "enwiki": {"site": "enwiki", "title": "Film (1999)"},
        "frwiki": {"site": "frwiki", "title": "Film"},
        "commonswiki": {"site": "commonswiki", "title": "Film"},
    },
)
CAST = entity("P161", statement("P1696", "Q1", 1))
CAST["claims"]["P1696"][0]["mainsnak"]["datavalue"]["value"] = {"entity-type": "property", "id": "P1441"}
ROLE = entity("P453")


def dump(folder: Path, entities: Sequence[Any], *, name: str = "dump.json") -> Path:
    """A file in the dump's layout; strings are lines as they are."""
    lines = [e if isinstance(e, str) else json.dumps(e, ensure_ascii=False) for e in entities]
    path = folder / name
    text = ("[\n" + ",\n".join(lines) + "\n]\n").encode("utf-8", "surrogatepass")
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else bz2.compress(text) if name.endswith("2") else text)
    return path


def staged(folder: Path, entities: Sequence[Any], *, languages: Sequence[str] = ("en",), **rules: bool) -> Staged:
    """Everything but the store."""
    made = stage_files([dump(folder, entities)], folder / "stage", "wikidata_json", languages=languages, **rules)
    assert made.balanced()
    return made


def facts_of(snapshot: Snapshot, key: str) -> Iterator[Fact]:
    """Every fact about an entity, with provenance."""
    node = ids.encode(key)
    cut = snapshot.cut([node], depth=1)
    yield from snapshot.facts(cut.segment, cut.row)
    values = snapshot.values([node])
    yield from snapshot.facts(values.segment, values.row)


def test_an_entity(tmp_path: Path) -> None:
    """Statements, names, same-as links and texts of predicates; what is dropped is counted by its rule."""
    made = staged(tmp_path, [FILM, CAST, ROLE, entity("L5")])
    assert {(s, p, o) for s, p, o, _ in made.links} == {
        ("Q1", "P161", "Q2"),
        ("Q1", "P161/P453", "Q3"),
        ("Q1", "P161/P453", "Q4"),
        ("Q1", "P161/P453", "Q5"),
        ("Q1", "P57", "Q6"),
        ("Q1", "P57", "Q7"),
    }
    assert made.values == [("Q1", "P646", '"/m/0bcd"', 2)]
    assert made.names == {
        ("Q1", "name", "label of Q1"),
        ("Q1", "alias", "the film"),
        ("Q1", "description", "a film"),
        ("Q1", "title", "Film (1999)"),
    }
    assert made.same_as == [("Q1", "m.0bcd", 2)]
    assert made.predicates["P161"] == ("label of P161", "P1441")
    assert made.predicates["P161/P453"] == ("label of P161 / label of P453", "")
    assert made.predicates["P57"] == ("director", "")
    assert made.kept == {"entities": 3}
    assert made.dropped == {"blank": 2, "other": 1}
    assert made.notes["statements"] == 10
    assert made.notes["odd values"] == 1
    assert made.notes["statements dropped as deprecated"] == 1
    assert made.notes["statements dropped as unknown"] == 2


def test_provenance(tmp_path: Path) -> None:
    """Rank, qualifiers, GUID and line of a statement, and who stated it first."""
    store = open_store(tmp_path / "store", create=True)
    load_files(store, [dump(tmp_path, [FILM, CAST], name="latest-all.json.gz")])
    with store.snapshot() as snapshot:
        assert [(s.name, s.group) for s in snapshot.manifest()[0].sources] == [
            ("wikidata", "wikidata"),
            ("wikidata (from Wikipedia)", "wikipedia"),
            ("wikidata (from Freebase)", "freebase"),
        ]
        found = {(f.predicate, f.object, str(f.locator).split(" ")[0]): f for f in facts_of(snapshot, "Q1")}
    assert set(found) == {
        ("P161", "Q2", "Q1$1"),
        ("P161", "Q2", "Q1$2"),
        ("P57", "Q6", "Q1$4"),
        ("P57", "Q6", "Q1$5"),
        ("P57", "Q7", "Q1$6"),
        ("P646", '"/m/0bcd"', "Q1$7"),
        ("P161/P453", "Q3", "Q1$1"),
        ("P161/P453", "Q4", "Q1$2"),
        ("P161/P453", "Q5", "Q1$2"),
    }
    assert found["P161", "Q2", "Q1$1"].qualifiers == (("P1480", "Q99"), ("P453", "Q3"))
    assert found["P161", "Q2", "Q1$2"].qualifiers == (("P453", "Q4"), ("P453", "Q5"), ("P580", '"1999"'))
    assert str(found["P57", "Q7", "Q1$6"].locator) == "Q1$6 (latest-all.json.gz:2)"
    assert {k[2]: (f.source.name, f.rank) for k, f in found.items() if k[0] == "P57"} == {
        "Q1$4": ("wikidata (from Wikipedia)", ""),
        "Q1$5": ("wikidata", "preferred"),
        "Q1$6": ("wikidata (from Freebase)", ""),
    }
    assert len({f.id for f in found.values()}) == len(found)
    store.drop("wikidata (from Wikipedia)")
    with store.snapshot() as snapshot:
        rest = {(f.predicate, f.object, str(f.locator).split(" ")[0]): f for f in facts_of(snapshot, "Q1")}
    assert rest == {key: f for key, f in found.items() if f.source.name != "wikidata (from Wikipedia)"}


def test_a_forecast(tmp_path: Path) -> None:
    """A dry run looks at a sample and loads nothing."""
    store = open_store(tmp_path / "store", create=True)
    (result,) = load_files(store, [dump(tmp_path, [FILM, CAST])], LoadOptions(dry_run=True)).loads
    assert (result.name, result.format, result.forecast["lines"]) == ("wikidata", "wikidata_json", 4)
    assert store.loads() == []


def test_rules(tmp_path: Path) -> None:
    """Every rule can be switched."""
    off = staged(
        tmp_path,
        [FILM, CAST, entity("L5")],
        deprecated=False,
        unknown=False,
        properties=False,
        qualifier_edges=False,
        same_as=False,
        guid=False,
        origins=False,
        language=False,
    )
    assert ("Q1", "P1476", "http://wikiba.se/ontology#Somevalue", 2) in off.values
    assert ("Q1", "P1476", "http://wikiba.se/ontology#Novalue", 2) in off.values
    assert ("P161", "P1696", "P1441", 3) in off.links
    assert ("P161", "name", "label of P161") in off.names
    assert ("Q1", "alias", "le film") in off.names
    assert ("Q1", "title", "Film") in off.names
    assert off.same_as == []
    assert not any("/" in p for _, p, _, _ in off.links)
    best = staged(tmp_path, [FILM], best_rank=True)
    assert [(p, o) for _, p, o, _ in best.links if p == "P57"] == [("P57", "Q6")]
    assert best.notes["statements dropped as best-rank"] == 2
    rejected = staged(tmp_path, [entity("L5")], other=False)
    assert rejected.rejected == {"shape": 1}


def test_languages(tmp_path: Path) -> None:
    """Names in the languages asked for; the label for all languages where there is none of those."""
    labels = {"en": {"value": "cat"}, "fr": {"value": "chat"}, "mul": {"value": "Felis"}}
    quote = snak("P1476", "x")
    quote["datavalue"] = {"type": "monolingualtext", "value": {"text": "titre", "language": "fr"}}
    cat = entity("Q146", {"mainsnak": quote, "id": "g", "rank": "normal"}, labels=labels)
    assert staged(tmp_path, [cat]).names == {("Q146", "name", "cat")}
    assert staged(tmp_path, [cat]).values == []
    both = staged(tmp_path, [cat], languages=("fr", "en"))
    assert both.names == {("Q146", "name", "cat"), ("Q146", "name", "chat")}
    assert both.values == [("Q146", "P1476", '"titre"@fr', 2)]
    assert staged(tmp_path, [cat], languages=("de",)).names == {("Q146", "name", "Felis")}


OLD = {"type": "item", "id": "Q9", "labels": [], "descriptions": [], "aliases": [], "claims": [], "sitelinks": []}
BROKEN = [
    ('{"type":"item","id":"Q1","labels":', "json"),
    ("{}", "shape"),
    ("[1]", "shape"),
    ("42", "shape"),
    ('"Q1"', "shape"),
    ("null", "shape"),
    ('{"id":"Q01"}', "shape"),
    ('{"id":"Q-1"}', "shape"),
    ('{"id":"X1"}', "shape"),
    ('{"id":17}', "shape"),
    ('{"id":"Q1","labels":{"en":"cat"}}', "shape"),
    ('{"id":"Q1","labels":{"en":{"value":7}}}', "shape"),
    ('{"id":"Q1","claims":{"x":[]}}', "shape"),
    ('{"id":"Q1","claims":{"P1":7}}', "shape"),
    ('{"id":"Q1","sitelinks":["x"]}', "shape"),
    ('{"id":"Q1","x":' + "[" * 5000 + "]" * 5000 + "}", "json"),
    ('{"id":"Q1","claims":1e999}', "json"),
    ('{"id":"Q1","x":NaN}', "json"),
    ('{"id":"Q1\x01"}', "json"),
    ('{"id":"Q1","x":"\x00"}', "nul"),
    ('{"id":"Q1","x":"\udc80"}', "encoding"),
]


def test_broken_lines_are_rejected_and_nothing_else(tmp_path: Path) -> None:
    """Each with its reason and line; the entities around them stay."""
    lines = [part for text, _ in BROKEN for part in (text, OLD)]
    made = staged(tmp_path, [FILM, *lines])
    assert [(line, reason) for line, reason, _ in made.rejects] == [
        (3 + 2 * n, reason) for n, (_, reason) in enumerate(BROKEN)
    ]
    assert made.kept == {"entities": 1 + len(BROKEN)}
    assert ("Q1", "P57", "Q6", 2) in made.links


def test_half_characters_are_replaced(tmp_path: Path) -> None:
    """A lone surrogate is no reason to lose an entity; a pair and an escaped backslash stay as they are."""
    label = {"en": {"value": "<>"}}
    text = json.dumps(entity("Q1", labels=label)).replace("<>", r"a \ud800 b \ud83c\udf0d c \\ud800 d \udf0d")
    made = staged(tmp_path, [text])
    assert made.names == {("Q1", "name", "a \ufffd b 🌍 c \\ud800 d \ufffd")}
    assert made.notes["repaired"] == 1


def test_control_characters_do_not_break_rows(tmp_path: Path) -> None:
    """Tabs and line feeds in names become spaces; in values they are escaped."""
    label = {"en": {"value": "a\tb\nc\r\x00d"}}
    made = staged(tmp_path, [entity("Q1", statement("P1", "x\ty\nz", 1, P2="q\tr"), labels=label)])
    assert made.names == {("Q1", "name", "a b c d")}
    assert made.values == [("Q1", "P1", '"x\\ty\\nz"', 2)]


def test_a_line_of_forty_megabytes(tmp_path: Path) -> None:
    """It is rejected, and a long but possible one is read; neither is held more than once."""
    path = tmp_path / "dump.json"
    with path.open("wb") as f:
        f.write(b'[\n{"type":"item","id":"Q1","labels":{},"x":"' + b"x" * (5 << 20) + b'"},\n')
        f.write(b'{"type":"item","id":"Q2","labels":{},"x":"' + b"x" * (40 << 20) + b'"},\n')
        f.write(b'{"type":"item","id":"Q3","labels":{}}\n]\n')
    made = stage_files([path], tmp_path / "stage", "wikidata_json")
    assert made.kept == {"entities": 2}
    assert made.rejects == [(3, "too-long", 0)]
    assert made.balanced()


@pytest.mark.parametrize("name", ["d.json", "d.json.gz", "d.json.bz2"])
def test_processes_and_packing_change_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same facts from one process and from several, from a file that is packed and one that is not."""
    rng = random.Random(5)
    many = [
        entity(
            f"Q{n}",
            *(statement(f"P{rng.randint(1, 9)}", f"Q{rng.randint(1, 99)}", i, P453="Q3", P580="x") for i in range(5)),
        )
        for n in range(1, 200)
    ]
    lines: list[Any] = [*many, "{", "", *(text for text, _ in BROKEN)]
    path = dump(tmp_path, lines, name=name)
    one = stage_files([path], tmp_path / "one", "wikidata_json")
    monkeypatch.setattr(wikidata_json, "_SMALL", 0)
    for size in ("contract.feed.PIECE", "formats.archives.BLOCK"):
        monkeypatch.setattr(f"hydra_kg.ingest.{size}", 1 << 12)
    several = stage_files([path], tmp_path / "several", "wikidata_json")
    assert several == one
    assert one.kept == {"entities": 199}
    assert not list((tmp_path / "several").glob("work-*"))


def test_names_in_one_order_whoever_sorts_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage sorts names by how much is known of their nodes; a stage that cannot leaves it to SQLite."""
    rng = random.Random(7)
    many = [
        entity(
            f"Q{n}",
            *(statement("P1", f"Q{rng.randint(1, 9)}", i) for i in range(rng.randint(0, 4))),
            aliases={
                "en": [
                    {"language": "en", "value": rng.choice(["x", "é", "Z", "label of Q1"])}
                    for _ in range(rng.randint(0, 3))
                ]
            },
            sitelinks={"enwiki": {"site": "enwiki", "title": f"T{n % 7}"}},
            descriptions={"en": {"language": "en", "value": f"d{n % 3}"}},
        )
        for n in range(1, 60)
    ]
    path = dump(tmp_path, many)
    texts: list[list[Any]] = []
    for ranked in (True, False):
        if not ranked:
            monkeypatch.setattr("hydra_kg.stores.embedded.segments.load_texts.Ranking", type("Nobody", (), {}))
        with closing(open_store(tmp_path / f"store-{ranked}", create=True)) as store:
            load_files(store, [path])
            (load,) = store.loads()
        (folder,) = (tmp_path / f"store-{ranked}" / "loads").iterdir()
        with closing(sqlite3.connect(folder / "texts.sqlite")) as db:
            described = db.execute("SELECT * FROM description ORDER BY 1").fetchall()
        names = names_of(open_segment(folder))
        texts.append([load["checksum"], names.read(np.arange(names.count)), described])
    assert texts[0] == texts[1]
    assert len(texts[0][1]) > 100


def test_several_files_and_a_limit(tmp_path: Path) -> None:
    """Lines are numbered on over the files, and a limit counts them."""
    first, second = dump(tmp_path, [FILM], name="a.json"), dump(tmp_path, [entity("Q2"), entity("Q3")], name="b.json")
    made = stage_files([first, second], tmp_path / "stage", "wikidata_json")
    assert made.kept == {"entities": 3}
    cut = stage_files([first, second], tmp_path / "stage", "wikidata_json", limit=5)
    assert (cut.read, cut.kept, cut.balanced()) == (5, {"entities": 2}, True)


def test_recognised_by_content(tmp_path: Path) -> None:
    """With and without the bracket, whatever the file is called; other JSON is not."""
    head = dump(tmp_path, [FILM, CAST]).read_bytes()
    for text in (head, head[2:], head[:2] + b"\n" + head[2:], dump(tmp_path, [entity("P1")]).read_bytes()):
        assert find_loader(Path("x"), text).name == "wikidata_json"
    loader = WikidataJsonLoader()
    for text in (
        b"",
        b"[\n",
        b'{"title":"x","text":"y"}\n',
        b'[{"type":"item","id":7}]',
        b'{"type":"item"}',
        b'[{"id":"Q1","name":"x"}]',
    ):
        assert loader.sniff(text, Path("latest-all.json")) == 0


@examples(80)
@given(data=st.data())
def test_any_line_is_rows_or_a_reject(data: st.DataObject) -> None:
    """Whatever stands in a line, it is one entity, blank, or rejected with a reason; rows keep their columns."""
    text = bytearray(json.dumps(FILM).encode())
    for _ in range(data.draw(st.integers(1, 8))):
        at, to = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        text[at : min(to, at + 40)] = data.draw(
            st.sampled_from([b"", b"7", b"null", b"[]", b"{}", b'"', b",", b"\\", b"\\ud800", b"\t", b'"Q1"', b"\xff"])
        )
    check_line(bytes(text).replace(b"\n", b" "))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["Q1", "value", "item"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "claims",
                    "labels",
                    "P1",
                    "P646",
                    "mainsnak",
                    "snaktype",
                    "datavalue",
                    "value",
                    "type",
                    "qualifiers",
                    "references",
                    "snaks",
                    "rank",
                    "en",
                    "enwiki",
                    "sitelinks",
                    "aliases",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=30,
)


@examples(80)
@given(thing=JSON, key=st.sampled_from(["Q1", "P1", "L1", "Q"]))
def test_any_json_is_rows_or_a_reject(thing: Any, key: str) -> None:
    """The right names with the wrong things under them."""
    known = thing if isinstance(thing, dict) else {"claims": {"P1": [{"mainsnak": thing}]}}
    check_line(json.dumps({**known, "id": key}).encode())


def check_line(text: bytes) -> None:
    """One line makes rows of eight columns, and is counted once."""
    entities, out = Entities(rules=ALL, languages=["en"]), list[str]()
    entities.line(text, 1, out)
    rows = [row.split("\t") for row in out]
    assert all(len(row) == len(COLUMNS) and "\n" not in "".join(row) for row in rows)
    rejected = sum(row[0] == "0" for row in rows)
    assert rejected + sum(entities.counts[name] for name in ("entities", "other", "blank")) == 1
    assert not rejected or (len(rows) == 1 and rows[0][7] == escape_line(text.strip().rstrip(b",").rstrip()))
    for row in rows:
        [int(row[n]) for n in (0, 1, 2, 3, 5)]
        assert "\r" not in "".join(row)


def test_a_rejected_entity_takes_the_pair_that_it_told_with_it() -> None:
    """So the next one tells it: without its text, a predicate of its facts would have no key."""

    def entity(number: int, *, broken: bool) -> bytes:
        snak = {"snaktype": "value", "datavalue": {"type": "wikibase-entityid", "value": {"id": "Q5"}}}
        claims: dict[str, Any] = {"P161": [{"mainsnak": snak, "qualifiers": {"P453": [snak]}}]}
        return json.dumps({"id": f"Q{number}", "claims": claims | ({"X": []} if broken else {})}).encode()

    entities, out = Entities(rules=ALL, languages=["en"]), list[str]()
    for line, broken in enumerate((True, False, False), 1):
        entities.line(entity(line, broken=broken), line, out)
    assert [row.split("\t")[0] for row in out] == ["0", "1", "9", "1", "1", "1"]


def test_the_sample_dump() -> None:
    """Figures of the data pack's dump that can be counted without this program."""
    path = data_pack() / "wikidata_dump_sample.json.gz"
    entities = Entities(rules=ALL, languages=["en"])
    out: list[str] = []
    statements = qualifiers = 0
    with gzip.open(path, "rb") as lines:
        for n, line in enumerate(lines, 1):
            if n > 1500:
                break
            entities.line(line, n, out)
            if n > 1:
                found = [s for many in json.loads(line.rstrip(b",\n"))["claims"].values() for s in many]
                statements += len(found)
                qualifiers += sum("qualifiers" in s for s in found)
    rows = [row.split("\t") for row in out]
    assert entities.counts["statements"] == statements
    assert sum(row[0] in "12" and row[7].startswith("Q") for row in rows) >= statements - entities.counts["odd"]
    assert sum(bool(row[6].rpartition(UNIT)[2]) for row in rows) >= qualifiers - entities.counts["odd"]
    assert not [row for row in rows if row[0] == "0"]


VICTIM = """
import os, signal, sys
from pathlib import Path
from hydra_kg.ingest import load
from hydra_kg.ingest.staging import sorting
from hydra_kg.stores import open_store
from hydra_kg_loaders.wikidata import json_loader as wikidata_json
import hydra_kg.ingest.formats.archives
import hydra_kg.ingest.contract.feed
wikidata_json._SMALL = 0
hydra_kg.ingest.contract.feed.PIECE = hydra_kg.ingest.formats.archives.BLOCK = 1 << 14
insert, left = wikidata_json._insert, int(sys.argv[3])
def dying(work, made):
    global left
    insert(work, made)
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
wikidata_json._insert = dying
load.load_files(open_store(Path(sys.argv[1]), create=True), [Path(sys.argv[2])])
"""


@pytest.mark.parametrize("when", [1, 3])
def test_killed_among_its_workers(when: int, tmp_path: Path) -> None:
    """A load that dies while processes work for it is taken up, and gives what an undisturbed one gives."""
    path = dump(tmp_path, [entity(f"Q{n}", *(statement("P1", f"Q{i}", i) for i in range(1, 9))) for n in range(1, 99)])
    command = [sys.executable, "-c", VICTIM, str(tmp_path / "killed"), str(path), str(when)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    sums = []
    for name in ("killed", "whole"):
        store = open_store(tmp_path / name, create=True)
        load_files(store, [path])
        with store.snapshot() as snapshot:
            sums.append((snapshot.manifest()[0].checksum, snapshot.manifest()[0].facts))
    assert sums[0] == sums[1]
    assert sums[0][1] == 98 * 8
