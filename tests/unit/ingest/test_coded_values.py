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
from hydra_kg.ingest.staging.sorting import sort_streams
from hydra_kg.ingest.staging.stage import DuckStage
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
    literals="SELECT key FROM stated",
    coded_values="SELECT s, p, id AS o, line, place::ENUM('column a', 'column b') AS locator"
    " FROM cell JOIN (FROM stated JOIN literal USING (key)) USING (text)",
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
