"""Sentences that link the subject of a question with a value: one of the answer's, or another of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, Literal

from hydra_kg.domain import AnswerValue, Entity, Passage
from hydra_kg.extract.mentions import plain_title
from hydra_kg.extract.word_classes import peoples
from hydra_kg.language.dates import Day, month_number
from hydra_kg.steps.crosscheck.kinds_in_names import kinds_of_page, may_be_alike
from hydra_kg.steps.crosscheck.named_values import NamedValue, dates_in, names_in, numbers_in, same_day
from hydra_kg.steps.crosscheck.sentence_mentions import (
    Naming,
    Span,
    begins_with_kind,
    begins_with_subject,
    stands_for_subject,
)
from hydra_kg.steps.crosscheck.value_precision import (
    Role,
    counted_once,
    in_longer_name,
    lifespan,
    of_another,
    others_between,
    said_before,
    same_amount,
    unit_after,
    vague,
)
from hydra_kg.steps.retrieval.entity_types import Kinds
from hydra_kg.steps.text.sentence_retrieval import PassageSentence, sentence_spans
from hydra_kg.text.clauses import DENIED
from hydra_kg.text.folding import flat
from hydra_kg.text.literals import literal_kind, literal_text
from hydra_kg.util.fast_dataclass import dataclass, replace

Sort = Literal["date", "number", "name"]

_PAST: Final = re.compile(
    r"\b(?:formerly|previously|(?:is|was|were)(?: an?| the)? historical(?:ly)?|no longer|defunct|obsolete|was replaced"
    r"|before (?:its|the|their) (?:adoption|introduction)|until (?:the )?(?:[a-z]+ )?[12][0-9]{3})\b"
)
_FORMER: Final = re.compile(r"\b(?:former|ex)\b")
_DATE: Final = re.compile(r"\bon (?:[0-9]{1,2} [A-Z][a-z]+|[A-Z][a-z]+ [0-9]{1,2},) [0-9]{4},? |\bin [0-9]{4},? ")
_CALLED: Final = re.compile(r"\b(?:known as|called|named|nicknamed|abbreviated)\b")
_BY_NAME: Final = re.compile(
    r"[ ,\"'“‘(]*(?:(?:also|simply|just|as|the|an?|or|and|[\"'“‘,])[ ,\"'“‘]*|[A-ZÀ-Þ][\w-]*[ ,\"'”’]*)*"
)
_SECTION: Final = re.compile(r" - [^-]+$")


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """A value of the answer: its name, how a text may write it, and the kinds that are known of it."""

    name: str
    naming: Naming
    day: Day | None = None
    number: float | None = None
    node: int = 0
    kinds: Kinds = frozenset()


@dataclass(frozen=True, slots=True)
class Subject:
    """The asked class and its names; ``shared``: something better known has its name, so only its own page counts."""

    node: int
    naming: Naming
    shared: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class TextStatement:
    """A sentence that links the subject with a value.

    Args:
        value: The value in the words of the text.
        ours: The answer's value that it is, or None.
        clause: What is compared with the question: the sentence without both names, or the words between them.
        page: Whether the value is what the page is about.
        aside: Whether the page is about neither.
        third: Whether the sentence is then about the page's subject, which precedes both.
        measured: Whether it is a date or number next to the subject.
        denied: Whether the sentence says that it is not so.
        past: Whether the sentence says that it is no longer so.
    """

    sentence: PassageSentence
    value: str
    ours: ComparedValue | None
    clause: str
    page: bool = False
    aside: bool = False
    third: bool = False
    measured: bool = False
    denied: bool = False
    past: bool = False


def statements(
    subject: Subject, values: Sequence[ComparedValue], passages: Iterable[Passage], *, sort: Sort, role: Role = ""
) -> Iterator[TextStatement]:
    """Yield the sentences of passages that link the subject with a value, in their order."""
    for passage in passages:
        page = _CheckedPage(passage, subject, values, sort, role)
        for start, end in sentence_spans(passage.text):
            yield from page.read(start, end)


class _CheckedPage:
    """One passage: what its title says it is about, and which names stand for that."""

    def __init__(
        self, passage: Passage, subject: Subject, values: Sequence[ComparedValue], sort: Sort, role: Role
    ) -> None:
        self._passage, self._subject, self._values, self._sort, self._role = passage, subject, values, sort, role
        self._title = subject_title(passage.title)
        self._about_subject = subject.naming.is_name(self._title) or (
            bool(passage.node) and passage.node == subject.node
        )
        self._about = next((v for v in values if v.naming.is_name(self._title) or v.node == passage.node != 0), None)
        self._naming = None if self._about_subject or not self._title else Naming([self._title])

    @cached_property
    def _low(self) -> str:
        return flat(self._passage.text)

    @cached_property
    def _whole(self) -> bool:
        """Return True if the text has the subject's whole name, so that a part of it is enough elsewhere."""
        return self._about_subject or self._subject.naming.whole(self._passage.text, self._low) is not None

    @cached_property
    def _same(self) -> ComparedValue | None:
        """Return the answer's value that only has another name here ("the pound sterling, also known as …")."""
        start, end = next(iter(sentence_spans(self._passage.text)), (0, 0))
        text, low = self._passage.text[start:end], self._low[start:end]
        names = ((v, v.naming.whole(text, low)) for v in self._values)
        return next((v for v, at in names if at is not None and _called_so(text, low, at[0])), None)

    @cached_property
    def _fits(self) -> bool:
        """Return True if what the page is about may be of the answer's kind."""
        ours = frozenset[str]().union(*(v.kinds for v in self._values))
        return may_be_alike(self._kinds, ours)

    @cached_property
    def _kinds(self) -> Kinds:
        return kinds_of_page(self._passage.title, self._passage.text)

    def read(self, start: int, end: int) -> Iterator[TextStatement]:
        if self._subject.shared and not self._about_subject:
            return
        text, low = self._passage.text[start:end], self._low[start:end]
        names = self._subject.naming
        at = names.part(text, low) if self._whole else names.whole(text, low)
        if at is None and not (self._about_subject and self._begins(low)):
            return
        sentence = PassageSentence(self._passage, text.strip(), start, end)
        base = TextStatement(sentence, "", None, "", past=bool(_PAST.search(low)))
        former = replace(base, past=base.past or bool(_FORMER.search(low)))
        if ours := [(v, s) for v in self._values if (s := self._ours(v, text, low)) is not None and s != at]:
            for value, span in ours:
                aside = not self._about_subject and self._about is None
                clause = _between(text, at or (0, 0), span) if aside else masked(text, [at, span])
                denied = _denied(low, [at, span])
                third = aside and self._before(text, low, min(span, at or span)[0])
                found = replace(former, value=value.name, ours=value, clause=clause, denied=denied)
                yield replace(found, aside=aside, third=third)
        elif same := self._about or self._same:
            here = self._page_at(text, low)
            denied = _denied(low, [at, here])
            clause = masked(text, [at, here])
            yield replace(former, value=same.name, ours=same, clause=clause, page=True, denied=denied)
        else:
            yield from self._others(base, text, low, at)

    def _others(self, base: TextStatement, text: str, low: str, at: Span | None) -> Iterator[TextStatement]:
        """Yield other values: dates, numbers, names by the subject, or another page's."""
        page = self._page_at(text, low)
        if self._sort != "name" and (self._about_subject or not self._title):
            yield from self._measured(base, text, low, at)
            return
        named = self._names(text, at, page) if self._about_subject or not self._title else []
        for n in named:
            clause = _DATE.sub("", _between(text, at or (0, 0), (n.start, n.end)))
            if clause:
                yield replace(base, value=n.text, clause=clause, denied=_denied(low, [at, (n.start, n.end)]))
        titled = self._sort == "name" and self._naming is not None and at is not None and self._fits
        if titled and (page is not None or stands_for_subject(low, self._kinds)):
            clause, denied = masked(text, [at, page]), _denied(low, [at, page])
            yield replace(base, value=self._title, clause=clause, page=True, denied=denied)

    def _names(self, text: str, at: Span | None, page: Span | None) -> list[NamedValue]:
        place = at or (0, 0)
        taken = [place, *([page] if page is not None else [])]
        names = [n for n in names_in(text) if all(n.end <= a or n.start >= b for a, b in taken) and self._is_other(n)]
        return [*[n for n in names if n.end <= place[0]][-1:], *[n for n in names if n.start >= place[1]][:1]]

    def _measured(self, base: TextStatement, text: str, low: str, at: Span | None) -> Iterator[TextStatement]:
        """Yield exact dates and numbers after the subject: the asked end of a lifespan, or the first one."""
        if at is not None and self._subject.naming.whole(text, low) is None and in_longer_name(text, at[0]):
            return
        start = at[1] if at is not None else 0
        if self._sort == "date":
            if (life := lifespan(text, start)) is not None and at is not None:
                if self._role and not vague(text[: life[0][1].start], life[0][1]):
                    named = life[self._role == "end"][1]
                    said = "was born or founded on" if self._role == "start" else "died or was closed on"
                    yield replace(base, value=named.text, clause=said, measured=True)
                return
            found = [n for _, n in dates_in(text) if n.start >= start][:1]
            found = [] if at is None and of_another(low) else [n for n in found if not vague(text, n)]
        else:
            found = [n for _, n in numbers_in(text) if n.start >= start]
            base = replace(base, past=base.past or counted_once(text))
        for n in found:
            clause = said_before(text, max([start, *(o.end for o in found if o.end <= n.start)]), n.start)
            if clause and not others_between(text, start, n.start):
                yield replace(
                    base, value=n.text, clause=clause, measured=True, denied=_denied(low, [at, (n.start, n.end)])
                )

    def _is_other(self, named: NamedValue) -> bool:
        words = [w.casefold() for w in named.text.split()]
        parts = set(flat(named.text).split())
        month = month_number(words[0]) > 0 and len(words) > 1
        return not month and not peoples(words, adjectives=True) and not parts <= self._subject.naming.words

    def _ours(self, value: ComparedValue, text: str, low: str) -> Span | None:
        if value.day is not None:
            return next(((n.start, n.end) for d, n in dates_in(text) if same_day(d, value.day)), None)
        if value.number is not None:
            found = numbers_in(text)
            return next(
                ((n.start, n.end) for d, n in found if same_amount(d, unit_after(text, n.end), value.number)), None
            )
        return value.naming.whole(text, low)

    def _begins(self, low: str) -> bool:
        """Return True if a sentence begins with a word that stands for what the page is about."""
        return begins_with_subject(low) or begins_with_kind(low, self._opening)

    @cached_property
    def _opening(self) -> str:
        start, end = next(iter(sentence_spans(self._passage.text)), (0, 0))
        return self._low[start:end]

    def _before(self, text: str, low: str, start: int) -> bool:
        """Return True if a sentence mentions the page's subject before a place in it."""
        page = self._page_at(text, low)
        return (page is not None and page[0] < start) or begins_with_subject(low)

    def _page_at(self, text: str, low: str) -> Span | None:
        return self._naming.part(text, low) if self._naming is not None else None


