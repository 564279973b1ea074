"""A file that is kept beside a store is sealed after every write while that is fast, and soon after where it is not."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime

import numpy as np
import pytest
from helpers.samples.answers import no_answer
from helpers.time_limits import TimeLimits

from hydra_kg.domain import Locator, Passage, Source
from hydra_kg.models.embedding.cached_embedder import CachedEmbedder
from hydra_kg.serialise import answer_json
from hydra_kg.stores.embedded.traces import SqliteTraces
from hydra_kg.stores.page_cache import SqlitePageCache
from hydra_kg.util import sidecar_db


class Ones:
    """An embedder."""

    name, dimension, checksum = "ones", 4, "c"

    def embed(self, texts):
        return np.ones((len(texts), 4), np.float32)


def answers(path):
    store, doc = SqliteTraces(path), answer_json(no_answer())
    return lambda n: store.save({**doc, "id": f"{n:012x}"})


def vectors(path):
    embedder = CachedEmbedder(Ones(), path=path)
    return lambda n: embedder.keep([str(n)])


def pages(path):
    store, place = SqlitePageCache(path), Locator(page="p", url="https://honest.example/")

    def keep(n):
        page = Passage(str(n), "p", "text", Source(str(n), "web"), place, 0, 1.0)
        assert store.keep([page], now=datetime(2026, 11, 26, tzinfo=UTC), days=1) == 1

    return keep


KEEPERS = pytest.mark.parametrize("keeper", [answers, vectors, pages])


def seals(monkeypatch, *, seconds: float) -> tuple[list[float], TimeLimits]:
    """When a file is sealed, each time so slowly, on a clock that only sealing moves; and the timers that wait."""
    found, limits, now, seal = [], TimeLimits(), [100.0], sidecar_db.seal

    def slow(db, file):
        seal(db, file)
        now[0] += seconds
        found.append(now[0])

    monkeypatch.setattr(sidecar_db, "seal", slow)
    for name, made in (("clock", lambda: now[0]), ("timer", limits)):
        monkeypatch.setitem(sidecar_db.Sealing.__init__.__kwdefaults__, name, made)
    return found, limits


def whole(path) -> bool:
    with closing(sidecar_db.open_to_read(path)) as db:
        writes, checksum = sidecar_db._image(db)
        return f'"writes": {writes}, "crc32": "{checksum}"' in (path.parent / f"{path.name}.seal").read_text("latin-1")


@KEEPERS
def test_a_small_file_is_sealed_after_every_write(tmp_path, monkeypatch, keeper):
    (sealed, _), keep = seals(monkeypatch, seconds=0.0), keeper(tmp_path / "kept.sqlite")
    for n in range(4):
        keep(n)
        assert len(sealed) == n + 1
        assert whole(tmp_path / "kept.sqlite")


@KEEPERS
def test_what_takes_long_takes_a_twentieth_of_the_time_and_is_not_forgotten(tmp_path, monkeypatch, keeper):
    (sealed, limits), keep = seals(monkeypatch, seconds=0.01), keeper(tmp_path / "kept.sqlite")
    for n in range(20):
        keep(n)
    assert len(sealed) == 1
    assert limits.seconds == [pytest.approx(20 * 0.01)]
    limits.run_out()
    assert len(sealed) == 2
    assert whole(tmp_path / "kept.sqlite")
