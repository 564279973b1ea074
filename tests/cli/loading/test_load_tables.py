"""``hydra-kg load`` of tables and parts: what is shown, asked and refused before anything is loaded."""

from __future__ import annotations

import json

import pytest

from hydra_kg.util.package_data import find_content


@pytest.fixture
def films(tmp_path):
    file = tmp_path / "films.csv"
    file.write_text("source,title,studio\nimdb,Alien,Brandywine\nomdb,Alien,Fox\nimdb,Heat,Regency\n")
    return file


def test_a_mapping_is_shown_and_wants_a_yes(call, tmp_path, films):
    words = ("load", films, "--store", tmp_path / "s")
    refused = call(*words, code=2)
    assert "films: films.csv" in refused.stderr
    assert "title: entity (what the row is about)" in refused.stderr
    assert "--yes" in refused.stderr
    assert not (tmp_path / "s").exists(), "nothing was loaded"
    assert "title: entity" in call(*words, "--dry-run").stderr
    (load,) = json.loads(call(*words, "--yes", "--json").stdout)["loads"]
    assert (load["name"], load["kept"]) == ("films", {"rows": 3, "headers": 1})


def test_a_mapping_is_corrected(call, tmp_path, films):
    words = ("load", films, "--store", tmp_path / "s", "--yes", "--entity", "studio", "--map", "title=text:directed")
    assert "title: text called directed" in call(*words).stderr
    assert json.loads(call("sources", "show", "films", "--store", tmp_path / "s", "--json").output)["facts"] == 3
    wrong = call("load", films, "--store", tmp_path / "s", "--map", "title=nonsense", code=2).stderr
    assert "qualifier" in wrong, "all roles are listed"
    assert "has no column" in call("load", films, "--entity", "nobody", code=2).stderr


def test_a_question_on_a_table_cites_row_and_column(call, tmp_path, films):
    call("load", films, "--store", tmp_path / "s", "--yes")
    text = call("ask", "What is the studio of Heat?", "--store", tmp_path / "s").output
    assert text.startswith("Regency")
    assert "column studio (films.csv:4)  (imdb)" in text


def test_a_part_of_a_dump_says_first_what_it_takes(call, tmp_path):
    dump = find_content("sample", "freebase.nt.gz")
    result = call("load", dump, "--around", "m.04ltf", "--hops", "1", "--store", tmp_path / "s", "--json")
    assert "2 passes in about" in result.stderr
    (load,) = json.loads(result.stdout)["loads"]
    assert 0 < load["links"] < load["dropped"]["around"]
    assert "read 2 times" in call("load", dump, "--around", "m.04ltf", "--dry-run", "--store", tmp_path / "t").stdout
    assert "Check the ids" in call("load", dump, "--around", "m.0zzz", "--store", tmp_path / "u", code=1).stderr


def test_a_table_that_is_not_recognised_loads_with_its_header_row(call, tmp_path):
    ragged = "counted,by,Ida,Lund,in,May\nlake\nnest,tree,pairs\n" + "N1,oak,4\n"
    file = tmp_path / "nests.csv"
    file.write_text(ragged)
    refused = call("load", file, "--store", tmp_path / "store", "--yes", code=None)
    assert "--header-row 3" in refused.stderr
    call("load", file, "--store", tmp_path / "store", "--yes", "--header-row", "3")
    assert "N1" in call("describe", "--store", tmp_path / "store").output
