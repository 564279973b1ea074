"""What the web application reads about a store: session, sources, classes, names, relations, passages, impact."""

from __future__ import annotations

from .conftest import Keyed


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


def test_names_are_completed_with_descriptions(keyed: Keyed):
    with keyed.service.client(keyed.key["alice"]) as client:
        begun = client.get("/v1/complete?text=tita").json()["things"]
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
            assert client.get("/readyz").status_code == 200
        assert len(schema["classes"]) == len(schema["relations"]) == 5
        assert found["questions"]
        for one in found["questions"]:
            answer = client.get(f"/v1/answers/{one['answer']}").json()
            assert (answer["question"], answer["abstained"]) == (one["question"], False)
    assert (keyed.store / "overview.json").is_file()
