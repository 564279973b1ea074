"""Replies are worded in German for a client that prefers it, and in no other way changed."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from hydra_kg.plan import model as m
from hydra_kg.plan.serialise import query_json
from hydra_kg.serving.web.readable import readable
from hydra_kg.serving.wording.replies import Worded, german, german_reply, german_value
from hydra_kg_loaders.values.column_rewriting import rewrite_columns

PROBLEM = {"status": 404, "detail": "There is no such answer.", "remedy": "Send Authorization: Bearer KEY."}


def answer(**more: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {name: [] for name in "answers citations paths explorations mentions dissent".split()}
    doc = {**empty, "id": "0" * 12, "question": "How many boats cost more than 40000?", "answer_text": "3"}
    doc |= {"verdict": "single-source", "abstained": False, "agreement": 1.0, "amount": 1.0, **more}
    return {**doc, "readable": readable(doc)}


@pytest.fixture
def client() -> TestClient:
    async def problem(_: Any) -> JSONResponse:
        return JSONResponse(PROBLEM, 404, media_type="application/problem+json")

    async def events(_: Any) -> StreamingResponse:
        lines = [f"event: problem\r\ndata: {json.dumps(PROBLEM)}\r\n\r\n", 'event: x\r\ndata: {"n": 1}\r\n\r\n']
        return StreamingResponse(iter(lines), media_type="text/event-stream")

    async def text(_: Any) -> PlainTextResponse:
        return PlainTextResponse("There is no such answer.")

    routes = [Route("/v1/p", problem), Route("/v1/e", events), Route("/v1/t", text), Route("/p", problem)]
    return TestClient(Worded(Starlette(routes=routes)))


def test_a_problem_is_worded_where_german_is_preferred(client: TestClient):
    found = client.get("/v1/p", headers={"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"})
    assert found.json()["detail"] == "Diese Antwort gibt es nicht."
    assert found.headers["content-length"] == str(len(found.content))
    assert client.head("/v1/p", headers={"Accept-Language": "de"}).content == b""


@pytest.mark.parametrize("said", ["en-GB,de;q=0.5", "", "fr", "*"])
def test_other_languages_get_english(client: TestClient, said: str):
    assert client.get("/v1/p", headers={"Accept-Language": said}).json() == PROBLEM


def test_only_the_api_is_worded(client: TestClient):
    german = {"Accept-Language": "de"}
    assert client.get("/p", headers=german).json() == PROBLEM
    assert client.get("/v1/t", headers=german).text == "There is no such answer."


def test_events_are_worded_one_by_one(client: TestClient):
    first, second = client.get("/v1/e", headers={"Accept-Language": "de"}).text.strip().split("\r\n\r\n")
    assert json.loads(first.split("data: ")[1])["detail"] == "Diese Antwort gibt es nicht."
    assert second == 'event: x\r\ndata: {"n":1}'


def test_a_computed_answer_is_worded_with_its_steps_and_conditions():
    dear = m.Condition(">", "number", 40000.0, 40000.0, words="more than 40000")
    query = m.Count(m.Where(m.Class("boats", "boat"), "price", dear))
    steps = [{"operator": "Where", "text": "boats whose price is more than 40000: 3 of 8", "unknown": 0}]
    doc = answer(query=query_json(query), steps=steps, computation="3 counted: boats whose price is more than 40000")
    found = german_reply(doc)
    assert found["steps"][0]["text"] == "boats mit price mehr als 40000: 3 von 8"
    assert found["computation"] == "3 gezählt: boats mit price mehr als 40000"
    assert found["readable"]["asked"] == "Anzahl boats mit price mehr als 40000"
    count, price = found["readable"]["edits"]
    assert (count["text"], count["changes"][0]["text"]) == ("wie viele", "sie auflisten")
    assert price["text"] == "price mehr als 40000"
    assert [change["text"] for change in price["changes"]] == [
        "weniger als 40000",
        "mindestens 40000",
        "höchstens 40000",
        "genau 40000",
    ]
    assert price["changes"][0]["question"].startswith("How many boats")  # it is asked again as it is


def test_a_refusal_and_doubts_are_worded():
    doc = answer(abstained=True, missing="no source knows the name “Atlantis”", answer_text="")
    assert german_reply(doc)["readable"]["reason"] == "Keine Quelle kennt den Namen „Atlantis“."
    doubtful = answer(unchecked=["whether these are all (2 are stated)"])
    assert german_reply(doubtful)["readable"]["doubted"] == ["ob das alle sind (2 sind angegeben)"]


def test_a_conflict_is_worded_and_names_stay():
    answers = [{"name": "at least 7", "id": "Q1", "ids": [], "score": 1.0}]
    said = "Sources disagree: a says at least 7; b says 1930."
    doc = answer(answers=answers, verdict="contested", answer_text=said, dissent=["b says 1930"])
    found = german_reply(doc)
    assert found["answer_text"] == "Quellen widersprechen sich: a nennt at least 7; b nennt 1930."
    assert found["dissent"] == ["b nennt 1930"]
    assert found["answers"] == answers


def test_values_are_said_as_germans_write_them():
    assert german_value("1974-11-11") == "11. November 1974"
    assert german_value("1974-03") == "März 1974"
    assert german_value("82979100") == "82.979.100"
    assert german_value("2.5") == "2,5"
    assert german_value("46.6666666667") == "46,67"
    assert german_value("1984") == "1984"
    assert german_value("Paris") == "Paris"
    found = german_reply(answer(computation="largest by “population” of 2: Bremen 566,573, Kiel 245,567"))
    assert found["computation"] == "größter Wert von „population“ unter 2: Bremen 566.573, Kiel 245.567"
    yes = answer(question="Is Nuuk in Peru?", answers=[{"name": "no", "id": None, "ids": [], "score": 1.0}])
    assert german_reply({**yes, "answer_text": "no"})["readable"]["values"] == ["Nein"]


COLUMNS = {
    "price": (["84,50 €", "59,00 €", "27,90 €", "n/a"], ["1 fehlender Wert", "aus „27,90 €“ wird 27.9"]),
    "done": (["12.03.2024", "15.03.2024", "n/a", "n/a"], ["2 fehlende Werte", "aus „12.03.2024“ wird 2024-03-12"]),
    "paid": (["yes", "y", "no", "n"], ["aus „y“ wird ja, aus „n“ wird nein"]),
    "weight": (["2 kg", "3 kg", "500 g", "4 kg"], ["mehrere Einheiten (kg, g)", "umgerechnet in kg: aus „500 g“"]),
    "from": (["01/02/2024", "03/04/2024", "05/06/2024", "07/08/2024"], ["Tag oder Monat vorne"]),
    "size": ([*map(str, range(1, 40)), "broken"], ["1 Zelle ist keine Zahl („broken“ in Zeile 40); als Text"]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_what_was_noticed_of_a_column_is_german(name: str):
    cells, said = COLUMNS[name]
    with duckdb.connect() as db:
        db.execute("CREATE TABLE t (row BIGINT, c0 VARCHAR)")
        db.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(cells, 1)))
        (remark,) = rewrite_columns(db, "t", [name], label="jobs")
    found = german(remark, {})
    assert found.startswith(f"jobs, {name}: ")
    assert [part for part in said if part not in found] == [], found
