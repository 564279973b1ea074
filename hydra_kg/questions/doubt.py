"""Find what a path may not say: an unsure relation, a name read as a longer one, a film of the book that is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Final, Literal

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Entity, Evidence, Mention, Path
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.morphology import stem
from hydra_kg.language.relation_phrases import suggest_relations
from hydra_kg.language.tokens import tokenise
from hydra_kg.plan.model import Both, Named, Plan, Related, Root
from hydra_kg.plan.walk import operators, parts, relations
from hydra_kg.questions.coverage import (
    keep_asked_gender,
    names_off_path,
    other_kind,
    relation_said,
    strays,
    unknown_gender,
    unmet_conditions,
)
from hydra_kg.steps.answering.offered_choice import keep_offered
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.steps.joining.split_questions import unplaced
from hydra_kg.steps.linking.words_beyond_names import words_beyond_names
from hydra_kg.steps.operators.listed_answers import (
    keep_asked_kind,
    keep_first_release,
    keep_next,
    perhaps_incomplete,
    uncalled_qualifiers,
)
from hydra_kg.steps.operators.relations.noun_filter import fit, kinds_of_thing, same_kind
from hydra_kg.steps.operators.relations.relation_matching import relate
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.found_entities import ThingSet
from hydra_kg.steps.retrieval.entity_types import kinds_named
from hydra_kg.strategies.base import Outcome
from hydra_kg.text.articles import ARTICLES
from hydra_kg.text.folding import fold, tokens
from hydra_kg.util.fast_dataclass import dataclass, replace

_POSSESSIVE: Final = list_words("possessive")
_RELATION_FROM: Final = 0.35  # confidence below which a path may not say the relation that is asked for, 0 to 1
_TITLE: Final = re.compile(r"[:(–—]| - | or |, or ")
"""The sign with which a subtitle, an episode or an explanation begins."""

_WITH_OBJECT: Final = re.compile(r"(\w+) ((?!the |a |an )\w+(?: \w+)?) (in|for|at|on|with) _")
"""A verb with its object and a preposition, read as one relation: "plays drums in _", "played Ken Barlow in _"."""

Limit = Literal["", "lacking", "doubtful"]
"""Why confidence is limited: missing facts may change the answer, or it may not say what is asked."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The findings of the checks of an outcome."""

    conclusion: Conclusion
    """Its conclusion, without answers of another kind than the question asks for."""
    unmet: tuple[str, ...] = ()
    """Conditions that it does not meet, in the question's words."""
    doubtful: tuple[str, ...] = ()
    """Parts of the question that it may not answer."""
    refuted: bool = False
    """Whether it answers another question."""
    leaves_a_choice: bool = False
    """Whether the doubtful parts would choose among its answers."""
    limit: Limit = ""


