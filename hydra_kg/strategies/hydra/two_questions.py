"""Answer two questions in one: "Who founded Apple and when was he born?", "When and where was she born?"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.questions.decision import can_be_given, check_outcome
from hydra_kg.questions.plan_answers import graph_to_ask
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.question_graph import QuestionGraph
from hydra_kg.steps.operators.relations.noun_filter import kinds_of_thing
from hydra_kg.steps.retrieval.entity_types import AREAS
from hydra_kg.strategies.base import Outcome
from hydra_kg.util.fast_dataclass import replace

_ASKS: Final = ("when", "where", "how", "what")
"""Words that begin a second question; "and who" and "and which" may go on with the first."""

_SOMEBODY: Final = ("he", "she", "his", "her")
_SOMETHING: Final = ("it", "its", "there")


def answer_two_questions(context: Context, ask: Callable[[Context], Outcome]) -> Outcome:
    """Return the outcome of ``ask``; if two questions are joined, of both: the answers of the first come first.

    If only the first has an answer, the second is named as unchecked. Own tables are asked as they are.
    """
    texts = two_questions(context.question)
    if texts is None or context.agent.reads or graph_to_ask(context, ()) is not None:
        return ask(context)
    first = _asked(context, texts[0], ask)
    if not any(m.chosen is not None for m in first.mentions):
        return ask(context)  # "what is the largest and what is the smallest country"
    if not can_be_given(first):
        return first
    open_first = (*first.unchecked, *first.in_doubt)
    second = _asked(context, _about(context, texts[1], first), ask)
    if not can_be_given(second):
        return replace(first, unchecked=(), in_doubt=(*open_first, texts[1].rstrip(" ?.")), planned=True)
    one, two = first.conclusion, second.conclusion
    both = replace(one, answers=(*one.answers, *two.answers), evidence=(*one.evidence, *two.evidence))
    confidence = min(first.judgement.confidence, second.judgement.confidence)
    return replace(
        first,
        analysis=replace(second.analysis, plan=None),  # each half was held against its own
        conclusion=both,
        judgement=replace(first.judgement, confidence=confidence),
        unchecked=(),
        in_doubt=(*open_first, *second.unchecked, *second.in_doubt),
        explorations=(*first.explorations, *second.explorations),
        planned=True,
    )


def two_questions(question: str) -> tuple[str, str] | None:
    """Return the two questions that "and" joins, or None if there is one."""
    words = question.split()
    low = [word.casefold().rstrip(",") for word in words]
    asks = list_words("question_word")
    if len(low) > 3 and low[0] in _ASKS and low[1] == "and" and low[2] in _ASKS:
        rest = " ".join(words[3:])
        return f"{words[0]} {rest}", f"{words[2]} {rest}"
    for at in range(3, len(low) - 2):
        begins = low[at + 1] in _ASKS or (low[at + 1] == "who" and low[0] in _ASKS)
        if low[at] == "and" and begins and low[0] in asks:
            return f"{' '.join(words[:at]).rstrip(',')}?", " ".join(words[at + 1 :])
    return None


def _asked(context: Context, text: str, ask: Callable[[Context], Outcome]) -> Outcome:
    own = replace(context, question=text, graph=QuestionGraph(context.stored, context.space.question()))
    return check_outcome(own, ask(own))


def _about(context: Context, text: str, first: Outcome) -> str:
    """Return the second question with a name for its pronoun: an answer of the first, or else what that was about."""
    nodes = [a.node for a in first.conclusion.answers if a.node is not None]
    known = context.entities([n.id for n in nodes])
    kinds = frozenset[str]().union(*(kinds_of_thing(e) for e in known.values()))
    person = "person" in kinds and not AREAS & kinds
    named = [m.text for m in first.mentions if m.chosen is not None]
    asks_thing = first.analysis.question.casefold().startswith(("what", "which"))  # "where is Berlin" is about Berlin
    words = text.split()
    for at, word in enumerate(words):
        low = word.casefold().rstrip("?.,")
        somebody, something = low in _SOMEBODY, low in _SOMETHING
        if not (somebody or something):
            continue
        answer = len(nodes) == 1 and person == somebody and (somebody or asks_thing)
        name = nodes[0].name if answer else named[0] if len(named) == 1 else ""
        if name:
            owns = low in ("his", "its") or (low == "her" and word == low and at + 1 < len(words))
            place = "in " if low == "there" else ""
            words[at] = f"{place}{name}{chr(39) + 's' if owns else ''}{word[len(low) :]}"
    return " ".join(words)
