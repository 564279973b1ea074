"""Completion finds names that are misspelt badly: letters swapped and missing, a first letter gone, umlauts as two."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg.serving.web.overview import completions
from hydra_kg.stores.embedded.store import EmbeddedStore


@pytest.mark.slow
@pytest.mark.parametrize(
    "text, name",
    [
        ("james camreo", "James Cameron"),
        ("itanic", "Titanic"),
        ("Leonrado DiCapro", "Leonardo DiCaprio"),
        ("hristopher nolan", "Christopher Nolan"),
    ],
)
def test_a_badly_misspelt_name_is_completed(sample_store: Path, text: str, name: str):
    with EmbeddedStore(sample_store) as store, store.snapshot() as snapshot:
        assert name in [row["name"] for row in completions(snapshot, text, limit=6)]


@pytest.mark.slow
def test_a_text_that_resembles_no_name_has_no_completion(sample_store: Path):
    with EmbeddedStore(sample_store) as store, store.snapshot() as snapshot:
        assert completions(snapshot, "zzqqxxvvkk", limit=6) == []


@pytest.mark.slow
def test_umlauts_may_be_written_with_two_letters(tmp_path: Path):
    from hydra_kg import Hydra

    (tmp_path / "towns.csv").write_text("town,river\nMünchen,Isar\nKöln,Rhein\nGörlitz,Neiße\n")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(tmp_path / "towns.csv")
        with hydra.store.snapshot() as snapshot:
            for text, name in (("Muenchen", "München"), ("Koeln", "Köln"), ("Goerliz", "Görlitz")):
                assert completions(snapshot, text, limit=6)[0]["name"] == name
