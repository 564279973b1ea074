"""Under its preset each strategy is the paper's: its own steps, its own prompts, nothing of the default before them."""

from __future__ import annotations

import re

import pytest
from helpers.samples import graphs
from helpers.samples.scripted import NO, YES, asked, pick
from helpers.small_country import cached_embedder, country_store  # noqa: F401  fixtures

from hydra_kg.domain import AnswerData, Source
from hydra_kg.presets import with_preset
from hydra_kg.reasoner import Reasoner
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore

PAPERS = ["tog", "tog-r", "tog-2", "pog", "pog-e", "multirag"]


def printed(strategy: str, **changes: object) -> Settings:
    return with_preset(Settings(), "paper", strategy=strategy).changed(**changes)


def phases(answer: AnswerData) -> list[str]:
    return [x.phase for x in answer.explorations]


@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize("strategy", PAPERS)
def test_no_planner_of_ours_answers_in_the_name_of_a_paper(store, embedder, strategy, preset):
    question = "How many citizens does Freedonia have?"
    settings = with_preset(Settings(), preset, strategy=strategy)
    answer = Reasoner(store, settings=settings, strategy=strategy, agent="offline", embedder=embedder).ask(question)
    assert "plan" not in phases(answer)
    assert phases(answer), "the strategy explored"
    ours = Reasoner(store, settings=Settings(), strategy="hydra", agent="offline", embedder=embedder).ask(question)
    assert phases(ours) == ["plan"], "the default counts by its plan, and explores nothing"


def test_clues_of_tog_2_reach_the_next_prompt(store, embedder):
    """Eq. 7: PROMPT_rs(q, P^i, Ctx^i, Clues^(i-1))."""
    says = {
        "prune_relations": [pick({"leader": 9}), pick({"patron": 9})],
        "judge": [NO, {**NO, "facts": "He is the leader."}, YES],
    }
    _, script = asked(store, embedder, "tog-2", says, settings=printed("tog-2"))
    judged = [p for (step, _), p in zip(script.asked, script.prompts, strict=True) if step == "judge"]
    clues = [re.findall(r"^Summary: (.*)$", p, re.MULTILINE) for p in judged]
    assert clues == [[], ["Rufus Firefly leads Freedonia."], ["He is the leader."]]


def test_pog_expands_the_w_1_best_paths(store, embedder):
    """Algorithm 1 line 22: all paths of the next hop are pruned by Algorithm 2, whose first step keeps W_1."""
    says = {"topics": {"names": ["Freedonia"]}}
    answer, _ = asked(store, embedder, "pog+w2=2+depth=1", says, settings=printed("pog"))
    pools = [x.counts["pool"] for x in answer.explorations if x.phase == "expanded"]
    assert pools == [9], "the relations of Freedonia and of its three best neighbours, not two of them"


def test_tog_offers_a_relation_of_two_graphs_once_and_follows_both(embedder, tmp_path):
    """W relations are kept of an entity: two wordings of one relation to a common place count as one."""
    names = [("m.0b", "name", "Poe"), ("m.0c", "name", "Baltimore"), ("m.0d", "name", "Maryland")]
    with EmbeddedStore(tmp_path / "poe") as made:
        for load, relation in (("place", "of.death"), ("deceased person place", "of-death")):
            links = [("m.0b", relation, "m.0c", 0), ("m.0b", "nation", "m.0d", 0)]
            graphs.put(made, graphs.Spec(load, (Source(load),), links, names=names))
        says = {"prune_relations": pick({"death": 9}), "judge": {**YES, "answers": ["Baltimore"]}}
        answer, script = asked(made, embedder, "tog", says, question="Where did Poe die?", settings=printed("tog"))
    (offered,) = script.lines("prune_relations")
    assert [line for line in offered if "death" in line] == ["{Poe} → place of.death"]
    assert {c.source for c in answer.citations} == {"place", "deceased person place"}


def test_tog_goes_through_mediators_as_its_code_does(embedder, tmp_path):
    """Where a relation leads to nodes without names alone, they share its score without a call, and are no answers."""
    with EmbeddedStore(tmp_path / "films") as made:
        links = [("m.0b", "actor.film", "m.0cvt_1", 0), ("m.0cvt_1", "performance.film", "m.0d", 0)]
        links += [("m.0b", "actor.film", "m.0cvt_2", 0), ("m.0cvt_2", "performance.film", "m.0f", 0)]
        names = [("m.0b", "name", "Groucho"), ("m.0d", "name", "Duck Soup"), ("m.0f", "name", "Horse Feathers")]
        mediators = ["m.0cvt_1", "m.0cvt_2"]
        graphs.put(made, graphs.Spec("films", (Source("films"),), links, names=names, mediators=mediators))
        says = {"judge": [NO, {**YES, "answers": ["Duck Soup", "Horse Feathers"]}]}
        question = "What has Groucho acted in?"
        answer, script = asked(made, embedder, "tog", says, question=question, settings=printed("tog"))
    assert script.steps == ["prune_relations", "judge", "prune_relations", "prune_relations", "judge"]
    assert script.lines("judge")[0] == ["{Groucho} → films actor.film → {}"] * 2
    assert {line.rpartition(" → ")[2] for line in script.lines("judge")[1]} == {"{Duck Soup}", "{Horse Feathers}"}
    assert {a.name for a in answer.answers} == {"Duck Soup", "Horse Feathers"}


