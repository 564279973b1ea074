"""``eval fusion``: a table of methods on a set given as files, predictions written, wrong calls refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.servers.model_server import ModelServer

from hydra_kg.cli.evaluation.fusion import fusion
from hydra_kg.evaluate.fusion.method_runs import prepare_set
from hydra_kg.evaluate.fusion.stages import score_authority_by_model
from hydra_kg.fusion.truth_discovery.multi_level_confidence import influence, nodes_of

ROWS = [f"s{s}\tPerson {p}\tTown {p}" for p in range(10) for s in "abc"] + [
    f"sd\tPerson {p}\tElsewhere {p}" for p in range(10)
]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "claims.tsv").write_text("\n".join(["source\tentity\tvalue", *ROWS, "broken"]) + "\n")
    queries = [
        {"id": str(p), "entity": f"Person {p}", "attribute": "born", "gold": [f"Town {p},Land"]} for p in range(10)
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(q) + "\n" for q in queries))
    return ["--claims", str(tmp_path / "claims.tsv"), "--queries", str(tmp_path / "q.jsonl")]


def test_methods_in_one_table(files, tmp_path):
    out = tmp_path / "p.jsonl"
    result = CliRunner().invoke(fusion, ["birthplaces", *files, "--method", "all", "--predictions", str(out), "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert {row["f1"] for row in rows} == {"100.0"}
    assert {"vote", "default", "two-sided"} <= {row["method"] for row in rows}
    assert "rejected line 42: 1 columns instead of 3" in result.stderr
    assert json.loads(out.read_text().splitlines()[0])["values"] == ["Town 0"]
    plain = CliRunner().invoke(fusion, ["birthplaces", *files])
    assert "minus vote" in plain.stdout


def test_raw_values_are_equal_only_if_their_texts_are(tmp_path):
    rows = [
        "a\tBook\tauthor\tAda Torn",
        "b\tBook\tauthor\tTorn, Ada",
        "c\tBook\tauthor\tBo Vell",
        "d\tBook\tauthor\tBo Vell",
    ]
    rows += ["e\tBook\tauthor\tADA TORN"]
    (tmp_path / "c.tsv").write_text("\n".join(["source\tentity\tattribute\tvalue", *rows]) + "\n")
    query = {"id": "1", "entity": "Book", "attribute": "author", "gold": ["Ada Torn"]}
    (tmp_path / "q.jsonl").write_text(json.dumps(query) + "\n")
    words = [
        "books",
        "--claims",
        str(tmp_path / "c.tsv"),
        "--queries",
        str(tmp_path / "q.jsonl"),
        "--method",
        "vote",
        "--json",
    ]
    found = [json.loads(CliRunner().invoke(fusion, [*words, *more]).stdout)[0] for more in ((), ("--raw-values",))]
    assert [row["f1"] for row in found] == ["100.0", "0.0"], "three spellings of one name outvote two claims"


def test_a_report_of_several_runs(files, tmp_path):
    out = tmp_path / "run"
    words = [*files, "--method", "vote,default", "--out", str(out)]
    assert CliRunner().invoke(fusion, ["birthplaces", *words]).exit_code == 0
    assert CliRunner().invoke(fusion, ["heritages", *words]).exit_code == 0
    sets = json.loads((out / "summary.json").read_text())["sets"]
    assert list(sets) == ["birthplaces", "heritages"], "what was measured before stays"
    assert [r["f1"] for r in sets["heritages"]["methods"]] == [1.0, 1.0]
    assert {r["share"]: r["queries"] for r in sets["heritages"]["conflict"]} == {
        "none": 10,
        "up to a third": 0,
        "up to a half": 0,
        "more": 0,
    }
    page = (out / "report.html").read_text()
    assert "<svg" in page
    assert "<script" not in page
    assert "## Recall before and after each filter" in (out / "report.md").read_text()


def test_a_folder_with_another_summary_is_refused(files, tmp_path):
    (tmp_path / "summary.json").write_text("[]")
    result = CliRunner().invoke(fusion, ["birthplaces", *files, "--out", str(tmp_path)])
    assert result.exit_code != 0
    assert "not a summary of eval fusion" in str(result.exception)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["movies", "--curves", "1"], "go with --out"),
        (["movies", "books", "--queries", "Q"], "go with one SET"),
        (["movies", "--claims", "Q"], "goes with --queries"),
        (["movies", "--method", ","], "--method needs a name"),
    ],
)
def test_wrong_calls(arguments, message, files):
    arguments = [files[3] if a == "Q" else a for a in arguments]
    result = CliRunner().invoke(fusion, arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_mcc_is_swept_and_curves_take_any_method(files, tmp_path):
    out = tmp_path / "run"
    words = [*files, "--method", "vote", "--sweep", "alpha=0,1", "--sweep", "theta=0.9"]
    words += ["--curves", "1", "--over", "ltm,mcc", "--out", str(out)]
    result = CliRunner().invoke(fusion, ["birthplaces", *words, "--json"])
    assert result.exit_code == 0, result.output
    assert [row["method"] for row in json.loads(result.stdout)] == [
        "vote",
        "mcc alpha=0",
        "mcc alpha=1",
        "mcc theta=0.9",
    ]
    found = json.loads((out / "summary.json").read_text())["sets"]["birthplaces"]
    assert set(found["curves"][0]["f1"]) == {"ltm", "mcc", "attainable"}
    assert found["reading"] > 0
    assert "| PT s |" in (out / "report.md").read_text()


@pytest.mark.parametrize("text", ["alpha", "gamma=1", "alpha=high", "alpha="])
def test_a_sweep_that_cannot_be_read_is_refused(files, text):
    result = CliRunner().invoke(fusion, ["birthplaces", *files, "--sweep", text])
    assert result.exit_code != 0
    assert "alpha, beta, theta, graph_threshold" in str(result.exception)


def test_rules_of_ones_own(files, tmp_path):
    rules = tmp_path / "mine.toml"
    rules.write_text('rule = "place"\nleft_out = ["b", "c", "sd"]\n')
    result = CliRunner().invoke(fusion, ["towns", *files, "--rules", str(rules), "--method", "vote", "--json"])
    assert result.exit_code == 0, result.output
    assert [row["f1"] for row in json.loads(result.stdout)] == ["100.0"]


def relied_on(body):
    """A model that relies on source d alone."""
    lines = re.findall(r"^(\d+)\. (s\w) ", body["messages"][-1]["content"], re.MULTILINE)
    return json.dumps({"best": [{"n": int(n), "score": 10 if source == "sd" else 0} for n, source in lines]})


def with_model(server, monkeypatch, files, *words):
    monkeypatch.setenv("HYDRA_MODEL_NAME", "scripted")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    words = ["birthplaces", *files, "--method", "vote,mcc", "--authority", "llm", *words]
    return CliRunner().invoke(fusion, words)


def test_authority_is_asked_of_a_model_within_a_budget(files, tmp_path, monkeypatch):
    out = tmp_path / "p.jsonl"
    with ModelServer(relied_on) as server:
        done = with_model(server, monkeypatch, files, "--json", "--predictions", out, "--sweep", "alpha=1")
        assert done.exit_code == 0, done.output
        rows = {row["method"]: row["f1"] for row in json.loads(done.stdout)}
        assert "authority by the model for 10 of 10 queries, 10 calls" in done.stderr
        assert {name for name in rows if name.endswith("authority by the model")} == {
            "mcc, authority by the model",
            "mcc alpha=1, authority by the model",
        }
        prompt = server.bodies[0]["messages"][-1]["content"]
        assert "1. sa (statements here: 10): {Person 0} → born → {Town 0}" in prompt
        few = with_model(server, monkeypatch, files, "--budget-calls", 3)
        assert few.exit_code == 0, few.output
        assert "authority by the model for 3 of 10 queries, 3 calls" in few.stderr
        assert len(server.bodies) == 13
        assert with_model(server, monkeypatch, files, "--method", "vote").exit_code == 2
    answer = json.loads(out.read_text().splitlines()[0])
    assert answer["confidence"]


def test_nodes_that_no_model_scored_keep_the_authority_of_the_graph(files):
    data, asked, _ = prepare_set("birthplaces", claims=Path(files[1]), queries=[Path(files[3])])
    claims = data.reading.claims
    nodes = nodes_of(claims)
    given = influence(claims, nodes)
    first = score_authority_by_model(
        claims, asked[:2], lambda question, lines: {0: 1.0} if "Person 0" in question else {}
    )
    assert first.queries == 1
    (group,) = asked[0].groups
    own = slice(int(nodes.first[group]), int(nodes.first[group + 1]))
    assert first.scores[own].tolist() == [1.0, 0.0, 0.0, 0.0]
    rest = np.ones(len(given), bool)
    rest[own] = False
    assert (first.scores[rest] == given[rest]).all()
