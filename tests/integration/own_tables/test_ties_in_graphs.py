"""Ties for the first place in a graph that is too large to be read as columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.questions import own_data

TOWNS = """@prefix : <http://town.example/vocab#> .
@prefix d: <http://town.example/data/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Person a rdfs:Class ; rdfs:label "Person" .
:Town a rdfs:Class ; rdfs:label "Town" .
d:ada a :Person ; rdfs:label "Ada Lund" ; :town d:a .
d:bo a :Person ; rdfs:label "Bo Krogh" ; :town d:b .
d:cy a :Person ; rdfs:label "Cy Moe" ; :town d:a .
d:di a :Person ; rdfs:label "Di Vik" ; :town d:c .
d:a a :Town ; rdfs:label "Arnby" ; :population 9000 .
d:b a :Town ; rdfs:label "Borg" ; :population 500 .
d:c a :Town ; rdfs:label "Cleve" ; :population 700 .
"""


def test_all_that_are_first_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_data, "MOST_THINGS", 0)
    (tmp_path / "towns.ttl").write_text(TOWNS, encoding="utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(tmp_path / "towns.ttl")
        found = hydra.ask("Which person has the largest town?", keep=False)
        assert {a.name for a in found.answers} == {"Ada Lund", "Cy Moe"}, str(found)
