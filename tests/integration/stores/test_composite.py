"""Mediators collapsed, the cleaned slice holds the same pairs of entities as the same facts in composite form.

On the full slice: 263,263 mediators, each with two slots, join 205,271 pairs of entities, and 120,718 pairs are linked
directly: all pairs of ``freebase_composite.tsv.gz`` and no others, but for 160 rows of the domains ``freebase`` and
``dataworld``, which the rule ``metadata`` drops (four of their pairs are stated by a reverse property as well).
"""

from __future__ import annotations

import gzip
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from helpers.samples.loading import data_pack
from thorough import whole_data

from hydra_kg import ids
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg_loaders.freebase.cleaning_rules import is_metadata
from hydra_kg_loaders.freebase.schema import copy_bundled_schema

Pairs = set[tuple[int, int]]
Hops = set[tuple[int, str, int]]


def pairs_of(path: Path, file: Path) -> tuple[Pairs, Pairs, Hops, int, int]:
    """Pairs linked directly, pairs joined by a mediator, the mediators' hops, mediators, mediators with a name."""
    with EmbeddedStore(path) as store:
        load_files(store, [file])
        with store.pin() as pinned:
            ((_, segment),) = pinned.loads
            keys = pinned.generation.predicates.keys
            off, mediator = segment.foff.astype(np.int64), np.asarray(segment.mediator).astype(bool)
            nodes = segment.nodes.tolist()
            src = np.repeat(np.arange(len(nodes)), np.diff(off)).tolist()
            rows = list(zip(src, segment.fpred.tolist(), segment.fdst.tolist(), strict=True))
            labels = segment.labels(np.flatnonzero(mediator).astype(np.int32))
            direct: Pairs = set()
            slots: dict[int, list[tuple[str, int]]] = {}
            for a, p, b in rows:
                if mediator[a] or mediator[b]:
                    assert not (mediator[a] and mediator[b])
                    m, e = (a, b) if mediator[a] else (b, a)
                    slots.setdefault(m, []).append((keys[p], nodes[e]))
                else:
                    direct.add((min(nodes[a], nodes[b]), max(nodes[a], nodes[b])))
            through: Pairs = set()
            hops: Hops = set()
            for filled in slots.values():
                assert len(filled) >= 2
                for (p, a), (q, b) in combinations(filled, 2):
                    through.add((min(a, b), max(a, b)))
                    hops |= {(a, f"{p}./{q}", b), (b, f"{q}./{p}", a)}
            return direct, through, hops, int(mediator.sum()), sum(map(bool, labels))


def composite(file: Path) -> tuple[Pairs, Pairs, Hops, int]:
    """The same from the composite form, in canonical relations; and how many rows the rule ``metadata`` drops."""
    schema = copy_bundled_schema()

    def kept(name: str) -> str:
        """The relation that says it in a cleaned store, or "" if the rule drops it in both directions."""
        other = schema.canonical.get(name) or schema.reverse.get(name) or name
        fit = sorted({name, other} - {n for n in (name, other) if is_metadata(n)})
        return fit[0] if fit else ""

    direct: Pairs = set()
    through: Pairs = set()
    hops: Hops = set()
    dropped = 0
    with gzip.open(file, "rt", encoding="utf-8") as f:
        for line in f:
            s, relation, o, _ = line.split("\t")
            a, b = ids.encode(s), ids.encode(o)
            legs = [kept(leg) for leg in relation.split("./")]
            dropped += any(is_metadata(leg) for leg in relation.split("./"))
            if not all(legs):
                continue
            if len(legs) == 2:
                through.add((min(a, b), max(a, b)))
                hops.add((a, "./".join(legs), b))
            else:
                direct.add((min(a, b), max(a, b)))
    return direct, through, hops, dropped


@whole_data
@pytest.mark.data
@pytest.mark.slow
def test_the_same_pairs_come_out(tmp_path: Path) -> None:
    pack = data_pack()
    direct, through, hops, mediators, named = pairs_of(tmp_path / "store", pack / "freebase.nt.gz")
    want_direct, want_through, want_hops, dropped = composite(pack / "freebase_composite.tsv.gz")
    assert (mediators, named, dropped) == (263_263, 0, 160)
    assert (len(direct), len(through)) == (120_718, 205_271)
    assert through == want_through
    assert hops >= want_hops
    assert direct - want_direct == set()
    assert want_direct - direct == set()
