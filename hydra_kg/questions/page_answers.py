"""Answer from stored pages and passages if the graph has no answer."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Exploration
from hydra_kg.extract.passages.likely_answers import said_share
from hydra_kg.extract.passages.open_question import open_question
from hydra_kg.extract.word_classes import PREPOSITIONS
from hydra_kg.language.lexicon import list_words
from hydra_kg.plan.model import Named, Related
from hydra_kg.questions.decision import MOST_OFFERED, can_be_given, check_outcome
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.listed_answers import noun_asked
from hydra_kg.steps.operators.relations.noun_filter import fit, kinds_of_thing
from hydra_kg.steps.reading import passage_reading
from hydra_kg.steps.reading.compare_pages import compare_pages
from hydra_kg.steps.reading.page_reading import PHASE, PageReading, fold_key, read_pages, says
from hydra_kg.steps.reading.passage_reading import PassageFinding
from hydra_kg.steps.retrieval.entity_types import AREAS, gender_of, kinds_named
from hydra_kg.strategies.base import Outcome
from hydra_kg.text.folding import fold, tokens

_DEFINES: Final = "is"
"""Relation between a page's subject and what the page says that it is."""

_EMPTY: Final = PREPOSITIONS | list_words("order_word rank")
_SOMEBODY: Final = frozenset({"person", "group"})

_WEAK: Final = 0.5
"""Confidence below which a path from texts alone gives way to the best sentence, whether or not that answers."""

_WEAKEST: Final = 0.25
"""Confidence below which an answer from texts alone is only offered as "Perhaps"."""

_HALF: Final = 0.5

_SURE: Final = 0.8
"""Confidence from which no sentence is looked for."""

_NAMESAKES: Final = 3
"""Most things with the name of a value whose kinds are looked up."""


def answer_from_pages(context: Context, outcome: Outcome) -> Outcome:
    """Return the outcome, or the answer of a sentence if nothing sufficed and no model reads.

    The page is asked first if only texts know the name.
    """
    if context.agent.reads or not context.settings.answering.read or "wiki" not in context.kinds:
        return outcome
    sufficient = outcome.judgement.sufficient and bool(outcome.conclusion.answers)
    alone = sufficient and _text_alone(outcome)
    refused = sufficient and not alone and not can_be_given(check_outcome(context, outcome))
    if sufficient and not (alone or refused or _may_list_more(outcome)):
        return outcome
    with context.phase(PHASE):
        found = read_pages(context, outcome.analysis, outcome.mentions)
        if found is not None and (_only_defines(context, outcome.analysis, found) or _says_nothing(outcome, found)):
            found = None
        found = _of_asked_kind(context, outcome, found) if found is not None else None
    if found is None:
        return _suppressed(context, outcome) if alone else outcome
    if sufficient and not (alone or refused or _lists_more(context, outcome, found)):
        return outcome
    nodes = context.entities(outcome.analysis.topics)
    topics = tuple(nodes[t].node for t in dict.fromkeys(outcome.analysis.topics))
    counts = {"pages": found.pages, "sentences": found.sentences}
    evidence = found.conclusion.evidence
    exploration = Exploration(PHASE, topics, outcome.analysis.indicator, 1, counts, evidence)
    return replace(
        outcome,
        conclusion=found.conclusion,
        judgement=found.judgement,
        explorations=(*outcome.explorations, exploration),
        read=True,
        planned=False,
        steps=(),
        unchecked=(),
    )


def _says_nothing(outcome: Outcome, found: PageReading | PassageFinding) -> bool:
    """Return True if somebody is asked for and a text relates them by a preposition, an order or a number: "before"."""
    hops = [e.path.hops[-1] for e in found.conclusion.evidence if e.answers and e.path.hops]
    words = (word for hop in hops for word in tokens(fold(hop.text)))
    person = outcome.analysis.answer_type == "person"
    return person and bool(hops) and all(word in _EMPTY or word.isdigit() for word in words)


def _may_list_more(outcome: Outcome) -> bool:
    """Return True if a question asks for one relation of one thing to others: "who was _ married to"."""
    plan = outcome.analysis.plan
    single = plan is not None and isinstance(plan.root, Related) and isinstance(plan.root.of, Named)
    single = single and outcome.analysis.answer_type != "location"  # born in "London, England" is one place
    return single and not outcome.planned and all(answer.node is not None for answer in outcome.conclusion.answers)


