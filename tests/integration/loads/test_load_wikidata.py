"""Wikidata's truthy lines: names, claims, values, texts of predicates, same-as links, sitelinks, what is dropped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.samples.loading import Staged, stage

from hydra_kg.ingest.load import batch_files, load_files
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.util.package_data import find_content

WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALT = "http://www.w3.org/2004/02/skos/core#altLabel"
PREF = "http://www.w3.org/2004/02/skos/core#prefLabel"
NAME, DESCRIPTION, ABOUT = (f"http://schema.org/{n}" for n in ("name", "description", "about"))

Run = Callable[..., Staged]


def line(s: str, p: str, o: str) -> str:
    """A line of the dump; ``Q42`` and ``P19`` stand for what they name."""
    s, o = (f"{WD}{t}" if t[:1] in "QPL" and t[1:].isdigit() else t for t in (s, o))
    p = f"{WDT}{p}" if p[:1] == "P" and p[1:].isdigit() else p
    return f"<{s}> <{p}> {o} ." if o[:1] in {'"', "_"} else f"<{s}> <{p}> <{o}> ."


ADAMS = [
    line("Q42", LABEL, '"Douglas Adams"@en'),
    line("Q42", PREF, '"Douglas Adams"@en'),
    line("Q42", NAME, '"Douglas Adams"@en'),
    line("Q42", ALT, '"Douglas No\\u00EBl Adams"@en'),
    line("Q42", ALT, '"Дуглас Адамс"@ru'),
    line("Q42", DESCRIPTION, '"English writer \\"and\\" humorist"@en'),
    line("Q42", "P19", "Q350"),
    line("Q42", "P569", '"1952-03-11T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'),
    line("Q42", "P646", '"/m/0282x"'),
    line("Q42", "P2671", '"/g/11b60_wkzr"'),
    line("Q42", "P18", "http://commons.wikimedia.org/wiki/Special:FilePath/Adams.jpg"),
    line("Q42", "P570", "_:genid1"),
    line("Q42", "P22", "http://www.wikidata.org/.well-known/genid/abc"),
    line("P19", LABEL, '"place of birth"@en'),
    line("P19", LABEL, '"Geburtsort"@de'),
    line("P19", DESCRIPTION, '"most specific place"@en'),
    line("P19", "P31", "Q18608871"),
    line("https://en.wikipedia.org/wiki/Douglas_Adams_%28writer%29", ABOUT, "Q42"),
    line("https://de.wikipedia.org/wiki/Douglas_Adams", ABOUT, "Q42"),
    line("https://en.wikivoyage.org/wiki/Adams", ABOUT, "Q42"),
    line("https://en.wikipedia.org/wiki/Douglas_Adams", "http://schema.org/inLanguage", '"en"'),
    line("http://www.wikidata.org/wiki/Special:EntityData/Q42", "http://schema.org/version", '"1"'),
    line("Q42", "http://wikiba.se/ontology#sitelinks", '"100"^^<http://www.w3.org/2001/XMLSchema#integer>'),
]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Lines through the Wikidata loader; each call in a folder of its own."""
    calls = 0

    def go(*lines: str, **options: object) -> Staged:
        nonlocal calls
        calls += 1
        folder = tmp_path / str(calls)
        folder.mkdir()
        staged = stage(lines, folder, "wikidata_nt", **options)
        assert staged.balanced()
        return staged

    return go


def test_names_claims_and_links(run: Run) -> None:
    staged = run(*ADAMS)
    assert staged.names == {
        ("Q42", "name", "Douglas Adams"),
        ("Q42", "alias", "Douglas Noël Adams"),
        ("Q42", "description", 'English writer "and" humorist'),
        ("Q42", "title", "Douglas Adams (writer)"),
    }
    assert staged.links == [("Q42", "P19", "Q350", 7)]
    assert staged.facts == {
        ("Q42", "P19", "Q350"),
        ("Q42", "P569", '"1952-03-11T00:00:00Z"^^xsd:dateTime'),
        ("Q42", "P646", '"/m/0282x"'),
        ("Q42", "P2671", '"/g/11b60_wkzr"'),
        ("Q42", "P18", "http://commons.wikimedia.org/wiki/Special:FilePath/Adams.jpg"),
    }
    assert set(staged.same_as) == {("Q42", "m.0282x", 9), ("Q42", "g.11b60_wkzr", 10)}
    assert staged.predicates["P19"] == ("place of birth", "")
    assert staged.predicates["P569"] == ("date of birth", "")
    assert staged.kept["predicate texts"] == 1
    assert staged.dropped == {"metadata": 4, "labels": 2, "properties": 2, "language": 3, "unknown": 2, "blank": 0}


