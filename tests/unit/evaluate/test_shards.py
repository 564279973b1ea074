"""A run in parts, put together, is the one run; parts that do not belong together are refused."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import pytest
from helpers.samples.askers import Echo

from hydra_kg.errors import FormatError, NotFoundError, UsageError
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.reports.report import write_reports
from hydra_kg.evaluate.runs.runner import RunPlan, run
from hydra_kg.evaluate.runs.shards import FILE, RunShard, begin, merge
from hydra_kg.evaluate.runs.variants import variants_of
from hydra_kg.settings import Settings

WORDS = [f"w{n}" for n in range(11)]
QUESTIONS = [
    Question(f"set{n % 2}", word, f"what is {'fail' if n == 4 else word}?", (), ({"id": f"m.{word}", "name": word},))
    for n, word in enumerate(WORDS)
]
PLAN = RunPlan(("echo", "titles"), "offline", False, Settings(), variants=variants_of(["pruning.w1=7"]), samples=2)


def part(folder: Path, number: int, of: int = 3, *, plan: RunPlan = PLAN, count: int = len(QUESTIONS)) -> Path:
    mine = begin(folder, RunShard(number, of), QUESTIONS[:count], plan)
    run(mine, plan, folder, make=Echo)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {f.name: f.read_bytes() for f in folder.iterdir() if f.name != FILE}


@pytest.mark.parametrize("of", [1, 3, 12])
def test_merged_is_byte_for_byte_one_run(tmp_path: Path, of: int) -> None:
    run(QUESTIONS, PLAN, tmp_path / "one", make=Echo)
    write_reports(tmp_path / "one")
    parts = [part(tmp_path / f"part{n}", n, of) for n in range(of, 0, -1)]
    assert merge(parts, tmp_path / "all") == 11 * 8
    write_reports(tmp_path / "all")
    assert files(tmp_path / "all") == files(tmp_path / "one")


def test_a_part_goes_on_where_it_was_and_may_get_more_strategies(tmp_path: Path) -> None:
    narrow = RunPlan(("echo",), "offline", False, Settings())
    log = tmp_path / "log"
    for plan in (narrow, narrow, PLAN):
        for n in (1, 2):
            run(
                begin(tmp_path / f"part{n}", RunShard(n, 2), QUESTIONS, plan),
                plan,
                tmp_path / f"part{n}",
                make=partial(Echo, log=log),
            )
    assert log.read_text().count("|what is w3?|") == 8
    for plan in (narrow, PLAN):
        run(QUESTIONS, plan, tmp_path / "one", make=Echo)
    merge([tmp_path / "part1", tmp_path / "part2"], tmp_path / "all")
    assert sorted(files(tmp_path / "all")["answers.jsonl"].splitlines()) == sorted(
        set(files(tmp_path / "one")["answers.jsonl"].splitlines())
    )


def test_what_is_no_whole_run_is_refused(tmp_path: Path) -> None:
    one, two, three = (part(tmp_path / f"part{n}", n) for n in (1, 2, 3))
    out = tmp_path / "all"

    def refused(*folders: Path, match: str) -> None:
        with pytest.raises(UsageError, match=match):
            merge(folders, out)
        assert not (out / "answers.jsonl").exists()

    refused(one, three, match="Missing: 2/3")
    refused(one, two, three, three, match="named twice")
    refused(one, two, part(tmp_path / "fewer", 3, count=10), match="not parts of one run")
    refused(one, two, part(tmp_path / "four", 3, 4), match="not parts of one run")
    other = RunPlan(PLAN.strategies, "offline", False, Settings(seed=1), variants=PLAN.variants, samples=2)
    refused(one, two, part(tmp_path / "other", 3, plan=other), match="not parts of one run")
    answers = (three / "answers.jsonl").read_bytes().splitlines(keepends=True)
    (three / "answers.jsonl").write_bytes(b"".join(answers[:-2]) + answers[-1][:30])  # killed
    refused(one, two, three, match="not finished: 2 answers")
    part(three, 3)
    merge([two, three, one], out)
    with pytest.raises(UsageError, match="holds a run already"):
        merge([one, two, three], out)
    with pytest.raises(UsageError, match="holds another part"):
        part(one, 2)
    with pytest.raises(UsageError, match="holds a whole run"):
        begin(out, RunShard(1, 3), QUESTIONS, PLAN)
    with pytest.raises(NotFoundError):
        merge([tmp_path], tmp_path / "new")
    shutil.copytree(one, tmp_path / "damaged")
    (tmp_path / "damaged" / FILE).write_text(json.dumps({"shard": "x"}))
    with pytest.raises(FormatError):
        merge([tmp_path / "damaged", two, three], tmp_path / "new")


@pytest.mark.parametrize("text", ["", "3", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "1.5/3"])
def test_no_part(text: str) -> None:
    with pytest.raises(UsageError, match="is not a part"):
        RunShard.parse(text)


def test_parts_are_all_of_it_once() -> None:
    parts = [RunShard.parse(f"{n}/4").part(QUESTIONS) for n in range(1, 5)]
    assert sorted(q.id for p in parts for q in p) == sorted(WORDS)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
