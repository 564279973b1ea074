"""A claim with several parts is true only if every part is stated, and false if one of them is contradicted."""

from __future__ import annotations

import pytest

from hydra_kg import Hydra


@pytest.mark.parametrize(
    "claim, truth",
    [
        ("Titanic was directed by James Cameron, stars Kate Winslet and was released in 1997.", "true"),
        ("Titanic was directed by James Cameron, stars Kate Winslet and was released in 2004.", "false"),
        ("Barack Obama was born in Honolulu, studied at Harvard Law School and is married to Kate Winslet.", "false"),
        ("Inception was directed by James Cameron.", "false"),
        ("Christopher Nolan, who was born in Sydney, wrote and directed Inception.", "unknown"),
    ],
)
def test_every_part_of_a_claim_decides(sample: Hydra, claim: str, truth: str) -> None:
    assert sample.ask(claim, keep=False).claim == truth


def test_the_steps_say_what_was_found_about_each_part(sample: Hydra) -> None:
    false = sample.ask("Alan Turing died in Wilmslow and was married to Kate Winslet.", keep=False)
    assert false.claim == "false"
    assert [s.text for s in false.steps] == [
        "“Alan Turing died in Wilmslow”: not found",
        "“Alan Turing was married to Kate Winslet”: contradicted",
    ]
    unknown = sample.ask("Titanic was directed by James Cameron and was praised by Alan Turing.", keep=False)
    assert unknown.claim == "unknown"
    assert "Titanic was praised by Alan Turing" in unknown.missing


def test_a_true_claim_cites_every_part(sample: Hydra) -> None:
    true = sample.ask("Titanic was directed by James Cameron and stars Kate Winslet.", keep=False)
    assert true.verdict == "supported"
    assert {e.path.hops[0].subject.name for e in true.evidence} == {"James Cameron", "Kate Winslet"}
