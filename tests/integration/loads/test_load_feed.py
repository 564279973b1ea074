"""Tables that belong together: a folder, a workbook or a database becomes one graph, and every row is accounted for."""

from __future__ import annotations

import datetime
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
import yaml

from hydra_kg.errors import FormatError, UsageError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import batch_files, load_files
from hydra_kg.ingest.report import LoadResult
from hydra_kg.stores.embedded.store import EmbeddedStore

SHOP = {
    "cities.csv": "city_id,name,country\n1,Oslo,Norway\n2,Bergen,Norway\n3,Turku,Finland\n",
    "suppliers.csv": "supplier_id,name,city_id,founded\n10,Nordlys,1,1994-03-01\n11,Fjordtre,2,2001-11-20\n12,Havn,,\n",
    "products.csv": "code,title,supplier_id,price\nLMP-1,Lamp,10,€1200.50\nTBL-2,Table,11,€340\nCHR-3,Chair,11,€120\n",
    "tags.csv": "tag_id,tag\n1,indoor\n2,wood\n",
    "product_tags.csv": "product_code,tag_id\nLMP-1,1\nTBL-2,1\nTBL-2,2\n",
    "deliveries.csv": "product_code,city_id,pieces\nLMP-1,3,40\nTBL-2,3,15\nTBL-2,1,2\n",
}


def folder(path: Path, files: Mapping[str, str] = SHOP) -> Path:
    path.mkdir(parents=True)
    for name, text in files.items():
        (path / name).write_text(text, "utf-8")
    return path


def load(store: EmbeddedStore, *paths: Path, **options: object) -> LoadResult:
    (result,) = load_files(store, list(paths), LoadOptions(**options)).loads  # type: ignore[arg-type]
    return result


def facts(store: EmbeddedStore) -> set[tuple[str, str, str]]:
    """Everything stated, ends by name where they have one; nodes without a name as ``·``."""
    with store.snapshot() as snapshot:
        nodes = snapshot.all_classes().tolist()
        cut = snapshot.cut(nodes, depth=1, hops="paper", budget=100_000)
        keys = snapshot.predicates().keys
        called = {e.node.id: "·" if e.mediator else e.node.name for e in snapshot.entities(nodes)}
        ends = zip(cut.ids[cut.src].tolist(), cut.pred.tolist(), cut.ids[cut.dst].tolist(), strict=True)
        values = snapshot.values(nodes)
        said = zip(values.node.tolist(), values.pred.tolist(), values.literal, strict=True)
        return {(called[a], keys[p], called[b]) for a, p, b in ends} | {(called[a], keys[p], v) for a, p, v in said}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """The report and the store of one load, which tests only read."""
    place = tmp_path_factory.mktemp("feed")
    with EmbeddedStore(place / "store") as store:
        yield load(store, folder(place / "shop")), store


def test_a_folder_is_one_feed_whose_rows_are_joined(shop):
    result, store = shop
    assert (result.name, result.format) == ("shop", "feed")
    found = facts(store)
    assert {
        ("Oslo", "P31", "city"),
        ("Nordlys", "city", "Oslo"),
        ("Lamp", "supplier", "Nordlys"),
        ("Oslo", "country", "Norway"),
        ("Bergen", "country", "Norway"),
        ("Table", "tag", "indoor"),
        ("Table", "tag", "wood"),
    } <= found


def test_values_have_kinds(shop):
    found = facts(shop[1])
    assert ("Nordlys", "founded", '"1994-03-01"^^xsd:date') in found
    assert ("Lamp", "price", '"1200.50"^^xsd:decimal') in found
    assert ("Table", "price", '"340"^^xsd:integer') in found


def test_money_has_its_currency(shop):
    _, store = shop
    with store.snapshot() as snapshot:
        (lamp,) = (h.node for h in snapshot.find(["Lamp"])[0])
        values = snapshot.values([lamp])
        units = {f.qualifiers for f in snapshot.facts(values.segment, values.row) if f.predicate == "price"}
    assert units == {(("unit", '"EUR"'),)}


