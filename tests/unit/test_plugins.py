"""The public contract: its names, and objects in place of names wherever a strategy or a method is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from hydra_kg import Hydra, plugins
from hydra_kg.errors import UsageError
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.runs.runner import RunPlan, read_records, run
from hydra_kg.fusion.truth_discovery.methods import method, method_named
from hydra_kg.fusion.truth_discovery.vote import Vote
from hydra_kg.plugins import Context, Outcome, make_strategy
from hydra_kg.settings import Settings

QUESTION = "Where was John Lennon born?"


@dataclass(frozen=True)
class Mine:
    """The strategy of somebody else's package, as short as it gets."""

    name: str = "mine"

    def run(self, context: Context) -> Outcome:
        """As hydra."""
        return make_strategy("hydra").run(context)


def test_the_contract_is_sorted_and_says_what_it_promises():
    assert plugins.__all__ == sorted(plugins.__all__)
    assert "Stable" in (plugins.__doc__ or "")
    undocumented = [n for n in plugins.__all__ if not getattr(plugins, n).__doc__ and n != "LoaderRecord"]
    assert undocumented == []


def test_a_strategy_is_given_as_an_object(sample, sample_store):
    assert sample.ask(QUESTION, strategy=Mine(), keep=False).strategy == "mine"
    with Hydra(store=sample_store, settings=Settings(), strategy=Mine("other")) as hydra:
        answer = hydra.ask(QUESTION, keep=False)
    assert (answer.strategy, answer.answers[0].name) == ("other", "Liverpool")


@pytest.mark.parametrize(
    "given, message",
    [(Mine, "Mine is a class"), (object(), r"no name and no method run\(context\)"), (Vote(), "no method run")],
)
def test_what_is_no_strategy_is_said(sample, given, message):
    with pytest.raises(UsageError, match=message):
        sample.ask(QUESTION, strategy=given, keep=False)


@pytest.mark.slow
def test_an_evaluation_runs_a_strategy_of_ones_own_beside_a_named_one(sample_store, tmp_path):
    questions = [Question("own", "1", QUESTION, (), None)]
    plan = RunPlan((Mine(), "text-rag"), "offline", False, Settings(), store=str(sample_store))
    done = run(questions, plan, tmp_path / "run", isolate=True)
    assert (done.asked, done.failed) == (2, 0)
    records = read_records(tmp_path / "run").values()
    assert sorted(r["strategy"] for r in records) == ["mine", "text-rag"]
    assert run(questions, plan, tmp_path / "run").asked == 0, "taken up by the strategy's name"


def test_a_fusion_method_is_given_as_an_object():
    vote = Vote()
    assert method(vote) is method_named(vote) is vote
    with pytest.raises(UsageError, match="is not a method"):
        method(Vote)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no method 'mine'"):
        method("mine")


def test_nothing_of_the_examples_is_imported_from_elsewhere():
    page = (Path(__file__).resolve().parents[2] / "docs" / "extending.md").read_text("utf-8")
    modules = {line.split()[1] for line in page.splitlines() if line.startswith("from hydra_kg")}
    assert modules == {"hydra_kg", "hydra_kg.plugins"}
