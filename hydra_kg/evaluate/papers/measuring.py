"""Our values for the cells of a paper's table: from saved answers, from fused claims, from sizes of sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from hydra_kg.errors import HydraError, NotFoundError
from hydra_kg.evaluate.fusion.claim_sets import describe_formats as described_claims
from hydra_kg.evaluate.fusion.claim_sets import files_of, read_files
from hydra_kg.evaluate.fusion.curves import SHARES, Mode, curve, formats_together, mixes, rows_in
from hydra_kg.evaluate.fusion.method_runs import PreparedSet, find_query_groups, judge_set, prepare_set
from hydra_kg.evaluate.fusion.score import score_query, summary, usable
from hydra_kg.evaluate.fusion.stages import ModelAuthority, Score, ablations, score_authority_by_model, swept
from hydra_kg.evaluate.papers.catalog import BY_MODEL, PaperTable
from hydra_kg.evaluate.papers.running import set_called
from hydra_kg.evaluate.papers.table_metrics import figure
from hydra_kg.evaluate.questions.datasets import describe_set, read_questions
from hydra_kg.evaluate.reports.tables import percent
from hydra_kg.fusion.truth_discovery.mcc import Mcc
from hydra_kg.fusion.truth_discovery.methods import method
from hydra_kg.util.fast_dataclass import dataclass, replace

Record = Mapping[str, Any]
Cells = Mapping[tuple[str, str], str]
"""Our values, as text, by (label of the row, set)."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Our values in ``cells``, and in ``missing`` what could not be measured, with the reason, each once."""

    cells: Cells
    missing: tuple[str, ...] = ()


