"""Parse comparisons, differences and assertions: "who is taller, _ or _", "how old was _ when …"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from hydra_kg.agents.planning import lexicon
from hydra_kg.agents.planning.lexicon import AUXILIARIES, BE, DO, HAVE
from hydra_kg.agents.planning.predicates import By, Most, Predicate, assertions, fitting, measured, number_of
from hydra_kg.agents.planning.verbs import Verbs
from hydra_kg.language.lexicon import list_phrases, list_words, match_phrase
from hydra_kg.language.morphology import singular_candidates
from hydra_kg.language.units import unit_spellings
from hydra_kg.plan.model import (
    Among,
    Assertion,
    Compare,
    Constant,
    Difference,
    Holds,
    Named,
    Order,
    Related,
    Root,
    Things,
    Today,
    Value,
)

_PRONOUNS: Final = list_words("third_person third_person_plural")
_LAST: Final = list_words("verb_of_duration")
_MUTUAL: Final = list_words("mutual")
_TWO: Final = list_phrases("of_the_two")
_START: Final = "start date; date of first episode; from; release date"
_END: Final = "end date; date of last episode; to"
_BIRTH, _DEATH = lexicon.event(("born",)), lexicon.event(("died",))


class Comparisons(Verbs):
    """Parser for comparisons and yes/no claims; every method yields only parses that consume all tokens."""

    # -- which of two

    def compared(self, i: int) -> Iterator[Root]:
        """Parse a choice among things, such as "which river is longer, _ or _" or "which of _ and _ is larger"."""
        if not {"and", "or"} & set(self.words[i:]):
            return
        at = i + 1
        if self.word(at) == "of":
            for parts, joiner, end in self.conjoined(at + 1):
                if len(parts) > 1 and joiner:
                    yield from self.compared_by(parts, end)
        at += match_phrase(self.words, at, _TWO)
        starts_at = [at, *(end for _, end in self.run(at))]
        for j in starts_at:
            for most, end in self._criterion(j):
                end += self.word(end) in {",", ":"}
                if self.word(end) in {"between", "of", "from"}:
                    end += 1
                for parts, _, last in self.conjoined(end):
                    if len(parts) > 1 and last == len(self.words):
                        yield _compare(parts, most, noun=" ".join(self.words[at:j]))

    def compared_by(self, parts: Sequence[Things], i: int) -> Iterator[Root]:
        """Yield the comparison of things by the criterion in the tokens from ``i`` to the end."""
        for most, end in self._criterion(i):
            if end == len(self.words):
                yield _compare(parts, most)

    def _criterion(self, i: int) -> Iterator[tuple[Most, int]]:
        """Yield a criterion, such as "is longer", "has more seasons", "was born first" or "is the older one by …"."""
        at = i + (self.word(i) in BE)
        for most, end in self._comparative(at + (self.word(at) in HAVE)):
            yield most, end
        yield from self._costs_more(at)
        yield from self._does_more(at)
        yield from self._takes_longer(at)
        for predicates, end in self.predicate(i):
            if not predicates or not isinstance(predicates[0], Most):
                continue
            if len(predicates) == 1:
                yield predicates[0], end
            elif len(predicates) == 2 and (built := _ordered_by(predicates)):
                yield built, end

    def _comparative(self, i: int) -> Iterator[tuple[Most, int]]:
        at = i + (self.word(i) in {"the", "a"})
        word, (what, end) = self.word(at), self.graded(at)
        if what is None:
            for event, last in self._events(i):
                if order := {"earlier": "min", "later": "max", "sooner": "min"}.get(self.word(last)):
                    yield Most(event, "date", order), last + 1  # type: ignore[arg-type]
            return
        most = Most(what.attribute, what.kind, what.order)
        end += self.word(end) == "one"
        if by := self._by(end):
            yield (_ordered_by((most, by[0])) or most), by[1]
        for noun, last in self.run(end):
            if measure := lexicon.measures().get(noun):
                yield Most(measure.attribute, measure.kind, what.order), last
            elif word in {"larger", "higher", "greater", "bigger", "lower", "smaller", "longer", "shorter"}:
                yield Most(noun, "number", what.order), last
        yield most, end

    def _costs_more(self, i: int) -> Iterator[tuple[Most, int]]:
        """Parse a verb that has a measure, with its order, such as "cost more" or "made less money"."""
        at = self.full_verb(i)
        verb = lexicon.verb(self.word(at))
        measure = lexicon.measures().get(verb.lemma) if verb else None
        order: Order | None = {"more": "max", "most": "max", "less": "min", "least": "min"}.get(self.word(at + 1))  # type: ignore[assignment]
        if measure is not None and order is not None:
            for noun, end in self.run(at + 2):
                if noun in lexicon.measures():
                    yield Most(lexicon.measures()[noun].attribute, "number", order), end
            yield Most(measure.attribute, measure.kind, order), at + 2

    def _does_more(self, i: int) -> Iterator[tuple[Most, int]]:
        """Parse a comparison of counts, such as "has directed more films" or "borders fewer countries"."""
        at = i + (self.word(i) in HAVE)
        order: Order | None = {"more": "max", "fewer": "min"}.get(self.word(at + 1))  # type: ignore[assignment]
        if order is not None and lexicon.verb(self.word(at)) and not lexicon.measures().get(self.word(at)):
            for noun, end in self.run(at + 2):
                yield Most("", "number", order, counted=f"{noun} _ {self.word(at)}"), end

    def _takes_longer(self, i: int) -> Iterator[tuple[Most, int]]:
        """Parse a comparison of durations, such as "lasted longer" or "lived longest"."""
        at = self.full_verb(i)
        verb, end = lexicon.verb(self.word(at)), at + 1 + (self.word(at + 1) in {"for", "the"})
        order: Order | None = {"longer": "max", "longest": "max", "shorter": "min", "shortest": "min"}.get(  # type: ignore[assignment]
            self.word(end)
        )
        if verb is not None and order is not None and (span := _time_of(verb.lemma)):
            since, until = span
            yield Most(until, "number", order, since=since), end + 1

    def full_verb(self, i: int) -> int:
        """Return the index of the first word from ``i`` on that is no auxiliary."""
        while self.word(i) in AUXILIARIES:
            i += 1
        return i

    def _events(self, i: int) -> Iterator[tuple[str, int]]:
        """Yield the date of a verb that has one: "was founded", "died", "came out"."""
        at = self.full_verb(i)
        for phrase, end in self._tails(at + 1, [self.word(at)]):
            if event := lexicon.event(tuple(phrase)):
                yield event, end

    # -- yes or no

    def polar(self, i: int) -> Iterator[Root]:
        """Parse a yes/no question, such as "did _ direct _", "is _ longer than _" or "is _ or _ deeper"."""
        aux = self.word(i)
        for parts, joiner, end in self.conjoined(i + 1):
            if len(parts) > 1 and joiner == "or":
                yield from self.compared_by(parts, end)
            if len(parts) == 1:
                yield from self._asserted(parts[0], aux, end)
            if len(parts) == 2 and joiner == "and":
                yield from self._mutual(parts[0], parts[1], aux, end)

    def _mutual(self, one: Things, other: Things, aux: str, i: int) -> Iterator[Assertion]:
        """Parse what two things are to each other, such as "are _ and _ married" or "do _ and _ share a border"."""
        rest = self.words[i:]
        noun = next((s for s in singular_candidates(rest[-1]) if s in _MUTUAL), "") if rest else ""
        if noun and len(rest) == 1 and aux in BE:
            yield Among(one, Related(other, f"{noun} of _", noun))
        elif rest == ["married"]:
            yield Among(one, Related(other, "married to _", said="is married to _"))
        elif rest[1:] == ["each", "other"] or (noun and {"share", "common"} & set(rest)):
            word = rest[-1] if noun else rest[0]
            yield Among(one, Related(other, f"{word} _", said=f"{lexicon.inflected(word, 's')} _"))

    def statement(self) -> Iterator[Root]:
        """Yield the parses of a claim: "_ died in 1990"."""
        for things, end in self.things(0):
            if self.word(end) in list_words("include"):
                for parts, _, last in self.conjoined(end + 1):
                    if last == len(self.words) and len(parts) == 1:
                        yield Among(parts[0], things)
            aux = self.word(end) if self.word(end) in AUXILIARIES else ""
            yield from self._asserted(things, aux, end + bool(aux))

    def _asserted(self, subject: Things, aux: str, i: int) -> Iterator[Assertion]:
        at = i
        while aux and self.word(at) in {"been", "also", "ever", "once"}:
            at += 1
        for predicates, _, end in self._verb(at, passive=aux in BE | HAVE):
            for more, last in self._with_more(predicates, "", end):
                if last == len(self.words):
                    yield from assertions(subject, more)
        if aux in BE or self.word(at - 1) == "been":
            yield from self._longer_than(subject, at)
            for predicates, end in self._being(at):
                if end == len(self.words):
                    yield from assertions(subject, predicates)
            for things, end in self.things(at):
                if end == len(self.words):
                    item, of = (subject, things) if isinstance(subject, Named) else (things, subject)
                    yield Among(item, of)
        elif aux in HAVE or (aux in DO and self.word(at) == "have"):
            place = at + (aux in DO)
            yield from self._more_than(subject, place)
            for predicates, end in self.having(place):
                if end == len(self.words):
                    yield from assertions(subject, predicates)
        if self.word(at) in {"be", "become", "became"}:
            for predicates, end in self._being(at + 1):
                if end == len(self.words):
                    yield from assertions(subject, predicates)

    def _longer_than(self, subject: Things, i: int) -> Iterator[Assertion]:
        what, than = self.graded(i)
        if what is None or self.word(than) != "than":
            return
        left = measured(subject)  # "the population of _"
        for other, end in self.things(than + 1 + 2 * (self.words[than + 1 : than + 3] == ["that", "of"])):
            end += self.word(end) == "s"  # "than _'s"
            by = self._by(end)
            measure, end = (by[0].measure, by[1]) if by else (what, end)
            if end == len(self.words):
                one = left if isinstance(left, Value) else Value(subject, measure.attribute, measure.kind)
                right = measured(other)
                right = right if isinstance(right, Value) else Value(other, one.attribute, one.kind)
                yield Holds(one, ">" if what.order == "max" else "<", right)

    def _more_than(self, subject: Things, i: int) -> Iterator[Assertion]:
        """Parse a comparison of two counts or measures, such as "has more members than _"."""
        sign: Literal["<", ">"] = ">" if self.word(i) == "more" else "<"
        for noun, end in self.run(i + 1) if self.word(i) in {"more", "fewer"} else ():
            what = lexicon.measures().get(noun)
            for other, last in self.things(end + 1) if self.word(end) == "than" else ():
                if last == len(self.words):
                    parts = (subject, other)
                    one, two = (Value(t, what.attribute, what.kind) if what else number_of(t, noun) for t in parts)
                    yield Holds(one, sign, two)

    # -- ages, durations, how much more

    def differences(self, i: int) -> Iterator[Root]:
        """Parse "how old was _ when …", "how long did _ last" or "how much taller is _ than _"."""
        after = self.word(i + 1)
        if after == "old" and self.word(i + 2) in BE:
            yield from self._age(i + 3)
        if after == "old" and self.word(i + 2) in DO:
            for person, end in self.things(i + 3):
                if self.words[end:] in (["live"], ["live", "to", "be"], ["get"], ["become"]):
                    yield Difference(Value(person, _DEATH, "date"), Value(person, _BIRTH, "date"))
        if after == "long":
            yield from self._duration(i + 2)
        elif after == "many" and self.word(i + 2) == "years":
            yield from self._duration(i + 3)
            yield from self._how_much(i + 3, "years")
        elif after == "many":
            if length := match_phrase(self.words, i + 2, unit_spellings()):
                unit_words = tuple(self.words[i + 2 : i + 2 + length])
                yield from self._how_much(i + 2 + length, unit_spellings()[unit_words])
        elif after == "much":
            yield from self._how_much(i + 2, "")

    def ages(self, i: int) -> Iterator[Root]:
        """Parse "(at) what age did _ die", "what age was _ when …" or "what was _'s age when …"."""
        if self.word(i + 1) == "age" and self.word(i + 2) in AUXILIARIES:
            yield from self._age(i + 3)
            for person, end in self.things(i + 3):
                for event, last in self._events(end):
                    if last == len(self.words):
                        yield Difference(Value(person, event, "date"), Value(person, _BIRTH, "date"))
        if self.word(i + 1) in BE:
            for person, end in self.things(i + 2):
                if isinstance(person, Related) and person.phrase in {"_ s age", "age of _"}:
                    yield from self._at(person.of, end)

    def _age(self, i: int) -> Iterator[Root]:
        for person, end in self.things(i):
            yield from self._at(person, end)

    def _at(self, person: Things, i: int) -> Iterator[Root]:
        birth = Value(person, _BIRTH, "date")
        if match_phrase(self.words, i, list_phrases("at_death")) == len(self.words) - i > 0:
            yield Difference(Value(person, _DEATH, "date"), birth)
        if (time := self.time(i)) and time[1] == len(self.words) and time[0].op == "in":
            yield Difference(Constant(time[0].low, "date", time[0].words), birth)
        if i == len(self.words) and {"is", "are"} & set(self.words):
            yield Difference(Today(), birth)
        if self.word(i) == "when":
            for value, end in self._moment(i + 1, person):
                if end == len(self.words):
                    yield Difference(value, birth)

    def _moment(self, i: int, person: Things) -> Iterator[tuple[Value, int]]:
        """Yield the date of an event: "he died", "_ came out", "she wrote _"."""
        subjects: list[tuple[Things, int]] = [(person, i + 1)] if self.word(i) in _PRONOUNS else list(self.things(i))
        for subject, end in subjects:
            for event, last in self._events(end):
                yield Value(subject, event, "date"), last
            at = self.full_verb(end)
            verb = lexicon.verb(self.word(at))
            if subject == person and verb is not None and verb.made:
                for phrase, place in self._tails(at + 1, []):
                    if all(w in lexicon.PLACING for w in phrase):
                        for made, last in self.things(place):
                            yield Value(made, verb.made, "date"), last

    def _duration(self, i: int) -> Iterator[Root]:
        """Parse the rest of a question for a duration: "did _ last", "did _ live"."""
        if self.word(i) not in DO | HAVE:
            return
        for things, end in self.things(i + 1):
            verb = lexicon.verb(self.word(end))
            if verb is None or end + 1 != len(self.words):
                continue
            if span := _time_of(verb.lemma):
                since, until = span
                yield Difference(Value(things, until, "date"), Value(things, since, "date"))

    def _how_much(self, i: int, unit: str) -> Iterator[Root]:
        """Parse "taller is _ than _" as the difference of the first thing over the second."""
        what, at = self.graded(i)
        if what is None or self.word(at) not in BE | DO:
            return
        for one, end in self.things(at + 1):
            if self.word(end) != "than":
                continue
            for other, last in self.things(end + 1):
                if last == len(self.words):
                    of = (one, other) if what.order == "max" else (other, one)
                    high, low = (Value(t, what.attribute, what.kind) for t in of)
                    yield Difference(high, low, unit or ("years" if what.kind == "date" else ""))


def _compare(parts: Sequence[Things], most: Most, *, noun: str = "") -> Compare:
    return Compare(tuple(parts), fitting(most.attribute, noun), most.kind, most.order, most.counted, most.since)


def _time_of(verb: str) -> tuple[str, str] | None:
    """Return the attributes for start and end of a verb that takes time ("last", "live"), or None."""
    if verb == "live":
        return _BIRTH, _DEATH
    return (_START, _END) if verb in _LAST else None


def _ordered_by(predicates: Sequence[Predicate]) -> Most | None:
    """Return a superlative that is ordered by the attribute of "by area", or None."""
    most, by = predicates[0], predicates[1]
    if not isinstance(most, Most) or not isinstance(by, By):
        return None
    return Most(by.measure.attribute, by.measure.kind, most.order, most.rank)
