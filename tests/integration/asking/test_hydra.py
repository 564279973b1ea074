"""HydraRAG's explorations, call by call: which steps a model is asked, in which order, and when they stop."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from helpers.samples import graphs
from helpers.small_country import cached_embedder  # noqa: F401  fixtures

from hydra_kg.domain import AnswerData, Entity, Fact, NameHit, Source, Subgraph
from hydra_kg.fakes import FakeLanguageModel, FakePageFetcher, FakeWebSearch
from hydra_kg.ports import Embedder, Snapshot, Store
from hydra_kg.presets import with_preset
from hydra_kg.reasoner import Reasoner
from hydra_kg.runtime import Tools
from hydra_kg.settings import Settings
from hydra_kg.steps.snapshots.snapshot_proxy import SnapshotProxy
from hydra_kg.steps.text.sentence_retrieval import read
from hydra_kg.stores.embedded.store import EmbeddedStore

NAMES = {"m.0b": "Freedonia", "m.0c": "Sylvania", "m.0d": "Rufus Firefly", "m.0f": "Gloria Teasdale", "m.0g": "Vera"}
QUESTION = "Who leads Freedonia?"
TEXT = "Rufus Firefly has led Freedonia since he was named by Gloria Teasdale."
Reply = dict[str, Any]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Two countries with leaders, and a passage about the one that was asked for."""
    facts = graphs.Spec(
        "facts",
        (Source("facts"),),
        [
            ("m.0b", "government.country.leader", "m.0d", 0),
            ("m.0b", "location.country.neighbour", "m.0c", 0),
            ("m.0c", "government.country.leader", "m.0g", 0),
            ("m.0d", "people.person.patron", "m.0f", 0),
        ],
        names=[(k, "name", n) for k, n in NAMES.items()],
    )
    text = graphs.Spec("text", (Source("text", "wiki"),), [], passages=[("m.0b", "Freedonia", TEXT)])
    with EmbeddedStore(tmp_path_factory.mktemp("hydra")) as made:
        graphs.put(made, facts)
        graphs.put(made, text)
        yield made


def asked(
    store: Store,
    embedder: Embedder,
    replies: dict[str, Reply | list[Reply]],
    settings: Settings | None = None,
    **tools: Any,
) -> tuple[AnswerData, list[str]]:
    """The answer to the question by a model that replies by step, and the steps that it was asked."""
    left = {step: list(r) if isinstance(r, list) else None for step, r in replies.items()}

    def reply(messages: Sequence[Any]) -> str:
        step = model.steps[-1]
        some = left.get(step)
        return json.dumps(some.pop(0) if some else replies[step])

    model = FakeLanguageModel(reply)
    settings = (settings or Settings()).changed(model={"name": "fake"}, agent={"graph_first": 1})
    reasoner = Reasoner(store, settings=settings, embedder=embedder, tools=Tools(settings, "llm", model=model, **tools))
    return reasoner.ask(QUESTION), model.steps


NO = {"facts": "", "parts": [], "enough": "no", "answers": [], "missing": "who leads it"}
YES = {"facts": "", "parts": [], "enough": "yes", "answers": ["Rufus Firefly"], "missing": ""}
SELECT = {"best": [{"n": 1, "score": 9}, {"n": 2, "score": 5}]}
WRITE = {"paths": [{"n": 1, "chain": ["Rufus Firefly", "has led", "Freedonia"]}]}
ALWAYS: dict[str, Any] = {
    "topics": {"names": ["Freedonia"]},
    "analyse": {"parts": ["Who leads Freedonia?"], "skyline": "Freedonia - leader - answer", "sources": ["kg", "wiki"]},
    "select_sources": {"sources": ["kg", "wiki"]},
    "select_pages": {"pages": [1]},
    "write_paths": WRITE,
    "summarise": {"keep": [1]},
    "select_paths": SELECT,
    "refine": {"facts": "Rufus Firefly leads Freedonia."},
    "judge": YES,
    "follow_up": {"question": "Who has led Freedonia?", "skyline": "Freedonia - led by - answer"},
    "predict": {"predictions": [{"name": "Rufus Firefly", "skyline": "Freedonia - leader - Rufus Firefly"}]},
    "answer": {"why": "", "answers": ["Rufus Firefly"]},
}
PHASE = ["write_paths", "select_paths", "judge"]


