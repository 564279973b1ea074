"""The web application over a store of dated numbers from two sources, and tables that a new user brings along."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.dated_entities import dump, entity
from helpers.servers.service import Service, service

from hydra_kg import Hydra

from .test_service_page import ACTIONS, JOBS, User, browser, complaints, opened, published

__all__ = ["browser"]

KIEL = {1990: 245567, 2000: 232612, 2010: 239526, 2020: 246601}
COUNTED = {**KIEL, 2000: 232700}
GERMANY = {year: 60_000_000 + 190_000 * (year - 1900) for year in range(1910, 2021, 10)}
TOOLS = (
    "tool,kind,price,maker\nAxe,hand,30,Oak Ltd\nSaw,hand,20,Elm Ltd\nDrill,power,90,Oak Ltd\nDrill,power,90,Oak Ltd\n"
)


@pytest.fixture(scope="module")
def years(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service over two sources that state populations by year, into which everybody may load."""
    folder = tmp_path_factory.mktemp("years")
    kiel, germany = entity("Q1707", "Kiel", "Q515", KIEL), entity("Q183", "Germany", "Q6256", GERMANY)
    with Hydra(store=folder / "cities", agent="offline") as hydra:
        hydra.load(dump(folder / "office.json", kiel, germany), format="wikidata_json", source="office")
        counted = entity("Q1707", "Kiel", "Q515", COUNTED)
        hydra.load(dump(folder / "census.json", counted), format="wikidata_json", source="census")
    (folder / "inbox").mkdir()
    with service(folder / "cities", folder, "--allow-loading", "--inbox", str(folder / "inbox")) as running:
        running.wait()
        yield running


def numbers(page: Any) -> list[int]:
    """The numbers of the first relation with a chart, in the order of the page."""
    page.wait_for_selector(".relation .chart")
    row = page.locator(".relation", has=page.locator(".chart"))
    return [int(text.replace(",", "")) for text in re.findall(r"[\d,]{5,}", row.locator(".said").inner_text())]


@pytest.mark.slow
def test_numbers_of_years_are_a_chart_with_a_line_for_each_source(browser: Any, years: Service):
    page, wrong = opened(browser, years.url, place="#/e/Q1707")
    found = numbers(page)
    assert (found[:2], set(found[2:4]), found[4:]) == ([246601, 239526], {232612, 232700}, [245567])  # newest first
    assert page.locator(".chart polyline").count() == 2
    assert page.locator(".chart figcaption .key").count() == 2
    assert page.locator(".chart circle").count() == len(KIEL) + len(COUNTED)
    least = str(page.locator(".chart text").nth(2).text_content())
    assert 0 < float(least.rstrip("k")) < 232.612  # differences are seen, which a line from nothing would hide
    assert "2000: 232,700 (census)" in str(page.locator(".chart svg").get_attribute("aria-label"))
    page.wait_for_selector(".quarrel h3")
    assert page.locator(".quarrel h3").all_inner_texts() == ["population · 2000"]
    assert complaints(page) == []
    assert wrong == []


@pytest.mark.slow
def test_a_chart_has_all_years_though_the_page_lists_the_first(browser: Any, years: Service):
    page, wrong = opened(browser, years.url, place="#/e/Q183")
    page.wait_for_function("n => document.querySelectorAll('.chart circle').length === n", arg=len(GERMANY))
    assert len(numbers(page)) < len(GERMANY)
    assert page.locator(".chart text").first.text_content() == "1910"
    assert page.locator(".chart polyline").count() == 1
    assert wrong == []


@pytest.mark.slow
def test_a_number_of_one_year_is_answered_next_to_those_of_other_years(browser: Any, years: Service):
    page, wrong = opened(browser, years.url, place="#/ask?q=What was the population of Germany in 1950?")
    page.wait_for_selector("article.answer .chart")
    assert f"{GERMANY[1950]:,}" in page.inner_text(".statement")
    assert page.locator("article.answer .chart circle").count() == len(GERMANY)
    assert complaints(page) == []
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto(f"{years.url}/#/ask?q=What was the population of Germany in 1955?")
    page.wait_for_selector(".silence")
    assert "population in 1955" in page.inner_text(".silence")
    assert page.locator("article.answer .chart").count() == 0
    assert wrong == []


@pytest.mark.slow
def test_evidence_says_when_it_holds(browser: Any, years: Service):
    page, wrong = opened(browser, years.url, place="#/ask?q=What is the population of Kiel?")
    page.wait_for_selector(".evidence .chain")
    assert re.search(r"[\d,]+ \((\d{4}(, )?)+\)", page.inner_text(".evidence .chain"))
    assert wrong == []


def fewest_people(user: User, tmp_path: Path) -> None:
    """See how the population of a city changed over the years."""
    user.ask("What is the population of Kiel?")
    user.click("link", "Kiel", exact=True)
    user.page.locator(".relation .chart").wait_for()


