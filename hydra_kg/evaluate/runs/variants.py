"""Variants of the settings: sweeps, and the ablations and completeness series of the papers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hydra_kg.errors import UsageError
from hydra_kg.settings import Settings
from hydra_kg.util.fast_dataclass import dataclass, field

Overrides = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Variant:
    """The settings of a run with some of them changed. ``name`` is "" for the run's own settings."""

    name: str = ""
    overrides: Overrides = field(default_factory=dict)

    def apply(self, settings: Settings, *, sample: int = 0) -> Settings:
        """Return the settings of one sample. Raises SettingsError.

        Repeated samples have seeds of their own and use no stored replies.
        """
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
"""Variants with one part of the method switched off at a time (``--ablations``)."""

_MODEL_ONLY: Final = frozenset({"agent.selector", "agent.refine", "agent.summarise", "retrieval.phases"})
"""Settings of calls to a model. Without a model, changing them changes no answer (docs/results/strategies.md)."""


def needs_model(overrides: Overrides) -> bool:
    """Return True if a variant only changes what a model is asked, so that it has no effect offline."""
    return bool(overrides) and set(overrides) <= _MODEL_ONLY


COMPLETENESS: Final = tuple(
    Variant(f"kg_share={share:g}", {"retrieval.kg_share": share}) for share in (0.0, 0.3, 0.5, 0.8)
)
"""Shares of the graph's facts that are left, in addition to the whole graph (HydraRAG §5.3, ToG-2 App. B.7)."""


def parse_variants(text: str) -> tuple[Variant, ...]:
    """Return a variant for each value in ``w1=20,80``; lists as in ``retrieval.kinds=kg;kg,wiki``.

    Raises UsageError.
    """
    name, sign, values = text.partition("=")
    options = [v.strip() for v in values.split(";" if ";" in values else ",") if v.strip()]
    if not sign or not name.strip() or not options:
        raise UsageError(
            f"--vary {text} names no values.",
            remedy="Write it as NAME=VALUE,VALUE,…, or with semicolons between values that hold commas.",
        )
    return tuple(Variant(f"{name.strip()}={v}", {name.strip(): v}) for v in options)


def exclude_sources(text: str) -> Variant:
    """Return the variant without some sources or kinds of source, such as ``wikidata,web`` (HydraRAG Table 5).

    Raises UsageError.
    """
    names = ",".join(name for part in text.split(",") if (name := part.strip()))
    if not names:
        raise UsageError("--without names no source.", remedy="Write it as SOURCE,… or kg, wiki, web.")
    return Variant(f"without {names}", {"retrieval.without": names})


def variants_of(
    vary: Iterable[str], *, ablations: bool = False, completeness: bool = False, without: Iterable[str] = ()
) -> tuple[Variant, ...]:
    """Return the run's own settings first, then every requested variant, each name once."""
    found = {BASE.name: BASE}
    for variant in (
        *(v for text in vary for v in parse_variants(text)),
        *map(exclude_sources, without),
        *(ABLATIONS if ablations else ()),
        *(COMPLETENESS if completeness else ()),
    ):
        found.setdefault(variant.name, variant)
    return tuple(found.values())
