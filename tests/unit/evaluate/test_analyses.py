"""Gold queries, calibration, outcomes, overlap, denominators and pages, each against values worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pyoxigraph
import pytest

from hydra_kg.evaluate.questions.answerable import COLUMNS, Denominator, write_denominators
from hydra_kg.evaluate.questions.datasets import Answerable, read_answerable
from hydra_kg.evaluate.questions.gold_graph import (
    DATE_TIME,
    FREEBASE,
    date_time,
    predicate_of,
    relations_of,
    runnable,
    term_of,
)
from hydra_kg.evaluate.reports.analyses import ANALYSES
from hydra_kg.evaluate.reports.comparison import compare, flips_page, index_by_question
from hydra_kg.evaluate.reports.report import page, summarise, tables
from hydra_kg.evaluate.reports.summary import find_published
from hydra_kg.evaluate.reports.svg import dots, lines
from hydra_kg.evaluate.reports.tables import Table
from hydra_kg.evaluate.runs.outcomes import outcome, overlap, path_relations
from hydra_kg.evaluate.scoring.metrics import claim_right, is_claim, score_refusal
from hydra_kg.evaluate.scoring.selective import calibration

ROOT = Path(__file__).resolve().parents[3]
WEBQSP = """PREFIX ns: <http://rdf.freebase.com/ns/>
SELECT DISTINCT ?x WHERE { # comment with ns:not.a.relation
FILTER (?x != ns:m.06rpd)
FILTER (!isLiteral(?x) OR lang(?x) = 'OR' AND xsd:datetime(?d) > 1)
ns:m.06rpd ns:sports.pro.draft_picks ?y . ?y ns:sports.pick.player ?x . ?x ns:sports.pick.player ?z }"""
WIKIDATA = "SELECT ?r WHERE { wd:Q1 p:P39/ps:P39 ?r . ?r <http://www.wikidata.org/prop/direct/P31> wd:Q5 }"


def hop(relation: str, end: str, start: str = "m.t") -> dict:
    return {"subject": {"id": start, "name": start}, "predicate": relation, "object": {"id": end, "name": end}}


def record(*, answers=(), paths=(), gold=("m.a",), **more) -> dict:
    return {
        "dataset": "set",
        "question_id": "1",
        "strategy": "s",
        "variant": "",
        "question": "who?",
        "gold": [{"id": g, "name": g} for g in gold],
        "answers": [{"id": a, "name": a, "ids": [a]} for a in answers],
        "abstained": not answers,
        "confidence": 0.5,
        "explorations": [],
        "paths": [{"text": "p", "hops": list(p), "scores": {"cross": 0.5}, "phase": "initial"} for p in paths],
    } | more


def test_the_order_in_which_workers_write_changes_no_figure():
    some = [
        record(
            question_id=str(n),
            answers=("m.a", "m.b")[: 1 + n % 2],
            gold=("m.a", "m.c")[: 1 + n % 3 % 2],
            confidence=n / 9,
            paths=[[hop("a.b.c", "m.a")]],
        )
        for n in range(9)
    ]
    other = some[4:] + some[:4][::-1]
    assert summarise(some) == summarise(other)
    assert tables(summarise(some), some) == tables(summarise(other), other)
    changed = [{**r, "answers": []} for r in some]
    assert compare(some, changed) == compare(other, changed[::-1])


def test_the_page_of_results_is_what_its_json_says(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from bench.accuracy import strategy_results as bench_strategies

    doc = json.loads(bench_strategies.PLACE.with_suffix(".json").read_text("utf-8"))
    page = bench_strategies.PLACE.with_suffix(".md").read_text("utf-8")
    assert page == bench_strategies.page(doc), "python bench/accuracy/strategy_results.py --page"
    assert "| hydra " in page


def test_relations_of_gold_queries():
    assert relations_of(WEBQSP) == ("sports.pro.draft_picks", "sports.pick.player", "sports.pick.player")
    assert relations_of(WIKIDATA) == ("P39", "P31") or relations_of(WIKIDATA) == ("P31", "P39")
    assert relations_of("SELECT ?x WHERE { ?x :type.object.type :theater.play }") == ()
    assert relations_of("") == ()


def test_gold_queries_run_on_a_strict_engine():
    graph = pyoxigraph.Store()
    graph.load(
        f"<{FREEBASE}m.06rpd> <{FREEBASE}sports.pro.draft_picks> <{FREEBASE}m.y> .".encode(),
        pyoxigraph.RdfFormat.N_TRIPLES,
    )
    text = runnable(WEBQSP)
    assert f"<{DATE_TIME}>(?d)" in text
    assert "'OR'" in text, "strings stay as they are"
    assert "|| lang" in text
    assert list(graph.query(text, custom_functions={pyoxigraph.NamedNode(DATE_TIME): date_time})) == []
    found = graph.query(runnable("SELECT ?y WHERE { ns:m.06rpd ns:sports.pro.draft_picks ?y }"))
    assert [str(row["y"].value) for row in found] == [f"{FREEBASE}m.y"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * WHERE { SERVICE <http://evil.example/> { ?s ?p ?o } }",
        "SELECT * WHERE { service SILENT ?x { ?s ?p ?o } }",
    ],
)
def test_a_query_that_would_call_a_server_is_refused(query):
    with pytest.raises(ValueError, match="server"):
        runnable(query)


def test_service_in_a_name_or_string_is_none():
    runnable('SELECT ?x WHERE { ?x ns:military.person.service "SERVICE" }')
    assert "SERVICE" not in runnable(
        'SELECT ?x { ?x wdt:P1 ?y SERVICE wikibase:label { bd:serviceParam wikibase:language "en". } }'
    )


@pytest.mark.parametrize(
    "key, term",
    [
        ("m.042f1", f"<{FREEBASE}m.042f1>"),
        ("Q42", "<http://www.wikidata.org/entity/Q42>"),
        ('"1971"^^xsd:gYear', '"1971"^^<http://www.w3.org/2001/XMLSchema#gYear>'),
        ('"say \\"hi\\""@en', '"say \\"hi\\""@en'),
        ('"broken', ""),
        ("a> <b> <c", ""),
        ("a b", ""),
        ('"x" . <a> <b> <c>', ""),
    ],
)
def test_keys_become_terms_and_cannot_break_out(key, term):
    assert term_of(key) == term
    assert predicate_of("P31") == "<http://www.wikidata.org/prop/direct/P31>"


@pytest.mark.parametrize(
    "said, meant",
    [("1971", "1971-01-01T00:00:00"), ("1971-05", "1971-05-01T00:00:00"), ("1971-05-02T01:02:03Z", None), ("soon", "")],
)
def test_years_and_months_are_points_in_time_as_in_virtuoso(said, meant):
    cast = date_time(pyoxigraph.Literal(said))
    assert (cast.value if cast else "") == (said if meant is None else meant)


def test_calibration_by_hand():
    # Bins of .9 (right 1 of 2) and .2 (right 0 of 2): (2 · |.9 − .5| + 2 · |.2 − 0|) / 4.
    c = calibration([0.9, 0.9, 0.2, 0.2], [1, 0, 0, 0])
    assert c.ece == pytest.approx(0.3)
    assert c.curve == ((0.5, 0.5), (1.0, 0.75))
    assert c.aurc == pytest.approx((0.5 * 2 + 0.75 * 2) / 4)
    perfect = calibration([1.0, 0.0], [1, 0])
    assert (perfect.ece, perfect.curve) == (0.0, ((0.5, 0.0), (1.0, 0.5)))
    assert calibration([], []).n == 0
    with pytest.raises(ValueError, match="each question"):
        calibration([1.0], [])


def test_claims_and_refusals():
    assert is_claim([{"name": "SUPPORTS"}])
    assert not is_claim([{"name": "Paris"}])
    assert not is_claim([])
    assert not is_claim(None)
    assert claim_right({"claim": "false"}, [{"name": "REFUTES"}]) == 1
    assert claim_right({"claim": "unknown", "abstained": True}, [{"name": "NOT ENOUGH INFO"}]) == 1
    assert claim_right({"answers": [{"name": "Paris"}]}, [{"name": "true"}]) == 0
    assert claim_right({"error": "x", "claim": "true"}, [{"name": "true"}]) == 0
    assert (score_refusal({"abstained": True}), score_refusal({"error": "x"}), score_refusal({"claim": "true"})) == (
        1,
        0,
        0,
    )


@pytest.mark.parametrize(
    "kind, made",
    [
        ("right", record(answers=["m.a"])),
        ("order", record(answers=["m.b", "m.a"])),
        ("refusal", record()),
        ("generation", record(answers=["m.b"], paths=[[hop("r.s.t", "m.a")]])),
        ("other", record(answers=["m.b"], paths=[[hop("r.s.t", "m.b")]])),
        ("failed", record(error="boom")),
        ("format", record(answers=["m.b"], notes=["judge: not JSON; this step was done without the model"])),
    ],
)
def test_outcomes(kind, made):
    assert outcome(made) == kind


def test_overlap_counts_mediators_and_reverses():
    query = "SELECT ?x WHERE { ns:m.t ns:a.b.c ?y . ?y ns:d.e.f ?x . ?x ns:x.h.i ?z }"
    found = record(answers=["m.a"], paths=[[hop("a.b.c./d.e.f", "m.a")]], gold_sparql=query)
    assert path_relations(found["paths"]) == {"a.b.c", "d.e.f"}
    assert overlap(found) == pytest.approx(2 / 3)
    assert overlap(found | {"reverse": {"d.e.f": "x.h.i"}}) == 1
    assert overlap(found | {"gold_sparql": ""}) is None
    assert path_relations([{"hops": [hop("P161/^P453", "Q1")]}]) == {"P161", "P453"}
    assert path_relations([{"hops": [hop("https://a.example/P1/x", "Q1")]}]) == {"https://a.example/P1/x"}


def test_every_analysis_makes_a_table_of_any_record():
    records = [record(answers=["m.a"], gold_sparql=WEBQSP, gold_topics=["m.t"]), record(error="x", question_id="2")]
    for name, make in ANALYSES.items():
        table = make(records)
        assert table.title, name
        assert all(len(row) == len(table.head) for row in table.rows), name


def test_sets_are_ranked_by_what_can_be_answered():
    records = [
        record(answers=["m.a" if n < hits else "m.b"], question_id=str(n), strategy=s)
        for s, hits in (("good", 90), ("bad", 30))
        for n in range(150)
    ]
    able = {("set", str(n)): Answerable(True, n < 120) for n in range(150)}
    rows = summarise(records, answerable=able)["rows"]
    ranks = {(r["strategy"], r["part"]): (r["n"], r["answerable"], r["rank"]) for r in rows}
    assert ranks["good", "gold query runs"] == (120, 120, 1)
    assert ranks["bad", "gold query runs"] == (120, 120, 2)
    assert ranks["good", "all"] == (150, 120, None)
    few = {k: Answerable(True, a.query_runs and int(k[1]) < 99) for k, a in able.items()}
    assert {r["rank"] for r in summarise(records, answerable=few)["rows"]} == {None}, "under 100: not ranked"


def test_the_denominators_are_the_table_that_reports_read(tmp_path):
    rows = [
        Denominator("set", "1", 2, 0.5),
        Denominator("set", "2", None, None, "two\n\tlines"),
        Denominator("set", "3", 0, 0.0, "slow"),
    ]
    write_denominators(rows, tmp_path / "able.tsv")
    assert (tmp_path / "able.tsv").read_text().splitlines()[0].split("\t") == list(COLUMNS)
    assert read_answerable(tmp_path / "able.tsv") == {
        ("set", "1"): Answerable(True, True),
        ("set", "2"): Answerable(False, False),
        ("set", "3"): Answerable(False, False),
    }


def test_nothing_from_data_is_html():
    evil = "<img src=x onerror=alert(1)>"
    made = record(answers=[evil], paths=[[hop(evil, evil)]], gold=[evil], dataset=evil, question=evil, strategy=evil)
    other = record(answers=["m.b"], gold=[evil], dataset=evil, question=evil, strategy=evil, missing=evil)
    summary = summarise([made])
    text = page(summary, tables(summary, [made]))
    sides = [made], [other]
    flips = flips_page(compare(*sides), *map(index_by_question, sides), names=(evil, "b"))
    plots = dots(evil, [(evil, 0.5, 0.4, 0.6)]) + lines(evil, [(evil, [(0, 0), (1, 1)])], across=evil, up=evil)
    for written in (text, flips, plots, Table(evil, (evil,), ((evil,),), evil).html()):
        assert "<img" not in written
        assert "<script" not in written
        assert "http://" not in written.replace("http://www.w3.org/2000/svg", "")


def test_a_comparison_says_why_and_links_both_explorations():
    a = [record(answers=["m.a"], paths=[[hop("r.s.t", "m.a")]])]
    b = [record(answers=["m.b"], paths=[[hop("x.y.z", "m.b")]], strategy="t")]
    doc = compare(a, b)
    (flip,) = doc["rows"][0]["flips"]
    assert (flip["won"], flip["a_outcome"], flip["b_outcome"]) == (False, "right", "other")
    assert flip["why"] == "another path first: r.s.t against x.y.z"
    text = flips_page(doc, index_by_question(a), index_by_question(b), names=("a", "b"))
    for side in "ab":
        assert f'href="#{side}-0-0"' in text
        assert f'id="{side}-0-0"' in text


def test_the_papers_numbers_are_theirs():
    assert find_published("webqsp_test", "hydra") == 96.1
    assert find_published("cwq", "pog") == 74.7
    assert find_published("hotpotadv", "tog-2") == 42.9
    assert find_published("webqsp_test", "cosine") is None
    assert find_published("nothing", "hydra") is None


def test_a_table_in_markdown_holds_no_html_of_its_data():
    text = Table("<b>t</b>", ("set", "n"), (("<script>alert(1)</script>", "1"),), note="<i>n</i>").markdown()
    assert "<" not in text


def test_tokens_by_step_and_those_of_pruning_together():
    steps = {
        "select_paths": {"calls": 2, "tokens_in": 300, "tokens_out": 20},
        "select_pages": {"calls": 1, "tokens_in": 100, "tokens_out": 4},
        "answer": {"calls": 1, "tokens_in": 50, "tokens_out": 6},
    }
    records = [record(question_id=str(n), usage={"steps": steps} if n else {"calls": 0}) for n in range(2)]
    assert [row[2:] for row in ANALYSES["stages"](records).rows] == [
        ("all of pruning", "2", "1.5", "200.0", "12.0"),
        ("select_paths", "2", "1.0", "150.0", "10.0"),
        ("select_pages", "2", "0.5", "50.0", "2.0"),
        ("answer", "2", "0.5", "25.0", "3.0"),
    ]
