"""Limit on the work of one search: how many relations it follows and how many facts these touch."""

from __future__ import annotations

from typing import Final

from hydra_kg.util.cancelling import check

MOST_EXECUTIONS: Final = 40_000
"""Relations that one search follows. Ordinary questions need a few hundred, which takes some hundredths of a second."""
MOST_FACTS: Final = 100_000_000
"""Facts that one search touches: some seconds of a processor."""


class Executions:
    """Counter of the work of one search, which says when the search must end.

    Every count also looks at the cancellation flag. A search that is told to end returns what it has found. Its answer
    must not pass for that of a complete search.

    Args:
        done: Executions so far.
        skipped: Executions that were possible and not done, as far as they are known.
        exhausted: Whether the limit ended the search.
        guesses: How many of the skipped ones no word asks for.
    """

    def __init__(self, most: int = MOST_EXECUTIONS, most_facts: int = MOST_FACTS) -> None:
        self.most, self.most_facts = most, most_facts
        self.done = self.facts = self.skipped = self.guesses = 0
        self.exhausted = False

    def spend(self, facts: int = 0) -> bool:
        """Count one execution that touches ``facts`` facts. Return False if the search must end instead.

        Raise StoppedError if the question was stopped, TooMuchWorkError if its own limit is reached.
        """
        check(facts)
        if self.done >= self.most or self.facts >= self.most_facts:
            self.exhausted = True
            self.skipped += 1
            return False
        self.done += 1
        self.facts += facts
        return True

    def skip(self, count: int, guesses: int) -> None:
        """Record possible executions that are left out, and how many of them no word of the question asks for."""
        self.skipped += count
        self.guesses += guesses

    def may_have_missed(self, *, guessed: bool) -> bool:
        """Return True if a reading that was not seen may be as good.

        ``guessed`` tells that the reading found uses something that was not asked for.
        """
        return self.exhausted or self.skipped > (0 if guessed else self.guesses)

    @property
    def words(self) -> str:
        """Return what happened, in words for people."""
        return f"other readings (the search stopped after {self.done:,} of at least {self.done + self.skipped:,} ways)"

    @property
    def note(self) -> str:
        """Return what happened and what the user can do."""
        every = self.done + self.skipped
        return (
            f"The search stopped after {self.done:,} of at least {every:,} ways to read the question in the words of"
            " this store. Name the relation or the kind of thing that you mean to narrow it down."
        )
