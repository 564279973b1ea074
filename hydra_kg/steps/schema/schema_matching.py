"""Match the words of a question to a schema: names and values, classes, relations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, reduce
from itertools import islice
from typing import Final

import numpy as np

from hydra_kg.domain import Floats, Ids
from hydra_kg.execution.name_index import FAMILY
from hydra_kg.execution.own_graph import OwnGraph, OwnRelation
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.morphology import family_stem, is_same_family, singular
from hydra_kg.language.tokens import fold_words, split_identifier, split_words
from hydra_kg.steps.own_graphs import costs
from hydra_kg.steps.retrieval.entity_types import drop_other_roles
from hydra_kg.steps.schema.question_words import MIRROR, QuestionWord, SchemaQuestion
from hydra_kg.text.folding import fold
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.fast_dataclass import dataclass

Embed = Callable[[Sequence[str]], Floats]
_BARE: Final = list_words("article preposition be have") | {"and"}
KEYS: Final = frozenset("id code key identifier".split())
"""Words of what only tells things apart."""
_NEAREST: Final = 50
"""Relations that one word may mean because it is near to them."""
_LONGEST: Final = 12
"""Words of a name in a question."""


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """A span of the question that names things: their places (ascending), its bits, and what it costs."""

    nodes: Ids
    mask: int
    cost: float
    text: str
    cls: bool = False
    start: bool = True
    """Whether a search may begin with it."""
    partial: bool = False
    """Whether the words are only a part of a name."""


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """How a relation is said: the score in (0, 1] of each bit that may say it."""

    scores: dict[int, float]
    parts: dict[int, frozenset[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """All readings of a question's words."""

    anchors: tuple[Anchor, ...]
    classes: tuple[Anchor, ...]
    said: tuple[Said, ...]
    costs: dict[int, float]
    """What each bit costs where nothing accounts for it."""


def matches(graph: OwnGraph, question: SchemaQuestion, embed: Embed, *, keep: Embed | None = None) -> Matches:
    """Match the words of a question; ``keep`` makes the vectors of relations, which every question needs again."""
    said = _said(graph, question)
    classes = tuple(_classes(graph, question))
    spoken = {bit for s in said for bit in s.scores} | {b for c in classes for b in _bits(c.mask)}
    bounds = [c.mask for c in question.compared if not c.when]
    exact = [a for a in _exact(graph, question) if not any(a.mask & b for b in bounds)]
    named = {b for a in exact for b in _bits(a.mask)}
    if graph.typed:  # a word that is a value of the data means no relation by a synonym alone
        values = {b for a in exact if (a.nodes >= len(graph.ids)).all() for b in _bits(a.mask)}
        for one in said:
            for bit in values & {b for b, score in one.scores.items() if score <= costs.SYNONYM}:
                del one.scores[bit], one.parts[bit]
    anchors = (*exact, *_partial(graph, question, spoken | named))
    unsaid = [w for w in question.words if not w.stop and w.bit not in spoken | named]
    anchors = (*anchors, *_families(graph, unsaid))
    covered = spoken | {b for a in anchors for b in _bits(a.mask)}
    plain = [w for w in question.words if not w.stop and w.low not in MIRROR and w.cost < costs.NAME_WORD]
    left = [w for w in plain if w.bit not in (spoken if not graph.typed else covered)]
    of_words = {w.bit: w.cost for w in question.words if not w.stop}
    if left and (spoken or anchors):
        taken = {b for a in exact for b in _bits(a.mask)}
        kinds = _by_vectors(graph, question, said, left, of_words, embed, taken=taken, keep=keep)
        classes = (*classes, *(Anchor(graph.rows, 1 << b, costs.CLASS_ROWS, "", cls=True, start=False) for b in kinds))
    return Matches(anchors, classes, said, of_words)


def known_words(graph: OwnGraph, question: SchemaQuestion) -> int:
    """Return the bits of the words that a relation, a class or a name of the graph has; vectors are not asked."""
    spoken = {bit for said in _said(graph, question) for bit in said.scores}
    anchors = [*_classes(graph, question), *_exact(graph, question)]
    named = {bit for anchor in anchors for bit in _bits(anchor.mask)}
    anchors += _partial(graph, question, spoken | named)
    return reduce(lambda mask, bit: mask | 1 << bit, spoken, 0) | reduce(lambda mask, a: mask | a.mask, anchors, 0)


