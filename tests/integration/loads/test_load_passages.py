"""Passages as JSON lines, and same-as links: what they are about, where they stand, what is rejected and why."""

from __future__ import annotations

import json
from pathlib import Path

from helpers.samples.loading import fact, stage

from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.util.package_data import find_content

SAME = "http://www.w3.org/2002/07/owl#sameAs"


def test_a_passage_is_about_its_item_first(tmp_path: Path) -> None:
    docs = [
        {
            "title": "Douglas Adams",
            "qid": "Q42",
            "mid": "m.0282x",
            "url": "https://a.org/X",
            "text": "He.",
        },
        {"title": "Marvin", "qid": None, "mid": "/m/01xyz", "text": "It."},
        {"title": "Nobody", "text": "They \ud83d."},
        {"title": "Odd", "qid": "my own id", "text": "It."},
    ]
    staged = stage([json.dumps(doc) for doc in docs], tmp_path, "passages")
    assert staged.passages == [
        ("Q42", "Douglas Adams", "https://a.org/X", "He.", 1),
        ("m.01xyz", "Marvin", "", "It.", 2),
        ("", "Nobody", "", "They ?.", 3),
        ("my own id", "Odd", "", "It.", 4),
    ]
    assert staged.balanced()


def test_malformed_lines_are_rejected_with_their_position(tmp_path: Path) -> None:
    good = json.dumps({"title": "A", "text": "B", "qid": "Q1"})
    lines: list[str | bytes] = [
        good,
        '{"title": "A", "text": ',
        "",
        "[1, 2]",
        '{"text": 5}',
        good,
        b'{"text": "caf\xe9"}',
        '{"text": "a\0b"}',
        '{"title": "empty", "text": ""}',
        "[" * 100_000,
        good.replace("B", "C"),
    ]
    staged = stage(lines, tmp_path, "passages")
    assert staged.balanced()
    assert staged.rejects == [
        (2, "json", 23),
        (4, "object", 0),
        (5, "type", 0),
        (7, "encoding", 0),
        (8, "nul", 0),
        (10, "json", 0),
    ]
    assert (staged.dropped["blank"], staged.dropped["empty"], staged.duplicates["passages"]) == (1, 1, 1)
    assert [p[3:] for p in staged.passages] == [("B", 1), ("C", 11)]


def test_passages_are_found_by_entity_and_by_text(tmp_path: Path) -> None:
    file = find_content("sample", "passages.jsonl")
    with EmbeddedStore(tmp_path / "store") as store:
        report = load_files(store, [file, find_content("sample", "fb2w.nt.gz")])
        assert [load.format for load in report.loads] == ["passages", "sameas"]
        with store.snapshot() as snapshot:
            (node,) = snapshot.lookup(["m.02mjmr"])  # the passage names Q76
            assert node is not None
            about = snapshot.passages([node])
            assert {p.title for p in about} == {"Barack Obama"}
            first = about[0]
            assert (first.source.kind, first.locator.file) == ("wiki", "passages.jsonl")
            doc = json.loads(file.read_text().splitlines()[first.locator.line - 1])
            assert doc["text"] == first.text
            hits = snapshot.passages([], query="constitutional law Chicago")
            assert hits[0].title == "Barack Obama"


def test_pages_of_wikipedia_are_attributed_to_it(tmp_path: Path) -> None:
    url = "https://en.wikipedia.org/wiki/Marvin"
    file = tmp_path / "pages.jsonl"
    file.write_text(json.dumps({"title": "Marvin", "url": url, "text": "A robot."}) + "\n")
    with EmbeddedStore(tmp_path / "store") as store:
        (load,) = load_files(store, [file]).loads
        assert load.name == "wikipedia"
        with store.snapshot() as snapshot:
            (found,) = snapshot.passages([], query="robot")
        assert (found.source.kind, found.source.origin, found.locator.url) == ("wiki", "wikipedia", url)


def test_same_as_links_with_tabs_or_spaces_in_either_order(tmp_path: Path) -> None:
    q42 = "http://www.wikidata.org/entity/Q42"
    lines = [
        fact("m.0282x", SAME, q42),
        fact("m.0282x", SAME, q42).replace("\t", " "),
        fact(q42, SAME, "m.0282x"),
        fact("https://example.org/adams", SAME, q42),
        fact("m.0282x", "type.object.name", '"Adams"@en'),
        fact("m.0282x", SAME, '"Q42"'),
    ]
    staged = stage(lines, tmp_path, "sameas")
    assert sorted(staged.same_as, key=lambda row: row[2]) == [
        ("m.0282x", "Q42", 1),
        ("Q42", "m.0282x", 3),
        ("https://example.org/adams", "Q42", 4),
    ]
    assert (staged.duplicates["same_as"], staged.dropped["predicates"]) == (1, 2)
    assert staged.balanced()
