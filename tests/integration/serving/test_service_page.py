"""The page in a real browser: asked by keyboard alone, stopped, drawn, read by axe-core on a phone in the dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from helpers.servers.browser import FLAGS, chromium

from .conftest import Keyed, Stuck

PATIENCE = 60_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser, where there is one."""
    program = chromium()
    if program is None:
        pytest.skip("no Chromium here")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        one = p.chromium.launch(executable_path=program, args=FLAGS)
        yield one
        one.close()


def opened(browser: Any, url: str, **options: Any) -> tuple[Any, list[str]]:
    """The page, and what it complained of (also what its policy forbade)."""
    page, wrong = browser.new_context(**options).new_page(), list[str]()
    page.on("console", lambda m: wrong.append(m.text) if m.type == "error" and "401" not in m.text else None)
    page.on("pageerror", lambda e: wrong.append(str(e)))
    page.on("request", lambda r: wrong.append(r.url) if not r.url.startswith(url) else None)
    page.goto(url)
    return page, wrong


def test_a_question_is_asked_with_a_key_and_drawn(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url)
    page.keyboard.type("Where was Steve Jobs born?")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'key'", timeout=PATIENCE)
    page.keyboard.type(keyed.key["alice"])
    page.keyboard.press("Enter")
    page.wait_for_selector("#answer .answer", timeout=PATIENCE)
    assert "San Francisco" in page.inner_text("#answer .answer")
    assert page.locator("#events li").count() > 4
    page.focus("#answer li[id] button")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => document.querySelector('#answer li pre').textContent.includes('> ')", timeout=PATIENCE
    )
    page.focus("#drawn")
    page.keyboard.press("Enter")
    page.wait_for_function("() => Number(document.documentElement.dataset.drawn) > 1", timeout=PATIENCE)
    assert "Where was Steve Jobs born?" in page.inner_text("#kept")
    assert wrong == []


def test_a_hanging_question_is_stopped_by_keyboard_on_a_phone_in_the_dark(browser: Any, stuck: Stuck):
    size = {"width": 390, "height": 844}
    page, wrong = opened(browser, stuck.service.url, viewport=size, color_scheme="dark")
    page.keyboard.type("Where was Steve Jobs born?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#stop:visible", timeout=PATIENCE)
    stuck.model.settimeout(20)
    call, _ = stuck.model.accept()
    page.keyboard.press("Escape")
    call.settimeout(5)
    while call.recv(65536):  # ends when the question does
        pass
    call.close()
    page.wait_for_function("() => document.querySelector('#state').textContent === 'Stopped.'", timeout=PATIENCE)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, back.removeprefix("rgb(").rstrip(")").split(","))) < 200
    assert wrong == []


def test_what_a_name_is_understood_as_is_changed_and_the_question_stays(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url)
    page.evaluate("key => sessionStorage.setItem('key', key)", keyed.key["alice"])
    page.fill("#question", "What is the population of Germany?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#reading0", timeout=PATIENCE)
    assert "82979100" in page.inner_text("#answer .answer")
    asked = []
    page.on("request", lambda r: asked.append(r.post_data_json) if r.method == "POST" else None)
    for chosen, shown in (("m.084n_", "unsupported"), ("m.0345h", "82979100")):
        page.select_option("#reading0", chosen)
        with page.expect_response("**/page", timeout=PATIENCE):
            page.click("#reading0 + button")
        page.wait_for_function("() => document.querySelector('#state').textContent === 'Answered.'", timeout=PATIENCE)
        assert shown in page.inner_text("#answer")
        assert page.input_value("#reading0") == chosen
        assert "“Germany” understood as" in page.inner_text("#answer .mention")
    assert [a["topics"] for a in asked] == [["Germany=m.084n_"], ["Germany=m.0345h"]]
    assert wrong == []


def test_an_unknown_name_is_shown_as_unknown_and_a_misspelt_one_as_corrected(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url)
    page.evaluate("key => sessionStorage.setItem('key', key)", keyed.key["alice"])
    page.fill("#question", "Who composed the Magic Flute?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#reading0", timeout=PATIENCE)
    assert page.locator("#reading0 option").first.inner_text() == "unknown"
    assert page.input_value("#reading0") == ""
    page.fill("#question", "What is the population of Germny?")
    page.press("#question", "Enter")
    page.wait_for_function(
        "() => [...document.querySelectorAll('#answer .mention')].some(m => m.textContent.includes('Germny'))",
        timeout=PATIENCE,
    )
    assert "corrected spelling" in page.inner_text("#answer .mention")
    assert wrong == []


STATES = {
    "empty": ("", "alice"),
    "answer": ("Where was Steve Jobs born?", "alice"),
    "contested": ("Which pier does the Aurora leave from?", "bob"),
    "perhaps": ("Which award did Lionel Messi win after 2050?", "alice"),
    "followed": ("Where was Steve Jobs born?", "alice"),
    "error": ("Where was Steve Jobs born?", ""),
}