def observe(context: Context, outcome: Outcome) -> Observation:
    """Observe unmet and doubtful conditions of an outcome, and whether it answers another question.

    For plans, and for outcomes that were recalled or already checked, only names and earlier doubts are looked at.
    """
    end, unmet = outcome.conclusion, outcome.unchecked
    boolean = outcome.analysis.kind == "boolean" and not outcome.planned and not context.agent.reads
    if boolean and any(a.node is not None for a in end.answers):  # neither yes nor no
        return Observation(end, unmet, outcome.in_doubt, refuted=True)
    if credits_adaptation(context, outcome.mentions, end.evidence):
        return Observation(end, unmet, outcome.in_doubt, refuted=True)
    if not outcome.planned and not context.agent.reads:
        offered = keep_offered(context.question, outcome.mentions, end)
        if offered is None:
            return Observation(end, unmet, outcome.in_doubt, refuted=True)
        end = offered
        outcome = replace(outcome, conclusion=end)
    untouched = outcome.planned or outcome.steps or outcome.recalled or outcome.without_model
    if untouched or not context.settings.answering.plan:
        return _observe_plan(context, outcome)
    if outcome.read:
        doubtful = outcome.in_doubt if unmet else doubtful_parts(context, outcome)
        lacking = () if unmet or doubtful else perhaps_incomplete(outcome.analysis, end)
        truth = outcome.analysis.answer_type in ("claim", "boolean")  # a sentence may name both without links
        ignores = not truth and _ignores_names(context, outcome, doubtful)
        refuted = ignores or _is_of_other_kind(context, outcome)
        return Observation(end, unmet, doubtful or lacking, refuted, limit="lacking" if lacking else "")
    end = keep_asked_gender(context, outcome.analysis, end)
    end = keep_asked_kind(context, outcome.analysis, end)
    end = keep_next(context, outcome.analysis, end)
    end, several_years = keep_first_release(outcome.analysis, end)
    outcome = replace(outcome, conclusion=end)
    # Sources that differ about the value asked for lower a confidence that says nothing of the reading.
    stray = strays(context, outcome.judgement.confidence, end.answers)
    stray = stray and not (end.sentence or end.opposing or end.dissent)
    refuted = stray or _denied_by_another_kind(context, outcome.analysis, end) or _says_of_another(context, outcome)
    refuted |= not context.agent.reads and _passes_by(context, outcome.analysis.plan, end)
    unmet = (*unmet_conditions(context, outcome.analysis, end), *bordered_places(outcome.analysis, end))
    if not context.agent.reads:
        beyond = words_beyond_names(context, outcome.mentions, [e for e in end.evidence if e.answers])
        unmet = tuple(dict.fromkeys((*unmet, *beyond))) or _unstated_conditions(context, outcome.analysis.plan, end)
    doubtful = () if unmet else doubtful_parts(context, outcome)
    several = bool(doubtful) and len(end.answers) > 1
    is_object = _is_object(outcome.analysis.plan, doubtful)
    choice = several and (_leaves_a_choice(outcome) or _names(context, outcome, doubtful) or is_object)
    choice |= is_object and any(fold(m.text) == doubtful[0] for m in outcome.mentions)  # one of the cast is not *Bilbo*
    choice |= _ignores_names(context, outcome, doubtful)
    choice |= is_object and outcome.judgement.confidence < _RELATION_FROM  # its author did not write its *music*
    choice |= several and doubtful == uncalled_qualifiers(context, outcome.analysis, end)
    if (lacking := several_years or perhaps_incomplete(outcome.analysis, end)) and not doubtful:
        return Observation(end, unmet, lacking, refuted, limit="lacking")
    return Observation(end, unmet, doubtful, refuted, choice, "doubtful")


def _observe_plan(context: Context, outcome: Outcome) -> Observation:
    """Observe the result of a plan or a model: facts that may be missing, or things called by a wrong kind."""
    end, unmet = outcome.conclusion, outcome.unchecked
    if outcome.in_doubt or context.agent.reads or not outcome.steps or not end.answers:
        return Observation(end, unmet, outcome.in_doubt, limit="lacking")
    doubtful = _called_else(context, outcome.mentions)
    return Observation(end, unmet, doubtful or _required_of_all(outcome.analysis.question), limit="doubtful")


def _required_of_all(question: str) -> tuple[str, ...]:
    """Return "all" for "who paid *all* their bills": the answers are those of whom some bill is paid."""
    words = tokens(fold(question))
    asks = words[:1] in (["who"], ["which"])
    whose = (words[k + 1 : k + 3] for k, word in enumerate(words) if word == "all")
    return ("all",) if asks and any(not _POSSESSIVE.isdisjoint(behind) for behind in whose) else ()


def _is_of_other_kind(context: Context, outcome: Outcome) -> bool:
    """Return True if what sentences say is known by its name to be of another kind than is asked: no continent is who.

    The best known thing of a name counts.
    """
    end = outcome.conclusion
    hits = context.snapshot.find([a.name for a in end.answers if a.node is None], limit=1)
    nodes = context.entities([hit.node for found in hits for hit in found])
    known = [a for a in end.answers if a.node is not None]
    known += [AnswerValue(e.node.name, e.node) for e in nodes.values()]
    return bool(known and other_kind(context, outcome.analysis, replace(end, answers=tuple(known))))


