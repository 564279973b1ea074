"""Grades of answers, right, partly, wrong and silent, and what reports make of them."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import pytest
from plain_cases import ABSTAINED, CASES, UNCHECKED, asked, said

from hydra_kg.errors import FormatError
from hydra_kg.evaluate.questions.datasets import read_questions
from hydra_kg.evaluate.reports.grade_tables import grade_tables, wrong
from hydra_kg.evaluate.reports.report import render_markdown, summarise
from hydra_kg.evaluate.reports.tables import Table
from hydra_kg.evaluate.runs.run_records import reference
from hydra_kg.evaluate.scoring.grades import grade, grade_counts

PACK = Path(os.environ.get("HYDRA_DATA") or Path(__file__).resolve().parents[5] / "shared" / "data")
SCORER = PACK / "plain" / "score.py"


def records(folder: Path, cases: list[tuple[dict, dict]]) -> list[dict[str, Any]]:
    """Records as a run saves them, their gold read from a question file."""
    path = folder / "own.jsonl"
    path.write_text("".join(json.dumps({"id": f"q{n:03}", **q}) + "\n" for n, (q, _) in enumerate(cases)))
    return [
        {"dataset": "own", "strategy": "hydra", "question_id": q.id, "question": q.text, **doc, **reference(q)}
        for q, (_, doc) in zip(read_questions(path), cases, strict=True)
    ]


def by_title(tables: list[Table]) -> dict[str, list[dict[str, str]]]:
    return {t.title: [dict(zip(t.head, row, strict=True)) for row in t.rows] for t in tables}


@pytest.mark.parametrize("question, doc, expected", [pytest.param(*c[1:], id=c[0]) for c in CASES])
def test_the_plain_layout_by_hand(tmp_path, question, doc, expected):
    (record,) = records(tmp_path, [(question, doc)])
    assert grade(record) == expected


@pytest.mark.skipif(not SCORER.is_file(), reason="no data pack: set HYDRA_DATA")
def test_the_data_packs_own_scorer_says_the_same(tmp_path):
    spec = importlib.util.spec_from_file_location("pack_scorer", SCORER)
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    mine = [grade(r) for r in records(tmp_path, [(q, doc) for _, q, doc, _ in CASES])]
    assert mine == [scorer.judge({"id": "1", **q}, doc) for _, q, doc, _ in CASES]


def test_a_condition_that_is_named_as_unchecked_is_no_wrong_answer(tmp_path):
    question, doc = UNCHECKED
    named, hidden = records(tmp_path, [(question, doc), (question, {**doc, "unchecked": []})])
    assert (grade(named), grade(hidden)) == ("right", "wrong")


def test_a_question_that_failed_is_silent_even_where_silence_is_expected(tmp_path):
    failed = {"error": "out of memory", "answers": []}
    assert [grade(r) for r in records(tmp_path, [(asked("silent"), failed), (asked("yes"), failed)])] == ["silent"] * 2


def test_first_answers_and_gold_sets_follow_the_same_rules(tmp_path):
    """Hits@1 of a date known to the month only, and of an entity by any of its ids."""
    born = asked("answer", {"name": "1867-11-07", "aliases": [], "date": True})
    (record,) = records(tmp_path, [(born, said("November 1867", "Warsaw"))])
    (row,) = summarise([record])["rows"]
    assert row["metrics"]["hits1"]["mean"] == 1
    assert row["metrics"]["precision"]["mean"] == 0.5


ONE, TWO = {"id": "m.1", "name": "Oslo"}, {"id": "m.2", "name": "Bergen"}


@pytest.mark.parametrize(
    "gold, doc, expected",
    [
        ([ONE, TWO], said("Bergen", "Oslo"), "right"),
        ([ONE, TWO], said("Oslo"), "partly"),
        ([ONE], said("Oslo", "Paris"), "partly"),
        ([ONE], said("Paris", "Oslo"), "wrong"),
        ([ONE], ABSTAINED, "silent"),
        ([], ABSTAINED, "right"),
        ([], said("Oslo"), "wrong"),
        ([{"name": "SUPPORTS"}], said("yes", claim="true"), "right"),
        ([{"name": "REFUTES"}], said("yes", claim="true"), "wrong"),
        ([{"name": "NOT ENOUGH INFO"}], {**ABSTAINED, "claim": "unknown"}, "right"),
        ([{"name": "NOT ENOUGH INFO"}], said("no", claim="false"), "wrong"),
        ([{"name": "yes"}], {**ABSTAINED, "claim": "unknown"}, "silent"),
    ],
)
def test_sets_with_lists_of_gold_answers(gold, doc, expected):
    assert grade({**doc, "gold": gold}) == expected


def test_a_report_counts_grades_by_expectation_kind_verdict_and_confidence(tmp_path):
    cases = [
        (asked("answer", ONE | {"ids": ["m.1"]}), said("Oslo", confidence=0.95)),
        (asked("answer", ONE | {"ids": ["m.1"]}), said("Paris", confidence=0.85)),
        (asked("answer", ONE | {"ids": ["m.1"]}, kind="order"), said("Paris", verdict="partial", confidence=0.2)),
        (asked("answer", ONE | {"ids": ["m.1"]}, kind="order"), ABSTAINED),
        (asked("silent", kind="nonsense"), ABSTAINED),
    ]
    summary = summarise(records(tmp_path, cases))
    found = by_title(grade_tables(summary))
    columns = ("n", "right", "partly", "wrong", "silent")
    graded = {row["expected"]: [row[c] for c in columns] for row in found["Grades"]}
    assert graded == {
        "any": ["5", "2", "0", "2", "1"],
        "an answer": ["4", "1", "0", "2", "1"],
        "silence": ["1", "1", "0", "0", "0"],
    }
    kinds = {row["kind"]: [row[c] for c in columns] for row in found["Grades by kind of question"]}
    assert kinds["order"] == ["2", "0", "0", "1", "1"]
    precise = {
        row["given with"]: (row["n"], row["precision %"], row["wrong and sure"])
        for row in found["Precision by verdict and confidence"]
    }
    assert precise == {
        "supported": ("2", "50.0", "1"),
        "partial": ("1", "0.0", "0"),
        "sure": ("2", "50.0", "1"),
        "not sure": ("1", "0.0", "0"),
        "all": ("3", "33.3", "1"),
    }
    bins = [(r["confidence"], r["n"], r["right or partly %"]) for r in found["Reliability of confidence"]]
    assert bins == [("0.2 … 0.3", "1", "0.0"), ("0.8 … 0.9", "1", "0.0"), ("0.9 … 1.0", "1", "100.0"), ("all", "3", "")]
    # |0.2 − 0|, |0.85 − 0| and |0.95 − 1|, one answer each.
    assert found["Reliability of confidence"][-1]["ECE"] == f"{(0.2 + 0.85 + 0.05) / 3:.3f}"
    json.dumps(summary)


def test_sure_means_what_ask_prints(tmp_path):
    paris = asked("answer", ONE | {"ids": ["m.1"]})
    cases = [(paris, said("Paris", confidence=c)) for c in (0.79, 0.8, 0.5, 0.49)]
    counts = grade_counts(records(tmp_path, cases))
    assert {k: (c["n"], c["wrong_sure"]) for k, c in counts["confidence"].items()} == {
        "sure": (1, 1),
        "fairly sure": (2, 0),
        "not sure": (1, 0),
    }
    assert counts["given"]["wrong_sure"] == 1


def test_wrong_answers_are_listed_beside_their_gold_the_surest_first(tmp_path):
    cases = [
        (asked("answer", ONE | {"ids": ["m.1"]}), said("Paris", confidence=0.3)),
        (asked("silent", kind="nonsense"), said("<b>Lima|", confidence=0.7)),
        (asked("answer", ONE | {"ids": ["m.1"]}), said("Oslo")),
    ]
    table = wrong(records(tmp_path, cases))
    assert [row[2:] for row in table.rows] == [
        ("q001", "nonsense", "What is it?", "silence", "<b>Lima|", "supported", "0.70"),
        ("q000", "lookup", "What is it?", "Oslo", "Paris", "supported", "0.30"),
    ]
    assert "<b>" not in table.html()
    assert "\\|" in render_markdown({}, [table])


@pytest.mark.parametrize(
    "line, why",
    [
        (asked("perhaps"), "expect is 'perhaps'"),
        (asked("answer"), "answers is empty"),
        (asked("answer", {"name": "soon", "date": True}), "'soon' is not a date"),
        (asked("answer", {"name": "many", "value": 3}), "'many' is not a number"),
    ],
)
def test_what_cannot_be_scored_is_refused_with_its_line(tmp_path, line, why):
    with pytest.raises(FormatError, match=why) as refused:
        records(tmp_path, [(asked("yes"), said("yes")), (line, ABSTAINED)])
    assert "own.jsonl:2" in str(refused.value)


@pytest.mark.parametrize("name", ["own", "own.dev"])
def test_a_set_with_a_folder_of_its_own_is_found_by_name(tmp_path, monkeypatch, name):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "own.dev.jsonl").write_text(json.dumps({"id": "1", **asked("yes")}) + "\n")
    monkeypatch.setenv("HYDRA_DATA", str(tmp_path))
    (question,) = read_questions(name)
    assert question.key == ("own.dev", "1")
    assert question.gold == ({"name": "true"},)
