"""Data of the committed questions: which forms each data set has, and the files of each form."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hydra_kg.util.package_data import content

HERE: Final = Path(__file__).resolve().parents[2] / "tests" / "behaviour"
QUESTIONS: Final = HERE / "questions"

DATA: Final = {
    "films": ("turtle", "csv"),
    "shop": ("csv",),
}
"""Forms of each data set. Several forms state the same facts and are asked the same questions."""


def write_form(data: str, form: str, folder: Path) -> list[Path]:
    """Return the files to load for one form; forms that are not committed are written into `folder`."""
    if data == "shop":
        return [Path(str(content("sample"))) / "shop"]
    committed = {"turtle": HERE / "data" / f"{data}.ttl", "csv": HERE / "data" / data}
    return [committed[form]]
