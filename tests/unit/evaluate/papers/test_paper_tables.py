"""Every table of the papers that can be had is asked with a scripted model, and shown beside what is printed."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from thorough import THOROUGH

from bench.generate.step_recording import QUESTION, SAYS
from bench.generate.step_recording import _lines as lines_of
from hydra_kg.cli.main import main
from hydra_kg.domain import WebPage, WebResult
from hydra_kg.errors import NotFoundError
from hydra_kg.evaluate.papers.catalog import PAPERS, STATUS, find, paper_tables
from hydra_kg.evaluate.papers.cells import AGAINST, METRICS, figure
from hydra_kg.evaluate.papers.measuring import Measured, of_answers, of_claims
from hydra_kg.evaluate.papers.running import ask, in_table, questions_of, setups_of
from hydra_kg.evaluate.papers.showing import compared_table
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.reports.analyses import ANALYSES
from hydra_kg.evaluate.runs.records import read_records
from hydra_kg.evaluate.runs.runner import RunPlan, saved
from hydra_kg.evaluate.runs.variants import Variant
from hydra_kg.fakes import FakeLanguageModel, FakePageFetcher, FakeWebSearch
from hydra_kg.ports import Embedder
from hydra_kg.presets import with_preset
from hydra_kg.reasoner import Reasoner
from hydra_kg.runtime import Tools, cached_embedder
from hydra_kg.settings import Settings
from hydra_kg.stores import open_store
from hydra_kg.strategies.registry import make_strategy
from hydra_kg.util.recording import StepSeconds

ROOT = Path(__file__).resolve().parents[4]
TABLES = [pytest.param(t, id=f"{t.paper} {t.name}") for t in paper_tables()]
OF_QUESTIONS = [t for t in paper_tables() if t.kind == "questions"]
SETTINGS = with_preset(Settings(model="script", web="searxng", web_url="http://127.0.0.1:9"), "paper")
GOLD = ({"id": "m.04jpl", "name": "London"},)
QUESTIONS = [
    Question("here", "1", QUESTION, ("m.0661ql3",), GOLD, relations=("film.film.directed_by",)),
    Question("here", "2", "Who founded Google?", ("m.045c7b", "m.0gjpq"), GOLD, relations=("a.b.c",)),
]
URL = "https://films.example/inception"
TEXT = "Inception was directed by Christopher Nolan. Christopher Nolan was born in London."


class Scripted:
    """A reasoner over the sample whose model follows a script. ``embedder``: one for all."""

    def __init__(self, store: Any, variant: Variant, strategy: str, embedder: Embedder) -> None:
        settings = variant.apply(SETTINGS)
        self._model = FakeLanguageModel(self._reply, name="script")
        search = FakeWebSearch([WebResult("Inception", URL, TEXT)])
        fetcher = FakePageFetcher([WebPage(URL, "Inception", TEXT)])
        tools = Tools(settings, "llm", model=self._model, search=search, fetcher=fetcher)
        self._reasoner = Reasoner(store, settings=settings, strategy=strategy, tools=tools, embedder=embedder)

    def __call__(self, text: str, topics: tuple[str, ...]) -> Mapping[str, Any]:
        self._reasoner.recorder = steps = StepSeconds()
        answer = saved(self._reasoner.ask(text))
        answer["seconds"] |= {f"step.{name}": taken for name, taken in steps.taken.items()}
        return answer

    def _reply(self, messages: Any) -> str:
        step = self._model.steps[-1].removesuffix("_chain").removesuffix("_joined")
        return json.dumps(dict(SAYS.get(step, SAYS["prune_entities"])(lines_of(messages))))


@pytest.mark.parametrize("table", TABLES)
def test_an_entry_says_what_it_needs_or_why_it_cannot_be_had(table):
    assert table.paper in PAPERS
    assert table.status in STATUS
    assert bool(table.reason) == (table.status != "runs")
    assert not table.note or table.status != "refused"
    assert bool(table.kind) == bool(table.rows) == (table.status != "refused")
    assert all(len(row.figures) == len(table.sets) for row in table.rows)
    assert not table.rows or any(row.runs for row in table.rows)
    if table.kind == "questions":
        assert {row.metric for row in table.rows if row.runs and not row.metric.startswith(AGAINST)} <= set(METRICS)
        assert {row.variant for row in table.rows} <= {"", *(table.variants or {})}
        assert not table.by or table.by in ANALYSES
        for variant, strategies in setups_of(table):
            variant.apply(SETTINGS)
            assert [make_strategy(name).name for name in strategies] == list(strategies)


@pytest.mark.slow
def test_tables_of_questions_are_asked_and_shown(sample_store, tmp_path):
    """One folder for all of them: what one table has asked the others use. Some tables of each paper, all of them with
    HYDRA_THOROUGH=5 (two minutes of a processor)."""
    tables = OF_QUESTIONS[:: max(1, round(5 / THOROUGH))]
    store, embedder = open_store(sample_store), cached_embedder(sample_store, SETTINGS)
    plan = RunPlan((), "llm", False, SETTINGS)
    empty, asked = {}, 0
    for table in tables:
        one = replace(table, sets=("here",), rows=tuple(replace(r, figures=r.figures[:1]) for r in table.rows))
        questions = QUESTIONS[: 2 if any(row.metric in {"single", "multi"} for row in one.rows) else 1]
        ids = {q.key for q in questions}
        done = len(read_records(tmp_path, must_exist=False))
        left, missing = ask(
            one,
            questions,
            plan,
            tmp_path,
            sources=["freebase", "wikidata"],
            web=True,
            make=lambda variant: lambda strategy: Scripted(store, variant, strategy, embedder),
        )
        assert left == 0
        assert [m for m in missing if "needs a cross-encoder" not in m] == []
        found = read_records(tmp_path)
        asked += len(found) - done
        records = in_table(one, found.values(), ids)
        assert [r["error"] for r in records if r.get("error")] == []
        shown = compared_table(one, of_answers(one, records), records)
        blank = [row[0] for row, r in zip(shown.rows, one.rows, strict=True) if r.runs and not row[1].split("(")[0]]
        blank = [label for label in blank if "ranker=cross" not in label]
        empty |= {f"{table.paper} {table.name}": blank} if blank else {}
        assert "Model: " in shown.note
        if table.by:
            ANALYSES[table.by](records)
    store.close()
    assert empty == {}
    ways = {(s, v.name) for t in tables for v, strategies in setups_of(t) for s in strategies}
    assert asked <= len(ways) + 4, "nothing is asked twice; the second question in four ways"


def test_what_is_not_here_is_named_and_left_out(tmp_path):
    table = find("hydra", "t5")
    plan = RunPlan((), "offline", False, Settings())
    _, missing = ask(table, [], plan, tmp_path, sources=["wikidata"], web=False)
    assert missing == [
        "without freebase: no source is called freebase",
        "without freebase,wikidata: no source is called freebase",
    ]
    _, missing = ask(find("hydra", "T1"), [], plan, tmp_path, sources=[], web=False)
    assert any("needs a language model" in m or "not defined without a language model" in m for m in missing)
    with pytest.raises(NotFoundError, match="PoG has no table 'T99'"):
        find("PoG", "T99")
    with pytest.raises(NotFoundError, match="no paper 'other'"):
        find("other", "T1")


def test_sets_that_are_not_here_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("HYDRA_DATA", str(tmp_path))
    (tmp_path / "cwq.jsonl").write_text('{"id": "a", "question": "b?", "answers": []}\n')
    questions, missing = questions_of(find("hydra", "T3"), limit=0, seed=0)
    assert [q.key for q in questions] == [("cwq", "a")]
    assert missing == ["webqsp_test is not here (hydra-kg eval convert, docs/data.md)"]


def test_ours_stands_beside_what_is_printed():
    table = find("hydra", "T9")
    shown = compared_table(table, Measured({("hydra", "hotpotadv"): "12.5"}, ("cok: not asked",)))
    assert shown.head == ("", "hotpotadv")
    assert shown.rows[0] == ("hydra", "12.5 (60.7)")
    assert shown.rows[1] == ("hydra | seconds", "(43.0)")
    assert shown.note.endswith("Nothing was asked yet. cok: not asked.")


def test_a_cell_is_counted_by_its_metric():
    def record(number, text, topics, **more):
        return {
            "dataset": "cwq",
            "question_id": str(number),
            "strategy": "hydra",
            "variant": "",
            "gold": [{"id": "", "name": "Orle"}],
            "gold_topics": topics,
            "answers": [{"id": "", "name": text}],
            "answer_text": text,
            "usage": {"calls": 4, "steps": {"select_paths": {"tokens_in": 100}, "answer": {"tokens_in": 900}}},
            "seconds": {"total": 2.0},
        } | more

    records = [record(1, "Orle", ["m.1"]), record(2, "Vell", ["m.1", "m.2"]), record(3, "in Orle", ["m.1"], usage={})]
    found = {name: METRICS[name](records) for name in ("accuracy", "single", "multi", "tokens", "calls", "seconds")}
    assert found == {
        "accuracy": "66.7",
        "single": "100.0",
        "multi": "0.0",
        "tokens": "100",
        "calls": "4.0",
        "seconds": "2.0",
    }


def test_the_retained_score_is_the_mean_of_the_rounds_that_kept_something():
    rounds = [{"counts": {"retained_score": n}} for n in (650, 850, 0)]
    assert METRICS["retained score"]([{"explorations": rounds}, {"explorations": None}]) == "0.75"
    assert METRICS["retained score"]([{"explorations": rounds[2:]}]) == ""


def test_seconds_are_those_of_a_round():
    rounds = [{"counts": {}}, {"counts": {}}]
    times = {"step.prune_relations": 3.0, "step.rank_text": 1.0, "step.entity_contexts": 0.5, "step.judge": 0.2}
    records = [{"explorations": rounds, "seconds": times}, {"explorations": rounds[:1], "seconds": {"total": 9.0}}]
    assert METRICS["relation pruning, s"](records) == "1.50"
    assert METRICS["entity pruning, s"](records) == "0.75"
    assert METRICS["reasoning, s"](records) == "0.10"
    assert METRICS["depth"](records) == "1.50"
    assert METRICS["reasoning, s"](records[1:]) == ""


def test_sizes_are_those_of_the_deepest_cut_and_p_of_the_same_questions():
    cuts = [{"counts": {"nodes": 50, "reduced_nodes": 20}}, {"counts": {"nodes": 200, "reduced_nodes": 50}}]
    records = [{"explorations": cuts}, {"explorations": []}]
    assert [METRICS[name](records) for name in ("nodes", "reduced", "removed, %")] == ["200", "50", "75.0"]
    gold = [{"id": "", "name": "Orle"}]
    right, wrong = ({"answers": [{"id": "", "name": n}], "answer_text": n, "gold": gold} for n in ("Orle", "Vell"))
    ours = [{**right, "question_id": str(n)} for n in range(6)]
    theirs = [{**(wrong if n < 6 else right), "question_id": str(n)} for n in range(9)]
    assert figure("p against x", ours, lambda way: theirs if way == "x" else ()) == "0.031"  # six to none: 2 / 2⁶
    assert figure("p against x", ours, lambda way: ()) == ""


@pytest.fixture
def claims(tmp_path, monkeypatch):
    """Small sets in the layout of the pack, under the names that the tables of MultiRAG ask for."""
    monkeypatch.setenv("HYDRA_DATA", str(tmp_path))
    for name, sources in (("movies", (1, 2, 5, 10)), ("books", (1, 2, 4, 7))):
        folder = tmp_path / "truth" / name
        folder.mkdir(parents=True)
        rows = [f"source_{s}\tItem {n}\tmaker\tPerson {n if s != 2 else n + 1}" for n in range(8) for s in sources]
        with gzip.open(folder / "claims.tsv.gz", "wt") as file:
            file.write("\n".join(["source\tentity\tattribute\tvalue", *rows]) + "\n")
        asked = [{"id": str(n), "entity": f"Item {n}", "attribute": "maker", "gold": [f"Person {n}"]} for n in range(8)]
        (folder / "queries.jsonl").write_text("".join(json.dumps(q) + "\n" for q in asked))
    return tmp_path


@pytest.mark.parametrize("name", ["T2", "T3", "F5", "F6", "F7"])
def test_every_table_of_claims_is_fused_and_shown(name, claims):
    table = find("multirag", name)
    found = of_claims(table)
    wanted = [
        (row.label, one)
        for row in table.rows
        for one, printed in zip(table.sets, row.figures, strict=True)
        if row.runs and not row.asked and one in {"movies", "books"} and (printed or name in {"F6", "F7"})
    ]
    assert [cell for cell in wanted if cell not in found.cells] == []
    assert [m.split(":")[0] for m in found.missing] == [s for s in table.sets if s in {"flights", "stocks"}]


def test_rivals_are_asked_what_claims_are_queried_for(claims):
    table = find("multirag", "T2")
    assert [name for _, names in setups_of(table) for name in names] == ["ircot", "mdqa", "chatkbqa"]
    questions, missing = questions_of(table, limit=3, seed=0)
    assert [q.dataset for q in questions] == ["movies"] * 3 + ["books"] * 3
    assert questions[0].text == f"What is the maker of Item {questions[0].id}?"
    assert len(missing) == 2
    records = [
        {"dataset": q.dataset, "question_id": q.id, "strategy": "mdqa", "answers": [{"name": name}]}
        for q, name in zip(questions, ("Person 0", "Person 1", "Person 2"), strict=False)
    ]
    ids = [int(q.id) for q in questions[:3]]
    right = sum(record["answers"][0]["name"] == f"Person {n}" for record, n in zip(records, ids, strict=True))
    found = of_claims(replace(table, rows=tuple(r for r in table.rows if r.asked)), records)
    assert found.cells == {("ask mdqa", "movies"): f"{100 * right / 3:.1f}"}


def call(*words):
    return CliRunner().invoke(main, ["eval", "table", *words])


def test_the_command_lists_shows_and_refuses(claims):
    assert "HydraRAG  T5" in call().stdout
    assert "HydraRAG" not in call("pog").stdout
    shown = call("multirag", "T1")
    assert shown.exit_code == 0, shown.output
    assert "4 (13)" in shown.stdout
    refused = call("tog-2", "T5")
    assert refused.exit_code == 2
    assert "a study with people" in refused.output
    assert "--out names where they go" in call("hydra", "T5").output


def test_answers_that_are_saved_are_shown_without_asking(tmp_path, monkeypatch):
    monkeypatch.setenv("HYDRA_DATA", str(tmp_path))
    question = {"id": "1", "question": "b?", "answers": [{"id": "", "name": "Orle"}]}
    (tmp_path / "hotpotadv.jsonl").write_text(json.dumps(question) + "\n")
    record = {
        "dataset": "hotpotadv",
        "question_id": "1",
        "strategy": "hydra",
        "gold": [{"id": "", "name": "Orle"}],
        "answers": [{"id": "", "name": "Orle"}],
        "answer_text": "Orle",
    }
    (tmp_path / "answers.jsonl").write_text(json.dumps(record) + "\n")
    shown = call("hydra", "T9", "--out", str(tmp_path), "--saved")
    assert shown.exit_code == 0, shown.output
    assert "100.0 (60.7)" in shown.stdout
    assert "hotpotadv 1, not the papers' samples" in shown.stdout


def test_the_page_lists_them_as_they_are():
    script = ROOT / "bench" / "generate" / "paper_tables.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
