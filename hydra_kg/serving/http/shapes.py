"""Bodies of requests and replies as pydantic models, which the OpenAPI document describes with examples."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def whole(value: object) -> object:
    """Return a float without a fraction as an int, like JSON Schema (890.0 is an integer), else ``value``."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(whole)
Name = Annotated[str, Field(min_length=1, max_length=300)]
SOURCE = r"^[^\x00-\x1f\x7f/\\.][^\x00-\x1f\x7f/\\]*$"
QUESTION = "Where was Wolfgang Amadeus Mozart born?"


class QuestionBody(BaseModel):
    """A question with its options.

    Attributes:
        topics: ids that replace those of the question's names, alone or after the name (``Germany=m.0345h``).
        sources: names of the only sources to use.
        strategy: as ``hydra-kg strategies`` lists them.
        seconds: when the question is stopped.
        after: id of the answer that it follows.
        agent: "offline" to answer without the service's language model.
        relation: key of the relation that answers, as ``GET /v1/relations`` lists it, followed from the only topic; the
            words of the question are then not read.
    """

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"question": QUESTION}]})

    question: Annotated[str, Field(min_length=1, max_length=2_000, description="in plain language")]
    topics: Annotated[list[Name], Field(max_length=20)] = []
    sources: Annotated[list[Name], Field(max_length=50)] = []
    depth: Annotated[int, Field(ge=0, le=4, description="hops; 0: as the question needs"), WHOLE] = 0
    strategy: Annotated[str, Field(max_length=200, pattern=r"^[a-z0-9_+=.,-]*$")] = ""
    after: Annotated[str, Field(max_length=12, pattern=r"^[0-9a-f]*$", description="an answer's id")] = ""
    agent: Literal["", "offline"] = ""
    relation: Annotated[str, Field(max_length=1_000, description="a key of /v1/relations")] = ""
    seconds: Annotated[float | None, Field(ge=0.1, le=3_600, description="at most; the service has a limit too")] = None


class TextBody(BaseModel):
    """A text of at most 50 sentences, Markdown or plain."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"text": "Google was founded by Larry Page."}]}
    )

    text: Annotated[str, Field(min_length=1, max_length=20_000)]


class CheckedText(BaseModel):
    """A checked text, as ``hydra-kg check --json`` prints it."""

    version: int
    counts: dict[str, int]
    sentences: list[dict[str, Any]]


class MissingAnswerBody(BaseModel):
    """Why an expected answer is not given, as ``hydra-kg why-not --json`` prints it."""

    model_config = ConfigDict(extra="allow")

    version: int
    expected: str
    is_answer: bool
    summary: str
    conditions: list[dict[str, Any]]
    sources: list[dict[str, Any]]


class JobState(BaseModel):
    """A question that is being answered or failed. Times are seconds since 1970."""

    id: str
    state: Literal["waiting", "running", "stopped", "failed", "lost"]
    made: float
    heartbeat: float
    deadline: float
    why: str = ""


class AnswerBody(BaseModel):
    """An answer, version 1: the fields of ``hydra-kg ask --json``. Later versions only add fields.

    ``readable`` has the parts that people read, such as its sentence and what each citation states.
    """

    model_config = ConfigDict(extra="allow")

    version: int
    id: str
    question: str
    answer_text: str
    verdict: str
    confidence: float | None
    abstained: bool
    answers: list[dict[str, Any]]
    citations: list[dict[str, Any]]
    paths: list[dict[str, Any]]
    readable: dict[str, Any]


class Problem(BaseModel):
    """A problem as in RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    remedy: str = ""


class Kept(BaseModel):
    """One kept answer in a list. ``understood_as``: the full question, if it followed another answer."""

    model_config = ConfigDict(extra="allow")

    id: str
    question: str
    answer_text: str
    verdict: str
    created: str
    understood_as: str = ""


class Place(BaseModel):
    """The line or passage that a citation names.

    Attributes:
        state: state of the file that was loaded.
        why: why its lines are not shown.
        remedy: what the operator of the service can do about it.
    """

    n: int
    source: str
    locator: str
    url: str = ""
    states: list[str] = []
    passage: str = ""
    state: Literal["as loaded", "changed", "gone", "unreadable", "unchecked", "not loaded here", "unknown"] = "unknown"
    why: str = ""
    remedy: str = ""
    lines: list[dict[str, Any]] = []


class EntitiesBody(BaseModel):
    """Things with a name, best known first."""

    found: list[dict[str, Any]]


class Facts(BaseModel):
    """A page of facts about one thing; ``next_start`` for the next page."""

    id: str
    name: str
    total: int
    facts: list[dict[str, Any]]
    unread: int = 0
    next_start: int | None = None


class Loads(BaseModel):
    """The loads that are in use."""

    loads: list[dict[str, Any]]


