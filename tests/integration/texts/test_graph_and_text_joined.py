"""Questions of which the graph answers one half and a stored page the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hydra_kg import Hydra, Settings

NS = "<http://rdf.freebase.com/ns/%s>"
NAMES = {
    "m.0c1": "Varelia",
    "m.0c2": "Varelian crown",
    "m.0c3": "Ostland",
    "m.0c4": "Ostland mark",
    "m.0c5": "Hulmen Province",
    "m.0c6": "Norrick Province",
    "m.0c7": "Sildania",
}
CURRENCIES = [
    ("m.0c1", "location.country.currency_used", "m.0c2"),
    ("m.0c3", "location.country.currency_used", "m.0c4"),
]
COUNTRIES = [
    ("m.0c5", "location.administrative_division.country", "m.0c1"),
    ("m.0c6", "location.administrative_division.country", "m.0c7"),
]
QUESTION = "What currency is used in the country where Hulmen Province is located?"

PROVINCE = ("Hulmen Province", "Hulmen Province is a province of Varelia. It lies on the coast and borders the sea.")
CROWN = (
    "Varelian crown",
    "The Varelian crown is the currency of Varelia. It has been issued by the bank of Varelia since 1911.",
)


def store(folder: Path, facts: list[tuple[str, str, str]], *pages: tuple[str, str], **settings: object) -> Hydra:
    """A graph of some facts, with the names in them, and passages."""
    used = {key for subject, _, value in facts for key in (subject, value)}
    lines = [f'{NS % k}\t{NS % "type.object.name"}\t"{n}"@en\t.' for k, n in NAMES.items() if k in used]
    lines += [f"{NS % a}\t{NS % relation}\t{NS % b}\t." for a, relation, b in facts]
    (folder / "graph.nt").write_text("\n".join(lines) + "\n", "utf-8")
    records = [{"title": t, "text": text, "url": f"http://example.org/{n}"} for n, (t, text) in enumerate(pages)]
    (folder / "pages.jsonl").write_text("".join(f"{json.dumps(r)}\n" for r in records), "utf-8")
    hydra = Hydra(store=folder / "store", settings=Settings().changed(**settings))
    hydra.load(folder / "graph.nt", format="freebase", source="graph")
    if pages:
        hydra.load(folder / "pages.jsonl", source="pages")
    return hydra


def test_a_page_leads_to_the_graph(tmp_path):
    with store(tmp_path, CURRENCIES, PROVINCE) as hydra:
        answer = hydra.ask(QUESTION)
    assert (answer.answer_text, answer.verdict, answer.label) == ("Varelian crown", "single-source", "kg+wiki")
    hops = answer.evidence[0].path.hops
    assert [h.object.name for h in hops] == ["Varelia", "Varelian crown"]
    assert answer.evidence[0].sentence == "Hulmen Province is a province of Varelia."
    assert {c.source for c in answer.citations} == {"graph", "pages"}


def test_the_graph_leads_to_a_page(tmp_path):
    with store(tmp_path, COUNTRIES, CROWN) as hydra:
        answer = hydra.ask(QUESTION)
    assert (answer.answer_text, answer.verdict, answer.label) == ("Varelian crown", "single-source", "kg+wiki")
    assert [h.object.name for h in answer.evidence[0].path.hops] == ["Varelia", "Varelian crown"]
    assert answer.evidence[0].path.hops[0].facts


@pytest.mark.parametrize(
    "facts, page",
    [
        (CURRENCIES, ("Hulmen Province", "Hulmen Province lies on the coast and borders the sea.")),
        (COUNTRIES, ("Ostland mark", "The Ostland mark is the currency of Ostland. It is also called mark.")),
        (COUNTRIES, ("Rella", "Rella is a singer. She has a large collection of coins of Varelia.")),
    ],
    ids=["page names nothing of the graph", "another country", "a page about no currency"],
)
def test_halves_that_do_not_meet_answer_nothing(tmp_path, facts, page):
    with store(tmp_path, facts, page) as hydra:
        assert hydra.ask(QUESTION).abstained


def test_joining_can_be_switched_off(tmp_path):
    with store(tmp_path, CURRENCIES, PROVINCE, answering={"joined": False}) as hydra:
        assert hydra.ask(QUESTION).abstained
