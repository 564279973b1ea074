"""Questions inside questions, made of facts of a store: what the chain of clauses is worth offline.

    python bench/accuracy/nested_questions.py STORE [--part check|development] [--count 100] [--seed 7] [--jobs 2]

Each question joins a phrase for one relation of an entity with a question about what the phrase stands for ("where was
the spouse of X born?"); gold answers are what the facts of Freebase give. The two parts differ in their entities and
in the wording of both clauses: the rules were written looking at ``development`` alone. ``clauses off`` compares paths
with the question as a whole. Linking is predicted; entities are those whose name finds them first.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.accuracy.hydra import interval, spread, variant
from bench.measure import machine, save
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.ports import Snapshot
from hydra_kg.steps.answering.results import named
from hydra_kg.steps.graph.hops import HopGraph
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.stores import open_store

Edges = Mapping[str, Mapping[int, Sequence[int]]]
"""By the key of a relation: its ends, by where it starts."""

BATCH = 2_000
MOST_MIDDLE, MOST_GOLD = 4, 12
COUNTRY = "location.country.capital"
"""What has it is a country."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A relation (a chain of keys, the last end a country if ``country``) with what it is called in each part."""

    keys: tuple[str, ...]
    development: tuple[str, ...]
    check: tuple[str, ...]
    country: bool = False


INNER = (
    Wording(
        ("people.person.spouse_s./people.marriage.spouse",),
        ("the spouse of {}", "the person that {} is married to"),
        ("{}'s spouse", "the person who married {}"),
    ),
    Wording(("people.person.parents",), ("the parents of {}",), ("{}'s parents",)),
    Wording(
        ("people.person.place_of_birth",),
        ("the place where {} was born", "{}'s birthplace"),
        ("the birthplace of {}", "the city in which {} was born"),
    ),
    Wording(
        ("people.person.place_of_birth", "location.location.containedby"),
        ("the country where {} was born",),
        ("the country {} was born in",),
        country=True,
    ),
    Wording(
        ("people.person.nationality",),
        ("the country that {} comes from", "{}'s home country"),
        ("the country of which {} is a citizen", "the native country of {}"),
    ),
    Wording(
        ("people.person.education./education.education.institution",),
        ("the school that {} attended", "{}'s university"),
        ("the college where {} studied", "the school of {}"),
    ),
    Wording(
        ("film.film.directed_by",),
        ("the director of {}", "the person who directed {}"),
        ("{}'s director", "the filmmaker behind {}"),
    ),
    Wording(("film.film.written_by",), ("the person who wrote {}",), ("the screenwriter of {}",)),
    Wording(
        ("book.written_work.author",), ("the author of {}", "the man who wrote {}"), ("{}'s author", "the writer of {}")
    ),
    Wording(
        ("organization.organization.founders",),
        ("the founder of {}", "the people who founded {}"),
        ("{}'s founders", "the person that started {}"),
    ),
    Wording(
        ("sports.pro_athlete.teams./sports.sports_team_roster.team",),
        ("the team that {} plays for", "{}'s team"),
        ("the club which {} played for", "the team of {}"),
    ),
    Wording(
        ("music.group_member.membership./music.group_membership.group",),
        ("the band that {} is a member of",),
        ("{}'s band", "the group {} played in"),
    ),
    Wording(
        ("film.film_character.portrayed_in_films./film.performance.actor",),
        ("the actor who played {}",),
        ("the person who portrayed {}",),
    ),
    Wording(("sports.sports_team.location",), ("the city where {} play",), ("the home city of {}",)),
    Wording(
        ("location.location.containedby",),
        ("the country that contains {}",),
        ("the country {} is located in",),
        country=True,
    ),
)
OUTER = (
    Wording(("people.person.place_of_birth",), ("where was {} born?",), ("what is the birthplace of {}?",)),
    Wording(("people.deceased_person.place_of_death",), ("where did {} die?",), ("in which city did {} die?",)),
    Wording(("people.person.profession",), ("what is the profession of {}?",), ("what did {} do for a living?",)),
    Wording(("people.person.religion",), ("what religion is {}?",), ("what is the religion of {}?",)),
    Wording(
        ("people.person.education./education.education.institution",),
        ("where did {} go to school?",),
        ("what college did {} attend?",),
    ),
    Wording(("people.person.nationality",), ("what is the nationality of {}?",), ("what country is {} from?",)),
    Wording(("people.person.children",), ("who are the children of {}?",), ("what are the names of the kids of {}?",)),
    Wording(
        ("people.person.spouse_s./people.marriage.spouse",), ("who is {} married to?",), ("who was the spouse of {}?",)
    ),
    Wording(("location.country.capital",), ("what is the capital of {}?",), ("which city is the capital of {}?",)),
    Wording(("location.country.currency_used",), ("what is the currency of {}?",), ("what money is used in {}?",)),
    Wording(
        ("location.country.official_language",),
        ("what is the official language of {}?",),
        ("what language is officially spoken in {}?",),
    ),
    Wording(
        ("location.country.form_of_government",),
        ("what kind of government does {} have?",),
        ("what is the form of government in {}?",),
    ),
    Wording(("location.location.time_zones",), ("what time zone is {} in?",), ("what is the time zone of {}?",)),
    Wording(
        ("sports.sports_team.arena_stadium",), ("what is the stadium of {}?",), ("which arena is the home of {}?",)
    ),
    Wording(("sports.sports_team.sport",), ("what sport does {} play?",), ("which sport is played by {}?",)),
    Wording(
        ("education.educational_institution.colors",), ("what are the colors of {}?",), ("which colors does {} have?",)
    ),
    Wording(("music.artist.genre",), ("what kind of music does {} play?",), ("what is the genre of {}?",)),
    Wording(("music.artist.origin",), ("where is {} from?",), ("in what city was {} formed?",)),
)


