"""``hydra-kg match`` on what people have: part numbers, other headings, rows that fit two others, differing values."""

from __future__ import annotations

import csv
import json

import pytest

pytestmark = pytest.mark.slow


def write(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([header, *rows])
    return path


@pytest.fixture
def linked(call, tmp_path):
    """Load two tables, match them with --yes, and return the links by key and what was printed as JSON."""

    def run(left, right, *, entity=()):
        files = [write(tmp_path / f"{name}.csv", *table) for name, table in (("left", left), ("right", right))]
        store = tmp_path / "store"
        for file, column in zip(files, entity or ("", ""), strict=True):
            call("load", file, "--yes", *(["--entity", column] if column else []), "--store", store)
        doc = json.loads(call("match", "left", "right", "--yes", "--json", "--store", store).stdout)
        links = set()
        if doc["load"]:
            lines = map(json.loads, (store / "matches" / "match-left-right.jsonl").read_text("utf-8").splitlines())
            links = {tuple(key.partition(":")[2] for key in line["same_as"]) for line in lines}
        return links, doc

    return run


def test_equal_part_numbers_decide_and_near_ones_keep_rows_apart(linked):
    catalogue = [
        ("PK-7731", "hinge pin steel"),
        ("PK-7732", "hinge pin steel"),
        ("PK-7741", "hinge pin brass"),
        ("VLV-C", "valve cap"),
        ("VLV-CD", "valve cap"),
    ]
    depot = [
        ("a", "PK-7731", "pins of steel"),
        ("b", "PK-7735", "hinge pin steel"),
        ("c", "PK-7741", "hinge pin brass"),
        ("d", "VLV-CD", "valve cap"),
        ("e", "VLV-CE", "valve cap"),
    ]
    links, _ = linked((("item", "text"), catalogue), (("id", "article", "text"), depot), entity=("item", "id"))
    assert links == {("PK-7731", "a"), ("PK-7741", "c"), ("VLV-CD", "d")}


def test_numbers_that_only_count_rows_are_no_codes(linked):
    one = [(f"T-{i:03}", text) for i, text in enumerate(("Ada Holm", "Ben Yar", "Cy Lund", "Di Moss", "Ed Falk"))]
    two = [(f"T-{i:03}", text) for i, text in enumerate(("Di Moss", "Gus Orr", "Ada Holm", "Hal Pike", "Ivo Strand"))]
    links, _ = linked((("no", "person"), one), (("no", "person"), two), entity=("no", "no"))
    assert links == {("T-000", "T-002"), ("T-003", "T-000")}


def test_models_in_prose_are_told_apart_by_their_numbers(linked):
    tools = [
        ("1", "Bosor cordless drill XR4410 with charger, black"),
        ("2", "Bosor cordless drill XR4460 with charger, black"),
        ("3", "Makot jigsaw JS720 with case"),
        ("4", "Verna mixer KM501 red"),
        ("5", "Tolm kettle TK88B steel"),
        ("6", "Aldan lamp AL2210 oak"),
    ]
    shop = [
        ("a", "XR-4460 Bosor drill, cordless"),
        ("b", "Makot jigsaw JS725 with case"),
        ("c", "Verna KM-501 kitchen mixer"),
        ("d", "Tolm TK-88B kettle"),
        ("e", "Orrin garden chair GC31"),
    ]
    links, _ = linked((("id", "title"), tools), (("id", "title"), shop), entity=("id", "id"))
    assert links == {("2", "a"), ("4", "c"), ("5", "d")}


def test_columns_of_other_headings_with_like_words_are_compared(linked):
    """No value is the same in both feeds."""
    names = ["Elbtal Logistics", "Hansa-Optik", "Nordlicht Bau", "Kaskade Foods", "Mirabel Textiles", "Quillon Press"]
    customers = [(f"c{i}", name, town) for i, (name, town) in enumerate(zip(names, "ABCDEF", strict=True))]
    suppliers = [(f"s{i}", f"{name} Ltd", f"{i + 3} Mill Lane") for i, name in enumerate(reversed(names[1:]))]
    links, doc = linked(
        (("id", "company", "town"), customers), (("id", "name", "street"), suppliers), entity=("id", "id")
    )
    assert ("company", "name") in {(c["left"], c["right"]) for c in doc["columns"]}
    assert links == {(f"c{i}", f"s{5 - i}") for i in range(1, 6)}


BRANCHES = [
    ("b1", "Golden Fern Tea", "Quay Road", "Ashford"),
    ("b2", "Golden Fern Tea", "Mill Lane", "Brindle"),
    ("b3", "Saffron House", "Canal Road", "Ashford"),
    ("b4", "Oldfield Books", "High Street", "Porthaven"),
    ("b5", "Paper and Pine", "Market Square", "Brindle"),
]
LICENCES = [
    ("l1", "Golden Fern Tea", "Porthaven"),
    ("l2", "Saffron House", "Ashford"),
    ("l3", "Oldfield Books", "Corle"),
]


def test_a_row_that_fits_two_rows_is_listed_and_not_linked(linked, call, tmp_path):
    links, doc = linked((("id", "name", "street", "town"), BRANCHES), (("id", "name", "seat"), LICENCES))
    assert links == {("b3", "l2"), ("b4", "l3")}
    (group,) = doc["ambiguous"]
    assert {(p["left"], p["right"]) for p in group} == {("left:b1", "right:l1"), ("left:b2", "right:l1")}
    store = tmp_path / "store"
    text = call("match", "left", "right", "--store", store).stdout
    assert "Ambiguous, not linked (1): several rows fit equally well." in text
    assert "left:b1 Golden Fern Tea = right:l1 Golden Fern Tea" in text
    assert "left:b2 Golden Fern Tea = right:l1 Golden Fern Tea" in text
    asked = call("match", "review", "left", "right", "--most", "2", "--store", store, input="n\ny\n").stdout
    assert asked.count("Golden Fern Tea") == 4, "ambiguous pairs are asked about first"
    assert json.loads(call("match", "left", "right", "--json", "--store", store).stdout)["pairs"] == 3


def test_rows_that_the_other_feed_cannot_tell_apart_are_ambiguous(linked):
    """Both John Smiths are of Leeds; that one has an e-mail address, which the gift lacks, says nothing."""
    people = [("Siobhan O'Brien", "Galway"), ("Jiri Novak", "Brno"), ("Chinedu Okafor", "Lagos"), ("Ewa Rak", "Lodz")]
    people += [("John Smith", "Leeds"), ("John Smith", "Leeds")]
    members = [(f"m{i}", *person, f"member{i}@example.org" if i != 4 else "") for i, person in enumerate(people)]
    gifts = [(f"g{i}", *person, f"member{i}@example.org" if i < 4 else "") for i, person in enumerate(people[:5])]
    header = ("id", "name", "town", "e-mail")
    links, doc = linked((header, members), (header, gifts), entity=("id", "id"))
    assert links == {(f"m{i}", f"g{i}") for i in range(4)}
    (group,) = doc["ambiguous"]
    assert {(p["left"], p["right"]) for p in group} == {("left:m4", "right:g4"), ("left:m5", "right:g4")}


def test_values_that_differ_after_linking_are_told_with_their_feed(linked, call, tmp_path):
    towns = ["Dresden", "Kiel", "Bonn", "Ulm", "Trier", "Jena", "Halle", "Worms"]
    names = ["Ines Holt", "Olaf Quist", "Una Tey", "Rory Pell", "Mara Voss", "Tilo Brandt", "Edda Kern", "Jan Ruhe"]
    people = [(str(i), names[i], f"{i + 1},200", towns[i]) for i in range(7)]
    others = [(f"x{i}", names[i].upper(), f"{i + 1}200", towns[i] if i > 2 else "Leipzig") for i in range(2, 8)]
    header = ("id", "name", "points", "city")
    links, doc = linked((header, people), (header, others), entity=("id", "id"))
    assert links == {(str(i), f"x{i}") for i in range(2, 7)}
    assert doc["differences"] == [{"column": "city", "links": 1, "left": "Bonn", "right": "Leipzig"}]
    text = call("match", "left", "right", "--store", tmp_path / "store").stdout
    assert "city: 1 link, e.g. Bonn (left) | Leipzig (right)" in text
