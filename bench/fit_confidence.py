"""Fits hydra_kg/agents/confidence.tsv: how probable it is that the offline agent is right, from webqsp_train alone.

    python bench/fit_confidence.py STORE [--limit N] [--jobs 2] [--matrices FOLDER] [--answered .87]

STORE holds the four slices of the data pack. Each question whose gold query runs is asked twice, as it is and with all
links to its answers hidden; the first judgement of facts counts, and that of the best sentence where it is to the
point. The matrix of ``fit_relevance.py`` has seen these questions, so each of three parts is asked with a matrix fitted
on the other two (kept in FOLDER, where one is given, and taken from there again). The label is whether the first answer
is right; logistic regression, ridge on standardised features. Printed: AUC over parts not fitted on, and the threshold
at which the wanted share of the questions as they are is answered.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from altered import Hidden
from bench_hydra import altered, questions_of, spread
from fit_relevance import teach
from measure import data

from hydra_kg import Hydra
from hydra_kg import reasoner as reasoning
from hydra_kg.agents import sureness
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.domain import Analysis, Evidence, Floats, Judgement, Node
from hydra_kg.evaluate.datasets import Question, read_questions
from hydra_kg.settings import Settings
from hydra_kg.tools import Judge, Tools

PARTS, RIDGE = 3, 1.0
Column = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """One asked question: its part, whether the answers were hidden, the features ({} where nothing was there to
    judge), and whether the first answer was right."""

    part: int
    hidden: bool
    found: Mapping[str, float]
    right: bool


def matrices(store: Path, folder: Path | None) -> list[Floats]:
    """The matrix of each part, fitted on the questions of the others."""
    if folder is not None and all((folder / f"fold{k}.npz").is_file() for k in range(PARTS)):
        return [np.asarray(np.load(folder / f"fold{k}.npz")["matrix"], np.float32) for k in range(PARTS)]
    taught = teach(store)
    every = read_questions(data() / "questions" / "dev" / "webqsp_train.jsonl")
    out = []
    for k in range(PARTS):
        out.append(taught.fitted(frozenset(q.id for q in every[k::PARTS])))
        if folder is not None:
            np.savez_compressed(folder / f"fold{k}.npz", matrix=out[-1].astype(np.float16))
    return out


def asked(store: str, learned: Sequence[Floats], questions: Sequence[tuple[int, Question]]) -> list[list[Row]]:
    """The rows of each question."""
    seen: list[tuple[Mapping[str, float], Node]] = []

    class Watched(OfflineAgent):
        """For which nothing is ever enough, so that text is read too."""

        def judge(self, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = "") -> Judgement:
            if evidence and evidence[0].answers:
                first = evidence[0]
                if sureness.stated(first) or sureness.to_the_point(analysis, first):
                    seen.append((sureness.features(analysis, evidence), first.answers[0]))
            return Judgement(False, 0.0)

    class Watching(Tools):
        def judge(self) -> Judge:
            return Judge(Watched())

    out: dict[str, list[Row]] = {}
    for part, matrix in enumerate(learned):
        reasoning.learned_relevance = lambda _, m=matrix: m  # type: ignore[assignment]
        with Hydra(settings=replace(Settings(), store=store, phases=2)) as hydra:
            hydra.reasoner.tools = Watching(hydra.reasoner.settings)
            for p, q in questions:
                if p == part:
                    out[q.id] = both(hydra, part, q, seen)
    return [out[q.id] for _, q in questions]


def both(hydra: Hydra, part: int, q: Question, seen: list[tuple[Mapping[str, float], Node]]) -> list[Row]:
    """The question as it is and with its answers hidden: the first judgement of facts, and that of text alone."""
    keys = [str(i) for g in q.gold for i in (g.get("ids") or [g.get("id")]) if i]
    with hydra.store.snapshot() as snapshot:
        nodes = {n for n in snapshot.lookup(keys) if n is not None}
    texts = {str(g.get("name") or g.get("value")) for g in q.gold}
    literals = {f'"{t}"' for t in texts} | {f'"{t}"^^xsd:{k}' for t in texts for k in ("date", "gYear")}
    rows = []
    for hide in (False, True):
        seen.clear()
        if hide:
            with altered(hydra, lambda s: Hidden(s, nodes, literals)):
                hydra.ask(q.text, keep=False)
        else:
            hydra.ask(q.text, keep=False)
        facts = next((s for s in seen if not s[0]["written"]), None)
        rows.append(_row(part, hide, facts, nodes, texts))
        text = next((s for s in seen if s[0]["written"]), None)
        if text is not None:
            rows.append(_row(part, hide, text, nodes, texts))
    return rows


def _row(
    part: int, hide: bool, judged: tuple[Mapping[str, float], Node] | None, nodes: set[int], texts: set[str]
) -> Row:
    if judged is None:
        return Row(part, hide, {}, False)
    found, answer = judged
    return Row(part, hide, found, answer.id in nodes or answer.name in texts)


def logistic(x: Column, y: Column, *, ridge: float = RIDGE) -> Column:
    """Bias and weights, float64 (1 + k,), by Newton's method; ``x`` float64 (n, k), ``y`` 0 or 1 (n,)."""
    mean, spread_ = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = np.column_stack([np.ones(len(x)), (x - mean) / spread_])
    w = np.zeros(z.shape[1])
    price = ridge * np.r_[0.0, np.ones(x.shape[1])]
    for _ in range(50):
        p = 1 / (1 + np.exp(-z @ w))
        step = np.linalg.solve((z * (p * (1 - p))[:, None]).T @ z + np.diag(price + 1e-9), z.T @ (p - y) + price * w)
        w -= step
        if np.abs(step).max() < 1e-9:
            break
    weights = w[1:] / spread_
    return np.asarray(np.r_[w[0] - weights @ mean, weights])


