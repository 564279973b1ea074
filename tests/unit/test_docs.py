"""Documents that a reader can rely on: links resolve, the index is complete, decisions have one form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from hydra_kg import __version__

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
DECISIONS = sorted((DOCS / "adr").glob("[0-9]*.md"))
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *sorted(DOCS.rglob("*.md")),
    *(ROOT / folder / "README.md" for folder in ("bench", "docker", "cypher", "migrations")),
]

HEADINGS = ["Decision", "Date", "Evidence", "What would change it"]
WORDS = 250
"""Words of a decision, its tables left out."""

LONGEST = 45
"""Words of a sentence in README, guides and reference pages."""

PRIVATE = re.compile(
    r"\b(beside|nought|somebody's|whoever|goes by|what is so|(?:is|are) (?:read as|told|held)|taken up)\b"
)
"""Wordings that readers from outside must read twice; the test of names has those of names and messages."""

GUIDES = [*PAGES[:4], *sorted({*DOCS.glob("*.md")} - {DOCS / "research-log.md"}), ROOT / "bench" / "README.md"]
_END = re.compile(r"""(?<=[.!?])["”)*]*\s+(?=[A-Z“"`*\[0-9])""")

_FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?://|mailto:)([^)\s#]*)(?:#([^)\s]*))?\)")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
_PAGE = re.compile(r"\bdocs/[\w./-]+\.md\b")


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return _FENCED.sub("", page.read_text("utf-8"))


def anchors(page: Path) -> set[str]:
    """The names by which a link reaches the headings of a page."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in _HEADING.findall(prose(page))}


def linked(page: Path) -> set[Path]:
    """The files that a page links to."""
    return {(page.parent / target).resolve() for target, _ in _LINK.findall(prose(page)) if target}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    broken = []
    for target, anchor in _LINK.findall(prose(page)):
        there = (page.parent / target).resolve() if target else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            broken.append(f"{target}#{anchor}" if anchor else target)
    assert broken == []


def test_the_index_names_every_page():
    pages = {page for page in DOCS.rglob("*.md") if page.parent.name not in {"adr", "strategies"}}
    assert sorted(page.name for page in pages - linked(DOCS / "index.md") - {DOCS / "index.md"}) == []
    assert set((DOCS / "strategies").glob("*.md")) <= linked(DOCS / "strategies.md")
    assert DOCS / "adr" / "README.md" in linked(DOCS / "index.md")
    assert sorted(page.name for page in set(DECISIONS) - linked(DOCS / "adr" / "README.md")) == []


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_says_what_when_why_and_until_when(page):
    text = page.read_text("utf-8")
    assert text.startswith(f"# {page.name[:4]}. ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS
    parts = re.split(r"^## .+$", text, flags=re.MULTILINE)[1:]
    assert all(part.strip() for part in parts)
    assert re.match(r"\s*\d{4}-\d{2}-\d{2}\b", parts[HEADINGS.index("Date")])
    assert len([word for line in text.splitlines() if line[:1] not in {"|", "#"} for word in line.split()]) <= WORDS


def test_decisions_are_numbered_without_gaps():
    assert [int(page.name[:4]) for page in DECISIONS] == list(range(1, len(DECISIONS) + 1))


def test_pages_that_code_refers_to_are_there():
    sources = [ROOT / "pyproject.toml"]
    for top in ("hydra_kg", "loaders", "bench", "cypher", "migrations", "docker"):
        sources += [path for path in (ROOT / top).rglob("*") if path.suffix in {".py", ".cypher", ".md", ".tsv"}]
    missing = {
        f"{path.relative_to(ROOT)}: {page}"
        for path in sources
        for page in _PAGE.findall(path.read_text("utf-8"))
        if not (ROOT / page).is_file()
    }
    assert missing == set()


def test_contributing_names_every_part_of_the_package():
    said = set(re.findall(r"`([a-z_]+(?:\.py|/))`", (ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    parts = {f"{path.name}/" for path in (ROOT / "hydra_kg").iterdir() if path.is_dir() and path.name[0] != "_"}
    parts |= {path.name for path in (ROOT / "hydra_kg").glob("[a-z]*.py")}
    assert sorted(parts - said) == []


def test_the_changelog_and_the_citation_name_this_version():
    newest = re.search(r"^## (\d\S*) - (\S+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert newest is not None
    assert newest[1] == __version__
    assert (str(citation["version"]), str(citation["date-released"])) == newest.groups()


def paragraphs(page: Path) -> list[str]:
    """The paragraphs, items and rows of a page, each in one line, without the targets of links."""
    text = re.sub(r"\]\([^)]*\)", "]", prose(page))
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n|\n *(?=[-*|] |\d+\. )", text)]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_in_plain_sentences(page):
    if page.name != "CHANGELOG.md":
        assert [found[0] for part in paragraphs(page) for found in PRIVATE.finditer(part)] == []
    sentences = [s for part in paragraphs(page) if part[:1] not in {"|", "#"} for s in _END.split(part)]
    assert [sentence for sentence in sentences if len(sentence.split()) > LONGEST] == []


def test_the_newest_version_has_short_entries_under_the_usual_headings():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8").split("\n## ")[1]
    headings = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert headings == [h for h in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security") if h in headings]
    entries = re.findall(r"^ *- (.+)$", re.sub(r"\]\([^)]*\)", "]", text), re.MULTILINE)
    assert len(entries) == len(set(entries))
    assert [entry for entry in entries if len(entry.split()) > 25] == []


@pytest.mark.parametrize("name, most", [("README.md", 150), ("CONTRIBUTING.md", 120)])
def test_the_first_pages_stay_short(name, most):
    assert len((ROOT / name).read_text("utf-8").splitlines()) <= most
