"""Check that a sentence states a relation between two names that it mentions, by words or by meaning.

Either the words between the names state it, in the right direction and without negation, or their vector is close to
that of the relation. The bound was fitted by ``bench/training/fit_stated_relation.py``
(docs/results/stated-relations.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import product
from typing import Final

from hydra_kg.domain import Floats
from hydra_kg.extract.word_classes import NAME, NOUN, NUMBER, RELATIVES, VERB, kind
from hydra_kg.language.morphology import stem
from hydra_kg.phrases import two_way_phrases
from hydra_kg.text.articles import ARTICLES
from hydra_kg.text.clauses import (
    DENIED,
    Span,
    before_of,
    clause_end,
    clause_start,
    denies_next,
    is_denied,
    places,
    strip_possessive,
    word_spans,
    words,
)
from hydra_kg.text.folding import flat
from hydra_kg.util.fast_dataclass import dataclass

LIKE: Final = 0.46
"""Least cosine of a relation with the words between the names; it was fitted on the labelled pairs."""


@dataclass(frozen=True)
class RelationClaim:
    """A hop that a model wrote from a sentence.

    If a name is absent from the sentence, it is the page's subject and is put before the sentence.
    """

    sentence: str
    subject: str
    relation: str
    object: str

    @cached_property
    def _low(self) -> str:
        return flat(self.sentence)

    @cached_property
    def _spans(self) -> tuple[Span, Span]:
        """Return the characters of subject and object; of all places that have them, the two nearest to each other."""
        found = [places(self._low, name) or [(0, 0)] for name in (self.subject, self.object)]
        apart = [(a, b) for a, b in product(*found) if a[1] <= b[0] or b[1] <= a[0]]
        return min(apart or [((0, 0), found[1][0])], key=lambda pair: max(pair)[0] - min(pair)[1])

    @property
    def forward(self) -> bool:
        """Return whether the subject comes before the object."""
        return self._spans[0] <= self._spans[1]

    @cached_property
    def _stretch(self) -> Span:
        """Return the characters that are searched for the relation: usually those between the names.

        They are those after the second name up to the end of its clause if only "and" or "or" is between the names, or
        if the subject is not in the sentence and no word is between the names.
        """
        first, second = sorted(self._spans)
        between = self._low[first[1] : second[0]]
        unsaid = first[0] == first[1]
        if self.joined or (unsaid and not words(between)):
            return second[1], clause_end(self._low, second[1])
        return first[1], second[0]

    @cached_property
    def joined(self) -> bool:
        """Return whether only a conjunction is between the names ("Spain and Portugal")."""
        first, second = sorted(self._spans)
        return set(words(self._low[first[1] : second[0]])) - ARTICLES in ({"and"}, {"or"})

    @cached_property
    def between(self) -> str:
        """Return the words that a relation is compared with."""
        start, end = self._stretch
        return strip_possessive(self.sentence[start:end]).strip(" ,;:-–—()\"'’")

    def decided_by_words(self) -> bool | None:
        """Return whether the words between the names state the relation, or None if only meaning can decide."""
        start, end = self._stretch
        relation = flat(self.relation)
        said = words(relation)
        content = [w for w in said if _is_content(w)]
        here = word_spans(self._low, start, end)
        here_words = [self._low[a:b] for a, b in here]
        if not content:
            key = _first_run(here_words, said)
            if key is None or not said:
                return False
        else:
            stems = [stem(w) for w in here_words]
            if not {stem(w) for w in content}.issubset(stems):
                if self._owner_states(content):
                    return self.forward != (said[-1] == "of") and not self._denied(relation, start)
                return False if self._denied(relation, start) or self._turned(relation) else None
            key = stems.index(stem(next((w for w in content if kind(w) == VERB), content[0])))
        if self._denied(relation, here[key][0]):
            return False
        wanted = {stem(w) for w in said}
        behind = list(zip(here_words, here, strict=True))[key + 1 :]
        if any(w in RELATIVES and self._names(start, at) for w, (at, _) in zip(here_words[:key], here, strict=False)):
            return False  # "is longer than the Rhine, which flows through": said of the name before "which"
        if any(stem(w) not in wanted and kind(self.sentence[a:b]) == VERB for w, (a, b) in behind):
            return False  # "was born in Warsaw and later moved to": another verb leads to the second name
        return self.joined or self._directed(said, here_words[key], [w for w, _ in behind])

    def _owner_states(self, content: Sequence[str]) -> bool:
        """Return True if the relation is before "of" and the first name: "the capital of France is Paris"."""
        first, second = sorted(self._spans)
        before = before_of(self._low[: first[0]])
        if not {stem(w) for w in content}.issubset(map(stem, words(before))):
            return False
        between = words(self.sentence[first[1] : second[0]])
        return bool(between) and not any(kind(w) == VERB for w in between)

    def _names(self, start: int, end: int) -> bool:
        """Return whether a part of the sentence contains a capitalised word."""
        return any(self.sentence[at].isupper() for at, _ in word_spans(self.sentence, start, end))

    def _directed(self, said: Sequence[str], key: str, behind: Sequence[str]) -> bool:
        """Return whether the relation leads from subject to object, as far as "by", "of" and verbs tell."""
        rest = [w for w in behind if w not in said or w in {"by", "of"}]
        follows = "by" if "by" in rest else "".join(rest[:1])
        tail = "by" if "by" in said else said[-1] if said[-1] in {"of", "with"} else ""
        after = self._low[min(self._spans)[1] :]
        owned = strip_possessive(after) != after
        verb = kind(key) == VERB
        if tail == "with" or stem(key) in _reciprocal():
            return True
        if follows == "by":
            return self.forward == (tail == "by") if verb or tail == "by" else True
        if tail == "by":
            return not self.forward and not owned
        if follows == "of" and not verb:
            return self.forward or tail != "of"
        if owned and not verb:
            return self.forward != (tail == "of")
        return self.forward

    def _turned(self, relation: str) -> bool:
        """Return whether the relation contradicts the voice of the words between the names.

        A relation with "by" is passive, a verb without it is active.
        """
        said = words(relation)
        start, end = self._stretch
        passive = "by" in words(self._low[start:end])[-3:]
        if said[-1:] == ["by"]:
            return self.forward != passive
        verb = next((w for w in said if _is_content(w)), "")
        return kind(verb) == VERB and said[:1] == [verb] and self.forward == passive

    def _denied(self, relation: str, key: int) -> bool:
        """Return whether the clause with the relation, or one of the names, is negated although the relation is not."""
        if DENIED.search(relation):
            return False
        first, second = sorted(self._spans)
        start = clause_start(self._low, max(key, first[0]))
        denied = is_denied(self._low[start : max(second[1], key)])
        return denied or any(denies_next(self._low[:at]) for at, _ in self._spans)


def are_stated(claims: Sequence[RelationClaim], embed: Callable[[Sequence[str]], Floats]) -> list[bool]:
    """Return for each claim whether its sentence states its relation.

    ``embed`` is called once for all claims that the words do not decide.
    """
    decided = [claim.decided_by_words() for claim in claims]
    open_ = [i for i, known in enumerate(decided) if known is None]
    likes = dict(zip(open_, cosines([claims[i] for i in open_], embed), strict=True))
    return [likes[i] >= LIKE if known is None else known for i, known in enumerate(decided)]


def cosines(claims: Sequence[RelationClaim], embed: Callable[[Sequence[str]], Floats]) -> list[float]:
    """Return for each claim the cosine of its relation and the words between its names, or 0 without words."""
    if not claims:
        return []
    texts = sorted({text for c in claims for text in (c.relation, c.between)})
    rows = dict(zip(texts, embed(texts), strict=True))
    return [float(rows[c.relation] @ rows[c.between]) if c.between else 0.0 for c in claims]


@cache
def _reciprocal() -> frozenset[str]:
    """Return stems of symmetric relations, which have the same name from either end."""
    short = [p.split() for p in two_way_phrases() if len(p.split()) < 3]
    return frozenset(stem(w) for phrase in short for w in phrase if _is_content(w))


def _is_content(word: str) -> bool:
    return kind(word) in {VERB, NOUN, NAME, NUMBER}


def _first_run(words: Sequence[str], part: Sequence[str]) -> int | None:
    """Return the first position in ``words`` at which ``part`` occurs word for word."""
    n = len(part)
    return next((i for i in range(len(words) - n + 1) if list(words[i : i + n]) == list(part)), None)
