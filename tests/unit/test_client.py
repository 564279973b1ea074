"""The public face: every name there, nothing heavy imported before it is used, and Hydra in a few lines."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers.samples.answers import answer

import hydra_kg
from hydra_kg import Hydra, HydraError, NotFoundError, Settings
from hydra_kg.serialise import answer_json
from hydra_kg.util.package_data import find_content


def test_every_public_name_is_there_and_sorted():
    assert hydra_kg.__all__ == sorted(hydra_kg.__all__)
    for name in hydra_kg.__all__:
        assert getattr(hydra_kg, name) is not None
    assert set(hydra_kg._HOMES) | {"__version__"} == set(hydra_kg.__all__)
    assert set(hydra_kg.__all__) <= set(dir(hydra_kg))
    with pytest.raises(AttributeError, match="nothing"):
        _ = hydra_kg.nothing


def test_importing_it_imports_nothing_heavy():
    code = "import sys, hydra_kg; print({'numpy', 'duckdb', 'click'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.slow
def test_a_question_over_dumps_imports_no_reader_of_own_tables_and_no_checks_of_plans():
    code = (
        "import sys, hydra_kg.cli.printing, hydra_kg.reasoner, hydra_kg.strategies.hydra.strategy; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    own = {
        f"hydra_kg.{name}" for name in ("questions.own_data", "questions.model_cypher", "steps.sheets", "steps.queries")
    }
    unneeded = {*own, "hydra_kg.fusion.normalisation.claim_values", "pydantic.type_adapter"}
    assert unneeded & set(done.stdout.split()) == set()


@pytest.mark.slow
def test_load_ask_show_in_a_few_lines(tmp_path):
    with Hydra(store=tmp_path / "store", settings=Settings()) as hydra:
        report = hydra.load(find_content("sample", "freebase.nt.gz"))
        assert report.to_json()["loads"][0]["name"] == "freebase"
        found = hydra.ask("Where was Lionel Messi born?")
        assert found.answers[0].name == "Rosario"
        assert hydra.show()["answers"][0]["name"] == "Rosario"
        assert hydra.show(found.id) == answer_json(found)
        hydra.ask("Where was Lionel Messi born?", keep=False)
        assert hydra.show()["id"] == found.id


def test_a_missing_store_is_said_before_anything_else(tmp_path):
    hydra = Hydra(store=tmp_path / "nothing", settings=Settings())
    for call in (lambda: hydra.ask("where?"), hydra.show, lambda: hydra.store):
        with pytest.raises(NotFoundError, match="hydra-kg load FILE"):
            call()
    assert not (tmp_path / "nothing").exists()


def test_a_dry_run_makes_no_store(tmp_path):
    hydra = Hydra(store=tmp_path / "deep" / "store", settings=Settings())
    assert hydra.load(find_content("sample", "fb2w.nt.gz"), dry_run=True).to_json()
    assert list(tmp_path.iterdir()) == []


def test_traces_of_ones_own_are_used(tmp_path):
    class Memory:
        def __init__(self) -> None:
            self.kept: list[dict] = []

        def save(self, doc) -> None:
            self.kept.append(doc)

        def get(self, key=""):
            return self.kept[-1]

        def list(self, *, limit=20):
            return self.kept

    memory = Memory()
    hydra = Hydra(store=tmp_path / "nothing", settings=Settings(), traces=memory)
    hydra.keep(answer())
    assert hydra.show()["id"] == "a1b2c3d4"


def test_every_error_can_be_caught_as_one():
    for name in hydra_kg.__all__:
        if name.endswith("Error"):
            assert issubclass(getattr(hydra_kg, name), HydraError)
