"""A model that follows a script by step, and a small country to ask about: what strategies' traces are checked with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from helpers.samples import graphs

from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg.domain import AnswerData, Completion, Source
from hydra_kg.ports import Embedder, Store
from hydra_kg.reasoner import Reasoner
from hydra_kg.runtime import Tools
from hydra_kg.settings import Settings

LINE = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
Say = Mapping[str, Any] | Callable[[Sequence[str], str], Mapping[str, Any]]

NAMES = {
    "m.0b": "Freedonia",
    "m.0c": "Sylvania",
    "m.0d": "Rufus Firefly",
    "m.0f": "Gloria Teasdale",
    "m.0g": "Vera Marcal",
    "m.0h": "Ambassador Trentino",
    "m.0j": "Fredville",
    "m.0k": "Hail Hymn",
    "m.0l": "Harpo Mint",
}
CITIZENS = {f"m.0{a}{b}": f"Citizen {a.upper()}{b.upper()}" for a in "mnpqr" for b in "bcdfg"}
FACTS = [
    ("m.0b", "government.country.leader", "m.0d"),
    ("m.0b", "location.country.neighbour", "m.0c"),
    ("m.0b", "location.country.capital", "m.0j"),
    ("m.0b", "location.country.anthem", "m.0k"),
    ("m.0c", "government.country.leader", "m.0h"),
    ("m.0c", "location.country.spy", "m.0l"),
    ("m.0d", "people.person.patron", "m.0f"),
    ("m.0d", "people.person.admirer", "m.0g"),
    *(("m.0b", "location.country.citizen", c) for c in CITIZENS),
]
TEXTS = [
    ("m.0b", "Freedonia", "Freedonia is a small country. It is always short of money."),
    ("m.0d", "Rufus Firefly", "Rufus Firefly is the leader of Freedonia. He tells jokes. A rich widow pays his bills."),
    ("m.0f", "Gloria Teasdale", "Gloria Teasdale is a rich widow. She pays the bills of the leader of Freedonia."),
    ("m.0c", "Sylvania", "Sylvania is a neighbour that wants a war."),
]
QUESTION = "Who is the patron of the leader of Freedonia?"


def country(store: Store) -> None:
    """Loads the facts and the texts."""
    names = [(k, "name", n) for k, n in (*NAMES.items(), *CITIZENS.items())]
    rows = [FactRow(s, p, o, i, 0) for i, (s, p, o) in enumerate(sorted(FACTS), 1)]
    texts = {p: (p.rpartition(".")[2], "") for _, p, _ in FACTS}
    writer = store.begin(SimpleLoadPlan("facts", (Source("facts"),), False))
    writer.write(MemoryStage(rows, names=names, predicates=texts))
    writer.commit({"file": "facts.nt"})
    graphs.put(store, graphs.Spec("text", (Source("text", "wiki"),), [], passages=TEXTS))


@dataclass
class Script:
    """Replies by step; ``asked``: each step with the numbered lines that it showed, ``prompts`` the last turns."""

    says: Mapping[str, Say | Sequence[Say]]
    name: str = "script"
    asked: list[tuple[str, list[str]]] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    samples: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._left = {step: list(say) for step, say in self.says.items() if isinstance(say, list)}

    @property
    def steps(self) -> list[str]:
        """The steps in order."""
        return [step for step, _ in self.asked]

    def lines(self, step: str) -> list[list[str]]:
        """What each call of a step showed."""
        return [lines for s, lines in self.asked if s == step]

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        max_tokens: int,
        schema: Mapping[str, Any] | None = None,
        temperature: float = 0.0,
        sample: int = 0,
        step: str = "",
        logprobs: int = 0,
    ) -> Completion:
        """The step's reply."""
        prompt = messages[-1]["content"]
        lines = LINE.findall(prompt)
        self.asked.append((step, lines))
        self.prompts.append(prompt)
        self.samples.append((sample, temperature))
        say = self.says[step]
        if step in self._left:
            say = self._left[step].pop(0) if len(self._left[step]) > 1 else self._left[step][0]
        reply = say(lines, prompt) if callable(say) else say
        return Completion(json.dumps(reply), 10, 5)


def pick(scores: Mapping[str, int]) -> Callable[[Sequence[str], str], Mapping[str, Any]]:
    """Scores for the lines that end in, or hold, the given words; other lines are left out."""

    def say(lines: Sequence[str], prompt: str) -> Mapping[str, Any]:
        found = [(i, s) for words, s in scores.items() for i, line in enumerate(lines, 1) if words in line]
        return {"best": [{"n": i, "score": s} for i, s in found]}

    return say


def every(lines: Sequence[str], prompt: str) -> Mapping[str, Any]:
    """All lines, the first best."""
    return {"best": [{"n": i, "score": max(3, 10 - i)} for i in range(1, len(lines) + 1)]}


NO = {"facts": "Rufus Firefly leads Freedonia.", "parts": [], "enough": "no", "answers": [], "missing": "his patron"}
YES = {"facts": "", "parts": [], "enough": "yes", "answers": ["Gloria Teasdale"], "missing": ""}
ALWAYS: dict[str, Any] = {
    "analyse": {"parts": ["Who leads Freedonia?"], "skyline": "Freedonia - leader - answer", "sources": ["kg", "wiki"]},
    "select_sources": {"sources": ["kg", "wiki"]},
    "prune_topics": every,
    "prune_relations": every,
    "prune_entities": every,
    "prune_chunks": every,
    "prune_authority": every,
    "read_statements": {"statements": []},
    "select_paths": {"best": [{"n": 1, "score": 9}, {"n": 2, "score": 5}, {"n": 3, "score": 4}]},
    "refine": {"facts": "Rufus Firefly leads Freedonia."},
    "judge": NO,
    "follow_up": {"question": "Which widow pays for Rufus Firefly?", "skyline": "Rufus Firefly - patron - answer"},
    "predict": {"predictions": [{"name": "Gloria Teasdale", "skyline": "Freedonia - leader - patron - answer"}]},
    "answer": {"why": "", "answers": ["Gloria Teasdale"]},
    "compose_query": {"lines": ["leader", "who leads Freedonia"]},
    "know": {"why": "It is said so.", "answers": ["Gloria Teasdale"]},
}


def asked(
    store: Store,
    embedder: Embedder,
    strategy: str,
    says: Mapping[str, Any] | None = None,
    *,
    question: str = QUESTION,
    settings: Settings | None = None,
    graph_first: float = 1.0,
    **tools: Any,
) -> tuple[AnswerData, Script]:
    """The answer of a strategy whose model follows a script, and the script with what it was asked: of every question,
    unless ``graph_first`` says from which confidence of none."""
    script = Script({**ALWAYS, **(says or {})})
    settings = (settings or Settings()).changed(
        model={"name": "script"}, budget={"calls": 0, "tokens": 0}, agent={"graph_first": graph_first}
    )
    kit = Tools(settings, "llm", model=script, **tools)
    return Reasoner(store, settings=settings, strategy=strategy, embedder=embedder, tools=kit).ask(question), script
