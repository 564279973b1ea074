"""Loading over HTTP, held until flipped, corrected, linked; fusion; teaching and saved questions; stopped jobs."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.servers.service import PATIENCE, service

from hydra_kg.serving.http.background_jobs import IMPORTED, start

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
        reply = boss.post("/v1/uploads?source=empty&kind=jsonl", content="no table at all")
        assert reply.status_code == 422, reply.text
        assert reply.json()["detail"].startswith("The first line is not a JSON object.")
        job = finished(boss, boss.post("/v1/uploads?source=empty&entity=town", content="city\nUlm\n"))
        assert (job["state"], job["result"]) == ("failed", None)
        assert "town" in job["why"]
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
        job = finished(alice, alice.post("/v1/fusion", json={"attribute": "area", "limit": 1}))
        assert job["result"]["claims"] > 20
        assert len(job["result"]["values"]) == 1
        assert job["result"]["left_out"] >= 1


def test_a_process_ends_when_whoever_started_it_does(tmp_path: Path):
    (tmp_path / "table.csv").write_text("a,b\n1,2\n" * 20_000)
    order = {"kind": "load", "upload": str(tmp_path), "entity": "", "source": "x", "format": "feed", "strict": False}
    process, pipe = start({**order, "store": str(tmp_path / "store"), "settings": {}})
    pipe.recv_bytes()  # it reads
    pipe.close()
    process.join(PATIENCE)
    assert process.exitcode == 3


def test_what_is_imported_for_jobs_is_there():
    for name in IMPORTED:
        importlib.import_module(name)  # a process from which others fork passes over what is missing


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


BOATS = "boat,kind,built\nMew,sloop,1998\nTern,ketch,2001\nGull,sloop,2011\n"


@pytest.fixture
def loaded(keyed: Keyed) -> Iterator[httpx.Client]:
    """An administrator whose upload waits; it is discarded at the end, if it still waits."""
    with keyed.service.client(keyed.key["boss"]) as boss:
        assert finished(boss, boss.post("/v1/uploads?source=yawls", content=BOATS))["state"] == "done"
        yield boss
        if (left := boss.delete("/v1/loads/yawls")).status_code != 404:
            finished(boss, left)


CLUB = {
    "boats": "boat_id,name,price,owner\nB1,Seeadler,18500,M1\nB2,Nordstern,71250,M2\nB3,Kormoran,9900,M2\n",
    "members": "member_id,name,born\nM1,Ada Lund,1980-01-02\nM2,Bo Rask,1975-05-06\n",
}


@pytest.mark.slow
def test_several_files_are_loaded_as_one_source_with_references(keyed: Keyed):
    with keyed.service.client(keyed.key["boss"]) as boss, keyed.service.client(keyed.key["bob"]) as bob:
        place = {"source": "sailing", "more": "true"}
        first = boss.post("/v1/uploads", params={**place, "file": "boats"}, content=CLUB["boats"])
        assert (first.status_code, first.json()["files"]) == (201, ["boats.csv"])
        batch = {**place, "batch": first.json()["batch"]}
        again = boss.post("/v1/uploads", params={**batch, "file": "boats"}, content=CLUB["boats"])
        assert (again.status_code, again.json()["detail"]) == (422, "Two files are called boats.csv.")
        last = {**batch, "file": "members", "more": "false"}
        assert finished(boss, boss.post("/v1/uploads", params=last, content=CLUB["members"]))["state"] == "done"
        feed = boss.get("/v1/loads/sailing/mapping").json()["feed"]
        assert [(r["table"], r["columns"], r["to"]) for r in feed["references"]] == [("boats", ["owner"], "members")]
        late = {**batch, "file": "repairs", "source": "late"}
        assert boss.post("/v1/uploads", params=late, content="job,boat\nR1,B1\n").status_code == 404  # it is loaded
        assert finished(boss, boss.post("/v1/loads/sailing/flip"))["state"] == "done"
        doc = bob.post("/v1/answers", json={"question": "Who owns the Nordstern?"}).json()
        assert doc["answer_text"] == "Bo Rask"
        assert finished(boss, boss.delete("/v1/sources/sailing"))["state"] == "done"


@pytest.mark.slow
def test_documents_are_uploaded_as_one_source(keyed: Keyed):
    minutes = "# Sloop Club\n\nTreasurer: Faruk Aydin\n\nThe club house is in Arendal.\n"
    page = "<html><body><h1>Sloop Club</h1><p>The Sloop Club was founded by Ida Berg in 1931.</p></body></html>"
    with keyed.service.client(keyed.key["boss"]) as boss, keyed.service.client(keyed.key["bob"]) as bob:
        place = {"source": "sloops", "file": "minutes", "kind": "md", "more": "true"}
        batch = boss.post("/v1/uploads", params=place, content=minutes).json()["batch"]
        table = {"source": "sloops", "file": "boats", "kind": "csv", "batch": batch}
        refused = boss.post("/v1/uploads", params=table, content=CLUB["boats"])
        assert (refused.status_code, refused.json()["detail"][:21]) == (422, "Tables and documents ")
        last = {"source": "sloops", "file": "history", "kind": "html", "batch": batch}
        assert finished(boss, boss.post("/v1/uploads", params=last, content=page))["state"] == "done"
        assert finished(boss, boss.post("/v1/loads/sloops/flip"))["state"] == "done"
        for question, answer in (
            ("Who is the treasurer of the Sloop Club?", "Faruk Aydin"),
            ("Who founded the Sloop Club?", "Ida Berg"),
        ):
            doc = bob.post("/v1/answers", json={"question": question}).json()
            assert doc["answer_text"] == answer
        assert finished(boss, boss.delete("/v1/sources/sloops"))["state"] == "done"


@pytest.mark.slow
def test_a_workbook_with_two_sheets_dates_and_a_merged_header_is_uploaded(keyed: Keyed):
    book = Path(__file__).with_name("company.xlsx")
    with keyed.service.client(keyed.key["boss"]) as boss, keyed.service.client(keyed.key["bob"]) as bob:
        place = {"source": "company", "kind": "xlsx"}
        assert finished(boss, boss.post("/v1/uploads", params=place, content=book.read_bytes()))["state"] == "done"
        feed = boss.get("/v1/loads/company/mapping").json()["feed"]
        assert feed["tables"]["Staff"]["columns"]["Contract Start"]["role"] == "date"
        assert [(r["columns"], r["to"]) for r in feed["references"]] == [(["Contract Team"], "Teams")]
        assert finished(boss, boss.post("/v1/loads/company/flip"))["state"] == "done"
        for question, answer in (
            ("When did Mara Lind start?", "2019-03-01"),
            ("Who is the head of the team of Mara Lind?", "Ida Vogt"),
        ):
            assert bob.post("/v1/answers", json={"question": question}).json()["answer_text"] == answer
        assert finished(boss, boss.delete("/v1/sources/company"))["state"] == "done"


@pytest.mark.slow
def test_a_formula_is_taught_used_and_undone_over_http(keyed: Keyed, loaded: httpx.Client):
    assert finished(loaded, loaded.post("/v1/loads/yawls/flip"))["state"] == "done"
    order = {"phrase": "age", "meaning": "= 2026 - built"}
    taught = finished(loaded, loaded.post("/v1/teachings", json=order))
    assert (taught["kind"], taught["state"], taught["result"]["meaning"]) == ("formula", "done", "= 2026 - built")
    asked = {"question": "What is the age of Mew?"}
    with keyed.service.client(keyed.key["bob"]) as bob:
        assert bob.post("/v1/answers", json=asked).json()["answers"][0]["name"] == "28"
        unknown = finished(loaded, loaded.post("/v1/teachings", json={"phrase": "x", "meaning": "= price - cost"}))
        assert unknown["state"] == "failed"
        assert "price" in unknown["why"]
        number = taught["result"]["number"]
        assert finished(loaded, loaded.delete(f"/v1/teachings/{number}"))["state"] == "done"
        assert loaded.get("/v1/teachings").json()["teachings"] == []
        assert bob.post("/v1/answers", json=asked).json()["abstained"]
        assert finished(loaded, loaded.delete("/v1/sources/yawls"))["state"] == "done"


def test_an_administrator_confirms_an_answer_and_its_sources_are_trusted_more(keyed: Keyed):
    with keyed.service.client(keyed.key["boss"]) as boss, keyed.service.client(keyed.key["bob"]) as bob:
        doc = bob.post("/v1/answers", json={"question": "Which pier does the Aurora leave from?"}).json()
        order = {"answer_id": doc["id"], "right": True, "value": "Pier 3"}
        assert bob.post("/v1/confirmations", json=order).status_code == 403
        made = boss.post("/v1/confirmations", json=order)
        assert made.status_code == 201, made.text
        assert made.json()["sources"]["tourbook"] == {"right": 0, "judged": 1}
        assert made.json()["sources"]["harbour"] == {"right": 1, "judged": 1}
        assert boss.post("/v1/confirmations", json={**order, "value": "Pier 99"}).status_code == 422
        assert boss.post("/v1/confirmations", json={**order, "answer_id": "0" * 12}).status_code == 404


@pytest.mark.slow
def test_a_belief_has_one_number_wherever_it_is_shown(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as alice:
        job = finished(alice, alice.post("/v1/fusion", json={"limit": 500}))
        assert job["result"]["values"]
        for group in job["result"]["values"]:
            alone = alice.get("/v1/fusion", params={"entity": group["entity"]["id"], "limit": 500}).json()
            same = [g for g in alone["values"] if (g["attribute"], g["when"]) == (group["attribute"], group["when"])]
            assert same == [group]


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


@pytest.mark.slow
def test_a_table_that_was_loaded_alone_is_corrected_by_its_columns(keyed: Keyed):
    with keyed.service.client(keyed.key["boss"]) as boss:
        place = {"source": "dinghies", "entity": "built"}
        assert finished(boss, boss.post("/v1/uploads", params=place, content=BOATS))["state"] == "done"
        found = boss.get("/v1/loads/dinghies/mapping").json()
        assert (found["feed"], found["rows"], found["entities"]) == (None, 3, 3)
        shown = [(one["name"], one["role"], one["examples"]) for one in found["columns"]]
        assert shown[1:] == [("kind", "value", ["sloop", "ketch"]), ("built", "entity", ["1998", "2001", "2011"])]
        columns = [{"name": "boat", "role": "entity"}, {"name": "kind", "role": "skip"}]
        columns.append({"name": "built", "role": "value", "called": "launched"})
        job = finished(boss, boss.post("/v1/loads/dinghies/mapping", json={"columns": columns}))
        assert (job["kind"], job["state"]) == ("correct", "done")
        again = boss.get("/v1/loads/dinghies/mapping").json()["columns"]
        assert [(one["role"], one["called"], len(one["examples"])) for one in again] == [
            ("entity", "", 3),
            ("skip", "", 0),  # what is left out may be left out for a reason
            ("value", "launched", 3),
        ]
        wrong = {"columns": [{**one, "role": "entity"} for one in columns]}
        assert "Several columns" in finished(boss, boss.post("/v1/loads/dinghies/mapping", json=wrong))["why"]
        assert boss.get("/v1/loads/dinghies/mapping").json()["columns"] == again
        assert (
            "columns" in finished(boss, boss.post("/v1/loads/dinghies/mapping", json={"feed": {"tables": {}}}))["why"]
        )
        assert finished(boss, boss.post("/v1/loads/dinghies/flip"))["state"] == "done"
        with keyed.service.client(keyed.key["bob"]) as bob:
            doc = bob.post("/v1/answers", json={"question": "When was Tern launched?"}).json()
        assert doc["answer_text"] == "2001"
        assert finished(boss, boss.delete("/v1/sources/dinghies"))["state"] == "done"


def test_a_mapping_is_for_administrators_and_for_tables(keyed: Keyed, loaded: httpx.Client):
    with keyed.service.client(keyed.key["bob"]) as bob:
        assert bob.get("/v1/loads/yawls/mapping").status_code == 403
        assert bob.post("/v1/matches", json={"feeds": ["harbour"]}).status_code == 403
    assert loaded.get("/v1/loads/nothing/mapping").status_code == 404
    with keyed.service.client(keyed.key["curator"]) as curator:
        assert curator.get("/v1/loads/freebase/mapping").status_code == 404  # a dump


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


@pytest.mark.slow
def test_a_service_without_keys_may_begin_with_an_empty_store_and_let_everybody_load(tmp_path: Path):
    with service(tmp_path / "new", tmp_path / "home", "--agent", "offline", "--allow-loading") as one:
        one.wait()
        with one.client() as anybody:
            assert "admin" in anybody.get("/v1/session").json()["scopes"]
            assert anybody.get("/v1/store").json()["loads"] == []
            foreign = {"Origin": "http://evil.example"}
            assert anybody.post("/v1/uploads?source=other", content=BOATS, headers=foreign).status_code == 403
            assert finished(anybody, anybody.post("/v1/uploads?source=yawls", content=BOATS))["state"] == "done"
            assert finished(anybody, anybody.post("/v1/loads/yawls/flip"))["state"] == "done"
            doc = anybody.post("/v1/answers", json={"question": "When was Tern built?"}).json()
            assert doc["answer_text"] == "2001"


def test_without_that_nobody_loads_at_a_service_without_keys(keyed: Keyed, stuck: Any):
    with stuck.service.client() as anybody:
        refused = anybody.post("/v1/uploads?source=yawls", content=BOATS)
        assert refused.status_code == 403
        assert "--allow-loading" in refused.json()["remedy"]
