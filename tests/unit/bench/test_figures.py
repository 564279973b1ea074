"""The numbers of README.md and of the results pages are those of the files that measurements write."""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))
RESULTS = ROOT / "bench" / "results"
PAIRS = sorted(path.stem for path in RESULTS.glob("*.json") if path.with_suffix(".md").exists())


def rows(name, **chosen):
    found = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))["rows"]
    return [row for row in found if all(row[key] == value for key, value in chosen.items())]


def row(name, **chosen):
    (found,) = rows(name, **chosen)
    return found


def unread():
    """The newest figures of each set that nobody reads, as right and wrong percent, and right of those called sure."""
    newest = {}
    for line in (RESULTS / "unread.jsonl").read_text("utf-8").splitlines():
        figures = json.loads(line)["figures"]
        newest |= {name: f for name, f in figures.items() if name != "all" and not name.startswith("family ")}
    asked = sum(f["n"] for f in newest.values())
    sure = sum(f["sure"] for f in newest.values())
    right, wrong = (round(100 * sum(f["n"] * f[key] for f in newest.values()) / asked) for key in ("right", "wrong"))
    sure_right = round(100 * sum(f["sure"] * f["sure_right"] for f in newest.values()) / sure)
    return f"({asked}): right / wrong / right of those called sure | {right} % / {wrong} % / {sure_right} % of {sure} |"


def load_figures():
    ours = {case: row("load_rivals", case=case, **{"with": "hydra-kg load"}) for case in ("dump", "table", "text")}
    others = {r["with"]: r for case in ours for r in rows("load_rivals", case=case) if r["with"] != "hydra-kg load"}
    oxigraph, duck = others["pyoxigraph, fed by isal"], others["DuckDB: import, indexes"]
    return [
        f"| {ours['dump']['processor s']} s, {ours['dump']['peak MB']} MB | in turns: pyoxigraph "
        f"{oxigraph['processor s']} s, {oxigraph['peak MB'] / 1000:.1f} GB, "
        f"DuckDB (ids, two sorts) {others['DuckDB: ids, two sorts']['processor s']} s",
        f"| {ours['table']['processor s']} s, {ours['table']['disk MB']} MB on disk; {ours['text']['processor s']} s | "
        f"DuckDB import with indexes {duck['processor s']} s, {duck['disk MB']} MB; "
        f"SQLite FTS5 {others['SQLite FTS5']['processor s']} s |",
    ]


def model_calls():
    mean = [
        float(row("calls", preset="default", sources=sources, **{"ended in": "all"})["calls mean"])
        for sources in ("kg", "kg,wiki,web")
    ]
    most = row("calls", preset="default", sources="kg,wiki,web", **{"ended in": "all"})["calls min-max"].split("-")[1]
    return f"| {mean[0]:.1f} / {mean[1]:.1f}, at most {most} |"


def fused():
    def all_three(method):
        sets = ("flights", "birthplaces", "heritages")
        return " / ".join(str(row("fusion", set=name, method=method)["f1"]) for name in sets)

    return f"| {all_three('default')} | majority vote: {all_three('vote')} |"


def asked():
    seconds = [float(r["s"]) for r in rows("commands") if " ask " in r["command"]]
    return f"| {statistics.median(seconds):.1f} s |"


def question_sets():
    plain = row("question_sets", set="plain")
    yield f"| {plain['right']} right, {plain['partly']} partly, {plain['wrong']} wrong, {plain['silent']} silent |"
    for name in ("webqsp_test", "cwq"):
        one = row("question_sets", set=name)
        yield f"({one['n']}"
        yield f"| {one['Hits@1']} / {one['F1']} |"


def test_the_readme_has_the_figures_that_were_measured():
    readme = (ROOT / "README.md").read_text("utf-8")
    wanted = [unread(), *load_figures(), model_calls(), fused(), asked(), *question_sets()]
    assert [text for text in wanted if text not in readme] == []


@pytest.mark.parametrize("name", PAIRS)
def test_a_page_of_results_has_the_rows_of_its_file(name):
    document = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    lines = (RESULTS / f"{name}.md").read_text("utf-8").splitlines()
    table = {frozenset(cell.strip() for cell in line.strip("|").split("|")) for line in lines if line.startswith("|")}
    missing = [r for r in document["rows"] if frozenset(map(str, r.values())) | {""} not in {t | {""} for t in table}]
    assert missing == []


def test_the_page_on_fusion_has_the_tables_of_their_files():
    from bench.accuracy.fusion_results import saved

    page = (ROOT / "docs" / "results" / "fusion.md").read_text("utf-8")
    names = ("fusion_raw_values", "fusion_split", "conflicts", "contexts")
    assert [name for name in names if saved(name) not in page] == []


def test_the_page_that_compares_strategies_is_that_of_its_file():
    from bench.accuracy.strategy_results import PLACE, page

    assert PLACE.with_suffix(".md").read_text("utf-8") == page(
        json.loads(PLACE.with_suffix(".json").read_text("utf-8"))
    )
