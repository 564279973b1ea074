"""Entity linking (HydraRAG §4.1): the store proposes classes for n-grams, ranking is the same for every store.

This is one room because mentions and candidates are ranked on one scale, whose weights were tuned together.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import Candidate, Entity, Mention, NameHit
from hydra_kg.extract.word_classes import (
    AUXILIARY,
    BE,
    DO,
    FUNCTION,
    PREPOSITIONS,
    RELATIVES,
    VERB,
    described,
    is_demonym,
    kind,
    peoples,
)
from hydra_kg.language.tokens import Word
from hydra_kg.ports import Embedder, Snapshot
from hydra_kg.steps.context import CANDIDATES, Context, tell_linked
from hydra_kg.steps.linking.given_topics import bind_topics
from hydra_kg.steps.linking.like_names import Like, like_names, resembles
from hydra_kg.steps.linking.mention_spans import capitalised, content_runs, lowered, names_nothing, spans_of, words
from hydra_kg.steps.linking.nil_detection import without_unknown
from hydra_kg.steps.linking.noun_hints import as_called, as_meant
from hydra_kg.steps.linking.own_names import with_own_names
from hydra_kg.steps.retrieval.entity_types import AREAS, kinds_named
from hydra_kg.steps.schema.graph_choice import confine_to_part, own_graph
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.recording import step

_NAME_WORTH: Final = 1.0  # worth of words that are a name as they stand
_ALIAS_WORTH: Final = 0.9  # worth of words that are another name of the same
_PART_WORTH: Final = 0.5  # worth of words that are part of a name
_MISSPELT_WORTH: Final = 0.45  # worth of words that are nearly a name
_DEGREE_WORTH: Final = 0.12  # worth of ln(1 + number of facts)
_FURTHER_WORD_WORTH: Final = 3.0  # worth of each word of a name after the first
_FUNCTION_WORD_WORTH: Final = 0.25  # worth of each function word in a name, such as "of"
_CAPITAL_WORTH: Final = 0.3  # worth of a capital
_LOWERCASE_COST: Final = 0.5  # cost of no capital, where other names of the question have one
_RELATION_WORD_COST: Final = 1.0  # cost of words by which relations are called
_COMMON_NOUN_COST: Final = 0.6  # cost of a name that is written small
_ACRONYM_COST: Final = 0.5  # cost of an acronym that is written small: a car is rarely CAR
_ACRONYM_LETTERS: Final = 4  # letters of an acronym, at most
_SHORT_COST: Final = 0.9  # cost of a number, or of a word of one or two letters
_LEAST_WORTH: Final = 0.9  # worth above which words are taken for a name
_LEAST_REPAIRED_WORTH: Final = 0.6  # the same of parts of names and misspelt ones
_LOWERCASE_MARGIN: Final = 2.5  # worth that a single uncapitalised word may lack to the best name of the question
_EXACT_WORTH: Final = 0.08  # worth of a candidate whose main name is what was said
_COHERENT_WORTH: Final = 0.2  # worth of a fact that links candidates of two names
_DESCRIBED_WITHIN: Final = 0.25  # worth within which candidates are compared by their descriptions
_DESCRIBED_WEIGHT: Final = 0.5  # weight of the cosine of description and question
_BEFORE_PLACES: Final = frozenset({"the", "in", "from"})
_HITS: Final = 20
"""Names that are looked up for one stretch of the question."""


@step("link")
def mentions_of(context: Context) -> tuple[Mention, ...]:
    """Return the mentions of the question, linked by name or by hand."""
    space = context.space
    found = link(
        context.question,
        context.snapshot,
        embedder=space.embedder,
        relation_words=space.words,
        like=like_names(context),
    )
    return completed(context, as_meant(context, as_called(context, found)))


def completed(context: Context, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Return the mentions in the part of the store that is asked about.

    They include names of the user's own tables and chosen topics.
    """
    mentions = confine_to_part(context, mentions)
    graph = own_graph(context) if context.settings.answering.own_words else None
    if graph is not None and graph.tabular:
        mentions = with_own_names(context, graph, mentions)
    return tell_linked(context, bind_topics(context, mentions))


