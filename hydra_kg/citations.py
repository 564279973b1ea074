"""Build the sentence of an answer and its numbered citations from the evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from hydra_kg.domain import AnswerValue, Citation, Evidence, Fact, Passage
from hydra_kg.language.morphology import singular
from hydra_kg.language.units import unit_dimensions
from hydra_kg.phrases import phrase
from hydra_kg.plan.model import Aggregate, Difference, Root
from hydra_kg.text.folding import fold
from hydra_kg.text.literals import literal_text
from hydra_kg.text.quantities import read_unit

NOTHING: Final = "No answer in these sources."
"""The sentence for a question without an answer."""

COURTESY: Final = "you are welcome: ask the next question when you like"
"""Reply to thanks and greetings."""

_REGION: Final = re.compile(r"(?<=[a-z)])(?<!\bnon)(?<!\bpro)(?<!\banti)-(?:GB|US)(?![\w-])")

_ROW: Final = re.compile(r"[\w.-]+:([^\W\d][\w -]*)#(\d+)")
"""Key of a row without a name: ``feed:table#number``."""

EvidenceClass = Literal["KG only", "LLM-inspired KG", "KG-inspired LLM", ""]
"""Where an answer comes from (PoG App. B.2)."""


def label_of(name: str) -> str:
    """Return a name as people would say it.

    The language region that Freebase's dump appended to some names is left out: ``Writer-GB``. A row that only has a
    key is its noun and number: "rating 10" for ``shop:ratings#10``. Use it for display only: names are compared as the
    sources have them.
    """
    row = _ROW.fullmatch(name)
    return f"{singular(row[1].replace('_', ' '))} {row[2]}" if row else _REGION.sub("", name)


def sentence_for(answers: Sequence[AnswerValue]) -> str:
    """Return the answers as one line, each once: ``A``, ``A and B``, ``A, B and 5 kg``; "" for none."""
    names = list(dict.fromkeys(amount_text(a.name, a.unit) for a in answers))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def amount_text(name: str, unit: str) -> str:
    """Return an answer with its unit; a computed amount gets two decimals.

    Example: ``35.6142857143``, EUR → ``35.61 EUR``.
    """
    long = unit and re.fullmatch(r"-?\d+\.\d{7,}", name)
    return f"{float(name):.2f} {unit}" if long else f"{name} {unit}".rstrip()


def add_units(
    answers: Sequence[AnswerValue], evidence: Sequence[Evidence], query: Root | None
) -> tuple[AnswerValue, ...]:
    """Return the answers with the units of their amounts.

    The unit comes from the facts that state an amount, or from the facts that a sum or mean is computed from, else from
    the relation, if it names one: "height in metres". Example: 60 gets "EUR" for the rent of a plot, no matter where
    the question began.
    """
    hops = [h for e in evidence for h in e.path.hops]
    facts = [f for h in hops for f in h.facts]
    computed = isinstance(query, Aggregate) or (isinstance(query, Difference) and not query.unit)

    def unit_of(value: str) -> str:
        own = _unit([f for f in facts if f.object == value or (computed and _is_amount(f))])
        stating = [h for h in hops if any(f.object == value for f in h.facts)]
        said = [phrase(h.predicate, h.text).rpartition(" in ") for h in stating]
        return own or min((unit for _, between, unit in said if between and unit_dimensions().get(unit)), default="")

    return tuple(
        replace(a, unit=unit_of(a.value)) if a.value is not None and not read_unit(a.name) else a for a in answers
    )


def _is_amount(fact: Fact) -> bool:
    return fact.object.endswith(("xsd:integer", "xsd:decimal")) or bool(read_unit(literal_text(fact.object)))


def _unit(facts: Sequence[Fact]) -> str:
    """Return the unit that all facts share, or "" if one has none or they differ."""
    units = {_unit_of(f) for f in facts}
    return units.pop() if len(units) == 1 else ""


def _unit_of(fact: Fact) -> str:
    qualified = next((literal_text(value) for name, value in fact.qualifiers if name == "unit"), "")
    return qualified or read_unit(literal_text(fact.object))


def citations_of(evidence: Sequence[Evidence], passages: Iterable[Passage] = ()) -> tuple[Citation, ...]:
    """Return numbered citations, one for each place that the evidence uses.

    Places in the evidence come first, in order of first use. The places of the other passages follow.
    """
    places: dict[tuple[str, str], Citation] = {}
    for e in evidence:
        for fact in (f for h in e.path.hops for f in h.facts):
            key = fact.source.name, str(fact.locator)
            if key not in places:
                places[key] = Citation(
                    len(places) + 1, *(fact.source.name, fact.locator), f"{fact.id:015x}", fact.locator.url
                )
        if p := e.path.passage:
            _cite(places, p)
    for passage in passages:
        _cite(places, passage)
    return tuple(places.values())


def _cite(places: dict[tuple[str, str], Citation], passage: Passage) -> None:
    """Add the place of a passage."""
    number = len(places) + 1
    place = passage.locator
    places.setdefault((passage.source.name, str(place)), Citation(number, passage.source.name, place, "", place.url))


