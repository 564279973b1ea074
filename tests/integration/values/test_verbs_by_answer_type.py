"""A verb means the column of the type that is asked for, and measures are bounded, averaged, best and worst."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

GALLERY = {
    "paintings.csv": (
        "title,painter,painted on,height cm,width cm,material,room,rating\n"
        "Red Bridge,Sara Lindt,1931-04-02,120,150,oil,Blue Room,4.5\n"
        "Winter Market,Sara Lindt,1928-11-20,80,60,oil,Green Room,3.0\n"
        "Harbour at Dusk,Ida Moreau,1887-06-01,140,90,chalk,Blue Room,4.9\n"
        "Girl with Lute,Ida Moreau,1887-06-01,60,45,chalk,Hall,2.5\n"
        "Orchard,Olga Weiss,1960-09-14,200,180,tempera,Hall,3.9\n"
    ),
}
CELLAR = {
    "plots.csv": "plot,grower\nKirchberg,Ines Kolb\nHohe Leite,Ines Kolb\nAm Bach,Paula Voss\n",
    "bottlings.csv": (
        "lot,wine,plot,winemaker,alcohol,price\nL1,Kirchberg Riesling,Kirchberg,Marta Heil,12,14.5\n"
        "L2,Leite Reserve,Hohe Leite,Udo Lang,13.5,34\nL3,Bach Blanc,Am Bach,Nora Fitz,13,16\n"
    ),
    "orders.csv": "order,customer,lot,cases\nO1,Bistro Lune,L2,5\nO2,Hotel Anker,L1,12\nO3,Hotel Anker,L3,2\n",
}
MUSEUM = {
    "curators.csv": "curator,since,office\nBerit Solheim,2009,2.14\nOlav Dahl,2015,2.09\nIngrid Moe,2020,\n",
    "objects.csv": (
        "object,maker,curator\nSextant,Plath,Berit Solheim\nCod Scale,Aas,Olav Dahl\nTally Book,,Olav Dahl\n"
        "Net,Florø Works,Ingrid Moe\n"
    ),
    "loans.csv": (
        "loan,object,borrower,courier,start,end\nLO-1,Sextant,City Museum,Olav Dahl,2021-02-01,2021-08-31\n"
        "LO-2,Net,Maritime House,Ingrid Moe,2022-03-15,2022-12-15\nLO-3,Net,City Museum,Ingrid Moe,2023-05-01,\n"
        "LO-4,Cod Scale,City Museum,Olav Dahl,2023-01-01,2023-01-31\n"
    ),
}
PODCASTS = {
    "episodes.csv": (
        "episode,show,length min\nOwls,Night Radio,32\nTrains,Night Radio,41\nWorms,Soil,25\nClay,Soil,35\n"
        "Peat,Soil,27\n"
    ),
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Hydra]]:
    folders = {"gallery": GALLERY, "cellar": CELLAR, "museum": MUSEUM, "podcasts": PODCASTS}
    opened = {n: loaded(tmp_path_factory.mktemp(n), files, together=n) for n, files in folders.items()}
    yield {name: next(store) for name, store in opened.items()}
    for store in opened.values():
        next(store, None)


@pytest.mark.parametrize(
    "name, question, answers",
    [
        ("gallery", "Who painted in 1960?", ["Olga Weiss"]),
        ("gallery", "Who painted the most paintings?", ["Ida Moreau", "Sara Lindt"]),
        ("gallery", "Which painting was painted first?", ["Girl with Lute", "Harbour at Dusk"]),
        ("gallery", "Which painting has the worst rating?", ["Girl with Lute"]),
        ("gallery", "Which painting is the second best?", ["Red Bridge"]),
        ("gallery", "What is the best width?", []),  # is it the greatest?
        ("gallery", "Which paintings are larger than 100 cm in both height and width?", ["Orchard", "Red Bridge"]),
        ("gallery", "Which paintings have both height and width over 100 cm?", ["Orchard", "Red Bridge"]),
        ("gallery", "What is Red Bridge made of?", ["oil"]),
        ("museum", "What is the Cod Scale made of?", []),  # not its maker
        ("podcasts", "How long are the episodes of Soil on average?", ["29"]),
        ("podcasts", "On average, how long are episodes?", ["32"]),
    ],
)
def test_columns_of_the_type_asked_for(stores: dict[str, Hydra], name: str, question: str, answers: list[str]) -> None:
    assert sorted(one.name for one in stores[name].ask(question, keep=False).answers) == answers


@pytest.mark.parametrize(
    "name, question, answers",
    [
        ("cellar", "Who made the Leite Reserve?", ["Udo Lang"]),
        ("cellar", "Which plots does Ines Kolb look after?", ["Hohe Leite", "Kirchberg"]),
        ("cellar", "Did Bistro Lune order the Leite Reserve?", ["yes"]),
        ("cellar", "Did Hotel Anker order the Leite Reserve?", ["no"]),
        ("museum", "Who has been a curator the longest?", ["Berit Solheim"]),
        ("museum", "Which objects were never lent?", ["Tally Book"]),
        ("museum", "Which object was lent most often?", ["Net"]),
        ("museum", "How long was the loan LO-1 in days?", ["211 days"]),
        ("museum", "Which loans has Ingrid Moe accompanied?", ["LO-2", "LO-3"]),  # no company does
        ("museum", "Which borrowers only borrowed the Net?", []),  # not whoever borrowed it
    ],
)
def test_verbs_of_people_and_events(stores: dict[str, Hydra], name: str, question: str, answers: list[str]) -> None:
    assert sorted(one.name for one in stores[name].ask(question, keep=False).answers) == answers
