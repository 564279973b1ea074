"""Define the public Answer: the result of a question as text, as data and as a page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from hydra_kg import domain
from hydra_kg.citations import COURTESY, NOTHING, certainty, label_of, not_checked, split_unchecked
from hydra_kg.pages.scores import missing_sentence
from hydra_kg.phrases import arrow, phrase
from hydra_kg.text.plain_text import clean, shorten

_PATHS: Final = 3


def _in_words(path: domain.Path) -> str:
    if not path.hops:
        return path.text
    steps = (f" {arrow(phrase(h.predicate, h.text))} {label_of(h.object.name)}" for h in path.hops)
    return label_of(path.hops[0].subject.name) + "".join(steps)


class Answer(domain.AnswerData):
    """The result of one question, with everything needed to check it: see :class:`hydra_kg.domain.AnswerData`.

    ``print(answer)`` shows the short form. A notebook shows the core of the page. :meth:`to_dict` gives the same as
    ``ask --json``.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Return a short form of at most 500 characters."""
        text = shorten(self.answer_text or NOTHING, 160)
        return (
            f"<Answer {text!r} to {shorten(self.question, 160)!r}: {self.verdict}, confidence"
            f" {self.confidence:.2f}, {len(self.evidence)} paths, id {self.id}>"
        )

    def __str__(self) -> str:
        if self.abstained:
            return "\n".join(self._silence())
        lines = [clean(self.answer_text), "; ".join(certainty(self.verdict, self.confidence, self.checked))]
        if sentence := not_checked([clean(c) for c in split_unchecked(self.question, self.unchecked)[0]]):
            lines.append(sentence)
        return "\n".join([*lines, *(f"- {shorten(_in_words(e.path))}" for e in self.evidence[:_PATHS])])

    def _silence(self) -> Iterator[str]:
        """Yield why there is no answer and which values may be right, in the words of the terminal."""
        if self.missing != COURTESY:
            yield NOTHING
        yield missing_sentence(self.missing)
        yield from (f"{i}. {clean(choice)}" for i, choice in enumerate(self.choices, 1))
        if self.perhaps:
            yield f"Perhaps: {', '.join(clean(label_of(a.name)) for a in self.perhaps)}"

    def _repr_html_(self) -> str:
        """Return the answer and its evidence for notebooks, without scripts and with all data escaped."""
        from hydra_kg.pages.page import core

        return core(self.to_dict())

    def html(self) -> str:
        """Return the whole page, like ``show --html``: one file that loads nothing from elsewhere."""
        from hydra_kg.pages.page import page

        return page(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as ``ask --json`` prints it, version 1. Later versions only add fields."""
        from hydra_kg.serialise import answer_json

        return answer_json(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """Return :meth:`to_dict` as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)
