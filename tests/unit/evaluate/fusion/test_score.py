"""The strict scorer, the sets it reads, and corruption: the rules of the data pack's scorer, and its very numbers."""

from __future__ import annotations

import gzip
import json
import os
import random
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from hydra_kg.errors import FormatError, NotFoundError
from hydra_kg.evaluate.fusion.claim_set_rules import RULES
from hydra_kg.evaluate.fusion.claim_sets import read_queries, read_set
from hydra_kg.evaluate.fusion.curves import Corruption, Mode, draw_number
from hydra_kg.evaluate.fusion.method_runs import attribute_of, compare_methods, find_query_groups, judge_set
from hydra_kg.evaluate.fusion.score import (
    NO_TIME,
    NOTHING,
    MatchRule,
    auroc,
    compare_paired,
    key,
    micro,
    score_query,
    summary,
    usable,
)
from hydra_kg.fusion.truth_discovery.methods import method

PACK = Path(os.environ.get("HYDRA_DATA") or Path(__file__).resolve().parents[5] / "shared" / "data")
THEIRS = PACK.parent / "fusion" / "evaluate.py"


def test_names_times_gates_and_places():
    assert (
        key("O'Leary, Timothy J.", MatchRule.NAMES)
        == key("timothy oandapos;leary", MatchRule.NAMES)
        == "oleary timothy"
    )
    assert key("lacroix zo&eacute;", MatchRule.NAMES) == key("Lacroix, Zoe (edt)", MatchRule.NAMES)
    assert key("J. Smith", MatchRule.NAMES) != key("K. Smith", MatchRule.NAMES)
    assert key("2:45pDec 1", MatchRule.FLIGHTS) == key("12/1/11 2:45 PM (-05:00)", MatchRule.FLIGHTS) == 885
    assert key("Cancelled", MatchRule.FLIGHTS) == NO_TIME
    assert key("Term B - B84N", MatchRule.FLIGHTS, "arrival_gate") == "B84N"
    assert key("Not provided by airline", MatchRule.FLIGHTS, "arrival_gate") == NOTHING
    assert key("Los Angeles,California,USA", MatchRule.PLACE) == "los angeles"


def test_values_match_one_to_one_and_what_is_missing_counts():
    gold = usable(["x y", "z w"], MatchRule.NAMES, "author")
    whole = score_query("a", ["y, x", "x y", "w z"], gold, MatchRule.NAMES)
    assert (whole.right, whole.wrong, whole.missed, whole.f1) == (2, 0, 0, 1.0)
    half = score_query("a", ["x y", "q"], gold, MatchRule.NAMES)
    assert (half.right, half.wrong, half.missed) == (1, 1, 1)
    run_together = score_query("a", ["x y z w"], gold, MatchRule.NAMES)
    assert (run_together.right, run_together.wrong) == (0, 1)
    silent = score_query("a", ["", " "], gold, MatchRule.NAMES)
    assert (silent.answered, silent.wrong, silent.f1) == (False, 0, 0.0)
    found = summary([whole, silent])
    assert (found["precision"], found["recall"], found["macro_f1"], found["answered"]) == (1.0, 0.5, 0.5, 0.5)
    assert summary([])["f1"] == micro((0, 0, 0))[2] == 0.0


def test_a_tolerance_reaches_over_midnight_and_frees_no_second_value():
    gold = usable(["12/01/2011 11:58 PM"], MatchRule.FLIGHTS, "arrival")
    assert score_query("t", ["0:03"], gold, MatchRule.FLIGHTS).right == 0
    near = score_query("t", ["0:03", "23:57"], gold, MatchRule.FLIGHTS, tolerance=10)
    assert (near.right, near.wrong) == (1, 1)


def test_confidence_and_differences():
    assert auroc([(0.9, True), (0.1, False), (0.5, True), (0.5, False)]) == 0.875
    assert auroc([(0.9, True)]) is None
    gold = usable(["x"], MatchRule.NAMES, "")
    good, bad = (
        [score_query(str(i), ["x"], gold, MatchRule.NAMES) for i in range(40)],
        [score_query(str(i), ["y"], gold, MatchRule.NAMES) for i in range(40)],
    )
    found = compare_paired(good, bad)
    assert found["difference"] == found["low"] == 1.0
    assert found["p"] < 0.01
    assert compare_paired(good, good)["p"] == 1.0


