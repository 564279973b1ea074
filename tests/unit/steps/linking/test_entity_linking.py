"""Linking: what a person means by a stretch of the question, however it is written, and never an error."""

from __future__ import annotations

from collections import Counter

import pytest
from helpers.samples import graphs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import examples

from hydra_kg import Hydra
from hydra_kg.domain import Mention, Source
from hydra_kg.fakes import FakeEmbedder, FakeStore
from hydra_kg.steps.linking.entity_linking import link, link_all
from hydra_kg.steps.linking.mention_spans import words
from hydra_kg.steps.snapshots.caching_snapshot import CachingSnapshot
from hydra_kg.steps.snapshots.snapshot_proxy import SnapshotProxy
from hydra_kg.text.folding import fold

NAMES = {
    "m.0b": "Paris",
    "m.0y": "Paris",
    "m.0c": "Paris Hilton",
    "m.0d": "New York",
    "m.0f": "New York City",
    "m.0g": "Schindler's List",
    "m.0h": "AT&T",
    "m.0j": "Shaquille O'Neal",
    "m.0k": "United States",
    "m.0l": "McDonald's",
    "m.0p": "Barack Obama",
    "m.0q": "Michelle Obama",
    "m.0r": "Honolulu",
    "m.0s": "language",
    "m.0v": "Björk",
    "m.0w": "Star Wars",
    "m.0x": "Star Wars: The Empire Strikes Back",
    "m.01b": "Egypt",
    "m.01c": "Egyptians",
    "m.01d": "Costa Rica",
    "m.01f": "Japan",
    "m.01g": "Japanese",
    "m.01h": "India",
    "m.01j": "Stephen Breyer",
    "m.01k": "J. R. Smith",
    "m.01l": "United Kingdom",
    "m.01m": "Trade",
    "m.01n": "Euro",
    "m.01p": "UEFA Euro 2012",
    "m.01q": "2012",
    "m.01r": "Davis",
    "m.01s": "Vernon",
    "m.01t": "Hybrid Operation of the Kwanza Union with all Friends of the Kwanza among Nations",
    "m.01v": "Kwanza",
}
ALIASES = [
    ("m.0p", "Obama"),
    ("m.0y", "City of Paris"),
    ("m.0k", "US"),
    ("m.0k", "USA"),
    ("m.01l", "UK"),
    ("m.0r", "capital of Paris"),
]
COUNTRIES = ("m.0b", "m.01b", "m.01f", "m.01l")
MUCH = [(key, "located_in", f"m.0bb{c}", 0) for key in COUNTRIES for c in "bcdfghjklm"]
LINKS = [("m.0p", "people.person.place_of_birth", "m.0r", 0), ("m.0y", "about", "m.0w", 0)]
DESCRIPTIONS = [("m.0b", "description", "a city on a river"), ("m.0y", "description", "a play about a wedding")]


@pytest.fixture(scope="module")
def snapshot():
    store = FakeStore()
    names = [(key, "name", name) for key, name in NAMES.items()] + [(key, "alias", a) for key, a in ALIASES]
    graphs.put(store, graphs.Spec("names", (Source("names"),), MUCH + LINKS, names=names + DESCRIPTIONS))
    with store.snapshot() as taken:
        yield taken