def test_an_answer_in_the_initial_exploration_ends_the_question(store, embedder):
    answer, steps = asked(store, embedder, ALWAYS)
    assert steps == ["analyse", *PHASE]
    assert [a.name for a in answer.answers] == ["Rufus Firefly"]
    assert [x.phase for x in answer.explorations] == ["initial"]
    assert {c.source for c in answer.citations} == {"facts", "text"}
    assert answer.verdict == "supported"
    assert (answer.agent, answer.manifest["model"]) == ("llm", "fake")


def test_facts_alone_take_three_calls_and_the_paper_takes_six(store, embedder):
    one_kind = {**ALWAYS, "analyse": {**ALWAYS["analyse"], "sources": ["kg"]}, "select_sources": {"sources": ["kg"]}}
    _, steps = asked(store, embedder, one_kind)
    assert steps == ["analyse", "select_paths", "judge"]
    _, steps = asked(store, embedder, one_kind, with_preset(Settings(), "paper"))
    assert steps == ["topics", "analyse", "select_sources", "select_paths", "refine", "judge"]


def test_sentences_are_compared_with_what_the_settings_say(store, embedder, monkeypatch):
    """HydraRAG §4.2.1: with the skyline of the model, not with the question."""
    compared: list[str] = []

    def reading(context: Any, question: str, passages: Any) -> Any:
        compared.append(question)
        return read(context, question, passages)

    monkeypatch.setattr("hydra_kg.steps.exploration.gather.read", reading)
    skyline = "Freedonia - leader - answer"
    replies: Any = {**ALWAYS, "analyse": {"parts": [], "skyline": skyline, "sources": ["kg", "wiki"]}}
    asked(store, embedder, replies)
    assert set(compared) == {QUESTION}
    compared.clear()
    settings = Settings().changed(retrieval={"sentences_by": "indicator"}, agent={"indicator": "skyline"})
    asked(store, embedder, replies, settings)
    assert compared[0] == skyline


def test_without_an_answer_all_three_explorations_run_and_then_all_together(store, embedder):
    answer, steps = asked(store, embedder, {**ALWAYS, "judge": NO})
    assert steps == ["analyse", *PHASE, "follow_up", *PHASE, "predict", *PHASE, "answer"]
    assert [x.phase for x in answer.explorations] == ["initial", "refined", "predicted"]
    assert [x.depth for x in answer.explorations][1:] == [3, 3]
    assert [a.name for a in answer.answers] == ["Rufus Firefly"]


@pytest.mark.parametrize("stop, phases", [(1, ["initial"]), (2, ["initial", "refined"])])
def test_an_answer_ends_the_exploration_in_which_it_is_found(store, embedder, stop, phases):
    answer, steps = asked(store, embedder, {**ALWAYS, "judge": [*[NO] * (stop - 1), YES]})
    assert [x.phase for x in answer.explorations] == phases
    assert steps.count("judge") == stop


@pytest.mark.parametrize("phases", [1, 2])
def test_explorations_can_be_left_out(store, embedder, phases):
    answer, _ = asked(store, embedder, {**ALWAYS, "judge": NO}, Settings(retrieval={"phases": phases}))
    assert len(answer.explorations) == phases


def test_a_hop_written_from_text_joins_the_graph(store, embedder):
    """Gloria Teasdale named him only in the text; the graph has her as his patron."""
    named = {"paths": [{"n": 1, "chain": ["Gloria Teasdale", "named", "Rufus Firefly", "has led", "Freedonia"]}]}
    answer, _ = asked(store, embedder, {**ALWAYS, "write_paths": named, "judge": [NO, YES]})
    hops = [h for x in answer.explorations for e in x.evidence if e.path.passage is None for h in e.path.hops]
    mixed = [f for h in hops for f in h.facts if f.source.name == "text"]
    assert mixed
    assert {TEXT[f.locator.start : f.locator.end] for f in mixed} == {TEXT}


def test_what_no_path_holds_is_the_models_own_knowledge(store, embedder):
    replies = {**ALWAYS, "judge": NO, "answer": {"why": "", "answers": ["Groucho"]}}
    answer, _ = asked(store, embedder, replies)
    assert (answer.abstained, answer.answers) == (True, ())
    assert any("The model says Groucho" in note for note in answer.notes)
    answer, _ = asked(store, embedder, replies, settings=Settings(model={"alone": True}))
    assert [a.name for a in answer.answers] == ["Groucho"]
    assert (answer.label, answer.verdict, answer.citations) == ("llm", "unsupported", ())


