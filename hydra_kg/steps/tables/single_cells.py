"""Read a question as one cell of a table, by the labels of its row and column: "fuel expense in 2017"."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from hydra_kg.extract.word_classes import PREPOSITIONS, VERB, kind
from hydra_kg.language.morphology import singular
from hydra_kg.language.tokens import split_identifier
from hydra_kg.steps.tables.graph_tables import NAME, Column, View
from hydra_kg.steps.tables.operation_words import Cue, QueryToken, cues
from hydra_kg.steps.tables.question_spans import FREE, LIGHT
from hydra_kg.steps.tables.span_meanings import same
from hydra_kg.steps.tables.table_query import RowCondition, TableQuery
from hydra_kg.text.articles import ARTICLES
from hydra_kg.util.fast_dataclass import dataclass

MOST_ROWS: Final = 400
MOST_COLUMNS: Final = 40
"""Larger tables are lists of records, not read by their labels."""
MOST_COST: Final = 0.6
LEAD: Final = 0.04
"""How much cheaper than any other cell the chosen one must be."""
_ROW: Final = 0.5
_COLUMN: Final = 0.25
"""Cost of the label of a row or column of which no word is said."""
_ELSEWHERE: Final = 0.6
"""Cost of a word that is a label of the table, but neither of the row nor of the column."""
_WHOLE: Final = 0.5
"""Share of the cost of such words if all words of the row's label are said."""
_UNKNOWN: Final = 0.2
_LIGHTER: Final = 0.06
"""Cost of other words that the labels lack; of names, verbs and "total"."""
_SHORTEST: Final = 3
"""Letters of an acronym."""
_UNSAID: Final = PREPOSITIONS | ARTICLES | {"per", "and", "or"}
"""Words of labels that an acronym and a coverage leave out."""
_MET: Final = frozenset(("sum", "count", "idle", "when"))
"""Cues that a single cell can meet."""
_SEVERAL: Final = frozenset("same all every other".split())
"""Words that ask for more than one cell."""
_AROUND_NUMBERS: Final = "$€£%()+-–— "
_ASKING: Final = frozenset("how many much".split())
_SHARES: Final = frozenset("percentage percent share".split())


@dataclass(frozen=True, slots=True)
class _Label:
    """The words of a row or column with their weights: a word of all labels distinguishes none."""

    words: tuple[str, ...]
    weights: tuple[float, ...]

    def unsaid(self, said: frozenset[str]) -> float:
        """Return the share of the label's weight that the question does not say, 0 to 1."""
        total = sum(self.weights)
        left = sum(weight for word, weight in zip(self.words, self.weights, strict=True) if word not in said)
        return left / total if total else 0.0

    def tells(self, said: frozenset[str]) -> bool:
        """Return True if a word that distinguishes this label is said."""
        return any(weight > 0 and word in said for word, weight in zip(self.words, self.weights, strict=True))


def cell_query(view: View, question: Sequence[QueryToken], fits: Callable[[TableQuery], bool]) -> TableQuery | None:
    """Return the query for the one cell that a question describes; None if none or several fit.

    Only for a store of one table. A name that neither labels nor cells know is in ``unplaced``: the answer is then
    given as partial. Numbers must have a place, except years in a table whose labels hold no year. `fits` tells
    whether a query shows what the question word asks for.
    """
    if len(view.tables) != 1 or not 0 < len(view.rows(0)) <= MOST_ROWS or not any(w.named for w in question):
        return None
    reader = _Cells(view, question, fits)
    return reader.best() if len(reader.columns) <= MOST_COLUMNS else None


