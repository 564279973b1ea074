"""Half a character (a lone surrogate), which no text can store or print, in a question and in what is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.errors import NotFoundError


@pytest.fixture(scope="module")
def hydra(tmp_path_factory: pytest.TempPathFactory) -> Hydra:
    folder = tmp_path_factory.mktemp("half")
    (folder / "people.csv").write_text("name,town\nPia Holm,Vester\nJon Brandt,Norby\n", encoding="utf-8")
    hydra = Hydra(store=folder / "store", agent="offline")
    hydra.load(folder / "people.csv")
    return hydra


def test_half_a_character_in_a_question_becomes_a_question_mark(hydra: Hydra, tmp_path: Path) -> None:
    answer = hydra.ask("What is the town of \ud800 Pia Holm?")
    assert answer.question == "What is the town of ? Pia Holm?"
    (tmp_path / "answer.json").write_text(answer.to_json(), encoding="utf-8")


def test_an_error_that_names_half_a_character_can_be_printed(hydra: Hydra) -> None:
    with pytest.raises(NotFoundError) as unknown:
        hydra.ask("Where?", topics=["\ud800"], keep=False)
    assert str(unknown.value).encode("utf-8").startswith(b"No ready load knows ?")
