"""Explain why a saved answer does not name an expected one: a condition that it fails, or a gap in the sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final, Literal

import numpy as np

from hydra_kg.citations import label_of
from hydra_kg.client import Hydra
from hydra_kg.domain import Entity
from hydra_kg.errors import NotFoundError
from hydra_kg.execution.own_graph import lexical, number
from hydra_kg.pages.citation_numbers import format_marked_path
from hydra_kg.plan import model as m
from hydra_kg.plan.query_wording import ENDS, words
from hydra_kg.plan.serialise import PlanError, plan_from_json, query_from_json
from hydra_kg.ports import Snapshot
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators import execute
from hydra_kg.text.folding import fold
from hydra_kg.text.plain_text import clean
from hydra_kg.util.fast_dataclass import dataclass

Status = Literal["met", "not met", "not stated"]

_EDGES: Final = 5_000
"""Most facts of the expected thing whose sources are counted."""

_OPERATORS = {"<": np.less, "<=": np.less_equal, "=": np.equal, ">=": np.greater_equal, ">": np.greater}


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """A condition of the question with what the sources say about the expected answer."""

    condition: str
    status: Status
    why: str = ""


@dataclass(frozen=True, slots=True)
class MissingAnswer:
    """Why an expected answer is not in a saved answer.

    Attributes:
        conditions: conditions of the question, each tried on the expected answer.
        sources: (source, number of its facts about the expected answer), 0 if the source does not know it.
        found: the best path to it that was found and not used, with the reason.
    """

    answer_id: str
    question: str
    expected: str
    id: str
    is_answer: bool
    summary: str
    conditions: tuple[ConditionResult, ...] = ()
    sources: tuple[tuple[str, int], ...] = ()
    found: str = ""
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as JSON, version 1."""
        return {"version": 1, **asdict(self), "sources": [{"source": s, "facts": n} for s, n in self.sources]}


def explain_missing(hydra: Hydra, answer: Mapping[str, Any], expected: str) -> MissingAnswer:
    """Explain why a saved answer (``ask --json``) does not name ``expected``, a name or an id.

    Raise NotFoundError if no source knows such a thing.
    """
    question = str(answer.get("understood_as") or answer["question"])
    with hydra.reasoner.prepared(question) as context:
        entity = _entity(context, answer, expected)
        name = label_of(entity.node.name)
        known = tuple(_known_by(context, entity.node.id))
        if any(a.get("id") in entity.keys or fold(a["name"]) == fold(name) for a in answer["answers"]):
            summary = f"{name} is one of the answers."
            return MissingAnswer(str(answer["id"]), question, name, entity.node.key, True, summary, sources=known)
        conditions = tuple(_tried(context, answer, m.Named(name, entity.node.id)))
        found, reason = _path_to(answer, entity)
        summary = _summary(name, conditions, known, reason)
    return MissingAnswer(
        str(answer["id"]), question, name, entity.node.key, False, summary, conditions, known, found, reason
    )


def _entity(context: Context, answer: Mapping[str, Any], expected: str) -> Entity:
    """Return the expected thing by id, or the thing with its name that is nearest to what the answer found."""
    snapshot = context.snapshot
    node = snapshot.lookup([expected])[0]
    if node is None:
        hits = snapshot.find([expected], limit=20, reach="near")[0]
        if not hits:
            raise NotFoundError(
                f"No source knows “{clean(expected)}”, so no answer can name it.",
                remedy="Write the name as the sources do: hydra-kg describe lists what is loaded.",
            )
        seen = {n["id"] for path in _paths(answer) for n in path["answers"]}
        found = snapshot.entities([hit.node for hit in hits])
        return next((e for e in found if seen & set(e.keys)), found[0])
    return snapshot.entities([node])[0]


def _known_by(context: Context, node: int) -> Iterator[tuple[str, int]]:
    """Yield each source with facts about a thing, and their number."""
    cut, values = context.snapshot.cut([node], depth=1, budget=_EDGES), context.snapshot.values([node])
    facts = [*context.snapshot.facts(cut.segment, cut.row), *context.snapshot.facts(values.segment, values.row)]
    yield from Counter(f.source.name for f in facts).most_common()