def link(
    question: str,
    snapshot: Snapshot,
    *,
    embedder: Embedder | None = None,
    relation_words: Collection[str] = (),
    candidates: int = CANDIDATES,
    most: int = 4,
    repair: bool = True,
    like: Like | None = None,
) -> tuple[Mention, ...]:
    """Return at most ``most`` mentions in order, with ranked candidates.

    Args:
        relation_words: A lower-case word among them is weak.
        repair: Link partial and misspelled names too.
        like: Looks up spans that no name matches.
    """
    parts = words(question)
    if names_nothing(parts):
        return ()
    spans = spans_of(question, parts)
    known = (snapshot, relation_words, most)
    chosen = _chosen(question, parts, spans, *known, repair=repair, like=like)
    mentions = _rank(question, parts, chosen, snapshot, embedder, candidates)
    return without_unknown(question, parts, mentions, most) if repair else mentions


def link_all(texts: Sequence[str], snapshot: Snapshot, *, candidates: int, most: int) -> list[tuple[Mention, ...]]:
    """Link each text as :func:`link` without ``repair``, with joint requests to a caching snapshot."""
    parts = [words(t) for t in texts]
    spans = [spans_of(t, p) for t, p in zip(texts, parts, strict=True)]
    snapshot.find([text for each in spans for text, _, _ in each], limit=_HITS)
    rows = zip(texts, parts, spans, strict=True)
    chosen = [_chosen(*of, snapshot, (), most, repair=False) for of in rows]
    snapshot.entities([h.node for c in chosen for hits in _tops(c, candidates) for h in hits])
    return [_rank(t, p, c, snapshot, None, candidates) for t, p, c in zip(texts, parts, chosen, strict=True)]


def _chosen(
    question: str,
    parts: Sequence[Word],
    spans: Sequence[tuple[str, int, int]],
    snapshot: Snapshot,
    relation_words: Collection[str],
    most: int,
    *,
    repair: bool,
    like: Like | None = None,
) -> list[tuple[float, _LinkSpan]]:
    """Return the spans that are mentions, each with its worth, in the order of the question.

    At most ``most`` mentions are returned. With ``repair``, misspelled and partial names are looked up too.
    """
    scored, chosen = _link_spans(parts, spans, snapshot, relation_words, areas=repair)
    if repair and not chosen:  # an adjective, which alone may as well be a language, where it is no name
        adjectives = peoples(lowered(parts), adjectives=True)
        more, chosen = _link_spans(parts, adjectives, snapshot, relation_words)
        scored += more
    known = {i for s in scored for i in range(s.first, s.last + 1)}
    if repair:
        chosen = _repair(question, parts, known, chosen, snapshot, relation_words, like)
    top = max((w for w, _ in chosen), default=0.0)
    names = [
        c
        for c in chosen
        if not _ordinary(parts, c[1], relation_words) and not _aside(parts, c, top) and not _described(parts, c[1])
    ]
    return sorted(sorted(names or chosen, key=lambda c: -c[0])[:most], key=lambda c: c[1].first)


@dataclass(frozen=True, slots=True)
class _LinkSpan:
    text: str
    first: int
    last: int
    hits: tuple[NameHit, ...]


