"""Each rule of the Freebase cleaning on lines made by hand: what it drops or changes, its count, and its switch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.samples.loading import Staged, fact, stage

from hydra_kg.errors import UsageError

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
KEY = "http://rdf.freebase.com/key/"
PERSON = [
    fact("m.02mjmr", "type.object.name", '"Barack Obama"@en'),
    fact("m.02mjmr", "type.object.type", "people.person"),
    fact("m.02mjmr", "people.person.place_of_birth", "m.02hrh0_"),
]


Run = Callable[..., Staged]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Lines through the Freebase loader; each call in a folder of its own."""
    calls = 0

    def go(*lines: str, **options: object) -> Staged:
        nonlocal calls
        calls += 1
        folder = tmp_path / str(calls)
        folder.mkdir()
        staged = stage(lines, folder, "freebase", **options)
        assert staged.balanced()
        return staged

    return go


def test_facts_names_and_types_are_kept(run: Run) -> None:
    staged = run(*PERSON)
    # place_of_birth comes after its twin by name, so the fact is turned
    assert staged.links == [("m.02hrh0_", "location.location.people_born_here", "m.02mjmr", 3)]
    assert staged.values == [("m.02mjmr", "type.object.type", "people.person", 2)]
    assert staged.names == {("m.02mjmr", "name", "Barack Obama")}
    assert staged.nodes == {"m.02mjmr", "m.02hrh0_"}
    assert staged.kept == {
        "links": 1,
        "values": 1,
        "names": 1,
        "aliases": 0,
        "descriptions": 0,
        "titles": 0,
        "passages": 0,
        "same_as": 0,
    }
    text, inverse = staged.predicates["location.location.people_born_here"]
    assert (text, inverse) == ("location people born here", "people.person.place_of_birth")


@pytest.mark.slow
def test_language(run: Run) -> None:
    lines = [
        fact("m.02mjmr", "type.object.name", '"Барак Обама"@ru'),
        fact("m.02mjmr", "common.topic.alias", '"Obama"@en'),
        fact("m.02mjmr", "common.topic.alias", '"Obama"@en-GB'),
        fact("m.02mjmr", "common.topic.description", '"44th president"@de'),
        fact("m.02mjmr", "people.person.quotations", '"Yes"@en'),
        fact("m.02mjmr", "people.person.quotations", '"Oui"@fr'),
    ]
    staged = run(*lines)
    assert staged.dropped["language"] == 4
    assert staged.names == {("m.02mjmr", "alias", "Obama")}
    assert staged.facts == {("m.02mjmr", "people.person.quotations", '"Yes"@en')}
    more = run(*lines, languages=("en", "de"))
    assert more.dropped["language"] == 3
    assert ("m.02mjmr", "description", "44th president") in more.names
    off = run(*lines, language=False)
    assert off.dropped["language"] == 0
    assert ("m.02mjmr", "name", "Барак Обама") in off.names
    assert ("m.02mjmr", "people.person.quotations", '"Oui"@fr') in off.facts


@pytest.mark.slow
def test_metadata(run: Run) -> None:
    lines = [
        fact("m.02mjmr", "common.notable_for.display_name", '"President"@en'),
        fact("m.02mjmr", "type.object.key", '"/en/barack_obama"'),
        fact("m.02mjmr", "type.object.creator", "m.0gw1"),
        fact("m.02mjmr", "type.object.timestamp", '"2006-10-22T07:23:45Z"'),
        fact("m.02mjmr", "freebase.valuenotation.has_no_value", "people.person.height"),
        fact("people.person", "type.type.instance", "m.02mjmr"),
        fact("m.02mjmr", "common.topic.notable_types", "m.0kpv17"),
    ]
    staged = run(*lines)
    # the instance list is about a type: the rule schema comes first
    assert (staged.dropped["metadata"], staged.dropped["schema"]) == (5, 1)
    assert staged.facts == {("m.02mjmr", "common.topic.notable_types", "m.0kpv17")}
    off = run(*lines, metadata=False)
    assert off.dropped["metadata"] == 0
    assert ("m.02mjmr", "type.object.creator", "m.0gw1") in off.facts
    assert ("m.02mjmr", "type.object.key", '"/en/barack_obama"') in off.facts


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule,repeat", [("labels", (LABEL, '"Barack Obama"@en')), ("types", (RDF_TYPE, "people.person"))]
)
def test_labels_and_types_repeat(run: Run, rule: str, repeat: tuple[str, str]) -> None:
    lines = [*PERSON, fact("m.02mjmr", *repeat)]
    staged = run(*lines)
    assert staged.dropped[rule] == 1
    off = run(*lines, **{rule: False})
    assert off.dropped[rule] == 0
    if rule == "labels":
        assert off.duplicates["names"] == 1
        assert off.names == staged.names
    else:
        assert ("m.02mjmr", RDF_TYPE, "people.person") in off.facts


