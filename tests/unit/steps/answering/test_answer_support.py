"""What sources state of what a model answers: paths that are about the question, texts that name the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hydra_kg.domain import Analysis, AnswerValue, Evidence, Hop, Locator, Node, Passage, Path, Scores, Source
from hydra_kg.steps.answering.answer_support import stated
from hydra_kg.steps.answering.results import uncontested, value_of

NAPOLEON, JOSEPH, MONTH, PLACE = (
    Node(1, "m.1", "Napoleon Bonaparte"),
    Node(2, "m.2", "Joseph Bonaparte"),
    Node(3, "m.3", "September"),
    Node(4, "m.4", "Philadelphia"),
)
PAGE = Passage("p", "Joseph", "Joseph, of 1865, was born in Philadelphia.", Source("w", "wiki"), Locator("w", 1), 9)
ASKED = Analysis(question="Where was Napoleon born?", indicator="born", topics=(NAPOLEON.id,), d_predict=1)


def evidence(*hops: Hop, passage: Passage | None = None) -> Evidence:
    return Evidence(Path(hops, passage), Scores(0.5), "initial", True, "", (hops[-1].object,) if hops else (PLACE,), ())


def hop(subject: Node, obj: Node) -> Hop:
    return Hop(subject, "born in", "born in", obj)


@pytest.mark.parametrize(
    "found, explored, good",
    [
        (evidence(hop(MONTH, PLACE), passage=PAGE), (), False),  # a path from a page about somebody else
        (evidence(hop(NAPOLEON, PLACE), passage=PAGE), (), True),
        (evidence(hop(MONTH, PLACE), passage=replace(PAGE, node=NAPOLEON.id)), (), True),
        (evidence(hop(JOSEPH, PLACE), passage=PAGE), (), False),
        (evidence(hop(JOSEPH, PLACE), passage=PAGE), (evidence(hop(NAPOLEON, JOSEPH)),), True),  # facts lead there
        (evidence(passage=PAGE), (), True),  # a text that is read as it stands
    ],
)
def test_a_path_written_from_a_page_is_about_the_question(found, explored, good):
    end = uncontested([value_of(PLACE, 0.5)], [found])
    assert stated(ASKED, end, explored, names={"Napoleon"}) == good


@pytest.mark.parametrize("page, good", [(9, False), (NAPOLEON.id, True)])
def test_a_number_is_read_on_the_page_of_what_is_measured(page, good):
    height = Node(0, "", "1.69")
    text = replace(PAGE, node=page, text="Napoleon stood at 1.69 metres.")
    found = replace(evidence(hop(NAPOLEON, height), passage=text), answers=(height,))
    end = uncontested([AnswerValue("1.69")], [found])
    asked = replace(ASKED, answer_type="number")
    assert stated(asked, end, (), names={"Napoleon"}) == good
