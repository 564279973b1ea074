"""Questions over a graph with hundreds of relations and one city in which thousands of people were born."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hydra_kg import Answer, Cancellation, Hydra
from hydra_kg.errors import StoppedError, TooMuchWorkError
from hydra_kg.execution import name_index
from hydra_kg.execution.own_graph import Columns, OwnGraph
from hydra_kg.fusion.conflicts.entity_fusion import fuse_entity
from hydra_kg.fusion.truth_discovery.methods import method_named
from hydra_kg.settings import Settings
from hydra_kg.steps import executions
from hydra_kg.steps.operators.results.found_entities import Hopped
from hydra_kg.steps.schema.schema_search import _Search
from hydra_kg.util import cancelling as cancelling_module

pytestmark = pytest.mark.slow

RELATIONS, PEOPLE = 600, 3_000
ADDRESS = "http://hub.example/"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
BORN_IN, BORN_THERE = "Where was Citizen 77 born?", "Who was born in Bigtown?"


def lines() -> Iterator[str]:
    """N-Triples: everybody was born in one city, and each of the other relations is stated five times."""
    yield f'<{ADDRESS}city> {LABEL} "Bigtown" .'
    for person in range(PEOPLE):
        yield f'<{ADDRESS}citizen/{person}> {LABEL} "Citizen {person}" .'
        yield f"<{ADDRESS}citizen/{person}> <{ADDRESS}bornIn> <{ADDRESS}city> ."
    for relation in range(RELATIONS - 1):
        for k in range(5):
            subject, other = (5 * relation + k) % PEOPLE, (7 * relation + k) % 1_000
            yield f"<{ADDRESS}citizen/{subject}> <{ADDRESS}relation{relation}> <{ADDRESS}thing/{other}> ."


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hub")
    (folder / "hub.nt").write_text("\n".join(lines()) + "\n", encoding="utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "hub.nt")
    return folder / "store"


@pytest.fixture(scope="module")
def hydra(store: Path) -> Iterator[Hydra]:
    with Hydra(store=store, agent="offline") as opened:
        opened.ask("Where was Citizen 76 born?", keep=False)  # the graph is read once
        yield opened


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of places from which each relation was followed, in turn."""
    counted: list[int] = []
    follow = Columns.rows

    def rows(self: Columns, nodes: object) -> object:
        counted.append(len(nodes))  # type: ignore[arg-type]
        return follow(self, nodes)  # type: ignore[arg-type]

    monkeypatch.setattr(Columns, "rows", rows)
    return counted


def names(answer: Answer) -> list[str]:
    return [a.name for a in answer.answers]


def test_only_relations_that_a_thing_has_are_followed(hydra: Hydra, followed: list[int]) -> None:
    answer = hydra.ask(BORN_IN, keep=False)
    assert names(answer) == ["Bigtown"]
    assert answer.verdict == "single-source"
    assert 0 < len(followed) < RELATIONS  # each was tried from each of dozens of partial readings


def test_of_a_hub_the_relations_that_the_question_says_are_followed(hydra: Hydra, followed: list[int]) -> None:
    answer = hydra.ask(BORN_THERE, keep=False)
    assert len(answer.answers) == Settings().answering.max_answers
    assert answer.verdict == "single-source"
    assert answer.notes == ()
    assert 0 < len(followed) < 20_000  # 100,000 and more when every relation was tried


