"""Tables of every format: cells become facts with source, row and column; what is malformed is rejected by row."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from helpers.samples.loading import Staged, data_pack, stage_files

from hydra_kg.errors import FormatError, UsageError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg_loaders.tables import grid
from hydra_kg_loaders.tables.loader import TablesLoader

CLAIMS = """source,entity,attribute,value
imdb,Alien,director,Ridley Scott
imdb,Alien,year,1979
omdb,Alien,year,1980
omdb,Aliens,sequel of,Alien
"""


def staged(tmp_path: Path, data: str | bytes, name: str = "t.csv") -> Staged:
    file = tmp_path / name
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return stage_files([file], tmp_path / "stage", "tables")


def facts(found: Staged) -> set[tuple[str, str, str, int]]:
    return {*found.links, *found.values}


def test_a_long_table_names_its_sources_and_its_places(tmp_path: Path) -> None:
    file = tmp_path / "films.csv"
    file.write_text(CLAIMS)
    with EmbeddedStore(tmp_path / "store") as store:
        (load,) = load_files(store, [file]).loads
        assert (load.name, load.format, load.balanced()) == ("films", "tables", True)
        assert (load.kept["rows"], load.kept["headers"]) == (4, 1)
        with store.snapshot() as snapshot:
            (info,) = snapshot.manifest()
            assert [(s.name, s.kind) for s in info.sources] == [("imdb", "table"), ("omdb", "table")]
            node, other = snapshot.lookup(["films:Alien", "films:Aliens"])
            assert node is not None
            assert other is not None
            values = snapshot.values([node])
            found = snapshot.facts(values.segment, values.row)
            assert {(f.predicate, f.object, f.source.name, str(f.locator)) for f in found} == {
                ("director", '"Ridley Scott"', "imdb", "column value (films.csv:2)"),
                ("year", '"1979"^^xsd:gYear', "imdb", "column value (films.csv:3)"),
                ("year", '"1980"^^xsd:gYear', "omdb", "column value (films.csv:4)"),
            }
            (entity,) = snapshot.entities([node])
            assert entity.node.name == "Alien"
            (hit,) = snapshot.find(["alien"])
            assert [h.node for h in hit] == [node]


def test_values_are_links_where_they_are_entities_of_the_table(tmp_path: Path) -> None:
    found = staged(tmp_path, "id,name,parentID,paid\n0,World,,0\n1,Europe,0,2\n2,Rome,1,1\n")
    assert {f[:3] for f in found.links} == {("table:1", "parentID", "table:0"), ("table:2", "parentID", "table:1")}
    assert ("table:2", "paid", '"1"^^xsd:integer', 4) in found.values, "a number that is no reference stays one"
    assert ("table:2", "name", "Rome") in found.names
    assert ("table:2", "alias", "2") in found.names


def test_given_and_family_name_together_are_what_a_person_is_called(tmp_path: Path) -> None:
    found = staged(tmp_path, "id,last_name,first_name,title\n1,King,Ada,CEO\n2,,Bob,CTO\n3,Ott,,CFO\n")
    names = {name for name in found.names if name[2] not in {"1", "2", "3"}}
    assert names == {
        ("table:1", "name", "Ada King"),
        ("table:1", "alias", "King"),
        ("table:2", "name", "Bob"),
        ("table:3", "name", "Ott"),
    }
    assert {("table:1", "first_name", '"Ada"', 2), ("table:1", "last_name", '"King"', 2)} <= facts(found)


def test_a_name_is_whole_where_a_part_of_it_tells_the_rows_apart(tmp_path: Path) -> None:
    found = staged(tmp_path, "Vorname;Nachname;geboren\nAda;King;1815\nBob;King;1900\n")
    assert {("table:Ada", "name", "Ada King"), ("table:Bob", "name", "Bob King")} <= set(found.names)


def test_things_of_one_name_in_two_tables_stay_two_and_ids_join_them(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,qid,born\nAda,Q7259,1815-12-10\n")
    (tmp_path / "b.csv").write_text("name,wikidata,died\nAda,http://www.wikidata.org/entity/Q7259,1852-11-27\n")
    (tmp_path / "c.csv").write_text("name,colour\nAda,blue\n")
    with EmbeddedStore(tmp_path / "store") as store:
        load_files(store, [tmp_path / n for n in ("a.csv", "b.csv", "c.csv")])
        with store.snapshot() as snapshot:
            a, b, c, q = snapshot.lookup(["a:Ada", "b:Ada", "c:Ada", "Q7259"])
            assert a == b == q != c
            assert a is not None
            assert set(snapshot.entities([a])[0].keys) == {"Q7259", "a:Ada", "b:Ada"}


def test_what_holds_at_a_time_is_qualified_by_it(tmp_path: Path) -> None:
    found = staged(tmp_path, "source,flight,date,gate\na,X1,2011-12-01,F1\na,X1,2011-12-02,F2\nb,X1,2011-12-01,F1\n")
    assert len(found.values) == 3
    file = tmp_path / "t.csv"
    with EmbeddedStore(tmp_path / "store") as store:
        load_files(store, [file])
        with store.snapshot() as snapshot:
            (node,) = snapshot.lookup(["t:X1"])
            assert node is not None
            values = snapshot.values([node])
            assert {(f.object, f.qualifiers) for f in snapshot.facts(values.segment, values.row)} == {
                ('"F1"', (("date", '"2011-12-01"^^xsd:date'),)),
                ('"F2"', (("date", '"2011-12-02"^^xsd:date'),)),
            }


@pytest.mark.parametrize(
    "name, data",
    [
        ("t.csv", 'name,born,place\nAda,1815,"London, England"\nAlan,1912,London\n'),
        ("t.tsv", "name\tborn\tplace\nAda\t1815\tLondon, England\nAlan\t1912\tLondon\n"),
        ("t.csv", "name;born;place\r\nAda;1815;London, England\r\nAlan;1912;London"),
        ("old-mac.csv", "name|born|place\rAda|1815|London, England\rAlan|1912|London\r"),
        (
            "t.json",
            '[{"name": "Ada", "born": 1815, "place": "London, England"},\n {"name": "Alan", "born": 1912,'
            ' "place": "London"}]',
        ),
        (
            "t.jsonl",
            '{"name": "Ada", "born": 1815, "place": "London, England"}\n'
            '{"name": "Alan", "born": 1912, "place": "London"}\n',
        ),
        (
            "t.json",
            '{"count": 2, "rows": [\n{"name": "Ada", "born": 1815, "place": "London, England"},\n'
            '{"name": "Alan", "born": 1912, "place": "London"}]}\n',
        ),
        (
            "t.xml",
            "<people><p name='Ada' born='1815'><place>London, England</place></p>"
            "<p name='Alan' born='1912'><place>London</place></p></people>",
        ),
    ],
)
def test_every_format_says_the_same(tmp_path: Path, name: str, data: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", *(() if name.endswith("xml") else ("utf-16",))):
        folder = tmp_path / encoding
        folder.mkdir()
        found = staged(folder, data.encode(encoding), name)
        assert {(s.partition(":")[2], p.lstrip("@"), o) for s, p, o, _ in facts(found)} == {
            ("Ada", "born", '"1815"^^xsd:integer'),
            ("Ada", "place", '"London, England"'),
            ("Alan", "born", '"1912"^^xsd:integer'),
            ("Alan", "place", '"London"'),
        }
        assert found.balanced()


def test_pieces_that_are_taken_while_the_next_is_read_lose_and_mix_up_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for n, file in enumerate(files):  # columns turn up after the first piece of each file
        rows = [
            {"id": f"x{i}", "name": f"thing {i}"} | ({f"late {n}": i} if i % 5000 > 4000 else {}) for i in ids_of(n)
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(grid, "_PIECE", 1)
    found = stage_files(files, tmp_path / "stage", "tables")
    assert set(found.names) == {
        (f"table:x{i}", kind, name)
        for i in range(10_000)
        for kind, name in (("name", f"thing {i}"), ("alias", f"x{i}"))
    }
    assert {f[:4] for f in found.values if f[1] != "id"} == {
        (f"table:x{i}", f"late_{n}", f'"{i}"^^xsd:integer', i + 1) for n in (0, 1) for i in ids_of(n)[4001:]
    }


def ids_of(file: int) -> range:
    return range(file * 5000, (file + 1) * 5000)


def test_parquet_with_lists_and_structures(tmp_path: Path) -> None:
    import duckdb

    file = tmp_path / "t.parquet"
    duckdb.execute(
        "COPY (SELECT 'Alien' AS title, ['Scott', 'Hill'] AS people, {'year': 1979, 'land': 'UK'} AS made,"
        " 8.5 AS score"
        f" UNION ALL SELECT 'Heat', ['Mann'], {{'year': 1995, 'land': 'USA'}}, 8.3) TO '{file}'"
    )
    found = stage_files([file], tmp_path / "stage", "tables")
    assert {(s, p, o) for s, p, o, _ in facts(found) if s == "table:Alien"} == {
        ("table:Alien", "people", '"Scott"'),
        ("table:Alien", "people", '"Hill"'),
        ("table:Alien", "made.year", '"1979"^^xsd:gYear'),
        ("table:Alien", "made.land", '"UK"'),
        ("table:Alien", "score", '"8.5"^^xsd:decimal'),
    }


def test_nested_json_is_flattened_by_path(tmp_path: Path) -> None:
    found = staged(
        tmp_path,
        json.dumps(
            [
                {"name": "Ada", "address": {"city": "London", "zip": "007"}, "tags": ["a", "b"], "none": None},
                {"name": "Bob", "late": True},
            ]
        ),
        "t.json",
    )
    assert {f[:3] for f in facts(found)} == {
        ("table:Ada", "address.city", '"London"'),
        ("table:Ada", "address.zip", '"007"'),
        ("table:Ada", "tags", '"a"'),
        ("table:Ada", "tags", '"b"'),
        ("table:Bob", "late", '"true"'),
    }


def test_the_original_text_is_kept(tmp_path: Path) -> None:
    found = staged(tmp_path, 'name,nr,note\nA,0201398559," =1+1 "\nB,1558605932,"say ""hi""\nthere"\nC,12,\\n\n')
    assert {f[2] for f in facts(found)} == {
        '"0201398559"',
        '"1558605932"',
        '"12"',
        '"=1+1"',
        '"say \\"hi\\"\\nthere"',
        '"\\\\n"',
    }


HOSTILE = [
    (b"name,x\na,1,2\nb\nc,3\nd,4,,\n", [(2, "columns"), (3, "columns")]),
    (b"name,x\na,\x00\nb,2\nc\x00,2\n", [(2, "nul"), (4, "nul")]),
    (b"name,x\na,\xff\xfe\nb,2\n", [(2, "encoding")]),
    (b'name,x\na,"never closed\nb,2\nc,3\n', [(2, "quote")]),
    (b'name,x\na,"never closed\nb,2\n"c",3\n', [(2, "quote")]),
    (b"name,x\na,\x1f\nb,2\n", [(2, "control")]),
    (b"name,x\n,1\nb,2\nc,3\n", [(2, "entity")]),
    (b"name,x\na," + b"y" * (1 << 21) + b"\nb,2\n", [(2, "too-long")]),
    (b"name,x\n\n\na,1\n\n", []),
]


@pytest.mark.parametrize("data, rejects", HOSTILE)
def test_malformed_rows_are_rejected_by_row(tmp_path: Path, data: bytes, rejects: list[tuple[int, str]]) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(data)
    found = stage_files([file], tmp_path / "stage", "tables")
    assert [(row, reason) for row, reason, _ in found.rejects] == rejects
    assert found.balanced()
    assert found.values, "the rows around it are loaded"


def test_headers_that_repeat_or_are_empty_get_names(tmp_path: Path) -> None:
    found = staged(tmp_path, "name,,x,X,\na,1,2,3,4\nb,5,6,7,8\n")
    assert {f[1] for f in facts(found)} == {"column_2", "x", "X_2", "column_5"}


def test_a_hundred_thousand_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="100,000 columns"):
        staged(tmp_path, ",".join(f"c{n}" for n in range(100_000)) + "\n" + "," * 99_999 + "\n")


@pytest.mark.parametrize(
    "data",
    [
        b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r><p>&x;</p><p>b</p></r>',
        b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><r><p>&b;</p><p>b</p></r>',
        b"<r>" + b"<p>" * 100_000 + b"</p>" * 100_000 + b"</r>",
        b"<r><p>1</p><p>2</r>",
    ],
)
def test_xml_that_expands_nests_or_breaks_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "t.xml").write_bytes(data)
    with pytest.raises(FormatError, match="line 1"):
        stage_files([tmp_path / "t.xml"], tmp_path / "stage", "tables")


def test_broken_json_records_are_rejected_alone(tmp_path: Path) -> None:
    lines = [
        '{"name": "a", "x": 1}',
        '{"name": "b", "x": }',
        "[1]",
        '{"name": "c", "x": 9' + "9" * 5000 + "}",
        '{"name": "d", "x": ' + "[" * 5000 + "]" * 5000 + "}",
        '{"name": "e", "x": 1}',
    ]
    found = staged(tmp_path, "\n".join(lines), "t.jsonl")
    assert [(row, reason) for row, reason, _ in found.rejects] == [(2, "json"), (3, "object"), (5, "depth")]
    assert {s for s, *_ in facts(found)} == {"table:a", "table:c", "table:e"}
    assert found.balanced()


def test_random_bytes_never_break_the_reader(tmp_path: Path) -> None:
    random.seed(7)
    alphabet = b'"",,\n\n\r\tab1;\x00\x1f\xff\xc3\xa9'
    for n in range(40):
        folder = tmp_path / str(n)
        folder.mkdir()
        body = bytes(random.choice(alphabet) for _ in range(300))
        (folder / "t.csv").write_bytes(b"name,x\n1a,2b\n3c,4d\n" + body)
        try:
            found = stage_files([folder / "t.csv"], folder / "stage", "tables")
        except (FormatError, UsageError):
            continue
        assert found.balanced(), body


def test_flags_correct_the_mapping(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("who,what,about\nx,1,a\ny,2,a\n")
    loader = TablesLoader()
    assert "about: entity (what the row is about)" in loader.mapping([file], extra={"entity": "about"})
    chosen = {"entity": "about", "source_column": "who", "map": "what=link:number of"}
    with EmbeddedStore(tmp_path / "store") as store:
        load_files(store, [file], LoadOptions(extra=chosen))
        with store.snapshot() as snapshot:
            (node,) = snapshot.lookup(["t:a"])
            assert node is not None
            cut = snapshot.cut([node], depth=1)
            found = snapshot.facts(cut.segment, cut.row)
            assert {(f.predicate, f.object, f.source.name) for f in found} == {
                ("number_of", "t:1", "x"),
                ("number_of", "t:2", "y"),
            }
    for wrong in ({"entity": "nobody"}, {"map": "what=nonsense"}, {"map": "what"}, {"map": "what=entity,who=entity"}):
        with pytest.raises(UsageError):
            loader.mapping([file], extra=wrong)


def test_a_column_named_like_an_id_is_no_id(tmp_path: Path) -> None:
    found = staged(tmp_path, 'name,P19,"""x"""\na,1,2\nb,3,4\n')
    assert {f[1] for f in facts(found)} == {"column:P19", 'column:"x"'}


@pytest.mark.data
@pytest.mark.parametrize(
    "file, rows, sources",
    [
        ("books/claims.tsv.gz", 19_942, 10),
        ("birthplaces/claims.tsv.gz", 13_510, 7),
        ("heritages/claims.tsv.gz", 4_424, 1_577),
        ("birthplaces/hierarchy.csv.gz", 0, 1),
    ],
)
def test_the_conflicting_feeds_load_whole(tmp_path: Path, file: str, rows: int, sources: int) -> None:
    path = data_pack() / "truth" / file
    with EmbeddedStore(tmp_path / "store") as store:
        (load,) = load_files(store, [path], LoadOptions(source="feed")).loads
        assert load.balanced()
        assert not load.rejected
        assert load.kept["rows"] == (rows or load.read - 1)
        with store.snapshot() as snapshot:
            assert len(snapshot.manifest()[0].sources) == sources
