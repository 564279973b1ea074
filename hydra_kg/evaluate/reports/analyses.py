"""The papers' analyses as tables, each made from raw outputs alone; ``ANALYSES`` names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from hydra_kg.citations import clue_class
from hydra_kg.evaluate.reports.summary import groups_of
from hydra_kg.evaluate.reports.tables import Table, mean, percent, quantile
from hydra_kg.evaluate.runs.outcomes import KINDS, evidence, gold_relations, outcome, overlap, phase
from hydra_kg.evaluate.scoring.metrics import score
from hydra_kg.evaluate.scoring.statistics import estimate

Record = Mapping[str, Any]


def _split(
    records: Iterable[Record], title: str, what: str, of: Callable[[Record], str], note: str, seed: int = 0
) -> Table:
    """Return the Hits@1 of the questions with each value of ``of``; "" leaves a question out."""
    rows = []
    for (dataset, strategy, variant), members in groups_of(records).items():
        parts: dict[str, list[float]] = {}
        for r in members:
            if value := of(r):
                parts.setdefault(value, []).append(score(r, r["gold"])["hits1"])
        for value, hits in sorted(parts.items()):
            e = estimate(hits, seed=seed)
            interval = f"{percent(e.low)} … {percent(e.high)}"
            rows.append((dataset, label(strategy, variant), value, str(e.n), percent(e.mean), interval))
    return Table(title, ("data set", "strategy", what, "n", "Hits@1", "95 %"), tuple(rows), note, left=3)


def label(strategy: str, variant: str) -> str:
    """Return the label of a way of asking: ``hydra``, or ``hydra, kg_share=0.5``."""
    return f"{strategy}, {variant}" if variant else strategy


def length(records: Iterable[Record]) -> Table:
    """Return Hits@1 by the number of relations in the gold query (HydraRAG Fig. 6, 7; PoG Fig. 5, 6)."""

    def of(r: Record) -> str:
        n = len(gold_relations(r))
        return "" if not n else str(n) if n < 8 else "8+"

    return _split(records, "Gold path length", "relations", of, "Relations in the gold query, repeated ones counted.")


def topics(records: Iterable[Record]) -> Table:
    """Return Hits@1 by the number of topic entities that the set names (HydraRAG Table 8, PoG Table 3)."""

    def of(r: Record) -> str:
        n = len(r.get("gold_topics") or ())
        return "" if not n else "single" if n == 1 else "multi"

    return _split(records, "Number of topics", "topics", of, "Topic entities that the set names.")


def _shares(
    records: Iterable[Record], title: str, what: str, of: Callable[[Record], str], note: str, *, right: bool
) -> Table:
    """Return how often each value of ``of`` occurs, among all questions or, with ``right``, among right answers."""
    rows = []
    for (dataset, strategy, variant), members in groups_of(records).items():
        chosen = [r for r in members if not right or score(r, r["gold"])["hits1"] == 1]
        found = Counter(value for r in chosen if (value := of(r)))
        n = sum(found.values())
        rows += [
            (dataset, label(strategy, variant), value, str(count), percent(count / n))
            for value, count in sorted(found.items(), key=lambda item: (-item[1], item[0]))
        ]
    return Table(title, ("data set", "strategy", what, "n", "share %"), tuple(rows), note, left=3)


def labels(records: Iterable[Record]) -> Table:
    """Return which kinds of source verified the right answers (HydraRAG Fig. 8)."""
    note = "Of right answers (Hits@1): kinds of source that state the paths; llm is the model's own knowledge."
    return _shares(records, "Evidence of right answers", "label", lambda r: r.get("label") or "none", note, right=True)


def evidence_classes(records: Iterable[Record]) -> Table:
    """Return where right answers come from, the graph or the model (PoG App. B.2, Fig. 8)."""
    note = (
        "Of right answers (Hits@1). KG only: on paths of the graph · LLM-inspired KG: on a path towards an answer that "
        "was predicted, by the model or, where there is none, by stored text · KG-inspired LLM: the model added what "
        "it knows · with text: sentences verified it, which PoG does not have."
    )
    return _shares(
        records, "Evidence classes of right answers", "class", lambda r: evidence(r) or "with text", note, right=True
    )


def clues(records: Iterable[Record]) -> Table:
    """Return what gave the clues of right answers: triples, documents, both or neither (ToG-2 Tables 4 and 6)."""
    note = (
        "Of right answers (Hits@1). direct: the model's own knowledge · triple: facts of a graph or table · doc: "
        "texts · both. By the kinds of source behind an answer; ToG-2 classed fifty answers by hand."
    )
    return _shares(
        records,
        "Clues of right answers",
        "class",
        lambda r: clue_class(r.get("label") or "") or "none",
        note,
        right=True,
    )


def phases(records: Iterable[Record]) -> Table:
    """Return from which exploration the answers come (PoG Fig. 4)."""
    note = "Of all questions: the exploration that the answer's paths come from; joint is all of them together."
    return _shares(records, "Answering phase", "phase", lambda r: phase(r) or "no answer", note, right=False)


def errors(records: Iterable[Record]) -> Table:
    """Return the kinds of error (HydraRAG App. B.4, PoG App. B.3)."""
    note = (
        "refusal: no answer · generation: a right path was selected, another answer taken from it · order: a right "
        "answer, not first · format: a reply of the model could not be used · other: another path · failed: no "
        "answer at all."
    )
    rows = []
    for (dataset, strategy, variant), members in groups_of(records).items():
        found = Counter(map(outcome, members))
        shares = (percent(found[k] / len(members)) for k in KINDS)
        rows.append((dataset, label(strategy, variant), str(len(members)), *shares))
    return Table("Error kinds (% of questions)", ("data set", "strategy", "n", *KINDS), tuple(rows), note)


def overlaps(records: Iterable[Record]) -> Table:
    """Return the ratio of gold relations on the paths of right answers (HydraRAG Fig. 9, PoG Fig. 7)."""
    rows = []
    for (dataset, strategy, variant), members in groups_of(records).items():
        right = (r for r in members if score(r, r["gold"])["hits1"] == 1)
        ratios = [x for r in right if (x := overlap(r)) is not None]
        if ratios:
            bins = (
                sum(x == 0 for x in ratios),
                sum(0 < x < 0.5 for x in ratios),
                sum(0.5 <= x < 1 for x in ratios),
                sum(x == 1 for x in ratios),
            )
            shares = (percent(b / len(ratios)) for b in bins)
            rows.append((dataset, label(strategy, variant), str(len(ratios)), percent(mean(ratios)), *shares))
    head = ("data set", "strategy", "n", "mean %", "0", "0 … ½", "½ … 1", "1")
    note = (
        "Ratio(P) = shared relations / relations of the gold query, of right answers; % of questions in each range. A "
        "relation and its declared reverse are one; the same relation of another source is another one."
    )
    return Table("Overlap with gold relations", head, tuple(rows), note)


def graph(records: Iterable[Record]) -> Table:
    """Return mean sizes of the search space after each step (HydraRAG Table 7, PoG Table 4).

    They come from the counts of the explorations.
    """
    sizes: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    for (dataset, strategy, variant), members in groups_of(records).items():
        for x in (x for r in members for x in r.get("explorations") or ()):
            counts = sizes.setdefault((dataset, label(strategy, variant), x["phase"]), {})
            for name, value in x["counts"].items():
                counts.setdefault(name, []).append(float(value))
    names = list(dict.fromkeys(name for counts in sizes.values() for name in counts))
    rows = [
        (*way, str(max(map(len, counts.values()), default=0)), *(_mean(counts.get(name, [])) for name in names))
        for way, counts in sizes.items()
    ]
    note = (
        "Means of explorations (n). nodes, edges: of G_q; relation_paths: all that were scored; pool: W_1; kept: W_2; "
        "written: paths from text; left_out: edges over the budget."
    )
    head = ("data set", "strategy", "phase", "n", *names)
    return Table("Search space after each step", head, tuple(rows), note, left=3)


def cost(records: Iterable[Record]) -> Table:
    """Return calls and tokens of the model, and time (HydraRAG Fig. 11, Table 9; PoG Fig. 10, Table 7)."""
    rows = []
    for (dataset, strategy, variant), members in groups_of(records).items():
        usage = [r["usage"] for r in members if r.get("usage")]
        calls = [float(u.get("calls") or 0) for u in usage]
        times = [float(r["seconds"]["total"]) for r in members if "total" in (r.get("seconds") or {})]
        shares = (percent(mean([float(c <= most) for c in calls])) for most in (3, 6, 9))
        tokens = (f"{mean([float(u.get(k) or 0) for u in usage]) or 0:,.0f}" for k in ("tokens_in", "tokens_out"))
        seconds = ("" if t is None else f"{t:.2f}" for t in (mean(times), quantile(times, 0.5), quantile(times, 0.95)))
        busy = mean([float(r["seconds"]["cpu"]) for r in members if "cpu" in (r.get("seconds") or {})])
        first = (dataset, label(strategy, variant), str(len(members)), f"{mean(calls) or 0:.1f}")
        rows.append((*first, *shares, *tokens, *seconds, "" if busy is None else f"{busy:.3f}"))
    head = (
        "data set",
        "strategy",
        "n",
        "calls",
        "≤ 3 %",
        "≤ 6 %",
        "≤ 9 %",
        "tokens in",
        "out",
        "s mean",
        "s p50",
        "s p95",
        "CPU s",
    )
    note = "Means a question; share of questions within so many calls; CPU s: of all threads of the process that asked."
    return Table("Calls, tokens, seconds", head, tuple(rows), note)


PRUNING: Final = ("select_paths", "select_pages", "prune")
"""Beginnings of the names of pruning steps of an agent. The papers' "token input" is that of these steps."""


