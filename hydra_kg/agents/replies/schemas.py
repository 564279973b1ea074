"""Schemas of the replies to each step: pydantic models that limit every string and list and accept what models write.

They accept wrong case and number of keys, single values for lists, and numbers in words such as "path 3", and they cut
what is too long. They refuse a reply without its main field, so that the model is asked again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Final, Literal, cast, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from hydra_kg.agents.replies import lenient_parsing as forgiving
from hydra_kg.agents.replies.lenient_parsing import stem

Short = Annotated[str, BeforeValidator(forgiving.text(80)), Field(max_length=80)]
Line = Annotated[str, BeforeValidator(forgiving.text(160)), Field(max_length=160)]
Long = Annotated[str, BeforeValidator(forgiving.text(320)), Field(max_length=320)]
Thought = Annotated[str, BeforeValidator(forgiving.text(640)), Field(max_length=640)]
Number = Annotated[int, BeforeValidator(forgiving.count)]
Score = Annotated[int, Field(ge=0, le=10), BeforeValidator(forgiving.score)]
YesNo = Annotated[Literal["yes", "no"], BeforeValidator(forgiving.yes_no)]
Names = Annotated[list[Short], BeforeValidator(forgiving.names), Field(max_length=10)]
Parts = Annotated[list[Line], BeforeValidator(forgiving.many(4)), Field(max_length=4)]
Numbers = Annotated[list[Number], BeforeValidator(forgiving.many(20)), Field(max_length=20)]
Links = Annotated[list[Short], BeforeValidator(forgiving.links), Field(max_length=7)]


class ModelReply(BaseModel):
    """Base class of replies.

    main: the field that a bare list stands for.
    whole: lists that are dropped if the reply was truncated.
    """

    model_config = ConfigDict(extra="ignore")
    main: ClassVar[str] = ""
    whole: ClassVar[str] = ""

    @model_validator(mode="before")
    @classmethod
    def _forgive(cls, value: Any) -> Any:
        fields = {stem(name): name for name in cls.model_fields}
        if isinstance(value, list) and cls.main:
            dicts = [v for v in value if isinstance(v, dict)]
            if len(value) == 1 and dicts and any(stem(k) in fields for k in dicts[0]):
                value = dicts[0]
            else:
                value = {cls.main: value}
        if not isinstance(value, dict):
            return value
        named = {fields.get(stem(key), str(key)): v for key, v in value.items()}
        inner = next(iter(named.values()), None)
        if len(named) == 1 and isinstance(inner, dict) and not named.keys() & cls.model_fields.keys():
            return inner  # {"reply": {…}}
        return named


class TopicsReply(ModelReply):
    """Names in the question."""

    main: ClassVar[str] = "names"
    names: Names


class AnalyseReply(ModelReply):
    """Sub-questions, the chain to the answer, and kinds of source."""

    parts: Parts = []
    skyline: Long
    sources: Names = []


StepOperator = Literal[
    "follow",
    "keep",
    "and",
    "or",
    "not",
    "count",
    "earliest",
    "latest",
    "largest",
    "smallest",
    "after",
    "before",
    "value",
    "minus",
    "more",
    "less",
    "other",
]
"""Operator of a step of a plan; ``other`` is anything else."""

OTHER: Final = "other"
_STEP_OPERATORS: Final = frozenset(get_args(StepOperator))
_STEPS: Final = 8


class PlanStep(ModelReply):
    """A step of a plan: an operator, its names and earlier steps (``#1``), and the words that say by what."""

    op: Annotated[StepOperator, BeforeValidator(forgiving.one_of(_STEP_OPERATORS, OTHER))] = "other"
    of: Annotated[list[Short], BeforeValidator(forgiving.many(4)), Field(max_length=4)] = []
    by: Short = ""


def _steps(value: Any) -> list[PlanStep]:
    """Return all steps of a plan, since a plan without one of them means something else."""
    listed = forgiving.many(_STEPS + 1)(value)
    steps = [PlanStep.model_validate(v if isinstance(v, dict) else {"op": OTHER, "by": v}) for v in listed[:_STEPS]]
    return [*steps[: _STEPS - 1], PlanStep(op=OTHER, by="…")] if len(listed) > _STEPS else steps


class AnalysePlanReply(ModelReply):
    """The same with a plan, whose steps may take the results of earlier ones."""

    whole: ClassVar[str] = "plan"
    parts: Parts = []
    skyline: Long
    sources: Names = []
    plan: Annotated[list[PlanStep], BeforeValidator(_steps), Field(max_length=_STEPS)] = []


class EntitiesReply(ModelReply):
    """Names of things in a text."""

    main: ClassVar[str] = "names"
    names: Annotated[list[Short], BeforeValidator(forgiving.many(40)), Field(max_length=40)]


class SourcesReply(ModelReply):
    """Kinds of source."""

    main: ClassVar[str] = "sources"
    sources: Names


class PagesReply(ModelReply):
    """Numbers of search results, best first."""

    main: ClassVar[str] = "pages"
    pages: Numbers


class ChainReply(ModelReply):
    """A path of one sentence: entity, relation, entity, …."""

    main: ClassVar[str] = "chain"
    n: Number = 0
    chain: Links


class TriplesReply(ModelReply):
    """Facts of a text: the number of the sentence or fact, and subject, relation, object."""

    main: ClassVar[str] = "facts"
    facts: Annotated[list[ChainReply], BeforeValidator(lambda v: _good(ChainReply, v, 40)), Field(max_length=40)]


class WriteReply(ModelReply):
    """Paths of the sentences."""

    main: ClassVar[str] = "paths"
    paths: Annotated[list[ChainReply], BeforeValidator(lambda v: _good(ChainReply, v, 12)), Field(max_length=12)]


class KeepReply(ModelReply):
    """Numbers of the items that matter."""

    main: ClassVar[str] = "keep"
    keep: Numbers


class StatementReply(ModelReply):
    """A value that a sentence states, in the sentence's words, and the number of the sentence."""

    n: Number
    value: Line


class StatementsReply(ModelReply):
    """Values that sentences state of the subject."""

    main: ClassVar[str] = "statements"
    statements: Annotated[
        list[StatementReply], BeforeValidator(lambda v: _good(StatementReply, v, 10)), Field(max_length=10)
    ]


class ScoredPath(ModelReply):
    """A path by its number, with its score from 0 to 10."""

    n: Number
    score: Score = 5


class SelectReply(ModelReply):
    """The best paths, best first."""

    main: ClassVar[str] = "best"
    best: Annotated[list[ScoredPath], BeforeValidator(lambda v: _good(ScoredPath, v, 10)), Field(max_length=10)]


class AuthorityReply(SelectReply):
    """Scores of statements, of which there are many where many sources state something."""

    best: Annotated[list[ScoredPath], BeforeValidator(lambda v: _good(ScoredPath, v, 60)), Field(max_length=60)]


class RefineReply(ModelReply):
    """Facts of the paths that concern the question."""

    facts: Long


class ComposeReply(ModelReply):
    """Short lines: a thought, queries, or what is wrong."""

    main: ClassVar[str] = "lines"
    lines: Annotated[list[Long], BeforeValidator(forgiving.many(5)), Field(max_length=5)]


class JudgeReply(ModelReply):
    """The sub-questions' answers, whether the paths answer the question, and the answers to it."""

    parts: Parts = []
    enough: YesNo
    answers: Names = []
    missing: Line = ""


class JudgeJoinedReply(ModelReply):
    """The same, preceded by the facts on which it rests (path refinement in one call)."""

    facts: Long = ""
    parts: Parts = []
    enough: YesNo
    answers: Names = []
    missing: Line = ""


class FollowUpReply(ModelReply):
    """The next question, or "", and the chain to its answer."""

    question: Line
    skyline: Long = ""


class Guess(ModelReply):
    """A predicted answer and the chain to it."""

    name: Short
    skyline: Long = ""


class PredictReply(ModelReply):
    """Predicted answers."""

    main: ClassVar[str] = "predictions"
    predictions: Annotated[list[Guess], BeforeValidator(lambda v: _good(Guess, v, 5)), Field(max_length=5)]


class AnswerReply(ModelReply):
    """The reasons and then the answers; none if they are unknown."""

    why: Long = ""
    answers: Names


class KnowReply(AnswerReply):
    """The same, preceded by a chain of thought that may take several sentences."""

    why: Thought = ""


def _good(kind: type[ModelReply], value: Any, most: int) -> list[ModelReply]:
    """Return the items of a list that fit the schema.

    A bare number or string becomes the value of the main field, or else of the first field.
    """
    found = []
    first = kind.main or next(iter(kind.model_fields))
    if isinstance(value, dict) and {stem(k) for k in value} & {stem(k) for k in kind.model_fields}:
        value = [value]
    for v in forgiving.many(most)(value):
        try:
            found.append(kind.model_validate({first: v} if isinstance(v, str | int | float) else v))
        except ValueError:
            continue
    return found


@cache
def schema_of(kind: type[ModelReply]) -> Mapping[str, Any]:
    """Return the JSON schema that is sent with a call.

    Every key is required and no other is allowed, since strict endpoints ask for that.
    """
    return cast("Mapping[str, Any]", _strict(kind.model_json_schema()))


def _strict(value: Any) -> Any:
    if isinstance(value, list):
        return [_strict(v) for v in value]
    if not isinstance(value, dict):
        return value
    strict = {k: _strict(v) for k, v in value.items() if k not in {"title", "default", "description"}}
    if isinstance(value.get("properties"), dict):
        strict["properties"] = {k: _strict(v) for k, v in value["properties"].items()}
        strict["required"] = list(value["properties"])
        strict["additionalProperties"] = False
    return strict
