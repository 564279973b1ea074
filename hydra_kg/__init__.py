"""Ask questions over several knowledge sources and see why they are answered so: the public interface of hydra-kg.

Its parts are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.3.0"

# Names are looked up on first use: `hydra-kg --help` must not pay for numpy.
_HOMES = {
    "Answer": "hydra_kg.answer",
    "AnswerValue": "hydra_kg.domain",
    "AsyncHydra": "hydra_kg.serving.asynchronous",
    "BudgetError": "hydra_kg.errors",
    "Cancellation": "hydra_kg.util.cancelling",
    "Citation": "hydra_kg.domain",
    "Entity": "hydra_kg.domain",
    "Event": "hydra_kg.events",
    "Evidence": "hydra_kg.domain",
    "Exploration": "hydra_kg.domain",
    "Fact": "hydra_kg.domain",
    "FormatError": "hydra_kg.errors",
    "Hop": "hydra_kg.domain",
    "Hydra": "hydra_kg.client",
    "HydraError": "hydra_kg.errors",
    "LoadError": "hydra_kg.errors",
    "Locator": "hydra_kg.domain",
    "ModelError": "hydra_kg.errors",
    "NetworkError": "hydra_kg.errors",
    "NotFoundError": "hydra_kg.errors",
    "Passage": "hydra_kg.domain",
    "Path": "hydra_kg.domain",
    "Settings": "hydra_kg.settings",
    "SettingsError": "hydra_kg.errors",
    "Source": "hydra_kg.domain",
    "StoppedError": "hydra_kg.errors",
    "StoreError": "hydra_kg.errors",
    "TooMuchWorkError": "hydra_kg.errors",
    "UsageError": "hydra_kg.errors",
    "UserError": "hydra_kg.errors",
    "answer_json": "hydra_kg.serialise",
    "load_settings": "hydra_kg.settings",
    "open_store": "hydra_kg.stores",
}

__all__ = [
    "Answer",
    "AnswerValue",
    "AsyncHydra",
    "BudgetError",
    "Cancellation",
    "Citation",
    "Entity",
    "Event",
    "Evidence",
    "Exploration",
    "Fact",
    "FormatError",
    "Hop",
    "Hydra",
    "HydraError",
    "LoadError",
    "Locator",
    "ModelError",
    "NetworkError",
    "NotFoundError",
    "Passage",
    "Path",
    "Settings",
    "SettingsError",
    "Source",
    "StoppedError",
    "StoreError",
    "TooMuchWorkError",
    "UsageError",
    "UserError",
    "__version__",
    "answer_json",
    "load_settings",
    "open_store",
]

if TYPE_CHECKING:
    from hydra_kg.answer import Answer
    from hydra_kg.client import Hydra
    from hydra_kg.domain import (
        AnswerValue,
        Citation,
        Entity,
        Evidence,
        Exploration,
        Fact,
        Hop,
        Locator,
        Passage,
        Path,
        Source,
    )
    from hydra_kg.errors import (
        BudgetError,
        FormatError,
        HydraError,
        LoadError,
        ModelError,
        NetworkError,
        NotFoundError,
        SettingsError,
        StoppedError,
        StoreError,
        TooMuchWorkError,
        UsageError,
        UserError,
    )
    from hydra_kg.events import Event
    from hydra_kg.serialise import answer_json
    from hydra_kg.serving.asynchronous import AsyncHydra
    from hydra_kg.settings import Settings, load_settings
    from hydra_kg.stores import open_store
    from hydra_kg.util.cancelling import Cancellation


def __getattr__(name: str) -> Any:
    if (home := _HOMES.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
