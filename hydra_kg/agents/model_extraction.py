"""Extract facts from a text with a language model: names, triples and their standard form (MultiRAG §III.B).

Each of the three is one call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hydra_kg.agents.model_requests import Asker
from hydra_kg.agents.prompting.escaping import numbered, quote
from hydra_kg.agents.replies.schemas import EntitiesReply, TriplesReply
from hydra_kg.domain import Floats
from hydra_kg.extract.mentions import sentences
from hydra_kg.extract.stated_relation import RelationClaim, are_stated
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

CHARACTERS: Final = 6_000
"""Characters of a text that one call reads. A longer text is read in pieces, split between sentences."""

KNOWN: Final = 40
"""Number of relations already in use that the model is shown: the latest ones."""


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """A fact in standard form and its span of the text, or the sentence's span if an end is implied ("it")."""

    subject: str
    relation: str
    object: str
    start: int
    end: int


class FactExtractor:
    """Extractor of facts from texts with a model.

    known: relations already in use.
    embed: returns vectors, by which paraphrased relations are recognised.

    A sentence must name both ends of a fact, or name one and mean the page's subject by the other. It must also
    state the relation (:mod:`hydra_kg.extract.stated_relation`).
    """

    def __init__(self, asker: Asker, *, embed: Callable[[Sequence[str]], Floats], known: Sequence[str] = ()) -> None:
        self._asker = asker
        self._embed = embed
        self.known = list(dict.fromkeys(known))

    @property
    def stopped(self) -> bool:
        """Return True if the budget is spent, so that the model is not asked again."""
        return self._asker.spent

    @property
    def notes(self) -> Sequence[str]:
        """Return why replies were not usable, each reason once."""
        return self._asker.notes

    def facts(self, title: str, text: str) -> list[ExtractedFact] | None:
        """Return a text's facts in order, or None if the model failed, so that the text can be read again."""
        found: dict[tuple[str, str, str], ExtractedFact] = {}
        for start, end in _pieces(text):
            new = self._read(title, text, [(a, b) for a, b in sentences(text) if start <= a and b <= end])
            if new is None:
                return None
            for fact in new:
                found.setdefault((fold(fact.subject), fact.relation, fold(fact.object)), fact)
        return sorted(found.values(), key=lambda f: (f.start, f.end, f.relation))

    def _read(self, title: str, text: str, spans: list[tuple[int, int]]) -> list[ExtractedFact] | None:
        lines = numbered([text[a:b] for a, b in spans], budget=0, most=600)
        named = self._asker.ask("extract_names", EntitiesReply, title, values={}, data={"sentences": lines})
        if named is None:
            return None
        names = [n for n in dict.fromkeys([title, *named.names]) if n and _at(text, title, n) is not None]
        if len(names) < 2:
            return []
        shown = {"sentences": lines, "names": quote(", ".join(names), 2_000)}
        triples = self._asker.ask("extract_triples", TriplesReply, title, values={}, data=shown)
        if triples is None:
            return None
        stands = _occurrence(text, title)
        facts = [f for c in triples.facts if (f := _grounded(title, text, spans, c.n, c.chain, stands)) is not None]
        sentence_of = {f: next(text[a:b] for a, b in spans if a <= f.start and f.end <= b) for f in facts}
        stated = are_stated([_claim(f, s) for f, s in sentence_of.items()], self._embed)
        return self._standardised(title, [f for f, ok in zip(sentence_of, stated, strict=True) if ok], stands)

    def _standardised(
        self, title: str, facts: list[ExtractedFact], stands: Callable[[str], bool]
    ) -> list[ExtractedFact] | None:
        if not facts:
            return []
        data = {
            "triples": numbered([f"{f.subject} - {f.relation} - {f.object}" for f in facts], budget=0, most=300),
            "known": quote(", ".join(self.known[-KNOWN:]), 2_000) or "-",
        }
        reply = self._asker.ask("extract_standard", TriplesReply, title, values={}, data=data)
        if reply is None:
            return None
        standard = {c.n: c.chain for c in reply.facts if len(c.chain) == 3}
        out = []
        for n, fact in enumerate(facts, 1):
            s, relation, o = standard.get(n, [fact.subject, fact.relation, fact.object])
            s, o = (
                new if stands(new) and _longer(new, old) else old for new, old in ((s, fact.subject), (o, fact.object))
            )
            if fold(s) == fold(o):
                s, o = fact.subject, fact.object
            relation = _relation(relation) or _relation(fact.relation)
            if not relation:
                continue
            if relation not in self.known:
                self.known.append(relation)
            out.append(ExtractedFact(s, relation, o, fact.start, fact.end))
        return out


def _grounded(
    title: str, text: str, spans: list[tuple[int, int]], n: int, chain: Sequence[str], stands: Callable[[str], bool]
) -> ExtractedFact | None:
    """Return the fact of sentence ``n`` (from 1) if the sentence names both ends, or one and means the page."""
    if len(chain) != 3 or not 1 <= n <= len(spans) or not _relation(chain[1]):
        return None
    subject, relation, obj = chain
    if not (stands(subject) and stands(obj)) or fold(subject) == fold(obj):
        return None
    start, end = spans[n - 1]
    inside = text[start:end].casefold()
    places = {name: at for name in (subject, obj) if (at := inside.find(name.casefold())) >= 0}
    if not places or any(name not in places and fold(name) != fold(title) for name in (subject, obj)):
        return None
    if len(places) == 2:
        end = start + max(at + len(name) for name, at in places.items())
        start += min(places.values())
    return ExtractedFact(subject, relation, obj, start, end)


def _claim(fact: ExtractedFact, sentence: str) -> RelationClaim:
    return RelationClaim(sentence, fact.subject, fact.relation, fact.object)


def _occurrence(text: str, title: str) -> Callable[[str], bool]:
    return lambda name: _at(text, title, name) is not None


def _at(text: str, title: str, name: str) -> int | None:
    """Return the position of a name in the text, -1 if it is the title, or None otherwise."""
    if fold(name) and fold(name) == fold(title):
        return -1
    at = text.casefold().find(name.casefold()) if fold(name) else -1
    return at if at >= 0 else None


def _longer(new: str, old: str) -> bool:
    """Return True if a standard name contains the words of the name that it replaces."""
    return set(fold(old).split()) <= set(fold(new).split())


def _relation(words: str) -> str:
    """Return a relation as it is stored, in lower case with one space between words, or ""."""
    return " ".join(words.casefold().replace("_", " ").split()) if fold(words) else ""


def _pieces(text: str) -> list[tuple[int, int]]:
    """Split a text into pieces of whole sentences, each of about ``CHARACTERS`` characters."""
    found: list[tuple[int, int]] = []
    for start, end in sentences(text):
        if found and end - found[-1][0] <= CHARACTERS:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found