@pytest.fixture
def feeds(tmp_path):
    """Twelve films, four sources of which one is wrong, one malformed row."""
    rows = [f"s{s}\tFilm {f}\tdirector\tJohn Number{f}" for f in range(12) for s in range(3)]
    rows += [f"bad\tFilm {f}\tdirector\tNobody Wrong{f}" for f in range(12)]
    with gzip.open(tmp_path / "claims.tsv.gz", "wt") as file:
        file.write("\n".join(["source\tentity\tattribute\tvalue", *rows, "only\ttwo"]) + "\n")
    queries = [
        {"id": str(f), "entity": f"film {f}!", "attribute": "directors", "gold": [f"Number{f}, John"]}
        for f in range(12)
    ]
    queries.append({"id": "unknown", "entity": "Nowhere", "attribute": "directors", "gold": ["A B"]})
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(q) + "\n" for q in queries))
    return tmp_path


def test_a_set_is_read_asked_and_scored(feeds):
    data = read_set("movies", claims=feeds / "claims.tsv.gz", queries=[feeds / "q.jsonl"])
    assert [(r.line, r.reason) for r in data.rejected] == [(50, "2 columns instead of 4")]
    queries = find_query_groups(data)
    assert [len(one.groups) for one in queries] == [1] * 12 + [0]
    runs = [judge_set(data, method(name), queries) for name in ("vote", "default")]
    assert all(run.summary["recall"] == 12 / 13 and run.summary["precision"] == 1 for run in runs)
    assert compare_methods(runs)["default"]["difference"] == 0


def test_attributes_are_matched_by_name():
    assert attribute_of("directors", ("genre", "director")) == "director"
    assert attribute_of("author", ("ISBN", "Author")) == "Author"
    assert attribute_of("place_of_birth", ("",)) == ""
    assert attribute_of("colour", ("genre", "director")) == ""


def test_what_is_no_set_is_refused(feeds, monkeypatch):
    monkeypatch.delenv("HYDRA_DATA", raising=False)
    with pytest.raises(NotFoundError, match="no set 'stocks'"):
        read_set("stocks")
    with pytest.raises(NotFoundError, match="HYDRA_DATA"):
        read_set("movies")
    (feeds / "odd.tsv").write_text("a\tb\n1\t2\n")
    with pytest.raises(FormatError, match="no layout"):
        read_set("movies", claims=feeds / "odd.tsv", queries=[feeds / "q.jsonl"])


def test_gold_that_contradicts_itself_is_unusable(tmp_path):
    lines = [{"id": "a", "entity": "e", "attribute": "x", "gold": [g]} for g in ("1:00", "2:00")]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert [q.gold for q in read_queries([tmp_path / "q.jsonl"])] == [()]


def test_the_sources_of_the_gold_are_left_out(tmp_path):
    head = "date\tsource\tflight\tarrival_gate"
    (tmp_path / "c.tsv").write_text(f"{head}\n1\taa\tF\tA1\n1\tx\tF\tB2\n1\tx\tG\t\n")
    (tmp_path / "q.jsonl").write_text(
        json.dumps({"id": "q", "date": "1", "entity": "F", "attribute": "arrival_gate", "gold": ["A1"]})
    )
    data = read_set("flights", claims=tmp_path / "c.tsv", queries=[tmp_path / "q.jsonl"])
    assert data.reading.claims.texts == (("B2",),)
    assert RULES["flights"].left_out.isdisjoint(data.reading.claims.sources)


