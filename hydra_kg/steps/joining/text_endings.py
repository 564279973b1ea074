"""Completes a path in text: what stored passages state of an entity that the graph leads to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from hydra_kg.domain import Evidence, Hop, Passage, TextFinding
from hydra_kg.extract.clauses import MARK
from hydra_kg.steps.context import Context
from hydra_kg.steps.crosscheck.kinds_in_names import kinds_of_page
from hydra_kg.steps.crosscheck.sentence_findings import AskedRelation, read_findings
from hydra_kg.steps.crosscheck.sentence_mentions import Naming
from hydra_kg.steps.crosscheck.value_sentences import Subject, subject_title
from hydra_kg.steps.joining.split_questions import Halves, sought, sought_kinds
from hydra_kg.steps.retrieval.answer_type_filter import Kinds
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.recording import step

JOINING_ENTITIES: Final = 3  # entities at which graph and text are joined
_JOINING_PASSAGES: Final = 16  # passages that are read of each
_JOINING_NEAR: Final = 0.1  # how much less clearly a further value may be stated, to be an answer too


_OPENING: Final = 300  # characters of a page in which it is said what its subject is


@dataclass(frozen=True, slots=True)
class Ending:
    """A hop of the graph, and the sentences about its object, best first."""

    hop: Hop
    findings: tuple[TextFinding, ...]


def first_hops(context: Context, evidence: Iterable[Evidence], topics: Sequence[int], asked: Halves) -> list[Hop]:
    """Return the hops from what the question names, those first that match its inner half."""
    seen: dict[int, Hop] = {}
    for e in evidence:
        for h in e.path.hops[:1]:
            if h.facts and h.subject.id in topics and h.object.id not in topics:
                seen.setdefault(h.object.id, h)
    hops = list(seen.values())
    if not hops:
        return []
    inner = " ".join(w for w in asked.inner.split() if w != MARK)
    vectors = context.space.embedder.embed([inner, *(h.text for h in hops)])
    likes = (vectors[1:] @ vectors[0]).tolist()
    return [h for _, h in sorted(zip(likes, hops, strict=True), key=lambda x: -x[0])][:JOINING_ENTITIES]


@step("endings")
def endings(context: Context, hop: Hop, asked: Halves) -> Ending:
    """Return what passages about an object, or with its name, state for the outer half ("which *currency*")."""
    entity = context.entities([hop.object.id])[hop.object.id]
    outer = " ".join(w for w in asked.outer.split() if w != MARK)
    query = f"{entity.node.name} {outer}"
    found = context.snapshot.passages([hop.object.id], query=query, limit=_JOINING_PASSAGES)
    passages = [p for p in found if context.may(p.source.name)]
    subject = Subject(hop.object.id, Naming([entity.node.name, *entity.aliases]))
    reading = read_findings(
        AskedRelation(subject, (), (outer, outer), "name"), passages, embed=context.space.embedder.embed
    )
    noun, texts = sought(asked.outer), {p.id: p for p in passages}
    kinds = sought_kinds(asked)
    of_kind = [f for f in reading.differ if _is_asked(texts[f.passage.id], f, kinds, noun)]
    least = max((f.likeness for f in of_kind), default=0.0) - _JOINING_NEAR
    return Ending(hop, tuple(f for f in of_kind if f.likeness >= least))


def _is_asked(page: Passage, finding: TextFinding, kinds: Kinds, word: str) -> bool:
    """Return True if what a page is about is said to be what the question asks for."""
    if not word or fold(finding.value) != fold(subject_title(page.title)):
        return False
    stated = kinds_of_page(page.title, page.text)
    if kinds and stated:
        return bool(kinds & stated)
    return word in fold(page.text[:_OPENING]).split()
