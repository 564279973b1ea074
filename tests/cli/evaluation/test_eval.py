"""hydra-kg eval: real questions on the sample, reports from saved answers alone, and what flipped between runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.samples.askers import Echo

from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.runs.runner import RunPlan, run
from hydra_kg.evaluate.runs.variants import variants_of
from hydra_kg.settings import Settings
from hydra_kg.util.package_data import find_content

WORDS = ("one", "two", "three", "four")


def made(folder: Path, *strategies: str, wrong: tuple[str, ...] = (), vary: tuple[str, ...] = ()) -> Path:
    """A run in which the questions of ``wrong`` were answered otherwise."""
    questions = [
        Question("set", w, f"what is {'other' if w in wrong else w}?", (), ({"id": f"m.{w}", "name": w},))
        for w in WORDS
    ]
    plan = RunPlan(strategies or ("echo",), "offline", False, Settings(), variants=variants_of(vary))
    run(questions, plan, folder, make=Echo)
    return folder


def test_report_scores_saved_answers_again(call, tmp_path):
    folder = made(tmp_path / "a", wrong=("two",))
    result = call("eval", "report", folder)
    head, row, *more = result.output.splitlines()
    assert ["set", "echo", "any", "4", "3", "0", "1", "0", "75.0", "25.0"] in [line.split() for line in more]
    assert head.split()[:7] == ["data", "set", "strategy", "part", "n", "answerable", "rank"]
    assert row.split()[:5] == ["set", "echo", "all", "4*", "75.0"]
    assert {p.name for p in folder.iterdir()} == {
        "answers.jsonl",
        "run.json",
        "summary.json",
        "report.md",
        "report.html",
    }
    assert json.loads(call("eval", "report", folder, "--json").output) == json.loads(
        (folder / "summary.json").read_text()
    )


def test_report_adds_the_honest_rows(call, tmp_path):
    able = tmp_path / "able.tsv"
    able.write_text("dataset\tid\thops_core\tgold_sparql_f1_core\nset\tone\t1\t1\nset\ttwo\t2\t0\n")
    text = call("eval", "report", made(tmp_path / "a"), "--answerable", able).output
    assert "reachable" in text
    assert "gold query runs" in text


def test_compare_says_what_flipped_and_whether_it_matters(call, tmp_path):
    a, b = made(tmp_path / "a", wrong=("two", "three")), made(tmp_path / "b", wrong=("one",))
    text = call("eval", "compare", a, b).output
    assert text.startswith("set: 4 questions, 2 won, 1 lost, McNemar p = 1.0000")
    assert "won  two: what is other?" in text
    assert "lost one" in text
    doc = json.loads(call("eval", "compare", a, b, "--json").output)
    assert doc["rows"][0]["metrics"]["hits1"]["difference"] == 0.25


def test_compare_picks_strategies(call, tmp_path):
    both = made(tmp_path / "both", "x", "y")
    assert "0 won, 0 lost" in call("eval", "compare", f"{both}:x", f"{both}:y").output
    assert "DIR:STRATEGY" in call("eval", "compare", both, both, code=2).stderr


@pytest.mark.parametrize(
    "way, n",
    [
        ("tog-2+clues=false+threshold=0.5", 4),
        ("tog-2+clues=false+threshold=0.5@pruning.w1=20", 4),
        ("tog-2@retrieval.kinds=kg,wiki", 0),
        ("tog-2@retrieval.kinds=kg", 4),
    ],
)
def test_a_side_may_hold_parameters_and_variants(call, tmp_path, way, n):
    """Also where the folder's own name holds a colon."""
    folder = made(
        tmp_path / "a:b", "tog-2+clues=false+threshold=0.5", "tog-2", vary=("pruning.w1=20", "retrieval.kinds=kg")
    )
    told = call("eval", "compare", f"{folder}:{way}", f"{folder}:tog-2", code=0 if n else 1)
    if n:
        assert told.stdout.startswith(f"set: {n} questions, 0 won, 0 lost")
    else:
        assert "no answers of tog-2@retrieval.kinds=kg,wiki" in told.stderr
        assert "tog-2+clues=false+threshold=0.5@pruning.w1=20" in told.stderr, "it says what there is"
    html = tmp_path / "page.html"
    call("eval", "compare", f"{folder}:{way}", f"{folder}:tog-2", "--html", html, code=None)
    assert html.is_file() == bool(n)


