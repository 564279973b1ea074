"""Pairs that entity resolution wrote, loaded from their file: every line is a link, blank, or rejected."""

from __future__ import annotations

from hydra_kg import Hydra
from hydra_kg.settings import Settings


def test_every_line_is_accounted_for(tmp_path):
    file = tmp_path / "pairs.jsonl"
    file.write_text(
        '{"same_as": ["films:Le Samouraï", "Q738017"], "probability": 0.98}\n'
        "\n"
        '{"same_as": ["films:Playtime"]}\n'
        '{"same_as": ["films:Playtime", "Q1\n'
        '{"same_as": ["m.0gw7p", "m.0gw7p"]}\n',
        "utf-8",
    )
    with Hydra(store=tmp_path / "store", settings=Settings()) as hydra:
        (load,) = hydra.load(file, source="told").to_json()["loads"]
        assert load["format"] == "matches"
        assert (load["read"], load["rejected"]) == (5, {"json": 1, "object": 2})
        with hydra.store.snapshot() as snapshot:
            left, right = snapshot.lookup(["films:Le Samouraï", "Q738017"])
    assert left == right
