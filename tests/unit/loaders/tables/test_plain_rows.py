"""Blocks of a table that need no reading are taken whole, and give the rows that reading gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg.events import ignore
from hydra_kg.ingest.contract.choices import Options
from hydra_kg.ingest.contract.loader import loaders
from hydra_kg.ingest.contract.work import Work
from hydra_kg_loaders.tables.text_rows import PlainRows, TextRows

PLAIN = "".join(f"P{n},Part {n},{n % 7 or ''}\n" for n in range(90_000))
ODD = ['"a, b",quoted,1\n', "\n", " P ,  spaced\t, 2\n", "too,few\n", "x,contr\x1fol,3\n", "é,ü,4\n", ",,\n"]


def grid(folder: Path, text: str) -> list[tuple[object, ...]]:
    """The rows of a table and its rejects, as they are read."""
    folder.mkdir()
    (folder / "parts.csv").write_text("part,name,weight\n" + text, encoding="utf-8")
    loader = loaders()["tables"]
    with Work(folder / "stage", loader, [folder / "parts.csv"], options=Options(), listener=ignore, name="w") as work:
        work.step("read", lambda: dict(loader.read(work)))
        rows: list[tuple[object, ...]] = work.db.execute("FROM grid ORDER BY row").fetchall()
        return rows + work.db.execute("FROM reject ORDER BY line").fetchall() + [tuple(work.lines)]


@pytest.mark.slow
@pytest.mark.parametrize("odd", ["".join(ODD), ODD[2], ODD[5]])
def test_plain_blocks_give_the_rows_that_reading_gives(
    odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    plain = TextRows._plain

    def note(self: TextRows, block: bytes, first: int) -> PlainRows | None:
        found = plain(self, block, first)
        taken.append(found is not None)
        return found

    text = PLAIN + odd + PLAIN[:200_000].replace("\n", "\r\n") + odd * 2
    monkeypatch.setattr(TextRows, "_plain", note)
    quick = grid(tmp_path / "quick", text)
    assert True in taken
    monkeypatch.setattr(TextRows, "_plain", lambda *_: None)
    assert quick == grid(tmp_path / "slow", text)
