"""Check the graph against text: compare its answer with what stored passages state of the same relation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from hydra_kg.domain import (
    Analysis,
    AnswerValue,
    Entity,
    Evidence,
    Hop,
    Node,
    Passage,
    Path,
    Scores,
    Source,
    TextFinding,
)
from hydra_kg.fusion.conflicts.conflict import Side, conflict_of, holders, is_less_specific
from hydra_kg.fusion.truth_discovery.mcc import Record
from hydra_kg.language.lexicon import list_words
from hydra_kg.phrases import phrase
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import Conclusion, value_of
from hydra_kg.steps.context import PASSAGES, Context
from hydra_kg.steps.crosscheck.by_model import read_by_model
from hydra_kg.steps.crosscheck.exclusive_values import believed, stated_value
from hydra_kg.steps.crosscheck.kinds_in_names import kinds_of_page, may_be_alike
from hydra_kg.steps.crosscheck.sentence_findings import AskedRelation, Reading, joined, read_findings
from hydra_kg.steps.crosscheck.sentence_mentions import Naming
from hydra_kg.steps.crosscheck.sentence_support import backed_hops, trust, voices, weight
from hydra_kg.steps.crosscheck.value_precision import role_of
from hydra_kg.steps.crosscheck.value_sentences import Sort, Subject, as_year, compared_value, subject_title
from hydra_kg.steps.graph.cut_hops import reversed_code
from hydra_kg.steps.operators.relations.equivalent_relations import profile
from hydra_kg.steps.retrieval.entity_types import Kinds, kinds_named, kinds_of, several
from hydra_kg.steps.text.sentence_retrieval import passages_of
from hydra_kg.steps.verification.verify import verdict
from hydra_kg.text.folding import fold
from hydra_kg.util.recording import step

_RIVAL_RELEVANCE: Final = 0.17  # relevance that the path to another value may have less than the first, to be weighed
_TEXT_AGAINST: Final = 0.4  # cosine from which text opposes what independent sources of the graph agree on
_TEXT_AGREED: Final = 2  # independent sources of an answer from which text must be as clear as text_against
_TEXT_CLEARER: Final = 0.05  # by how much clearer text must state another value, where it states both
_TEXT_FAR_CLEARER: Final = 0.2  # the same of several other values, where several are possible
_TEXT_ALONE: Final = 0.5  # cosine from which text that states no answer opposes several with one other value
_SEVERAL_SHARE: Final = 0.5  # share of subjects with one object up to which a relation has several (text)
_SEVERAL_SUBJECTS: Final = 5  # subjects of which that share is taken, at least
_SINGLE_SHARE: Final = 0.8  # share of subjects with one object from which a relation has one (text)
_SINGLE_SUBJECTS: Final = 3  # subjects below which nothing is known of that
NAMESAKES: Final = 10
"""Entities of one name that are looked at."""

NO_PLACE: Final = list_words("abstract_kind") | {"work"}
"""Kinds of thing in which nothing lies."""

PEOPLE: Final = frozenset({"person", "character", "group"})
"""Kinds of thing that "who" asks for."""

_PRESENT: Final = re.compile(r"\b(?:is|are|does|do|has|now|today|current|currently)\b")
_WHEN: Final = re.compile(r"\bwhen\b|\b(?:what|which) (?:year|date)\b")
_BEFORE: Final = re.compile(r"\b(?:was|were|did|had|been|former|formerly)\b")


@step("check_text")
def text_checked(context: Context, analysis: Analysis, end: Conclusion, *, looked_up: bool = False) -> Conclusion:
    """Check a conclusion against retrieved passages and against those about its subject and answers.

    Sources that agree back the conclusion and sources with other values oppose it; their learned trust decides. A model
    reads the passages if the rules find no contradiction. Computed answers are not checked unless ``looked_up``.
    """
    settings = context.settings.verification
    last = None if end.computation and not looked_up else _last_hop(analysis, end)
    if last is None or not (settings.text or end.rivals):
        return end
    subject = last.subject.id
    rivals = _near_enough(end) if settings.rivals else ()
    ids = [*(a.node.id for a in end.answers if a.node is not None), *(r.answers[0].id for r in rivals)]
    known = context.entities([subject, *ids])
    reads = settings.text and "wiki" in context.kinds
    passages = _passages(context, analysis, [subject, *ids]) if reads else []
    asked = _asked(context, analysis, end, last, known, passages)
    embed = context.space.embedder.embed
    read = partial(read_findings, passages=passages, embed=embed)
    reading = read(asked)
    backed = backed_hops(end.evidence, reading.backing, settings)
    if rivals and len(end.answers) == 1:
        own = [replace(asked, values=(compared_value(value_of(r.answers[0], 0.0), known),)) for r in rivals]
        theirs = [stated_value(r, read(a).backing) for r, a in zip(rivals, own, strict=True)]
        for v in theirs:
            backed = {**backed, **backed_hops([v.evidence], v.backing, settings)}
        turned = believed(context, end, [stated_value(end.evidence[0], reading.backing), *theirs])
        if turned is not end:
            ids = [a.node.id for a in turned.answers if a.node is not None]
            end, last = turned, turned.evidence[0].path.hops[-1]
            known = {**context.entities([last.subject.id]), **known}
            asked = _asked(context, analysis, end, last, known, passages)
            reading = read(asked)
    if not passages:
        return end
    end = replace(end, backed=backed)
    texts = {p.id: p for p in passages}

    def weighed(found: Reading) -> Conclusion:
        narrow = _not_broader(context, ids, end, found.differ)
        differ = _of_its_kind(context, asked, narrow, texts, _wanted(analysis))
        differ = tuple(
            f
            for f in differ
            if f.node not in analysis.topics and not _other_than_asked(analysis, texts.get(f.passage.id), f)
        )
        differ = () if differ and _open_list(context, analysis, end, last) else differ
        return _weighed(context, end, last, replace(found, differ=differ))

    by_rules = weighed(reading)
    if settings.reader == "rules" or any(f.stance == "differs" for f in by_rules.findings):
        return by_rules
    by_model = read_by_model(context, analysis, asked, passages)
    return weighed(joined(reading, by_model)) if by_model is not None else by_rules


def _near_enough(end: Conclusion) -> Sequence[Evidence]:
    """Return the paths to other values whose relations fit the question about as well as that of the answer."""
    least = max((e.scores.relevance for e in end.evidence[:1]), default=0.0) - _RIVAL_RELEVANCE
    return [r for r in end.rivals if r.scores.relevance >= least]


def _last_hop(analysis: Analysis, end: Conclusion) -> Hop | None:
    """Return the hop that states the first answer, or None if something other than a hop gives the answer."""
    if not end.answers or analysis.kind in {"count", "boolean"} or not end.evidence:
        return None
    hops = end.evidence[0].path.hops
    return hops[-1] if (hops and end.evidence[0].path.passage is None) or (hops and hops[-1].facts) else None


def _passages(context: Context, analysis: Analysis, nodes: Sequence[int]) -> list[Passage]:
    """Return the passages retrieved for the question, and those stored about subject and answers, each once."""
    limit = PASSAGES
    about = context.snapshot.passages(list(nodes), limit=limit * 3)
    found = [
        *passages_of(context, analysis.topics, context.question),
        *(p for p in about if context.may(p.source.name)),
    ]
    return list({(p.id, p.text): p for p in found}.values())


def _asked(
    context: Context,
    analysis: Analysis,
    end: Conclusion,
    last: Hop,
    known: Mapping[int, Entity],
    passages: Sequence[Passage],
) -> AskedRelation:
    """Return what to look for in the passages; namesakes are looked up only if there are passages."""
    entity = known[last.subject.id]
    hits = context.snapshot.find([entity.node.name], limit=NAMESAKES)[0] if passages else ()
    shared = any(h.node != last.subject.id and h.how == "name" and h.degree > entity.degree for h in hits)
    subject = Subject(last.subject.id, Naming([entity.node.name, *entity.aliases]), shared, entity.node.name)
    values = [compared_value(a, known) for a in end.answers]
    if _WHEN.search(context.question.casefold()):
        values = [as_year(v) for v in values]
    sorts: set[Sort] = {"date" if v.day else "number" if v.number is not None else "name" for v in values}
    wordings = (analysis.indicator, phrase(last.predicate, last.text), last.text)
    low = context.question.casefold()
    now = _PRESENT.search(low) is not None and _BEFORE.search(low) is None
    return AskedRelation(
        subject, tuple(values), wordings, sorts.pop() if len(sorts) == 1 else "name", now, role_of((low, last.text))
    )


def _not_broader(
    context: Context, ids: Sequence[int], end: Conclusion, differ: Sequence[TextFinding]
) -> tuple[TextFinding, ...]:
    """Return the findings that do not only say less or more than an answer, as England does for London."""
    nodes = [f.node for f in differ if f.node]
    around = holders(context.snapshot, [*ids, *nodes]) if differ and (ids or nodes) else {}
    general = partial(is_less_specific, containers=around)
    ours = [a.name for a in end.answers]
    return tuple(f for f in differ if not any(general(f.value, o) or general(o, f.value) for o in ours))


def _of_its_kind(
    context: Context,
    asked: AskedRelation,
    differ: Sequence[TextFinding],
    passages: Mapping[str, Passage],
    wanted: Kinds,
) -> tuple[TextFinding, ...]:
    """Return findings whose value is not known to be of another kind than the answers, or than is asked for."""
    ids = [v.node for v in asked.values if v.node]
    nodes = [f.node for f in differ if f.node]
    if not ids or not differ:
        return tuple(differ)
    heads = kinds_of(context, np.unique(np.array([*ids, *nodes], np.int64)))

    def kinds(node: int) -> frozenset[str]:
        return frozenset[str]().union(*map(kinds_named, heads.get(node, ())))

    ours = frozenset[str]().union(*map(kinds, ids))
    if not ours:  # "Black Sea" says it itself
        ours = frozenset[str]().union(*(kinds_named(v.name) for v in asked.values if " " in v.name)) or wanted

    def kinds_stated(f: TextFinding) -> frozenset[str]:
        page = passages.get(f.passage.id)
        about = page is not None and fold(f.value) == fold(subject_title(page.title))
        of_page = kinds_of_page(page.title, page.text) if page is not None and about else frozenset[str]()
        return (kinds(f.node) if f.node else frozenset()) or of_page

    return tuple(f for f in differ if may_be_alike(kinds_stated(f), ours))


def _wanted(analysis: Analysis) -> Kinds:
    """Return the kinds of thing that a question names: those of a river for "which river"."""
    return analysis.answer_kinds or kinds_named(analysis.answer_noun)


def _other_than_asked(analysis: Analysis, page: Passage | None, finding: TextFinding) -> bool:
    """Return True if the page's subject is of a kind that the question does not ask for: no person is a birthplace."""
    if page is None or fold(finding.value) != fold(subject_title(page.title)):
        return False
    page_kinds = kinds_of_page(page.title, page.text)
    if analysis.answer_type == "location":
        return bool(page_kinds) and page_kinds <= NO_PLACE
    return not may_be_alike(
        page_kinds, _wanted(analysis) or (PEOPLE if analysis.answer_type == "person" else frozenset())
    )


