"""What all groups of settings have in common: they are frozen, and their fields are named, bounded and described."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
"""From 0 to 1."""

Whole = Annotated[int, Field(ge=0)]
"""A count, 0 or more."""

Amount = Annotated[float, Field(ge=0)]
"""0 or more."""


class SettingsGroup(BaseModel):
    """A frozen group of settings. A field that does not exist or a value that does not fit is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
