"""Word the relations of a plan as people say them: "films that _ directed" for "which films did _ direct"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from hydra_kg.agents.planning.lexicon import AUXILIARIES, BE, DO, HAVE, Verb, inflected, verb
from hydra_kg.agents.planning.tokens import QuestionToken
from hydra_kg.extract.word_classes import VERB, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.plan.model import Among, Related, Root
from hydra_kg.plan.walk import changed

_MARK: Final = "_"
_ASKING: Final = list_words("question_word") | {"in"}
_PEOPLE: Final = frozenset(("who", "whom"))


def as_said(root: Root, tokens: Sequence[QuestionToken]) -> Root:
    """Return the plan with natural names for its relations, where the question words them differently."""
    words = [t.text for t in tokens]
    said: Root = changed(root, lambda operator: _said(operator, words))
    if isinstance(said, Related) and not said.noun and said.phrase.split(" ")[0] not in _ASKING:
        who = next((w for w in words if w in _ASKING), "") in _PEOPLE or words[:1] == ["by"]
        phrase = said.said or _stated(said.phrase, words) or said.phrase
        return replace(said, said=f"{'who' if who else 'what'} {phrase}")
    return said


def _said(operator: Any, words: Sequence[str]) -> Any:
    if isinstance(operator, Among) and isinstance(of := operator.of, Related) and not of.noun:
        return replace(operator, of=replace(of, said=of.said or _stated(of.phrase, words)))
    if not isinstance(operator, Related):
        return operator
    first, *rest = operator.phrase.split(" ")
    if first == _MARK and rest and rest[0] not in AUXILIARIES:
        return replace(operator, said=_clause(operator.phrase, rest, words))
    if operator.noun and first not in operator.noun and (known := verb(first)) and _is_active(known):
        return replace(operator, said=f"that {operator.phrase}")
    return operator


def _clause(phrase: str, rest: Sequence[str], words: Sequence[str]) -> str:
    """Return the words behind the subject, such as "_ directed" for "did _ direct", or "" if they do not change."""
    auxiliary = _auxiliary(rest[0], words)
    known = verb(rest[0])
    if auxiliary in DO and known is not None and known.form == "base":
        return f"{_MARK} {_inflected(auxiliary, rest)}" if auxiliary != "do" else ""
    if auxiliary in BE and known is not None and known.form != "ing" and _is_about(auxiliary, rest[0], words):
        return f"{_MARK} {auxiliary} {' '.join(rest)}"
    return ""


def _is_active(known: Verb) -> bool:
    """Return True if a form of a verb is of the present: "border" and "flows", but not "born"."""
    return known.form == "s" or (known.form == "base" and kind(known.lemma) != VERB)


def _is_about(auxiliary: str, word: str, words: Sequence[str]) -> bool:
    """Return True if only a name is between an auxiliary and its verb.

    This is so in "was _ born", but not in "was the first book _ wrote".
    """
    end = words.index(word)
    begin = max(i for i, w in enumerate(words[:end]) if w == auxiliary)
    return {_MARK, "the", "both"}.issuperset(words[begin + 1 : end])


def _stated(phrase: str, words: Sequence[str]) -> str:
    """Return the predicate that is stated of a subject, or "" for a noun alone.

    For example, "directed _" for "did … direct _", or "was born in _".
    """
    rest = phrase.split(" ")
    if rest[0] == _MARK:
        return ""
    auxiliary = _auxiliary(rest[0], words)
    if auxiliary in DO:
        return _inflected(auxiliary, rest)
    if auxiliary in BE | HAVE:
        return f"{auxiliary} {phrase}"
    return phrase if verb(rest[0]) is not None else ""


def _inflected(auxiliary: str, rest: Sequence[str]) -> str:
    if auxiliary == "do":
        return " ".join(rest)
    return " ".join([inflected(rest[0], "ed" if auxiliary == "did" else "s"), *rest[1:]])


def _auxiliary(word: str, words: Sequence[str]) -> str:
    """Return the last auxiliary before a word of the question, or ""."""
    before = words[: words.index(word)] if word in words else ()
    return next((w for w in reversed(before) if w in AUXILIARIES), "")
