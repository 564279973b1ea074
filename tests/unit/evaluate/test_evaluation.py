"""Evaluation runs: what is saved, taken up again, survives failures, and what reports make of it."""

from __future__ import annotations

import json
from functools import partial

import pytest
from helpers.samples.askers import Broken, Echo

from hydra_kg.errors import FormatError, NotFoundError, UsageError
from hydra_kg.evaluate.questions.datasets import Answerable, Question
from hydra_kg.evaluate.reports.report import compare, page, render_markdown, summarise, write_reports
from hydra_kg.evaluate.runs.runner import ANSWERS, RunPlan, read_records, run
from hydra_kg.settings import Settings


def question(word: str, *gold: str, dataset: str = "set") -> Question:
    return Question(
        dataset, word, f"what is {word}?", (f"m.topic-{word}",), tuple({"id": f"m.{g}", "name": g} for g in gold)
    )


QUESTIONS = [question(w, w if w != "two" else "other") for w in ("one", "two", "three", "nothing")]


def plan(*strategies: str, settings: Settings | None = None, gold_topics: bool = False) -> RunPlan:
    return RunPlan(strategies or ("echo",), "offline", gold_topics, settings or Settings())


def lines(folder) -> list[dict]:
    return [json.loads(line) for line in (folder / ANSWERS).read_text("utf-8").splitlines()]


def named(records) -> dict[str, dict]:
    return {key.question: record for key, record in records.items()}


