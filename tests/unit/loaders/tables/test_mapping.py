"""What columns are taken for, from their names and a few rows."""

from __future__ import annotations

import pytest

from hydra_kg.errors import UsageError
from hydra_kg_loaders.tables.dialect import recognise
from hydra_kg_loaders.tables.mapping import KeylessTableError, guess
from hydra_kg_loaders.tables.text_rows import open_text

FLIGHTS = [[f"2011-12-0{day}", source, f"AA-{n}", f"F{n}"] for day in (1, 2) for source in "abc" for n in range(9)]


@pytest.mark.parametrize(
    "names, rows, roles",
    [
        ("src entity attribute value", [["a", "x", "p", "1"], ["b", "x", "p", "2"]], "source entity attribute value"),
        ("source entity value", [["a", "x", "1"], ["b", "x", "2"]], "source entity value"),
        ("ID name parentID", [["0", "Root", "-1"], ["1", "India", "0"]], "entity name value"),
        ("source isbn title authors", [["a", "1", "T", "K"], ["b", "1", "t", "Knuth"]], "source entity name value"),
        ("date source flight gate", FLIGHTS, "qualifier source entity value"),
        ("name qid description", [["Ada", "Q7259", "a"], ["Bob", "Q1", "b"]], "entity id description"),
        ("name qid", [["Ada", "none"], ["Bob", "?"]], "entity value"),
        ("rank country population", [["1", "India", "1.4"], ["2", "China", "1.4"]], "value entity value"),
        (
            "country year population",
            [["India", "2000", "1"], ["India", "2001", "2"], ["Chad", "2000", "3"], ["Chad", "2001", "4"]],
            "entity qualifier value",
        ),
        ("season club", [[f"200{n}/0{n + 1}", "FC Elm"] for n in range(6)], "entity value"),
        ("source quote", [[f"book {n}", f"line {n}"] for n in range(50)], "entity value"),
    ],
)
def test_columns_are_taken_for_what_they_look_like(names: str, rows: list[list[str]], roles: str) -> None:
    choices = {"entity": "country"} if names.startswith("country") else {}
    found = guess(names.split(), rows, choices)
    assert [role.kind for role in found.roles] == roles.split()


JOBS = [[str(n), f"Person {n}", "Engineer" if n % 3 else "Designer"] for n in range(12)]


@pytest.mark.parametrize(
    "names, rows, roles",
    [
        ("id name title", JOBS, "entity name value"),
        ("id title name", [[i, job, name] for i, name, job in JOBS], "entity value name"),
        ("id title city", [[i, job, name] for i, name, job in JOBS], "entity value value"),
        ("id title full_name", [["1", "CEO", "Ada King"], ["2", "CTO", "Bob Ott"]], "entity value name"),
        (
            "id first_name last_name title",
            [["1", "Ada", "King", "CEO"], ["2", "Bob", "Ott", "CTO"]],
            "entity given family value",
        ),
        ("id Nachname Vorname", [["1", "King", "Ada"], ["2", "Ott", "Bob"]], "entity family given"),
        ("id forename age", [["1", "Ada", "36"], ["2", "Bob", "40"]], "entity value value"),
        ("givenName familyName born", [["Ada", "King", "1815"], ["Bob", "Ott", "1900"]], "entity family value"),
        ("id name first_name surname", [["1", "A. King", "Ada", "King"]], "entity name value value"),
        ("title surname salary", [["CEO", "King", "1"], ["CTO", "Ott", "2"]], "value entity value"),
        ("id title year", [["1", "Emma", "1815"], ["2", "Persuasion", "1817"]], "entity name value"),
        ("title author", [["Emma", "Jane Austen"], ["Dracula", "Bram Stoker"]], "entity value"),
    ],
)
def test_a_title_of_people_is_a_job_and_one_of_works_their_name(names: str, rows: list[list[str]], roles: str) -> None:
    assert [role.kind for role in guess(names.split(), rows, {}).roles] == roles.split()


def test_a_table_that_nothing_tells_apart_asks_for_the_entity() -> None:
    with pytest.raises(UsageError, match="--entity COL"):
        guess(["a", "b"], [["1", "2"], ["1", "2"], ["1", "2"]], {})


RATED = [
    ["Soup", "Tom", "5", "2025-01-12"],
    ["Soup", "Mia", "4", "2025-02-03"],
    ["Stew", "Tom", "5", "2025-02-20"],
    ["Pie", "Mia", "3", "2025-03-01"],
    ["Pie", "Mia", "3", "2025-03-01"],
]