def bordered_places(analysis: Analysis, end: Conclusion) -> tuple[str, ...]:
    """Return places of a question ("in Oregon") that all paths only state to border the answer: California."""
    hops = [e.path.hops for e in end.evidence if e.answers]
    if analysis.answer_type != "location" or "border" in analysis.question.casefold():
        return ()
    last = [h[-1] for h in hops if len(h) > 1 and "border" in h[-1].text and h[-1].object.id in analysis.topics]
    return tuple(dict.fromkeys(h.object.name for h in last)) if len(last) == len(hops) else ()


def _denied_by_another_kind(context: Context, analysis: Analysis, end: Conclusion) -> bool:
    """Return True if a no rests on things of another kind: "Spy Kids" does not refute "popular movies"."""
    hops = end.evidence[0].path.hops if end.evidence else ()
    no = bool(end.answers) and end.answers[0].name == "no" and bool(end.computation)
    if analysis.kind != "boolean" or not no or not hops or context.agent.reads:
        return False
    stated = np.array([hops[-1].object.id], np.int64)
    named = [t for t in analysis.topics if t != hops[-1].subject.id]
    return not any(same_kind(context, stated, np.array([t], np.int64)) for t in named)


def _says_of_another(context: Context, outcome: Outcome) -> bool:
    """Return True if paths are about another thing of the named kind: another country's government."""
    analysis, paths = outcome.analysis, [e.path for e in outcome.conclusion.evidence if e.answers]
    if (
        analysis.composed
        or analysis.conditions
        or len(set(analysis.topics)) != 1
        or any(len(p.hops) != 2 for p in paths)
        or not paths
    ):
        return False
    if analysis.plan is not None and relations(analysis.plan.root) > 1:
        return False
    topic = np.array(analysis.topics[:1], np.int64)
    return all(
        p.hops[0].subject.id == topic[0] and same_kind(context, topic, np.array([p.hops[1].subject.id], np.int64))
        for p in paths
    )


def doubtful_parts(context: Context, outcome: Outcome) -> tuple[str, ...]:
    """Return parts that a path may not answer: an unsure asked relation (lived, died), and names on no path."""
    end, analysis = outcome.conclusion, outcome.analysis
    paths = [e for e in end.evidence if e.answers]
    if context.agent.reads or not paths or not end.answers:
        return ()
    left = _left_out(context, outcome) or _called_in_part(context, outcome.mentions)
    left = left or _called_else(context, outcome.mentions)
    left = left or unknown_gender(context, analysis, end) or uncalled_qualifiers(context, analysis, end)
    if not left and len(end.answers) < analysis.wanted:
        left = (f"whether these are the {analysis.wanted} (only {len(end.answers)} stated)",)
    if not left and analysis.plan is not None and not end.computation:
        left = _unsaid(context, analysis.plan, paths[0].path) or _object_left(analysis.plan.root, paths)
    if not left and analysis.answer_type == "claim" and len(paths[0].path.hops) > 1:
        left = (relation_said(analysis.indicator.strip(" .")) or analysis.question,)  # it only leads from name to name
    if left or outcome.judgement.confidence >= _RELATION_FROM:
        return left
    root = analysis.plan.root if analysis.plan is not None else None
    asked = root.phrase if isinstance(root, Related) else analysis.indicator.strip(" ?.!")
    return (relation_said(asked) or analysis.question,)


def _left_out(context: Context, outcome: Outcome) -> tuple[str, ...]:
    """Return names of the question that no path goes through."""
    end, analysis = outcome.conclusion, outcome.analysis
    paths = [e for e in end.evidence if e.answers]
    left = () if analysis.plan is not None or end.computation else names_off_path(context, analysis, paths)
    return tuple(dict.fromkeys((*left, *unlinked_names(context, outcome, paths))))


def _names(context: Context, outcome: Outcome, doubtful: tuple[str, ...]) -> bool:
    """Return whether the doubtful parts are names that no path goes through, not words for kinds ("the movies")."""
    kinds = [[w for w in tokens(fold(name)) if w not in ARTICLES] for name in doubtful]
    return doubtful == _left_out(context, outcome) and not all(len(k) == 1 and kinds_named(k[0]) for k in kinds)