def _lists_more(context: Context, outcome: Outcome, found: PageReading) -> bool:
    """Return True if a text lists all answers of the graph, by any of their names, and more."""
    known = context.entities([a.node.id for a in outcome.conclusion.answers if a.node is not None])
    listed = {fold_key(answer) for answer in found.conclusion.answers}
    names = [{name.casefold() for name in (e.node.name, *e.aliases)} for e in known.values()]
    return len(names) < len(listed) and not any(listed.isdisjoint(called) for called in names)


def answer_from_passages(context: Context, outcome: Outcome) -> Outcome:
    """Return the outcome, or what the passages say that a search for the question's words finds.

    The answer of the best sentence is given if it is probable enough, and no graph has facts about what the question
    names: there, what is not stated is mostly not known. Otherwise, if the sentence fits the question, it is offered as
    "Perhaps" with its citation.
    """
    if context.agent.reads or not context.settings.answering.read or "wiki" not in context.kinds:
        return outcome
    given = can_be_given(outcome)
    if given and (outcome.judgement.confidence >= _SURE or not (outcome.read or _is_from_texts(outcome))):
        return outcome
    explored = _explored_graphs(outcome)
    if given and explored:
        return outcome
    with context.phase(passage_reading.PHASE):
        found = None if given else compare_pages(context)
        claim = outcome.analysis.answer_type == "claim"
        found = found or passage_reading.search_passages(context, outcome.mentions, strict=explored, claim=claim)
    if found is None and given and outcome.judgement.confidence < _WEAKEST:
        judgement = replace(outcome.judgement, sufficient=False)
        return replace(outcome, judgement=judgement, perhaps=outcome.conclusion.answers[:MOST_OFFERED])
    if (
        found is None
        or _says_nothing(outcome, found)
        or _is_of_other_gender(outcome, found)
        or (given and _is_better(context, outcome, found))
    ):
        return outcome
    if found.sentence is not None:
        page = found.sentence.path.passage
        said = AnswerValue(f"“{found.sentence.sentence}” ({page.title if page else ''})")
        evidence = (found.sentence, *outcome.conclusion.evidence)
        return replace(
            outcome,
            conclusion=replace(outcome.conclusion, evidence=evidence),
            judgement=replace(outcome.judgement, sufficient=False),
            perhaps=(said,),
        )
    nodes = context.entities(outcome.analysis.topics)
    topics = tuple(nodes[t].node for t in dict.fromkeys(outcome.analysis.topics))
    end = found.conclusion
    exploration = Exploration(
        passage_reading.PHASE, topics, outcome.analysis.indicator, 1, {"pages": found.passages}, end.evidence
    )
    return replace(
        outcome,
        conclusion=end,
        judgement=found.judgement,
        explorations=(*outcome.explorations, exploration),
        read=True,
        planned=False,
        steps=(),
        unchecked=(),
    )


def _explored_graphs(outcome: Outcome) -> bool:
    """Return True if facts of a graph about what the question names were explored."""
    explored = (e for exploration in outcome.explorations for e in exploration.evidence)
    return any(fact.source.kind == "kg" for e in explored for hop in e.path.hops for fact in hop.facts)


def _only_defines(context: Context, analysis: Analysis, found: PageReading) -> bool:
    """Return True if "who", or a question for a relation, is answered by the definition of an office, place or thing.

    Examples are "Who is the head of state of France?" and "What is there to do in Peoria?". What a person or a group is
    may be what they do. A definition meets no condition: "Who was president in 1944?".
    """
    relations = {e.path.hops[-1].predicate for e in found.conclusion.evidence}
    if not (analysis.answer_type == "person" or analysis.hints) or relations != {_DEFINES}:
        return False
    kinds = [kinds_of_thing(entity) for entity in context.entities(list(set(analysis.topics))).values()]
    return bool(analysis.conditions) or all(each and ("office" in each or not each & _SOMEBODY) for each in kinds)


