"""Find what a page states of its own subject, for a short list of relations.

Each is found as the answer to the question about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from hydra_kg.extract.reading.answer_phrases import definition
from hydra_kg.extract.reading.page import Page, Sentence, lying_somewhere
from hydra_kg.extract.reading.page_question import Asked
from hydra_kg.extract.reading.sentence_answers import AnswerSpan, in_sentence
from hydra_kg.extract.reading.word_groups import said_by
from hydra_kg.extract.word_classes import NAME, NOUN, PREPOSITION, VERB, kind
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.morphology import stem
from hydra_kg.util.fast_dataclass import dataclass

LEAST: Final = 0.9
"""The least clarity of a statement that is stored as a fact."""

_LEAST_BY: Final = 0.95
_OF_PEOPLE: Final = frozenset({"born in", "died in", "cause of death", "spouse", "studied at"})
_OF_ALL: Final = frozenset({"date of birth", "date of death", "named after", "height"})
_GOES_ON: Final = re.compile(r" (?:of|on|for|in) (?:the )?[A-Z]|['’]s? |,? (?:brothers|sisters|family|trio|duo)\b|-")
_STAFF: Final = re.compile(r" (?:[a-z-]+ ){0,2}(?:people|employees|staff|workers|persons)\b")
_WHOLE: Final = list_words("whole_amount")
_BEING: Final = list_words("be") | {"forms", "formed"}
_SCHOOLS: Final = list_words("school")
_SPECIAL: Final = {"role": "person", "study": "name", "former": "name", "work": "name"}
_MADE: Final = {
    "found": frozenset({"founded", "co-founded", "cofounded"}),
    "establish": frozenset({"established"}),
    "writ": frozenset({"wrote", "authored"}),
}
_SURE: Final = 0.99
_WATERS: Final = list_words("water")
_ON: Final = re.compile(r"\b(?:on|near|by|beside|along)(?: the)?(?: [a-z]+ of(?: the)?)? $")
_LEAGUES: Final = list_words("league_stem")
_REGIONS: Final = list_words("region_word")
_SEVERAL: Final = 4  # values of one relation in one sentence that are kept


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation of the page's subject to a value, stated in one sentence.

    Attributes:
        relation: its name ("founded by").
        phrase: the word of the sentence that states it.
        kind: ``name``, ``date``, ``number`` or ``text``.
        text, key: the value for people, and as a literal.
        paragraph, start, end: the paragraph, and the characters of the value in it.
        confidence: 0 to 1.
        turned: whether it is a relation of the value to the page's subject.
    """

    relation: str
    phrase: str
    kind: str
    text: str
    key: str
    paragraph: int
    start: int
    end: int
    confidence: float
    sentence: str
    turned: bool = False


def statements(page: Page) -> Iterator[Statement]:
    """Yield all statements in a page by the relations of the list."""
    for sentence in page.sentences:
        yield from stated_in(page, sentence)


def stated_in(page: Page, sentence: Sentence) -> Iterator[Statement]:
    """Yield the statements of one sentence about the page's subject."""
    for relation, asked, leads in _catalogue():
        work = asked.kind == "name" and asked.words[0] in _MADE
        if (work or relation in _OF_PEOPLE) != page.person and relation not in _OF_ALL:
            continue
        if sentence.stems.isdisjoint(leads) and relation not in {"date of birth", "date of death", "located in"}:
            continue
        found = sorted(in_sentence(page, sentence, asked), key=lambda f: -f.score)
        least = LEAST if asked.kind != "person" else _LEAST_BY
        best = [f for f in found if f.score >= least and f.score >= found[0].score - 0.03][:_SEVERAL]
        if asked.kind in {"date", "place", "count", "measure"}:
            best = best[:1]
        if asked.words[0] == "locat" and not best:
            best = _lying(page, sentence)
        seen: set[str] = set()
        for f in best:
            if f.text.casefold() not in seen and _fits(f, asked, sentence):
                seen.add(f.text.casefold())
                yield _statement(relation, f, asked, turned=work)