def test_compare_writes_a_page_with_both_explorations(call, tmp_path):
    a, b = made(tmp_path / "a", wrong=("two",)), made(tmp_path / "b")
    call("eval", "compare", a, b, "--html", tmp_path / "flips.html")
    page = (tmp_path / "flips.html").read_text("utf-8")
    assert 'href="#a-0-0"' in page
    assert 'id="b-0-0"' in page
    assert "<script" not in page


def test_analyses_are_printed_one_by_one(call, tmp_path):
    folder = made(tmp_path / "a", "x", "y", wrong=("two",))
    assert "Error kinds" in call("eval", "analyse", folder, "--by", "errors").output
    (table,) = json.loads(call("eval", "analyse", f"{folder}:x", "--by", "cost", "--json").output)
    assert [row[1] for row in table["rows"]] == ["x"]


def test_where_right_answers_come_from_is_counted_in_the_words_of_pog(call, tmp_path):
    (table,) = json.loads(call("eval", "analyse", made(tmp_path / "a"), "--by", "evidence", "--json").output)
    assert table["head"][2:] == ["class", "n", "share %"]
    assert sum(int(row[3]) for row in table["rows"]) == 4
    assert {row[2] for row in table["rows"]} <= {"KG only", "LLM-inspired KG", "KG-inspired LLM", "with text"}


def test_a_comparison_names_another_source(call, tmp_path):
    for side, source in (("a", "1f"), ("b", "2e")):
        path = made(tmp_path / side) / "answers.jsonl"
        lines = [{**json.loads(line), "manifest": {"source": source}} for line in path.read_text().splitlines()]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    shown = call("eval", "compare", tmp_path / "a", tmp_path / "b").output
    assert shown.startswith('source differs: A "1f", B "2e"\n')


def test_gold_is_joined_when_it_is_needed(call, tmp_path):
    questions = tmp_path / "set.jsonl"
    lines = [{"id": w, "question": f"what is {w}?", "answers": [{"id": f"m.{w}", "name": w}]} for w in WORDS]
    questions.write_text("".join(json.dumps(doc) + "\n" for doc in lines))
    hidden = [Question("set", w, f"what is {w}?", (), None) for w in WORDS]
    run(hidden, RunPlan(("echo",), "offline", False, Settings()), tmp_path / "a", make=Echo)
    assert "--gold" in call("eval", "report", tmp_path / "a", code=2).stderr
    call("eval", "report", tmp_path / "a", "--gold", questions)
    (row,) = json.loads((tmp_path / "a" / "summary.json").read_text())["rows"]
    assert row["metrics"]["hits1"]["mean"] == 1


def test_missing_things_are_said(call, tmp_path, sample_store):
    assert "eval run" in call("eval", "report", tmp_path, code=1).stderr
    assert (
        "no question file"
        in call("eval", "run", "nothing", "--out", tmp_path / "o", "--store", sample_store, code=1).stderr
    )
    questions = find_content("sample", "questions.jsonl")
    missing = call("eval", "run", questions, "--out", tmp_path / "o", "--store", "nowhere", code=1)
    assert "does not exist" in missing.stderr


def test_an_unknown_strategy_is_said_before_anything_is_asked(call, tmp_path, sample_store):
    questions = find_content("sample", "questions.jsonl")
    said = call(
        "eval", "run", questions, "--out", tmp_path, "--store", sample_store, "--strategy", "hydra,hidra", code=2
    )
    assert "hidra" in said.stderr
    assert not (tmp_path / "answers.jsonl").exists()


@pytest.mark.parametrize("verb", ["run", "retrieval"])
@pytest.mark.parametrize(
    "chosen, refused, remedy",
    [
        ("titles,io,hydra,cot", "io, cot are not defined without a language model", "HYDRA_MODEL_NAME"),
        ("titles,web-rag", "web-rag is not defined without a search engine", "HYDRA_WEB_ENGINE"),
    ],
)
def test_what_is_not_defined_offline_is_refused_before_the_first_question(
    call, tmp_path, sample_store, verb, chosen, refused, remedy
):
    questions = find_content("sample", "questions.jsonl")
    words = ("--out", tmp_path / "o", "--store", sample_store, "--limit", 2, "--strategy", chosen)
    said = call("eval", verb, questions, *words, code=2).stderr
    assert refused in said
    assert remedy in said
    assert not (tmp_path / "o").exists(), "titles came first, and was not asked either"


