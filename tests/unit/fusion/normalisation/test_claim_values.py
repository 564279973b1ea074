"""Values compared as what they are: times, codes, numbers, names, lists, places; what was written stays."""

from __future__ import annotations

import pytest

from hydra_kg.errors import FormatError
from hydra_kg.fusion.normalisation.claim_values import ClaimReading, read_claims
from hydra_kg.fusion.normalisation.dates import Moment, code, isbn, moment, number
from hydra_kg.fusion.normalisation.entity_names import NAME_SOURCE, EntityIndex, same_books, title_key
from hydra_kg.fusion.normalisation.hierarchy import hierarchy_of
from hydra_kg.fusion.normalisation.name_sets import same_people, usual_names
from hydra_kg.fusion.normalisation.person_names import compatible, people, tokens_of
from hydra_kg.fusion.normalisation.value_kinds import ValueKind, kind_of, says_nothing

TREE = hierarchy_of(
    [
        ("0", "Root", "-1"),
        ("1", "USA", "0"),
        ("2", "New York", "1"),
        ("3", "New York City", "2"),
        ("4", "Brooklyn", "3"),
        ("5", "Texas", "1"),
        ("6", "Texas City", "5"),
        ("7", "Latvia", "0"),
        ("8", "City of Riga", "7"),
        ("9", "Buffalo", "2"),
    ]
)


def said(reading: ClaimReading) -> dict[str, dict[str, set[str]]]:
    """Per entity, the values and who says each."""
    claims, found = reading.claims, {}
    for g, s, v in zip(claims.group.tolist(), claims.source.tolist(), claims.value.tolist(), strict=True):
        entity, _ = claims.keys[g]
        found.setdefault(entity, {}).setdefault(claims.texts[g][v], set()).add(claims.sources[s])
    return found


@pytest.mark.parametrize(
    "text",
    [
        "12/01/2011 02:45 PM",
        "Thu., Dec.01, 2011 2:45 p.m.",
        "2011-12-01 14:45",
        "2:45P 12-01-11",
        "2:45 PM Thu 01-Dec-2011",
    ],
)
def test_a_time_in_any_format_is_one_moment(text):
    found = moment(text)
    assert (found.minute, found.day, found.year) == (14 * 60 + 45, 12 * 32 + 1, 2011)


def test_what_a_time_does_not_say_stays_open():
    assert moment("2:45pDec 1") == Moment(885, 12 * 32 + 1)
    assert moment("2:45 PMDec 01") == moment("Dec 01 - 2:45pm") == moment("2:45 PM, Dec 01*")
    assert moment("12/1/11 2:45 PM (-05:00)").offset == 10_000 - 300 == moment("2011-12-01 02:45PM EST").offset
    assert moment("Dec 01 - Contact Airline").minute == -1
    assert not moment("Cancelled").known
    assert moment("1999").year == 1999
    assert moment("31:99").minute == -1


def test_codes_and_book_numbers():
    assert code("Term B - B84N") == code("b84n") == code("B84N?") == code("B84N/B") == "B84N"
    assert code("Gate 07") == code("Main Term - 7") == "7"
    assert code("A-07") == "A7"
    assert code("Terminal N") == code("--") == ""
    assert isbn("0-201-75867-9") == isbn("9780201758672") == "9780201758672"
    assert isbn("ISBN-10: 155860846X") == isbn("9781558608467")
    assert isbn("0201758670") == isbn("1234") == isbn("") == ""


def test_numbers_with_units():
    assert number("1,609.344 m") == number("1 mile") == (1609.344, "m")
    assert number("$ 1.5 million") == (1500000.0, "")
    assert number("90 min") == number("1.5 hours") == (5400.0, "s")
    assert number("−3 widgets") == (-3.0, "widgets")
    assert number("twelve") is None
    assert number("5 of the best men in town") is None