def spans_of_names(graph: OwnGraph, question: SchemaQuestion) -> list[int]:
    """Return the bits of each span of the question that is a name of the graph, or a part of one."""
    exact = _exact(graph, question)
    taken = {bit for anchor in exact for bit in _bits(anchor.mask)}
    return [a.mask for a in (*exact, *_partial(graph, question, taken))]


def classes_meant(graph: OwnGraph, question: SchemaQuestion) -> list[str]:
    """Return the classes that the question names, in its order, or those of the things that it names."""
    found = [a for a in _classes(graph, question) if a.cost <= costs.CLASS_NAME and a.text]
    if found:
        return list(dict.fromkeys(a.text for a in sorted(found, key=lambda a: (a.mask & -a.mask, -a.mask, a.text))))
    things = [a.nodes for a in _exact(graph, question)]
    around = [[(len(m), name) for name, m in graph.classes.items() if name and np.isin(t, m).all()] for t in things]
    return list(dict.fromkeys(min(some)[1] for some in around if some))


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


@cache
def synonyms() -> dict[str, frozenset[str]]:
    """Return stems of other words that a stem in a question may mean."""
    found: dict[str, set[str]] = defaultdict(set)
    for word, meant in lexicon_table("synonyms"):
        found[family_stem(word)] |= set(map(family_stem, meant.split()))
    for (group,) in lexicon_table("same_nouns"):
        stems = set(map(family_stem, group.split()))
        for one in stems:
            found[one] |= stems - {one}
    return {word: frozenset(meant) for word, meant in found.items()}


def _said(graph: OwnGraph, question: SchemaQuestion) -> tuple[Said, ...]:
    """Return for each relation which words of the question mean it.

    A word of the relation's own family counts most, then a synonym. Function words say it only with others. Words of
    relations are looked up, not tried one by one.
    """
    said = tuple(Said({}, {}) for _ in graph.relations)
    index = graph.derived("words", lambda: _spoken(graph.relations))
    endings = graph.derived("endings of words", lambda: _by_endings(index))
    for word in question.words:
        if word.stop and word.low not in ("when", "where"):
            continue
        alike = synonyms().get(family_stem(word.low), frozenset())
        stem = family_stem(word.low)
        ends = {stem[i:] for i in range(len(stem) - 3)} | {stem}
        related = dict.fromkeys(c for end in sorted(ends) for c in endings.get(end, ()))
        own = [c for c in related if is_same_family(word.low, c)]
        near = [c for one in sorted(alike) for c in endings.get(one, ()) if family_stem(c) == one]
        for score, some in ((costs.SYNONYM, near), (1.0, own)):  # its own family comes last and wins
            parts: dict[int, set[str]] = defaultdict(set)
            for content in some:
                for number in index[content]:
                    parts[number].add(family_stem(content))
            for number, stems in parts.items():
                said[number].scores[word.bit], said[number].parts[word.bit] = score, frozenset(stems)
    return said


def _spoken(relations: Sequence[OwnRelation]) -> dict[str, list[int]]:
    """Return the numbers of the relations by each of their content words."""
    index: dict[str, list[int]] = defaultdict(list)
    for number, relation in enumerate(relations):
        for content in [w for w in relation.words if w not in _BARE] or relation.words:
            index[content].append(number)
    return dict(index)


def _by_endings(words: Iterable[str]) -> dict[str, list[str]]:
    """Return words by each ending of their stem, because only words with a common ending can be of one family."""
    found: dict[str, list[str]] = defaultdict(list)
    for word in words:
        stem = family_stem(word)
        for ending in {stem, *(stem[i:] for i in range(len(stem) - 3))}:
            found[ending].append(word)
    return dict(found)


