"""Build noun phrases with clauses, from which the wording of queries is made."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.util.fast_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class NounClause:
    """A clause about things. ``one``: "lies in Northland". ``many``: "that lie in Northland". ``of``: relations."""

    one: str
    many: str = ""
    of: tuple[str, ...] = ()

    def behind(self, *, named: bool) -> str:
        """Return the clause in the form that follows a plural noun or a name."""
        if self.many and (not named or self.many.startswith("with")):
            return self.many
        return f"whose {owners(self.of)} {self.one}" if self.of else f"which {self.one}"

    def owned_by(self, owner: str) -> NounClause:
        """Return the clause about the owner's thing: "whose coach's nationality is Danish"."""
        return NounClause(self.one, of=(owner, *self.of))


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun with clauses. ``more``: after commas. ``named``: (from) a name. ``bare``: class, or ""."""

    noun: str
    clauses: tuple[NounClause, ...] = ()
    more: tuple[str, ...] = ()
    named: bool = False
    bare: bool = False
    one: str = ""

    def __str__(self) -> str:
        clauses = " and ".join(c.behind(named=self.named) for c in self.clauses)
        noun = self.noun or "things"
        return ", ".join([f"{noun}{', ' if self.named else ' '}{clauses}" if clauses else noun, *self.more])

    def with_clause(self, clause: NounClause) -> NounPhrase:
        """Return the phrase with one more clause."""
        if self.more:
            return self.followed_by(clause.behind(named=self.named))
        return replace(self, clauses=(*self.clauses, clause))

    def followed_by(self, text: str) -> NounPhrase:
        """Return the phrase with a text added after a comma."""
        return replace(self, more=(*self.more, text))


def owners(names: Sequence[str]) -> str:
    """Return owners and what they own as a possessive: ("grower", "town") → "grower's town"."""
    return " ".join([*(f"{n}'" if n.endswith("s") else f"{n}'s" for n in names[:-1]), names[-1]])
