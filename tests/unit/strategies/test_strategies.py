"""Strategies as values: parameters in their name, the page about them, and the formulas that their steps share."""

from __future__ import annotations

import importlib.util
import inspect
import math
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.samples.answers import MOZART, PASSAGE, SALZBURG, VIENNA, evidence, hop

from bench.generate.step_recording import StepRecording
from hydra_kg.agents.answer_type_words import as_question, is_claim
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.citations import clue_class, evidence_class
from hydra_kg.cli.evaluation.options import strategies_of
from hydra_kg.domain import UNSEARCHED, AnswerValue, Judgement, Picked
from hydra_kg.errors import UsageError
from hydra_kg.fakes import FakeEmbedder, FakeVectorIndex
from hydra_kg.settings import Settings
from hydra_kg.steps.answering.count_and_boolean import truth
from hydra_kg.steps.answering.recall import agreed
from hydra_kg.steps.beam.beam_search import prune_relations
from hydra_kg.steps.beam.frontier import Branch, PathWalk
from hydra_kg.steps.context import Observers, Services
from hydra_kg.steps.text.entity_contexts import entity_scores
from hydra_kg.steps.text.sentence_retrieval import PassageSentence, bm25, ranked
from hydra_kg.strategies.pog.pruning import path_pruning
from hydra_kg.strategies.registry import make_strategy
from hydra_kg.util.recording import step

ROOT = Path(__file__).resolve().parents[3]
OURS = sorted(e.name for e in entry_points(group="hydra_kg.strategies") if e.value.startswith("hydra_kg."))


