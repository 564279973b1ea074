"""Retrieval of texts without a graph: stored text, or title and snippet of web results (baselines)."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.domain import UNSEARCHED, Analysis, Passage
from hydra_kg.errors import UsageError
from hydra_kg.steps.answering.select_and_judge import conclude_evidence, explored
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.entity_linking import mentions_of
from hydra_kg.steps.text.entity_contexts import read
from hydra_kg.steps.text.sentence_retrieval import passages_of
from hydra_kg.strategies.base import Outcome
from hydra_kg.util.fast_dataclass import dataclass, replace

PHASE = "text"


@dataclass(frozen=True)
class TextRag:
    """Retrieval of the stored sentences that are nearest to the question, and one call that answers from them.

    The candidates are passages about the linked entities, then passages that full-text search finds (ToG-2 App. B.4:
    BM25, then a dense ranker). Without a model, rules make paths from these sentences, and the best path answers,
    however low its confidence.
    """

    name: str = "text-rag"
    paper: str = "baseline (ToG-2 §4.2, vanilla RAG)"
    most: int = 10

    def run(self, context: Context) -> Outcome:
        """Retrieve and rank sentences, then answer from them."""
        mentions = mentions_of(context)
        analysis = context.agent.parse(context.question, mentions, d_max=1)
        with context.phase(PHASE):
            passages = self.retrieved(context, analysis)
            evidence = read(context, analysis, passages, most=self.most, phase=PHASE)
        counts = {"passages": len(passages), "kept": len(evidence)}
        with context.phase("judge"):
            judgement = context.agent.answer(analysis, evidence, state=UNSEARCHED)
        if not context.agent.reads:
            judgement = replace(judgement, sufficient=bool(evidence) and bool(evidence[0].answers))
        tried = conclude_evidence(context, analysis, evidence, judgement)
        explorations = (explored(context, analysis, PHASE, 0, counts, evidence),)
        return Outcome(mentions, analysis, tried.conclusion, tried.judgement, explorations)

    def retrieved(self, context: Context, analysis: Analysis) -> Sequence[Passage]:
        """Return stored passages for the question."""
        return passages_of(context, analysis.topics, context.question) if "wiki" in context.kinds else ()


@dataclass(frozen=True)
class WebRag(TextRag):
    """Retrieval of title and snippet of the three best web results, and one call that answers from them.

    The strategy needs a search engine. Without a model it answers as text-rag does.
    """

    name: str = "web-rag"
    paper: str = "baseline (HydraRAG §5: title and snippet of the top three)"
    results: int = 3
    needs_web: bool = True

    def retrieved(self, context: Context, analysis: Analysis) -> Sequence[Passage]:
        """Return results of the web search. Raises UsageError without a search engine."""
        if context.services.snippets is None:
            raise UsageError(
                "web-rag needs a search engine.",
                remedy="Set HYDRA_WEB_ENGINE=searxng and HYDRA_WEB_URL, or HYDRA_WEB_ENGINE=serpapi with its key.",
            )
        with context.step("search_web"):
            return context.services.snippets(context.question, self.results)