def _lying(page: Page, sentence: Sentence) -> list[AnswerSpan]:
    """Find the place in a definition such as "_ is a market town in the county of Norland".

    Only the words that say what the page is about count.
    """
    said = definition(sentence) if sentence.paragraph == 0 and sentence.subject == "topic" else None
    if said is None or page.types.isdisjoint(lying_somewhere()):
        return []
    tokens = sentence.tokens
    at = next((i for i in range(said[0], said[1] + 1) if kind(tokens[i].text) == PREPOSITION), -1)
    if at < 0 or tokens[at].low != "in" or tokens[at - 1].stem not in lying_somewhere():
        return []
    name = next((n for n in sentence.names if n.first > at), None)
    if name is None or any(t.low not in _REGIONS for t in tokens[at + 1 : name.first]):
        return []
    following = tokens[name.last + 1] if name.last + 1 < len(tokens) else None
    if (name.kinds and "place" not in name.kinds) or tokens[name.last].stem in _LEAGUES:
        return []
    if following is not None and following.word and kind(following.text) in {NOUN, NAME}:
        return []  # "in the Dutch province of"
    start, end = tokens[name.first].start, tokens[name.last].end
    return [AnswerSpan(name.text, "", sentence, start, end, LEAST, "in", name=True)]


def _fits(found: AnswerSpan, asked: Asked, sentence: Sentence) -> bool:
    """Return whether an answer may be stored as a fact, which needs more clarity than answering one question."""
    if sentence.subject == "other" and asked.kind in {"date", "place", "count", "measure"}:
        return False
    if not _DOUBT.isdisjoint(t.low for t in sentence.tokens):
        return False
    before, behind = sentence.text[: found.start], sentence.text[found.end :]
    if found.name and (_GOES_ON.match(behind) or before.endswith(("-", "- "))):
        return False  # "the Sermon on the Mount", "the Hughes brothers"
    if asked.kind == "date":
        happened = not found.word or kind(found.word.split()[0].lower()) == VERB
        return happened and any(map(str.isdigit, found.text))
    if asked.kind == "measure":
        words = before.split() if found.word in before else behind.split()
        at = words.index(found.word) if found.word in words else 0
        return at == 0 or kind(words[at - 1]) != NOUN or words[at - 1] in _WHOLE
    if asked.kind == "place":
        return _WATERS.isdisjoint(found.text.lower().split()) or not _ON.search(before)  # a town on a river
    if asked.kind == "name" and asked.words[0] in _MADE:  # "wrote for the Times" has less
        half = before.endswith('"') != behind.startswith('"')  # of "Porgy and Bess"
        return found.name and not half and found.score >= _SURE and found.word.lower() in _MADE[asked.words[0]]
    if asked.words[0] == "study":
        return bool(_SCHOOLS & {w.lower() for w in found.text.split()})
    if asked.words[0] == "employ":
        return bool(_STAFF.match(behind))
    if asked.words[0] == "part of":
        return bool(_BEING & set(sentence.text.partition(found.word)[0].split()[-2:]))
    return True


def _statement(relation: str, f: AnswerSpan, asked: Asked, *, turned: bool) -> Statement:
    what = "name" if f.name else {"date": "date", "count": "number", "measure": "number"}.get(asked.kind, "text")
    begin = f.sentence.start
    return Statement(
        relation,
        f.word,
        what,
        f.text,
        f.key,
        f.sentence.paragraph,
        begin + f.start,
        begin + f.end,
        round(min(f.score, 0.95), 2),
        f.sentence.text,
        turned,
    )


_DOUBT: Final = list_words("no_or_not doubt")


@cache
def _catalogue() -> tuple[tuple[str, Asked, frozenset[str]], ...]:
    found = []
    for row in lexicon_table("relations_of_pages"):
        relation, form, said, who, dimension = (*row, "", "")[:5]
        words = tuple(" ".join(stem(part) for part in w.split("_")) for w in said.split())
        real = _SPECIAL.get(form, form)
        asked = Asked(
            real,  # type: ignore[arg-type]  # a word of the table
            words,
            noun=words[0] if form in {"role", "count"} else "",
            dimensions=(dimension,) if dimension else (),
            agent=who == "agent" or form == "role",
            kinds=frozenset({"person", "organisation"}) if real == "person" else frozenset(),
        )
        leads = frozenset(key.split()[0] for key in said_by(words[0]))
        found.append((relation, asked, leads))
    return tuple(found)
