"""The HTTP service as a process: its three ways to answer, what it states, MCP, and what happens when workers die."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

from .conftest import Keyed

QUESTION = {"question": "where was Steve Jobs born?"}


def ask(keyed: Keyed, name: str = "alice", **headers: str) -> httpx.Response:
    with keyed.service.client(keyed.key[name]) as client:
        return client.post("/v1/answers", json=QUESTION, headers=headers)


def get(keyed: Keyed, path: str, name: str = "alice") -> httpx.Response:
    with keyed.service.client(keyed.key[name]) as client:
        return client.get(path)


def test_an_answer_is_json_is_kept_and_is_explained(keyed: Keyed):
    reply = ask(keyed)
    doc = reply.json()
    assert (reply.status_code, doc["answer_text"], doc["version"]) == (200, "San Francisco", 1)
    assert get(keyed, f"/v1/answers/{doc['id']}").json()["answers"] == doc["answers"]
    assert doc["id"] in [row["id"] for row in get(keyed, "/v1/answers").json()]
    told = get(keyed, f"/v1/answers/{doc['id']}/explanation?max_tokens=800").json()
    assert told["answer"] == "San Francisco"
    assert len(json.dumps(told)) < 3 * 800 * 1.2
    for one in doc["citations"]:  # by the number that the answer's own paths have
        opened = get(keyed, f"/v1/answers/{doc['id']}/citations/{one['n']}").json()
        assert (opened["source"], opened["locator"]) == (one["source"], one["locator"])
    cited = get(keyed, f"/v1/answers/{doc['id']}/citations/1").json()
    assert "San Francisco" in json.dumps([cited["states"], cited["passage"], cited["lines"]])
    assert any(line["cited"] for line in cited["lines"])
    assert "/" not in cited["locator"].partition(":")[0]  # nothing of the machine is told


def test_a_text_is_checked_and_an_expected_answer_is_explained(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        text = "Titanic was directed by James Cameron. It was released in 2004."
        checked = client.post("/v1/check", json={"text": text}).json()
        assert checked["counts"] == {"stated": 1, "contradicted": 1, "not found": 0}
        assert checked["sentences"][0]["evidence"][0]["places"][0]["source"]
        refused = client.post("/v1/check", json={"text": "Titanic is a film. " * 51})
        assert (refused.status_code, "51 sentences" in refused.json()["detail"]) == (422, True)
    answer = ask(keyed).json()
    missing = get(keyed, f"/v1/answers/{answer['id']}/why-not?expected=Vienna").json()
    assert (missing["is_answer"], "Vienna" in missing["summary"]) == (False, True)
    assert get(keyed, f"/v1/answers/{answer['id']}/why-not?expected=Zyxthwaite").status_code == 404


def test_a_topic_replaces_what_its_name_is_linked_to(keyed: Keyed):
    question = "What is the population of Germany?"
    with keyed.service.client(keyed.key["alice"]) as client:
        docs = [
            client.post("/v1/answers", json={"question": question, "topics": topics}).json()
            for topics in ([], ["m.0345h"], ["Germany=m.0345h"], ["Germany=m.084n_"])
        ]
    plain, *same, other = [(d["answers"], d["verdict"], d["confidence"], d["paths"], d["mentions"]) for d in docs]
    assert docs[0]["answer_text"] == "82979100"
    assert same == [plain, plain]
    assert docs[3]["mentions"][0]["chosen"]["id"] == "m.084n_"
    assert docs[3]["mentions"][0]["start"] == docs[0]["mentions"][0]["start"]
    assert other != plain


def test_events_come_as_they_happen_and_the_answer_last(keyed: Keyed):
    reply = ask(keyed, Accept="text/event-stream")
    assert reply.headers["content-type"].startswith("text/event-stream")
    events = re.findall(r"^event: (.*)\r?$\n^data: (.*)\r?$", reply.text.replace("\r", ""), re.MULTILINE)
    kinds = [kind for kind, _ in events]
    assert kinds[0] == "ask.linked"
    assert kinds[-2:] == ["ask.answered", "answer"]
    assert json.loads(events[-1][1])["answer_text"] == "San Francisco"


def test_a_job_is_fetched_later(keyed: Keyed):
    begun = ask(keyed, Prefer="respond-async")
    assert begun.status_code == 202
    last = time.monotonic() + 60
    while (reply := get(keyed, begun.headers["location"])).status_code == 202 and time.monotonic() < last:
        assert reply.json()["state"] in {"waiting", "running"}
        time.sleep(0.05)
    assert (reply.status_code, reply.json()["id"]) == (200, begun.json()["id"])


def test_what_the_store_states(keyed: Keyed):
    (jobs, *_) = get(keyed, "/v1/entities?name=Steve Jobs").json()["found"]
    first = get(keyed, f"/v1/facts?entity={jobs['id']}&limit=3").json()
    assert len(first["facts"]) == first["next_start"] == 3
    second = get(keyed, f"/v1/facts?entity={jobs['id']}&limit=3&start=3").json()
    assert not [fact for fact in second["facts"] if fact in first["facts"]]
    assert all(fact["stated_by"] for fact in first["facts"])
    assert "freebase" in [load["name"] for load in get(keyed, "/v1/sources").json()["loads"]]


def test_the_page_runs_its_own_files_only(keyed: Keyed):
    with keyed.service.client() as client:
        shell = client.get("/")
        files = re.findall(r'(?:src|href)="(/[^"]+)"', shell.text)
        assert {name.rpartition(".")[2] for name in files} == {"js", "css"}
        assert all(client.get(name).headers["cache-control"].endswith("immutable") for name in files)
        assert client.get("/assets/index.html").status_code == client.get("/assets/nothing.js").status_code == 404
    policy = shell.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=", shell.text)


def test_mcp_speaks_at_its_address(keyed: Keyed):
    async def talk() -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {keyed.key['alice']}"}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http,
            Client(streamable_http_client(f"{keyed.service.url}/mcp", http_client=http)) as client,
        ):
            assert len((await client.list_tools()).tools) == 8
            (content,) = (await client.call_tool("ask", QUESTION)).content
            assert isinstance(content, TextContent)
            found: dict[str, Any] = json.loads(content.text)
            return found

    assert anyio.run(talk)["answer"] == "San Francisco"


def call_tool(keyed: Keyed, key: str, tool: str, /, **arguments: Any) -> tuple[bool, str]:
    """Whether a tool failed, and its text."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    with keyed.service.client(key) as client:
        accept = {"Accept": "application/json, text/event-stream"}
        result = client.post("/mcp", json=message, headers=accept).json()["result"]
    return result["isError"], result["content"][0]["text"]


