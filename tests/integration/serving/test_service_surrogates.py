"""Requests that hold half a character (a lone surrogate): one clear refusal, no traceback, nothing kept that breaks."""

from __future__ import annotations

import json

import httpx
import pytest

from .conftest import Keyed

HALF = "\ud800"
BYTES = HALF.encode("utf-8", "surrogatepass")
ASKED = {"question": "where was Steve Jobs born?"}
LOADED = {"files": ["barges.csv"], "source": "halved"}
BODIES = [
    ("alice", "/v1/answers", {"question": f"where was {HALF} born?"}),
    ("alice", "/v1/answers", {"question": f"\udc00{HALF}"}),
    ("alice", "/v1/answers", {**ASKED, "topics": [f"Steve Jobs={HALF}"]}),
    ("alice", "/v1/answers", {**ASKED, "topics": [f"{HALF}=m.06y3r"]}),
    ("alice", "/v1/answers", {**ASKED, "sources": [HALF]}),
    ("alice", "/v1/answers", {**ASKED, "strategy": HALF}),
    ("alice", "/v1/answers", {**ASKED, "after": HALF}),
    ("alice", "/v1/answers", {**ASKED, HALF: 1}),
    ("alice", "/v1/answers", {**ASKED, "depth": {HALF: [HALF]}}),
    ("alice", "/v1/answers", [HALF]),
    ("alice", "/v1/fusion", {"attribute": HALF}),
    ("alice", "/v1/fusion", {"attribute": "captain", "method": HALF}),
    ("boss", "/v1/loads", {**LOADED, "files": [HALF]}),
    ("boss", "/v1/loads", {**LOADED, "source": HALF}),
    ("boss", "/v1/loads", {**LOADED, "format": HALF}),
    ("boss", "/v1/loads", {**LOADED, "entity": HALF}),
]
REFUSAL = "is not valid: it contains a lone surrogate (half a character such as \\ud800)."


def refused(reply: httpx.Response) -> bool:
    """Return True for one refusal in words of ours."""
    assert reply.status_code in {400, 404, 405, 422}, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    return bool(reply.json()["detail"])


@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_no_field_of_a_body_takes_half_a_character(keyed: Keyed, accept: str, escaped: bool):
    headers = {"Content-Type": "application/json", "Accept": accept}
    for name, path, body in BODIES:
        content = json.dumps(body, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
        with keyed.service.client(keyed.key[name]) as client:
            for more in ({}, {"Prefer": "respond-async"}):
                reply = client.post(path, content=content, headers=headers | more)
                assert refused(reply), body
                if body in (BODIES[0][2], BODIES[3][2]):
                    assert (reply.status_code, reply.json()["detail"].endswith(REFUSAL)) == (422, True)


def rpc(method: str, params: dict[str, object], identity: object = 1) -> bytes:
    """A message of JSON-RPC with its halves escaped."""
    return json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}).encode()


CALLS = [
    rpc("tools/call", {"name": "ask", "arguments": {"question": f"where was {HALF} born?"}}),
    rpc("tools/call", {"name": "ask", "arguments": {**ASKED, "topics": [HALF]}}),
    rpc("tools/call", {"name": "ask", "arguments": {**ASKED, HALF: 1}}),
    rpc("tools/call", {"name": "verify_claim", "arguments": {"claim": HALF}}),
    rpc("tools/call", {"name": "find_entity", "arguments": {"name": HALF}}),
    rpc("tools/call", {"name": "facts_about", "arguments": {"entity": HALF}}),
    rpc("tools/call", {"name": "facts_about", "arguments": {"entity": "Steve Jobs", "relation": HALF}}),
    rpc("tools/call", {"name": "explain", "arguments": {"answer_id": HALF}}),
    rpc("tools/call", {"name": HALF, "arguments": {}}),
    rpc("tools/call", {"name": "sources", "arguments": {}}, HALF),
    rpc("initialize", {"protocolVersion": HALF, "capabilities": {}, "clientInfo": {"name": HALF, "version": HALF}}),
    rpc(HALF, {}),
    rpc("tools/list", {"cursor": HALF}),
]


def test_no_message_of_mcp_takes_half_a_character(keyed: Keyed):
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with keyed.service.client(keyed.key["alice"]) as client:
        for content in CALLS:
            for sent in (content, content.replace(b"\\ud800", BYTES)):
                reply = client.post("/mcp", content=sent, headers=headers)
                assert reply.status_code == 400, sent
                assert reply.json()["error"]["message"] == "The body is not one JSON-RPC 2.0 message."


def test_no_address_and_no_header_takes_half_a_character(keyed: Keyed):
    half = "%ED%A0%80"
    with keyed.service.client(keyed.key["alice"]) as alice, keyed.service.client(keyed.key["boss"]) as boss:
        for client, method, path in (
            (alice, "GET", f"/v1/answers/{half}"),
            (alice, "GET", f"/v1/relations?entity={half}"),
            (alice, "GET", f"/v1/passages?entity={half}"),
            (alice, "GET", f"/v1/facts?entity={half}"),
            (alice, "GET", f"/v1/facts?entity=Steve Jobs&direction={half}"),
            (alice, "GET", f"/v1/fusion?entity={half}"),
            (alice, "GET", f"/v1/jobs/{half}"),
            (alice, "GET", f"/assets/{half}"),
            (boss, "POST", f"/v1/loads/{half}/flip"),
            (boss, "DELETE", f"/v1/loads/{half}"),
            (boss, "POST", f"/v1/uploads?source=x&kind={half}"),
        ):
            assert refused(client.request(method, path)), path
        assert alice.get(f"/v1/entities?name={half}").json() == {"found": []}
        assert refused(boss.post("/v1/uploads?source=halved", content=b"a,b\n" + BYTES + b",1\n"))
        key = keyed.key["alice"].encode()
        for name in (b"Accept", b"Prefer", b"Content-Type", b"Origin", b"Mcp-Session-Id", b"Last-Event-Id"):
            reply = alice.post("/v1/answers", json=ASKED, headers={b"Authorization": b"Bearer " + key, name: BYTES})
            assert reply.status_code < 500, name


def test_nothing_of_it_is_kept_or_logged_as_a_fault(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        for body in (ASKED, {"question": "where was \U0001f986 born?"}):  # a pair is a whole character
            content = json.dumps(body).encode()
            assert client.post("/v1/answers", content=content, headers={"Content-Type": "application/json"}).is_success
        kept = client.get("/v1/answers?limit=100").json()
        assert any("\U0001f986" in row["question"] for row in kept)
        for row in kept:
            for place in ("", "/explanation"):
                assert client.get(f"/v1/answers/{row['id']}{place}").status_code == 200
    assert not [line for line in keyed.service.log.read_text().splitlines() if "Traceback" in line or '"fault"' in line]
