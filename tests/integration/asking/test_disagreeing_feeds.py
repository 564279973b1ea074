"""Three feeds that disagree, from load to confirm: fused, asked, exported; the answer is the same in whatever order."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import rdflib
from click.testing import CliRunner
from rdflib.namespace import DCTERMS, RDF

from hydra_kg import Hydra
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.cli.main import main
from hydra_kg.domain import Picked
from hydra_kg.fusion.gathering.claim_columns import every_row
from hydra_kg.fusion.gathering.store_claims import every_statement, rows_of, statements
from hydra_kg.pages.drawing import drawing
from hydra_kg.reasoner import Reasoner
from hydra_kg.runtime import Judge, Tools
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore

SAMPLE = Path(__file__).resolve().parents[3] / "hydra_kg" / "sample"
FEEDS = ("harbour", "townsite", "tourbook")
QUESTION = "Which pier does the Aurora leave from?"
SENTENCE = "Sources disagree: harbour and townsite say Pier 3; tourbook says Pier 5."


def load(path, names):
    with Hydra(store=path, settings=Settings()) as hydra:
        hydra.load(*(SAMPLE / f"{name}.csv" for name in names), extra={"entity": "ferry"})
    return path


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return load(tmp_path_factory.mktemp("feeds") / "store", FEEDS)


def call(*words, code=0, env=None):
    result = CliRunner().invoke(main, [str(w) for w in words], prog_name="hydra-kg", env=env)
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result.stdout


def values(doc):
    return {(g["entity"]["name"], g["attribute"]): g for g in doc["values"]}


def test_groups_cross_sources_through_same_as(store):
    doc = json.loads(call("fuse", "Aurora", "--explain", "--json", "--store", store))
    groups = values(doc)
    assert set(groups) == {("Aurora", "pier"), ("Aurora", "departs"), ("Aurora", "captain")}
    pier = groups["Aurora", "pier"]
    assert [(v["value"], v["believed"], v["sources"]) for v in pier["values"]] == [
        ("Pier 3", True, ["harbour", "townsite"]),
        ("Pier 5", False, ["tourbook"]),
    ]
    assert [v["confidence"] for v in pier["values"]] == pytest.approx([5 / 6, 1 / 6], abs=0.01), "not 1 and 0"
    assert (pier["conflict"], pier["sentence"]) == ("value", SENTENCE)
    assert {s["locator"] for s in pier["statements"]} == {f"column pier ({name}.csv:2)" for name in FEEDS}


def test_what_is_only_written_differently_is_no_conflict(store):
    groups = values(json.loads(call("fuse", "Aurora", "--json", "--store", store)))
    for attribute in ("departs", "captain"):
        assert groups["Aurora", attribute]["conflict"] is None
        assert len(groups["Aurora", attribute]["values"]) == 1


def test_the_whole_store(store, tmp_path):
    file = tmp_path / "out.csv"
    doc = json.loads(call("fuse", "--json", "--export", file, "--store", store))
    assert (doc["claims"], doc["groups"], doc["conflicts"]) == (36, 12, {"value": 5})
    assert [s["name"] for s in doc["sources"]][-1] == "tourbook", "it differs most often"
    rows = file.read_text("utf-8").splitlines()
    assert len(rows) == 1 + 12 + 5
    assert any("Pier 3" in r and "harbour; townsite" in r and "tourbook" in r for r in rows)


@pytest.mark.parametrize("strategy", ["multirag", "hydra"])
def test_the_disagreement_is_the_answer(store, strategy):
    doc = json.loads(call("ask", QUESTION, "--strategy", strategy, "--json", "--store", store))
    assert doc["answer_text"] == SENTENCE
    assert (doc["verdict"], doc["answers"][0]["name"]) == ("contested", "Pier 3")
    assert {c["source"] for c in doc["citations"]} == set(FEEDS), "both sides are cited"
    assert doc["dissent"] == ["tourbook says Pier 5"]
    assert doc["confidence"] < 2 / 3, "two of three say so"


def test_the_weight_that_chose_is_said_everywhere(store, tmp_path):
    said = "weight: sources of one origin count once, by their reliability."
    text = call("ask", QUESTION, "--strategy", "multirag", "--store", store)
    assert f"\nChosen by {said}\n" in text
    assert json.loads(call("show", "last", "--json", "--store", store))["chosen_by"] == said
    call("show", "last", "--html", tmp_path / "answer.html", "--store", store)
    assert f"<p>Chosen by {said}</p>" in (tmp_path / "answer.html").read_text("utf-8")
    agreed = call("ask", "Who is the captain of Cassiopeia?", "--strategy", "multirag", "--json", "--store", store)
    assert "chosen_by" not in json.loads(agreed)


@pytest.mark.parametrize(
    "question, answer",
    [("Who is the captain of Cassiopeia?", "Ines Roth"), ("When does the Cassiopeia depart?", "2 May 2026 11:40")],
)
def test_where_they_agree_nothing_is_flagged(store, question, answer):
    doc = json.loads(call("ask", question, "--strategy", "multirag", "--json", "--store", store))
    assert (doc["answer_text"], doc["verdict"], doc["dissent"]) == (answer, "supported", [])


def test_what_is_only_written_differently_is_not_flagged_by_other_strategies(store):
    doc = json.loads(call("ask", "When does the Cassiopeia depart?", "--json", "--store", store))
    assert doc["answers"]
    assert "disagree" not in doc["answer_text"]
    assert (doc["verdict"], doc["dissent"]) != ("contested", [])


def test_the_order_of_loading_counts_for_nothing(store, tmp_path):
    other = load(tmp_path / "other", FEEDS[::-1])
    told = [json.loads(call("ask", QUESTION, "--strategy", "multirag", "--json", "--store", s)) for s in (store, other)]
    for field in ("answer_text", "verdict", "agreement", "confidence", "dissent"):
        assert told[0][field] == told[1][field]


def test_the_manifest_says_which_history_judged(store, tmp_path):
    own = load(tmp_path / "own", FEEDS)

    def history(strategy="multirag"):
        told = call("ask", QUESTION, "--strategy", strategy, "--json", "--store", own)
        return json.loads(told)["manifest"]["history"]

    before = history()
    assert before["judged"] == 0
    assert history("hydra") is None, "it asks for no history"
    call("ask", QUESTION, "--strategy", "multirag", "--store", own)
    call("confirm", "last", "--wrong", "--answer", "Pier 5", "--store", own)
    after = history()
    assert (after["judged"], after["hash"] != before["hash"]) == (3, True)
    assert json.loads(call("fuse", "Aurora", "--json", "--store", own))["history"] == after
    assert history() == after, "asking moves nothing"


def test_the_homologous_group_is_kept_and_drawn(store):
    doc = json.loads(call("ask", QUESTION, "--strategy", "multirag", "--json", "--store", store))
    (claims,) = [x["claims"] for x in doc["explorations"] if x.get("claims")]
    said = {(c["source"], c["subject"]["name"], c["object"]["name"], c["believed"]) for c in claims}
    assert said == {(n, "Aurora", "Pier 5" if n == "tourbook" else "Pier 3", n != "tourbook") for n in FEEDS}
    trust = {c["source"]: c["confidence"] for c in claims}
    assert 0 < trust["tourbook"] < trust["harbour"] <= 1
    picture = drawing(doc)
    voices = {n["label"]: n["colour"] for n in picture["nodes"] if n["role"] == "source"}
    assert set(voices) == set(FEEDS)
    assert len(set(voices.values())) == 3, "a colour for each source"
    drawn = {e["source"].removeprefix("source "): e for e in picture["edges"] if e["source"].startswith("source ")}
    assert drawn["tourbook"]["width"] < drawn["harbour"]["width"], "as wide as it is trusted"
    assert {n: e["colour"] for n, e in drawn.items()} == voices
    assert re.search(r"tourbook says Pier 5 \(0\.\d\d, not believed\)", call("show", "last", "--store", store))


def test_confirming_moves_trust_and_nothing_else_does(store, tmp_path):
    own = load(tmp_path / "own", FEEDS)
    before = json.loads(call("fuse", "Aurora", "--method", "mcc-normalised", "--json", "--store", own))
    call("ask", QUESTION, "--strategy", "multirag", "--store", own)
    assert json.loads(call("fuse", "Aurora", "--method", "mcc-normalised", "--json", "--store", own)) == before, (
        "asking moves nothing"
    )
    text = call("confirm", "last", "--wrong", "--answer", "Pier 5", "--store", own)
    assert re.search(r"tourbook +1 +1", text)
    assert re.search(r"harbour +0 +1", text)
    after = json.loads(call("fuse", "Aurora", "--method", "mcc-normalised", "--json", "--store", own))
    trust = [{s["name"]: s["reliability"] for s in doc["sources"]} for doc in (before, after)]
    assert trust[1]["tourbook"] > trust[0]["tourbook"]
    assert trust[1]["harbour"] < trust[0]["harbour"]
    frozen = {"HYDRA_VERIFICATION_HISTORY": "frozen"}
    call("confirm", "last", "--right", "--store", own, code=2, env=frozen)
    assert (
        json.loads(call("fuse", "Aurora", "--method", "mcc-normalised", "--json", "--store", own, env=frozen)) == after
    )


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")  # rdflib's own parser
def test_export_is_json_ld_that_others_read(store, tmp_path):
    file = tmp_path / "claims.jsonld"
    call("export", "--jsonld", file, "--store", store)
    graph = rdflib.Graph().parse(data=file.read_text("utf-8"), format="json-ld")
    claims = set(graph.subjects(RDF.type, RDF.Statement))
    assert len(claims) == 36
    piers = [
        (str(graph.value(c, DCTERMS.source)), str(graph.value(c, RDF.object)))
        for c in claims
        if str(graph.value(c, RDF.predicate)) == "urn:hydra-kg:term:pier"
        and str(graph.value(c, RDF.subject)).endswith("Aurora")
    ]
    assert set(piers) == {(f"urn:hydra-kg:source:{n}", f"Pier {p}") for n, p in zip(FEEDS, (3, 3, 5), strict=True)}
    moments = {o.datatype.rpartition("#")[2] for o in graph.objects(None, RDF.object) if getattr(o, "datatype", None)}
    assert moments == {"dateTime"}
    ours = rdflib.Namespace("urn:hydra-kg:ns:")
    harbour = rdflib.URIRef("urn:hydra-kg:source:harbour")
    assert str(graph.value(harbour, ours.domain)) == "table"
    index = {
        str(graph.value(c, ours.column)): int(graph.value(c, ours.claims)) for c in graph.objects(harbour, ours.columns)
    }
    assert index == {"pier": 4, "departs": 4, "captain": 4}


def test_statements_are_read_alike_one_by_one_and_all_together(store):
    with EmbeddedStore(store) as opened, opened.snapshot() as snapshot:
        every = list(every_statement(snapshot))
        single = [s for c in snapshot.all_classes().tolist() for s in statements(snapshot, [c])]
        rows = every_row(snapshot)
    assert sorted(every, key=lambda s: s.fact.id) == sorted(single, key=lambda s: s.fact.id)
    assert len(every) == 36
    columns = [tuple(names[n] for names, n in zip(rows.names, row, strict=True)) for row in rows.codes.tolist()]
    assert columns == list(rows_of(every))


class Reader(OfflineAgent):
    """Reads, and trusts whom it is told to."""

    name = "reader"
    reads = True
    trusts = "tourbook"

    def __init__(self):
        super().__init__()
        self.weighed, self.judged = [], []

    def prune(self, analysis, what, options, *, most):
        assert what == "authority"
        self.weighed = [o.text for o in options]
        return tuple(Picked(n, float(self.trusts in o.text)) for n, o in enumerate(options))

    def judge(self, analysis, evidence, **known):
        self.judged = [e.line for e in evidence]
        return super().judge(analysis, evidence, **known)


class Asked(Tools):
    """Tools that hand out that agent."""

    def __init__(self, settings):
        super().__init__(settings)
        self.reader = Reader()

    def judge(self):
        return Judge(self.reader)


def asked(path, strategy="multirag", settings=None):
    """The answer of an agent that reads, and that agent."""
    settings = settings or Settings()
    with EmbeddedStore(path) as opened:
        tools = Asked(settings)
        return Reasoner(opened, settings=settings, strategy=strategy, tools=tools).ask(QUESTION), tools.reader


def test_an_agent_that_reads_gives_authority(tmp_path):
    """Two sources, one against the other: nothing but authority can tell them apart."""
    answer, reader = asked(load(tmp_path / "two", ("harbour", "tourbook")))
    assert reader.weighed == [
        "harbour (table, statements here: 1): {Aurora} → pier → {Pier 3}",
        "tourbook (table, statements here: 1): {Aurora} → pier → {Pier 5}",
    ]
    assert [re.sub(r"0\.\d\d", "C", line) for line in reader.judged] == [
        "{Aurora} → pier → {Pier 5} (rejected: tourbook C(v) C)",
        "{Aurora} → pier → {Pier 3} (rejected: harbour C(v) C)",
    ]
    assert answer.answers[0].name == "Pier 5"
    assert answer.answer_text == "Sources disagree: tourbook says Pier 5; harbour says Pier 3."
    assert answer.verdict == "contested"


def test_the_graph_level_filters_before_the_nodes_do(store):
    """Two of three agree: C(G) is a third, below the threshold of the paper."""
    counts = asked(store)[0].explorations[-1].counts
    assert (counts["nodes"], counts["coarse"], counts["groups"]) == (3, 3, 1)
    counts = asked(store, settings=Settings().changed(verification={"graph_level": 0.5}))[0].explorations[-1].counts
    assert (counts["coarse"], counts["fine"]) == (0, 0)
    assert asked(store, "multirag+graph_threshold=0.3")[0].explorations[-1].counts["coarse"] == 3


def test_without_the_line_graph_every_source_stands_alone(store):
    answer, _ = asked(store, "multirag+line_graph=false")
    counts = answer.explorations[-1].counts
    assert (counts["groups"], counts["isolated"], counts["across_sources"]) == (3, 3, 0)
    assert {a.name for a in answer.answers} == {"Pier 3", "Pier 5"}, "nothing speaks against an isolated point"


def test_bad_input_says_what_to_do(store):
    assert "departs" in call_error("fuse", "Aurora", "--attribute", "moon", "--store", store)
    assert "knows" in call_error("fuse", "Nobody At All", "--store", store)
    assert "There are: " in call_error("fuse", "Aurora", "--method", "magic", "--store", store)
    assert "--right or --wrong" in call_error("confirm", "last", "--store", store)


def call_error(*words):
    result = CliRunner().invoke(main, [str(w) for w in words], prog_name="hydra-kg")
    assert result.exit_code in (1, 2)
    assert "Traceback" not in result.output
    return result.output
