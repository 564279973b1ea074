"""Which questions a store can answer: hops from topic to answer, and the result of the gold query in the store."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import numpy as np

from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.scoring.metrics import score
from hydra_kg.ports import Snapshot
from hydra_kg.stores import open_store
from hydra_kg.util.fast_dataclass import dataclass

FILE: Final = "answerable.tsv"
"""Name of the table in a run's folder; reports use it if it is there."""

COLUMNS: Final = ("dataset", "id", "hops_core", "gold_sparql_f1_core", "note")
DEPTH: Final = 3


@dataclass(frozen=True, slots=True)
class Denominator:
    """What a store has for a question.

    - ``hops``: hops from the nearest topic to gold, None if unknown.
    - ``f1``: F1 of the gold query's result.
    - ``note``: why the query failed.
    """

    dataset: str
    id: str
    hops: int | None
    f1: float | None
    note: str = ""

    def row(self) -> str:
        """Return a line of the table, in the layout of the data pack."""
        f1 = "None" if self.f1 is None else f"{self.f1:.4g}"
        cells = (self.dataset, self.id, str(self.hops), f1, self.note)
        return "\t".join(" ".join(c.split()) for c in cells)


def denominators(
    questions: Sequence[Question],
    store: str,
    *,
    seconds: float = 10.0,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Denominator]:
    """Yield what the store has for each question.

    A query that takes more than ``seconds`` is ended and counts as not answerable.
    """
    queries = [q.query for q in questions if q.query]
    opened = open_store(store)
    runner = _Runner(store, queries) if queries else None
    try:
        with opened.snapshot() as snapshot:
            for n, q in enumerate(questions, 1):
                f1, note = None, ""
                if runner is not None and q.query:
                    found = runner.run(q.query, seconds)
                    f1, note = (0.0, found) if isinstance(found, str) else (_f1(found, q), "")
                yield Denominator(q.dataset, q.id, hops(snapshot, q), f1, note)
                if progress is not None:
                    progress(n, len(questions))
    finally:
        if runner is not None:
            runner.stop()
        opened.close()


def hops(snapshot: Snapshot, question: Question) -> int | None:
    """Return the hops from the nearest gold topic to the nearest gold answer, at most three, or None.

    A mediator costs no hop.
    """
    topics = [n for n in snapshot.lookup(list(question.topics)) if n is not None]
    wanted = gold_classes(snapshot, question.gold or ())
    if not topics or not len(wanted):
        return None
    graph = snapshot.cut(topics, depth=DEPTH)
    found = np.isin(graph.ids[graph.nodes], wanted)
    return int(graph.depth[found].min()) if found.any() else None


def gold_classes(snapshot: Snapshot, gold: Sequence[Mapping[str, Any]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the classes of the gold answers, int64.

    They are found by id, else by candidate ids, else they are all classes with the name.
    """
    ids = [[g["id"]] if g.get("id") else g.get("candidate_ids") or g.get("ids") or () for g in gold]
    keys = [k for own in ids for k in own]
    names = [str(g["name"]) for g, own in zip(gold, ids, strict=True) if not own and g.get("name")]
    classes = [n for n in snapshot.lookup(keys) if n is not None] if keys else []
    if names:
        classes += [hit.node for hits in snapshot.find(names) for hit in hits]
    return np.unique(np.array(classes, np.int64))


def write_denominators(rows: Sequence[Denominator], path: Path) -> None:
    """Write the table that ``--answerable`` reads."""
    lines = ["\t".join(COLUMNS), *(r.row() for r in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _f1(answers: Sequence[Mapping[str, Any]], question: Question) -> float:
    return score({"answers": answers}, question.gold)["f1"] if question.gold and answers else 0.0


class _Runner:
    """Subprocess that runs gold queries and is killed if one exceeds its time limit."""

    def __init__(self, store: str, queries: Sequence[str]) -> None:
        self._store, self._queries = store, queries
        self._process: Any = None
        self._start()

    def run(self, query: str, seconds: float) -> list[dict[str, Any]] | str:
        """Return the answers of a query, or the reason why there are none."""
        self._connection.send(query)
        if not self._connection.poll(seconds):
            self.stop()
            self._start()
            return f"took over {seconds:g} seconds"
        try:
            found: list[dict[str, Any]] | str = self._connection.recv()
        except (EOFError, OSError):
            self.stop()
            self._start()
            return "the query ended the process that ran it"
        return found

    def stop(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.join()
        self._connection.close()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._store, self._queries), daemon=True)
        self._process.start()
        theirs.close()
        message = self._connection.recv()
        if isinstance(message, Exception):
            raise message


def _serve(connection: Connection, store: str, queries: Sequence[str]) -> None:
    """Answer queries over one store in a process of its own."""
    from hydra_kg.evaluate.questions.gold_graph import GoldGraph

    try:
        graph = GoldGraph(store, queries)
    except Exception as e:
        connection.send(e)
        return
    connection.send(len(graph))
    with suppress(EOFError, ConnectionResetError, BrokenPipeError):
        while True:
            query = connection.recv()
            try:
                message: Any = graph.answers(query)
            except (ValueError, SyntaxError, OSError, RuntimeError) as e:
                message = " ".join(f"{type(e).__name__}: {e}".split())[:200]
            connection.send(message)