def _ignores_names(context: Context, outcome: Outcome, doubtful: tuple[str, ...]) -> bool:
    """Return whether the doubtful parts are names, as the question writes them, of a question that no plan reads."""
    if outcome.analysis.plan is not None or not any(name in context.question for name in doubtful):
        return False
    return doubtful == _left_out(context, outcome)


def _leaves_a_choice(outcome: Outcome) -> bool:
    """Return whether the question's plan chooses or orders and could not be executed."""
    plan = outcome.analysis.plan
    return plan is not None and bool(operators(plan)) and not outcome.conclusion.computation


def unlinked_names(context: Context, outcome: Outcome, paths: Sequence[Evidence]) -> tuple[str, ...]:
    """Return unlinked names that some path does not mention ("the Joker"), for questions without plan and topics."""
    if outcome.analysis.plan is not None or any(m.start < 0 for m in outcome.mentions):
        return ()
    texts = (f"{e.path.text} {e.path.passage.text if e.path.passage else ''}" for e in paths)
    said = [frozenset(tokens(fold(text))) for text in texts]
    named = (context.question[a:b] for a, b in unplaced(context.question, outcome.mentions))
    return tuple(n for n in named if not all(words.issuperset(tokens(fold(n))) for words in said))


def _unsaid(context: Context, plan: Plan, path: Path) -> tuple[str, ...]:
    """Return the first of several relations if a path skips it (acted, directed), for phrases with known wordings."""
    op, _ = _skipped(context, plan, path) or (None, ())
    return (relation_said(op.phrase) or op.noun,) if op is not None else ()


def _passes_by(context: Context, plan: Plan | None, end: Conclusion) -> bool:
    """Return True if the best path skips the plan's first relation, which surely leads elsewhere.

    The country whose citizen somebody is does not answer for the one in which he was born.
    """
    path = next((e.path for e in end.evidence if e.answers), None)
    skipped = _skipped(context, plan, path) if plan is not None and path is not None else None
    return skipped is not None and any(f.surety.relevance >= thresholds.HOLDS_RELEVANCE for f in skipped[1])


def _skipped(context: Context, plan: Plan, path: Path) -> tuple[Related, Sequence[ThingSet]] | None:
    """Return the first of several relations and what it leads to, if a path goes elsewhere; see :func:`_unsaid`."""
    chain = [p for p in parts(plan.root) if isinstance(p, Related)]
    if len(chain) < 2 or len(path.hops) != len(chain) or relations(plan.root) != len(chain):
        return None
    op, hop = chain[-1], path.hops[0]
    if not suggest_relations(op.phrase) or (hop.facts and all(f.source.kind != "kg" for f in hop.facts)):
        return None
    found = relate(context, ThingSet(np.array([hop.subject.id], np.int64), words=hop.subject.name), op)
    return None if any(hop.object.id in f.ids.tolist() for f in found) else (op, found)


def _unstated_conditions(context: Context, plan: Plan | None, end: Conclusion) -> tuple[str, ...]:
    """Return those of several conditions that no relation states of any answer: actors of a film did not direct it."""
    root, nodes = plan.root if plan is not None else None, {a.node.id for a in end.answers if a.node is not None}
    if not isinstance(root, Both) or not nodes:
        return ()
    simple = (p for p in root.parts if isinstance(p, Related) and isinstance(p.of, Named) and p.during is None)
    known = [(p, p.of) for p in simple if isinstance(p.of, Named) and suggest_relations(p.phrase)]
    return tuple(relation_said(p.phrase) for p, of in known if not _leads_to(context, of, p, nodes))


def _leads_to(context: Context, of: Named, op: Related, nodes: Set[int]) -> bool:
    """Return True if a reading of a relation leads from a named thing to one of some others."""
    starts = (ThingSet(np.array([n], np.int64), words=of.text) for n in (of.node, *of.others))
    return any(nodes & set(f.ids.tolist()) for start in starts for f in relate(context, start, op))


