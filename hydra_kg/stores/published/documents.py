"""The two documents of a published store, treated as text from elsewhere, of bounded size."""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from hydra_kg.domain import Source, SourceKind
from hydra_kg.errors import StoreCorruptError
from hydra_kg.stores.embedded.catalog.catalog import LoadRow, drop_folders

POINTER_BYTES: Final = 4_096
PUBLICATION_BYTES: Final = 64 << 20
FOLDERS: Final = 20_000
FILES: Final = 100_000  # of one folder; a generation has six for each of its loads

_Sha: Final = StringConstraints(pattern=r"^[0-9a-f]{64}$")
_FILE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")
_KINDS: Final = ("loads", "generations", "merged")
_Text = Annotated[str, Field(max_length=4_000)]
_Number = Annotated[int, Field(ge=0, lt=1 << 62)]


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Pointer(_Document):
    """``CURRENT``: the current publication. ``lineage`` is shared by one store, its copies and its backups."""

    magic: Literal["hydra-kg pointer"] = "hydra-kg pointer"
    version: Literal[1] = 1
    lineage: _Number
    generation: Annotated[int, Field(ge=1, lt=1 << 62)]
    publication: Annotated[str, StringConstraints(pattern=r"^publications/[0-9]{12,19}-[0-9a-f]{16}\.json$")]
    bytes: Annotated[int, Field(gt=0, le=PUBLICATION_BYTES)]
    sha256: Annotated[str, _Sha]


class PublishedFile(_Document):
    """One complete file of a folder."""

    bytes: Annotated[int, Field(ge=0, le=1 << 50)]
    sha256: Annotated[str, _Sha]


class PublishedFolder(_Document):
    """One folder: ``path`` in a store, and ``at`` in the published one.

    The name ``at`` contains the checksum of the folder's manifest.
    """

    path: Annotated[str, StringConstraints(pattern=r"^(loads|generations|merged)/[a-z0-9][a-z0-9.-]{0,90}$")]
    at: Annotated[str, StringConstraints(pattern=r"^(loads|generations|merged)/[a-z0-9][a-z0-9.-]{0,90}-[0-9a-f]{16}$")]
    files: Annotated[dict[str, PublishedFile], Field(min_length=1, max_length=FILES)]

    @model_validator(mode="after")
    def _names(self) -> PublishedFolder:
        if any(_FILE.fullmatch(name) is None for name in self.files) or "manifest.json" not in self.files:
            raise ValueError("names of files")
        if (
            len({name.lower() for name in self.files}) != len(self.files)
            or self.path.split("/")[0] != self.at.split("/")[0]
        ):
            raise ValueError("names of files")
        return self

    @property
    def bytes(self) -> int:
        """Return the bytes of all its files."""
        return sum(f.bytes for f in self.files.values())


class PublishedSource(_Document):
    """A source of a load, as :class:`hydra_kg.domain.Source`."""

    name: _Text
    kind: SourceKind
    origin: _Text
    licence: _Text
    version: _Text
    checksum: _Text
    url: _Text
    trust: float | None


class PublishedLoad(_Document):
    """One load, as in a row of the catalog."""

    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}\.[0-9]{1,18}$")]
    name: Annotated[str, Field(min_length=1, max_length=1_000)]
    created: Annotated[str, Field(max_length=40)]
    flipped: Annotated[str, Field(max_length=40)]
    facts: _Number
    checksum: Annotated[str, Field(max_length=200)]
    counts: dict[str, int]
    details: dict[str, Any]
    sources: Annotated[list[PublishedSource], Field(max_length=65_536)]

    @classmethod
    def of(cls, row: LoadRow) -> PublishedLoad:
        """Return the published form of a row of the catalog."""
        return cls(
            id=row.id,
            name=row.name,
            created=row.created,
            flipped=row.flipped,
            facts=row.facts,
            checksum=row.checksum,
            counts=dict(row.counts),
            details=dict(row.details),
            sources=[PublishedSource(**asdict(s)) for s in row.sources],
        )

    def row(self) -> LoadRow:
        """Return the row for a reader's catalog, without the folders of the publisher's source files."""
        sources = tuple(Source(**dict(s)) for s in self.sources)
        return LoadRow(
            self.id,
            self.name,
            "ready",
            self.created,
            sources,
            self.flipped,
            self.facts,
            self.checksum,
            self.counts,
            drop_folders(self.details)[0],
        )


class Publication(_Document):
    """The ready loads of one moment: rows of the catalog, and every file with its length and SHA-256."""

    magic: Literal["hydra-kg publication"] = "hydra-kg publication"
    version: Literal[1] = 1
    lineage: _Number
    generation: Annotated[int, Field(ge=1, lt=1 << 62)]
    loads: Annotated[list[PublishedLoad], Field(max_length=FOLDERS)]
    folders: Annotated[list[PublishedFolder], Field(max_length=FOLDERS)]

    @model_validator(mode="after")
    def _complete(self) -> Publication:
        """Raise ValueError if folders and loads do not fit together."""
        paths = [f.path for f in self.folders]
        loads = {f"loads/{load.id}" for load in self.loads}
        kinds = {kind: [p for p in paths if p.startswith(f"{kind}/")] for kind in _KINDS}
        if len(set(paths)) != len(paths) or set(kinds["loads"]) != loads or len(loads) != len(self.loads):
            raise ValueError("folders of loads")
        if kinds["generations"] != [f"generations/{self.generation}"] or len(kinds["merged"]) > 1:
            raise ValueError("folder of the generation")
        if len({load.name for load in self.loads}) != len(self.loads):
            raise ValueError("names of loads")
        return self


def pack_publication(publication: Publication) -> tuple[bytes, Pointer]:
    """Return a publication as bytes that depend only on its content, and the pointer to it."""
    data = publication.model_dump_json().encode()
    digest = hashlib.sha256(data).hexdigest()
    name = f"publications/{publication.generation:012d}-{digest[:16]}.json"
    pointer = Pointer(
        lineage=publication.lineage, generation=publication.generation, publication=name, bytes=len(data), sha256=digest
    )
    return data, pointer


def pointer_of(data: bytes) -> Pointer:
    """Return the pointer that some bytes contain. Raise StoreCorruptError if they are not a pointer."""
    try:
        return Pointer.model_validate_json(data)
    except ValidationError as e:
        raise _damaged_error("The pointer", e) from e


def publication_of(data: bytes, pointer: Pointer) -> Publication:
    """Return the publication that a pointer names. Raise StoreCorruptError if the bytes are another one."""
    if len(data) != pointer.bytes or hashlib.sha256(data).hexdigest() != pointer.sha256:
        raise StoreCorruptError("The publication is not what its pointer names.", remedy=AGAIN)
    try:
        publication = Publication.model_validate_json(data)
    except ValidationError as e:
        raise _damaged_error("The publication", e) from e
    if (publication.lineage, publication.generation) != (pointer.lineage, pointer.generation):
        raise StoreCorruptError("The publication is not what its pointer names.", remedy=AGAIN)
    return publication


AGAIN: Final = "hydra-kg db publish --check compares what is published with the store, and mends it."
"""The remedy for a published file that is not what was written."""


def _damaged_error(what: str, error: ValidationError) -> StoreCorruptError:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][:4])[:100]
    return StoreCorruptError(
        f"{what} of the published store does not fit ({place}: {first['msg'][:100]}).", remedy=AGAIN
    )