def _classes(graph: OwnGraph, question: SchemaQuestion) -> list[Anchor]:
    """Return the anchors of words that name classes, whole or by their last word, stem or synonym."""
    found = []
    lows = [singular(w.low) for w in question.words]
    for name, members in graph.classes.items():
        parts = [singular(w) for w in split_identifier(name)]
        for i, low in enumerate(lows):
            if len(parts) == 1 and family_stem(parts[0]) in synonyms().get(family_stem(low), frozenset()):
                found.append(Anchor(members, 1 << i, costs.CLASS_SYNONYM, name, cls=True))
        if bool(graph.nameless[members].all()):  # maintained: what a maintenance event was about
            of_event = [
                i
                for i, low in enumerate(lows)
                if len(low) >= FAMILY and not question.words[i].stop and any(is_same_family(low, p) for p in parts)
            ]
            found += [
                Anchor(members, 1 << i, costs.CLASS_HEAD, name, cls=True) for i in of_event if lows[i] not in parts
            ]
        for size in {len(parts), 1} if len(parts) > 1 else {1}:
            for i in range(len(lows) - size + 1):
                window = lows[i : i + size]
                whole = window == parts
                if not whole and size == 1 and len(parts) > 1 and window[0] == parts[-1] and not question.words[i].stop:
                    found.append(Anchor(members, 1 << i, costs.CLASS_HEAD, name, cls=True))
                if whole:
                    mask = sum(1 << k for k in range(i, i + size))
                    found.append(Anchor(members, mask, costs.CLASS_NAME, name, cls=True))
        if len(parts) == 2:
            for i in range(len(lows) - 2):
                if lows[i + 1] in ("of", "for") and [lows[i + 2], lows[i]] == parts:
                    found.append(Anchor(members, 1 << i | 1 << (i + 2), costs.CLASS_NAME, name, cls=True))
    best: dict[tuple[int, bytes], Anchor] = {}
    for a in found:
        best.setdefault((a.mask, a.nodes.tobytes()), a)
    return list(best.values())


def _exact(graph: OwnGraph, question: SchemaQuestion) -> list[Anchor]:
    """Return names that the question contains unchanged; of nested ones the longest come first."""
    tokens = [(w.bit, singular(part)) for w in question.words for part in fold_words(w.text) or [w.low]]
    found: list[tuple[int, int, Anchor]] = []
    for i in range(len(tokens)):
        for j in range(min(len(tokens), i + _LONGEST), i, -1):
            key = " ".join(t for _, t in tokens[i:j])
            places = graph.names.get(key)
            mask = reduce(lambda a, t: a | 1 << t[0], tokens[i:j], 0)
            alone = [question.words[b] for b in _bits(mask)]
            if not places:
                continue
            plain = len(alone) == 1 and alone[0].low == alone[0].text and not any(c.isdigit() for c in alone[0].text)
            cost = (costs.EXACT_NAME if plain else 0.0) - costs.NAME_LENGTH * (j - i)
            text = " ".join(w.text for w in alone)
            same = [p for p in places if " ".join(w.text for w in split_words(graph.name(p))) == text]
            if all(w.stop for w in alone) and (not same or not any(w.text[:1].isupper() and w.start for w in alone)):
                continue
            found.append(
                (i, j, Anchor(_without_own_names(graph, same or places), mask, max(cost, -costs.NAME_GAIN), key))
            )
    longest = []
    for i, j, anchor in found:
        if not any(a <= i and j <= b and (b - a) > (j - i) for a, b, _ in found):
            longest.append(anchor)
    return longest


def is_value_of_noun(graph: OwnGraph, words: Sequence[str]) -> bool:
    """Return True if the last word is in the name of a relation of which the words before it are a value.

    "Chinese food" is seldom the restaurant of that name where restaurants have a "food type".
    """
    places = np.array(sorted(graph.names.get(" ".join(words[:-1]), ())), np.int64)
    named = (r for r in graph.relations if words[-1] in map(singular, r.words))
    return len(words) > 1 and any(len(r.back.rows(places)) for r in named)


def _without_own_names(graph: OwnGraph, places: Sequence[int]) -> Ids:
    """Return the places without literals that are only the name of a thing, which are no meaning of their own."""
    things = [p for p in places if p < len(graph.ids)]
    return np.array(sorted(things or places), np.int64)


