"""Answer from the user's own data: by a query over columns, by a path in the words of its schema, or with yes or no."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Mention
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.extract.word_classes import BE, DO, HAVE, VERB, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.language.number_words import ordinal_number
from hydra_kg.language.tokens import split_identifier
from hydra_kg.plan.model import Compare, Count, FileOrder, Plan, Related, Some
from hydra_kg.plan.walk import parts
from hydra_kg.questions.plan_outcome import plan_outcome
from hydra_kg.steps.answering.disagreement import add_disagreement
from hydra_kg.steps.composed_queries.row_statements import read_absence, read_truth
from hydra_kg.steps.composed_queries.table_differences import is_difference, read_difference
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.own_names import SpelledQuestion, spelled
from hydra_kg.steps.operators.results.executed_plan import Executed
from hydra_kg.steps.operators.values.attributes import of_death, of_life
from hydra_kg.steps.own_graphs.mixed_units import explain_mixed_units
from hydra_kg.steps.own_graphs.relation_roles import states_converse
from hydra_kg.steps.queries.drafting.answer_kinds import lacks_own_value
from hydra_kg.steps.queries.table_answers import executed, explain_missing, read_tables, table_view
from hydra_kg.steps.retrieval.entity_types import WHO, kinds_named
from hydra_kg.steps.schema.answer_class import is_asked_kind, is_of_other_kind, members_called
from hydra_kg.steps.schema.question_words import WHETHER, asked
from hydra_kg.steps.schema.schema_answers import read_in_own_words
from hydra_kg.steps.sheets.sheet_answers import read_sheet, weigh_sheet
from hydra_kg.steps.tables.graph_tables import is_of_people
from hydra_kg.steps.tables.operation_words import asks_rank
from hydra_kg.steps.tables.rate_periods import explain_other_period
from hydra_kg.steps.tables.repeated_rows import read_merged_rows, repetition_doubt
from hydra_kg.steps.tables.row_labels import row_label
from hydra_kg.steps.tables.span_meanings import same
from hydra_kg.steps.tables.unexplained_words import needs_two_rows, passes_over_a_choice
from hydra_kg.strategies.base import Outcome
from hydra_kg.text.folding import fold, tokens

PHASE = "words"
MOST_RELATIONS = 300
MOST_THINGS = 100_000
"""Largest size of a graph that is read as columns, unless it is made of tables."""

_FREE: Final = list_words("free_in_tables many here")
_LIVED: Final = frozenset("live lived alive".split())

_Reader = Callable[[SpelledQuestion, Context], tuple[Executed | None, bool]]
"""Function that returns the result of a reading, and whether it reads one cell."""


def answer_by_columns(
    context: Context, graph: OwnGraph, mentions: tuple[Mention, ...], analysis: Analysis
) -> Outcome | None:
    """Answer by a query over columns: rows that meet conditions, counted, computed, grouped or ordered.

    Read graphs made of tables, and other small graphs, whose classes and relations are tables and columns.
    """

    def read(said: SpelledQuestion, asking: Context) -> tuple[Executed | None, bool]:
        return _read_columns(said, asking, sheets=graph.tabular)

    if not has_columns(graph):
        return None
    return _answer(context, graph, mentions, analysis, read)


def answer_by_schema_words(
    context: Context, graph: OwnGraph, mentions: tuple[Mention, ...], analysis: Analysis
) -> Outcome | None:
    """Answer by a path in the words of the data's own classes, relations and names."""

    def read(said: SpelledQuestion, asking: Context) -> tuple[Executed | None, bool]:
        lows = tokens(said.text)
        only = any(one == "only" and (kind(low) == VERB or low.endswith("ed")) for one, low in pairwise(lows))
        material = lows[:1] == ["what"] and lows[-2:] == ["made", "of"]  # what it is made of: not what was made of it
        years = any(low == "or" and (lows[k - 1] + lows[k + 1]).isdigit() for k, low in enumerate(lows[1:-1], 1))
        done = None if only or material or years else read_in_own_words(said.graph, asking)
        return (None if done is not None and _shows_others(graph, lows, done) else done), False

    return _answer(context, graph, mentions, analysis, read)


def answer_yes_or_no(
    context: Context, graph: OwnGraph, mentions: tuple[Mention, ...], analysis: Analysis
) -> Outcome | None:
    """Answer yes or no: whether the named row has the named values."""
    asks_truth = analysis.answer_type == "claim" or WHETHER.match(context.question) is not None
    if not asks_truth or not has_columns(graph):
        return None

    def read(said: SpelledQuestion, asking: Context) -> tuple[Executed | None, bool]:
        compared = replace(asking, question=_compare_with_other(said.text, mentions))
        absent = read_absence(said.graph, compared)
        return absent or (None if said.unknown else read_truth(said.graph, compared)), False

    return _answer(context, graph, mentions, analysis, read)


