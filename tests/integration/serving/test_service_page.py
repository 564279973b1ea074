"""The page in a real browser: asked by keyboard alone, stopped, drawn, read on a phone in the dark."""

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
