"""Without the extra ``web``, what needs it says what to install; everything else goes on without it."""

from __future__ import annotations

import sys

import pytest

from hydra_kg import Hydra, Settings
from hydra_kg.errors import SettingsError
from hydra_kg.steps.text.web_search import site_of
from hydra_kg.web.fetch import SafeFetcher
from hydra_kg.web.providers import make_search

INSTALL = r"pip install 'hydra-kg\[web\]'"


@pytest.fixture(params=["trafilatura", "tld"], autouse=True)
def without_extra(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.partition(".")[0] == request.param]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, request.param, None)  # type: ignore[arg-type]


def test_a_search_engine_is_refused_with_what_to_install() -> None:
    web = Settings(web={"engine": "searxng", "url": "http://127.0.0.1:1"})
    with pytest.raises(SettingsError, match=INSTALL):
        make_search(web)
    with pytest.raises(SettingsError, match=INSTALL):
        SafeFetcher()


def test_the_site_of_a_page_needs_it(request: pytest.FixtureRequest) -> None:
    if "tld" not in request.node.name:
        assert site_of("https://a.example.co.uk/x") == "example.co.uk"
    else:
        with pytest.raises(SettingsError, match=INSTALL):
            site_of("https://a.example.co.uk/x")


@pytest.mark.slow
def test_questions_without_the_web_need_none_of_it(sample_store: str) -> None:
    with Hydra(store=sample_store, settings=Settings()) as hydra:
        assert hydra.ask("where was Steve Jobs born?", keep=False).answer_text == "San Francisco"
    web = Settings(web={"engine": "searxng", "url": "http://127.0.0.1:1"})
    with Hydra(store=sample_store, settings=web) as hydra, pytest.raises(SettingsError, match=INSTALL):
        hydra.ask("where was Steve Jobs born?", keep=False)
