"""Find the conditions of a question that an answer does not meet."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Evidence
from hydra_kg.extract.word_classes import PREPOSITIONS
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem
from hydra_kg.language.number_words import cardinal_number
from hydra_kg.language.relation_phrases import suggest_relations
from hydra_kg.phrases import phrase
from hydra_kg.plan.model import Both, Named, Plan, Related, Things
from hydra_kg.plan.walk import parts, relations
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.steps.crosscheck.value_precision import role_of
from hydra_kg.steps.linking.unmatched_words import unmatched_words
from hydra_kg.steps.operators.levels_of_schools import of_other_level
from hydra_kg.steps.operators.listed_answers import noun_asked
from hydra_kg.steps.operators.relations.noun_filter import RELATIVES, kinds_of_thing
from hydra_kg.steps.operators.values.attributes import of_death
from hydra_kg.steps.retrieval.entity_types import (
    DATED,
    WHO,
    gender_of,
    genders,
    head,
    kinds_named,
    kinds_of,
    mostly_unknown,
)
from hydra_kg.steps.schema.graph_choice import own_graph
from hydra_kg.steps.schema.question_words import asked
from hydra_kg.text.articles import ARTICLES
from hydra_kg.text.folding import fold, tokens

_NOT_COMPUTED: Final = re.compile(
    r"\d{3}|\b(?:not|never|no|without|both|nor|neither|only|solely|exclusively|outside)\b"
)
"""Times, amounts, negations and limits: counting or ordering along a path does not choose by them."""

_ORDERS: Final = list_words("order_word")
"""Words of order. A text about the answer that contains one says nothing about the asked order."""

_NUMBER: Final = re.compile(r"\d+")
_EXPLORED: Final = 0.5  # confidence below which paths between names give no answer about tables
_MEASURED: Final = re.compile(r"how (?:tall|high|long|far|heavy|deep|fast|wide|old)\b", re.IGNORECASE)
"""Words that ask for an amount; a thing with a name is not one."""

_OWNER: Final = re.compile(r"\b([a-z]+)(?:'s|s'|’s|s’) names?\b")
"""Matches the relative whose name is asked for."""
_CALLED: Final = frozenset({"name", "nickname"})
_TEXTS: Final = _CALLED | {"code"}
"""Nouns for texts, which no person or place is."""

_THINGS: Final = {"person": "who", "location": "where"}
"""Types of answer that a date or a number cannot have, with the word that asks for them."""

_NO_PLACES: Final = list_words("abstract_kind") | {"genre"}
"""Kinds of thing that do not answer "where"."""

_CAUSES: Final = frozenset({"cause", "manner", "reason"})
_DEADLY: Final = re.compile(r"\bdied? (?:of|from)\b|\bcause of death\b|\bwhat killed\b")
_PLACES: Final = frozenset({"place", "location"})
"""Words that ask for a cause of death, and words of relations that lead to places."""

ASKING: Final = list_words("question_word be do") | {"_"}
"""Words of a question that do not name a relation."""

_CONTAINS: Final = "contains"
"""Relation of an area to a place in it: a club of a city of Spain is one of Spain."""

_ENDS: Final = 12
"""Number of answers whose kinds are checked."""


def unmet_conditions(context: Context, analysis: Analysis, conclusion: Conclusion) -> tuple[str, ...]:
    """Return the question's conditions that the conclusion does not meet.

    An order needs a computation, and "both" needs all names. A number or word must be in a value, relation or name on
    each path ("release date 1994").
    """
    if not conclusion.answers:
        return ()
    paths = [e for e in conclusion.evidence if e.answers]
    open_ = [c for c in analysis.conditions if not conclusion.computation or _NOT_COMPUTED.search(c)]
    left = tuple(c for c in open_ if not _met(c, paths, analysis))
    # Who reads the paths has judged that they say what was asked.
    reads = context.agent.reads
    passed = () if conclusion.computation or reads or analysis.plan is None else _passed_by(analysis.plan, paths)
    uncounted = _uncounted(context, analysis, paths) if conclusion.computation and not reads else ()
    nodes = [a.node.id for a in conclusion.answers[:_ENDS] if a.node is not None]
    other = missed_class(context, nodes) if nodes and not reads else _other_end(analysis, paths)
    of_kind = other_kind(context, analysis, conclusion) or _other_gender(context, analysis, nodes, paths)
    about = () if reads else _subject_left(analysis, paths)
    return (*left, *passed, *uncounted, *of_kind, *about, *([other] if other else []))


def _subject_left(analysis: Analysis, paths: Sequence[Evidence]) -> tuple[str, ...]:
    """Return the subject that a question without a plan names ("about dinosaurs"), if some path does not name it."""
    _, about, subject = fold(analysis.question).rpartition(" about ")
    wanted = {family_stem(word) for word in tokens(subject) if word not in ARTICLES}
    named = all(wanted <= {family_stem(word) for word in _words(e)} for e in paths)
    return () if analysis.plan is not None or not about or named else (subject.strip(" ?."),)


def missed_class(context: Context, nodes: Sequence[int]) -> str:
    """Return the class of the user's own graph that a question asks for by name, if no answer is of it, else ""."""
    if not context.settings.answering.own_words or (graph := own_graph(context)) is None or not graph.typed:
        return ""
    from hydra_kg.steps.schema.schema_answers import other_class  # its readers are not needed for dumps

    return other_class(context.question, graph, nodes)


