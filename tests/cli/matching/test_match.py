"""``hydra-kg match`` on two small shop guides: preview, links with reasons, review, undo, and what is kept apart."""

from __future__ import annotations

import csv
import json
import shutil

import pytest

from hydra_kg import Hydra
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore

GUIDE = [
    ("g1", "Harbour Bakery", "12 Quay Street", "Porthaven", "020 7946 0011", "1998"),
    ("g2", "The Copper Kettle", "3 Mill Lane", "Porthaven", "020 7946 0125", "2004"),
    ("g3", "Oldfield Books", "47 High Street", "Ashford", "020 7946 0233", "1987"),
    ("g4", "Green Leaf Grocers", "8 Market Square", "Ashford", "020 7946 0342", "2011"),
    ("g5", "Nord Cycles", "101 Canal Road", "Brindle", "020 7946 0458", "2015"),
    ("g6", "Luna Pharmacy", "22 High Street", "Brindle", "020 7946 0561", "1979"),
    ("g7", "Tailor & Thread", "5 Church Row", "Porthaven", "020 7946 0672", "1992"),
    ("g8", "Blue Door Café", "9 Station Parade", "Ashford", "020 7946 0788", "2018"),
    ("g9", "Millstone Cheese", "14 Dairy Yard", "Brindle", "020 7946 0899", "2001"),
    ("g10", "Fenwick Hardware", "60 Canal Road", "Brindle", "020 7946 0910", "1965"),
    ("g11", "Saffron House", "31 Quay Street", "Porthaven", "020 7946 1044", "2009"),
    ("g12", "Paper & Pine", "2 Market Square", "Ashford", "020 7946 1155", "2013"),
    ("g13", "Rosewood Florist", "18 Church Row", "Porthaven", "020 7946 1266", "1999"),
    ("g14", "Corner Records", "77 Mill Lane", "Porthaven", "020 7946 1377", "1983"),
]
DIRECTORY = [
    ("d1", "harbour bakery ltd", "12 Quay St.", "Porthaven", "02079460011", ""),
    ("d2", "Copper Kettle, The", "3 Mill Lane", "Porthaven", "02079460125", "2004"),
    ("d3", "Oldfield Bookshop", "47 High St.", "Ashford", "02079460233", "1987"),
    ("d4", "Greenleaf Grocers", "8 Market Sq.", "Ashford", "02079460342", "2011"),
    ("d5", "Nord Cycles Brindle", "101 Canal Rd.", "Brindle", "02079460458", "2015"),
    ("d6", "Luna Pharmacy", "22 High St.", "Brindle", "02079460561", ""),
    ("d7", "Tailor and Thread", "5 Church Row", "Porthaven", "02079460672", "1992"),
    ("d8", "The Blue Door Cafe", "9 Station Parade", "Ashford", "02079460788", "2018"),
    ("d9", "Milstone Cheese", "14 Dairy Yard", "Brindle", "02079460899", "2001"),
    ("d10", "Luna Pharmacy Ashford", "50 High St.", "Ashford", "02079467777", "2017"),
    ("d11", "Harbour Fish Bar", "14 Quay St.", "Porthaven", "02079468888", "2020"),
    ("d12", "Canal Road Garage", "88 Canal Rd.", "Brindle", "02079469999", "1990"),
    ("d13", "Saffron House", "31 Quay St.", "Porthaven", "02079461044", "2009"),
]
SAME = {(f"guide:g{i}", f"directory:d{i}") for i in range(1, 10)} | {("guide:g11", "directory:d13")}

pytestmark = pytest.mark.slow


