"""ToG-2 (paper 001, §3, Algorithm 1): graph search guided by text, and text retrieval guided by the graph, in turns."""

from __future__ import annotations

from hydra_kg.steps.answering.recall import agreed, recalled
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.entity_linking import mentions_of
from hydra_kg.steps.text.sentence_retrieval import Ranker
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.tog2.rounds import TopicRounds
from hydra_kg.util.fast_dataclass import dataclass, replace


@dataclass(frozen=True)
class ToG2:
    """Graph search and text retrieval in turns, for D rounds (ToG-2 §3).

    A round selects relations of the topic entities, ranks the entities that they lead to by their documents, and has
    triples and texts judged together. Between rounds there are clues and a new query.

    With ``combined`` one relation prune serves all entities (Eq. 3), without it each entity has its own (Eq. 2).
    ``threshold`` is that of §4.3, on score/10. ``alpha`` is that of Eq. 6, which the paper does not give. ``samples``
    is the number of draws of the self-consistency stage (§4.3 for FEVER, App. B.6), 0 for none, and ``agreement`` is
    the share that ends it. App. B.3 leaves ``topic_prune`` and ``clues`` out.

    At most 2D + (D − 1) + 1 calls are made with Eq. 3 (§4.6), and WD + D + (D − 1) + 1 with Eq. 2. For Eq. 2, §4.6
    forgets the D − 1 queries, and for both it forgets the judgement of the ``first_round`` and the draws. Without a
    model, relations are ranked by relevance and texts by vectors, all topics are kept, the question itself is the
    query, and no first round is judged.
    """

    name: str = "tog-2"
    paper: str = "ToG-2, §3, Algorithm 1"
    width: int = 3
    depth: int = 3
    context_number: int = 10
    threshold: float = 0.2
    alpha: float = 0.1
    ranker: Ranker = "dense"
    combined: bool = True
    topic_prune: bool = True
    clues: bool = True
    first_round: bool = True
    samples: int = 0
    agreement: float = 0.5

    def run(self, context: Context) -> Outcome:
        """Run self-consistency if it is set, prune the topics, and run rounds until the evidence is sufficient."""
        mentions = mentions_of(context)
        analysis = context.agent.parse(context.question, mentions, d_max=self.depth)
        if self.samples and context.agent.reads:
            known = agreed(context, analysis, samples=self.samples, think=True)
            if known.sufficient and known.confidence >= self.agreement:
                tried = recalled(context, replace(known, confidence=known.confidence / 2))
                return Outcome(mentions, analysis, tried.conclusion, tried.judgement, ())
        depth = context.depth or min(self.depth, context.settings.retrieval.d_max)
        search = TopicRounds(
            context,
            analysis,
            self.width,
            self.context_number,
            self.threshold,
            self.alpha,
            self.ranker,
            self.combined,
            self.clues,
        )
        if self.topic_prune:
            search.prune_topics(mentions)
        tried = search.first(read=self.first_round and context.agent.reads)
        for number in range(1, depth + 1):
            if not tried.judgement.sufficient:
                tried = search.round(number, last=number == depth)
        return Outcome(mentions, search.analysis, tried.conclusion, tried.judgement, tuple(search.explorations))
