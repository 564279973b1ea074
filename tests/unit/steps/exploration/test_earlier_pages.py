"""Pages of the first exploration are ranked again for the follow-up question (HydraRAG §4.2.2), in preset paper."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hydra_kg import Hydra
from hydra_kg.domain import WebPage, WebResult
from hydra_kg.fakes import FakeLanguageModel, FakePageFetcher
from hydra_kg.presets import with_preset
from hydra_kg.reasoner import Reasoner
from hydra_kg.runtime import Tools
from hydra_kg.settings import Settings

FIRST, SECOND = "Inception was shot in Tangier.", "Tangier lies at the strait of Gibraltar."
FOLLOW_UP = "Where does Tangier lie?"


class TwoSearches:
    """Finds one page for the question, and another for the follow-up question."""

    def search(self, query: str, *, limit: int) -> list[WebResult]:
        n = 2 if "Tangier" in query else 1
        return [WebResult(f"page {n}", f"https://pages.example/{n}", "")]


def replies(step: str) -> dict[str, Any]:
    return {
        "topics": {"names": ["Inception"]},
        "analyse": {"parts": [], "skyline": "Inception - shot in - ?", "sources": ["web"]},
        "select_sources": {"sources": ["web"]},
        "select_pages": {"pages": [1]},
        "write_paths": {"paths": []},
        "select_paths": {"best": [{"n": 1, "score": 9}]},
        "judge": {"facts": "", "parts": [], "enough": "no", "answers": []},
        "follow_up": {"question": FOLLOW_UP, "skyline": "Tangier - lies - ?"},
        "predict": {"predictions": []},
    }.get(step, {})


@pytest.mark.parametrize("again", [False, True])
def test_the_follow_up_reads_the_first_page_again(sample: Hydra, again: bool) -> None:
    base = with_preset(
        Settings(
            model={"name": "script"}, web={"engine": "searxng", "url": "http://127.0.0.1:9"}, retrieval={"kinds": "web"}
        ),
        "paper",
    )
    settings = base.changed(retrieval={"earlier_pages": again})
    model = FakeLanguageModel(lambda _: json.dumps(replies(model.steps[-1].removesuffix("_chain"))), name="script")
    texts = {1: FIRST, 2: SECOND}
    fetcher = FakePageFetcher([WebPage(f"https://pages.example/{n}", f"page {n}", t) for n, t in texts.items()])
    tools = Tools(settings, "llm", model=model, search=TwoSearches(), fetcher=fetcher)
    Reasoner(sample.store, settings=settings, tools=tools, embedder=sample.reasoner.embedder).ask(
        "Where was Inception shot?"
    )
    asked = list(zip(model.steps, model.calls, strict=True))
    follow = next(i for i, (step, _) in enumerate(asked) if step == "follow_up")
    later = [call[-1]["content"] for step, call in asked[follow:] if step.startswith("write_paths")]
    assert later
    assert SECOND in later[0]
    assert (FIRST in later[0]) is again
