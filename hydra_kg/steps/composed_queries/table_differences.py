"""Differences: two questions about tables, and how far the numbers or dates that answer them are apart.

Examples: "How many more gas plants than hydro plants are there?", "How many days passed between the admission and the
discharge of Nina?", "How old was Nina when she was admitted?".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hydra_kg.execution.graph_columns import Denotation
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.execution.value_differences import subtract, subtract_years
from hydra_kg.extract.word_classes import PREPOSITIONS
from hydra_kg.plan.model import Difference, Project, Scalar, Step, Value, ValueKind
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.executed_plan import Executed, evidence_for
from hydra_kg.steps.queries.table_answers import confidence_in, legs_of, number_answer, read_question, steps_of
from hydra_kg.steps.queries.table_execution import TableReading
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.operation_words import adjective_of
from hydra_kg.util.fast_dataclass import dataclass, replace

_MORE: Final = re.compile(r"^(?:by )?how (?P<what>many|much) (?P<how>more|fewer|less) (?P<a>.+?) than (?P<b>.+)$", re.I)
_COMPARED: Final = re.compile(
    r"^how much (?P<how>\w+) (?P<be>is|was|are|were) (?P<a>.+?) (?:than|compared to) (?P<b>.+)$", re.I
)
_BETWEEN: Final = re.compile(
    r"^.*?\bdifference (?:in (?:the )?(?P<what>.+?) )?between (?P<a>.+) and (?P<b>.+?)$", re.IGNORECASE
)
_AUXILIARY: Final = re.compile(
    r"(?: (?:are|were|is|was) there| (?:did|does|do|is|was|were|are|has|had|have)(?: (?:in total|altogether|there))?)$",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"(?:[A-Z0-9][\w.'’-]*)(?: (?:(?:of|the|de|and) )?[A-Z0-9][\w.'’-]*)*")
_TIME_BETWEEN: Final = re.compile(
    r"(?:how many (?P<unit>years|months|weeks|days)|how long|how much time|what is the (?P<less>difference|time))"
    r"\b(?: \w+){0,3}? "
    r"(?:between|from|apart (?:are|were)) (?P<a>.+?) (?:and|to|until) (?P<b>.+)",
    re.IGNORECASE,
)
_UNITS: Final = ("years", "months", "weeks", "days")
_AGES: Final = ("how old was ", "at what age was ")
_PRONOUNS: Final = ("he", "she", "it", "they")
_EVENTS: Final = {"of", "is", "was", "were"}
"""Words of a phrase that names an event: "the admission *of* Nina", "Nina *was* admitted"."""


@dataclass(frozen=True, slots=True)
class SubtractedQuestions:
    """Two questions whose answers are subtracted.

    Args:
        unit: The unit of the time between two dates, "" for numbers.
        order: 1 if the first answer has to be greater, -1 if the second one has to, as a death is later than a birth; 0
            for any order.
        is_bare: Whether the questions name no event, so that their tables must have only one date.
        is_age: Whether an age is asked for: two years without days give "32 or 33".
    """

    first: str
    second: str
    unit: str = ""
    order: int = 0
    is_bare: bool = False
    is_age: bool = False


def read_difference(graph: OwnGraph, context: Context) -> Executed | None:
    """Return the difference of what the two halves of a question ask for, or None if one half is not understood."""
    for halves in split_difference(context.question):
        one, other = (_read_half(graph, context, question, halves) for question in (halves.first, halves.second))
        if one is None or other is None:
            continue
        pairs = ((one, other), (other, one))
        for high, low in pairs if not halves.order else pairs[:1] if halves.order > 0 else pairs[1:]:
            found = subtract(graph, high.result, low.result, halves.unit)
            by_year = found.number is None and halves.unit == "years"
            found = subtract_years(graph, high.result, low.result) if by_year else found
            if found.number is not None and found.number >= 0:
                return _executed(context, (high, low), halves.unit, found, is_open=by_year and halves.is_age)
    return None


def is_difference(question: str) -> bool:
    """Return True if a question asks how much more one thing is than another, or how much time is between two."""
    text = question.strip().rstrip("?.! ")
    return bool(_MORE.match(text) or _BETWEEN.match(text)) or next(split_difference(question), None) is not None


def split_difference(question: str) -> Iterator[SubtractedQuestions]:
    """Yield the two questions that a question for a difference consists of, likeliest first."""
    text = question.strip().rstrip("?.! ")
    yield from _numbers(text)
    yield from _times(text)


def _numbers(text: str) -> Iterator[SubtractedQuestions]:
    if m := _MORE.match(text):
        order = 1 if m["how"].lower() == "more" else -1
        for a, b in _whole_phrases(m["a"], m["b"]):
            yield SubtractedQuestions(f"How {m['what']} {a}?", f"How {m['what']} {b}?", order=order)
    elif (m := _COMPARED.match(text)) and (plain := adjective_of(m["how"].lower())) is not None:
        a, b = m["a"], re.sub(r"\bones?\b", m["a"].split()[-1], m["b"])
        yield SubtractedQuestions(f"How {plain} {m['be']} {a}?", f"How {plain} {m['be']} {_AUXILIARY.sub('', b)}?")
    elif m := _BETWEEN.match(text):
        begin = f"What is the {m['what']} of " if m["what"] else "What is "
        for a, b in _whole_phrases(m["a"], m["b"]):
            yield SubtractedQuestions(f"{begin}{a}?", f"{begin}{b}?")


def _times(text: str) -> Iterator[SubtractedQuestions]:
    start = next((begin for begin in _AGES if text.casefold().startswith(begin)), "")
    person, when, event = text[len(start) :].partition(" when ")
    if start and when:
        subject, _, said = event.partition(" ")
        event = f"{person} {said}" if subject.casefold() in _PRONOUNS else event
        yield SubtractedQuestions(f"When was {person} born?", f"When {event}?", "years", order=-1, is_age=True)
    elif (halves := _after_another(text)) is not None:
        yield halves
    elif m := _TIME_BETWEEN.fullmatch(text):
        one, other = m["a"], m["b"]
        if not _names_event(one) and " of " in other:
            one = f"{one} of {other.partition(' of ')[2]}"
        is_bare = not (_names_event(one) or _names_event(other))
        if is_bare and m["less"]:
            return  # the difference between two things is that of a number
        ask = "What is the date of {}?" if is_bare else "What is {}?"
        yield SubtractedQuestions(ask.format(one), ask.format(other), (m["unit"] or "days").casefold(), is_bare=is_bare)


def _after_another(text: str) -> SubtractedQuestions | None:
    """Return the halves of "how many years after Vik was Eid opened", "how long before Vik did Eid open"; else None."""
    for order, word in ((1, " after "), (-1, " before ")):
        how, _, rest = text.partition(word)
        unit = "days" if how.casefold() == "how long" else how.casefold().removeprefix("how many ")
        for verb in (" was ", " were ", " did "):
            other, _, event = rest.partition(verb)
            thing, _, happened = event.rpartition(" ")
            if unit in _UNITS and thing:
                first, second = (f"When{verb}{one} {happened}?" for one in (thing, other))
                return SubtractedQuestions(first, second, unit, order)
    return None


def _names_event(text: str) -> bool:
    return not _EVENTS.isdisjoint(text.casefold().split())


def _whole_phrases(a: str, b: str) -> Iterator[tuple[str, str]]:
    """Yield both sides as whole phrases: what the second leaves out is that of the first."""
    short = _AUXILIARY.sub("", b)
    first = short.split(" ")[0].lower()
    words, rest, named = a.split(" "), b.split(" ")[1:], list(_NAMED.finditer(a))
    if first in PREPOSITIONS:
        places = [n for n, w in enumerate(words) if w.lower() == first]
        if places:
            yield a, " ".join([*words[: places[-1]], short])
    elif named and _NAMED.fullmatch(short):
        yield a, a[: named[-1].start()] + short + a[named[-1].end() :]
    elif len(words) <= 2 and words[-1].lower().endswith(("est", "most", "least", "maximum", "minimum")) and rest:
        yield f"{a} {' '.join(rest[1:] if first == 'the' else rest)}", b
    else:
        yield a, b


def _read_half(graph: OwnGraph, context: Context, question: str, halves: SubtractedQuestions) -> TableReading | None:
    """Return the reading of one half; None if it is unsure, or if it gives dates and the difference is no time."""
    reading = read_question(graph, context, question)
    if reading is None or not reading.result or reading.cost > costs.MOST:
        return None
    shown = reading.query.columns[:1]
    if not halves.unit:
        return None if reading.result.number is None and shown and shown[0].kind == "date" else reading
    dates = [c for c in reading.view.columns if shown and c.table == shown[0].table and c.kind == "date"]
    return None if reading.query.unplaced or (halves.is_bare and dates != shown) else reading


def _executed(
    context: Context, readings: tuple[TableReading, TableReading], unit: str, found: Denotation, *, is_open: bool
) -> Executed:
    """Return a difference as the answer, with the facts of both sides; an open one may also be one less."""
    confidence, value = min(map(confidence_in, readings)), found.number or 0.0
    answer, said = number_answer(value, confidence), found.computation
    if is_open:
        either = f"{value - 1:.0f} or {value:.0f}"
        answer = replace(answer, name=either, value=f'"{either}"')
    end = (literal_node(answer.value or ""),)
    most = max(1, context.settings.answering.max_answers // 2)
    ways = [(legs_of(r, row, n), end) for r in readings for n, row in enumerate(r.result.rows[:most])]
    conclusion = uncontested((answer,), evidence_for(context, ways, relevance=confidence), computation=said)
    steps = (*(s for r in readings for s in steps_of(r, 1)), Step("Difference", said, 2, 1))
    high, low = (_scalar(reading, "date" if unit else "number") for reading in readings)
    return Executed(conclusion, steps, confidence, (), "", True, query=Difference(high, low, unit))


def _scalar(reading: TableReading, kind: ValueKind) -> Scalar:
    """Return the value that one reading gives: a number that it computes, or the one value that it shows."""
    query = reading.tree
    if isinstance(query, Project):
        return Value(query.of, query.columns[0], kind, refs=query.refs)
    return query if isinstance(query, Scalar) else Value(query, "", kind)