@pytest.fixture(scope="module")
def table() -> Any:
    spec = importlib.util.spec_from_file_location("strategy_table", ROOT / "bench" / "generate" / "strategy_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_page_is_what_a_fresh_recording_says(table, sample_store):
    made = table.pages(sample_store)
    there = {name: (ROOT / "docs" / name).read_text("utf-8") for name in made}
    assert there == made, "run bench/generate/strategy_table.py"
    assert {f"strategies/{page.name}" for page in (ROOT / "docs" / "strategies").iterdir()} == set(made) - {
        "strategies.md"
    }


@pytest.mark.parametrize("name", ["hydra", "pog", "tog", "tog-r", "tog-2", "multirag"])
def test_a_paper_s_words_are_those_of_steps_that_run(table, name):
    """A step that no run takes has no word; what the model is asked for has one."""
    page = (ROOT / "docs" / "strategies" / f"{name}.md").read_text("utf-8")
    rows = [row.split(" | ") for row in page.splitlines() if row.startswith("| ") and "`" in row]
    ran = {row[1].strip("`") for row in rows}
    optional = {"branch_reduced"} if name == "pog" else {"draw_entities"} if name == "tog" else {"prune_entities"}
    assert set(table.TERMS[name]) - ran <= optional | {"joint_paths"}  # the question that is recorded has one topic
    assert len(rows) >= 6


def test_nothing_is_recorded_where_nobody_listens(sample, monkeypatch):
    begun: list[str] = []
    monkeypatch.setattr(StepRecording, "__call__", lambda self, name: begun.append(name))
    assert sample.reasoner.recorder is None
    sample.ask("Where was John Lennon born?", keep=False)
    assert begun == []


SEARCHING = {f"hydra_kg.steps.{room}" for room in ("exploration", "beam", "operators")} | {"hydra_kg.index"}
JUDGING = {"hydra_kg.fusion", "hydra_kg.steps.verification", "hydra_kg.steps.text"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "module, heavy",
    [
        ("model_only", SEARCHING | JUDGING | {f"hydra_kg.steps.{r}" for r in ("linking", "retrieval", "relevance")}),
        ("retrieval_only", SEARCHING | JUDGING),
        ("text_rag", SEARCHING | {"hydra_kg.fusion.truth_discovery"}),
        ("chain_of_knowledge", {"hydra_kg.steps.beam", "hydra_kg.steps.operators", "hydra_kg.fusion.truth_discovery"}),
    ],
)
def test_a_baseline_imports_no_step_that_it_does_not_take(module, heavy):
    code = f"import sys, hydra_kg.strategies.baselines.{module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    papers = {name for name in loaded if name.startswith("hydra_kg.strategies.") and name.count(".") > 2}
    assert {name for name in papers if not name.startswith("hydra_kg.strategies.baselines")} == set()
    assert {name for name in loaded if any(name == h or name.startswith(f"{h}.") for h in heavy)} == set()


def test_a_recording_knows_order_depth_and_calls():
    calls = 0
    recording = StepRecording(lambda: calls)
    context = SimpleNamespace(observers=Observers(recorder=recording))

    @step("inner")
    def inner(context: Any, again: bool = True) -> None:
        nonlocal calls
        calls += 2
        if again:
            inner(context, again=False)

    @step("outer")
    def outer(holder: Any) -> None:
        nonlocal calls
        calls += 1
        inner(holder.context)
        calls += 1

    outer(SimpleNamespace(context=context))
    inner(SimpleNamespace(observers=Observers()))
    assert [(s.name, s.depth, s.calls) for s in recording.steps] == [("outer", 0, 2), ("inner", 1, 4)]


@pytest.mark.parametrize("name", OURS)
def test_each_strategy_says_what_it_is(name):
    made = make_strategy(name)
    assert made.name == name
    assert made.paper
    assert len(inspect.getsource(type(made).run).splitlines()) <= 80


def test_parameters_stand_in_the_name():
    made: Any = make_strategy("tog-2+clues=false+ranker=bm25+threshold=0.5+width=8+depth=2")
    assert (made.clues, made.ranker, made.threshold, made.width, made.depth) == (False, "bm25", 0.5, 8, 2)
    assert made.name == "tog-2+clues=false+ranker=bm25+threshold=0.5+width=8+depth=2"
    assert make_strategy("pog+case=three-step").case == "three-step"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name, said",
    [
        ("tog+with=3", "no parameter 'with'"),
        ("tog+width", "no parameter"),
        ("tog+name=x", "no parameter 'name'"),
        ("tog+width=three", "does not fit"),
        ("tog+width=-1", "does not fit"),
        ("tog+width=nan", "does not fit"),
        ("tog-2+alpha=nan", "does not fit"),
        ("tog-2+ranker=bm26", "does not fit"),
        ("tog-2+clues=maybe", "does not fit"),
        ("nothing+width=3", "no strategy 'nothing'"),
    ],
)
def test_parameters_that_do_not_fit_are_refused_with_what_does(name, said):
    with pytest.raises(UsageError, match=said) as raised:
        make_strategy(name)
    assert raised.value.remedy


@pytest.mark.parametrize("most, found", [(0, 30), (16, 16)])
def test_a_dense_ranker_looks_at_as_many_texts_as_the_settings_say(most, found):
    context: Any = SimpleNamespace(
        settings=Settings().changed(retrieval={"ranked_texts": most}),
        space=SimpleNamespace(embedder=FakeEmbedder()),
        services=Services(FakeVectorIndex),
    )
    analysis = OfflineAgent().parse("where?", (), d_max=3)
    texts = [f"sentence number {n}" for n in range(30)]
    assert len(ranked(context, analysis, "a sentence", texts, ranker="dense", most=30)) == found


def test_bm25_by_hand():
    """N = 3, "war" in two, mean length 3; idf = ln(1 + 1.5/2.5); norm of length 2: 1.5 (.25 + .75 · 2/3) = 1.125."""
    scores = bm25("the war", ["war war", "peace and quiet now", "a war here"])
    idf = math.log(1 + 1.5 / 2.5)
    assert scores[0] == pytest.approx(idf * 2 * 2.5 / (2 + 1.125))
    assert scores[1] == 0
    assert scores[2] == pytest.approx(idf * 2.5 / (1 + 1.5))
    assert bm25("x", []) == []


