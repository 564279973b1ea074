"""Fits hydra_kg/agents/confidence.tsv: how probable it is that the offline agent is right, from webqsp_train alone.

    python bench/training/fit_confidence.py STORE [--limit N] [--jobs 2] [--matrices FOLDER] [--answered .87]

STORE holds the four slices of the data pack. Each question whose gold query runs is asked twice of the graphs, as it is
and with all links to its answers hidden, and once of stored text alone, where a sentence counts that is to the point.
The matrix of ``fit_relevance.py`` has seen these questions, so each of three parts is asked with a matrix fitted on the
other two (kept in FOLDER, where one is given, and taken from there again). The label is whether what is concluded is
right (Hits@1); logistic regression, ridge on standardised features. Printed, over parts not fitted on: AUC,
calibration, and what is abstained from at thresholds at which some share of the questions as they are is answered.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hydra_kg.agents.offline import TEXT_RELEVANCE

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.accuracy.hydra import altered, scored, spread, without_answers
from bench.measure import answerable_questions, data
from bench.training.fit_relevance import teach
from hydra_kg import Hydra
from hydra_kg import reasoner as reasoning
from hydra_kg.agents import confidence_model
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, Floats, Judgement, SearchState
from hydra_kg.evaluate.questions.datasets import Question, read_questions
from hydra_kg.runtime import Judge, Tools
from hydra_kg.settings import Settings

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


class Watched(OfflineAgent):
    """For which whatever there is to judge is enough; ``seen``: what was found of each first path."""

    def __init__(self, seen: list[Mapping[str, float]]) -> None:
        super().__init__()
        self.seen = seen

    def judge(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = "", state: SearchState = UNSEARCHED
    ) -> Judgement:
        """Sufficient where something was found."""
        first = next(iter(evidence[:1]), None)
        if first is None or not first.answers:
            return Judgement(False, 0.0)
        if confidence_model.stated(first) or confidence_model.to_the_point(analysis, first, least=TEXT_RELEVANCE):
            self.seen.append(confidence_model.features(analysis, first, state))
            return Judgement(True, 1.0)
        return Judgement(False, 0.0)


class Watching(Tools):
    """Makes such agents."""

    seen: list[Mapping[str, float]]

    def judge(self) -> Judge:
        """With one list for all questions."""
        return Judge(Watched(self.seen))


def asked(store: str, learned: Sequence[Floats], questions: Sequence[tuple[int, Question]]) -> list[list[Row]]:
    """The rows of each question: of facts as it is and with its answers hidden, and of text alone."""
    out: dict[str, list[Row]] = {q.id: [] for _, q in questions}
    for part, matrix in enumerate(learned):
        reasoning.load_relevance_matrix = lambda _, m=matrix: m  # type: ignore[assignment]
        for kinds in ("kg", "wiki"):
            with Hydra(settings=Settings().changed(store=store, retrieval={"phases": 1, "kinds": kinds})) as hydra:
                tools = hydra.reasoner.tools = Watching(hydra.reasoner.settings)
                tools.seen = []
                for q in (q for p, q in questions if p == part):
                    plain = row(hydra, tools.seen, part, q)
                    if plain.found or kinds == "kg":
                        out[q.id].append(plain)
                    if kinds == "kg":
                        with altered(hydra, without_answers(hydra, q)):
                            out[q.id].append(row(hydra, tools.seen, part, q, hidden=True))
    return [out[q.id] for _, q in questions]


def row(hydra: Hydra, seen: list[Mapping[str, float]], part: int, q: Question, *, hidden: bool = False) -> Row:
    """What is found of the first path, and whether what is concluded from it is right."""
    seen.clear()
    answer = hydra.ask(q.text, keep=False)
    return Row(part, hidden, dict(seen[0]) if seen else {}, scored(answer, q)[0] > 0)


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
        questions = [(every[q.id] % PARTS, q) for q in answerable_questions("webqsp_train", options.limit)]
        work = partial(asked, str(options.store), matrices(options.store, options.matrices))
        rows = [r for two in spread(work, questions, options.jobs) for r in two]  # type: ignore[arg-type]
        if options.rows is not None:
            options.rows.write_text(json.dumps([[r.part, r.hidden, dict(r.found), r.right] for r in rows]), "utf-8")
    report(rows, options.answered, options.out)


def report(rows: Sequence[Row], answered: float, out: Path) -> None:
    """Cross-checked numbers on the screen, weights of all rows into the file."""
    judged = [r for r in rows if r.found]
    names = list(dict.fromkeys(n for r in judged for n in r.found))
    x = np.array([[r.found.get(n, np.nan) for n in names] for r in judged])
    means = np.nanmean(x, axis=0).round(4)
    x = np.where(np.isnan(x), 0.0, x - means)
    right, part = np.array([r.right for r in judged]), np.array([r.part for r in judged])
    held = np.zeros(len(judged))
    for k in range(PARTS):
        w = logistic(x[part != k], right[part != k].astype(float))
        held[part == k] = 1 / (1 + np.exp(-(w[0] + x[part == k] @ w[1:])))
    show(rows, dict(zip(map(id, judged), held.tolist(), strict=True)), answered)
    w = logistic(x, right.astype(float))
    lines = [
        "# feature, weight, mean: written by bench/training/fit_confidence.py from webqsp_train; "
        "read by confidence_model.py",
        f"bias\t{w[0]:.4f}\t0",
        *(f"{n}\t{v:.4f}\t{m:.4f}" for n, v, m in zip(names, w[1:], means, strict=True)),
    ]
    out.write_text("\n".join(lines) + "\n", "utf-8")
    sys.stdout.write(out.read_text("utf-8"))


def show(rows: Sequence[Row], held: Mapping[int, float], answered: float) -> None:
    """What confidence is worth on parts that it was not fitted on: by ``id`` of a row; others have nothing to say."""
    text = [r for r in rows if r.found and r.found["written"]]
    if text:
        said, right = np.mean([held[id(r)] for r in text]), np.mean([r.right for r in text])
        print(f"text alone: n {len(text)}, said {said:.2f}, right {right:.2f}")
    facts = [r for r in rows if not (r.found and r.found["written"])]
    said, right, gone = (
        np.array(c) for c in zip(*((held.get(id(r), 0.0), r.right, r.hidden) for r in facts), strict=True)
    )
    print(f"{len(facts)} asked; right as they are {right[~gone].mean():.3f}, hidden {right[gone].mean():.3f}")
    apart, sure = auc(said[~gone], said[gone]), auc(said[right], said[~right])
    print(f"held out: AUC as-is/hidden {apart:.3f}, right/wrong {sure:.3f}")
    for share in sorted({0.85, 0.87, 0.9, 0.92, 0.94, 0.96, answered}):
        threshold = float(np.quantile(said[~gone], 1 - share))
        kept = (right & (said >= threshold))[~gone].mean()
        away = (said[gone] < threshold).mean()
        print(f"threshold {threshold:.3f}: {share:.0%} answered, {kept:.3f} right; hidden {away:.1%} abstained")
    bins, error = np.minimum((said * 10).astype(int), 9), 0.0
    for low in range(10):
        inside = bins == low
        if inside.any():
            error += inside.mean() * abs(said[inside].mean() - right[inside].mean())
            print(f"  said {said[inside].mean():.2f}, right {right[inside].mean():.2f} (n {inside.sum()})")
    print(f"expected calibration error {error:.3f}")


if __name__ == "__main__":
    main()
