"""Dates and numbers of a text beside a graph's: other ones contest it, rounder ones and those of others do not."""

from __future__ import annotations

import json

import pytest

from hydra_kg import Hydra, Settings

NS = "<http://rdf.freebase.com/ns/%s>"
XSD = "<http://www.w3.org/2001/XMLSchema#%s>"
NAMES = {
    "m.0c1": "Orlena Vask",
    "m.0c2": "Kelm Foundry",
    "m.0c3": "Tarnholm",
    "m.0c4": "Skell River",
    "m.0c5": "Piet Holm",
    "m.0c6": "Brimstad Mill",
    "m.0c7": "Kelmoor",
    "m.0c8": "Mara River",
    "m.0c9": "Sunniva Brekk",
    "m.0cb": "Ulla Vask",
}
FACTS = [
    ("m.0c1", "people.person.date_of_birth", "1911-03-14", "date"),
    ("m.0c5", "people.person.date_of_birth", "1903-01-30", "date"),
    ("m.0c9", "people.person.date_of_birth", "1920-07-02", "date"),
    ("m.0cb", "people.person.date_of_birth", "1936-07-02", "date"),
    ("m.0c1", "people.deceased_person.date_of_death", "1987-05-02", "date"),
    ("m.0c5", "people.deceased_person.date_of_death", "1960-05-02", "date"),
    ("m.0c2", "organization.organization.date_founded", "1890", "gYear"),
    ("m.0c6", "organization.organization.date_founded", "1902", "gYear"),
    ("m.0c3", "location.statistical_region.population", "4200", "integer"),
    ("m.0c7", "location.statistical_region.population", "99000", "integer"),
    ("m.0c4", "geography.river.length", "120.0", "float"),
    ("m.0c8", "geography.river.length", "310.0", "float"),
]
BORN, DIED = "When was Orlena Vask born?", "When did Orlena Vask die?"
FOUNDED, PEOPLE = "When was Kelm Foundry founded?", "What is the population of Tarnholm?"
LONG = "How long is the Skell River?"


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """The graph once; each text comes and goes as a source of its own."""
    folder = tmp_path_factory.mktemp("measured")
    lines = [f'{NS % m}\t{NS % "type.object.name"}\t"{name}"@en\t.' for m, name in NAMES.items()]
    lines += [f'{NS % s}\t{NS % p}\t"{o}"^^{XSD % kind}\t.' for s, p, o, kind in FACTS]
    (folder / "graph.nt").write_text("\n".join(lines) + "\n", "utf-8")
    with Hydra(store=folder / "store", settings=Settings()) as hydra:
        hydra.load(folder / "graph.nt", format="freebase", source="graph")

        def asked(question: str, title: str, text: str):
            record = {"title": title, "text": text, "url": "http://example.org/1"}
            (folder / "pages.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
            hydra.load(folder / "pages.jsonl", source="pages", replace=True)
            return hydra.ask(question, keep=False)

        yield asked


CONTESTED = {
    "another birthday": (BORN, "Orlena Vask", "Orlena Vask was a painter. She was born on 2 June 1913 in Tarnholm."),
    "another year of birth": (BORN, "Orlena Vask", "Orlena Vask was a painter. She was born in 1913."),
    "a place before it": (BORN, "Orlena Vask", "Orlena Vask was a painter. She was born in Tarnholm in 1913."),
    "in brackets": (BORN, "Orlena Vask", "Orlena Vask (1913–1987) was a painter."),
    "another year of death": (DIED, "Orlena Vask", "Orlena Vask was a painter. She died in 1979 in Kelmoor."),
    "the end of the brackets": (DIED, "Orlena Vask", "Orlena Vask (14 March 1911 – 9 May 1979) was a painter."),
    "another founding year": (FOUNDED, "Kelm Foundry", "Kelm Foundry is a steel maker. It was founded in 1921."),
    "another population": (PEOPLE, "Tarnholm", "Tarnholm is a town. Its population is 6,900."),
    "another length": (LONG, "Skell River", "The Skell River is a river. It has a length of 90 miles."),
}
AGREES = {
    "only the year": (BORN, "Orlena Vask", "Orlena Vask was a painter. She was born in 1911."),
    "the day in words": (BORN, "Orlena Vask", "Orlena Vask was a painter. She was born on March 14, 1911."),
    "brackets": (BORN, "Orlena Vask", "Orlena Vask (1911–1987) was a painter."),
    "brackets to the end": (DIED, "Orlena Vask", "Orlena Vask (1911–1987) was a painter who died young."),
    "rounded": (PEOPLE, "Tarnholm", "Tarnholm is a town. Its population is about 4,200 people."),
    "the year it was founded": (FOUNDED, "Kelm Foundry", "Kelm Foundry is a steel maker. It was founded in 1890."),
    "miles": (LONG, "Skell River", "The Skell River is a river. It has a length of 75 miles."),
    "metres": (LONG, "Skell River", "The Skell River is a river. It has a length of 120,000 metres."),
}
SILENT = {
    "another person's date": (BORN, "Orlena Vask", "Orlena Vask was a painter. Her sister Ulla Vask was born in 1936."),
    "a mother's date": (BORN, "Orlena Vask", "Orlena Vask was a painter. Her mother was born in 1880 in Kelmoor."),
    "another event beside it": (BORN, "Orlena Vask", "Orlena Vask was born in Tarnholm and married in 1934."),
    "about": (BORN, "Orlena Vask", "Orlena Vask was a painter. She was born c. 1913."),
    "a range": (BORN, "Orlena Vask", "Orlena Vask was a painter. She was born between 1908 and 1913."),
    "an age": (BORN, "Orlena Vask", "Orlena Vask was a painter. She died at the age of 76."),
    "another event": (BORN, "Orlena Vask", "Orlena Vask was a painter. In 1934 she moved to Kelmoor."),
    "denied": (BORN, "Orlena Vask", "Orlena Vask was a painter. She was not born in 1913."),
    "an older count": (PEOPLE, "Tarnholm", "Tarnholm is a town. In 1901 its population was 2,900."),
    "a census": (PEOPLE, "Tarnholm", "Tarnholm is a town. At the 2001 census its population was 3,100."),
    "another number": (PEOPLE, "Tarnholm", "Tarnholm is a town. It has 3 schools and 12 churches."),
    "a rebuilding": (FOUNDED, "Kelm Foundry", "Kelm Foundry is a steel maker. It was rebuilt in 1921 after a fire."),
    "another unit": (LONG, "Skell River", "The Skell River is a river. It has a fall of 300 metres and 12 weirs."),
}


@pytest.mark.parametrize("case", CONTESTED.values(), ids=CONTESTED)
def test_another_date_or_number_contests_the_answer(ask, case):
    answer = ask(*case)
    assert answer.verdict == "contested", answer.answer_text
    assert any(d.startswith("pages says ") for d in answer.dissent)


@pytest.mark.parametrize("case", AGREES.values(), ids=AGREES)
def test_a_rounder_date_or_another_unit_agrees(ask, case):
    answer = ask(*case)
    assert (answer.verdict, answer.dissent) == ("supported", ())


@pytest.mark.parametrize("case", SILENT.values(), ids=SILENT)
def test_what_states_something_else_says_nothing(ask, case):
    answer = ask(*case)
    assert (answer.verdict, answer.dissent) == ("single-source", ())
