"""Find answers in two passages: the first names a thing, the second is about that thing.

"Where was the author of Emma born?": one passage states that Emma is by Jane Austen, another that she was born in
Steventon. The words of the question that the first sentence lacks must be in the second, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hydra_kg.extract.passages.likely_answers import nearness, statements, term_worths, title_worths, weigh_terms
from hydra_kg.extract.passages.open_question import OpenQuestion, Term
from hydra_kg.extract.passages.values_in_sentences import LikelyAnswer, candidates_of
from hydra_kg.extract.reading.page import Page, Sentence
from hydra_kg.extract.reading.sentence_names import Name
from hydra_kg.util.fast_dataclass import dataclass, replace

_CHAINED: Final = 0.95
"""Factor for an answer that needs two sentences."""
_GAIN: Final = 1.0
"""Least weight of the words that each of the two sentences adds to the other."""
_STATED: Final = 0.8
_OTHER_KIND: Final = 0.15
"""Fit of a thing that its page does not define as the asked kind."""
_LONE: Final = 0.35
"""Nearness where the second sentence has no further word of the question."""


@dataclass(frozen=True, slots=True)
class LinkingSentence:
    """A sentence of a passage that accounts for words of the question, with the names that it offers as links."""

    page: Page
    sentence: Sentence
    worth: Mapping[Term, float]
    titled: frozenset[Term]
    covered: float

    def links(self, titles: Iterable[str]) -> Iterator[tuple[str, int, int]]:
        """Yield the names and quoted titles, and "Young, New South Wales" as one name, with their tokens.

        ``titles`` are links too if the sentence has them, in whatever case.
        """
        low = self.sentence.text.casefold()
        for title in titles:
            if " " in title and (start := low.find(title.casefold())) >= 0:
                inside = [
                    i for i, t in enumerate(self.sentence.tokens) if start <= t.start and t.end <= start + len(title)
                ]
                if inside:
                    yield title, inside[0], inside[-1]
        previous: Name | None = None
        for n in self.sentence.names:
            yield n.text, n.first, n.last
            if previous is not None and previous.last + 2 == n.first and self.sentence.tokens[n.first - 1].text == ",":
                yield f"{previous.text}, {n.text}", previous.first, n.last
            previous = n
        for v in self.sentence.quotes:
            yield v.text, v.first, v.last


def linking_sentences(page: Page, question: OpenQuestion) -> Iterator[LinkingSentence]:
    """Yield the sentences of a passage that account for a part of the question."""
    titled = title_worths(page.called[0] if page.called else "", question.terms)
    about = frozenset(t for t, value in titled.items() if value >= _STATED)
    for s in statements(page):
        _, worth = term_worths(s, question.terms, titled)
        if sum(t.weight * w for t, w in worth.items()) >= _GAIN:
            yield LinkingSentence(page, s, worth, about, weigh_terms(worth, about))


def chained_answers(
    first: LinkingSentence, page: Page, question: OpenQuestion, at: tuple[int, int]
) -> Iterator[LikelyAnswer]:
    """Yield candidates in the sentences of a second passage, whose title is named at tokens ``at`` of the first.

    The named thing itself is a candidate too, if its page accounts for the rest of the question.
    """
    titled = title_worths(page.called[0], question.terms)
    about = first.titled | {t for t, value in titled.items() if value >= _STATED}
    left = [t for t in question.terms if first.worth[t] < _STATED]
    for s in statements(page):
        places, worth = term_worths(s, question.terms, titled)
        gained = sum(t.weight * worth[t] for t in left)
        given = sum(t.weight * max(first.worth[t] - worth[t], 0.0) for t in question.terms)
        if gained < min(_GAIN, sum(t.weight for t in left if not t.noun)) or given < _GAIN:
            continue
        covered = weigh_terms({t: max(first.worth[t], worth[t]) for t in question.terms}, about)
        near = {t: places[t] for t in left if places[t]}
        for c, fit in candidates_of(page, s, question, about=True):
            if c.name and c.first == 0 and s.start == 0:
                continue  # the subject itself
            local = nearness(s.tokens, near, c) if near else _LONE
            score = _CHAINED * covered**2 * fit * (0.4 + 0.6 * local)
            yield replace(c, score=round(score, 4), covered=round(covered, 4))
        yield from _named_thing(first, page, question, at, covered)


def _named_thing(
    first: LinkingSentence, page: Page, question: OpenQuestion, at: tuple[int, int], covered: float
) -> Iterator[LikelyAnswer]:
    """Yield the link itself: "Which novelist born in Steventon wrote Emma?"."""
    for c, fit in candidates_of(first.page, first.sentence, question, about=bool(first.titled)):
        if at[0] <= c.first and c.last <= at[1]:
            person = question.asked.kind == "person" and not question.noun
            fits = page.person if person else question.noun in page.types
            kind = max(fit, _STATED) if fits else _OTHER_KIND
            score = _CHAINED * covered**2 * kind * (0.4 + 0.6 * _STATED)
            yield replace(c, score=round(score, 4), covered=round(covered, 4))
