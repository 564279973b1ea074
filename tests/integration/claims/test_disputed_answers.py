"""Answers say that linked sources differ, for values and for things alike, and never of a list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.dated_entities import dump, entity

from hydra_kg import Hydra
from hydra_kg.fusion.conflicts.entity_fusion import fuse_entity
from hydra_kg.fusion.truth_discovery.methods import method_named
from hydra_kg.match.same_as_links import write_links

SEASON = (
    "concert,date,conductor\nSpring Night,2026-04-18,Nora Falk\nSea Songs,2026-06-06,Jan Brodt\n"
    "Requiem,2026-11-21,Nora Falk\n"
)
PROGRAMME = SEASON.replace("Requiem,2026-11-21,Nora Falk", "Requiem,2026-11-21,Liv Aune")
PEOPLE = "name,born\nNora Falk,1970-01-01\nLiv Aune,1980-02-02\nJan Brodt,1975-03-03\n"
CONCERTS = ("Spring Night", "Sea Songs", "Requiem")


def loaded(folder: Path, *, first: bool, second: bool) -> Hydra:
    """A store of two linked lists of concerts, whose conductors are things of a table of their own, or texts."""
    hydra = Hydra(store=folder / "store", agent="offline")
    for name, text, people in (("season", SEASON, first), ("programme", PROGRAMME, second)):
        (folder / name).mkdir()
        files = [folder / name / "concerts.csv", *([folder / name / "conductors.csv"] if people else [])]
        files[0].write_text(text)
        if people:
            files[1].write_text(PEOPLE)
        hydra.load(*files, source=name)
    ids = {one: "concerts/" if people else "" for one, people in (("season", first), ("programme", second))}
    pairs = ({"same_as": [f"{one}:{ids[one]}{c}" for one in ids], "probability": 0.99} for c in CONCERTS)
    links = write_links(folder / "links.jsonl", [f"{json.dumps(pair)}\n" for pair in pairs])
    hydra.load(links, format="matches", source="links")
    return hydra


@pytest.mark.slow
@pytest.mark.parametrize("first, second", [(False, False), (True, False), (True, True)])
def test_two_conductors_of_one_concert_are_a_dispute(tmp_path: Path, first: bool, second: bool):
    with loaded(tmp_path, first=first, second=second) as hydra:
        for question in ("Who conducts Requiem?", "Who is the conductor of Requiem?"):
            answer = hydra.ask(question)
            assert answer.verdict == "contested"
            assert {a.name for a in answer.answers} == {"Nora Falk", "Liv Aune"}
            assert "Sources disagree" in answer.answer_text
        assert hydra.ask("Who conducts Spring Night?").verdict in ("supported", "single-source")
        with hydra.store.snapshot() as snapshot:
            fused, _ = fuse_entity(snapshot, "Requiem", method_named(""), attribute="conductor")
        assert [g.conflict.kind for g in fused.groups() if g.conflict] == ["value"]


@pytest.mark.slow
def test_two_numbers_of_one_year_are_a_dispute_and_those_of_two_years_are_not(tmp_path: Path):
    first, second = {1990: 245567, 2000: 232612}, {1990: 245567, 2000: 232700}
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        for name, numbers in (("office", first), ("census", second)):
            path = dump(tmp_path / f"{name}.json", entity("Q1707", "Kiel", "Q515", numbers))
            hydra.load(path, format="wikidata_json", source=name)
        assert hydra.ask("What was the population of Kiel in 1990?").verdict == "supported"
        answer = hydra.ask("What was the population of Kiel in 2000?")
    assert answer.verdict == "contested"
    assert answer.dissent == ("census says 232700",)
