"""Values in a model's words: the attribute that "second largest by area" orders by, the number that "1 million" is."""

from __future__ import annotations

from typing import Any, Final

from hydra_kg.agents.planning import lexicon
from hydra_kg.agents.planning.amount_conditions import Amounts
from hydra_kg.agents.planning.predicates import fitting
from hydra_kg.agents.planning.tokens import words_of
from hydra_kg.language.lexicon import list_words
from hydra_kg.plan.model import ValueKind
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

_OTHER_WORDS: Final = list_words("article possessive be") | {"by", "of", "s", "_"}
_DATED: Final = list_words("date_noun") | {"born", "died"}


@dataclass(frozen=True, slots=True)
class AskedValue:
    """A value that a model's words name.

    attribute: wordings of the attribute, best first.
    kind: kind of the value, or "".
    rank: place in the order, from 1.
    counted: phrase for the things to count, or "".
    """

    attribute: str
    kind: ValueKind | None = None
    rank: int = 1
    counted: str = ""


def value_named(text: str, noun: str) -> AskedValue:
    """Return the value that a few words name, such as "area", "second release date" or "number of seasons".

    noun: noun for the things that have the value.
    """
    reader = Amounts(words_of(text, ()))
    rank = reader.ordinal(0)
    rest = [w for w in reader.words[rank is not None :] if w not in _OTHER_WORDS]
    words = " ".join(rest)
    if words.startswith(number := lexicon.NUMBER_OF.split()[0] + " "):
        counted = words.removeprefix(number)
        return AskedValue("", "number", rank or 1, f"{counted} of _")
    measure = lexicon.measures().get(words)
    if measure is None and rest:
        measure = lexicon.superlative(rest[0]) or lexicon.comparative(rest[0]) or lexicon.adjective(rest[0])
    if measure is not None:
        return AskedValue(fitting(measure.attribute, noun), measure.kind, rank or 1)
    if rest and (date := lexicon.event(tuple(rest))):
        return AskedValue(date, "date", rank or 1)
    return AskedValue(fold(words), "date" if _DATED & set(rest) else None, rank or 1)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number or a date, with the words that state it."""

    number: float
    kind: ValueKind
    words: str

    @classmethod
    def of(cls, text: str) -> Amount | None:
        """Return the amount that the whole text states, or None for any other text."""
        reader = Amounts(words_of(text, ()))
        if (date := reader.date(0)) and date[1] == len(reader.words):
            return cls(date[0][0], "date", text)
        if (found := reader.quantity(0)) and found[2] == len(reader.words):
            return cls(found[0], "number", text)
        return None

    def constant(self) -> dict[str, Any]:
        """Return the fields of a constant."""
        return {"number": self.number, "kind": self.kind, "words": self.words}
