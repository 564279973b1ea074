"""Literal answers: the conclusion drawn from the best literal-ended path, judged like the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from hydra_kg.domain import AnswerValue, Evidence, Path
from hydra_kg.fusion.dependence.question_copies import find_copied_origins
from hydra_kg.steps.answering.disagreement import rank_by_votes, weighed
from hydra_kg.steps.answering.literal_paths import ValuePath, like_values, value_evidence
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.steps.relevance.path_relevance import Relevance, embeds_text, text_relevance, unit
from hydra_kg.steps.retrieval.graph_retrieval import RetrievalResult
from hydra_kg.steps.verification.support import origins
from hydra_kg.steps.verification.verify import scores
from hydra_kg.text.literals import literal_kind, says_more


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
