"""Which files make which load, and what a killed load is recognised by."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.samples.wiki_dumps import HEAD, PAGES, TAIL

from hydra_kg.errors import UsageError
from hydra_kg.events import ignore
from hydra_kg.ingest.contract.choices import Options
from hydra_kg.ingest.contract.loader import loaders
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.load import batch_files
from hydra_kg.ingest.neighbourhood.around import Neighbourhood

PASSAGE = '{"title": "Vienna", "text": "A city.", "url": "https://en.wikipedia.org/wiki/Vienna"}\n'


def test_two_formats_of_one_name_become_loads_of_two_names(tmp_path: Path) -> None:
    dump, passages = tmp_path / "dump.xml", tmp_path / "passages.jsonl"
    dump.write_text(HEAD + PAGES[3] + TAIL, "utf-8")
    passages.write_text(PASSAGE, "utf-8")
    assert [batch.source.name for f in (dump, passages) for batch in batch_files([f])] == ["wikipedia", "wikipedia"]
    assert [batch.source.name for batch in batch_files([dump, passages])] == ["wikipedia", "wikipedia-passages"]
    with pytest.raises(UsageError, match="several formats"):
        batch_files([dump, passages], source="wiki")
    assert len(batch_files([passages, passages])) == 1


def test_a_file_that_an_option_names_is_part_of_what_a_killed_load_is_recognised_by(tmp_path: Path) -> None:
    dump, links = tmp_path / "dump.xml", tmp_path / "links.tsv"
    dump.write_text(HEAD + PAGES[3] + TAIL, "utf-8")
    links.write_text("Q1741\tVienna\n", "utf-8")

    def signature(**extra: str) -> object:
        return Work(
            tmp_path / "stage", loaders()["wikipedia"], [dump], options=Options(extra=extra), listener=ignore
        ).signature()

    with_links = signature(sitelinks=str(links))
    assert with_links == signature(sitelinks=str(links))
    assert with_links != signature()
    links.write_text("Q1741\tVienna\nQ5\tHuman\n", "utf-8")
    assert with_links != signature(sitelinks=str(links))
    assert signature(around="Q1," * 2000) != signature(around="Q1")  # no path, and too long for one


def test_a_format_that_cannot_be_cut_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "passages.jsonl"
    file.write_text(PASSAGE, "utf-8")
    with pytest.raises(UsageError, match="of the format passages") as e:
        Neighbourhood([(loaders()["passages"], [file])], Options(extra={"around": "Q1741", "hops": "1"}))
    assert "as a whole" in e.value.remedy
