"""The line graph and multi-level confidence over whole sets of claims, and what one more source costs.

    python bench/speed/line_graph.py [--added 100000]

Reads truth/flights and truth/movies of the data pack. Grouping from scratch (all groups sorted again, as without a line
graph that is kept) is the rival of adding a source.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import data, machine, median_of, save
from bench.speed.load import calibration
from hydra_kg.evaluate.fusion.sets import read_set
from hydra_kg.fusion.gathering.line_graph import LineGraph, Triples
from hydra_kg.fusion.model.beliefs import slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.fusion.truth_discovery.confidence import consistency, graph_confidence, nodes_of

REPEATS = 3


def triples(claims: Claims) -> Triples:
    """Claims as numbers: an entity, an attribute, a value of a group, a source."""
    entities: dict[str, int] = {}
    attributes: dict[str, int] = {}
    pairs = [(entities.setdefault(e, len(entities)), attributes.setdefault(a, len(attributes))) for e, a in claims.keys]
    own = np.array(pairs, np.int64).reshape(-1, 2)[claims.group]
    none = np.zeros(len(claims), np.int32)
    return Triples(own[:, 0], own[:, 1].astype(np.int32), slots_of(claims).of, claims.source, none)


def measured(name: str, added: int) -> dict[str, Any]:
    """One set of claims."""
    claims = read_set(name).reading.claims
    every = triples(claims)
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
    nodes, split = median_of(lambda: nodes_of(claims), REPEATS)
    consistent, node_level = median_of(lambda: consistency(claims, nodes), REPEATS)
    start = time.perf_counter()
    graphs = graph_confidence(nodes, consistent)
    node_level += (time.perf_counter() - start) * 1e3 + split
    return {
        "set": name,
        "claims": len(every),
        "groups": len(found),
        "isolated": int(found.isolated.sum()),
        "across": int(found.across.sum()),
        "graphs_of_half": int((graphs >= 0.5).sum()),
        "build_ms": round(build),
        "group_ms": round(group),
        "confidence_ms": round(node_level),
        "added": len(more),
        "touched": len(touched),
        "added_ms": round(one_more),
        "rebuilt_ms": round(again),
        "ratio": round(again / one_more, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def main() -> None:
    """Measure and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--added", type=int, default=100_000)
    options = parser.parse_args()
    os.environ["HYDRA_DATA"] = str(data())
    before = calibration()
    found = [measured(name, options.added) for name in ("movies", "flights")]
    save(
        "line_graph",
        title="The line graph and multi-level confidence",
        command=f"python bench/speed/line_graph.py --added {options.added}",
        about=machine("numpy"),
        notes=[
            f"medians of {REPEATS}; values are read as what they are, before the clock runs; build sorts all claims,"
            " group lists all groups, confidence is Eq. 4 to 8 over all of them",
            "added: a new source that states that many of the same claims; touched: the groups that were looked at;"
            " rebuilt: all groups listed again, ratio to adding",
            f"calibration (processor seconds of a fixed loop): {before:.2f} before, {calibration():.2f} after",
        ],
        rows=found,
    )


if __name__ == "__main__":
    main()