@pytest.mark.slow
def test_keys(run: Run) -> None:
    lines = [
        fact("m.0jcx", f"{KEY}wikipedia.en_title", '"Albert_Einstein_$0028$00E9$0022$0029"'),
        fact("m.0jcx", f"{KEY}wikipedia.en", '"Einstein"'),
        fact("m.0jcx", f"{KEY}wikipedia.de_title", '"Albert_Einstein"'),
    ]
    staged = run(*lines)
    assert staged.dropped["keys"] == 2
    assert staged.facts == {("m.0jcx", "key/wikipedia.en_title", '"Albert_Einstein_(é\\")"')}
    off = run(*lines, keys=False)
    assert off.dropped["keys"] == 0
    assert ("m.0jcx", "key/wikipedia.en", '"Einstein"') in off.facts


@pytest.mark.slow
def test_reverse_properties_are_turned_and_the_twin_is_a_duplicate(run: Run) -> None:
    lines = [
        fact("m.02mjmr", "people.person.place_of_birth", "m.02hrh0_"),
        fact("m.02hrh0_", "location.location.people_born_here", "m.02mjmr"),
        fact("m.02mjmr", "people.person.place_of_birth", '"Honolulu"@en'),
    ]
    staged = run(*lines)
    assert staged.links == [("m.02hrh0_", "location.location.people_born_here", "m.02mjmr", 1)]
    assert (staged.notes["turned"], staged.duplicates["links"]) == (1, 1)
    # a literal cannot become a subject
    assert staged.values == [("m.02mjmr", "people.person.place_of_birth", '"Honolulu"@en', 3)]
    off = run(*lines, reverse=False)
    assert (off.notes["turned"], off.duplicates["links"], len(off.links)) == (0, 0, 2)
    assert off.predicates["people.person.place_of_birth"][0] == "person place of birth"


@pytest.mark.slow
def test_the_dumps_own_master_property_decides_the_direction(run: Run) -> None:
    born, people_born = "people.person.place_of_birth", "location.location.people_born_here"
    staged = run(*PERSON, fact(born, "type.property.reverse_property", people_born))
    assert staged.links == [("m.02mjmr", "people.person.place_of_birth", "m.02hrh0_", 3)]
    assert staged.dropped["schema"] == 1
    assert run(*PERSON, fact(people_born, "type.property.master_property", born)).links == staged.links


def test_declarations_by_machine_id_are_resolved_through_their_path(run: Run) -> None:
    staged = run(
        *PERSON,
        fact("m.0p1", "type.property.reverse_property", "m.0p2"),
        fact("m.0p1", "type.object.id", '"/people/person/place_of_birth"'),
        fact("m.0p2", "type.object.id", '"/location/location/people_born_here"'),
        fact("m.0p3", "type.property.reverse_property", "m.0p4"),
    )
    assert [link[1] for link in staged.links] == ["people.person.place_of_birth"]
    assert staged.notes["declarations unresolved"] == 1


@pytest.mark.slow
def test_numbers(run: Run) -> None:
    def literals(*objects: str, p: str = "x.y.z", **rules: bool) -> list[str]:
        staged = run(*(fact("m.0jcx", p, o) for o in objects), **rules)
        by_line = {line: o for _, _, o, line in staged.values}
        return [by_line[n + 1] for n in range(len(objects))]

    plain = ['"42"', '"-7"', '"1.5"', '"true"', '"007"', '"x"', '"4 2"', '"1e5"', '"42"@en']
    assert literals(*plain) == [
        '"42"^^xsd:integer',
        '"-7"^^xsd:integer',
        '"1.5"^^xsd:float',
        '"true"^^xsd:boolean',
        '"007"',
        '"x"',
        '"4 2"',
        '"1e5"',
        '"42"@en',
    ]
    assert literals(*plain, numbers=False) == plain
    assert literals('"42"', '"1.5"', p="people.person.height_meters") == ['"42"^^xsd:float', '"1.5"^^xsd:float']
    # what the schema calls a string stays one, whatever it looks like
    assert literals('"42"', '"true"', p="media_common.cataloged_instance.isbn13") == ['"42"', '"true"']
    assert literals('"1961"^^<http://www.w3.org/2001/XMLSchema#gYear>') == ['"1961"^^xsd:gYear']


