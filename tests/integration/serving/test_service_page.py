"""The web application in a real browser over a real service: every flow, twenty tasks of a new user, and axe-core."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import SCRIPT, Keyed, Stuck

PATIENCE, JOBS = 60_000, 300_000
"""Most milliseconds for what a page shows, and for jobs, which are processes of their own."""

DESK, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
ONLY_WRONG = {"resultTypes": ["violations"]}
STEVE = "Where was Steve Jobs born?"
TITANIC = "m.0dr_4"
CLUB = {
    "boats": "boat_id,name,price,owner\nB1,Seeadler,18500,M1\nB2,Nordstern,71250,M2\nB3,Kormoran,9900,M2\n",
    "members": "member_id,name,born\nM1,Ada Lund,1980-01-02\nM2,Bo Rask,1975-05-06\n",
}


@pytest.fixture(scope="module")
def manager(keyed: Keyed) -> Iterator[str]:
    """A key that may ask and load in bob's store."""
    yield keyed.keys.add("manager", scopes=["ask", "admin"], store=str(keyed.store.parent / "bob"), per_minute=0)
    keyed.keys.revoke("manager")


def opened(browser: Any, url: str, *, key: str = "", place: str = "", **options: Any) -> tuple[Any, list[str]]:
    """Return a page and its complaints: console errors, what its policy forbade, requests to other places."""
    context = browser.new_context(**{"viewport": DESK, "locale": "en-GB", **options})
    context.set_default_timeout(PATIENCE)
    page, wrong = context.new_page(), list[str]()
    page.on("console", lambda m: wrong.append(m.text) if m.type == "error" and "401" not in m.text else None)
    page.on("pageerror", lambda e: wrong.append(str(e)))
    page.on("request", lambda r: wrong.append(r.url) if not r.url.startswith((url, "data:", "blob:")) else None)
    if key:
        page.add_init_script(f"sessionStorage.setItem('hydra.key', {json.dumps(key)})")
    page.goto(f"{url}/{place}")
    return page, wrong


def asked(page: Any, question: str) -> None:
    """Ask a question and wait for its answer."""
    before = page.locator("article.answer:not(.running)").count()
    page.locator("input[role=combobox]").last.fill(question)
    page.locator("input[role=combobox]").last.press("Enter")
    page.wait_for_function(
        "n => document.querySelectorAll('article.answer:not(.running)').length > n"
        " && !document.querySelector('.running')",
        arg=before,
    )


def complaints(page: Any) -> list[str]:
    """Return what axe-core finds, and whether the page is wider than its window, in light and dark, desk and phone."""
    from axe_playwright_python.sync_playwright import Axe

    found = []
    for colours, size in (("light", DESK), ("dark", PHONE)):
        page.emulate_media(color_scheme=colours, reduced_motion="reduce")
        page.set_viewport_size(size)
        for bad in Axe().run(page, options=ONLY_WRONG).response["violations"]:
            found.append(f"{colours} {bad['id']}: {bad['nodes'][0]['html'][:200]}")
        if page.evaluate("document.documentElement.scrollWidth") > size["width"]:
            found.append(f"wider than {size['width']}")
    return found


def test_a_key_is_asked_for_and_a_question_is_answered_by_keyboard(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url)
    page.wait_for_selector("#key")
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    page.wait_for_selector("#wrong")
    page.fill("#key", keyed.key["alice"])
    page.keyboard.press("Enter")
    page.wait_for_selector(".hero input")
    page.keyboard.type(STEVE)
    page.keyboard.press("Enter")
    page.wait_for_selector(".statement")
    assert page.inner_text(".statement").replace("\u2060", "").startswith("Steve Jobs was born in San Francisco")
    assert page.locator(".verdict").count() == 1
    mark = page.locator(".statement .cite .mark").first
    mark.focus()
    assert "Steve Jobs" in page.inner_text(".cite [role=tooltip]")
    page.keyboard.press("Enter")
    page.set_viewport_size({"width": 500, "height": 860})
    page.get_by_role("button", name="Show the line itself").click()
    assert page.evaluate("(pre => pre.scrollWidth <= pre.clientWidth)(document.querySelector('.opened pre'))")
    page.set_viewport_size(DESK)
    assert page.locator(".opened pre .cited").count() == 1
    assert page.locator("nav .history a").all_inner_texts() == [STEVE]
    assert wrong == []