def test_rows_that_only_join_are_mediators(shop):
    found = facts(shop[1])
    assert ("·", "product", "Lamp") in found
    assert ("·", "city", "Turku") in found
    assert ("·", "pieces", '"40"^^xsd:integer') in found


def test_a_relation_reads_in_both_directions(shop):
    with shop[1].snapshot() as snapshot:
        known = snapshot.predicates()
        texts = dict(zip(known.keys, known.texts, strict=True))
    assert texts["supplier"] == "supplier"
    assert "is the supplier of" in texts.values()


def test_a_fact_names_its_file_and_row(shop):
    _, store = shop
    with store.snapshot() as snapshot:
        (table,) = (h.node for h in snapshot.find(["Table"])[0])
        values = snapshot.values([table])
        places = {f.predicate: str(f.locator) for f in snapshot.facts(values.segment, values.row)}
    assert places["price"] == "products.csv:3"


def test_every_row_is_accounted_for(tmp_path):
    files = {
        **SHOP,
        "product_tags.csv": SHOP["product_tags.csv"] + "CHR-3,2\nNONE-9,1\n",
        "cities.csv": SHOP["cities.csv"] + ",,\n4,a,b,c\n",
    }
    with EmbeddedStore(tmp_path / "store") as store:
        result = load(store, folder(tmp_path / "shop", files))
    assert result.balanced()
    assert result.dropped["empty"] == 1
    assert result.rejected == {"columns": 1, "reference": 1}
    assert (result.kept["headers"], result.kept["rows"]) == (6, 18)


def test_what_a_reference_does_not_find_stays_a_value(tmp_path):
    files = {
        **SHOP,
        "suppliers.csv": SHOP["suppliers.csv"] + "".join(f"{n},S{n},{n % 3 + 1},\n" for n in range(13, 30)),
    }
    files["suppliers.csv"] += "99,Lost,77,\n"
    with EmbeddedStore(tmp_path / "store") as store:
        load(store, folder(tmp_path / "shop", files))
        found = facts(store)
    assert ("Lost", "city", '"77"^^xsd:integer') in found


def test_evidence_is_described(shop):
    text = "\n".join(shop[0].described["lines"])
    assert "suppliers.city_id → cities.city_id: 100 % of 2 values found" in text
    assert "called “city”, backwards “is the city of”" in text


def test_rows_that_no_column_tells_apart_are_told_apart_by_their_numbers(tmp_path):
    """Equal rows stay two; the first cells go over several lines."""
    path = tmp_path / "game.csv"
    path.write_text('"match\nday","team\nat home",score\n1,Lions,3\n1,Bears,3\n2,Lions,3\n1,Lions,3\n', "utf-8")
    with EmbeddedStore(tmp_path / "store") as store:
        result = load(store, path)
        assert (result.name, result.format, result.kept["rows"]) == ("game", "feed", 4)
        assert "identified by row number, since no column does it" in result.described["lines"][1]
        with store.snapshot() as snapshot:
            assert None not in snapshot.lookup([f"game:game#{n}" for n in (4, 5, 6, 7)])
    with EmbeddedStore(tmp_path / "other") as store, pytest.raises(UsageError, match="identifies the rows"):
        load(store, path, format="tables")
    with EmbeddedStore(tmp_path / "third") as store:
        assert load(store, path, extra={"entity": "team at home"}).format == "tables"


def test_numbers_that_count_from_one_are_no_reference(tmp_path):
    files = {"a.csv": "id,name,rank\n1,x,1\n2,y,2\n3,z,3\n", "b.csv": "id,title,size\n1,p,3\n2,q,1\n3,r,2\n"}
    with EmbeddedStore(tmp_path / "store") as store:
        result = load(store, folder(tmp_path / "few", files))
    assert result.described["feed"]["references"] == []


