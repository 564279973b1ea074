"""A question after another over HTTP: resolved after an answer of the same key's store, and of no other."""

from __future__ import annotations

from .conftest import Keyed


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
