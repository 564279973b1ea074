"""The web application over a store of dated numbers from two sources, and tables that a new user brings along."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers.dated_entities import dump, entity
from helpers.servers.service import Service, service

from bench.behaviour.small_workbook import write_workbook
from hydra_kg import Hydra

from .conftest import Keyed
from .test_service_page import ACTIONS, JOBS, TITANIC, User, asked, complaints, opened, published

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
    user.page.locator("article.source", has_text="tools").get_by_text("In use", exact=True).wait_for()
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


GREENHOUSES = {
    "houses": "house,city,area_m2,opened,manager\nNorth House,Lund,1200,2011-04-02,Eva Holm\n"
    "Dune House,Skagen,850,2016-09-14,Ib Dahl\nGlass Hill,Lund,2300,2019-05-30,Eva Holm\n"
    "Old Orchard,Aarhus,640,1998-03-21,Mads Juul\n",
    "deliveries": "delivery,house,crop,kilos,delivered,customer\nD1,North House,tomato,420,2026-03-02,Fresh & Co\n"
    "D2,Glass Hill,cucumber,980,2026-03-05,Harbour Kitchen\nD3,Dune House,basil,35,2026-03-09,Fresh & Co\n"
    "D4,Glass Hill,tomato,1250,2026-04-01,Fresh & Co\nD5,Old Orchard,basil,22,2026-04-03,Harbour Kitchen\n",
}
CONCERTS = {
    "concerts": "concert,date,venue,conductor,price_eur\nSpring Night,2026-04-18,Old Mill,Nora Falk,18\n"
    "Sea Songs,2026-06-06,Harbour Hall,Jan Brodt,24\nRequiem,2026-11-21,St Anne,Nora Falk,30\n",
    "programme": "concert,date,venue,conductor\nSpring Night,2026-04-18,Old Mill,Nora Falk\n"
    "Sea Songs,2026-06-13,Harbour Hall,Jan Brodt\nRequiem,2026-11-21,St Anne,Liv Aune\n",
}


@pytest.mark.slow
def test_an_answer_and_the_page_of_disagreements_say_the_same(browser: Any, years: Service):
    page, wrong = opened(browser, years.url, place="#/ask?q=What was the population of Kiel in 2000?")
    page.locator("article.answer:not(.running)").wait_for()
    said = page.inner_text(".statement").replace("\u2060", "")
    assert "232,612" in said
    assert "232,700" in said
    assert "Sources disagree" in page.inner_text(".verdict")
    page.goto(f"{years.url}/#/ask?q=How many people lived in Kiel in 1990?")
    page.get_by_text("245,567").first.wait_for()
    assert "Sources agree" in page.inner_text(".verdict")
    assert wrong == []


@pytest.mark.slow
def test_a_badly_misspelt_name_is_completed(browser: Any, years: Service):
    page, wrong = opened(browser, years.url)
    page.locator(".hero input").press_sequentially("population of Gremnay")
    page.get_by_role("option", name=re.compile("Germany")).wait_for()
    assert wrong == []


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service over an empty store, into which everybody may load. The tasks fill it, in their order."""
    folder = tmp_path_factory.mktemp("empty")
    with service(folder / "store", folder, "--agent", "offline", "--allow-loading") as running:
        running.wait()
        yield running


def give(user: User, tmp_path: Path, tables: dict[str, str], *, names: tuple[str, ...] = ()) -> None:
    """Choose files on the page of sources, which are two actions."""
    paths = []
    for name in names or tuple(tables):
        (tmp_path / f"{name}.csv").write_text(tables[name])
        paths.append(tmp_path / f"{name}.csv")
    user.page.locator("input[type=file]").set_input_files(paths)
    user.actions += 2


def put_to_use(user: User, name: str) -> None:
    """Press the button of a waiting source, and wait until it is in use."""
    mine = user.page.locator("article.source", has=user.page.get_by_role("heading", name=name, exact=True))
    mine.get_by_role("button", name="Use it").click()
    user.actions += 1
    mine.locator("header .tag", has_text="Waiting").wait_for(state="detached")


def first_tables(user: User, tmp_path: Path) -> None:
    """Load the first two tables into an empty store, and ask across them."""
    user.sees("Nothing is loaded yet.")
    user.click("link", "Sources", first=False, exact=True)
    give(user, tmp_path, GREENHOUSES)
    user.click("button", "Load together")
    user.page.locator("article.source", has_text="Waiting").wait_for()
    put_to_use(user, "houses")
    user.click("link", "New question")
    user.ask("Who manages the house with the most deliveries?")
    assert "Eva Holm" in user.page.inner_text(".statement")


