"""What SQL computes by columns for a bulk load is what Python computes row by row for an online one."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg import ids
from hydra_kg.stores.neo4j.bulk import expressions as sql
from hydra_kg.stores.neo4j.bulk.stored_streams import _RowNumbers
from hydra_kg.stores.neo4j.reads.names import fold_key
from hydra_kg.text.folding import fold, tokens

KEYS = [
    "m.0b",
    "m.01",
    "m.0zzzzzzzzzzzz",
    "g.1",
    "g.119pgx",
    "Q42",
    "P19",
    "Q999999999999999999",
    '"42"^^xsd:integer',
    '"-7"^^xsd:integer',
    '"0"^^xsd:integer',
    '"0001-01-01"^^xsd:date',
    '"9999-12-31"^^xsd:date',
    '"2020-02-29"^^xsd:date',
    '"0007"^^xsd:gYear',
    '"0000"^^xsd:gYear',
]


@pytest.mark.parametrize("key", KEYS)
def test_keys_come_back(key: str) -> None:
    number = ids.encode(key)
    found = duckdb.execute(f"SELECT {sql.key_of('n')} FROM (SELECT {number}::BIGINT AS n)").fetchall()
    assert found == [(ids.decode(number),)]


@given(
    st.lists(st.integers(0, (1 << 60) - 1), min_size=1),
    st.sampled_from([ids.MID, ids.GID, ids.QID, ids.PID, ids.INTEGER]),
)
@examples(25)
def test_any_number_is_decoded_as_python_does_it(values: list[int], tag: int) -> None:
    table_ = {"n": np.array([v << 3 | tag for v in values], np.int64)}  # noqa: F841 - DuckDB finds it
    found = duckdb.execute(f"SELECT n, {sql.key_of('n')} FROM table_").fetchall()
    assert found == [(n, ids.decode(n)) for n, _ in found]


@given(st.tuples(*[st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))] * 4), st.integers(0, 9))
@examples(25)
def test_fact_ids(texts: tuple[str, str, str, str], n: int) -> None:
    text = f"SELECT {sql.fact_id('a', 'b', 'c', 'd', 'n')} FROM (SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS n)"
    assert duckdb.execute(text, [*texts, n]).fetchall() == [(ids.fact_id(*texts, n),)]


@given(st.text(st.characters(max_codepoint=0x17F, exclude_characters="\0")) | st.text("aA .-", max_size=2000))
@examples(60)
def test_plain_names_fold_as_python_folds_them(text: str) -> None:
    found = duckdb.execute(
        f"SELECT {sql.is_plain('t')}, {sql.fold_key('f')}, {sql.distinct_words('f')}"
        f" FROM (SELECT t, {sql.fold_plain_name('t')} AS f FROM (SELECT ? AS t))",
        [text],
    ).fetchall()
    (plain, key, words), *_ = found
    if plain:
        assert key == fold_key(fold(text))
        assert words == " ".join(dict.fromkeys(tokens(text)))
    else:
        assert not text.isascii() or not any(c.isalnum() for c in text)


ROW = st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 1), st.integers(0, 1))


@given(st.lists(ROW), st.integers(1, 5))
def test_ordinals_do_not_depend_on_batches(rows: list[tuple[int, int, int, int]], size: int) -> None:
    rows = sorted(rows)
    seen: dict[tuple[int, int, int, int], int] = {}
    expected = []
    for row in rows:
        seen[row] = seen.get(row, -1) + 1
        expected.append(seen[row])
    numbers, found = _RowNumbers(), []
    for i in range(0, len(rows), size):
        columns = np.array(rows[i : i + size], np.int64)
        found += numbers.of({name: columns[:, n] for n, name in enumerate(("s", "p", "o", "source"))}).tolist()
    assert found == expected
