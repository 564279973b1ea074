"""The web application in German: no English is left but names, quoted words and data, which are marked as such."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from .conftest import Keyed
from .test_service_page import JOBS, asked, complaints, opened

ENGLISH = frozenset(
    "the of and is are were not none that which who whose what when where how many with without by from for to at on"
    " these those there they them has have had do does did than then only all any some other more most less least after"
    " before between called stated nothing every this it its you your be been could would cannot no yes".split()
)
"""Function words of English that are no German words."""

SAID = """() => {
  const found = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) { found.push(node.textContent); return; }
    if (node.nodeType !== Node.ELEMENT_NODE || node.getAttribute('translate') === 'no') return;
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
      found.push((node.getAttribute(name) ?? '').split(': ')[0]);
    }
    node.childNodes.forEach(walk);
  };
  walk(document.querySelector('.shell'));
  return found.filter(Boolean);
}"""

ANSWERS = {
    "answer": ("alice", "Where was Steve Jobs born?", ".verdict"),
    "list": ("alice", "Which films did James Cameron direct?", ".table"),
    "silence": ("alice", "Who is the mayor of Paris?", ".silence"),
    "refusal": ("alice", "What is the capital of Atlantis?", ".silence"),
    "conflict": ("bob", "Which pier does the Aurora leave from?", ".statement"),
    "count": ("alice", "How many films did James Cameron direct?", ".working"),
    "comparison": ("alice", "Who is older, Steve Jobs or James Cameron?", ".verdict"),
    "condition": ("alice", "Which films did James Cameron direct after 1990?", ".verdict"),
    "yes or no": ("alice", "Was Steve Jobs born in San Francisco?", ".verdict"),
    "table": ("bob", "Which harbour has the most boats?", ".answer"),
}

PAGES = {
    "home": ("", ".joins"),
    "entity": ("#/e/m.0dr_4", ".facts .said a"),
    "graph": ("#/explore/m.0dr_4", ".panel .meanings"),
    "sources": ("#/sources", "article.source"),
    "disagreements": ("#/disagreements", ".row .soft"),
    "compare": ("#/compare", "select"),
    "curation": ("#/curation", ".list"),
}


def english(page: Any, *questions: str) -> list[str]:
    """Return the texts of a page that have an English function word, without what is quoted or marked as data.

    ``questions`` were asked: they name the answers.

    What follows a colon in the name of a button is data: "Entfernen: Where was Steve Jobs born?".
    """
    said = [re.sub(r"„[^“]*“", " ", text) for text in page.evaluate(SAID)]
    return [text for text in said if text not in questions and ENGLISH & set(re.findall(r"[a-z']+", text.lower()))]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_is_german(browser: Any, keyed: Keyed, kind: str):
    who, question, wanted = ANSWERS[kind]
    page, wrong = opened(browser, keyed.service.url, key=keyed.key[who], locale="de-DE")
    page.wait_for_selector(".hero input")
    asked(page, question)
    page.wait_for_selector(wanted)
    assert page.inner_text(".asked") == question
    assert english(page, question) == []
    assert kind != "answer" or "Wir sind" in page.inner_text(".verdict")
    assert kind != "condition" or complaints(page) == []
    assert wrong == []


@pytest.mark.slow
def test_pages_are_german(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["curator"], locale="de-DE")
    for address, wanted in PAGES.values():
        page.goto(f"{keyed.service.url}/{address}")
        page.wait_for_selector(wanted, state="attached")
        assert english(page) == [], address
    assert wrong == []


@pytest.mark.slow
def test_a_condition_is_changed_by_its_german_chip(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"], locale="de-DE")
    page.wait_for_selector(".hero input")
    asked(page, "Which films did James Cameron direct after 1990?")
    page.get_by_role("button", name="„release date“ nach 1990", exact=True).click()
    page.get_by_label("Ein anderer Wert").fill("1995")
    page.get_by_role("button", name="Erneut fragen").click()
    page.wait_for_function("() => document.querySelector('.asked')?.textContent.includes('after 1995')")
    assert wrong == []


@pytest.mark.slow
def test_a_wrong_key_is_refused_in_german(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"], place="#/a/0123456789ab", locale="de-DE")
    page.get_by_role("alert").wait_for()
    assert "Diese Antwort gibt es nicht." in page.inner_text("[role=alert]")
    assert [one for one in wrong if "404" not in one] == []


@pytest.mark.slow
def test_why_a_file_is_not_loaded_is_said_in_german(browser: Any, keyed: Keyed, tmp_path: Path):
    (tmp_path / "mappe.xlsx").write_bytes(b"PK\x03\x04 no workbook")
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["boss"], place="#/sources", locale="de-DE")
    page.set_default_timeout(JOBS)
    page.wait_for_selector(".drop")
    page.locator("input[type=file]").set_input_files(tmp_path / "mappe.xlsx")
    page.get_by_text("Nicht geladen").wait_for()
    assert "lässt sich nicht als Arbeitsmappe lesen" in page.inner_text(".block .note")
    assert wrong == []