def disputed_year(user: User, tmp_path: Path) -> None:
    """Find the year on which two sources disagree."""
    user.click("link", "Disagreements")
    user.click("link", "Look through everything")
    user.sees("population · 2000")


def total_instead(user: User, tmp_path: Path) -> None:
    """Load a spreadsheet, and get the total in place of the average."""
    (tmp_path / "tools.csv").write_text(TOOLS)
    user.click("link", "Sources", exact=True)
    user.page.locator("input[type=file]").set_input_files(tmp_path / "tools.csv")
    user.actions += 2  # choose a file, and confirm
    user.page.locator("article.source", has_text="Waiting").wait_for()
    user.click("button", "Use it")
    user.page.locator("article.source", has_text="tools").get_by_text("In use").wait_for()
    user.click("link", "New question")
    user.ask("What is the average price of the tools?")
    user.click("button", "average", exact=True)
    user.click("button", "total", exact=True)
    user.page.wait_for_function("() => document.querySelector('.asked')?.textContent.includes('total')")
    user.sees("140")


def repeated_row(user: User, tmp_path: Path) -> None:
    """Find out what became of a row that a spreadsheet has twice."""
    (tmp_path / "spares.csv").write_text(TOOLS)
    user.click("link", "Sources", exact=True)
    user.page.locator("input[type=file]").set_input_files(tmp_path / "spares.csv")
    user.actions += 2  # choose a file, and confirm
    user.page.locator("article.source", has_text="Waiting").wait_for()
    user.sees(re.compile("repeats row|repeated"))
    user.click("button", "Discard")
    user.page.locator("article.source", has_text="spares").wait_for(state="detached")


def larger_of_two(user: User, tmp_path: Path) -> None:
    """Find out which of two things is larger, and read the numbers."""
    user.ask("Which has the larger population, Kiel or Germany?")
    user.sees("Germany")
    user.page.locator(".working").wait_for()


def found_again(user: User, tmp_path: Path) -> None:
    """Give a conversation a name of your own."""
    user.ask("Where was Steve Jobs born?")
    user.click("button", "Rename: Where was Steve Jobs born?")
    user.page.get_by_role("textbox", name="Rename").fill("Founders")
    user.page.keyboard.press("Enter")
    user.actions += 2
    user.page.get_by_role("link", name="Founders").wait_for()


def for_a_colleague(user: User, tmp_path: Path) -> None:
    """Send a colleague the link of an answer."""
    user.ask("Where was Steve Jobs born?")
    user.click("button", "Copy link")
    user.page.get_by_text("Copied").first.wait_for()
    address = user.page.evaluate("navigator.clipboard.readText()")
    user.page.goto(address)
    user.page.reload()
    user.page.locator(".statement").wait_for()
    assert "San Francisco" in user.page.inner_text(".statement")


def without_the_year(user: User, tmp_path: Path) -> None:
    """Take a condition away, without typing the question again."""
    user.ask("Which films did James Cameron direct after 1990?")
    user.click("button", "release date is after 1990")
    user.click("button", "Ask without this")
    user.page.wait_for_function("() => !document.querySelector('.asked')?.textContent.includes('1990')")
    user.page.locator(".running").wait_for(state="detached")
    user.sees("Aliens")


def most_trusted(user: User, tmp_path: Path) -> None:
    """Find out how far each source is trusted, and why."""
    user.click("link", "Disagreements")
    user.click("link", "Look through everything")
    user.sees("Trust in each source")
    user.sees("A source that nobody contradicts has 100 %.")


def other_names(user: User, tmp_path: Path) -> None:
    """Read what else is stated of the answer."""
    user.ask("Where was Steve Jobs born?")
    user.click("link", "San Francisco", first=True)
    user.page.locator(".facts .relation").first.wait_for()


TASKS: dict[str, tuple[str, Callable[[User, Path], None]]] = {
    "fewest_people": ("", fewest_people),
    "disputed_year": ("", disputed_year),
    "total_instead": ("", total_instead),
    "repeated_row": ("", repeated_row),
    "larger_of_two": ("", larger_of_two),
    "found_again": ("alice", found_again),
    "for_a_colleague": ("alice", for_a_colleague),
    "without_the_year": ("alice", without_the_year),
    "most_trusted": ("bob", most_trusted),
    "other_names": ("alice", other_names),
}
"""Whose key the user has of the service with keys, or "" for own data; and what is done."""


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_new_user_does_it(browser: Any, request: pytest.FixtureRequest, tmp_path: Path, task: str):
    who, do = TASKS[task]
    keyed = request.getfixturevalue("keyed") if who else None
    url = keyed.service.url if keyed else request.getfixturevalue("years").url
    clipboard = ["clipboard-read", "clipboard-write"]
    page, wrong = opened(browser, url, key=keyed.key[who] if keyed else "", permissions=clipboard)
    page.set_default_timeout(JOBS)
    page.wait_for_selector(".hero input")
    user = User(page)
    do(user, tmp_path)
    assert wrong == []
    assert user.actions == published()[str(do.__doc__).rstrip(".")]
    assert user.actions <= ACTIONS
