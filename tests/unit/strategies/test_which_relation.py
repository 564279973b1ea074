"""What a question asks for is not taken from a relation that states something else, or the same of the other end."""

from __future__ import annotations

import pytest

from hydra_kg import Hydra

NS = "<http://rdf.freebase.com/ns/%s>"
PEOPLE = "Aldo Brenn,Bela Corvin,Caro Dunst,Dario Elm,Edda Falk,Fenno Gries,Gerta Holm,Hilmar Ivers,Ilka Jost,Jory Kamp"
FAMILY = [f"m.0p{n}" for n in range(10)]
TOWNS = "Adenau,Borlin,Cassow,Drewitz,Elmhorn,Farsund,Gransee,Hagenow,Itzeho,Jeverden"
GRAVES = "Abbey,Basilica,Cloister,Dome,Eastyard,Fanum,Groveside,Hillyard,Ivyyard,Jordanfield"


@pytest.fixture(scope="module")
def hydra(tmp_path_factory):
    """Ten people, each the child of the one before, who influenced him: all are buried somewhere, and of all but the
    first it is stated where they died."""
    folder = tmp_path_factory.mktemp("relations")
    names, facts = {}, []
    for n, (person, town, grave) in enumerate(zip(PEOPLE.split(","), TOWNS.split(","), GRAVES.split(","), strict=True)):
        names |= {f"m.0p{n}": person, f"m.0t{n}": town, f"m.0g{n}": f"Saint {grave}"}
        facts += [(f"m.0p{n}", "people.deceased_person.place_of_burial", f"m.0g{n}")]
        facts += [(f"m.0p{n}", "people.deceased_person.place_of_death", f"m.0t{n}")] if n else []
        if n:
            facts += [
                (f"m.0p{n - 1}", "people.person.children", f"m.0p{n}"),
                (f"m.0p{n}", "people.person.parents", f"m.0p{n - 1}"),
                (f"m.0p{n - 1}", "influence.influence_node.influenced", f"m.0p{n}"),
            ]
    lines = [f'{NS % k}\t{NS % "type.object.name"}\t"{v}"@en\t.' for k, v in names.items()]
    lines += [f"{NS % a}\t{NS % relation}\t{NS % b}\t." for a, relation, b in facts]
    (folder / "graph.nt").write_text("\n".join(lines) + "\n", "utf-8")
    with Hydra(store=folder / "store") as hydra:
        hydra.load(folder / "graph.nt", format="freebase", source="graph")
        yield hydra


ASKED = {
    "Where did Bela Corvin die?": "Borlin",
    "Where was Aldo Brenn buried?": "Saint Abbey",
    "Where did Aldo Brenn die?": "",
    "What did Bela Corvin die of?": "",
    "Who is the child of Caro Dunst?": "Dario Elm",
    "Who are the children of Jory Kamp?": "",
    "Who is the grandfather of Edda Falk?": "Caro Dunst",
    "Who are the grandchildren of Edda Falk?": "Gerta Holm",
    "Who are the grandchildren of Ilka Jost?": "",
    "Who is the great-grandfather of Dario Elm?": "Aldo Brenn",
    "Who did Edda Falk influence?": "Fenno Gries",
    "Who influenced Edda Falk?": "Dario Elm",
    "Who did Jory Kamp influence?": "",
}


@pytest.mark.parametrize("question, wanted", ASKED.items())
def test_a_relation_is_the_one_that_is_asked_for(hydra, question, wanted):
    answer = hydra.ask(question)
    assert answer.answer_text == wanted, answer
