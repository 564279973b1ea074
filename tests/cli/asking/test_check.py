"""hydra-kg check and hydra-kg why-not at the terminal."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Call = Callable[..., Result]


def test_check_marks_every_sentence_and_ends_with_4_for_a_contradiction(
    call: Call, sample_store: Path, tmp_path: Path
) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text("# Film\n\nTitanic was directed by James Cameron.\nIt came out in 2004.\n", "utf-8")
    result = call("check", draft, "--store", sample_store, "--html", tmp_path / "page.html", code=4)
    lines = result.stdout.splitlines()
    assert "✓    3  Titanic was directed by James Cameron." in lines
    assert "✗    4  It came out in 2004." in lines
    assert any("wikidata: wikidata.nt.gz:" in line for line in lines)
    assert lines[-1] == "1 stated, 1 contradicted, 0 not found."
    assert "It came out in 2004." in (tmp_path / "page.html").read_text("utf-8")


def test_check_reads_standard_input_and_prints_json(call: Call, sample_store: Path) -> None:
    result = call("check", "-", "--store", sample_store, "--json", input="Vienna is the capital of Austria.")
    doc = json.loads(result.stdout)
    assert doc["counts"]["stated"] == 1
    assert doc["sentences"][0]["evidence"][0]["places"][0]["locator"]


def test_check_refuses_what_is_no_text(call: Call, sample_store: Path, tmp_path: Path) -> None:
    binary = tmp_path / "draft.docx"
    binary.write_bytes(b"PK\x03\x04\xff\xfe\x00")
    assert "is not a text in UTF-8" in call("check", binary, "--store", sample_store, code=2).output


def test_why_not_says_which_condition_fails(call: Call, sample_store: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(sample_store, store)
    call("ask", "Who directed Titanic?", "--store", store)
    result = call("why-not", "last", "Kate Winslet", "--store", store)
    assert "Kate Winslet does not meet “directed Titanic”" in result.stdout
    doc = json.loads(call("why-not", "last", "Kate Winslet", "--store", store, "--json").stdout)
    assert doc["conditions"][0]["status"] == "not met"
    assert call("why-not", "last", "Zyxthwaite Grobnik", "--store", store, code=None).exit_code != 0
