"""hydra-kg export ID and hydra-kg sparql FILE on a kept answer, and what they refuse."""

from __future__ import annotations

import json

import pytest

from hydra_kg.errors import FormatError, UsageError
from hydra_kg.export.sparql import sparql

PART = """\
<urn:a> <urn:p> "x" <urn:hydra-kg:source:one> .
<urn:a> <urn:p> "y" <urn:hydra-kg:source:two> .
<urn:b> <urn:p> <urn:a> <urn:hydra-kg:source:two> .
"""


@pytest.fixture
def part(tmp_path):
    file = tmp_path / "part.nq"
    file.write_text(PART)
    return file


def test_an_answer_goes_to_a_file_and_is_queried(call, sample_store, tmp_path):
    call("ask", "Where was Lionel Messi born?", "--store", sample_store, "--agent", "offline")
    file = tmp_path / "part.nq"
    call("export", "last", "-o", file, "--store", sample_store)
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    query = f'SELECT DISTINCT ?n {{ GRAPH ?g {{ ?s ?p ?o }} ?o {label} ?n FILTER(?n = "Rosario") }}'
    assert "Rosario" in call("sparql", file, query).output
    shown = call("export", "last", "--format", "prov-json", "--store", sample_store).output
    assert json.loads(shown)["activity"]


def test_what_is_missing_is_said(call, sample_store, tmp_path):
    assert "Name the answer" in call("export", code=2).output
    call("ask", "Where was Lionel Messi born?", "--store", sample_store, "--agent", "offline")
    assert "Name the format" in call("export", "last", "--store", sample_store, code=2).output
    assert call("export", "ffffffffffff", "--format", "csv", "--store", sample_store, code=1)
    assert "leave out ID" in call("export", "last", "--jsonld", tmp_path / "x", code=2).output


def test_rows_are_bounded_and_graphs_are_asked(call, part):
    shown = call("sparql", part, "SELECT ?o { ?s ?p ?o }", "--limit", 2, "--json")
    assert json.loads(shown.output)["more"]
    assert len(json.loads(shown.output)["rows"]) == 2
    found = sparql(part, "SELECT ?g ?o { GRAPH ?g { <urn:a> <urn:p> ?o } } ORDER BY ?g", most=9, seconds=5)
    assert [row[1] for row in found.rows] == ["x", "y"]
    assert sparql(part, "ASK { <urn:a> ?p 'x' }", most=9, seconds=5).rows == (("true",),)
    assert len(sparql(part, "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }", most=9, seconds=5).rows) == 3


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * { service silent <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * { ?s ?p 'a' # '\n SERVICE ?s { ?s ?p ?o } }",
        "SELECT * { ?s ?p ?o",
        "INSERT DATA { <urn:a> <urn:p> 1 }",
        "LOAD <file:///etc/passwd>",
        "SELECT * { }" + " " * 30_000,
    ],
)
def test_what_is_no_question_of_the_file_is_refused(part, query):
    with pytest.raises(UsageError):
        sparql(part, query, most=9, seconds=5)


def test_words_that_only_look_like_service_are_asked(part):
    query = "PREFIX service: <urn:> SELECT ?service { service:a service:p ?service FILTER(?service != 'SERVICE') }"
    query += " # SERVICE"
    assert len(sparql(part, query, most=9, seconds=5).rows) == 2


def test_a_query_that_does_not_end_is_ended(tmp_path):
    file = tmp_path / "many.nq"
    file.write_text("".join(f"<urn:{i}> <urn:p> <urn:{i + 1}> .\n" for i in range(400)))
    with pytest.raises(UsageError, match="did not end"):
        sparql(file, "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }", most=9, seconds=1)


def test_other_files_are_refused(tmp_path):
    file = tmp_path / "x.txt"
    file.write_text("")
    with pytest.raises(FormatError):
        sparql(file, "ASK {}", most=1, seconds=1)
