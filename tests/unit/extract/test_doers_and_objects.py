"""Whether a sentence names the things of a question in the same roles."""

from __future__ import annotations

import pytest

from hydra_kg.extract.reading.doers_and_objects import keeps_roles
from hydra_kg.language.tokens import tokenise


@pytest.mark.parametrize(
    "question, sentence, same",
    [
        ("Did Ada Lund teach Piet Holm?", "Ada Lund taught Piet Holm to sail.", True),
        ("Did Piet Holm teach Ada Lund?", "Ada Lund taught Piet Holm to sail.", False),
        ("Was Piet Holm taught by Ada Lund?", "Ada Lund taught Piet Holm to sail.", True),
        ("Was Ada Lund taught by Piet Holm?", "Ada Lund taught Piet Holm to sail.", False),
        ("Is this claim true? Ada Lund was founded by the club.", "The club was founded by Ada Lund.", False),
        ("The town sold its boat to the club.", "The club sold its boat to the town.", False),
        ("Did Ada Lund win the race?", "In the race of the club Ada Lund won.", True),
        ("Is the pool open on Sundays?", "On Sundays the pool is open.", True),
    ],
)
def test_roles_are_kept_by_order_or_turned_round_by_by(question: str, sentence: str, same: bool) -> None:
    assert keeps_roles(question, tokenise(sentence)) is same


def test_a_pronoun_stands_for_the_subject_of_a_page() -> None:
    said = tokenise("She founded the club in 1922.")
    assert keeps_roles("Did Ada Lund found the club?", said, subject="Ada Lund")
    assert not keeps_roles("Did the club found Ada Lund?", said, subject="Ada Lund")
