"""Workbooks of dirty clubs and a pet surgery: titles, merged cells, two-line headings, totals, hidden sheets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.behaviour.small_workbook import Rows, write_workbook

_REPAIRS: Final[Rows] = (
    ("Repairs 2023",),
    (),
    ("Boat", "Work", "Cost", None),
    (None, None, "parts", "labour"),
    ("B2", "rig check", 120, 300),
    (None, "engine service", 410, 620),
    ("B5", "antifouling", 260, 480),
    ("B7", "sail repair", 90, 150),
    (None, "rudder", 700, 540),
    ("TOTAL", None, 1580, 2090),
)
_PAYMENTS: Final[Rows] = (
    ("Payment", "Member", "Paid on", "Amount", "Purpose"),
    ("PAY1", "M01", "2024-01-05", 240, "berth"),
    ("PAY2", "M02", "2024-01-09", 420, "berth"),
    ("PAY3", "M07", "2024-01-09", 780, "berth"),
    ("PAY4", "M04", "2024-02-02", 60, "course"),
    ("PAY5", "M05", "2024-02-02", 60, "course"),
    ("PAY6", "M02", "2024-03-01", 560, "berth"),
    ("Total", None, None, 2120, None),
)
_SCRATCH: Final[Rows] = (("Member", "Amount"), ("M01", 99999), ("M02", 99999))
_ATTENDANCE: Final[Rows] = (
    ("Average attendance by season",),
    ("Club", 2021, 2022, 2023),
    ("Norwick Rovers", 15200, 16100, 17300),
    ("Eastham Albion", 28000, 28900, 30100),
    ("Carrow Town", 6100, 5900, 6400),
    ("Saltby United", 33500, 35000, 36800),
    ("Kelmer City", 20100, 20400, 21900),
    ("Norwick Athletic", 8300, 8800, 9100),
    ("TOTAL", 111200, 115100, 121600),
)
_OFFICIALS: Final[Rows] = (
    ("Referees",),
    ("Code", "Name", "Home town"),
    ("R1", "Lena Abt", "Norwick"),
    ("R2", "Marc Oduya", "Saltby"),
    ("R3", "Nils Peck", "Kelmer"),
    (),
    (),
    ("Fines",),
    ("Club", "Reason", "Amount"),
    ("Carrow Town", "late kick-off", 500),
    ("Kelmer City", "crowd trouble", 2500),
    ("Norwick Rovers", "late kick-off", 750),
    ("Total", None, 3750),
)
_MACHINES: Final[Rows] = (
    ("Machinery pool",),
    ("Hall", "Machine", "Bought", "Hours", "Farm"),
    ("North Barn", "Tractor T9", 2015, 4200, "F-030"),
    (None, "Baler B2", 2018, 1300, "F-010"),
    (None, "Seeder S1", 2019, 800, "F-010"),
    ("Subtotal", None, None, 6300, None),
    ("South Barn", "Combine C4", 2012, 5100, "F-060"),
    (None, "Sprayer P3", 2020, 640, "F-030"),
    ("Subtotal", None, None, 5740, None),
    ("TOTAL", None, None, 12040, None),
)
_PRICES: Final[Rows] = (
    ("Crop", "Unit", 2021, 2022, 2023),
    ("barley", "EUR/t", 210, 290, 240),
    ("oats", "EUR/t", 190, 250, 205),
    ("wheat", "EUR/t", 230, 330, 260),
    ("rye", "EUR/t", 180, 240, 198),
    ("beet", "EUR/t", 35, 44, 41),
)

_APPOINTMENTS: Final[Rows] = (
    ("Paws & Claws – appointment book 2024",),
    (),
    ("No.", "Date", "Pet", "Vet", "Reason", "Duration (min)", "Fee £", "Paid"),
    (1, "2024-02-01", "Biscuit", "Dr. Amara Obi", "vaccination", 15, 45, "yes"),
    (2, "2024-02-01", "Mochi", "Dr. Leo Grant", "dental", 60, 210, "no"),
    (3, "2024-02-05", "Rex", "Dr. Amara Obi", "check-up", 20, 50, "yes"),
    (4, "2024-02-06", "Biscuit", "Dr. Leo Grant", "injury", 45, 160, "yes"),
    (5, "2024-02-09", "Pepper", "Dr. Amara Obi", "vaccination", 15, 45, "no"),
    (5, "2024-02-09", "Pepper", "Dr. Amara Obi", "vaccination", 15, 45, "no"),
    (6, "2024-02-12", "Luna", "Dr. Suki Tan", "surgery", 90, 480, "n/a"),
    (7, "2024-02-12", "Mochi", "Dr. Suki Tan", "check-up", None, 50, "yes"),
    ("Total", None, None, None, None, None, 1040, None),
)
_PETS: Final[Rows] = (
    ("Pet", "Species", "Breed", "Born", "Weight (kg)", "Owner", "Owner phone"),
    ("Biscuit", "dog", "Beagle", 2019, 12.4, "Nell Carver", "555-0101"),
    ("Mochi", "cat", "Siamese", 2016, 4.1, "Ravi Menon", "555-0102"),
    ("Rex", "dog", "Boxer", 2021, 28.0, "Nell Carver", "555-0101"),
    ("Pepper", "rabbit", None, 2022, 1.9, "Ida Lund", None),
    ("Luna", "cat", "Maine Coon", None, 6.3, "Ravi Menon", "555-0102"),
    ("Shelly", "tortoise", None, 1988, 3.3, "Joan Peck", "555-0104"),
)
_VETS: Final[Rows] = (
    ("Vet", "Speciality", "Since", "Supervisor"),
    ("Dr. Amara Obi", "vaccines", 2012, None),
    ("Dr. Leo Grant", "dentistry", 2018, "Dr. Amara Obi"),
    ("Dr. Suki Tan", "surgery", 2020, "Dr. Amara Obi"),
)

_GUESTS: Final[Rows] = (
    ("name", "city", "member since", "card", "owes eur", "birthday"),
    ("Ruth Sale", "Hull", "2021-02-01", "gold", 0, "1988-04-12"),
    ("Tim Okoro", "Leeds", "2022-11-15", "silver", 12.5, "1995-09-30"),
    ("Ana Prado", "Hull", None, "none", 0, "2001-01-08"),
    ("Joel Binder", "York", "2020-07-20", "gold", 4, "1979-12-02"),
    ("Mei Lin", "Leeds", "2023-03-03", "silver", 0, "1999-06-17"),
)
_SNACKS: Final[Rows] = (
    ("snack", "price", "calories", "vegan", "times ordered"),
    ("Nachos", 6.5, 540, "yes", 31),
    ("Cheese Toast", 5.2, 430, "no", 18),
    ("Olives", 3.9, 150, "yes", 22),
    ("Brownie", 4.1, 390, "no", 27),
    ("Fruit Plate", 5.8, 180, "yes", 9),
)

_BOOKS: Final[dict[str, tuple[str, dict[str, tuple[Rows, Sequence[str]]]]]] = {
    "sailing": (
        "ledger.xlsx",
        {
            "Repairs": (_REPAIRS, ("A1:D1", "C3:D3", "A3:A4", "B3:B4", "A5:A6", "A8:A9")),
            "Payments": (_PAYMENTS, ()),
            "Scratch": (_SCRATCH, ()),
        },
    ),
    "surgery": ("surgery.xlsx", {"Appointments": (_APPOINTMENTS, ()), "Pets": (_PETS, ()), "Vets": (_VETS, ())}),
    "cafe": ("guests.xlsx", {"Guests": (_GUESTS, ()), "Snacks": (_SNACKS, ())}),
    "league": ("season.xlsx", {"Attendance": (_ATTENDANCE, ("A1:D1",)), "Officials": (_OFFICIALS, ())}),
    "coop": ("machines.xlsx", {"Machines": (_MACHINES, ("A1:E1", "A3:A5", "A7:A8")), "Prices": (_PRICES, ())}),
}
"""File name and sheets of each club's workbook: rows, and the ranges of merged cells."""

HIDDEN: Final = "Scratch"


def write_club_workbook(club: str, folder: Path) -> Path:
    """Write the workbook of a club into `folder` and return its path."""
    name, sheets = _BOOKS[club]
    return write_workbook(
        {title: rows for title, (rows, _) in sheets.items()},
        folder / name,
        merged={title: merged for title, (_, merged) in sheets.items()},
        hidden=[HIDDEN],
    )
