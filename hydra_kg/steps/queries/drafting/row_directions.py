"""Directions between two references to one table: who transferred money to B2, where a lift starts, whom Ann helped."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.extract.word_classes import ASKING, BE, DO, FUNCTION, HAVE, PREPOSITIONS, VERB, kind
from hydra_kg.language.morphology import family_stem, is_same_family
from hydra_kg.steps.queries.drafting.column_comparisons import ComparedPieces
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import NAME, Column, is_of_people
from hydra_kg.steps.tables.operation_words import QueryToken, asks_who
from hydra_kg.steps.tables.question_spans import QueryPiece
from hydra_kg.steps.tables.span_meanings import KEY_WORDS, same
from hydra_kg.steps.tables.table_paths import NEXT, Direction, directions
from hydra_kg.steps.tables.table_query import RowCondition
from hydra_kg.steps.tables.time_columns import BEGINNING, ENDING
from hydra_kg.text.articles import ARTICLES

_RECEIVING: Final = frozenset(map(family_stem, ("get", "receive", "received")))
_BY: Final = "by"


def _says(low: str, heading: str) -> bool:
    """Return True if a word of a question says a word of a heading, also as its verb: transferred, transfer."""
    return same(low, heading) < 1 or (len(heading) > 3 and low.startswith(heading))


def _end_by_verb(low: str) -> str:
    """Return the end that a verb says: "from" for "starts", "to" for "ends" and "go"; "" for other words."""
    stem = family_stem(low)
    return "from" if stem in BEGINNING else "to" if stem in ENDING or low in ("go", "goes") else ""


def _does(low: str, column: Column) -> bool:
    """Return True if a word says what the person of a column does: helped, of a helper; sold, of "sold by"."""
    doer = next((word for word in reversed(column.words) if word != _BY), _BY)
    helps = doer.endswith(("ant", "ent")) and low.startswith(doer[:-3])  # assisted, of an assistant
    begins = min(len(low), len(doer)) > 3 and (doer.startswith(low) or low.startswith(doer))  # receive, of a receiver
    return (low != doer or _BY in column.words) and (helps or begins or is_same_family(low, doer))


class DirectedPieces(ComparedPieces):
    """Directions: who transferred money to B2, where does the Talbahn start, whom did Ann help."""

    def _direct(self) -> None:
        """Put what the question names at the right end of the rows, and show the other end if that is asked for."""
        pairs = directions(self.view, self.base)
        if not pairs:
            self._choose_way()
        for pair in pairs:
            self._direct_pair(pair, doer=False)
        asked = asks_who(self.words) or any(w.low in DO for w in self.words)
        doers = self._find_doers() if asked and not self.query_.where else None
        if doers is not None:
            self._direct_pair(doers, doer=True)

    def _choose_way(self) -> None:
        """Prefer the reference that a verb says among two from another table: the station where a lift *starts*."""
        others = [t.place for t in self.view.tables if t.place != self.base and t.place in self.ways]
        pairs = [pair for t in others for pair in directions(self.view, t) if self.base in pair[0].to]
        verbs = {k: end for k, w in enumerate(self.words) if (end := _end_by_verb(w.low)) and w.low not in ASKING}
        if len(pairs) == 1 and len(verbs) == 1 and self._names_rows(pairs[0][0].table):
            verb, end = next(iter(verbs.items()))
            self.query_.prefer[pairs[0][end == "to"].relation] = costs.STEP_NAMED
            self.query_.placed.add(verb)
        elif pairs and any(w.low in ("from", "to") for w in self.words):
            self.cost += costs.UNLIKE_ASKED  # which of the two references is meant would be passed over

    def _direct_pair(self, pair: Direction, *, doer: bool) -> None:
        named = [p for p in self.pieces if p.sort == "value" and not p.used and len(self._of_ends(p, pair))]
        asked = "" if doer else self._asked_end(pair)
        known = doer or self._names_base(pair) or (bool(asked) and (bool(named) or self._names_rows(self.base)))
        ends = self._asks_for_ends(pair, 0) or (len(named) > 1 and self.words[0].low in DO | HAVE)  # did A write to B
        known = known or (ends and any(self._follows_preposition(p, pair) for p in named))
        if not (named or asked) or not known:
            return
        roles = {p.start: self._end_of(p.start, asked, doer=doer) for p in named}
        for piece in named:
            column = pair[roles[piece.start] == "to"]
            text = f"{column.text} {self._said(piece)}"
            self._add(RowCondition(self.base, column, self._of_ends(piece, pair), text=text, at=piece.start))
            self.cost += 0.0 if roles[piece.start] else costs.UNLIKE_ASKED
            piece.used = True
        for cue in self.pieces:
            cue.used |= bool(asked) and cue.end in roles and self.words[cue.start].low == "after"
        self._show_other_end(pair, asked, list(roles.values()))
        nouns = {noun for name in self.view.tables[self.base].names for noun in name}
        rows = {k for k, w in enumerate(self.words) if any(_says(w.low, noun) for noun in nouns)}
        verbs = {k for k, w in enumerate(self.words) if w.low in ("from", "to", _BY) or _end_by_verb(w.low)}
        self.query_.placed |= rows | verbs
        if rows and self.view.people & {*pair[0].to}:
            self.query_.placed |= self._find_verbs()  # how many letters Elise *wrote*, of a sender and a recipient
        if doer:
            for piece in self.pieces:
                if piece.sort == "column" and pair[0] in dict(piece.tag.columns):
                    piece.used = True
            self.query_.placed |= {k for k, w in enumerate(self.words) if _does(w.low, pair[0])}

    def _names_base(self, pair: Direction) -> bool:
        """Return True if the question names the table of the references, or another of its columns."""
        names = {w for n in self.view.tables[self.base].names for w in n}
        names |= {w for c in self.view.of_table(self.base) if c not in pair for w in c.words}
        said = [w.low for w in self.words if not w.named]
        return any(_says(low, other) for low in said for other in names)

    def _names_rows(self, table: int) -> bool:
        """Return True if the question has the name of a row of a table."""
        tags = [p.tag for p in self.pieces if p.sort == "value"]
        return any(c.table == table and c.relation == NAME for tag in tags for c, *_ in tag.values)

    def _asked_end(self, pair: Direction) -> str:
        """Return "from" or "to" if it precedes "which accounts" or "whom", or ends the question, as a verb may."""
        place = next((k for k, w in enumerate(self.words[:3]) if w.low in ASKING), -1)
        if place < 0 or not self._asks_for_ends(pair, place):
            return ""
        if NEXT in pair[1].words and any(w.low == NEXT for w in self.words):
            return "to"
        last = [w.low for w in self.words if not w.mark][-1]
        word = self.words[place - 1].low if place > 0 else _end_by_verb(last) or last
        return word if word in ("from", "to") else ""

    def _follows_preposition(self, piece: QueryPiece, pair: Direction) -> bool:
        """Return True if "from" or "to" is right before the whole name of what two references lead to, after a verb."""
        said = " ".join(w.low for w in self.words[piece.start : piece.end])
        named = [places for c, places, _ in piece.tag.values if c.relation == NAME and c.table in pair[0].to]
        whole = any(self.view.graph.name(place).casefold() == said for places in named for place in places.tolist())
        active = BE.isdisjoint(w.low for w in self.words) and piece.start > 0
        return whole and active and self.words[piece.start - 1].low in ("from", "to")

    def _asks_for_ends(self, pair: Direction, place: int) -> bool:
        """Return True if a question word asks for what the references lead to: "which stations", "where", "who"."""
        behind = range(place + 1, len(self.words))
        first = next((k for k in behind if self.words[k].low not in BE | ARTICLES), -1)
        if any(p.start == first for p in self._things(pair)):
            return True
        people = bool(self.view.people & {*pair[0].to}) or not set(self.view.people_of(self.base)) - {*pair}
        low = self.words[place].low
        return people if low in ("who", "whom") else low == "where" and not self.view.people & {*pair[0].to}

    def _things(self, pair: Direction) -> list[QueryPiece]:
        """Return the pieces that say what two references lead to, or one of them."""
        ends = set(pair[0].to)
        return [p for p in self.pieces if ends & {*dict(p.tag.tables)} or {*pair} & {*dict(p.tag.columns)}]

    def _show_other_end(self, pair: Direction, asked: str, roles: list[str]) -> None:
        """List the column that the question word asks for: "which accounts", "who", "to which accounts"."""
        place = next((k for k, w in enumerate(self.words[:3]) if w.low in ASKING), -1)
        if place < 0 or not self._asks_for_ends(pair, place) or (self.words[place].low == "where" and not asked):
            return
        asked = asked or ("to" if roles == ["from"] else "from")
        self.query_.columns.append(pair[asked == "to"])
        self.cost += costs.UNLIKE_ASKED if asked in roles else 0.0
        for piece in self._things(pair):
            piece.used = True
        for piece in self.pieces:  # the money is what was transferred
            if piece.sort == "column" and piece.tag.columns[0][0].kind == "number":
                piece.used = True

    def _find_doers(self) -> Direction | None:
        """Return the two columns of people of a table, first the one that a verb says: who *helped*, of a helper."""
        people = [c for c in self.view.people_of(self.base) if c.relation >= 0]
        does = 0 if asks_who(self.words) else next((k for k, w in enumerate(self.words) if w.low in DO), 0)
        said = [c for c in people if any(_does(w.low, c) for w in self.words[does + 1 :] if not w.named)]
        other = [c for c in people if c not in said]
        return (said[0], other[0]) if len(said) == len(other) == 1 else None

    def _of_ends(self, piece: QueryPiece, pair: Direction) -> Ids:
        """Return the rows of the referred table that have a value in any of its columns, or the texts."""
        found = [np.zeros(0, np.int64)]
        for column, places, _ in piece.tag.values:
            if column in pair:
                found.append(places)
            elif column.table in pair[0].to:
                found.append(self._rows_with(column, places))
        return np.unique(np.concatenate(found))

    def _rows_with(self, column: Column, places: Ids) -> Ids:
        """Return the rows of a column's table that have some values in it, or such names."""
        relation = None if column.relation == NAME else self.view.graph.relations[column.relation]
        return self.view.only(column.table, places if relation is None else relation.back.leads(places))

    def _end_of(self, start: int, asked: str, *, doer: bool) -> str:
        """Return "to" or "from" for a name by the word before or the verb, or ""; ``asked``: the end asked for.

        Of a ``doer``, "from" is who does it: Ann helped, by Ann, of "whom did Ann help".
        """
        before = [w.low for w in self.words[:start] if w.low not in ARTICLES]
        nouns = {w for t in self.view.tables for n in t.names for w in n}
        while before and before[-1] in nouns:
            before.pop()
        word = before[-1] if before else ""
        if doer:
            return "from" if word in DO | HAVE | {_BY} else "to"
        if word in ("to", "from", _BY) or (asked and word == "after"):  # the next station after Elm
            return "to" if word == "to" else "from"
        if word and word not in DO | HAVE | {"that"}:
            return next(filter(None, map(_end_by_verb, before[:-3:-1])), "")  # starts at Elm
        if asked:
            return "from" if asked == "to" else "to"
        return self._subject()

    def _subject(self) -> str:
        """Return which end the subject of a verb is: "to" for who received something, else "from"."""
        return "to" if any(family_stem(w.low) in _RECEIVING for w in self.words) else "from"

    def _find_subject(self) -> Column | None:
        """Return the column of people at the end that "who" asks for: who *wrote* the most letters, of a sender."""
        nouns = {word for name in self.view.tables[self.base].names for word in name}
        doing = [c for c in self.view.people_of(self.base) if any(_does(noun, c) for noun in nouns)]
        if len(doing) == 1 and asks_who(self.words):
            return doing[0]  # who made the most sales, of a seller
        pairs = [pair for pair in directions(self.view, self.base) if self.view.people & {*pair[0].to}]
        people = [c for c in self.view.people_of(self.base) if c.relation >= 0]
        other = len(pairs) != 1 or {*people} != {*pairs[0]} or any(w.low in BE for w in self.words)
        if other or not asks_who(self.words):
            return None
        self.query_.placed |= self._find_verbs()
        return pairs[0][self._subject() == "to"]

    def _choose_people(self) -> list[Column]:
        """Return the columns of people that "who" may ask for: if there are several, those of a verb: who *sold* it."""
        people = self.view.people_of(self.base)
        verbs = [w.low for w in self.words[1:] if not w.named]
        said = [c for c in people if any(_does(low, c) for low in verbs)]
        said = said or [c for c in people if any(_says(low, c.words[-1]) for low in verbs)]  # who bought: the customer
        return said or people

    def _find_verbs(self) -> set[int]:
        """Return the places of the verbs of a question, in any form: *wrote*, did Elise *write*."""
        does = next((k for k, w in enumerate(self.words) if w.low in DO | {"that"}), len(self.words))
        said = {k for p in self.pieces for k in range(p.start, p.end)} | {
            k for k, w in enumerate(self.words) if w.named
        }
        bare = {k for k, w in enumerate(self.words) if k > does and not (w.named or w.mark or w.low in FUNCTION)}
        return {k for k, w in enumerate(self.words) if k and kind(w.low) == VERB} | bare - said

    def _person(self) -> Column | None:
        """Return the only reference to people, where "who" is asked of a table that a verb names, or of one named row.

        Examples: "Who acted in Salt?" of the rows of "acted in" with a person, a film and a role; "Who teaches Morning
        Flow?" of a class with a trainer. Who has so many rows is stated by the only column of people in each row.
        """
        if not asks_who(self.words):
            return None
        if self.query_.having[0]:
            if (subject := self._find_subject()) is not None:
                return subject
            owners = [c for c in self.view.of_table(self.base) if c.relation >= 0 and is_of_people(c.words)]
            verb = self.words[1].low
            has = len(owners) == 1 and (verb in HAVE or any(is_same_family(verb, word) for word in owners[0].words))
            return owners[0] if has else None
        conditions = {c.column for c in self.query_.where}
        named = any(c.table == self.base and c.relation == NAME for c in conditions if c is not None)
        named = named and bool(self._verbs()) and not self.view.has_events(self.base)
        if not named and not any(kind(word) == VERB for name in self.view.tables[self.base].names for word in name):
            return None
        links = [c for c in self.view.of_table(self.base) if c.kind == "link" and c not in conditions]
        people = [c for c in links if self.view.people & set(c.to)]
        self.query_.by_verb = named and len(people) == 1
        return people[0] if len(people) == 1 else None

    def _verbs(self) -> list[QueryToken]:
        """Return the verbs of the question that say what happened."""
        named = {n for p in self.pieces if p.sort == "value" for n in range(p.start, p.end)}
        asks = any(w.low in DO for w in self.words[:2])  # where did Lind ship it
        said = [w for n, w in enumerate(self.words) if n not in named and w.low not in FUNCTION and not w.mark]
        return [w for w in said if asks or kind(w.low) == VERB]

    def _find_affected(self, conditions: Set[Column | None], met: Set[int]) -> list[Column]:
        """Return the only reference or text that "what" with a verb can ask for: what was grown on Hollow in 2022."""
        if self.words[0].low != "what" or not {w.low for w in self.words[1:2]} & (BE | DO) or not self._verbs():
            return []
        if any(not join.forward for join in self.view.joins.get(self.base, ())):
            nouns = (p for p in self.pieces if p.sort == "table" and p.start and self._is_base(p))
            if not any(self.words[p.start - 1].low in ARTICLES for p in nouns):
                self.cost += costs.UNLIKE_ASKED  # what was ordered may be in the lines of an order
            return []
        columns = [c for c in self.view.of_table(self.base) if c.kind in ("text", "link") and c not in self.view.so]
        left = [c for c in columns if c not in conditions and not (met | self.view.people) & set(c.to)]
        left = [c for c in left if c.relation != NAME and not is_of_people(c.words) and c.words[-1] not in KEY_WORDS]
        things = [c for c in left if c.kind == "link"] or left  # what she bought: the plant, not how it was packed
        things = [c for c in things if c.words[0] not in PREPOSITIONS - {"of"}] or things  # not what she saw it with
        last = next((p for p in reversed(self.pieces) if p.sort != "cue"), None)
        verb = last is not None and last.sort == "table" and self._is_base(last) and self.words[1].low in DO
        self.cost += costs.UNLIKE_ASKED * (verb and len(things) > 1)  # what did she order: no order
        return things if len(things) == 1 else []
