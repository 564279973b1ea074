"""A source, or a kind of source, that is left out takes no part in an answer."""

from __future__ import annotations

from typing import Any

import pytest

from hydra_kg import Hydra, Settings
from hydra_kg.errors import NotFoundError

QUESTION = "Who is Barack Obama married to?"


@pytest.fixture
def asked(sample_store):
    def ask(without: str, **more: Any) -> dict[str, Any]:
        settings = Settings().changed(**{"retrieval.without": without})
        with Hydra(store=sample_store, settings=settings, agent="offline") as hydra:
            return hydra.ask(QUESTION, keep=False, **more).to_dict()

    return ask


def used(answer: dict[str, Any]) -> set[str]:
    return {s["source"] for p in answer["paths"] for h in p["hops"] for s in h["sources"]}


def test_a_graph_that_is_left_out_states_nothing(asked):
    whole = asked("")
    assert used(whole) == {"wikidata"}
    assert [a["name"] for a in whole["answers"]] == ["Michelle Obama"]
    assert "wikidata" not in used(asked(" wikidata, web"))
    assert used(asked("freebase,wiki")) == {"wikidata"}


def test_without_both_graphs_and_text_there_is_no_answer(asked):
    assert "kg" not in asked("freebase,wikidata")["label"]
    assert asked("freebase,wikidata,wiki")["abstained"]
    assert asked("kg,wiki,web")["abstained"]
    assert asked("wikidata", sources=("wikidata",))["abstained"], "what is left out is not brought back"


def test_a_source_that_is_none_is_said(asked):
    with pytest.raises(NotFoundError, match="No source is called wikdata"):
        asked("wikdata")