def _open_list(context: Context, analysis: Analysis, end: Conclusion, last: Hop) -> bool:
    """Return True if several values are asked for and each answer has one such relation: others contradict nothing."""
    if len(end.answers) < 2 or not several(analysis.answer_noun):
        return False
    return _of_one_thing(context, last)


def _of_one_thing(context: Context, last: Hop) -> bool:
    """Return True if each value of a relation belongs to one thing, as a book to its author."""
    share, known = _single(context, last.predicate, back=True)
    return known >= _SINGLE_SUBJECTS and share >= _SINGLE_SHARE


def _weighed(context: Context, end: Conclusion, last: Hop, reading: Reading) -> Conclusion:
    """Return the conclusion after both sides are weighed."""
    limits = context.settings.verification
    stating = _enough(end, reading.backing)
    backing = voices(stating, limits)
    # A passage that only names subject and answer backs nothing.
    stated = {f.source.group for e in end.evidence for h in e.path.hops for f in h.facts} | set(backing)
    supporting = {o: rho for o, rho in end.supporting.items() if o in stated} or end.supporting
    supporting = supporting | {o: max(f.passage.source.rho, supporting.get(o, 0.0)) for o, f in backing.items()}
    kinds = end.kinds | {f.passage.source.kind for f in backing.values()}
    reading = _outweighing(end, reading)
    if not reading.differ or not _contradicts(context, end, last, reading):
        return replace(end, supporting=supporting, kinds=kinds, findings=stating)
    findings = (*stating, *reading.differ)
    against = voices(reading.differ, limits)
    opposing = end.opposing | {o: max(f.passage.source.rho, end.opposing.get(o, 0.0)) for o, f in against.items()}
    contested = replace(end, supporting=supporting, opposing=opposing, kinds=kinds, findings=findings)
    return _named(context, contested, last, reading, tuple(against.values()))


