"""Keys, names and references of dirty tables, from real files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg_loaders.feeds import tidying
from hydra_kg_loaders.feeds.inference import infer
from hydra_kg_loaders.feeds.model import FeedModel
from hydra_kg_loaders.feeds.staging import read_staged_tables, stage

KEEPERS = (
    "keeper_id,name,wood\nK1,Ida Lund,North Wood\nK2,Max Orr,South Wood\nK3,Eva Rist,North Wood\nK4,Jo Pell,Far Wood\n"
)


@pytest.fixture
def understand(tmp_path):
    """Return a function that infers a feed from texts of CSV files, with the notes on its rows."""
    db = connect_duckdb(threads=1).__enter__()

    def infer_files(files: Mapping[str, str]) -> tuple[FeedModel, list[str]]:
        paths = []
        for name, text in files.items():
            path = Path(tmp_path / name)
            path.write_text(text, "utf-8")
            paths.append(path)
        (tmp_path / "stage").mkdir()
        stage(db, paths, folder=tmp_path / "stage", reject=lambda _: None)
        tables = read_staged_tables(db)
        tidying.set_aside(db, tables, {})
        feed = infer(db, tables, name="woods")
        if tidying.restore_repeated(db, tables, [t.name for t in feed.tables if not t.key]):
            feed = infer(db, tables, name="woods")
        return feed, list(tidying.describe(db, feed, tables))

    yield infer_files
    db.close()


def shown(feed: FeedModel) -> set[str]:
    return {f"{r.table}.{'+'.join(r.columns)} > {r.to}.{'+'.join(r.to_columns)} as {r.phrase}" for r in feed.references}


def test_a_repeated_row_an_empty_key_and_one_duplicate_leave_the_key(understand):
    text = KEEPERS + "K2,Max Orr,South Wood\n,Guest,\nK4,Jo Pell,Near Wood\n"
    feed, notes = understand({"keepers.csv": text, "nests.csv": "nest_id,keeper\nN1,K1\nN2,K4\n"})
    assert feed.table("keepers").key == ("keeper_id",)
    assert feed.table("keepers").called == ("name",)
    assert shown(feed) == {"nests.keeper > keepers.keeper_id as keeper"}
    assert notes == [
        "keepers: row 6 repeats row 3; merged",
        "keepers: row 7 has no keeper_id: called by name, or left out without one",
        "keepers: rows 5 and 8 have the same keeper_id (K4) and are merged; where they differ, both values are stored",
    ]


def test_equal_rows_of_a_table_without_a_key_stay_two(understand):
    feed, notes = understand(
        {"keepers.csv": KEEPERS, "visits.csv": "keeper,day\nK1,2024-05-01\nK1,2024-05-01\nK2,2024-05-02\n"}
    )
    assert (feed.table("visits").key, feed.table("visits").size) == ((), 3)
    assert notes == []


def test_cells_without_letters_name_no_rows(understand):
    feed, _ = understand({"games.csv": "day,score\n2024-05-01,2-1\n2024-05-08,0-3\n2024-05-15,1-1\n"})
    assert feed.table("games").called == ()


def test_codes_beside_a_key_name_no_rows(understand):
    seats = "ticket_id,shown,seat,price\n" + "".join(
        f"T{n},2024-05-0{n},{seat},{n}5\n" for n, seat in enumerate("A1 A2 B4 C1 C2 A1".split(), 1)
    )
    feed, _ = understand({"tickets.csv": seats})
    assert (feed.table("tickets").key, feed.table("tickets").called) == (("ticket_id",), ())


@pytest.mark.parametrize("column", ["owner", "found by", "zq"])
def test_codes_are_a_reference_whatever_the_heading(understand, column):
    nests = f"nest_id,{column}\nN1,K1\nN2,K2\nN3,K2\n"
    feed, _ = understand({"keepers.csv": KEEPERS, "nests.csv": nests})
    assert shown(feed) == {f"nests.{column} > keepers.keeper_id as {column}"}


def test_several_references_to_one_table_keep_their_roles(understand):
    swaps = "swap_id,from_keeper,to_keeper,witness\nS1,K1,K2,K3\nS2,K2,K4,K1\nS3,K3,K1,K2\n"
    feed, _ = understand({"keepers.csv": KEEPERS, "swaps.csv": swaps})
    assert shown(feed) == {
        "swaps.from_keeper > keepers.keeper_id as from keeper",
        "swaps.to_keeper > keepers.keeper_id as to keeper",
        "swaps.witness > keepers.keeper_id as witness",
    }


def test_a_table_refers_to_itself_by_role(understand):
    text = "keeper_id,name,trained by\nK1,Ida Lund,\nK2,Max Orr,K1\nK3,Eva Rist,K2\nK4,Jo Pell,K3\n"
    feed, _ = understand({"keepers.csv": text})
    assert shown(feed) == {"keepers.trained by > keepers.keeper_id as trained by"}


def test_half_found_codes_are_doubtful_with_their_evidence(understand):
    nests = "nest_id,owner\nN1,K1\nN2,K2\nN3,K3\nN4,K9\nN5,K8\n"
    feed, _ = understand({"keepers.csv": KEEPERS, "nests.csv": nests})
    assert shown(feed) == set()
    (doubtful,) = feed.doubtful
    assert (doubtful.columns, doubtful.to, doubtful.share, doubtful.values) == (("owner",), "keepers", 0.6, 5)


def test_numbers_are_a_reference_for_people_and_else_doubtful(understand):
    keepers = "keeper_id,name\n1,Ida Lund\n2,Max Orr\n3,Eva Rist\n4,Jo Pell\n"
    nests = "nest_id,owner,level\nN1,1,1\nN2,2,3\nN3,3,3\nN4,3,2\n"
    feed, _ = understand({"keepers.csv": keepers, "nests.csv": nests})
    assert shown(feed) == {"nests.owner > keepers.keeper_id as owner"}
    assert [r.columns for r in feed.doubtful] == [("level",)]


def test_two_numbers_are_a_reference_where_the_heading_names_a_person(understand):
    keepers = "keeper_no,name,sponsor,level\n17,Ida Lund,,18\n18,Max Orr,17,18\n19,Eva Rist,17,17\n20,Jo Pell,18,17\n"
    feed, _ = understand({"keepers.csv": keepers})
    assert shown(feed) == {"keepers.sponsor > keepers.keeper_no as sponsor"}
    assert feed.doubtful == ()


@pytest.mark.parametrize("heading", ["manager_id", "reports_to", "managed_by", "parent_id"])
def test_numbers_are_a_reference_to_rows_of_their_own_table_by_their_heading(understand, heading):
    employees = f"id,name,{heading}\n1,Bo Rask,\n2,Ida Lund,1\n3,Tor Vik,2\n4,Una Falk,2\n5,Per Holm,3\n"
    orders = "id,product\n1,lamp\n2,table\n3,chair\n4,shelf\n"
    feed, _ = understand({"employees.csv": employees, "orders.csv": orders})
    assert [(r.columns, r.to) for r in feed.references] == [((heading,), "employees")]


def test_numbers_under_the_name_of_the_table_are_its_key(understand):
    visits = "visit,keeper,cost\n1,K1,5\n2,K1,7\n3,K2,9\n"
    feed, _ = understand({"keepers.csv": KEEPERS, "visits.csv": visits})
    assert {t.name: t.key for t in feed.tables} == {"keepers": ("keeper_id",), "visits": ("visit",)}


def test_a_name_like_the_table_is_its_key_before_a_unique_column(understand):
    woods = "wood_name,gate,hectares\nNorth Wood,Mill Gate,40\nSouth Wood,Oak Gate,12\nFar Wood,Fen Gate,70\n"
    rain = "wood_name,2021,2022\nNorth Wood,400,420\nSouth Wood,390,410\nFar Wood,500,512\n"
    feed, _ = understand({"keepers.csv": KEEPERS, "rain.csv": rain, "woods.csv": woods})
    assert (feed.table("woods").key, feed.table("woods").called) == (("wood_name",), ("wood_name",))
    assert {"keepers.wood > woods.wood_name as wood", "rain.wood_name > woods.wood_name as wood"} <= shown(feed)


def test_two_columns_are_a_key_that_others_refer_to(understand):
    trees = "wood_code,tree,kind\nW-1,1,oak\nW-1,2,ash\nW-2,1,elm\n"
    cuts = "wood_code,tree,day\nW-1,1,2024-01-02\nW-1,2,2024-01-02\nW-2,1,2024-02-03\nW-1,1,2024-03-03\n"
    woods = "wood_code,wood\nW-1,North Wood\nW-2,South Wood\nW-3,Far Wood\n"
    feed, _ = understand({"woods.csv": woods, "trees.csv": trees, "cuts.csv": cuts})
    assert feed.table("trees").key == ("wood_code", "tree")
    assert "cuts.wood_code+tree > trees.wood_code+tree as tree" in shown(feed)
    assert "trees.wood_code > woods.wood_code as wood" in shown(feed)


def test_a_year_is_no_part_of_a_key_next_to_a_reference(understand):
    fees = "wood_code,year,fee\nW-1,2021,10\nW-2,2021,11\nW-1,2022,12\n"
    rain = "wood_code,year,rain\nW-1,2021,10\nW-2,2021,11\nW-1,2022,12\n"
    woods = "wood_code,wood\nW-1,North Wood\nW-2,South Wood\n"
    feed, _ = understand({"woods.csv": woods, "fees.csv": fees, "rain.csv": rain})
    assert shown(feed) == {
        "fees.wood_code > woods.wood_code as wood",
        "rain.wood_code > woods.wood_code as wood",
    }


def test_years_as_columns_state_what_the_table_is_about(understand):
    rain = "wood,2021,2022,2023\nNorth,400,420,410\nSouth,390,410,380\n"
    feed, notes = understand({"rainfalls.csv": rain, "keepers.csv": KEEPERS})
    said = [c.phrase for c in feed.table("rainfalls").columns]
    assert said == ["wood", "rainfall 2021", "rainfall 2022", "rainfall 2023"]
    (note,) = notes
    assert note.startswith("rainfalls has years as columns (2021 to 2023), understood as “rainfall 2021” and so on;")
    assert note.endswith("--rule years=on makes rows of them")


def test_a_column_that_repeats_the_key_of_its_row_is_no_reference(understand):
    kinds = "kind_code,meaning\noak,oak\nash,ash\nelm,elm tree\n"
    feed, _ = understand({"kinds.csv": kinds, "keepers.csv": KEEPERS})
    assert shown(feed) == set()


def test_small_numbers_of_things_are_no_reference(understand):
    keepers = "keeper_id,name\n1,Ida Lund\n2,Max Orr\n3,Eva Rist\n4,Jo Pell\n"
    rooms = "room_id,floor,cylinders\nR1,1,3\nR2,2,1\nR3,3,2\nR4,3,2\n"
    feed, _ = understand({"keepers.csv": keepers, "rooms.csv": rooms})
    assert shown(feed) == set()


def test_a_heading_without_letters_is_read(understand):
    games = "#,Date,Venue\nfirst,2001-05-01,Oslo\nsecond,2001-06-01,Cork\nthird,2002-05-03,Oslo\n"
    feed, _ = understand({"games.csv": games})
    assert [c.name for t in feed.tables for c in t.columns] == ["#", "Date", "Venue"]
