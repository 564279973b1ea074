"""A table of a paper with our values next to the printed ones, and the reasons why they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from hydra_kg.evaluate.papers.catalog import PAPERS, PaperTable
from hydra_kg.evaluate.papers.measuring import Measured
from hydra_kg.evaluate.papers.running import set_of
from hydra_kg.evaluate.papers.table_metrics import accuracies, is_without_model
from hydra_kg.evaluate.reports.tables import Table, percent
from hydra_kg.evaluate.runs.variants import needs_model
from hydra_kg.evaluate.scoring.statistics import estimate

Record = Mapping[str, Any]


def compare_table(table: PaperTable, measured: Measured, records: Sequence[Record] = ()) -> Table:
    """Return the table with cells ``ours (printed)``; a missing value is left out."""
    rows = []
    for row in table.rows:
        idle = row.asked and needs_model((table.variants or {}).get(row.variant, {})) and not _uses_model(records)
        cells = (
            _cell("needs a model" if idle else measured.cells.get((row.label, name), ""), printed)
            for name, printed in zip(table.sets, row.figures, strict=True)
        )
        rows.append((row.label, *cells))
    notes = ["Ours, and in brackets what is printed."]
    notes += [*differences(table, records), *measured.missing]
    if table.reason:
        notes.append(f"Not all of it: {table.reason}.")
    if table.note:
        notes.append(f"{table.note[:1].upper()}{table.note[1:]}.")
    title = f"{PAPERS[table.paper]} {table.name}: {table.what}"
    return Table(title, ("", *table.sets), tuple(rows), " ".join(_sentence(n) for n in notes), left=1)


def backing_table(
    table: PaperTable, records: Sequence[Record], answerable: Collection[tuple[str, str]] | None = None
) -> Table:
    """Return the table of what is behind each cell.

    It has n, how many of these questions the store can answer, accuracy with its 95 % interval, and the share answered
    without the model. ``answerable`` has (set, question id) of what the store can answer, or is None if this is
    unknown.
    """
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for r in records:
        groups.setdefault((set_of(r["dataset"]), r["strategy"], r.get("variant") or ""), []).append(r)
    rows = []
    for (name, way, variant), own in sorted(groups.items()):
        found = estimate(accuracies(own))
        able = "-" if answerable is None else str(sum((name, r["question_id"]) in answerable for r in own))
        rows.append(
            (
                name,
                way,
                variant or "-",
                str(found.n),
                able,
                percent(found.mean),
                f"{percent(found.low)} to {percent(found.high)}",
                percent(sum(map(is_without_model, own)) / len(own)),
            )
        )
    head = ("set", "strategy", "variant", "n", "answerable", "accuracy", "95 % interval", "without the model")
    title = f"Questions behind {PAPERS[table.paper]} {table.name}"
    note = (
        "Percentages. Answerable: of n, what the store can answer (--answerable FILE). Without the model: answers that "
    )
    return Table(title, head, tuple(rows), f"{note}asked none, which compare the offline agent with itself.", left=3)


def differences(table: PaperTable, records: Sequence[Record]) -> Iterable[str]:
    """Yield how our measurement differs from the paper's: model, graph, sample, metric."""
    if table.kind == "claims":
        yield "F1 is strict (values one to one) where the paper's counts overlap of characters"
    if table.kind == "sizes":
        yield "Sizes are those of the files that are here"
    if not any(row.asked for row in table.rows):
        return
    if table.kind == "questions":
        yield "Accuracy is containment in either direction, of claims the truth value; tokens are those of pruning"
    if not records:
        yield "Nothing was asked yet"
        return
    models = sorted({str(r["manifest"].get("model") or "no model") for r in records if r.get("manifest")})
    if models:
        yield f"Model: {', '.join(models)} where the papers have GPT-3.5-Turbo unless a row says otherwise"
    loads = {str(load.get("name", load)) if isinstance(load, Mapping) else str(load) for load in _loads(records)}
    if loads:
        yield f"Graph: the store's loads ({', '.join(sorted(loads))}) where the papers have whole dumps"
    questions = {(set_of(r["dataset"]), r["question_id"]) for r in records}
    asked = Counter(name for name, _ in questions if name in table.sets)
    yield f"Questions: {', '.join(f'{d} {n:,}' for d, n in sorted(asked.items()))}, not the papers' samples"


def _uses_model(records: Iterable[Record]) -> bool:
    return any(not is_without_model(r) for r in records)


def _loads(records: Iterable[Record]) -> Iterable[Any]:
    for r in records:
        yield from (r.get("manifest") or {}).get("loads") or ()


def _cell(ours: str, printed: str) -> str:
    return " ".join(part for part in (ours, f"({printed})" if printed else "") if part)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
