"""Answers made by hand, for everything that prints, keeps or scores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hydra_kg.domain import (
    AnswerData,
    AnswerValue,
    Candidate,
    Citation,
    Evidence,
    Exploration,
    Fact,
    Hop,
    Locator,
    Mention,
    Node,
    Passage,
    Path,
    Scores,
    Source,
    Usage,
)
from hydra_kg.plan.model import Count, Named, Plan, Related, Step

FREEBASE = Source("freebase", "kg")
WIKIDATA = Source("wikidata", "kg")
WIKIPEDIA = Source("wikipedia", "wiki")

MOZART = Node(1, "m.082db", "Wolfgang Amadeus Mozart")
SALZBURG = Node(2, "m.0fhxv", "Salzburg")
AUSTRIA = Node(3, "m.0h7x", "Austria")
VIENNA = Node(4, "m.0fhp9", "Vienna")


def fact(number: int, source: Source = FREEBASE, *, line: int = 0, url: str = "") -> Fact:
    """A fact at a line of the source's dump."""
    return Fact(number, "s", "p", "o", source, Locator(file=f"{source.name}.nt.gz", line=line or number, url=url))


def hop(a: Node, text: str, b: Node, *facts: Fact, forward: bool = True) -> Hop:
    """A hop whose predicate key is its text as a property of a person."""
    return Hop(a, f"people.person.{text.replace(' ', '_')}", text, b, forward, None, facts)


BIRTH = hop(MOZART, "place of birth", SALZBURG, fact(11), fact(12, WIKIDATA))
INSIDE = hop(SALZBURG, "contained by", AUSTRIA, fact(13))
DEATH = hop(MOZART, "place of death", VIENNA, fact(14))
PASSAGE = Passage(
    "wikipedia:7",
    "Mozart",
    "Mozart was born in Salzburg.",
    WIKIPEDIA,
    Locator(page="Mozart", url="https://en.wikipedia.org/wiki/Mozart", start=0, end=28),
    node=1,
)


def evidence(*hops: Hop, relevance: float = 0.8, kept: bool = True, reason: str = "", phase: str = "kg") -> Evidence:
    """A path of hops that leads to its last node."""
    scores = Scores(relevance, f1=1.0, f2=0.5, f3=1.0, verification=0.75, cross=0.78)
    return Evidence(Path(hops), scores, phase, kept, reason, (hops[-1].object,), ("freebase", "wikidata"))


def spoken(sentence: str = "Mozart was born in Salzburg.") -> Evidence:
    """Evidence that is a sentence of a passage."""
    return Evidence(Path((), PASSAGE), Scores(0.6), "text", True, "", (SALZBURG,), ("wikipedia",), sentence)


def answer(*, id: str = "a1b2c3d4", explored: Sequence[Evidence] | None = None) -> AnswerData:  # noqa: A002
    """Where Mozart was born: two sources, a passage, one pruned path, a runner-up."""
    best = evidence(BIRTH)
    pruned = evidence(DEATH, relevance=0.3, kept=False, reason="below the best 1")
    mention = Mention(
        "mozart",
        10,
        16,
        (
            Candidate(MOZART, 0.9, "alias", "composer", 120),
            Candidate(Node(9, "m.0m0z4rt", "Mozart"), 0.4, "name", "village"),
        ),
        Candidate(MOZART, 0.9, "alias", "composer", 120),
    )
    return AnswerData(
        id=id,
        question="where was mozart born?",
        strategy="hydra",
        agent="offline",
        answers=(AnswerValue("Salzburg", SALZBURG, None, ("m.0fhxv", "Q34713"), 0.9),),
        answer_text="Salzburg",
        label="kg+wiki",
        verdict="supported",
        agreement=1.0,
        amount=2.8,
        confidence=0.87,
        abstained=False,
        truncated=False,
        citations=(
            Citation(1, "freebase", Locator(file="freebase.nt.gz", line=11), "00000000000000b"),
            Citation(2, "wikidata", Locator(file="wikidata.nt.gz", line=12), "00000000000000c"),
            Citation(3, "wikipedia", PASSAGE.locator, "", "https://en.wikipedia.org/wiki/Mozart"),
        ),
        evidence=(best, spoken()),
        explorations=(
            Exploration(
                "kg",
                (MOZART,),
                "where was _ born",
                2,
                {"edges": 1200, "paths": 2},
                tuple(explored) if explored is not None else (best, pruned),
                0.012,
            ),
        ),
        mentions=(mention,),
        usage=Usage(),
        seconds={"link": 0.001, "cut": 0.002, "total": 0.02},
        manifest={"loads": [{"name": "freebase", "checksum": "abc"}], "settings": "0123456789ab", "seed": 0},
    )


def no_answer(*, id: str = "ffff0000") -> AnswerData:  # noqa: A002
    """The same question, not carried by the sources."""
    return replace(
        answer(id=id),
        answers=(),
        answer_text="",
        label="",
        verdict="unsupported",
        agreement=0.0,
        amount=0.0,
        confidence=0.1,
        abstained=True,
        citations=(),
        evidence=(evidence(DEATH, relevance=0.3),),
        missing="nothing that the sources state says “born in” of Wolfgang Amadeus Mozart",
    )


def planned(*, words: str = "Mozart", unchecked: str = "in 1786") -> AnswerData:
    """Nothing is answered, but a plan was carried out, and something nearly fits. ``words``: a name in all of it."""
    return replace(
        no_answer(id="b0b0b0b0"),
        plan=Plan(Count(Related(Named(words, MOZART.id), "written by _", "operas"))),
        steps=(Step("Related", f"operas written by {words}: 2", 1, 2),),
        unchecked=(unchecked,),
        perhaps=(AnswerValue(words),),
    )


def crowd(paths: int, sources: int) -> list[Evidence]:
    """One kept path, then many pruned ones of three hops, each hop stated by many sources."""
    facts = tuple(fact(1000 + i, WIKIDATA) for i in range(sources))
    hops = [replace(h, facts=facts) for h in (BIRTH, INSIDE, DEATH)]
    return [evidence(BIRTH), *(evidence(*hops, kept=False, reason="not among the best") for _ in range(paths))]
