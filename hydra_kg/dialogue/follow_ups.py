"""Resolve a question after an answer over the graph, and record the resolution in the answer that it gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hydra_kg.answer import Answer
from hydra_kg.citations import COURTESY
from hydra_kg.dialogue.follow_up_words import split_utterance
from hydra_kg.dialogue.memory import last_turn, names_in
from hydra_kg.dialogue.resolve import resolve
from hydra_kg.dialogue.turn import Resolved, Unresolved
from hydra_kg.extract.languages.question_translation import in_english
from hydra_kg.extract.word_classes import ASKING, BE, DO, FUNCTION, HAVE, INTERJECTIONS
from hydra_kg.ports import Snapshot
from hydra_kg.steps.linking.mention_spans import lowered, words
from hydra_kg.util.fast_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class AskedAfter:
    """The full question for a follow-up.

    text: the question in full.
    after: the previous answer.
    meant: keys by the names that were put in.
    unresolved: reason why the question could not be completed, or "".
    choices: full questions that the follow-up may mean.
    changed: whether the text differs from what was asked.
    """

    text: str
    after: str
    meant: tuple[tuple[str, str], ...] = ()
    unresolved: str = ""
    choices: tuple[str, ...] = ()
    changed: bool = False

    def said_of(self, answer: Answer, question: str) -> Answer:
        """Return the answer to ``text`` as an answer to the follow-up."""
        understood = self.text if self.changed else ""
        return replace(answer, question=question, after=self.after, understood_as=understood, choices=self.choices)


def follow(question: str, before: Sequence[Mapping[str, Any]], snapshot: Snapshot) -> AskedAfter:
    """Resolve a question after an answer and those before it, newest first, in the form of ``ask --json``."""
    after = str(before[0]["id"])
    reading = in_english(question)
    if not question.strip() or reading.language:
        return AskedAfter(question, after)
    if _is_courtesy(question):
        return AskedAfter(question, after, unresolved=COURTESY)
    names = names_in(question, snapshot)
    found = resolve(question, last_turn(before, snapshot), names)
    if (
        isinstance(found, Unresolved)
        and not found.choices
        and len(before) > 1
        and split_utterance(question, names).continued
    ):
        earlier = resolve(question, last_turn(before[1:], snapshot), names)  # "and in Husum?" after "Who are they?"
        found = earlier if isinstance(earlier, Resolved) else found
    if isinstance(found, Unresolved):
        return AskedAfter(
            question, after, unresolved=f"not understood as a follow-up: {found.reason}", choices=found.choices
        )
    return AskedAfter(found.text, after, found.meant, changed=found.changed)


def _is_courtesy(text: str) -> bool:
    """Return True for thanks, greetings and similar texts that ask nothing."""
    low = set(lowered(words(text)))
    return bool(low & INTERJECTIONS) and low <= INTERJECTIONS | FUNCTION and low.isdisjoint(ASKING | BE | DO | HAVE)
