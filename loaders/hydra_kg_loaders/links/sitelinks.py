"""Read sitelinks, which map pages of Wikipedia to Wikidata items, from N-Triples or ``title<TAB>Q42`` lines."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import unquote

from hydra_kg.errors import LoadError, NotFoundError
from hydra_kg.ingest.contract.feed import Feed
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.formats import sql
from hydra_kg.text.quoting import sql_path, sql_text

SITELINKS: Final = "sitelinks"
"""Name of the option (``Options.extra``) with the path of such a file."""

_ABOUT: Final = (
    "^<https?://([a-z-]+)[.]wikipedia[.]org/wiki/([^<>\\s]+)>\\s+<http://schema[.]org/about>"
    "\\s+<http://www[.]wikidata[.]org/entity/(Q[1-9][0-9]{0,17})>\\s*[.]"
)
_PLAIN: Final = "^([^\\t<][^\\t]*)\\t(Q[1-9][0-9]{0,17})\\r?$"


def read_sitelinks(work: Work, file: Path, *, wiki: str) -> int:
    """Fill ``sitelink`` (title, node) from a file and return the number of rows.

    If a title has several items, the first by number stays. ``wiki`` is the language to read in N-Triples. Raises
    NotFoundError, and LoadError if there are none.
    """
    if not file.is_file():
        raise NotFoundError(f"There is no file {file} with sitelinks.", remedy="Check the path after --sitelinks.")
    work.db.execute("CREATE TABLE raw_sitelink (title VARCHAR, escaped BOOLEAN, item VARCHAR)")
    feed = Feed([file], work.folder / "aside.bin", max_line=work.options.max_line)
    for piece in feed.pieces(work.folder):
        rows = (
            f"(SELECT line FROM read_csv({sql_path(piece)}, delim = '\x01', quote = '', escape = '', header ="
            " false, auto_detect = false, columns = {'line': 'VARCHAR'}, new_line = '\\n', max_line_size ="
            f" {2 * work.options.max_line}))"
        )
        work.db.execute(
            "INSERT INTO raw_sitelink SELECT part[2], true, part[3] FROM (SELECT regexp_extract_all(line,"
            f" {sql_text(_ABOUT)}) AS hit, [regexp_extract(line, {sql_text(_ABOUT)}, 1), regexp_extract(line,"
            f" {sql_text(_ABOUT)}, 2), regexp_extract(line, {sql_text(_ABOUT)}, 3)] AS part FROM {rows}"
            f" WHERE contains(line, '<http://schema.org/about>')) WHERE part[1] = {sql_text(wiki)}"
            " UNION ALL"
            f" SELECT regexp_extract(line, {sql_text(_PLAIN)}, 1), false, regexp_extract(line, {sql_text(_PLAIN)}, 2)"
            f" FROM {rows} WHERE regexp_matches(line, {sql_text(_PLAIN)})"
        )
    work.db.create_function("title_of", _title, ["VARCHAR"], "VARCHAR")
    work.db.execute(
        "INSERT INTO sitelink SELECT title, min(node) FROM (SELECT CASE WHEN escaped AND"
        " contains(title, '%') THEN title_of(title) ELSE replace(title, '_', ' ') END AS title,"
        f" {sql.wikidata_id('item')} AS node FROM raw_sitelink) GROUP BY title ORDER BY title"
    )
    work.db.remove_function("title_of")
    work.db.execute("DROP TABLE raw_sitelink")
    found: int = work.one("SELECT count(*) FROM sitelink")
    if not found:
        raise LoadError(
            f"{file.name} names no page of {wiki}.wikipedia.org.",
            remedy="It needs lines <https://en.wikipedia.org/wiki/X> <http://schema.org/about>"
            " <http://www.wikidata.org/entity/Q1> . or a title, a tab and an item.",
        )
    return found


def _title(text: str) -> str:
    return unquote(text, errors="replace").replace("_", " ")
