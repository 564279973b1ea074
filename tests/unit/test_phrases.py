"""What relations read like to people, in both directions, over every relation of the sample."""

from __future__ import annotations

import gzip
import os
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.phrases import arrow, phrase, phrase_relation
from hydra_kg.util.package_data import table

DATA = Path(os.environ.get("HYDRA_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
CURATED = {key: (forward, backward) for key, forward, backward in table("hydra_kg", "phrases.tsv")}
COMMONEST = 300
SILENT = frozenset({"type.object.name"})  # names, which no answer shows as a relation


@pytest.mark.parametrize(
    "predicate, text, shown",
    [
        ("people.person.spouse_s./people.marriage.spouse", "person spouse s spouse", "married to"),
        ("^P1376", "capital of of", "has the capital"),
        ("^P9999", "has component of", "component of"),
        ("location.location.adjoin_s./location.adjoining_relationship.adjoins", "location adjoin s adjoins", "borders"),
        ("film.actor.film./film.performance.film", "actor film film", "acted in"),
        ("^film.film.directed_by", "film directed by of", "directed"),
        ("^made.up.seat_of", "up seat of of", "has the seat"),
        ("award.award_nominee.award_nominations./award.award_nomination.award", "", "nomination for"),
        ("organization.organization.headquarters./location.mailing_address.citytown", "", "headquarters: in the town"),
        ("^location.mailing_address.citytown./^organization.organization.headquarters", "", "headquarters of"),
        ("film.film.estimated_budget./measurement_unit.dated_money_value.currency", "", "budget: in the currency"),
        ("location.mailing_address.citytown", "", "in the town"),
        ("business.job_title.people_with_this_title./business.employment_tenure.person", "", "held by"),
        ("^people.marriage.location_of_ceremony./people.marriage.spouse", "", "wedding of"),
        ("was born in", "was born in", "was born in"),
    ],
)
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
            if (
                not words
                or any(a == b for a, b in pairwise(words))
                or " s " in f"{said} "
                or re.search(r"[_^]|\bof of\b|\./|\w\.\w+\.", said)
            ):
                odd.append((space.key(code), said))
    assert odd == []


@pytest.mark.parametrize(
    "text, shown",
    [
        ("person place of birth", "born in"),
        ("person spouse marriage spouse", "married to"),
        ("country capital", "has the capital"),
        ("made up relation", "made up relation"),
    ],
)
def test_relations_of_which_only_the_text_is_known(text, shown):
    assert phrase_relation(text) == shown


@pytest.mark.data
@pytest.mark.slow
def test_the_commonest_relations_of_the_slices_have_phrases_of_their_own():
    if not (DATA / "freebase.nt.gz").is_file():
        pytest.skip("needs the data pack: set HYDRA_DATA")
    count: Counter[str] = Counter()
    prefixes = {"freebase": "<http://rdf.freebase.com/ns/", "wikidata": "<http://www.wikidata.org/prop/direct/"}
    for name, prefix in prefixes.items():
        with gzip.open(DATA / f"{name}.nt.gz", "rt", encoding="utf-8") as lines:
            found = Counter(line.split(None, 2)[1] for line in lines)
        count |= Counter({p[len(prefix) : -1]: n for p, n in found.items() if p.startswith(prefix)})
    commonest = [key for key, _ in count.most_common(COMMONEST + len(SILENT)) if key not in SILENT]
    assert [key for key in commonest if key not in CURATED] == []


def test_phrases_of_our_own_read_well_in_both_directions():
    odd = [
        (key, said)
        for key, both in CURATED.items()
        for said in both
        if not re.fullmatch(r"(… )?[A-Za-z0-9][A-Za-z0-9 ()]*[A-Za-z0-9)]", said)
        or re.search(r"\b(\w+) \1\b|\bs\b", said)
    ]
    assert odd == []


def test_a_relation_that_is_read_against_its_words_has_its_arrow_at_the_other_end():
    assert arrow(phrase("^https://example.org/in", "lies in")) == "← lies in —"
    assert arrow(phrase("https://example.org/in", "lies in")) == "— lies in →"
