"""The reason for silence on own data: the words of the question that no column, value or name of the data has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.execution.own_graph import TYPE, OwnGraph
from hydra_kg.extract.word_classes import ASKING, PREPOSITIONS, VERB, kind
from hydra_kg.ids import TYPE_KEYS
from hydra_kg.language.morphology import plural, singular
from hydra_kg.steps.context import Context
from hydra_kg.steps.own_graphs import costs
from hydra_kg.steps.schema.graph_choice import own_graph
from hydra_kg.steps.schema.question_words import QuestionWord, SchemaQuestion, asked
from hydra_kg.steps.schema.schema_matching import classes_meant, known_words
from hydra_kg.steps.tables.operation_words import cues, tokens
from hydra_kg.steps.tables.question_spans import LIGHT

_NAMED: Final = 3
"""Words that a reason names."""
_COLUMNS: Final = 8
"""Columns or tables that a reason lists."""


def own_data_reason(context: Context, *, unchecked: Sequence[str] = ()) -> str:
    """Return why own data do not answer (``no column says “run through”.

    The table boats has: harbour, price, year``), "" for other data, or if all words are known and some are
    ``unchecked``.
    """
    graph = own_graph(context) if context.settings.answering.own_words else None
    if graph is None or not (graph.tabular or graph.typed):
        return ""
    question = asked(context.question)
    missing = unmatched_words(context, graph, question)
    names = [text for text, named in missing if named][:_NAMED]
    words = [text for text, named in missing if not named][:_NAMED]
    said = []
    if words:
        said.append(f"no {'table or column' if graph.tabular else 'class or relation'} says {_quoted(words)}")
    if names:
        said.append(f"no {'row or value' if graph.tabular else 'thing'} is called {_quoted(names)}")
    if not said and unchecked:
        return ""
    if not said:
        said.append("every word of the question was found in the data, but no way to combine them")
    return f"{', and '.join(said)}. {_contents(graph, question)}".strip(" .")


def unknown_words(context: Context, graph: OwnGraph) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Return words of a question that own data do not know: nouns of something else, and others but names.

    The number is that of all nouns of something else.
    Example: ("nation",), ("famous",) and 2 for "What is the nation of Ada's famous children?".
    """
    question = asked(context.question)
    missing = [text for text, named in unmatched_words(context, graph, question) if not named]
    nouns = {w.text for w in question.words if question.is_relational(w) or (w.low == "do" and not w.stop)}
    relational = tuple(text for text in missing if nouns & set(text.split()))
    return relational, tuple(text for text in missing if text not in relational), len(nouns)


def unmatched_words(context: Context, graph: OwnGraph, question: SchemaQuestion) -> list[tuple[str, bool]]:
    """Return spans that the data lack, and whether each is name-like; a verb has its preposition.

    Computing words and near columns are left out.
    """
    known = known_words(graph, question)
    read = tokens(context.question)
    done = {read[k].low for cue in cues(read) for k in range(cue.start, cue.end)}
    for measured in question.compared:
        known |= measured.mask
    known |= question.superlative.mask if question.superlative is not None else 0
    left = [w for w in question.words if _counts(context, w) and not known >> w.bit & 1 and w.low not in done]
    left = _far(context, graph, left)
    found: list[tuple[str, bool]] = []
    last: QuestionWord | None = None
    for word in left:
        named = _is_named(word)
        joined = last is not None and word.bit == last.bit + 1 and found[-1][1] == named
        text = f"{found.pop()[0]} {word.text}" if joined else word.text
        following = question.words[word.bit + 1 : word.bit + 2]
        if not named and kind(word.low) == VERB and following and following[0].low in PREPOSITIONS:
            text = f"{text} {following[0].text}"
        found.append((text, named))
        last = word
    return found


def _counts(context: Context, word: QuestionWord) -> bool:
    """Return True for a word that says something of the data: no function word, and none as light as "total"."""
    light = word.low in LIGHT or word.low in ASKING or word.low in PREPOSITIONS
    return not (word.stop or light) and word.cost > costs.LIGHT_WORD


def _is_named(word: QuestionWord) -> bool:
    capital = word.text[:1].isupper() and word.start > 0
    return capital or any(c.isdigit() for c in word.text)


def _far(context: Context, graph: OwnGraph, left: Sequence[QuestionWord]) -> list[QuestionWord]:
    """Return the words that are near no relation and no class in meaning; names are not compared."""
    plain = [w for w in left if not _is_named(w)]
    if not plain or not graph.relations:
        return list(left)
    texts = [*(" ".join(r.words) or r.text for r in graph.relations), *filter(None, graph.classes)]
    vectors = context.space.embedder.embed([*texts, *(w.low for w in plain)])
    near = (vectors[len(texts) :] @ vectors[: len(texts)].T).max(axis=1)
    similar = {w.bit for w, s in zip(plain, near.tolist(), strict=True) if s >= costs.SIMILAR}
    return [w for w in left if w.bit not in similar]


def _contents(graph: OwnGraph, question: SchemaQuestion) -> str:
    """Return what the class that the question is about has; if there are several, their names."""
    named = classes_meant(graph, question) or sorted(filter(None, graph.classes))
    if len(named) != 1:
        table = "tables" if graph.tabular else "classes"
        return f"The {table} are: {_listed(named)}" if named else ""
    members = graph.classes[named[0]]
    ways = graph.around(members)
    relations = [graph.relations[way // 2] for way in ways.tolist() if not way % 2]
    texts = [r.text for r in relations if not (r.key.endswith(TYPE) or r.key in TYPE_KEYS)]
    if not texts:
        return ""
    shown = named[0] if graph.tabular else plural(singular(named[0]))
    subject = f"The table {shown} has" if graph.tabular else f"The {shown} have"
    return f"{subject}: {_listed(sorted(dict.fromkeys(texts)))}"


def _listed(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _COLUMNS} more" if len(texts) > _COLUMNS else ""
    return ", ".join(texts[:_COLUMNS]) + more


def _quoted(texts: Sequence[str]) -> str:
    return " or ".join(f"“{t}”" for t in dict.fromkeys(texts))