def stages(records: Iterable[Record]) -> Table:
    """Return calls and tokens by the agent's step (HydraRAG Tables 3, 4, 6; PoG Tables 2, 5, 6).

    All steps of pruning are also counted together.
    """
    rows = []
    for (dataset, strategy, variant), members in groups_of(records).items():
        spent: dict[str, Counter[str]] = {}
        for usage in (r["usage"] for r in members if r.get("usage")):
            for step, own in (usage.get("steps") or {}).items():
                pruning = step.startswith(PRUNING)
                for name in dict.fromkeys((step, "all of pruning") if pruning else (step,)):
                    spent.setdefault(name, Counter()).update({k: int(own.get(k) or 0) for k in _SPENT})
        for step, total in sorted(spent.items(), key=lambda item: (-item[1]["tokens_in"], item[0])):
            means = (f"{total[k] / len(members):,.1f}" for k in _SPENT)
            rows.append((dataset, label(strategy, variant), step, str(len(members)), *means))
    head = ("data set", "strategy", "step", "n", "calls", "tokens in", "out")
    note = "Means a question. The papers' token input is that of pruning paths alone."
    return Table("Tokens by step", head, tuple(rows), note, left=3)


def step_seconds(records: Iterable[Record]) -> Table:
    """Return the seconds of every step of a question, including those of the model (ToG-2 Table 8)."""
    rows = []
    for (dataset, strategy, variant), members in groups_of(records).items():
        timed = [own for r in members if (own := _steps(r))]
        total: dict[str, float] = {}
        for name, taken in (step for own in timed for step in own.items()):
            total[name] = total.get(name, 0.0) + taken
        rows += [
            (dataset, label(strategy, variant), name, str(len(timed)), f"{taken / len(timed):.3f}")
            for name, taken in sorted(total.items(), key=lambda item: (-item[1], item[0]))
        ]
    head = ("data set", "strategy", "step", "n", "seconds")
    note = "Means a question, without the steps inside a step; hydra-kg strategies names them."
    return Table("Seconds by step", head, tuple(rows), note, left=3)


def _steps(record: Record) -> dict[str, float]:
    seconds = record.get("seconds") or {}
    return {name.removeprefix("step."): float(t) for name, t in seconds.items() if name.startswith("step.")}


_SPENT: Final = ("calls", "tokens_in", "tokens_out")


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):,.0f}" if values else ""


ANALYSES: Final[Mapping[str, Callable[[Iterable[Record]], Table]]] = {
    "length": length,
    "topics": topics,
    "labels": labels,
    "evidence": evidence_classes,
    "clues": clues,
    "overlap": overlaps,
    "phase": phases,
    "errors": errors,
    "graph": graph,
    "cost": cost,
    "stages": stages,
    "seconds": step_seconds,
}
