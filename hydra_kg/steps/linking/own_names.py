"""Names of the user's own tables and graphs in a question: misspelt ones corrected, unknown ones found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.domain import Candidate, Mention, Node
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.extract.word_classes import ASKING, NOUN, PREPOSITIONS, VERB, kind
from hydra_kg.ids import encode
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem, is_same_family, singular
from hydra_kg.language.tokens import fold_words
from hydra_kg.language.units import unit_dimensions
from hydra_kg.steps.context import CANDIDATES, Context
from hydra_kg.steps.linking.given_topics import GIVEN
from hydra_kg.steps.own_graphs import costs
from hydra_kg.steps.retrieval.entity_types import kinds_named
from hydra_kg.steps.schema.question_names import OwnName, OwnNameIndex, correct, name_key, own_names
from hydra_kg.steps.schema.question_words import QuestionWord, asked
from hydra_kg.steps.schema.schema_matching import synonyms
from hydra_kg.steps.tables.operation_words import cues, tokens
from hydra_kg.steps.tables.question_spans import LIGHT
from hydra_kg.text.articles import ARTICLES
from hydra_kg.util.fast_dataclass import dataclass

_OFFERED: Final = 3
"""Names that are offered for an unknown one."""
_SIMILAR: Final = 60.0
"""Percent of letters that such a name must share."""
_CORRECTED: Final = frozenset({"near", "like", GIVEN})


def with_own_names(context: Context, graph: OwnGraph, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Return the mentions plus one per misspelled name of own tables.

    If a person chose a topic, names that the store lacks are added too.
    """
    found = []
    for name in unmatched_names(context, graph, mentions):
        mention = _mention(context, graph, name)
        if mention.chosen is not None or (context.topics and not name.corrected):
            found.append(mention)
    return _merged(mentions, found)


def _merged(mentions: Sequence[Mention], found: Sequence[Mention]) -> tuple[Mention, ...]:
    """Return all mentions in order of place, without unknown ones that a found one overlaps."""
    left = [m for m in mentions if m.chosen is not None or not any(m.start < f.end and f.start < m.end for f in found)]
    return tuple(sorted([*left, *found], key=lambda m: (m.start < 0, m.start)))


def _mention(context: Context, graph: OwnGraph, name: OwnName) -> Mention:
    """Return the mention of an unmatched name; only entities are candidates."""
    places = [p for key in name.keys for p in graph.names[key] if p < len(graph.ids)]
    entities = graph.things([*dict.fromkeys(places)][:CANDIDATES], context.stored.entities).values()
    candidates = tuple(Candidate(e.node, 1.0, "near", e.description, e.degree) for e in entities)
    chosen = candidates[0] if name.corrected and candidates else None
    return Mention(context.question[name.start : name.end], name.start, name.end, candidates, chosen)


@dataclass(frozen=True, slots=True)
class SpelledQuestion:
    """A question with the names spelt as the store spells them. ``mentions`` are those of the question as asked."""

    text: str
    mentions: tuple[Mention, ...]
    graph: OwnGraph
    """The graph in which a name that was chosen by hand means one thing alone."""
    unknown: str = ""
    """Words of the question that look like a name and are unknown; an answer would leave them out."""


def spelled(context: Context, graph: OwnGraph, mentions: tuple[Mention, ...]) -> SpelledQuestion | None:
    """Return the question in the spelling of the store; None if a topic was chosen that the graph does not have."""
    changes: list[tuple[int, int, str]] = []
    fixed: dict[str, list[int]] = {}
    given = {t.node for t in context.topics}
    for m in mentions:
        if m.chosen is None or not (m.chosen.how in _CORRECTED or m.chosen.node.id in given):
            continue
        place = graph.place_of(m.chosen.node.id)
        if m.start < 0 or place is None:
            if m.chosen.how == GIVEN:
                return None  # an entity that the own graph does not have
            continue
        spelling = m.text
        if m.chosen.how == GIVEN:
            spelling = graph.name(place)
        elif m.chosen.how in _CORRECTED and any(singular(w) not in graph.tokens for w in fold_words(m.text)):
            spelling = _in_case_of(m.text, graph.name(place))  # "4 addresses" is no misspelt "address 4"
        if spelling != m.text:
            changes.append((m.start, m.end, spelling))
        if m.chosen.node.id in given and len(graph.names.get(name_key(spelling), ())) > 1:
            fixed[name_key(spelling)] = [place]
    values, unknown = [], ""
    for name in unmatched_names(context, graph, mentions):
        said = context.question[name.start : name.end]
        if not name.corrected:
            unknown = unknown or said
            values.append(_mention(context, graph, name))
            continue
        place = min(graph.names[name.keys[0]])
        changes.append((name.start, name.end, _in_case_of(said, graph.name(place))))
        if place >= len(graph.ids):
            key = graph.literals[place - len(graph.ids)]
            meant = Candidate(Node(encode(key), key, graph.name(place)), 1.0, "near")
            values.append(Mention(said, name.start, name.end, (meant,), meant))
    text = context.question
    for start, end, name_text in sorted(changes, reverse=True):
        text = text[:start] + name_text + text[end:]
    own = graph.meaning(fixed) if fixed else graph
    return SpelledQuestion(text, _merged(mentions, values), own, unknown)