class LoadBody(BaseModel):
    """What to load.

    Attributes:
        files: names in the inbox.
        source: name of the load, by default as the format says.
        format: as ``hydra-kg load --as`` takes it.
        entity: for tables, the column that says what a row is about.
        strict: whether a rejected line ends the load.
    """

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"files": ["ferries.csv"]}]})

    files: Annotated[list[Annotated[str, Field(min_length=1, max_length=255)]], Field(min_length=1, max_length=20)]
    source: Annotated[str, Field(max_length=80, pattern=f"^$|{SOURCE}")] = ""
    format: Annotated[str, Field(max_length=40, pattern="^[a-z0-9_]+$")] = "auto"
    entity: Annotated[str, Field(max_length=300)] = ""
    strict: bool = False


class MatchBody(BaseModel):
    """Two loads whose rows may be the same things, or one load that may name a thing twice."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"feeds": ["north"]}]})

    feeds: Annotated[list[Annotated[str, Field(max_length=80, pattern=SOURCE)]], Field(min_length=1, max_length=2)]


class PairBody(BaseModel):
    """Whether two rows, by their keys, are the same thing."""

    model_config = ConfigDict(extra="forbid", strict=True)

    left: Name
    right: Name
    same: bool


class LinkBody(MatchBody):
    """The loads to link, and the pairs that a person judged."""

    judged: Annotated[list[PairBody], Field(max_length=200)] = []


class BrowserBody(BaseModel):
    """How to see an answer in Neo4j Browser. ``url`` is "" if the server has no Browser of its own."""

    url: str
    cypher: str


class FusionBody(BaseModel):
    """What to fuse.

    Attributes:
        attribute: the attribute in words; all attributes if empty, in stores of at most 2 million facts.
        method: as for ``hydra-kg fuse --method``.
        limit: number of groups to list, those whose sources differ most.
    """

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"attribute": "place of birth"}]}
    )

    attribute: Annotated[str, Field(max_length=300)] = ""
    method: Annotated[str, Field(max_length=80, pattern="^[a-z0-9-]*$")] = ""
    limit: Annotated[int, Field(ge=1, le=1_000), WHOLE] = 100


class JobBody(BaseModel):
    """A job. Times are seconds since 1970.

    ``progress``: phase, done and total, once they are known. ``result``: the result for its kind, once it is done.
    """

    id: str
    kind: Literal["answer", "load", "flip", "discard", "drop", "fusion", "saved"]
    state: Literal["waiting", "running", "answered", "done", "stopped", "failed", "lost"]
    made: float
    heartbeat: float
    deadline: float
    why: str = ""
    progress: dict[str, Any] | None = None
    result: dict[str, Any] | None = None


class JobsBody(BaseModel):
    """The newest jobs."""

    jobs: list[JobBody]


class InboxBody(BaseModel):
    """Files of the inbox."""

    files: list[dict[str, Any]]


class AllLoads(BaseModel):
    """Loads with their states. ``held``: complete, and in use once it is flipped."""

    loads: list[dict[str, Any]]


class Fusion(BaseModel):
    """Fused claims, as ``hydra-kg fuse --json`` prints them."""

    model_config = ConfigDict(extra="allow")

    version: int
    method: str
    claims: int
    groups: int
    conflicts: dict[str, int]
    values: list[dict[str, Any]]
    sources: list[dict[str, Any]]
    left_out: int


class TeachingBody(BaseModel):
    """A new meaning of a phrase: the words ``meaning``, or the thing with the id ``entity``."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"phrase": "turnover", "meaning": "revenue"}]}
    )

    phrase: Annotated[str, Field(min_length=1, max_length=200)]
    meaning: Annotated[str, Field(max_length=200)] = ""
    entity: Annotated[str, Field(max_length=200)] = ""
    author: Annotated[str, Field(max_length=200, description="by default the name of the key")] = ""


class TeachingRow(BaseModel):
    """A teaching in use. ``entity``: whether ``meaning`` is the id of a thing. ``created``: time in UTC."""

    number: int
    phrase: str
    meaning: str
    entity: bool
    author: str
    created: str


class TeachingsBody(BaseModel):
    """The teachings in use, oldest first."""

    teachings: list[TeachingRow]


class SaveBody(BaseModel):
    """The answer whose question is saved with it."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"answer_id": "0123456789ab"}]}
    )

    answer_id: Annotated[str, Field(pattern="^[0-9a-f]{12}$")]


class SavedRow(BaseModel):
    """A saved question. ``names``: those of the expected answers. ``answer``: id of the saved answer.

    ``topics`` and ``relation``: as chosen for the saved answer.
    """

    number: int
    question: str
    strategy: str
    names: list[str]
    answer_text: str
    verdict: str
    answer: str
    created: str
    topics: list[str] = []
    relation: str = ""


class SavedBody(BaseModel):
    """The saved questions, oldest first."""

    saved: list[SavedRow]


class CheckBody(BaseModel):
    """The store to check: as it is, with the waiting load ``flip`` in use, or without the source ``drop``."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"flip": "ferries"}]})

    flip: Annotated[str, Field(max_length=80, pattern=f"^$|{SOURCE}")] = ""
    drop: Annotated[str, Field(max_length=300)] = ""


class BudgetBody(BaseModel):
    """Budgets of a day by name: ``questions``, ``calls`` of a model, ``tokens``. Budgets without a limit are left out.

    ``seconds_left``: seconds until the next day.
    """

    limits: dict[str, int]
    spent: dict[str, int]
    seconds_left: int