def test_only_what_the_store_can_answer_is_drawn(call, tmp_path, sample_store):
    questions = find_content("sample", "questions.jsonl")
    ids = [json.loads(line)["id"] for line in questions.read_text("utf-8").splitlines()][:20]
    table = tmp_path / "able.tsv"
    rows = [f"questions\t{i}\t{1 if n < 9 else None}\t{1 if n % 3 == 0 else 0}" for n, i in enumerate(ids)]
    table.write_text("\n".join(["dataset\tid\thops_core\tgold_sparql_f1_core", *rows]) + "\n")
    words = ("eval", "run", questions, "--store", sample_store, "--strategy", "titles", "--only-answerable")
    assert "eval gold" in call(*words, "--out", tmp_path / "o", code=2).stderr
    call(*words, "--out", tmp_path / "o", "--answerable", table, "--limit", 5)
    lines = (tmp_path / "o" / "answers.jsonl").read_text("utf-8").splitlines()
    asked = {json.loads(line)["question_id"] for line in lines}
    assert len(asked) == 5
    assert asked <= set(ids[::3]), "those whose gold query runs"
    (row, *_) = json.loads((tmp_path / "o" / "summary.json").read_text())["rows"]
    assert (row["n"], row["answerable"]) == (5, 5)


def test_every_strategy_tells_its_own_stages_and_no_others(call, tmp_path, sample_store):
    """A dash stands where a strategy has no such step: ToG has no G_q, full text no paths."""
    questions = find_content("sample", "questions.jsonl")
    stages = ("in G_q", "W_1", "W_2", "W_max")
    without = {
        "tog": {"in G_q"},
        "tog-r": {"in G_q"},
        "tog-2": {"in G_q"},
        "text-rag": {"in G_q"},
        "titles": set(stages),
        "pog": set(),
        "pog-e": set(),
        "multirag": set(),
        "cosine": set(),
        "hydra": set(),
    }
    words = ("--out", tmp_path / "o", "--store", sample_store, "--limit", 2, "--strategy", ",".join(without))
    lost = json.loads(call("eval", "retrieval", questions, *words, "--json").stdout)[0]
    assert len(lost["rows"]) == len(without)
    for row in lost["rows"]:
        told = dict(zip(lost["head"], row, strict=True))
        assert {s for s in stages if told[s] == "–"} == without[told["strategy"]], told["strategy"]
        shares = [float(told[s]) for s in (*stages, "answers", "first") if told[s] != "–"]
        assert shares[0] > 0 or told["strategy"] in {"titles", "text-rag"}


def test_the_same_run_in_one_process_or_two_gives_the_same_figures(call, tmp_path, sample_store):
    questions = find_content("sample", "questions.jsonl")
    found = []
    for jobs in (1, 2):
        words = ("--out", tmp_path / f"{jobs}", "--store", sample_store, "--limit", 2, "--seed", 3, "--jobs", jobs)
        call("eval", "run", questions, *words, "--strategy", "hydra,tog")
        summary = json.loads((tmp_path / f"{jobs}" / "summary.json").read_text())
        for row in summary["rows"]:
            del row["seconds"]
        timed = {"Calls, tokens, seconds", "Seconds by step"}
        summary["analyses"] = [t for t in summary["analyses"] if t["title"] not in timed]
        found.append(summary)
    assert found[0] == found[1]


def test_the_store_gives_each_set_its_denominator(call, tmp_path, sample_store):
    """And says where right answers get lost; the report takes both up."""
    questions = find_content("sample", "questions.jsonl")
    given = [json.loads(line) for line in questions.read_text("utf-8").splitlines()][:6]
    kept, runs = tmp_path / "sample.jsonl", 0
    for n, doc in enumerate(given):
        chain = next((c for c in doc["chains"] if c["source"] == "freebase" and len(c["hops"]) == 1), None)
        relation = chain["hops"][0] if chain else ""
        doc["gold_sparql"] = ""
        if relation and relation[0] not in "^~-!" and "./" not in relation:
            asked = relation if n else "a.b.nothing_like_it"
            doc["gold_sparql"] = f"SELECT ?x WHERE {{ ns:{chain['from']} ns:{asked} ?x FILTER(isIRI(?x) OR false) }}"
            runs += n > 0
    kept.write_text("".join(json.dumps(doc) + "\n" for doc in given))
    (row,) = json.loads(call("eval", "gold", kept, "--out", tmp_path / "o", "--store", sample_store, "--json").stdout)
    assert row["questions"] == row["reachable"] == 6
    assert row["gold_queries"] == runs + 1
    assert row["gold_query_runs"] == runs > 0
    assert row["refused"] == 0
    measured = call("eval", "retrieval", kept, "--out", tmp_path / "o", "--store", sample_store, "--json").stdout
    lost = json.loads(measured)[0]
    shares = [float(x) for x in lost["rows"][0][4:]]
    assert shares[0] > 0
    assert shares[:4] == sorted(shares[:4], reverse=True), "what is lost stays lost"
    call("eval", "run", kept, "--out", tmp_path / "o", "--store", sample_store)
    text = (tmp_path / "o" / "report.md").read_text("utf-8")
    assert "Where right answers get lost" in text
    assert "| reachable |" in text


