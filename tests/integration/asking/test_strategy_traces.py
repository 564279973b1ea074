"""Each strategy against its algorithm, line by line: prompts in order, survivors of every prune, stop, calls."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.samples.scripted import ALWAYS, NO, YES, asked, every, pick
from helpers.small_country import cached_embedder, country_store  # noqa: F401  fixtures

from hydra_kg.citations import evidence_class
from hydra_kg.domain import WebResult
from hydra_kg.errors import UsageError
from hydra_kg.fakes import FakePageFetcher, FakeWebSearch
from hydra_kg.reasoner import Reasoner
from hydra_kg.settings import Settings

LEADER, PATRON = "{Freedonia} → leader → {Rufus Firefly}", "{Rufus Firefly} → patron → {Gloria Teasdale}"
WHOLE = "{Freedonia} → leader → {Rufus Firefly} → patron → {Gloria Teasdale}"

NO_TEXT = Settings().changed(verification={"text": False})
"""What graphs alone say: the papers do not check an answer against text."""


def relation(line: str) -> str:
    return line.rpartition(" → ")[2]


# ToG (§2.2): relations of each entity, entities of the W best, "enough?", again.


def test_tog_scores_relations_then_entities_then_asks_whether_it_is_enough(store, embedder):
    first = pick({"leader": 9, "neighbour": 4, "citizen": 6})
    second = pick({"patron": 10, "spy": 2, "leader": 3, "admirer": 1})
    entities = pick({"Citizen": 5})
    says = {"prune_relations": [first, second], "prune_entities": entities, "judge": [NO, YES]}
    answer, script = asked(store, embedder, "tog", says)
    assert script.steps == [
        "prune_relations",  # of Freedonia
        "prune_entities",  # of its citizens alone: one leader, one neighbour
        "judge",
        "prune_relations",  # of Rufus Firefly
        "prune_relations",  # of Sylvania; the citizen has no relation but the one behind
        "judge",
    ]
    relations, others = script.lines("prune_relations")[0], script.lines("prune_relations")[1:]
    assert {relation(r) for r in relations} == {"leader", "neighbour", "capital", "anthem", "citizen"}
    assert [{r.split(" → ")[0] for r in lines} for lines in others] == [{"{Rufus Firefly}"}, {"{Sylvania}"}]
    (drawn,) = script.lines("prune_entities")
    assert len(drawn) == 5, "of 25 citizens a sample of five is scored"
    # Products: leader .9; neighbour .4; citizens .6 × .5 = .3. Then .9 × 1, .4 × .3, .9 × .1 and .4 × .2.
    assert script.lines("judge")[0][:2] == [LEADER, "{Freedonia} → neighbour → {Sylvania}"]
    assert "Citizen" in script.lines("judge")[0][2]
    assert script.lines("judge")[1] == [
        WHOLE,
        "{Freedonia} → neighbour → {Sylvania} → leader → {Ambassador Trentino}",
        "{Freedonia} → leader → {Rufus Firefly} → admirer → {Vera Marcal}",
    ]
    assert [x.phase for x in answer.explorations] == ["depth 1", "depth 2"]
    assert [x.counts["relations_kept"] for x in answer.explorations] == [3, 3]
    pruned = [e for e in answer.explorations[0].evidence if not e.kept]
    assert [e.reason for e in pruned] == ["below the W best entities"] * 4
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]
    assert answer.evidence[0].path.text == "Freedonia — leader → Rufus Firefly — patron → Gloria Teasdale"
    assert [c.source for c in answer.citations] == ["facts", "facts"]


def test_the_reason_of_a_no_guides_the_next_pruning_where_it_is_asked_for(store, embedder):
    for strategy, shown in (("tog", False), ("tog+reasons=true", True)):
        _, script = asked(store, embedder, strategy)
        pruned = [p for (step, _), p in zip(script.asked, script.prompts, strict=True) if step == "prune_relations"]
        assert "his patron" not in pruned[0]
        assert all(("(the model misses “his patron”)" in p) is shown for p in pruned[1:]), strategy
        judged = [p for (step, _), p in zip(script.asked, script.prompts, strict=True) if step == "judge"]
        assert not any("the model misses" in p for p in judged)


def test_tog_ends_with_what_the_model_knows(store, embedder):
    answer, script = asked(
        store,
        embedder,
        "tog",
        {"answer": {"why": "", "answers": ["Groucho"]}},
        settings=Settings(model={"alone": True}),
    )
    assert script.steps[-2:] == ["judge", "answer"]
    assert [bool(x.counts["kept"]) for x in answer.explorations] == [True, True, False], "two hops on the graph ends"
    assert ([a.name for a in answer.answers], answer.label, answer.verdict) == (["Groucho"], "llm", "unsupported")


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(
    "name, bound", [("tog", lambda w, d: 2 * w * d + d + 1), ("tog-r", lambda w, d: w * d + d + 1)]
)
def test_tog_makes_no_more_calls_than_the_paper_says(store, embedder, name, bound, width, depth):
    answer, script = asked(store, embedder, f"{name}+width={width}+depth={depth}")
    assert len(script.steps) <= bound(width, depth)
    assert script.steps.count("judge") <= depth
    assert answer.strategy == f"{name}+width={width}+depth={depth}"
    assert max(len(x.topics) for x in answer.explorations) <= width


def test_tog_r_draws_entities_by_seed_and_judges_relation_chains(store, embedder):
    says = {"prune_relations": [pick({"citizen": 9, "leader": 8}), every], "judge": [NO, YES]}
    answer, script = asked(store, embedder, "tog-r", says)
    assert "prune_entities" not in script.steps
    first = script.lines("judge")[0]
    assert first[0].startswith("{Freedonia} → citizen → {Citizen")
    assert first[0].endswith(", …}"), "a chain shows the set that it leads to"
    assert first[1] == LEADER
    assert asked(store, embedder, "tog-r", says)[1].asked == script.asked, "the same seed draws the same"
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]


# ToG-2 (Algorithm 1).

TOG2 = ["prune_relations", "judge"]


def test_tog2_alternates_between_graph_and_texts(store, embedder):
    says = {
        "prune_relations": [pick({"leader": 9, "neighbour": 4, "capital": 1}), pick({"patron": 9, "admirer": 3})],
        "judge": [NO, {**NO, "facts": "He is the leader."}, YES],
    }
    answer, script = asked(store, embedder, "tog-2", says)
    assert script.steps == ["prune_topics", "judge", *TOG2, "follow_up", *TOG2]
    documents, one, two = script.lines("judge")
    assert documents == ["Freedonia: Freedonia is a small country.", "Freedonia: It is always short of money."]
    assert one[:2] == [LEADER, "{Freedonia} → neighbour → {Sylvania}"]
    assert any("A rich widow pays his bills" in line for line in one[2:]), "chunks of the entities found"
    assert not any("capital" in line for line in one), "1 of 10 is below the threshold of .2"
    assert {relation(r) for r in script.lines("prune_relations")[1]} >= {"patron", "admirer", "spy", "leader"}, (
        "one call for the relations of all entities (Eq. 3)"
    )
    assert two[0] == WHOLE
    summaries = [re.search(r"^Summary: (.*)$", p, re.MULTILINE) for p in script.prompts]
    assert [m[1] for m in summaries if m] == ["Rufus Firefly leads Freedonia.", "He is the leader."], "Clues^(i−1)"
    assert [x.counts["kept"] for x in answer.explorations] == [2, 2]
    assert [x.counts["retained_score"] for x in answer.explorations] == [650, 600], "mean of .9 and .4, of .9 and .3"
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]


def test_tog2_ends_after_the_documents_of_the_topics_if_they_are_enough(store, embedder):
    yes = {**YES, "answers": ["small country"]}
    answer, script = asked(store, embedder, "tog-2", {"judge": yes}, question="What is Freedonia?")
    assert script.steps == ["prune_topics", "judge"]
    assert (answer.label, [c.source for c in answer.citations]) == ("wiki", ["text"])


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("first", [0, 1])
def test_tog2_makes_no_more_calls_than_the_paper_says(store, embedder, depth, first):
    """§4.6 counts neither the judgement before the first iteration nor, with Eq. 2, the queries in between."""
    _, script = asked(store, embedder, f"tog-2+depth={depth}+first_round={'true' if first else 'false'}")
    assert len(script.steps) <= 2 * depth + (depth - 1) + 1 + first
    options = f"tog-2+depth={depth}+combined=false+clues=false+first_round={'true' if first else 'false'}"
    _, script = asked(store, embedder, options)
    assert len(script.steps) <= 3 * depth + depth + 1 + first
    assert script.steps.count("prune_relations") >= (2 if depth > 1 else 1)


def test_parts_of_tog2_can_be_left_out(store, embedder):
    steps = asked(store, embedder, "tog-2+topic_prune=false+clues=false")[1].steps
    assert not {"prune_topics", "follow_up"} & set(steps)
    assert asked(store, embedder, "tog-2+clues=false")[1].steps.count("judge") == 3
    script = asked(store, embedder, "tog-2+clues=false")[1]
    assert not any("Summary: Rufus" in p for p in script.prompts)
    assert "prune_chunks" in asked(store, embedder, "tog-2+ranker=llm")[1].steps
    lexical = asked(store, embedder, "tog-2+ranker=bm25", {"judge": [NO, NO, YES]})[0]
    assert [a.name for a in lexical.answers] == ["Gloria Teasdale"]


def test_tog2_starts_with_self_consistency_where_it_is_asked_for(store, embedder):
    unsure = {"why": "", "answers": []}
    answer, script = asked(store, embedder, "tog-2+samples=4", settings=Settings(model={"alone": True}))
    assert script.steps == ["know"] * 4
    assert script.samples == [(n, 0.7) for n in (1, 2, 3, 4)]
    assert ([a.name for a in answer.answers], answer.label) == (["Gloria Teasdale"], "llm")
    known = ALWAYS["know"]
    _, script = asked(
        store, embedder, "tog-2+samples=4", {"know": [known, unsure, {**known, "answers": ["Vera"]}, unsure]}
    )
    assert script.steps[:5] == [*["know"] * 4, "prune_topics"], "one of four is less than half"


# PoG (Algorithms 1 and 2).

SEARCH = ["select_paths", "refine", "judge"]


def test_pog_deepens_from_the_predicted_depth_then_predicts_then_expands_then_takes_all(store, embedder):
    answer, script = asked(store, embedder, "pog", {"answer": {"why": "", "answers": []}})
    topic = SEARCH * 3  # D = 1, 2, 3
    expand = ["select_paths", *SEARCH]
    assert script.steps[: 1 + len(topic)] == ["analyse", *topic]
    assert script.steps[1 + len(topic) :][:4] == ["predict", *SEARCH]
    assert script.steps[5 + len(topic) :][: len(expand)] == expand
    assert script.steps[-3:] == ["select_paths", "refine", "answer"]
    assert [(x.phase, x.depth) for x in answer.explorations][:5] == [
        ("initial", 1),
        ("initial", 2),
        ("initial", 3),
        ("predicted", 3),
        ("expanded", 1),
    ]
    assert answer.abstained


@pytest.mark.parametrize(
    "no, phases, kind",
    [
        (0, ["initial"], "KG only"),
        (1, ["initial"] * 2, "KG only"),
        (3, [*["initial"] * 3, "predicted"], "LLM-inspired KG"),
    ],
)
def test_pog_stops_at_the_first_judgement_that_says_yes(store, embedder, no, phases, kind):
    yes = {**YES, "answers": ["Rufus Firefly"]} if no == 0 else YES
    best = pick({"patron → {Gloria": 9, "leader → {Rufus Firefly}": 5})
    answer, script = asked(store, embedder, "pog", {"judge": [*[NO] * no, yes], "select_paths": best}, settings=NO_TEXT)
    assert [x.phase for x in answer.explorations] == phases
    assert script.steps.count("judge") == no + 1
    assert evidence_class(answer.label, {e.phase for e in answer.evidence}) == kind
    assert answer.evidence[0].path.hops[-1].object.name == answer.answers[0].name


def test_pog_expands_what_was_kept_by_one_hop_of_the_whole_graph(store, embedder):
    """G_q at D_max = 1 does not hold the patron; node expand reads 𝒢."""
    one = pick({"leader → {Rufus Firefly} → patron": 9, "leader → {Rufus Firefly}": 9})
    says = {"judge": [NO, YES], "select_paths": one, "predict": {"predictions": []}}
    answer, script = asked(store, embedder, "pog+depth=1", says)
    assert script.steps == ["analyse", *SEARCH, "predict", "select_paths", *SEARCH]
    assert WHOLE in script.lines("select_paths")[-1]
    assert [x.phase for x in answer.explorations] == ["initial", "expanded"]
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]
    assert answer.evidence[0].path.text == "Freedonia — leader → Rufus Firefly — patron → Gloria Teasdale"


@pytest.mark.parametrize(
    "case, selects, first",
    # Five relations from the topic: W_1 = 80 keeps them; branch: 5 heads over W_max = 3; three-step: over W_2 = 4 too.
    [("fuzzy", 0, 0), ("precise", 1, 5), ("branch", 1, 5), ("three-step+w2=4", 2, 5), ("three-step+w2=20", 1, 5)],
)
def test_pog_prunes_by_four_strategies(store, embedder, case, selects, first):
    says: dict[str, Any] = {"judge": {**YES, "answers": ["Rufus Firefly"]}, "select_paths": every}
    answer, script = asked(store, embedder, f"pog+case={case}", says)
    assert script.steps == ["analyse", *["select_paths"] * selects, "refine", "judge"]
    assert [len(lines) for lines in script.lines("select_paths")][:1] == [first] * bool(selects)
    if selects == 2:
        assert len(script.lines("select_paths")[1]) == 4
    (shown,) = script.lines("judge")
    assert len(shown) == 3
    assert LEADER in shown
    assert [a.name for a in answer.answers] == ["Rufus Firefly"]


def test_pog_e_and_no_summary_and_window_are_parameters(store, embedder):
    assert "refine" not in asked(store, embedder, "pog+summarise=false")[1].steps
    answer, _ = asked(store, embedder, "pog-e", {"judge": [NO, YES], "select_paths": pick({"patron → {Gloria": 9})})
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]
    deep = {**ALWAYS["analyse"], "skyline": "Freedonia - leader - person - patron - answer"}
    _, script = asked(store, embedder, "pog+window=true", {"analyse": deep, "judge": YES})
    assert all(line.count(" → ") > 2 for line in script.lines("select_paths")[0]), "over |Topic|(D − 1) = 1 hop"


# Baselines.


@pytest.mark.parametrize(
    "name, steps, samples",
    [
        ("io", ["know"], [(0, 0.0)]),
        ("cot", ["know"], [(0, 0.0)]),
        ("sc", ["know"] * 5, [(n, 0.7) for n in range(1, 6)]),
    ],
)
def test_what_a_model_knows(store, embedder, name, steps, samples):
    answer, script = asked(store, embedder, name)
    assert (script.steps, script.samples) == (steps, samples)
    assert ([a.name for a in answer.answers], answer.label) == (["Gloria Teasdale"], "llm")
    assert answer.explorations == ()


def test_self_consistency_takes_what_most_draws_say(store, embedder):
    draws = [{"why": "", "answers": a} for a in (["Vera"], ["Groucho"], ["vera"], [], ["Zeppo"])]
    answer, _ = asked(store, embedder, "sc", {"know": draws})
    assert [a.name for a in answer.answers] == ["Vera"]
    assert answer.confidence == pytest.approx(0.4 / 2)


def test_text_rag_reads_the_nearest_sentences_and_asks_once(store, embedder):
    answer, script = asked(store, embedder, "text-rag", {"answer": {"why": "", "answers": ["Gloria Teasdale"]}})
    assert script.steps == ["answer"]
    assert 1 < len(script.lines("answer")[0]) <= 10
    assert all(": " in line for line in script.lines("answer")[0])
    assert answer.label == "wiki"
    assert {c.source for c in answer.citations} == {"text"}


def test_web_rag_reads_title_and_snippet_of_three_results(store, embedder):
    results = [WebResult(f"Patron {i}", f"https://p{i}.example/", f"The patron is number {i}") for i in range(5)]
    web: dict[str, Any] = {"search": FakeWebSearch(results), "fetcher": FakePageFetcher([])}
    answer, script = asked(store, embedder, "web-rag", {"answer": {"why": "", "answers": ["number 1"]}}, **web)
    assert script.steps == ["answer"]
    assert len(script.lines("answer")[0]) == 3
    assert (answer.label, len(answer.citations)) == ("web", 1)
    with pytest.raises(UsageError, match="search engine"):
        asked(store, embedder, "web-rag")


def test_cok_corrects_rationales_where_the_draws_do_not_agree(store, embedder):
    assert asked(store, embedder, "cok")[1].steps == ["know"] * 5
    parts = {**ALWAYS["analyse"], "parts": ["Who leads Freedonia?", "Who is his patron?"]}
    says = {"know": [{"why": "", "answers": [n]} for n in "abcde"], "analyse": parts}
    answer, script = asked(store, embedder, "cok", says)
    rationale = ["compose_query", "refine"]
    assert script.steps == [*["know"] * 5, "analyse", "select_sources", *rationale, *rationale, "answer"]
    assert "Rufus Firefly leads Freedonia. Rufus Firefly leads Freedonia." in script.prompts[-1]
    assert [a.name for a in answer.answers] == ["Gloria Teasdale"]


@pytest.mark.parametrize("name", ["io", "cot", "sc", "cok", "ircot", "rq-rag", "metarag", "mdqa", "chatkbqa"])
def test_what_needs_a_model_says_so_before_the_first_question(store, embedder, name):
    with pytest.raises(UsageError, match="not defined without a language model") as raised:
        Reasoner(store, settings=Settings(), strategy=name, embedder=embedder)
    assert "HYDRA_MODEL_NAME" in raised.value.remedy


# Claims: the same answer type whatever the strategy.

# That one country has one anthem does not show that a country has no other.
CLAIMS = [("Rufus Firefly is the leader of Freedonia.", "true"), ("Vera Marcal is the anthem of Freedonia.", "unknown")]


@pytest.mark.parametrize("name", ["hydra", "pog", "tog", "tog-r", "tog-2", "text-rag"])
@pytest.mark.parametrize("claim, truth", CLAIMS)
def test_claims_without_a_model(store, embedder, name, claim, truth):
    answer = Reasoner(store, settings=Settings(), strategy=name, embedder=embedder).ask(claim)
    assert answer.claim == truth or (name in {"text-rag", "pog"} and answer.claim == "unknown")


@pytest.mark.parametrize("name", ["hydra", "pog", "tog", "tog-r", "tog-2", "text-rag", "io", "cot", "sc", "cok"])
@pytest.mark.parametrize("said, truth", [("no", "false"), ("true", "true")])
def test_claims_with_a_model(store, embedder, name, said, truth):
    yes = {**YES, "answers": [said]}
    says = {"judge": yes, "answer": {"why": "", "answers": [said]}, "know": {"why": "", "answers": [said]}}
    says |= {"write_paths": {"paths": []}}
    answer, script = asked(store, embedder, name, says, question=CLAIMS[0][0])
    assert answer.claim == truth
    assert any("Is this claim true?" in p for p in script.prompts)


def test_without_a_topic_nothing_is_walked(store, embedder):
    for name in ("tog", "tog-r", "tog-2", "pog"):
        answer, _ = asked(
            store, embedder, name, question="who painted zzz?", says={"answer": {"why": "", "answers": []}}
        )
        assert answer.abstained
