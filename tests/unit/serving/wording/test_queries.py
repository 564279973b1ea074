"""Every operator of a query has German words."""

from __future__ import annotations

import re

import pytest

from hydra_kg.plan import model as m
from hydra_kg.plan.query_wording import words
from hydra_kg.plan.serialise import OPERATORS, plan_json, query_json
from hydra_kg.serving.wording.queries import german_bound, german_query, known_queries

NOLAN, PARIS = m.Named("Nolan", 1), m.Named("Paris", 2)
BOATS = m.Class("boats", "boat")
FILMS = m.Related(NOLAN, "_ direct", "films", said="_ directed")
DEAR = m.Condition(">", "number", 40000.0, 40000.0, words="more than 40000")
SOME = m.Condition("exists", "any")
SEVENTIES = m.Condition("in", "date", 1970.0, 1980.0, words="in the 1970s")
PRICE = m.Value(BOATS, "price", "number")
IN_PARIS = m.Among(PARIS, FILMS)

SAID: dict[type, tuple[m.Root, str]] = {
    m.Named: (NOLAN, "Nolan"),
    m.Class: (BOATS, "boats"),
    m.Related: (FILMS, "films Nolan „directed“"),
    m.TextPassage: (m.TextPassage(NOLAN, "born in"), "was Texte zu „born in“ über Nolan sagen"),
    m.OfKind: (m.OfKind(FILMS, "comedies"), "films Nolan „directed“, nur „comedies“"),
    m.Both: (m.Both((BOATS, m.Where(m.Class(""), "price", DEAR))), "boats und mit price mehr als 40000"),
    m.Either: (m.Either((NOLAN, PARIS)), "Nolan oder Paris"),
    m.Without: (m.Without(BOATS, FILMS), "boats, aber nicht films Nolan „directed“"),
    m.Where: (m.Where(BOATS, "price", DEAR), "boats mit price mehr als 40000"),
    m.TextMatch: (m.TextMatch(BOATS, "name", "starts", "Sea"), "boats mit name, das „Sea“ beginnt mit"),
    m.Having: (m.Having(BOATS, m.Class("crews"), SOME), "boats mit crews"),
    m.Extreme: (m.Extreme(BOATS, "price", "number", "max"), "boats, nur eines mit größtem price"),
    m.Top: (m.Top(BOATS, 3, "built", "date", "min"), "boats, nur 3 mit frühestem built"),
    m.FileOrder: (m.FileOrder(BOATS, -1), "boats, nur die letzte der Datei"),
    m.Adjacent: (m.Adjacent(BOATS, PARIS, "built", 1), "boats, das nächste nach Paris nach built"),
    m.Project: (m.Project(BOATS, ("price", "harbour")), "price und harbour von boats"),
    m.Headings: (m.Headings(BOATS, "max"), "Spalte, in der für boats die größte Zahl steht"),
    m.GroupBy: (m.GroupBy(BOATS, "harbour", "mean", "price"), "Mittelwert von price von boats je harbour"),
    m.Value: (PRICE, "price von boats"),
    m.Count: (m.Count(BOATS), "Anzahl boats"),
    m.Aggregate: (m.Aggregate(BOATS, "price", "sum"), "Summe von price von boats"),
    m.Ratio: (m.Ratio(FILMS, BOATS), "Prozentanteil: films Nolan „directed“ zu boats"),
    m.LongestRun: (m.LongestRun(BOATS), "Länge der längsten Folge von boats"),
    m.Difference: (m.Difference(PRICE, m.Today()), "price von boats minus heute, in Jahren"),
    m.Compare: (m.Compare((NOLAN, PARIS), "born", "date", "min"), "von Nolan und Paris mit frühestem born"),
    m.Holds: (m.Holds(PRICE, ">", m.Constant(3, "number", "3")), "ob price von boats größer ist als 3"),
    m.Constant: (m.Constant(3, "number", "3"), "3"),
    m.Today: (m.Today(), "heute"),
    m.Among: (IN_PARIS, "ob Paris dazu gehört: films Nolan „directed“"),
    m.Some: (m.Some(BOATS, 2), "ob es das gibt: mindestens 2: boats"),
    m.Every: (m.Every((IN_PARIS,)), "ob Paris dazu gehört: films Nolan „directed“"),
    m.Only: (m.Only(IN_PARIS), "nur ob Paris dazu gehört: films Nolan „directed“"),
    m.Untrue: (m.Untrue(IN_PARIS), "das Gegenteil von: ob Paris dazu gehört: films Nolan „directed“"),
}


def test_every_operator_has_an_example():
    assert set(SAID) == set(OPERATORS)


@pytest.mark.parametrize("operator", SAID, ids=lambda o: o.__name__)
def test_an_operator_is_said_in_german(operator: type):
    root, said = SAID[operator]
    assert german_query(root) == said


def test_what_things_have_is_said_by_its_relation():
    lindqvist = m.Where(m.Class("people"), "name", m.Condition("=", "any", words="Lindqvist", values=("Lindqvist",)))
    assert german_query(m.Having(BOATS, lindqvist, SOME, "owner")) == "boats mit owner Lindqvist"
    assert german_query(m.Having(BOATS, m.Class("orders"), DEAR, "boat", back=True)) == (
        "boats mit mehr als 40000 orders (als boat)"
    )
    lacking = m.Having(BOATS, m.Class("orders"), m.Condition("lacks", "any"))
    assert german_query(lacking) == "boats ohne orders"


@pytest.mark.parametrize(
    "english, said",
    [
        ("more than 40000", "mehr als 40000"),
        ("between 1900 and 1940", "zwischen 1900 und 1940"),
        ("after that of Salt", "nach dem von Salt"),
        ("larger than a house", "„larger than a house“"),
        ("Kiel", "Kiel"),
    ],
)
def test_bounds_are_said_in_german(english: str, said: str):
    assert german_bound(english) == said


def test_each_part_of_an_answers_query_is_known_by_its_english_words():
    query = m.Count(m.Where(BOATS, "price", DEAR))
    known = known_queries({"query": query_json(query), "plan": plan_json(m.Plan(query, unused=("big",)))})
    assert known[words(query)] == "Anzahl boats mit price mehr als 40000"
    assert known["boats whose price is more than 40000"] == "boats mit price mehr als 40000"
    assert known["the number of boats whose price is more than 40000 (not checked: big)"].endswith(
        "(nicht geprüft: big)"
    )
    assert known_queries({"query": {"operator": "Nothing"}}) == {}


def test_the_order_of_words_is_german():
    assert re.search(r"die Zeile danach", german_query(m.FileOrder(BOATS, step=1)))