def meant(mentions: tuple[Mention, ...]) -> list[tuple[str, str]]:
    """(stretch, key of the chosen) of each mention."""
    return [(m.text, m.chosen.node.key if m.chosen else "") for m in mentions]


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("Where was Barack Obama born?", [("Barack Obama", "m.0p")]),
        ("where was barack obama born", [("barack obama", "m.0p")]),
        ("WHERE WAS BARACK OBAMA BORN", [("BARACK OBAMA", "m.0p")]),
        ("Where was Barack Obama's wife born?", [("Barack Obama", "m.0p")]),
        ("who is obama’s wife", [("obama", "m.0p")]),
        ("Who directed Schindler's List?", [("Schindler's List", "m.0g")]),
        ("who directed schindler’s list?", [("schindler’s list", "m.0g")]),
        ("who owns AT&T?", [("AT&T", "m.0h")]),
        ("Who is Shaquille O'Neal?", [("Shaquille O'Neal", "m.0j")]),
        ("tell us about paris", [("paris", "m.0b")]),
        ("what is in new york city?", [("new york city", "m.0f")]),
        ("what is in New York?", [("New York", "m.0d")]),
        ("what is in the city of Paris?", [("city of Paris", "m.0b")]),
        ("what is the capital of Paris?", [("Paris", "m.0b")]),  # which is also an alias of Honolulu
        ("Is Paris Hilton from Paris?", [("Paris Hilton", "m.0c"), ("Paris", "m.0b")]),
        ("which language is spoken in Honolulu", [("Honolulu", "m.0r")]),
        ("songs of Bjork", [("Bjork", "m.0v")]),
        ("songs of BJO\u0308RK", [("BJO\u0308RK", "m.0v")]),
        ("who wrote star wars the empire strikes back", [("star wars the empire strikes back", "m.0x")]),
    ],
)
def test_names_however_they_are_written(snapshot, question, wanted):
    assert meant(link(question, snapshot)) == wanted


@pytest.mark.parametrize(
    "question, key",
    [
        ("where was Barak Obama born", "m.0p"),
        ("where was Barack Obma born", "m.0p"),
        ("who is Michele Obama?", "m.0q"),
        ("who is Barack Obamas wife", "m.0p"),
        ("who is shaquille oneal", "m.0j"),
        ("The Empire Strikes Back", "m.0x"),
    ],
)
def test_spelling_is_repaired_where_nothing_is_called_that(snapshot, question, key):
    assert [k for _, k in meant(link(question, snapshot))] == [key]


@pytest.mark.parametrize("question", ["", " ", "?", "...", "what is it", "who", "'s", "’", "_", "zzyzzx qwrtp"])
def test_nothing_named_is_nothing_linked(snapshot, question):
    assert link(question, snapshot) == ()


def test_the_us_is_a_country(snapshot):
    assert meant(link("what is the capital of the US?", snapshot)) == [("US", "m.0k")]


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("what do egyptians speak?", [("egyptians", "m.01b")]),
        ("what do egyptian people speak?", [("egyptian people", "m.01b")]),
        ("what did the Costa Ricans export?", [("Costa Ricans", "m.01d")]),
        ("what money do japanese use?", [("japanese", "m.01f")]),
        ("who speaks japanese?", [("japanese", "m.01g")]),
        ("where do Honolulu indians live?", [("Honolulu", "m.0r")]),
        ("what does the indian anthem say?", [("indian", "m.01h")]),
        ("what does the indian of Honolulu say?", [("Honolulu", "m.0r")]),
        ("who is the Japanese emperor?", [("Japanese", "m.01f")]),
        ("what is the famous japanese mountain?", [("japanese", "m.01f")]),
        ("Which Japanese Star Wars fan was it?", [("Japanese", "m.01f"), ("Star Wars", "m.0w")]),
        ("who is a Japanese speaker?", [("Japanese", "m.01g")]),
        ("is Japanese in Star Wars?", [("Japanese", "m.01g"), ("Star Wars", "m.0w")]),
        ("where do native Japanese fishers live?", [("Japanese", "m.01g")]),
        ("who wrote the Egyptians story?", [("Egyptians", "m.01b")]),
    ],
)
def test_the_people_of_a_country_mean_the_country_and_an_adjective_may_be_the_language(snapshot, question, wanted):
    assert meant(link(question, snapshot)) == wanted


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("who nominated stephen g. breyer?", [("stephen g. breyer", "m.01j")]),
        ("who does jr smith play for?", [("jr smith", "m.01k")]),
        ("what time is it in uk?", [("uk", "m.01l")]),
        ("who does the uk trade with?", [("uk", "m.01l")]),
    ],
)
def test_initials_and_short_names_of_places(snapshot, question, wanted):
    assert meant(link(question, snapshot)) == wanted


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("what country does egypt trade with?", [("egypt", "m.01b")]),
        ("what does the united kingdom trade", [("united kingdom", "m.01l")]),
        ("who directed trade?", [("trade", "m.01m")]),
        ("What does Egypt Trade with?", [("Egypt", "m.01b"), ("Trade", "m.01m")]),
        ("what position does vernon davis play?", [("vernon", "m.01s"), ("davis", "m.01r")]),
    ],
)
def test_the_verb_behind_the_name_that_do_asks_about_is_no_name(snapshot, question, wanted):
    assert meant(link(question, snapshot)) == wanted