def largest_house(user: User, tmp_path: Path) -> None:
    """Find out which greenhouse is the largest, and the line that says so."""
    user.ask("Which house has the largest area?")
    assert user.page.inner_text(".statement").replace("\u2060", "").startswith("Glass Hill")
    user.click("button", re.compile("^Source 1"), first=True)
    user.click("button", "Show the line itself")
    user.page.locator(".opened pre .cited").wait_for()


def best_customer(user: User, tmp_path: Path) -> None:
    """Find out which customer got the most in all."""
    user.ask("Which customer got the most kilos?")
    assert "Fresh & Co" in user.page.inner_text(".statement")


def for_each_crop(user: User, tmp_path: Path) -> None:
    """Get the total of each crop into a spreadsheet."""
    user.ask("What is the total of kilos for each crop?")
    with user.page.expect_download() as saved:
        user.click("button", "Save as CSV")
    assert "1670" in Path(saved.value.path()).read_text()


def opened_over_time(user: User, tmp_path: Path) -> None:
    """See how many houses were opened in each year, as a chart."""
    user.ask("How many houses were opened in each year?")
    user.page.locator(".chart").wait_for()
    assert user.page.locator(".chart circle title").all_text_contents() == ["1998: 1", "2011: 1", "2016: 1", "2019: 1"]


def renamed_column(user: User, tmp_path: Path) -> None:
    """Say that a column is called otherwise, and ask by that word."""
    user.click("link", "Sources", exact=True)
    user.click("button", "Correct how it was understood")
    user.type("Called in questions: kilos", "harvest")
    user.click("button", "Load again with these changes")
    user.page.locator("article.source", has_text="Waiting").wait_for()
    put_to_use(user, "houses")
    user.click("link", "New question")
    user.ask("What is the harvest of D2?")
    user.sees("980")


def two_lists(user: User, tmp_path: Path) -> None:
    """Load two lists of the same concerts, and find the one whose dates differ."""
    user.click("link", "Sources", exact=True)
    give(user, tmp_path, CONCERTS)
    user.click("button", "Load each on its own")
    for name in CONCERTS:
        user.page.get_by_role("heading", name=name, exact=True).wait_for()
        put_to_use(user, name)
    for label, name in (("first", "concerts"), ("second", "programme")):
        user.page.locator(f"select[name={label}]").select_option(name)
        user.actions += 1
    user.click("button", "Compare", exact=True)
    user.click("button", re.compile("^Link them"))
    user.sees("3 pairs are linked.")
    user.click("link", "Disagreements")
    user.click("link", "Look through everything")
    user.sees("13 Jun 2026")


def disputed_conductor(user: User, tmp_path: Path) -> None:
    """Ask who conducts a concert on which two lists differ."""
    user.ask("Who conducts Requiem?")
    said = user.page.inner_text(".statement")
    assert "Nora Falk" in said
    assert "Liv Aune" in said
    user.sees("Sources disagree")
    assert user.page.locator(".statement .cite").count() == 2


def dearest_concert(user: User, tmp_path: Path) -> None:
    """Find the dearest concert, and then the cheapest, without typing again."""
    user.ask("Which concert has the highest price?")
    assert "Requiem" in user.page.inner_text(".statement")
    user.click("button", re.compile("^highest price"))
    user.click("button", re.compile("^lowest price"))
    user.page.wait_for_function("() => document.querySelector('.asked')?.textContent.includes('lowest')")
    user.page.locator(".running").wait_for(state="detached")
    user.sees("Spring Night")


def word_of_ones_own(user: User, tmp_path: Path) -> None:
    """Teach the word that one's choir uses, and see it understood."""
    user.click("link", "Saved and taught")
    user.type("Word or phrase", "maestro")
    user.type("Means", "conductor")
    user.click("button", "Teach", exact=True)
    user.page.get_by_role("button", name="Undo: maestro").wait_for()
    user.click("link", "New question")
    user.ask("Who is the maestro of Spring Night?")
    user.sees("Nora Falk")


def without_a_list(user: User, tmp_path: Path) -> None:
    """Remove one list, and see that what it said is gone."""
    user.click("link", "Sources", exact=True)
    mine = user.page.locator("article.source", has=user.page.get_by_role("heading", name="programme", exact=True))
    mine.get_by_role("button", name="Remove source").click()
    mine.get_by_role("button", name="Yes, remove").click()
    user.actions += 2
    mine.wait_for(state="detached")
    user.click("link", "New question")
    user.ask("When is Sea Songs?")
    user.sees("6 Jun")