def _outweighing(end: Conclusion, reading: Reading) -> Reading:
    """Return the reading without weak signs of another value, if independent sources state the answer."""
    if len(end.supporting) < _TEXT_AGREED:
        return reading
    return replace(reading, differ=tuple(f for f in reading.differ if f.likeness >= _TEXT_AGAINST))


def _enough(end: Conclusion, backing: Sequence[TextFinding]) -> tuple[TextFinding, ...]:
    """Return the backing sentences if they state enough of the values, else ().

    They must state half of the values or more, and more than half if the first is not among them.
    """
    said = {fold(f.value) for f in backing}
    missing = len(end.answers) - 2 * len(said) + (fold(end.answers[0].name) not in said)
    return tuple(backing) if missing <= 0 else ()


def _contradicts(context: Context, end: Conclusion, last: Hop, reading: Reading) -> bool:
    """Return True if other values in the text contradict the answers.

    If the text states no answer, one other value contradicts; where a relation may have several values, one that is
    stated clearly, unless it is of one thing alone (a book has one author), or two. If the text states an answer too,
    another value contradicts where only one is possible and it is stated more clearly, and two or more other values
    contradict where they are stated far more clearly.
    """
    share, known = _single(context, last.predicate)
    several = len(end.answers) > 1 or (known >= _SEVERAL_SUBJECTS and share <= _SEVERAL_SHARE)
    others = len({fold(f.value) for f in reading.differ})
    if not reading.agree:
        clear = reading.lead >= _TEXT_ALONE and not _of_one_thing(context, last)
        return others > 1 or not several or clear
    one = len(end.answers) == 1 and (known < _SINGLE_SUBJECTS or share >= _SINGLE_SHARE)
    clearer = reading.model_differs or reading.lead >= _TEXT_CLEARER
    return (one and clearer) or (others > 1 and reading.lead >= _TEXT_FAR_CLEARER)