class _Cells:
    """The labels of one table together with the words of a question."""

    def __init__(self, view: View, question: Sequence[QueryToken], fits: Callable[[TableQuery], bool]) -> None:
        self.view, self.question, self.fits = view, question, fits
        self.columns = [c for c in view.columns if c.relation != NAME]
        self.cells = {c: self._cells_of(c) for c in self.columns}
        labelling = {c for c in self.columns if c.kind in ("text", "link") and self._is_wordy(c)}
        rows = view.rows(0).tolist()
        named = not (view.tables[0].nameless or view.tables[0].numbered)
        texts = {
            row: [*([view.graph.name(row)] if named else []), *(self.cells[c].get(row, "") for c in labelling)]
            for row in rows
        }
        self.rows = dict(
            zip(rows, _labels([[w for t in texts[r] for w in split_identifier(t)] for r in rows]), strict=True)
        )
        heads = _labels([split_identifier(c.text) for c in self.columns])
        self.heads = dict(zip(self.columns, heads, strict=True))
        self.known = {w for label in (*self.rows.values(), *heads) for w in label.words}

    def _cells_of(self, column: Column) -> dict[int, str]:
        there, graph = self.view.graph.relations[column.relation].there, self.view.graph
        at = there.rows(self.view.rows(0))
        return {row: graph.name(end) for row, end in zip(there.start[at].tolist(), there.end[at].tolist(), strict=True)}

    def _is_wordy(self, column: Column) -> bool:
        texts = list(self.cells[column].values())
        return sum(not any(ch.isdigit() for ch in t) and any(ch.isalpha() for ch in t) for t in texts) > len(texts) / 2

    def best(self) -> TableQuery | None:
        """Return the cheapest cell as a query."""
        content = [k for k, w in enumerate(self.question) if self._is_content(w)]
        said = {k: self._meant(k, content) for k in content}
        found: list[tuple[float, int, TableQuery, str]] = []
        for row, label in self.rows.items():
            mine = {k for k in content if said[k] & set(label.words)}
            for column, head in self.heads.items():
                if row in self.cells[column]:
                    here = mine | {k for k in content if said[k] & set(head.words)}
                    query = self._query(row, column, content, said, here)
                    if query is not None:
                        found.append((query.cost, len(found), query, self.cells[column][row]))
        found.sort()
        if not found or found[0][0] > MOST_COST:
            return None
        rivals = [f for f in found[1:] if f[0] < found[0][0] + LEAD and f[3] != found[0][3]]
        return None if rivals else found[0][2]

    def _is_content(self, word: QueryToken) -> bool:
        light = word.low in FREE or word.low in LIGHT or word.low in PREPOSITIONS
        return not word.mark and word.low not in _ASKING and (not light or self._is_known(word))

    def _is_known(self, word: QueryToken) -> bool:
        return word.low not in FREE and singular(word.low) in self.known

    def _meant(self, place: int, content: Sequence[int]) -> frozenset[str]:
        """Return the words of labels that one word of the question says: the same, a synonym, or by an acronym."""
        word = self.question[place]
        low = [singular(p) for p in split_identifier(word.text)]
        meant = {p for p in low if p in self.known}
        if not meant:
            meant = {k for k in self.known if any(p.isalpha() and same(p, k) < 1.0 for p in low)}
        if not meant and word.text.rstrip("s").isupper() and len(word.text.rstrip("s")) >= _SHORTEST:
            meant = {w for label in (*self.rows.values(), *self.heads.values()) for w in _spelt_out(word.low, label)}
        meant |= {a for a in self.known if self._abbreviated(a, place)}
        return frozenset(meant)

    def _abbreviated(self, acronym: str, place: int) -> bool:
        """Return True if a known acronym is made of the initials of words around a place."""
        if len(acronym.rstrip("s")) < _SHORTEST or not acronym.isalpha():
            return False
        lows = [w.low for w in self.question]
        said = [k for k, low in enumerate(lows) if low not in _UNSAID and not self.question[k].mark]
        size = len(acronym.rstrip("s"))
        at = said.index(place) if place in said else -1
        starts = range(max(0, at - size + 1), at + 1) if at >= 0 else ()
        return any("".join(lows[k][0] for k in said[s : s + size]) == acronym.rstrip("s") for s in starts)

    def _query(
        self, row: int, column: Column, content: Sequence[int], said: dict[int, frozenset[str]], here: set[int]
    ) -> TableQuery | None:
        """Return the query for a cell, with its cost; None if the question says something that it cannot meet."""
        label, head, cell = self.rows[row], self.heads[column], self.cells[column][row]
        spoken = frozenset(w for k in here for w in said[k])
        if not label.tells(spoken) and len(self.rows) > 1:
            return None
        if not head.tells(spoken) and len(self.columns) > 1:
            return None
        here = here | {k for k in content if "%" in cell and self.question[k].low in _SHARES}
        if self._is_left_undone(here, said) or not self._fits(cell, here):
            return None
        cost = _ROW * label.unsaid(spoken) + _COLUMN * head.unsaid(spoken)
        left, names = [k for k in content if k not in here], []
        for k in left:
            if self.question[k].number is not None and not self._is_unheard_year(k):
                return None
            cost += self._passed_over(k, said) * (_WHOLE if not label.unsaid(spoken) else 1.0)
            if not self._is_verb(k) and self.question[k].low not in ("total", "amount"):
                names.append(k)
        query = TableQuery(0, "list", [column], is_cell=True, cost=cost)
        name = self.view.name_of(0)
        text = self.view.graph.name(row)
        query.where = [RowCondition(0, name, places=np.array([row], np.int64), text=text)]
        query.unplaced = tuple(_runs(self.question, names))
        return query if self.fits(query) else None

    def _is_left_undone(self, here: set[int], said: dict[int, frozenset[str]]) -> bool:
        """Return True if the question asks to compare, order or deny, unless a label has those very words."""
        for cue in cues(list(self.question)):
            met = cue.say in _MET or (cue.say == "each" and not said.get(cue.end)) or self._is_link(cue, here)
            if cue.say == "when" and any(w.low in PREPOSITIONS - FREE for w in self.question[cue.start : cue.end]):
                return True  # before, after, since: not the column of that year
            if not met and not here.intersection(range(cue.start, cue.end)):
                return True
        return any(w.low in _SEVERAL and k not in here for k, w in enumerate(self.question))

    def _is_link(self, cue: Cue, here: set[int]) -> bool:
        """Return True for one preposition before words of a label: "revenue from passengers", "earnings per share"."""
        alone = cue.end in here and cue.end == cue.start + 1 and self.question[cue.end].number is None
        return alone and self.question[cue.start].low in PREPOSITIONS | _UNSAID

    def _fits(self, cell: str, here: set[int]) -> bool:
        """Return True if a cell can answer ("how many": a number) and the noun after "which" has a place."""
        lows = [w.low for w in self.question]
        if set(split_identifier(cell)) and set(split_identifier(cell)) <= set(lows):
            return False
        if "how" in lows and not _is_numeric(cell):
            return False
        asked = next((k + 1 for k, low in enumerate(lows[:3]) if low in ("which", "what")), len(lows))
        return asked >= len(lows) or not self._is_content(self.question[asked]) or asked in here

    def _is_verb(self, place: int) -> bool:
        word = self.question[place]
        return not word.named and (kind(word.low) == VERB or word.low.endswith(("ed", "ing")))

    def _passed_over(self, place: int, said: dict[int, frozenset[str]]) -> float:
        if said[place]:
            return _ELSEWHERE
        if self._is_verb(place):
            return _LIGHTER
        return _LIGHTER if self.question[place].low in ("total", "amount") or self.question[place].named else _UNKNOWN

    def _is_unheard_year(self, place: int) -> bool:
        """Return True for a year if no label holds any year, so that the table is of one time."""
        return _is_year(self.question[place].low) and not any(map(_is_year, self.known))


