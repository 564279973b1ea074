"""Stores to be copied, and what must be equal of two of them afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helpers.samples.graphs import ENTITIES, MEDIATORS, TEXTS, WORDS, Spec, stage
from helpers.samples.whole import everything

from bench.memory_stage import SimpleLoadPlan
from hydra_kg.domain import Source
from hydra_kg.ports import Store
from hydra_kg.stores import copying
from hydra_kg.stores.embedded.store import EmbeddedStore

KEYS, ASKED = [*ENTITIES, *MEDIATORS], [*WORDS, *TEXTS]
DETAILS = {"file": "x.nt", "read": 7, "kept": {"links": 3}, "rejects": "rejects.tsv.gz"}


def said(store: Store) -> dict[str, Any]:
    return everything(store, KEYS, ASKED, handles=False)


def kept(store: Store) -> list[Any]:
    """What is kept of the ready loads, without what belongs to the store."""
    return sorted(
        (
            x["name"],
            x["facts"],
            [s["name"] for s in x["sources"]],
            sorted((k, str(v)) for k, v in x["details"].items() if k != copying.COPIED),
        )
        for x in store.loads()
        if x["state"] == "ready"
    )


def fill(folder: Path, some: list[Spec]) -> None:
    rejects = folder.parent / "rejects.tsv.gz"
    rejects.write_bytes(b"rejected\n" * 5)
    with EmbeddedStore(folder) as store:
        for spec in some:
            writer = store.begin(SimpleLoadPlan(spec.name, spec.sources))
            writer.write(stage(spec))
            writer.attach(rejects)
            writer.commit(DETAILS)


def both(a: str, to: str = "Q2") -> list[Spec]:
    """Two loads, one of two sources."""
    return [
        Spec(
            a,
            (Source(f"{a}-0", trust=0.5), Source(f"{a}-1", "wiki")),
            mediators=["m.0cvt_1"],
            links=[
                ("Q1", "P19", to, 0),
                ("Q1", "P19", to, 1),
                ("Q1", "P31", "m.0cvt_1", 1),
                ("m.0cvt_1", "P19", "Q5", 0),
                ("https://example.org/a", "https://example.org/p", "https://example.org/b", 0),
            ],
            values=[("Q1", "P569", '"1999"^^xsd:gYear', 1), ("Q1", "P569", '"été"@fr', 0)],
            names=[("Q1", "name", "Paris"), ("Q1", "alias", "AT&T"), ("Q1", "description", "a city")],
            same_as=[("m.0b", "Q1")],
            passages=[("Q1", "Paris", TEXTS[0]), ("", "x", TEXTS[1])],
        ),
        Spec("other", (Source("other"),), links=[("m.0b", "P31", "Q5", 0)], names=[("m.0b", "title", "Paris!")]),
    ]
