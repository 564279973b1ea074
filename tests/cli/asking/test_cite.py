"""Citations opened: every number that an answer prints leads to the very line, row or passage, and to its file."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd
from helpers.samples.answers import BIRTH, DEATH, answer, crowd, evidence, no_answer, spoken

from hydra_kg.cli.printing import answer_lines, number_citations
from hydra_kg.pages.page import page
from hydra_kg.serialise import answer_json
from hydra_kg.util.package_data import find_content

BORN = "Where was Lionel Messi born?"
TRIPLE = "<http://rdf.freebase.com/ns/m.0{n}>\t<http://rdf.freebase.com/ns/{p}>\t{o}\t.\n"


def triples(count: int = 40) -> str:
    """Lines in the syntax of the Freebase dump: names, and who is whose parent."""
    lines = []
    for n in range(10, 10 + count):
        lines.append(TRIPLE.format(n=n, p="type.object.name", o=f'"Person {n}"@en'))
        lines.append(TRIPLE.format(n=n, p="people.person.children", o=f"<http://rdf.freebase.com/ns/m.0{n + 1}>"))
    return "".join(lines)


@pytest.fixture
def store(call, sample_store, tmp_path):
    """A copy of the sample store, whose files this user trusts."""
    shutil.copytree(sample_store, tmp_path / "store")
    call("sources", "trust", "--yes", "--store", tmp_path / "store")
    return tmp_path / "store"


def asked(call, store, question=BORN, *words):
    return call("ask", question, "--store", store, "--agent", "offline", *words).output


def cited(call, n, store, *words, code=0):
    return json.loads(call("show", "last", "--cite", n, "--store", store, "--json", *words, code=code).output)


def numbers(text: str) -> tuple[list[int], list[int]]:
    """Numbers in order of appearance, each once, and as they are listed."""
    body, _, listed = text.partition("\nCitations\n")
    found = list(dict.fromkeys(map(int, re.findall(r"\[(\d+)\]", body))))
    return found, [int(n) for n in re.findall(r"^  \[(\d+)\]", listed, re.MULTILINE)]


def test_every_number_of_an_answer_opens_what_states_it(call, store):
    text = asked(call, store, BORN, "--show-paths", "4")
    _, listed = numbers(text)
    assert listed == list(range(1, len(listed) + 1)) != []
    for n in listed:
        (place,) = re.findall(rf"^  \[{n}\] (.+)  \((\w+)\)$", text, re.MULTILINE)
        doc = cited(call, n, store)
        assert (doc["locator"], doc["source"]) == place
        assert doc["state"] == "as loaded"
        assert doc["states"]
        (line,) = [x for x in doc["lines"] if x["cited"]]
        name, _, number = re.sub(r".*\((.+)\)$", r"\1", place[0]).rpartition(":")
        plain = find_content("sample", name).read_bytes()
        plain = gzip.decompress(plain) if name.endswith(".gz") else plain
        assert line["number"] == int(number)
        assert line["text"] == plain.split(b"\n")[int(number) - 1].decode()
        assert [x["number"] for x in doc["lines"]] == list(range(int(number) - 3, int(number) + 4))


def test_text_shows_the_line_what_it_states_and_the_file(call, store):
    asked(call, store)
    text = call("show", "--cite", 1, "--store", store).output
    assert "states: Lionel Messi — born in → Rosario" in text
    assert f"file: {find_content('sample', 'freebase.nt.gz')} (as loaded)" in text
    assert len(re.findall(r"^> \d+  <http", text, re.MULTILINE)) == 1


def test_a_number_that_is_not_there_is_said(call, store):
    asked(call, store)
    refused = call("show", "--cite", 999, "--store", store, code=1).stderr.replace("\n", " ")
    assert "has no citation [999]. It has [1] to [" in refused


@pytest.mark.parametrize(
    "made",
    [
        answer(),
        no_answer(),
        answer(explored=crowd(30, 9)),
        answer(explored=[spoken()]),
        answer(explored=[evidence(BIRTH), evidence(DEATH)]),
    ],
)
def test_numbers_have_no_gaps_and_do_not_depend_on_how_much_is_shown(made):
    doc = answer_json(made)
    doc["citations"] = doc["citations"][::-1]
    for n, c in enumerate(doc["citations"], 1):
        c["n"] = 7 * n  # as an answer has them whose paths cite more than is printed
    every = {c["n"]: c["locator"] for c in number_citations(doc).used()}
    for count in (None, 0, 1, 2, 5, 100):
        text = "\n".join(answer_lines(doc, show_paths=count))
        found, listed = numbers(text)
        assert found == listed == list(range(1, len(listed) + 1))
        for n, place in re.findall(r"^  \[(\d+)\] (\S+)", text, re.MULTILINE):
            assert place.startswith("http") or every[int(n)] == place


def test_numbers_in_the_answers_own_text_are_those_that_are_listed():
    doc = answer_json(answer())
    doc["answer_text"] = "Mozart was born in Salzburg [3], says a page [3][77]."
    text = "\n".join(answer_lines(doc))
    assert text.startswith("Mozart was born in Salzburg [1], says a page [1][77].")
    assert "  [1] https://en.wikipedia.org/wiki/Mozart" in text
    assert 'born in Salzburg <a href="#c1">[1]</a>, says' in page(doc)


def test_the_dissenter_is_cited(call, tmp_path):
    feeds = [find_content("sample", f"{name}.csv") for name in ("harbour", "townsite", "tourbook")]
    call("load", *feeds, "--entity", "ferry", "--yes", "--store", tmp_path / "feeds")
    text = asked(call, tmp_path / "feeds", "Which pier does the Aurora leave from?")
    assert text.startswith("Sources disagree")
    (n,) = re.findall(r"^But: tourbook says Pier 5 \[(\d)\]$", text, re.MULTILINE)
    doc = cited(call, n, tmp_path / "feeds")
    (line,) = [x for x in doc["lines"] if x["cited"]]
    assert "pier: Pier 5" in line["text"]
    assert doc["file"].endswith("tourbook.csv")


@pytest.mark.parametrize(
    "pack, suffix", [(bytes, ""), (gzip.compress, ".gz"), (bz2.compress, ".bz2"), (zstd.compress, ".zst")]
)
def test_lines_of_packed_files_are_found_by_number(call, tmp_path, pack, suffix):
    file = tmp_path / f"people.nt{suffix}"
    file.write_bytes(pack(triples().encode()))
    call("load", file, "--as", "freebase", "--store", tmp_path / "store")
    for n in (1, 2, 40, 80):
        doc = json.loads(call("sources", "line", f"{file.name}:{n}", "--json", "--store", tmp_path / "store").output)
        assert {x["number"]: x["text"] for x in doc["lines"]} == {
            m: line for m, line in enumerate(triples().splitlines(), 1) if abs(m - n) <= 3
        }
    assert call("sources", "line", f"{file.name}:81", "--store", tmp_path / "store", code=1)


@pytest.fixture
def people(call, tmp_path) -> Callable[[], Path]:
    """A file, loaded."""
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / "people.nt"
    file.write_text(triples())
    call("load", file, "--as", "freebase", "--store", tmp_path / "store")
    return file


def test_a_file_that_was_moved_is_said_with_the_remedy(call, people, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    moved = people.rename(tmp_path / "elsewhere" / people.name)
    gone = call("sources", "line", "people.nt:7", "--store", tmp_path / "store", code=1)
    assert "Line 7 of people.nt cannot be shown: people.nt is not where it was when it was loaded." in gone.stderr
    assert "If it was moved, name its new place with --file PATH." in gone.stderr
    for place in (moved, moved.parent):
        found = call("sources", "line", "freebase:7", "--file", place, "--store", tmp_path / "store").output
        assert f"file: {moved} (as loaded)" in found
        assert ">  7  <http" in found


def test_a_file_that_was_changed_is_said(call, people, tmp_path):
    people.write_text(triples().replace("Person 12", "Person 21"))
    refused = call("sources", "line", "people.nt:5", "--store", tmp_path / "store", code=1)
    assert f"file: {people} (changed)" in refused.stdout
    assert "Person 21" not in refused.output
    assert "people.nt is not what was loaded, so its lines may be others and are not shown." in refused.stderr
    assert "--file PATH" in refused.stderr
    people.write_text(triples())
    assert "(as loaded)" in call("sources", "line", "people.nt:5", "--store", tmp_path / "store").stdout


def test_several_files_of_one_load_are_counted_on(call, tmp_path):
    for name, part in (("a", triples().splitlines()[:30]), ("b", triples().splitlines()[30:])):
        (tmp_path / f"{name}.nt").write_text("\n".join(part) + "\n")
    call("load", tmp_path / "a.nt", tmp_path / "b.nt", "--as", "freebase", "--store", tmp_path / "store")
    for reference in ("a.nt + b.nt:32", "freebase:32", "b.nt:2"):
        doc = json.loads(call("sources", "line", reference, "--json", "--store", tmp_path / "store").output)
        assert (Path(doc["file"]).name, doc["line"]) == ("b.nt", 2)
        assert [x["text"] for x in doc["lines"] if x["cited"]] == [triples().splitlines()[31]]


def test_a_row_is_cited_by_the_line_where_it_begins(call, tmp_path):
    file = tmp_path / "ships.csv"
    file.write_text('ship,note,port\nAurora,"two\nlines",Kiel\nBorealis,"say \x1b]0;x\x07 hi",Riga\nDelphin,,Oslo\n')
    call("load", file, "--entity", "ship", "--yes", "--store", tmp_path / "store")
    doc = json.loads(call("sources", "line", "ships.csv:5", "--json", "--store", tmp_path / "store").output)
    assert [x["text"] for x in doc["lines"] if x["cited"]] == ["ship: Delphin · port: Oslo"]
    text = call("sources", "line", "column port (ships.csv:2)", "--store", tmp_path / "store").output
    assert "> 2  ship: Aurora · note: two lines · port: Kiel" in text


def test_nothing_in_a_file_reaches_the_terminal(call, tmp_path):
    file = tmp_path / "people.nt"
    file.write_text(triples() + '<http://rdf.freebase.com/ns/m.099>\t\x1b[31m\u202e\x9b2J"\x07\r#\n')
    call("load", file, "--as", "freebase", "--store", tmp_path / "store")
    text = call("sources", "line", "people.nt:81", "--store", tmp_path / "store").output
    assert "> 81  <http" in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


def test_a_search_ends_after_its_time_and_long_lines_are_cut_around_what_is_stated(call, tmp_path):
    file = tmp_path / "texts.jsonl"
    rows = [{"title": f"Page {n}", "text": f"{'before ' * 900}needle {n} {'after ' * 900}"} for n in range(60)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call("load", file, "--store", tmp_path / "store")
    os.utime(file)
    late = call("sources", "line", "texts.jsonl:59", "--seconds", "0.000001", "--store", tmp_path / "store", code=1)
    assert "Checking that texts.jsonl is what was loaded took too long." in late.stderr
    assert "--seconds" in late.stderr
    doc = json.loads(call("sources", "line", "texts.jsonl:59", "--json", "--store", tmp_path / "store").output)
    assert max(len(x["text"]) for x in doc["lines"]) <= 2002
    assert all(x["cut"] for x in doc["lines"])


def test_what_was_never_loaded_is_said(call, people, tmp_path):
    for reference in ("nothing.nt:3", "people.nt", "people.nt:x", "(:3"):
        refused = call("sources", "line", reference, "--store", tmp_path / "store", code=1)
        assert "No loaded file or source has this name" in refused.stderr