def test_a_year_beside_a_name_may_be_a_part_of_it(snapshot):
    assert meant(link("where will euro 2012 be", snapshot)) == [("euro 2012", "m.01p")]
    assert meant(link("where is the euro used", snapshot)) == [("euro", "m.01n")]


def test_two_words_of_a_long_name_are_worth_less_than_a_whole_name(snapshot):
    assert meant(link("what are the kwanza nations", snapshot)) == [("kwanza", "m.01v")]


def test_names_that_end_in_an_apostrophe_s(snapshot):
    assert meant(link("is McDonald's in Paris?", snapshot)) == [("McDonald's", "m.0l"), ("Paris", "m.0b")]


def test_runners_up_are_shown_the_better_known_first(snapshot):
    (mention,) = link("where is Paris?", snapshot)
    assert [c.node.key for c in mention.candidates] == ["m.0b", "m.0y"]
    assert mention.chosen == mention.candidates[0]
    assert [c.description for c in mention.candidates] == ["a city on a river", "a play about a wedding"]
    assert [c.score for c in mention.candidates] == sorted((c.score for c in mention.candidates), reverse=True)
    assert len(link("where is Paris?", snapshot, candidates=1)[0].candidates) == 1


def test_a_fact_between_two_mentions_speaks_for_both(snapshot):
    def gap(question: str) -> float:
        score = {c.node.key: c.score for c in link(question, snapshot)[0].candidates}
        return score["m.0b"] - score["m.0y"]

    assert gap("is Paris in Star Wars?") < gap("is Paris in Honolulu?")


def test_a_description_that_fits_the_question_counts(snapshot):
    def score(question: str, key: str) -> float:
        (mention,) = link(question, snapshot, embedder=FakeEmbedder())
        return next(c.score for c in mention.candidates if c.node.key == key)

    assert score("is there a play about a wedding in Paris", "m.0y") > score("zzz Paris", "m.0y")


def test_relation_words_are_weak_topics(snapshot):
    assert meant(link("official language", snapshot, relation_words={"language", "official"})) == []
    assert meant(link("Honolulu language", snapshot, relation_words={"language"})) == [("Honolulu", "m.0r")]


@pytest.mark.parametrize(
    "question, parts",
    [
        ("Obama's wife", ["Obama", "wife"]),
        ("obama’s wife", ["obama", "wife"]),
        ("OBAMA'S", ["OBAMA"]),
        ("the boys' club", ["the", "boys", "club"]),
        ("O'Neal and AT&T", ["O'Neal", "and", "AT&T"]),
        ("U.S. and J.R.R. Tolkien", ["U.S", "and", "J.R.R", "Tolkien"]),
        ("it's 'quoted'", ["it", "quoted"]),
        ("a_b-c", ["a", "b", "c"]),
        ("日本の首都は?", ["日本", "の", "首都", "は"]),
        ("'s", ["s"]),
        ("", []),
    ],
)
def test_words(question, parts):
    assert [w.text for w in words(question)] == parts


@given(st.text())
def test_words_are_where_they_say(text):
    at = 0
    for word in words(text):
        assert word.text
        assert at <= word.start < word.end <= len(text)
        assert text[word.start : word.end] == word.text
        at = word.end


JUNK = [
    "",
    "'",
    "’s",
    '"',
    "*",
    "%",
    "_",
    "(",
    "NEAR(",
    " OR ",
    "AND",
    "NOT",
    "^",
    ":",
    "-",
    "--",
    ";",
    "\\",
    "\x00",
    "\x1b[31m",
    "\ud800",
    "\u202e",
    "\u200b",
    "🦆",
    "é",
    "日本",
    "ʼ",
    "&",
    "C++",
    "a" * 300,
    "ß" * 40,
]
KNOWN = ["Germany", "Barack Obama", "Queen", "Inception", "Kate Winslet", "Liverpool", "Steve Jobs", "Google"]
COMMON = ["Where was", "born", "the", "of", "who", "US", "capital", "and", "1984", "Obama's", "Barak", "new york"]
PIECES = st.sampled_from([*KNOWN, *COMMON, *sorted(set(NAMES.values())), *JUNK]) | st.text(max_size=12)
QUESTIONS = st.lists(PIECES, max_size=12).flatmap(
    lambda p: st.sampled_from([" ", "", ", "]).map(lambda gap: gap.join(p))
)


