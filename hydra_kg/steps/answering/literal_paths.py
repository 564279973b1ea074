"""Answers that are literals: dates, numbers and texts one relation away from the topics or from likely answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from hydra_kg.domain import AnswerValue, Evidence, Hop, Node, Path
from hydra_kg.fusion.dependence.copy_detection import find_copied_origins
from hydra_kg.ids import encode
from hydra_kg.steps.answering.answer_ranking import LIKE_PATH
from hydra_kg.steps.answering.disagreement import rank_by_votes, weighed
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.relevance.path_relevance import Relevance, embeds_text, text_relevance, unit
from hydra_kg.steps.retrieval.graph_retrieval import RetrievalResult
from hydra_kg.steps.retrieval.path_instances import PathInstance, materialise
from hydra_kg.steps.verification.verify import origins, scores
from hydra_kg.text.literals import literal_kind, literal_text, says_more
from hydra_kg.util.fast_dataclass import dataclass, replace

_VALUE_PATHS: Final = 10  # literal-ended paths, best first, that are kept
_VALUE_FROM: Final = 3  # relation paths, best first, whose ends' literals are looked at
_VALUE_ENDS: Final = 5  # ends of each of them
_VALUE_FIT: Final = 0.15  # gain of a literal where a date or number is asked for
_VALUE_UNASKED: Final = -0.1  # gain of a literal where none is asked for: a cost
_VALUE_LAG: Final = 0.35  # relevance that a like literal of another source may lack to the best one
_VALUE_NODES: Final = 2_000  # nodes whose literals are looked at
_YEAR: Final = 4
"""Letters of a date that says no more than a year, which many things have in common."""


@dataclass(frozen=True, slots=True)
class ValuePath:
    """A path to the literals of ``node``.

    ``code`` is the last hop, a leg or a composite of legs. Each row is (literal key, segment, row in the segment).
    """

    prefix: PathInstance | None
    node: int
    code: int
    score: float
    rows: tuple[tuple[str, int, int], ...]

    @property
    def codes(self) -> tuple[int, ...]:
        """Return the hop codes, that of the literal's property last."""
        return (*(self.prefix.path.codes if self.prefix else ()), self.code)


