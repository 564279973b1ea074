"""Homologous data of a question (MultiRAG Definition 3, Algorithm 2 lines 2–3): the statements of one search."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, Evidence, Fact, Hop, Passage
from hydra_kg.fusion.gathering.store_claims import Circumstances, ClaimStatement, align_attributes, statements
from hydra_kg.ids import fact_id
from hydra_kg.language.dates import MONTHS
from hydra_kg.steps.answering.candidates import PathCandidate, RelationCandidate, TextCandidate
from hydra_kg.steps.context import Context
from hydra_kg.steps.exploration.analyse import initial
from hydra_kg.steps.exploration.gather import Gathered, gather
from hydra_kg.text.folding import fold
from hydra_kg.text.literals import is_literal
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.recording import step

_HOMOLOGOUS: Final = 0.7  # cosine of predicates from which one stands in for another (multirag); .5 was too low


SUBJECTS: Final = 20
"""Largest number of entities whose attribute is asked for, if a path leads through several."""

_DAY: Final = re.compile(r"([12][0-9]{3})-?(0[1-9]|1[0-2])-?([0-2][0-9]|3[01])(?![0-9])")


@dataclass(frozen=True, slots=True)
class Search:
    """Logic form of a question (Algorithm 2 line 2): its entities E_q, its relation R_q, and its path.

    - ``subjects``: the entities E_q.
    - ``predicate``: the index of R_q, or -1 for a relation that only texts state.
    - ``evidence``: the path.
    """

    subjects: tuple[int, ...]
    predicate: int
    evidence: Evidence

    @property
    def hop(self) -> Hop:
        """The hop that states the attribute."""
        return self.evidence.path.hops[-1]


def gather_homologous(context: Context, analysis: Analysis) -> Gathered:
    """Return the first exploration.

    It is repeated without the asked type of answer if nothing of that type was found, because table cells are texts.
    """
    found = gather(context, initial(context, analysis))
    if not found.candidates and analysis.answer_type:
        found = gather(context, initial(context, replace(analysis, answer_type="")))
    return found


def search_of(context: Context, candidate: PathCandidate) -> Search | None:
    """Return what a path asks of the sources, or None if its last hop is mediated or inverse.

    The relation of a path from text is the stored relation that is nearest to its words, if there is one.
    """
    hops = candidate.evidence.path.hops
    if not hops or hops[-1].via is not None or not hops[-1].forward:
        return None
    if isinstance(candidate, TextCandidate):
        if is_literal(hops[-1].subject.key):
            return None  # words of the text, which no other source can be asked about
        return Search((hops[-1].subject.id,), _find_nearest_predicate(context, hops[-1].text), candidate.evidence)
    keys = {key: n for n, key in enumerate(context.snapshot.predicates().keys)}
    if (predicate := keys.get(hops[-1].predicate)) is None:
        return None
    subjects = [hops[-1].subject.id]
    if isinstance(candidate, RelationCandidate):
        relation = candidate.judged.relation
        if len(hops) != relation.hops:  # the last hops lead to other topics
            return None
        before = np.unique(relation.tree.nodes(relation.rows)[:, -2])
        subjects = candidate.of.found.hops.ids[before[:SUBJECTS]].tolist()
    return Search(tuple(subjects), predicate, candidate.evidence)


@step("homologous")
def homologous(context: Context, search: Search, pool: Sequence[PathCandidate] = ()) -> list[ClaimStatement]:
    """Return all statements of the attribute from graphs and texts.

    ``pool`` has the candidate paths, some of them from text. For a source without the attribute, statements of its
    nearest predicate (``_HOMOLOGOUS``) count, unless the source has both.
    """
    facts = _read_from_graphs(context, search) if search.predicate >= 0 else []
    known = search.predicate >= 0
    attribute = align_attributes(context.snapshot.predicates())[search.predicate] if known else search.hop.text
    return [*facts, *_read_from_texts(context, search, pool, attribute)]


def _read_from_texts(
    context: Context, search: Search, pool: Sequence[PathCandidate], attribute: str
) -> Iterator[ClaimStatement]:
    """Yield statements of texts: the last hops of checked paths whose relation is similar to the attribute."""
    found: list[tuple[Hop, Passage]] = []
    for candidate in pool:
        path = candidate.evidence.path
        if path.passage is None or not path.checked or not path.hops or not context.may(path.passage.source.name):
            continue
        hop = path.hops[-1]
        if hop.subject.id in search.subjects and path.passage.source.rho > 0:
            found.append((hop, path.passage))
    if not found:
        return
    vectors = context.space.embedder.embed([attribute, *(hop.text for hop, _ in found)])
    for (hop, passage), cosine in zip(found, (vectors[1:] @ vectors[0]).tolist(), strict=True):
        if cosine >= _HOMOLOGOUS or hop.text == search.hop.text or _words(attribute) <= _words(hop.text):
            number = fact_id(hop.subject.key, hop.predicate, hop.object.key, passage.source.name)
            fact = Fact(number, hop.subject.key, hop.predicate, hop.object.key, passage.source, passage.locator)
            yield ClaimStatement(hop.subject.id, attribute, (), hop.object, fact)


def _find_nearest_predicate(context: Context, phrase: str) -> int:
    """Return the index of the predicate that a phrase names.

    It is the predicate with the most words that are all in the phrase, else the nearest one by vectors. The result is
    -1 if none is as near as ``_HOMOLOGOUS``.
    """
    said, names = (
        _words(phrase),
        align_attributes(context.stored.predicates()),
    )  # not phrases of text that joined the graph
    worded = [(len(own), -n) for n, name in enumerate(names) if (own := _words(name)) and own <= said]
    if worded:
        return -max(worded)[1]
    like = context.space.forward[: len(names)] @ context.space.embedder.embed([phrase])[0]
    best = int(like.argmax()) if len(like) else -1
    return best if best >= 0 and float(like[best]) >= _HOMOLOGOUS else -1


def _words(text: str) -> frozenset[str]:
    return frozenset(fold(text).split())


def _read_from_graphs(context: Context, search: Search) -> list[ClaimStatement]:
    """Return the statements of graphs and tables about the attribute."""
    predicates = context.snapshot.predicates()
    names = align_attributes(predicates)
    own = names[search.predicate]
    codes = 2 * np.arange(len(names), dtype=np.int64) + 1
    near = context.space.vectors(codes) @ context.space.vectors(codes[search.predicate : search.predicate + 1])[0]
    least = _HOMOLOGOUS  # at .5 a sport stood in for a place
    nearest: dict[str, float] = {}
    for name, cosine in zip(names, near.tolist(), strict=True):
        if cosine >= least or name == own:
            nearest[name] = max(cosine, nearest.get(name, 0.0)) if name != own else 2.0
    found = statements(context.snapshot, search.subjects, attributes=nearest, may=context.may)
    speaking = {s.fact.source.name for s in found if s.attribute == own}
    apart = {s.attribute for s in found if s.fact.source.name in speaking} - {own}
    found = [s for s in found if s.attribute not in apart]
    best: dict[str, float] = {}
    for s in found:
        best[s.fact.source.name] = max(nearest[s.attribute], best.get(s.fact.source.name, 0.0))
    return [replace(s, attribute=own) for s in found if nearest[s.attribute] == best[s.fact.source.name]]


def select_asked(question: str, found: Sequence[Circumstances]) -> list[Circumstances]:
    """Return the circumstances that the question names, or all if it names none, the latest first.

    A day may be written in any order.
    """
    text = f" {fold(question)} "
    named = [when for when in found if any(f" {form} " in text for _, value in when for form in _forms(value))]
    return sorted(named or found, reverse=True)


def _forms(value: str) -> list[str]:
    """Return the folded forms of a value: a date also in other notations, such as "4 august 1961"."""
    forms = [fold(value)]
    if (m := _DAY.fullmatch(value.strip())) is not None:
        try:
            day = date(int(m[1]), int(m[2]), int(m[3]))
        except ValueError:
            return forms
        month, n = fold(MONTHS[day.month - 1]), day.day
        forms += [
            f"{day:%Y%m%d}",
            fold(f"{day:%Y-%m-%d}"),
            fold(f"{day:%m/%d/%Y}"),
            f"{month} {n} {day.year}",
            f"{n} {month} {day.year}",
        ]
    return [f for f in forms if f]