def test_home_says_what_is_in_the_store(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    page.wait_for_selector(".examples a")
    assert "alice has" in page.inner_text(".hero")
    assert {"freebase", "wikidata"} <= set(page.locator(".cards a").all_inner_texts())
    page.wait_for_selector(".joins")
    assert page.locator(".classes li").count() > 5
    page.fill(".hero input", "")
    page.keyboard.type("Where was Steve Jo")
    page.wait_for_selector("[role=option]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.input_value(".hero input").startswith("Where was Steve Jobs")
    page.locator(".examples a").first.click()
    page.wait_for_selector(".statement")
    assert "do not say" not in page.inner_text(".statement")
    assert wrong == []


def test_a_new_question_is_typed_at_the_top_of_the_first_page(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    page.wait_for_selector(".classes li")
    page.evaluate("document.activeElement.blur(); scrollTo(0, document.body.scrollHeight)")
    page.get_by_role("link", name="New question").click()
    page.locator(".hero input:focus").wait_for()
    assert page.evaluate("scrollY") == 0
    assert wrong == []


def test_a_hanging_question_is_stopped_by_keyboard_on_a_phone_in_the_dark(browser: Any, stuck: Stuck):
    page, wrong = opened(browser, stuck.service.url, viewport=PHONE, color_scheme="dark")
    page.get_by_role("combobox").fill(STEVE)
    page.keyboard.press("Enter")
    page.wait_for_selector(".running .loading")
    stuck.model.settimeout(20)
    call, _ = stuck.model.accept()
    assert complaints(page) == []
    page.get_by_role("combobox").press("Escape")
    call.settimeout(5)
    while call.recv(65536):  # ends when the question does
        pass
    call.close()
    page.wait_for_selector(".running", state="detached")
    assert wrong == []


def test_an_answer_leads_on_and_a_link_opens_it_as_it_was(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    asked(page, STEVE)
    asked(page, "and when did he die?")
    assert "Understood as: When did Steve Jobs die?" in page.locator(".resolved").last.inner_text()
    assert "5 October 2011" in page.locator(".statement").last.inner_text()
    link = page.url
    again, more = opened(browser, keyed.service.url, key=keyed.key["alice"], place="#" + link.partition("#")[2])
    again.wait_for_function("() => document.querySelectorAll('.statement').length === 2")
    page.get_by_role("button", name=f"Rename: {STEVE}").focus()
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Rename").fill("Jobs")
    page.keyboard.press("Enter")
    assert page.locator("nav .history a").all_inner_texts() == ["Jobs"]
    with page.expect_download() as saved:
        page.locator("nav").get_by_role("button", name="Export").click()
    assert json.loads(Path(saved.value.path()).read_text())[0]["title"] == "Jobs"
    page.get_by_role("button", name="Remove: Jobs").focus()
    page.keyboard.press("Enter")
    assert page.locator("nav .history a").count() == 0
    assert wrong + more == []


def test_answers_of_a_thread_stay_where_they_are_when_the_next_one_comes(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    asked(page, STEVE)
    page.wait_for_url(re.compile("#/a/"))
    first = page.locator("article.answer").element_handle()
    place = page.url
    asked(page, "and when did he die?")
    page.wait_for_url(lambda url: url != place)
    assert page.locator("article.answer .asked").all_inner_texts() == [STEVE, "and when did he die?"]
    assert page.evaluate("first => first === document.querySelector('article.answer')", first)
    assert wrong == []


def test_who_has_left_a_question_is_not_called_back_to_its_answer(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/v1/answers", hold)
    page.get_by_role("combobox").fill(STEVE)
    page.keyboard.press("Enter")
    page.wait_for_selector(".running")
    page.locator("nav").get_by_role("link", name="Sources").click()
    page.wait_for_url(re.compile("#/sources"))
    held[0].continue_()
    page.locator("nav .history a", has_text=STEVE).wait_for()
    assert page.url.endswith("#/sources")
    page.locator("nav .history a", has_text=STEVE).click()
    page.wait_for_selector(".statement")
    assert wrong == []


def test_the_history_is_searched(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    asked(page, STEVE)
    page.wait_for_url(re.compile("#/a/"))
    asked_before = [
        "Who directed Titanic?",
        "Who founded Google?",
        "Who directed Aliens?",
        "Who is Ada Lovelace?",
        STEVE,
    ]
    threads = [{"id": str(n), "title": one, "answers": [page.url[-12:]]} for n, one in enumerate(asked_before)]
    threads[1]["questions"] = ["Who founded Google?", "and who directed it afterwards?"]
    page.evaluate("threads => localStorage.setItem('hydra.threads', JSON.stringify(threads))", threads)
    page.reload()
    rows = page.locator("nav .history a")
    page.get_by_placeholder("Search your questions").fill("DIRECTED who")
    assert rows.all_inner_texts() == ["Who directed Titanic?", "Who founded Google?", "Who directed Aliens?"]
    page.get_by_placeholder("Search your questions").fill("nobody asked this")
    page.get_by_text("No question has these words.").wait_for()
    page.get_by_placeholder("Search your questions").fill("jobs")
    rows.get_by_text(STEVE).click()
    page.wait_for_selector(".statement")
    assert wrong == []


def test_several_answers_are_a_table_that_sorts_and_is_saved(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    asked(page, "Which films did James Cameron direct?")
    names = page.locator(".table tbody tr td:first-child a")
    page.get_by_role("button", name="Sort by Name").click()
    up = names.all_inner_texts()
    page.get_by_role("button", name="Sort by Name").click()
    assert names.all_inner_texts() == up[::-1]
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as CSV").click()
    rows = Path(saved.value.path()).read_text().splitlines()
    assert rows[0].startswith("Name,")
    assert len(rows) == 1 + len(up)
    assert wrong == []


def test_what_a_name_is_understood_as_is_changed_and_the_question_stays(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    asked(page, "What is the population of Germany?")
    assert "82,979,100" in page.inner_text(".statement")
    sent = []
    page.on("request", lambda r: sent.append(r.post_data_json) if r.method == "POST" else None)
    page.locator(".chip").first.click()
    page.locator(".meanings button[aria-pressed=false]", has_text="Weimar").click()
    page.wait_for_function("() => document.querySelector('.chip')?.textContent.includes('Weimar')")
    assert sent[0]["topics"] == ["Germany=m.084n_"]
    assert sent[0]["question"] == "What is the population of Germany?"
    page.locator(".chip").last.click()
    page.locator(".meanings.tall button").first.wait_for()
    assert page.locator(".meanings.tall .count").first.inner_text()
    assert wrong == []


def test_a_condition_is_changed_and_removed_by_its_chip(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    asked(page, "Which films did James Cameron direct after 1990?")
    page.locator(".chip", has_text="is after 1990").last.click()
    page.get_by_label("Another value").fill("2000")
    page.get_by_role("button", name="Ask again").click()
    page.wait_for_function("() => document.querySelector('.asked')?.textContent.includes('after 2000')")
    page.wait_for_selector(".running", state="detached")
    page.locator(".chip", has_text="is after 2000").last.click()
    page.get_by_role("button", name="Ask without this").click()
    page.wait_for_function(
        "() => document.querySelector('.asked')?.textContent === 'Which films did James Cameron direct?'"
    )
    assert page.locator(".table tbody tr").count() > 3
    assert wrong == []


def test_a_corrected_meaning_is_taught_to_the_store(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["curator"])
    asked(page, "What is the population of Germany?")
    page.locator(".chip").first.click()
    page.locator(".meanings button[aria-pressed=false]", has_text="Weimar").click()
    page.wait_for_function("() => document.querySelector('.chip')?.textContent.includes('Weimar')")
    page.get_by_text("“Germany” means “Weimar Republic” in this question only.").wait_for()
    page.get_by_role("button", name="Always read").click()
    page.get_by_text("Remembered for everybody").wait_for()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("button", name="Always read").click()
    page.get_by_role("button", name="Undo", exact=True).wait_for()
    page.goto(f"{keyed.service.url}/#/curation")
    page.get_by_role("button", name="Undo: Germany").click()
    page.get_by_role("button", name="Undo: Germany").wait_for(state="detached")
    assert wrong == []


def test_silence_says_what_is_missing_and_where_to_go(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    asked(page, "Who is the mayor of Paris?")
    assert "do not say" in page.inner_text(".statement")
    assert page.locator(".verdict").count() == 0
    assert "What is missing" in page.inner_text(".silence")
    page.get_by_role("link", name="See everything about Paris").click()
    page.wait_for_selector(".facts .relation")
    assert page.inner_text("h1") == "Paris"
    assert wrong == []


def test_names_from_data_are_text(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["bob"])
    asked(page, f"Which pier does {SCRIPT} leave from?")
    assert page.inner_text(".asked") == f"Which pier does {SCRIPT} leave from?"
    page.goto(f"{keyed.service.url}/#/e/{SCRIPT}")
    page.wait_for_selector(".facts .relation")
    assert page.inner_text("main h1") == SCRIPT
    assert wrong == []


def test_sources_that_differ_are_shown_side_by_side(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["bob"], place="#/e/Aurora")
    page.wait_for_selector(".quarrel")
    assert page.locator(".quarrel .versus > div").count() >= 2
    alone = re.findall(r"\d+ % likely", page.inner_text(".quarrel"))
    assert re.search("Nothing here decides between them|Believed because", page.inner_text(".quarrel"))
    page.goto(f"{keyed.service.url}/#/disagreements?r=pier")
    page.wait_for_selector(".quarrel")
    aurora = page.locator(".quarrel", has_text="Aurora")
    assert re.findall(r"\d+ % likely", aurora.inner_text()) == alone
    assert wrong == []


def test_a_search_of_the_whole_store_is_kept_while_one_reads_on_and_is_stopped_by_its_button(
    browser: Any, keyed: Keyed
):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"], place="#/disagreements")
    begun = []
    page.on("request", lambda r: begun.append(r.url) if (r.method, r.url[-7:]) == ("POST", "/fusion") else None)
    late: list[Any] = []
    page.route("**/v1/fusion", lambda route: late.append(route))  # noqa: PLW0108  playwright calls no built-in
    with page.expect_request("**/v1/fusion"):
        page.get_by_role("link", name="Look through everything").click()
    page.go_back()
    page.go_forward()
    page.locator(".searching").wait_for()
    with page.expect_response("**/v1/fusion") as reply:
        for one in late:
            one.continue_()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Look again").wait_for()
    assert "Stopped." in page.inner_text("main")
    assert len(begun) == 1
    with keyed.service.client(keyed.key["alice"]) as client:
        job = client.get(f"/v1/jobs/{reply.value.json()['id']}").json()
    assert job["state"] == "stopped"
    assert wrong == []


def test_the_graph_grows_filters_and_is_a_list_too(browser: Any, keyed: Keyed):
    drawn = "() => Number(document.documentElement.dataset.drawn)"
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"], place="#/explore/m.0dr_4")
    page.wait_for_function(f"() => ({drawn})() > 10")
    before = page.evaluate(drawn)
    page.locator(".panel .meanings button", has_text="nominated for").first.click()
    page.wait_for_function(f"n => ({drawn})() > n", arg=before)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save picture").click()
    assert Path(saved.value.path()).read_bytes()[:4] == b"\x89PNG"
    page.get_by_role("button", name="As a list").click()
    rows = page.locator(".listview tbody tr").count()
    page.get_by_label("wikidata").uncheck()
    assert 0 < page.locator(".listview tbody tr").count() < rows
    page.get_by_role("button", name="Hide").click()
    page.wait_for_selector(".listview tbody tr", state="detached")
    assert wrong == []


def test_the_relation_that_is_chosen_answers(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    asked(page, "Who directed Titanic?")
    sent = []
    page.on("request", lambda r: sent.append(r.post_data_json) if r.method == "POST" else None)
    page.get_by_role("button", name=re.compile("^Looks for")).click()
    rows = page.locator(".pop .meanings.tall button")
    assert rows.first.locator(".count").inner_text().isdigit()
    assert "directed by" in page.locator(".pop .meanings.tall button[aria-pressed=true]").inner_text()
    box = page.locator(".pop").bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= DESK["height"]
    rows.filter(has_text="published on").click()
    page.get_by_role("button", name="Looks for: published on").click()
    assert (sent[0]["relation"], sent[0]["topics"]) == ("P577", [f"Titanic={TITANIC}"])
    assert "1997" in page.inner_text(".answers .table")
    assert "published on" in page.locator(".pop .meanings.tall button[aria-pressed=true]").inner_text()
    page.set_viewport_size(PHONE)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Looks for: published on").click()
    box = page.locator(".pop").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert wrong == []


def test_a_misspelt_name_is_completed(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    page.locator(".hero input:focus").wait_for()
    page.keyboard.type("Where was Steve Jobbs")
    page.locator("[role=option]", has_text="Steve Jobs").first.wait_for()
    page.goto(f"{keyed.service.url}/#/explore")  # where a name is typed, and not a question
    page.locator("[role=combobox]:focus").wait_for()
    page.keyboard.type("Steve Jobbs")
    page.locator("[role=option]", has_text="Steve Jobs").first.click()
    assert page.input_value("[role=combobox]") == "Steve Jobs "
    assert wrong == []


def test_a_thing_is_pinned_and_statements_are_filtered_by_confidence(browser: Any, keyed: Keyed):
    drawn = "() => Number(document.documentElement.dataset.drawn)"
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"], place="#/explore/m.0dr_4")
    page.wait_for_function(f"() => ({drawn})() > 10")
    page.get_by_role("button", name="Pin", exact=True).click()
    assert page.get_by_role("button", name="Unpin").get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="As a list").click()
    rows = page.locator(".listview tbody tr").count()
    page.get_by_label(re.compile("^Sources that state it")).fill("2")
    assert page.locator(".listview tbody tr").count() < rows
    assert wrong == []


def test_saved_taught_and_compared(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["curator"])
    asked(page, STEVE)
    page.get_by_role("button", name="Save question").click()
    page.get_by_text("Saved", exact=True).wait_for()
    one = page.url.rpartition("/")[2]
    page.get_by_role("button", name="Right", exact=True).click()
    page.get_by_text(re.compile(r"freebase: right in \d+ of \d+")).wait_for()
    page.goto(f"{keyed.service.url}/#/curation")
    page.get_by_role("link", name=STEVE).wait_for()
    page.get_by_role("button", name="Ask them again now").click()
    page.get_by_text("0 of 1 answer would change.").wait_for()
    page.get_by_label("Word or phrase").fill("cradle")
    page.get_by_label("Means").fill("place of birth")
    page.get_by_role("button", name="Teach").click()
    page.get_by_text("cradle", exact=True).wait_for()
    page.get_by_role("button", name="Undo: cradle").click()
    page.get_by_text("cradle", exact=True).wait_for(state="detached")
    forget = page.locator("main").get_by_role("button", name=f"Remove: {STEVE}")
    forget.click()
    forget.wait_for(state="detached")
    page.goto(f"{keyed.service.url}/#/compare?a={one}&b={one}")
    page.wait_for_selector(".compare tbody")
    assert "San Francisco" in page.inner_text(".compare")
    assert wrong == []


@pytest.mark.slow
def test_tables_that_refer_to_one_another_are_loaded_together(browser: Any, keyed: Keyed, tmp_path: Path):
    for name, text in CLUB.items():
        (tmp_path / f"{name}.csv").write_text(text)
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["boss"], place="#/sources")
    page.set_default_timeout(JOBS)
    page.wait_for_selector(".drop")
    page.locator("input[type=file]").set_input_files([tmp_path / f"{name}.csv" for name in CLUB])
    page.get_by_text("2 files. Do they belong together?").wait_for()
    assert complaints(page) == []
    page.set_viewport_size(DESK)
    page.get_by_label("Name of the source").fill("regatta")
    page.get_by_role("button", name="Load together").click()
    mine = page.locator("article.source", has=page.get_by_role("heading", name="regatta"))
    mine.get_by_text("Waiting").wait_for()
    assert "boats.owner → members.member_id" in mine.inner_text()
    mine.get_by_role("button", name="Discard").click()
    mine.wait_for(state="detached")
    assert wrong == []


@pytest.mark.slow
def test_documents_beside_tables_become_a_source_of_their_own(browser: Any, keyed: Keyed, tmp_path: Path):
    (tmp_path / "gigs.csv").write_text(CLUB["boats"])
    (tmp_path / "crew.json").write_text('[{"name": "Ada Lund", "boat": "Seeadler"}]')
    (tmp_path / "minutes.md").write_text("# Minutes\n\nTreasurer: Faruk Aydin\n")
    (tmp_path / "chart.png").write_bytes(b"\x89PNG")
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["boss"], place="#/sources")
    page.set_default_timeout(JOBS)
    page.wait_for_selector(".drop")
    page.locator("input[type=file]").set_input_files(sorted(tmp_path.iterdir()))
    page.get_by_role("button", name="Cancel").click()  # these were not the files
    page.get_by_role("button", name="Load together").wait_for(state="detached")
    page.locator("input[type=file]").set_input_files(sorted(tmp_path.iterdir()))
    page.get_by_text("Neither a table nor a document, so left out: chart.png").wait_for()
    page.get_by_label("Name of the source").fill("fleet")
    page.get_by_role("button", name="Load together").click()
    for name in ("fleet-documents", "fleet"):
        mine = page.locator("article.source", has=page.get_by_role("heading", name=name, exact=True))
        mine.get_by_text("Waiting").wait_for()
        assert ("documents" if "documents" in name else "tables") in mine.locator("header").inner_text()
        mine.get_by_role("button", name="Discard").click()
        mine.wait_for(state="detached")
    assert wrong == []


@pytest.mark.slow
def test_a_formula_is_taught_on_the_page_and_used(browser: Any, keyed: Keyed, manager: str, tmp_path: Path):
    (tmp_path / "skiffs.csv").write_text("skiff,price,cost\nTeal,400,100\nSmew,500,250\n")
    page, wrong = opened(browser, keyed.service.url, key=manager, place="#/sources")
    page.set_default_timeout(JOBS)
    page.wait_for_selector(".drop")
    page.locator("input[type=file]").set_input_files(tmp_path / "skiffs.csv")
    mine = page.locator("article.source", has=page.get_by_role("heading", name="skiffs"))
    mine.get_by_role("button", name="Use it").click()
    mine.locator("header .tag", has_text="In use").wait_for()
    page.goto(f"{keyed.service.url}/#/curation")
    page.get_by_label("Word or phrase").fill("margin")
    page.get_by_label("Means").fill("= (price - cost) / price")
    page.get_by_role("button", name="Teach", exact=True).click()
    page.get_by_role("button", name="Undo: margin").wait_for()
    page.goto(f"{keyed.service.url}/#/")
    asked(page, "What is the margin of Teal?")
    assert "0.75" in page.inner_text(".statement")
    asked(page, "List the name and the price of all skiffs")
    assert page.locator(".table").last.locator("th").all_inner_texts() == ["skiff", "price"]
    page.locator(".table").last.get_by_role("button", name="Sort by price").click()
    assert page.locator(".table").last.locator("tbody tr td:last-child").all_inner_texts() == ["400", "500"]
    page.goto(f"{keyed.service.url}/#/curation")
    page.get_by_role("button", name="Undo: margin").click()
    page.get_by_role("button", name="Undo: margin").wait_for(state="detached")
    page.goto(f"{keyed.service.url}/#/sources")
    mine.get_by_role("button", name="Remove source").click()
    mine.get_by_role("button", name="Yes, remove").click()
    mine.wait_for(state="detached")
    assert wrong == []


@pytest.mark.slow
def test_an_administrator_corrects_how_a_table_was_understood(browser: Any, keyed: Keyed, manager: str, tmp_path: Path):
    table = tmp_path / "punts.csv"
    table.write_text("punt,college,built\nWidgeon,Trinity,1998\nHeron,Clare,2001\nCoot,Trinity,2011\n")
    page, wrong = opened(browser, keyed.service.url, key=manager, place="#/sources")
    page.set_default_timeout(JOBS)
    page.wait_for_selector(".drop")
    page.locator("input[type=file]").set_input_files(table)
    mine = page.locator("article.source", has=page.get_by_role("heading", name="punts"))
    mine.get_by_text("Waiting").wait_for()
    mine.get_by_role("button", name="Correct how it was understood").click()
    mine.get_by_label("Called in questions: built").fill("launched")
    mine.get_by_label("New column").fill("age")
    mine.get_by_label("Formula").fill("2026 - built")
    mine.get_by_role("button", name="Add", exact=True).click()
    mine.get_by_role("button", name="Load again with these changes").click()
    page.wait_for_function(
        "() => document.querySelector('.mapping .primary')?.disabled"
        " && !document.querySelector('.mapping [role=status]').textContent"
    )
    assert mine.get_by_label("Called in questions: built").input_value() == "launched"
    assert complaints(page) == []
    page.set_viewport_size(DESK)
    mine.get_by_role("button", name="Use it").click()
    mine.locator("header .tag", has_text="In use").wait_for()
    page.goto(f"{keyed.service.url}/#/e/Heron")
    page.locator(".relation", has_text="launched").get_by_text("2001", exact=True).wait_for()
    page.goto(f"{keyed.service.url}/#/sources")
    mine.get_by_role("button", name="Remove source").click()
    mine.get_by_role("button", name="Yes, remove").click()
    mine.wait_for(state="detached")
    assert wrong == []


@pytest.mark.slow
def test_a_table_that_was_loaded_alone_is_corrected_too(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["boss"], place="#/sources")
    page.set_default_timeout(JOBS)
    mine = page.locator("article.source", has=page.get_by_role("heading", name="tourbook"))
    waiting = mine.filter(has_text="Waiting")
    mine.get_by_role("button", name="Correct how it was understood").click()
    assert mine.get_by_label("Is: ferry").input_value() == "entity"
    assert "Aurora" in mine.get_by_role("row", name=re.compile("^ferry")).inner_text()
    mine.get_by_label("Is: captain").select_option("another thing")
    mine.get_by_label("Is: pier").select_option("what the row is about")
    assert mine.get_by_label("Is: ferry").input_value() == "value"  # a row is about one thing
    mine.get_by_label("Called in questions: ferry").fill("boat")
    assert complaints(page) == []
    page.set_viewport_size(DESK)
    mine.get_by_role("button", name="Load again with these changes").click()
    waiting.wait_for()
    waiting.get_by_role("button", name="Correct how it was understood").click()
    assert waiting.get_by_label("Called in questions: ferry").input_value() == "boat"
    assert waiting.get_by_label("Is: pier").input_value() == "entity"
    waiting.get_by_role("button", name="Discard").click()
    waiting.wait_for(state="detached")
    assert wrong == []


@pytest.mark.slow
def test_an_administrator_links_rows_that_are_the_same_thing(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["boss"], place="#/sources")
    page.set_default_timeout(JOBS)
    page.locator("select[name=first]").select_option("harbour")
    page.locator("select[name=second]").select_option("tourbook")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("button", name="Link them").wait_for()
    assert wrong == []


def test_without_the_model_is_offered_only_where_there_is_one(browser: Any, keyed: Keyed, stuck: Stuck):
    page, wrong = opened(browser, stuck.service.url, place="#/compare")
    page.locator("select[name=two-agent]").wait_for()
    other, more = opened(browser, keyed.service.url, key=keyed.key["alice"], place="#/compare")
    other.locator("select[name=two]").wait_for()
    assert other.locator("select[name=two-agent]").count() == 0
    assert wrong + more == []


def test_whoever_may_only_ask_is_told_that_loading_needs_more(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"], place="#/sources")
    page.get_by_text("Loading needs a key of an administrator.").wait_for()
    assert page.locator(".drop").count() == 0
    page.locator("article.source").first.wait_for()
    assert wrong == []


def test_it_speaks_german(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"], locale="de-DE")
    page.get_by_text("Was möchten Sie wissen?").wait_for()
    assert page.evaluate("document.documentElement.lang") == "de"
    page.get_by_role("button", name="English").click()
    page.get_by_text("What would you like to know?").wait_for()
    assert wrong == []


def test_the_menu_opens_on_a_phone(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"], viewport=PHONE)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Sources", exact=True).click()
    page.get_by_role("heading", name="Sources").wait_for()
    page.wait_for_function("() => !document.querySelector('.shell.open')")
    assert wrong == []


STATES = {
    "home": ("", ".joins"),
    "answer": (f"#/ask?q={STEVE}", ".statement"),
    "table": ("#/ask?q=Which films did James Cameron direct?", ".table"),
    "silence": ("#/ask?q=Who is the mayor of Paris?", ".silence"),
    "entity": ("#/e/m.0dr_4", ".facts .said a"),
    "graph": ("#/explore/m.0dr_4", ".panel .meanings"),
    "sources": ("#/sources", "article.source"),
    "disagreements": ("#/disagreements", ".row .soft"),
    "compare": ("#/compare", "select"),
    "curation": ("#/curation", ".list"),
}


@pytest.mark.slow
def test_axe_finds_nothing(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url, key=keyed.key["alice"])
    for state, (place, wanted) in STATES.items():
        page.goto(f"{keyed.service.url}/{place}")
        page.wait_for_selector(wanted, state="attached")
        assert complaints(page) == [], state
    assert wrong == []


@pytest.mark.slow
def test_axe_finds_nothing_at_the_sign_in(browser: Any, keyed: Keyed):
    page, wrong = opened(browser, keyed.service.url)
    page.wait_for_selector("#key")
    assert complaints(page) == []
    assert wrong == []


ACTIONS = 12
TABLE = Path(__file__).resolve().parents[3] / "bench" / "results" / "web_tasks.md"
BOATS = "boat,kind,price\nMew,sloop,3000\nTern,ketch,9000\nGull,sloop,8000\n"


class User:
    """A person at a page who clicks, types and presses keys; each of these is an action."""

    def __init__(self, page: Any) -> None:
        self.page, self.actions = page, 0

    def click(self, role: str, name: str | re.Pattern[str], *, first: bool = False, exact: bool = False) -> None:
        """Click what a person finds by its name."""
        found = self.page.get_by_role(role, name=name, exact=exact)
        (found.first if first else found.last).click()
        self.actions += 1

    def type(self, label: str, text: str) -> None:
        """Type into the field with this label, or into the question box."""
        field = self.page.get_by_label(label).last if label else self.page.locator("input[role=combobox]").last
        field.fill(text)
        self.actions += 1

    def ask(self, question: str) -> None:
        """Type a question and press Enter."""
        self.type("", question)
        before = self.page.url
        self.page.locator("input[role=combobox]").last.press("Enter")
        self.actions += 1
        self.page.wait_for_function(
            "before => location.href !== before && document.querySelector('article.answer:not(.running)')"
            " && !document.querySelector('.running')",
            arg=before,
        )

    def sees(self, text: str | re.Pattern[str]) -> None:
        """Wait until the page says so."""
        self.page.locator("main").get_by_text(text).first.wait_for()


def says_otherwise(user: User, tmp_path: Path) -> None:
    """Find out who says otherwise."""
    user.click("link", "Disagreements")
    user.click("link", "Look through everything")
    user.sees("Aurora")
    user.page.locator(".quarrel .versus").first.wait_for()


def means_germany(user: User, tmp_path: Path) -> None:
    """Correct the meaning of Germany."""
    user.ask("What is the population of Germany?")
    user.click("button", "Germany", first=True, exact=True)
    user.click("button", re.compile("^Weimar"))
    user.page.wait_for_function("() => document.querySelector('.chip')?.textContent.includes('Weimar')")


def dearest_boat(user: User, tmp_path: Path) -> None:
    """Load this spreadsheet and find the most expensive boat."""
    (tmp_path / "yachts.csv").write_text(BOATS)
    user.click("link", "Sources", exact=True)
    user.page.locator("input[type=file]").set_input_files(tmp_path / "yachts.csv")
    user.actions += 2  # choose a file, and confirm
    user.page.locator("article.source", has_text="Waiting").wait_for()
    user.click("button", "Use it")
    user.page.locator("article.source", has_text="yachts").get_by_text("“yachts” is in use").wait_for()
    user.click("link", "New question")
    user.ask("Which boat has the highest price?")
    assert user.page.inner_text(".statement").replace("\u2060", "").startswith("Tern")


def depends_on_it(user: User, tmp_path: Path) -> None:
    """Find the answers that depend on a source."""
    user.click("link", "Sources", exact=True)
    user.click("button", "See what depends on it", first=True)
    user.sees(re.compile("questions? used it"))


def exact_line(user: User, tmp_path: Path) -> None:
    """Read the line of the file that states an answer."""
    user.ask("Where was Steve Jobs born?")
    user.click("button", re.compile("^Source 1"), first=True)
    user.click("button", "Show the line itself")
    user.page.locator(".opened pre .cited").wait_for()


def later_films(user: User, tmp_path: Path) -> None:
    """Ask for films after another year, without typing the question again."""
    user.ask("Which films did James Cameron direct after 1990?")
    user.click("button", "release date is after 1990")
    user.type("Another value", "1995")
    user.click("button", "Ask again")
    user.page.wait_for_function("() => document.querySelector('.asked')?.textContent.includes('after 1995')")
    user.page.locator(".running").wait_for(state="detached")
    user.sees("Titanic")


def own_word(user: User, tmp_path: Path) -> None:
    """Teach the word that the company uses, and use it."""
    user.click("link", "Saved and taught")
    user.type("Word or phrase", "cradle")
    user.type("Means", "place of birth")
    user.click("button", "Teach", exact=True)
    user.page.get_by_role("button", name="Undo: cradle").wait_for()
    user.click("link", "New question")
    user.ask("What is the cradle of Steve Jobs?")
    user.sees("San Francisco")


def into_a_sheet(user: User, tmp_path: Path) -> None:
    """Get a list of answers into a spreadsheet."""
    user.ask("Which films did James Cameron direct?")
    with user.page.expect_download() as saved:
        user.click("button", "Save as CSV")
    assert Path(saved.value.path()).read_text().startswith("Name,")


def picture_of_one_source(user: User, tmp_path: Path) -> None:
    """Draw what one source says around a thing, and save the picture."""
    user.click("link", "Explore", exact=True)
    user.type("", "Titanic")
    user.page.locator("input[role=combobox]").last.press("Enter")
    user.actions += 1
    user.page.wait_for_function("() => Number(document.documentElement.dataset.drawn) > 10")
    user.page.get_by_label("wikidata").uncheck()
    user.actions += 1
    with user.page.expect_download() as saved:
        user.click("button", "Save picture")
    assert Path(saved.value.path()).read_bytes()[:4] == b"\x89PNG"


def ask_on(user: User, tmp_path: Path) -> None:
    """Ask on about the same thing, and find the conversation again."""
    user.ask("Where was Steve Jobs born?")
    user.ask("and when did he die?")
    user.click("link", "New question")
    user.click("link", "Where was Steve Jobs born?")
    user.page.wait_for_function("() => document.querySelectorAll('.statement').length === 2")


def tables_together(user: User, tmp_path: Path) -> None:
    """Load two tables that refer to each other, and ask across them."""
    for name, text in CLUB.items():
        (tmp_path / f"{name}.csv").write_text(text)
    user.click("link", "Sources", exact=True)
    user.page.locator("input[type=file]").set_input_files([tmp_path / f"{name}.csv" for name in CLUB])
    user.actions += 2  # choose the files, and confirm
    user.click("button", "Load together")
    user.page.locator("article.source", has_text="Waiting").wait_for()
    user.click("button", "Use it")
    user.page.locator("article.source", has_text="boats").get_by_text("In use", exact=True).first.wait_for()
    user.click("link", "New question")
    user.ask("Who owns the Nordstern?")
    user.sees("Bo Rask")


def turned_round(user: User, tmp_path: Path) -> None:
    """Ask for the earliest in place of the latest, without typing."""
    user.ask("What is the latest film that James Cameron directed?")
    user.click("button", "latest release date")
    user.click("button", "earliest release date")
    user.page.wait_for_function("() => document.querySelector('.asked')?.textContent.includes('earliest')")


def said_wrong(user: User, tmp_path: Path) -> None:
    """Say that an answer is wrong."""
    user.ask("Who directed Forrest Gump?")
    user.click("button", "Wrong", exact=True)
    user.sees("Remembered.")


def would_change(user: User, tmp_path: Path) -> None:
    """See whether a saved answer depends on a source, before it is removed."""
    user.ask("Who directed Forrest Gump?")
    user.click("button", "Save question")
    user.click("link", "Sources", exact=True)
    user.click("button", "Check saved questions first", first=True)
    user.sees(re.compile("answers? would change"))


def two_ways(user: User, tmp_path: Path) -> None:
    """Ask one question in two ways, and compare."""
    user.click("link", "Compare", exact=True)
    user.type("Question", "Where was Steve Jobs born?")
    user.click("button", "Ask with both")
    user.page.locator(".compare tbody").wait_for()


def why_believed(user: User, tmp_path: Path) -> None:
    """Find out what decides between two values."""
    user.ask("Which pier does the Aurora leave from?")
    user.click("link", "Compare what sources say")
    user.sees(re.compile("Nothing here decides between them|Believed because"))


def taken_back(user: User, tmp_path: Path) -> None:
    """Teach a word, and take it back."""
    user.click("link", "Saved and taught")
    user.type("Word or phrase", "homeland")
    user.type("Means", "country")
    user.click("button", "Teach", exact=True)
    user.click("button", "Undo: homeland")
    user.page.get_by_role("button", name="Undo: homeland").wait_for(state="detached")


def in_german(user: User, tmp_path: Path) -> None:
    """Read the application in German."""
    user.click("button", "Deutsch")
    user.sees("Was möchten Sie wissen?")
    user.click("button", "English")
    user.sees("What would you like to know?")


def as_a_list(user: User, tmp_path: Path) -> None:
    """Read what surrounds an answer as a list, without the picture."""
    user.ask("Where was Steve Jobs born?")
    user.click("link", "Explore", first=False)
    user.click("button", "As a list")
    user.page.locator(".listview tbody tr").first.wait_for()


def all_about_it(user: User, tmp_path: Path) -> None:
    """See what is known of a thing after a question without an answer."""
    user.ask("Who is the mayor of Paris?")
    user.click("link", "See everything about Paris")
    user.page.locator(".facts .relation").first.wait_for()


TASKS: dict[str, tuple[str, Callable[[User, Path], None]]] = {
    "says_otherwise": ("bob", says_otherwise),
    "means_germany": ("alice", means_germany),
    "dearest_boat": ("boss and bob", dearest_boat),
    "depends_on_it": ("alice", depends_on_it),
    "exact_line": ("alice", exact_line),
    "later_films": ("alice", later_films),
    "own_word": ("curator", own_word),
    "into_a_sheet": ("alice", into_a_sheet),
    "picture_of_one_source": ("alice", picture_of_one_source),
    "ask_on": ("alice", ask_on),
    "tables_together": ("boss and bob", tables_together),
    "turned_round": ("alice", turned_round),
    "said_wrong": ("curator", said_wrong),
    "would_change": ("curator", would_change),
    "two_ways": ("alice", two_ways),
    "why_believed": ("bob", why_believed),
    "taken_back": ("curator", taken_back),
    "in_german": ("alice", in_german),
    "as_a_list": ("alice", as_a_list),
    "all_about_it": ("alice", all_about_it),
}
"""Whose key the user has, and what is done."""

ENDS_ELSEWHERE = {"means_germany", "exact_line", "turned_round", "would_change", "two_ways", "as_a_list"}
"""Tasks that end at something that none of STATES shows; axe-core looks at it."""


def published() -> dict[str, int]:
    """The number of actions of each task in the published table, by the first line of its function."""
    rows = re.findall(r"^\| (.+?) \| (\d+) \|", TABLE.read_text("utf-8"), re.M)
    return {task: int(actions) for task, actions in rows}


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_new_user_does_it(browser: Any, keyed: Keyed, manager: str, tmp_path: Path, task: str):
    who, do = TASKS[task]
    key = keyed.key.get(who, manager)
    page, wrong = opened(browser, keyed.service.url, key=key)
    page.set_default_timeout(JOBS)
    page.wait_for_selector(".hero input")
    user = User(page)
    do(user, tmp_path)
    assert wrong == []
    assert task not in ENDS_ELSEWHERE or complaints(page) == []
    assert user.actions == published()[str(do.__doc__).rstrip(".")]
    assert user.actions <= ACTIONS