def auc(above: Column, below: Column) -> float:
    """Share of pairs in the right order."""
    return float((above[:, None] > below).mean() + 0.5 * (above[:, None] == below).mean())


def report_text(held: Column, right: Column, hidden: Column) -> None:
    """How often the best sentence is right where it is to the point."""
    for hide in (False, True):
        mine = hidden == hide
        if mine.any():
            words = "hidden" if hide else "as it is"
            print(f"text alone, {words}: n {mine.sum()}, said {held[mine].mean():.2f}, right {right[mine].mean():.2f}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, fit, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--matrices", type=Path)
    parser.add_argument("--rows", type=Path, help="asked questions as JSON: written, or read where it is there")
    parser.add_argument("--answered", type=float, default=0.87)
    parser.add_argument("--out", type=Path, default=Path("hydra_kg/agents/confidence.tsv"))
    options = parser.parse_args(arguments)
    if options.rows is not None and options.rows.is_file():
        rows = [Row(*r) for r in json.loads(options.rows.read_text("utf-8"))]
    else:
        every = {q.id: i for i, q in enumerate(read_questions(data() / "questions" / "dev" / "webqsp_train.jsonl"))}
        questions = [(every[q.id] % PARTS, q) for q in questions_of("webqsp_train", options.limit)]
        work = partial(asked, str(options.store), matrices(options.store, options.matrices))
        rows = [r for two in spread(work, questions, options.jobs) for r in two]  # type: ignore[arg-type]
        if options.rows is not None:
            options.rows.write_text(json.dumps([[r.part, r.hidden, dict(r.found), r.right] for r in rows]), "utf-8")
    report(rows, options.answered, options.out)


def report(rows: Sequence[Row], answered: float, out: Path) -> None:
    """Cross-checked numbers on the screen, weights of all rows into the file."""
    judged = [r for r in rows if r.found]
    names = list(judged[0].found)
    x = np.array([[r.found[n] for n in names] for r in judged])
    y, part, hidden = (np.array([getattr(r, k) for r in judged]) for k in ("right", "part", "hidden"))
    held, right = np.zeros(len(judged)), y
    for k in range(PARTS):
        w = logistic(x[part != k], y[part != k].astype(float))
        held[part == k] = 1 / (1 + np.exp(-(w[0] + x[part == k] @ w[1:])))
    text = np.array([bool(r.found["written"]) for r in judged])
    rows = [r for r in rows if not (r.found and r.found["written"])]
    report_text(held[text], y[text], hidden[text])
    held, y, hidden = held[~text], y[~text], hidden[~text]
    plain = sum(not r.hidden for r in rows)
    lost = plain - int((~hidden).sum())
    ordered = np.sort(held[~hidden])
    threshold = float(ordered[max(0, round((1 - answered) * plain) - lost)])
    gone = sum(r.hidden for r in rows)
    abstained = (int((held[hidden] < threshold).sum()) + gone - int(hidden.sum())) / gone
    kept = (y & (held >= threshold))[~hidden].sum() / plain
    print(f"{len(rows)} asked, {len(judged)} judged; right as they are {y[~hidden].mean():.3f}, {y[hidden].mean():.3f}")
    print(
        f"held out: AUC as-is/hidden {auc(held[~hidden], held[hidden]):.3f}, right/wrong {auc(held[y], held[~y]):.3f}"
    )
    print(f"threshold {threshold:.3f}: {answered:.0%} answered as they are, {abstained:.1%} abstained when hidden")
    print(f"right of all as they are: {kept:.3f} answered, {y[~hidden].sum() / plain:.3f} without abstaining")
    for low in np.arange(0, 1, 0.2):
        inside = (held >= low) & (held < low + 0.2)
        if inside.any():
            print(f"  said {held[inside].mean():.2f}, right {y[inside].mean():.2f} (n {inside.sum()})")
    w = logistic(x, right.astype(float))
    lines = ["# written by bench/fit_confidence.py from webqsp_train; read by sureness.py", f"bias\t{w[0]:.4f}"]
    out.write_text("\n".join([*lines, *(f"{n}\t{v:.4f}" for n, v in zip(names, w[1:], strict=True))]) + "\n", "utf-8")
    sys.stdout.write(out.read_text("utf-8"))


if __name__ == "__main__":
    main()
