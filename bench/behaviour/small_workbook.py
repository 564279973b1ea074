"""Write .xlsx files of plain cells, merged cells and hidden sheets with the standard library alone."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

Rows = Sequence[Sequence[object]]

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-"


def write_workbook(
    sheets: Mapping[str, Rows],
    file: Path,
    *,
    merged: Mapping[str, Sequence[str]] | None = None,
    hidden: Sequence[str] = (),
) -> Path:
    """Write a workbook and return its path. `merged` has ranges such as ``A1:B2`` for each sheet; None is no cell."""
    numbers = range(1, len(sheets) + 1)
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml"'
        f' ContentType="{_TYPE}officedocument.spreadsheetml.worksheet+xml"/>'
        for n in numbers
    )
    entries = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="r{n}"{_state(name in hidden)}/>'
        for n, name in enumerate(sheets, 1)
    )
    targets = "".join(
        f'<Relationship Id="r{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels"'
        f' ContentType="{_TYPE}package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        '<Override PartName="/xl/workbook.xml"'
        f' ContentType="{_TYPE}officedocument.spreadsheetml.sheet.main+xml"/>{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1"'
        f' Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_SHEETS}" xmlns:r="{_OFFICE}"><sheets>{entries}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{targets}</Relationships>',
    }
    for n, (name, rows) in enumerate(sheets.items(), 1):
        body = "".join(
            f'<row r="{number}">{"".join(_cell(number, place, value) for place, value in enumerate(row))}</row>'
            for number, row in enumerate(rows, 1)
        )
        ranges = "".join(f'<mergeCell ref="{one}"/>' for one in (merged or {}).get(name, ()))
        parts[f"xl/worksheets/sheet{n}.xml"] = (
            f'<worksheet xmlns="{_SHEETS}"><sheetData>{body}</sheetData>'
            f"{f'<mergeCells>{ranges}</mergeCells>' if ranges else ''}</worksheet>"
        )
    with zipfile.ZipFile(file, "w") as out:
        for part, text in parts.items():
            out.writestr(part, text)
    return file


def _state(hidden: bool) -> str:
    return ' state="hidden"' if hidden else ""


def _cell(row: int, place: int, value: object) -> str:
    if value is None:
        return ""
    at = f"{chr(ord('A') + place)}{row}"
    if isinstance(value, int | float):
        return f'<c r="{at}"><v>{value}</v></c>'
    return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'
