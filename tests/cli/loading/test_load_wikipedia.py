"""hydra-kg load of a Wikipedia dump: one command, pages counted, items by sitelinks, and answers from it."""

from __future__ import annotations

import json

import pytest
from helpers.samples.wiki_dumps import PAGES, multistream


@pytest.fixture
def dump(tmp_path):
    return multistream(tmp_path / "enwiki-latest-pages-articles-multistream.xml.bz2")


@pytest.fixture
def items(tmp_path):
    file = tmp_path / "sitelinks.tsv"
    file.write_text("Wolfgang Amadeus Mozart\tQ254\nSalzburg\tQ34713\nVienna\tQ1741\n")
    return file


def test_one_command_and_a_question(call, tmp_path, dump, items):
    shown = call("load", dump, "--sitelinks", items, "--store", tmp_path / "s").stdout
    assert f"pages read {len(PAGES)}" in " ".join(shown.split())
    assert "articles" in shown
    asked = call("ask", "In which city did Mozart die?", "--store", tmp_path / "s", "--json", code=None)
    answer = json.loads(asked.stdout)
    hop = answer["paths"][0]["hops"][0]
    assert (answer["answer_text"], hop["subject"]["id"], hop["object"]["name"]) == ("Vienna", "Q254", "Vienna")
    assert answer["citations"][0]["locator"].startswith("Wolfgang Amadeus Mozart [100:143]")


def test_a_dry_run_counts_pages(call, tmp_path, dump):
    shown = call("load", dump, "--dry-run", "--store", tmp_path / "s").stdout
    assert f"about {len(PAGES)} pages" in shown


def test_a_missing_file_of_sitelinks_is_named(call, tmp_path, dump):
    failed = call("load", dump, "--sitelinks", tmp_path / "none.nt", "--store", tmp_path / "s", code=2)
    assert "none.nt" in failed.stderr
