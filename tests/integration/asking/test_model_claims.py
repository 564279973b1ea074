"""A model that makes things up, behind a real socket: what no source states for what was asked is never the answer."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers.servers.model_server import ModelServer

from hydra_kg import Hydra, Settings

QUESTIONS = (
    "When was Steve Jobs born?",
    "Which football clubs play in the city where John Lennon was born?",
    "Who directed Forrest Gump?",
    "What is the capital of France?",
    "How many children did Johann Sebastian Bach have?",
    "Which languages are spoken in Brazil?",
)
NS = "http://rdf.freebase.com/ns/"


def insisting(name: str) -> Any:
    """A model that says the same of everything, and is sure of it."""
    forms = {
        "enough": {"facts": name, "parts": [], "enough": "yes", "answers": [name], "missing": ""},
        "best": {"best": [{"n": 1, "score": 9}]},
        "sources": {"parts": [], "skyline": f"a - b - {name}", "sources": ["kg", "wiki"]},
        "predictions": {"predictions": [{"name": name, "skyline": f"a - b - {name}"}]},
        "answers": {"why": "I know.", "answers": [name]},
    }

    def reply(body: Mapping[str, Any]) -> str:
        form = json.dumps(body.get("response_format") or "")
        return next((json.dumps(r) for key, r in forms.items() if f'"{key}"' in form), '{"question": "", "paths": []}')

    return reply


@pytest.fixture
def poisoned(sample_store: Path, tmp_path: Path) -> Path:
    """The sample with one more source, in which the United States share a border with Tonga."""
    shutil.copytree(sample_store, tmp_path / "store")
    facts = [
        ("m.09c7w0", "location.location.adjoins", "m.07fb6"),
        ("m.07fb6", "location.location.adjoins", "m.09c7w0"),
        ("m.06y3r", "people.person.nationality", "m.09c7w0"),
    ]
    lines = [f"<{NS}{s}>\t<{NS}{p}>\t<{NS}{o}>\t.\n" for s, p, o in facts]
    lines.append(f'<{NS}m.07fb6>\t<{NS}type.object.name>\t"Tonga"@en\t.\n')
    (tmp_path / "feed.nt").write_text("".join(lines))
    with Hydra(store=tmp_path / "store") as hydra:
        hydra.load(tmp_path / "feed.nt", format="freebase", source="feed")
    return tmp_path / "store"


def asked(store: Path, name: str, *, graph_first: float = 1.0) -> list[Any]:
    with ModelServer(insisting(name)) as server:
        settings = Settings(
            model={"name": "m", "base_url": server.url, "reply_cache": False}, agent={"graph_first": graph_first}
        )
        with Hydra(store=store, settings=settings, agent="llm") as hydra:
            return [hydra.ask(question, keep=False) for question in QUESTIONS]


def test_what_no_source_knows_is_no_answer(sample_store):
    for answer in asked(sample_store, "Zanzibar-X"):
        assert (answer.abstained, answer.verdict) == (True, "unsupported")
        assert any("Zanzibar-X" in note for note in answer.notes), answer.notes


def test_what_a_poisoned_source_leads_to_is_no_answer_to_another_question(poisoned):
    wrong = [a.question for a in asked(poisoned, "Tonga") if any(v.name == "Tonga" for v in a.answers)]
    assert wrong == []
