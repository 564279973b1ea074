"""One real model behind a real server: everything that a question needs of an endpoint, through the whole chain."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from helpers.servers.small_model import SmallModel

from hydra_kg.models.budget import Budget
from hydra_kg.models.compose import make_model
from hydra_kg.models.request import Request, most_prompt_tokens
from hydra_kg.settings import Settings

ASKED = [
    {"role": "system", "content": "You answer in one word."},
    {"role": "user", "content": "Is Vienna the capital of Austria? Answer yes or no."},
]
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}, "sure": {"type": "boolean"}},
    "required": ["city", "sure"],
    "additionalProperties": False,
}


@pytest.fixture
def settings(small_model: SmallModel, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return Settings(model={"name": small_model.name, "base_url": small_model.url}, budget={"tokens": 3_000})


def test_a_real_model_through_the_whole_chain(settings: Settings, tmp_path: Path):
    """A completion with log-probabilities, JSON by schema, a reply cut at its limit; counted, recorded, replayed."""
    budget, tape = Budget.of(settings), tmp_path / "tape.jsonl"
    model = make_model(settings, budget=budget, folder=tmp_path, record=str(tape))

    said = model.complete(ASKED, max_tokens=4, logprobs=5, step="judge")
    assert said.text.strip()
    assert 2 <= len(said.first) <= 5
    assert 0 < sum(math.exp(p) for _, p in said.first) <= 1.001
    assert 20 < said.tokens_in <= most_prompt_tokens(Request("m", "", ASKED, 4))

    shaped = model.complete(ASKED, max_tokens=60, schema=SCHEMA, step="analyse")
    document = json.loads(shaped.text)
    assert set(document) == {"city", "sure"}
    assert not shaped.cut

    cut = model.complete([{"role": "user", "content": "Tell me a long story."}], max_tokens=8, step="judge")
    assert cut.cut
    assert cut.tokens_out == 8

    usage = budget.usage
    assert (usage.calls, usage.steps["judge"].calls, usage.steps["analyse"].calls) == (3, 2, 1)
    assert usage.tokens_in == said.tokens_in + shaped.tokens_in + cut.tokens_in
    assert usage.tokens_out == said.tokens_out + shaped.tokens_out + cut.tokens_out

    again = Budget.of(settings)
    replayed = make_model(settings, budget=again, replay=str(tape))
    assert replayed.complete(ASKED, max_tokens=4, logprobs=5, step="judge") == said
    assert model.complete(ASKED, max_tokens=60, schema=SCHEMA, step="other") == shaped
    assert budget.usage.calls == 3, "the cache had it"


def test_replies_come_as_a_stream(settings: Settings):
    """Word by word, so that what was said by the end of the time is there."""
    count = [{"role": "user", "content": "Write the numbers from one to a thousand as JSON."}]
    endless = {"type": "array", "items": {"type": "string", "minLength": 5, "maxLength": 20}, "minItems": 500}
    make_model(settings, budget=Budget()).complete(count, max_tokens=1)  # the prompt is known to the server now
    budget = Budget(seconds=3)
    reply = make_model(settings, budget=budget).complete(count, max_tokens=4_000, schema=endless)
    assert reply.late
    assert len(reply.text) > 10
    assert "time" in budget.stopped
    assert make_model(settings, budget=Budget()).complete(ASKED, max_tokens=1).text, "the server is free again"
