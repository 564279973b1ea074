"""Decide what is said about an outcome: an answer, a partial answer, values that may be right, or nothing.

This is the only module that decides. The others of this package propose outcomes, or report observations:
`coverage` reports conditions that are not met, `doubt` what an outcome may not say, `present_time` words for now,
and `abstention` values of the asked type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from hydra_kg.citations import label_of, not_checked, sentence_for
from hydra_kg.domain import UNSURE, AnswerValue, Verdict
from hydra_kg.execution.own_graph import is_own
from hydra_kg.extract.word_classes import PREPOSITIONS
from hydra_kg.language.morphology import family_stem
from hydra_kg.language.relation_phrases import suggest_relations
from hydra_kg.language.tokens import fold_words
from hydra_kg.phrases import phrase
from hydra_kg.questions.abstention import values_of_asked_type
from hydra_kg.questions.calibration import calibrate
from hydra_kg.questions.coverage import ASKING
from hydra_kg.questions.doubt import Limit, Observation, observe
from hydra_kg.questions.present_time import is_no_holder, leaves_holder_open, present_words, undated_office
from hydra_kg.settings import Settings
from hydra_kg.steps.answering.answer_support import stated
from hydra_kg.steps.answering.count_and_boolean import truth
from hydra_kg.steps.answering.disagreement import add_disagreement
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.steps.crosscheck.text_against_graph import rests_on_text
from hydra_kg.steps.linking.unmatched_words import own_data_reason, unknown_words
from hydra_kg.steps.schema.graph_choice import own_graph
from hydra_kg.steps.verification.verify import contested_confidence, opposed, verdict
from hydra_kg.strategies.base import Outcome
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass, replace

PARTIAL_FROM: Final = 0.3
"""Least confidence of an answer with an unmet condition that is given as partial."""

_UNPLANNED_FROM: Final = 0.2
"""The same of an answer in doubt to a question that has no plan: below it, 2 of 14 were right on development sets."""

_UNRELATED_FROM: Final = 0.25
"""The same, with or without a plan, if no relation of its path has a word of the question: "country" of a shoe."""

_PART: Final = 4  # letters that a part of a compound has more than

LEAST_PROBABLE: Final = 0.3
"""Confidence that an answer must exceed to be offered as "Perhaps".

For webqsp_train, about half of those above it were right, and one in ten below it.
"""

MOST_OFFERED: Final = 3
"""Most answers that are offered as "Perhaps"."""

_UNMET: Final = 0.5  # factor of confidence where a condition is not met
_LIMITS: Final[Mapping[Limit, float]] = {"": 1.0, "lacking": 0.7, "doubtful": 0.45}
"""Most confidence in an answer that missing facts would change, and in one that may not say a part of the question."""


_CHOOSING: Final = re.compile(r"(?!.*\b(?:1\d|20)\d\d\b).*\d.*|both|.*(?:\w\w+est|most|least|first|last|final)\b.*")
"""Numbers and orders: they choose among several things, and leave one or none. Another year is another answer."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about an outcome: the fields of the public answer that depend on it."""

    answers: tuple[AnswerValue, ...]
    verdict: Verdict
    agreement: float
    amount: float
    confidence: float
    unchecked: tuple[str, ...]
    missing: str
    perhaps: tuple[AnswerValue, ...]
    checked: str
    """What was checked of an answer from a single source of the user's own data."""
    note: str
    """Why answers of a model are not given, "" if they are."""


def check_outcome(context: Context, outcome: Outcome) -> Outcome:
    """Return the outcome with its unmet and doubtful conditions, and with the confidence that they allow."""
    if not context.agent.reads:  # a model that reads has weighed the sides itself
        outcome = replace(outcome, conclusion=add_disagreement(context, outcome.conclusion))
    checked = _weigh(context, outcome, observe(context, outcome))
    checked = _explained(context, checked)
    if checked.repeated:
        checked = _limited(replace(checked, in_doubt=(*checked.in_doubt, *checked.repeated)), "lacking")
    if is_no_holder(checked):
        missing = "nothing that the sources state says who holds this office"
        return replace(checked, judgement=replace(checked.judgement, sufficient=False, confidence=0.0, missing=missing))
    now = () if outcome.without_model else undated_office(checked) or present_words(checked)
    if now and leaves_holder_open(checked):
        missing = "no date is stated that says who holds this office now"
        probable = checked.judgement.confidence > LEAST_PROBABLE
        judgement = replace(checked.judgement, sufficient=False, missing=missing)
        perhaps = checked.conclusion.answers[:MOST_OFFERED] if probable else ()
        return replace(checked, judgement=judgement, unchecked=now, perhaps=perhaps)
    return _limited(replace(checked, in_doubt=(*checked.in_doubt, *now)), "doubtful") if now else checked


