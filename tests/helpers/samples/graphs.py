"""Small random graphs of several loads, as tests of stores share them: made by hypothesis, loaded into any store."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from hypothesis import strategies as st

from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg.domain import Source
from hydra_kg.ports import Store

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where hypothesis makes its hundreds of stores: fsync costs nothing there."""
ENTITIES = [
    *(f"m.0{c}" for c in "bcdfghjk"),
    "g.11x",
    "Q1",
    "Q2",
    "Q5",
    "https://example.org/a",
    "https://example.org/b",
]
MEDIATORS = ["m.0cvt_1", "m.0cvt_2", "m.0v", "m.0w"]
PREDICATES = ["people.person.children", "film.film.starring", "P19", "P31", "https://example.org/p"]
VALUE_PREDICATES = ["people.person.date_of_birth", "P569", "type.object.type"]
LITERALS = [
    '"42"^^xsd:integer',
    '"1999"^^xsd:gYear',
    '"1999-01-02"^^xsd:date',
    '"a \\"b\\""',
    '"été"@fr',
    "people.person",
    "film.film",
    "common.topic",
]
WORDS = [
    "Paris",
    "paris!",
    "Hilton",
    "José",
    "AT&T",
    "C++",
    "a-b",
    "O'Neil",
    "strasse",
    "Straße",
    "Springfield",
    "III",
    "!!!",
]
TEXTS = [
    "Paris is a city.",
    "The film won an award in 1999.",
    "José wrote C++ at AT&T",
    "nothing \x00 here",
    '‘quotes’ "and" more',
]


@dataclass
class Spec:
    """One load: a Python value that hypothesis can shrink. Facts are (subject, predicate, object, source number)."""

    name: str
    sources: tuple[Source, ...]
    links: list[tuple[str, str, str, int]] = field(default_factory=list)
    values: list[tuple[str, str, str, int]] = field(default_factory=list)
    names: list[tuple[str, str, str]] = field(default_factory=list)
    mediators: list[str] = field(default_factory=list)
    same_as: list[tuple[str, str]] = field(default_factory=list)
    passages: list[tuple[str, str, str]] = field(default_factory=list)


def specs(name: str) -> st.SearchStrategy[Spec]:
    """Loads called ``name``, with one or two sources of their own."""
    node = st.sampled_from(ENTITIES + MEDIATORS)
    number = st.integers(0, 1)
    links = st.lists(st.tuples(node, st.sampled_from(PREDICATES), node, number), max_size=24)
    values = st.lists(st.tuples(node, st.sampled_from(VALUE_PREDICATES), st.sampled_from(LITERALS), number), max_size=8)
    text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
    kind = st.sampled_from(["name", "alias", "title", "description"])
    names = st.lists(st.tuples(st.sampled_from(ENTITIES + MEDIATORS[:1]), kind, text), max_size=10)
    pair = st.tuples(st.sampled_from(ENTITIES), st.sampled_from(ENTITIES)).filter(lambda p: p[0] != p[1])
    passage = st.tuples(st.sampled_from(["", *ENTITIES[:4]]), st.sampled_from(WORDS), st.sampled_from(TEXTS))
    kinds = st.sampled_from(["kg", "wiki", "table"])
    sources = st.lists(kinds, min_size=1, max_size=2).map(
        lambda ks: tuple(Source(f"{name}-{i}", kind, url=f"https://example.org/{name}") for i, kind in enumerate(ks))
    )

    def build(
        sources: tuple[Source, ...],
        links: list[tuple[str, str, str, int]],
        values: list[tuple[str, str, str, int]],
        names: list[tuple[str, str, str]],
        mediators: set[str],
        same_as: list[tuple[str, str]],
        passages: list[tuple[str, str, str]],
    ) -> Spec:
        def own(rows: list[tuple[str, str, str, int]]) -> list[tuple[str, str, str, int]]:
            return sorted({(s, p, o, n % len(sources)) for s, p, o, n in rows})

        return Spec(
            name,
            sources,
            own(links),
            own(values),
            sorted(set(names)),
            sorted(mediators),
            sorted(set(same_as)),
            sorted(set(passages)),
        )

    return st.builds(
        build,
        sources,
        links,
        values,
        names,
        st.sets(st.sampled_from(MEDIATORS)),
        st.lists(pair, max_size=4),
        st.lists(passage, max_size=3),
    )


def stage(spec: Spec) -> MemoryStage:
    """The spec as a stage; every link of source 1 has a qualifier, every third link a locator in words, every second
    literal fact a rank."""
    links = [
        FactRow(
            s,
            p,
            o,
            i,
            n,
            qualifiers=(("P580", '"1999"^^xsd:gYear'),) * n,
            locator=("", f"Q1$GUID-{i}", "Paris § Name [3:40]")[i % 3],
        )
        for i, (s, p, o, n) in enumerate(spec.links, 1)
    ]
    values = [
        FactRow(s, p, o, i, n, rank="preferred" * (i % 2), confidence=0.5 + i % 2 / 2)
        for i, (s, p, o, n) in enumerate(spec.values, 1)
    ]
    keys = {p for _, p, _, _ in (*spec.links, *spec.values)}
    return MemoryStage(
        links,
        values=values,
        names=spec.names,
        mediators=spec.mediators,
        same_as=spec.same_as,
        predicates={p: (f"{spec.name} {p}", "people.person.parents" if p.endswith("children") else "") for p in keys},
        passages=[
            (key, title, "https://example.org/w", text, i) for i, (key, title, text) in enumerate(spec.passages, 1)
        ],
    )


def put(store: Store, spec: Spec, *, replace: bool = False) -> None:
    """Load a spec into a store and commit."""
    writer = store.begin(SimpleLoadPlan(spec.name, spec.sources, replace))
    writer.write(stage(spec))
    writer.commit({"file": f"{spec.name}.nt"})