def test_wrong_calls_of_mcp_are_refused_in_one_plain_sentence(keyed: Keyed):
    alice = keyed.key["alice"]
    assert call_tool(keyed, alice, "ask", **QUESTION, depth=3) == (
        True,
        "ask has no argument 'depth': it takes question, topics, max_tokens.",
    )
    assert call_tool(keyed, alice, "ask") == (True, "'question' is not valid: it is required.")
    failed, text = call_tool(keyed, alice, "facts_about", entity="Nobody Nowhere")
    assert failed
    assert text.startswith("Nothing is called 'Nobody Nowhere' here.")
    with keyed.service.client(alice) as client:
        for body in (b"{bad", b"{}", b"[]", b'"x"', b"[" * 30_000, b"\xff"):
            reply = client.post("/mcp", content=body, headers={"Content-Type": "application/json"})
            assert reply.status_code == 400
            assert reply.json()["error"]["message"] == "The body is not one JSON-RPC 2.0 message."


def test_a_missing_store_is_told_without_its_place(keyed: Keyed):
    lost = keyed.store.parent / "lost"
    key = keyed.keys.add("lost", store=str(lost), per_minute=0)
    for tool, arguments in (("ask", QUESTION), ("sources", {}), ("find_entity", {"name": "Steve Jobs"})):
        assert call_tool(keyed, key, tool, **arguments) == (True, "The store of this service or key is missing.")
    with keyed.service.client(key) as client:
        for reply in (client.post("/v1/answers", json=QUESTION), client.get("/v1/sources"), client.get("/v1/answers")):
            assert str(lost.parent) not in reply.text
            assert reply.status_code in {200, 503}