def test_the_rows_of_a_log_are_about_no_column() -> None:
    """Nothing names them: neither what repeats with other readers, nor the day, which is different by chance."""
    with pytest.raises(KeylessTableError):
        guess("recipe reader stars date".split(), RATED, {})
    measured = [[city, f"{year}-01-01", str(year)] for city in ("Ulm", "Bern") for year in range(2001, 2009)]
    found = guess("city date people".split(), measured, {})
    assert [role.kind for role in found.roles] == "entity qualifier value".split()


def test_goods_that_repeat_are_not_what_rows_are_about() -> None:
    names = ["order", "date", "customer", "item", "total"]
    rows = [["1001", "2026-01-05", "Ann", "chair", "120"], ["1002", "2026-01-19", "Bob", "table", "340"]]
    rows.append(["1003", "2026-03-11", "Ann", "chair", "120"])
    with pytest.raises(KeylessTableError):
        guess(names, rows, {})


def test_scores_that_happen_to_differ_name_no_rows() -> None:
    rows = [[f"1931-10-0{n}", "Lane", f"{n}-{n + 3}", "W"] for n in range(1, 7)]
    with pytest.raises(KeylessTableError):
        guess("date opponent score result".split(), rows, {})


def test_a_row_twice_makes_no_entity_repeat() -> None:
    rows = [["Soup", "Tom"], ["Soup", "Tom"], ["Stew", "Tom"], ["Pie", "Mia"]]
    assert [role.kind for role in guess("recipe author".split(), rows, {}).roles] == ["entity", "value"]


def test_columns_are_named_by_number_as_well() -> None:
    found = guess(["a", "b,c", "d"], [["x", "1", "2"], ["y", "1", "2"]], {"map": "#2=skip,D=text:depth"})
    assert [(role.kind, role.called) for role in found.roles] == [("entity", ""), ("skip", ""), ("text", "depth")]


@pytest.mark.parametrize(
    "text, delimiter, quote",
    [
        ('a,b\n"x, y",2\n', ",", True),
        ("a;b;c\n1,5;2;3\n", ";", False),
        ('t\tv\n"Heroes"\t1\n"Weird Al" Yankovic\t2\n', "\t", False),
        ('t\tv\n"a, b"\t1\nc\t2\n', "\t", True),
        ("a|b\n1|2\n", "|", False),
    ],
)
def test_dialects(text: str, delimiter: str, quote: bool) -> None:
    found = recognise(text.encode())
    assert found is not None
    assert (found.delimiter, found.quote) == (delimiter, quote)


@pytest.mark.parametrize("head", [b"", b"no table\nat all\n", b"\x00\x01\x02" * 100, b"<html><p>a,b</p></html>"])
def test_what_is_no_table(head: bytes) -> None:
    assert recognise(head) is None


def test_one_of_several_words_of_a_heading_may_say_name() -> None:
    rows = [[f"10{n}", f"Firm {chr(65 + n)}", "Fulda"] for n in range(6)]
    found = guess(["ClientNo", "Company / Name", "City"], rows, {})
    assert [role.kind for role in found.roles] == ["entity", "name", "value"]


def test_quoted_cells_that_span_lines(tmp_path) -> None:
    file = tmp_path / "t.csv"
    file.write_text('a,"b\nc"\n1,"x\n\ny"\n2,"z"\n')
    rows = open_text(file, file.read_bytes())
    assert rows.columns == ["a", "b c"]
    rejects: list[object] = []
    text = "".join(rows.blocks(lambda *r: rejects.append(r)))
    assert (text, rejects) == ("3\x1f1\x1fx\x1d\x1dy\n6\x1f2\x1fz\n", [])


@pytest.mark.parametrize(
    "names, row, roles",
    [
        ("boat_id boat_name berth", "B{n} Tern{n} Pier", "entity name value"),
        ("boat_code boat berth", "B{n} Tern{n} Pier", "entity name value"),
        ("id boat_name berth", "{n} Tern{n} Pier", "entity name value"),
        ("idStation station town", "{n} North{n} Pelham", "entity name value"),
        ("boat_id owner_name berth", "B{n} Ida Pier", "entity value value"),
    ],
)
def test_the_label_is_called_like_the_identifier(names: str, row: str, roles: str) -> None:
    found = guess(names.split(), [row.format(n=n).split() for n in range(9)], {})
    assert [role.kind for role in found.roles] == roles.split()
    assert found.identifiers == ([0] if "name" in roles else [])