def _tried(context: Context, answer: Mapping[str, Any], item: m.Named) -> Iterator[ConditionResult]:
    """Try each condition of the question on the expected answer."""
    root = _root(answer)
    for condition, needed in _conditions(root) if root is not None else ():
        if isinstance(condition, m.Top | m.Extreme):
            yield _ranked(context, answer, item, condition)
            continue
        is_met, why = _is_met(context, condition, item)
        if not needed and is_met is None:
            is_met = False  # nothing states that it is excluded
        status: Status = "not stated" if is_met is None else "met" if is_met == needed else "not met"
        shown = _in_words(condition, item)
        yield ConditionResult(shown if needed else f"not {shown}", status, why)


def _is_met(context: Context, condition: m.Things, item: m.Named) -> tuple[bool | None, str]:
    """Return whether a thing is in a set, by operators or by its own row; None if nothing says so."""
    if isinstance(condition, m.Where | m.Having):
        found, why = meets(context.snapshot, item.node, condition)
        if found is not None or isinstance(condition, m.Having):
            return found, why
    plan = m.Plan(replace(condition, of=item) if isinstance(condition, m.Where) else m.Among(item, condition))
    done = execute(context, plan)
    if done is None:
        return None, ""
    why, answers = done.conclusion.computation or done.reason, done.conclusion.answers
    if isinstance(condition, m.Where):
        return (True if answers else False if done.decided else None), why
    return (answers[0].name == "yes" if answers else None), why


def _ranked(
    context: Context, answer: Mapping[str, Any], item: m.Named, condition: m.Top | m.Extreme
) -> ConditionResult:
    """Return the result for an order that prefers the answer, with the value of both."""
    said = [(item.text, item.node)]
    keys = [a["id"] for a in answer["answers"][:1] if a.get("id")]
    said += [(label_of(answer["answers"][0]["name"]), n) for n in context.snapshot.lookup(keys) if n is not None]
    values = {name: get_stated_values(context.snapshot, node, condition.attribute) for name, node in said}
    why = "; ".join(f"{name}: {', '.join(found) or 'not stated'}" for name, found in values.items())
    text = f"{ENDS[condition.kind][condition.order == 'max']} {condition.attribute}".strip()
    return ConditionResult(text, "not met" if values[item.text] else "not stated", why)


def _in_words(condition: m.Things, item: m.Named) -> str:
    """Return a condition in words: "films directed by James Cameron", "whose release date is before 1990"."""
    own = replace(condition, of=item) if isinstance(condition, m.Where | m.Having) else condition
    return words(own).removeprefix(f"{item.text}, ").removeprefix("who ").removeprefix("what ")


def _root(answer: Mapping[str, Any]) -> m.Root | None:
    """Return the question as an operator tree: the query of a computed answer, else the plan of the question."""
    query, plan = answer.get("query"), answer.get("plan")
    try:
        if query and (answer.get("steps") or not plan or plan.get("unused")):
            return query_from_json(query)
        return plan_from_json(plan).root if plan else None
    except PlanError:
        return None


def _conditions(root: m.Root) -> Iterator[tuple[m.Things, bool]]:
    """Yield the sets of a query that an answer must be in (True) or must not be in."""
    match root:
        case m.Both():
            for part in root.parts:
                yield from _conditions(part)
        case m.Without():
            yield from _conditions(root.of)
            yield from ((of, not needed) for of, needed in _conditions(root.less))
        case m.Where() | m.OfKind() | m.Having() | m.Top() | m.Extreme():
            yield from _conditions(root.of)
            yield root, True
        case m.Related() | m.Either():
            yield root, True
        case m.Count() | m.Project() | m.TextMatch():
            yield from _conditions(root.of)
        case _:
            return