def test_kinds_are_guessed_from_values_alone():
    assert kind_of(["2:45 PM, Dec 01", "2011-12-01 14:45", "Cancelled", "3:00p Dec 1"]) is ValueKind.TIME
    assert kind_of(["F78", "Terminal 4", "B-12", "Gate 7", "22"]) is ValueKind.CODE
    assert kind_of(["1999", "2001", "1984"]) is ValueKind.NUMBER
    assert kind_of(["0201758679", "9780201758672"]) is ValueKind.BOOK
    assert kind_of(["Lang, Fritz", "Joel Coen & Ethan Coen", "john ford", "Lee"]) is ValueKind.PEOPLE
    assert kind_of(["drama", "comedy", "science fiction"]) is ValueKind.TEXT
    assert kind_of(["Texas", "Brooklyn", "Nowhere"], TREE) is ValueKind.PLACE
    assert kind_of([]) is kind_of(["-", "n/a"]) is ValueKind.TEXT
    assert all(map(says_nothing, ("", " -- ", "N/A", "Not Available", "unknown")))
    assert not says_nothing("None of Them")


@pytest.mark.parametrize(
    "text, names",
    [
        ("Kernighan, Brian W.", ("Kernighan, Brian W.",)),
        ("Edney, Jon; Arbaugh, William A.", ("Edney, Jon", "Arbaugh, William A.")),
        ("Joel Coen, Ethan Coen & John Ford", ("Joel Coen", "Ethan Coen", "John Ford")),
        ("By (author) Ni, Lionel By (author) Zheng, Pei", ("Ni, Lionel", "Zheng, Pei")),
        ("Slatin, John M., Rush, Sharron", ("Slatin, John M.", "Rush, Sharron")),
        ("Matthew Hart, et al", ("Matthew Hart",)),
        ("Smith, John, Jr.", ("Smith, John",)),
        ("Wysopal/Nelson", ("Wysopal", "Nelson")),
        ("oandapos;leary, timothy (edt)", ("o'leary, timothy",)),
    ],
)
def test_lists_of_people(text, names):
    assert people(text)[0] == names


def test_one_person_under_several_spellings():
    assert compatible(tokens_of("D. E. Knuth"), tokens_of("Donald Ervin Knuth"))
    assert compatible(tokens_of("Jean Dr?ville"), tokens_of("Jean Dréville"))
    assert not compatible(tokens_of("Joel Coen"), tokens_of("Ethan Coen"))
    assert not compatible(tokens_of("Lee"), tokens_of("Spike Lee"))
    texts, rows = same_people([(0, "Knuth, Donald E."), (1, "Donald Knuth"), (2, "KNUTH, DONALD ERVIN")])
    assert len(texts) == 1
    assert {source for source, _, _ in rows} == {0, 1, 2}


def test_run_together_names_and_bare_surnames_are_lifted_by_names_given_alone():
    texts, rows = same_people(
        [
            (0, "Scambray, Joel; McClure, Stuart"),
            (1, "joel scambray stuart mcclure"),
            (2, "Scambray"),
            (3, "mcclurestuart"),
        ]
    )
    assert texts == ("Scambray, Joel", "McClure, Stuart")
    assert sorted((s, p) for s, p, _ in rows) == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (3, 1)]


def test_run_together_names_are_lifted_by_names_of_other_groups():
    usual = usual_names(["Joel Scambray", "scambray, joel", "Stuart McClure", "mcclure, stuart"])
    texts, _ = same_people([(0, "joel scambray stuart mcclure")], usual)
    assert texts == ("joel scambray", "stuart mcclure")
    assert same_people([(0, "juan carlos fresnadillo lopez")], usual)[0] == ("juan carlos fresnadillo lopez",)


def test_times_join_across_formats_and_originals_stay():
    rows = [
        ("f", "gate time", "a", "12/01/2011 02:45 PM"),
        ("f", "gate time", "b", "2:45pDec 1"),
        ("f", "gate time", "c", "2011-12-01 02:54PM EST"),
        ("f", "gate time", "d", "Cancelled"),
    ]
    reading = read_claims(rows)
    assert said(reading) == {"f": {"12/01/2011 02:45 PM": {"a", "b"}, "2011-12-01 02:54PM EST": {"c"}}}
    assert [reading.texts[i] for i in reading.original] == [value for _, _, _, value in rows[:3]]
    assert reading.silent == 1
    assert reading.kinds == {"gate time": ValueKind.TIME}


