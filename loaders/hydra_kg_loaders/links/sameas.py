"""Load links between ids with the same meaning, such as ``fb2w.nt.gz`` (machine ids to QIDs).

A link is a line ``<a> owl:sameAs <b>``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.ingest.contract.choices import Options, Rule
from hydra_kg.ingest.contract.lines import FIRST_KIND, LineColumns, read_triples
from hydra_kg.ingest.contract.loader import BaseLoader, Streams
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.formats import sql
from hydra_kg.ingest.neighbourhood.reach import Lines, Part
from hydra_kg_loaders.freebase import dump_links
from hydra_kg_loaders.terms import FREEBASE, WIKIDATA, separator, term_columns

SAME_AS: Final = "http://www.w3.org/2002/07/owl#sameAs"
_LINK: Final = FIRST_KIND
_OTHER: Final = FIRST_KIND + 1


class SameAsLoader(BaseLoader):
    """Loader of one link per line, in either order, separated by tabs or spaces."""

    name = "sameas"
    in_ranges = True
    version = 1
    source = Source(
        "fb2w", "kg", licence="CC0", url="https://developers.google.com/freebase#freebase-wikidata-mappings"
    )
    rules: Mapping[str, Rule] = {"predicates": Rule("drop lines that say something else than owl:sameAs")}

    def sniff(self, head: bytes, path: Path) -> float:
        """Return a high score if the first lines are such links."""
        lines = [line for line in head.split(b"\n")[:200] if line.startswith(b"<")]
        return 0.95 * sum(b"owl#sameAs>" in line for line in lines) / len(lines) if lines else 0.0

    def read(self, work: Work) -> Mapping[str, int]:
        """Read the links into the columns a, a_text, b and b_text.

        a and b are ids. a_text and b_text are the texts of ids that do not encode them.
        """
        terms, columns = term_columns({"a": "s", "b": "o"}, spaces=(FREEBASE, WIKIDATA))
        return read_triples(
            work,
            LineColumns(
                separator=separator(work.files[0]),
                steps=(terms, {"link": f"p = '<{SAME_AS}>'"}),
                clean=f"{sql.is_iri('s')} AND {sql.is_iri('p')} AND CASE WHEN starts_with(o, '\"')"
                f" THEN {sql.is_literal('o')} ELSE {sql.is_iri('o')} END",
                kind=f"CASE WHEN link AND starts_with(o, '<') THEN {_LINK} ELSE {_OTHER} END",
                columns={"p": "substr(p, 2, length(p) - 2)", **columns},
                legal=sql.holds_iri_characters,
                rebuild=_rebuild,
            ),
        )

    def reach(self, files: Sequence[Path], options: Options, folder: Path) -> Part:
        reach = dump_links.sameas(separator(files[0]), SAME_AS)
        return Lines(files, reach, options, folder)

    def clean(self, work: Work) -> Streams:
        """See :class:`hydra_kg.ingest.contract.loader.Loader`."""
        other = work.one(f"SELECT count(*) FROM row WHERE kind = {_OTHER}")
        links = f"FROM row WHERE kind = {_LINK}"
        if other and not work.rules["predicates"]:
            # Somebody wants the rest as facts as well: nothing here can say what they mean.
            work.reject(
                [
                    (line, "unsupported", 0, p)
                    for line, p in work.db.execute(f"SELECT line, p FROM row WHERE kind = {_OTHER}").fetchall()
                ]
            )
            other = 0
        return Streams(
            same_as=f"SELECT a, b, line {links}",
            terms=f"SELECT a AS id, a_text AS text {links} AND a_text IS NOT NULL"
            f" UNION ALL SELECT b, b_text {links} AND b_text IS NOT NULL",
            dropped={"predicates": other},
        )


def _rebuild(row: Mapping[str, Any]) -> str:
    left, right = (row[t] or ids.decode(row[i]) for i, t in (("a", "a_text"), ("b", "b_text")))
    return f"{left}\t{row['p']}\t{right}\t."