def _paths(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from answer["paths"]
    for exploration in answer["explorations"]:
        yield from exploration.get("paths", ())


def _path_to(answer: Mapping[str, Any], entity: Entity) -> tuple[str, str]:
    """Return the best path to a thing that was found for the question, and why it was not used."""
    for path in _paths(answer):
        ends = {n["id"] for n in path["answers"]} | {hop["object"]["id"] for hop in path["hops"][-1:]}
        if ends & set(entity.keys):
            why = clean(path.get("reason", "")) or "another path fits the question better"
            return clean(format_marked_path(path, None)), why
    return "", ""


def _summary(name: str, conditions: Sequence[ConditionResult], known: Sequence[tuple[str, int]], reason: str) -> str:
    """Return one sentence that says why the expected answer is not among the answers."""
    failed = next((c for c in conditions if c.status == "not met"), None)
    silent = next((c for c in conditions if c.status == "not stated"), None)
    if failed is not None:
        return f"{name} does not meet “{failed.condition}”" + (f": {failed.why}." if failed.why else ".")
    if silent is not None:
        who = " and ".join(f"{source} ({count:,} facts)" for source, count in known[:3])
        others = f" There are other facts about it in {who}." if known else ""
        return f"No source states “{silent.condition}” of {name}.{others}"
    if conditions:
        return f"{name} meets every condition, but an order or a choice among several left it out."
    if reason:
        return f"{name} was found and not used: {reason}."
    return f"No path from what the question names leads to {name}."


def get_stated_values(snapshot: Snapshot, node: int, attribute: str) -> list[str]:
    """Return the values and names stated for an attribute of a thing, by the words of the attribute."""
    texts = snapshot.predicates().texts
    wanted = {fold(part) for part in attribute.split(";")}
    literals = snapshot.values([node])
    found = [
        lexical(literal)
        for pred, literal in zip(literals.pred.tolist(), literals.literal, strict=True)
        if fold(texts[pred]) in wanted
    ]
    return list(
        dict.fromkeys([*found, *(label_of(e.node.name) for e in _list_linked_entities(snapshot, node, attribute))])
    )


def meets(snapshot: Snapshot, node: int, root: m.Where | m.Having) -> tuple[bool | None, str]:
    """Return whether a thing's own facts meet a condition, and why; None if there are no such facts."""
    match root:
        case m.Where():
            stated = get_stated_values(snapshot, node, root.attribute)
            shown = f"{root.attribute}: {', '.join(stated)}"
            return (
                (_meets_condition(stated, root.condition), shown)
                if stated
                else (None, f"no {root.attribute} is stated")
            )
        case m.Having():
            others = [] if root.back else _list_linked_entities(snapshot, node, root.via)
            inner = root.things
            if not others or not isinstance(inner, m.Where) or root.condition.op not in {"exists", "lacks"}:
                return None, ""
            names = [label_of(e.node.name) for e in others]
            is_name = fold(inner.attribute) == "name"
            found = [
                _meets_condition([name], inner.condition) if is_name else meets(snapshot, e.node.id, inner)[0]
                for e, name in zip(others, names, strict=True)
            ]
            return any(found) == (root.condition.op == "exists"), f"{root.via}: {', '.join(names)}"


def _list_linked_entities(snapshot: Snapshot, node: int, attribute: str) -> list[Entity]:
    """Return the entities to which an attribute of a node leads."""
    texts, wanted = snapshot.predicates().texts, {fold(part) for part in attribute.split(";")}
    cut = snapshot.cut([node], depth=1)
    rows = [
        i
        for i, (src, pred) in enumerate(zip(cut.ids[cut.src].tolist(), cut.pred.tolist(), strict=True))
        if src == node and fold(texts[pred]) in wanted
    ]
    return snapshot.entities(sorted({int(n) for n in cut.ids[cut.dst[rows]]}))


def _meets_condition(stated: Sequence[str], condition: m.Condition) -> bool | None:
    """Return whether stated values meet a condition, or None if that cannot be decided."""
    if condition.op in {"exists", "lacks"}:
        return condition.op == "exists"
    if condition.values and condition.op in {"=", "!="}:
        return bool({fold(v) for v in condition.values} & {fold(s) for s in stated}) == (condition.op == "=")
    numbers = [n for n in map(number, stated) if not np.isnan(n)]
    if condition.op == "in":
        return any(condition.low <= n <= condition.high for n in numbers) if numbers else None
    if condition.op in _OPERATORS and numbers and not condition.values and not (condition.than or condition.other):
        return bool(_OPERATORS[condition.op](numbers, condition.low).any())
    return None