def greenhouse_page(user: User, tmp_path: Path) -> None:
    """See what is known of one greenhouse."""
    user.ask("Where is Glass Hill?")
    user.click("link", "Glass Hill", exact=True)
    user.page.locator(".facts .relation").first.wait_for()
    user.sees("Eva Holm")


OWN_TASKS: tuple[Callable[[User, Path], None], ...] = (
    first_tables,
    largest_house,
    best_customer,
    for_each_crop,
    opened_over_time,
    renamed_column,
    two_lists,
    disputed_conductor,
    dearest_concert,
    word_of_ones_own,
    without_a_list,
    greenhouse_page,
)


def do_in_turn(tasks: Sequence[Callable[[User, Path], None]], browser: Any, service: Service, folder: Path) -> None:
    """Do tasks one after another as a new user, and compare the numbers of actions with the published ones."""
    done = []
    for do in tasks:
        page, wrong = opened(browser, service.url)
        page.set_default_timeout(90_000)
        page.wait_for_selector(".hero input")
        user = User(page)
        do(user, folder)
        assert wrong == []
        assert do not in NEW_VIEWS or complaints(page) == []
        done.append((str(do.__doc__).rstrip("."), user.actions))
        page.context.close()
    assert done == [(task, published()[task]) for task, _ in done]
    assert max(actions for _, actions in done) <= ACTIONS


@pytest.mark.slow
def test_ten_tasks_over_tables_of_ones_own(browser: Any, empty: Service, tmp_path: Path):
    do_in_turn(OWN_TASKS, browser, empty, tmp_path)