def test_a_weak_reference_is_left_to_decide(tmp_path):
    files = {
        "cities.csv": "city_id,name\n1,Oslo\n2,Bergen\n",
        "trips.csv": "trip_id,city_id\n100,1\n101,7\n102,2\n103,9\n",
    }
    with EmbeddedStore(tmp_path / "store") as store:
        result = load(store, folder(tmp_path / "trips", files))
    assert result.described["feed"]["references"] == []
    assert [r["to"] for r in result.described["feed"]["doubtful"]] == ["cities"]


def test_tables_of_one_source_named_one_by_one(tmp_path):
    path = folder(tmp_path / "shop")
    with EmbeddedStore(tmp_path / "store") as store:
        result = load(store, path / "cities.csv", path / "suppliers.csv", source="north")
        assert (result.name, result.format) == ("north", "feed")
        assert ("Nordlys", "city", "Oslo") in facts(store)


def test_files_with_equal_columns_stay_tables_of_their_own(tmp_path):
    path = folder(tmp_path / "two", {"a.csv": "name,height\nA,1\n", "b.csv": "name,height\nB,2\n"})
    assert [b.loader.name for b in batch_files([path])] == ["tables", "tables"]
    assert [b.loader.name for b in batch_files([path], source="x")] == ["tables"]
    other = folder(tmp_path / "three", {"a.csv": "name,height\nA,1\n", "b.csv": "name,width\nB,2\n"})
    assert [b.loader.name for b in batch_files([other], source="x", extra={"entity": "name"})] == ["tables"]


def test_numbered_files_are_parts_of_one_table(tmp_path):
    files = {f"city-{n:03}.csv": f"city_id,name\n{n},Town {n}\n" for n in range(1, 4)}
    with EmbeddedStore(tmp_path / "store") as store:
        result = load(store, folder(tmp_path / "parts", files))
        assert list(result.described["feed"]["tables"]) == ["city"]
        assert ("Town 3", "P31", "city") in facts(store)


def test_json_lines_and_csv_join(tmp_path):
    files = {
        "cities.jsonl": '{"city_id": 1, "name": "Oslo"}\n'
        '{"city_id": 2, "name": "Turku", "twins": ["Cologne", "Florence"]}\n',
        "people.csv": "person_id,name,city_id\n1,Ada,2\n2,Bo,1\n",
    }
    with EmbeddedStore(tmp_path / "store") as store:
        load(store, folder(tmp_path / "mix", files))
        found = facts(store)
    assert {("Ada", "city", "Turku"), ("Turku", "twins", "Florence")} <= found


def test_a_sqlite_file_with_declared_keys(tmp_path):
    path = tmp_path / "firm.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE TABLE dept (nr INTEGER PRIMARY KEY, called TEXT);"
            "CREATE TABLE staff (pid INTEGER PRIMARY KEY, name TEXT, works_in INTEGER REFERENCES dept(nr));"
            "CREATE VIEW everyone AS SELECT * FROM staff;"
            "INSERT INTO dept VALUES (1, 'Research'), (2, 'Sales');"
            "INSERT INTO staff VALUES (7, 'Ada', 1), (8, 'Bo', 2);"
        )
        db.commit()
    with EmbeddedStore(tmp_path / "store") as store:
        result = load(store, path)
        assert result.read == 4
        assert [r["why"] for r in result.described["feed"]["references"]] == ["declared"]
        assert ("Ada", "works in", "Research") in {(s, p.replace("_", " "), o) for s, p, o in facts(store)}