def _link_spans(
    parts: Sequence[Word],
    spans: Sequence[tuple[str, int, int]],
    snapshot: Snapshot,
    relation_words: Collection[str],
    *,
    areas: bool = False,
) -> tuple[list[_LinkSpan], list[tuple[float, _LinkSpan]]]:
    """Return the spans that are names as they are written, and the best of them.

    With ``areas``, "the city of Alexandria" means what is called Alexandria.
    """
    hits = snapshot.find([t for t, _, _ in spans], limit=_HITS, reach="exact") if spans else []
    scored = [_LinkSpan(text, i, j, tuple(h)) for (text, i, j), h in zip(spans, hits, strict=True) if h]
    countries = set(described(lowered(parts)))
    # "Russian" before a noun is no language.
    instead = {(s.first, s.last) for s in scored if (s.text, s.first, s.last) in countries}
    scored = [s for s in scored if (s.first, s.last) not in instead or (s.text, s.first, s.last) in countries]
    called = {(s.first, s.last): s.hits for s in scored}
    scored = [
        replace(s, hits=called.get((s.first + 2, s.last), s.hits)) if areas and _says_area(parts, s) else s
        for s in scored
        if not (areas and (s.first + 2, s.last) in called and _describes(parts, s))
    ]
    return scored, _disjoint(_worth(parts, scored, relation_words, _LEAST_WORTH))


def _describes(parts: Sequence[Word], span: _LinkSpan) -> bool:
    """Return True if a span says which city it is of a country: "capital of Portugal", an alias of Lisbon, is no name.

    Offices are things of their own: "mayor of Kiel".
    """
    first, of, *other = (w.text for w in parts[span.first : span.last + 1])
    return of == "of" and other[0][:1].isupper() and first not in AREAS and kinds_named(first) == {"city"}


def _says_area(parts: Sequence[Word], span: _LinkSpan) -> bool:
    """Return True if a span begins with what its name is: the "city of Alexandria" is called Alexandria.

    Other words for areas may be roles (capital) or parts of names (republic).
    """
    first, *following = (w.text for w in parts[span.first : span.last + 1])
    return following[:1] == ["of"] and first in AREAS and kinds_named(first) == {first}


def _worth(
    parts: Sequence[Word], spans: Sequence[_LinkSpan], relation_words: Collection[str], least: float
) -> list[tuple[float, _LinkSpan]]:
    """Return the spans of more worth than ``least`` that are no verbs, each with its worth."""
    verbs = _verbs(parts, spans)
    weighed = [(_weigh(parts, s, relation_words), s) for s in spans if not (s.first == s.last and s.first in verbs)]
    return [w for w in weighed if w[0] > least]


def _weigh(parts: Sequence[Word], span: _LinkSpan, relation_words: Collection[str]) -> float:
    """Return the worth of a span: coverage in words, the best match, capitals; less for words that rarely are names."""
    inside = parts[span.first : span.last + 1]
    content = [w for w in inside if w.text.casefold() not in FUNCTION] or list(inside)
    best = max(_prior(h) for h in span.hits)
    capitals = any(map(_capital, content)) or _is_subject(parts, span)
    placed = _is_asked_about(parts, span)
    length_weight = _FURTHER_WORD_WORTH * (max(len(content), 1) - 1)
    length_weight += _FUNCTION_WORD_WORTH * (len(inside) - len(content))
    score = best + length_weight * max(_covered(span.text, h) for h in span.hits[:3]) + _CAPITAL_WORTH * capitals
    if not capitals and capitalised(parts):
        score -= _LOWERCASE_COST
    if not capitals:
        folded = [fold(w.text) for w in content]
        related = all(_of_relations(w, relation_words) for w in folded) and not placed
        acronym = all(h.text.isupper() and len(h.text) <= _ACRONYM_LETTERS for h in span.hits[:3])
        score -= _ACRONYM_COST if acronym else 0.0
        common = all(h.text == h.text.lower() for h in span.hits[:3])
        score -= (_RELATION_WORD_COST if related else 0.0) + (_COMMON_NOUN_COST if common else 0.0)
        place = span.first > 0 and parts[span.first - 1].text.casefold() in _BEFORE_PLACES
        if len(folded) == 1 and (folded[0].isdigit() or (len(folded[0]) <= 2 and not place)):
            score -= _SHORT_COST
    return score