JOBS_DONE = """Job ID;Customer No;Bicycle;Work;Mechanic;Price;Finished;Paid
J-001;101;Hercules Alassio;new brakes;Mara Voss;84,50 €;12.03.2024;yes
J-002;102;Kalkhoff Agattu;battery replaced;Piet Lund;489,00 €;15.03.2024;yes
J-003;103;Gazelle Orange;inspection;Mara Voss;59,00 €;02.04.2024;no
J-004;104;Stevens Galant;gear cable;Piet Lund;27,90 €;05.04.2024;yes
J-005;101;Hercules Alassio;new chain;Piet Lund;46,00 €;21.04.2024;no
J-006;105;Cube Kathmandu;inspection;Mara Voss;59,00 €;n/a;no
J-003;103;Gazelle Orange;inspection;Mara Voss;59,00 €;02.04.2024;no
"""
CUSTOMERS = [
    ["Customer No", "Name", "Town", "Phone"],
    [101, "Greta Holm", "Kiel", "0431 5512"],
    [102, "Jonas Petersen", "Eckernförde", "n/a"],
    [103, "Amira Saleh", "Kiel", "0431 7781"],
    [104, "Olaf Brandt", "Plön", "04522 901"],
    [105, "Lena Vogt", "Kiel", "0431 9020"],
    [103, "Amira Saleh", "Kiel", "0431 7781"],
]
HANDBOOK = """Handbook of the workshop

The Fördewind workshop was founded by Helga Rahn in 1987 in Kiel.

Mara Voss is the head mechanic.
"""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service over an empty store, into which everybody may load. The first task fills it."""
    folder = tmp_path_factory.mktemp("workshop")
    with service(folder / "store", folder, "--agent", "offline", "--allow-loading") as running:
        running.wait()
        yield running


def choose(user: User, *paths: Path) -> None:
    """Choose files on the page of sources, which are two actions."""
    user.page.locator("input[type=file]").set_input_files(paths)
    user.actions += 2


def three_kinds(user: User, tmp_path: Path) -> None:
    """Load a spreadsheet, a table and a document at once, and see which rows were repeated."""
    (tmp_path / "jobs.csv").write_text(JOBS_DONE)
    (tmp_path / "handbook.txt").write_text(HANDBOOK)
    write_workbook({"Customers": CUSTOMERS}, tmp_path / "customers.xlsx")
    user.click("link", "Sources", first=True, exact=True)
    choose(user, tmp_path / "jobs.csv", tmp_path / "customers.xlsx", tmp_path / "handbook.txt")
    user.click("button", "Load together")
    user.page.locator("article.source", has_text="jobs-documents").wait_for()
    user.sees("left out: 2 repeated")
    user.sees("handbook.txt")
    put_to_use(user, "jobs")
    put_to_use(user, "jobs-documents")


def corrected_alone(user: User, tmp_path: Path) -> None:
    """Load a corrected table, see in time that the spreadsheet next to it would go, and keep both."""
    (tmp_path / "jobs.csv").write_text(JOBS_DONE.replace("n/a", "03.05.2024"))
    user.click("link", "Sources", exact=True)
    choose(user, tmp_path / "jobs.csv")
    waiting = user.page.locator("article.source", has_text="Waiting")
    waiting.get_by_text("What customers.xlsx states is not part of it and goes.").wait_for()
    user.click("button", "Discard")
    waiting.wait_for(state="detached")
    user.sees("customers.xlsx")


def sheet_and_cell(user: User, tmp_path: Path) -> None:
    """See in which file, sheet and cell the town of a customer stands."""
    user.ask("What is the town of Greta Holm?")
    user.page.locator(".statement .cite .mark").first.click()
    user.actions += 1
    user.sees("In jobs, customers.xlsx, Customers, cell C2")
    user.sees("customers.xlsx is no text")


def sentence_of_a_document(user: User, tmp_path: Path) -> None:
    """Find who founded the workshop, and the sentence that says so."""
    user.ask("Who founded the workshop?")
    user.page.locator(".statement .cite .mark").first.click()
    user.actions += 1
    user.page.locator(".opened mark", has_text="Helga Rahn").wait_for()
    user.sees("handbook.txt, Handbook of the workshop, paragraph 1")


def something_else(user: User, tmp_path: Path) -> None:
    """Ask what the files do not say, and take one of the questions that they answer."""
    user.ask("Who owes us money?")
    user.page.locator(".silence button").first.click()
    user.actions += 1
    user.page.locator(".verdict").wait_for()


WORKSHOP_TASKS: tuple[Callable[[User, Path], None], ...] = (
    three_kinds,
    corrected_alone,
    sheet_and_cell,
    sentence_of_a_document,
    something_else,
)

NEW_VIEWS = {opened_over_time, two_lists, disputed_conductor, three_kinds, sheet_and_cell}
"""Tasks that end at something that nothing else shows; axe-core looks at it."""


@pytest.mark.slow
def test_tasks_over_the_files_of_a_workshop(browser: Any, workshop: Service, tmp_path: Path):
    do_in_turn(WORKSHOP_TASKS, browser, workshop, tmp_path)


@pytest.mark.slow
def test_a_follow_up_that_was_not_understood_stays_in_the_thread(browser: Any, workshop: Service):
    page, wrong = opened(browser, workshop.url)
    page.set_default_timeout(JOBS)
    questions = "Which job was the cheapest?", "Welche Kunden wohnen in Kiel?", "And what was the weather?"
    for question in questions:
        asked(page, question)
    assert tuple(page.locator("article.answer .asked").all_inner_texts()) == questions
    page.reload()
    page.locator("article.answer").nth(2).wait_for()
    assert tuple(page.locator("article.answer .asked").all_inner_texts()) == questions
    assert wrong == []


def test_a_relation_that_two_sources_state_is_one_row(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"], place=f"#/e/{TITANIC}")
    page.wait_for_selector(".facts .said a")
    page.get_by_role("button", name="Show all").click()
    names = page.locator(".facts .relname").all_inner_texts()
    assert sorted({name.split(" (")[0] for name in names}) == sorted(name.split(" (")[0] for name in names)
    row = page.locator(".facts .relation", has=page.get_by_text("directed by", exact=True))
    assert " ".join(row.locator(".said").inner_text().split()) in (
        "James Cameron wikidata, freebase",
        "James Cameron freebase, wikidata",
    )
    page.goto(f"{keyed.service.url}/#/explore/{TITANIC}")
    page.wait_for_selector(".panel .meanings")
    shown = page.locator(".panel .meanings button").evaluate_all("all => all.map(one => one.ariaLabel.split(' (')[0])")
    assert len(shown) == len(set(shown))
    assert wrong == []


@pytest.mark.slow
def test_an_amount_has_its_unit_wherever_it_is_shown(browser: Any, workshop: Service):
    page, wrong = opened(browser, workshop.url, place="#/ask?q=Which job was the most expensive?")
    page.set_default_timeout(JOBS)
    page.locator(".evidence .node", has_text="489 EUR").wait_for()
    assert page.inner_text(".statement").replace("\u2060", "").replace("1", "") == "J-002 was the most expensive."
    page.locator(".statement .mark").first.click()
    page.locator(".opened .stated", has_text="price → 489 EUR").wait_for()
    page.locator(".statement .thing").click()
    page.locator(".relation", has_text="price").get_by_text("489 EUR").wait_for()
    assert wrong == []
