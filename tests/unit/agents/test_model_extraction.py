"""Facts that a model extracts from a text: only those whose sentence states them."""

from __future__ import annotations

import json

from hydra_kg.agents.model_extraction import FactExtractor
from hydra_kg.agents.model_requests import Asker
from hydra_kg.agents.prompting.prompts import load_prompts
from hydra_kg.fakes.models import FakeLanguageModel
from hydra_kg.models.embedding.embedders import make_embedder

TEXT = "Turkey shares a land border with Greece. Ankara is the capital of Turkey."


def test_an_invented_relation_is_no_fact():
    chains = [
        {"n": 1, "chain": ["Turkey", "trades with", "Greece"]},
        {"n": 1, "chain": ["Turkey", "shares a land border with", "Greece"]},
        {"n": 2, "chain": ["Ankara", "capital of", "Turkey"]},
        {"n": 2, "chain": ["Turkey", "capital of", "Ankara"]},
    ]
    replies = iter([{"names": ["Turkey", "Greece", "Ankara"]}, {"facts": chains}, {"facts": []}])
    model = FakeLanguageModel(lambda _messages: json.dumps(next(replies)))
    asker = Asker(model, load_prompts(None), reply_tokens=500, temperature=0.0, sampling=0.0)
    found = FactExtractor(asker, embed=make_embedder().embed).facts("Turkey", TEXT)
    assert [(f.subject, f.relation, f.object) for f in found or ()] == [
        ("Turkey", "shares a land border with", "Greece"),
        ("Ankara", "capital of", "Turkey"),
    ]