def _object_left(root: Root, paths: Sequence[Evidence]) -> tuple[str, ...]:
    """Return a verb's object that is on no path ("drums"), unless a known wording includes it ("took part in")."""
    phrase = root.phrase if isinstance(root, Related) else ""
    found = _WITH_OBJECT.fullmatch(phrase)
    if found is None or (
        suggest_relations(phrase) and suggest_relations(phrase) != suggest_relations(f"{found[1]} {found[3]} _")
    ):
        return ()
    wanted = {stem(w) for w in found[2].split()}
    texts = (f"{e.path.text} {e.path.passage.text if e.path.passage else ''}" for e in paths)
    words = {stem(w) for text in texts for w in tokens(fold(text))}
    return () if wanted & words else (found[2],)


def _is_object(plan: Plan | None, doubtful: tuple[str, ...]) -> bool:
    """Return True if the doubtful word is a verb's object, which chooses one of several: who played *Bilbo* in it."""
    root = plan.root if plan is not None else None
    found = _WITH_OBJECT.fullmatch(root.phrase) if isinstance(root, Related) else None
    return found is not None and doubtful == (found[2],)


def _called_in_part(context: Context, mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return names that are only the beginning of a work's title ("Imagine" of "Imagine That")."""
    chosen = {m.chosen.node.id: m.text for m in mentions if m.chosen is not None}
    known = context.entities(list(chosen))
    return tuple(text for n, text in chosen.items() if n in known and _is_part(text, known[n]))


def _called_else(context: Context, mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return the kind that the question gives to a thing of another kind: "the novel _" for a film."""
    for m in mentions:
        before = tokens(fold(context.question[: max(context.question.find(m.text), 0)]))
        if m.chosen is None or len(before) < 2 or before[-2] not in ARTICLES:
            continue
        kind = fit(context, np.array([m.chosen.node.id], np.int64), before[-1]) if kinds_named(before[-1]) else None
        if kind is not None and kind.other.any():
            return (before[-1],)
    return ()


def _is_part(text: str, entity: Entity) -> bool:
    called, mine = [entity.node.name, *entity.aliases], tokens(fold(text))
    works = "work" in kinds_of_thing(entity)
    if not works or any(_same_words(mine, tokens(fold(name))) for name in called):
        return False
    return any(_longer(mine, tokens(fold(_TITLE.split(name)[0]))) for name in called)


def _same_words(one: Sequence[str], other: Sequence[str]) -> bool:
    return [w for w in one if w not in ARTICLES] == [w for w in other if w not in ARTICLES]


def _longer(part: Sequence[str], whole: Sequence[str]) -> bool:
    rest = set(whole) - set(part) - ARTICLES
    return bool(rest) and set(part) <= set(whole)


_WROTE: Final = frozenset({"wrote", "author", "writer"})
_FILM: Final = list_words("aspect").union(
    *(nouns.split() for kind, nouns in lexicon_table("kinds_of_thing") if kind == "film")
)
_ADAPTED: Final = frozenset({"adapted", "adaptation", "based", "version"})


def credits_adaptation(context: Context, mentions: Sequence[Mention], evidence: Sequence[Evidence]) -> bool:
    """Return True if "who wrote Hamlet" is answered with the writer of a film of that name.

    A description says so: "a 1948 film adaptation of William Shakespeare's play Hamlet".
    """
    named = {c.node.id: fold(m.text) for m in mentions for c in m.candidates}
    asked = {token.low for token in tokenise(context.question)} if named else set()
    if not asked & _WROTE or asked & _FILM:
        return False
    on_paths = [
        node.id
        for e in evidence
        for h in e.path.hops
        for node in (h.subject, h.object)
        if e.answers and node.id in named
    ]
    known = context.entities(list(dict.fromkeys(on_paths)))
    return bool(known) and all(_is_adaptation(named[n], fold(e.description)) for n, e in known.items())


def _is_adaptation(name: str, description: str) -> bool:
    """Return True if a description calls a work the adaptation of another of its name."""
    word = next((t.low for t in tokenise(description) if t.low in _ADAPTED), "")
    source = description.partition(word)[2] if word else ""
    return bool(source) and (name in source or " same name" in source)