def write(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([header, *rows])
    return path


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shops")
    guide = write(folder / "guide.csv", ("id", "name", "address", "town", "telephone", "founded"), GUIDE)
    directory = write(folder / "directory.csv", ("id", "name", "street", "town", "phone", "since"), DIRECTORY)
    with Hydra(store=folder / "store", settings=Settings()) as hydra:
        hydra.load(guide, directory)
    return folder / "store"


@pytest.fixture
def store(loaded, tmp_path):
    shutil.copytree(loaded, tmp_path / "store")
    return tmp_path / "store"


def linked(store):
    """Pairs of keys that are one thing in the store."""
    lefts, rights = ([f"guide:{r[0]}" for r in GUIDE], [f"directory:{r[0]}" for r in DIRECTORY])
    with EmbeddedStore(store) as opened, opened.snapshot() as snapshot:
        a, b = snapshot.lookup(lefts), snapshot.lookup(rights)
    assert len(set(a)) == len(GUIDE), "two rows of the guide were merged"
    assert len(set(b)) == len(DIRECTORY), "two rows of the directory were merged"
    return {(x, y) for x, i in zip(lefts, a, strict=True) for y, j in zip(rights, b, strict=True) if i == j}


def test_a_preview_says_what_and_why_and_writes_nothing(call, store):
    text = call("match", "guide", "directory", "--store", store).stdout
    assert "10 pairs to link, with a probability of at least" in text
    assert "telephone / phone" in text, "columns of other names with like values are compared"
    assert "named differently" in text
    assert "Saffron House = Saffron House   (guide:g11, directory:d13)" in text
    assert "31 Quay Street (guide) | 31 Quay St. (directory)" in text, "values that differ are told with their feed"
    assert "agrees: " in text
    assert linked(store) == set()
    assert "match-" not in call("sources", "list", "--store", store).stdout


def test_links_are_a_load_of_their_own_that_a_citation_finds_and_one_command_undoes(call, store):
    doc = json.loads(call("match", "guide", "directory", "--yes", "--json", "--store", store).stdout)
    assert (doc["pairs"], doc["load"]) == (10, "match-guide-directory")
    assert linked(store) == SAME
    line = call("sources", "line", "match-guide-directory:1", "--store", store).stdout
    assert "same_as" in line
    assert "probability" in line
    method = doc["method"]
    assert f"{method['name']}, settings {method['settings']}" in line
    assert call("db", "doctor", "--store", store).stdout == "All files are intact; nothing to repair.\n"
    again = json.loads(call("match", "guide", "directory", "--yes", "--json", "--store", store).stdout)
    assert (again["pairs"], again["rows"]) == (10, [14, 13]), "links that are there do not hide rows"
    call("match", "undo", "guide", "directory", "--yes", "--store", store)
    assert linked(store) == set()
    assert "match-" not in call("sources", "list", "--store", store).stdout


def test_what_a_person_says_decides(call, store):
    """The first pair that is asked about is refused, the second is left open."""
    text = call("match", "review", "guide", "directory", "--most", "2", "--store", store, input="n\ns\n").stdout
    assert "1 of 2, probability" in text
    assert "Saved 1 label (0 the same); 1 in all" in text
    (label,) = map(
        json.loads, (store / "matches" / "match-guide-directory.labels.jsonl").read_text("utf-8").splitlines()
    )
    assert label["same"] is False
    call("match", "guide", "directory", "--yes", "--store", store)
    refused = (label["left"], label["right"])
    assert refused in SAME
    assert linked(store) == SAME - {refused}
    call("match", "undo", "guide", "directory", "--yes", "--store", store)
    assert (store / "matches" / "match-guide-directory.labels.jsonl").is_file(), "what was said is kept"


def test_two_rows_of_one_feed_are_not_joined_through_other_links(call, store, tmp_path):
    """Another load says that g12 is d1; g1 is d1 as well by its columns, and would be g12."""
    links = tmp_path / "links.nt"
    links.write_text("<guide:g12> <http://www.w3.org/2002/07/owl#sameAs> <directory:d1> .\n", "utf-8")
    call("load", links, "--source", "told", "--store", store)
    text = call("match", "guide", "directory", "--yes", "--store", store).stdout
    assert "1 pair left out: two rows of one feed would become one thing." in text
    assert linked(store) == SAME - {("guide:g1", "directory:d1")} | {("guide:g12", "directory:d1")}


def test_repeated_rows_of_one_feed_are_found_where_it_is_named_alone(call, tmp_path):
    twice = [(f"x{r[0]}", r[1].upper().replace("&", "and"), *r[2:]) for r in GUIDE[:4]]
    header = ("id", "name", "address", "town", "telephone", "founded")
    file = write(tmp_path / "register.csv", header, [*GUIDE, *twice])
    call("load", file, "--yes", "--store", tmp_path / "store")
    out = tmp_path / "pairs.jsonl"
    call("match", "register", "--out", out, "--store", tmp_path / "store")
    found = {frozenset(json.loads(line)["same_as"]) for line in out.read_text("utf-8").splitlines()}
    assert found == {frozenset((f"register:{r[0]}", f"register:x{r[0]}")) for r in GUIDE[:4]}


def test_feeds_that_are_not_there_or_have_nothing_in_common_are_said(call, store, tmp_path):
    missing = call("match", "guide", "nobody", "--store", store, code=1)
    assert "No feed is loaded as nobody" in missing.stderr
    assert "directory, guide" in missing.stderr
    assert "Did you mean directory?" in call("match", "guide", "directori", "--store", store, code=1).stderr
    other = write(tmp_path / "stars.csv", ("id", "magnitude"), [(f"s{i}", f"{i / 7:.3f}") for i in range(1, 9)])
    call("load", other, "--yes", "--entity", "id", "--store", store)
    strangers = call("match", "guide", "stars", "--store", store, code=2)
    assert "no column in common" in strangers.stderr