def _other_end(analysis: Analysis, paths: Sequence[Evidence]) -> str:
    """Return what is asked for if all paths lead to the opposite date (began, ended)."""
    asked = role_of((analysis.question,)) if analysis.answer_type == "date" else ""
    said = {role_of((e.path.hops[-1].text,)) for e in paths if e.path.hops}
    return asked if asked and said and said <= {"start", "end"} - {asked} else ""


def strays(context: Context, confidence: float, answers: Sequence[AnswerValue]) -> bool:
    """Return True if a path on tables without a plan is unsure, of another type, or uses words that the tables lack."""
    if context.agent.reads or not context.settings.answering.own_words:
        return False
    graph = own_graph(context)
    if graph is None or not graph.tabular:
        return False
    if confidence < _EXPLORED:
        return True
    from hydra_kg.steps.schema.answer_class import is_asked_kind

    question = asked(context.question)
    return not is_asked_kind(question, answers) or bool(unmatched_words(context, graph, question))


def _met(condition: str, paths: Sequence[Evidence], analysis: Analysis) -> bool:
    if analysis.wanted and (condition == str(analysis.wanted) or cardinal_number(condition) == analysis.wanted):
        return True
    if condition == "both":
        return bool(paths) and all(_holds(e, analysis.topics) for e in paths)
    wanted = set(tokens(fold(condition)))
    said = _relation_words if wanted <= _ORDERS else _words
    return bool(paths) and all(wanted <= said(e) for e in paths)


def _passed_by(plan: Plan, paths: Sequence[Evidence]) -> tuple[str, ...]:
    """Return relations and names of the plan that no path goes through (the director's wife; "Titanic" by "Rose")."""
    graph = [e for e in paths if e.path.passage is None]
    texts = [e for e in paths if e.path.passage is not None]
    root = plan.root
    if isinstance(root, Related) and isinstance(root.of, Related) and not (relation_said(root.phrase) or plan.noun):
        root = root.of  # "where is the headquarters of _": they are a place themselves
    hops, many = [len(e.path.hops) for e in graph], relations(root)
    # A sentence is held against the question elsewhere, but for relations that neither it nor its path says.
    if (
        isinstance(root, Related)
        and texts
        and max(len(e.path.hops) for e in paths) < many
        and not _say(texts, root.of, person=plan.answer_type == "person")
    ):
        return (relation_said(root.phrase) or plan.noun,)
    both = isinstance(root, Both)  # each condition has a name of its own
    names = [p for p in parts(root) if isinstance(p, Named)]
    if not any(hops):
        return _names_left(names, texts) if both else ()
    beyond = min(sum(phrase(h.predicate, h.text) != _CONTAINS for h in e.path.hops) for e in graph)
    if isinstance(root, Related) and len(graph) == len(paths) and (max(hops) < many or beyond > many == 1):
        return (relation_said(root.phrase) or plan.noun,)
    if isinstance(root, Both) and len(graph) == len(paths) and min(hops) > sum(map(relations, root.parts)):
        return tuple(relation_said(p.phrase) for p in root.parts[:1] if isinstance(p, Related))
    # A name in small letters may be a word ("animated"), or one that was added ("taylor lautner jacob black").
    return _names_left([n for n in names if both or not names[1:] or not n.text.islower()], graph)


