"""Values whose distinct keys a loader names are sorted as those whose keys are found among all values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hydra_kg.events import ignore
from hydra_kg.ingest.contract.choices import Options
from hydra_kg.ingest.contract.loader import Streams, loaders
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.formats import sql
from hydra_kg.ingest.staging.sorting import Counts, prepare, sort_streams
from hydra_kg.ingest.staging.stage import DuckStage
from hydra_kg_loaders.tables import table_facts
from tests.unit.ingest.test_sorting_in_little_memory import Short

RAW = """
CREATE TABLE cell AS SELECT (i // 3) * 8 + 5 AS s, (i % 4) * 8 + 3 AS p, (i % 400)::VARCHAR AS text,
    (i // 5 + 1)::UBIGINT AS line, ['column a', 'column b'][1 + i % 2] AS place FROM range(3000) each (i);
INSERT INTO cell SELECT s, p, text, line + 7, place FROM cell WHERE line % 9 = 0;
CREATE TABLE stated AS SELECT DISTINCT text, '"' || text || '"' AS key FROM cell;
"""
PLAIN = Streams(values="SELECT s, p, key, line, place AS locator FROM cell JOIN stated USING (text)")
CODED = Streams(
    values=PLAIN.values,
    literals="SELECT text, key FROM stated",
    coded_values="SELECT s, p, id AS o, line, place::ENUM('column a', 'column b') AS locator"
    " FROM cell JOIN coded USING (text)",
)
COLUMNS = "s, p, o, line, source, rank, confidence, qualifiers, locator::VARCHAR AS locator, detail, times"


def sorted_load(folder: Path, streams: Streams, *, little: bool) -> dict[str, Any]:
    """Return counts, tables, rejects and codes of details of a load with these streams."""
    folder.mkdir()
    (folder / "a.csv").write_text("a,b\n")
    work = Work(folder / "stage", loaders()["tables"], [folder / "a.csv"], options=Options(), listener=ignore)
    with work:
        work.step("read", lambda: work.db.execute(RAW).fetchall())
        whole = work.db
        if little:
            work.db = Short(work.db)  # type: ignore[assignment]
        counts = sort_streams(work, streams)
        assert not little or work.db.refused  # type: ignore[attr-defined]
        stage = DuckStage(whole, {"values": counts["values"]["kept"]}, ())
        shared = stage.distinct_details(255) or set()
        codes = [codes for _, codes in stage.detail_codes({detail: n for n, detail in enumerate(sorted(shared))})]
        return {
            "counts": counts,
            "value": whole.execute(f"SELECT {COLUMNS} FROM value").fetchall(),
            "literal": whole.execute("FROM literal ORDER BY ALL").fetchall(),
            "term": whole.execute("FROM term").fetchall(),
            "reject": whole.execute("SELECT * FROM reject ORDER BY ALL").fetchall(),
            "codes": [code for batch in codes for code in batch.tolist()],
        }


@pytest.fixture(params=["enough memory", "little memory", "shared ids"])
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A condition under which values are sorted."""
    if request.param == "shared ids":
        monkeypatch.setattr(sql, "HASH_DIGITS", 2)
    param: str = request.param
    return param


def test_both_ways_make_equal_tables(tmp_path: Path, case: str) -> None:
    little = case == "little memory"
    plain, coded = (sorted_load(tmp_path / str(n), s, little=little) for n, s in enumerate((PLAIN, CODED)))
    assert plain == coded
    assert plain["counts"]["values"]["rows"] > plain["counts"]["values"]["kept"] > 2000 // (1 + (case == "shared ids"))
    assert bool(plain["reject"]) == (case == "shared ids")
    assert set(plain["codes"]) == {0, 1}


TABLE = "part,name,boss,weight,made,left\n" + "".join(
    f"P{i},Part {i},{f'Part {i // 2}' if i % 3 else ''},{i % 7 or ''},20{i % 90 + 10}-01-0{i % 9 + 1},{i % 3}.5\n"
    for i in range(400)
)


def loaded_values(folder: Path, text: str) -> tuple[list[Any], Counts, bool]:
    """Return the values of a table and their counts, and whether the loader gave them in order."""
    folder.mkdir()
    (folder / "parts.csv").write_text(text)
    loader = loaders()["tables"]
    with Work(folder / "stage", loader, [folder / "parts.csv"], options=Options(), listener=ignore, name="w") as work:
        prepared = prepare(work, loader)
        values = work.db.execute(f"SELECT {COLUMNS} FROM value").fetchall()
        stage = DuckStage(work.db, prepared.rows(), ())
        shared = sorted(stage.distinct_details(255) or ())
        codes = [code for _, batch in stage.detail_codes({d: n for n, d in enumerate(shared)}) for code in batch]
        written = [column.tolist() for batch in stage.values() for column in batch.values()]
        details = [detail for batch in stage.details() for detail in batch]
        read = [values, written, shared, codes, details, list(stage.packed_details())]
        return read, prepared.counts["values"], bool(prepared.streams.wide_values)


def test_rows_that_are_sorted_give_the_values_that_sorted_cells_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    *ordered, quick = loaded_values(tmp_path / "quick", TABLE)
    monkeypatch.setattr(table_facts, "_wide_values", lambda *_: {})
    *sorted_cells, slow = loaded_values(tmp_path / "slow", TABLE)
    for one, other in zip(*(each[0] for each in (ordered, sorted_cells)), strict=True):
        assert str(one) == str(other)
    assert ordered[1] == sorted_cells[1]
    assert len(ordered[0][0]) > 1_500
    assert quick
    assert not slow


def test_rows_of_one_entity_are_not_taken_for_ordered(tmp_path: Path) -> None:
    values, _, quick = loaded_values(tmp_path / "load", TABLE + "P7,Part 7,,9,2011-01-01,0.5\n")
    assert len(values[0]) > 1_500
    assert not quick