def subject_title(title: str) -> str:
    """Return what a page is about, by its title without disambiguation and without a section."""
    return _SECTION.sub("", plain_title(title))


def masked(text: str, spans: Sequence[Span | None]) -> str:
    """Return the text without some spans of it."""
    out, last = [], 0
    for a, b in sorted(s for s in spans if s is not None):
        if a >= last:
            out.append(text[last:a])
            last = b
    out.append(text[last:])
    return " ".join(" ".join(out).split())


def _called_so(text: str, low: str, start: int) -> bool:
    """Return True if the name at a place is an alias, directly after "known as"."""
    return any(_BY_NAME.fullmatch(text, m.end(), start) for m in _CALLED.finditer(low, 0, start))


def _between(text: str, one: Span, other: Span) -> str:
    """Return the text between two names without a possessive, or "" if it has no word."""
    first, last = sorted((one, other))
    words = text[first[1] : last[0]]
    return " ".join(words.split()).strip(" ,;:-–—()\"'") if re.search(r"[^\W\d_]{2}", words) else ""


def _denied(low: str, spans: Sequence[Span | None]) -> bool:
    """Return True if the part of a sentence that contains some spans, from comma to comma, is negated."""
    parts = [s for s in spans if s is not None] or [(0, 1)]
    start = max((low.rfind(mark, 0, min(a for a, _ in parts)) for mark in ",;:"), default=-1) + 1
    ends = [e for mark in ",;:" if (e := low.find(mark, max(b for _, b in parts))) >= 0]
    return DENIED.search(low, start, min(ends, default=len(low))) is not None


_NUMBER: Final = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")


def as_year(value: ComparedValue) -> ComparedValue:
    """Return a year that a table has as a plain number as a day, and any other value unchanged."""
    days = [d for d, _ in dates_in(value.name)] if value.number is not None else []
    return replace(value, day=days[0], number=None) if days else value


def compared_value(answer: AnswerValue, known: Mapping[int, Entity]) -> ComparedValue:
    """Return an answer's value for comparison with texts.

    ``known`` has the entities of the answers, for their other names.
    """
    if answer.node is not None:
        entity = known.get(answer.node.id)
        return ComparedValue(
            answer.name, Naming([answer.name, *(entity.aliases if entity else ())]), node=answer.node.id
        )
    text, kind = literal_text(answer.value or answer.name), literal_kind(answer.value or "")
    if kind == "date" and (days := dates_in(text)):
        return ComparedValue(answer.name, Naming([]), day=days[0][0])
    if kind == "number" and _NUMBER.fullmatch(text):
        return ComparedValue(answer.name, Naming([]), number=float(text))
    return ComparedValue(answer.name, Naming([answer.name]))
