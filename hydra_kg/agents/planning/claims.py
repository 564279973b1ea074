"""Parse claims that do not have the form of a question: "_ wrote several novels", "_ sang in 2015"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hydra_kg.agents.planning import lexicon
from hydra_kg.agents.planning.comparisons import Comparisons
from hydra_kg.agents.planning.lexicon import ADVERBS, BE, DO, HAVE, NEGATIONS, PLACING
from hydra_kg.language.lexicon import list_phrases, list_words, match_phrase
from hydra_kg.language.morphology import is_plural
from hydra_kg.plan.model import Among, Assertion, Every, Holds, Named, OfKind, Only, Related, Root, Some, Untrue

_QUANTITIES: Final = {
    **dict.fromkeys(("", "some", "any", "a", "an"), 1),
    **dict.fromkeys(("several", "various", "multiple", "different", "a number of", "a series of", "a couple of"), 2),
    **dict.fromkeys(("many", "numerous", "a lot of", "lots of", "plenty of", "a great number of"), 3),
}
"""Words for an indefinite number, with the smallest number that each means."""

_ENDINGS: Final = list_phrases("during_a_life")
_CONTINUING: Final = frozenset({"continue", "continues"})
_NAME: Final = 3
"""Longest name without capitals, in words: "long distance running"."""

_POSTS: Final = list_words("verb_of_office")
_ONLY: Final = list_words("limiting")
_NONE: Final = NEGATIONS | list_words("nothing vague_quantity") | {"no"}
"""Words that state a quantity, which a name does not contain."""
_REFLEXIVE: Final = frozenset({"itself", "himself", "herself", "themselves"})
_CLAUSES: Final = list_words("relative_pronoun before since") | {"when", "where", "while", "by"}
"""Words that begin a clause with a statement of its own."""


class ClaimForms(Comparisons):
    """Parser for claims, whose parses consume all tokens.

    Deeds at a time are the exception: only their time is checked.
    """

    def claim(self, *, now: bool = False) -> Iterator[Root]:
        """Yield every reading of a claim, likeliest first.

        now: the claim states that it is true today.
        """
        if (positive := self._affirmed()) is not None:
            yield from (Untrue(r) for r in positive.claim(now=now) if isinstance(r, Holds | Among | Some | Every))
            return
        if (unlimited := self._unlimited()) is not None:
            yield from (Only(r) for r in unlimited.claim(now=now) if isinstance(r, Among) and isinstance(r.of, Related))
            return
        holding = now or self._holds_a_post()
        for root in self.statement():
            yield self._called(replace(root, today=holding)) if isinstance(root, Among) else root
        for things, end in self.things(0):
            if isinstance(things, Named):
                yield from self._some(things, end)
        if self.is_mention(0):
            yield from self._by_its_name(self.named(0), 1)

    def existence(self, i: int) -> Iterator[Assertion]:
        """Parse a yes-or-no question for anything at all: "is _ married", "does _ have a wife"."""
        for subject, end in self.things(i + 1):
            known = lexicon.verb(self.word(end))
            if self.word(i) in BE and known is not None and self.words[end + 1 :] == []:
                yield Some(Related(subject, f"_ {self.word(end)}"))
            elif self.word(i) in DO and self.word(end) == "have":
                begin = end + 1 + (self.word(end + 1) in _QUANTITIES)
                for noun, last in self.run(begin):
                    if last == len(self.words) and self._only_a_kind(noun):
                        yield Some(Related(subject, f"_ s {noun}", noun))
            elif isinstance(subject, Named):
                yield from self._some(subject, end)

    def _affirmed(self) -> ClaimForms | None:
        """Return the claim without its one "not" or "never" behind an auxiliary, or None if it has none."""
        at = [i for i, word in enumerate(self.words) if word in NEGATIONS]
        if len(at) != 1 or self.word(at[0] - 1) not in lexicon.AUXILIARIES:
            return None
        return type(self)([t for i, t in enumerate(self.tokens) if i != at[0]], lenient=self.lenient)

    def _holds_a_post(self) -> bool:
        """Return True for a claim about an office, such as "_ leads _", which is about today, unlike "_ sings _"."""
        verb = lexicon.verb(self.word(1)) if self.is_mention(0) else None
        return verb is not None and verb.form == "s" and verb.lemma in _POSTS

    def _unlimited(self) -> ClaimForms | None:
        """Return the claim without its one "only", or None if it has none."""
        at = [i for i, word in enumerate(self.words) if word in _ONLY and self.word(i - 1) != "the"]
        if len(at) != 1:
            return None
        left = [t for i, t in enumerate(self.tokens) if i != at[0] and t.text not in _REFLEXIVE]
        return type(self)(left, lenient=self.lenient)

    def _called(self, root: Among) -> Among | Every:
        """Return the claim with the kind of thing that it states.

        In "_ is a mountain in _" the noun is added to the relation. "_ is a French director" becomes two claims: that
        the person is a director, and the country.
        """
        of = root.of
        if isinstance(of, Related) and of.phrase == f"_ {of.noun}" and self.is_mention(3) and self._is_adjective(3):
            country = "country of _" if lexicon.is_made(of.noun) else "nationality of _"
            if isinstance(of.of, Named) and self.word(1) in BE:
                return Every((Among(root.item, OfKind(root.item, of.noun)), Among(of.of, Related(root.item, country))))
        if not isinstance(of, Related) or of.noun or self.word(1) not in BE or self.word(2) not in {"a", "an", "the"}:
            return root
        noun = next((noun for noun, _ in self.run(3) if f" {noun} " in f" {of.phrase}"), "")
        return replace(root, of=replace(of, noun=noun)) if of.phrase.startswith(f"{noun} ") else root

    def _verb_at(self, i: int) -> int:
        """Return the index of the full verb behind a subject that ends before ``i``, or -1 if there is none."""
        at = i + (self.word(i) in HAVE)
        while self.word(at) in ADVERBS:
            at += 1
        word = self.word(at)
        return at if word not in BE | HAVE and (lexicon.is_verb(word) or word in _CONTINUING) else -1

    def _some(self, subject: Named, i: int) -> Iterator[Assertion]:
        """Parse a claim about some things, such as "_ directed some films" or "_ has acted in many motion pictures"."""
        if (at := self._verb_at(i)) < 0:
            return
        verb, place = self.word(at), at + 1
        phrase = f"{verb} {self.word(place)}" if self.word(place) in PLACING else verb
        place += phrase != verb
        for quantity, least in sorted(_QUANTITIES.items(), key=lambda q: -len(q[0])):
            begin = place + match_phrase(self.words, place, [tuple(quantity.split())]) if quantity else place
            if quantity and begin == place:
                continue
            for noun, end in self.run(begin):
                end += match_phrase(self.words, end, _ENDINGS)
                if end != len(self.words) or not lexicon.is_common(noun) or not self._only_a_kind(noun):
                    continue
                if quantity in {"a", "an"} or is_plural(noun):
                    yield Some(Related(subject, f"_ {phrase}", noun), least)
            return

    @staticmethod
    def _only_a_kind(noun: str) -> bool:
        """Return True if a noun states nothing but a kind: "films", but not "horror films"."""
        return " " not in noun or tuple(noun.split()) in list_phrases("compound")

    def _by_its_name(self, subject: Named, i: int) -> Iterator[Assertion]:
        """Parse "_ died of a stroke" or "_ played the guitar", whose object is named by words that are not linked."""
        if (at := self._verb_at(i)) < 0 or self.word(at) in _CONTINUING:
            return
        verb, place = self.word(at), at + 1
        phrase = f"{verb} {self.word(place)}" if self.word(place) in PLACING else verb
        place += phrase != verb
        place += self.word(place) in {"a", "an", "the"}
        noun = self.words[place:]
        if 0 < len(noun) <= _NAME and all(w.isalpha() and w not in _CLAUSES | PLACING | _NONE for w in noun):
            yield Some(Related(subject, f"_ {phrase}", " ".join(noun)), named=True)