@pytest.mark.slow
def test_mediators(run: Run) -> None:
    lines = [
        *PERSON,
        fact("m.02mjmr", "people.person.spouse_s", "m.02nqglv"),
        fact("m.02nqglv", "type.object.type", "people.marriage"),
        fact("m.02nqglv", "people.marriage.spouse", "m.025s5v9"),
        fact("m.0named", "type.object.type", "people.marriage"),
        fact("m.0named", "type.object.name", '"Die Hochzeit"@de'),
        fact("m.0untyped", "people.marriage.spouse", "m.025s5v9"),
        fact("m.0film", "type.object.type", "film.film"),
    ]
    staged = run(*lines)
    assert staged.mediators == {"m.02nqglv", "m.0untyped"}
    assert run(*lines, mediators=False).mediators == set()
    nameless = run(*(line for line in lines if "type.object.name" not in line))
    assert nameless.mediators == {"m.02nqglv", "m.0named"}  # no names at all: only types can tell


@pytest.mark.slow
def test_mediator_types_declared_by_the_dump(run: Run) -> None:
    lines = [
        *PERSON,
        fact("m.0x1", "type.object.type", "base.mine.meeting"),
        fact("m.0x1", "base.mine.meeting.who", "m.02mjmr"),
    ]
    assert run(*lines).mediators == set()
    declared = [
        fact("m.0t1", "freebase.type_hints.mediator", '"true"'),
        fact("m.0t1", "type.object.id", '"/base/mine/meeting"'),
    ]
    assert run(*lines, *declared).mediators == {"m.0x1"}


@pytest.mark.slow
def test_schema(run: Run) -> None:
    lines = [
        *PERSON,
        fact("people.person", "type.object.name", '"Person"@en'),
        fact("m.04kr", "type.object.type", "type.type"),
        fact("m.04kr", "type.object.name", '"Person"@en'),
        fact("m.04kr", "a.b.c", "m.0abc"),
    ]
    staged = run(*lines)
    assert staged.dropped["schema"] == 4
    assert staged.names == {("m.02mjmr", "name", "Barack Obama")}
    off = run(*lines, schema=False)
    assert off.dropped["schema"] == 0
    assert ("people.person", "name", "Person") in off.names
    assert ("m.04kr", "a.b.c", "m.0abc") in off.facts


def test_pages_and_odd_ids_keep_their_text(run: Run) -> None:
    staged = run(
        fact("m.0jcx", "common.topic.topic_equivalent_webpage", "https://en.wikipedia.org/wiki/Café"),
        fact("m.0cvt_f027b19f677c", "people.marriage.spouse", "m.0cvt_bbbbbbbbbbbb"),
        fact("g.11b60_wkzr", "people.marriage.spouse", "g.0"),
    )
    assert staged.facts == {
        ("m.0jcx", "common.topic.topic_equivalent_webpage", "https://en.wikipedia.org/wiki/Café"),
        ("m.0cvt_f027b19f677c", "people.marriage.spouse", "m.0cvt_bbbbbbbbbbbb"),
        ("g.11b60_wkzr", "people.marriage.spouse", "g.0"),
    }


def test_identical_lines_are_duplicates_and_the_first_stays(run: Run) -> None:
    alias = fact("m.0jcx", "common.topic.alias", '"A"@en')
    link = fact("m.0jcx", "a.b.c", "m.0jcy")
    same, typed = '"\\u0041"@en', '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'
    staged = run(
        alias,
        link,
        fact("m.0jcx", "common.topic.alias", same),
        link,
        link,
        fact("m.0jcx", "a.b.n", '"5"'),
        fact("m.0jcx", "a.b.n", typed),
    )
    assert staged.links == [("m.0jcx", "a.b.c", "m.0jcy", 2)]
    assert staged.values == [("m.0jcx", "a.b.n", '"5"^^xsd:integer', 6)]
    assert staged.duplicates == {"links": 2, "values": 1, "names": 1, "passages": 0, "same_as": 0}


@pytest.mark.slow
def test_the_same_with_spaces_between_the_terms(run: Run) -> None:
    spaced = [line.replace("\t", " ") for line in PERSON]
    assert run(*spaced).facts == run(*PERSON).facts


def test_predicates_of_any_legal_iri_and_no_other(run: Run) -> None:
    staged = run(
        fact("m.0b1", "a.b~c", "m.0b2"),
        fact("m.0b1", "http://example.org/é", "m.0b2"),
        fact("m.0b1", "a.b|c", "m.0b2"),
        fact("m.0b1", "http://example.org/a b", "m.0b2"),
        fact("m.0b1", "a.b.c", "m.0b2").replace("http://rdf.freebase.com/ns/a", "a"),
    )
    assert {p for _, p, _ in staged.facts} == {"a.b~c", "http://example.org/é"}
    assert staged.rejects == [(3, "iri", 0), (4, "iri", 35), (5, "iri", 35)]


def test_an_unknown_rule_is_a_wrong_call(run: Run) -> None:
    with pytest.raises(UsageError, match="no rule nonsense"):
        run(*PERSON, nonsense=False)