def _single(context: Context, predicate: str, *, back: bool = False) -> tuple[float, int]:
    """Return the share of things that have one value of a relation, and the number of things.

    With ``back``, the objects are counted instead of the subjects.
    """
    keys, base = context.stored.predicates().keys, context.space.base
    legs = []
    for key in predicate.split("./"):
        name = key.removeprefix("^")
        if name not in keys:
            return 0.0, 0
        legs.append(2 * keys.index(name) + (not key.startswith("^")))
    code = legs[0] if len(legs) == 1 else (legs[0] + 1) * base + legs[1]
    return profile(context.stored, base).single(reversed_code(code, base) if back else code)


def _named(
    context: Context, end: Conclusion, last: Hop, reading: Reading, against: Sequence[TextFinding]
) -> Conclusion:
    """Return the conclusion with the contradiction in words and the side that is believed first."""
    records = context.services.records()
    stating = [f.source for e in end.evidence[:1] for f in e.path.hops[-1].facts if f.source.rho > 0]
    ours = [*stating, *(f.passage.source for f in reading.backing)]
    theirs = [f.passage.source for f in against]
    says = {fold(f.value): (f.value, set[str]()) for f in reading.differ}
    for f in reading.differ:
        says[fold(f.value)][1].add(f.passage.source.name)
    dissent = tuple(f"{', '.join(sorted(w))} {'says' if len(w) == 1 else 'say'} {name}" for name, w in says.values())
    names = tuple(sorted({s.name for s in ours}))
    mine = Side(end.answers[0].name, names, weight=weight(ours, records))
    others = [Side(n, tuple(sorted(w)), weight=weight(theirs, records) / len(says)) for n, w in says.values()]
    conflict = conflict_of([mine, *others])
    decided = verdict(end.supporting, end.opposing)[0] not in ("contested", "contradicted")
    sentence = conflict.sentence if conflict is not None and not decided else ""
    why = _why(ours, theirs, records)
    end = replace(end, dissent=(*end.dissent, *dissent, *([why] if why else [])), sentence=end.sentence or sentence)
    moved = any(s.name in records for s in (*ours, *theirs))
    if moved and weight(theirs, records) > weight(ours, records):
        return _turned(context, end, against[0], ours)
    return end