def test_corruption_is_nested_seeded_and_blind_to_order():
    rows = [(f"m{m}", "director", f"s{s}", f"n{m}") for m in range(200) for s in range(5)]
    less, more = (set(Corruption(Mode.MASK, share)(rows)) for share in (0.3, 0.7))
    assert 250 < 1000 - len(less) < 350
    assert more < less
    assert set(Corruption(Mode.MASK, 0.3)(rows[::-1])) == less
    assert set(Corruption(Mode.MASK, 0.3, seed=1)(rows)) != less
    assert len({m for m, *_ in Corruption(Mode.MASK, 0.99)(rows)}) == 200
    worse = Corruption(Mode.REPLACE, 1, sources=frozenset({"s1"}))(rows)
    assert sum(old != new for old, new in zip(rows, worse, strict=True)) == 200
    doubled = Corruption(Mode.ADD, 0.5)(rows)
    assert doubled[:1000] == rows
    assert all(value[1:] != entity[1:] for entity, _, _, value in doubled[1000:])
    assert 0 <= draw_number(0, "pick", "a") < 1


needs_pack = pytest.mark.skipif(
    not THEIRS.is_file(), reason=f"the data pack's scorer is not at {THEIRS.name} beside it"
)


@pytest.mark.data
@needs_pack
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # their script leaves files to the collector
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", ["movies", "books", "flights", "birthplaces", "heritages"])
def test_numbers_equal_the_data_packs_scorer(name, tmp_path):
    theirs = runpy.run_path(str(THEIRS))
    path = PACK / "truth" / name / "queries.dev.jsonl"
    queries, rule = read_queries([path]), RULES[name].rule
    shuffle = random.Random(name)
    pool = [g for q in queries for g in q.gold] or [""]
    given = {}
    for query in queries:
        values = [g for g in query.gold if shuffle.random() < 0.6] + shuffle.choices(pool, k=shuffle.randrange(3))
        values = [v.upper() if shuffle.random() < 0.3 else v for v in values] + [""] * shuffle.randrange(2)
        given[query.id] = {"id": query.id, "values": values, "confidence": [shuffle.random() for _ in values]}
    rows, bad = theirs["score"](given, theirs["load"](path, "queries"), name)
    own = [
        score_query(
            q.id, given[q.id]["values"], gold, rule, attribute=q.attribute, confidence=given[q.id]["confidence"]
        )
        for q in queries
        if (gold := usable(q.gold, rule, q.attribute))
    ]
    assert len(queries) - len(own) == bad
    assert [(r.id, r.right, r.wrong, r.missed, r.f1, r.answered) for r in own] == [tuple(row[:6]) for row in rows]
    want, have = theirs["summary"](rows, bad, name), summary(own)
    for mine, other in (
        ("f1", "micro_f1"),
        ("precision", "micro_p"),
        ("recall", "micro_r"),
        ("auroc", "confidence_auroc"),
    ):
        assert have[mine] == pytest.approx(want[other], abs=5e-5)


@pytest.mark.data
@needs_pack
@pytest.mark.parametrize("mode", ["mask", "add", "replace"])
def test_corruption_picks_what_the_data_packs_script_picks(mode, tmp_path):
    source, out = tmp_path / "in.tsv.gz", tmp_path / "out.tsv.gz"
    rows = [(f"m{m}", "director", f"s{s}", f"n{m % 7}") for m in range(60) for s in range(3)]
    with gzip.open(source, "wt") as file:
        file.write("source\tentity\tattribute\tvalue\n" + "".join(f"{s}\t{e}\t{a}\t{v}\n" for e, a, s, v in rows))
    keep = ["--keep-one"] if mode == "mask" else []
    command = [
        sys.executable,
        str(THEIRS.with_name("corrupt.py")),
        str(source),
        str(out),
        "--mode",
        mode,
        "--share",
        ".4",
    ]
    subprocess.run([*command, *keep], check=True, capture_output=True)
    with gzip.open(out, "rt") as file:
        lines = [line.rstrip("\n").split("\t") for line in file][1:]
    assert [(e, a, s, v) for s, e, a, v in lines] == Corruption(Mode(mode), 0.4)(rows)


@pytest.mark.parametrize("values, lenient", [(["James Cameron"], 1.0), (["Jim Cameron"], 0.0), (["Cameron"], 1.0)])
def test_lenient_f1_counts_values_with_more_or_fewer_words(values, lenient):
    gold = usable(["James Francis Cameron"], MatchRule.NAMES, "director")
    assert score_query("1", values, gold, MatchRule.NAMES).lenient_f1 == lenient
    assert score_query("1", values, gold, MatchRule.NAMES).f1 == 0.0
