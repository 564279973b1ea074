"""Files of people's own become titles and paragraphs, and hostile ones a reason."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.errors import HydraError, MissingPackageError
from hydra_kg_loaders.documents import office, reading
from hydra_kg_loaders.documents.aliases import aliases
from hydra_kg_loaders.documents.document import DocumentError
from hydra_kg_loaders.documents.markup import markup
from hydra_kg_loaders.documents.plain import markdown, plain

SENTENCE = "Gull Rock is a lighthouse. It was built in 1862 by Ada Finch."


def _word(*paragraphs: tuple[str, str]) -> bytes:
    import docx

    made, out = docx.Document(), io.BytesIO()
    for style, text in paragraphs:
        made.add_paragraph(text, style=style)
    made.save(out)
    return out.getvalue()


def _pdf(*lines: str) -> bytes:
    """A PDF of one page, written by hand."""
    shown = "".join(f"({line}) Tj T* " for line in lines)
    stream = f"BT /F1 12 Tf 14 TL 72 720 Td {shown}ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % p for p in places)
    out += b"trailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start
    return bytes(out)


def test_plain_text_has_a_title_headings_and_paragraphs() -> None:
    found = plain(b"GULL ROCK\n\nFirst para-\ngraph, two lines.\n\nHistory\n-------\n\nSecond one.\n")
    assert found.title == "Gull Rock"
    assert found.paragraphs == [("", "First paragraph, two lines."), ("History", "Second one.")]


def test_markdown_loses_its_marks_and_code() -> None:
    found = markdown(
        b"---\ntitle: Gull Rock\n---\n# Ignored\n\n**Bold** and [linked](x).\n\n```\ncode\n```\n\n|a|b|\n|-|-|\n|c|d|\n"
    )
    assert found.title == "Gull Rock"
    assert [text for _, text in found.paragraphs] == ["Bold and linked.", "a | b", "c | d"]


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


@pytest.mark.parametrize("body", [b"%PDF-1.4 nothing", b"%PDF-1.7\n1 0 obj\n<<"])
def test_a_broken_pdf_is_refused(body: bytes) -> None:
    with pytest.raises(DocumentError):
        office.pdf(body)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="pypdf") as caught:
        reading.check_libraries([Path("a.txt"), Path("b.pdf")])
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
