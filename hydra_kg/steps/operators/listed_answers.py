"""Which of several answers a question asks for, and whether they are all: kinds, qualifiers, works."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Evidence
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem
from hydra_kg.language.relation_phrases import suggest_relations
from hydra_kg.plan.model import OfKind, Related
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.levels_of_schools import of_other_level
from hydra_kg.steps.operators.relations.completeness import is_one_work
from hydra_kg.steps.operators.relations.noun_filter import fit, same_nouns
from hydra_kg.steps.operators.relations.relation_matching import BORN, relate
from hydra_kg.steps.operators.results.found_entities import ThingSet
from hydra_kg.steps.retrieval.entity_types import head, kinds_named, several
from hydra_kg.text.folding import fold, tokens

_LIGHT: Final = list_words("light_in_schema vague_adjective function_word")
"""Words that qualify no kind of thing."""

_IN_A_ROW: Final = 8  # most answers that are compared by what follows each of them


def noun_asked(analysis: Analysis) -> str:
    """Return the noun of what a question asks for, "" for none."""
    return analysis.answer_noun or (analysis.plan.noun if analysis.plan is not None else "")


def keep_asked_kind(context: Context, analysis: Analysis, end: Conclusion) -> Conclusion:
    """Keep those of several answers that have the kind that the question names ("… and was a composer").

    A qualifier of the kind drops the answers that sources do not call so, if they call another one so.
    """
    end = _without(end, of_other_level(context, analysis.question, _nodes(end)))
    nodes = _nodes(end)
    plan = analysis.plan
    root = plan.root if plan is not None else None
    added = isinstance(root, OfKind) or (isinstance(root, Related) and root.phrase in BORN)
    noun = root.noun if isinstance(root, OfKind) else noun_asked(analysis)
    if not noun or len(nodes) < 2 or end.computation or context.agent.reads:
        return end
    kind = fit(context, np.array(nodes, np.int64), noun) if added or same_nouns(head(noun)) else None
    right = set(nodes)
    if kind is not None and kind.right.any():
        keep = kind.right if added else ~kind.other
        right = {n for n, is_right in zip(nodes, keep.tolist(), strict=True) if is_right}
    for word in _unexplained_qualifiers(context, analysis, end):
        right = {n for n in right if word in _called(context, n)} or right
    return _without(end, set(nodes) - right)


def _nodes(end: Conclusion) -> list[int]:
    return [a.node.id for a in end.answers if a.node is not None]


def keep_next(context: Context, analysis: Analysis, end: Conclusion) -> Conclusion:
    """Keep the nearest of several answers in a row: the sequel of "Toy Story" is not the sequel of its sequel too.

    One thing must be asked for by its relation ("the sequel of"). An answer is dropped if the relation leads to it from
    another answer and not back, as it would between neighbours.
    """
    root = analysis.plan.root if analysis.plan is not None else None
    if not isinstance(root, Related) or end.computation or context.agent.reads:
        return end
    if not root.noun or several(root.noun) or not root.phrase.startswith(f"{root.noun} "):
        return end
    nodes = {*_nodes(end)}
    hops = [e.path.hops for e in end.evidence if e.answers]
    if not 1 < len(nodes) <= _IN_A_ROW or any(len(h) != 1 for h in hops):
        return end
    after = {n: _related(context, n, root) & nodes - {n} for n in nodes}
    behind = {b for a in nodes for b in after[a] if a not in after[b]}
    return _without(end, behind) if behind < nodes else end


def keep_first_release(analysis: Analysis, end: Conclusion) -> tuple[Conclusion, tuple[str, ...]]:
    """Keep the earliest of several release dates that one source lists; the doubt names the years if they differ."""
    from hydra_kg.steps.schema.answer_class import is_time

    question = fold(analysis.question)
    released = any("publication date" in said for said in suggest_relations(question, "question"))
    if not released or len(end.answers) < 2 or not all(map(is_time, end.answers)):
        return end, ()
    listed = Counter(
        (fact.source.name, hop.predicate)
        for e in end.evidence
        for hop in e.path.hops[-1:]
        for fact in {f.source.name: f for f in hop.facts}.values()
    )
    if max(listed.values(), default=0) < 2:
        return end, ()
    first = min(end.answers, key=lambda answer: answer.name)
    evidence = tuple(e for e in end.evidence if any(n.key == first.value for n in e.answers))
    years = sorted({answer.name[:4] for answer in end.answers})
    doubt = (f"whether it was first released in {first.name[:4]} (also stated: {', '.join(years[1:])})",)
    return replace(end, answers=(first,), evidence=evidence), doubt if years[1:] else ()


def _related(context: Context, node: int, op: Related) -> frozenset[int]:
    """Return what the relation of an operator leads to from a node, by its best reading."""
    start = ThingSet(np.array([node], np.int64))
    best = next(iter(relate(context, start, op)), None)
    return frozenset(best.ids.tolist()) if best is not None else frozenset()


def _without(end: Conclusion, nodes: Set[int]) -> Conclusion:
    """Return the conclusion without some of its answers, and without the paths that lead only to these."""
    answers = tuple(a for a in end.answers if a.node is None or a.node.id not in nodes)
    evidence = tuple(e for e in end.evidence if not e.answers or {n.id for n in e.answers} - nodes)
    return replace(end, answers=answers, evidence=evidence) if 0 < len(answers) < len(end.answers) else end


def _unexplained_qualifiers(context: Context, analysis: Analysis, end: Conclusion) -> tuple[str, ...]:
    """Return the words before the noun that is asked for ("soccer" of "soccer clubs") that nothing explains."""
    *before, _ = tokens(fold(noun_asked(analysis)).split(" of ")[0]) or [""]
    said = {family_stem(w) for e in end.evidence if e.answers for w in _words_of_path(e)}
    said |= {family_stem(w) for n in analysis.topics for w in _called(context, n)}
    return tuple(w for w in before if w not in _LIGHT and not said & {family_stem(s) for s in same_nouns(w) | {w}})


def uncalled_qualifiers(context: Context, analysis: Analysis, end: Conclusion) -> tuple[str, ...]:
    """Return the qualifiers of the asked noun that sources state of no answer."""
    nodes = _nodes(end)
    left = _unexplained_qualifiers(context, analysis, end) if nodes and not end.sentence else ()
    return tuple(w for w in left if not any(w in _called(context, n) for n in nodes))


def _words_of_path(evidence: Evidence) -> list[str]:
    """Return the words of a path: those of its relations, their keys and its sentence."""
    hops, passage = evidence.path.hops, evidence.path.passage
    texts = [f"{h.text} {h.predicate.replace('_', ' ')}" for h in hops] + ([passage.text] if passage else [])
    return [w for text in texts for w in tokens(fold(text.replace(".", " ").replace("/", " ")))]


def _called(context: Context, node: int) -> frozenset[str]:
    """Return the words for what a thing is, in its types, its description and its names."""
    entity = context.entities([node])[node]
    texts = [*entity.types, entity.description, entity.node.name, *entity.aliases]
    return frozenset(w for t in texts for w in tokens(fold(t.replace(".", " ").replace("_", " "))))


def perhaps_incomplete(analysis: Analysis, end: Conclusion) -> tuple[str, ...]:
    """Return a doubt whether a list of works is complete, of one alone or of those that a text names, or a date is."""
    if analysis.answer_type == "date" and end.answers and all(map(_is_month, end.answers)):
        return ("the day (only the month is stated)",)
    root, number = analysis.plan.root if analysis.plan is not None else None, len(end.answers)
    if not isinstance(root, Related) or not several(root.noun) or end.computation or analysis.wanted:
        return ()
    from_text = all(a.node is None for a in end.answers)
    if not (is_one_work(root, number) or ("work" in kinds_named(root.noun) and from_text)):
        return ()
    return (f"whether these are all ({number} {'is' if number == 1 else 'are'} stated)",)


def _is_month(answer: AnswerValue) -> bool:
    """Return True for a date without a day: "1968-03"."""
    year, _, month = answer.name.partition("-")
    return len(year) == 4 and len(month) == 2 and (year + month).isdigit()
