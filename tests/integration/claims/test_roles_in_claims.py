"""A claim or a question that turns a stated relation round is not called true."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg import Hydra


@pytest.mark.parametrize(
    "claim, turned",
    [
        ("James Cameron directed Titanic.", "Titanic directed James Cameron."),
        ("Google was founded by Larry Page.", "Google founded Larry Page."),
        ("Jane Austen wrote Pride and Prejudice.", "Jane Austen was written by Pride and Prejudice."),
        ("Paris is the capital of France.", "France is the capital of Paris."),
        ("Berlin is in Germany.", "Germany is in Berlin."),
        ("Honolulu is in the United States.", "The United States is in Honolulu."),
    ],
)
def test_facts_of_a_graph_are_not_turned_round(sample: Hydra, claim: str, turned: str) -> None:
    assert [sample.ask(said, keep=False).claim for said in (claim, turned)] == ["true", "unknown"]


def test_sentences_and_facts_of_a_document_are_not_turned_round(tmp_path: Path) -> None:
    page = tmp_path / "club.md"
    page.write_text(
        "# The Tresk Club\n\nThe Tresk Club was founded in 1922 by Edith Marlow. "
        "Edith Marlow taught Piet Holm to sail. The club sold its boat house to the town of Elverum.\n",
        "utf-8",
    )
    with Hydra(store=tmp_path / "s", agent="offline") as hydra:
        hydra.load(page)
        true = ["The Tresk Club was founded by Edith Marlow.", "Did Edith Marlow teach Piet Holm to sail?"]
        other = [
            "Edith Marlow was founded by the club.",
            "The Tresk Club founded Edith Marlow.",
            "Did Piet Holm teach Edith Marlow to sail?",
            "The town of Elverum sold its boat house to the club.",
        ]
        assert [bool(hydra.ask(said, keep=False).answers) for said in (*true, *other)] == [True] * 2 + [False] * 4


def test_silence_names_what_is_stated_instead(sample: Hydra) -> None:
    other = sample.ask("Titanic stars Matt Damon.", keep=False).missing
    assert other.startswith("the sources do not name Titanic here, but Saving Private Ryan")
    assert " Of Tom Hanks they state: " in sample.ask("What is the phone number of Tom Hanks?", keep=False).missing
