"""A relation that a model invents between two names of a sentence is no evidence, in any preset."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.samples.scripted import NO, Script, asked
from helpers.small_country import cached_embedder, country_store  # noqa: F401  fixtures

from hydra_kg.domain import UNSURE, AnswerData
from hydra_kg.presets import with_preset
from hydra_kg.settings import Settings

QUESTION = "Who poisoned Rufus Firefly?"
SENTENCE = "Rufus Firefly is the leader of Freedonia."
PAPER = with_preset(Settings(), "paper")


def writes(*chain: str, off: int = 0):
    """A reply of one chain with the number of the sentence that it is written from, or one that is off by some."""

    def say(lines, prompt):
        number = next((n for n, line in enumerate(lines, 1) if SENTENCE in line), 0)
        return {"paths": [{"n": number + off, "chain": list(chain)}] if number else []}

    return say


def ask(store, embedder, settings: Settings, chain: Any, answer: str, question: str = QUESTION, **says: Any):
    yes = {**NO, "enough": "yes", "answers": [answer]}
    script = {
        "analyse": {"parts": [], "skyline": "Rufus Firefly - poisoned by - answer", "sources": ["kg", "wiki"]},
        "topics": {"names": ["Rufus Firefly"]},
        "select_sources": {"sources": ["wiki"]},
        "summarise": {"keep": list(range(1, 9))},
        "write_paths": chain,
        "judge": yes,
        "answer": {"why": "", "answers": [answer]},
    }
    return asked(store, embedder, "hydra", {**script, **says}, question=question, settings=settings)


def chains(answer: AnswerData) -> list[str]:
    explored = [e for x in answer.explorations for e in x.evidence]
    return [e.path.text for e in (*answer.evidence, *explored) if e.path.hops and e.path.passage is not None]


@pytest.mark.parametrize("off", [0, 1], ids=["its own sentence", "a wrong number"])
def test_by_default_an_invented_chain_is_left_out(store, embedder, off):
    reply = writes("Rufus Firefly", "poisoned by", "Freedonia", off=off)
    answer, script = ask(store, embedder, Settings(), reply, "Freedonia")
    assert "write_paths" in script.steps
    assert [c for c in chains(answer) if "poisoned" in c] == []
    assert not any("poisoned by →" in p for p in script.prompts)


def test_the_paper_preset_shows_it_with_a_label_and_counts_it_as_no_support(store, embedder):
    reply = writes("Rufus Firefly", "poisoned by", "Freedonia")
    answer, script = ask(store, embedder, PAPER, reply, "Freedonia")
    judged = [p for (step, _), p in zip(script.asked, script.prompts, strict=True) if step == "judge"]
    assert any("poisoned by (relation not checked) → Freedonia" in p for p in judged)
    assert [a.name for a in answer.answers] == ["Freedonia"]
    assert (answer.verdict, answer.label) == ("unsupported", "llm")
    assert answer.confidence <= UNSURE / 2


@pytest.mark.parametrize("settings", [Settings(), PAPER], ids=["default", "paper"])
def test_a_chain_that_its_sentence_states_is_cited(store, embedder, settings):
    reply = writes("Rufus Firefly", "is the leader of", "Freedonia")
    question = "Which country is Rufus Firefly the leader of?"
    answer, _ = ask(store, embedder, settings, reply, "Freedonia", question)
    assert any("is the leader of → Freedonia" in c for c in chains(answer))
    assert [a.name for a in answer.answers] == ["Freedonia"]
    assert answer.verdict in {"single-source", "supported"}


def test_what_is_not_checked_joins_no_graph_and_backs_no_other_path(store, embedder):
    reply = writes("Rufus Firefly", "poisoned by", "Freedonia")
    settings = PAPER.changed(retrieval={"join_text": 0.01})
    answer, script = ask(store, embedder, settings, reply, "Freedonia", judge=NO)
    found = [e for x in answer.explorations for e in x.evidence]
    joined = [e for e in found if e.path.passage is None and "poisoned" in e.path.text]
    assert isinstance(script, Script)
    assert joined == []
    assert all(e.origins == () for e in found if not e.path.checked)
    assert any(not e.path.checked for e in found)
