"""Worker processes: order, cleaning up, and what happens when one of them dies."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg.errors import LoadError
from hydra_kg.ingest.workers import run_workers, serve

ECHO = """
import sys
from hydra_kg.ingest.workers import serve
def handle(piece, made, first):
    text = piece.read_text()
    if text == "die":
        sys.exit(3)
    made.write_text(text.upper())
    return f"{first} {text}"
serve(handle)
"""


def pieces(folder: Path, texts: list[str]) -> Iterator[tuple[Path, int]]:
    """Files with texts, numbered."""
    for n, text in enumerate(texts):
        path = folder / "piece"
        path.write_text(text)
        yield path, n


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_in_the_order_of_the_pieces(workers: int, tmp_path: Path) -> None:
    """Whoever makes them; never are more of them there than processes, and nothing is left."""
    texts = [f"text {n}" for n in range(7)]
    found, most = [], 0
    for made, answer in run_workers(pieces(tmp_path, texts), command=["-c", ECHO], workers=workers, folder=tmp_path):
        found.append((made.read_text(), answer))
        most = max(most, len(list(tmp_path.glob("work-*"))))
    assert found == [(text.upper(), f"{n} {text}") for n, text in enumerate(texts)]
    assert most <= workers + 1
    assert not list(tmp_path.iterdir())


def test_a_worker_does_not_wait_for_whoever_uses_what_it_made(tmp_path: Path) -> None:
    """The next piece is made while the caller is still at the one before."""
    made = run_workers(pieces(tmp_path, ["a", "b", "c"]), command=["-c", ECHO], workers=1, folder=tmp_path)
    first, _ = next(made)
    (folder,) = {first.parent}
    begun = time.monotonic()
    while len(list(folder.glob("made-*"))) < 2:
        assert time.monotonic() - begun < 60, "the only worker is idle"
    assert [answer for _, answer in made] == ["1 b", "2 c"]


def test_no_pieces_no_processes(tmp_path: Path) -> None:
    """Nothing to do is done."""
    assert list(run_workers(iter([]), command=["-c", "raise SystemExit(1)"], workers=2, folder=tmp_path)) == []


def test_a_worker_that_dies_stops_the_load(tmp_path: Path) -> None:
    """With its status and a remedy; the other ones end, and nothing is left."""
    with pytest.raises(LoadError, match="ended with status 3"):
        list(
            run_workers(pieces(tmp_path, ["a", "die", "c", "d", "e"]), command=["-c", ECHO], workers=2, folder=tmp_path)
        )
    assert not list(tmp_path.glob("*-*"))


def test_whoever_stops_early_leaves_nothing(tmp_path: Path) -> None:
    """An error of the caller's ends the processes."""
    made = run_workers(pieces(tmp_path, ["a", "b", "c"]), command=["-c", ECHO], workers=2, folder=tmp_path)
    next(made)
    made.close()  # type: ignore[attr-defined]
    assert not list(tmp_path.glob("*-*"))


def test_the_workers_side(tmp_path: Path) -> None:
    """A line for a line."""
    out = io.StringIO()
    asked = io.StringIO("7\t/a/b\t/c/d\n")
    serve(lambda piece, made, first: f"{piece.name}\n{made.name} {first}", stdin=asked, stdout=out)
    assert out.getvalue() == "b d 7\n"