def evidence_class(label: str, phases: Collection[str]) -> EvidenceClass:
    """Return the class of an answer by its label and the phases of its paths (PoG App. B.2).

    Return "" if there is no answer, and for an answer that texts verified, which the paper does not have.

    KG-inspired LLM: the paths did not reach the answer, and the model added what it knows.
    LLM-inspired KG: the answer was found on a path towards an answer that the model predicted.
    KG only: the answer was found without a prediction.
    """
    if label == "llm":
        return "KG-inspired LLM"
    if not set(label.split("+")) <= {"kg", "table"}:
        return ""
    return "LLM-inspired KG" if "predicted" in phases else "KG only"


ClueClass = Literal["direct", "triple", "doc", "both", ""]
"""What gave the clues of an answer (ToG-2 Tables 4 and 6)."""


def clue_class(label: str) -> ClueClass:
    """Return which kinds of source gave the clues of an answer, from its label.

    - ``direct``: the model's own knowledge
    - ``triple``: facts alone
    - ``doc``: texts alone
    - ``both``: facts and texts
    - "": no answer

    The authors of ToG-2 classed fifty answers by hand.
    """
    kinds = {k for k in label.split("+") if k}
    facts, texts = bool(kinds & {"kg", "table"}), bool(kinds & {"wiki", "web"})
    if facts or texts:
        return "both" if facts and texts else "triple" if facts else "doc"
    return "direct" if "llm" in kinds else ""


def split_unchecked(question: str, conditions: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the conditions that an answer was not checked against into two lists.

    The first list holds words of the question itself. The second holds doubts about the sources, such as "whether
    these are all (4 are stated)".
    """
    said = set(fold(question).split())
    asked = [c for c in conditions if len(words := fold(c).split()) <= _FEW or said.issuperset(words)]
    return asked, [c for c in conditions if c not in asked]


_FEW: Final = 2
"""A condition of so few words may be in the question in other words: "when" for "in what year"."""

VERDICTS: Final = {
    "supported": "independent sources agree",
    "single-source": "one source states it",
    "partial": "part of the question could not be checked",
    "contested": "sources differ",
    "contradicted": "more is stated against it than for it",
    "unsupported": "no source states it",
}
"""The meaning of each verdict of design §6, for people."""


_ORIGINS: Final = {"kg": "graphs", "wiki": "texts", "web": "the web", "table": "tables", "llm": "the model alone"}


def origin_words(label: str) -> str:
    """Return what verified an answer, for people: "kg+web" → "graphs and the web"."""
    *before, last = (_ORIGINS.get(part, part) for part in label.split("+"))
    return f"{', '.join(before)} and {last}" if before else last


def list_quoted_words(conditions: Sequence[str]) -> str:
    """Return quoted words as a list: “before”, “in 1999” and “president of”."""
    quoted = [f"“{c}”" for c in conditions]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}" if quoted else ""


def not_checked(conditions: Sequence[str]) -> str:
    """Return the sentence that names the conditions that were not checked, or "" if there are none.

    A condition that is part of another one is left out.

    Example: ``I could not check “before” and “president of” against these sources.``
    """
    whole = [c for c in conditions if not any(c != other and c in other for other in conditions)]
    return f"I could not check {list_quoted_words(whole)} against these sources." if whole else ""


SURE: Final = 0.8
"""Least confidence of an answer that is called sure."""


def how_sure(confidence: float) -> str:
    """Return the word for a confidence: sure, fairly sure or not sure."""
    return "sure" if confidence >= SURE else "fairly sure" if confidence >= 0.5 else "not sure"


_CERTAIN: Final = ("supported", "single-source", "unsupported")
"""Verdicts that do not say how sure an answer is. The others say themselves what is not sure."""


def certainty(verdict: str, confidence: float, checked: str = "") -> list[str]:
    """Return what the verdict means, or what was checked, and how sure the answer is if the verdict does not say.

    Example: ``["supported: independent sources agree", "sure"]``. The terminal, JSON, page and retrievers use it.
    """
    meaning = checked or f"{verdict}: {VERDICTS.get(verdict, '')}"
    return [meaning, how_sure(confidence)] if verdict in _CERTAIN else [meaning]


def certainty_of(doc: Mapping[str, Any]) -> str:
    """Return the sentence of :func:`certainty` for an answer's JSON, which earlier versions wrote without it."""
    words = certainty(doc["verdict"], doc["confidence"] or 0)
    return doc.get("certainty") or " · ".join(words[:1] if doc["abstained"] else words)


Decided = Literal["answer", "partial", "perhaps", "silence"]


def decision_of(verdict: str, *, abstained: bool, perhaps: bool) -> Decided:
    """Return what was decided: an answer, a partial one, values that may be right, or silence."""
    if abstained:
        return "perhaps" if perhaps else "silence"
    return "partial" if verdict == "partial" else "answer"
