"""A Wikipedia dump into a store: pages counted, passages with sections, aliases, and facts that sentences state."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path

import pytest
from helpers.samples.wiki_dumps import PAGES, multistream, page, whole

from hydra_kg import Hydra
from hydra_kg.domain import Fact
from hydra_kg.errors import LoadError, NotFoundError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import LoadReport, load_files
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore

BASE = "https://en.wikipedia.org/wiki/"
ITEMS = "Wolfgang Amadeus Mozart\tQ254\nSalzburg\tQ34713\nAustria\tQ40\nVienna\tQ1741\nConstanze Weber\tQ78483\n"


@pytest.fixture
def sitelinks(tmp_path: Path) -> dict[str, str]:
    file = tmp_path / "items.tsv"
    file.write_text(ITEMS)
    return {"sitelinks": str(file)}


def load(folder: Path, file: Path, **choices: object) -> tuple[LoadReport, EmbeddedStore]:
    store = EmbeddedStore(folder / "store")
    return load_files(store, [file], LoadOptions(**choices)), store  # type: ignore[arg-type]


def facts(store: EmbeddedStore, *keys: str) -> set[tuple[str, str, str, str]]:
    """Subject, phrase, object and place of every fact within a hop of the keys."""
    with store.snapshot() as snapshot:
        nodes = [n for n in snapshot.lookup(keys) if n is not None]
        cut = snapshot.cut(nodes, depth=1)
        found: list[Fact] = snapshot.facts(cut.segment, cut.row)
    return {(f.subject, f.predicate.removeprefix("open:"), f.object, str(f.locator)) for f in found}


def test_every_page_is_accounted_for(tmp_path: Path) -> None:
    report, store = load(tmp_path, multistream(tmp_path / "enwiki.xml.bz2"))
    (result,) = report.loads
    store.close()
    assert (result.name, result.format, result.read) == ("wikipedia", "wikipedia", len(PAGES))
    assert result.balanced()
    assert dict(result.kept) == {"articles": 4, "redirects": 3}
    assert {k: n for k, n in result.dropped.items() if n} == {"spaces": 1, "redirects": 1, "empty": 1, "models": 1}
    assert (result.passages, result.links) == (6, 6)


def test_facts_state_page_section_and_span(tmp_path: Path, sitelinks: dict[str, str]) -> None:
    _, store = load(tmp_path, multistream(tmp_path / "enwiki.xml.bz2"), extra=sitelinks)
    name = "Wolfgang Amadeus Mozart"
    assert facts(store, "Q254") == {
        ("Q254", "composer of", f"{BASE}Classical_period_(music)", f"{name} [0:98] (enwiki.xml.bz2:1)"),
        ("Q254", "born in", "Q34713", f"{name} [100:123] (enwiki.xml.bz2:1)"),
        ("Q254", "died in", "Q1741", f"{name} [100:142] (enwiki.xml.bz2:1)"),
        ("Q254", "married", "Q78483", f"{name} § Family [0:30] (enwiki.xml.bz2:1)"),
    }
    with store.snapshot() as snapshot:
        (mozart,) = snapshot.lookup(["Q254"])
        assert mozart is not None
        passages = {p.title: p for p in snapshot.passages([mozart])}
    store.close()
    assert passages[name].text[100:123] == "He was born in Salzburg"
    family = passages[f"{name} § Family"]
    assert family.text == "Mozart married Constanze Weber in 1782."
    assert family.locator.url == f"{BASE}Wolfgang_Amadeus_Mozart?oldid=1001#Family"
    assert (family.source.kind, family.source.origin) == ("wiki", "wikipedia")


def test_pages_without_an_item_are_entities_by_their_address(tmp_path: Path) -> None:
    _, store = load(tmp_path, multistream(tmp_path / "enwiki.xml.bz2"))
    key = f"{BASE}Wolfgang_Amadeus_Mozart"
    assert {f[1:3] for f in facts(store, key)} == {
        ("composer of", f"{BASE}Classical_period_(music)"),
        ("born in", f"{BASE}Salzburg"),
        ("died in", f"{BASE}Vienna"),
        ("married", f"{BASE}Constanze_Weber"),
    }
    with store.snapshot() as snapshot:
        (weber,) = snapshot.lookup([f"{BASE}Constanze_Weber"])  # only linked to
        assert weber is not None
        assert snapshot.entities([weber])[0].node.name == "Constanze Weber"
        asked = ["Mozart", "Wien", "Mercury", "Nowhere"]
        names = {n: {h.text for h in hits} for n, hits in zip(asked, snapshot.find(asked), strict=True)}
    store.close()
    assert names == {"Mozart": {"Mozart"}, "Wien": {"Wien"}, "Mercury": {"Mercury"}, "Nowhere": set()}


def test_every_form_of_the_file_gives_the_same(tmp_path: Path, sitelinks: dict[str, str]) -> None:
    seen = []
    data = whole()
    cut = data.index(b"composer")
    forms = {
        "plain.xml": data,
        "one.xml.gz": gzip.compress(data),
        "single.xml.bz2": bz2.compress(data),
        "cut.xml.bz2": bz2.compress(data[:cut]) + bz2.compress(data[cut:]),
    }
    for name, form in forms.items():
        (tmp_path / name).write_bytes(form)
    for file in (
        multistream(tmp_path / "multi.xml.bz2"),
        multistream(tmp_path / "four.xml.bz2", each=4),
        *(tmp_path / name for name in forms),
    ):
        folder = tmp_path / file.name.replace(".", "-")
        report, store = load(folder, file, extra=sitelinks)
        with store.snapshot() as snapshot:
            passages = sorted(
                (p.title, p.text, p.locator.line, p.locator.url)
                for p in snapshot.passages([n for n in snapshot.lookup(["Q254", "Q1741"]) if n is not None])
            )
        found = sorted((*f[:3], f[3].replace(file.name, "")) for f in facts(store, "Q254", "Q40"))
        store.close()
        seen.append((report.loads[0].read, dict(report.loads[0].kept), passages, found))
    assert all(s == seen[0] for s in seen[1:])


def test_several_processes_give_what_one_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hydra_kg_loaders.wikipedia import dump as wikipedia_dump
    from hydra_kg_loaders.wikipedia import loader as wikipedia

    pages = [page(f"Town {n}", f"'''Town {n}''' is a town in [[County {n % 7}]].", number=n) for n in range(300)]
    file = multistream(tmp_path / "enwiki.xml.bz2", pages, each=10)
    monkeypatch.setattr(wikipedia, "stream_pieces", lambda f: wikipedia_dump.stream_pieces(f, size=2000))
    seen = []
    for threads in (1, 2):
        monkeypatch.setattr(wikipedia, "_large", lambda f, many=threads > 1: many)
        report, store = load(tmp_path / str(threads), file, threads=threads)
        assert (report.loads[0].read, report.loads[0].links) == (300, 300)
        seen.append(facts(store, f"{BASE}County_3"))
        store.close()
    assert len(seen[0]) > 40
    assert seen[0] == seen[1]


def test_bad_pages_are_rejected_and_the_others_stay(tmp_path: Path) -> None:
    bad = ["  <page><title>A</title>&nope;</page>\n", "  <page><title>B</title></page>\n"]
    report, store = load(tmp_path, multistream(tmp_path / "enwiki.xml.bz2", [bad[0], *PAGES, bad[1]], each=3))
    store.close()
    (result,) = report.loads
    assert dict(result.rejected) == {"xml": 1, "page": 1}
    assert result.balanced()
    assert result.kept["articles"] == 4
    with gzip.open(result.rejects, "rt") as lines:
        rows = [line.split("\t")[:3] for line in lines][1:]
    assert rows == [["enwiki.xml.bz2", "1", "xml"], ["enwiki.xml.bz2", str(len(PAGES) + 2), "page"]]


def test_a_limit_counts_pages(tmp_path: Path) -> None:
    report, store = load(tmp_path, multistream(tmp_path / "enwiki.xml.bz2", each=5), limit=3)
    store.close()
    assert (report.loads[0].read, report.loads[0].balanced()) == (3, True)
    assert report.loads[0].kept["articles"] == 2


def test_a_wiki_that_states_no_relation_loads_its_passages_and_says_so(tmp_path: Path) -> None:
    file = multistream(tmp_path / "enwiki.xml.bz2", [page("A", "Nothing is linked here.")])
    with EmbeddedStore(tmp_path / "store") as store:
        report = load_files(store, [file])
    assert (report.loads[0].passages, report.loads[0].links) == (1, 0)
    assert report.loads[0].notes["relations"] == 0
    assert report.loads[0].described["lines"][0].startswith("No facts were found")
    assert report.loads[0].balanced()


@pytest.mark.parametrize("broken", ["cut", "doctype", "no page"])
def test_what_is_no_whole_dump_is_refused(tmp_path: Path, broken: str) -> None:
    data = whole()
    if broken == "cut":
        data = data[: data.rindex(b"</page>")]
    elif broken == "doctype":
        data = b'<!DOCTYPE x [<!ENTITY a "b">]>\n' + data
    else:
        data = b"<mediawiki></mediawiki>"
    file = tmp_path / "dump.xml"
    file.write_bytes(data)
    with EmbeddedStore(tmp_path / "store") as store, pytest.raises(LoadError):
        load_files(store, [file])


def test_sitelinks_as_triples_and_their_errors(tmp_path: Path) -> None:
    file = multistream(tmp_path / "enwiki.xml.bz2")
    links = tmp_path / "links.nt"
    about, item = "<http://schema.org/about>", "http://www.wikidata.org/entity"
    links.write_text(
        f"<{BASE}Wolfgang_Amadeus_Mozart> {about} <{item}/Q254> .\n<http://a> <http://b> <http://c> .\n"
        f"<https://de.wikipedia.org/wiki/Wien> {about} <{item}/Q1> .\n"
        f"<{BASE}Caf%C3%A9> {about} <{item}/Q30022> .\n"
    )
    report, store = load(tmp_path, file, extra={"sitelinks": str(links)})
    assert report.loads[0].notes["sitelinks"] == 2
    assert {f[0] for f in facts(store, "Q254")} == {"Q254"}
    with pytest.raises(NotFoundError, match="sitelinks"):
        load_files(store, [file], LoadOptions(replace=True, extra={"sitelinks": str(tmp_path / "none")}))
    links.write_text("nothing\n")
    with pytest.raises(LoadError, match="names no page"):
        load_files(store, [file], LoadOptions(replace=True, extra={"sitelinks": str(links)}))
    store.close()


def test_ask_answers_from_what_pages_state(tmp_path: Path) -> None:
    with Hydra(settings=Settings(store=str(tmp_path / "store"))) as hydra:
        hydra.load(multistream(tmp_path / "enwiki.xml.bz2"))
        answer = hydra.ask("Where was Mozart born?")
    assert answer.answer_text == "Salzburg"
    assert answer.label == "wiki"
    assert any(c.source == "wikipedia" for c in answer.citations)


def test_relations_of_passages_are_asked_for(tmp_path: Path) -> None:
    text = "Wolfgang Amadeus Mozart was born in Salzburg. He died in Vienna."
    docs = [
        {"title": "Wolfgang Mozart", "qid": "Q254", "text": text},
        {"title": "Salzburg", "qid": "Q34713", "text": "It is old."},
        {"title": "Vienna", "qid": "Q1741", "text": "Big."},
    ]
    file = tmp_path / "pages.jsonl"
    file.write_text("".join(json.dumps(d) + "\n" for d in docs))
    report, store = load(tmp_path, file)
    assert report.loads[0].links == 0
    report = load_files(store, [file], LoadOptions(replace=True, rules={"relations": True}))
    assert report.loads[0].balanced()
    assert facts(store, "Q254") == {
        ("Q254", "born in", "Q34713", "Wolfgang Mozart [0:44] (pages.jsonl:1)"),
        ("Q254", "died in", "Q1741", "Wolfgang Mozart [46:63] (pages.jsonl:1)"),
    }
    file.write_text(json.dumps({"title": "A", "text": "Nothing."}) + "\n")
    report = load_files(store, [file], LoadOptions(replace=True, rules={"relations": True}))
    assert (report.loads[0].passages, report.loads[0].notes["relations"]) == (1, 0)
    store.close()


def test_a_process_that_dies_is_said_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess
    import sys

    from hydra_kg_loaders.wikipedia import loader as wikipedia
    from hydra_kg_loaders.wikipedia import pool as wikipedia_pool

    file = multistream(tmp_path / "enwiki.xml.bz2")
    monkeypatch.setattr(wikipedia, "_large", lambda f: True)
    real = wikipedia_pool._start
    command = [sys.executable, "-c", "raise SystemExit(9)"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    monkeypatch.setattr(wikipedia_pool, "_start", lambda: subprocess.Popen(command, **pipes))  # type: ignore[call-overload]
    with EmbeddedStore(tmp_path / "store") as store:
        with pytest.raises(LoadError, match="has ended"):
            load_files(store, [file])
        assert not [load for load in store.loads() if load["state"] == "ready"]
        monkeypatch.setattr(wikipedia_pool, "_start", real)
        report = load_files(store, [file])
    assert report.loads[0].links == 6
    assert not list((tmp_path / "store").rglob("pages-*"))


def test_a_sentence_that_an_unknown_template_breaks_states_no_fact(tmp_path: Path) -> None:
    text = "The [[Tarn Mill]] was founded by [[Ada Crowe]] in {{%s|1741}}."
    pages = [page("Known", text % "circa"), page("Unknown", text % "frobnicate")]
    report, store = load(tmp_path, multistream(tmp_path / "enwiki.xml.bz2", pages))
    store.close()
    assert (report.loads[0].passages, report.loads[0].notes["relations"]) == (2, 1)
