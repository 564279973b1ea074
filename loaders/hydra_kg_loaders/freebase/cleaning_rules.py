"""The published cleaning of the Freebase dump as named rules, by predicate and kind of line.

Sources: Färber et al. and the dump's own documentation for the syntax; "Creating Variants of Freebase for Robust
Development of Intelligent Tasks on Knowledge Graphs" (ISWC 2023) for metadata domains, reverse triples and the
definition of a mediator; the filter of English triples that question answering systems share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hydra_kg.ingest.contract.choices import Rule
from hydra_kg.ingest.contract.lines import FIRST_KIND
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg_loaders.freebase.schema import Schema

# Kinds of objects, from FIRST_KIND …
NODE: Final = FIRST_KIND  # m.… or g.…
TERM: Final = FIRST_KIND + 1  # another name of the ns/ name space: a type, a property
OTHER: Final = FIRST_KIND + 2  # another IRI, a blank node
LITERAL: Final = FIRST_KIND + 3  # a literal without language or in a wanted one
FOREIGN: Final = FIRST_KIND + 4  # a literal in another language
# … plus one of these for the subject.
SCHEMA: Final = 8  # a path of the ns/ name space
ELSEWHERE: Final = 16  # another IRI, a blank node

LINK, VALUE, NAME = 1, 2, 3
NAMES: Final = {"type.object.name": "name", "common.topic.alias": "alias", "common.topic.description": "description"}
LABEL: Final = "http://www.w3.org/2000/01/rdf-schema#label"
RDF_TYPE: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
TYPE: Final = "type.object.type"
TITLE_KEY: Final = "key/wikipedia.en_title"

_METADATA: Final = frozenset({"common.notable_for.display_name"})
_METADATA_DOMAINS: Final = frozenset({"type", "freebase", "dataworld", "pipeline", "kp_lw", "kg"})
_NO_METADATA: Final = frozenset({"type.object.name", TYPE})
BULKY: Final = ("common.notable_for.display_name", "type.object.key", "type.type.instance")
"""Metadata predicates with more than 100 million lines each. The terms of these lines are not read."""

RULES: Final[Mapping[str, Rule]] = {
    "schema": Rule(
        "drop what is said about types and properties (subjects that are schema, by path or by machine id);"
        " their declarations are read all the same"
    ),
    "metadata": Rule(
        "drop administrative facts: keys, creators, permissions, timestamps, notable-for display names,"
        " instance lists, and the domains type, freebase, dataworld, pipeline, kp_lw and kg"
    ),
    "labels": Rule("drop rdfs:label, which repeats type.object.name"),
    "types": Rule("drop rdf:type, which repeats type.object.type"),
    "keys": Rule("drop keys of other data bases (key/…) but the English Wikipedia title, and decode that"),
    "language": Rule("drop literals in other languages than English (or those asked for)"),
    "reverse": Rule("turn facts stated by a reverse property to the canonical direction; the twins become duplicates"),
    "numbers": Rule("give untyped numbers and booleans their datatype"),
    "mediators": Rule("call a nameless node with a mediator type a mediator (and a nameless one without any type)"),
}


@dataclass(frozen=True, slots=True)
class Act:
    """What to do with the lines of a predicate and a kind of object.

    Attributes:
        stream: The stream of the lines, or 0 if ``rule`` drops them.
        rule: The rule that drops the lines.
        predicate: The predicate of the facts.
        flip: Whether subject and object are exchanged.
        typed: The datatype for untyped numbers ("any": by the form of the literal).
    """

    stream: int
    rule: str = ""
    predicate: str = ""
    flip: bool = False
    typed: str = ""


def decide(predicate: str, kind: int, *, rules: Mapping[str, bool], schema: Schema) -> Act:
    """Return what to do with a predicate (key) and a kind of line.

    This is a pure function, defined for all arguments.
    """
    what = kind & 7
    if kind & SCHEMA and rules["schema"]:
        return Act(0, "schema")
    if rules["metadata"] and is_metadata(predicate):
        return Act(0, "metadata")
    if predicate == LABEL and rules["labels"]:
        return Act(0, "labels")
    if predicate == RDF_TYPE and rules["types"]:
        return Act(0, "types")
    if predicate.startswith("key/") and predicate != TITLE_KEY and rules["keys"]:
        return Act(0, "keys")
    if what == FOREIGN and rules["language"]:
        return Act(0, "language")
    if what in {LITERAL, FOREIGN} and (predicate in NAMES or predicate == LABEL):
        return Act(NAME, predicate=predicate)
    if what == NODE:
        canonical = schema.canonical.get(predicate) if rules["reverse"] else None
        if canonical and rules["metadata"] and is_metadata(canonical):
            canonical = None  # its twin is dropped, so this is the only statement
        return Act(LINK, predicate=canonical or predicate, flip=canonical is not None)
    typed = schema.literal.get(predicate, "any") if what == LITERAL and rules["numbers"] else ""
    return Act(VALUE, predicate=predicate, typed="" if typed == "string" else typed)


def is_metadata(predicate: str) -> bool:
    """Return True if the rule ``metadata`` drops a predicate."""
    if predicate in _NO_METADATA:
        return False
    return predicate in _METADATA or predicate.partition(".")[0] in _METADATA_DOMAINS