# MultiRAG: two graphs and a text about one attribute.

HEADQUARTERS = "Where is the headquarters of Quince Industries?"
SAYS = {
    "topics": {"names": ["Quince Industries"]},
    "analyse": {"parts": [], "skyline": "Quince Industries - headquarters - answer", "sources": []},
    "prune_authority": lambda lines, prompt: {"best": [{"n": n, "score": 8} for n in range(1, len(lines) + 1)]},
    "judge": {**NO, "enough": "yes", "answers": ["Corto Vale"]},
}
SENTENCE = "The headquarters of Quince Industries is in Corto Vale."


def writes(lines, prompt):
    """Return a chain from the sentence, wherever it stands in the list."""
    at = [n for n, line in enumerate(lines, 1) if SENTENCE in line]
    return {"paths": [{"n": n, "chain": ["Quince Industries", "headquarters is in", "Corto Vale"]} for n in at]}


@pytest.fixture(name="quince", scope="module")
def quince_store(tmp_path_factory):
    names = [("m.0b", "name", "Quince Industries"), ("m.0c", "name", "Corto Vale"), ("m.0d", "name", "Alphaville")]
    with EmbeddedStore(tmp_path_factory.mktemp("quince")) as made:
        for load, town in (("one", "m.0c"), ("two", "m.0d")):
            links = [("m.0b", "organization.organization.headquarters", town, 0)]
            graphs.put(made, graphs.Spec(load, (Source(load),), links, names=names))
        texts = [("m.0b", "Quince Industries", SENTENCE)]
        graphs.put(made, graphs.Spec("text", (Source("text", "wiki"),), [], passages=texts))
        yield made


def multirag(store, embedder, strategy="multirag", **says):
    script = {**SAYS, "write_paths": writes, **says}
    return asked(store, embedder, strategy, script, question=HEADQUARTERS, settings=printed(strategy))


def test_multirag_has_no_source_selector_and_a_text_value_is_a_node(quince, embedder):
    answer, script = multirag(quince, embedder)
    assert "select_sources" not in script.steps
    (claims,) = [x for x in answer.explorations if x.phase == "confidence"]
    assert claims.counts["nodes"] == 3
    assert {c.source for c in claims.claims} == {"one", "two", "text"}
    assert {c.object.name for c in claims.claims if c.source in {"one", "text"}} == {"Corto Vale"}


def test_multirag_starts_from_a_text_path_like_from_any_other(quince, embedder):
    def text_first(lines, prompt):
        return {"best": [{"n": n, "score": 9} for n, line in enumerate(lines, 1) if "headquarters is in" in line]}

    answer, script = multirag(quince, embedder, select_paths=text_first)
    assert "prune_authority" in script.steps
    assert phases(answer) == ["initial", "confidence"]


def test_the_last_prompt_shows_what_algorithm_1_rejected_with_its_confidence(quince, embedder):
    """Eq. 5 as printed is 0 for single values, so C(G) = 0 and every node is rejected; nothing is called trusted."""
    _, script = multirag(quince, embedder)
    (shown,) = script.lines("judge")
    assert len(shown) == 2
    assert all("rejected" in line and "accepted" not in line and "trusted" not in line for line in shown)
    # C(v) = 0 + ½ · 1 / (1 + e^(−½ · .8)) + ½ · Auth_hist; two of three state Corto Vale, so it is right by ⅔.
    authority = 0.5 / (1 + 2.718281828 ** (-0.5 * 0.8))
    corto, alpha = (authority + 0.5 * (50 * 0.5 + right) / 51 for right in (2 / 3, 0.0))
    assert f"one C(v) {corto:.2f}" in next(line for line in shown if "Corto Vale" in line)
    assert f"two C(v) {alpha:.2f}" in next(line for line in shown if "Alphaville" in line)


def test_the_scale_of_c_llm_is_a_parameter(quince, embedder):
    """Eq. 10: with C_LLM of 8 in place of .8 the model's authority is .98 in place of .60."""
    _, script = multirag(quince, embedder, "multirag+authority_scale=10")
    authority = 0.5 / (1 + 2.718281828 ** (-0.5 * 8))
    corto = authority + 0.5 * (50 * 0.5 + 2 / 3) / 51
    assert any(f"one C(v) {corto:.2f}" in line for line in script.lines("judge")[0])
