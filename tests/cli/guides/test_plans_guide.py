"""docs/plans.md: its data are loaded, and every question in its table and its examples gives what the page says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.plan.model import Plan
from hydra_kg.plan.query_wording import plan_words
from hydra_kg.plan.serialise import OPERATORS
from hydra_kg.plan.walk import parts

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "plans.md").read_text("utf-8")
TABLE = PAGE.partition("## Operators")[2].partition("\n## ")[0]
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split(" | "))
    for line in TABLE.splitlines()
    if "? |" in line or ". |" in line
]


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    place = tmp_path_factory.mktemp("plans")
    (place / "films.ttl").write_text(block("turtle"), "utf-8")
    with Hydra(store=place / "films") as hydra:
        hydra.load(place / "films.ttl")
    return place / "films"


@pytest.fixture(scope="module")
def hydra(store):
    with Hydra(store=store) as opened:
        yield opened


@pytest.mark.parametrize("operator,what,question,words,answers", ROWS, ids=[row[2] for row in ROWS])
def test_an_operator_is_as_the_table_says(hydra, operator, what, question, words, answers):
    given = hydra.ask(question, agent="offline", keep=False)
    assert isinstance(given.plan, Plan)
    assert plan_words(given.plan) == words
    assert {a.name for a in given.answers} == set(answers.split(", "))
    assert operator.split("`")[1] in {type(p).__name__ for p in parts(given.plan.root)}


def test_every_operator_is_on_the_page():
    assert [cls.__name__ for cls in OPERATORS if f"`{cls.__name__}`" not in PAGE] == []


@pytest.mark.parametrize("command", re.findall(r"^\$ hydra-kg (ask .*) --store films$", PAGE, re.MULTILINE))
def test_an_example_prints_what_stands_there(call, store, command):
    shown = PAGE.partition(f"{command} --store films\n")[2].partition("```")[0].partition("$ ")[0].splitlines()
    result = call("ask", command[5:-1], "--agent", "offline", "--store", store, code=None)
    missing = [line for line in shown if line not in {"", "…"} and line not in result.output.splitlines()]
    assert missing == []
    assert result.exit_code == (3 if "No answer in these sources." in shown else 0)


def test_the_json_is_what_is_printed(hydra):
    doc = hydra.ask(
        "How many films directed by Ada Lindqvist came out before 1968?", agent="offline", keep=False
    ).to_dict()
    shown = json.loads(block("json"))
    assert {name: doc[name] for name in shown} == shown


def test_switched_off_there_is_no_partial_answer(store, monkeypatch):
    monkeypatch.setenv("HYDRA_ANSWERING_PLAN", "false")
    with Hydra(store=store) as hydra:
        given = hydra.ask("Who composed Salt in 1999?", agent="offline", keep=False)
    assert given.verdict != "partial"
    assert (given.unchecked, given.steps, given.perhaps) == ((), (), ())
