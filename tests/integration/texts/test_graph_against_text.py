"""Passages that agree with the graph, contradict it, or only seem to: what an answer then says, and who is believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.begun import begin

from hydra_kg import Hydra, Settings
from hydra_kg.cli.printing import answer_lines
from hydra_kg.fakes.models import FakeLanguageModel
from hydra_kg.fusion.truth_discovery.source_history import FILE, History
from hydra_kg.runtime import Tools

NS = "<http://rdf.freebase.com/ns/%s>"
NAMES = {
    "m.0b1": "Orlena Vask",
    "m.0b2": "Tarnholm",
    "m.0b3": "Kelmoor",
    "m.0b4": "Piet Anders Holm",
    "m.0b5": "Sunniva Brekk",
    "m.0b6": "Jorun Tveit",
    "m.0b7": "Ulla Vask",
    "m.0b8": "Rolf Vask",
    "m.0b9": "Marta Quill",
    "m.0bb": "Brimstad",
    "m.0bc": "Norrland Isles",
    "m.0bd": "Westerhold",
    "m.0be": "Sundmark",
    "m.0bf": "Edda Vask",
    "m.0bg": "Kelmoor dollar",
    "m.0bh": "Norrland crown",
}
CAPITALS = [("m.0bc", "m.0b2"), ("m.0bd", "m.0b3"), ("m.0be", "m.0bb")]
BORN = [("m.0b1", "m.0b2"), ("m.0b4", "m.0b3"), ("m.0b5", "m.0b2"), ("m.0b6", "m.0bb"), ("m.0b9", "m.0bb")]
CURRENCIES = [(a, b) for a in ("m.0bc", "m.0bd", "m.0be") for b in ("m.0bg", "m.0bh")]
CHILDREN = [("m.0b1", "m.0b7"), ("m.0b1", "m.0b8"), ("m.0b1", "m.0bf"), ("m.0b5", "m.0b6"), ("m.0b5", "m.0b9")]
QUESTION = "Where was Orlena Vask born?"

AGREES = ("Tarnholm", "Tarnholm is a town on the coast. The painter Orlena Vask was born in Tarnholm.")
DIFFERS = ("Kelmoor", "Kelmoor is a town in the hills. It is known as the birthplace of the painter Orlena Vask.")


def store(folder: Path, *texts: tuple[str, str], graphs: int = 1, copies: int = 1) -> Hydra:
    """Graphs that state the same, and passages, the same under as many names as ``copies`` says."""
    begin(folder, ("graphs against text", graphs), lambda first: write_graphs(first, graphs))
    records = [{"title": t, "text": text, "url": f"http://example.org/{n}"} for n, (t, text) in enumerate(texts)]
    (folder / "pages.jsonl").write_text("".join(f"{json.dumps(r)}\n" for r in records), "utf-8")
    hydra = Hydra(store=folder / "store", settings=Settings())
    for n in range(copies if texts else 0):
        hydra.load(folder / "pages.jsonl", source=f"pages{n}")
    return hydra


def write_graphs(folder: Path, graphs: int) -> None:
    """A store of graphs that state the same."""
    links = [
        ("people.person.place_of_birth", BORN),
        ("people.person.children", CHILDREN),
        ("location.country.capital", CAPITALS),
        ("location.country.currency_used", CURRENCIES),
    ]
    lines = [f'{NS % node}\t{NS % "type.object.name"}\t"{name}"@en\t.' for node, name in NAMES.items()]
    lines += [f"{NS % a}\t{NS % relation}\t{NS % b}\t." for relation, pairs in links for a, b in pairs]
    (folder / "graph.nt").write_text("\n".join(lines) + "\n", "utf-8")
    with Hydra(store=folder / "store", settings=Settings()) as hydra:
        for n in range(graphs):
            hydra.load(folder / "graph.nt", format="freebase", source=f"graph{n}")


def test_a_passage_that_agrees_backs_the_answer_and_is_cited(tmp_path):
    with store(tmp_path / "alone") as hydra:
        alone = hydra.ask(QUESTION)
    with store(tmp_path / "both", AGREES) as hydra:
        answer = hydra.ask(QUESTION)
    assert (alone.answer_text, alone.verdict) == ("Tarnholm", "single-source")
    assert (answer.answer_text, answer.verdict) == ("Tarnholm", "supported")
    finding = answer.to_dict()["findings"][0]
    assert (finding["stance"], finding["value"]) == ("agrees", "Tarnholm")
    assert finding["passage"]["locator"].startswith("Tarnholm [33:")
    assert finding["passage"]["n"] in {c["n"] for c in answer.to_dict()["citations"]}


@pytest.mark.parametrize(
    "text",
    [
        DIFFERS,
        ("Kelmoor", "Kelmoor is a town in the hills. The painter Orlena Vask was born in Kelmoor in 1911."),
        ("Orlena Vask", "Orlena Vask (1911–1987) was a painter. She was born in Kelmoor and lived by the sea."),
    ],
    ids=["title stands for the place", "page about the place", "pronoun stands for the person"],
)
def test_a_passage_that_states_another_value_contests_the_answer(tmp_path, text):
    with store(tmp_path / "alone") as hydra:
        alone = hydra.ask(QUESTION)
    with store(tmp_path / "both", text) as hydra:
        answer = hydra.ask(QUESTION)
    assert answer.answers[0].name == "Tarnholm"
    assert answer.verdict == "contested"
    assert "graph0 says Tarnholm" in answer.answer_text
    assert "pages0 says Kelmoor" in answer.answer_text
    assert answer.dissent == ("pages0 says Kelmoor",)
    assert answer.confidence < alone.confidence
    doc = answer.to_dict()
    assert [f["value"] for f in doc["findings"] if f["stance"] == "differs"] == ["Kelmoor"]
    printed = "\n".join(answer_lines(doc))
    assert "But: pages0 says Kelmoor [" in printed


def test_weak_words_do_not_oppose_graphs_that_agree(tmp_path):
    moved = ("Kelmoor", "Kelmoor is a town in the hills. Orlena Vask moved to Kelmoor with her mother as a child.")
    verdicts = {}
    for graphs, text in ((1, moved), (2, moved), (2, DIFFERS)):
        with store(tmp_path / f"{graphs}{len(text[1])}", text, graphs=graphs) as hydra:
            verdicts[graphs, text] = hydra.ask(QUESTION).verdict
    assert verdicts == {(1, moved): "contested", (2, moved): "supported", (2, DIFFERS): "contested"}


def test_what_the_question_names_is_no_other_answer(sample):
    """That Mozart was born at all does not say that he is the capital of the country."""
    answer = sample.ask("What is the capital of the country where Mozart was born?", keep=False, agent="offline")
    assert (answer.answer_text, answer.verdict, answer.dissent) == ("Vienna", "supported", ())


@pytest.mark.parametrize("strategy", ["hydra", "hydra-e", "pog", "tog", "tog-2", "multirag"])
def test_every_strategy_names_the_contradiction(tmp_path, strategy):
    with store(tmp_path, DIFFERS) as hydra:
        answer = hydra.ask(QUESTION, strategy=strategy)
    assert answer.verdict == "contested"
    assert "pages0 says Kelmoor" in answer.dissent


@pytest.mark.parametrize(
    "text",
    [
        ("Kelmoor", "Kelmoor is a town in the hills. The painter Orlena Vask was not born in Kelmoor."),
        ("Kelmoor", "Kelmoor is a town in the hills. Orlena Vask exhibited her paintings there."),
        ("Ulla Vask", "Ulla Vask was a singer. She was born in Kelmoor to the painter Orlena Vask."),
    ],
    ids=["denied", "another relation", "another person"],
)
def test_what_does_not_state_another_value_contests_nothing(tmp_path, text):
    with store(tmp_path, text) as hydra:
        answer = hydra.ask(QUESTION)
    assert (answer.answer_text, answer.verdict, answer.dissent) == ("Tarnholm", "single-source", ())


def test_a_page_says_what_its_subject_did_to_a_thing_that_the_graph_knows(tmp_path):
    page = ("Edvin Kroll", "Edvin Kroll was born on 3 May 1901 in Lund. He painted Tarnholm and Kelmoor.")
    with store(tmp_path, page) as hydra:
        assert hydra.ask("Who painted Tarnholm?").answer_text == "Edvin Kroll"


def test_one_value_that_is_stated_clearly_contests_several_others(tmp_path):
    text = ("Isles penny", "The Isles penny is a coin. It is the official currency of the Norrland Isles.")
    with store(tmp_path, text) as hydra:
        answer = hydra.ask("What currency is used in the Norrland Isles?")
    assert {a.name for a in answer.answers} == {"Kelmoor dollar", "Norrland crown"}
    assert (answer.verdict, answer.dissent) == ("contested", ("pages0 says Isles penny",))


def test_one_more_of_many_values_is_no_contradiction(tmp_path):
    text = ("Birger Vask", "Birger Vask was a sailor. He was a child of the painter Orlena Vask.")
    with store(tmp_path, text) as hydra:
        answer = hydra.ask("Who are the children of Orlena Vask?")
    assert {a.name for a in answer.answers} == {"Ulla Vask", "Rolf Vask", "Edda Vask"}
    assert answer.verdict == "single-source"


@pytest.mark.parametrize(
    "question, text",
    [
        (
            "Who are the children of Orlena Vask?",
            (
                "Birger Holt",
                "Birger Holt was a sailor. He was a nephew of Orlena Vask and a child of Ulla Vask, Edda Vask.",
            ),
        ),
        ("Who are the children of Orlena Vask?", ("Orlena Vask", "Orlena Vask had a daughter, Ulla Vask.")),
        (
            "What is the capital of the Norrland Isles?",
            ("Tarnholm", "Tarnholm is a town on the coast. It is the former capital of the Norrland Isles."),
        ),
    ],
    ids=["said of somebody else", "one of three", "no longer"],
)
def test_what_does_not_say_the_answer_itself_backs_nothing(tmp_path, question, text):
    with store(tmp_path / "alone") as hydra:
        alone = hydra.ask(question)
    with store(tmp_path / "both", text) as hydra:
        answer = hydra.ask(question)
    assert {a.name for a in answer.answers} == {a.name for a in alone.answers} != set()
    assert answer.verdict == alone.verdict == "single-source"


def test_a_page_that_names_the_answer_in_passing_is_not_about_it(tmp_path):
    text = ("Kelmoor", "Kelmoor, known as the Green Town, lies near Tarnholm. The painter Orlena Vask was born here.")
    with store(tmp_path, text) as hydra:
        answer = hydra.ask(QUESTION)
    assert (answer.answers[0].name, answer.verdict) == ("Tarnholm", "contested")


def test_a_page_that_says_what_the_answer_is_also_called_agrees(tmp_path):
    text = ("Tarnstad", "Tarnstad, also known as Tarnholm, lies on the coast. The painter Orlena Vask was born here.")
    with store(tmp_path, text) as hydra:
        answer = hydra.ask(QUESTION)
    assert (answer.answers[0].name, answer.verdict) == ("Tarnholm", "supported")


def test_one_page_under_many_names_is_one_voice(tmp_path):
    with store(tmp_path / "one", DIFFERS) as hydra:
        one = hydra.ask(QUESTION)
    with store(tmp_path / "five", DIFFERS, copies=5) as hydra:
        five = hydra.ask(QUESTION)
    assert five.answers[0].name == "Tarnholm"
    assert (five.verdict, five.agreement, five.amount) == (one.verdict, one.agreement, one.amount)


def test_a_page_against_a_well_supported_fact_is_named_and_does_not_win(tmp_path):
    with store(tmp_path / "alone", graphs=4) as hydra:
        alone = hydra.ask(QUESTION)
    with store(tmp_path / "planted", DIFFERS, graphs=4) as hydra:
        answer = hydra.ask(QUESTION)
    assert (answer.answer_text, answer.verdict) == ("Tarnholm", "supported")
    assert answer.dissent == ("pages0 says Kelmoor",)
    assert answer.confidence < alone.confidence


def test_what_was_confirmed_of_sources_decides_who_is_believed_and_says_so(tmp_path):
    with store(tmp_path, DIFFERS) as hydra:
        History(hydra.path / FILE).confirm("a1", [("graph0", f"v{n}", False) for n in range(40)])
        answer = hydra.ask(QUESTION)
    assert answer.answers[0].name == "Kelmoor"
    assert answer.verdict == "contested"
    assert answer.dissent[0] == "graph0 says Tarnholm"
    assert answer.dissent[1].startswith("believed is pages0 (0.80), by what was confirmed of it, over graph0 (0.5")


def test_the_reading_can_be_switched_off(tmp_path):
    store(tmp_path, DIFFERS).close()
    with Hydra(store=tmp_path / "store", settings=Settings().changed(verification={"text": False})) as hydra:
        answer = hydra.ask(QUESTION)
    assert (answer.answer_text, answer.findings) == ("Tarnholm", ())


INVERTED = (
    "Orlena Vask",
    "Orlena Vask painted. It was Kelmoor that saw the birth of Orlena Vask, not the coast.",
)
STATED = {"n": 2, "value": "Kelmoor"}


def asked(folder, text, *statements, failing: bool = False, reading_only: bool = False):
    """The answer with a model that chooses the first path and reads as scripted; and the steps it was asked."""
    how = {"verification.reader": "model", "agent.reading_only": reading_only, "budget.calls": 0, "budget.tokens": 0}
    settings = Settings().changed(**how)
    with store(folder, text) as hydra:

        def reply(_messages) -> str:
            step = model.steps[-1]
            if step.startswith("read_statements"):
                return "…" if failing else json.dumps({"statements": list(statements)})
            if step.startswith("judge"):
                return json.dumps({"facts": "", "parts": [], "enough": "yes", "answers": ["Tarnholm"], "missing": ""})
            if step.startswith("select"):
                return json.dumps({"best": [{"n": 1, "score": 9}], "sources": ["kg", "wiki"]})
            return json.dumps({"skyline": "Orlena Vask - place of birth - answer", "parts": [], "sources": ["kg"]})

        model = FakeLanguageModel(reply)
        hydra.reasoner.settings = settings
        hydra.reasoner.tools = Tools(settings, "llm", model=model)
        return hydra.ask(QUESTION, keep=False), model.steps


@pytest.mark.parametrize("number", [1, 7])
def test_a_value_with_the_number_of_another_sentence_is_dropped(tmp_path, number):
    answer, steps = asked(tmp_path, INVERTED, {**STATED, "n": number})
    assert "read_statements" in steps
    assert (answer.answers[0].name, answer.verdict) == ("Tarnholm", "single-source")


def test_what_the_model_copies_contests_the_answer(tmp_path):
    answer, steps = asked(tmp_path, INVERTED, {"n": 1, "value": "none"}, STATED)
    assert "read_statements" in steps
    assert (answer.answers[0].name, answer.verdict) == ("Tarnholm", "contested")
    (finding,) = [f for f in answer.to_dict()["findings"] if f["stance"] == "differs"]
    assert (finding["value"], finding["likeness"]) == ("Kelmoor", 1.0)
    assert "saw the birth" in finding["passage"]["text"]


@pytest.mark.parametrize("value", ["Brimstad", "none", "Vask", "the coast", "birth of Orlena Vask"])
def test_what_is_no_name_in_the_words_of_a_sentence_does_not_count(tmp_path, value):
    answer, steps = asked(tmp_path, INVERTED, {**STATED, "value": value})
    assert "read_statements" in steps
    assert (answer.verdict, answer.dissent) == ("single-source", ())


def test_where_it_gives_no_reply_the_answer_stands(tmp_path):
    answer, steps = asked(tmp_path, INVERTED, failing=True)
    assert "read_statements" in steps
    assert (answer.answer_text, answer.verdict) == ("Tarnholm", "single-source")


def test_what_rules_find_against_an_answer_costs_no_call(tmp_path):
    answer, steps = asked(tmp_path, DIFFERS)
    assert "read_statements" not in steps
    assert answer.verdict == "contested"
    assert "pages0 says Kelmoor" in answer.dissent


def test_a_model_may_only_read_and_rules_judge(tmp_path):
    answer, steps = asked(tmp_path, INVERTED, STATED, reading_only=True)
    assert steps == ["read_statements"]
    assert (answer.answers[0].name, answer.verdict, answer.agent) == ("Tarnholm", "contested", "offline")


REGISTER = """name,type,founded,director
Brekkesund Institute,institute,1962,Per Lindqvist
Tarnvik,town,1794,Jonas Ekrem
"""
PAGES = {
    "brekkesund-institute.md": "# Brekkesund Institute\n\nThe Brekkesund Institute is a research institute. Its "
    "current director is Hanne Okafor, who succeeded Per Lindqvist in 2016. It was founded in 1962.\n",
    "tarnvik.txt": "Tarnvik\n\nTarnvik is a town on the coast. Its director is Jonas Ekrem. "
    "The town was founded in 1801 by whalers.\n",
}


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> Hydra:
    """A table and pages of somebody's own about the same two things."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "pages").mkdir()
    (folder / "register.csv").write_text(REGISTER, "utf-8")
    for name, text in PAGES.items():
        (folder / "pages" / name).write_text(text, "utf-8")
    with Hydra(store=folder / "store", settings=Settings()) as hydra:
        hydra.load(folder / "register.csv")
        hydra.load(folder / "pages")
        yield hydra


@pytest.mark.parametrize(
    "question,sides",
    [
        ("Who is the director of the Brekkesund Institute?", {"Hanne Okafor", "Per Lindqvist"}),
        ("When was Tarnvik founded?", {"1801", "1794"}),
    ],
)
def test_own_pages_and_own_tables_check_each_other(own, question, sides):
    answer = own.ask(question, keep=False)
    first = answer.answers[0].name
    assert answer.verdict == "contested"
    assert first in sides
    (other,) = sides - {first}
    assert any(line.endswith(f" {other}") for line in answer.dissent)
    assert answer.confidence < 0.6


def test_own_pages_and_own_tables_that_agree_back_each_other(own):
    answer = own.ask("When was the Brekkesund Institute founded?", keep=False)
    assert (answer.answers[0].name, answer.verdict) == ("1962", "supported")
