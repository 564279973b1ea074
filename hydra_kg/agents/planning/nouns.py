"""Parse set expressions: "the second largest country in Africa", "films that _ directed", "_'s father"."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Final

from hydra_kg.agents.planning import lexicon
from hydra_kg.agents.planning.amount_conditions import Amounts
from hydra_kg.agents.planning.lexicon import PLACING
from hydra_kg.agents.planning.predicates import By, Is, Most, Next, Not, Predicate, Rel, Test, build, spread
from hydra_kg.agents.planning.tokens import QuestionToken, name_of
from hydra_kg.extract.word_classes import described, kind
from hydra_kg.language.lexicon import list_phrases, list_words, match_phrase
from hydra_kg.language.morphology import singular_candidates
from hydra_kg.plan.model import HOLDER, Condition, Named, Related, Things
from hydra_kg.util.fast_dataclass import dataclass, replace

_MOST_STEPS: Final = 20_000
_MOST_WORDS: Final = 4  # of a noun phrase without its modifiers
NO_ORDER: Final = list_words("not_ordered")
"""Nouns with which an ordinal is no order: "first name", "second world war", "the last time"."""

_NO_PREPOSITION: Final = list_words("before since not_a_preposition")
_AT_BOX_OFFICE: Final = ("at", "the", "box", "office")
_RELATIVE: Final = frozenset("that which who whom".split())
MEMBERS: Final = "members of _"


@dataclass(frozen=True, slots=True)
class Described:
    """A noun phrase for a set: its ``noun``, predicates, ``base`` things, and ``name`` if it is a name."""

    noun: str = ""
    predicates: tuple[Predicate, ...] = ()
    base: Things | None = None
    name: Named | None = None

    def plus(self, *more: Predicate) -> Described:
        """Return the noun phrase with more predicates."""
        return replace(self, predicates=(*self.predicates, *more), name=None)

    def things(self) -> Things | None:
        """Return the operators, or None if the phrase denotes no definite set."""
        built = build(self.noun, self.predicates, self.base)
        return None if built is None or built.open else built.things


class Exhausted(Exception):  # not an error: the question has too many readings
    """Signal that parsing was given up because the question took too many steps."""


Found = Iterator[tuple[Described, int]]
Conjoined = Iterator[tuple[tuple[Things, ...], str, int]]
PredicateReadings = Iterator[tuple[tuple[Predicate, ...], int]]


class Nouns(Amounts):
    """Recursive-descent parser for noun phrases that denote sets; longest parses come first."""

    def __init__(self, tokens: Sequence[QuestionToken], *, lenient: bool = False) -> None:
        super().__init__(tokens)
        self.lenient = lenient
        self.capitals = any(t.mention is not None and not t.mention.text.islower() for t in tokens)
        self.steps = 0

    def count(self) -> None:
        """Count a parsing step; raise Exhausted beyond the limit."""
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise Exhausted

    @abstractmethod
    def predicate(self, i: int) -> PredicateReadings:
        """Parse a verb phrase whose subject precedes it."""

    @abstractmethod
    def participle(self, i: int) -> PredicateReadings:
        """Parse a participial clause: "directed by _"."""

    @abstractmethod
    def having(self, i: int) -> PredicateReadings:
        """Parse the complement of "with" or "has"."""

    @abstractmethod
    def clause(self, i: int, *, noun: str = "", fronted: str = "") -> PredicateReadings:
        """Parse a relative clause whose object precedes it: "_ directed"."""

    def things(self, i: int) -> Iterator[tuple[Things, int]]:
        """Parse noun phrases that denote a definite set."""
        for found, end in self.described(i):
            if (things := found.things()) is not None:
                yield things, end

    def conjoined(self, i: int) -> Conjoined:
        """Parse coordinated things ("both A and B", "A, B or C", "A") into the things, "and" or "or", and the end."""
        both = self.word(i) in {"both", "either"}
        for found, end in self.described(i + both):
            if (things := found.things()) is not None:
                yield from self._further((things,), "", end, both=both, named=found.name is not None)

    def _further(self, parts: tuple[Things, ...], joiner: str, i: int, *, both: bool, named: bool) -> Conjoined:
        word, at = self.word(i), i + 1
        if word == "," and self.word(at) in {"and", "or"}:
            word, at = self.word(at), at + 1
        if word in {"and", "or", ","} and self.word(at) not in {"also", "not"}:
            for found, end in self.described(at):
                things = found.things()
                if things is not None and (found.name is not None) == named:
                    joining = joiner if word == "," else word
                    yield from self._further((*parts, things), joining, end, both=both, named=named)
        if len(parts) == 1 and not both:
            yield parts, "", i
        elif len(parts) > 1 and joiner:
            yield parts, joiner, i

    def described(self, i: int) -> Found:
        """Parse any set expression that begins at a token."""
        self.count()
        at = i
        while length := match_phrase(self.words, at, list_phrases("determiner")):
            at += length
        for operators, j in self._modifiers(at):
            if self.is_mention(j):
                yield from self._with_name(operators, j)
            else:
                yield from self._with_noun(operators, j)
            if operators and self.word(j) in {"of", "among", "amongst"}:
                for things, end in self.group(j + 1):
                    yield from self.modified(Described("", operators, things), end)

    def group(self, i: int) -> Iterator[tuple[Things, int]]:
        """Yield a set from which something is chosen; for a name, the set of its members."""
        for found, end in self.described(i):
            things = found.things()
            if found.name is not None:
                if self.is_group(found.name):
                    yield Related(found.name, MEMBERS), end
            elif things is not None:
                yield things, end

    def is_group(self, name: Named) -> bool:
        """Return True if a name may denote its members: not a lower-case name if other names have capitals."""
        return not (self.capitals and name.text.islower())

    def superlative(self, i: int) -> tuple[Most, int] | None:
        """Parse a superlative or rank, such as "largest", "second most populous", "first" or "last"."""
        rank = self.ordinal(i)
        at = i + (rank is not None)
        word, following = self.word(at), self.word(at + 1)
        if word in {"most", "least"} and (what := lexicon.adjective(following)):
            what = what if word == "most" else what.turned()
            return Most(what.attribute, what.kind, what.order, rank or 1), at + 2
        if what := lexicon.superlative(word):
            named = lexicon.adjective(following) if following.endswith(("ing", "paid", "rated")) else None
            attribute = (named or what).attribute
            if what.kind == "date" and not what.attribute.startswith("date of birth"):
                attribute = ""  # the noun decides by which date
            return Most(attribute, what.kind, what.order, rank or 1, fixed=named is not None), at + 1 + (
                named is not None
            )
        if word == "penultimate":
            return Most("", "date", "max", 2), at + 1
        if word in {"last", "final"} and following not in NO_ORDER:
            return Most("", "date", "max", rank or 1), at + 1
        if rank is not None and word not in NO_ORDER:
            return Most("", "date", "min", rank), at
        return None

    def _modifiers(self, i: int) -> Iterator[tuple[tuple[Predicate, ...], int]]:
        """Yield the superlatives and dates before a noun, and where they end."""
        found: list[Predicate] = []
        at = i
        while True:
            if most := self.superlative(at):
                found.append(most[0])
                at = most[1]
            elif self.word(at)[:1].isdigit() and (date := self.date(at)) and self._goes_on(date[1]):
                (low, high), end = date
                found.append(Test("", Condition("in", "date", low, high, words=self.text(at, end))))
                at = end
            elif self.word(at) in list_words("filler") or self._counted(at):
                at += 1
            else:
                break
        yield tuple(found), at

    def _counted(self, i: int) -> bool:
        """Return True if a number states how many things are meant: "which five countries"."""
        number = self.number(i)
        return number is not None and number[1] == i + 1 and lexicon.is_noun(self.word(i + 1))

    def _goes_on(self, i: int) -> bool:
        return self.is_mention(i) or lexicon.is_noun(self.word(i))

    def run(self, i: int) -> Iterator[tuple[str, int]]:
        """Yield the longest run of nouns that begins at a token, then shorter ones."""
        length = match_phrase(self.words, i, _measures())
        if length > 1 and not lexicon.is_noun(self.word(i)):  # "running time"
            yield " ".join(self.words[i : i + length]), i + length
        if length := match_phrase(self.words, i, list_phrases("noun_with_of")):
            yield " ".join(self.words[i : i + length]), i + length
        end = i
        while end - i < _MOST_WORDS and lexicon.is_noun(self.word(end)):
            end += 1
        for last in sorted(range(end, i, -1), key=lambda j: lexicon.ends_in_verb(self.words[i:j])):
            inside = self.words[i:last]
            yield " ".join(w for w in inside if w not in list_words("filler") or w == inside[-1]), last

    def named(self, i: int, noun: str = "") -> Named:
        """Return the name at a token."""
        mention = self.tokens[i].mention
        assert mention is not None
        return name_of(mention, noun)

    def _with_name(self, operators: tuple[Predicate, ...], i: int) -> Found:
        """Parse an expression that begins with a name: "_'s wife", "_ films", "_"."""
        name = self.named(i)
        if self.word(i + 1) == "s":
            yield from self._owned(name, operators, i + 2)
        for noun, end in self.run(i + 1):
            if (
                self.is_mention(end) and not operators and self._is_adjective(i)
            ):  # "the American band _": what the name is, said once more
                yield from self._with_noun((), i + 1)
            if self.word(end) == "of":  # "_ place of birth"
                for more, last in self.run(end + 1):
                    yield Described(noun, (Rel(name, f"_ {noun} of {more}", noun), *operators)), last
            rel = Rel(name, self._compound(i, noun), noun)
            yield from self.modified(Described(noun, (rel, *operators)), end)
            if self.word(end) == "s":
                built = Described(noun, (rel, *operators)).things()
                if built is not None:
                    yield from self._owned(built, (), end + 1)
        following = i + 1 + (self.word(i + 1) == ",")
        if following > i + 1 and self.word(following) in {"the", "a"} and not operators:
            for noun, end in self.run(following + 1):
                one = replace(name, noun=noun)
                yield Described(noun, base=one, name=one), end
        if not operators:
            yield Described("", base=name, name=name), i + 1
            return
        tests = [p for p in operators if isinstance(p, Test)]
        office = self._office(name.text)
        if len(tests) == len(operators):
            yield Described("", operators, name), i + 1
        elif office:
            rel = Rel(name, HOLDER, office)
            yield from self.modified(Described(office, (rel, *operators)), i + 1)
        elif noun := self._noun_within(name.text):
            yield from self.modified(Described(noun, (Rel(name, f"_ {noun}", noun), *operators)), i + 1)
        elif self.is_group(name) and all(isinstance(p, Most) and p.attribute for p in operators):
            yield from self.modified(Described("", (Rel(name, MEMBERS), *operators)), i + 1)

    def _noun_within(self, text: str) -> str:
        """Return the common noun at the end of a capitalised name ("Star Wars film"), or ""."""
        last = text.rsplit(maxsplit=1)[-1]
        return last if self.capitals and not text.islower() and last.islower() and lexicon.is_common(last) else ""

    def _office(self, text: str) -> str:
        """Return the office at the beginning of a name ("president of the United States"), or ""."""
        office_words = text.casefold().removeprefix("the ").split()
        length = match_phrase(office_words, 0, list_phrases("office"))
        return " ".join(office_words[:length])

    def _compound(self, i: int, noun: str) -> str:
        """Return the relation between a name and the noun behind it: "South American countries", "US president"."""
        last = noun.rsplit(maxsplit=1)[-1]
        ones = set(singular_candidates(last)) | {" ".join([*noun.split()[:-1], s]) for s in singular_candidates(last)}
        if ones & list_words("adjective_place") and (
            last not in ones & {last.removesuffix("s")} or self._is_adjective(i)
        ):
            return f"{noun} in _"
        if ones & {" ".join(p) for p in list_phrases("office")}:
            return f"{noun} of _"
        return f"_ {noun}"

    def _is_adjective(self, i: int) -> bool:
        """Return True if a name is used as an adjective of place: "Russian", "US"."""
        mention = self.tokens[i].mention
        text = mention.text if mention is not None else ""
        return text.isupper() or bool(described([*text.casefold().split(), "x"]))

    def _owned(self, of: Things, operators: tuple[Predicate, ...], i: int) -> Found:
        """Parse "_'s first wife" from behind the "'s", and chains such as "_'s wife's father"."""
        for more, at in self._modifiers(i):
            for noun, end in self.run(at):
                found = Described(noun, (Rel(of, f"_ s {noun}", noun), *operators, *more))
                if self.word(end) == "s" and (things := found.things()) is not None:
                    yield from self._owned(things, (), end + 1)
                yield from self.modified(found, end)

    def _with_noun(self, operators: tuple[Predicate, ...], i: int) -> Found:
        """Parse an expression that begins with a noun."""
        for noun, end in self.run(i):
            naming = noun in list_words("naming_place") and self.word(end) == "of"
            place = end + 1 + (self.word(end + 1) == "the") if naming else end
            if self.is_mention(place) and (naming or not self._is_verb_here(noun)):
                name = self.named(place, noun)
                if all(isinstance(p, Test) for p in operators):
                    yield Described(noun, operators, name, None if operators else name), place + 1
                    if self.word(place + 1) == "s":
                        yield from self._owned(Described(noun, operators, name).things() or name, (), place + 2)
            yield from self.modified(Described(noun, operators), end)

    def _is_verb_here(self, noun: str) -> bool:
        """Return True if the last word before a name is a verb, not a noun for the name: "countries border _"."""
        last = noun.rsplit(maxsplit=1)[-1]
        found = lexicon.verb(last)
        return found is not None and " " in noun and last not in {"film", "show"}

    def modified(self, found: Described, i: int) -> Found:
        """Yield the expression with all modifiers that follow it, then with fewer."""
        if len(found.predicates) < 6:
            for more, end in self._modifier(found, i):
                yield from self.modified(more, end)
        yield found, i

    def _modifier(self, found: Described, i: int) -> Found:
        """Yield the expression with the next modifier that follows it."""
        self.count()
        word, noun = self.word(i), found.noun
        if by := self._by(i):
            yield found.plus(by[0]), by[1]
        if time := self.time(i):
            yield found.plus(Test("", time[0])), time[1]
        if length := match_phrase(self.words, i, list_phrases("without")):
            for parts, _, end in self.conjoined(i + length):
                yield found.plus(*(Not((Is(p),)) for p in parts)), end
        for step, at in self.succession(i):
            for things, end in self.things(at):
                yield found.plus(Next(things, step)), end
        if word == "to" and self.word(i + 1) == "be":
            yield from _all(found, self.predicate(i + 1))
        elif word == "to" and lexicon.is_verb(self.word(i + 1)):
            yield from _all(found, self.participle(i + 1))
        elif word in PLACING and word not in _NO_PREPOSITION:
            if self.word(i + 1) in {"which", "whom"}:
                yield from _all(found, self.clause(i + 2, noun=noun, fronted=word))
            for parts, joiner, end in self.conjoined(i + 1):
                yield found.plus(*spread(parts, joiner, f"{noun} {word} _".strip(), noun)), end
        if word in {"with", "having"}:
            yield from _all(found, self.having(i + 1))
        at = i + (word == ",")
        relative = self.word(at)
        if relative in _RELATIVE:
            yield from _all(found, self.predicate(at + 1))
            yield from _all(found, self.clause(at + 1, noun=noun))
        elif relative == "where" and noun:
            yield from _all(found, self.clause(at + 1, noun=noun, fronted="where"))
        elif relative == "whose":
            yield from _all(found, self._whose(at + 1))
        elif relative == "and" and self.word(at + 1) in PLACING and self.word(at + 2) in {"which", "whom"}:
            yield from _all(found, self.clause(at + 3, noun=noun, fronted=self.word(at + 1)))
        elif (v := lexicon.verb(word)) is not None or kind(word) == "V":
            if v is None or v.form in {"ed", "en", "ing"} or word == "born":
                yield from _all(found, self.participle(i))
        elif lexicon.comparative(word) or word == "more":
            yield from _all(found, self.predicate(i))
        elif noun and (self.is_mention(i) or word in {"the", "both"}):
            yield from _all(found, self.clause(i, noun=noun))

    def succession(self, i: int) -> Iterator[tuple[int, int]]:
        """Yield 1 for "right after" and −1 for "before" or "earlier than", each with the index behind it."""
        at = i + (self.word(i) in list_words("right"))
        for name, step in (("before_time", -1), ("after_time", 1)):
            if length := match_phrase(self.words, at, list_phrases(name)):
                yield step, at + length

    def _by(self, i: int) -> tuple[By, int] | None:
        """Parse the attribute of a superlative, such as "by area", "in terms of population" or "at the box office"."""
        n = match_phrase(self.words, i, (("in", "terms", "of"), ("by",), ("in",)))
        if match_phrase(self.words, i, (_AT_BOX_OFFICE,)):
            return By(lexicon.measures()["box office"]), i + len(_AT_BOX_OFFICE)
        at = i + n + (self.word(i + n) in {"the", "total"})
        length = match_phrase(self.words, at, _measures()) if n else 0
        return (By(lexicon.measures()[" ".join(self.words[at : at + length])]), at + length) if length else None

    def _whose(self, i: int) -> PredicateReadings:
        """Parse a clause behind "whose", such as "(whose) capital is _" or "(whose) area is below …"."""
        for noun, end in self.run(i):
            if self.word(end) not in lexicon.BE:
                continue
            measure = lexicon.measures().get(noun)
            if amount := self.amount(end + 1, plain=True):
                yield (Test(measure.attribute if measure else noun, amount[0]),), amount[1]
            for parts, joiner, last in self.conjoined(end + 1):
                yield spread(parts, joiner, f"whose {noun} is _"), last


def _all(found: Described, readings: PredicateReadings) -> Found:
    for predicates, end in readings:
        yield found.plus(*predicates), end


def _measures() -> list[tuple[str, ...]]:
    return sorted((tuple(m.split()) for m in lexicon.measures()), key=len, reverse=True)
