"""What sentences say about an answer: they agree with it, state another value, or are silent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from hydra_kg.domain import Floats, Passage, TextFinding
from hydra_kg.steps.crosscheck.value_precision import Role
from hydra_kg.steps.crosscheck.value_sentences import ComparedValue, Sort, Subject, TextStatement, statements
from hydra_kg.text.folding import flat
from hydra_kg.util.fast_dataclass import dataclass

_TEXT_PAGE: Final = 0.27  # cosine from which a sentence says of its page's subject what was asked
TEXT_BETWEEN: Final = 0.7  # cosine from which words between two names say the relation that was asked
_TEXT_MEASURED: Final = 0.48  # the same of the words that lead to a date or number on the subject's own page
_TEXT_AGREES: Final = 0.25  # cosine from which a sentence that names subject and answer agrees with the answer
_TEXT_ASIDE: Final = 0.5  # the same on a page about something else, of the words between subject and answer
_TEXT_STATEMENTS: Final = 16  # clauses that are compared with what was asked, taken by the words that both share


_LONGEST: Final = 200  # characters of a clause that are compared


@dataclass(frozen=True, slots=True)
class AskedRelation:
    """The relation that was asked for, with its answer.

    The wordings begin with the question's words. ``now`` is True if the relation has to hold today. ``role`` is the end
    of a period that is asked for.
    """

    subject: Subject
    values: tuple[ComparedValue, ...]
    wordings: tuple[str, ...]
    sort: Sort
    now: bool = False
    role: Role = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """Sentences that state the answer (``agree``) and sentences that state other values (``differ``), best first.

    ``backing`` holds the sentences that state the relation itself at the asked time. ``model_differs`` is True if a
    model read another value.
    """

    agree: tuple[TextFinding, ...]
    differ: tuple[TextFinding, ...]
    backing: tuple[TextFinding, ...] = ()
    model_differs: bool = False

    @property
    def lead(self) -> float:
        """Return how much more clearly another value is stated than the answer."""
        best = [max((f.likeness for f in side), default=0.0) for side in (self.differ, self.agree)]
        return best[0] - best[1]


def read_findings(
    asked: AskedRelation, passages: Iterable[Passage], *, embed: Callable[[Sequence[str]], Floats]
) -> Reading:
    """Return what sentences of the passages state of the subject for the relation that was asked.

    Each sentence that links the subject with a value is compared, without both names, with the wordings. A denied
    statement states nothing, and one that no longer holds opposes nothing. A name must be joined to the subject by
    words that express the relation (``text_between``), a date or number on the subject's page by words that lead to it
    (``text_measured``). The subject of a page is what its sentences are about, so less is enough there (``text_page``),
    and least for the answer itself (``text_agrees``). If the page is about neither (``text_aside``), that both are in
    one sentence says little.
    """
    every = statements(asked.subject, asked.values, passages, sort=asked.sort, role=asked.role)
    wanted = set(flat(" ".join(asked.wordings)).split())
    stated = [s for s in every if s.clause and not s.denied]
    stated.sort(key=lambda s: (s.ours is None and not s.page, -len(wanted.intersection(flat(s.clause).split()))))
    stated = stated[:_TEXT_STATEMENTS]
    if not stated:
        return Reading((), ())
    vectors = embed([*asked.wordings, *(s.clause[:_LONGEST] for s in stated)])
    wordings, clauses = vectors[: len(asked.wordings)], vectors[len(asked.wordings) :]
    likes = (clauses @ wordings.T).tolist()
    agree: list[TextFinding] = []
    backing: list[TextFinding] = []
    differ: list[TextFinding] = []
    for s, like in zip(stated, likes, strict=True):
        if s.ours is not None:
            least = _TEXT_ASIDE if s.aside else _TEXT_AGREES
            _keep(agree, s, max(like), least)
            if not s.third and not (s.past and asked.now):
                _keep(backing, s, max(like), least)
        elif not s.past:
            words = _TEXT_MEASURED if s.measured else TEXT_BETWEEN
            least = _TEXT_PAGE if s.page else words
            _keep(differ, s, max(like if s.page or s.measured else like[1:]), least)
    return Reading(best_of_each(agree), best_of_each(differ), best_of_each(backing))


def joined(rules: Reading, model: Reading) -> Reading:
    """Merge two readings; of each value and source the clearer sentence remains."""
    sides = ((rules.agree, model.agree), (rules.differ, model.differ), (rules.backing, model.backing))
    agree, differ, backing = (best_of_each([*a, *b]) for a, b in sides)
    return Reading(agree, differ, backing, model_differs=bool(model.differ))


def _keep(side: list[TextFinding], statement: TextStatement, likeness: float, least: float) -> None:
    if likeness < least:
        return
    ours, cited = statement.ours, statement.sentence.cited
    if ours is not None:
        side.append(TextFinding("agrees", ours.name, cited, round(likeness, 4), ours.node))
    else:
        node = cited.node if statement.page else 0
        side.append(TextFinding("differs", statement.value, cited, round(likeness, 4), node))


def best_of_each(side: Sequence[TextFinding]) -> tuple[TextFinding, ...]:
    """Return the best sentence of each value and source, best first."""
    ranked = sorted(side, key=lambda f: (-f.likeness, f.passage.id, f.passage.locator.start))
    best: dict[tuple[str, str, str], TextFinding] = {}
    for f in ranked:
        best.setdefault((flat(f.value), f.passage.source.name, f.passage.title), f)
    return tuple(best.values())
