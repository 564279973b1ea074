"""What MKLGP's filters leave, worked by hand; corruption, formats and books of one number."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hydra_kg.evaluate.fusion.claim_sets import files_of, read_set
from hydra_kg.evaluate.fusion.curves import curve, mixes
from hydra_kg.evaluate.fusion.method_runs import find_query_groups
from hydra_kg.evaluate.fusion.stages import RemainingValues, filters, rank_values, recall, records_of, stages
from hydra_kg.fusion.model.claims import claims_of
from hydra_kg.fusion.normalisation.entity_names import same_books
from hydra_kg.fusion.normalisation.value_kinds import ValueKind, kind_of
from hydra_kg.fusion.truth_discovery.mcc import make_normalised_mcc

ROWS = [("p", "born", s, "Salem") for s in "ab"] + [("p", "born", "c", "Boston"), ("q", "born", "a", "Essex")]


@pytest.fixture
def pack(tmp_path, monkeypatch):
    """A data pack with one small set of ten sources in the names of books."""
    folder = tmp_path / "truth" / "books"
    folder.mkdir(parents=True)
    rows = [f"source_{s}\tBook {b}\tAuthor\tAnn Writer{chr(97 + b)}" for b in range(8) for s in range(1, 11)]
    (folder / "claims.tsv").write_text("\n".join(["source\tentity\tattribute\tvalue", *rows]) + "\n")
    import gzip

    with gzip.open(folder / "claims.tsv.gz", "wt") as file:
        file.write((folder / "claims.tsv").read_text())
    queries = [
        {"id": str(b), "entity": f"Book {b}", "attribute": "author", "gold": [f"Ann Writer{chr(97 + b)}"]}
        for b in range(8)
    ]
    (folder / "queries.dev.jsonl").write_text("".join(json.dumps(q) + "\n" for q in queries))
    monkeypatch.setenv("HYDRA_DATA", str(tmp_path))
    return tmp_path


def test_what_each_filter_leaves():
    # p: three nodes, S_n ½, ½ and 0 (a and b agree, c with none), so C(G) = ⅓: the graph falls at ½, unless nothing
    # must be exceeded. Then C(v) of a and b is ½ + about ½, of c about ½: c falls at .7. q is isolated and stays.
    claims = claims_of(ROWS)
    both, graph, node = stages(claims, make_normalised_mcc())
    assert both.score.tolist() == [2, 1, 1]
    assert graph.score.tolist() == [2, 1, 1]
    assert (node.score > 0.7).tolist()[:2] == [True, False]
    assert node.score[1] == -1
    assert node.score[2] >= 0
    from dataclasses import replace

    strict = stages(claims, replace(make_normalised_mcc(), graph_threshold=0.5))
    assert strict[1].score.tolist() == [-1, -1, 1]
    assert [text for text, _ in rank_values(claims, both.score, [0])] == ["Salem", "Boston"]


def test_recall_counts_gold_among_the_first(pack):
    data = read_set("books")
    queries = find_query_groups(data)
    whole = recall(data, queries, RemainingValues("", np.ones(sum(map(len, data.reading.claims.texts)))))
    assert (whole["recall@1"], whole["recall@all"], whole["f1"], whole["values"]) == (1, 1, 1, 1)
    nothing = recall(data, queries, RemainingValues("", np.full(sum(map(len, data.reading.claims.texts)), -1.0)))
    assert (nothing["recall@all"], nothing["answered"]) == (0, 0)
    assert [row["stage"] for row in filters(data, queries)] == [
        "groups",
        "graph level",
        "node level",
        "graph level",
        "node level",
    ]
    assert set(records_of(data, queries).values()) == {((50 * 0.5 + 8) / 58, 58.0)}


def test_curves_and_mixes(pack):
    points = curve(files_of("books"), methods=["vote"], seeds=1)
    assert [p.share for p in points] == [0.0, *[0.3, 0.5, 0.7] * 4]
    assert points[0].f1 == {"vote": (1.0,), "attainable": (1.0,)}
    assert all(p.f1["vote"] <= p.f1["attainable"] for p in points)
    assert [(r["formats"], r["sources"]) for r in mixes(files_of("books"), ["vote"])] == [
        ("JSON + CSV", 6),
        ("JSON + XML", 7),
        ("CSV + XML", 7),
        ("JSON + CSV + XML", 10),
    ]


def test_a_wrong_number_makes_no_two_books_one():
    number = "9780201853940"
    key = same_books(
        [
            ("Art of Computing, Volume 4", "ISBN", "a", number),
            ("The Art of Computing", "ISBN", "b", number),
            ("Gardens of Rome", "ISBN", "c", number),
        ]
    )
    assert key("Art of Computing, Volume 4") == key("The Art of Computing") != key("Gardens of Rome")


def test_a_number_that_others_outvote_is_none_of_a_book():
    """Two editions of one book stay one, though one source gives them another book's number, whose title is like."""
    own, other = "9780201853940", "9780131103627"
    rows = [("C Programming Language", "ISBN", s, own) for s in "abc"]
    rows += [("C Programming Language, 2nd Edition", "ISBN", s, own) for s in "abc"]
    rows += [("C Programming Exercises", "ISBN", s, other) for s in "abc"]
    key = same_books([*rows, ("C Programming Language", "ISBN", "d", other)])
    assert key("C Programming Language") == key("C Programming Language, 2nd Edition")
    assert key("C Programming Language") != key("C Programming Exercises")


def test_common_words_make_no_two_titles_like():
    titles = ["Introduction to the Theory of Numbers", "Introduction to the Art of Cooking"]
    common = [(f"Introduction to the Book of {n}", "ISBN", "a", isbn) for n, isbn in enumerate(["9780131103627"] * 9)]
    key = same_books([*((t, "ISBN", "a", "9780201853940") for t in titles), *common])
    assert key(titles[0]) != key(titles[1])


def test_days_are_no_numbers():
    assert kind_of(["1991-11-14", "14 November 1991", "1928"]) is ValueKind.TIME
    assert kind_of(["14 kg", "12 kg", "3"]) is ValueKind.NUMBER
    assert kind_of(["1991", "2003"]) is ValueKind.NUMBER
