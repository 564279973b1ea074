"""Tables of the papers on three questions of the sample, with a model that follows a script: asked, and shown whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from helpers.excerpt import excerpt

from bench.generate.step_recording import SAYS
from bench.generate.step_recording import _lines as lines_of
from hydra_kg import Hydra
from hydra_kg.domain import WebPage, WebResult
from hydra_kg.evaluate.papers.catalog import PaperTable
from hydra_kg.evaluate.papers.measuring import measure_answers
from hydra_kg.evaluate.papers.printed_table import compare_table
from hydra_kg.evaluate.papers.running import ask, records_of
from hydra_kg.evaluate.questions.datasets import Question, read_questions
from hydra_kg.evaluate.reports.analyses import ANALYSES
from hydra_kg.evaluate.runs.runner import RunPlan, Setup, trim_answer
from hydra_kg.fakes import FakeEmbedder, FakeLanguageModel, FakePageFetcher, FakeWebSearch
from hydra_kg.ports import Store
from hydra_kg.presets import with_preset
from hydra_kg.reasoner import Reasoner
from hydra_kg.runtime import Tools
from hydra_kg.settings import Settings
from hydra_kg.util.package_data import find_content
from hydra_kg.util.recording import StepSeconds

SETTINGS = with_preset(
    Settings(model={"name": "script"}, web={"engine": "searxng", "url": "http://127.0.0.1:9"}), "paper"
).changed(pruning={"w1": 20}, retrieval={"beam": 20})
"""The paper's, but twenty paths where it has a hundred: what is tested is the tables."""
URL = "https://films.example/inception"
TEXT = "Inception was directed by Christopher Nolan. Christopher Nolan was born in London."
_ASKED = {2, 21, 39}
"""Of things of which the sample says little; one of them is about two things."""


def few_questions() -> list[Question]:
    """Three questions of the sample; right is what the script answers."""
    every = {int(q.id.removeprefix("sample-")): q for q in read_questions(find_content("sample", "questions.jsonl"))}
    gold = ({"id": "m.04jpl", "name": "London"},)
    return [
        replace(every[n], dataset="here", gold=gold, relations=("people.person.place_of_birth",))
        for n in sorted(_ASKED)
    ]


def loaded(store: Path) -> None:
    """A store of what the sample says of the topics of those questions, and little of what is next to them."""
    files = excerpt(store.with_name(f"{store.name}-files"), few_questions(), many=2)
    with Hydra(store=store, settings=Settings()) as hydra:
        hydra.load(*files)


class Scripted:
    """A reasoner whose model follows a script. ``asked``: notes each question."""

    def __init__(self, store: Store, asked: list[str], setup: Setup) -> None:
        self._model = FakeLanguageModel(self._reply, name="script")
        self._asked = asked
        search = FakeWebSearch([WebResult("Inception", URL, TEXT)])
        fetcher = FakePageFetcher([WebPage(URL, "Inception", TEXT)])
        tools = Tools(setup.settings, "llm", model=self._model, search=search, fetcher=fetcher)
        self._reasoner = Reasoner(
            store, settings=setup.settings, strategy=setup.chosen, tools=tools, embedder=FakeEmbedder()
        )

    def __call__(self, text: str, topics: tuple[str, ...]) -> Mapping[str, Any]:
        """As the asker of ``eval run``."""
        self._asked.append(text)
        self._reasoner.recorder = steps = StepSeconds()
        answer = trim_answer(self._reasoner.ask(text))
        answer["seconds"] |= {f"step.{name}": taken for name, taken in steps.taken.items()}
        return answer

    def _reply(self, messages: Sequence[Mapping[str, str]]) -> str:
        step = self._model.steps[-1].removesuffix("_chain").removesuffix("_joined")
        return json.dumps(dict(SAYS.get(step, SAYS["prune_entities"])(lines_of(messages))))


def shown_whole(table: PaperTable, store: Store, folder: Path) -> None:
    """Ask what a table needs that no other has asked, all of it in one set of three questions, and show it: no error,
    no empty cell, nothing asked twice."""
    one = replace(table, sets=("here",), rows=tuple(replace(r, figures=r.figures[:1]) for r in table.rows))
    questions, asked = few_questions(), list[str]()
    ids, before = {q.key for q in questions}, _size(folder)
    make: Callable[[Setup], Scripted] = lambda setup: Scripted(store, asked, setup)  # noqa: E731
    plan = RunPlan((), "llm", False, SETTINGS)
    left, missing = ask(one, questions, plan, folder, sources=["freebase", "wikidata"], web=True, make=make)
    assert left == 0
    assert [m for m in missing if "needs a cross-encoder" not in m] == []
    assert len(asked) == _size(folder) - before, "each is one line"
    records = records_of(one, folder, ids)
    assert [r["error"] for r in records if r.get("error")] == []
    ways = {(row.way, row.variant) for row in one.rows if row.asked and "ranker=cross" not in row.way}
    assert len(records) == len(ways) * len(questions), "each question in every way"
    shown = compare_table(one, measure_answers(one, records), records)
    blank = [row[0] for row, r in zip(shown.rows, one.rows, strict=True) if r.runs and not row[1].split("(")[0]]
    assert [label for label in blank if "ranker=cross" not in label] == []
    assert "Model: script" in shown.note
    assert f"here {len(questions)}" in shown.note
    if table.by:
        assert ANALYSES[table.by](records).rows


def _size(folder: Path) -> int:
    file = folder / "answers.jsonl"
    return file.read_bytes().count(b"\n") if file.is_file() else 0
