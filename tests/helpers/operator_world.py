"""A small world for plans: films of two makers, a band, countries, as two sources state them, in any store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import MappingProxyType

from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg import ids
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.domain import Source
from hydra_kg.fakes import FakeVectorIndex
from hydra_kg.plan import model as m
from hydra_kg.ports import Store
from hydra_kg.runtime import make_cached_embedder
from hydra_kg.settings import Settings
from hydra_kg.steps.context import Context, Services
from hydra_kg.steps.graph.question_graph import QuestionGraph
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.operators import Executed, execute

KEYS = {
    name: f"Q{number}"
    for number, name in enumerate(
        (
            "Ada Bo Noise Ember Harbour Quiet Orbit Lantern Cy Dee Eve Band Tallinn Oslo North South East West Tide"
            " Pori Riga Fay Gil Office Hal Upland Male Female Water Brook War Siege Realm Prize"
            " Stroke Horror Reds Blues Tongue Speech"
        ).split(),
        11,
    )
}
PREDICATES = {
    "film.director.film": "director film",
    "film.writer.film": "writer film",
    "P57": "director",
    "P161": "cast member",
    "P577": "publication date",
    "film.film.initial_release_date": "film initial release date",
    "P2047": "duration",
    "P569": "date of birth",
    "P570": "date of death",
    "P20": "place of death",
    "P19": "place of birth",
    "P527": "has part",
    "P47": "shares border with",
    "P2046": "area",
    "P36": "capital",
    "P17": "country",
    "P131": "located in the administrative territorial entity",
    "P39": "position held",
    "P1545": "holder number",
    "P551": "places lived location",
    "P21": "sex or gender",
    "P3373": "sibling",
    "P205": "basin country",
    "P974": "tributary",
    "P580": "start time",
    "P582": "end time",
    "P27": "country of citizenship",
    "P166": "award received",
    "P509": "cause of death",
    "people.person.parents": "person parents",
    "P136": "genre",
    "P102": "member of political party",
    "P37": "official language",
    "P2048": "height",
    "people.person.height_meters": "height meters",
    "type.object.type": "object type",
}
TYPES = {
    "film.film": "Noise Ember Harbour Quiet Orbit Lantern",
    "tv.tv_program": "Tide",
    "people.person": "Ada Bo Cy Dee Eve Fay Gil Hal",
    "location.country": "North South East West Realm",
    "award.award": "Prize",
    "location.citytown": "Tallinn Oslo Pori Riga",
    "location.us_county": "Pori",
    "location.us_state": "Upland",
    "organization.organization": "Band",
    "geography.river": "Water Brook",
}
DAY = "^^xsd:date"
FIRST = [
    *(("Ada", "film.director.film", film) for film in "Noise Ember Harbour Quiet".split()),
    *(("Ada", "film.writer.film", film) for film in "Noise Ember Harbour".split()),
    *(("Bo", "film.director.film", film) for film in "Orbit Lantern".split()),
    ("Noise", "film.film.initial_release_date", '"1986-07"^^xsd:gYearMonth'),
    ("Ember", "film.film.initial_release_date", '"1991"^^xsd:gYear'),
    ("Harbour", "film.film.initial_release_date", '"1994-03"^^xsd:gYearMonth'),
    ("North", "P47", "South"),
    ("North", "P47", "East"),
    ("North", "P36", "Tallinn"),
    ("South", "P36", "Oslo"),
    ("East", "P36", "Cy"),
    ("North", "P2046", '"1000"^^xsd:integer'),
    ("South", "P2046", '"250"^^xsd:integer'),
    ("East", "P2046", '"700"^^xsd:integer'),
    ("East", "P2046", '"700000000"^^xsd:integer'),
    ("Tallinn", "P17", "North"),
]
SECOND = [
    *((film, "P57", "Ada") for film in "Noise Ember Harbour Quiet Tide".split()),
    *((film, "P57", "Bo") for film in "Orbit Lantern".split()),
    *((film, "P161", "Cy") for film in "Noise Harbour Orbit".split()),
    *((film, "P161", "Bo") for film in "Noise Harbour".split()),
    ("Noise", "P577", f'"1986-07-18"{DAY}'),
    ("Ember", "P577", f'"1991-05-02"{DAY}'),
    ("Harbour", "P577", f'"1994-03-09"{DAY}'),
    ("Orbit", "P577", f'"1999-01-05"{DAY}'),
    ("Noise", "P2047", '"90"^^xsd:integer'),
    ("Ember", "P2047", '"120"^^xsd:integer'),
    ("Harbour", "P2047", '"100"^^xsd:integer'),
    ("Band", "P527", "Cy"),
    ("Band", "P527", "Dee"),
    ("Band", "P527", "Eve"),
    ("Cy", "P569", f'"1950-06-01"{DAY}'),
    ("Dee", "P569", '"1952"^^xsd:gYear'),
    ("Eve", "P569", f'"1952-02-03"{DAY}'),
    ("Cy", "P570", f'"1990-03-01"{DAY}'),
    ("Dee", "P20", "Oslo"),
    ("Cy", "P20", "Tallinn"),
    ("Cy", "P19", "Oslo"),
    ("Ada", "P19", "Oslo"),
    ("Bo", "P19", "Tallinn"),
    ("Dee", "P19", "Tallinn"),
    ("Cy", "P551", "Tallinn"),
    *(("Cy", "P3373", other) for other in ("Ada", "Bo", "Eve")),
    ("Ada", "P21", "Female"),
    ("Bo", "P21", "Male"),
    ("Water", "P205", "North"),
    ("Water", "P205", "South"),
    ("Water", "P974", "Brook"),
    ("Brook", "P17", "West"),
    ("Oslo", "P17", "South"),
    ("Tallinn", "P17", "North"),
    ("Tallinn", "P17", "East"),
    ("Fay", "P19", "Pori"),
    ("Pori", "P131", "Upland"),
    ("Pori", "P17", "South"),
    ("Pori", "P17", "West"),
    ("Gil", "P19", "Riga"),
    ("Riga", "P17", "East"),
    ("Riga", "P17", "West"),
    ("West", "P17", "East"),
    *((person, "P39", "Office") for person in ("Cy", "Gil", "Hal")),
    ("Cy", "P1545", '"2"^^xsd:integer'),
    ("Gil", "P1545", '"3"^^xsd:integer'),
    ("Gil", "P569", f'"1940-01-01"{DAY}'),
    ("Hal", "P569", f'"1930-01-01"{DAY}'),
    ("War", "P580", f'"1961-01-03"{DAY}'),
    ("War", "P582", f'"1964-05-02"{DAY}'),
    ("Siege", "P580", f'"1962-02-02"{DAY}'),
    ("Siege", "P582", f'"1962-03-02"{DAY}'),
    *((person, "P27", "South") for person in "Cy Ada Bo Gil".split()),
    ("Bo", "P569", f'"1930-01-01"{DAY}'),
    ("Bo", "P570", f'"1999-01-01"{DAY}'),
    ("Hal", "P166", "Prize"),
    ("North", "P47", "Realm"),
    ("South", "P17", "Realm"),
    ("Realm", "P36", "Oslo"),
]


def put(store: Store, more: Mapping[str, Sequence[tuple[str, str, str]]] = MappingProxyType({})) -> None:
    """The world, in two loads, and what a test adds, by load."""
    typed = [(name, "type.object.type", kind) for kind, names in TYPES.items() for name in names.split()]
    for name, facts in (("first", [*FIRST, *typed]), ("second", SECOND), *more.items()):
        rows = [(KEYS[s], p, KEYS.get(o, o)) for s, p, o in facts]
        links = [FactRow(s, p, o, i, 0) for i, (s, p, o) in enumerate(rows, 1) if o.startswith("Q")]
        values = [FactRow(s, p, o, i, 0) for i, (s, p, o) in enumerate(rows, 1) if not o.startswith("Q")]
        writer = store.begin(SimpleLoadPlan(name, (Source(name),)))
        writer.write(
            MemoryStage(
                sorted(links, key=lambda r: (r.subject, r.predicate, r.object)),
                values=sorted(values, key=lambda r: (r.subject, r.predicate, r.object)),
                names=[(key, "name", text) for text, key in KEYS.items()] if name == "first" else [],
                predicates={p: (PREDICATES[p], "") for _, p, _ in rows},
            )
        )
        writer.commit({"file": f"{name}.nt"})


def named(name: str, noun: str = "") -> m.Named:
    """A name of the question."""
    return m.Named(name, ids.encode(KEYS[name]), (), noun)


class World:
    """The world in a store, with what reads it made once."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        more: Mapping[str, Sequence[tuple[str, str, str]]] = MappingProxyType({}),
    ) -> None:
        put(store, more)
        self._store = store
        with store.snapshot() as snapshot:
            self._space = RelationSpace(snapshot.predicates(), make_cached_embedder(folder, Settings()))

    @contextmanager
    def context(self) -> Iterator[Context]:
        """A question about the world."""
        with self._store.snapshot() as snapshot:
            graph = QuestionGraph(snapshot, self._space)
            yield Context(
                "?", graph, Settings(), OfflineAgent(), lambda name: nullcontext({}), Services(FakeVectorIndex)
            )

    def __call__(self, root: m.Root) -> Executed | None:
        """What becomes of a plan."""
        with self.context() as context:
            return execute(context, m.Plan(root))


def assert_decided(done: Executed | None, wanted: str) -> None:
    """That a claim was answered so, and that every path of its evidence has hops, each with the facts that state it."""
    assert done is not None
    assert [a.name for a in done.conclusion.answers] == [wanted]
    assert all(e.path.hops and all(h.facts for h in e.path.hops) for e in done.conclusion.evidence)
    assert done.conclusion.evidence