def _names_left(names: Sequence[Named], paths: Sequence[Evidence]) -> tuple[str, ...]:
    """Return the names that no path goes through, and that no sentence of a path mentions."""
    on_paths = [
        ({n.id for n in e.path.entities}, _words(e) if e.path.passage is not None else frozenset()) for e in paths
    ]
    left = (
        n.text
        for n in names
        if not any(ids & {n.node, *n.others} or words >= set(tokens(fold(n.text))) for ids, words in on_paths)
    )
    return tuple(left)


def _say(texts: Sequence[Evidence], op: Things, *, person: bool) -> bool:
    """Return True if a sentence states the operator's relations, as far as their wordings are known.

    All sentences must name somebody or something in a work who is played: "the Joker in _".
    """
    known = [p for p in parts(op) if isinstance(p, Related) and suggest_relations(p.phrase)]
    if not known and isinstance(op, Related) and op.phrase in (f"{op.noun} in _", f"{op.noun} on _"):
        return not person or all(set(tokens(fold(op.noun))) <= _words(e) for e in texts)
    asked = {w for p in known for w in tokens(fold(relation_said(p.phrase)))}
    return any(asked - PREPOSITIONS <= _words(e) for e in texts)


def relation_said(phrase: str) -> str:
    """Return the words of a phrase that name a relation, without those that only ask."""
    return " ".join(w for w in phrase.split() if w.casefold() not in ASKING)


def _uncounted(context: Context, analysis: Analysis, paths: Sequence[Evidence]) -> tuple[str, ...]:
    """Return unused names in what was counted or ordered without a plan (the brothers Gibb)."""
    return names_off_path(context, analysis, paths) if analysis.plan is None else ()


def names_off_path(context: Context, analysis: Analysis, paths: Sequence[Evidence]) -> tuple[str, ...]:
    """Return names of the question that no path goes through."""
    on_paths = {n.id for e in paths for n in e.path.entities}
    left = [n for n in analysis.topics if n not in on_paths]
    known = context.entities(left) if on_paths and left else {}
    return tuple(known[n].node.name for n in left if n in known)


def _holds(evidence: Evidence, topics: Iterable[int]) -> bool:
    on_path = {n.id for n in evidence.path.entities}
    return on_path.issuperset(topics)


def _words(evidence: Evidence) -> frozenset[str]:
    """Return the words of a path: those of its relations, names and values, and of the sentence that states it."""
    passage = evidence.path.passage
    return _relation_words(evidence) | (frozenset(tokens(fold(passage.text))) if passage is not None else frozenset())


def _relation_words(evidence: Evidence) -> frozenset[str]:
    texts = [t for h in evidence.path.hops for t in (h.text, h.object.name)]
    return frozenset(w for t in texts for w in tokens(fold(t)))


def keep_asked_gender(context: Context, analysis: Analysis, end: Conclusion) -> Conclusion:
    """Drop answers of another gender than the asked noun ("brothers"), if some answers fit."""
    noun = _relative(analysis)
    if not noun or len(end.answers) < 2 or end.computation:
        return end
    nodes = [a.node.id for a in end.answers if a.node is not None]
    if len(nodes) < 2:
        return end
    stated, wanted = genders(context.snapshot, nodes), gender_of(noun)
    other = {n for n, gender in stated.items() if gender != wanted}
    if not other or wanted not in stated.values():
        return end
    answers = tuple(a for a in end.answers if a.node is None or a.node.id not in other)
    evidence = tuple(e for e in end.evidence if not e.answers or not other.issuperset(n.id for n in e.answers))
    return replace(end, answers=answers, evidence=evidence)


