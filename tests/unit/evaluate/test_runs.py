"""Whole runs: killed and taken up, without gold, in several ways, under a budget; and what may not be written twice."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest
from helpers.samples.answers import answer
from helpers.samples.askers import Costly, Echo, Slow

from hydra_kg.errors import SettingsError, StoreBusyError, UsageError
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.reports.report import summarise
from hydra_kg.evaluate.runs.run_records import ANSWERS, read_records, replace_gold, writing
from hydra_kg.evaluate.runs.runner import RunPlan, run, trim_answer
from hydra_kg.evaluate.runs.spending import Spending
from hydra_kg.evaluate.runs.variants import ABLATIONS, BASE, COMPLETENESS, variants_of
from hydra_kg.serialise import answer_json
from hydra_kg.settings import Settings

WORDS = [f"w{n}" for n in range(12)]


def questions(*, gold: bool = True) -> list[Question]:
    return [Question("set", w, f"what is {w}?", (), ({"id": f"m.{w}", "name": w},) if gold else None) for w in WORDS]


def plan(*strategies: str, **more) -> RunPlan:
    settings = more.pop("settings", Settings())
    return RunPlan(strategies or ("echo",), more.pop("agent", "offline"), False, settings, **more)


def asked(log: Path) -> list[str]:
    return log.read_text().splitlines()


def _slow_run(folder: Path, log: Path) -> None:
    run(questions(), plan(), folder, jobs=2, make=partial(Slow, log=log))


@pytest.mark.slow
def test_killed_in_the_middle_it_goes_on_and_asks_nothing_twice_that_it_has(tmp_path):
    folder, log = tmp_path / "run", tmp_path / "log"
    process = multiprocessing.get_context("spawn").Process(target=_slow_run, args=(folder, log))
    process.start()
    deadline = time.monotonic() + 60
    while not (folder / ANSWERS).is_file() or (folder / ANSWERS).read_bytes().count(b"\n") < 3:
        assert time.monotonic() < deadline, "the run never got going"
        time.sleep(0.02)
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()
    had = {k.question for k in read_records(folder, repair=True)}
    before = len(asked(log))
    assert 3 <= len(had) < len(WORDS)
    run(questions(), plan(), folder, jobs=2, make=partial(Slow, log=log))
    again = {line.split("|")[1] for line in asked(log)[before:]}
    assert not {f"what is {w}?" for w in had} & again
    assert [k.question for k in read_records(folder)].count("w3") == 1
    assert {k.question for k in read_records(folder)} == set(WORDS)


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_with_the_gold_removed_the_answers_are_the_same_and_can_be_scored_later(tmp_path, jobs):
    run(questions(), plan(), tmp_path / "with", make=Echo)
    run(questions(gold=False), plan(), tmp_path / "without", jobs=jobs, make=Echo)
    ours = {"gold", "metrics"}
    one, other = (
        {k: {f: v for f, v in r.items() if f not in ours} for k, r in read_records(tmp_path / n).items()}
        for n in ("with", "without")
    )
    assert one == other
    without = list(read_records(tmp_path / "without").values())
    assert all(r["gold"] is None and r["metrics"] is None for r in without)
    with pytest.raises(UsageError, match="no gold"):
        summarise(without)
    assert summarise(replace_gold(without, questions())) == summarise(read_records(tmp_path / "with").values())


def test_ways_are_asked_side_by_side_and_each_once(tmp_path):
    log = tmp_path / "log"
    ways = variants_of(["pruning.w1=20,80"], completeness=True)
    varied = plan("a", "b", variants=ways, samples=2)
    assert len(varied.setups()) == 2 * 2 * (1 + 1 + 4), "pruning.w1=80 is the default: the run itself"
    run(questions()[:2], varied, tmp_path / "run", make=partial(Echo, log=log))
    run(questions()[:2], varied, tmp_path / "run", make=partial(Echo, log=log))
    assert len(asked(log)) == 2 * len(varied.setups())
    rows = summarise(read_records(tmp_path / "run").values())["rows"]
    assert {r["variant"] for r in rows} == {
        "",
        "pruning.w1=20",
        "kg_share=0",
        "kg_share=0.3",
        "kg_share=0.5",
        "kg_share=0.8",
    }
    assert {r["n"] for r in rows} == {2}, "samples of a question are one question"


def test_variants_change_what_they_say_and_nothing_else():
    base = Settings(seed=5, pruning={"w2": 7})
    for variant in (*ABLATIONS, *COMPLETENESS):
        changed = variant.apply(base)
        assert changed.hash() != base.hash(), variant.name
        assert changed.pruning.w2 == 7
    assert BASE.apply(base) == base
    assert BASE.apply(base, sample=2) == Settings(seed=7, pruning={"w2": 7}, model={"reply_cache": False})
    with pytest.raises(SettingsError, match="nothing_like_it"):
        variants_of(["nothing_like_it=1"])[1].apply(base)
    with pytest.raises(SettingsError, match="w1"):
        variants_of(["pruning.w1=many"])[1].apply(base)
    with pytest.raises(UsageError, match="names no values"):
        variants_of(["w1"])
    kinds = [v.name for v in variants_of(["retrieval.kinds=kg;kg,wiki"], without=["wikidata, web", "kg"])]
    assert kinds == ["", "retrieval.kinds=kg", "retrieval.kinds=kg,wiki", "without wikidata,web", "without kg"]
    assert variants_of([], without=["wikidata,web"])[1].apply(base).retrieval.without == "wikidata,web"
    with pytest.raises(UsageError, match="names no source"):
        variants_of([], without=[" , "])


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_runs_budget_holds_over_all_its_questions(tmp_path, jobs):
    settings = Settings(model={"name": "m"}, budget={"calls": 4})
    way = plan(settings=settings, agent="llm")
    done = run(questions(), way, tmp_path, jobs=jobs, make=Costly, spending=Spending(calls=20))
    calls = sum(r["usage"]["calls"] for r in read_records(tmp_path).values())
    assert calls == done.spending.spent_calls
    assert 16 < calls <= 20, "a question begins only if the most it may spend fits"
    assert done.left == len(WORDS) - len(read_records(tmp_path)) > 0
    again = run(questions(), way, tmp_path, jobs=jobs, make=Costly, spending=Spending(calls=20))
    assert again.asked == 0, "what the folder has cost before counts"
    run(questions(), way, tmp_path, jobs=jobs, make=Costly, spending=Spending(calls=100))
    assert len(read_records(tmp_path)) == len(WORDS)


def test_runs_that_share_a_budget_count_each_answer_once(tmp_path):
    way, spending = plan(settings=Settings(model={"name": "m"}, budget={"calls": 4}), agent="llm"), Spending(calls=100)
    for _ in range(3):
        done = run(questions()[:2], way, tmp_path, make=Costly, spending=spending)
    assert done.asked == 0
    assert spending.spent_calls == sum(r["usage"]["calls"] for r in read_records(tmp_path).values()) == 6


def test_a_budget_without_bound_is_said_before_anything_is_asked(tmp_path):
    free = plan(settings=Settings(model={"name": "m"}, budget={"calls": 0}), agent="llm")
    with pytest.raises(UsageError, match="each question"):
        run(questions(), free, tmp_path, make=Costly, spending=Spending(calls=5))
    unpriced = plan(settings=Settings(model={"name": "m"}), agent="llm")
    with pytest.raises(UsageError, match="price"):
        run(questions(), unpriced, tmp_path, make=Costly, spending=Spending(money=1.0))
    priced = Settings(model={"name": "m", "prices": (("m", 1.0, 2.0),)}, budget={"tokens": 10_000})
    assert Spending(money=1.0).needs(priced, "llm") == (20, 0.02)
    assert Spending(money=1.0).needs(priced, "offline") == (0, 0.0)


def test_two_runs_do_not_write_into_one_folder(tmp_path):
    tmp_path.joinpath("run").mkdir()
    with writing(tmp_path / "run"), pytest.raises(StoreBusyError, match="Another run"):
        run(questions(), plan(), tmp_path / "run", make=Echo)
    run(questions(), plan(), tmp_path / "run", make=Echo)


def test_a_line_holds_what_scoring_and_analysis_need(tmp_path):
    q = Question("set", "one", "what is one?", ("m.t",), ({"id": "m.one", "name": "one"},), "SELECT 1", ("a.b.c",))
    run([q], plan(variants=variants_of(["pruning.w1=9"])), tmp_path, make=Echo)
    (first, second) = [json.loads(line) for line in (tmp_path / ANSWERS).read_text().splitlines()]
    assert (first["gold_topics"], first["gold_sparql"], first["gold_relations"]) == (["m.t"], "SELECT 1", ["a.b.c"])
    assert (first["variant"], second["variant"]) == ("", "pruning.w1=9")
    assert first["settings_hash"] != second["settings_hash"]


def test_what_is_saved_keeps_the_answers_paths_whole_and_counts_what_fell():
    whole = answer()
    doc, plain = trim_answer(whole), answer_json(whole)
    assert doc["paths"] == plain["paths"]
    for mine, theirs in zip(doc["explorations"], plain["explorations"], strict=True):
        fell = [p for p in theirs["paths"] if not p["kept"]]
        assert mine["left_out"] == theirs["left_out"] + len(fell)
        assert [p["text"] for p in mine["paths"]] == [p["text"] for p in theirs["paths"] if p["kept"]]
        assert all(h["sources"] == [] and h["facts"] >= 0 for p in mine["paths"] for h in p["hops"])
    assert sum(x["left_out"] for x in doc["explorations"]) > 0
