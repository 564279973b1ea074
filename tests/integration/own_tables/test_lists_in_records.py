"""Records of JSON with lists: rows are called by their own name or key, never by a list of theirs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hydra_kg import Hydra

_TEAMS = {
    "Reds": {"players": [{"name": "Ivy Cole", "goals": 3}, {"name": "Ben Marsh", "goals": 5}], "colours": ["red"]},
    "Blues": {"players": [{"name": "Leo Hart", "goals": 7}], "colours": ["blue", "white"]},
    "Greens": {"players": [{"name": "Gus Pike", "goals": 1}, {"name": "Ray Dunn", "goals": 2}], "colours": ["green"]},
}
_BEDS = {
    "North bed": {"plants": ["leek", "kale"], "area": 12, "gardener": "Lil Moor"},
    "South bed": {"plants": ["bean"], "area": 8, "gardener": "Tom Ash"},
}
_SHIPS = [
    {"ports": ["Bergen", "Oslo"], "vessel": "Aurora", "flag": "Malta"},
    {"ports": ["Gdansk"], "vessel": "Kestrel", "flag": "Panama"},
    {"ports": ["Riga", "Oslo"], "vessel": "Mara", "flag": "Malta"},
]
_OBJECTS = [
    {"object": "Block", "made": 1890, "materials": ["oak", "iron"]},
    {"object": "Tea chest", "made": 1840, "materials": ["oak", "tin"]},
    {"object": "Bell", "made": 1771, "materials": ["bronze"]},
]


@pytest.mark.parametrize(
    "name, records, question, answers",
    [
        ("teams.json", {"season": "2024", "teams": _TEAMS}, "Which team has blue as a colour?", {"Blues"}),
        ("teams.json", {"season": "2024", "teams": _TEAMS}, "How many teams are there?", {"3"}),
        ("gardens.json", _BEDS, "Which bed has kale?", {"North bed"}),
        (
            "objects.json",
            {"objects": _OBJECTS, "town": "Kiel"},
            "Which objects are made of both oak and iron?",
            {"Block"},
        ),
        ("ships.json", _SHIPS, "Which vessels have the flag of Malta?", {"Aurora", "Mara"}),
    ],
)
def test_a_row_is_not_called_by_its_list(
    tmp_path: Path, name: str, records: object, question: str, answers: set[str]
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / name).write_text(json.dumps(records), encoding="utf-8")
    with Hydra(store=tmp_path / "data.db", agent="offline") as hydra:
        hydra.load(folder)
        assert {a.name for a in hydra.ask(question).answers} == answers


def test_a_number_before_a_list_of_numbers_is_not_compared_with_them(tmp_path: Path) -> None:
    people = [{"name": "Ola Moe", "phones": ["111", "222"]}, {"name": "Siri Dal", "phones": ["333"]}]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "people.json").write_text(json.dumps(people), encoding="utf-8")
    with Hydra(store=tmp_path / "data.db", agent="offline") as hydra:
        hydra.load(tmp_path / "data", format="feed")
        answer = hydra.ask("Which people have more than one phone?")
        assert "Siri Dal" not in {a.name for a in answer.answers} or answer.verdict == "partial"
