"""The public contract for extensions: strategies, loaders, fusion methods, web providers, stores, agents.

**Stable.** What ``__all__`` names here, with the signatures and fields that its docstrings describe, changes only with
a new minor version while the version is 0.x, and with a new major version from 1.0 on; CHANGELOG.md says what to write
instead, and the old form works with a warning for one version before it goes. Fields and optional parameters may be
added at any time. Whatever is imported from elsewhere in ``hydra_kg`` may change with every version.

docs/extending.md has a whole example of each. An extension is passed as an object (``hydra.ask(…, strategy=Mine())``,
``hydra.load(…, format=Mine())``, ``Hydra(search=Mine())``), or named by the entry point of its package, in the groups
``hydra_kg.strategies``, ``hydra_kg.loaders`` and ``hydra_kg.methods``: then the command line knows it as well.

* Strategy: :class:`Strategy`, which gets a :class:`Context` and gives an :class:`Outcome`; :func:`make_strategy` makes
  the installed ones, for a strategy that is made of others.
* Loader: :class:`StatementLoader` with :class:`StatedFact`, :class:`Labels`, :class:`RejectedLine`,
  :class:`DroppedLine`; :class:`BaseLoader` for bulk formats, which stage their lines in SQL.
* Fusion method: :class:`Method`, from :class:`Claims` (:func:`claims_of` makes them) to :class:`Beliefs`;
  :func:`slots_of` lays values end to end, :func:`believed` says which ones are believed.
* Web provider: :class:`WebSearch`, and :class:`PageFetcher` for the pages.
* Agent and model: :class:`Agent`, :class:`LanguageModel`, :class:`Embedder`; :class:`Tools` makes the agent of each
  question (override :meth:`Tools.judge`, or give it a ``model``), and a Reasoner takes it.
* Store: :class:`Store` with what it hands out (:class:`Snapshot`, :class:`LoadWriter`), and :class:`TraceStore`.
"""

from __future__ import annotations

from hydra_kg.domain import Analysis, Judgement, Passage, Source, WebPage, WebResult
from hydra_kg.fusion.model.beliefs import Beliefs, Method, believed, slots_of
from hydra_kg.fusion.model.claims import Claims, claims_of
from hydra_kg.ingest.contract.choices import Options, Rule
from hydra_kg.ingest.contract.loader import BaseLoader, Loader, Streams
from hydra_kg.ingest.contract.loader_records import DroppedLine, Labels, LoaderRecord, RejectedLine, StatedFact, Year
from hydra_kg.ingest.contract.statement_loader import LoadedFile, StatementLoader
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ports import (
    Agent,
    Embedder,
    LanguageModel,
    LoadPlan,
    LoadWriter,
    PageFetcher,
    Snapshot,
    Stage,
    Store,
    TraceStore,
    WebSearch,
)
from hydra_kg.runtime import Judge, Tools
from hydra_kg.steps.context import Context
from hydra_kg.strategies.base import Outcome, Strategy
from hydra_kg.strategies.registry import make_strategy

__all__ = [
    "Agent",
    "Analysis",
    "BaseLoader",
    "Beliefs",
    "Claims",
    "Context",
    "DroppedLine",
    "Embedder",
    "Judge",
    "Judgement",
    "Labels",
    "LanguageModel",
    "LoadPlan",
    "LoadWriter",
    "LoadedFile",
    "Loader",
    "LoaderRecord",
    "Method",
    "Options",
    "Outcome",
    "PageFetcher",
    "Passage",
    "RejectedLine",
    "Rule",
    "Snapshot",
    "Source",
    "Stage",
    "StatedFact",
    "StatementLoader",
    "Store",
    "Strategy",
    "Streams",
    "Tools",
    "TraceStore",
    "WebPage",
    "WebResult",
    "WebSearch",
    "Work",
    "Year",
    "believed",
    "claims_of",
    "make_strategy",
    "slots_of",
]