def complaints(page: Any) -> list[str]:
    """What axe-core finds serious or critical, light on a desk and dark on a phone; and what is too wide."""
    from axe_playwright_python.sync_playwright import Axe

    found = []
    for colours, width in (("light", 1_000), ("dark", 390)):
        page.emulate_media(color_scheme=colours, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 844})
        wrong = Axe().run(page).response["violations"]
        bad = [v for v in wrong if v["impact"] in {"serious", "critical"}]
        found += [f"{colours} {v['id']}: {v['nodes'][0]['html'][:200]}" for v in bad]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"wider than {width}")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_serious(browser: Any, keyed: Keyed, state: str):
    question, name = STATES[state]
    page, wrong = opened(browser, keyed.service.url)
    page.evaluate("key => { if (key) { sessionStorage.setItem('key', key); } }", keyed.key.get(name, ""))
    if question:
        page.fill("#question", question)
        page.keyboard.press("Enter")
        page.wait_for_selector("#answer .badge, #state.wrong", timeout=PATIENCE)
        verdicts = page.locator("#answer .badge").all_inner_texts()
        assert (verdicts or ["error"])[0].startswith(
            {"answer": "s", "followed": "s", "perhaps": "unsupported"}.get(state, state)
        )
    if state == "followed":
        page.fill("#next", "and when did he die?")
        page.press("#next", "Enter")
        page.wait_for_selector("#answer .resolved a", timeout=PATIENCE)
    if question and name:
        page.click("#fuse")
        page.wait_for_selector("#fused table", timeout=PATIENCE)
        for summary in page.locator("#answer summary").all()[:4]:  # all of them take axe a minute, and find nothing
            if summary.is_visible():
                summary.click()
    assert complaints(page) == []
    assert wrong == []


@pytest.mark.slow
def test_axe_finds_nothing_serious_while_it_asks(browser: Any, stuck: Stuck):
    page, wrong = opened(browser, stuck.service.url)
    page.fill("#question", "Where was Steve Jobs born?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#events li", timeout=PATIENCE)
    stuck.model.settimeout(20)
    call, _ = stuck.model.accept()
    assert complaints(page) == []
    page.keyboard.press("Escape")
    call.close()
    assert wrong == []


@pytest.mark.slow
def test_an_answer_leads_on_by_keyboard(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url)
    page.evaluate("key => sessionStorage.setItem('key', key)", keyed.key["alice"])
    for question in ("Where was Steve Jobs born?", "Where was Lionel Messi born?"):
        page.fill("#question", question)
        page.focus("#question")
        page.keyboard.press("Enter")
        page.wait_for_function("q => document.querySelector('#answer h1')?.textContent === q", arg=question)
        page.wait_for_selector("#further:visible", timeout=PATIENCE)
    page.focus("#question")
    order = ["question"]
    for _ in range(60):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.id"))
        if order[-1] == "drawn":
            break
    wanted = ["question", "go", "happening", "next", "about", "fuse", "drawn"]
    assert [name for name in order if name in wanted] == wanted  # as it is read
    page.focus("#fuse")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'fused'")
    assert "Rosario" in page.locator("#fused .believed").all_inner_texts()
    page.locator("#kept input").nth(0).check()
    page.locator("#kept input").nth(1).check()
    page.focus("#compare")
    page.keyboard.press("Enter")
    page.wait_for_selector("#compared table")
    assert {"Rosario", "San Francisco"} <= set(page.locator("#compared td").all_inner_texts())
    assert wrong == []


@pytest.mark.slow
def test_a_further_question_says_how_it_was_read(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url)
    page.evaluate("key => sessionStorage.setItem('key', key)", keyed.key["alice"])
    page.fill("#question", "Where was Steve Jobs born?")
    page.press("#question", "Enter")
    page.wait_for_selector("#further:visible", timeout=PATIENCE)
    page.fill("#next", "and his daughter?")  # may ask two things: one of them is asked by a button
    page.press("#next", "Enter")
    page.wait_for_selector("#answer .choices button", timeout=PATIENCE)
    assert page.locator("#answer .choices button").count() == 2
    page.fill("#next", "and when did he die?")  # still after the first answer
    page.press("#next", "Enter")
    page.wait_for_selector("#answer .resolved", timeout=PATIENCE)
    assert "Understood as: When did Steve Jobs die?" in page.inner_text("#answer .resolved")
    assert "2011-10-05" in page.inner_text("#answer .answer")
    page.wait_for_function("() => document.querySelector('#kept li').innerText.includes('When did Steve Jobs die?')")
    page.click("#answer .resolved a")
    page.wait_for_function("() => document.querySelector('#answer h1').textContent === 'Where was Steve Jobs born?'")
    assert wrong == []
