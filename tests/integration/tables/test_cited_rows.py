"""A citation names the line that a person sees in the file, under the columns that the load chose."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.ingest.cited import Line, lines_at, place_of
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore

REMARKS = 'pen,keeper,size,remark\nP1,Ida,4,"old,\nbut dry\n"\nP2,Max,2,new\nP3,Eva,3,"to be\nmended"\nP4,Jo,5,\n'


def cited(store: EmbeddedStore, file: Path, locator: str) -> Line:
    """The cited line of a file as the page and `show --cite` print it."""
    place = place_of(locator, store.loads())
    return next(line for line in lines_at(file, place) if line.cited)


def locator_of(store: EmbeddedStore, name: str) -> str:
    with store.snapshot() as snapshot:
        (node,) = (hit.node for hit in snapshot.find([name])[0])
        values = snapshot.values([node])
        return str(snapshot.facts(values.segment, values.row)[0].locator)


@pytest.mark.parametrize("together", [False, True])
def test_rows_after_a_cell_of_several_lines_are_cited_by_their_line(tmp_path: Path, together: bool) -> None:
    folder = tmp_path / "farm"
    folder.mkdir()
    (folder / "pens.csv").write_text(REMARKS, "utf-8")
    if together:
        (folder / "eggs.csv").write_text("egg_id,colour\nE1,white\nE2,brown\nE3,blue\n", "utf-8")
    lines = REMARKS.split("\n")
    with EmbeddedStore(tmp_path / "store") as store:
        (result,) = load_files(store, [folder if together else folder / "pens.csv"], LoadOptions()).loads
        assert result.balanced()
        assert result.kept["continued"] == 3
        for pen in ("P2", "P4"):
            locator = locator_of(store, pen)
            number = next(n for n, text in enumerate(lines, 1) if text.startswith(pen))
            assert f"pens.csv:{number})" in f"{locator})"
            assert cited(store, folder / "pens.csv", locator).text.startswith(f"pen: {pen} · keeper: ")


def test_a_cited_row_has_the_columns_of_the_header_row_that_was_chosen(tmp_path: Path) -> None:
    file = tmp_path / "pens.csv"
    file.write_text("a,b,c\npen,keeper,size\n; measured in May\nP1,Ida,4\nP2,Max,2\n", "utf-8")
    with EmbeddedStore(tmp_path / "store") as store:
        load_files(store, [file], LoadOptions(extra={"header_row": "2", "comment": ";"}))
        locator = locator_of(store, "P2")
        assert "(pens.csv:5)" in locator
        assert cited(store, file, locator).text == "pen: P2 · keeper: Max · size: 2"


def test_a_line_above_the_table_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "pens.csv"
    file.write_text("Pens of the farm, June\n\npen,keeper,size\nP1,Ida,4\nP2,Max,2\n", "utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(file)
        (citation,) = hydra.ask("Who is the keeper of P2?", keep=False).citations
        assert str(citation.locator) == "column keeper (pens.csv:5)"
