"""Files of text are tables only where every row shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg.errors import FormatError
from hydra_kg.ingest.contract.loader import find_loader

TABLES = [
    "stop_id,stop_name,stop_lat\nS1,North Quay,51.2\nS2,South Quay,51.3\n",
    "route_id,stop_id,note\nR1,S1,Ends at the quay. Then it turns.\nR2,S2,Runs on Sundays.\n",
    "name\tborn\nAda Finch\t1841\nTom Reed\t1850\n",
    "boat;berth;owner\nAurora;B1;M1\nKormoran;B2;M2\n",
    'id,title\n1,"Salt, Sand"\n2,"Wind, Rain"\n3,"Ice, Snow"\n',
    "name, berth, length\nAurora, B1, 9\nKormoran, B2, 11\nNordstern, B3, 12\n",
    '{"name": "Aurora"}\n{"name": "Kormoran"}\n',
]
TEXTS = [
    "Harbour Club, Lower Quennell\n\nThe club was founded in 1931, by Ada Finch.\n",
    "The mill, built in 1931, stands on the Tarn.\nIt was sold, repaired, and opened again.\n",
    "Dear Ms Holt,\n\nthe berth is yours, as agreed.\n\nTom Reed\n",
    "Roses stand in rows,\nwinds come from the sea,\nboats go out at four,\n",
    "Opening hours, Tarn Mill\nMonday to Friday, nine to five\n",
    "Minutes, 3 May\nPresent: Ada, Tom, Kit.\nThe treasurer, Faruk Aydin, reported.\nThe dues rise, slightly.\n",
    '"Come in," she said, "it is late."\n"Not yet," he said, "I am waiting."\n"Then wait," she said, "outside."\n',
    "Gull Rock | a lighthouse\n\nIt was built in 1862 | and sold in 1901.\n",
    "{Draft} The mill, built in 1931, stands on the Tarn.\nIt was sold, in 1950.\n",
    "<Note> The mill, built in 1931, stands on the Tarn.\nIt was sold, in 1950.\n",
]


@pytest.mark.parametrize("text", TABLES)
def test_tables_in_text_files_are_tables(text: str) -> None:
    assert find_loader(Path("a.txt"), text.encode()).family == "tables"


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.md"])
def test_prose_with_commas_in_a_text_file_is_a_text(text: str, name: str) -> None:
    assert find_loader(Path(name), text.encode()).name == "documents"


@pytest.mark.parametrize("text", TABLES)
def test_tables_in_files_without_an_ending_are_tables(text: str) -> None:
    assert find_loader(Path("stops"), text.encode()).family == "tables"


@pytest.mark.parametrize("text", [TEXTS[n] for n in (0, 1, 2, 5, 6)])
def test_prose_in_a_file_without_an_ending_is_no_table(text: str) -> None:
    with pytest.raises(FormatError, match="not recognised"):
        find_loader(Path("README"), text.encode())


def test_the_ending_csv_makes_a_table_of_the_same_rows() -> None:
    assert find_loader(Path("a.csv"), TEXTS[4].encode()).family == "tables"
