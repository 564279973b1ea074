"""Data of the committed questions: which forms each data set has, and the files of each form."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from bench.behaviour import dirty_workbooks, twin_forms
from hydra_kg.cli.setup.demo import FILES
from hydra_kg.util.package_data import find_content

HERE: Final = Path(__file__).resolve().parents[2] / "tests" / "behaviour"
QUESTIONS: Final = HERE / "questions"

DATA: Final = {
    "films": ("turtle", "csv"),
    "bridges": twin_forms.FORMS,
    "hospital": ("turtle", "csv", "workbook", "nested"),
    "football": ("turtle", "csv"),
    "museum": ("turtle", "csv"),
    "fleet": ("turtle", "nested"),
    "farm": ("turtle", "csv"),
    "rentals": ("csv",),
    "expenses": ("csv",),
    "orders": ("csv",),
    "invoices": ("csv",),
    "shop": ("csv",),
    "concerts": ("csv",),
    "staff": ("turtle",),
    "company": ("turtle", "csv"),
    "clinic": ("csv",),
    "agency": ("csv",),
    "gym": ("csv",),
    "bikes": ("csv",),
    "library": ("json",),
    "garden": ("turtle",),
    "stable": ("csv",),
    "radio": ("turtle",),
    "surgery": ("workbook",),
    "lifts": ("csv",),
    "sample": ("dumps",),
    "demo": ("dumps",),
    "sailing": ("dirty",),
    "league": ("dirty",),
    "coop": ("dirty",),
    "pottery": ("mixed",),
    "cafe": ("mixed",),
    "hives": ("mixed",),
    "choir": ("mixed",),
}
"""Forms of each data set. Several forms state the same facts and are asked the same questions."""

CLUBS: Final = ("sailing", "league", "coop")
"""Clubs as people have them: four CSV files and a workbook each, dirty on purpose."""

MIXED: Final = ("pottery", "cafe", "hives", "choir")
"""Folders of CSV, nested JSON, YAML and a workbook, whose questions were written before any was asked."""

TWINS: Final = ("bridges", "hospital", "football", "museum", "fleet")
"""Facts in one JSON file, from which the forms are made."""

SAMPLE: Final = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")
DUMPS: Final = SAMPLE[:3]
DEMO: Final = FILES
"""What `hydra-kg demo` loads."""
UNRELATED: Final = ("birds", "dumps")
"""Data that no question is about, loaded next to the data that the questions are about."""


def write_form(data: str, form: str, folder: Path) -> list[Path]:
    """Return the files to load for one form; forms that are not committed are written into `folder`."""
    sample = Path(str(find_content("sample")))
    if data in MIXED:
        files = shutil.copytree(HERE / "data" / data, folder)
        if data == "cafe":
            dirty_workbooks.write_club_workbook(data, files)
        return [files]
    if data in CLUBS:
        club = shutil.copytree(HERE / "data" / data, folder)
        dirty_workbooks.write_club_workbook(data, club)
        return [club]
    if data == "surgery":
        folder.mkdir(parents=True)
        return [dirty_workbooks.write_club_workbook(data, folder)]
    if data in TWINS:
        return [twin_forms.write_twin(HERE / "data" / f"{data}.json", form, folder)]
    if data == "demo":
        return [sample / name for name in DEMO]
    if data == "sample":
        return [sample / name for name in SAMPLE]
    if data == "shop":
        return [sample / "shop"]
    committed = {
        "films": {"turtle": HERE / "data" / "films.ttl", "csv": HERE / "data" / "films"},
        "concerts": {"csv": HERE / "data" / "concerts.csv"},
        "staff": {"turtle": HERE / "data" / "staff.ttl"},
        "expenses": {"csv": HERE / "data" / "expenses.csv"},
        "farm": {"turtle": HERE / "data" / "farm.ttl", "csv": HERE / "data" / "farm"},
        "rentals": {"csv": HERE / "data" / "rentals"},
        "invoices": {"csv": HERE / "data" / "invoices.csv"},
        "orders": {"csv": HERE / "data" / "orders.csv"},
        "clinic": {"csv": HERE / "data" / "clinic"},
        "agency": {"csv": HERE / "data" / "agency"},
        "gym": {"csv": HERE / "data" / "gym"},
        "bikes": {"csv": HERE / "data" / "bikes"},
        "lifts": {"csv": HERE / "data" / "lifts"},
        "library": {"json": HERE / "data" / "library.json"},
        "garden": {"turtle": HERE / "data" / "garden.ttl"},
        "stable": {"csv": HERE / "data" / "stable"},
        "radio": {"turtle": HERE / "data" / "radio.ttl"},
        "company": {"turtle": HERE / "data" / "company.ttl", "csv": HERE / "data" / "company"},
    }
    return [committed[data][form]]


def write_unrelated(kind: str, folder: Path) -> list[Path]:
    """Return files that have nothing to do with any question: 120 birds and their woods, or the sample's dumps."""
    if kind == "dumps":
        return [Path(str(find_content("sample"))) / name for name in DUMPS]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "birds.ttl"
    head = "@prefix : <https://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    rows = (
        f':bird{n} a :Bird ; rdfs:label "Warbler{n}" ; :livesIn :wood{n % 7} . '
        f':wood{n % 7} rdfs:label "Wood{n % 7}" .\n'
        for n in range(120)
    )
    file.write_text(head + "".join(rows), encoding="utf-8")
    return [file]
