"""The algebra of questions: frozen operators that say what a question asks for, not how the answer is found.

A query is a tree. Its leaves are what the question names. Each operator takes the sets below it and gives a set of
things, a value, or yes or no. In a phrase, ``_`` stands for what is below.

    How many films directed by James Cameron were released before 1990?
    Count(Where(Related(Named("James Cameron"), "directed by _", noun="films"), "released", Condition("<", …, 1990)))

The grammar, the reader of tables, the reader of schemas and the reader of sheets all give such trees. This is
one room because the operators refer to each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

    Places: TypeAlias = NDArray[int64]
    """Places of things and values in the graph that a query is grounded in."""
else:
    Places = object  # the checks of JSON read the annotations at run time, and JSON has no places

ValueKind = Literal["date", "number", "any"]
Order = Literal["max", "min"]
Function = Literal["sum", "mean", "median", "min", "max"]


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step from thing to thing: over any of ``relations`` of a graph, backwards unless ``forward``.

    ``kind``: number of the class to which it leads, -1 for any.
    """

    relations: tuple[int, ...]
    forward: bool
    kind: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class GroundedPath:
    """What words of an operator refer to in a graph: some hops, then a ``relation`` (-1: the thing that they reach).

    ``text``: name of the relation · ``noun``: what one of the things that have it is called · ``among``: the only
    things that count.
    """

    hops: tuple[PathStep, ...] = ()
    relation: int = -1
    text: str = ""
    noun: str = ""
    among: Things | None = None


