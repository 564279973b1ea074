"""A file of kept answers is sealed after every write while that is fast, and soon after where it is not."""

from __future__ import annotations

import time
from contextlib import closing

from helpers.samples.answers import no_answer

from hydra_kg.serialise import answer_json
from hydra_kg.stores.embedded import traces
from hydra_kg.util import sidecar_db


def kept(n: int) -> dict[str, object]:
    return {**answer_json(no_answer()), "id": f"{n:012x}"}


def seals(monkeypatch, *, seconds: float) -> list[float]:
    """When the file is sealed, each time so slowly; that of a file that nobody waits for is fast."""
    found: list[float] = []

    def slow(db, file):
        time.sleep(seconds)
        sidecar_db.seal(db, file)
        found.append(time.monotonic())

    monkeypatch.setattr(traces, "seal", slow)
    return found


def whole(path) -> bool:
    with closing(sidecar_db.open_to_read(path)) as db:
        writes, checksum = sidecar_db._image(db)
        return f'"writes": {writes}, "crc32": "{checksum}"' in (path.parent / f"{path.name}.seal").read_text("latin-1")


def test_a_small_file_is_sealed_after_every_write(tmp_path, monkeypatch):
    sealed = seals(monkeypatch, seconds=0.0)
    store = traces.SqliteTraces(tmp_path / "traces.sqlite")
    for n in range(4):
        store.save(kept(n))
        assert len(sealed) == n + 1
        assert whole(store.path)


def test_what_takes_long_takes_a_twentieth_of_the_time_and_is_not_forgotten(tmp_path, monkeypatch):
    sealed = seals(monkeypatch, seconds=0.01)
    store = traces.SqliteTraces(tmp_path / "traces.sqlite")
    for n in range(20):
        store.save(kept(n))
    assert len(sealed) < 10
    deadline = time.monotonic() + 10
    while not whole(store.path) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert whole(store.path)
