"""Semicolon files under a title line, codes that refer to a table without a key, and what codes are called."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "visits": "Visits of the spring;;;;\nVisit;Client;Day;Seen by;Fee\nV-1;31;04.01.2024;PK;120,50\n"
    "V-2;32;09.01.2024;LM;80,00\nV-3;31;02.02.2024;TS;1.040,25\nV-4;33;14.02.2024;PK;95,00\nTotal;;;;1.335,75\n",
    "clients": "ClientNo;Name;Town\n31;Abel Roos;Varn\n32;Ines Kell;Holm\n33;Olga Brandt;Varn\n",
    "staff": "Initials;First name;Last name;Wage\nPK;Pia;Kern;21,50\nLM;Lars;Moll;18,00\nTS;Tina;Sand;19,75\n",
    "remedies": "# do not edit\nRemedy;Description;Group\nR-10;Arnica salve;salves\nR-20;Fennel tea;teas\n"
    "R-30;Mint tea;teas\n",
}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Four exports in one folder, loaded and opened."""
    yield from loaded(
        tmp_path_factory.mktemp("practice"), {f"{name}.csv": text for name, text in FILES.items()}, together="practice"
    )


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How many visits are there?", {"4"}),
        ("What is the total fee of all visits?", {"1335.75"}),
        ("What is the fee of V-3?", {"1040.25"}),
        ("Which visits did Pia Kern see?", {"V-1", "V-4"}),
        ("What is the wage of Lars Moll?", {"18"}),
        ("Which remedies are in the group teas?", {"Fennel tea", "Mint tea"}),
    ],
)
def test_exports_are_understood(practice: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in practice.ask(question, keep=False).answers} == answers