def test_scores_of_entities_by_hand():
    """Eq. 6 with α = .1: the second and the third chunk are of one entity."""
    about = ((1, 0.9), (2, 0.8), (2, 0.5))
    chunks = [PassageSentence(replace(PASSAGE, node=n), "", 0, 0, score) for n, score in about]
    found = entity_scores(chunks, alpha=0.1)
    assert found[1] == pytest.approx(0.9 * math.exp(-0.1))
    assert found[2] == pytest.approx(0.8 * math.exp(-0.2) + 0.5 * math.exp(-0.3))
    assert max(found, key=lambda n: found[n]) == 2, "two good chunks beat the best one"
    assert entity_scores([], alpha=0.1) == {}


@pytest.mark.parametrize(
    "draws, answers, share",
    [
        (["a", "b", "A"], ("a",), 2 / 3),
        (["b", "a"], ("b",), 1 / 2),
        (["", "", "c"], ("c",), 1 / 3),
        (["", ""], (), 0),
    ],
)
def test_what_most_draws_say(draws, answers, share):
    class Agent:
        def know(self, analysis, *, think, sample):
            name = draws[sample - 1]
            return Judgement(bool(name), 0.0, "" if name else "?", (name,) if name else ())

    context: Any = SimpleNamespace(agent=Agent())
    found = agreed(context, OfflineAgent().analyse("who?", (), d_max=1), samples=len(draws), think=True)
    assert (found.answers, found.confidence) == (answers, pytest.approx(share, abs=1e-4))


@pytest.mark.parametrize(
    "text, claim",
    [
        ("Tennessee was unaware of the Confederacy.", True),
        ("People use spaghetti to tie items together.", True),
        ("The actor who played Rufus was born in Lima.", True),
        ("who played rufus", False),
        ("Who played Rufus?", False),
        ("Name the films of Carol Reed.", False),
        ("In which city did Clara Schumann teach.", False),
        ("whats the genre of the film rainfox.", False),
        ("This film falls under the comedy genre.", False),
        ("Vienna.", False),
        ("", False),
        ("...", False),
        ("Please show the names of singers from France.", False),
        ("Please sort them by age.", False),
        ("Please Please Me is an album.", True),
        ("Return to Oz is a film.", True),
        ("Return the birth date of the poker player with the lowest earnings.", False),
        ("Calculate the average height of all superheroes.", False),
        ("Clara Schumann gave the first concert in Vienna.", True),
    ],
)
def test_a_claim_is_told_by_its_form(text, claim):
    assert is_claim(text) is claim
    analysis = OfflineAgent().analyse(text, (), d_max=3)
    assert (analysis.answer_type == "claim") is claim
    assert analysis.question == (as_question(text) if claim else text)


@pytest.mark.parametrize(
    "names, said",
    [(["yes"], "true"), (["True"], "true"), (["no", "yes"], "false"), (["Rome"], "unknown"), ([], "unknown")],
)
def test_the_truth_of_a_claim(names, said):
    claim = OfflineAgent().analyse("Rome is old.", (), d_max=1)
    assert truth(claim, [AnswerValue(n) for n in names]) == said
    assert truth(replace(claim, answer_type=""), [AnswerValue(n) for n in names]) is None


def test_evidence_classes():
    assert evidence_class("", ()) == ""
    assert evidence_class("kg", {"initial"}) == "KG only"
    assert evidence_class("kg", {"initial", "predicted"}) == "LLM-inspired KG"
    assert evidence_class("llm", {"expanded"}) == "KG-inspired LLM"
    assert evidence_class("kg+wiki", {"initial"}) == "", "the paper has no text"


def test_classes_of_clues():
    """ToG-2 Tables 4 and 6."""
    found = {
        label: clue_class(label) for label in ("", "llm", "kg", "table", "wiki", "kg+web", "table+wiki", "kg+table")
    }
    assert found == {
        "": "",
        "llm": "direct",
        "kg": "triple",
        "table": "triple",
        "wiki": "doc",
        "kg+web": "both",
        "table+wiki": "both",
        "kg+table": "triple",
    }