def check(question: str, mentions: tuple[Mention, ...], *, most: int = 4, candidates: int = 5) -> None:
    """Whatever is linked: inside the question, in order, nothing twice, the best first."""
    assert len(mentions) <= most
    at = 0
    for m in mentions:
        assert at <= m.start < m.end <= len(question)
        at = m.end
        assert m.text == question[m.start : m.end]
        assert fold(m.text)
        assert (m.chosen is not None) <= len(m.candidates) <= candidates
        assert m.chosen in (*m.candidates[:1], None)  # None: an unknown name
        assert len({c.node.id for c in m.candidates}) == len(m.candidates)
        scores = [c.score for c in m.candidates]
        assert scores == sorted(scores, reverse=True)
        assert {c.how for c in m.candidates} <= {"name", "alias", "tokens", "near"}


@examples(60)
@given(question=QUESTIONS)
def test_any_text_links_within_bounds(snapshot, question):
    found = link(question, snapshot, embedder=FakeEmbedder(), relation_words={"born", "capital", "language"})
    check(question, found)
    assert link(question, snapshot, embedder=FakeEmbedder(), relation_words={"born", "capital", "language"}) == found


@settings(examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=QUESTIONS, most=st.integers(1, 8), candidates=st.integers(1, 6))
def test_any_text_links_in_the_sample(sample, question, most, candidates):
    with sample.store.snapshot() as taken:
        found = link(question, taken, relation_words={"born", "capital"}, most=most, candidates=candidates)
    check(question, found, most=most, candidates=candidates)


@pytest.mark.parametrize("text", ["Paris ", "zzz ", "a.b'c&", "New York City ", "'", "日本"])
def test_a_very_long_question_links_too(snapshot, text):
    question = text * (3_000 // len(text))
    check(question, link(question, snapshot))


class Asked(SnapshotProxy):
    """Counts the calls for names and entities."""

    def __init__(self, inner):
        super().__init__(inner)
        self.calls: Counter[str] = Counter()

    def find(self, names, *, limit=50, reach="exact"):
        self.calls["find"] += 1
        return self.inner.find(names, limit=limit, reach=reach)

    def entities(self, nodes):
        self.calls["entities"] += 1
        return self.inner.entities(nodes)


def test_many_texts_link_as_each_alone_with_one_call_for_names_and_one_for_entities(snapshot):
    texts = [
        "Barack Obama left Honolulu for Paris.",
        "Björk sang in the US",
        "",
        "nothing here",
        "Paris, Paris and Obama",
    ]
    below = Asked(snapshot)
    together = link_all(texts, CachingSnapshot(below), candidates=1, most=8)
    assert together == [link(t, snapshot, candidates=1, most=8, repair=False) for t in texts]
    assert sum(map(len, together)) > 1
    assert below.calls == {"find": 1, "entities": 1}


@pytest.mark.parametrize(
    "question, name",
    [
        ("who directed inception?", "Inception"),
        ("who directed forrest gump?", "Forrest Gump"),
        ("when was the inception of google?", "Google"),
        ("where was mozart born?", "Wolfgang Amadeus Mozart"),
    ],
)
def test_names_in_lower_case(sample: Hydra, question: str, name: str):
    assert [m.chosen.node.name for m in sample.ask(question, keep=False).mentions if m.chosen] == [name]


@pytest.mark.parametrize(
    "question",
    [
        "hello",
        "Hello!",
        "hi there",
        "help",
        "thanks",
        "Thank you, good evening",
        "elon musk",
        "who owns IKEA?",
        "who owns ikea?",
        "at what temperature does water boil?",
    ],
)
def test_what_is_no_name_the_graph_knows(sample: Hydra, question: str):
    answer = sample.ask(question, keep=False)
    assert (answer.abstained, answer.mentions) == (True, ())