def test_a_duckdb_file_with_declared_keys(tmp_path):
    path = tmp_path / "firm.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE dept (nr INTEGER PRIMARY KEY, called VARCHAR)")
        db.execute("CREATE TABLE staff (pid INTEGER, name VARCHAR, boss INTEGER REFERENCES dept(nr), born DATE)")
        db.execute("CREATE VIEW secret AS SELECT * FROM read_text('/etc/hostname')")
        db.execute("INSERT INTO dept VALUES (1, 'Research'), (2, 'Sales')")
        db.execute("INSERT INTO staff VALUES (7, 'Ada', 1, DATE '1815-12-10')")
    with EmbeddedStore(tmp_path / "store") as store:
        assert load(store, path).read == 3
        assert {("Ada", "boss", "Research"), ("Ada", "born", '"1815-12-10"^^xsd:date')} <= facts(store)


def test_sheets_of_a_workbook(tmp_path):
    path = _workbook(
        tmp_path / "firm.xlsx",
        {
            "Offices": [["Our offices"], ["office_id", "name"], [1, "Oslo"], [2, "Turku"]],
            "People": [["person_id", "name", "office_id", "joined"], [5, "Ada", 2, datetime.date(2020, 5, 17)]],
        },
    )
    with EmbeddedStore(tmp_path / "store") as store:
        result = load(store, path)
        assert result.rejected == {"before-header": 1}
        assert ("Ada", "office", "Turku") in facts(store)
        with store.snapshot() as snapshot:
            (ada,) = (h.node for h in snapshot.find(["Ada"])[0])
            values = snapshot.values([ada])
            assert "People, cell D2 (firm.xlsx:6)" in {
                str(f.locator) for f in snapshot.facts(values.segment, values.row)
            }


def test_a_dry_run_of_a_workbook_says_what_it_takes(tmp_path):
    path = _workbook(tmp_path / "firm.xlsx", {"Offices": [["office_id", "name"], [1, "Oslo"], [2, "Turku"]]})
    with EmbeddedStore(tmp_path / "store") as store:
        assert load(store, path, dry_run=True).forecast["lines"] >= 3


def test_a_table_alone_in_a_database_keeps_its_name(tmp_path):
    path = tmp_path / "firm2.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript("CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO staff VALUES (1, 'Ada')")
        db.commit()
    with EmbeddedStore(tmp_path / "store") as store:
        assert list(load(store, path).described["feed"]["tables"]) == ["staff"]


def test_formulas_are_not_computed(tmp_path):
    path = _workbook(tmp_path / "f.xlsx", {"A": [["name", "size"], ["x", ("=1+1", 7)], ["y", ("=HYPERLINK(A1)", 8)]]})
    with EmbeddedStore(tmp_path / "store") as store:
        load(store, path)
        assert ("x", "size", '"7"^^xsd:integer') in facts(store)


def test_a_workbook_that_would_fill_the_memory_is_refused(tmp_path):
    path = _workbook(tmp_path / "bomb.xlsx", {"A": [["name"], ["x"]]}, far="XFD1048576")
    with EmbeddedStore(tmp_path / "store") as store, pytest.raises(FormatError, match="cannot be read as a workbook"):
        load(store, path)