def test_runs_the_sample_and_takes_up_where_it_stopped(call, tmp_path, sample_store):
    questions = find_content("sample", "questions.jsonl")
    words = ("eval", "run", questions, "--out", tmp_path / "o", "--store", sample_store, "--limit", 4, "--jobs", 2)
    first = call(*words)
    records = [json.loads(line) for line in (tmp_path / "o" / "answers.jsonl").read_text("utf-8").splitlines()]
    assert len(records) == 4
    assert not [r["error"] for r in records if r.get("error")]
    assert all({"gold", "metrics", "paths", "manifest"} <= set(r) for r in records)
    again = call(*words)
    assert "4/4" not in again.stderr, "nothing is asked twice"
    assert again.stdout == first.stdout


def test_ordinary_questions_are_graded_and_the_wrong_ones_listed(call, tmp_path, sample_store):
    """The plain layout is known by its fields; what is given with each verdict stands in every report."""
    messi = {"question": "Where was Lionel Messi born?", "kind": "lookup", "expect": "answer"}
    lines = [
        {**messi, "id": "1", "answers": [{"name": "Rosario", "aliases": [], "ids": ["m.02tb17"]}]},
        {**messi, "id": "2", "answers": [{"name": "Lima", "aliases": ["Ciudad de los Reyes"], "ids": ["Q2868"]}]},
        {
            "id": "3",
            "question": "Who wrote the Frobnitz Sonata?",
            "kind": "nonsense",
            "expect": "silent",
            "answers": [],
        },
    ]
    questions = tmp_path / "own.dev.jsonl"
    questions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    printed = call("eval", "run", questions, "--out", tmp_path / "o", "--store", sample_store).stdout
    rows = [line.split() for line in printed.splitlines()]
    assert ["own.dev", "hydra", "any", "3", "2", "0", "1", "0", "66.7", "33.3"] in rows
    assert ["own.dev", "hydra", "nonsense", "1", "1", "0", "0", "0", "100.0", "0.0"] in rows
    (row,) = json.loads((tmp_path / "o" / "summary.json").read_text())["rows"]
    assert row["grades"]["all"] == {"n": 3, "right": 2, "partly": 0, "wrong": 1, "silent": 0}
    assert row["grades"]["given"]["precision"] == 0.5
    for report in ("report.md", "report.html"):
        text = (tmp_path / "o" / report).read_text("utf-8")
        for title in ("Grades", "Grades by kind of question", "Precision by verdict and confidence", "Reliability of"):
            assert title in text, (report, title)
    (table,) = json.loads(call("eval", "analyse", tmp_path / "o", "--by", "wrong", "--json").stdout)
    assert [row[2:7] for row in table["rows"]] == [["2", "lookup", messi["question"], "Lima", "Rosario"]]
    assert "Wrong answers" not in call("eval", "analyse", tmp_path / "o").stdout, "only when it is asked for"


def test_a_run_in_parts_is_the_run(call, tmp_path, sample_store):
    """Answers of the real strategy, byte for byte but for ids and times."""
    questions = find_content("sample", "questions.jsonl")
    words = ("eval", "run", questions, "--store", sample_store, "--limit", 3, "--json")
    one = call(*words, "--out", tmp_path / "one")
    for n in (2, 1):
        call(*words, "--out", tmp_path / f"part{n}", "--shard", f"{n}/2")
    merged = call("eval", "merge", tmp_path / "part1", tmp_path / "part2", "--out", tmp_path / "all", "--json")

    def lines(folder: Path) -> list[bytes]:
        records = [json.loads(line) for line in (folder / "answers.jsonl").read_text("utf-8").splitlines()]
        return [json.dumps(record | {"id": "", "seconds": {}}).encode() for record in records]

    def numbers(text: str) -> list[dict[str, object]]:
        return [{k: v for k, v in row.items() if "seconds" not in k} for row in json.loads(text)["rows"]]

    assert lines(tmp_path / "all") == lines(tmp_path / "one")
    assert numbers(merged.stdout) == numbers(one.stdout)
