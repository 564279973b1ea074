"""The offline agent combined with a model that only reads what texts state."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.agents.llm import LlmAgent
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.domain import Analysis, Excerpt, StatedInText
from hydra_kg.settings import Settings


class ReadByModel(OfflineAgent):
    """Agent that judges by rules and vectors, and lets ``reader`` read the sentences compared with an answer."""

    def __init__(self, settings: Settings, reader: LlmAgent) -> None:
        super().__init__(settings)
        self._reader = reader
        self.prompts = reader.prompts

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the readings that were done without the model, and why."""
        return tuple(self._reader.notes)

    def read_statements(
        self, analysis: Analysis, subject: str, relation: str, excerpts: Sequence[Excerpt]
    ) -> Sequence[StatedInText] | None:
        """Return the values that the model reads in the sentences."""
        return self._reader.read_statements(analysis, subject, relation, excerpts)
