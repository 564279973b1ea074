"""How much more of one thing than of another: two questions about tables, and the difference of what they find."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.extract.words import PREPOSITIONS
from hydra_kg.plan.model import Difference, Project, Scalar, Step, Value, ValueKind
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.evidence import evidence_for
from hydra_kg.steps.operators.results.executed import Executed
from hydra_kg.steps.queries.answering import (
    confidence_in,
    legs_of,
    number_answer,
    read_question,
    steps_of,
)
from hydra_kg.steps.queries.executing import TableReading
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.cues import adjective_of

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


def is_difference(question: str) -> bool:
    """Whether a question asks how much more one thing is than another."""
    text = question.strip().rstrip("?.! ")
    return any(p.match(text) for p in (_MORE, _BETWEEN)) or _adjective(text) is not None


def difference(graph: OwnGraph, context: Context) -> Executed | None:
    """The difference of the numbers that two parts of a question ask for; None where one of them is not understood."""
    most = costs.DIFFERENCE_MOST
    for one, other, more in halves(context.question):
        every = [read_question(graph, context, part) for part in (one, other)]
        readings = [r if r is not None and r.cost <= most else None for r in every]
        if (found := _numbers(graph, readings)) is not None:
            (a, first), (b, second) = found
            if (a - b) * more < 0:
                return None  # there are not more of it: that was not what is meant
            query = Difference(scalar_of(first), scalar_of(second), "")
            value = (a - b) * more if more else abs(a - b)
            return difference_answer(context, (first, second), query, value, f"{a:g} and {b:g}: {abs(value):g} apart")
    return None


def halves(question: str) -> Iterator[tuple[str, str, int]]:
    """Yield the two questions of a difference, likeliest first, and 1 for more, -1 for less, 0 for between."""
    text = question.strip().rstrip("?.! ")
    if m := _MORE.match(text):
        sign = 1 if m["how"].lower() == "more" else -1
        a, b = m["a"], m["b"]
        yield from ((f"How {m['what']} {x}?", f"How {m['what']} {y}?", sign) for x, y in _pairs(a, b))
    elif (plain := _adjective(text)) is not None and (m := _COMPARED.match(text)):
        a, b = m["a"], re.sub(r"\bones?\b", m["a"].split()[-1], m["b"])
        yield f"How {plain} {m['be']} {a}?", f"How {plain} {m['be']} {_AUXILIARY.sub('', b)}?", 0
    elif m := _BETWEEN.match(text):
        for x, y in _pairs(m["a"], m["b"]):
            begin = f"What is the {m['what']} of " if m["what"] else "What is "
            yield f"{begin}{x}?", f"{begin}{y}?", 0


def _adjective(text: str) -> str | None:
    m = _COMPARED.match(text)
    return adjective_of(m["how"].lower()) if m else None


def _pairs(a: str, b: str) -> Iterator[tuple[str, str]]:
    """Both sides as whole phrases: what the second leaves out is that of the first."""
    short = _AUXILIARY.sub("", b)
    first = short.split(" ")[0].lower()
    words = a.split(" ")
    if first in PREPOSITIONS:
        places = [n for n, w in enumerate(words) if w.lower() == first]
        if places:
            yield a, " ".join([*words[: places[-1]], short])
        return
    named = list(_NAMED.finditer(a))
    if named and _NAMED.fullmatch(short):
        m = named[-1]
        yield a, a[: m.start()] + short + a[m.end() :]
        return
    rest = b.split(" ")[1:]
    if len(words) <= 2 and words[-1].lower().endswith(("est", "most", "least", "maximum", "minimum")) and rest:
        yield f"{a} {' '.join(rest[1:] if first == 'the' else rest)}", b
        return
    yield a, b


def _numbers(graph: OwnGraph, readings: list[TableReading | None]) -> list[tuple[float, TableReading]] | None:
    """The one number that each reading found."""
    found = []
    for reading in readings:
        if reading is None:
            return None
        result, shown = reading.result, reading.query.columns[:1]
        if result.number is None and shown and shown[0].kind == "date":
            return None  # a time between two days
        number = result.number
        if number is None and len(result.values) == 1 and not any(result.measures):
            number = float(graph.numbers[result.values[0]])
        if number is None or math.isnan(number):
            return None
        found.append((number, reading))
    return found


def difference_answer(
    context: Context, readings: tuple[TableReading, TableReading], query: Difference, value: float, said: str
) -> Executed:
    """Return the difference between what two readings give, with the facts of both."""
    confidence = min(confidence_in(r) for r in readings)
    answer = number_answer(value, confidence)
    end = (literal_node(answer.value or ""),)
    most = max(1, context.settings.answering.max_answers // 2)
    ways = [(legs_of(r, row, n), end) for r in readings for n, row in enumerate(r.result.rows[:most])]
    conclusion = uncontested((answer,), evidence_for(context, ways, relevance=confidence), computation=said)
    steps = (*(s for r in readings for s in steps_of(r, 1)), Step("Difference", said, 2, 1))
    return Executed(conclusion, steps, confidence, (), "", True, query=query)


def scalar_of(reading: TableReading, kind: ValueKind = "number") -> Scalar:
    """Return the value that one reading gives: a number that it computes, or the one value that it shows."""
    query = reading.tree
    if isinstance(query, Project):
        return Value(query.of, query.columns[0], kind)
    return query if isinstance(query, Scalar) else Value(query, "", kind)