def unknown_gender(context: Context, analysis: Analysis, end: Conclusion) -> tuple[str, ...]:
    """Return the asked noun ("brothers") if no source states the gender of most of several answers."""
    noun = _relative(analysis)
    if not noun:
        return ()
    nodes = {a.node.id for a in end.answers if a.node is not None}
    return (noun,) if mostly_unknown(context, sorted(nodes)) else ()


def _other_gender(
    context: Context, analysis: Analysis, nodes: Sequence[int], paths: Sequence[Evidence]
) -> tuple[str, ...]:
    """Return the asked noun ("mother"), or nouns on the way, if all things for it are of another gender."""
    noun = _relative(analysis)
    asked = [(noun, nodes)] if noun and nodes else []
    chain = [p for p in parts(analysis.plan.root) if isinstance(p, Related)] if analysis.plan is not None else []
    whole = [e.path.hops for e in paths if len(e.path.hops) == len(chain)] if chain[1:] else []
    for at, op in enumerate(reversed(chain[1:])) if whole else ():
        if gender_of(op.noun):
            asked.append((op.noun, [hops[at].object.id for hops in whole]))
    found = []
    for said, ids in asked:
        stated = genders(context.snapshot, ids)
        if len(stated) == len(set(ids)) and gender_of(said) not in stated.values():
            found.append(said)
    return tuple(found)


def _relative(analysis: Analysis) -> str:
    """Return the relative that is asked for: the noun of the answer, or the first word of the last relation."""
    root = analysis.plan.root if analysis.plan is not None else None
    said = [analysis.answer_noun, *(root.phrase.split(" of ")[:1] if isinstance(root, Related) else [])]
    return next((n.removeprefix("_ ") for n in said if n and gender_of(n)), "")


def _is_amount(literal: str | None) -> bool:
    """Return whether a literal is a date or a number, and no text."""
    return literal is not None and "^^" in literal and "string" not in literal.rsplit("^^", 1)[1].casefold()


def _are_other_amounts(conclusion: Conclusion, noun: str) -> bool:
    """Return True if all answers are dates or amounts of relations that do not name `noun`: no area is a river."""
    said = frozenset().union(*(_relation_words(e) for e in conclusion.evidence if e.answers))
    return noun not in said and all(_is_amount(a.value) for a in conclusion.answers)