def measure_answers(table: PaperTable, records: Iterable[Record]) -> Measured:
    """Return every cell that saved answers give; other cells are left out."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for r in records:
        groups.setdefault((r["dataset"], r["strategy"], r.get("variant") or ""), []).append(r)
    cells = {
        (row.label, name): value
        for row in table.rows
        if row.asked
        for name in table.sets
        if (own := groups.get((name, row.way, row.variant)))
        and (value := figure(row.metric, own, partial(_other, groups, name)))
    }
    return Measured(cells)


def _other(groups: Mapping[tuple[str, str, str], Sequence[Record]], name: str, way: str) -> Sequence[Record]:
    return groups.get((name, way, ""), ())


def measure_claims(
    table: PaperTable, records: Iterable[Record] = (), *, part: float = 1.0, scorer: Score | None = None
) -> Measured:
    """Return every cell that fused claims give; rows that ask a strategy use ``records``.

    ``part`` is that of curves. ``scorer`` scores authority by a model.
    """
    answers: dict[tuple[str, str], list[Record]] = {}
    for r in records:
        answers.setdefault((r["dataset"], r["strategy"]), []).append(r)
    cells: dict[tuple[str, str], str] = {}
    missing: dict[str, None] = {}
    for name in table.sets:
        try:
            found = _Fused(prepare_set(name), part, scorer)
        except HydraError as e:
            missing[f"{name}: {e.args[0]}"] = None
            continue
        for row in (r for r in table.rows if r.runs):
            own = answers.get((set_called(name, row.claims, part), row.way), ())
            value = found.of_answers(own) if row.asked else found.f1(row.label)
            if value is not None:
                cells[row.label, name] = percent(value)
        missing |= dict.fromkeys(found.notes())
    if scorer is None and any(row.label.endswith(BY_MODEL) for row in table.rows):
        missing["authority by the model needs one: HYDRA_MODEL_NAME, or model.name in your own hydra.toml"] = None
    return Measured(cells, tuple(missing))


def measure_sizes(table: PaperTable) -> Measured:
    """Return the number of questions, or of sources and queries, of the sets that are here."""
    cells: dict[tuple[str, str], str] = {}
    missing: dict[str, None] = {}
    for name in table.sets:
        try:
            sizes = _sizes(name)
        except NotFoundError as e:
            missing[f"{name}: {e.args[0]}"] = None
            continue
        cells |= {(row.label, name): f"{sizes[row.label]:,}" for row in table.rows if row.label in sizes}
    return Measured(cells, tuple(missing))


class _Fused:
    """Strict F1 of one set by the label of a row, with each result computed once."""

    def __init__(self, ready: PreparedSet, part: float, scorer: Score | None) -> None:
        self._ready, self._part, self._scorer = ready, part, scorer
        self._authority: ModelAuthority | None = None
        self._mixes: dict[str, dict[str, Any]] = {}
        self._parts: dict[str, dict[str, float]] = {}
        self._curves: dict[str, dict[str, float]] = {}

    def of_answers(self, records: Sequence[Record]) -> float | None:
        """Return the F1 of a strategy's answers to the queries as questions, or None if it was not asked."""
        data = self._ready.data
        wanted = {q.id: q for q in data.queries}
        rows = []
        for r in records:
            query = wanted.get(r["question_id"])
            gold = usable(query.gold, data.rule, query.attribute) if query else []
            if query and gold:
                given = [str(a.get("name") or a.get("value") or "") for a in r.get("answers") or ()]
                rows.append(score_query(query.id, given, gold, data.rule, attribute=query.attribute))
        return summary(rows)["f1"] if rows else None

    def f1(self, label: str) -> float | None:
        """Return the F1 for a label, or None if the set does not have it, such as a mix of other formats."""
        data, queries, _ = self._ready
        if label.startswith("MKLGP: "):
            name, _, mix = label.removeprefix("MKLGP: ").partition(" @ ")
            return self._ablated(mix).get(name)
        name, sign, mix = label.partition(" @ ")
        if sign:
            if name not in self._mixes:
                self._mixes[name] = {str(r["formats"]): r[method(name).name] for r in mixes(data.files, [name])}
            return self._mixes[name].get(mix)
        name, sign, corruption = label.partition(" % ")
        if sign:
            return self._corrupted(name, corruption)
        name, sign, _ = label.partition(BY_MODEL)
        if sign and self._scorer is None:
            return None
        name, _, change = name.partition(" ")
        chosen = swept(change, [method(name)])[0] if change else method(name)
        if sign and isinstance(chosen, Mcc):
            chosen = replace(chosen, authority=self._by_model().scores)
        return judge_set(data, chosen, queries).summary["f1"]

    def _by_model(self) -> ModelAuthority:
        """Return the authority of nodes as the model scores it; it is asked once."""
        if self._authority is None:
            assert self._scorer is not None
            self._authority = score_authority_by_model(
                self._ready.data.reading.claims, self._ready.queries, self._scorer
            )
        return self._authority

    def notes(self) -> Iterable[str]:
        """Yield notes about how the set was measured."""
        if self._authority is not None:
            asked, all_ = self._authority.queries, len(self._ready.queries)
            yield f"{self._ready.data.name}: the model scored the sources of {asked} of {all_} queries"

    def _ablated(self, mix: str) -> Mapping[str, float]:
        """Return the F1 of MKLGP without each of its parts, over the sources of some formats ("" for all).

        The result is {} if the set does not have these formats.
        """
        if mix not in self._parts:
            data, queries, _ = self._ready
            chosen = tuple(mix.split(" + "))
            if mix and chosen not in formats_together(data.files):
                return {}
            if mix:
                rows = rows_in(data.files, chosen)
                data = read_files(data.files, change=lambda _: rows)
                queries = find_query_groups(data)
            self._parts[mix] = {str(r["part"]): float(str(r["f1"])) for r in ablations(data, queries)}
        return self._parts[mix]

    def _corrupted(self, name: str, corruption: str) -> float | None:
        """Return a figure by kind and share of corruption, for example ``mask any source 0.3``."""
        wrong = corruption.startswith(_SOURCES)
        key = f"{name} {wrong}"
        if key not in self._curves:
            points = curve(
                self._ready.data.files,
                methods=[name],
                seeds=1,
                part=self._part,
                modes=[Mode.REPLACE] if wrong else [Mode.MASK, Mode.ADD],
                shares=(0.1, *SHARES) if wrong else SHARES,
            )
            called = dict(zip(dict.fromkeys(p.corruption for p in points if p.share), _SOURCES, strict=False))
            titles = [called.get(p.corruption, p.corruption) if wrong else p.corruption for p in points]
            self._curves[key] = {f"{t} {p.share:g}": p.f1[name][0] for t, p in zip(titles, points, strict=True)}
        return self._curves[key].get(corruption)


_SOURCES: Final = ("first source wrong", "second source wrong")
"""Names of rows for the two largest sources."""


def _sizes(name: str) -> dict[str, int]:
    try:
        questions = read_questions(name)
    except NotFoundError:
        rows = list(described_claims(files_of(name)))
        return {"sources": sum(r["sources"] for r in rows), "queries": rows[0]["queries"] if rows else 0}
    return {"questions": int(describe_set(name, questions)["questions"])}
