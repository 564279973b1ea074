"""Loading over HTTP, held until flipped; fusion; teaching and saved questions; jobs that are stopped."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import httpx
import pytest
from helpers.servers.service import PATIENCE

from .conftest import Keyed


def finished(client: httpx.Client, reply: httpx.Response) -> dict[str, Any]:
    """What became of a job."""
    assert reply.status_code == 202, reply.text
    last = time.monotonic() + PATIENCE
    while (job := client.get(reply.headers["location"]).json())["state"] in {"waiting", "running"}:
        assert time.monotonic() < last
        assert job["heartbeat"] <= job["deadline"]
        time.sleep(0.1)
    found: dict[str, Any] = job
    return found


@pytest.mark.slow
def test_what_is_loaded_is_seen_once_it_is_flipped(keyed: Keyed):
    with keyed.service.client(keyed.key["boss"]) as boss:
        assert [file["name"] for file in boss.get("/v1/inbox").json()["files"]] == ["barges.csv"]
        order = {"files": ["barges.csv"], "source": "barges", "entity": "barge"}
        job = finished(boss, boss.post("/v1/loads", json=order))
        assert (job["state"], job["result"]["loads"][0]["facts"]) == ("done", 1)
        assert str(keyed.inbox.parent) not in str(job)
        (held,) = [load for load in boss.get("/v1/loads").json()["loads"] if load["name"] == "barges"]
        assert held["state"] == "held"
        assert boss.post("/v1/loads", json=order).status_code == 409
        entity = "/v1/facts?entity=Bo Berg's barge"
        assert boss.get(entity).status_code == 404
        assert finished(boss, boss.post("/v1/loads/barges/flip"))["state"] == "done"
        assert boss.get(entity).json()["facts"][0]["object"] == "Bo Berg"
        assert boss.post("/v1/loads/barges/flip").status_code == 404

        table = "barge,captain\nBo Berg's barge,Bea Berg\n"
        place = {"source": "barges", "entity": "barge"}
        job = finished(boss, boss.post("/v1/uploads", params=place, content=table))
        assert job["result"]["loads"][0]["difference"]["facts"] == {"old_only": 1, "new_only": 1, "common": 0}
        assert boss.get(entity).json()["facts"][0]["object"] == "Bo Berg"  # still
        assert finished(boss, boss.delete("/v1/loads/barges"))["state"] == "done"
        assert boss.get(entity).json()["facts"][0]["object"] == "Bo Berg"
        assert {job["kind"] for job in boss.get("/v1/jobs").json()["jobs"]} >= {"load", "flip", "discard"}


def test_a_table_that_cannot_be_read_is_said_and_leaves_nothing(keyed: Keyed):
    with keyed.service.client(keyed.key["boss"]) as boss:
        job = finished(boss, boss.post("/v1/uploads?source=empty&kind=jsonl", content="no table at all"))
        assert (job["state"], job["result"]) == ("failed", None)
        assert job["why"]
        assert str(keyed.inbox.parent) not in job["why"]
        assert "empty" not in [load["name"] for load in boss.get("/v1/loads").json()["loads"]]


def test_a_load_is_stopped_by_whoever_administers(keyed: Keyed):
    with keyed.service.client(keyed.key["boss"]) as boss, keyed.service.client(keyed.key["bob"]) as bob:
        begun = boss.post("/v1/uploads?source=late", content="a,b\n1,2\n")
        assert bob.get(begun.headers["location"]).status_code == 200
        assert bob.delete(begun.headers["location"]).status_code == 403
        assert bob.delete(f"/v1/answers/{begun.json()['id']}").status_code == 404  # nor by another door
        assert boss.delete(begun.headers["location"]).status_code == 202
        job = finished(boss, begun)
        assert (job["state"], job["why"]) == ("stopped", "It was stopped.")
        assert boss.delete(begun.headers["location"]).status_code == 409
        assert "held" not in [row["state"] for row in boss.get("/v1/loads").json()["loads"] if row["name"] == "late"]


def test_claims_of_a_thing_and_of_a_relation_are_fused(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as alice:
        doc = alice.get("/v1/fusion?entity=Steve Jobs&attribute=place of birth&places=true").json()
        (group,) = doc["values"]
        assert [value["value"] for value in group["values"] if value["believed"]] == ["San Francisco"]
        assert all(stated["locator"] for stated in group["statements"])
        assert alice.get("/v1/fusion?entity=Nobody Known So").status_code == 404
        assert alice.get("/v1/fusion?entity=Steve Jobs&method=guess").status_code == 422
        job = finished(alice, alice.post("/v1/fusion", json={"attribute": "place of birth", "limit": 1}))
        assert job["result"]["claims"] > 100
        assert len(job["result"]["values"]) == 1
        assert job["result"]["left_out"] >= 1


def test_a_process_ends_when_whoever_started_it_does():
    command = [sys.executable, "-m", "hydra_kg.serving.work"]
    order = b'{"kind": "fusion", "store": "nowhere", "method": "", "attribute": "x", "limit": 1}'
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(order[:20])  # no whole order: it waits
        process.stdin.close()
        assert process.wait(PATIENCE) != 0


@pytest.mark.slow
def test_an_administrator_teaches_and_undoes_and_others_may_not(keyed: Keyed):
    asked = {"question": "Who helmed Forrest Gump?"}
    order = {"phrase": "helmed", "meaning": "directed"}
    with keyed.service.client(keyed.key["admin"]) as admin, keyed.service.client(keyed.key["alice"]) as alice:
        assert alice.post("/v1/teachings", json=order).status_code == 403
        made = admin.post("/v1/teachings", json=order)
        assert (made.status_code, made.json()["author"]) == (201, "admin")
        assert alice.get("/v1/teachings").json()["teachings"] == [made.json()]
        doc = alice.post("/v1/answers", json=asked).json()
        assert (doc["answer_text"], doc["understood_as"]) == ("Robert Zemeckis", "Who directed Forrest Gump?")
        assert "taught by admin" in doc["notes"][0]
        assert admin.delete(f"/v1/teachings/{made.json()['number']}").status_code == 200
        assert admin.delete(f"/v1/teachings/{made.json()['number']}").status_code == 404
        assert alice.get("/v1/teachings").json()["teachings"] == []
        for body in ({"phrase": "x"}, {**order, "entity": "Q60"}):
            assert admin.post("/v1/teachings", json=body).status_code == 422
        assert admin.post("/v1/teachings", json={"phrase": "x", "entity": "no such id"}).status_code == 404


@pytest.mark.slow
def test_a_saved_question_is_asked_again_as_if_a_source_were_dropped(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as alice, keyed.service.client(keyed.key["reader"]) as reader:
        doc = alice.post("/v1/answers", json={"question": "Who directed Forrest Gump?"}).json()
        assert reader.post("/v1/saved", json={"answer_id": doc["id"]}).status_code == 403
        made = alice.post("/v1/saved", json={"answer_id": doc["id"]})
        assert (made.status_code, made.json()["names"]) == (201, ["Robert Zemeckis"])
        assert reader.get("/v1/saved").json()["saved"] == [made.json()]
        job = finished(alice, alice.post("/v1/saved/check", json={}))
        assert job["result"]["counts"] == {"asked": 1, "answers": 0, "verdicts": 0}
        job = finished(alice, alice.post("/v1/saved/check", json={"drop": "freebase"}))
        (now,) = job["result"]["questions"]
        assert (now["now"]["answer_text"], now["now"]["verdict"]) == ("Robert Zemeckis", "supported")  # by the others
        assert finished(alice, alice.post("/v1/saved/check", json={"drop": "nobody"}))["state"] == "failed"
        assert alice.post("/v1/saved/check", json={"flip": "a", "drop": "b"}).status_code == 422
        assert alice.post("/v1/saved", json={"answer_id": "0" * 12}).status_code == 404
        assert alice.delete(f"/v1/saved/{made.json()['number']}").status_code == 200
        assert alice.delete(f"/v1/saved/{made.json()['number']}").status_code == 404