def _answer(
    context: Context, graph: OwnGraph, mentions: tuple[Mention, ...], analysis: Analysis, read: _Reader
) -> Outcome | None:
    """Return the outcome of a reading. Return None if it ignores words of the question.

    It has no answer if the question has an unknown name ("aspirin"). Only the reading as one cell may ignore such a
    name, because it lists the name as unchecked.
    """
    with context.phase(PHASE):
        said = spelled(context, graph, mentions)
        if said is None:
            return None
        if reason := _explain_advice(said.text) or explain_mixed_units(said.graph, said.text):
            unanswered = Executed(reason=reason, decided=True)
            return plan_outcome(context, said.mentions, analysis, unanswered, phase=PHASE, counts={"answers": 0})
        done, is_cell = read(said, replace(context, question=said.text))
    if _missing(done) is not None and done is not None and not said.unknown:
        return plan_outcome(context, said.mentions, analysis, done, phase=PHASE, counts={"answers": 0})
    if done is None or not done.conclusion.answers or _repeats_question(done, said.text):
        return None
    if not is_asked_kind(asked(said.text), done.conclusion.answers) or _is_on_the_way(analysis.plan, done.in_doubt):
        return None
    if analysis.answer_type == "claim" and not _states_truth(done.conclusion.answers):
        return None
    if is_of_other_kind(graph, asked(said.text), done.conclusion.answers) or _is_turned_round(said.text, done):
        return None
    if _compares_by_file_order(analysis.plan, done):
        return None
    if _is_coded_event(graph, said.text, done) or _is_of_a_life(said.text, done) or _is_no_place(said.text, done):
        return None
    if _leaves_out_a_place(done, said.text) or (graph.tabular and _describes_people(context, said, done)):
        return None
    if done.in_doubt and add_disagreement(context, done.conclusion).dissent:
        return None  # the strategy weighs what sources state
    if _leaves_out_all(said.text, done) or (graph.read_in_texts and done.in_doubt):
        return None
    is_said = isinstance(done.query, Some) or (is_cell and any(said.unknown in text for text in done.in_doubt))
    if said.unknown and not is_said:
        done = Executed(reason=f"nothing in the data is called “{said.unknown}”", decided=True)
    if reason := explain_other_period(said.text, [h.text for e in done.conclusion.evidence for h in e.path.hops]):
        done = Executed(reason=reason, decided=True)
    columns = table_view(graph, context) if has_columns(graph) else None  # of a large graph it takes long to make
    if columns is not None and (reason := lacks_own_value(columns, said.text, done.conclusion.evidence)):
        done = Executed(reason=reason, decided=True)
    counts = {"answers": len(done.conclusion.answers)}
    done = _with_row_labels(context, said.graph, done)
    return plan_outcome(context, said.mentions, analysis, done, phase=PHASE, counts=counts)


def _shows_others(graph: OwnGraph, lows: Sequence[str], done: Executed) -> bool:
    """Return True if the things that are asked for are not shown: meals, of "restaurants serving the same".

    They are members of a class that a phrase begins with, or have the value behind "which": which *galaxy*.
    """
    described = lows[1:2] and (lows[1] in ("that", "whose", "with") or lows[1].endswith("ing"))
    members = members_called(graph, singular(lows[0])) if described else None
    if lows[:1] in (["which"], ["what"]) and (values := graph.names.get(singular(lows[1] if lows[1:] else ""))):
        holders = [r.back.leads(np.array(values, np.int64)) for r in graph.relations if r.literal]
        members = np.concatenate(holders) if holders else None
    shown = [graph.place_of(a.node.id) for a in done.conclusion.answers if a.node is not None]
    other = members is not None and len(members) and not {*shown} & {*members.tolist()}
    return bool(other) and not _states_truth(done.conclusion.answers)


def counts_others(graph: OwnGraph, plan: Plan | None, outcome: Outcome) -> bool:
    """Return True if no member of the class that is counted is in the evidence: how many letters Ann wrote."""
    counted = plan.root.of if plan is not None and isinstance(plan.root, Count) else None
    noun = counted.noun if isinstance(counted, Related) else ""
    members = members_called(graph, singular(noun)) if noun else None
    hops = [h for e in outcome.conclusion.evidence for h in e.path.hops]
    places = {graph.place_of(node.id) for h in hops for node in (h.subject, h.object)}
    return members is not None and bool(hops) and places.isdisjoint(members.tolist())


def _compare_with_other(question: str, mentions: Sequence[Mention]) -> str:
    """Return "Are A and B in the same room?" as "Are A in the same room as B?", other questions as they are."""
    one, _, rest = question.rstrip("? ").partition(" and ")
    words = f"{rest} ".casefold()
    if " same " not in words or " as " in words or not {one.partition(" ")[0].casefold()} <= BE | DO | HAVE:
        return question
    names = [m.text for m in mentions if words.startswith(f"{m.text.casefold()} ")]
    other = max(names, key=len, default="")
    return f"{one}{rest[len(other) :]} as {other}?" if other else question