def _capital(word: Word) -> bool:
    """Return True if a word is capitalised as a name, not as the first of a text."""
    return word.text[:1].isupper() and (word.start > 0 or is_demonym(word.text.casefold()))


def _is_subject(parts: Sequence[Word], span: _LinkSpan) -> bool:
    """Return True for the first words of a statement, before its verb: "Inception was directed by …"."""
    following = [kind(w.text) for w in parts[span.last + 1 : span.last + 2]]
    return span.first == 0 and parts[0].text[:1].isupper() and not {VERB, AUXILIARY}.isdisjoint(following)


def _is_asked_about(parts: Sequence[Word], span: _LinkSpan) -> bool:
    """Return True for words without an article where a name must be: "was inception filmed", "how long is inception".

    At the end of a question, they may follow a preposition: "the runtime of inception".
    """
    before, *following = lowered(
        [*parts[max(span.first - 1, 0) : span.first], *parts[span.last + 1 : span.last + 3]]
    ) or [""]
    following = [w for w in following if w.isalpha()]
    verb = kind(following[0]) == VERB or following[1:] == ["than"] if following else True
    return span.first > 0 and ((before in BE and verb) or (before in PREPOSITIONS and not following))


def _covered(text: str, hit: NameHit) -> float:
    """Return the share of a name's words that were said, if only some were.

    Aliases of one entity may be listed together, between commas.
    """
    if hit.how not in ("tokens", "near", "like"):
        return 1.0
    n_words = len(fold(text).split())
    return max(min(1.0, n_words / max(len(fold(name).split()), 1)) for name in hit.text.split(", "))


def _of_relations(word: str, relation_words: Collection[str]) -> bool:
    """Return True if relations of the graph are called so, in the singular or the plural."""
    return word in relation_words or word.rstrip("s") in relation_words


def _ordinary(parts: Sequence[Word], span: _LinkSpan, relation_words: Collection[str]) -> bool:
    """Return True if a span has only ordinary words, such as "official languages" or "vice president".

    Such a span is a topic only if there is no other.
    """
    inside = parts[span.first : span.last + 1]
    content = [w for w in inside if w.text.casefold() not in FUNCTION] or list(inside)
    if any(map(_capital, content)) or _is_subject(parts, span):
        return False
    folded = [fold(w.text) for w in content]
    related = all(_of_relations(w, relation_words) for w in folded) and not _is_asked_about(parts, span)
    return related or all(h.text == h.text.lower() for h in span.hits[:3])


def _described(parts: Sequence[Word], span: _LinkSpan) -> bool:
    """Return True for an uncapitalised noun that words after it describe: "the band that …", "the movies made by …"."""
    following = parts[span.last + 1 : span.last + 3]
    low = not any(w.text[:1].isupper() for w in parts[span.first : span.last + 1])
    by = len(following) > 1 and following[1].text == "by" and bool(kinds_named(span.text))
    return low and (by or any(w.text in RELATIVES for w in following[:1]))


def _verbs(parts: Sequence[Word], names: Sequence[_LinkSpan]) -> set[int]:
    """Return the places of the uncapitalised words after a name that "do" asks about: "what does Turkey trade"."""
    low, found = lowered(parts), set()
    for name in names:
        before, at = low[max(name.first - 2, 0) : name.first], name.last + 1
        asked = bool(DO & set(before[-1:])) or (before[-1:] == ["the"] and before[0] in DO)
        if (
            asked
            and PREPOSITIONS.issuperset(low[at + 1 : at + 2])
            and not any(w.text[:1].isupper() for w in parts[at : at + 1])
        ):
            found.add(at)
    return found


def _aside(parts: Sequence[Word], found: tuple[float, _LinkSpan], top: float) -> bool:
    """Return True for a single uncapitalised word next to a mention of much greater worth."""
    worth, span = found
    claim = kind(parts[0].text) == AUXILIARY and not capitalised(parts)  # "was war horse filmed in wales"
    single = span.first == span.last and not parts[span.first].text[:1].isupper()
    return single and top - worth > _LOWERCASE_MARGIN and not claim


