"""``hydra-kg load s3://…``: fetched beside the store, attributed to its address, removed when it is loaded."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from helpers.servers.buckets import BUCKET, s3_server, speak_to

from hydra_kg.cli.loading import downloads
from hydra_kg.stores.published.publication_places import open_place
from hydra_kg.util.package_data import find_content

ADDRESS = f"s3://{BUCKET}/dumps/harbour.csv"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch):
    with s3_server() as port:
        speak_to(monkeypatch, port)
        open_place(f"s3://{BUCKET}").put("dumps/harbour.csv", find_content("sample", "harbour.csv"))
        yield


def test_a_dump_in_a_bucket(bucket, call, tmp_path: Path) -> None:
    words = ("load", ADDRESS, "--store", tmp_path / "store", "--yes")
    assert "--no-network forbids" in call(*words, "--no-network", code=1).stderr
    assert "Would load into" in call(*words, "--dry-run").stderr
    assert not (tmp_path / "store").exists()
    doc = json.loads(call(*words, "--json").stdout)
    (file,) = doc["loads"][0]["files"]
    assert (file["name"], file["url"], file["folder"]) == ("harbour.csv", ADDRESS, "")
    shown = json.loads(call("sources", "show", "harbour", "--store", tmp_path / "store", "--json").stdout)
    assert ADDRESS in json.dumps(shown)
    assert {f.name for f in tmp_path.iterdir()} & {"store.downloads"} == set()


def test_a_dry_run_looks_at_the_beginning(bucket, call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "BEGINNING", 100_000)
    dump = find_content("sample", "freebase.nt.gz")
    open_place(f"s3://{BUCKET}").put("dumps/freebase.nt.gz", dump)
    words = ("load", f"s3://{BUCKET}/dumps/freebase.nt.gz", "--store", tmp_path / "store", "--dry-run", "--json")
    (load,) = json.loads(call(*words).stdout)["loads"]
    lines = gzip.decompress(dump.read_bytes()).count(b"\n")
    assert dump.stat().st_size > 300_000
    assert load["forecast"]["lines"] == pytest.approx(lines, rel=0.3)
    assert load["format"] == "freebase"
    assert not [f.name for f in tmp_path.iterdir() if f.name.startswith("store")]


def test_what_is_not_there_or_not_fetched_is_said(bucket, call, tmp_path: Path) -> None:
    for address, words in (
        (f"s3://{BUCKET}/none.csv", "There is no"),
        (f"s3://{BUCKET}", "names no file"),
        ("http://dumps.example/all.csv", "https only"),
        ("https://10.0.0.1/all.csv", "private"),
        ("https://user:canary@dumps.example/all.csv", "password"),
    ):
        said = call("load", address, "--store", tmp_path / "store", code=None)
        assert said.exit_code in (1, 2)
        assert words in said.stderr
        assert "canary" not in said.stderr