def test_lists_make_an_attribute_with_several_values():
    rows = [("m", "by", "a", "Joel Coen, Ethan Coen"), ("m", "by", "b", "Coen, Joel"), ("m", "year", "a", "1984")]
    reading = read_claims(rows)
    assert said(reading)["m"]["Joel Coen"] == {"a", "b"}
    assert dict(zip(reading.claims.keys, reading.claims.many.tolist(), strict=True)) == {
        ("m", "by"): True,
        ("m", "year"): False,
    }


def test_a_source_that_contradicts_itself_lists_nothing():
    rows = [(f"m{i}", "born", s, "Paris" if s == "a" else "Rome") for i in range(9) for s in "abc"]
    assert not read_claims([*rows, *((f"m{i}", "born", "b", f"Nowhere {i}") for i in range(9))]).claims.many.any()
    assert read_claims([*rows, *((f"m{i}", "born", "b", "Paris") for i in range(9))]).claims.many.all()


def test_a_mistake_that_another_shares_by_chance_makes_no_list():
    rows = [(f"m{i}", "born", s, "Paris" if s == "a" else "Rome") for i in range(90) for s in "abc"]
    chance = [(f"m{i}", "born", "b", "Paris" if i % 5 < 2 else f"Nowhere {i}") for i in range(90)]
    assert not read_claims([*rows, *chance]).claims.many.any()
    sparse = [(f"m{i}", "flag", "x", colour) for i in range(90) for colour in ("red", "blue")]
    sparse += [(f"m{i}", "flag", "y", "grey" if i % 2 else "red") for i in range(90)]
    sparse += [(f"m{i}", "flag", "z", "pink" if i % 3 else "blue") for i in range(90)]
    assert read_claims(sparse).claims.many.all(), "what is given alone is seldom confirmed either"
    listed = [(f"m{i}", "born", "c", "Rome, Paris") for i in range(9)]
    assert not read_claims([*rows, *chance, *listed]).claims.many.any(), "places, not lists of people"


def contradictions(rows: list[tuple[str, str, str, str]]) -> set[str]:
    claims = read_claims(rows).claims
    assert claims.many.all()
    at = zip(claims.group[claims.outside_list].tolist(), claims.value[claims.outside_list].tolist(), strict=True)
    return {claims.texts[g][v] for g, v in at}


def test_second_lists_that_nobody_confirms_contradict_the_first_where_most_second_ones_do():
    names = ["Ann", "Bob", "Cid", "Dan", "Eva", "Fay", "Gus", "Hal", "Ida", "Jan"]
    rows = [(f"b{i}", "by", s, f"{names[i % 10]} Ash, {names[i // 10]} Birch") for i in range(100) for s in "abc"]
    second = [(f"b{i}", "by", "a", f"{names[i // 10]} Holm, Lea {names[i % 10]}") for i in range(60)]
    found = contradictions([*rows, *second])
    assert len(found) == 6 + 10
    assert all("Holm" in name or "Lea" in name for name in found)
    alone = [("z", "by", "a", "Kim Poe"), ("z", "by", "b", "Lou Roe")]
    assert contradictions([*rows, *second, *alone]) == found, "beside nothing that is confirmed"
    assert not contradictions([*rows, *second[:2]]), "too few to be sure"


def test_rows_of_a_list_do_not_contradict_one_another():
    names = ["Ann", "Bob", "Cid", "Dan", "Eva", "Fay", "Gus", "Hal", "Ida", "Jan"]
    cast = [(f"m{i}", "by", s, f"{names[i % 10]} Ash") for i in range(100) for s in "abc"]
    cast += [(f"m{i}", "by", s, f"{names[i // 10]} Birch") for i in range(100) for s in ("ab" if i % 3 else "a")]
    assert not contradictions(cast)


