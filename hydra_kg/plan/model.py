"""The algebra of questions: frozen operators that say what a question asks for, not how the answer is found.

A query is a tree. Its leaves are what the question names. Each operator takes the sets below it and gives a set of
things, a value, or yes or no. In a phrase, ``_`` stands for what is below.

    How many films directed by James Cameron were released before 1990?
    Count(Where(Related(Named("James Cameron"), "directed by _", noun="films"), "released", Condition("<", …, 1990)))

The grammar, the reader of tables, the reader of schemas and the reader of sheets all give such trees. This is
one room because the operators refer to each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from hydra_kg.util.fast_dataclass import dataclass, field

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
    """One step from thing to thing over any of ``relations`` of a graph, backwards unless ``forward``.

    ``kind`` is the number of the class to which the step leads, or -1 for any class.
    """

    relations: tuple[int, ...]
    forward: bool
    kind: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class GroundedPath:
    """What the words of an operator refer to in a graph: some hops, then a relation.

    Attributes:
        hops: steps from the things of the operator.
        relation: the relation after the hops, or -1 if the hops themselves reach what is meant.
        text: name of the relation.
        noun: what one of the things that have the relation is called.
        among: the only things that count.
    """

    hops: tuple[PathStep, ...] = ()
    relation: int = -1
    text: str = ""
    noun: str = ""
    among: Things | None = None


@dataclass(frozen=True, slots=True)
class Operator:
    """Base of all operators.

    Attributes:
        span: positions of the words of the question that the operator accounts for.
        refs: groundings in one graph, which `hydra_kg.execution` needs and JSON leaves out. There is one for each
            relation or attribute that the operator names, in the order of its fields; None if nothing leads there.
        places: what a leaf means, or what a set is known to contain; a part of the grounding too.
    """

    span: tuple[int, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    refs: tuple[GroundedPath | None, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    places: Places | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Named(Operator):
    """The entities that the question names.

    Attributes:
        text: the name in the question.
        node: likeliest class id, or -1 for a value ("red").
        others: other class ids that it may mean, best first.
        noun: the noun next to the name (the *film* Munich), or "".
    """

    text: str
    node: int
    others: tuple[int, ...] = ()
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Class(Operator):
    """All things of a class. ``noun`` is its name in the plural ("order items"), ``one`` in the singular."""

    noun: str
    one: str = ""


@dataclass(frozen=True, slots=True)
class Related(Operator):
    """Things related to those of ``of`` by the relation that ``phrase`` names ("directed by _", "_ s father").

    Attributes:
        noun: what the question calls the result ("films", "father"), or "".
        during: when the relation has to be true ("which team did _ play for in 1930"), or None.
        said: the phrase as it is shown: "_ directed" for the "_ direct" of "did _ direct", "that lie in _" for
            "lies in _".
        closed: whether several steps of the relation are followed.
    """

    of: Things
    phrase: str
    noun: str = ""
    during: Condition | None = None
    said: str = field(default="", compare=False)
    closed: bool = False


@dataclass(frozen=True, slots=True)
class TextPassage(Operator):
    """What sentences of texts state about the things of ``of``. ``asked`` are the words of the question about them."""

    of: Things
    asked: str


@dataclass(frozen=True, slots=True)
class OfKind(Operator):
    """The members of ``of`` that are of the kind ``noun`` ("countries")."""

    of: Things
    noun: str


@dataclass(frozen=True, slots=True)
class Both(Operator):
    """Intersection of ``parts``: conditions of a question that must all be met."""

    parts: tuple[Things, ...]


@dataclass(frozen=True, slots=True)
class Either(Operator):
    """Union of ``parts``."""

    parts: tuple[Things, ...]


@dataclass(frozen=True, slots=True)
class Without(Operator):
    """Set difference, ``of`` without ``less`` ("but not", "never", "other than")."""

    of: Things
    less: Things


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison with a stated value, or with an aggregate of all such values.

    Attributes:
        op: ``<``, ``<=``, ``=``, ``!=``, ``>=``, ``>``, ``in`` (a range, both ends included), ``exists`` (has such a
            value) or ``lacks`` (has none). A thing without a value meets ``lacks`` only.
        kind: kind of the values; dates are compared as years with fractions.
        low, high: the bounds; they are equal for every ``op`` except ``in``.
        unit: the unit in the question ("square kilometres"), or "".
        words: the bound for people ("in the 1960s", "France or Germany").
        values: at most 20 texts or names, one of which is the value. With ``<`` or ``>``, the things whose value is the
            bound ("longer than Salt").
        than: the aggregate of the attribute that is the bound ("above the average"), or "".
        other: another attribute of the same thing that is the bound ("closed after the due date"), or "".
        places: grounding of all ``values``.
        interval: grounding of the bounds: the least and greatest number that meets the condition. A year stands for all
            of its days.
    """

    op: Literal["<", "<=", "=", "!=", ">=", ">", "in", "exists", "lacks"]
    kind: ValueKind
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    words: str = ""
    values: tuple[str, ...] = ()
    than: Literal["", "sum", "mean", "median", "min", "max"] = ""
    other: str = ""
    places: Places | None = field(default=None, compare=False, repr=False, kw_only=True)
    interval: tuple[float, float] | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Where(Operator):
    """The members of ``of`` whose value of ``attribute`` ("released", "area", "died") meets the condition."""

    of: Things
    attribute: str
    condition: Condition


