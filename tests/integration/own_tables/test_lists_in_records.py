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


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who has more than one phone?", {"Ola Moe", "Jon Lie"}),
        ("Who has at least three phones?", {"Jon Lie"}),
        ("Who has exactly one phone?", {"Siri Dal"}),
        ("Who has fewer than two phones?", {"Siri Dal", "Eva Nes"}),
        ("Who has the most phones?", {"Jon Lie"}),
        ("How many phones does Jon Lie have?", {"3"}),
        ("Who has more than one pet?", {"Ola Moe", "Eva Nes"}),
    ],
)
def test_values_of_a_list_are_counted_not_compared_or_added_up(
    tmp_path: Path, question: str, answers: set[str]
) -> None:
    phones = {"Ola Moe": ["111", "222"], "Siri Dal": ["999"], "Jon Lie": ["444", "555", "666"], "Eva Nes": []}
    pets = {"Ola Moe": ["Rex", "Tom"], "Siri Dal": ["Mia"], "Jon Lie": [], "Eva Nes": ["Bo", "Pip"]}
    people = [
        {"name": name, "town": "Oslo", "phones": phones[name], "pets": [{"name": p, "kind": "dog"} for p in pets[name]]}
        for name in phones
    ]
    (tmp_path / "people.json").write_text(json.dumps(people), encoding="utf-8")
    with Hydra(store=tmp_path / "data.db", agent="offline") as hydra:
        hydra.load(tmp_path / "people.json", format="feed")
        assert {a.name for a in hydra.ask(question).answers} == answers
