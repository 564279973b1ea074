"""Asking rivals the queries of sets of claims, each over a store with only the claims that a row names."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hydra_kg.client import Hydra
from hydra_kg.errors import NotFoundError
from hydra_kg.evaluate.fusion.claim_sets import SetFiles, files_of, read_queries, rows_of
from hydra_kg.evaluate.fusion.corruption import Corruption, Mode
from hydra_kg.evaluate.fusion.curves import formats_together, rows_in, thin_rows
from hydra_kg.evaluate.papers.catalog import CORRUPTED, MIXED, PaperTable
from hydra_kg.evaluate.papers.running import able, ask, not_here, setups_of
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.runs.run_records import Key, each_record
from hydra_kg.evaluate.runs.runner import Progress, RunPlan, Setup
from hydra_kg.evaluate.runs.spending import Spending
from hydra_kg.evaluate.runs.workers import Ask
from hydra_kg.fusion.normalisation.claim_values import Row
from hydra_kg.settings import Settings

HEAD: Final = ("source", "entity", "attribute", "value")


def claims_as(files: SetFiles, which: str, *, part: float = 1.0) -> Iterable[Row] | None:
    """Return the rows for a label (``@ JSON + KG``, ``% mask any source 0.7``, ""), or None.

    ``part`` is explained in :func:`hydra_kg.evaluate.fusion.curves.curve`.
    """
    sign, _, what = which.partition(" ")
    if sign == MIXED.strip():
        chosen = tuple(what.split(" + "))
        return rows_in(files, chosen) if chosen in formats_together(files) else None
    if sign == CORRUPTED.strip():
        mode, share = what.split()[0], float(what.split()[-1])
        return Corruption(Mode(mode), share, dated=files.wide)(thin_rows(files, part))
    return rows_of(files.claims, files.rules.left_out, [])


@contextmanager
def store_of(rows: Iterable[Row], name: str, settings: Settings, folder: Path) -> Iterator[str]:
    """Make a temporary store in ``folder`` with these claims as the load ``name``, and yield its address.

    The claims are also loaded as pages, for rivals that read text. Left-out sources are not in the store.
    """
    with TemporaryDirectory(dir=folder, prefix=".claims") as made:
        claims, pages, store = Path(made, f"{name}.tsv"), Path(made, "pages.jsonl"), str(Path(made, "store"))
        sentences: dict[str, list[str]] = {}
        with claims.open("w", encoding="utf-8") as out:
            out.write("\t".join(HEAD) + "\n")
            for entity, attribute, source, value in rows:
                what = attribute or "value"
                out.write(f"{source}\t{entity}\t{what}\t{value}\n")
                said = f"{source}: the {what.replace('_', ' ')} of {entity} is {value}."
                sentences.setdefault(entity, []).append(said)
        with pages.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps({"title": e, "text": " ".join(own)}) + "\n" for e, own in sentences.items())
        with Hydra(store=store, settings=settings.changed(store=store)) as hydra:
            hydra.load(claims, source=name)
            hydra.load(pages, source=f"{name}-pages")
        claims.unlink()
        pages.unlink()
        yield store


def queries_in_words(files: SetFiles, name: str, *, limit: int, seed: int) -> list[Question]:
    """Return the queries of a set of claims as questions of the set ``name``, at most ``limit`` of them."""
    queries = read_queries(files.queries)
    chosen = sorted(random.Random(seed).sample(range(len(queries)), limit)) if 0 < limit < len(queries) else None
    return [
        Question(
            name,
            q.id,
            f"What is the {(q.attribute or 'value').replace('_', ' ')} of {q.entity}?",
            (),
            tuple({"id": "", "name": value} for value in q.gold),
        )
        for q in (queries if chosen is None else [queries[i] for i in chosen])
    ]


def set_called(name: str, which: str, part: float = 1.0) -> str:
    """Return the name, in records, of a set with the claims that a row names; ``part`` as in :func:`claims_as`."""
    thinned = f", part {part:g}" if part < 1 and which.startswith(CORRUPTED.strip()) else ""
    return f"{name} {which}{thinned}".strip()


def set_of(called: str) -> str:
    """Return the set to which the claims of a name in records belong."""
    return called.partition(" ")[0]


def ask_claims(
    table: PaperTable,
    plan: RunPlan,
    out: Path,
    *,
    limit: int,
    seed: int,
    part: float = 1.0,
    saved: bool = False,
    jobs: int = 1,
    isolate: bool = False,
    make: Callable[[str], Callable[[Setup], Ask]] | None = None,
    progress: Progress | None = None,
    spending: Spending | None = None,
) -> tuple[list[Question], int, list[str]]:
    """Ask unanswered questions; return all questions and the result of :func:`ask`.

    With ``saved`` nothing is asked. ``make`` is explained there.
    """
    out.mkdir(parents=True, exist_ok=True)
    questions, left, missing = list[Question](), 0, dict[str, None]()
    claims = dict.fromkeys(row.claims for row in table.rows if row.asked)
    for name, which in product(table.sets, claims):
        own = replace(table, rows=tuple(row for row in table.rows if row.asked and row.claims == which))
        try:
            files = files_of(name)
        except NotFoundError:
            missing[not_here(name)] = None
            continue
        words = queries_in_words(files, set_called(name, which, part), limit=limit, seed=seed)
        questions += words
        if saved:
            continue
        names, lacking = able([s for _, strategies in setups_of(own) for s in strategies], plan, web=False)
        missing |= dict.fromkeys(lacking)
        waiting = _waiting(names, words, plan, out)
        if left:  # the budget is spent
            left += waiting
        elif waiting and (rows := claims_as(files, which, part=part)) is not None:
            with store_of(rows, name, plan.settings, out) as store:
                left, _ = ask(
                    own,
                    words,
                    replace(plan, store=store),
                    out,
                    sources=[name],
                    web=False,
                    jobs=jobs,
                    isolate=isolate,
                    make=make(store) if make else None,
                    progress=progress,
                    spending=spending,
                )
    return questions, left, list(missing)


def _waiting(strategies: Sequence[str], questions: Sequence[Question], plan: RunPlan, out: Path) -> int:
    """Return the number of answers of the strategies to these questions that are still missing."""
    done = {key for key, record in each_record(out, must_exist=False) if not record.get("error")}
    return sum(
        Key(*q.key, name, plan.settings_of(name).hash(), 0) not in done for name in strategies for q in questions
    )
