"""Build what reads texts for a load and what scores the authority of sources: a model with a budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra_kg.agents.model_extraction import FactExtractor
from hydra_kg.agents.model_requests import Asker
from hydra_kg.agents.prompting.escaping import numbered
from hydra_kg.agents.prompting.prompts import Prompt, checksum, load_prompts
from hydra_kg.agents.replies.schemas import AuthorityReply
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


class AuthorityScorer:
    """Asks the settings' model for scores. Once the budget is spent it gives none.

    Raise SettingsError if no model is named.
    """

    def __init__(self, settings: Settings, budget: Budget) -> None:
        self.budget = budget
        self._asker = Asker(
            make_model(settings, budget=budget),
            load_prompts(),
            reply_tokens=max(1_024, settings.model.reply_tokens),
            temperature=0.0,
            sampling=0.0,
        )

    @property
    def notes(self) -> Sequence[str]:
        """Return what went wrong, each message once."""
        return self._asker.notes

    def __call__(self, question: str, statements: Sequence[str]) -> Mapping[int, float]:
        """Return the score of each statement by its position, 0 to 1; {} if there is no usable reply."""
        data = {"options": numbered(statements, budget=0, most=240)}
        values = {"most": str(len(statements))}
        reply = self._asker.ask("prune_authority", AuthorityReply, question, values=values, data=data)
        best = reply.best if reply else ()
        return {b.n - 1: b.score / 10 for b in best if 1 <= b.n <= len(statements)}
