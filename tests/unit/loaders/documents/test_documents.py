"""Files of people's own become titles and paragraphs, and hostile ones a reason."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.errors import HydraError, MissingPackageError
from hydra_kg_loaders.documents import document_reader, office
from hydra_kg_loaders.documents.document import DocumentError, aliases
from hydra_kg_loaders.documents.markup import markup
from hydra_kg_loaders.documents.plain import read_markdown, read_plain_text

SENTENCE = "Gull Rock is a lighthouse. It was built in 1862 by Ada Finch."


def _word(*paragraphs: tuple[str, str]) -> bytes:
    import docx

    made, out = docx.Document(), io.BytesIO()
    for style, text in paragraphs:
        made.add_paragraph(text, style=style)
    made.save(out)
    return out.getvalue()


def _pdf(*lines: str) -> bytes:
    """A PDF of one page."""
    return _pdf_pages(lines)


def _pdf_pages(*pages: Sequence[str] | None) -> bytes:
    """A PDF written by hand: a page for each list of lines, one that shows only a picture for None."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * n) for n in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
        b" /Length 1 >>\nstream\n0\nendstream",
    ]
    for n, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj T* " for line in lines or ())
        stream = (
            b"q 400 0 0 400 72 72 cm /I1 Do Q" if lines is None else f"BT /F1 12 Tf 14 TL 72 720 Td {shown}ET".encode()
        )
        used = b"/XObject << /I1 3 0 R >>" if lines is None else b""
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << %s"
            b" /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>" % (5 + 2 * n, used),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        ]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % p for p in places)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def _word_body(*blocks: str) -> bytes:
    """A Word document with that XML as its body."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(_word())) as empty, zipfile.ZipFile(out, "w") as made:
        for name in empty.namelist():
            data = empty.read(name)
            if name == "word/document.xml":
                at = data.index(b"<w:body>") + len(b"<w:body>")
                data = data[:at] + "".join(blocks).encode() + data[at:]
            made.writestr(name, data)
    return out.getvalue()


def _p(*runs: str) -> str:
    return f"<w:p>{''.join(runs)}</w:p>"


def _r(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_plain_text_has_a_title_headings_and_paragraphs() -> None:
    found = read_plain_text(b"GULL ROCK\n\nFirst para-\ngraph, two lines.\n\nHistory\n-------\n\nSecond one.\n")
    assert found.title == "Gull Rock"
    assert found.paragraphs == [("", "First paragraph, two lines."), ("History", "Second one.")]


def test_markdown_loses_its_marks_and_code() -> None:
    found = read_markdown(
        b"---\ntitle: Gull Rock\n---\n# Ignored\n\n**Bold** and [linked](x).\n\n```\ncode\n```\n\n|a|b|\n|-|-|\n|c|d|\n"
    )
    assert found.title == "Gull Rock"
    assert [text for _, text in found.paragraphs] == ["Bold and linked.", "c | b: d"]


def test_html_loses_menus_and_scripts_and_reads_nothing_from_elsewhere() -> None:
    page = b"""<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><title>Gull Rock - Site</title><nav>Menu</nav>
    <script>bad()</script><h2>History</h2><p>It was <b>built</b> in 1862. &x;</p><ul><li>One</li></ul>"""
    found = markup(page)
    assert found.title == "Gull Rock"
    assert [heading for heading, _ in found.paragraphs] == ["History", "History"]
    assert found.paragraphs[0][1].startswith("It was built in 1862.")
    assert "root:" not in str(found.paragraphs)


def test_html_with_a_tag_of_many_attributes_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    from lxml import html

    monkeypatch.setattr(html, "document_fromstring", lambda *_, **__: pytest.fail("the page was parsed"))
    page = b"<p " + b" ".join(b"a%d=1" % i for i in range(40_000)) + b">" + SENTENCE.encode() + b"</p>"
    with pytest.raises(DocumentError, match=r"^a tag has more than 500 attributes$"):
        markup(page)


def test_word_has_styles_and_tables() -> None:
    found = office.word(
        _word(("Title", "Gull Rock"), ("Normal", SENTENCE), ("Heading 1", "Keepers"), ("Normal", "Two."))
    )
    assert (found.title, found.paragraphs) == ("Gull Rock", [("", SENTENCE), ("Keepers", "Two.")])


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"\0" * (2 << 20))
    monkeypatch.setattr(office, "UNPACKED", 1 << 20)
    with pytest.raises(DocumentError) as caught:
        office.word(out.getvalue())
    assert caught.value.reason == "bomb"


def test_pdf_is_read_by_page() -> None:
    found = office.pdf(_pdf("Gull Rock is a lighthouse on the coast of Ard.", "It was built in 1862 by Ada Finch."))
    assert found.paragraphs[0][0] == "page 1"
    assert "built in 1862 by Ada Finch" in " ".join(text for _, text in found.paragraphs)


def test_pages_without_text_are_named_and_the_others_read() -> None:
    body = _pdf_pages(
        ["Gull Rock is a lighthouse on the coast of Ard."], [], None, None, ["It was built in 1862 by Ada Finch."]
    )
    found = office.pdf(body)
    assert [heading for heading, _ in found.paragraphs] == ["page 1", "page 5"]
    assert found.unread == [f"pages 3-4 {office.OCR}"]  # the blank second page has nothing to be read


def test_a_pdf_of_pictures_is_refused_with_the_remedy() -> None:
    with pytest.raises(DocumentError, match=r"page 1 .*ocrmypdf") as caught:
        office.pdf(_pdf_pages(None))
    assert caught.value.reason == "no-text"


def test_a_page_that_cannot_be_read_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from pypdf import PageObject

    read = PageObject.extract_text

    def failing(page: PageObject) -> str:
        if "Second" in (text := str(read(page))):
            raise KeyError("/Font")
        return text

    monkeypatch.setattr(PageObject, "extract_text", failing)
    found = office.pdf(_pdf_pages(["First page of the report of Ard."], ["Second page."]))
    assert (len(found.paragraphs), found.unread) == (1, [f"page 2 {office.BROKEN}"])


def test_word_shows_insertions_controls_and_boxes_and_no_deletions() -> None:
    box = (
        "<w:r><mc:AlternateContent xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'><mc:Choice>"
        "<w:drawing><w:txbxContent>" + _p(_r("It opened in 1931.")) + "</w:txbxContent></w:drawing></mc:Choice>"
        "<mc:Fallback><w:pict><w:txbxContent>"
        + _p(_r("It opened in 1931."))
        + "</w:txbxContent></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    owner = '<w:ins w:id="1" w:author="a">' + _r("Hill Union") + "</w:ins>"
    gone = '<w:del w:id="2" w:author="a"><w:r><w:delText>Kit Alder</w:delText></w:r></w:del>'
    control = "<w:sdt><w:sdtContent>" + _p(_r("Built by Otto Lund.")) + "</w:sdtContent></w:sdt>"
    moved = '<w:moveFrom w:id="3" w:author="a">' + _r("Old place") + "</w:moveFrom>"
    found = office.word(
        _word_body(_p(_r("The bridge is owned by "), owner, gone, _r("."), box), control, _p(moved, _r("End of it.")))
    )
    assert [text for _, text in found.paragraphs] == [
        "The bridge is owned by Hill Union.",
        "It opened in 1931.",
        "Built by Otto Lund.",
        "End of it.",
    ]


def test_word_tables_keep_equal_cells_and_tables_in_cells() -> None:
    def table(*rows: Sequence[str]) -> str:
        cells = ["".join(f"<w:tc>{c if c.startswith('<w:') else _p(_r(c))}</w:tc>" for c in row) for row in rows]
        return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"

    inner = table(["Keeper", "Tom Reed"]) + _p()
    found = office.word(_word_body(table(["Lamp", "North", "South"], ["Gull", "Red", "Red"], ["Ard", inner, "White"])))
    assert [text for _, text in found.paragraphs] == [
        "Lamp | North | South",
        "Gull | North: Red | South: Red",
        "Ard | South: White",
        "Keeper | Tom Reed",
    ]
    assert found.cells == [(1, "Gull", "North", "Red"), (1, "Gull", "South", "Red"), (2, "Ard", "South", "White")]


def test_rows_of_wide_tables_keep_their_headings() -> None:
    found = read_markdown(b"# Queue\n\n|setting|unit|default|\n|-|-|-|\n|queue.a|ms|10|\n|queue.b|MB||\n")
    assert found.paragraphs == [("", "queue.a | unit: ms | default: 10"), ("", "queue.b | unit: MB")]
    assert found.cells[0] == (0, "queue.a", "unit", "ms")


def test_rows_are_named_by_the_column_of_words() -> None:
    page = b"""<h1>Plan</h1><table><tr><th>Date<th>Play<th>Director<tr><td rowspan=2>3 May<td>Salt<td>Ada Finch
    <tr><td>Wind<td>Tom Reed<tr><td colspan=3>Cast may change</table>"""
    found = markup(page)
    assert [text for _, text in found.paragraphs][:2] == [
        "Salt | Date: 3 May | Director: Ada Finch",
        "Wind | Date: 3 May | Director: Tom Reed",
    ]
    assert (1, "Wind", "Director", "Tom Reed") in found.cells


def test_definition_lists_join_terms_and_definitions() -> None:
    page = b"<h1>Birds</h1><dl><dt>Gannet</dt><dt>Booby</dt><dd>A sea bird.</dd><dt>Wren<dd><p>A small bird.</p></dl>"
    assert [text for _, text in markup(page).paragraphs] == ["Gannet, Booby: A sea bird.", "Wren: A small bird."]
    found = read_markdown(b"# Birds\n\nGannet\n: A sea bird.\n\nWren\n: A small bird.\n: Brown.\n")
    assert [text for _, text in found.paragraphs] == ["Gannet: A sea bird.", "Wren: A small bird.", "Wren: Brown."]


@pytest.mark.slow
def test_cells_of_tables_and_ligatures_can_be_asked_and_unread_pages_are_reported(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "queue.md").write_text("# Queue\n\n|setting|unit|default|\n|-|-|-|\n|queue.a|ms|10|\n|queue.b|MB|640|\n")
    (notes / "office.txt").write_text("Pﬁster Oﬃce\n\nThe Pﬁster Oﬃce was founded in 1952 by Olga Fischer.\n")
    (notes / "mill.pdf").write_bytes(_pdf_pages(["The Tarn Mill was built in 1931."], None))
    with Hydra(store=tmp_path / "s") as hydra:
        load = hydra.load(notes).to_json()["loads"][0]
        assert load["rejected"] == {"unread-pages": 1}
        assert load["described"]["lines"] == [f"Not read: mill.pdf: page 2 {office.OCR}."]
        assert hydra.ask("What is the default of queue.b?").answer_text == "640"
        assert hydra.ask("When was the Pfister Office founded?").answer_text == "1952"
        assert hydra.ask("Who founded the Pﬁster Oﬃce?").answer_text == "Olga Fischer"


@pytest.mark.parametrize("body", [b"%PDF-1.4 nothing", b"%PDF-1.7\n1 0 obj\n<<"])
def test_a_broken_pdf_is_refused(body: bytes) -> None:
    with pytest.raises(DocumentError):
        office.pdf(body)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_reader, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="pypdf") as caught:
        document_reader.check_libraries([Path("a.txt"), Path("b.pdf")])
    assert "hydra-kg[documents]" in str(caught.value.remedy)


def test_other_names_are_those_that_the_text_uses() -> None:
    text = "Halvorsen & Pike makes gauges. In 2008 Halvorsen & Pike opened a plant in Ostrand."
    assert "Halvorsen & Pike" in aliases("Halvorsen & Pike Instruments", [text])
    assert aliases("Museum of Bells, Varnholt", ["It lies in Varnholt on the quay."]) == ["Museum of Bells"]
    assert "Corriedale Star" in aliases("MV Corriedale Star", [""])


@pytest.mark.slow
def test_a_folder_of_all_kinds_is_one_load(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (notes / ".git").mkdir(parents=True)
    (notes / ".git" / "config.txt").write_text("hidden\n", "utf-8")
    (notes / "gull.docx").write_bytes(_word(("Title", "Gull Rock"), ("Normal", SENTENCE)))
    (notes / "ard.pdf").write_bytes(_pdf("Ard Head is a cape in the county of Sarn.", "It was discovered by Tom Reed."))
    (notes / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (notes / "old.zip").write_bytes(b"PK\x03\x04 and so on")
    events = []
    with Hydra(store=tmp_path / "s", listener=events.append) as hydra:
        report = hydra.load(notes).to_json()
        assert [e.data["file"] for e in events if e.kind == "load.skipped"] == [str(notes / "old.zip")]
        (load,) = report["loads"]
        assert (load["name"], load["rejected"]) == ("notes", {"pdf": 1})
        assert [a.name for a in hydra.ask("Who built Gull Rock?").answers] == ["Ada Finch"]


def test_a_folder_without_anything_known_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.zip").write_bytes(b"PK\x03\x04 and so on")
    with Hydra(store=tmp_path / "s") as hydra, pytest.raises(HydraError, match="nothing to load"):
        hydra.load(tmp_path / "notes")


def test_a_page_without_a_declared_encoding_is_read_as_utf_8() -> None:
    found = markup("<html><body><p>The Laser costs £600.</p></body></html>".encode())
    assert [text for _, text in found.paragraphs] == ["The Laser costs £600."]
    declared = '<html><head><meta charset="iso-8859-1"></head><body><p>Café Zoë</p></body></html>'
    assert [text for _, text in markup(declared.encode("latin-1")).paragraphs] == ["Café Zoë"]


def test_labels_above_a_sentence_are_paragraphs_of_their_own() -> None:
    found = read_markdown(b"# Guide\n\nClosed: Mondays\nParking: free\nTours last an hour\nor more.\n")
    assert [text for _, text in found.paragraphs] == ["Closed: Mondays", "Parking: free", "Tours last an hour or more."]
