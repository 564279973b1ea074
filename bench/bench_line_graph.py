"""The line graph and multi-level confidence over whole sets of claims, and what one more source costs.

    python bench/bench_line_graph.py [--added 100000]

Reads truth/flights and truth/movies of the data pack. Grouping from scratch (all groups sorted again, as without a line
graph that is kept) is the rival of adding a source.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import resource
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from measure import data, machine, median_of, save

from hydra_kg.fusion.claims import claims_of
from hydra_kg.fusion.confidence import consistency, graph_confidence, nodes_of
from hydra_kg.fusion.line_graph import LineGraph, Triples

FLIGHT_COLUMNS = ("scheduled_departure", "actual_departure", "departure_gate", "scheduled_arrival", "actual_arrival",
                  "arrival_gate")  # fmt: skip
REPEATS = 3


def rows(name: str) -> Iterator[tuple[str, str, str, str]]:
    """Entity, attribute, source, value of each claim; a flight of a day is an entity."""
    with gzip.open(data() / "truth" / name / "claims.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, dialect="excel-tab", quoting=csv.QUOTE_NONE):
            if name == "flights":
                for column in FLIGHT_COLUMNS:
                    if row[column]:
                        yield f"{row['date']} {row['flight']}", column, row["source"], row[column]
            elif row["value"]:
                yield row["entity"], row["attribute"], row["source"], row["value"]


def triples(name: str) -> Triples:
    """The claims as numbers."""
    seen: tuple[dict[str, int], ...] = ({}, {}, {}, {})
    table = np.array(
        [[d.setdefault(x, len(d)) for d, x in zip(seen, row, strict=True)] for row in rows(name)], np.int64
    )
    narrow = table.astype(np.int32)
    return Triples(table[:, 0], narrow[:, 1], table[:, 3], narrow[:, 2], np.zeros(len(table), np.int32))


def measured(name: str, added: int) -> dict[str, Any]:
    """One set of claims."""
    every = triples(name)
    rng = np.random.default_rng(0)
    at = rng.choice(len(every), min(added, len(every)), replace=False)
    more = Triples(
        every.subject[at], every.attribute[at], every.object[at], np.full(len(at), 1_000, np.int32), every.when[at]
    )
    (graph, _), build = median_of(lambda: LineGraph().added(every), REPEATS)
    found, group = median_of(graph.homologous, REPEATS)
    (_, touched), one_more = median_of(lambda: graph.added(more), REPEATS)
    grown, _ = graph.added(more)
    _, again = median_of(grown.homologous, REPEATS)
    claims = claims_of(rows(name))
    nodes, split = median_of(lambda: nodes_of(claims), REPEATS)
    consistent, node_level = median_of(lambda: consistency(claims, nodes), REPEATS)
    start = time.perf_counter()
    graphs = graph_confidence(nodes, consistent)
    node_level += (time.perf_counter() - start) * 1e3 + split
    return {
        "set": name, "claims": len(every), "groups": len(found), "isolated": int(found.isolated.sum()),
        "across": int(found.across.sum()), "graphs_of_half": int((graphs >= 0.5).sum()), "build_ms": round(build),
        "group_ms": round(group), "confidence_ms": round(node_level), "added": len(more), "touched": len(touched),
        "added_ms": round(one_more), "rebuilt_ms": round(again), "ratio": round(again / one_more, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }  # fmt: skip


def main() -> None:
    """Measure and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--added", type=int, default=100_000)
    options = parser.parse_args()
    found = [measured(name, options.added) for name in ("movies", "flights")]
    save(
        "line_graph",
        title="The line graph and multi-level confidence",
        command=f"python bench/bench_line_graph.py --added {options.added}",
        about=machine("numpy"),
        notes=[
            f"medians of {REPEATS}; values are compared as text; build sorts all claims, group lists all groups,"
            " confidence is Eq. 4 to 8 over all of them",
            "added: a new source that states that many of the same claims; touched: the groups that were looked at;"
            " rebuilt: all groups listed again, ratio to adding",
        ],
        rows=found,
    )


if __name__ == "__main__":
    main()
