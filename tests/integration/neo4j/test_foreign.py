"""Nodes of others on a server: loads, drops and questions leave them as they are, whatever their labels are."""

from __future__ import annotations

from helpers.servers.neo4j_server import Server, query

from hydra_kg.ingest.load import load_files
from hydra_kg.stores.neo4j.bulk.local_import import LABELS
from hydra_kg.stores.neo4j.store import Neo4jStore
from hydra_kg.util.package_data import content

FOREIGN = "CREATE (:Person:Entity {id: 'alice'})-[:OWNS]->(:Document {id: 'contract-7'}), (:Load {title: 'of bricks'})"
COUNT = "MATCH (n) WHERE n:Person OR n.id = 'contract-7' OR n.title = 'of bricks'"


def test_loading_and_dropping_leave_what_others_keep(empty_neo4j: Server) -> None:
    with Neo4jStore(empty_neo4j.uri) as store:
        driver = store.db._driver
        query(driver, FOREIGN)
        for name in ("harbour.csv", "townsite.csv"):
            load_files(store, [content("sample", name)], extra={"entity": "ferry"})
        assert [load["name"] for load in store.loads()] == ["harbour", "townsite"]
        with store.snapshot() as snapshot:
            assert snapshot.lookup(["harbour:Aurora"]) != [None]
        ((nodes, labels),) = store.db.read("bulk_foreign", {"labels": LABELS})
        assert (nodes, "Person" in labels) == (2, True)
        store.drop("harbour")
        assert query(driver, f"{COUNT} RETURN count(n) AS left").records[0]["left"] == 3
