"""``hydra-kg serve --from``: a service answers from what is published, and from what is published next."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from helpers.servers.service import service

from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.published.publish import publish


@pytest.mark.slow
def test_a_service_follows_what_is_published(sample_store: Path, tmp_path: Path) -> None:
    shutil.copytree(sample_store, tmp_path / "own")
    address = f"file://{tmp_path}/published"
    with EmbeddedStore(tmp_path / "own") as store:
        publish(store, address)
        poll = {"HYDRA_READERS_POLL": "0.2"}
        with service(tmp_path / "copy", tmp_path / "user", "--from", address, environment=poll) as served:
            served.wait()
            with served.client() as client:
                question = {"question": "where was mozart born?"}
                assert client.post("/v1/answers", json=question).json()["answer_text"] == "Salzburg"
                assert "fb2w" in client.get("/v1/sources").text
                store.drop("fb2w")
                publish(store, address, keep=1)
                until = time.monotonic() + 60
                while "fb2w" in client.get("/v1/sources").text:
                    assert time.monotonic() < until, served.log.read_text()
                    time.sleep(0.05)
            with served.client() as client:  # an idle connection may have been closed on a slow machine
                assert client.post("/v1/answers", json=question).json()["answer_text"] == "Salzburg"
                assert client.get("/readyz").status_code == 200
        assert (tmp_path / "copy" / "copy.json").is_file()
        assert not list((tmp_path / "copy" / "loads").glob("fb2w.*"))
