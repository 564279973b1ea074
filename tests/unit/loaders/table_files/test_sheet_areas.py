"""The tables of one sheet: titles, merged cells, several tables."""

from __future__ import annotations

from hydra_kg_loaders.table_files.sheet_areas import Merged, fill_merged_cells, find_areas

HERONS = [["nest", "tree", "pairs"], ["N1", "oak", "4"], ["N2", "ash", "2"]]


def test_a_title_is_no_header():
    (area,) = find_areas([["Herons in May", "", ""], [], *HERONS], [])
    assert (area.header, area.depth, area.names, area.title) == (3, 1, HERONS[0], "Herons in May")


def test_merged_headings_make_a_header_of_two_rows():
    rows = [["nest", "eggs", "", "tree"], ["", "laid", "hatched", ""], ["N1", "4", "3", "oak"]]
    merged = [Merged(0, 1, 0, 2), Merged(0, 0, 1, 0), Merged(0, 3, 1, 3)]
    (area,) = find_areas(list(fill_merged_cells(rows, merged)), merged)
    assert (area.depth, area.names) == (2, ["nest", "eggs laid", "eggs hatched", "tree"])


def test_merged_cells_are_filled_down_and_not_across():
    rows = [["bank", "nest"], ["north", "N1"], ["", "N2"], ["end", ""]]
    merged = [Merged(1, 0, 2, 0), Merged(3, 0, 3, 1)]
    assert list(fill_merged_cells(rows, merged)) == [["bank", "nest"], ["north", "N1"], ["north", "N2"], ["end", ""]]
    assert list(fill_merged_cells([["N1"]], [Merged(0, 2, 0, 2)], left=2)) == [["N1"]]


def test_tables_below_each_other_are_told_apart():
    fines = [["Fines"], ["keeper", "amount"], ["Ida", "20"], ["Max", "35"]]
    first, second = find_areas([*HERONS, [], [], *fines], [])
    assert (first.names, first.end) == (HERONS[0], 5)
    assert (second.names, second.header, second.above, second.title) == (["keeper", "amount"], 7, 5, "Fines")


def test_a_blank_row_within_a_table_does_not_end_it():
    (area,) = find_areas([*HERONS, [], ["N3", "elm", "1"], ["N4", "oak", "2"]], [])
    assert area.end == 6


def test_tables_next_to_each_other_are_told_apart():
    rows = [
        [*herons, "", *more]
        for herons, more in zip(HERONS, [["keeper", "age"], ["Ida", "40"], ["Max", "51"]], strict=True)
    ]
    first, second = find_areas(rows, [])
    assert (first.names, first.left, first.right) == (HERONS[0], 0, 3)
    assert (second.names, second.left, second.right) == (["keeper", "age"], 4, 6)


def test_a_stated_header_row_is_taken():
    (area,) = find_areas([["a", "b", "c"], *HERONS], [], header_row=2)
    assert (area.header, area.names) == (2, HERONS[0])
