"""GraphRAG's local search (Edge et al. 2024): the surroundings of a question's entities, in one prompt."""

from __future__ import annotations

from hydra_kg.domain import UNSEARCHED
from hydra_kg.steps.answering.select_and_judge import conclude_evidence, explored
from hydra_kg.steps.beam.frontier import Frontier, PathWalk
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.entity_linking import mentions_of
from hydra_kg.steps.text.entity_contexts import read
from hydra_kg.steps.text.sentence_retrieval import passages_of
from hydra_kg.strategies.base import Outcome
from hydra_kg.util.fast_dataclass import dataclass, replace

PHASE = "local"


@dataclass(frozen=True)
class GraphRag:
    """Local search of GraphRAG: one call that answers from the surroundings of the question's entities.

    The prompt has the entities that the question names, the relations around them, and the sentences about them. Each
    part is ordered best first and limited to its share of the prompt.

    The original system has a model write reports on communities of the whole graph in advance. They are left out, and
    its global search, which uses them, is refused (``--strategy graphrag-global``). ``relations`` and ``texts`` say how
    many are shown. One call is made. Without a model the answer is the best relation by vectors.
    """

    name: str = "graphrag"
    paper: str = "GraphRAG (Edge et al. 2024, arXiv:2404.16130), local search"
    entities: int = 10
    relations: int = 10
    texts: int = 10

    def run(self, context: Context) -> Outcome:
        """Link the entities, expand once, read the texts, and answer."""
        mentions = mentions_of(context)
        analysis = context.agent.parse(context.question, mentions, d_max=1)
        topics = list(dict.fromkeys(analysis.topics))[: self.entities]
        search = Frontier(context, analysis)
        with context.phase("explore"):
            grown = [b for some in search.branches([PathWalk(t) for t in topics]) for b in some]
            grown.sort(key=lambda b: -b.relevance)
            shown, leading = search.sets(grown[: self.relations], phase=PHASE)
        with context.phase("text"):
            passages = passages_of(context, topics, context.question) if "wiki" in context.kinds else []
            texts = read(context, analysis, passages, most=self.texts, phase=PHASE)
        evidence = [*shown, *texts]
        state = search.placed(grown[0].codes) if grown else UNSEARCHED
        with context.phase("judge"):
            judgement = context.agent.answer(analysis, evidence, state=state)
        if not context.agent.reads:
            judgement = replace(judgement, sufficient=judgement.sufficient and bool(evidence))
        tried = conclude_evidence(context, analysis, evidence, judgement, leading=leading)
        counts = {"relations": len(grown), "passages": len(passages), "kept": len(evidence)}
        explorations = (explored(context, analysis, PHASE, 1, counts, evidence),)
        return Outcome(mentions, analysis, tried.conclusion, tried.judgement, explorations)
