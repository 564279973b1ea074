"""Questions that end in "who" or lead through what several films share, over an edge list without classes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hydra_kg import Hydra

FILMS = {
    "Harbour Lights": ("Ida Berg,Jon Falk", "Ida Berg", "2010"),
    "The Long Tide": ("Ida Berg", "Mona Vik", "1998"),
    "Not Without Rain": ("Ida Berg,Jon Falk", "Mona Vik,Lars Due", "2003"),
    "2010": ("Ole Strand", "Ole Strand", "1984"),
    "Winter Ferry": ("Ole Strand", "Nils Aas", "1991"),
    "Red Barn": ("Karl Moe", "Jon Falk", "2005"),
    "Blue Barn": ("Karl Moe", "Ida Berg", "2007"),
}


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    rows = ["subject|relation|object"]
    for film, (directors, writers, year) in FILMS.items():
        rows += [f"{film}|directed_by|{name}" for name in directors.split(",")]
        rows += [f"{film}|written_by|{name}" for name in writers.split(",")]
        rows.append(f"{film}|release_year|{year}")
    folder = tmp_path_factory.mktemp("films")
    (folder / "kb.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "kb.txt", extra={"map": "subject=entity,relation=attribute,object=link"})
        yield hydra


@pytest.mark.parametrize(
    "question, answers",
    [
        ("the director Ida Berg co-directed films with who", {"Jon Falk"}),
        ("the films written by the screenwriter of The Long Tide were directed by who", {"Ida Berg", "Jon Falk"}),
        ("which films share the screenwriter with Not Without Rain", {"The Long Tide"}),
        ("the films that share screenwriters with Harbour Lights were released in which years", {"2007"}),
        ("the films that share directors with Red Barn are written by who", {"Ida Berg"}),
    ],
)
def test_chains_end_at_what_is_asked_for(films: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in films.ask(question, keep=False).answers} == answers