def other_kind(context: Context, analysis: Analysis, conclusion: Conclusion) -> tuple[str, ...]:
    """Return what is asked for, if most answers are known to be something else and none is known to be that."""
    noun = noun_asked(analysis)
    if head(noun) in _CALLED and (owner := _OWNER.search(analysis.question)) and head(owner[1]) in RELATIVES:
        return ()  # his "brother's name" is the brother's
    if head(noun) in _CALLED and kinds_named(noun.rpartition(" ")[0]):
        noun = noun.rpartition(" ")[0]  # a "state name" is that of a state
    asked = analysis.answer_kinds or kinds_named(noun)
    nodes = [a.node.id for a in conclusion.answers[:_ENDS] if a.node is not None]
    if nodes and len(of_other_level(context, analysis.question, nodes)) == len(nodes):
        return (noun or "school",)
    dated = analysis.answer_type == "date"
    asking = _THINGS.get(analysis.answer_type, "")
    if asking and any(_is_amount(a.value) for a in conclusion.answers):
        return (asking,)
    if (asked or head(noun) in _TEXTS - _CALLED) and _are_other_amounts(conclusion, head(noun)):
        return (noun or " or ".join(sorted(asked)),)
    if (deadly := _DEADLY.search(fold(analysis.question))) and conclusion.evidence:  # where he died is not what of
        shown = [_PLACES & _relation_words(e) for e in conclusion.evidence if e.answers and e.path.hops]
        return (deadly[0],) if shown and all(shown) else ()
    if nodes and (amount := _MEASURED.match(analysis.question)):
        return (amount[0],)
    if head(noun) in RELATIVES and _said_by_all(conclusion, head(noun)):
        return ()  # the members of a union are countries
    said = [_relation_words(e) for e in conclusion.evidence if e.answers and e.path.hops]
    if asking and said and all(_CAUSES & words for words in said):
        return (asking,)  # what somebody died of is not where he died, or who killed him
    called = head(noun) in _TEXTS
    placed = analysis.answer_type == "location" and not asked
    if not nodes or not (asked or dated or called or placed or analysis.answer_type == "person"):
        return ()
    heads = kinds_of(context, np.array(nodes, np.int64))
    kinds = [_kinds(heads.get(n, frozenset()), head(noun)) for n in nodes]
    known = [k for n, k in zip(nodes, kinds, strict=True) if k or (asked == {"country"} and n in heads)]
    if called:  # where he was born, or what he does, is no "birth name", and no king is a nickname
        return (noun,) if known or head(noun) == "nickname" else ()  # which is a text, and no thing
    if analysis.answer_type == "person" and not asked:
        who = WHO | ({"country"} if _may_be_countries(context, analysis.topics) else set())
        return ("who",) if known and not any(k & who for k in known) else ()
    if placed:  # where somebody died is not where he is buried
        other = known and all(k <= _NO_PLACES for k in known)
        buried = "buried" in tokens(fold(analysis.question))
        end = {"death" if buried else "burial"} if buried or of_death(fold(analysis.question)) else set()
        if said and all(end and {"death", "burial"} & words == end for words in said):
            return ("buried" if buried else "where",)
        return ("where",) if other else ()
    if dated:  # an event says when something was, a person or a place does not
        return ("when",) if known and not any(k & DATED for k in known) else ()
    other = 2 * len(known) >= len(kinds) and not any(k & asked for k in known)
    return (noun or " or ".join(sorted(asked)),) if other or _leads_beyond(context, conclusion, nodes, asked) else ()


def _said_by_all(conclusion: Conclusion, noun: str) -> bool:
    """Return True if the last relation of every path names its objects by the noun.

    "Member of" does not name members, but read backward it does ("member of of").
    """
    said = [tokens(fold(e.path.hops[-1].text)) for e in conclusion.evidence if e.answers and e.path.hops]
    named = (words[-1] != "of" or words[-2:-1] == ["of"] for words in said)
    return bool(said) and all(family_stem(noun) in map(family_stem, words) for words in said) and all(named)


def _leads_beyond(context: Context, conclusion: Conclusion, ends: Sequence[int], asked: Collection[str]) -> bool:
    """Return True if paths pass things of the asked kind and end in others: the films' subjects are no films."""
    passed = {h.object.id for e in conclusion.evidence if e.answers for h in e.path.hops[:-1]} - set(ends)
    if not passed:
        return False
    known = context.entities(sorted({*passed, *ends}))
    fits = {n: bool(kinds_of_thing(e) & set(asked)) for n, e in known.items()}
    return all(fits[n] for n in passed) and not any(fits[n] for n in ends)


def _may_be_countries(context: Context, topics: Sequence[int]) -> bool:
    """Return whether all named things are events or countries: "who fought _", "who does _ trade with"."""
    known = context.entities(list(topics))
    return bool(known) and all({"event", "country"} & kinds_of_thing(e) for e in known.values())


def _kinds(heads: Collection[str], noun: str) -> frozenset[str]:
    """Return a noun's kinds; "which states" does not mean countries, and a city is no state."""
    kinds = frozenset[str]().union(*map(kinds_named, heads))
    other = "country" in kinds or ("city" in kinds and noun not in heads)
    return kinds - {"region"} if other else kinds
