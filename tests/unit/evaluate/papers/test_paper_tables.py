"""The list of the papers' tables, what their cells are counted by, and the command that shows them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from hydra_kg.cli.main import main
from hydra_kg.errors import NotFoundError
from hydra_kg.evaluate.papers.catalog import PAPERS, STATUS, find, paper_tables
from hydra_kg.evaluate.papers.measuring import Measured
from hydra_kg.evaluate.papers.printed_table import backing_table, compare_table
from hydra_kg.evaluate.papers.running import ask, questions_of, setups_of
from hydra_kg.evaluate.papers.table_metrics import AGAINST, METRICS, figure
from hydra_kg.evaluate.reports.analyses import ANALYSES
from hydra_kg.evaluate.runs.runner import RunPlan
from hydra_kg.evaluate.runs.variants import needs_model
from hydra_kg.presets import with_preset
from hydra_kg.settings import Settings
from hydra_kg.strategies.registry import make_strategy

ROOT = Path(__file__).resolve().parents[4]
TABLES = [pytest.param(t, id=f"{t.paper} {t.name}") for t in paper_tables()]
SETTINGS = with_preset(Settings(model={"name": "script"}), "paper")


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
    shown = compare_table(table, Measured({("hydra", "hotpotadv"): "12.5"}, ("cok: not asked",)))
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


def test_a_reduction_that_had_nothing_between_topics_is_not_zero():
    one_topic = [{"explorations": [{"counts": {"nodes": 50}}]}]
    assert [METRICS[name](one_topic) for name in ("reduced", "removed, %")] == ["not applicable"] * 2


def test_behind_each_cell_stand_n_answerable_interval_and_who_was_asked():
    gold = [{"id": "", "name": "Orle"}]
    right, wrong = ({"answers": [{"id": "", "name": n}], "answer_text": n, "gold": gold} for n in ("Orle", "Vell"))
    records = [
        {**(right if n < 3 else wrong), "question_id": str(n), "dataset": "webqsp_test", "strategy": "pog"}
        | {"usage": {"calls": n % 2}}
        for n in range(4)
    ]
    shown = backing_table(find("pog", "T4"), records, {("webqsp_test", "0"), ("webqsp_test", "9")})
    # Wilson's interval of 3 of 4 is 30.1 to 95.4 %.
    assert shown.rows == (("webqsp_test", "pog", "-", "4", "1", "75.0", "30.1 to 95.4", "50.0"),)
    assert backing_table(find("pog", "T4"), records).rows[0][4] == "-"


def test_an_ablation_of_calls_is_marked_where_no_model_was_asked():
    table = find("hydra", "T3")
    idle = [name for name, own in (table.variants or {}).items() if needs_model(own)]
    assert idle, "the table ablates the selector"
    offline = compare_table(table, Measured({}), [])
    labels = [row.label for row in table.rows if row.asked and row.variant in idle]
    assert labels
    assert all("needs a model" in r[1] for r in offline.rows if r[0] in labels)
    asked = [{"dataset": table.sets[0], "question_id": "1", "usage": {"calls": 3}}]
    assert not any("needs a model" in cell for r in compare_table(table, Measured({}), asked).rows for cell in r)


def test_of_fifty_answers_the_right_ones_are_classed():
    gold = [{"id": "", "name": "Orle"}]
    right = {"answers": [{"id": "", "name": "Orle"}], "answer_text": "Orle", "gold": gold}
    labels = ["kg", "kg+wiki", "wiki", "llm"]
    records = [{**right, "question_id": str(n), "label": labels[n % 4]} for n in range(40)]
    records += [
        {**right, "question_id": f"w{n}", "answer_text": "Vell", "answers": [], "label": "kg"} for n in range(9)
    ]
    kinds = [f"{kind}, of fifty" for kind in ("triple", "both", "doc", "direct")]
    assert [METRICS[kind](records) for kind in kinds] == ["25.0"] * 4
    many = [{**r, "question_id": f"{r['question_id']} {n}"} for n in range(9) for r in records]
    assert sum(float(METRICS[kind](many)) for kind in kinds) == pytest.approx(100, abs=0.2)
    assert METRICS["both, of fifty"](records[40:]) == "", "none is right"


def call(*words):
    return CliRunner().invoke(main, ["eval", "table", *words])


def test_the_command_lists_shows_and_refuses(claims):
    assert "HydraRAG  T5" in call().stdout
    assert "HydraRAG" not in call("pog").stdout
    shown = call("multirag", "T1")
    assert shown.exit_code == 0, shown.output
    assert "4 (13)" in shown.stdout
    one = call("multirag", "T1", "--sets", "books")
    assert "movies" not in one.stdout
    assert "4 (10)" in one.stdout
    other = call("multirag", "T1", "--sets", "cwq")
    assert other.exit_code == 2
    assert "MultiRAG T1 has no set cwq" in other.output
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
