"""ToG-R (Sun et al., ICLR 2024, §2.3): relation chains, whose entities are drawn at random instead of scored."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.domain import Evidence
from hydra_kg.steps.answering.candidates import Leading
from hydra_kg.steps.beam.beam_search import draw_entities
from hydra_kg.steps.beam.frontier import Branch, Frontier, PathWalk
from hydra_kg.strategies.tog.strategy import ToG
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True)
class ToGR(ToG):
    """ToG over relation chains: entities are drawn with the seed instead of scored (ToG §2.3).

    The chains are judged with the entities that they lead to. At most WD + D + 1 calls are made.
    """

    name: str = "tog-r"
    paper: str = "ToG-R (ICLR 2024), §2.3"

    def _entities(self, search: Frontier, branches: Sequence[Branch]) -> tuple[list[PathWalk], list[PathWalk]]:
        return draw_entities(search, branches, width=self.width), []

    def _evidence(
        self, search: Frontier, branches: Sequence[Branch], beam: Sequence[PathWalk], phase: str
    ) -> tuple[list[Evidence], Leading]:
        return search.sets(branches, phase=phase)
