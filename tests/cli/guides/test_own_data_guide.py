"""docs/own-data.md: the sample is loaded as it says, its questions are answered so, its edits do what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from hydra_kg.util.package_data import find_content

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "own-data.md").read_text("utf-8")
TABLE = re.findall(r"^\| `hydra-kg ask .*\n(?:\|.*\n)+", PAGE, re.MULTILINE)[0]
"""The questions: one table, or a reader sees the rest of it as text."""
ROWS = re.findall(r"^\| ([^|]*\?) \| ([^|]+) \|$", TABLE, re.MULTILINE)


@pytest.fixture
def sample():
    return find_content("sample", "shop")


def test_what_is_understood_and_kept(call, tmp_path, sample):
    said = call("load", sample, "--store", tmp_path / "shop.db", "--yes").stderr
    shown = re.search(r"^```\n(  Understood as.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert shown is not None
    assert shown[1] in said
    kept = tmp_path / "shop.db.feeds" / "feeds.yaml"
    assert f"If something is wrong, edit {kept}" in said
    assert {path.name for path in tmp_path.iterdir()} - {"here", "home"} == {"shop.db", "shop.db.feeds"}
    assert {path.name for path in kept.parent.iterdir()} == {"feeds.yaml", "shop.svg"}
    assert len(ROWS) == 11
    for question, answer in ROWS:
        found = json.loads(call("ask", question, "--store", tmp_path / "shop.db", "--json").stdout)
        assert found["answer_text"] == answer, question


def test_a_kept_description_is_edited_and_never_overwritten(call, tmp_path, sample):
    words = ("load", sample, "--store", tmp_path / "shop.db", "--yes")
    call(*words)
    kept = tmp_path / "shop.db.feeds" / "feeds.yaml"
    edited = yaml.safe_load(re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0])
    kept.write_text(yaml.safe_dump(edited), "utf-8")
    again = call(*words, "--replace")
    assert "stays as it is. Its shop differs from this load: suppliers.town is group, text there;" in again.stderr
    assert yaml.safe_load(kept.read_text("utf-8")) == edited
    corrected = call(*words, "--replace", "--feeds", kept, "--json")
    assert "0 % of 0 values" not in corrected.stderr
    result = json.loads(corrected.stdout)
    assert [(r["found"], r["of"]) for r in result["loads"][0]["described"]["feed"]["references"]] == [(1.0, 4)]
    feed = result["loads"][0]["described"]["feed"]
    assert [r["says"] for r in feed["references"]] == ["made by"]
    assert feed["tables"]["suppliers"]["columns"]["town"]["role"] == "text"
    assert feed["tables"]["deliveries"]["columns"]["product_code"]["role"] == "group", "it refers to nothing any more"


def test_a_dry_run_shows_it_and_writes_nothing(call, tmp_path, sample):
    said = call("load", sample, "--store", tmp_path / "shop.db", "--dry-run").stderr
    assert "products.supplier_id → suppliers.supplier_id: 100 %" in said
    assert not list(tmp_path.rglob("feeds.yaml"))


def test_several_feeds_share_a_file(call, tmp_path, sample):
    for name in ("north", "south"):
        call("load", sample, "--source", name, "--store", tmp_path / "shop.db", "--yes")
    kept = yaml.safe_load((tmp_path / "shop.db.feeds" / "feeds.yaml").read_text("utf-8"))
    assert list(kept["feeds"]) == ["north", "south"]


def test_another_file_of_that_name_is_left_alone(call, tmp_path, sample):
    kept = tmp_path / "shop.db.feeds" / "feeds.yaml"
    kept.parent.mkdir()
    kept.write_text("- something else\n")
    said = call("load", sample, "--store", tmp_path / "shop.db", "--yes").stderr
    assert "is left as it is" in said
    assert kept.read_text() == "- something else\n"


def test_the_report_after_a_load_is_short_and_a_reload_names_what_changed(call, tmp_path):
    folder = tmp_path / "lake"
    folder.mkdir()
    for n in range(12):
        rows = "".join(f"{row},name {row},{row % 4}\n" for row in range(9))
        (folder / f"birds_{chr(97 + n)}.csv").write_text(f"id_{n},name,size_{n}\n{rows}")
    words = ("load", folder, "--store", tmp_path / "lake.db", "--yes")
    lines = [line for line in call(*words).stderr.splitlines() if line.startswith("  ")]
    assert 3 <= len(lines) <= 10
    assert max(map(len, lines)) < 500
    (folder / "birds_a.csv").write_text("id_0,name,size_0\n1,wren,3\n")
    again = call(*words, "--replace").stderr
    assert "Its lake differs from this load: birds_a has 1 rows, 9 there" in again


@pytest.mark.parametrize(
    "text, said",
    [
        ("feeds:\n  shop:\n\ttables: {", "broken.yaml is not valid YAML in line 3, column 1: "),
        ("hello", "In feeds.yaml, the file must be a mapping of names to values"),
        ("feeds: {shop: {tables: {products: {key: [nix]}}}}", "feeds.yaml names an unknown column of products: nix."),
        ("feeds: {shop: {references: yes}}", "In feeds.yaml, references must be a list."),
    ],
)
def test_a_broken_description_is_one_clear_error(call, tmp_path, sample, text, said):
    broken = tmp_path / "broken.yaml"
    broken.write_text(text)
    refused = call("load", sample, "--store", tmp_path / "shop.db", "--feeds", broken, "--yes", code=None).stderr
    errors = [line for line in refused.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert said in errors[0]
    assert "Traceback" not in refused


def test_a_row_is_quoted(call, tmp_path, sample):
    call("load", sample, "--store", tmp_path / "shop.db", "--yes")
    text = call("sources", "line", "products.csv:2", "--store", tmp_path / "shop.db").output
    assert "title: Harbour Lamp" in text
