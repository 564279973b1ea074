"""Presets are what their sources print, and what a person sets still counts."""

from __future__ import annotations

import pytest

from hydra_kg.cli.asking.ask import ask
from hydra_kg.errors import UsageError
from hydra_kg.presets import PRESETS, with_preset
from hydra_kg.settings import Settings, load_settings


def test_the_default_changes_nothing():
    own = Settings(pruning={"w1": 7}, retrieval={"hops": "paper"})
    assert with_preset(own, "default") == own


def test_the_paper_is_as_printed():
    """HydraRAG, Appendix C."""
    paper = with_preset(Settings(), "paper")
    assert (paper.retrieval.d_max, dict(paper.pruning)) == (3, {"w1": 100, "w2": 20, "w_max": 3})
    assert (paper.relevance.lambda_sem, paper.verification.alpha_cross) == (0.7, 0.7)
    assert (paper.model.reply_tokens, paper.model.explore_temperature) == (256, 0.4)
    assert (paper.retrieval.hops, paper.retrieval.window) == ("paper", True)
    assert (paper.retrieval.sentences_by, paper.retrieval.sentences) == ("indicator", 0)
    assert (paper.retrieval.joint, paper.retrieval.level_score) == ("only", "cross")
    assert (paper.verification.independence, paper.verification.support) == ("kind", "paths")
    assert (paper.verification.f2, paper.verification.f3, paper.verification.mix_over) == ("support", "entities", 0)
    assert (paper.agent.selector, paper.agent.refine) == ("call", "call")
    assert (paper.agent.name_topics, paper.agent.summarise) == (True, True)
    assert paper.budget.calls == paper.budget.tokens == 0


def test_relevance_of_the_paper_has_nothing_that_was_learned_or_tuned():
    paper = with_preset(Settings(), "paper")
    found = dict(paper.relevance)
    weights = [name for name in found if name.endswith(("_weight", "_penalty", "_bonus"))]
    assert {found[name] for name in weights} == {0.0}
    assert len(weights) >= 6


def test_the_code_differs_from_the_paper_where_it_is_known_to():
    paper, code = (with_preset(Settings(), name) for name in ("paper", "code"))
    assert code == paper.changed(verification={"f2": "code", "f3": "code", "mix_over": 40}, retrieval={"window": False})


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_leave_alone_where_things_are(name):
    own = Settings(
        store="/s",
        model={"name": "m", "base_url": "http://localhost/v1"},
        seed=3,
        retrieval={"kg_share": 0.5},
        no_network=True,
    )
    found = with_preset(own, name)
    kept = ("store", "model.name", "model.base_url", "seed", "retrieval.kg_share", "no_network")
    assert all(found.by_name()[name] == own.by_name()[name] for name in kept)


def test_every_preset_can_be_loaded_as_settings(tmp_path):
    for name, values in PRESETS.items():
        assert load_settings(dict(values), folder=tmp_path) == with_preset(Settings(), name)


def test_what_a_person_sets_beats_the_preset(tmp_path, monkeypatch):
    (tmp_path / "hydra.toml").write_text("[pruning]\nw1 = 50\nw2 = 10\n")
    monkeypatch.setenv("HYDRA_PRUNING_W2", "11")
    found = load_settings(
        {"retrieval.d_max": 2, "pruning.w_max": None}, folder=tmp_path, base=with_preset(Settings(), "paper")
    )
    assert dict(found.pruning) == {"w1": 50, "w2": 11, "w_max": 3}
    assert (found.retrieval.d_max, found.relevance.lambda_sem) == (2, 0.7)


def test_an_unknown_name_says_which_there_are():
    with pytest.raises(UsageError, match="There is no preset 'best'") as error:
        with_preset(Settings(), "best")
    names = "default, paper, paper:hydra, paper:pog, paper:tog, paper:tog-2, paper:multirag, code"
    assert error.value.remedy == f"Presets: {names}."


@pytest.mark.parametrize(
    "strategy, preset",
    [
        ("", "paper:hydra"),
        ("hydra", "paper:hydra"),
        ("hydra-e", "paper:hydra"),
        ("pog+case=fuzzy", "paper:pog"),
        ("pog-e", "paper:pog"),
        ("tog", "paper:tog"),
        ("tog-r", "paper:tog"),
        ("tog-2+clues=false", "paper:tog-2"),
        ("multirag", "paper:multirag"),
        ("cot", "paper:hydra"),
    ],
)
def test_paper_chooses_by_strategy(strategy, preset):
    chosen = with_preset(Settings(), "paper", strategy=strategy)
    assert chosen == with_preset(Settings(), preset)
    assert with_preset(Settings(), "paper:tog", strategy=strategy) == with_preset(Settings(), "paper:tog")


def test_the_command_line_offers_every_preset():
    assert {p.name: list(p.type.choices) for p in ask.params if p.name == "preset"} == {"preset": list(PRESETS)}


def test_no_paper_preset_plans_reads_or_checks_as_we_do():
    """What is measured under a paper's name is that paper: none of our planners, readers and checks takes part."""
    ours = ("answering.plan", "answering.own_words", "answering.read", "answering.joined", "verification.text")
    for name in PRESETS:
        if name.startswith("paper"):
            found = with_preset(Settings(), name).by_name()
            assert not any(found[setting] for setting in (*ours, "verification.rivals")), name
            assert (found["agent.graph_first"], found["agent.plan"]) == (1.0, "off"), name


def test_each_paper_has_its_own_sources_and_calls():
    pog, tog, tog_2, multirag = (
        with_preset(Settings(), f"paper:{name}") for name in ("pog", "tog", "tog-2", "multirag")
    )
    assert (pog.pruning.w1, pog.pruning.w2, pog.pruning.w_max, pog.retrieval.kinds) == (80, 20, 3, "kg")
    assert (pog.relevance.lambda_sem, pog.verification.alpha_cross, pog.relevance.path_vectors) == (1.0, 1.0, "text")
    assert (tog.agent.shares, tog.agent.refine, tog.retrieval.kinds) == (True, "off", "kg")
    assert (tog_2.agent.refine, tog_2.agent.shares, tog_2.retrieval.kinds) == ("joined", False, "kg,wiki")
    assert (tog_2.model.explore_temperature, tog_2.agent.shots) == (0.0, 2)
    assert (multirag.agent.selector, multirag.verification.printed) == ("off", True)
    assert (multirag.verification.graph_level, multirag.retrieval.kinds) == (0.5, "kg,wiki,web")