def relations(snapshot: Snapshot, space: RelationSpace, keys: frozenset[str]) -> Edges:
    """The hops of all classes of the store by some relations."""
    found: dict[str, dict[int, list[int]]] = {k: {} for k in keys}
    after: int | None = None
    while len(page := snapshot.all_classes(after=after, limit=BATCH)):
        after = int(page[-1])
        hops = HopGraph(snapshot.cut(page.tolist(), depth=1, budget=10_000_000), predicates=space.base // 2)
        start = hops.local(page)
        start = start[start >= 0]
        start = start[~hops.mediator[start]]
        steps = hops.expand(start)
        codes, inverse = np.unique(steps.code, return_inverse=True)
        names = np.array([space.key(c) if space.key(c) in keys else "" for c in codes.tolist()])[inverse]
        for i in np.flatnonzero(names != "").tolist():
            ends = found[str(names[i])].setdefault(int(hops.ids[start[steps.walker[i]]]), [])
            ends.append(int(hops.ids[steps.end[i]]))
    return {key: {s: sorted(set(ends)) for s, ends in sorted(starts.items())} for key, starts in found.items()}


def follow(edges: Edges, start: Sequence[int], wording: Wording) -> list[int]:
    """What a wording stands for."""
    here = set(start)
    for key in wording.keys:
        here = {e for n in here for e in edges[key].get(n, ())}
    return sorted(n for n in here if not wording.country or n in edges[COUNTRY])


def questions(snapshot: Snapshot, edges: Edges, part: str, count: int, seed: int) -> Iterator[Question]:
    """``count`` questions, at most one for each entity, all pairs of relations alike."""
    rng = random.Random(f"{seed}:{part}")
    pairs = [(i, o) for i in INNER for o in OUTER]
    made: dict[str, None] = {}
    while len(made) < count:
        inner, outer = rng.choice(pairs)
        topic = rng.choice(list(edges[inner.keys[0]]))
        if (topic % 1009) % 2 == (part == "check"):
            continue
        middle = follow(edges, [topic], inner)
        gold = [n for n in follow(edges, middle, outer) if n != topic]
        if not 0 < len(middle) <= MOST_MIDDLE or not 0 < len(gold) <= MOST_GOLD:
            continue
        entity, *answers = snapshot.entities([topic, *gold])
        hits = snapshot.find([entity.node.name], limit=1)[0]
        if not hits or hits[0].node != topic or not all(map(named, answers)):
            continue
        phrase, question = (rng.choice(getattr(w, part)) for w in (inner, outer))
        text = question.format(phrase.format(entity.node.name))
        text = text[0].upper() + text[1:]
        if text not in made:
            made[text] = None
            told = tuple({"id": key, "name": a.node.name} for a in answers for key in a.keys[:1])
            yield Question("nested", f"{part}-{len(made)}", text, (entity.node.key,), told)


def make(store: Path, part: str, count: int, seed: int) -> list[Question]:
    """The questions of one part."""
    embedder = make_embedder("minilm-int8")
    with open_store(store) as opened, opened.snapshot() as snapshot:
        space = RelationSpace(snapshot.predicates(), embedder)
        keys = frozenset(k for w in (*INNER, *OUTER) for k in w.keys)
        edges = relations(snapshot, space, keys)
        return list(questions(snapshot, edges, part, count, seed))


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask with clauses and without, and write bench/results/nested.md and .json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--part", choices=("check", "development"), default="check")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    asked = make(options.store, options.part, options.count, options.seed)
    rows, base = [], np.zeros((0, 2))
    for label, change in (("clauses off", {"relevance.clauses": False}), ("default", {})):
        found = np.array(spread(partial(variant, str(options.store), change), asked, options.jobs))
        base = base if len(base) else found
        rows.append(
            {
                "part": options.part,
                "variant": label,
                "n": len(found),
                "Hits@1": interval(found[:, 0]),
                "F1": interval(found[:, 1]),
                "Δ Hits@1": interval(found[:, 0] - base[:, 0]),
                "Δ F1": interval(found[:, 1] - base[:, 1]),
            }
        )
        print(rows[-1], flush=True)
    notes = [
        "Two-clause questions made of random facts; gold answers are Freebase's, linking predicted.",
        "Percent with 95 % bootstrap intervals; Δ is paired, against clauses off.",
    ]
    save(
        "nested",
        title="Questions inside questions, offline",
        command="python bench/accuracy/nested_questions.py STORE",
        about=machine("numpy", "onnxruntime"),
        notes=notes,
        rows=rows,
    )


if __name__ == "__main__":
    main()
