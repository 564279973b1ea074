"""Ids: reversible where the term allows it, hashed otherwise, and the same everywhere."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from thorough import whole_data

from hydra_kg import ids

DATA = Path(os.environ.get("HYDRA_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
MACHINE = "0123456789bcdfghjklmnpqrstvwxyz_"

keys = st.one_of(
    st.text(),
    st.from_regex(r"[mg]\.[0-9a-z_]{1,16}", fullmatch=True),
    st.text(MACHINE, min_size=1, max_size=14).map("m.0".__add__),
    st.text(MACHINE, min_size=1, max_size=14).map("g.".__add__),
    st.from_regex(r"[QP][0-9]{1,20}", fullmatch=True),
    st.integers(-(1 << 70), 1 << 70).map('"{}"^^xsd:integer'.format),
    st.from_regex(r'"[0-9]{4}"\^\^xsd:gYear', fullmatch=True),
    st.from_regex(r'"[0-9]{4}-[0-9]{2}-[0-9]{2}"\^\^xsd:date', fullmatch=True),
    st.from_regex(r'"-?0?[0-9]{1,18}"\^\^xsd:integer', fullmatch=True),
)


@given(keys)
@example("m.0")
@example("m.")
@example("g.0")
@example("m.00abc")
@example("m.0cvt_" + "b" * 12)
@example("Q0")
@example("Q01")
@example('"-0"^^xsd:integer')
@example('"0000-01-01"^^xsd:date')
@example('"2023-02-29"^^xsd:date')
@example("\ud800")
def test_a_term_comes_back_or_is_hashed(key: str) -> None:
    number = ids.encode(key)
    assert 0 <= number < 1 << 63
    if ids.is_inline(number):
        assert ids.decode(number) == key
    else:
        assert number == ids.hash_key(key)
        assert ids.decode(number) is None


@given(st.lists(keys, max_size=20))
def test_many_are_the_same_as_one_by_one(some: list[str]) -> None:
    many = ids.encode_many(some)
    assert many.dtype == np.int64
    assert many.tolist() == [ids.encode(k) for k in some]


@pytest.mark.parametrize(
    "key, inline",
    [
        ("m.042f1", True),
        ("m.0_", True),
        ("g.119pgx", True),
        ("g.1", True),
        ("Q42", True),
        ("P19", True),
        ('"42"^^xsd:integer', True),
        ('"-7"^^xsd:integer', True),
        ('"1999"^^xsd:gYear', True),
        ('"1999-12-31"^^xsd:date', True),
        ("people.person.place_of_birth", False),
        ("https://example.org/x", False),
        ('"042"^^xsd:integer', False),
        ('"-0005"^^xsd:gYear', False),
        ('"Zoë"@en', False),
        ("m.1abc", False),
        ("m.0abc", False),
        ("g.0abc", False),
        ("m.0" + "b" * 12, True),
        ("m.0" + "b" * 13, False),
        ("Q007", False),
    ],
)
def test_which_terms_carry_their_text(key: str, inline: bool) -> None:
    assert ids.is_inline(ids.encode(key)) == inline


def test_numbers_never_change() -> None:
    """Ids are in stores, answers and other people's files: these values are a promise."""
    assert ids.encode("m.042f1") == (((4 * 32 + 2) * 32 + 13) * 32 + 1) << 3 | ids.MID
    assert ids.encode("Q42") == 42 << 3 | ids.QID
    assert ids.encode("P19") == 19 << 3 | ids.PID
    assert ids.encode("people.person.children") == 0x10A89E9375A61B4 << 3 | ids.HASHED
    assert ids.fact_id("m.02", "p", "m.03", "freebase") == 0xA896BCB583463E3


@given(st.lists(st.tuples(keys, keys, keys, keys, st.integers(0, 3)), unique=True, max_size=8))
def test_facts_that_differ_have_different_ids(facts: list[tuple[str, str, str, str, int]]) -> None:
    assert len({ids.fact_id(*f[:4], ordinal=f[4]) for f in facts}) == len(facts)


def _pack_keys() -> Iterator[str]:
    freebase = re.compile(rb"<http://rdf\.freebase\.com/ns/([^>]+)>")
    wikidata = re.compile(rb"/(?:entity|prop/direct)/([QP][^>/]*)>")
    for name, pattern in (("freebase.nt.gz", freebase), ("wikidata.nt.gz", wikidata), ("fb2w.nt.gz", freebase)):
        seen: set[bytes] = set()
        with gzip.open(DATA / name) as f:
            while block := f.readlines(1 << 24):
                seen.update(pattern.findall(b"".join(block)))
        yield from (k.decode() for k in seen)


@whole_data
@pytest.mark.data
@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="no data pack: set HYDRA_DATA")
def test_every_id_of_the_data_pack() -> None:
    """Among them 52,950 made-up mediators that hold only legal digits and would not fit into 60 bits."""
    seen: dict[int, str] = {}
    hashed_machine = 0
    for key in _pack_keys():
        number = ids.encode(key)
        assert ids.decode(number) == (key if ids.is_inline(number) else None)
        assert seen.setdefault(number, key) == key
        hashed_machine += key.startswith("m.0cvt_") and not ids.is_inline(number)
    assert hashed_machine == 263_263