def test_a_search_that_is_ended_by_its_limit_says_so_and_is_not_sure(
    hydra: Hydra, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = hydra.ask(BORN_THERE, keep=False)
    monkeypatch.setattr(executions.Executions.__init__, "__defaults__", (30, executions.MOST_FACTS))
    answer = hydra.ask(BORN_THERE, keep=False)
    assert names(answer) == names(full)
    assert answer.verdict == "partial"
    assert answer.confidence < full.confidence
    assert any("the search stopped after 30 of at least" in reason for reason in answer.unchecked)
    assert any("The search stopped after 30 of at least" in note and "narrow it down" in note for note in answer.notes)


def test_a_limit_before_anything_is_found_is_said_with_the_silence(
    hydra: Hydra, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executions.Executions.__init__, "__defaults__", (0, executions.MOST_FACTS))
    answer = hydra.ask(BORN_THERE, keep=False)
    assert any("The search stopped after 0 of at least" in note for note in answer.notes)


def test_facts_are_limited_as_well(hydra: Hydra, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executions.Executions.__init__, "__defaults__", (executions.MOST_EXECUTIONS, 1))
    answer = hydra.ask(BORN_THERE, keep=False)
    assert any("The search stopped after" in note for note in answer.notes)


def cancelling(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, after: int) -> tuple[Cancellation, list[int]]:
    """A token that is cancelled by the call of a function number ``after``, and the calls so far."""
    token, calls = Cancellation(), [0]
    inner: Callable[..., object] = getattr(owner, name)

    def counted(*args: object) -> object:
        calls[0] += 1
        if calls[0] == after:
            token.cancel()
        return inner(*args)

    monkeypatch.setattr(owner, name, counted)
    return token, calls


def test_a_stop_ends_the_search_at_the_next_relation(hydra: Hydra, monkeypatch: pytest.MonkeyPatch) -> None:
    token, calls = cancelling(monkeypatch, Columns, "rows", 20)
    with pytest.raises(StoppedError):
        hydra.ask(BORN_THERE, keep=False, cancellation=token)
    assert 20 <= calls[0] <= 22


def test_a_stop_ends_the_reading_of_the_graph(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_index, "_PAGE", 100)
    token, calls = cancelling(monkeypatch, name_index, "_fold_page", 1)
    with Hydra(store=store, agent="offline") as fresh, pytest.raises(StoppedError):
        fresh.ask(BORN_IN, keep=False, cancellation=token)
    assert calls[0] == 1  # of 31


def test_a_stop_ends_the_joining_of_partial_readings(hydra: Hydra, monkeypatch: pytest.MonkeyPatch) -> None:
    token, calls = cancelling(monkeypatch, _Search, "_apart", 1)
    with pytest.raises(StoppedError):
        hydra.ask("What do Citizen 5 and Citizen 10 have in common?", keep=False, cancellation=token)
    assert calls[0] <= 2


def test_a_stop_ends_the_reading_of_values_of_many_things(hydra: Hydra, monkeypatch: pytest.MonkeyPatch) -> None:
    token, calls = cancelling(monkeypatch, Hopped, "mediators", 1)
    with pytest.raises(StoppedError):
        hydra.ask("Who is the oldest citizen of Bigtown?", keep=False, cancellation=token)
    assert calls[0] <= 1_001  # of 3,000


def test_a_question_that_looks_at_too_much_ends_with_what_to_do(hydra: Hydra, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancelling_module, "MOST_WORK", 3_000)
    with pytest.raises(TooMuchWorkError, match="looked at too many facts"):
        hydra.ask(BORN_THERE, keep=False)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """A table of 5,000 members."""
    folder = tmp_path_factory.mktemp("members")
    rows = (f"Member {n},{n % 7} Hill Road,{20 + n % 60}\n" for n in range(5_000))
    (folder / "members.csv").write_text("member,street,age\n" + "".join(rows), encoding="utf-8")
    with Hydra(store=folder / "store", agent="offline") as opened:
        opened.load(folder / "members.csv")
        opened.ask("What is the age of Member 7?", keep=False)  # the table is read once
        yield opened


@pytest.mark.parametrize(
    "question", ["Who are the oldest members?", "How many streets are there?", "How many members are there per street?"]
)
def test_a_stop_ends_the_work_on_the_rows_of_a_table(
    table: Hydra, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    counted = Cancellation()
    table.ask(question, keep=False, cancellation=counted)
    assert counted.work > 5_000  # every row was looked at
    token, calls = cancelling(monkeypatch, OwnGraph, "name", 1)
    with pytest.raises(StoppedError):
        table.ask(question, keep=False, cancellation=token)
    assert calls[0] <= 1_010


STRATEGIES = ["hydra", "hydra-e", "tog", "tog-2", "tog-r", "pog", "pog-e", "multirag", "cosine"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_has_the_limit_and_reads_nothing_after_a_stop(
    hydra: Hydra, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    question = "Who is the mayor of Bigtown?"
    counted = Cancellation()
    hydra.ask(question, keep=False, cancellation=counted, strategy=strategy)
    assert counted.work > 1_000
    token, calls = cancelling(monkeypatch, Cancellation, "check", 20)
    with pytest.raises(StoppedError):
        hydra.ask(question, keep=False, cancellation=token, strategy=strategy)
    assert calls[0] == 20
    monkeypatch.setattr(cancelling_module, "MOST_WORK", counted.work // 2)
    with pytest.raises(TooMuchWorkError):
        hydra.ask(question, keep=False, strategy=strategy)


def test_a_follow_up_is_resolved_under_the_token_of_its_question(hydra: Hydra, monkeypatch: pytest.MonkeyPatch) -> None:
    first = hydra.ask(BORN_IN, keep=False)
    token, calls = cancelling(monkeypatch, Cancellation, "check", 1)
    with pytest.raises(StoppedError):
        hydra.ask("And Citizen 78?", keep=False, cancellation=token, after=first)
    assert calls[0] == 1


def test_the_fusion_of_a_thing_ends_with_its_question(hydra: Hydra) -> None:
    token = Cancellation()
    with cancelling_module.under(token), hydra.store.snapshot() as snapshot:
        fuse_entity(snapshot, "Bigtown", method_named(""))
        assert token.work > PEOPLE
        token.cancel()
        with pytest.raises(StoppedError):
            fuse_entity(snapshot, "Bigtown", method_named(""))


def test_relations_that_cost_more_than_the_best_readings_are_not_followed(tmp_path: Path, followed: list[int]) -> None:
    lines = []
    for person in range(100):
        lines.append(f'<{ADDRESS}person/{person}> {LABEL} "Citizen {person}" .')
        lines.append(f"<{ADDRESS}person/{person}> <{ADDRESS}mentor> <{ADDRESS}person/{(person + 1) % 100}> .")
    for relation in range(300):
        for k in range(4):
            subject, other = (4 * relation + k) % 100, (7 * relation + k) % 100
            lines.append(f"<{ADDRESS}person/{subject}> <{ADDRESS}relation{relation}> <{ADDRESS}person/{other}> .")
    (tmp_path / "people.nt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as opened:
        opened.load(tmp_path / "people.nt")
        opened.ask("Who is the mentor of Citizen 5?", keep=False)
        followed.clear()
        assert names(opened.ask("Who is the mentor of Citizen 77?", keep=False)) == ["Citizen 78"]
    assert 0 < len(followed) < 700  # 2,005 when each was followed before its cost was looked at