@dataclass(frozen=True, slots=True)
class Operator:
    """Base of all operators. ``span``: places of the words of the question that the operator accounts for.

    Grounding in one graph, which `hydra_kg.execution` needs and JSON leaves out: ``refs`` of the relations or
    attributes that the operator names, in the order of its fields, None where nothing leads there · ``places``: what
    a leaf means, or what a set is known to hold.
    """

    span: tuple[int, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    refs: tuple[GroundedPath | None, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    places: Places | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Named(Operator):
    """The named entities.

    ``node``: likeliest class id, -1 for a value ("red") · ``others``: best first · ``noun``: "the *film* Munich", or
    "".
    """

    text: str
    node: int
    others: tuple[int, ...] = ()
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Class(Operator):
    """All things of a class. ``noun``: its name in the plural ("order items") · ``one``: in the singular."""

    noun: str
    one: str = ""


@dataclass(frozen=True, slots=True)
class Related(Operator):
    """Things related to those of ``of`` by the relation that ``phrase`` names ("directed by _", "_ s father").

    ``noun``: what the question calls the result ("films", "father"), or "" · ``during``: when the relation has to hold
    ("which team did _ play for in 1930"), or None · ``said``: the phrase as it is shown ("_ directed" for "_ direct" of
    "did _ direct"; "that lie in _" for "lies in _") · ``closed``: over several steps of the relation.
    """

    of: Things
    phrase: str
    noun: str = ""
    during: Condition | None = None
    said: str = field(default="", compare=False)
    closed: bool = False


@dataclass(frozen=True, slots=True)
class TextPassage(Operator):
    """What sentences of texts state of the things of ``of``. ``asked``: the words of the question about them."""

    of: Things
    asked: str


@dataclass(frozen=True, slots=True)
class OfKind(Operator):
    """Those of ``of`` that are of the kind ``noun`` ("countries")."""

    of: Things
    noun: str


@dataclass(frozen=True, slots=True)
class Both(Operator):
    """Intersection: the conditions of a question that hold together."""

    parts: tuple[Things, ...]


@dataclass(frozen=True, slots=True)
class Either(Operator):
    """Union."""

    parts: tuple[Things, ...]


@dataclass(frozen=True, slots=True)
class Without(Operator):
    """Set difference, ``of`` without ``less`` ("but not", "never", "other than")."""

    of: Things
    less: Things


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison with a stated value, or with an aggregate of all such values.

    ``op``: ``<``, ``<=``, ``=``, ``!=``, ``>=``, ``>``, ``in`` (a range, both ends included), ``exists`` (has such a
    value) or ``lacks`` (has none). A thing without a value meets none of the others · ``kind``: dates are compared as
    years with fractions · ``low``, ``high``: the bounds; for all but ``in`` they are equal · ``unit``: as in the
    question ("square kilometres"), or "" · ``words``: the bound for people ("in the 1960s", "France or Germany") ·
    ``values``: texts or names, one of which is the value (at most 20 of them); with ``<`` or ``>``, the things whose
    value is the bound ("longer than Salt") · ``than``: the bound is this aggregate
    of the attribute ("above the average").

    Grounding: ``places`` of all ``values`` · ``interval``: the least and greatest number that meets it (a year is all
    of its days).
    """

    op: Literal["<", "<=", "=", "!=", ">=", ">", "in", "exists", "lacks"]
    kind: ValueKind
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    words: str = ""
    values: tuple[str, ...] = ()
    than: Literal["", "sum", "mean", "median", "min", "max"] = ""
    places: Places | None = field(default=None, compare=False, repr=False, kw_only=True)
    interval: tuple[float, float] | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Where(Operator):
    """Those of ``of`` whose value of ``attribute`` ("released", "area", "died") meets the condition."""

    of: Things
    attribute: str
    condition: Condition


@dataclass(frozen=True, slots=True)
class TextMatch(Operator):
    """Those of ``of`` whose value of ``attribute`` contains ``text``, or starts or ends with it."""

    of: Things
    attribute: str
    how: Literal["contains", "starts", "ends"]
    text: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Having(Operator):
    """Those of ``of`` to which as many of ``things`` belong as ``condition`` says: "with at least 2 concerts".

    ``exists``: at least one ("whose coach's nationality is Danish") · ``lacks``: none ("without any order") · ``via``:
    the relation by which they belong ("coach"; "away club or home club" for either), with ``back`` that of ``things``.
    """

    of: Things
    things: Things
    condition: Condition
    via: str = ""
    back: bool = False


@dataclass(frozen=True, slots=True)
class Extreme(Operator):
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
class Top(Operator):
    """The first ``n`` of ``of`` in an order, after the first ``skip``; all in that order with ``n`` 0.

    ``attribute``: what orders them; with ``total``, the sum of it · ``counted``: in place of an attribute, the things
    whose number orders them ("with the most orders"). Over groups, both are those of the rows of each group.
    """

    of: Things
    n: int
    attribute: str
    kind: Literal["date", "number", "text", "any"]
    order: Order
    skip: int = 0
    counted: str = ""
    total: bool = False


@dataclass(frozen=True, slots=True)
class FileOrder(Operator):
    """The one at ``place`` in its file (-1: last), or ``step`` rows after it; with ``to``, the rows between.

    ``count``: how many rows from there on.
    """

    of: Things
    place: int = 0
    step: int = 0
    to: Things | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Adjacent(Operator):
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
class Project(Operator):
    """The values of ``columns`` of each of ``of``; the first column holds the answers."""

    of: Things
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GroupBy(Operator):
    """The different values of ``by`` of the things of ``of``, each with a value of its group.

    ``function``: ``count`` or ``share``, an aggregate of ``attribute``, or ``list`` for the values of ``by`` alone ·
    ``having``: how many things a group needs ("more than 2 of them").
    """

    of: Things
    by: str
    function: Literal["list", "count", "share", "sum", "mean", "median", "min", "max"]
    attribute: str = ""
    having: Condition | None = None


@dataclass(frozen=True, slots=True)
class Value(Operator):
    """The value of ``attribute`` of a thing; ``kind``: what kind of value is asked for."""

    of: Things
    attribute: str
    kind: ValueKind


@dataclass(frozen=True, slots=True)
class Count(Operator):
    """The number of members of ``of``; of a projection, the number of different values.

    Where the sources state such a number (seasons, episodes), ``stated`` is its name and that number counts first. With
    ``times``, each statement counts, not each thing ("how many times did _ marry _").
    """

    of: Things
    stated: str = ""
    times: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate(Operator):
    """The sum, mean, median, least or greatest ``attribute`` of ``of``; over groups with "" that of their values."""

    of: Things
    attribute: str
    function: Function


@dataclass(frozen=True, slots=True)
class Ratio(Operator):
    """The number of ``part`` by the number of ``whole``, times ``scale``: 100 for per cent."""

    part: Things
    whole: Things
    scale: float = 100.0


@dataclass(frozen=True, slots=True)
class LongestRun(Operator):
    """The greatest number of ``of`` that follow each other in their file."""

    of: Things


@dataclass(frozen=True, slots=True)
class Difference(Operator):
    """``high`` − ``low``: an age, a duration, how much older; ``unit``: ``years`` for dates, else the values'."""

    high: Scalar
    low: Scalar
    unit: str = "years"


@dataclass(frozen=True, slots=True)
class Compare(Operator):
    """Which of ``things`` has the most (``max``) or least of ``attribute``, or, with ``counted``, of what is counted by
    that phrase ("which has more members"); with ``since``, of the time from that date to ``attribute`` ("which lasted
    longer").
    """

    things: tuple[Things, ...]
    attribute: str
    kind: ValueKind
    order: Order
    counted: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class Holds(Operator):
    """Truth of a comparison of ``left`` with ``right`` by ``op`` ("Did _ end before _?", "Is _ longer than _?")."""

    left: Scalar
    op: Literal["<", ">", "="]
    right: Scalar


@dataclass(frozen=True, slots=True)
class Constant(Operator):
    """A literal that the question states."""

    number: float
    kind: ValueKind
    words: str


@dataclass(frozen=True, slots=True)
class Today(Operator):
    """The day on which the plan is carried out."""


@dataclass(frozen=True, slots=True)
class Among(Operator):
    """Whether a fact states ``item`` in ``of``; ``today``: now, which is false of the dead."""

    item: Things
    of: Things
    today: bool = False


@dataclass(frozen=True, slots=True)
class Some(Operator):
    """Whether at least ``least`` are in ``of``. ``named``: the noun is a name ("_ died of a stroke")."""

    of: Things
    least: int = 1
    named: bool = False


@dataclass(frozen=True, slots=True)
class Lived(Operator):
    """Whether ``of`` existed at ``during`` (``exists``: today) to do ``verb``; the answer is no or unknown."""

    of: Named
    verb: str
    during: Condition


@dataclass(frozen=True, slots=True)
class Every(Operator):
    """Whether all of several things are so ("_ is a French director": a director, and of France)."""

    parts: tuple[Among, ...]


@dataclass(frozen=True, slots=True)
class Only(Operator):
    """Whether nothing else is stated ("spoken only in _"): no or unknown."""

    of: Among


@dataclass(frozen=True, slots=True)
class Untrue(Operator):
    """Whether ``of`` is not so ("_ is not a band"): the opposite of what is known of it."""

    of: Holds | Among | Some | Every


Things: TypeAlias = (
    Named
    | Class
    | Related
    | TextPassage
    | OfKind
    | Both
    | Either
    | Without
    | Where
    | TextMatch
    | Having
    | Extreme
    | Top
    | FileOrder
    | Adjacent
    | Compare
    | Project
    | GroupBy
)
"""Operators that give a set of things."""

Scalar: TypeAlias = Value | Count | Aggregate | Ratio | LongestRun | Difference | Constant | Today
"""Operators that give a value."""

Assertion: TypeAlias = Holds | Among | Some | Lived | Every | Only | Untrue
"""Operators that give yes or no."""

HOLDER = "holder of _"
"""Phrase of the relation from an office to those who held it."""

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
    """What an operator did: ``text`` ("28 films by Steven Spielberg → released in 1993: 2"), numbers in and out."""

    operator: str
    text: str
    before: int
    after: int
    unknown: int = 0
