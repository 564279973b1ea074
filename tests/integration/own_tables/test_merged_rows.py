"""Rows that repeat another under a key which was only inferred are merged; sums and counts state the doubt."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg import Hydra

GIFTS = "donor,amount,purpose\nAnn Lee,50,roof\nBob May,20,organ\nAnn Lee,50,roof\nCid Fox,70,roof\nDee Orr,10,bells\n"
CODED = GIFTS.replace("donor", "gift_id").replace("Ann Lee", "G1").replace("Bob May", "G2").replace("Cid Fox", "G3")
TOWERS = "tower,height\nNorth,20\nSouth,30\n"
DOUBT = "whether 1 row that repeats another word for word should count"


@pytest.mark.parametrize(
    "files, question, doubted",
    [
        ({"gifts.csv": GIFTS}, "What is the total amount for the roof?", True),
        ({"gifts.csv": GIFTS, "towers.csv": TOWERS}, "What is the total amount for the roof?", True),
        ({"gifts.csv": GIFTS, "towers.csv": TOWERS}, "How many gifts are there?", True),
        ({"gifts.csv": GIFTS, "towers.csv": TOWERS}, "How many towers are there?", False),
        ({"gifts.csv": CODED, "towers.csv": TOWERS}, "How many gifts are there?", False),
    ],
)
def test_merged_rows_are_doubted(tmp_path: Path, files: dict[str, str], question: str, doubted: bool) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Hydra(store=tmp_path / "data.db", agent="offline") as hydra:
        hydra.load(folder)
        answer = hydra.ask(question)
    assert answer.answers
    assert (DOUBT in answer.unchecked) == doubted
