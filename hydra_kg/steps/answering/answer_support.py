"""Whether sources state what a model names, for what was asked: not only that some path or page leads there."""

from __future__ import annotations

from collections.abc import Iterable

from hydra_kg.domain import Analysis, Evidence
from hydra_kg.settings.services import AgentSettings
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.verification.verify import label
from hydra_kg.text.folding import fold


def stated(analysis: Analysis, found: Conclusion, explored: Iterable[Evidence], *, settings: AgentSettings) -> bool:
    """Whether the first answer is stated: it fits what is asked, and a path nearly as relevant as the best one that was
    explored (``stated_share``) leads to it, or a passage names it.

    A count and a yes or no rest on all of their evidence and are stated if there is any.
    """
    if not found.answers or label(found.kinds) == "llm":
        return False
    first = found.answers[0]
    if analysis.kind in {"count", "boolean"}:
        return True
    if analysis.answer_type in {"date", "number"} and first.node is not None and first.value is None:
        return False
    best = max((e.scores.relevance for e in (*explored, *found.evidence) if e.path.hops), default=0.0)
    least = max(settings.stated_relevance, settings.stated_share * best)
    return any(_states(e, fold(first.name), least) for e in found.evidence)


def _states(evidence: Evidence, name: str, least: float) -> bool:
    if (
        passage := evidence.path.passage
    ) is not None and f" {name} " in f" {fold(passage.title)} {fold(passage.text)} ":
        return True
    leads = any(fold(node.name) == name for node in (*evidence.answers, *evidence.path.entities))
    return bool(evidence.path.hops) and leads and evidence.scores.relevance >= least
