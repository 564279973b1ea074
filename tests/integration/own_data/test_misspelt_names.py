"""Names in questions about own tables: misspelt ones are corrected and shown, unknown ones are never dropped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

HARBOUR = {
    "boats.csv": """boat_id,name,length_m,skipper_id
B1,Sturmvogel,11.5,S1
B2,Nachtigall,9.2,S2
B3,Kranich,14.0,S2
B4,Windjammer,22.4,S3
""",
    "skippers.csv": """skipper_id,name,home_port
S1,Greta Holm,Kiel
S2,Olaf Brandt,Stralsund
S3,Mette Lykke,Odense
""",
}
BEANS = """bean,region,roast,pests
Maragogype,Chiapas,light,leaf rust
Pacamara,Santa Ana,medium,coffee borer
Bourbonito,Huila,dark,brown eye spot
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Two tables that refer to each other."""
    yield from loaded(tmp_path_factory.mktemp("harbour"), HARBOUR, together="tables")


@pytest.fixture(scope="module")
def beans(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """A single table without a key."""
    yield from loaded(tmp_path_factory.mktemp("beans"), {"beans.csv": BEANS})


def asked(hydra: Hydra, question: str, *topics: str) -> tuple[set[str], dict[str, tuple[str, str]]]:
    """The answers, and by its words in the question what each name was understood as and how."""
    answer = hydra.ask(question, topics=topics, keep=False)
    meant = {m.text: (m.chosen.node.name, m.chosen.how) if m.chosen else ("", "") for m in answer.mentions}
    return {a.name for a in answer.answers}, meant


@pytest.mark.parametrize(
    "question, answer, text, name",
    [
        ("What is the roast of maragogyppe?", "light", "maragogyppe", "Maragogype"),
        ("What is the roast of pacamra?", "medium", "pacamra", "Pacamara"),
        ("What is the roast of Pacamra?", "medium", "Pacamra", "Pacamara"),
        ("Which bean has brwon eye spot?", "Bourbonito", "brwon eye spot", "brown eye spot"),  # a value of a column
    ],
)
def test_a_misspelt_name_of_a_table_is_corrected_and_shown(
    beans: Hydra, question: str, answer: str, text: str, name: str
):
    assert asked(beans, question) == ({answer}, {text: (name, "near")})


@pytest.mark.parametrize(
    "question, answer, text, name",
    [
        ("who is the skipper of the sturm vogel", "Greta Holm", "sturm vogel", "Sturmvogel"),
        ("What is the length of nachtigal?", "9.2", "nachtigal", "Nachtigall"),
        ("What is the home port of Mete Lykke?", "Odense", "Mete Lykke", "Mette Lykke"),
        ("what is the home port of olaf brand", "Stralsund", "olaf brand", "Olaf Brandt"),
    ],
)
def test_a_misspelt_name_of_several_tables_is_corrected_and_shown(
    harbour: Hydra, question: str, answer: str, text: str, name: str
):
    found, meant = asked(harbour, question)
    assert found == {answer}
    assert {t: n for t, (n, _) in meant.items()} == {text: name}


@pytest.mark.parametrize(
    "question, text", [("What is the roast of robusta?", "robusta"), ("What is the region of the catuai?", "catuai")]
)
def test_an_unknown_name_is_not_dropped_in_a_table(beans: Hydra, question: str, text: str):
    answer = beans.ask(question, keep=False)
    assert answer.abstained
    assert [(m.text, m.chosen) for m in answer.mentions] == [(text, None)]
    assert text in answer.missing


@pytest.mark.parametrize("question", ["what is the length of titanic", "who is the skipper of the dolphin"])
def test_an_unknown_name_is_not_dropped_in_several_tables(harbour: Hydra, question: str):
    answer = harbour.ask(question, keep=False)
    assert answer.abstained
    assert [(m.text, m.chosen) for m in answer.mentions] == [(question.rpartition(" ")[2], None)]


def test_the_nearest_name_is_offered_for_an_unknown_one(beans: Hydra):
    (mention,) = beans.ask("What is the roast of maragoxxxe?", keep=False).mentions
    assert mention.chosen is None
    assert [c.node.name for c in mention.candidates] == ["Maragogype"]


@pytest.mark.parametrize(
    "question, answers",
    [
        ("What is the roast of each bean?", {"light", "medium", "dark"}),
        ("What is the roast of Pacamara?", {"medium"}),
        ("Which beans are from Huila?", {"Bourbonito"}),
    ],
)
def test_names_that_are_spelt_rightly_are_left_alone(beans: Hydra, question: str, answers: set[str]):
    found, meant = asked(beans, question)
    assert found == answers
    assert all(how not in ("near", "like", "") for _, how in meant.values())


def test_words_that_say_little_and_counts_are_no_names(tmp_path: Path):
    tables = tmp_path / "tables"
    tables.mkdir()
    lots = [(f"L{n}", f"lot {n}", "Kiel" if n < 6 else "Odense", 10 * n) for n in range(1, 8)]
    (tables / "lots.csv").write_text("lot_id,name,town,area\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in lots))
    (tables / "leases.csv").write_text("lease_id,lot_id,tenant\n1,L1,Pia Roth\n2,L2,Tom Weir\n")
    with Hydra(store=tmp_path / "store") as hydra:
        hydra.load(tables)
        assert asked(hydra, "Which towns have more than 4 lots?")[0] == {"Kiel"}
        ordered = hydra.ask("What are the areas of lots, ordered descending by value?", keep=False)
    assert [a.name for a in ordered.answers] == ["70", "60", "50", "40", "30", "20", "10"]


def data_of(hydra: Hydra, question: str, *topics: str) -> Mapping[str, Any]:
    """An answer as JSON, without what differs each time."""
    doc = dict(hydra.ask(question, topics=topics, keep=False).to_dict())
    return {k: v for k, v in doc.items() if k not in {"id", "created", "seconds", "explorations"}}


@pytest.mark.parametrize("topic", ["beans:Pacamara", "Pacamara=beans:Pacamara", "pacamara=beans:Pacamara"])
def test_a_topic_that_is_linked_already_changes_nothing(beans: Hydra, topic: str):
    assert data_of(beans, "What is the roast of Pacamara?", topic) == data_of(beans, "What is the roast of Pacamara?")


@pytest.mark.parametrize("question", ["What is the roast of Pacamara?", "What is the roast of robusta?"])
@pytest.mark.parametrize("form", ["{key}", "{name}={key}"])
def test_another_topic_is_asked_the_same_question(beans: Hydra, question: str, form: str):
    name = question.rstrip("?").split()[-1]
    found, meant = asked(beans, question, form.format(name=name, key="beans:Bourbonito"))
    assert found == {"dark"}
    assert meant == {name: ("Bourbonito", "given")}


def test_a_topic_chooses_between_rows_of_one_name(tmp_path: Path):
    tables = tmp_path / "tables"
    tables.mkdir()
    (tables / "inns.csv").write_text("inn_id,name,rooms\nI1,Golden Lion,12\nI2,Golden Lion,31\nI3,Blue Boar,7\n")
    (tables / "guests.csv").write_text("guest_id,name,inn_id\nG1,Pia Roth,I1\nG2,Tom Weir,I2\nG3,Ann Bell,I3\n")
    with Hydra(store=tmp_path / "store") as hydra:
        hydra.load(tables)
        question = "How many rooms does the Golden Lion have?"
        candidates = hydra.ask(question, keep=False).mentions[0].candidates
        keys = {c.node.key for c in candidates}
        assert len(keys) == 2
        found = [asked(hydra, question, f"Golden Lion={key}")[0] for key in sorted(keys)]
    assert found == [{"12"}, {"31"}]