@pytest.mark.parametrize(
    "rule,check",
    [
        ("labels", lambda s: s.duplicates["names"] == 2),
        ("properties", lambda s: ("P19", "P31", "Q18608871") in s.facts),
        ("properties", lambda s: ("P19", "description", "most specific place") in s.names),
        ("language", lambda s: {n[2] for n in s.names} >= {"Дуглас Адамс", "Douglas Adams"}),
        ("unknown", lambda s: ("Q42", "P570", "_:genid1") in s.facts),
        ("same-as", lambda s: s.same_as == []),
        ("metadata", lambda s: ("Q42", "http://wikiba.se/ontology#sitelinks", '"100"^^xsd:integer') in s.facts),
    ],
)
def test_every_rule_can_be_switched_off(run: Run, rule: str, check: Callable[[Staged], bool]) -> None:
    staged = run(*ADAMS, **{rule: False})
    assert check(staged)
    left = 1 if rule == "metadata" else 0  # a link to another wiki can be nothing else
    assert staged.dropped.get(rule, 0) == left


def test_languages_in_order_of_preference(run: Run) -> None:
    assert run(*ADAMS, languages=("de", "en")).predicates["P19"][0] == "Geburtsort"
    assert run(*ADAMS, languages=("en", "de")).predicates["P19"][0] == "place of birth"
    titles = {n[2] for n in run(*ADAMS, languages=("de",)).names if n[1] == "title"}
    assert titles == {"Douglas Adams"}


def test_the_label_for_all_languages(run: Run) -> None:
    """``mul`` counts whatever language is asked for."""
    lines = [line("Q1", LABEL, '"Felis"@mul'), line("Q1", ALT, '"F. \\"x\\""@mul'), line("Q1", LABEL, '"chat"@fr')]
    assert run(*lines).names == {("Q1", "name", "Felis"), ("Q1", "alias", 'F. "x"')}


def test_names_that_were_escaped_twice_are_read_as_they_were_meant(run: Run) -> None:
    lines = [
        line("P2564", LABEL, '"K\\\\u00F6ppen climate"@en'),
        line("Q1", "P2564", "Q2"),
        line("Q1", LABEL, '"Lan\\\\u0161kroun"@en'),
    ]
    read = run(*lines)
    assert (read.names, read.predicates["P2564"][0]) == ({("Q1", "name", "Lanškroun")}, "Köppen climate")
    as_written = run(*lines, escapes=False)
    assert as_written.names == {("Q1", "name", "Lan\\u0161kroun")}
    assert as_written.predicates["P2564"][0] == "K\\u00F6ppen climate"


def test_tabs_between_the_terms_are_read_too(run: Run) -> None:
    tabbed = [ln.replace("> <", ">\t<").replace('> "', '>\t"').replace(" .", "\t.") for ln in ADAMS]
    assert run(*tabbed).facts == run(*ADAMS).facts


def test_a_literal_that_looks_like_the_end_of_the_line(run: Run) -> None:
    odd = line("Q664873", LABEL, '"LOL <(^^,)>"@en')
    trap = line("Q1", LABEL, '"a . <b> \\" ."@en')
    staged = run(odd, trap)
    assert staged.names == {("Q664873", "name", "LOL <(^^,)>"), ("Q1", "name", 'a . <b> " .')}


def test_an_iri_of_freebase_as_a_value_stays_one(run: Run) -> None:
    iri = "http://rdf.freebase.com/ns/m.0282x"
    staged = run(line("Q42", "P2888", iri), line("Q42", "P2888", f"{WD}statement/Q42-abc"))
    assert staged.values == [("Q42", "P2888", iri, 1)]
    assert staged.links == [("Q42", "P2888", "statement/Q42-abc", 2)]


def test_predicates_must_be_iris(run: Run) -> None:
    q42, q350 = f"<{WD}Q42>", f"<{WD}Q350>"
    staged = run(
        f"{q42} <P19> {q350} .",
        f"{q42} <{WDT}P 19> {q350} .",
        f"{q42} <{WDT}P1|9> {q350} .",
        line("Q42", "P19", "Q350"),
    )
    assert staged.rejected == {"iri": 3}
    assert [link[3] for link in staged.links] == [4]


def test_freebase_and_wikidata_are_one_through_their_links(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "store") as store:
        files = [find_content("sample", name) for name in ("wikidata.nt.gz", "freebase.nt.gz", "fb2w.nt.gz")]
        report = load_files(store, files)
        assert [load.name for load in report.loads] == ["wikidata", "freebase", "fb2w"]
        assert all(load.balanced() for load in report.loads)
        with store.snapshot() as snapshot:
            mid, qid = snapshot.lookup(["m.02mjmr", "Q76"])
            assert mid == qid
            assert mid is not None
            (entity,) = snapshot.entities([mid])
            assert entity.keys == ("Q76", "m.02mjmr")
            graph = snapshot.cut([mid], depth=1)
            sources = {one.source.name for one in snapshot.facts(graph.segment, graph.row)}
            assert sources == {"freebase", "wikidata"}


def test_files_are_recognised_by_what_they_hold(tmp_path: Path) -> None:
    names = {
        "freebase.nt.gz": "freebase",
        "wikidata.nt.gz": "wikidata_nt",
        "fb2w.nt.gz": "sameas",
        "passages.jsonl": "passages",
    }
    disguised = []
    for n, name in enumerate(names):
        disguised.append(tmp_path / f"file{n}")
        disguised[-1].write_bytes(find_content("sample", name).read_bytes())
    assert [batch.loader.name for batch in batch_files(disguised)] == list(names.values())