@dataclass(frozen=True, slots=True)
class TextMatch(Operator):
    """The members of ``of`` whose value of ``attribute`` contains ``text``, or starts or ends with it."""

    of: Things
    attribute: str
    how: Literal["contains", "starts", "ends"]
    text: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Having(Operator):
    """The members of ``of`` to which as many of ``things`` belong as ``condition`` says ("with at least 2 concerts").

    The condition ``exists`` asks for at least one ("whose coach's nationality is Danish"), ``lacks`` for none ("without
    any order").

    Attributes:
        via: the relation by which the things belong ("coach"; "away club or home club" for either).
        back: whether that relation is one of ``things``.
    """

    of: Things
    things: Things
    condition: Condition
    via: str = ""
    back: bool = False


@dataclass(frozen=True, slots=True)
class Extreme(Operator):
    """The member of ``of`` that is first by a value, or at place ``rank`` from 1 ("second largest").

    Attributes:
        attribute: the value in words ("area", "running time", "born"); "" with ``counted``.
        counted: phrase of a relation, if ``of`` is counted for each thing ("has won the most awards").
        since: another date of the things, if the time from it to ``attribute`` orders them: how long each lasted.
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
    """The first ``n`` of ``of`` in an order, after the first ``skip``. With ``n`` 0, all of them in that order.

    Attributes:
        attribute: what orders the things.
        total: whether the sum of ``attribute`` orders them.
        counted: things whose number orders them, in place of an attribute ("with the most orders").

    Over groups, ``attribute`` and ``counted`` are those of the rows of each group.
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
    """The member of ``of`` at ``place`` in its file (-1 is the last), or ``step`` rows after it.

    With ``to``, the rows between the two. ``count`` is the number of rows from there on.
    """

    of: Things
    place: int = 0
    step: int = 0
    to: Things | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Adjacent(Operator):
    """The member of ``of`` that is next to ``item`` in the order of ``attribute`` ("came out").

    Attributes:
        of: the set, or None if the question names none ("the president after Jimmy Carter").
        item: the thing whose neighbour is asked for.
        attribute: what orders the set, or "" if the sources order it by other means (successors).
        step: 1 for the next one, −1 for the one before.
        noun: what the question calls the result.
    """

    of: Things | None
    item: Things
    attribute: str
    step: int
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Project(Operator):
    """The values of ``columns`` for each of ``of``; the first column contains the answers."""

    of: Things
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Headings(Operator):
    """The columns whose number is the greatest or least of a row, or meets ``condition``: "in which year …"."""

    of: Things
    order: Literal["max", "min", ""]
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class GroupBy(Operator):
    """The different values of ``by`` of the things of ``of``, each with a value of its group.

    Attributes:
        function: ``count``, ``share``, an aggregate of ``attribute``, or ``list`` for the values of ``by`` alone.
        having: how many things a group needs ("more than 2 of them").
        bound: what the number of a group must be ("a mean above 5").
    """

    of: Things
    by: str
    function: Literal["list", "count", "share", "sum", "mean", "median", "min", "max"]
    attribute: str = ""
    having: Condition | None = None
    bound: Condition | None = None