def _explained(context: Context, outcome: Outcome) -> Outcome:
    """Return the outcome of a path over own data with the words of the question that the data do not know.

    An unknown noun for another thing is unmet if the path has fewer steps than the question has such nouns. For
    example, the children are no answer to "What is the nation of Ada's children?". Other unknown words are in doubt.
    """
    graph = own_graph(context) if context.settings.answering.own_words else None
    by_path = not (outcome.planned or outcome.steps or outcome.recalled or outcome.read or context.agent.reads)
    if graph is None or not by_path or not outcome.conclusion.answers or outcome.unchecked:
        return outcome
    steps = max((len(e.path.hops) for e in outcome.conclusion.evidence if e.answers), default=0)
    relational, others, nouns = unknown_words(context, graph)
    if relational and steps < nouns:
        return replace(outcome, unchecked=relational)
    if _names_its_relations(context.question, outcome):
        return outcome  # "Which port does the ship leave from?": the verb adds nothing to the port
    new = tuple(text for text in others if not any(text in said or said in text for said in outcome.in_doubt))
    return _limited(replace(outcome, in_doubt=(*outcome.in_doubt, *new)), "doubtful") if new else outcome


def _names_its_relations(question: str, outcome: Outcome) -> bool:
    """Return True if a question says every word of the relations that lead to its answers."""
    said = {family_stem(word) for word in fold_words(question)}
    hops = [hop for e in outcome.conclusion.evidence if e.answers for hop in e.path.hops]
    return bool(hops) and all({family_stem(word) for word in fold_words(hop.text)} <= said for hop in hops)


def _weigh(context: Context, outcome: Outcome, seen: Observation) -> Outcome:
    """Return the outcome with what was seen of it; an explored path whose relation fits too badly is refused."""
    unmet, doubtful = (seen.doubtful, ()) if seen.leaves_a_choice else (seen.unmet, seen.doubtful)
    explored = bool(outcome.explorations) and seen.limit == "doubtful" and not outcome.read  # baselines judge nothing
    behind = explored and bool(outcome.judgement.missing) and not context.agent.reads
    sufficient = outcome.judgement.sufficient and not (seen.refuted or behind)
    judgement = replace(outcome.judgement, sufficient=sufficient)
    outcome = replace(outcome, conclusion=seen.conclusion, judgement=judgement, unchecked=unmet, in_doubt=doubtful)
    return _limited(outcome, seen.limit if doubtful else "")


def _limited(outcome: Outcome, limit: Limit) -> Outcome:
    judgement = replace(outcome.judgement, confidence=min(outcome.judgement.confidence, _LIMITS[limit]))
    return replace(outcome, judgement=judgement)


def can_be_given(outcome: Outcome, unmet: tuple[str, ...] | None = None) -> bool:
    """Return True if the outcome's answers can be given, as partial if conditions are unmet.

    With unmet conditions, only a single answer is given, and only if it is sure enough and the conditions are a number
    or an order, which had nothing to choose from. An answer that ignores a negation or a comparison is never
    given. A claim is not called true if one of its conditions was not checked. A doubtful answer to a question that has
    no plan must be a little likely.
    """
    unmet = outcome.unchecked if unmet is None else unmet
    if not (outcome.judgement.sufficient and outcome.conclusion.answers):
        return False
    if outcome.read and len(outcome.conclusion.answers) < outcome.analysis.wanted:
        return False  # a sentence with one name does not say "the five boroughs"
    if outcome.in_doubt and outcome.judgement.confidence < _UNRELATED_FROM:
        unplanned = outcome.analysis.plan is None and outcome.judgement.confidence < _UNPLANNED_FROM
        if unplanned or not _shares_a_word(outcome):
            return False
    if unmet and truth(outcome.analysis, outcome.conclusion.answers) == "true":
        return False
    is_single = outcome.judgement.confidence >= PARTIAL_FROM and len(outcome.conclusion.answers) == 1
    return not unmet or (is_single and all(map(_CHOOSING.fullmatch, unmet)))


def _shares_a_word(outcome: Outcome) -> bool:
    """Return True if a relation that leads to an answer has a word of the question, or of a known wording of it.

    A question that has no words but names and question words ("Where is Paris?") has none to share.
    """
    hops = [hop for e in outcome.conclusion.evidence if e.answers for hop in e.path.hops]
    question = fold(outcome.analysis.question)
    known = [wording for group in suggest_relations(question, "question") for wording in group]
    texts = (question, " ".join((question, *known)), " ".join(hop.text for hop in hops))
    own, asked, said = (
        {family_stem(word) for word in fold_words(text) if word not in ASKING | PREPOSITIONS} for text in texts
    )
    own -= {family_stem(word) for mention in outcome.mentions for word in fold_words(mention.text)}
    compound = any(word.startswith(part) for word in asked for part in said if len(part) > _PART)  # birth in "birthday"
    return not (hops and own) or compound or not asked.isdisjoint(said)


def sources_state(outcome: Outcome, settings: Settings) -> bool:
    """Return True if sources state a model's answer, or if strategy or settings leave it to the model."""
    if outcome.recalled or outcome.without_model or settings.model.alone:
        return True
    if outcome.planned and outcome.conclusion.computation:
        return True  # a computed value is on no path: it rests on the facts of its operators
    explored = (e for x in outcome.explorations for e in x.evidence)
    names = {m.text for m in outcome.mentions}
    return stated(outcome.analysis, outcome.conclusion, explored, names=names)


