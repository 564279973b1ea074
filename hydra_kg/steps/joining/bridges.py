"""Bridge entities between pages and graph, and paths that stored passages continue behind the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hydra_kg.domain import Evidence, Hop, Node, Passage, TextFinding
from hydra_kg.extract.clauses import MARK
from hydra_kg.extract.mentions import plain_title
from hydra_kg.steps.context import Context
from hydra_kg.steps.crosscheck.kinds_in_names import kinds_of_page
from hydra_kg.steps.crosscheck.named_values import names_in
from hydra_kg.steps.crosscheck.sentence_findings import AskedRelation, read_findings
from hydra_kg.steps.crosscheck.sentence_mentions import Naming
from hydra_kg.steps.crosscheck.value_sentences import Subject, masked, subject_title
from hydra_kg.steps.joining.split_questions import Halves, sought, sought_kinds
from hydra_kg.steps.retrieval.entity_types import Kinds, kinds_named
from hydra_kg.steps.text.sentence_retrieval import PassageSentence, sentence_spans
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.recording import step

_JOINING_PAGES: Final = 3  # pages about a name that are read to join graph and text
_JOINING_SENTENCES: Final = 8  # sentences that are read of each, from its beginning
_JOINING_ORDER: Final = 0.01  # likeness that each later sentence loses
_JOINING_CALLED: Final = 0.2  # likeness that a sentence gains that says "musician Brad Paisley" of a musician
_HITS: Final = 6
_MOST: Final = 24
"""Sentences with a name that are compared."""

JOINING_ENTITIES: Final = 3  # entities at which graph and text are joined
_JOINING_PASSAGES: Final = 16  # passages that are read of each
_JOINING_NEAR: Final = 0.1  # how much less clearly a further value may be stated, to be an answer too
_OPENING: Final = 300  # characters of a page in which it is said what its subject is


@dataclass(frozen=True, slots=True)
class Bridge:
    """A thing that a sentence links with a name, and how near the sentence is to the question."""

    node: Node
    sentence: PassageSentence
    likeness: float


def pages_about(context: Context, name: str, node: int | None = None) -> list[Passage]:
    """Return the stored passages about a class or, without a class, those of pages with this name as title."""
    most = _JOINING_PAGES
    if node is not None:
        about = context.snapshot.passages([node], limit=2 * _HITS)
        return [p for p in about if p.node == node and context.may(p.source.name)][:most]
    found = context.snapshot.passages([], query=name, limit=2 * _HITS)
    wanted = _bare(name)
    return [p for p in found if context.may(p.source.name) and _bare(plain_title(p.title)) == wanted][:most]


def _bare(name: str) -> str:
    return fold(name).removeprefix("the ")


@step("bridges")
def bridges(context: Context, pages: Sequence[Passage], asked: Halves) -> list[Bridge]:
    """Return the things that sentences of the pages link with the name.

    They are ordered by how near the sentence, without both names, is to the inner half of the question.
    """
    said = [(s, n) for p in pages for s in _sentences(p, _JOINING_SENTENCES) for n in _named(s, p)][: 2 * _MOST]
    hits = context.snapshot.find(list(dict.fromkeys(n for _, n in said)), limit=1) if said else []
    nodes = {n: h[0].node for n, h in zip(dict.fromkeys(n for _, n in said), hits, strict=True) if h}
    entities = context.entities(list(nodes.values()))
    known = [(s, n) for s, n in said if n in nodes][:_MOST]
    if not known:
        return []
    inner = asked.inner.replace(MARK, " ")
    texts = [_without_names(s) for s, _ in known]
    vectors = context.space.embedder.embed([inner, *texts])
    likes = (vectors[1:] @ vectors[0]).tolist()
    best: dict[int, Bridge] = {}
    for rank, ((s, n), like) in enumerate(zip(known, likes, strict=True)):
        node = entities[nodes[n]].node
        gain = _JOINING_CALLED if _called_so(s.text, n, asked.noun) else 0.0
        bridge = Bridge(node, s, like - _JOINING_ORDER * rank + gain)
        if node.id not in best or best[node.id].likeness < bridge.likeness:
            best[node.id] = bridge
    return sorted(best.values(), key=lambda b: -b.likeness)


def _called_so(text: str, name: str, noun: str) -> bool:
    """Return True if a sentence calls the name by the noun: "musician Brad Paisley", "the state of Kentucky"."""
    low = fold(text)
    return bool(noun) and any(f"{noun}{link}{fold(name)}" in low for link in (" ", " of "))


def _sentences(page: Passage, most: int) -> Iterator[PassageSentence]:
    """Yield the first sentences of a page, because a page says early what its subject belongs to."""
    for start, end in list(sentence_spans(page.text))[:most]:
        yield PassageSentence(page, page.text[start:end].strip(), start, end)


def _named(sentence: PassageSentence, page: Passage) -> list[str]:
    own = set(fold(page.title).split())
    found = [n.text for n in names_in(sentence.text)]
    return [n for n in found if not set(fold(n).split()) <= own and not kinds_named(n) & {"language"}]


def _without_names(sentence: PassageSentence) -> str:
    return masked(sentence.text, [(n.start, n.end) for n in names_in(sentence.text)])


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