def test_places_know_what_is_less_specific():
    rows = [("p", "", "a", "Brooklyn"), ("p", "", "b", "New York"), ("p", "", "c", "Texas")]
    claims = read_claims(rows, hierarchy=TREE).claims
    assert [tuple(claims.texts[g][v] for v in pair) for g, *pair in claims.broader.tolist()] == [
        ("Brooklyn", "New York")
    ]


def test_a_city_with_parts_answers_to_its_regions_name_unless_something_else_lies_there():
    assert said(read_claims([("p", "", "a", "New York")], hierarchy=TREE)) == {"p": {"New York City": {"a"}}}
    assert said(read_claims([("p", "", "a", "Texas")], hierarchy=TREE)) == {"p": {"Texas": {"a"}}}
    both = read_claims([("p", "", "a", "New York"), ("p", "", "b", "Buffalo")], hierarchy=TREE)
    assert said(both) == {"p": {"New York": {"a"}, "Buffalo": {"b"}}}


def test_the_name_of_a_thing_says_where_it_is():
    rows = [("Historic Centre of Riga", "", "a", "Latvia"), ("Riga Street, Austin", "", "a", "Texas")]
    assert said(read_claims(rows, hierarchy=TREE)) == {
        "Historic Centre of Riga": {"Latvia": {"a"}, "City of Riga": {NAME_SOURCE}},
        "Riga Street, Austin": {"Texas": {"a"}},
    }


def test_a_broken_hierarchy_is_refused_and_a_loop_ends():
    with pytest.raises(FormatError, match="Row 1"):
        hierarchy_of([("1", "USA")])
    loop = hierarchy_of([("1", "A", "2"), ("2", "B", "1")])
    assert loop.above(0) == (1, 0)


def test_entities_are_found_under_other_titles():
    index = EntityIndex(["Locksmith, The ( Homewrecker )", "101 Dalmatians (1961)", "101 Dalmatians (1996)", "AMÉLIE"])
    assert index.find("The Locksmith") == index.find("homewrecker") == (0,)
    assert index.find("101 Dalmatians") == (1, 2)
    assert index.find("101 Dalmatians (1996)") == (2,)
    assert index.find("Amelie!") == (3,)
    assert index.find("1961") == index.find("") == ()


def test_books_are_one_by_their_number():
    rows = [
        ("C++ Primer", "ISBN", "a", "0201758679"),
        ("c++ primer, 4th ed.", "ISBN", "b", "9780201758672"),
        ("Other", "ISBN", "b", "0201758670"),
        ("Another", "ISBN", "c", "0201758670"),
    ]
    key = same_books(rows)
    assert key("C++ Primer") == key("c++ primer, 4th ed.")
    assert key("Other") != key("Another")
    assert key("never seen") == title_key("never seen")


def test_hostile_values_are_only_text():
    rows = [
        ("e", "a", "s", v) for v in ("\x00", "'; DROP TABLE x; --", "(" * 5000, "🙂", "\ud800", "9" * 400, "1:00" * 500)
    ]
    reading = read_claims(rows)
    assert len(reading.claims) + reading.silent >= len(rows)


def test_groups_stated_in_the_same_words_are_read_alike():
    """What was found for the words of one group counts for the next, but not where one source said them all."""
    lists = [
        ("m1", "d", "a", "Ann Lee, Bob Ray"),
        ("m1", "d", "b", "Lee"),
        ("m2", "d", "c", "Ann Lee, Bob Ray"),
        ("m2", "d", "d", "Lee"),
        ("m3", "d", "a", "Ann Lee, Bob Ray"),
        ("m3", "d", "a", "Lee"),
    ]
    others = [(f"m{n}", "d", "z", name) for n, name in enumerate(("Cy Oak", "Di Elm", "Ed Ash", "Flo Fir"), 4)]
    together = said(read_claims([*lists, *others]))
    assert together["m1"] == {"Ann Lee": {"a", "b"}, "Bob Ray": {"a"}}
    assert together["m2"] == {"Ann Lee": {"c", "d"}, "Bob Ray": {"c"}}
    assert together["m3"] == {"Ann Lee": {"a"}, "Bob Ray": {"a"}}
