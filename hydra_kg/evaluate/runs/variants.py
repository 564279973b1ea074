"""Settings that are varied one at a time: sweeps, and the ablations and completeness series of the papers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hydra_kg.errors import UsageError
from hydra_kg.settings import Settings

Overrides = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Variant:
    """A run's settings with some of them changed. ``name``: "" for the run's own."""

    name: str = ""
    overrides: Overrides = field(default_factory=dict)

    def apply(self, settings: Settings, *, sample: int = 0) -> Settings:
        """Return the settings of one sample; repeats have own seeds, no stored replies. Raises SettingsError."""
        varied = settings.changed(**self.overrides)
        return varied.changed(seed=varied.seed + sample, model={"reply_cache": False}) if sample else varied


BASE: Final = Variant()

ABLATIONS: Final = (
    Variant("kg alone", {"retrieval.kinds": "kg"}),  # HydraRAG Table 5: sources
    Variant("kg and wiki", {"retrieval.kinds": "kg,wiki"}),
    Variant("wiki alone", {"retrieval.kinds": "wiki"}),
    Variant("no selector", {"agent.selector": "off"}),  # Table 3
    Variant("no refinement", {"agent.refine": "off"}),  # Table 4
    Variant("relevance alone", {"verification.alpha_cross": 1.0, "verification.rivals": False}),  # Table 6
    Variant("depth 1", {"retrieval.d_max": 1}),  # Fig. 5, PoG Fig. 4
    Variant("depth 2", {"retrieval.d_max": 2}),
    Variant("one phase", {"retrieval.phases": 1}),  # §4.2: initial exploration alone
    Variant("two phases", {"retrieval.phases": 2}),
    Variant("one relation an edge", {"retrieval.relations": "one"}),  # HydraRAG-E, PoG-E
    Variant("no learned relevance", {"relevance.learned_weight": 0.0}),  # ours
    Variant("no hints", {"relevance.hint_weight": 0.0}),  # ours
    Variant("no text in the graph", {"retrieval.join_text": 0.0}),  # §1: text fills gaps in G_q
)
"""One part of the method off at a time (``--ablations``)."""

_MODEL_ONLY: Final = frozenset({"agent.selector", "agent.refine", "agent.summarise", "retrieval.phases"})
"""Settings of calls to a model: without one, a change of them changes no answer (docs/results/strategies.md)."""


def needs_model(overrides: Overrides) -> bool:
    """Return True if a variant changes nothing but what a model is asked, so that offline it shows nothing."""
    return bool(overrides) and set(overrides) <= _MODEL_ONLY


COMPLETENESS: Final = tuple(
    Variant(f"kg_share={share:g}", {"retrieval.kg_share": share}) for share in (0.0, 0.3, 0.5, 0.8)
)
"""Shares of the graph's facts that are left, beside the whole of it (HydraRAG §5.3, ToG-2 App. B.7)."""


def varied(text: str) -> tuple[Variant, ...]:
    """Parse ``w1=20,80`` into a variant per value; lists as in ``retrieval.kinds=kg;kg,wiki``. Raises UsageError."""
    name, sign, values = text.partition("=")
    options = [v.strip() for v in values.split(";" if ";" in values else ",") if v.strip()]
    if not sign or not name.strip() or not options:
        raise UsageError(
            f"--vary {text} names no values.",
            remedy="Write it as NAME=VALUE,VALUE,…, or with semicolons between values that hold commas.",
        )
    return tuple(Variant(f"{name.strip()}={v}", {name.strip(): v}) for v in options)


def excluded(text: str) -> Variant:
    """``wikidata,web``: without these sources or kinds of source (HydraRAG Table 5). Raises UsageError."""
    names = ",".join(name for part in text.split(",") if (name := part.strip()))
    if not names:
        raise UsageError("--without names no source.", remedy="Write it as SOURCE,… or kg, wiki, web.")
    return Variant(f"without {names}", {"retrieval.without": names})


def variants_of(
    vary: Iterable[str], *, ablations: bool = False, completeness: bool = False, without: Iterable[str] = ()
) -> tuple[Variant, ...]:
    """Return the run's own settings first, then every variant that was asked for, each name once."""
    found = {BASE.name: BASE}
    for variant in (
        *(v for text in vary for v in varied(text)),
        *map(excluded, without),
        *(ABLATIONS if ablations else ()),
        *(COMPLETENESS if completeness else ()),
    ):
        found.setdefault(variant.name, variant)
    return tuple(found.values())