def test_yaml_records_and_no_aliases(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_text("teams:\n  - {team_id: 1, name: Red}\npeople:\n  - {person_id: 4, name: Ada, team_id: 1}\n")
    with EmbeddedStore(tmp_path / "store") as store:
        load(store, path)
        assert ("Ada", "team", "Red") in facts(store)
    path.write_text("- &a {name: x}\n- *a\n")
    with EmbeddedStore(tmp_path / "other") as store, pytest.raises(FormatError, match="aliases"):
        load(store, path, format="feed")


def test_hostile_names_are_only_names(tmp_path):
    name = "a\"; DROP TABLE t0; --'"
    files = {
        f"{name}.csv": f'"{name.replace(chr(34), chr(34) * 2)}_id","na\'me"\n1,x\n2,y\n',
        "b.csv": "id,title\n1,z'); --\n",
    }
    with EmbeddedStore(tmp_path / "store") as store:
        result = load(store, folder(tmp_path / "bad", files))
        assert result.kept["rows"] == 3
        assert any(end == "z'); --" for end, *_ in facts(store))


def test_a_description_that_was_edited(tmp_path):
    path = folder(tmp_path / "shop")
    feeds = tmp_path / "feeds.yaml"
    with EmbeddedStore(tmp_path / "store") as store:
        feed = dict(load(store, path).described["feed"])
        feed["tables"]["cities"]["noun"] = "town"
        feed["tables"]["suppliers"]["columns"]["founded"]["says"] = "began"
        feed["tables"]["tags"]["rows"] = "skip"
        feed["tables"]["product_tags"]["rows"] = "skip"
        feeds.write_text(yaml.safe_dump({"feeds": {"shop": feed}}))
        result = load(store, path, replace=True, extra={"feeds": str(feeds)})
        found = facts(store)
    assert result.dropped["skip"] == 5
    assert {("Oslo", "P31", "town"), ("Nordlys", "began", '"1994-03-01"^^xsd:date')} <= found
    assert not any("indoor" in fact for fact in found)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("feeds: {shop: {tables: {nowhere: {}}}}", "unknown table: nowhere"),
        ("feeds: {shop: {tables: {cities: {columns: {x: {}}}}}}", "unknown column of cities: x"),
        ("feeds: {shop: {tables: {cities: {columns: {name: {role: magic}}}}}}", "no role magic|called by"),
        ("feeds: {shop: {tables: {cities: {rows: pair}}}}", "has 0 references"),
        ("feeds: {other: {}}", "the feed is called shop"),
        ("[]", "must be a mapping"),
    ],
)
def test_a_description_that_does_not_fit_says_why(tmp_path, text, reason):
    path = folder(tmp_path / "shop")
    feeds = tmp_path / "feeds.yaml"
    feeds.write_text(text)
    if "magic" in text:
        feeds.write_text(text.replace("name: {role", "country: {role"))
    with EmbeddedStore(tmp_path / "store") as store, pytest.raises(UsageError, match=reason):
        load(store, path, extra={"feeds": str(feeds)})


def test_the_same_files_give_the_same_ids(tmp_path):
    found = []
    for n in (1, 2):
        with EmbeddedStore(tmp_path / f"store{n}") as store:
            load(store, folder(tmp_path / str(n) / "shop"))
            with store.snapshot() as snapshot:
                found.append(snapshot.lookup(["shop:cities/1", "shop:products/LMP-1", "shop:country=Norway"]))
    assert found[0] == found[1]
    assert None not in found[0]


def _workbook(path: Path, sheets: Mapping[str, list[list[object]]], *, far: str = "") -> Path:
    """A workbook of one file each for what a reader needs; a cell (formula, value) has both."""
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="application/vnd.openxmlformats-officedocument'
        '.spreadsheetml.worksheet+xml"/>'
        for n in range(1, len(sheets) + 1)
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd'
            '.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
            '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument'
            f'.spreadsheetml.sheet.main+xml"/>{types}</Types>',
        )
        out.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{kind}/officeDocument"'
            ' Target="xl/workbook.xml"/></Relationships>',
        )
        listed = "".join(f'<sheet name="{s}" sheetId="{n}" r:id="r{n}"/>' for n, s in enumerate(sheets, 1))
        out.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{kind}"><sheets>{listed}</sheets></workbook>'
        )
        targets = "".join(
            f'<Relationship Id="r{n}" Type="{kind}/worksheet" Target="worksheets/sheet{n}.xml"/>'
            for n in range(1, len(sheets) + 1)
        )
        out.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{package}/relationships">{targets}</Relationships>'
        )
        for n, rows in enumerate(sheets.values(), 1):
            body = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
            more = f'<row><c r="{far}"><v>1</v></c></row>' if far else ""
            out.writestr(
                f"xl/worksheets/sheet{n}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{body}{more}</sheetData></worksheet>',
            )
    return path


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        return f"<c><f>{value[0]}</f><v>{value[1]}</v></c>"
    if isinstance(value, int):
        return f"<c><v>{value}</v></c>"
    return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