def value_paths(context: Context, found: RetrievalResult, relevance: Relevance, *, answer_type: str) -> list[ValuePath]:
    """Return the ``_VALUE_PATHS`` best paths that end in a literal, best first.

    Literals of the topics, of the mediators around them, and of the first ``_VALUE_ENDS`` ends of the ``_VALUE_FROM``
    best paths are looked at. There are none if a person or place is asked for.
    """
    if answer_type in {"person", "location"}:
        return []
    graph = found.hops
    owners: dict[int, list[tuple[PathInstance | None, int, int]]] = {}
    for t in graph.topics.tolist():
        owners.setdefault(int(graph.ids[t]), []).append((None, t, -1))
    for path in (j.relation for j in found.judged[:_VALUE_FROM]):
        rows = path.tree.ends[path.rows]
        for end in path.ends[:_VALUE_ENDS].tolist():
            row = int(path.rows[int(np.flatnonzero(rows == end)[0])])
            owners.setdefault(int(graph.ids[end]), []).append((PathInstance(path, row), end, -1))
    for t in graph.topics.tolist():  # last, because a country has thousands
        legs = graph.around(t)
        for via, code in sorted(set(zip(legs.via.tolist(), (legs.code // graph.base - 1).tolist(), strict=True))):
            if via >= 0:
                owners.setdefault(int(graph.ids[via]), []).append((None, t, code))
    fitting = [p for f in _group(context, owners, graph.base) if (p := _fitting(f, answer_type))]
    ranked = sorted(_scored(context, fitting, relevance, answer_type), key=lambda p: (-p.score, p.code, p.node))
    return ranked[:_VALUE_PATHS]


def _group(
    context: Context, owners: Mapping[int, Sequence[tuple[PathInstance | None, int, int]]], base: int
) -> list[ValuePath]:
    groups: dict[tuple[int, int, int], tuple[PathInstance | None, list[tuple[str, int, int]]]] = {}
    for owner, pred, literal, (segment, row) in stated_values(context, list(owners)[:_VALUE_NODES]):
        for prefix, node, leg in owners.get(owner, ()):
            tail = 2 * pred + 1
            code = tail if leg < 0 else (leg + 1) * base + tail
            key = (node, code, id(prefix) if prefix else 0)
            groups.setdefault(key, (prefix, []))[1].append((literal, segment, row))
    return [
        ValuePath(prefix, node, code, 0.0, tuple(sorted(rows))) for (node, code, _), (prefix, rows) in groups.items()
    ]


def stated_values(context: Context, nodes: Sequence[int]) -> Iterator[tuple[int, int, str, tuple[int, int]]]:
    """Yield the literal facts of classes that may be used: class, predicate (index), literal, handle."""
    found, allowed = context.snapshot.values(sorted(set(nodes))), context.segments()
    columns = (found.node, found.pred, found.segment, found.row)
    for node, pred, segment, row, literal in zip(*(c.tolist() for c in columns), found.literal, strict=True):
        if allowed is None or allowed[segment]:
            yield node, pred, literal, (segment, row)


def _fitting(path: ValuePath, answer_type: str) -> ValuePath | None:
    """Return the path with only the literals that can answer, or None if there are none."""
    rows = path.rows
    if answer_type in {"date", "number"}:
        rows = tuple(r for r in rows if literal_kind(r[0]) == answer_type)
    rows = tuple(r for r in rows if r[0].startswith('"'))
    return replace(path, rows=rows) if rows else None


def _scored(
    context: Context, paths: Sequence[ValuePath], relevance: Relevance, answer_type: str
) -> Iterator[ValuePath]:
    """Yield the paths with their scores; paths of one length are scored together."""
    fit = _VALUE_FIT if answer_type in {"date", "number"} else _VALUE_UNASKED
    for length in sorted({len(p.codes) for p in paths}):
        alike = [p for p in paths if len(p.codes) == length]
        found = relevance(np.array([p.codes for p in alike], np.int64))
        yield from (replace(p, score=score + fit) for p, score in zip(alike, found.tolist(), strict=True))


def like_values(context: Context, paths: Sequence[ValuePath], relevance: Relevance) -> list[ValuePath]:
    """Return the best value path and those of other loads at its node that say the same.

    They say the same if they are similar (``LIKE_PATH``) or if their dates are equal.
    """
    best = paths[0]
    codes = np.array([[p.code] for p in paths], np.int64)
    near = relevance.vectors(codes) @ relevance.vectors(codes[:1])[0]
    like, seen = [best], {segment for _, segment, _ in best.rows}
    for path, cosine in zip(paths[1:], near[1:].tolist(), strict=True):
        loads = {segment for _, segment, _ in path.rows}
        alike = cosine >= LIKE_PATH or _same_dates(best, path)
        near_enough = path.score >= best.score - _VALUE_LAG
        if path.node == best.node and alike and near_enough and not loads & seen:
            like.append(path)
            seen |= loads
    return like


def _same_dates(one: ValuePath, other: ValuePath) -> bool:
    """Return True if two paths lead to one date each, and one is only more exact: 1929-02 and 1929-02-11."""
    if len(one.rows) != 1 or len(other.rows) != 1 or {literal_kind(p.rows[0][0]) for p in (one, other)} != {"date"}:
        return False
    less, more = sorted((literal_text(p.rows[0][0]) for p in (one, other)), key=len)
    return len(less) > _YEAR and (more == less or says_more(more, less))


def value_evidence(context: Context, same: Sequence[ValuePath], graph: HopGraph) -> list[Path]:
    """Return one path per distinct value of similar value paths, with all facts that state it."""
    prefix = same[0].prefix
    before = materialise(context, [prefix], graph)[0].hops if prefix else ()
    owner = int(graph.ids[same[0].node])
    subject = context.entities([owner])[owner].node
    rows = [(p, *row) for p in same for row in p.rows]
    handles = np.array([(s, r) for _, _, s, r in rows], np.int64).reshape(-1, 2)
    facts = context.snapshot.facts(handles[:, 0].astype(np.int16), handles[:, 1])
    by_text: dict[str, list[int]] = {}
    for i, (_, literal, _, _) in enumerate(rows):
        by_text.setdefault(literal_text(literal), []).append(i)
    hops = []
    for at in by_text.values():
        path, literal, _, _ = rows[at[0]]
        key, text = context.space.key(path.code), context.space.text(path.code)
        hops.append(Hop(subject, key, text, literal_node(literal), True, None, tuple(facts[i] for i in at)))
    return [Path((*before, hop)) for hop in hops]


def literal_node(key: str) -> Node:
    """Return a literal as the end of a path."""
    return Node(encode(key), key, literal_text(key))


def literal_answers(
    context: Context, values: Sequence[ValuePath], found: RetrievalResult, relevance: Relevance, *, phase: str
) -> Conclusion:
    """Return the best value path's literals, united over sources, by origins, without vaguer dates."""
    paths = value_evidence(context, like_values(context, values, relevance), found.hops)
    representatives = find_copied_origins(context.snapshot, paths)
    evidence = [_judged(context, p, values[0].score, found, phase, representatives) for p in paths]
    evidence.sort(key=lambda e: (-e.scores.cross, e.answers[0].key))
    said = [e.answers[0].name for e in evidence]
    whole = [e for e in evidence if not _says_less(e.answers[0].key, e.answers[0].name, said)]
    order = rank_by_votes(context, whole, [e.scores.cross for e in whole])
    evidence = [whole[p] for p in order[: context.settings.answering.max_answers]]
    answers = [AnswerValue(e.answers[0].name, None, e.answers[0].key, (), round(e.scores.cross, 6)) for e in evidence]
    return weighed(context, answers, evidence, representatives)


def evidence_of(context: Context, value: ValuePath, found: RetrievalResult, *, indicator: str, phase: str) -> Evidence:
    """Return a literal-ended path as one candidate: its best literal's path, all its literals as answers."""
    paths = value_evidence(context, [value], found.hops)
    score = text_relevance(context, indicator, paths[:1])[0] if embeds_text(context) else value.score
    first = _judged(context, paths[0], score, found, phase)
    literals = tuple(p.hops[-1].object for p in paths[: context.settings.answering.max_answers])
    line = (
        f"{first.path.hops[-1].subject.name} → {first.path.hops[-1].text} → {{{', '.join(n.name for n in literals)}}}"
    )
    return replace(first, answers=literals, line=line)


def _judged(
    context: Context,
    path: Path,
    score: float,
    found: RetrievalResult,
    phase: str,
    representatives: Mapping[str, str] = MappingProxyType({}),
) -> Evidence:
    backers = {
        representatives.get(o, o) for o in origins(path, independence=context.settings.verification.independence)
    }
    literal = path.hops[-1].object
    inside = found.inside | {literal.id}
    topics = found.graph.ids[found.graph.topics].tolist()
    numbers = scores(
        path,
        unit(score, context.settings),
        supporters=backers,
        inside=inside,
        settings=context.settings,
        topics=topics,
        candidates=len(found.paths),
    )
    return Evidence(path, numbers, phase, True, "leads to an answer", (literal,), tuple(sorted(backers)))


def _says_less(key: str, text: str, others: Sequence[str]) -> bool:
    return literal_kind(key) == "date" and any(says_more(o, text) for o in others)
