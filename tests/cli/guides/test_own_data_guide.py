"""docs/own-data.md: the sample is loaded as it says, its questions are answered so, its edits do what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from hydra_kg.util.package_data import content

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "own-data.md").read_text("utf-8")
TABLE = re.findall(r"^\| `hydra-kg ask .*\n(?:\|.*\n)+", PAGE, re.MULTILINE)[0]
"""The questions: one table, or a reader sees the rest of it as text."""
ROWS = re.findall(r"^\| ([^|]*\?) \| ([^|]+) \|$", TABLE, re.MULTILINE)


@pytest.fixture
def sample():
    return content("sample", "shop")


def test_what_is_understood_and_kept(call, tmp_path, sample):
    said = call("load", sample, "--store", tmp_path / "shop.db", "--yes").stderr
    shown = re.search(r"^```\n(  Read as.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert shown is not None
    assert shown[1] in said
    kept = tmp_path / "feeds.yaml"
    assert f"What was understood is in {kept}" in said
    assert len(ROWS) == 11
    for question, answer in ROWS:
        found = json.loads(call("ask", question, "--store", tmp_path / "shop.db", "--json").stdout)
        assert found["answer_text"] == answer, question


def test_a_kept_description_is_edited_and_never_overwritten(call, tmp_path, sample):
    words = ("load", sample, "--store", tmp_path / "shop.db", "--yes")
    call(*words)
    kept = tmp_path / "feeds.yaml"
    edited = yaml.safe_load(re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0])
    kept.write_text(yaml.safe_dump(edited), "utf-8")
    again = call(*words, "--replace")
    assert "otherwise and is left as it is" in again.stderr
    assert yaml.safe_load(kept.read_text("utf-8")) == edited
    result = json.loads(call(*words, "--replace", "--feeds", kept, "--json").stdout)
    feed = result["loads"][0]["described"]["feed"]
    assert [r["says"] for r in feed["references"]] == ["made by"]
    assert feed["tables"]["suppliers"]["columns"]["town"]["role"] == "text"
    assert feed["tables"]["deliveries"]["columns"]["product_code"]["role"] == "group", "it refers to nothing any more"


def test_a_dry_run_shows_it_and_writes_nothing(call, tmp_path, sample):
    said = call("load", sample, "--store", tmp_path / "shop.db", "--dry-run").stderr
    assert "products.supplier_id → suppliers.supplier_id: 100 %" in said
    assert not (tmp_path / "feeds.yaml").exists()


def test_several_feeds_share_a_file(call, tmp_path, sample):
    for name in ("north", "south"):
        call("load", sample, "--source", name, "--store", tmp_path / "shop.db", "--yes")
    kept = yaml.safe_load((tmp_path / "feeds.yaml").read_text("utf-8"))
    assert list(kept["feeds"]) == ["north", "south"]


def test_another_file_of_that_name_is_left_alone(call, tmp_path, sample):
    (tmp_path / "feeds.yaml").write_text("- something else\n")
    said = call("load", sample, "--store", tmp_path / "shop.db", "--yes").stderr
    assert "is left as it is" in said
    assert (tmp_path / "feeds.yaml").read_text() == "- something else\n"


def test_a_row_is_quoted(call, tmp_path, sample):
    call("load", sample, "--store", tmp_path / "shop.db", "--yes")
    text = call("sources", "line", "products.csv:2", "--store", tmp_path / "shop.db").output
    assert "title: Harbour Lamp" in text
