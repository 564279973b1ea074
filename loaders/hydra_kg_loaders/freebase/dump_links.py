"""Find the links between nodes in triples of Freebase, Wikidata and same-as files, to cut a part out of a dump."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hydra_kg.ingest.formats import sql
from hydra_kg.ingest.neighbourhood.ball import LINK, NAME, NOTHING, SAME, TYPED
from hydra_kg.ingest.neighbourhood.reach import Reach
from hydra_kg_loaders.freebase import cleaning_rules as r
from hydra_kg_loaders.freebase import schema as fs
from hydra_kg_loaders.terms import FREEBASE, WIKIDATA, term_columns

_NAMED: Final = frozenset({"type.object.name", r.LABEL})


def make_freebase_reach(separator: str, rules: Mapping[str, bool]) -> Reach:
    """Return how Freebase lines link nodes. Nodes are machine ids; predicates that loading drops do not link."""
    schema = fs.copy_bundled_schema()
    steps, columns = term_columns({"s": "s", "o": "o"}, spaces=(FREEBASE,))

    def key(p: str) -> str:
        return p.removeprefix(FREEBASE)

    def linking(p: str) -> int:
        return LINK if r.decide(key(p), r.NODE, rules=rules, schema=schema).stream == r.LINK else NOTHING

    def telling(p: str) -> int:
        return NAME if key(p) in _NAMED else TYPED if key(p) == r.TYPE else NOTHING

    return Reach(
        separator=separator,
        steps=(steps,),
        subject=columns["s"],
        object=columns["o"],
        node=f"(starts_with({{0}}, '<{FREEBASE}m.') OR starts_with({{0}}, '<{FREEBASE}g.'))",
        linking=linking,
        telling=telling,
        inner=[f"<{FREEBASE}{name}>" for name in sorted(schema.mediators)],
        always=frozenset(FREEBASE + name for name in fs.DECLARATIONS),
    )


def wikidata(separator: str, direct: str, same: tuple[str, ...]) -> Reach:
    """Return the links of Wikidata: items and properties are nodes, and direct claims link them.

    Ids of Freebase are the same thing. There are no mediators.
    """
    steps, columns = term_columns({"s": "s", "o": "o"}, spaces=(WIKIDATA,))
    digits = "CASE WHEN starts_with(o, '\"/m/0') THEN o[6:-2] WHEN starts_with(o, '\"/g/') THEN o[5:-2] END"
    machine = f"CASE WHEN {sql.is_machine('same_digits')} THEN {sql.machine_id('same_digits', 'same_mid')} END"

    def linking(p: str) -> int:
        return LINK if p.startswith(direct) else NOTHING

    def telling(p: str) -> int:
        return SAME if p.removeprefix(direct) in same else NAME if p == r.LABEL else NOTHING

    return Reach(
        separator=separator,
        steps=(steps, {"same_digits": digits, "same_mid": "starts_with(o, '\"/m')"}),
        subject=columns["s"],
        object=columns["o"],
        node=f"starts_with({{0}}, '<{WIKIDATA}')",
        linking=linking,
        telling=telling,
        literal=machine,
        kinds=frozenset({direct + "P31"}),
        schema=f"starts_with({{0}}, '<{WIKIDATA}P')",
    )


def sameas(separator: str, predicate: str) -> Reach:
    """Return the links of a same-as file: every line links two names of one thing."""
    steps, columns = term_columns({"s": "s", "o": "o"}, spaces=(FREEBASE, WIKIDATA))
    linking: Callable[[str], int] = lambda p: SAME if p == predicate else NOTHING  # noqa: E731
    return Reach(
        separator=separator,
        steps=(steps,),
        subject=columns["s"],
        object=columns["o"],
        node="starts_with({0}, '<')",
        linking=linking,
        telling=lambda p: NOTHING,
    )
