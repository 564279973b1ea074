"""The operators of a question plan: frozen values that say what a question asks for, and nothing of how it is found.

A plan is a tree. Its leaves are what the question names; each operator takes the sets below it and gives a set of
things, a value, or yes or no. Phrases are the question's own words, folded, with ``_`` for what is below.

    How many films directed by James Cameron were released before 1990?
    Count(Where(Related(Named("James Cameron"), "directed by _", noun="films"), "released", Condition("<", …, 1990)))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

ValueKind = Literal["date", "number", "any"]
Order = Literal["max", "min"]


@dataclass(frozen=True, slots=True)
class Named:
    """Operator: the entities that the question names.

    ``node``: class id of what the name most likely means · ``others``: further readings, best first · ``noun``: what
    the question calls it ("the *film* Munich"), or "".
    """

    text: str
    node: int
    others: tuple[int, ...] = ()
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Related:
    """What stands to the things of ``of`` in the relation that ``phrase`` says ("directed by _", "_ s father").

    ``noun``: what the question calls the result ("films", "father"), or "" · ``during``: when the relation held ("which
    team did _ play for in 1930"), or None · ``said``: the phrase as it is shown where people say it otherwise than the
    question: "_ directed" for "_ direct" of "did _ direct", "was born in _" of a claim. It makes no difference between
    two operators.
    """

    of: Things
    phrase: str
    noun: str = ""
    during: Condition | None = None
    said: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class OfKind:
    """Those of ``of`` that are what ``noun`` says ("countries")."""

    of: Things
    noun: str


@dataclass(frozen=True, slots=True)
class Both:
    """Operator: intersection; the conditions of a question that hold together."""

    parts: tuple[Things, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Operator: union."""

    parts: tuple[Things, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """Operator: set difference, ``of`` without ``less`` ("but not", "never", "other than")."""

    of: Things
    less: Things


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison with a stated value.

    ``op``: ``<``, ``<=``, ``=``, ``>=``, ``>``, ``in`` (a range, both ends included), ``exists`` (has such a value) or
    ``lacks`` (has none) · ``kind``: dates are compared as years with fractions · ``low``, ``high``: the bounds; for
    all but ``in`` they are equal · ``unit``: as in the question ("square kilometres"), or "" · ``words``: the condition
    as the question says it ("in the 1960s").
    """

    op: Literal["<", "<=", "=", ">=", ">", "in", "exists", "lacks"]
    kind: ValueKind
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Where:
    """Those of ``of`` whose value of ``attribute`` ("released", "area", "died") meets the condition."""

    of: Things
    attribute: str
    condition: Condition


@dataclass(frozen=True, slots=True)
class Extreme:
    """The one of ``of`` that is first by a value, or at place ``rank`` from 1 ("second largest").

    ``attribute`` in words ("area", "running time", "born"); where ``of`` is what is counted for each ("has won the most
    awards"), ``counted`` is the phrase of that relation and ``attribute`` is "". With ``since``, another date of the
    things, what orders them is the time from that to ``attribute``: how long each lasted.
    """

    of: Things
    attribute: str
    kind: ValueKind
    order: Order
    rank: int = 1
    counted: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class Adjacent:
    """The one of ``of`` that comes next after (``step`` 1) or before (−1) what ``item`` is, by ``attribute`` ("came
    out"); "" where the sources order them otherwise (successors).

    ``of`` None: the question names no set ("the president after Jimmy Carter") · ``noun``: what it calls the result.
    """

    of: Things | None
    item: Things
    attribute: str
    step: int
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """The value of ``attribute`` of a thing; ``kind``: what kind of value is asked for."""

    of: Things
    attribute: str
    kind: ValueKind


@dataclass(frozen=True, slots=True)
class Count:
    """Operator: the number of members of ``of``; ``of`` a thing and ``attribute`` "": counted; where the sources
    state such a number (seasons, episodes), ``stated`` is its name and that number counts first; with ``times`` what
    is counted is how often it is stated to have been so ("how many times did _ marry _"): each statement, not each
    thing."""

    of: Things
    stated: str = ""
    times: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """``high`` − ``low``: an age at an event, a duration, how much older. ``unit``: ``years`` for dates, else that of
    the values."""

    high: Scalar
    low: Scalar
    unit: str = "years"


@dataclass(frozen=True, slots=True)
class Compare:
    """Which of ``things`` has the most (``max``) or least of ``attribute``, or, with ``counted``, of what is counted by
    that phrase ("which has more members"); with ``since``, of the time from that date to ``attribute`` ("which lasted
    longer")."""

    things: tuple[Things, ...]
    attribute: str
    kind: ValueKind
    order: Order
    counted: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class Holds:
    """Operator: truth of a comparison of ``left`` with ``right`` by ``op`` ("Did _ end before _?", "Is _ longer than
    _?")."""

    left: Scalar
    op: Literal["<", ">", "="]
    right: Scalar


@dataclass(frozen=True, slots=True)
class Constant:
    """Operator: a literal that the question states."""

    number: float
    kind: ValueKind
    words: str


@dataclass(frozen=True, slots=True)
class Today:
    """Operator: the day on which the plan is carried out."""


@dataclass(frozen=True, slots=True)
class Among:
    """Whether ``item`` is in ``of``: a stated fact, asked as yes or no. ``today``: whether it is so now, which it is of
    nobody who died."""

    item: Things
    of: Things
    today: bool = False


@dataclass(frozen=True, slots=True)
class Some:
    """Whether at least ``least`` things are in ``of`` ("_ wrote several novels"). Fewer that are stated say nothing.
    ``named``: its noun is what they are called, and no kind of thing ("_ died of a stroke")."""

    of: Things
    least: int = 1
    named: bool = False


@dataclass(frozen=True, slots=True)
class Lived:
    """Whether ``of`` was there when it is said to have done something: at the time of ``during``, whose operator
    ``exists`` stands for today. What it did then is not looked up, so that the answer is no or unknown.

    ``verb``: what it is said to have done.
    """

    of: Named
    verb: str
    during: Condition


@dataclass(frozen=True, slots=True)
class Every:
    """Whether all of several things are so ("_ is a French director": a director, and of France)."""

    parts: tuple[Among, ...]


@dataclass(frozen=True, slots=True)
class Only:
    """Whether ``of`` is so of nothing else of the kind ("_ is spoken only in _"). No where something else is stated;
    that there is nothing else no source says."""

    of: Among


@dataclass(frozen=True, slots=True)
class Untrue:
    """Whether ``of`` is not so ("_ is not a band"): the opposite of what is known of it."""

    of: Holds | Among | Some | Every


Things: TypeAlias = Named | Related | OfKind | Both | Either | Without | Where | Extreme | Adjacent | Compare
"""Operators that give a set of things."""

Scalar: TypeAlias = Value | Count | Difference | Constant | Today
"""Operators that give a value."""

Assertion: TypeAlias = Holds | Among | Some | Lived | Every | Only | Untrue
"""Operators that give yes or no."""

Root: TypeAlias = Things | Scalar | Assertion


@dataclass(frozen=True, slots=True)
class Plan:
    """Logical plan of a question: an operator tree with its metadata.

    ``root``: the tree · ``noun``: what is asked for, in the question's words · ``answer_type``: as in Analysis ·
    ``unused``: content words that no operator accounts for, in the question's order: a condition that is not checked ·
    ``by``: ``grammar`` or ``model`` · ``open``: the question asks for all that is *not* in ``root`` ("which films has
    _ never directed"), of which the sources hold no end.
    """

    root: Root
    noun: str = ""
    answer_type: str = ""
    unused: tuple[str, ...] = ()
    by: Literal["grammar", "model"] = "grammar"
    open: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """What one operator did: ``text`` for people ("28 films by Steven Spielberg → released in 1993: 2"), the numbers of
    things that went in and came out, and how many of those that went in have no such value."""

    operator: str
    text: str
    before: int
    after: int
    unknown: int = 0
