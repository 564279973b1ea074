"""Define the common base of all groups of settings: frozen, with named, bounded and described fields."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
"""A number from 0 to 1."""

Whole = Annotated[int, Field(ge=0)]
"""A count, 0 or more."""

Amount = Annotated[float, Field(ge=0)]
"""A number, 0 or more."""


class SettingsGroup(BaseModel):
    """A frozen group of settings. Unknown fields and values that do not fit are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
