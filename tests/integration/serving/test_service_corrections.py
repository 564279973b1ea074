"""Over HTTP: how tables are understood is corrected, rows that are one thing are linked, and a model is left out."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.servers.service import Service, service

from .conftest import Keyed
from .test_service_loading import finished

BOATS = "boat,kind,built\nMew,sloop,1998\nTern,ketch,2001\nGull,sloop,2011\n"


@pytest.fixture
def loaded(keyed: Keyed) -> Iterator[httpx.Client]:
    """An administrator whose upload waits; it is discarded at the end."""
    with keyed.service.client(keyed.key["boss"]) as boss:
        assert finished(boss, boss.post("/v1/uploads?source=yawls", content=BOATS))["state"] == "done"
        yield boss
        finished(boss, boss.delete("/v1/loads/yawls"))


def mapping(client: httpx.Client) -> dict[str, Any]:
    doc: dict[str, Any] = client.get("/v1/loads/yawls/mapping").json()
    return doc


def test_how_a_table_was_understood_is_read_and_corrected(loaded: httpx.Client):
    found = mapping(loaded)
    assert (found["waits"], found["again"]) == (True, True)
    assert found["feed"]["tables"]["yawls"]["columns"]["built"]["role"] == "number"
    corrected = {
        "noun": "boat",
        "columns": {"built": {"role": "year", "says": "launched", "also": ["year of building"]}},
        "metrics": {"age": "2026 - built"},
    }
    begun = loaded.post("/v1/loads/yawls/mapping", json={"feed": {"tables": {"yawls": corrected}}})
    job = finished(loaded, begun)
    assert (job["kind"], job["state"]) == ("correct", "done")
    table = mapping(loaded)["feed"]["tables"]["yawls"]
    assert table["noun"] == "boat"
    assert table["columns"]["built"] == {"role": "year", "says": "launched", "also": ["year of building"]}
    assert table["metrics"] == {"age": "2026 - built"}


def test_a_correction_that_cannot_be_used_leaves_the_load_as_it_was(loaded: httpx.Client):
    before = mapping(loaded)["feed"]
    wrong = {"feed": {"tables": {"yawls": {"columns": {"nonsense": {"role": "year"}}}}}}
    job = finished(loaded, loaded.post("/v1/loads/yawls/mapping", json=wrong))
    assert job["state"] == "failed"
    assert "nonsense" in job["why"]
    assert mapping(loaded)["feed"] == before


def test_a_mapping_is_for_administrators_and_for_tables(keyed: Keyed, loaded: httpx.Client):
    with keyed.service.client(keyed.key["bob"]) as bob:
        assert bob.get("/v1/loads/yawls/mapping").status_code == 403
        assert bob.post("/v1/matches", json={"feeds": ["harbour"]}).status_code == 403
    assert loaded.get("/v1/loads/nothing/mapping").status_code == 404
    assert loaded.get("/v1/loads/harbour/mapping").status_code == 404  # loaded by columns, not as a feed


@pytest.mark.slow
def test_pairs_are_judged_and_linked(loaded: httpx.Client):
    other = BOATS.replace("2001", "2002")
    assert finished(loaded, loaded.post("/v1/loads/yawls/flip"))["state"] == "done"
    assert finished(loaded, loaded.post("/v1/uploads?source=register", content=other))["state"] == "done"
    assert finished(loaded, loaded.post("/v1/loads/register/flip"))["state"] == "done"
    feeds = ["yawls", "register"]
    found = finished(loaded, loaded.post("/v1/matches", json={"feeds": feeds}))["result"]
    assert found["counts"]["rows"] == [3, 3]
    tern = next(p for p in found["pairs"] if p["left"]["name"] == p["right"]["name"] == "Tern")
    assert any("2001" in text and "2002" in text for text in tern["differs"])
    judged = [{"left": tern["left"]["key"], "right": tern["right"]["key"], "same": False}]
    linked = finished(loaded, loaded.post("/v1/matches/links", json={"feeds": feeds, "judged": judged}))["result"]
    again = finished(loaded, loaded.post("/v1/matches", json={"feeds": feeds}))["result"]
    assert again["counts"]["judged"] == 1
    assert "Tern" not in [p["left"]["name"] for p in again["pairs"]]
    assert linked["links"] <= 2
    for name in (*[linked["name"]] * bool(linked["links"]), "register", "yawls"):
        assert finished(loaded, loaded.delete(f"/v1/sources/{name}"))["state"] == "done"


def test_a_folder_has_no_neo4j_browser_and_an_offline_service_no_model(keyed: Keyed):
    with keyed.service.client(keyed.key["curator"]) as curator:
        doc = curator.post("/v1/answers", json={"question": "Who founded Google?", "agent": "offline"}).json()
        assert doc["agent"] == "offline"
        assert curator.get(f"/v1/answers/{doc['id']}/browser").status_code == 404
        assert curator.get("/v1/session").json()["model"] is False
        assert curator.get("/v1/store").json()["server"] is False
        assert curator.post("/v1/answers", json={"question": "Who?", "agent": "llm"}).status_code == 422
    with keyed.service.client(keyed.key["alice"]) as alice:
        assert alice.get(f"/v1/answers/{doc['id']}/browser").status_code == 403


@pytest.fixture
def open_service(sample_store: Path, tmp_path: Path) -> Iterator[Service]:
    """A service without keys at which everybody on this machine may load."""
    store = Path(shutil.copytree(sample_store, tmp_path / "store"))
    with service(store, tmp_path / "home", "--agent", "offline", "--allow-loading") as one:
        one.wait()
        yield one


@pytest.mark.slow
def test_a_service_without_keys_may_let_everybody_load(open_service: Service):
    with open_service.client() as anybody:
        assert "admin" in anybody.get("/v1/session").json()["scopes"]
        assert finished(anybody, anybody.post("/v1/uploads?source=yawls", content=BOATS))["state"] == "done"
        foreign = {"Origin": "http://evil.example"}
        assert anybody.post("/v1/uploads?source=other", content=BOATS, headers=foreign).status_code == 403


def test_without_that_nobody_loads_at_a_service_without_keys(keyed: Keyed, stuck: Any):
    with stuck.service.client() as anybody:
        refused = anybody.post("/v1/uploads?source=yawls", content=BOATS)
        assert refused.status_code == 403
        assert "--allow-loading" in refused.json()["remedy"]