def _families(graph: OwnGraph, left: Sequence[QuestionWord]) -> list[Anchor]:
    """Return values of one word of the family of a word that nothing else has: inspected for "inspection"."""
    found = []
    for word in left:
        for name in sorted(graph.families.get(family_stem(word.low), ())) if len(word.low) >= FAMILY else ():
            places = [p for p in graph.names[name] if p >= len(graph.ids) or not graph.has_types[p]]
            if places and name != singular(word.low):
                found.append(Anchor(np.array(sorted(places), np.int64), 1 << word.bit, costs.FAMILY, name))
    return found


def _partial(graph: OwnGraph, question: SchemaQuestion, taken: set[int]) -> list[Anchor]:
    """Return parts of names: words in a row that no relation, class or whole name has, all in one name."""
    found = []
    run: list[int] = []
    for word in [*question.words, None]:
        free = (
            word is not None
            and not word.stop
            and word.low not in MIRROR
            and (word.bit not in taken or word.text[:1].isupper() or any(c.isdigit() for c in word.text))
        )
        if free and word is not None:
            run.append(word.bit)
            continue
        for i in range(len(run)):
            for j in range(len(run), i, -1):
                if (anchor := _part(graph, question, run[i:j])) is not None:
                    found.append(anchor)
        run = []
    return [a for a in found if not any(a.mask & ~b.mask == 0 and a.mask != b.mask for b in found)]


def _part(graph: OwnGraph, question: SchemaQuestion, bits: Sequence[int]) -> Anchor | None:
    parts = [singular(p) for b in bits for p in fold_words(question.words[b].text)]
    if not parts or all(len(p) < 3 and not p.isdigit() for p in parts):
        return None
    common = graph.tokens.find_all(parts)
    if not common or " ".join(parts) in graph.names:
        return None
    if len(common) > costs.PART_NAMES:
        mostly = (p for p in check_between(common) if len(parts) >= 0.5 * graph.length(p))
        common = list(islice(mostly, costs.PART_NAMES + 1))
    if not common or len(common) > costs.PART_NAMES:
        return None
    nodes = _without_own_names(graph, common)
    share = float(np.mean([len(parts) / max(1, graph.length(p)) for p in nodes.tolist()]))
    low = all(question.words[b].text == question.words[b].low for b in bits)
    cost = costs.PART_OF_NAME + costs.PART_MISSING * max(0.0, 1 - share) + (costs.PART_LOWERCASE if low else 0.0)
    return Anchor(nodes, sum(1 << b for b in bits), cost, fold(" ".join(parts)), partial=True)


def _by_vectors(
    graph: OwnGraph,
    question: SchemaQuestion,
    said: Sequence[Said],
    left: Sequence[QuestionWord],
    of_words: dict[int, float],
    embed: Embed,
    *,
    taken: set[int],
    keep: Embed | None,
) -> list[int]:
    """Match leftover words to relations by their vectors, and return the bits of words that mean a kind of thing.

    In a store whose things have no class, a word that is near no relation may mean the kind of things that the facts
    are about.
    """
    kinds = []
    texts = [" ".join(w for w in r.words) or r.text for r in graph.relations]
    lows = [w.low for w in left]
    near = embed(lows) @ graph.derived("vectors", lambda: (keep or embed)(texts)).T
    for word, plain in zip(left, near, strict=True):
        bit, row = word.bit, drop_other_roles(word.low, texts, plain)
        best = float(row.max())
        good = np.flatnonzero((row >= costs.SIMILAR) & (row >= best - costs.SIMILAR_LEAD))
        if len(good) > _NEAREST:
            good = np.sort(good[np.argsort(-row[good], kind="stable")[:_NEAREST]])
        for i in good.tolist():
            said[i].scores[bit] = costs.SIMILAR_WORD
            said[i].parts[bit] = frozenset({texts[i]})
        if not graph.typed and best < costs.SIMILAR and not question.is_relational(word):
            of_words[bit] = min(of_words[bit], costs.UNKNOWN_NAME if bit in taken else costs.UNKNOWN_WORD)
            if float(row.mean()) >= costs.KIND_COSINE:
                of_words[bit] = costs.KIND_WORD
                kinds.append(bit)
    return kinds