class Chooser:
    """Selects the places it is told, call by call; keeps what it was shown."""

    def __init__(self, *places: tuple[int, ...]) -> None:
        self.places, self.shown = list(places), list[list[str]]()

    def select_paths(self, analysis, found, *, most, state):
        self.shown.append([e.path.text for e in found])
        return tuple(Picked(p, 0.5) for p in self.places.pop(0)[:most])


FOUND = [
    evidence(hop(MOZART, a, SALZBURG), hop(SALZBURG, b, VIENNA)) for a in ("born", "lived") for b in ("in", "near")
]


def test_branch_reduced_selection_keeps_the_paths_of_the_heads_selected():
    """Algorithm 2 lines 12–22 with W = 1: heads at D = 1 (born, lived), then at D = 2 those of the one kept."""
    agent = Chooser((1,), (0,))
    context: Any = SimpleNamespace(agent=agent, settings=Settings(pruning={"w_max": 1}))
    analysis = OfflineAgent().analyse("where?", (), d_max=3)
    picked = path_pruning(context, analysis, FOUND, case="branch", w1=80, w2=20, d_max=3, state=UNSEARCHED)
    assert [p.place for p in picked] == [2]
    assert [len(s) for s in agent.shown] == [2, 2]
    assert agent.shown[0] == [f"{MOZART.name} — {a} → Salzburg" for a in ("born", "lived")]


def test_fuzzy_selection_comes_first_and_asks_nobody():
    context: Any = SimpleNamespace(agent=Chooser((1, 0)), settings=Settings(pruning={"w_max": 2}))
    analysis = OfflineAgent().analyse("where?", (), d_max=3)
    fuzzy = path_pruning(context, analysis, FOUND, case="fuzzy", w1=80, w2=20, d_max=3, state=UNSEARCHED)
    assert [p.place for p in fuzzy] == [0, 1]
    assert not context.agent.shown
    precise = path_pruning(context, analysis, FOUND, case="precise", w1=3, w2=20, d_max=3, state=UNSEARCHED)
    assert [p.place for p in precise] == [1, 0]
    assert len(context.agent.shown[0]) == 3, "W_1"


def test_a_list_of_names_may_hold_parameters():
    assert strategies_of("tog+depth=2, hydra,tog+depth=2", model=False, web=False) == ("tog+depth=2", "hydra")
    with pytest.raises(UsageError, match="no parameter 'deep'"):
        strategies_of("tog+deep=2", model=False, web=False)


def test_scores_of_one_call_are_shares_where_tog_s_prompts_are_followed():
    """ToG §2.2.2: two relations of .8 and .4 count .67 and .33, a lone one 1, each times its walk."""
    scores = {"a": 0.8, "b": 0.4, "c": 0.2}

    def prune(analysis: Any, what: str, options: Any, *, most: int) -> Any:
        return tuple(Picked(i, scores[o.text[-1]]) for i, o in enumerate(options))

    node = SimpleNamespace(node=SimpleNamespace(name="X", key="m.0b"))
    context: Any = SimpleNamespace(agent=SimpleNamespace(prune=prune, reads=True), entities=lambda ids: {ids[0]: node})
    walks = PathWalk(1), PathWalk(2, score=0.5)
    graph: Any = None
    grown = [[Branch(walks[0], graph, graph, r, 0.5) for r in "ab"], [Branch(walks[1], graph, graph, "c", 0.5)]]
    plain, shared = (prune_relations(context, None, grown, width=3, shares=s) for s in (False, True))  # type: ignore[arg-type]
    assert [(b.text, round(b.score, 2)) for b in plain] == [("a", 0.8), ("b", 0.4), ("c", 0.1)]
    assert [(b.text, round(b.score, 2)) for b in shared] == [("a", 0.67), ("c", 0.5), ("b", 0.33)]
