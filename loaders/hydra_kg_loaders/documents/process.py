"""Read documents in a sandboxed process with bounded memory and time.

It reads JSON lines [path, kind] and writes a document or a refusal for each. Run it with ``python -P -m
hydra_kg_loaders.documents.process < requests``.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import HydraError
from hydra_kg.ingest.formats.archives import chunks
from hydra_kg.util.sandbox import allow_seconds, confine
from hydra_kg_loaders.documents.document import BYTES, DocumentError, Reader
from hydra_kg_loaders.documents.label_pairs import pair_cells
from hydra_kg_loaders.documents.markup import markup
from hydra_kg_loaders.documents.office import pdf, word
from hydra_kg_loaders.documents.plain import read_markdown, read_plain_text

MEMORY: Final = 2 << 30  # bytes of address space
SECONDS: Final = 60  # of processor time for a file

READERS: Final[Mapping[str, Reader]] = {
    "text": read_plain_text,
    "markdown": read_markdown,
    "html": markup,
    "docx": word,
    "pdf": pdf,
}


def answer(path: Path, kind: str) -> list[Any]:
    """Return title, paragraphs, the reason and text of a refusal, cells and unread parts (see :class:`Document`)."""
    try:
        found = READERS[kind](_bytes(path, packed=kind not in {"docx", "pdf"}))
    except DocumentError as e:
        return ["", [], e.reason, str(e), [], []]
    except HydraError as e:
        return ["", [], "damaged", str(e), [], []]
    except MemoryError:
        return ["", [], "memory", "it needs more memory than a document may", [], []]
    except Exception as e:  # whatever the parsers raise is a fault of the file
        return ["", [], kind, f"{type(e).__name__}: {e}", [], []]
    cells = [*found.cells, *pair_cells(found.paragraphs)]
    return [found.title, found.paragraphs, "" if found.paragraphs else "no-text", "", cells, found.unread]


def _bytes(path: Path, *, packed: bool) -> bytes:
    """Return the decompressed bytes of a file, at most as many as a document may have."""
    pieces = (
        chunks(path) if packed else iter([path.read_bytes()] if path.stat().st_size <= BYTES else [b"\0" * (BYTES + 1)])
    )
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > BYTES:
            raise DocumentError("too-large", f"more than {BYTES >> 20} MB")
    return bytes(body)


def main() -> int:
    """Answer requests from standard input. See the module."""
    warnings.simplefilter("ignore")
    confine(memory=MEMORY)
    for line in sys.stdin:
        path, kind = json.loads(line)
        allow_seconds(SECONDS)
        sys.stdout.write(json.dumps(answer(Path(path), kind)) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