def _is_turned_round(question: str, done: Executed) -> bool:
    """Return True if a yes rests on the converse of what is asked: Ann founded by Acme, on Acme founded by Ann."""
    paths = [e.path for e in done.conclusion.evidence if len(e.path.hops) == 1]
    yes = [a.name for a in done.conclusion.answers] == ["yes"]
    return yes and bool(paths) and all(states_converse(question, path.hops[0]) for path in paths)


def _compares_by_file_order(plan: Plan | None, done: Executed) -> bool:
    """Return True if "Who is older, Ann or Bob?" is answered with the one whose row comes first in the file."""
    compares = plan is not None and isinstance(plan.root, Compare)
    return compares and done.query is not None and any(isinstance(p, FileOrder) for p in parts(done.query))


def _leaves_out_a_place(done: Executed, question: str) -> bool:
    """Return True if several answers, or a superlative, leave out an ordinal: all ranks for "ranks second"."""
    doubted = (word for text in done.in_doubt for word in tokens(text))
    several = len(done.conclusion.answers) > 1 or asks_rank(tokens(question))
    return several and any(map(ordinal_number, doubted))


def _leaves_out_all(question: str, done: Executed) -> bool:
    """Return True if an answer explains no content word: a column of people for "Who is the treasurer?"."""
    doubted = {word for text in done.in_doubt for word in tokens(text)}
    return doubted != set() and doubted >= set(tokens(question)) - _FREE


def _explain_advice(question: str) -> str:
    """Return why a question for advice has no answer in data: "What should I buy?"; "" for other questions."""
    said = set(tokens(question))
    return "the data state facts, not what anybody should do" if "should" in said and said & {"i", "we"} else ""


def _with_row_labels(context: Context, graph: OwnGraph, done: Executed) -> Executed:
    """Return a result whose answers that are rows without names are called by their key values."""
    if not graph.tabular or not any(a.node is not None and a.name == a.node.key for a in done.conclusion.answers):
        return done
    view = table_view(graph, context)
    places = [None if a.node is None else graph.place_of(a.node.id) for a in done.conclusion.answers]
    answers = tuple(
        a if place is None else replace(a, name=row_label(view, place))
        for a, place in zip(done.conclusion.answers, places, strict=True)
    )
    return replace(done, conclusion=replace(done.conclusion, answers=answers))


def _states_truth(answers: Sequence[AnswerValue]) -> bool:
    """Return True if answers say whether a claim is true: "Omar Haddad holds plot A2." is not answered by 40."""
    return all(a.node is None and a.name in ("yes", "no", "true", "false") for a in answers)


def _read_columns(said: SpelledQuestion, asking: Context, *, sheets: bool) -> tuple[Executed | None, bool]:
    """Read a difference, or else a query over columns, which may give way to a reading of whole sheets."""
    reading, done = None, None
    if is_difference(said.text):
        done = read_difference(said.graph, asking)
    else:
        reading = read_tables(said.graph, asking)
        if reading is not None and not said.unknown and passes_over_a_choice(reading.view, reading.query, said.text):
            reading = None
        if reading is not None and needs_two_rows(reading.view, reading.query, said.text):
            reading = None
        if reading is not None and not reading.result:
            done = Executed(reason=explain_missing(reading), decided=True)
        elif reading is not None:
            done = executed(asking, reading)
    if done is not None and _repeats_question(done, said.text):
        done = None
    is_cell = reading is not None and reading.query.is_cell
    beyond = reading is not None and (reading.query.holds_today or reading.query.beyond_sheets)  # what no sheet knows
    sheet = read_sheet(said.graph, asking) if sheets and not beyond else None
    if sheet is not None:
        kind = "" if reading is None else "cell" if is_cell else reading.query.do
        done = weigh_sheet(asking, done, sheet, kind=kind, unknown=bool(said.unknown)) or _missing(done)
    if done is not None and reading is not None and sheets and done.conclusion.answers:
        merged = asking.once("merged rows", lambda: read_merged_rows(asking.stored.predicates()))
        doubts = repetition_doubt(reading.view, reading.query, reading.result, merged)
        done = replace(done, repeated=(*done.repeated, *doubts))
    return done, is_cell


def _missing(done: Executed | None) -> Executed | None:
    """Return a result that only states which value is missing, None for others."""
    return done if done is not None and done.decided and done.reason else None


def _repeats_question(done: Executed, question: str) -> bool:
    """Return True if every answer is a thing that the question names, and the question offers no choice.

    "Who is the sponsor of Petra Vogel?" is not answered by Petra Vogel.
    """
    low = f" {' '.join(tokens(question))} "
    answers = done.conclusion.answers
    named = all(a.node is not None and f" {' '.join(tokens(a.name))} " in low for a in answers)
    return " or " not in low and bool(answers) and named


