"""Questions about one table each, read as far as the product reads them before it decides: the input of the fit.

Every table is loaded as a user would load it, and every question is asked until the answer of the table query and the
sheet are known. Both are stored per table, so that a second fit need not load and ask again.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.accuracy.answer_outcome import outcome
from bench.measure import data
from hydra_kg import Hydra
from hydra_kg.errors import HydraError
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.questions import own_data
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.executed_plan import Executed
from hydra_kg.steps.sheets import sheet_answers
from hydra_kg.steps.sheets.reading_decision import QueryAnswer
from hydra_kg.steps.sheets.sheet import Sheet
from hydra_kg.steps.sheets.sheet_answers import SheetReading

TABLES = {"tatqa_tables": 360, "wikitablequestions_train": 721}
"""Sets, and how many of their tables are read, in the order of their first question."""


@dataclass(frozen=True, slots=True)
class SheetCase:
    """One question with its gold answers, the text that is read, and the answer of the table query."""

    question: Mapping[str, Any]
    text: str
    query: QueryAnswer | None


@dataclass(frozen=True, slots=True)
class SheetCases:
    """The questions about one table."""

    set: str
    table: str
    sheet: Sheet
    cases: Sequence[SheetCase]


class _ReadError(HydraError):
    """Raised to end a question once it has been read."""


def read_cases(work: Path, *, limit: int = 0) -> Iterator[SheetCases]:
    """Yield the questions of the tables that the product reads as one sheet; of at most so many tables of each set."""
    for name, most in TABLES.items():
        folder = data() / "train" / name
        by_table: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for line in (folder / "questions.train.jsonl").read_text(encoding="utf-8").splitlines():
            question = json.loads(line)
            by_table[question["table"]].append(question)
        for table, mine in list(by_table.items())[: limit or most]:
            stored = work / name / f"{table}.pickle"
            if not stored.is_file():
                stored.parent.mkdir(parents=True, exist_ok=True)
                found = _ask_all(folder / "data" / table, work / name / table.replace(".", "-"), mine)
                stored.write_bytes(pickle.dumps(found))
            sheet, cases = pickle.loads(stored.read_bytes())
            if sheet is not None and cases:
                yield SheetCases(name, table, sheet, cases)


def _ask_all(file: Path, store: Path, questions: Sequence[Mapping[str, Any]]) -> tuple[Sheet | None, list[SheetCase]]:
    sheets: list[Sheet] = []
    said: list[tuple[str, QueryAnswer | None]] = []

    def read(graph: OwnGraph, context: Context) -> SheetReading | None:
        sheet = sheet_answers.graph_sheet(graph, context)
        sheets.extend([sheet.sheet] if sheet is not None else [])
        return SheetReading(sheet, None) if sheet is not None else None  # type: ignore[arg-type]

    def stop(context: Context, done: Executed | None, reading: SheetReading, **how: Any) -> None:
        said.append((context.question, sheet_answers.query_answer(done, **how)))
        raise _ReadError("The question was read.")

    cases = []
    try:
        with Hydra(store=store, agent="offline") as hydra:
            if not (store / "loaded").is_file():
                hydra.load(file)
                (store / "loaded").touch()
            with patch.object(own_data, "read_sheet", read), patch.object(own_data, "weigh_sheet", stop):
                for question in questions:
                    said.clear()
                    try:
                        hydra.ask(question["question"], keep=False)
                    except _ReadError:
                        cases.append(SheetCase(question, *said[0]))
    except HydraError as error:
        print(f"not loaded: {file.name}: {error}", file=sys.stderr)
    return (sheets[0] if sheets else None), cases


def is_right(answers: Sequence[str], gold: Sequence[Mapping[str, Any]]) -> bool:
    """Return True if answers are the gold answers, of a list most of them and few others."""
    document = {"answers": [{"name": name} for name in answers]}
    size = len(answers) == 1 if len(gold) == 1 else 0.7 * len(gold) <= len(answers) <= 1.4 * len(gold)
    return size and outcome(document, gold) == "right"
