"""Describe how an answer came about as records of W3C PROV-DM, from which PROV-O and PROV-JSON are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal
from urllib.parse import quote

from hydra_kg.export.answer_statements import safe_text, statements
from hydra_kg.util.fast_dataclass import dataclass

BASE: Final = "urn:hydra-kg:"
"""Base of all names; see ``fusion/gathering/jsonld.py``."""

Kind = Literal["entity", "activity", "agent"]
Relation = Literal[
    "wasGeneratedBy",
    "used",
    "wasAssociatedWith",
    "wasAttributedTo",
    "wasDerivedFrom",
    "hadPrimarySource",
    "actedOnBehalfOf",
    "hadMember",
]


@dataclass(frozen=True, slots=True)
class ProvElement:
    """An element of PROV-DM.

    Attributes:
        id: local name under :data:`BASE`.
        types: types of ``prov:`` or ours.
        attributes: values by name.
    """

    kind: Kind
    id: str
    types: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str | int | float], ...] = ()


@dataclass(frozen=True, slots=True)
class ProvRelation:
    """A relation of PROV-DM from ``subject`` to ``object``, in the order of its sentence."""

    relation: Relation
    subject: str
    object: str


def records(answer: Mapping[str, Any]) -> list[ProvElement | ProvRelation]:
    """Return everything that PROV can say about an answer (``ask --json`` form), each record once."""
    return list(dict.fromkeys(_records(answer)))


def local(kind: str, name: object) -> str:
    """Return a local name in which only letters, digits and ``_-.~%`` follow the colon."""
    return f"{kind}:{quote(safe_text(name), safe='')}"


def _records(answer: Mapping[str, Any]) -> Iterator[ProvElement | ProvRelation]:
    """Yield the PROV records of an answer: the question, the answer, its agents and facts."""
    key, manifest = answer["id"], answer["manifest"]
    asked, asking, given = local("question", key), local("asking", key), local("answer", key)
    full = answer.get("understood_as")
    yield _element("entity", asked, "Question", value=answer["question"], understood_as=full)
    yield _element("activity", asking, "Asking", strategy=answer["strategy"], settings=manifest.get("settings"))
    yield _element(
        "entity",
        given,
        "Answer",
        value=answer["answer_text"],
        verdict=answer["verdict"],
        confidence=answer["confidence"],
        missing=answer.get("missing"),
    )
    yield ProvRelation("wasGeneratedBy", given, asking)
    yield ProvRelation("used", asking, asked)
    if answer.get("after"):
        before = local("answer", answer["after"])
        yield _element("entity", before, "Answer")
        yield ProvRelation("wasDerivedFrom", asked, before)
    yield from _agents(answer, asking, given)
    for load in manifest.get("loads", ()):
        name = local("load", f"{load['name']}@{load['checksum']}")
        yield _element("entity", name, "Load", "prov:Collection", label=load["name"], facts=load.get("facts"))
        yield ProvRelation("used", asking, name)
    yield from _facts(answer, asking, given)


def _agents(answer: Mapping[str, Any], asking: str, given: str) -> Iterator[ProvElement | ProvRelation]:
    """Yield the records of the program and the model as PROV agents."""
    manifest = answer["manifest"]
    program = local("program", f"hydra-kg-{manifest.get('code', '')}")
    yield _element("agent", program, "prov:SoftwareAgent", label="hydra-kg", version=manifest.get("code"))
    yield ProvRelation("wasAssociatedWith", asking, program)
    yield ProvRelation("wasAttributedTo", given, program)
    if manifest.get("model"):
        model = local("model", manifest["model"])
        yield _element("agent", model, "prov:SoftwareAgent", label=manifest["model"])
        yield ProvRelation("wasAssociatedWith", asking, model)
        yield ProvRelation("actedOnBehalfOf", model, program)


def _facts(answer: Mapping[str, Any], asking: str, given: str) -> Iterator[ProvElement | ProvRelation]:
    """Yield the records of the facts that the answer uses."""
    own = statements({**answer, "explorations": ()})
    for s in own:
        if not s.fact:
            continue
        fact, source = local("fact", s.fact), local("source", s.source)
        said = f"{s.subject.name} — {s.text} → {s.object.name}"
        yield _element("entity", fact, "Fact", label=said, locator=s.place, url=s.url)
        yield _element("entity", source, "Source", label=s.source)
        yield ProvRelation("used", asking, fact)
        yield ProvRelation("wasDerivedFrom", given, fact)
        yield ProvRelation("hadPrimarySource", fact, source)
    for path in answer["paths"]:
        if passage := path.get("passage"):
            text, source = local("passage", passage["id"]), local("source", safe_text(passage["source"]))
            yield _element(
                "entity", text, "Passage", label=passage["title"], locator=passage["locator"], url=passage.get("url")
            )
            yield _element("entity", source, "Source", label=passage["source"])
            yield ProvRelation("used", asking, text)
            yield ProvRelation("wasDerivedFrom", given, text)
            yield ProvRelation("hadPrimarySource", text, source)


def _element(kind: Kind, name: str, *types: str, **attributes: str | float | None) -> ProvElement:
    said = tuple(
        (k, v if isinstance(v, int | float) else safe_text(v)) for k, v in attributes.items() if v not in (None, "")
    )
    return ProvElement(kind, name, types, said)
