"""Relations that sentences state: what the rules take, what they leave, and where subjects are found."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.extract.mentions import Gazetteer, SubjectFinder, plain_title, sentences
from hydra_kg.extract.relations import RelationExtractor
from hydra_kg.extract.word_classes import kind


def found(marked: str) -> list[tuple[str, str, str]]:
    """Relations of a sentence in which mentions stand in square brackets."""
    mentions: list[tuple[int, int, int]] = []
    names: list[str] = []
    text = ""
    for part in re.split(r"(\[[^\]]*\])", marked):
        if part.startswith("["):
            mentions.append((len(text), len(text) + len(part) - 2, len(names)))
            names.append(part[1:-1])
            part = part[1:-1]
        text += part
    relations = RelationExtractor().relations(text, mentions)
    for r in relations:
        places = sorted([mentions[r.subject], mentions[r.object]])
        assert (r.start, r.end) == (places[0][0], places[1][1])
        assert 0 < r.confidence <= 1
    return [(names[r.subject], r.phrase, names[r.object]) for r in relations]


@pytest.mark.parametrize(
    "sentence, relations",
    [
        ("[He] was born in [Salzburg].", [("He", "born in", "Salzburg")]),
        ("[He] was born on 27 January 1756 in [Salzburg], the son of a cook.", [("He", "born in", "Salzburg")]),
        ("[Mozart] (1756–1791) later moved to [Vienna].", [("Mozart", "moved to", "Vienna")]),
        ("[He] married [Anna] in 1782.", [("He", "married", "Anna")]),
        ("In 1782, [he] married [Anna].", [("he", "married", "Anna")]),
        ("[Kigali] is the capital and largest city of [Rwanda].", [("Kigali", "capital of", "Rwanda")]),
        (
            "[Oldham] is a large town in [Greater Manchester], [England].",
            [("Oldham", "town in", "Greater Manchester"), ("Oldham", "town in", "England")],
        ),
        (
            "[Heat] is a 1995 American crime film written and directed by [Michael Mann] and starring [Al Pacino],"
            " [Robert De Niro], and [Val Kilmer].",
            [
                ("Heat", "directed by", "Michael Mann"),
                ("Heat", "starring", "Al Pacino"),
                ("Heat", "starring", "Robert De Niro"),
                ("Heat", "starring", "Val Kilmer"),
            ],
        ),
        ("[It] was directed by American filmmaker [Michael Mann].", [("It", "directed by", "Michael Mann")]),
        ("[She] was born in [Paris] and died in [Rome].", [("She", "born in", "Paris"), ("She", "died in", "Rome")]),
        ("They came to [Ottawa], the capital of [Canada].", [("Ottawa", "capital of", "Canada")]),
        ("[She] was awarded the [Nobel Prize].", [("She", "was awarded", "Nobel Prize")]),
        ("The [Danube], which flows through [Vienna], is long.", [("Danube", "flows through", "Vienna")]),
    ],
)
def test_relations(sentence, relations):
    assert found(sentence) == relations


@pytest.mark.parametrize(
    "sentence",
    [
        "[He] was not born in [Salzburg].",  # negation
        "[He] would have married [Anna].",  # never happened
        "[Mozart]'s father moved to [Vienna].",  # somebody else
        "[Mozart] and his sister visited [Vienna].",
        "[He] is an [American] actor.",  # no name
        "[He] joined [Paris]'s orchestra.",
        "[He] was a [composer].",
        "The friends of [Mozart] met in [Vienna].",  # the subject is another
        "[It] provides [Egypt] with aid.",  # not the whole object
        "[It] was founded by [Samuel Goldwyn], Jr., in 1979.",
        "[She] played in cities that include [Vienna].",
        "[Milan] is the capital of a region, and [Rome] is older.",
        "It lies in [Haverford], [Pennsylvania], a suburb of [Philadelphia].",
        "The port of [Messina], the main port of [Sicily].",
        "[He] [Vienna]",
        "[Alone] here.",
        "",
    ],
)
def test_what_the_rules_leave(sentence):
    assert found(sentence) == []


def test_part_of_an_address_is_no_second_object_of_of():
    assert found("[Milan] is the capital of [Lombardy], [Italy].") == [("Milan", "capital of", "Lombardy")]
    assert found("[Aa] is the award of [Bb], [Cc] and [Dd].") == [
        ("Aa", "award of", "Bb"),
        ("Aa", "award of", "Cc"),
        ("Aa", "award of", "Dd"),
    ]


def test_the_port_gives_the_same_without_places():
    mentions = [(0, 2, 7), (15, 23, 9)]
    assert RelationExtractor().paths("He was born in Salzburg.", mentions) == [(7, "born in", 9)]


SPAN = st.tuples(st.integers(0, 80), st.integers(0, 80), st.integers(1, 4))
WORDS = st.lists(
    st.sampled_from("He was born in Paris and the capital of , . ( ) film directed by who not 1990 's".split())
)


@given(text=WORDS.map(" ".join) | st.text(max_size=80), mentions=st.lists(SPAN, max_size=6))
def test_any_text_and_spans_are_legal(text, mentions):
    for r in RelationExtractor().relations(text, mentions):
        assert r.subject != r.object
        assert r.phrase == r.phrase.strip().lower() != ""


@pytest.mark.parametrize("text", ["was born and " * 20_000, ", " * 50_000, "(" * 50_000, "on 1 May 1990 " * 20_000])
def test_long_sentences_take_linear_time(text):
    assert RelationExtractor().relations(f"A{text}B", [(0, 1, 1), (len(text) + 1, len(text) + 2, 2)]) == []


@pytest.mark.parametrize(
    "word, letter",
    [
        ("was", "A"),
        ("the", "D"),
        ("in", "P"),
        ("founded", "V"),
        ("United", "K"),
        ("united", "N"),
        ("quickly", "R"),
        ("family", "N"),
        ("and", "C"),
        ("1990s", "#"),
        ("who", "X"),
        ("Paris", "K"),
        ("film", "N"),
        ("wrote", "V"),
    ],
)
def test_classes_of_words(word, letter):
    assert kind(word) == letter


def named(title: str, text: str) -> list[str]:
    return [text[start:end] for start, end, _ in SubjectFinder(title, 1).spans(text, sentences(text))]


@pytest.mark.parametrize(
    "title, text, spans",
    [
        (
            "Gary Rydstrom",
            "Gary Roger Rydstrom is a designer. He won. Rydstrom left.",
            ["Gary Roger Rydstrom", "He", "Rydstrom"],
        ),
        ("Mercury (planet)", "Mercury is a planet. It is small. The Sun is near. It shines.", ["Mercury", "It"]),
        ("Beatles", "The Beatles were a band. They won.", ["Beatles", "They"]),
        ("The Who", "The Who are a band.", ["The Who"]),
        ("Ann Lee", "Annabel Leeward came. She left.", []),
        ("Paris", "Parisian life. He left Paris.", []),
        ("New York City", "New York City is large. City life is loud.", ["New York City"]),
    ],
)
def test_the_subject_of_a_page_is_found_where_sentences_begin(title, text, spans):
    assert named(title, text) == spans


@pytest.mark.parametrize("heard, spans", [("She was born there.", ["Lee"]), ("Sheer inborn heresy.", [])])
def test_a_paragraph_that_is_only_heard_says_who_is_a_person(heard, spans):
    subject, text = SubjectFinder("Ann Lee", 1), "Lee left."
    subject.observe(heard)
    assert [text[start:end] for start, end, _ in subject.spans(text, sentences(text))] == spans


def test_a_name_in_brackets_ends_an_apposition():
    assert found("[Ottawa], the capital (and largest) city of [Canada], is large.")
    assert not found("[Ottawa], the capital (and Bytown once) city of [Canada], is large.")


def test_names_of_a_list_are_found_as_whole_phrases():
    names = Gazetteer({"York": 1, "New York": 2, "Paris": 3, "United States": 4, "University of Paris": 5, "film": 6})
    text = "New York, the New York Times, York. In Paris and Paris Hilton; University of Paris in the United States."
    assert [(text[a:b], n) for a, b, n in names.spans(text)] == [
        ("New York", 2),
        ("York", 1),
        ("Paris", 3),
        ("University of Paris", 5),
        ("United States", 4),
    ]
    assert Gazetteer({}).spans(text) == []


def test_plain_titles():
    assert [plain_title(t) for t in ("Mercury (planet)", "(500) Days", "(x)", "A")] == [
        "Mercury",
        "(500) Days",
        "(x)",
        "A",
    ]