@dataclass(frozen=True, slots=True)
class Value(Operator):
    """The value of ``attribute`` of a thing. ``kind`` is the kind of value that is asked for.

    ``during`` is the time that the value is stated for ("the population of _ in 2000"), None for the latest.
    """

    of: Things
    attribute: str
    kind: ValueKind
    during: Condition | None = None


@dataclass(frozen=True, slots=True)
class Count(Operator):
    """The number of members of ``of``; for a projection, the number of different values.

    Attributes:
        stated: name of such a number in the sources (seasons, episodes), which is used first if it is stated.
        times: whether each statement counts, not each thing ("how many times did _ marry _").
    """

    of: Things
    stated: str = ""
    times: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate(Operator):
    """The sum, mean, median, least or greatest ``attribute`` of ``of``. Over groups with "", that of their values."""

    of: Things
    attribute: str
    function: Function


@dataclass(frozen=True, slots=True)
class Ratio(Operator):
    """``part`` divided by ``whole``, times ``scale``: 100 for per cent. Of things, their numbers are divided."""

    part: Things | Scalar
    whole: Things | Scalar
    scale: float = 100.0


@dataclass(frozen=True, slots=True)
class LongestRun(Operator):
    """The greatest number of ``of`` that follow each other in their file."""

    of: Things


@dataclass(frozen=True, slots=True)
class Difference(Operator):
    """The difference ``high`` − ``low``: an age, a duration, how much older.

    ``unit`` is ``years`` for dates, else the unit of the values.
    """

    high: Scalar
    low: Scalar
    unit: str = "years"


@dataclass(frozen=True, slots=True)
class Compare(Operator):
    """The one of ``things`` that has the most (``max``) or least (``min``) of ``attribute``.

    Attributes:
        counted: phrase of a relation, if the things that it leads to are counted ("which has more members").
        since: another date, if the time from that date to ``attribute`` is compared ("which lasted longer").
    """

    things: tuple[Things, ...]
    attribute: str
    kind: ValueKind
    order: Order
    counted: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class Holds(Operator):
    """Whether ``left`` compares with ``right`` as ``op`` says ("Did _ end before _?", "Is _ longer than _?")."""

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
    """Whether a fact states that ``item`` is in ``of``. ``today`` asks about now, which is false for the dead."""

    item: Things
    of: Things
    today: bool = False


@dataclass(frozen=True, slots=True)
class Some(Operator):
    """Whether ``of`` has at least ``least`` members. ``named``: the noun is a name ("_ died of a stroke")."""

    of: Things
    least: int = 1
    named: bool = False


@dataclass(frozen=True, slots=True)
class Every(Operator):
    """Whether all of several assertions are true ("_ is a French director": a director, and of France)."""

    parts: tuple[Among, ...]


@dataclass(frozen=True, slots=True)
class Only(Operator):
    """Whether no other fact is stated ("spoken only in _"). The answer is no or unknown."""

    of: Among


@dataclass(frozen=True, slots=True)
class Untrue(Operator):
    """Whether ``of`` is false ("_ is not a band"): the opposite of the answer to ``of``."""

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
    | Headings
    | GroupBy
)
"""Operators that give a set of things."""

Scalar: TypeAlias = Value | Count | Aggregate | Ratio | LongestRun | Difference | Constant | Today
"""Operators that give a value."""

Assertion: TypeAlias = Holds | Among | Some | Every | Only | Untrue
"""Operators that give yes or no."""

HOLDER = "holder of _"
"""Phrase of the relation from an office to those who held it."""

Root: TypeAlias = Things | Scalar | Assertion


@dataclass(frozen=True, slots=True)
class Plan:
    """Logical plan of a question: an operator tree with its metadata.

    Attributes:
        root: the tree.
        noun: what is asked for, in the question's words.
        answer_type: as in Analysis.
        unused: content words that no operator accounts for, in the question's order: conditions that are not checked.
        by: ``grammar`` or ``model``.
        open: whether the question asks for everything that is *not* in ``root`` ("which films has _ never directed"),
            which the sources cannot list.
    """

    root: Root
    noun: str = ""
    answer_type: str = ""
    unused: tuple[str, ...] = ()
    by: Literal["grammar", "model"] = "grammar"
    open: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """What an operator of a plan did, and the numbers of things before and after it.

    Example of ``text``: "28 films by Steven Spielberg → released in 1993: 2".
    """

    operator: str
    text: str
    before: int
    after: int
    unknown: int = 0