def explain_silence(context: Context, outcome: Outcome) -> Outcome:
    """Add the values that may be right and the reason why there is no answer. Keep outcomes with a checked answer."""
    judgement = outcome.judgement
    answered = bool(judgement.sufficient and outcome.conclusion.answers)
    if answered and not outcome.unchecked:
        return outcome
    probable = context.settings.answering.plan and judgement.confidence > LEAST_PROBABLE
    perhaps = outcome.perhaps or (values_of_asked_type(context, outcome)[:MOST_OFFERED] if probable else ())
    outcome = replace(outcome, perhaps=perhaps)
    if answered or context.agent.reads or (outcome.planned and judgement.missing):
        return outcome
    reason = own_data_reason(context, unchecked=outcome.unchecked) or _with_what_is_stated(outcome)
    return replace(outcome, judgement=replace(judgement, missing=reason)) if reason else outcome


def _with_what_is_stated(outcome: Outcome) -> str:
    """Return the reason for silence with the nearest relations that are stated of the named thing, or ""."""
    if outcome.unchecked and outcome.judgement.sufficient:
        return ""
    missing = outcome.judgement.missing or "no source states this"
    explored = [e for x in outcome.explorations for e in x.evidence]
    names = {m.chosen.node.id: m.chosen.node.name for m in outcome.mentions if m.chosen is not None}
    if len(names) != 1:
        return missing
    ranked = sorted((e for e in explored if e.path.hops), key=lambda e: -e.scores.relevance)
    near = (hop for e in ranked if (hop := e.path.hops[0]).subject.id in names and hop.forward)
    factual = (hop for hop in near if any(f.source.kind != "wiki" for f in hop.facts))  # texts have no relations
    stated = list(dict.fromkeys(phrase(hop.predicate, hop.text) for hop in factual))[:MOST_OFFERED]
    if any(f"“{relation}”" in missing for relation in stated):  # stated, but not of the kind that is asked for
        missing = "nothing that the sources state about the names of the question answers it"
    return (
        f"{missing}. Of {label_of(next(iter(names.values())))} they state: {', '.join(stated)}" if stated else missing
    )


def decide(outcome: Outcome, settings: Settings, *, by_model: bool, noted: bool) -> Decision:
    """Decide about a checked outcome. ``by_model``: a model judged it. ``noted``: something went wrong on the way."""
    end, confidence = outcome.conclusion, outcome.judgement.confidence
    answers = end.answers if can_be_given(outcome) else ()
    note = ""
    if answers and by_model and not sources_state(outcome, settings):
        note = f"The model says {sentence_for(answers)}, but no source states that of what was asked."
        answers = ()
    opinion = verdict(end.supporting, end.opposing) if answers else verdict({}, {})
    if answers and (outcome.unchecked or outcome.in_doubt) and opinion[0] in ("supported", "single-source"):
        opinion = ("partial", *opinion[1:])
    if answers and end.evidence and not any(e.path.checked for e in end.evidence):
        confidence = min(confidence, UNSURE / 2)
    if answers and outcome.unchecked:
        confidence = round(confidence * _UNMET, 4)
    left = _confidence_left(confidence, end, opinion)
    if answers and left == confidence and not outcome.judgement.by_model:
        left = calibrate(confidence)  # what sources differ on is as probable as their shares say
    perhaps = () if answers or noted or note else outcome.perhaps
    silent = outcome.unchecked if perhaps else ()
    missing = outcome.judgement.missing or not_checked(outcome.unchecked).removesuffix(".")
    return Decision(
        answers,
        opinion[0],
        round(opinion[1], 6),
        round(opinion[2], 6),
        left,
        (*outcome.unchecked, *outcome.in_doubt) if answers else silent,
        "" if answers else missing,
        perhaps,
        _checked(outcome) if opinion[0] == "single-source" else "",
        note,
    )


def _checked(outcome: Outcome) -> str:
    """Return how an answer from the user's own data was found, or "" for other answers.

    A query over own data accounts for every word of the question; other words are unmet or doubtful.
    """
    hops = [h for e in outcome.conclusion.evidence for h in e.path.hops]
    predicates = {p.removeprefix("^") for h in hops for p in h.predicate.split("./")}
    if outcome.query is None or not outcome.steps or not predicates or not all(map(is_own, predicates)):
        return ""
    table = outcome.conclusion.table
    rows = len(table.rows) if table is not None else outcome.steps[-1].before or outcome.steps[-1].after
    return f"all words matched; {rows:,} {'row' if rows == 1 else 'rows'}"


def _confidence_left(confidence: float, end: Conclusion, opinion: tuple[Verdict, float, float]) -> float:
    """Return the confidence that an opinion on the conclusion leaves.

    ``opinion`` is the verdict, the agreement of the sources and their amount.
    """
    if opinion[2] and any(f.stance == "differs" for f in end.findings):
        return opposed(confidence, opinion[1])
    return contested_confidence(confidence, opinion) if end.sentence or rests_on_text(end) else confidence