def _labels(texts: Sequence[Sequence[str]]) -> list[_Label]:
    """Return labels with the weight of each word: 1 if only one label has it, 0 if all have it."""
    each = [tuple(dict.fromkeys(singular(w) for w in text if w not in _UNSAID)) for text in texts]
    counts = Counter(w for text in each for w in text)
    scale = math.log(len(each)) if len(each) > 1 else 1.0
    most = max(1, len(each))
    return [_Label(text, tuple(math.log(most / counts[w]) / scale for w in text)) for text in each]


def _spelt_out(acronym: str, label: _Label) -> tuple[str, ...]:
    """Return the words of a label whose initials form an acronym: casm → cost, available, seat, mile."""
    size = len(acronym.rstrip("s"))
    for start in range(len(label.words) - size + 1):
        some = label.words[start : start + size]
        if "".join(w[0] for w in some) == acronym.rstrip("s"):
            return some
    return ()


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdigit() and text[:2] in ("18", "19", "20", "21")


def _runs(question: Sequence[QueryToken], places: Sequence[int]) -> Iterator[str]:
    """Yield the words at some places, those next to each other together."""
    run: list[int] = []
    for k in [*places, -1]:
        if run and k != run[-1] + 1:
            yield " ".join(question[n].text for n in run)
            run = []
        run.append(k)


def _is_numeric(cell: str) -> bool:
    """Return True if a cell begins with a number ("$5,813", "24 %", "(1.2)") or holds no word at all."""
    first = (cell.strip(_AROUND_NUMBERS).split() or [""])[0].strip(_AROUND_NUMBERS)
    return not first or first.replace(",", "").replace(".", "").isdigit()
