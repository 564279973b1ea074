"""Settings that are varied one at a time: sweeps, and the ablations and completeness series of the papers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from hydra_kg.errors import SettingsError, UsageError
from hydra_kg.settings import Settings, load_settings

Overrides = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Variant:
    """A run's settings with some of them changed. ``name``: "" for the run's own."""

    name: str = ""
    overrides: Overrides = field(default_factory=dict)

    def apply(self, settings: Settings, *, sample: int = 0) -> Settings:
        """The settings of one sample: repeated ones draw with seeds of their own, and take no reply that was kept.

        Raises SettingsError for an unknown name or a value that does not fit.
        """
        overrides = dict(self.overrides)
        if sample:
            overrides |= {"seed": int(overrides.get("seed", settings.seed)) + sample, "reply_cache": False}
        if unknown := sorted(set(overrides) - {f.name for f in fields(Settings)}):
            raise SettingsError(
                f"There is no setting {', '.join(unknown)}.", remedy="hydra-kg settings lists all names."
            )
        return changed(settings, overrides)


def changed(settings: Settings, overrides: Overrides) -> Settings:
    """The settings with others in place, whatever the environment says. Raises SettingsError."""
    known = {f.name: getattr(settings, f.name) for f in fields(Settings)}
    checked = load_settings(dict(overrides), base=settings)
    return Settings(**{**known, **{name: getattr(checked, name) for name in overrides}})


BASE: Final = Variant()

ABLATIONS: Final = (
    Variant("kg alone", {"kinds": "kg"}),  # HydraRAG Table 5: sources
    Variant("kg and wiki", {"kinds": "kg,wiki"}),
    Variant("wiki alone", {"kinds": "wiki"}),
    Variant("no selector", {"selector": "off"}),  # Table 3
    Variant("no refinement", {"refine": "off"}),  # Table 4
    Variant("relevance alone", {"alpha_cross": 1.0}),  # Table 6: without cross-source verification
    Variant("depth 1", {"d_max": 1}),  # Fig. 5, PoG Fig. 4
    Variant("depth 2", {"d_max": 2}),
    Variant("one phase", {"phases": 1}),  # §4.2: initial exploration alone
    Variant("two phases", {"phases": 2}),
    Variant("one relation an edge", {"relations": "one"}),  # HydraRAG-E, PoG-E
    Variant("no learned relevance", {"learned_weight": 0.0}),  # ours
    Variant("no hints", {"hint_weight": 0.0}),  # ours
    Variant("no text in the graph", {"join_text": 0.0}),  # §1: text fills gaps in G_q
)
"""One part of the method off at a time (``--ablations``)."""

COMPLETENESS: Final = tuple(Variant(f"kg_share={share:g}", {"kg_share": share}) for share in (0.0, 0.3, 0.5, 0.8))
"""Shares of the graph's facts that are left, beside the whole of it (HydraRAG §5.3, ToG-2 App. B.7)."""


def varied(text: str) -> tuple[Variant, ...]:
    """``w1=20,80`` as one variant for each value. Raises UsageError."""
    name, sign, values = text.partition("=")
    options = [v.strip() for v in values.split(",") if v.strip()]
    if not sign or not name.strip() or not options:
        raise UsageError(f"--vary {text} names no values.", remedy="Write it as NAME=VALUE,VALUE,….")
    return tuple(Variant(f"{name.strip()}={v}", {name.strip(): v}) for v in options)


def variants_of(vary: Iterable[str], *, ablations: bool = False, completeness: bool = False) -> tuple[Variant, ...]:
    """The run's own settings first, then every variant that was asked for, each name once."""
    found = {BASE.name: BASE}
    for variant in (
        *(v for text in vary for v in varied(text)),
        *(ABLATIONS if ablations else ()),
        *(COMPLETENESS if completeness else ()),
    ):
        found.setdefault(variant.name, variant)
    return tuple(found.values())
