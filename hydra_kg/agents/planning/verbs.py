"""Parse predicates and clauses: "was directed by _", "have not died", "is larger than …", "_ directed"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.agents.planning import lexicon
from hydra_kg.agents.planning.amount_conditions import Op
from hydra_kg.agents.planning.lexicon import ADVERBS, AUXILIARIES, BE, DO, HAVE, NEGATIONS, PLACING, is_noun, is_verb
from hydra_kg.agents.planning.nouns import Nouns, PredicateReadings
from hydra_kg.agents.planning.predicates import AnyOf, Is, IsOfKind, Most, Next, Not, Predicate, Rel, Test, spread
from hydra_kg.language.adjectives import QUANTITY_ORDER
from hydra_kg.language.lexicon import list_words
from hydra_kg.plan.model import Condition, Order, Things
from hydra_kg.text.articles import ARTICLES

_TAIL: Final = 5  # words between a verb and its object
_SKIPPED: Final = ARTICLES | {"his", "her", "its", "their"}
_FIRST: Final[dict[str, Order]] = {
    **dict.fromkeys(("first", "earliest", "earlier", "sooner"), "min"),
    **dict.fromkeys(("last", "latest", "later"), "max"),
}
_BECOMING: Final = frozenset({"become", "becomes", "became"})
_TRIVIAL: Final = list_words("existing")
_ALWAYS: Final = ("date of birth", "date of marriage")  # a missing date of these kinds proves nothing
_DEATH: Final = lexicon.event(("died",))


class Verbs(Nouns):
    """Recursive-descent parser for verb phrases; every method yields the parses that begin at a token."""

    def predicate(self, i: int) -> PredicateReadings:
        """Parse one predicate, or several joined by "and", "but" or "or"."""
        for predicates, verb, end in self._one(i, ""):
            yield from self._with_more(predicates, verb, end)

    def participle(self, i: int) -> PredicateReadings:
        """Parse participial clauses, such as "directed by _ and released in 1986"."""
        for predicates, verb, end in self._verb(i, passive=True):
            if not (predicates and isinstance(test := predicates[-1], Test) and test.condition.op == "exists"):
                yield from self._with_more(predicates, verb, end)

    def _with_more(self, predicates: tuple[Predicate, ...], verb: str, i: int) -> PredicateReadings:
        at = i + (self.word(i) == ",")
        if (
            self.word(at) == "but"
            and self.word(at + 1) == "not"
            and isinstance(last := predicates[-1] if predicates else None, Rel)
        ):
            for parts, _, end in self.conjoined(at + 2):
                yield from self._with_more((*predicates, *(Not((replace(last, of=p),)) for p in parts)), verb, end)
        if self.word(at) in {"and", "but", "or"}:
            for more, next_verb, end in self._one(at + 1, verb):
                if self.word(at) == "or":
                    yield from self._with_more((AnyOf((predicates, more)),), next_verb, end)
                else:
                    yield from self._with_more((*predicates, *more), next_verb, end)
        yield predicates, i

    def _skip(self, i: int) -> int:
        while self.word(i) in ADVERBS and not (self.word(i) == "most" and self.word(i - 1) in ARTICLES):
            i += 1
        return i

    def _one(self, i: int, verb: str) -> Iterator[tuple[tuple[Predicate, ...], str, int]]:
        """Yield a predicate with its auxiliaries and "not".

        verb: the verb of the predicate before, which "but not in …" repeats.
        """
        self.count()
        at, negated, last = i, False, verb if verb in BE else ""
        while True:
            word = self.word(at)
            if word in AUXILIARIES:
                last, at = word, at + 1
            elif word in NEGATIONS:
                negated, at = True, at + 1
            elif word in ADVERBS and self._skip(at) > at and not self._is_rank(at):
                at += 1
            elif word == "no" and last in HAVE:
                negated, at = True, at + 1
            else:
                break
        core = self._verb(at, passive=last in BE or last in HAVE or not last)
        for predicates, found, end in core:
            yield (((Not(predicates),) if negated else predicates), found, end)
        others: PredicateReadings = iter(())
        if last in BE:
            others = self._being(at)
        elif last in HAVE:
            others = self.having(at)
        elif self.word(at) in HAVE | {"have"}:
            others = self.having(at + 1)
        for predicates, end in others:
            yield ((Not(predicates),) if negated else predicates), last, end
        if negated and last in BE and self.is_mention(at):  # "(which official language of _) is not _"
            yield (Not((Is(self.named(at)),)),), last, at + 1
        if verb and self.word(at) in PLACING:
            for parts, joiner, end in self.conjoined(at + 1):
                predicates = spread(parts, joiner, f"{verb} {self.word(at)} _")
                yield ((Not(predicates),) if negated else predicates), verb, end
        if self.word(at) in _BECOMING:
            for predicates, end in self._being(at + 1):
                yield ((Not(predicates),) if negated else predicates), "became", end

    def _is_rank(self, i: int) -> bool:
        return self.word(i) in _FIRST and (
            self.word(i + 1) in {"", ",", "of", "by", "in"} or self.word(i - 1) in ARTICLES
        )

    def _being(self, i: int) -> PredicateReadings:
        """Parse what follows "is": "the largest", "larger than 5", "from _", "a member of _", "a poet", "alive"."""
        at = i + (self.word(i) in ARTICLES)
        if most := self.superlative(at):
            yield from self._most_of(most[0], most[1] + (self.word(most[1]) in {"one", "ones"}))
        if compared := self._compared(i):
            yield (compared[0],), compared[1]
        if self.word(i) in {"alive", "dead", "deceased"}:
            op: Op = "lacks" if self.word(i) == "alive" else "exists"
            yield (Test(_DEATH, Condition(op, "date", words=self.word(i))),), i + 1
        if self.word(i) in PLACING and not self.time(i):
            for parts, joiner, end in self.conjoined(i + 1):
                yield spread(parts, joiner, f"{self.word(i)} _"), end
        for phrase, place in self._tails(i, []):
            if len(phrase) > 1 and phrase[-1] in PLACING:
                for parts, joiner, end in self.conjoined(place):
                    yield spread(parts, joiner, f"{' '.join(phrase)} _"), end
        for found, end in self.described(i):
            things = found.things()
            if things is not None and found.name is None:
                yield (Is(things),), end
            elif found.noun and not found.predicates and found.base is None:
                yield (IsOfKind(found.noun),), end
        if time := self.time(i):
            yield (Test("", time[0]),), time[1]

    def _most_of(self, most: Most, i: int) -> PredicateReadings:
        """Yield a superlative without a noun, with or without its attribute: "the largest in area"."""
        if by := self._by(i):
            yield (most, by[0]), by[1]
        yield (most,), i

    def graded(self, i: int) -> tuple[lexicon.Measure | None, int]:
        """Return what a comparative compares, such as "taller" or "less populous", and where it ends."""
        if self.word(i) in {"more", "less"} and (what := lexicon.adjective(self.word(i + 1))):
            return (what if self.word(i) == "more" else what.turned()), i + 2
        return lexicon.comparative(self.word(i)), i + 1

    def _compared(self, i: int) -> tuple[Test, int] | None:
        """Parse "larger than one million square kilometres", "over 100 metres tall" or "more populous than …"."""
        what, than = self.graded(i)
        if what is not None and self.word(than) == "than" and (found := self.quantity(than + 1)):
            value, unit, end = found
            if what.kind == "number":
                sign: Op = ">" if what.order == "max" else "<"
                condition = Condition(sign, "number", value, value, unit, self.text(i, end))
                return Test(what.attribute, condition), end
        amount = self.amount(i, plain=True)
        what = lexicon.adjective(self.word(amount[1])) if amount else None
        if amount and what is not None and what.kind == "number":
            return Test(what.attribute, amount[0]), amount[1] + 1
        return None

    def having(self, i: int) -> PredicateReadings:
        """Parse "an area below …", "more than 3 children", "the most members" or "_ as official language"."""
        at = i + (self.word(i) in ARTICLES)
        yield from self._counted_most(at, "")
        most = self.superlative(at)
        if most and most[0].attribute:
            for noun, end in self.run(most[1]):
                measure = lexicon.measures().get(noun)
                attribute, kind = (measure.attribute, measure.kind) if measure else (noun, "number")
                yield from self._most_of(Most(attribute, kind, most[0].order, most[0].rank, fixed=True), end)
        for noun, end in self.run(at):
            measure = lexicon.measures().get(noun)
            attribute = measure.attribute if measure else noun
            if amount := self.amount(end + (self.word(end) == "of"), plain=self.word(end) == "of"):
                yield (Test(attribute, amount[0]),), amount[1]
        if (amount := self.amount(i, plain=True)) and amount[1] > i:
            for noun, end in self.run(amount[1]):
                measure = lexicon.measures().get(noun)
                yield (Test(measure.attribute if measure else f"{lexicon.NUMBER_OF}{noun}; {noun}", amount[0]),), end
            if amount[0].unit == "people":
                yield (Test(lexicon.measures()["people"].attribute, amount[0]),), amount[1]
        for parts, joiner, end in self.conjoined(i):
            if self.word(end) == "as":
                for noun, last in self.run(end + 1 + (self.word(end + 1) in ARTICLES)):
                    yield spread(parts, joiner, f"have _ as {noun}"), last
            yield spread(parts, joiner, "have _"), end
        for phrase, place in self._tails(i, ["have"]):
            if len(phrase) > 1:
                for parts, joiner, end in self.conjoined(place):
                    yield spread(parts, joiner, f"{' '.join(phrase)} _"), end

    def _counted_most(self, i: int, verb: str) -> PredicateReadings:
        """Parse a superlative of a count, such as "most members" or "more seasons".

        verb: the verb before it, for example "won" in "won the most awards".
        """
        order = QUANTITY_ORDER.get(self.word(i))
        if order is None:
            return
        for noun, end in self.run(i + 1):
            if measure := lexicon.measures().get(noun):
                most = Most(measure.attribute, measure.kind, order, fixed=True)
                by = self._by(end)
                yield (most,), by[1] if by else end
            else:
                counted = f"{noun} _ {verb}" if verb else f"{noun} of _"
                yield (Most("", "number", order, counted=counted, fixed=True),), end

    def _tails(self, i: int, begun: list[str]) -> Iterator[tuple[list[str], int]]:
        """Yield the words from ``i`` on that may be between a verb and its object, shortest first."""
        phrase, at = list(begun), i
        yield list(phrase), at
        for _ in range(_TAIL):
            word = self.word(at)
            if word in _SKIPPED or (word in ADVERBS and self.word(at + 1) not in {"", ","}):
                at += 1
            elif word in PLACING or is_noun(word) or is_verb(word):
                phrase.append(word)
                at += 1
                yield list(phrase), at
            else:
                return

    def _verb(self, i: int, *, passive: bool) -> Iterator[tuple[tuple[Predicate, ...], str, int]]:
        word = self.word(i)
        if word in _BECOMING or not (is_verb(word) or (self.lenient and lexicon.looks_like_verb(word))):
            return
        if word in _TRIVIAL and passive and self.word(i + 1) == "":
            yield (), word, i + 1
        if self.word(i + 1) in {"and", "or"} and is_verb(self.word(i + 2)) and not self.is_mention(i + 2):
            for predicates, _, end in self._verb(i + 2, passive=passive):
                if len(predicates) == 1 and isinstance(rel := predicates[0], Rel):
                    both = (replace(rel, phrase=self._swapped(rel.phrase, i)), rel)
                    yield (both if self.word(i + 1) == "and" else (AnyOf((both[:1], both[1:])),)), word, end
        tails = list(self._tails(i + 1, [word]))
        indefinite = self.word(i + 1) in {"a", "an"} or is_noun(self.word(i + 1))
        whole = [t for t in reversed(tails) if indefinite and t[0][-1] in PLACING and len(t[0]) > 1]
        for phrase, end in [*whole, *tails]:  # "share a border with _", but "wrote the sequel of _"
            for predicates, last in self._after(phrase, end, passive=passive):
                yield predicates, word, last
        for phrase, end in self._tails(i + 1, [word]):
            event = lexicon.event(tuple(phrase))
            if event and not event.startswith(_ALWAYS):
                yield (Test(event, Condition("exists", "date", words=" ".join(phrase))),), word, end

    def _swapped(self, phrase: str, i: int) -> str:
        return phrase.replace(self.word(i + 2), self.word(i), 1)

    def _after(self, phrase: list[str], i: int, *, passive: bool) -> PredicateReadings:
        """Yield the parses of what follows a verb and the words that belong to it."""
        verb = lexicon.verb(phrase[0])
        event = lexicon.event_of(phrase, passive=passive)
        word = self.word(i)
        if event:
            yield from self._happened(phrase, event, i)
        if len(phrase) == 1 and (most := word in ARTICLES) and self.word(i + 1) in QUANTITY_ORDER:
            yield from self._counted_most(i + most, phrase[0])
        measure = lexicon.measures().get(verb.lemma) if verb else None
        if measure and len(phrase) == 1 and word in ARTICLES and self.word(i + 1) in {"most", "least"}:
            order: Order = QUANTITY_ORDER[self.word(i + 1)]
            yield (Most(measure.attribute, measure.kind, order, fixed=True),), i + 2
        if measure and len(phrase) == 1 and (amount := self.amount(i, plain=True)):
            yield (Test(measure.attribute, amount[0]),), amount[1]
        if phrase[0] in {"came", "come", "comes"} and len(phrase) == 1:
            for step, at in self.succession(i):
                for things, end in self.things(at):
                    yield (Next(things, step),), end
        if phrase[0] in {"came", "come", "comes"} and len(phrase) == 1 and word in _FIRST:
            yield (Most(lexicon.ANY_DATE, "date", _FIRST[word], fixed=True),), i + 1
        for parts, joiner, end in self.conjoined(i):
            predicates = spread(parts, joiner, f"{' '.join(phrase)} _")
            yield from self._further_objects(phrase, predicates, end)

    def _happened(self, phrase: list[str], event: str, i: int) -> PredicateReadings:
        """Parse predicates of time: "died", "died in 1990", "was born first", "came out before _"."""
        word = self.word(i)
        if time := self.time(i):
            yield (Test(event, time[0]),), time[1]
        place = i + (word in ARTICLES)
        rank = self.ordinal(place)
        if self.word(place) in _FIRST or rank is not None:
            order = _FIRST.get(self.word(place), "min")
            end = place + 1
            yield from self._most_of(Most(event, "date", order, rank or 1, fixed=True), end)
        if rank is not None and self.word(place + 1) in {"last", "latest"}:
            yield (Most(event, "date", "max", rank, fixed=True),), place + 2
        for step, at in self.succession(i):
            for things, end in self.things(at):
                yield (Next(things, step, event),), end

    def _further_objects(self, phrase: list[str], predicates: tuple[Predicate, ...], i: int) -> PredicateReadings:
        """Parse times and further objects behind the first object: "won _ for _ in 1990"."""
        verb = lexicon.verb(phrase[0])
        if time := self.time(i):
            condition, end = time
            event = lexicon.event((phrase[0],)) or (verb.made if verb else "")
            if event:
                yield (*predicates, Test(event, condition)), end
            elif all(isinstance(p, Rel) for p in predicates):
                yield tuple(replace(p, during=condition) for p in predicates if isinstance(p, Rel)), end
        if self.word(i) in PLACING and not (self.word(i) == "with" and "by" in phrase):
            for parts, joiner, end in self.conjoined(i + 1):
                more = spread(parts, joiner, f"{phrase[0]} {self.word(i)} _")
                yield from self._further_objects(phrase, (*predicates, *more), end)
        yield predicates, i

    def clause(self, i: int, *, noun: str = "", fronted: str = "") -> PredicateReadings:
        """Parse a clause whose object precedes it, such as "_ directed but did not write".

        fronted: the preposition before "which", or "where".
        """
        self.count()
        for parts, joiner, end in self.conjoined(i):
            yield from self.about(parts, joiner, end, noun=noun, fronted=fronted)

    def about(self, parts: Sequence[Things], joiner: str, i: int, *, noun: str, fronted: str = "") -> PredicateReadings:
        """Yield the parses of a clause whose subject ends before ``i``."""
        at, negated, being, doing = i, False, False, self.word(i - 1) in DO
        while (word := self.word(at)) in AUXILIARIES | NEGATIONS | ADVERBS | {"both"}:
            if word in HAVE and self.word(at + 1) in {"", ",", "and", "or"}:
                break
            negated |= word in NEGATIONS
            being |= word in BE
            doing |= word in DO
            at += 1
        if self.word(at) in HAVE | {"have"}:
            phrase = f"{noun} of _" if noun else "_ have"
            yield self._negated(spread(parts, joiner, phrase, noun), negated), at + 1
            return
        if not (is_verb(self.word(at), lenient=doing) or (is_noun(self.word(at)) and (being or i == at))):
            return
        if self.word(at) not in PLACING:
            yield from self._gapped(parts, joiner, at, negated=negated, noun=noun, fronted=fronted, doing=doing)

    def _gapped(
        self, parts: Sequence[Things], joiner: str, i: int, *, negated: bool, noun: str, fronted: str, doing: bool
    ) -> PredicateReadings:
        first = self.word(i)
        for phrase, end in self._tails(i, []):
            if not phrase or (not is_verb(first, lenient=doing) and phrase[-1] not in PLACING):
                continue
            text = " ".join(["_", *phrase, "in" if fronted == "where" else fronted]).strip()
            predicates = self._negated(spread(parts, joiner, text), negated)
            yield from self._gap_time(first, predicates, end)
            if self.word(end) in {"and", "but", "or"}:
                joined = self.word(end)
                at, not_so = end + 1, False
                while self.word(at) in AUXILIARIES | NEGATIONS | ADVERBS:
                    not_so |= self.word(at) in NEGATIONS
                    at += 1
                if is_verb(self.word(at), lenient=doing):
                    more_of = self._gapped(parts, joiner, at, negated=not_so, noun=noun, fronted=fronted, doing=doing)
                    for more, last in more_of:
                        yield ((*predicates, *more) if joined != "or" else (AnyOf((predicates, more)),)), last
            if self.word(end) in PLACING and len(phrase) <= 2:
                for objects, and_or, last in self.conjoined(end + 1):
                    yield (*predicates, *spread(objects, and_or, f"{' '.join(phrase)} {self.word(end)} _")), last

    def _gap_time(self, verb_word: str, predicates: tuple[Predicate, ...], i: int) -> PredicateReadings:
        """Yield the clause followed by a time, by a neighbour in time, by "first" or "last", or by nothing."""
        verb = lexicon.verb(verb_word)
        made = verb.made if verb else ""
        if time := self.time(i):
            condition, end = time
            if made:
                yield (*predicates, Test(made, condition)), end
            elif all(isinstance(p, Rel) for p in predicates):
                yield tuple(replace(p, during=condition) for p in predicates if isinstance(p, Rel)), end
        for step, at in self.succession(i):
            for things, end in self.things(at):
                yield (*predicates, Next(things, step, made)), end
        if self.word(i) in {"first", "last"} and self.word(i + 1) in {"", ","}:
            yield (*predicates, Most("", "date", _FIRST[self.word(i)])), i + 1
        yield predicates, i

    @staticmethod
    def _negated(predicates: tuple[Predicate, ...], negated: bool) -> tuple[Predicate, ...]:
        return (Not(predicates),) if negated else predicates
