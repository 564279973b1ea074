"""Score the authority of sources for their statements with a model and a budget (MultiRAG Eq. 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hydra_kg.agents.model_requests import Asker
from hydra_kg.agents.prompting.escaping import numbered
from hydra_kg.agents.prompting.prompts import load_prompts
from hydra_kg.agents.replies.schemas import AuthorityReply
from hydra_kg.models.budget import Budget
from hydra_kg.models.compose import make_model
from hydra_kg.settings import Settings


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
