"""Items with a label, and tables of two columns, become facts about a document or what a heading names."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg_loaders.documents.cell_facts import cell_facts
from hydra_kg_loaders.documents.document import Document
from hydra_kg_loaders.documents.label_pairs import pair_cells
from hydra_kg_loaders.documents.markup import markup
from hydra_kg_loaders.documents.plain import read_markdown, read_plain_text


def pairs(found: Document) -> list[tuple[str, str]]:
    return [(label, value) for _, _, label, value in pair_cells(found.paragraphs)]


def test_items_of_a_list_are_labels_with_values() -> None:
    found = read_markdown(b"# Rowing Club\n\n- Cashier: Ole Brandt\n- Chair: Mia Holt\n- Fee: 40 EUR\n")
    assert pairs(found) == [("Cashier", "Ole Brandt"), ("Chair", "Mia Holt"), ("Fee", "40 EUR")]


def test_lines_of_plain_text_are_items_of_their_own() -> None:
    found = read_plain_text(
        b"ROWING CLUB\n\nPeople\nCashier: Ole Brandt\nChair: Mia Holt\n\nIt meets at noon.\nIt is old.\n"
    )
    assert pairs(found) == [("Cashier", "Ole Brandt"), ("Chair", "Mia Holt")]
    assert found.paragraphs[-1][1] == "It meets at noon. It is old."


@pytest.mark.parametrize(
    "text",
    [
        "Cashier: Ole Brandt\n\nThe club is old.\n",  # one item alone
        "Mia: yes\n\nOle: no\n\nMia: perhaps\n",  # a conversation
        "Note: The club is closed on Mondays.\n\nHint: Bring a warm coat with you.\n",
        "See also: the minutes, which say: nothing\n\n12:30: lunch\n",
    ],
)
def test_remarks_and_conversations_are_no_items(text: str) -> None:
    assert pairs(read_plain_text(f"ROWING CLUB\n\n{text}".encode())) == []


def test_a_glossary_is_no_list_of_values() -> None:
    terms = "".join(f"- term {chr(97 + n // 26)}{chr(97 + n % 26)}: word\n" for n in range(80))
    assert pairs(read_markdown(f"# Words\n\n{terms}".encode())) == []


@pytest.mark.parametrize(
    "page",
    [
        b"<h1>Inn</h1><table><tr><th>Rooms</th><td>38</td></tr><tr><th>Keeper:</th><td>Ulla Renz</td></tr></table>",
        b"<h1>Inn</h1><table><tr><td>Rooms<td>38<tr><td>Keeper<td>Ulla Renz</table>",
        b"<h1>Inn</h1><table><tr><th>Detail<th>Value<tr><td>Rooms<td>38<tr><td>Keeper<td>Ulla Renz</table>",
    ],
)
def test_a_table_of_labels_is_about_the_page(page: bytes) -> None:
    assert pairs(markup(page)) == [("Rooms", "38"), ("Keeper", "Ulla Renz")]


@pytest.mark.parametrize(
    "page",
    [
        b"<h1>Menu</h1><table><tr><th>Dish<th>Price<tr><td>Soup<td>4<tr><td>Pie<td>7</table>",
        b"<h1>Menu</h1><table><tr><td>Dish<td>Price<tr><td>Soup<td>4<tr><td>Pie<td>7</table>",
    ],
)
def test_rows_under_a_heading_that_says_what_they_have_are_things(page: bytes) -> None:
    found = markup(page)
    assert [cell[1:] for cell in found.cells] == [("Soup", "Price", "4"), ("Pie", "Price", "7")]


def test_headings_with_the_same_labels_are_what_the_items_are_about() -> None:
    text = b"# Fleet\n\n## Gull\n\n- Berth: P1\n- Owner: Ole\n\n## Tern\n\n- Berth: P2\n- Owner: Mia\n\n## Contact\n\n"
    found = read_markdown(text + b"- Telephone: 55 22\n- Town: Varn\n")
    cells = [*pair_cells(found.paragraphs)]
    facts = cell_facts("fleet", "Fleet", cells, [heading for heading, _ in found.paragraphs], before=0)
    keys = {row[1] for table, row in facts if table == "thing"}
    assert keys == {"fleet:Gull", "fleet:Tern"}


@pytest.mark.slow
def test_items_and_tables_of_two_columns_can_be_asked(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "club.md").write_text(
        "# Rowing Club Varn\n\nThe Rowing Club Varn was founded in 1921.\n\n## Board\n\n"
        "- Cashier: Ole Brandt\n- Chair: Mia Holt\n\n"
        "## Boats for hire\n\n| Boat | Price per hour |\n|-|-|\n| Canoe | 9 |\n| Punt | 14 |\n"
    )
    with Hydra(store=tmp_path / "s") as hydra:
        hydra.load(notes)
        assert hydra.ask("Who is the cashier?").answer_text == "Ole Brandt"
        assert hydra.ask("Who is the chair of the Rowing Club Varn?").answer_text == "Mia Holt"
        assert hydra.ask("What is the price per hour of the Punt?").answer_text == "14"
