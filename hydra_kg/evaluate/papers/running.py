"""Asking the questions that a paper's table needs: its strategies under its variants, on its sets.

Saved answers are not asked again.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hydra_kg.client import Hydra
from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.evaluate.fusion.claim_sets import SetFiles, files_of, read_queries, rows_of
from hydra_kg.evaluate.fusion.curves import Corruption, Mode, formats_together, rows_in, thin_rows
from hydra_kg.evaluate.papers.catalog import CORRUPTED, MIXED, PaperTable
from hydra_kg.evaluate.questions.datasets import Question, read_questions
from hydra_kg.evaluate.runs.run_records import Key, each_record
from hydra_kg.evaluate.runs.runner import Progress, RunPlan, Setup, run
from hydra_kg.evaluate.runs.spending import Spending
from hydra_kg.evaluate.runs.variants import BASE, Variant
from hydra_kg.evaluate.runs.workers import Ask
from hydra_kg.fusion.normalisation.claim_values import Row
from hydra_kg.settings import KINDS, Settings
from hydra_kg.strategies.registry import make_strategy, refuse_undefined

HEAD: Final = ("source", "entity", "attribute", "value")


def setups_of(table: PaperTable) -> list[tuple[Variant, tuple[str, ...]]]:
    """Return the variants of a table, each with the strategies that its rows ask under it."""
    found: dict[str, dict[str, None]] = {}
    for row in table.rows:
        if row.asked:
            found.setdefault(row.variant, {})[row.way] = None
    known = {BASE.name: BASE, **{name: Variant(name, own) for name, own in (table.variants or {}).items()}}
    return [(known[name], tuple(strategies)) for name, strategies in found.items()]


def questions_of(table: PaperTable, *, limit: int, seed: int) -> tuple[list[Question], list[str]]:
    """Return the questions of a table's sets, at most ``limit`` of each, and messages about missing sets."""
    questions: list[Question] = []
    missing = []
    for name in table.sets:
        try:
            questions += [replace(q, dataset=name) for q in read_questions(name, limit=limit, seed=seed)]
        except NotFoundError:
            missing.append(not_here(name))
    return questions, missing


def not_here(name: str) -> str:
    """Return the message about a missing set."""
    return f"{name} is not here (hydra-kg eval convert, docs/data.md)"


def able(strategies: Iterable[str], plan: RunPlan, *, web: bool) -> tuple[tuple[str, ...], list[str]]:
    """Return the strategies that can be asked, and what the others lack.

    They may lack a model, a search engine or a ranker.
    """
    found, missing = [], []
    for name in strategies:
        try:
            made = make_strategy(name)
            refuse_undefined([made], model=plan.agent == "llm", web=web)
            if getattr(made, "ranker", "") == "cross" and not plan.settings.cross_encoder:
                raise UsageError(f"{name} needs a cross-encoder, whose folder HYDRA_CROSS_ENCODER names.")
            found.append(name)
        except UsageError as e:
            missing.append(str(e.args[0]).rstrip("."))
    return tuple(found), missing


def ask(
    table: PaperTable,
    questions: Sequence[Question],
    plan: RunPlan,
    out: Path,
    *,
    sources: Iterable[str],
    web: bool,
    jobs: int = 1,
    isolate: bool = False,
    make: Callable[[Setup], Ask] | None = None,
    progress: Progress | None = None,
    spending: Spending | None = None,
) -> tuple[int, list[str]]:
    """Ask the questions in all ways that the rows need, and store the answers in ``out``, which tables share.

    Returns the number of questions that the budget leaves, and messages about impossible rows.

    - ``plan``: the agent, the settings and the store.
    - ``sources``: the loaded sources.
    - ``make``: makes the asker of a setup.
    """
    here, setups, missing = {*sources, *KINDS}, dict[tuple[str, str], Setup](), dict[str, None]()
    for variant, strategies in setups_of(table):
        without = str(dict(variant.overrides).get("retrieval.without", ""))
        if unknown := [name for name in without.split(",") if name and name not in here]:
            missing[f"{variant.name}: no source is called {', '.join(unknown)}"] = None
            continue
        names, lacking = able(strategies, plan, web=web)
        missing |= dict.fromkeys(lacking)
        for setup in replace(plan, strategies=names, variants=(variant,)).setups():
            setups.setdefault((setup.strategy, setup.settings.hash()), setup)
    done = run(
        questions,
        plan,
        out,
        jobs=jobs,
        isolate=isolate,
        make=make,
        setups=list(setups.values()),
        progress=progress,
        spending=spending,
    )
    return done.left, list(missing)


def records_of(
    table: PaperTable, folder: Path, ids: Collection[tuple[str, str]], *, must_exist: bool = False
) -> list[Mapping[str, Any]]:
    """Return the saved answers behind the rows of a table, by its strategies and variants, to these questions."""
    ways = {(row.way, row.variant) for row in table.rows if row.asked}
    return list(
        {
            key: r
            for key, r in each_record(folder, must_exist=must_exist)
            if (r["strategy"], r.get("variant") or "") in ways and (r["dataset"], r["question_id"]) in ids
        }.values()
    )


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