def test_the_document_of_the_service_and_its_counts(keyed: Keyed):
    with keyed.service.client() as client:
        doc = client.get("/openapi.json").json()
        assert client.get("/livez").json() == {"state": "live"}
    assert {"/v1/answers", "/v1/answers/{answer_id}", "/v1/facts", "/v1/entities", "/v1/sources"} <= set(doc["paths"])
    assert doc["components"]["schemas"]["QuestionBody"]["examples"]
    counts = get(keyed, "/metrics", "scraper").text
    assert 'hydra_kg_requests_total{route="/v1/answers",status="200"}' in counts
    assert "Jobs" not in counts


def test_logs_have_no_questions(keyed: Keyed):
    assert ask(keyed).status_code == 200
    lines = [json.loads(line) for line in keyed.service.log.read_text().splitlines() if line.startswith("{")]
    assert any(line["route"] == "/v1/answers" and line["key"] for line in lines)
    assert "Jobs" not in keyed.service.log.read_text()
    assert keyed.key["alice"] not in keyed.service.log.read_text()


def test_workers_share_connections(keyed: Keyed):
    def sockets() -> list[int]:
        links = [[str(f.readlink()) for f in Path(f"/proc/{w}/fd").iterdir() if f.is_symlink()] for w in workers]
        return [sum(link.startswith("socket:") for link in some) for some in links]

    workers, reader = keyed.service.workers(), {"Authorization": f"Bearer {keyed.key['reader']}"}
    before = sockets()
    with ExitStack() as stack:
        some = [stack.enter_context(closing(HTTPConnection("127.0.0.1", keyed.service.port))) for _ in range(16)]
        for one in some:
            one.connect()  # all of them wait at once
        for one in some:
            one.request("GET", "/v1/sources", headers=reader)
            assert one.getresponse().read()
        taken = [now - then for now, then in zip(sockets(), before, strict=True)]
    assert min(taken) >= 5, taken


def test_a_killed_worker_loses_no_kept_answer(keyed: Keyed):
    kept = [ask(keyed).json()["id"] for _ in range(3)]
    (first, *others) = keyed.service.workers()
    assert others
    os.kill(first, signal.SIGKILL)
    for identity in kept:
        assert reply_despite_kill(keyed, f"/v1/answers/{identity}").status_code == 200
    last = time.monotonic() + 60
    while len(keyed.service.workers()) < 2 and time.monotonic() < last:
        time.sleep(0.1)
    assert len(keyed.service.workers()) == 2  # another took its place
    assert first not in keyed.service.workers()


def reply_despite_kill(keyed: Keyed, path: str) -> httpx.Response:
    """A connection that the killed worker had taken is reset; the next one is another's."""
    for _ in range(20):
        try:
            return get(keyed, path)
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("nobody answers")