def _why(ours: Sequence[Source], theirs: Sequence[Source], records: Mapping[str, Record]) -> str:
    """Return which side is believed and by what weight, or "" if nothing was learned about the sources."""
    if not any(s.name in records for s in (*ours, *theirs)):
        return ""
    pro, con = weight(ours, records), weight(theirs, records)
    sides = [_who(ours, records), _who(theirs, records)]
    first, second = sides if pro >= con else sides[::-1]
    return f"believed is {first}, by what was confirmed of it, over {second}"


def _who(sources: Sequence[Source], records: Mapping[str, Record]) -> str:
    named = {s.name: trust(s, records) for s in sources}
    return ", ".join(f"{name} ({t:.2f})" for name, t in sorted(named.items()))


def _turned(context: Context, end: Conclusion, best: TextFinding, ours: Sequence[Source]) -> Conclusion:
    """Return what the text states as the answer, against what the graph states."""
    if best.node:
        entity = context.entities([best.node])[best.node]
        node: Node = entity.node
        answer = AnswerValue(node.name, node, None, entity.keys, best.likeness)
    else:
        node = literal_node(f'"{best.value}"')
        answer = AnswerValue(best.value, None, None, (), best.likeness)
    source = best.passage.source
    numbers = Scores(best.likeness, f1=source.rho, cross=best.likeness)
    path = Evidence(Path((), best.passage), numbers, "text", True, "stated by text", (node,), (source.group,))
    dissent = (f"{', '.join(sorted({s.name for s in ours}))} says {end.answers[0].name}", *end.dissent[-1:])
    return replace(
        end,
        answers=(answer,),
        evidence=(path, *end.evidence),
        supporting=end.opposing,
        opposing=end.supporting,
        kinds=frozenset({source.kind}),
        dissent=dissent,
        findings=tuple(
            replace(f, stance="agrees" if fold(f.value) == fold(best.value) else "differs") for f in end.findings
        ),
    )
