"""What relations read like to people, in both directions, over every relation of the sample."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from hydra_kg import Hydra
from hydra_kg.phrases import phrase


@pytest.mark.parametrize("predicate, text, shown", [
    ("people.person.spouse_s./people.marriage.spouse", "person spouse s spouse", "married to"),
    ("^P1376", "capital of of", "has the capital"),
    ("^P9999", "has component of", "component of"),
    ("location.location.adjoin_s./location.adjoining_relationship.adjoins", "location adjoin s adjoins", "borders"),
    ("film.actor.film./film.performance.film", "actor film film", "acted in"),
    ("^film.film.directed_by", "film directed by of", "directed"),
    ("^made.up.seat_of", "up seat of of", "has the seat"),
    ("was born in", "was born in", "was born in"),
])  # fmt: skip
def test_phrases(predicate, text, shown):
    assert phrase(predicate, text) == shown


def test_every_relation_of_the_sample_reads_well(sample: Hydra):
    reasoner, odd = sample.reasoner, []
    with reasoner.store.snapshot() as snapshot:
        space = reasoner._space(snapshot)
        codes = list(range(2 * len(snapshot.predicates().ids)))
        codes += [(2 * a + da + 1) * space.base + 2 * b + db for a, da, b, db in snapshot.relation_pairs().tolist()]
        assert len(codes) > 1000
        for code in codes:
            said = phrase(space.key(code), space.text(code))
            words = said.replace(":", "").split()
            if (not words or any(a == b for a, b in pairwise(words)) or " s " in f"{said} "
                    or re.search(r"[_^]|\bof of\b|\./|\w\.\w+\.", said)):  # fmt: skip
                odd.append((space.key(code), said))
    assert odd == []