def _in_case_of(said: str, name: str) -> str:
    """Return a name in small letters if it was written so, because a corrected name is no surer than a right one."""
    return name.lower() if said.islower() else name


def unmatched_names(context: Context, graph: OwnGraph, mentions: Sequence[Mention]) -> list[OwnName]:
    """Return name-like spans that the store does not match, without schema, synonym and function words."""
    index = own_names(context, graph)
    question = asked(context.question)
    covered = [(m.start, m.end) for m in mentions if m.chosen is not None]
    strange = _strange(context, graph, index, question.words)
    strange = [w for w in strange if not any(a <= w.start < b for a, b in covered)]
    found: list[OwnName] = []
    for word in strange:
        if any(n.start <= word.start < n.end for n in found):
            continue
        window = correct(graph, index, question.words, word)
        if window is not None:
            found.append(window)
        elif graph.tabular and _is_name(question.words, word, strange):
            start, end = _run(question.words, word, strange)
            text = context.question[start:end]
            alike = index.names.similar(name_key(text).replace(" ", ""), most=_OFFERED, least=_SIMILAR)
            keys = [k for n in alike for k in index.keys[n]]
            found.append(OwnName(start, end, tuple(keys[:_OFFERED]), False))
    return found


def _strange(
    context: Context, graph: OwnGraph, index: OwnNameIndex, question: Sequence[QuestionWord]
) -> list[QuestionWord]:
    """Return the content words that are in no name of the store, nor in its schema, nor near a word of it."""
    said = tokens(context.question)
    doing = {said[k].low for c in cues(said) for k in range(c.start, c.end)}
    left = [
        w
        for w in question
        if w.low.isalpha()
        and not (w.stop or w.low in doing or w.low in LIGHT or w.low in ASKING or w.low in PREPOSITIONS)
        and w.cost > costs.SHARED_WORD
        and singular(w.low) not in graph.tokens
        and kind(w.low) == NOUN
        and not (kinds_named(w.low) or unit_dimensions().get(w.low) or singular(w.low) in list_words("weekday"))
        and not any(is_same_family(w.low, s) for s in index.schema)
        and not synonyms().get(family_stem(w.low), frozenset()) & index.stems
    ]
    if not left:
        return []
    texts = [*(" ".join(r.words) or r.text for r in graph.relations), *graph.classes]
    vectors = context.space.embedder.embed([*texts, *(w.low for w in left)])
    near = (vectors[len(texts) :] @ vectors[: len(texts)].T).max(axis=1)
    return [w for w, score in zip(left, near.tolist(), strict=True) if score < costs.SIMILAR]


def _is_name(question: Sequence[QuestionWord], word: QuestionWord, strange: Sequence[QuestionWord]) -> bool:
    """Return True for a singular noun after "of" or a final verb: "the dose of aspirin", "owns the dolphin"."""
    start, end = _run(question, word, strange)
    inside = [w for w in question if start <= w.start < end]
    following = question[inside[-1].bit + 1 : inside[-1].bit + 2]
    if any(not w.stop for w in following) or singular(inside[-1].low) != inside[-1].low:
        return False
    before = list(question[: inside[0].bit])
    article = bool(before) and before[-1].low in ARTICLES
    before = before[:-1] if article else before
    if not before or before[-1].low in PREPOSITIONS:
        return bool(before)
    verb = kind(before[-1].low) == VERB or (article and not before[-1].stop)
    return verb and not following


def _run(question: Sequence[QuestionWord], word: QuestionWord, strange: Sequence[QuestionWord]) -> tuple[int, int]:
    """Return the characters of all strange words in a row around a word."""
    bits = {w.bit for w in strange}
    first = last = word.bit
    while first - 1 in bits:
        first -= 1
    while last + 1 in bits:
        last += 1
    return question[first].start, question[last].start + len(question[last].text)
