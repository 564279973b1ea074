"""The path index against a plain numpy reference: same neighbours, one order, whatever the batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.index.faiss_index import PathIndex


def unit(rows):
    rows = np.asarray(rows, dtype=np.float64)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def random_unit(seed, n, d=16):
    return unit(np.random.default_rng(seed).standard_normal((n, d)))


def index_of(ids, vectors):
    index = PathIndex(vectors.shape[1])
    index.add(np.asarray(ids), vectors)
    return index


def reference(ids, vectors, query):
    """All (id, cosine), best first, equal ones by id."""
    cosines = (vectors.astype(np.float64) * query.astype(np.float64)).sum(axis=1).astype(np.float32)
    return sorted(zip(ids, cosines, strict=True), key=lambda pair: (-pair[1], pair[0]))


@examples(60)
@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 8), st.integers(1, 70))
def test_search_is_the_reference_with_many_equal_vectors(seed, n, kinds, k):
    rng = np.random.default_rng(seed)
    vectors = random_unit(seed, kinds)[rng.integers(0, kinds, n)]
    ids = rng.permutation(1000)[:n]
    queries = random_unit(seed + 1, 3)
    found, cosines = index_of(ids, vectors).search(queries, k)
    for row, query in enumerate(queries):
        expected = reference(ids, vectors, query)[:k]
        assert found[row, : len(expected)].tolist() == [i for i, _ in expected]
        assert cosines[row, : len(expected)].tolist() == [c for _, c in expected]
        assert (found[row, len(expected) :] == -1).all()


@examples(40)
@given(st.integers(0, 10**6), st.integers(1, 60), st.floats(-0.9, 0.95))
def test_within_is_the_reference(seed, n, gamma):
    vectors = random_unit(seed, n, 8)
    ids = np.random.default_rng(seed).permutation(1000)[:n]
    query = random_unit(seed + 1, 1, 8)
    ((found, cosines),) = index_of(ids, vectors).within(query, gamma)
    expected = sorted((i, c) for i, c in reference(ids, vectors, query[0]) if c >= np.float32(gamma - 1e-6))
    assert list(zip(found.tolist(), cosines.tolist(), strict=True)) == expected


def test_an_equal_vector_is_within_gamma_one():
    vectors = random_unit(3, 50, 384)
    index = index_of(range(50), vectors)
    assert [found.tolist() for found, _ in index.within(vectors, 1.0)] == [[i] for i in range(50)]


def test_the_result_does_not_depend_on_the_batch_or_the_order_of_adding():
    vectors = random_unit(5, 3000, 64)
    vectors[1000:1500] = vectors[7]
    queries = random_unit(6, 50, 64)
    queries[0] = vectors[7]
    index = index_of(range(3000), vectors)
    ids, cosines = index.search(queries, 20)
    backwards = PathIndex(64)
    for start in range(2000, -1, -1000):
        backwards.add(np.arange(start + 999, start - 1, -1), vectors[start : start + 1000][::-1])
    for other in (index, backwards):
        for row in range(50):
            one_id, one_cosine = other.search(queries[row : row + 1], 20)
            assert one_id[0].tolist() == ids[row].tolist()
            assert one_cosine[0].tolist() == cosines[row].tolist()
    assert ids[0].tolist() == [7, *range(1000, 1019)]


def test_an_empty_index_finds_nothing():
    index = PathIndex(4)
    ids, cosines = index.search(random_unit(0, 2, 4), 3)
    assert ids.tolist() == [[-1] * 3] * 2
    assert cosines.tolist() == [[-1.0] * 3] * 2
    assert [len(found) for found, _ in index.within(random_unit(0, 2, 4), 0.5)] == [0, 0]
    assert len(index) == 0


def test_no_query_gives_no_row():
    index = index_of([1, 2], random_unit(0, 2, 4))
    ids, cosines = index.search(np.empty((0, 4), dtype=np.float32), 3)
    assert ids.shape == cosines.shape == (0, 3)
    assert index.within(np.empty((0, 4), dtype=np.float32), 0.5) == []


@pytest.mark.parametrize(
    "ids, vectors, says",
    [
        ([1], random_unit(0, 1, 5), "expected"),
        ([1, 2], random_unit(0, 1, 4), "as many ids"),
        ([3, 3], random_unit(0, 2, 4), "once"),
        ([9], random_unit(0, 1, 4), "once"),
        ([1], np.full((1, 4), 2.0, dtype=np.float32), "length 1"),
        ([1], np.full((1, 4), np.nan, dtype=np.float32), "length 1"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(ids, vectors, says):
    index = index_of([9], random_unit(1, 1, 4))
    with pytest.raises(ValueError, match=says):
        index.add(np.array(ids), vectors)
    assert len(index) == 1