def _prior(hit: NameHit) -> float:
    how = {
        "name": _NAME_WORTH,
        "alias": _ALIAS_WORTH,
        "tokens": _PART_WORTH,
        "near": _MISSPELT_WORTH,
        "like": _MISSPELT_WORTH,
    }[hit.how]
    return how + _DEGREE_WORTH * math.log1p(hit.degree)


def _disjoint(scored: Sequence[tuple[float, _LinkSpan]]) -> list[tuple[float, _LinkSpan]]:
    """Return the non-overlapping spans of greatest total worth (weighted interval scheduling; ties: the longer)."""
    order = sorted(scored, key=lambda s: (s[1].last, s[1].first))
    lasts = [s.last for _, s in order]
    best: list[tuple[float, list[tuple[float, _LinkSpan]]]] = [(0.0, [])]
    for k, (worth, span) in enumerate(order):
        before = bisect_left(lasts, span.first, 0, k)  # so many end before it begins
        take = best[before][0] + worth
        best.append((take, [*best[before][1], (worth, span)]) if take > best[-1][0] + 1e-9 else best[-1])
    return best[-1][1]


def _repair(
    question: str,
    parts: Sequence[Word],
    known: Collection[int],
    chosen: list[tuple[float, _LinkSpan]],
    snapshot: Snapshot,
    relation_words: Collection[str],
    like: Like | None,
) -> list[tuple[float, _LinkSpan]]:
    """Look up at most six leftover spans as partial or misspelled names, longest first.

    A leftover span has words that no chosen mention covers, one of them unknown or capitalised. If no mention was
    chosen, any span will do.
    """
    covered = {i for _, s in chosen for i in range(s.first, s.last + 1)}
    runs = [
        (t, i, j)
        for t, i, j in content_runs(question, parts)
        if not covered >= set(range(i, j + 1)) and _nameish(parts, i, j, known, covered, relation_words)
    ][:6]
    hits = snapshot.find([t for t, _, _ in runs], limit=20, reach="near") if runs else []
    alike = [tuple(h for h in found if resembles(t, h)) for (t, _, _), found in zip(runs, hits, strict=True)]
    if like is not None and (left := [n for n, own in enumerate(alike) if not own]):
        for n, own in zip(left, like([runs[n][0] for n in left]), strict=True):
            alike[n] = tuple(own)
    found = [_LinkSpan(t, i, j, h) for (t, i, j), h in zip(runs, alike, strict=True) if h]
    better = _disjoint([*chosen, *_worth(parts, found, relation_words, _LEAST_REPAIRED_WORTH)])
    return better or _objects(question, parts, snapshot)


def _objects(question: str, parts: Sequence[Word], snapshot: Snapshot) -> list[tuple[float, _LinkSpan]]:
    """Return the last word after a verb as a name ("who directed inception") if nothing else was found."""
    last = len(parts) - 1
    low = lowered(parts)
    if last < 1 or low[last] in FUNCTION or low[last - 1] in FUNCTION:
        return []
    text = question[parts[last].start : parts[last].end]
    hits = tuple(h for h in snapshot.find([text], limit=_HITS, reach="exact")[0] if h.text != h.text.lower())
    return [(_LEAST_WORTH, _LinkSpan(text, last, last, hits))] if hits else []


def _nameish(
    parts: Sequence[Word],
    first: int,
    last: int,
    known: Collection[int],
    covered: Collection[int],
    relation_words: Collection[str],
) -> bool:
    """Return True for a span that may be a name; next to a mention it needs an unknown or capitalised word."""
    inside = range(first, last + 1)
    plain = [fold(parts[k].text) for k in inside]
    if all(_of_relations(w, relation_words) for w in plain):
        return False
    if not covered:
        return True
    capital = any(parts[k].text[:1].isupper() and k for k in inside if k not in covered)
    if not capital and capitalised(parts):
        return False  # a question that writes capitals writes its names with them
    strange = any(
        (k not in known or w.isdigit()) and len(w) > 3 and not _of_relations(w, relation_words)
        for k, w in zip(inside, plain, strict=True)
    )
    return last > first and (capital or strange)


