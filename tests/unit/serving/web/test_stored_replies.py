"""Replies about a store are made once until the store changes, and not sent again to clients that have them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from fastapi import Request
from starlette.responses import Response

from hydra_kg.serving.web.stored_replies import StoredReplies
from hydra_kg.stores.embedded.catalog import catalog

NOW = 1_000.0


def request(path: str = "/v1/store", tag: str = "") -> Request:
    headers = [(b"if-none-match", tag.encode())] if tag else []
    return Request({"type": "http", "path": path, "query_string": b"", "headers": headers, "server": ("host", 80)})


class Store:
    """A folder with a catalog, and a count of how often it was read."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.reads = folder, 0
        self.change(NOW - 60)

    def change(self, at: float, text: str = "one") -> None:
        path = self.folder / catalog.FILE
        path.write_text(text)
        os.utime(path, (at, at))

    async def read(self) -> dict[str, Any]:
        self.reads += 1
        return {"facts": (self.folder / catalog.FILE).read_text()}


def reply(replies: StoredReplies, store: Store, folder: Path | None, **options: Any) -> Response:
    tag = options.pop("tag", "")
    return asyncio.run(replies.reply(request(tag=tag), folder, store.read, **options))


def test_a_store_is_read_again_only_after_a_change(tmp_path: Path):
    store, replies = Store(tmp_path), StoredReplies(clock=lambda: NOW)
    first = reply(replies, store, tmp_path)
    assert reply(replies, store, tmp_path).body == first.body == b'{"facts":"one"}'
    assert store.reads == 1
    store.change(NOW - 30, "two")
    assert reply(replies, store, tmp_path).body == b'{"facts":"two"}'
    (tmp_path / f"{catalog.FILE}-wal").write_text("a change that is still in the log")
    reply(replies, store, tmp_path)
    assert store.reads == 3


def test_a_client_that_has_the_reply_gets_304(tmp_path: Path):
    store, replies = Store(tmp_path), StoredReplies(clock=lambda: NOW)
    tag = reply(replies, store, tmp_path).headers["ETag"]
    again = reply(replies, store, tmp_path, tag=tag)
    assert (again.status_code, again.body, again.headers["ETag"]) == (304, b"", tag)
    store.change(NOW - 30, "two")
    assert reply(replies, store, tmp_path, tag=tag).status_code == 200


def test_a_change_within_the_same_tick_of_the_clock_is_not_missed(tmp_path: Path):
    store, replies = Store(tmp_path), StoredReplies(clock=lambda: NOW)
    store.change(NOW, "one")
    reply(replies, store, tmp_path)
    store.change(NOW, "two")  # the file has the same time and size
    assert reply(replies, store, tmp_path).body == b'{"facts":"two"}'


def test_what_is_not_lasting_or_on_a_server_is_made_each_time(tmp_path: Path):
    store, replies = Store(tmp_path), StoredReplies(clock=lambda: NOW)
    for _ in range(2):
        reply(replies, store, tmp_path, lasting=lambda doc: False)
        reply(replies, store, None)
    assert store.reads == 4