def _is_coded_event(graph: OwnGraph, question: str, done: Executed) -> bool:
    """Return True if "who" or "where" is answered by rows that have codes for names: S1, shipment 4.

    A code that a row refers to, such as a berth, may be a place. A word that is no class is part of a name: Citizen 77.
    A row that is called by what it is and its number, such as session 3, is nobody, unless it is a person.
    """
    first = set(tokens(question)[:2])
    person = not {"who", "whom"}.isdisjoint(first)
    if not (person or "where" in first):
        return False
    hops = [h for e in done.conclusion.evidence for h in e.path.hops]
    ends = {(h.object if h.forward else h.subject).id for h in hops}
    kinds = {singular(word) for name in graph.classes for word in tokens(" ".join(split_identifier(name)))}
    return all(
        a.node is not None
        and (a.node.id not in ends or (person and not kinds_named(a.name.rpartition(" ")[0]) & WHO))
        and a.name[-1:].isdigit()
        and all(len(w) < 3 or any(map(str.isdigit, w)) or singular(w) in kinds for w in tokens(a.name))
        for a in done.conclusion.answers
    )


def _is_of_a_life(question: str, done: Executed) -> bool:
    """Return True if a birth or a death answers "when" of something else: when Clara Wynn painted Pithead."""
    said = tokens(question)
    if said[:1] != ["when"] or not _LIVED.isdisjoint(said) or of_life(" ".join(said)) or of_death(" ".join(said)):
        return False
    return any(of_life(e.path.hops[-1].text) for e in done.conclusion.evidence if e.path.hops)


def _is_no_place(question: str, done: Executed) -> bool:
    """Return True if "where" is answered by common nouns of a relation that is not called like a place: cheese."""
    names = [a.name for a in done.conclusion.answers]
    if tokens(question)[:1] != ["where"] or not all(name.isalpha() and name.islower() for name in names):
        return False
    texts = [e.path.hops[-1].text for e in done.conclusion.evidence if e.path.hops]
    called = (word for text in texts for word in split_identifier(text))
    return bool(texts) and all(same("locate", word) == 1 for word in called)


def _describes_people(context: Context, said: SpelledQuestion, done: Executed) -> bool:
    """Return True if "who" is not answered by people, or "where" is.

    A level of a diver says what people are like; the question must name its column. "Who sold the most plants?" is not
    answered by the plants.
    """
    asking, view = tokens(said.text), table_view(said.graph, context)
    answers = {a.node.id for a in done.conclusion.answers if a.node is not None}
    if asking[:1] not in (["who"], ["whom"], ["where"]) or len(answers) < len(done.conclusion.answers):
        return False

    def is_person(one: int) -> bool:
        place = said.graph.place_of(one)
        return place is not None and any(view.within[table][place] for table in view.people)

    if any(map(is_person, answers)) or asking[0] == "where":
        return asking[0] == "where" and all(map(is_person, answers))
    nouns = {singular(word) for word in asking[2:]} if not BE & {*asking[1:2]} else set()
    others = [t for t in view.tables if t.place not in view.people and any(name[-1] in nouns for name in t.names)]
    places = [said.graph.place_of(one) for one in answers]
    if view.people and all(p is not None and any(view.within[t.place][p] for t in others) for p in places):
        return True
    hops = [h for e in done.conclusion.evidence for h in e.path.hops if answers & {h.subject.id, h.object.id}]
    for hop in hops:
        name = [singular(word.casefold()) for word in split_identifier(hop.text)]
        fits = is_of_people(name) or any(same(one, word) < 1 for word in name for one in asking)
        if fits or not is_person(hop.subject.id):
            return False
    return bool(hops)


def _is_on_the_way(plan: Plan | None, in_doubt: Sequence[str]) -> bool:
    """Return True if a reading ends before the place or time that is asked for.

    The director of Salt is no answer to "Where was the director of Salt born?".
    """
    root = plan.root if plan is not None else None
    if not isinstance(root, Related) or not isinstance(root.of, Related) or root.noun:
        return False
    if not root.phrase.startswith(("where ", "when ")):
        return False
    return not set(tokens(root.phrase)).isdisjoint(w for text in in_doubt for w in tokens(fold(text)))


def has_columns(graph: OwnGraph) -> bool:
    """Return True if a graph is read as columns: it is made of tables, or small enough."""
    return graph.tabular or (len(graph.relations) <= MOST_RELATIONS and len(graph.ids) <= MOST_THINGS)


READERS: Final = (answer_by_columns, answer_yes_or_no, answer_by_schema_words)
"""The readers of the user's own data, in the order in which they are asked."""