@pytest.mark.parametrize("bad", ["", "no", "{", '{"enough": []}', "I cannot help with that."])
def test_a_model_that_says_nothing_useful_leaves_it_to_the_offline_agent(store, embedder, bad):
    model = FakeLanguageModel(lambda messages: bad)
    settings = Settings(model={"name": "fake"}, answering={"threshold": 0.1})  # few relations: nobody can be sure
    reasoner = Reasoner(store, settings=settings, embedder=embedder, tools=Tools(settings, "llm", model=model))
    answer = reasoner.ask(QUESTION)
    assert [a.name for a in answer.answers] == ["Rufus Firefly"]
    assert answer.notes


def test_the_web_is_searched_and_read_where_there_is_a_search_engine(store, embedder):
    from hydra_kg.domain import WebPage, WebResult

    page = "https://news.example/firefly"
    web: dict[str, Any] = {
        "search": FakeWebSearch([WebResult("Freedonia", page, "Who leads Freedonia")]),
        "fetcher": FakePageFetcher([WebPage(page, "Freedonia", "Rufus Firefly has led Freedonia for a year.")]),
    }
    answer, steps = asked(store, embedder, {**ALWAYS, "analyse": {**ALWAYS["analyse"], "sources": ["web"]}}, **web)
    assert steps == ["analyse", "select_pages", *PHASE]
    assert [c.url for c in answer.citations] == [page]
    assert answer.label == "web"


def _same(ask: Callable[[], AnswerData]) -> bool:
    one, other = ask(), ask()
    return replace(one, id="", seconds={}, explorations=()) == replace(other, id="", seconds={}, explorations=())


def test_the_same_replies_give_the_same_answer(store, embedder):
    assert _same(lambda: asked(store, embedder, ALWAYS)[0])


class _Counted(SnapshotProxy):
    """A snapshot that counts what it is asked."""

    def __init__(self, inner: Snapshot, asked: Counter[object]) -> None:
        super().__init__(inner)
        self._asked = asked

    def cut(self, topics: Sequence[int], **how: Any) -> Subgraph:
        self._asked["cut", tuple(sorted(topics)), *(v for k, v in how.items() if k != "rank")] += 1
        return self.inner.cut(topics, **how)

    def find(self, names: Sequence[str], **how: Any) -> list[list[NameHit]]:
        self._asked.update(("find", n, *how.items()) for n in names)
        return self.inner.find(names, **how)

    def entities(self, nodes: Sequence[int]) -> list[Entity]:
        self._asked.update(("entity", n) for n in nodes)
        return self.inner.entities(nodes)

    def facts(self, segment: Any, row: Any) -> list[Fact]:
        self._asked.update(("fact", *handle) for handle in zip(segment.tolist(), row.tolist(), strict=True))
        return self.inner.facts(segment, row)


def test_what_text_names_is_looked_up_beside_the_search_of_the_graph(store, embedder, monkeypatch):
    threads: dict[str, str] = {}

    class Watched(SnapshotProxy):
        """Notes which thread asks for a name first."""

        def find(self, names: Sequence[str], **how: Any) -> list[list[NameHit]]:
            for name in names:
                threads.setdefault(name, threading.current_thread().name)
            return self.inner.find(names, **how)

    monkeypatch.setattr(Reasoner, "_thinned", lambda _, snapshot: Watched(snapshot))
    asked(store, embedder, ALWAYS)
    assert threads["Freedonia"] == threading.current_thread().name
    assert threads["Gloria Teasdale"].startswith("hydra-kg background")


def test_three_explorations_ask_the_store_for_nothing_twice(store, embedder, monkeypatch):
    asked_for: Counter[object] = Counter()
    monkeypatch.setattr(Reasoner, "_thinned", lambda _, snapshot: _Counted(snapshot, asked_for))
    answer, _ = asked(store, embedder, {**ALWAYS, "judge": NO})
    assert [x.phase for x in answer.explorations] == ["initial", "refined", "predicted"]
    assert {key[0] for key in asked_for} == {"cut", "find", "entity", "fact"}
    assert [key for key, times in asked_for.items() if times > 1] == []
