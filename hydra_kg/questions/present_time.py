"""Doubt answers to questions about the present and about offices, since facts seldom state until when they are true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hydra_kg.domain import Hop, Mention
from hydra_kg.execution.own_graph import is_own
from hydra_kg.extract.word_classes import PRESENT
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.morphology import singular
from hydra_kg.language.tokens import fold_words
from hydra_kg.plan.model import Related, Today
from hydra_kg.plan.walk import parts
from hydra_kg.steps.retrieval.entity_types import several
from hydra_kg.strategies.base import Outcome
from hydra_kg.text.folding import fold

_OFFICES: Final = frozenset(
    noun
    for dates, nouns in lexicon_table("order_in_time")
    if dates.startswith("start date; took office")
    for noun in nouns.split()
)
"""Nouns for offices, for which sources list all holders."""

_POSTS: Final = list_words("verb_of_office")
_STATING: Final = ("office", "position", "title", *sorted(_POSTS | _OFFICES))
"""How words of relations begin that state who holds an office."""

_NOW: Final = frozenset({"is", "are"})

_SPANS: Final = frozenset(("year", "month", "week", "season"))
"""Nouns that "this" turns into a time."""


def present_words(outcome: Outcome) -> tuple[str, ...]:
    """Return words that restrict the question to the present and that its answer does not account for.

    "Which films did Christopher Nolan direct this year?" gives ("this year",). Claims and yes/no questions are judged
    by their own rules. A plan that counts until today accounts for the word, and so does one that selects the rows that
    are valid today.
    """
    analysis = outcome.analysis
    if not outcome.conclusion.answers or analysis.kind == "boolean" or analysis.answer_type == "claim":
        return ()
    if analysis.plan is not None and any(isinstance(part, Today) for part in parts(analysis.plan.root)):
        return ()
    if any(step.operator == "Today" for step in outcome.steps):
        return ()
    found = tuple(_words(analysis.question, outcome.mentions))
    if not found:
        return ()
    noted = {word for text in (*outcome.unchecked, *outcome.in_doubt) for word in fold(text).split()}
    return tuple(dict.fromkeys(text for text in found if not noted & set(fold(text).split())))


def undated_office(outcome: Outcome) -> tuple[str, ...]:
    """Return the doubt about who holds an office now if no fact of the answer is dated.

    Dumps seldom state from when to when. Your own tables are assumed to be up to date.
    """
    hops = [hop for e in outcome.conclusion.evidence for hop in e.path.hops]
    dated = any(fact.qualifiers for hop in hops for fact in hop.facts)
    if dated or not _office(outcome) or _are_own(hops):
        return ()
    begin = fold(outcome.analysis.question).split()[:3]
    asked = present_words(outcome) or _NOW & set(begin) or _POSTS & set(map(singular, begin))
    return ("who it is now (no date is stated)",) if asked else ()


def leaves_holder_open(outcome: Outcome) -> bool:
    """Return True if the holder of an undated office is asked for and several are stated, or "now" is said."""
    if not undated_office(outcome):
        return False
    return bool(present_words(outcome)) or (len(outcome.conclusion.answers) > 1 and not several(_office(outcome)))


def is_no_holder(outcome: Outcome) -> bool:
    """Return True if a question asks who holds an office, and the answer's relation does not state an office.

    The people of India are no prime ministers of India, and neither is "Brazil" the president of Brazil.
    """
    office, conclusion = _office(outcome), outcome.conclusion
    hops = [e.path.hops[-1] for e in conclusion.evidence if e.path.hops]
    if not office or not hops or _are_own(hops):
        return False
    said = set(fold_words(outcome.analysis.question))
    named = all(set(fold_words(a.name)) <= said for a in conclusion.answers)
    return named or not any(word.startswith(_STATING) for hop in hops for word in fold_words(hop.text))


def _office(outcome: Outcome) -> str:
    """Return the noun of the office that a question asks for ("who is the mayor of Kiel now"), or its verb, or ""."""
    plan, said = outcome.analysis.plan, fold(outcome.analysis.question).split()
    noun = plan.root.noun if plan is not None and isinstance(plan.root, Related) else ""
    if plan is None and said[:1] == ["who"] and _NOW & set(said[1:2]):
        noun = next((word for word in said if word in _OFFICES), "")
    elif said[:1] == ["who"] and singular(" ".join(said[1:2])) in _POSTS - {*said}:
        noun = singular(said[1])  # "who leads _"
    is_office = noun.partition(" of ")[0].replace(" ", "-") in _OFFICES | _POSTS  # "head of state"
    return noun if is_office and outcome.conclusion.answers else ""


def _are_own(hops: Sequence[Hop]) -> bool:
    return any(is_own(key.removeprefix("^")) for hop in hops for key in hop.predicate.split("./"))


def _words(question: str, mentions: Sequence[Mention]) -> Iterator[str]:
    """Yield the words as written. Words of a linked name, or capitalised ones inside the question, belong to a name."""
    words = [word.strip("?!.,;:\"'") for word in question.split()]
    named = {word for mention in mentions for word in mention.text.split()}
    for at, word in enumerate(words):
        if word in named or (at and word[:1].isupper()):
            continue
        if fold(word) in PRESENT:
            yield word
        elif fold(word) == "this" and at + 1 < len(words) and fold(words[at + 1]) in _SPANS:
            yield f"{word} {words[at + 1]}"