def _rank(
    question: str,
    parts: Sequence[Word],
    chosen: Sequence[tuple[float, _LinkSpan]],
    snapshot: Snapshot,
    embedder: Embedder | None,
    keep: int,
) -> tuple[Mention, ...]:
    tops = _tops(chosen, keep)
    found = iter(snapshot.entities([h.node for hits in tops for h in hits]))
    pools = [[_candidate(h, next(found), s.text) for h in hits] for hits, (_, s) in zip(tops, chosen, strict=True)]
    pools = _coherent(pools, snapshot)
    if embedder is not None:
        pools = [_by_meaning(question, pool, embedder) for pool in pools]
    mentions = []
    for pool, (_, span) in zip(pools, chosen, strict=True):
        ranked = tuple(sorted(pool, key=lambda c: (-c.score, c.node.id))[:keep])
        start, end = parts[span.first].start, parts[span.last].end
        if span.text == question[start : parts[span.last].full]:  # a name with its own apostrophe-s
            end = parts[span.last].full
        mentions.append(Mention(question[start:end], start, end, ranked, ranked[0] if ranked else None))
    return tuple(mentions)


def _tops(chosen: Sequence[tuple[float, _LinkSpan]], keep: int) -> list[list[NameHit]]:
    """Return the hits of each mention that are looked at, best first."""
    return [sorted(s.hits, key=lambda h: (-_prior(h), h.node))[: max(keep, 6)] for _, s in chosen]


def _candidate(hit: NameHit, entity: Entity, text: str) -> Candidate:
    exact = _EXACT_WORTH if entity.node.name.casefold() == text.casefold() else 0.0
    return Candidate(entity.node, _prior(hit) + exact, hit.how, entity.description, entity.degree)


def _coherent(pools: list[list[Candidate]], snapshot: Snapshot) -> list[list[Candidate]]:
    """Raise the scores of candidates that a fact links to a candidate of another mention."""
    pairs = [
        (a, i, b, j)
        for a in range(len(pools))
        for b in range(a + 1, len(pools))
        for i in range(min(4, len(pools[a])))
        for j in range(min(4, len(pools[b])))
    ]
    if not pairs:
        return pools
    left = np.array([pools[a][i].node.id for a, i, _, _ in pairs], np.int64)
    right = np.array([pools[b][j].node.id for _, _, b, j in pairs], np.int64)
    linked = set(snapshot.between(left, right).pair.tolist())
    bonus: dict[tuple[int, int], float] = {}
    for k in linked:
        a, i, b, j = pairs[k]
        bonus[a, i] = bonus[b, j] = _COHERENT_WORTH
    return [
        [replace(c, score=c.score + bonus.get((a, i), 0.0)) for i, c in enumerate(pool)] for a, pool in enumerate(pools)
    ]


def _by_meaning(question: str, pool: list[Candidate], embedder: Embedder) -> list[Candidate]:
    """Add to the scores of close leaders what their descriptions have in common with the question."""
    ranked = sorted(pool, key=lambda c: (-c.score, c.node.id))
    within = _DESCRIBED_WITHIN
    close = [c for c in ranked[:4] if ranked[0].score - c.score < within and c.description]
    if len(close) < 2:
        return pool
    vectors = embedder.embed([question, *(f"{c.node.name}: {c.description[:200]}" for c in close)])
    gain = {c.node.id: _DESCRIBED_WEIGHT * float(v @ vectors[0]) for c, v in zip(close, vectors[1:], strict=True)}
    least = min(gain.values())
    return [replace(c, score=c.score + gain.get(c.node.id, least)) for c in pool]