@pytest.mark.parametrize("jobs", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_saves_everything_that_is_needed_to_score_again(tmp_path, jobs):
    run(QUESTIONS, plan(), tmp_path, jobs=jobs, make=Echo)
    records = {r["question_id"]: r for r in lines(tmp_path)}
    assert set(records) == {"one", "two", "three", "nothing"}
    assert records["one"]["gold"] == [{"id": "m.one", "name": "one"}]
    assert records["one"]["metrics"]["hits1"] == 1
    assert records["two"]["metrics"]["hits1"] == 0
    assert records["nothing"]["metrics"]["answered"] == 0
    assert {"version", "answers", "paths", "manifest", "dataset", "strategy"} <= set(records["one"])


@pytest.mark.parametrize("gold_topics", [False, True])
def test_a_strategy_gets_the_question_and_no_gold(tmp_path, gold_topics):
    log = tmp_path / "log"
    run(QUESTIONS[:1], plan(gold_topics=gold_topics), tmp_path / "out", make=partial(Echo, log=log))
    assert log.read_text() == f"echo|what is one?|{'m.topic-one' if gold_topics else ''}\n"


def test_taken_up_again_it_asks_only_what_is_left(tmp_path):
    log = tmp_path / "log"
    run(QUESTIONS[:2], plan("a"), tmp_path, make=partial(Echo, log=log))
    run(QUESTIONS, plan("a", "b"), tmp_path, make=partial(Echo, log=log))
    asked = [tuple(line.split("|")[:2]) for line in log.read_text().splitlines()]
    assert len(asked) == len(set(asked)) == 8
    assert len(read_records(tmp_path)) == 8


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_failing_question_is_recorded_and_asked_again_later(tmp_path, jobs):
    questions = [question("one", "one"), question("fail", "x"), question("two", "two")]
    run(questions, plan(), tmp_path, jobs=jobs, make=Echo)
    records = read_records(tmp_path)
    assert "no luck" in named(records)["fail"]["error"]
    assert named(records)["fail"]["metrics"]["hits1"] == 0
    assert sum(r["metrics"]["hits1"] for r in records.values()) == 2
    log = tmp_path / "log"
    run(questions, plan(), tmp_path, make=partial(Echo, log=log))
    assert log.read_text().count("\n") == 1


@pytest.mark.slow
def test_a_question_that_kills_its_process_costs_only_itself(tmp_path):
    words = ["one", "die", "two", "three", "die2", "four"]
    questions = [question(w, w) for w in words]
    questions[4] = Question("set", "die2", "please die", (), ())
    run(questions, plan(), tmp_path, jobs=2, make=Echo)
    records = read_records(tmp_path)
    assert len(records) == 6
    assert "exit code 9" in named(records)["die"]["error"]
    assert "exit code 9" in named(records)["die2"]["error"]
    assert sum(not r.get("error") for r in records.values()) == 4


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_store_that_does_not_open_ends_the_run_at_once(tmp_path, jobs):
    with pytest.raises(RuntimeError, match="does not open"):
        run(QUESTIONS, plan(), tmp_path, jobs=jobs, make=Broken)
    assert read_records(tmp_path) == {}


def test_a_line_cut_off_by_a_kill_is_asked_again(tmp_path):
    run(QUESTIONS, plan(), tmp_path, make=Echo)
    whole = (tmp_path / ANSWERS).read_bytes()
    (tmp_path / ANSWERS).write_bytes(whole[:-40])
    run(QUESTIONS, plan(), tmp_path, make=Echo)
    assert len(lines(tmp_path)) == 4
    assert len(read_records(tmp_path)) == 4


def test_a_broken_line_in_the_middle_is_said_not_skipped(tmp_path):
    (tmp_path / ANSWERS).write_text("{}\n")
    with pytest.raises(FormatError, match="byte 0"):
        read_records(tmp_path)


def test_other_settings_need_another_folder(tmp_path):
    run(QUESTIONS, plan(), tmp_path, make=Echo)
    with pytest.raises(UsageError, match=r"other settings \(pruning\.w1\)"):
        run(QUESTIONS, plan(settings=Settings(pruning={"w1": 7})), tmp_path, make=Echo)
    with pytest.raises(UsageError, match="gold_topics"):
        run(QUESTIONS, plan(gold_topics=True), tmp_path, make=Echo)
    run(QUESTIONS, plan(settings=Settings(store="/elsewhere")), tmp_path, make=Echo)


def test_a_run_of_an_earlier_version_is_named_as_such(tmp_path):
    run(QUESTIONS, plan(), tmp_path, make=Echo)
    old = plan().to_json()
    old["settings"] |= {"own_tables.beam": 80, "linking.alias": 0.9}
    (tmp_path / "run.json").write_text(json.dumps(old))
    assert len(read_records(tmp_path)) == 4
    with pytest.raises(UsageError, match=r"other settings \(2 of an earlier version that are no settings any more\)"):
        run(QUESTIONS, plan(), tmp_path, make=Echo)


def test_progress_counts_what_was_there_before(tmp_path):
    seen: list[tuple[int, int]] = []
    run(QUESTIONS[:2], plan(), tmp_path, make=Echo)
    run(QUESTIONS, plan(), tmp_path, make=Echo, progress=lambda done, total, record: seen.append((done, total)))
    assert seen == [(3, 4), (4, 4)]


@pytest.fixture
def folder(tmp_path):
    run(QUESTIONS, plan("a"), tmp_path, make=Echo)
    return tmp_path


def test_summary_has_the_honest_denominators(folder):
    able = {
        ("set", "one"): Answerable(True, True),
        ("set", "two"): Answerable(True, False),
        ("set", "x"): Answerable(True, True),
    }
    rows = summarise(read_records(folder).values(), answerable=able)["rows"]
    assert [(r["part"], r["n"], r["metrics"]["hits1"]["mean"]) for r in rows] == [
        ("all", 4, 0.5),
        ("reachable", 2, 0.5),
        ("gold query runs", 1, 1.0),
    ]
    assert rows[0]["metrics"]["answered"]["mean"] == 0.75
    assert rows[0]["seconds"]["p50"] == 0.02


def test_reports_are_made_from_the_answers_alone_and_the_same_each_time(folder):
    first = write_reports(folder)
    texts = {n: (folder / n).read_text("utf-8") for n in ("summary.json", "report.md", "report.html")}
    assert write_reports(folder) == first
    assert {n: (folder / n).read_text("utf-8") for n in texts} == texts
    assert "| set | a | all | 4* |  |  | 50.0 [" in texts["report.md"]
    assert "<script" not in texts["report.html"]


def test_names_from_data_cannot_break_a_report():
    record = {"dataset": "<img src=x>|", "strategy": "a", "question_id": "1", "gold": [], "abstained": True}
    summary = summarise([record])
    assert "<img" not in page(summary)
    assert "\\|" in render_markdown(summary)


def test_without_answers_a_report_says_what_to_do(tmp_path):
    with pytest.raises(NotFoundError, match="eval run"):
        write_reports(tmp_path)


def test_compare_finds_what_flipped(tmp_path):
    wrong = [Question(q.dataset, q.id, "what is wrong?", (), q.gold) if q.id == "one" else q for q in QUESTIONS]
    run(QUESTIONS, plan(), tmp_path / "a", make=Echo)
    run([*wrong, question("extra", "extra")], plan(), tmp_path / "b", make=Echo)
    doc = compare(read_records(tmp_path / "a").values(), read_records(tmp_path / "b").values())
    (row,) = doc["rows"]
    assert (row["n"], row["won"], row["lost"], row["mcnemar_p"]) == (4, 0, 1, 1.0)
    assert row["metrics"]["hits1"]["difference"] == -0.25
    assert (doc["only_a"], doc["only_b"]) == (0, 1)
    (flip,) = row["flips"]
    assert (flip["question_id"], flip["won"], flip["gold"], flip["a"], flip["b"]) == (
        "one",
        False,
        ["one"],
        "one",
        "wrong",
    )


def test_compare_says_what_the_runs_were_made_with_otherwise(tmp_path):
    run(QUESTIONS, plan(), tmp_path / "a", make=Echo)
    records = list(read_records(tmp_path / "a").values())
    a, b = (
        [{**r, "manifest": {"code": "0.1.0", "source": source, "loads": [{"name": "x"}]}} for r in records]
        for source in ("1f", "2e")
    )
    assert compare(a, a)["made"] == {}
    assert compare(a, b)["made"] == {"source": {"a": ["1f"], "b": ["2e"]}}
    assert compare([*a[:1], *b[1:]], b)["made"] == {"source": {"a": ["1f", "2e"], "b": ["2e"]}}
    assert compare(records, b)["made"]["code"] == {"a": [], "b": ["0.1.0"]}


def test_a_run_with_two_strategies_is_not_compared_as_one(tmp_path):
    run(QUESTIONS, plan("a", "b"), tmp_path, make=Echo)
    records = read_records(tmp_path).values()
    with pytest.raises(UsageError, match="DIR:STRATEGY"):
        compare(records, records)
