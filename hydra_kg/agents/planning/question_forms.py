"""Parse the forms of questions: which and who, how many, in which, name the …, and bare noun phrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hydra_kg.agents.planning import lexicon
from hydra_kg.agents.planning.claims import ClaimForms
from hydra_kg.agents.planning.lexicon import ADVERBS, AUXILIARIES, BE, DO, HAVE, PLACING, is_noun, is_verb
from hydra_kg.agents.planning.nouns import MEMBERS, Described, Found, PredicateReadings
from hydra_kg.agents.planning.predicates import Is, Not, Predicate, Rel, build, fitting
from hydra_kg.language.lexicon import list_phrases, list_words, match_phrase
from hydra_kg.language.units import unit_spellings
from hydra_kg.plan.model import HOLDER, Count, Named, Related, Root, Things, Value
from hydra_kg.util.fast_dataclass import dataclass, replace

_CHOOSING: Final = frozenset({"which", "what"})
_WHO: Final = frozenset({"who", "whom"})
_DATES: Final = list_words("date_noun") | {"time"}
_DATED: Final = _DATES | {"when"}
_PLAIN: Final = frozenset({"where", "when", "why", "how"})
_SPANS: Final = list_words("unit_of_time")
_NUMBER_OF: Final = list_phrases("number_of")
_REST: Final = 6  # most words behind the subject of a where-question
_TIMES: Final = frozenset({"time", "times"})


@dataclass(frozen=True, slots=True)
class QuestionTarget:
    """What a question asks for: the operator tree and the head noun of the answer."""

    root: Root
    noun: str = ""
    open: bool = False


Asking = Iterator[QuestionTarget]


class Questions(ClaimForms):
    """Parser for whole questions; every method yields only parses that consume all tokens."""

    def question(self) -> Asking:
        """Yield every reading as a question, likeliest first."""
        at = 0
        while length := match_phrase(self.words, at, list_phrases("polite_phrase")):
            at += length
        for length in sorted({0, match_phrase(self.words, at, list_phrases("imperative"))}, reverse=True):
            if length:
                yield from self._sets(self.described(at + length))
        if length := match_phrase(self.words, at, _NUMBER_OF):
            yield from self._how_many(at + length)
        word = self.word(at)
        if at and word in _PLAIN:
            yield from self._embedded(at)
        if word == "how":
            yield from self._how(at)
        if word in _CHOOSING | _WHO:
            yield from self._which(at)
        if word == "whose":
            yield from self._whose_is(at)
        if word in _PLAIN:
            yield from self._plain(at)
        if word in PLACING | {"between", "among"}:
            yield from self._fronted(at)
            yield from self._among_first(at)
        if word in AUXILIARIES:
            yield from (QuestionTarget(r) for r in self.polar(at))
            yield from (QuestionTarget(r) for r in self.existence(at))
        if self.is_mention(at + (word == "the")):
            yield from self._choice_first(at)
        if self.is_mention(at) or is_noun(word) or word in {"the", "all"} or self.superlative(at):
            yield from self._sets(self.described(at))

    def asks(self) -> bool:
        """Return True if the text begins like a request, whether or not it ends in a full stop."""
        return bool(
            match_phrase(self.words, 0, list_phrases("polite_phrase"))
            or match_phrase(self.words, 0, list_phrases("imperative"))
        )

    def ends(self, i: int) -> bool:
        """Return True if all tokens are consumed."""
        return i >= len(self.words)

    def _sets(self, found: Found) -> Asking:
        for one, end in found:
            if self.ends(end) and one.name is None:
                yield from _built(one)

    def _which(self, i: int) -> Asking:
        yield from (QuestionTarget(r) for r in self.compared(i))
        yield from (QuestionTarget(r) for r in self.ages(i))
        counting = i + 1 + (self.word(i + 1) in BE)
        if length := match_phrase(self.words, counting, _NUMBER_OF):
            yield from self._how_many(counting + length)
        if self.word(i + 1) in BE:
            for one, end in self.described(i + 2):
                if not self.ends(end):
                    continue
                if one.name is not None:
                    if self.word(i) in _WHO and (office := self._office(one.name.text)):
                        yield QuestionTarget(Related(one.name, HOLDER, office), office)
                    yield QuestionTarget(Related(one.name, f"{self.word(i)} {self.word(i + 1)} _"))
                else:
                    yield from _built(one)
        if self.word(i) in _CHOOSING:
            yield from self._attribute(i + 1)
        if self.word(i) in _CHOOSING and self.word(i + 1) in _DATES:
            yield from self._wording(i, i + 2)
        for head, j in self._heads(i):
            yield from self._about_head(head, j)

    def _attribute(self, i: int) -> Asking:
        """Parse a question for an attribute, such as "what nationality is _" or "what religion was the wife of _"."""
        for noun, end in self.run(i):
            if self.word(end) not in BE:
                continue
            for one, last in self.described(end + 1):
                things = one.things()
                if self.ends(last) and things is not None and (one.name is not None or noun in list_words("attribute")):
                    yield QuestionTarget(Related(things, f"{noun} of _", noun), noun)

    def _heads(self, i: int) -> Found:
        """Yield the noun phrase that is asked for: "which films directed by _", "which of the _", "who"."""
        if self.word(i) in _WHO:
            yield Described(), i + 1
            if self.word(i + 1) in {"of", "among"}:
                for things, end in self.group(i + 2):
                    yield Described(_noun_of(things), base=things), end
            return
        at = i + 1
        if self.word(at) == "of":
            for things, end in self.group(at + 1):
                yield Described(_noun_of(things), base=things), end
            return
        for one, end in self.described(at):
            if one.name is None:
                yield one, end
            elif self._chosen_from(one.name, self.word(i)):
                yield Described("", base=Related(one.name, MEMBERS)), end
        if self.word(at) in AUXILIARIES | {"never"} or is_verb(self.word(at)):
            yield Described(), at

    def _chosen_from(self, name: Named, asking: str) -> bool:
        """Return True if "which _" asks for a member of a name; "what _" in lower case asks for a kind."""
        low = name.text.islower()
        return self.is_group(name) and not (low and (asking == "what" or lexicon.is_common(name.text)))

    def _about_head(self, head: Described, i: int, *, fronted: str = "") -> Asking:
        """Yield the parses of the rest, where the head is the subject of a predicate or the object of a clause."""
        if not fronted:
            for predicates, _ in self._finished(self.predicate(i)):
                yield from _built(head, predicates)
            if self.word(i) == "s":  # "which country's capital is _"
                for predicates, end in self._whose(i + 1):
                    if self.ends(end):
                        yield from _built(head, predicates)
        if self.word(i) not in AUXILIARIES:
            if not fronted and head.noun:
                for predicates, end in self.clause(i, noun=head.noun):  # "which films _ directed"
                    if self.ends(end):
                        yield from _built(head, predicates)
            return
        for predicates, _ in self._finished(self._inverted(i, "" if head.predicates else head.noun, fronted)):
            yield from _built(head, predicates)

    def _finished(self, readings: PredicateReadings) -> PredicateReadings:
        """Yield the predicates that reach the end of the question, or reach it with an exception ("besides _")."""
        for predicates, end in readings:
            if self.ends(end):
                yield predicates, end
            elif self.word(end) in {"that", "which", "who"}:  # "which films did _ direct that won _"
                for more, last in self.predicate(end + 1):
                    if self.ends(last):
                        yield (*predicates, *more), last
            elif length := match_phrase(self.words, end, list_phrases("without")):
                for things, _, last in self.conjoined(end + length):
                    if self.ends(last):
                        yield (*predicates, *(Not((Is(t),)) for t in things)), last

    def _inverted(self, i: int, noun: str, fronted: str) -> PredicateReadings:
        """Parse "did _ direct", "is _ part of" or "is the company headquartered that _ founded"."""
        at = i + 1
        for parts, joiner, end in self.conjoined(at):
            if self.word(i) in HAVE and self.word(end) == "had":
                yield (Rel(parts[0], f"{noun} of _" if noun else "_ have", noun),), end + 1
            if self.word(i) in BE and fronted and self.ends(end):
                yield (Rel(parts[0], f"_ is {fronted}"),), end
            if self.word(i) in BE and not fronted and self.word(end) in PLACING and self.ends(end + 1):
                yield (Rel(parts[0], f"_ is {self.word(end)}"),), end + 1  # "which country is _ in"
            place = end + (self.word(end) == "both")
            if self.word(i) in BE:
                place += self.word(place) in {"the", "a", "an"}
                if is_noun(self.word(place)) and not is_verb(self.word(place)):
                    for phrase, last in self._tails(place, []):
                        if phrase and phrase[-1] in PLACING:
                            yield (Rel(parts[0], f"_ {' '.join(phrase)}"),), last
            yield from self.about(parts, joiner, place, noun=noun, fronted=fronted)
        for one, end in self.described(at):
            if one.noun and is_verb(self.word(end)) and one.name is None:
                for phrase, middle in self._tails(end, []):
                    if phrase and self.word(middle) in {"that", "which", "who", "whose", "where"}:
                        for more, last in self.modified(one, middle):
                            if (things := more.things()) is not None and more != one:
                                text = f"_ {' '.join(phrase)} {fronted}".strip()
                                yield (Rel(things, text),), last

    def _fronted(self, i: int) -> Asking:
        """Parse a fronted preposition: "in which films did _ act", "for how many years …", "at what age …"."""
        if self.word(i + 1) == "how":
            yield from self._how(i + 1, fronted=self.word(i))
        if self.word(i + 1) not in _CHOOSING | _WHO:
            return
        yield from (QuestionTarget(r) for r in self.ages(i + 1))
        if self.word(i + 2) in _DATES:
            yield from self._wording(i, i + 3)
        for head, j in self._heads(i + 1):
            yield from self._about_head(head, j, fronted=self.word(i))

    def _among_first(self, i: int) -> Asking:
        """Parse "of the films of _, which is the longest" or "between _ and _, who is taller"."""
        for things, end in self.group(i + 1):
            at = end + (self.word(end) == ",") + 1
            if self.word(at - 1) in _CHOOSING | _WHO:
                yield from self._about_head(Described(_noun_of(things), base=things), at)
        yield from self._choice_first(i + 1)

    def _choice_first(self, i: int) -> Asking:
        """Parse "(of) _ and _, who is taller" or "_ or _: which was founded first"."""
        for parts, _, end in self.conjoined(i):
            at = end + (self.word(end) in {",", ":"}) + 1
            if len(parts) > 1 and self.word(at - 1) in _CHOOSING | _WHO:
                yield from (QuestionTarget(r) for r in self.compared_by(parts, at))

    def _whose_is(self, i: int) -> Asking:
        """Parse "whose wife is _"."""
        for noun, end in self.run(i + 1):
            if self.word(end) in BE:
                for things, last in self.things(end + 1):
                    if self.ends(last):
                        yield QuestionTarget(Related(things, f"whose {noun} {self.word(end)} _"))

    def _plain(self, i: int) -> Asking:
        """Parse a question for one relation in its own words, such as "where was _ born"."""
        at = i + 1
        if self.word(i) == "how" and self.word(at) not in AUXILIARIES:
            yield from self._measured(at)
            at += 1
        yield from self._wording(i, at)

    def _measured(self, i: int) -> Asking:
        """Parse the rest of a question for a measure: "(how) tall is _", "(how) high is _ in metres"."""
        measure = lexicon.adjective(self.word(i))
        if measure is None or measure.kind != "number" or self.word(i + 1) not in BE:
            return
        for one, end in self.described(i + 2):
            things = None if lexicon.is_office(one.noun) else one.things()  # "how long was _ president"
            if things is not None and (self.ends(end) or self._is_unit(end)):
                known = lexicon.measures().get(one.noun)  # "how large is the population of _"
                value = Value(things, fitting(measure.attribute, one.noun), "number")
                yield QuestionTarget(value if known is None else things, one.noun)

    def _is_unit(self, i: int) -> bool:
        """Return True if the rest of the question is a unit, such as "in metres"."""
        length = match_phrase(self.words, i + 1, unit_spellings()) if self.word(i) == "in" else 0
        return bool(length) and self.ends(i + 1 + length)

    def _embedded(self, i: int) -> Asking:
        """Parse an embedded question, such as "(tell me) where _ was born"."""
        for things, end in sorted(self.things(i + 1), key=lambda f: f[1]):
            rest = self.words[end:]
            if rest and len(rest) <= _REST and all(self._plain_word(w) for w in rest):
                yield QuestionTarget(Related(things, " ".join([self.word(i), "_", *rest])))

    def _wording(self, i: int, aux: int) -> Asking:
        if self.word(aux) not in AUXILIARIES:
            return
        for things, end in sorted(self.things(aux + 1), key=lambda f: f[1]):
            rest = self.words[end:]
            if rest and is_noun(rest[0]) and not is_verb(rest[0]) and not self.is_mention(end - 1):
                continue  # the noun phrase is longer
            if len(rest) <= _REST and all(self._plain_word(w) for w in rest):
                dated = bool(_DATED.intersection(self.words[i:aux])) and not isinstance(things, Named)
                if dated and rest and (event := lexicon.event_of(rest, passive=self.word(aux) in BE)):
                    yield QuestionTarget(Value(things, event, "date"))
                yield QuestionTarget(Related(things, " ".join([*self.words[i : aux + 1], "_", *rest])))
        if self.word(aux) in DO | HAVE:
            return
        for one, end in self.described(aux + 1):  # "where is the company headquartered that _ founded"
            for middle in range(end + 1, min(end + 3, len(self.words))):
                if self.word(middle) in {"that", "which", "who"} and all(map(is_verb, self.words[end:middle])):
                    for more, last in self.modified(one, middle):
                        if self.ends(last) and (found := more.things()) is not None:
                            yield QuestionTarget(
                                Related(found, " ".join([*self.words[i : aux + 1], "_", *self.words[end:middle]]))
                            )

    @staticmethod
    def _plain_word(word: str) -> bool:
        return word in PLACING | BE | HAVE | {"the", "a"} | ADVERBS or is_noun(word) or is_verb(word)

    def _how(self, i: int, *, fronted: str = "") -> Asking:
        yield from (QuestionTarget(r) for r in self.differences(i))
        if self.word(i + 1) == "many" and self.word(i + 2) not in _SPANS:
            yield from self._how_many(i + 2, fronted=fronted)

    def _how_many(self, i: int, *, fronted: str = "") -> Asking:
        for head, j in self._counted_heads(i):
            for one in self._counted_things(head, j, fronted=fronted):
                if not one.open and not isinstance(one.root, (Count,)):
                    counted = Count(_as_things(one.root), self._stated(one.root, head), times=self.word(i) in _TIMES)
                    yield QuestionTarget(counted, head.noun)

    def _counted_heads(self, i: int) -> Found:
        if self.word(i) == "of":
            for things, end in self.group(i + 1):
                yield Described(_noun_of(things), base=things), end
            return
        for one, end in self.described(i):
            if one.name is None:
                yield (replace(one, noun="") if one.noun in _TIMES else one), end
            elif self.is_group(one.name):
                yield Described("", base=Related(one.name, MEMBERS)), end

    def _counted_things(self, head: Described, i: int, *, fronted: str) -> Asking:
        if self.ends(i):
            yield from _built(head)
        if self.word(i) in BE and self.word(i + 1) == "there":
            for more, end in self.modified(head, i + 2):
                if self.ends(end):
                    yield from _built(more)
        yield from self._about_head(head, i, fronted=fronted)
        if fronted:
            yield from self._about_head(head, i)

    def _stated(self, root: Root, head: Described) -> str:
        """Return the name under which a source may state the number of such things, if no condition limits them."""
        if not isinstance(root, Related) or not head.noun or root.during is not None:
            return ""
        if {head.noun, root.phrase.split()[0]} <= list_words("counted_as_population"):
            return lexicon.measures()["inhabitants"].attribute
        belongs = root.phrase.startswith((f"{head.noun} of ", f"{head.noun} in "))
        return f"{lexicon.NUMBER_OF}{head.noun}" if belongs else ""


def _built(head: Described, predicates: Sequence[Predicate] = ()) -> Asking:
    built = build(head.noun, (*head.predicates, *predicates), head.base)
    if built is not None:
        yield QuestionTarget(built.things, head.noun, built.open)


def _noun_of(things: Things) -> str:
    return things.noun if isinstance(things, Related) else ""


def _as_things(root: Root) -> Things:
    return root  # type: ignore[return-value]  # what _counted_things gives are sets