def test_a_question_follows_an_answer_of_its_own_store(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        first = client.post("/v1/answers", json={"question": "where was Steve Jobs born?"}).json()
        asked = {"question": "and when?", "after": first["id"]}
        doc = client.post("/v1/answers", json=asked).json()
        assert (doc["after"], doc["understood_as"]) == (first["id"], "When was Steve Jobs born?")
        for unknown, status in (("ffffffffffff", 404), ("../x", 422), ("f" * 13, 422)):
            assert client.post("/v1/answers", json={**asked, "after": unknown}).status_code == status
    with keyed.service.client(keyed.key["bob"]) as other:
        assert other.post("/v1/answers", json=asked).status_code == 404


def test_a_session_says_who_asks_and_what_for(keyed: Keyed):
    for name, scopes in (("curator", {"admin", "ask"}), ("reader", {"read"})):
        with keyed.service.client(keyed.key[name]) as client:
            doc = client.get("/v1/session").json()
        assert (doc["name"], doc["keys"]) == (name, True)
        assert scopes <= set(doc["scopes"])


def test_a_store_is_named_with_its_sources_and_no_folder_of_the_machine(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        reply = client.get("/v1/store")
    doc = reply.json()
    assert doc["name"] == "alice"
    assert doc["facts"] == sum(load["facts"] for load in doc["loads"])
    (freebase,) = (load for load in doc["loads"] if load["name"] == "freebase")
    assert freebase["sources"][0]["licence"]
    report = freebase["report"]
    parts = [sum(report[part].values()) for part in ("kept", "dropped", "rejected", "duplicates")]
    assert sum(parts) == report["read"]
    assert str(keyed.store.parent) not in reply.text
    assert "/sample/" not in reply.text


def test_what_depends_on_the_store_alone_is_not_sent_twice(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as alice, keyed.service.client(keyed.key["bob"]) as bob:
        for path in ("/v1/store", "/v1/schema?limit=7"):
            first = alice.get(path)
            assert first.headers["cache-control"] == "private, no-cache"
            tag = {"If-None-Match": first.headers["etag"]}
            again = alice.get(path, headers=tag)
            assert (again.status_code, again.content) == (304, b"")
            assert bob.get(path, headers=tag).json() != first.json()  # another store
            assert alice.get(path).json() == first.json()


def test_names_are_completed_with_descriptions(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        begun = client.get("/v1/complete?text=tita").json()["things"]
        asked = {"text": "Steve J", "question": "Where was Steve Jobs bo"}
        client.post("/v1/answers", json={"question": "Where was Steve Jobs born?"})
        both = client.get("/v1/complete", params=asked).json()
        assert both["questions"][0]["question"] == "Where was Steve Jobs born?"
        assert "Steve Jobs" in [thing["name"] for thing in both["things"]]
        misspelt = client.get("/v1/complete?text=jmes cameron").json()["things"]
        assert client.get("/v1/complete?text=").status_code == 422
    assert begun[0]["name"] == "Titanic"
    assert "film" in begun[0]["description"]
    assert "James Cameron" in [one["name"] for one in misspelt]


def test_an_entity_has_relations_and_passages(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        doc = client.get("/v1/relations?entity=Lionel Messi").json()
        assert {"m.06qjgc"} <= set(doc["ids"])
        assert doc["relations"][0]["count"] >= doc["relations"][-1]["count"] > 0
        assert "Rosario" in str(client.get("/v1/passages?entity=Lionel Messi").json())
        for place in ("relations", "passages"):
            assert client.get(f"/v1/{place}?entity=Nobody At All").status_code == 404
    with keyed.service.client(keyed.key["bob"]) as other:
        assert other.get("/v1/relations?entity=Lionel Messi").status_code == 404


def test_an_answer_is_readable_and_counts_for_its_sources(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        doc = client.post("/v1/answers", json={"question": "Where was Lionel Messi born?"}).json()
        again = client.get(f"/v1/answers/{doc['id']}").json()
        impact = client.get("/v1/sources/freebase/impact").json()
    readable = doc["readable"]
    assert "".join(part["text"] for part in readable["sentence"]) == "Lionel Messi was born in Rosario."
    assert set(readable["states"]) <= {str(c["n"]) for c in doc["citations"]}
    assert "Lionel Messi — born in → Rosario" in readable["states"]["1"]
    assert again["readable"] == readable
    assert doc["id"] in [one["id"] for one in impact["questions"]]


def test_examples_were_asked_and_answered(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        schema = client.get("/v1/schema?limit=5").json()
        while (found := client.get("/v1/examples").json())["state"] == "asking":
            ready = client.get("/readyz")  # of either worker, of which one may still be starting
            assert ready.status_code == 200 or ready.json()["detail"] == "The store is still being opened."
            time.sleep(0.1)
        assert len(schema["classes"]) == len(schema["relations"]) == 5
        assert found["questions"]
        for one in found["questions"]:
            answer = client.get(f"/v1/answers/{one['answer']}").json()
            assert (answer["question"], answer["abstained"]) == (one["question"], False)
    assert (keyed.store / "overview.json").is_file()
