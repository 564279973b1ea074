"""ToG (Sun et al., ICLR 2024, §2): beam search over relations and entities, scored by the agent at every hop."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.domain import UNSEARCHED, Evidence, Exploration
from hydra_kg.steps.answering.candidates import Leading, alone
from hydra_kg.steps.answering.select_and_judge import explored, judge_evidence
from hydra_kg.steps.beam.beam_search import prune_entities, prune_relations
from hydra_kg.steps.beam.frontier import Branch, Frontier, PathWalk
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.entity_linking import mentions_of
from hydra_kg.strategies.base import Outcome
from hydra_kg.util.fast_dataclass import dataclass, replace


@dataclass(frozen=True)
class ToG:
    """Beam search over triples (ToG §2.2).

    At each depth it selects the best relations of the W entities reached, then the entities of the W best relations. At
    most 2WD + D + 1 calls are made: W relation prunes, W entity prunes and one judgement for each depth, then an
    answer. Without a model, relations are scored by the relevance of the whole relation path, and all entities of a
    relation count the same.

    ``depth`` is D, at most ``d_max`` of the settings. ``sample`` entities are drawn with the seed if there are more
    than ``many``. With ``reasons`` the next relation prune is shown what the judge misses (as in Plan-on-Graph, not in
    ToG).
    """

    name: str = "tog"
    paper: str = "ToG (ICLR 2024), §2"
    width: int = 3
    depth: int = 3
    many: int = 20
    sample: int = 5
    reasons: bool = False

    def run(self, context: Context) -> Outcome:
        """Expand, prune relations, prune entities and judge, D times or until the triples are sufficient."""
        mentions = mentions_of(context)
        analysis = context.agent.parse(context.question, mentions, d_max=self.depth)
        search, shares = Frontier(context, analysis), context.settings.agent.shares and context.agent.reads
        beam = [PathWalk(t) for t in dict.fromkeys(analysis.topics)][: self.width]
        explorations: list[Exploration] = []
        found: list[Evidence] = []
        state, asked = UNSEARCHED, analysis
        for depth in range(1, (context.depth or min(self.depth, context.settings.retrieval.d_max)) + 1):
            phase = f"depth {depth}"
            with context.phase("explore"):
                grown = search.branches(beam)
                selected = prune_relations(context, asked, grown, width=self.width, shares=shares, most=self.width)
                beam, pruned = self._entities(search, selected)
                shown, leading = self._evidence(search, selected, beam, phase)
            counts = {"relations": sum(map(len, grown)), "relations_kept": len(selected), "kept": len(beam)}
            below = search.evidence(pruned, phase=phase, reason="below the W best entities", kept=False)
            explorations.append(explored(context, analysis, phase, depth, counts, [*shown, *below]))
            if not shown:
                break
            found = shown
            state = search.placed(selected[0].codes)
            tried = judge_evidence(context, analysis, found, state=state, leading=leading)
            if tried.judgement.sufficient:
                return Outcome(mentions, analysis, tried.conclusion, tried.judgement, tuple(explorations))
            if self.reasons and tried.judgement.missing:
                asked = replace(analysis, question=f"{analysis.question} ({tried.judgement.missing})")
        tried = judge_evidence(context, analysis, found, state=state, last=True)
        return Outcome(mentions, analysis, tried.conclusion, tried.judgement, tuple(explorations))

    def _entities(self, search: Frontier, branches: Sequence[Branch]) -> tuple[list[PathWalk], list[PathWalk]]:
        """Return the beam of the next depth, and the walks that were pruned."""
        shares = search.context.settings.agent.shares and search.context.agent.reads
        return prune_entities(search, branches, width=self.width, many=self.many, sample=self.sample, shares=shares)

    def _evidence(
        self, search: Frontier, branches: Sequence[Branch], beam: Sequence[PathWalk], phase: str
    ) -> tuple[list[Evidence], Leading]:
        """Return the evidence to judge: the triples of the beam."""
        return search.evidence(beam, phase=phase, reason="in the beam"), alone
