"""All settings of a question, in groups."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from hydra_kg.errors import SettingsError
from hydra_kg.settings.former_names import FORMER_GROUPS, explain_former_name
from hydra_kg.settings.group import SettingsGroup
from hydra_kg.settings.project_rules import USER_ONLY, Free, Inside, OnlyTrue, ProjectRule, UserOnly, rule_of
from hydra_kg.settings.search import Answering, Linking, Pruning, RelevanceSettings, Retrieval, Verification
from hydra_kg.settings.services import (
    AgentSettings,
    BudgetSettings,
    ModelSettings,
    ReaderSettings,
    TelemetrySettings,
    Web,
)


class Settings(BaseModel):
    """All settings of a question, in frozen groups.

    Example: ``Settings(pruning={"w1": 7})`` or ``Settings(**{"pruning.w1": 7})``. Raise SettingsError for an invalid
    setting.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: Inside[str] = Field(default="", description="Store folder or address. Empty: the user's data folder")
    embedder: UserOnly[str] = Field(
        default="minilm-int8",
        description="Embedding model: minilm-int8, a folder with model.onnx and tokenizer.json, sentence-"
        "transformers:FOLDER, or a hub's name",
    )
    cross_encoder: UserOnly[str] = Field(
        default="", description="Folder with model.onnx and tokenizer.json of a cross-encoder, for tog-2+ranker=cross"
    )
    seed: Free[int] = Field(default=0, description="Seed of every random choice")
    no_network: OnlyTrue[bool] = Field(default=False, description="Forbid all network connections except to the store")
    linking: Linking = Linking()
    retrieval: Retrieval = Retrieval()
    relevance: RelevanceSettings = RelevanceSettings()
    pruning: Pruning = Pruning()
    verification: Verification = Verification()
    answering: Answering = Answering()
    agent: AgentSettings = AgentSettings()
    model: ModelSettings = ModelSettings()
    budget: BudgetSettings = BudgetSettings()
    web: Web = Web()
    telemetry: TelemetrySettings = TelemetrySettings()
    readers: ReaderSettings = ReaderSettings()

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**group_values(full_names(values, groups=GROUPS)))
        except ValidationError as e:
            raise _settings_error(e.errors()[0]) from e

    def changed(self, **values: Any) -> Settings:
        """Return changed settings: ``settings.changed(pruning={"w1": 7}, seed=1)``. Raise SettingsError."""
        return Settings(**{**self.by_name(), **full_names(values, groups=GROUPS)})

    def by_name(self) -> dict[str, Any]:
        """Return every value by its full name, ``group.name``, in the order of the fields."""
        return full_names(dict(self), groups=GROUPS)

    def hash(self) -> str:
        """Return twelve hex digits over all settings that change answers (not ``store``, copying or listeners)."""
        apart = ("telemetry.", "readers.")
        values = {k: v for k, v in self.by_name().items() if k != "store" and not k.startswith(apart)}
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]


GROUPS: Final = frozenset(
    name
    for name, field in Settings.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, SettingsGroup)
)
"""Names of the groups."""


def fields() -> dict[str, FieldInfo]:
    """Return every setting's field by its full name, in the order of the fields."""
    found: dict[str, FieldInfo] = {}
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, SettingsGroup):
            found |= {f"{name}.{key}": inner for key, inner in type(field.default).model_fields.items()}
        else:
            found[name] = field
    return found


def descriptions() -> dict[str, str]:
    """Return what each setting does, by its full name, in the order of the fields."""
    return {name: field.description or "" for name, field in fields().items()}


def project_rules() -> dict[str, ProjectRule]:
    """Return what the ``hydra.toml`` of a working folder may do to each setting, by full name."""
    return {name: rule_of(field) or USER_ONLY for name, field in fields().items()}


def _settings_error(error: ErrorDetails) -> SettingsError:
    """Return the error for an invalid setting, with its former or valid names."""
    group, _, name = (full := ".".join(map(str, error["loc"][:2]))).partition(".")
    if former := explain_former_name(full):
        return SettingsError(f"The setting {full} {former}.", remedy="hydra-kg settings lists all names.")
    if error["type"] == "extra_forbidden":
        return SettingsError(f"There is no setting {full}.", remedy="hydra-kg settings lists all names.")
    place = f"{name} under [{group}]" if name else full
    return SettingsError(
        f"setting {full}: {error['input']!r} does not fit ({error['msg'].removeprefix('Value error, ')})",
        remedy=f"Set HYDRA_{full.replace('.', '_').upper()}, or {place} in hydra.toml, to a legal value.",
    )


def full_names(values: Mapping[str, Any], *, groups: Iterable[str]) -> dict[str, Any]:
    """Return values by group (``{"pruning": {"w1": 7}}``) or full name (``{"pruning.w1": 7}``), under full names."""
    known, found = {*groups, *FORMER_GROUPS}, dict[str, Any]()
    for name, value in values.items():
        inside = dict(value) if isinstance(value, BaseModel) else value
        if name in known and isinstance(inside, Mapping):
            found |= {f"{name}.{field}": v for field, v in inside.items()}
        else:
            found[name] = value
    return found


def group_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with full names as one mapping for each group."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        group, dot, field = name.partition(".")
        if dot:
            found.setdefault(group, {})[field] = value
        else:
            found[name] = value
    return found
