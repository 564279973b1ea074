"""Every sentence of a draft is stated, contradicted or not found, with the lines that say so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.checking.draft import check_draft, check_text_as_json, draft_json, draft_page
from hydra_kg.errors import UsageError

DRAFT = """\
# People of films

Titanic was directed by James Cameron and came out in 1997. It stars Kate Winslet.
She was born in Vienna.

Christopher Nolan directed Inception. Nolan was born in London. Is that so?
Kate Winslet once met a lighthouse keeper of Iceland <b>twice</b>.
"""


def test_a_draft_is_checked_sentence_by_sentence(sample: Hydra) -> None:
    found = list(check_draft(sample, DRAFT))
    assert [(c.line, c.status, c.asked) for c in found] == [
        (1, "no statement", ""),
        (3, "stated", ""),
        (3, "stated", "Titanic stars Kate Winslet."),
        (4, "contradicted", "Kate Winslet was born in Vienna."),
        (6, "stated", ""),
        (6, "stated", "Christopher Nolan was born in London."),
        (6, "no statement", ""),
        (7, "not found", ""),
    ]
    assert found[1].parts == (
        ("Titanic was directed by James Cameron", "stated"),
        ("Titanic came out in 1997", "stated"),
    )
    reading = found[3].evidence[0]
    assert "Reading" in reading.text
    assert all(re.search(r"\.nt\.gz:\d+", locator) for _, locator in reading.places)
    assert {source for source, _ in reading.places} <= {"freebase", "wikidata"}
    assert found[7].evidence == ()


def test_the_json_counts_and_the_page_escapes(sample: Hydra) -> None:
    found = list(check_draft(sample, DRAFT.replace("lighthouse", "<script>alert(1)</script>")))
    doc = draft_json(found)
    assert doc["counts"] == {"stated": 4, "contradicted": 1, "not found": 1}
    page = draft_page("<draft>", found)
    assert "<script" not in page
    assert "&lt;draft&gt;" in page
    assert "understood as: Kate Winslet was born in Vienna." in page


def test_a_text_without_a_sentence_or_with_too_many_is_refused(sample: Hydra) -> None:
    with pytest.raises(UsageError, match="no sentence"):
        check_draft(sample, "```\ncode\n```")
    with pytest.raises(UsageError, match="51 sentences"):
        check_text_as_json(sample, "Titanic is a film. " * 51)


def test_sentences_of_documents_decide_and_are_cited_with_their_own_file(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "alpenlack.md").write_text("# Alpenlack\n\nAlpenlack is a paint maker in Linz.\n", "utf-8")
    (folder / "reuter.md").write_text("# Tomas Reuter\n\nTomas Reuter was born in Graz in 1988.\n", "utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(folder)
        found = list(check_draft(hydra, "Tomas Reuter was born in Graz in 1989."))
    assert [c.status for c in found] == ["contradicted"]
    assert {place for e in found[0].evidence for _, place in e.places} == {"Tomas Reuter [0:38] (reuter.md:1)"}
