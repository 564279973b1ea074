"""Make the agent of a question, its model with a budget, and the embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.domain import Floats, Usage
from hydra_kg.errors import SettingsError, UsageError
from hydra_kg.models.embedding.cached_embedder import CachedEmbedder, RecentVectors
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.ports import Agent, Embedder, LanguageModel, PageFetcher, WebSearch
from hydra_kg.runtime.web import PageCache, WebTool
from hydra_kg.settings import Settings
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(slots=True)
class Judge:
    """The agent of one question together with its budget account."""

    agent: Agent
    usage: Callable[[], Usage] = Usage
    stopped: Callable[[], str] = str
    """The limit that ended its spending, in one sentence, or ""."""
    late: Callable[[], bool] = bool
    """Whether a call was cut for lack of time, so that another run may differ."""
    without_model: Agent | None = None
    """The agent that judges the same question offline, if ``agent`` asks a model."""
    failed: Callable[[], bool] = bool
    """Whether the judging model failed in some step; see :mod:`hydra_kg.questions.plan_outcome`."""


@dataclass(frozen=True)
class Tools:
    """Makes agents and web access.

    Args:
        agent: ``offline``, ``llm`` or ``auto``.
        folder: folder of stored replies.
        record, replay: files of replies to write or to read.
        prompts: folder of prompts.
        model, search, fetcher: replace the configured ones.
        page_cache, keep_web: stored pages, and whether to store new ones.
    """

    settings: Settings
    agent: str = "offline"
    folder: Path | None = None
    record: str = ""
    replay: str = ""
    prompts: str = ""
    warn: Callable[[str], None] | None = None
    model: LanguageModel | None = None
    search: WebSearch | None = None
    fetcher: PageFetcher | None = None
    page_cache: PageCache | None = None
    keep_web: bool = False

    def __post_init__(self) -> None:
        if self.agent not in {"auto", "offline", "llm"}:
            raise UsageError(f"There is no agent {self.agent!r}.", remedy="Agents: auto, offline, llm.")
        if self.agent == "llm" and not self.settings.model.name and self.model is None:
            raise SettingsError(
                "No language model is named.", remedy="Set HYDRA_MODEL_NAME, or model.name in your own hydra.toml."
            )

    @property
    def judged_by_model(self) -> bool:
        """Return whether questions go to a model."""
        return self._has_model and not self.settings.agent.reading_only

    @property
    def _has_model(self) -> bool:
        named = bool(self.settings.model.name) or self.model is not None
        return self.agent == "llm" or (self.agent == "auto" and named)

    def judge(self) -> Judge:
        """Return a new agent for one question, with a budget of its own."""
        offline = OfflineAgent(self.settings)
        if not self._has_model:
            return Judge(offline)
        from hydra_kg.agents.llm import LlmAgent
        from hydra_kg.agents.text_reading_agent import ReadByModel
        from hydra_kg.models.budget import Budget
        from hydra_kg.models.compose import make_model

        budget = Budget.of(self.settings)
        model = self.model or make_model(
            self.settings, budget=budget, folder=self.folder, record=self.record, replay=self.replay, warn=self.warn
        )
        prompts = Path(self.prompts) if self.prompts else None
        whole = LlmAgent(model, offline, self.settings, prompts=prompts)
        agent = whole if self.judged_by_model else ReadByModel(self.settings, whole)
        without_model = offline if self.judged_by_model else None
        return Judge(
            agent,
            lambda: budget.usage,
            lambda: budget.stopped,
            lambda: budget.late,
            without_model,
            lambda: without_model is not None and whole.failed,
        )

    @cached_property
    def web(self) -> WebTool:
        """Return the web access with the same settings."""
        return WebTool(
            self.settings, self.record, self.replay, self.page_cache, self.keep_web, self.search, self.fetcher
        )


def make_cached_embedder(folder: Path, settings: Settings) -> Embedder:
    """Return the configured embedder. Relation vectors are stored in ``folder``; the process shares recent vectors."""
    inner = make_embedder(settings.embedder, no_network=settings.no_network)
    path = folder / "vectors.sqlite" if folder.is_dir() else None
    return CachedEmbedder(inner, path=path, recent=_recent(inner.checksum))


@lru_cache(maxsize=2)
def _recent(checksum: str) -> RecentVectors:
    return RecentVectors()  # of each model its own


def reranker(settings: Settings) -> Callable[[str, Sequence[str]], Floats] | None:
    """Return the configured cross-encoder's scoring function, or None. Raise ModelError."""
    if not settings.cross_encoder:
        return None
    from hydra_kg.models.embedding.cross_encoder import CrossEncoder

    return CrossEncoder(Path(settings.cross_encoder).expanduser()).scores
