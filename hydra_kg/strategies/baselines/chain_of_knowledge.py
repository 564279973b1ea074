"""CoK, Chain-of-Knowledge (Li et al., ICLR 2024): rationales that sources correct one by one, then an answer."""

from __future__ import annotations

from hydra_kg.domain import Evidence, Exploration
from hydra_kg.steps.answering.recall import agreed, recalled
from hydra_kg.steps.answering.select_and_judge import judge_evidence
from hydra_kg.steps.context import Context
from hydra_kg.steps.exploration.analyse import analysed
from hydra_kg.steps.exploration.gather import Aim, gather
from hydra_kg.steps.text.entity_contexts import read
from hydra_kg.steps.text.sentence_retrieval import passages_of
from hydra_kg.strategies.base import Outcome
from hydra_kg.util.fast_dataclass import dataclass, replace


@dataclass(frozen=True)
class CoK:
    """Chain-of-Knowledge: sampled chains of thought whose rationales are corrected from sources.

    If at least the share ``agreement`` of the ``samples`` chains gives one answer, that answer is used. Otherwise the
    model chooses sources, and each rationale is corrected by what they state, given the rationales corrected before it.
    The answer is then read from all corrected rationales and their evidence.

    The rationales are the sub-questions of the analysis, at most ``rationales``. A correction is a path refinement.
    With ``queries`` the model writes what to search for: one query for facts and one for text. Without it the rationale
    is the query. The paper trains a model that writes SPARQL; here the words of the query are matched with relation
    paths. ToG-2 App. B.4 counts 11 calls. Here there are at most ``samples`` + 2 + 2 · ``rationales`` + 1 calls. The
    strategy is not defined without a model.
    """

    name: str = "cok"
    paper: str = "CoK (ICLR 2024, arXiv:2305.13269); ToG-2 App. B.4"
    samples: int = 5
    agreement: float = 0.5
    rationales: int = 3
    width: int = 3
    queries: bool = True
    needs_model: bool = True

    def run(self, context: Context) -> Outcome:
        """Prepare the reasoning, adapt the knowledge dynamically, and consolidate the answer."""
        analysis = context.agent.parse(context.question, (), d_max=1)
        known = agreed(context, analysis, samples=self.samples, think=True)
        if known.sufficient and known.confidence >= self.agreement:
            tried = recalled(context, replace(known, confidence=round(known.confidence / 2, 4)))
            return Outcome((), analysis, tried.conclusion, tried.judgement, recalled=True)
        context = replace(
            context, settings=context.settings.changed(agent={"selector": "call"}, pruning={"w_max": self.width})
        )
        mentions, analysis = analysed(context)
        corrected, collected, explorations = "", list[Evidence](), list[Exploration]()
        for number, part in enumerate(analysis.sub_questions[: self.rationales], 1):
            asked, facts = replace(analysis, question=part), ("kg",) if "kg" in analysis.sources else ()
            composed = context.agent.compose(asked, "query", (), notes=corrected) if self.queries else ()
            of_facts = replace(asked, indicator=composed[0]) if composed else asked
            found = gather(context, Aim(f"rationale {number}", part, of_facts, 1, facts))
            explorations.append(found.exploration)
            evidence = [c.evidence for c in found.candidates[: self.width]]
            if {"wiki", "web"} & set(analysis.sources):
                query = composed[-1] if len(composed) > 1 else part
                passages = passages_of(context, analysis.topics, query)
                wanted = replace(asked, question=query)
                evidence += read(context, wanted, passages, most=self.width, phase=f"rationale {number}")
            correction = context.agent.refine(asked, evidence)
            corrected = f"{corrected} {correction}".strip()
            collected += evidence
        tried = judge_evidence(context, analysis, collected, last=True, clues=corrected)
        return Outcome(mentions, analysis, tried.conclusion, tried.judgement, tuple(explorations), recalled=True)
