"""Extract the parts of an answer that people read: its sentence, how it was understood, what citations state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hydra_kg.citations import split_unchecked
from hydra_kg.pages.citation_numbers import name_of
from hydra_kg.pages.page import dialogue, readings, things
from hydra_kg.pages.scores import missing_sentence, verdict_sentence
from hydra_kg.phrases import arrow, relation_of
from hydra_kg.plan.query_wording import asked_words
from hydra_kg.serving.web.question_edits import question_edits
from hydra_kg.serving.web.sentences import plain_value, sentence_parts
from hydra_kg.text.literals import literal_text
from hydra_kg.text.plain_text import clean

Doc = Mapping[str, Any]
Json = dict[str, Any]

EMPTY: Final = "Nothing is loaded yet. Questions are answered from tables, texts and dumps that you load."
"""Why an empty store has no answer."""

STATED: Final = 4
"""Most statements that are listed for one citation."""


def readable(doc: Doc) -> Json:
    """Return the field ``readable`` of an answer's JSON over HTTP.

    - ``sentence``: parts of a statement (:func:`sentence_parts`)
    - ``values``: the answers as people write them
    - ``states``: what each place states, by number of citation
    - ``relations``: relations in words, by predicate
    - ``asked``: what was computed
    - ``relation``: key of the relation that a person chose, or ""
    - ``edits``: conditions and operators that can be changed, with the new questions (:func:`question_edits`)
    - ``reason``: reason for the verdict, or for silence
    - ``unchecked``, ``doubted``: parts of the question
    - ``names``: how each name was understood
    - ``about``: things to ask about next
    - ``dialogue``: how it follows another answer
    """
    asked, doubted = split_unchecked(doc["question"], doc.get("unchecked", ()))
    return {
        "sentence": sentence_parts(doc),
        "values": [plain_value(clean(a["name"])) for a in doc["answers"]],
        "states": _states(doc),
        "relations": {hop["predicate"]: clean(relation_of(hop)) for hop in _hops(doc)},
        "asked": _asked(doc),
        "relation": doc.get("manifest", {}).get("relation", ""),
        "edits": question_edits(clean(str(doc.get("understood_as") or doc["question"])), doc),
        "reason": _reason(doc),
        "unchecked": [clean(part) for part in asked],
        "doubted": [clean(part) for part in doubted],
        "names": readings(doc),
        "about": things(doc),
        "dialogue": dialogue(doc),
    }


def _reason(doc: Doc) -> str:
    if not doc["abstained"]:
        return verdict_sentence(doc)
    known = doc.get("manifest", {}).get("loads", True)
    return missing_sentence(doc.get("missing", "")) if known else EMPTY


def _asked(doc: Doc) -> str:
    """Return what was computed in words, which is a relation if a person chose one."""
    if doc.get("manifest", {}).get("relation"):
        return clean(doc["query"]["said"].removeprefix("what _ "))
    return asked_words(doc)


def _hops(doc: Doc) -> Iterator[Doc]:
    explored = (path for exploration in doc["explorations"] for path in exploration.get("paths", ()))
    for path in (*doc["paths"], *explored):
        yield from path["hops"]


def _unit(hop: Doc) -> str:
    """Return the unit of an amount, which tables state apart from it."""
    said = (value for source in hop["sources"] for name, value in source.get("qualifiers", ()) if name == "unit")
    return clean(literal_text(next(said, "")))


def _states(doc: Doc) -> dict[str, list[str]]:
    """Return "Titanic — directed by → James Cameron" for citations of hops, and the text for those of passages."""
    found: dict[int, list[str]] = {}
    for hop in _hops(doc):
        stated = (
            f"{name_of(hop['subject'])} {arrow(clean(relation_of(hop)))} {name_of(hop['object'])} {_unit(hop)}".rstrip()
        )
        for n in (s["n"] for s in hop["sources"] if s.get("n")):
            found.setdefault(n, []).append(stated)
    passages = [p.get("passage") for p in doc["paths"]] + [f["passage"] for f in doc.get("findings", ())]
    for passage in passages:
        if passage and passage.get("n"):
            found.setdefault(passage["n"], []).append(clean(passage["text"]))
    return {str(n): list(dict.fromkeys(rows))[:STATED] for n, rows in sorted(found.items())}