def _of_asked_kind(context: Context, outcome: Outcome, found: PageReading) -> PageReading | None:
    """Drop names of other kinds, and values worded for the other gender.

    The kind of a thing without types is that of the explored relation that leads to it: a "league" is no stadium.
    """
    noun = noun_asked(outcome.analysis)
    end = found.conclusion
    if not noun or not end.answers:
        return found
    hits = context.snapshot.find([a.name for a in end.answers], limit=_NAMESAKES)
    other = set()
    for value, called in zip(end.answers, hits, strict=True):
        if not called and value.name.islower() and AREAS & kinds_named(noun):
            other.add(fold_key(value))  # "performances" are no country
        fits = fit(context, np.array([h.node for h in called], np.int64), noun)
        if fits is None or fits.right.any():
            continue
        led = _kinds_led_to(outcome, {h.node for h in called}) if not fits.other.any() else frozenset()
        if _is_adapted(context, {h.node for h in called}, noun):
            continue
        if fits.other.any() or (led and not led & kinds_named(noun)):
            other.add(fold_key(value))
    asked = gender_of(noun)
    said = {e.answers[0].name.casefold(): gender_of(e.path.hops[-1].text) for e in end.evidence}
    other |= {name for name, gender in said.items() if asked and gender and gender != asked}  # "his father Philip II"
    values = tuple(a for a in end.answers if fold_key(a) not in other)
    evidence = tuple(e for e in end.evidence if e.answers[0].name.casefold() not in other)
    return replace(found, conclusion=replace(end, answers=values, evidence=evidence)) if values else None


def _is_adapted(context: Context, nodes: Collection[int], noun: str) -> bool:
    """Return True if a kind of work is asked for and a work of another kind has the name: a film of the novel."""
    works = any("work" in kinds_of_thing(entity) for entity in context.entities(list(nodes)).values())
    return works and "work" in kinds_named(noun)


def _is_of_other_gender(outcome: Outcome, found: PassageFinding) -> bool:
    """Return True if the question asks for a mother, and the sentence that answers does not say the word."""
    noun = noun_asked(outcome.analysis)
    said = " ".join(e.sentence for e in found.conclusion.evidence).casefold()
    return bool(noun and said and gender_of(noun)) and noun.casefold() not in said


def _is_better(context: Context, outcome: Outcome, found: PassageFinding) -> bool:
    """Return True if an answer is surer than the passages', or rests on words of the question where they have none."""
    if found.sentence is None:
        contested = {a.name for a in found.conclusion.answers} if found.conclusion.dissent else set()
        is_contested = not contested.isdisjoint(
            a.name for a in outcome.conclusion.answers
        )  # texts disagree about the answer
        return not is_contested and outcome.judgement.confidence >= found.judgement.confidence
    if outcome.judgement.confidence < _WEAK:
        return False
    question = open_question(context.question)
    said = " ".join(f"{e.path.text} {e.sentence}" for e in outcome.conclusion.evidence)
    return question is None or said_share(question, said) >= _HALF


def _is_from_texts(outcome: Outcome) -> bool:
    """Return True if all facts of the conclusion are from texts. Unsure answers without facts count as well."""
    facts = [f for e in outcome.conclusion.evidence for h in e.path.hops for f in h.facts]
    return all(f.source.kind == "wiki" for f in facts) and (facts != [] or outcome.judgement.confidence < _WEAK)


def _kinds_led_to(outcome: Outcome, nodes: Collection[int]) -> frozenset[str]:
    """Return the kinds that the relations of explored single hops to some things name."""
    paths = [e for x in outcome.explorations for e in x.evidence if len(e.path.hops) == 1 and e.path.hops[0].facts]
    said = (e.path.hops[0].text for e in paths if any(n.id in nodes for n in e.answers))
    return frozenset().union(*map(kinds_named, said))


def _text_alone(outcome: Outcome) -> bool:
    """Return whether the question is about one thing and all facts that were found are from texts."""
    paths = [e.path for x in outcome.explorations for e in x.evidence]
    paths += [e.path for e in outcome.conclusion.evidence]
    facts = [f for p in paths for h in p.hops for f in h.facts]
    return len(set(outcome.analysis.topics)) == 1 and all(f.source.kind == "wiki" for f in facts)


def _suppressed(context: Context, outcome: Outcome) -> Outcome:
    """Return the outcome, without an answer if its relation or sentence does not say what is asked."""
    first = outcome.conclusion.evidence[:1]
    relations = [e.sentence or e.path.hops[-1].text for e in first if e.sentence or e.path.hops]
    if relations and all(says(context.question, outcome.mentions, relation) for relation in relations):
        return outcome
    return replace(outcome, judgement=replace(outcome.judgement, sufficient=False, confidence=0.0))
