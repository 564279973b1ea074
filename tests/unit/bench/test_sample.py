"""The bundled sample: small, consistent, rebuilt to the byte, and its passages nobody else's sentences."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from thorough import whole_data

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "hydra_kg" / "sample"
DATA = Path(os.environ.get("HYDRA_DATA", ROOT.parent / "shared" / "data"))
GZIPPED = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz")


def load_script(name: str) -> ModuleType:
    """A script of bench/generate, which is no package, as a module."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", ROOT / "bench" / "generate" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


build_sample = load_script("build_sample")


@pytest.fixture(scope="module")
def graph() -> Any:
    return build_sample.load_graph(SAMPLE)


@pytest.fixture(scope="module")
def questions() -> list[dict[str, Any]]:
    return list(build_sample.read_jsonl(SAMPLE / "questions.jsonl"))


@pytest.fixture(scope="module")
def passages() -> list[dict[str, Any]]:
    return list(build_sample.read_jsonl(SAMPLE / "passages.jsonl"))


def need_data() -> Path:
    if not (DATA / "freebase.nt.gz").exists():
        pytest.skip(f"no data pack at {DATA}: set HYDRA_DATA to its folder")
    return DATA


def test_sample_is_at_most_two_megabytes() -> None:
    assert sum(path.stat().st_size for path in SAMPLE.iterdir() if path.is_file()) <= 2_000_000


def test_readme_says_how_many_lines_each_file_has(
    questions: list[dict[str, Any]], passages: list[dict[str, Any]]
) -> None:
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    counts = {name: len(build_sample.read_lines(SAMPLE / name)) for name in GZIPPED}
    counts |= {"passages.jsonl": len(passages), "questions.jsonl": len(questions)}
    for name, count in counts.items():
        assert re.search(rf"`{re.escape(name)}` \| {count:,} ", readme), (name, count)


@pytest.mark.slow
def test_the_corner_is_larger_and_private_facts_are_left_out() -> None:
    assert 55 <= len(build_sample.read_core()) < len(build_sample.read_core(build_sample.DEMO_ENTITIES))
    for line in build_sample.read_lines(SAMPLE / "corner" / "freebase.nt.gz"):
        predicate = build_sample.split_freebase(line)[1]
        assert predicate != "common.topic.description"
        assert not predicate.startswith(build_sample.PRIVATE_FREEBASE), predicate
    for line in build_sample.read_lines(SAMPLE / "corner" / "wikidata.nt.gz"):
        predicate = build_sample.wikidata_id(build_sample.split_wikidata(line)[1])
        assert predicate not in build_sample.PRIVATE_WIKIDATA


def test_every_line_is_in_its_dumps_syntax() -> None:
    freebase = re.compile(rb'<[^<>" ]+>\t<[^<>" ]+>\t(<[^<>"\t]+>|".*"(@[A-Za-z-]+|\^\^<[^<>" ]+>)?)\t\.\n')
    wikidata = re.compile(rb'<[^<>" ]+> <[^<>" ]+> (<[^<>"\t ]+>|".*"(@[A-Za-z-]+|\^\^<[^<>" ]+>)?) \.\n')
    for name, shape in zip(GZIPPED, (freebase, wikidata, freebase), strict=True):
        odd = [line for line in build_sample.read_lines(SAMPLE / name) if not shape.fullmatch(line)]
        assert odd == [], name


def test_no_foreign_text_and_nothing_private() -> None:
    for line in build_sample.read_lines(SAMPLE / "freebase.nt.gz"):
        predicate = build_sample.split_freebase(line)[1]
        assert predicate != "common.topic.description"
        assert not predicate.startswith(build_sample.PRIVATE_FREEBASE), predicate
    for line in build_sample.read_lines(SAMPLE / "wikidata.nt.gz"):
        predicate = build_sample.wikidata_id(build_sample.split_wikidata(line)[1])
        assert predicate not in build_sample.PRIVATE_WIKIDATA


@pytest.mark.slow
def test_every_core_entity_has_name_label_link_and_passage(graph: Any, passages: list[dict[str, Any]]) -> None:
    core = build_sample.read_core()
    assert 55 <= len(core) <= 65
    told = {row["mid"] for row in passages}
    for row in core:
        assert graph.names[row["mid"]] == row["name"]
        assert graph.twins[row["mid"]] == row["qid"]
        assert row["qid"] in graph.names
        assert row["mid"] in told, row["name"]


@pytest.mark.slow
def test_every_passage_is_about_an_entity_of_the_sample(graph: Any, passages: list[dict[str, Any]]) -> None:
    assert 90 <= len(passages) <= 120
    assert build_sample.check_passages(SAMPLE, graph) == []
    assert len({row["text"] for row in passages}) == len(passages)
    for row in passages:
        assert graph.names[row["mid"]] == row["title"]
        assert "url" not in row, "the text is not on that page"


def test_every_gold_answer_is_named_and_reached_by_its_chains(graph: Any, questions: list[dict[str, Any]]) -> None:
    assert 35 <= len(questions) <= 50
    for row in questions:
        assert build_sample.check_question(row, graph) == [], row["question"]


def test_the_demo_asks_one_question_of_each_kind(questions: list[dict[str, Any]]) -> None:
    assert [row["kind"] for row in questions if row.get("demo")] == list(build_sample.KINDS)


def test_check_names_a_wrong_gold_answer(graph: Any, questions: list[dict[str, Any]]) -> None:
    row = dict(questions[0], answers=[{"id": "m.0156q", "name": "Berlin"}])
    (problem,) = build_sample.check_question(row, graph)
    assert "Rosario" in problem
    assert "Berlin" in problem


def test_gzip_header_carries_no_time_and_no_name(tmp_path: Path) -> None:
    lines = [b"a\n", b"b\n"]
    build_sample.write_gz(tmp_path / "one.gz", lines)
    build_sample.write_gz(tmp_path / "two.gz", iter(lines))
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    for path in (tmp_path / "one.gz", *(SAMPLE / name for name in GZIPPED)):
        header = path.read_bytes()[:10]
        assert header[3] == 0, f"{path.name} carries a file name"
        assert header[4:8] == bytes(4), f"{path.name} carries a time"


@whole_data
@pytest.mark.data
@pytest.mark.slow
def test_rebuilding_from_the_pack_gives_the_same_lines(tmp_path: Path) -> None:
    build_sample.build(need_data(), tmp_path)
    build_sample.build(need_data(), tmp_path / "corner", entities=build_sample.DEMO_ENTITIES, dense=True)
    for name in (*GZIPPED, *(f"corner/{name}" for name in GZIPPED)):
        assert build_sample.read_lines(tmp_path / name) == build_sample.read_lines(SAMPLE / name), name


def runs(text: str, length: int = 8) -> Iterator[str]:
    """Every run of that many words, folded."""
    words = re.findall(r"[\w']+", text.lower())
    for start in range(len(words) - length + 1):
        yield " ".join(words[start : start + length])


@pytest.mark.data
@pytest.mark.slow
def test_no_passage_shares_eight_words_in_a_row_with_wikipedia(graph: Any, passages: list[dict[str, Any]]) -> None:
    mine = {run: row["text"] for row in passages for run in runs(row["text"])}
    shared = set()
    with gzip.open(need_data() / "wikipedia.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            shared |= mine.keys() & set(runs(json.loads(line)["text"]))
    # a run that is wholly a name (the long title of a film) is nobody's sentence
    names = " | ".join(" ".join(re.findall(r"[\w']+", name.lower())) for name in graph.names.values())
    assert sorted(run for run in shared if run.removeprefix("the ") not in names) == []
