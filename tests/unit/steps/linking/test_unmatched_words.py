"""Silence on own tables and own graphs names the words of the question that the data lack, and what the data have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra

TABLES = {
    "boats.csv": """boat_id,name,price_eur,year,harbour
B1,Seeadler,18500,1990,Kiel
B2,Nordstern,71250,2004,Lübeck
B3,Kormoran,23000,1999,Kiel
""",
    "members.csv": """member_id,name,born,boat_id
M1,Ada Lund,1980-01-02,B1
M2,Bo Rask,1975-03-04,B2
M3,Cleo Dahl,1969-11-12,B2
""",
}

GRAPH = """@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:Painting rdfs:label "Painting" . ex:Painter rdfs:label "Painter" .
ex:steel a ex:Painting ; rdfs:label "Steelworks" ; ex:paintedBy ex:luca ; ex:hangsIn ex:museum .
ex:dusk a ex:Painting ; rdfs:label "Harbour at Dusk" ; ex:paintedBy ex:mira ; ex:hangsIn ex:museum .
ex:luca a ex:Painter ; rdfs:label "Luca Ferrante" ; ex:bornIn ex:genoa .
ex:mira a ex:Painter ; rdfs:label "Mira Holt" ; ex:bornIn ex:kiel .
ex:genoa a ex:Town ; rdfs:label "Genoa" . ex:kiel a ex:Town ; rdfs:label "Kiel" .
ex:museum a ex:Museum ; rdfs:label "North Museum" .
"""

BOATS = "The table boats has: boat id, harbour, price eur, year"
MEMBERS = "The table members has: boat id, born, member id"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder: Path = tmp_path_factory.mktemp("boats")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        for name, text in TABLES.items():
            (folder / name).write_text(text, encoding="utf-8")
            hydra.load(folder / name)
        yield hydra


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder: Path = tmp_path_factory.mktemp("art")
    (folder / "art.ttl").write_text(GRAPH, encoding="utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "art.ttl")
        yield hydra


@pytest.mark.slow
@pytest.mark.parametrize(
    "question, missing",
    [
        ("Which river does Kiel run through?", f"no table or column says “river”. {BOATS}"),
        ("What is the price of the Zanzibar?", f"no row or value is called “Zanzibar”. {BOATS}"),
        ("Who is the wife of Bo Rask?", f"no table or column says “wife”. {MEMBERS}"),
        ("Who distributed the Seeadler?", f"no table or column says “distributed”. {BOATS}"),
    ],
)
def test_tables_lack_words_of_the_question(tables: Hydra, question: str, missing: str) -> None:
    assert tables.ask(question, keep=False).missing == missing


@pytest.mark.slow
def test_what_is_printed_in_python_says_so_too(tables: Hydra) -> None:
    said = str(tables.ask("Who is the wife of Bo Rask?", keep=False))
    assert said == f"No answer in these sources.\nNo table or column says “wife”. {MEMBERS}."


@pytest.mark.slow
@pytest.mark.parametrize(
    "question, missing",
    [
        ("Who stole Steelworks?", "no class or relation says “stole”. The paintings have: hangs in, painted by"),
        ("Who is the wife of Mira Holt?", "no class or relation says “wife”. The painters have: born in"),
        (
            "Who bought the Mona Lisa?",
            "no class or relation says “bought”, and no thing is called “Mona Lisa”. "
            "The classes are: Museum, Painter, Painting, Town",
        ),
    ],
)
def test_a_graph_lacks_words_of_the_question(graph: Hydra, question: str, missing: str) -> None:
    answer = graph.ask(question, keep=False)
    assert answer.missing == missing
    assert not answer.perhaps


@pytest.mark.slow
@pytest.mark.parametrize(
    "question, step",
    [
        ("Where was the painter of Steelworks born?", "“born in” of what Steelworks is painted by: 1"),
        ("Where does Harbour at Dusk hang?", "“hangs in” of paintings called Harbour at Dusk"),
    ],
)
def test_steps_say_relations_of_verbs(graph: Hydra, question: str, step: str) -> None:
    assert [s.text for s in graph.ask(question, keep=False).steps][-1] == step
