"""Where tables begin: titles, comments, headers of two rows, files of one column."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg.errors import FormatError, UsageError
from hydra_kg_loaders.tables import table_headers
from hydra_kg_loaders.tables.grid import kind_of, open_rows, split
from hydra_kg_loaders.tables.table_headers import LayoutChoice, read_choice


def read(tmp_path: Path, text: str, name: str = "herons.csv", choice: LayoutChoice = table_headers.GUESS):
    """Return columns, rows and rejects of a file."""
    file = tmp_path / name
    file.write_text(text, "utf-8")
    rows = open_rows(file, choice=choice)
    rejects: list[tuple[int, str]] = []
    blocks = list(rows.blocks(lambda row, reason, place, text: rejects.append((row, reason))))
    found = [line.split("\x1f") for block in blocks for line in block.splitlines()]
    return rows.columns, found, rejects


@pytest.mark.parametrize(
    "above, rejected",
    [
        ("Herons of the lake, counted in May\n", [(1, "before-header")]),
        ("Herons of the lake\n\n", [(1, "before-header")]),
        ("# made by counter 3\n# unit: birds, pairs\n", [(1, "before-header"), (2, "before-header")]),
        ("Herons of the lake,,\n", [(1, "before-header")]),
        ("Herons,,\n,,\n", [(1, "before-header"), (2, "before-header")]),
    ],
)
def test_lines_above_the_header_are_rejected_alone(tmp_path, above, rejected):
    columns, rows, rejects = read(tmp_path, above + "nest,tree,pairs\nN1,oak,4\nN2,ash,2\nN3,elm,1\n")
    assert columns == ["nest", "tree", "pairs"]
    assert [row[1:] for row in rows] == [["N1", "oak", "4"], ["N2", "ash", "2"], ["N3", "elm", "1"]]
    assert int(rows[0][0]) == above.count("\n") + 2
    assert rejects == rejected


@pytest.mark.parametrize(
    "text, columns",
    [
        ("nest,,pairs\nN1,oak,4\n", ["nest", "column 2", "pairs"]),
        (",tree\n0,oak\n1,ash\n", ["column 1", "tree"]),
        ("#id,tree\n0,oak\n1,ash\n", ["#id", "tree"]),
        ("nest,tree\nN1,oak\nN2,ash\n", ["nest", "tree"]),
    ],
)
def test_ordinary_headers_stay_the_first_row(tmp_path, text, columns):
    assert read(tmp_path, text)[0] == columns


@pytest.mark.parametrize(
    "text, columns",
    [
        ("nest,eggs,,fed\n,laid,hatched,\nN1,4,3,yes\nN2,2,2,no\n", ["nest", "eggs laid", "eggs hatched", "fed"]),
        ("nest,height,weight\n,m,kg\nN1,4.5,3\nN2,2,2\n", ["nest", "height (m)", "weight (kg)"]),
    ],
)
def test_headers_of_two_rows_are_one_name_per_column(tmp_path, text, columns):
    found, rows, rejects = read(tmp_path, text)
    assert found == columns
    assert [row[0] for row in rows] == ["3", "4"]
    assert rejects == []


def test_a_first_row_of_texts_is_no_second_header(tmp_path):
    columns, rows, _ = read(tmp_path, "nest,,tree\nN1,high,oak\nN2,low,ash\n")
    assert columns == ["nest", "column 2", "tree"]
    assert len(rows) == 2


def test_a_person_states_the_header_and_comments(tmp_path):
    text = "one,two,three\nnest,tree,pairs\n// moved\nN1,oak,4\n"
    columns, rows, rejects = read(tmp_path, text, choice=LayoutChoice(2, "//"))
    assert columns == ["nest", "tree", "pairs"]
    assert [row[1:] for row in rows] == [["N1", "oak", "4"]]
    assert rejects == [(1, "before-header"), (3, "comment")]
    assert read_choice({"header_row": "2", "comment": "//"}) == LayoutChoice(2, "//")
    with pytest.raises(UsageError, match="--header-row none"):
        read_choice({"header_row": "none"})


def test_files_of_one_column_and_of_a_header_alone_are_tables(tmp_path):
    assert kind_of(b"tree\noak\nash\n", "trees.csv") == "text"
    assert kind_of(b"nest,tree\n", "nests.csv") == "text"
    assert kind_of(b"The oak is old.\nThe ash is young.\n", "trees.txt") == ""
    assert read(tmp_path, "tree\noak\nash\n")[:2] == (["tree"], [["2", "oak"], ["3", "ash"]])
    assert read(tmp_path, "nest,tree\n")[:2] == (["nest", "tree"], [])


def test_an_unknown_table_says_how_to_name_the_header(tmp_path):
    file = tmp_path / "odd.csv"
    file.write_text("a,b,c\n1\n2\n3\n4\n5\n", "utf-8")
    assert next(split(open_rows(file)), None) is None
    blank = tmp_path / "blank.csv"
    blank.write_text("\n\n", "utf-8")
    with pytest.raises(FormatError) as refused:
        open_rows(blank)
    assert "--header-row" in str(refused.value.remedy)
