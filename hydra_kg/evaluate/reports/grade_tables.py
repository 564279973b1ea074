"""Tables of grades (right, partly, wrong and silent) and of selective answering."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from hydra_kg.citations import SURE
from hydra_kg.evaluate.reports.analyses import label
from hydra_kg.evaluate.reports.summary import groups_of
from hydra_kg.evaluate.reports.tables import Table, percent
from hydra_kg.evaluate.scoring.grades import GRADES, expects_silence, grade
from hydra_kg.evaluate.scoring.selective import BINS, WRONG_ALLOWED

Record = Mapping[str, Any]

_SHOWN: Final = 5
"""Largest number of gold answers, and of given answers, that a row of wrong answers names."""

TITLES: Final = {
    "right": "right %",
    "wrong": "wrong %",
    "silent": "silent %",
    "right_at_wrong": f"right % at {100 * WRONG_ALLOWED:.0f} % wrong",
    "auroc": "AUROC",
    "ece": "ECE",
    "sure": "sure",
    "sure_right": "sure answers right %",
    "right_sure": "right answers sure %",
    "sure_wrong": "wrong and sure %",
}
PLAIN: Final = ("auroc", "ece")
"""Figures that are not percentages."""

COVERAGES: Final = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


def grade_tables(summary: Mapping[str, Any]) -> list[Table]:
    """Return all tables of grades of a summary, including those without rows."""
    return [grades(summary), kinds(summary), precision(summary), reliability(summary)]


def grades(summary: Mapping[str, Any]) -> Table:
    """Return the counts of right, partly, wrong and silent.

    If both occur, questions that expect an answer and those that expect silence are also counted separately.
    """
    rows = []
    for way, r in _whole(summary):
        counts = r["grades"]
        rows.append((*way, "any", *_cells(counts["all"])))
        if len(counts["expected"]) > 1:
            rows += [(*way, what, *_cells(part)) for what, part in counts["expected"].items()]
    note = (
        "Answers, not questions, where each is asked several times. right: all gold answers and nothing else. partly: "
        "in the plain layout only gold answers, not all of a list; in other sets a gold answer first. wrong: any other "
        "answer. silent: none was given, though one is known. Where none is known, silence is right."
    )
    return Table("Grades", ("data set", "strategy", "expected", *_HEAD), tuple(rows), note, left=3)


def kinds(summary: Mapping[str, Any]) -> Table:
    """Return the counts by kind of question, for sets that name kinds."""
    rows = [
        (*way, kind, *_cells(counts)) for way, r in _whole(summary) for kind, counts in r["grades"]["kinds"].items()
    ]
    return Table("Grades by kind of question", ("data set", "strategy", "kind", *_HEAD), tuple(rows), left=3)


def precision(summary: Mapping[str, Any]) -> Table:
    """Return the share of given answers that are right or partly right, by verdict and by confidence."""
    rows = []
    for way, r in _whole(summary):
        g = r["grades"]
        parts = {**g["verdicts"], **g["confidence"], "all": g["given"]}
        for name, c in parts.items():
            if c["n"]:
                numbers = (str(c[k]) for k in ("n", *GRADES[:3]))
                rows.append((*way, name, *numbers, percent(c["precision"]), str(c["wrong_sure"])))
    head = ("data set", "strategy", "given with", "n", *GRADES[:3], "precision %", "wrong and sure")
    note = (
        f"Of answers that were given. Precision: (right + partly) / given. sure: confidence of at least {SURE}, fairly "
        "sure: at least 0.5, as ask prints them."
    )
    return Table("Precision by verdict and confidence", head, tuple(rows), note, left=3)


def reliability(summary: Mapping[str, Any]) -> Table:
    """Return confidence against the share that is right or partly right, by bin, and the error over all bins."""
    rows = []
    for way, r in _whole(summary):
        c = r["calibration"]
        for sure, right, n, low in c["bins"]:
            bounds = f"{low:.1f} … {low + 1 / BINS:.1f}"
            rows.append((*way, bounds, str(n), percent(sure), percent(right), f"{100 * (right - sure):+.1f}", ""))
        if c["bins"]:
            rows.append((*way, "all", str(c["n"]), "", "", "", f"{c['ece']:.3f}"))
    head = ("data set", "strategy", "confidence", "n", "mean confidence %", "right or partly %", "difference", "ECE")
    note = (
        "Of answers that were given. ECE: expected calibration error, the mean distance between confidence and share "
        "right over the bins, weighted by their answers; 0 is best."
    )
    return Table("Reliability of confidence", head, tuple(rows), note, left=3)


def wrong(records: Iterable[Record]) -> Table:
    """Return every wrong answer next to its gold, the most confident first."""
    rows = []
    for (dataset, strategy, variant), members in groups_of(records).items():
        for r in sorted((m for m in members if grade(m) == "wrong"), key=lambda m: -float(m.get("confidence") or 0)):
            kind = (r.get("expected") or {}).get("kind") or ""
            answered = _names(r.get("answers") or ()) or str(r.get("claim") or "")
            gold = "silence" if expects_silence(r) else _names(r["gold"])
            certainty = (str(r.get("verdict") or ""), f"{float(r.get('confidence') or 0):.2f}")
            way = (dataset, label(strategy, variant), str(r["question_id"]), kind)
            rows.append((*way, str(r.get("question") or ""), gold, answered, *certainty))
    head = ("data set", "strategy", "id", "kind", "question", "gold", "answer", "verdict", "confidence")
    return Table("Wrong answers, the most confident first", head, tuple(rows), left=8)


_HEAD: Final = ("n", *GRADES, "right %", "wrong %")


def _cells(counts: Mapping[str, int]) -> tuple[str, ...]:
    shares = (percent(counts[g] / counts["n"]) for g in ("right", "wrong"))
    return (*(str(counts[k]) for k in ("n", *GRADES)), *shares)


def _whole(summary: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Mapping[str, Any]]]:
    """Yield data set and way of asking of each row that counts all questions, with the row."""
    for r in summary["rows"]:
        if r["part"] == "all":
            yield (r["dataset"], label(r["strategy"], r["variant"])), r


def _names(answers: Iterable[Mapping[str, Any]]) -> str:
    names = [str(a.get("name") or a.get("id") or "") for a in answers]
    return "; ".join(names[:_SHOWN]) + (f"; … {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def selective(summary: Mapping[str, Any]) -> Table:
    """Return the figures of selective answering over all questions, one row for each data set and strategy."""
    names = [name for name in TITLES if name != "sure_wrong"]
    rows = []
    for r in summary["rows"]:
        if r["part"] == "all":
            figures = r["selective"]
            cells = (str(figures[name]) if name == "sure" else _cell(name, figures[name]) for name in names)
            rows.append((r["dataset"], label(r["strategy"], r["variant"]), str(figures["n"]), *cells))
    note = (
        "right (partly right too), wrong, silent: of all questions. Silence is no answer here, also where it is the "
        f"right reaction. right at {100 * WRONG_ALLOWED:.0f} % wrong: share right if only answers above the best "
        "confidence threshold were given that keeps wrong answers within that share of all questions. AUROC: "
        "probability that a right answer has more confidence than a wrong one; 0.5 is chance. sure: confidence of at "
        f"least {SURE}, as ask prints it."
    )
    return Table("Selective answering", ("data set", "strategy", "n", *(TITLES[n] for n in names)), tuple(rows), note)


def risks(summary: Mapping[str, Any]) -> Table:
    """Return the risk (share wrong) among the most confident answers, for several shares of answered questions."""
    rows = []
    for r in summary["rows"]:
        if r["part"] == "all" and (curve := risk_curve(r)):
            cells = (percent(next((risk for c, risk in curve if c >= at - 1e-4), None)) for at in COVERAGES)
            rows.append((r["dataset"], label(r["strategy"], r["variant"]), *cells, percent(curve[-1][0])))
    head = ("data set", "strategy", *(f"{100 * at:.0f} % answered" for at in COVERAGES), "answered %")
    note = (
        "Percent wrong if only the most confident answers were given, to that share of all questions; empty where "
        "fewer were answered. Answers of equal confidence are taken together."
    )
    return Table("Risk and coverage", head, tuple(rows), note)


def risk_curve(row: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Return (coverage of all questions, risk) of a summary's row, the most confident answers first."""
    fit, n = row["calibration"], row["grades"]["all"]["n"]
    return [(coverage * fit["n"] / n, risk) for coverage, risk in fit["curve"]]


def selective_comparison(row: Mapping[str, Any], names: tuple[str, str] = ("A", "B")) -> Table:
    """Return the differences of two runs in the figures of selective answering, from a row of ``compare``."""
    rows = []
    for name, d in row["selective"].items():
        change = _cell(name, d["difference"], sign="+")
        between = "" if d["low"] is None else " … ".join(_cell(name, d[end], sign="+") for end in ("low", "high"))
        p = "" if d["p"] is None else f"{d['p']:.4f}"
        rows.append((TITLES[name], _cell(name, d["a"]), _cell(name, d["b"]), change, between, p))
    note = (
        "p: McNemar's exact test for right, wrong, and wrong and sure; a paired bootstrap over questions for the "
        "others. Silence is no answer here. Empty where a figure is not defined."
    )
    title = f"Selective answering on {row['dataset']}"
    return Table(title, ("figure", *names, "B − A", "95 %", "p"), tuple(rows), note, left=1)


def _cell(name: str, value: float | None, *, sign: str = "") -> str:
    if value is None:
        return ""
    return f"{value:{sign}.3f}" if name in PLAIN else f"{100 * value:{sign}.1f}"
