"""Claims as plans: what the grammar makes of a statement that no question has the form of."""

from __future__ import annotations

import pytest
from unit.agents.planning.test_planning import A, B, plan, root

from hydra_kg.plan.model import (
    Among,
    Every,
    OfKind,
    Only,
    Related,
    Some,
    Untrue,
)

FILMS = Related(A, "_ directed", "films")


@pytest.mark.parametrize(
    "claim, expected",
    [
        ("[Alien] directed some films.", Some(FILMS)),
        ("[Alien] directed several films.", Some(FILMS, 2)),
        ("[Alien] has acted in many motion pictures.", Some(Related(A, "_ acted in", "motion pictures"), 3)),
        ("[Alien] wrote a novel.", Some(Related(A, "_ wrote", "novel"))),
        ("[Alien] directed some horror films.", None),
        ("[Alien] is a mountain in [Aliens].", Among(A, Related(B, "mountain in _", "mountain"))),
        ("[Alien] is not a singer.", Untrue(Among(A, OfKind(A, "singer")))),
        ("[Alien] did not direct [Aliens].", Untrue(Among(A, Related(B, "direct _")))),
        ("[Alien] currently plays for [Aliens].", Among(A, Related(B, "plays for _"), today=True)),
        ("[Alien] died of a stroke.", Some(Related(A, "_ died of", "stroke"), named=True)),
        ("[Alien] played the guitar.", Some(Related(A, "_ played", "guitar"), named=True)),
        ("[Alien] died with no children.", None),
        ("[Alien] is spoken only in [Aliens].", Only(Among(A, Related(B, "spoken in _")))),
        ("[Alien] locates itself only in [Aliens].", Only(Among(A, Related(B, "locates in _")))),
        ("[Alien] leads [Aliens].", Among(A, Related(B, "leads _"), today=True)),
        ("[Alien] led [Aliens].", Among(A, Related(B, "led _"))),
        ("[Alien] worked in [Aliens] that are still seen today.", None),
        ("[Alien] inspired many people in 1990.", None),
        ("[Alien] wrote a story that plays in 1990.", None),
    ],
)
def test_a_claim_becomes_what_its_words_say(claim, expected):
    found = plan(claim)
    assert (found.root if found else None) == expected


def test_an_adjective_of_a_country_is_a_condition_of_its_own():
    found = root("[Alien] is a [French] director.")
    assert isinstance(found, Every)
    kind, country = found.parts
    assert kind == Among(A, OfKind(A, "director"))
    assert country.of == Related(A, "nationality of _")
