"""Build the reader of texts that prepares a load: the settings' model, its budget, and the mark of its facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hydra_kg.agents.model_extraction import FactExtractor
from hydra_kg.agents.model_requests import Asker
from hydra_kg.agents.prompting.prompts import Prompt, checksum, load_prompts
from hydra_kg.models.budget import Budget
from hydra_kg.models.compose import make_model
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.models.endpoint import endpoint
from hydra_kg.ports import LanguageModel
from hydra_kg.settings import Settings
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ExtractorMaker:
    """Makes a fact extractor.

    ``mark``: model and prompts, which identify its facts. ``endpoint``: address to which texts are sent.
    """

    model: LanguageModel
    prompts: Mapping[str, Prompt]
    settings: Settings
    mark: str
    endpoint: str

    def make(self, before: Iterable[Mapping[str, Any]] = ()) -> FactExtractor:
        """Return an extractor that knows the relations of earlier passages."""
        asker = Asker(
            self.model,
            self.prompts,
            reply_tokens=max(1_024, self.settings.model.reply_tokens),
            temperature=0.0,
            sampling=0.0,
        )
        embedder = make_embedder(self.settings.embedder, no_network=self.settings.no_network)
        return FactExtractor(asker, embed=embedder.embed, known=[fact[1] for doc in before for fact in doc["facts"]])


def fact_extractor(settings: Settings, budget: Budget, *, prompts: Path | None = None) -> ExtractorMaker:
    """Return the maker; nothing is sent yet. Raise SettingsError if no model is named or its key is missing."""
    loaded = load_prompts(prompts)
    own = {name: p for name, p in loaded.items() if name.startswith("extract_")}
    model = make_model(settings, budget=budget)
    return ExtractorMaker(
        model, loaded, settings, f"{model.name} {checksum(own)}", endpoint(settings.model.base_url)[0]
    )
