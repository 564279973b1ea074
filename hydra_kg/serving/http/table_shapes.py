"""Bodies of requests and replies about how tables are understood."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class ColumnBody(BaseModel):
    """The role of a column, as ``--map`` takes it, and what it is called in questions if not like its heading."""

    model_config = ConfigDict(extra="ignore")

    name: str
    role: str = Field(pattern="^[a-z]+$", max_length=20)
    called: str = Field("", pattern="^[^,=]*$", max_length=80)


class DescribedColumn(ColumnBody):
    """A column as it was understood, with its first cells."""

    examples: list[str]


class MappingBody(BaseModel):
    """How a load's tables are understood, as in ``feeds.yaml``.

    Attributes:
        waits: whether it is that of the load that waits to be flipped.
        feed: tables with their columns, references with evidence, and doubtful references.
        columns: the columns of a table that was loaded alone, which has no ``feed``.
        rows: the number of its rows.
        entities: the number of different things that they are about.
        again: whether the load can be read again; otherwise ``why`` says why not.
    """

    name: str
    waits: bool
    feed: dict[str, Any] | None = None
    columns: list[DescribedColumn] | None = None
    rows: int | None = None
    entities: int | None = None
    again: bool
    why: str = ""


class CorrectionBody(BaseModel):
    """Corrections of how a load's tables are understood. What a feed does not mention is found anew.

    A table that was loaded alone is corrected by all of its ``columns``.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"feed": {"tables": {"ferries": {"columns": {"built": {"role": "year"}}}}}}]},
    )

    feed: dict[str, Any] = Field(default_factory=dict)
    columns: list[ColumnBody] = Field(default_factory=list)
