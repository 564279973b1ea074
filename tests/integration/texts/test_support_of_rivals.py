"""Two graphs that disagree, and a passage for one: whose path rises, which value is believed, and by what numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers.begun import begin

from hydra_kg import Hydra, Settings
from hydra_kg.cli.main import main
from hydra_kg.fusion.truth_discovery.source_history import FILE, History

NS = "<http://rdf.freebase.com/ns/%s>"
WD = "<http://www.wikidata.org/entity/%s>"
NAMES = {
    "m.0b1": "Orlena Vask",
    "m.0b2": "Tarnholm",
    "m.0b3": "Kelmoor",
    "m.0b4": "Piet Holm",
    "m.0b5": "Sunniva Brekk",
}
LINKS = {mid: f"Q90000{n}" for n, mid in enumerate(NAMES, 1)}
BORN = {"m.0b1": "m.0b2", "m.0b4": "m.0b3", "m.0b5": "m.0b2"}
QUESTION = "Where was Orlena Vask born?"
KELMOOR = ("Orlena Vask", "Orlena Vask was a painter. She was born in Kelmoor in 1911.")
TARNHOLM = ("Orlena Vask", "Orlena Vask was a painter. She was born in Tarnholm in 1911.")
DENIED = ("Orlena Vask", "Orlena Vask was a painter. She was not born in Kelmoor, as is often said.")


def store(folder: Path, *texts: tuple[str, str]) -> Path:
    """Freebase says Tarnholm, Wikidata Kelmoor; of all others they say the same."""
    path = begin(folder, "rivals", write_graphs) / "store"
    if texts:
        records = [{"title": t, "text": text, "url": f"http://example.org/{n}"} for n, (t, text) in enumerate(texts)]
        (folder / "pages.jsonl").write_text("".join(f"{json.dumps(r)}\n" for r in records), "utf-8")
        with Hydra(store=path, settings=Settings()) as hydra:
            hydra.load(folder / "pages.jsonl")
    return path


def write_graphs(folder: Path) -> None:
    """A store of both graphs and of the links between them."""
    lines = [f'{NS % m}\t{NS % "type.object.name"}\t"{name}"@en\t.' for m, name in NAMES.items()]
    lines += [f"{NS % a}\t{NS % 'people.person.place_of_birth'}\t{NS % b}\t." for a, b in BORN.items()]
    (folder / "freebase.nt").write_text("\n".join(lines) + "\n", "utf-8")
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    lines = [f'{WD % LINKS[m]} {label} "{name}"@en .' for m, name in NAMES.items()]
    lines.append(f'{WD % "P19"} {label} "place of birth"@en .')
    for a, b in {**BORN, "m.0b1": "m.0b3"}.items():
        lines.append(f"{WD % LINKS[a]} <http://www.wikidata.org/prop/direct/P19> {WD % LINKS[b]} .")
    (folder / "wikidata.nt").write_text("\n".join(lines) + "\n", "utf-8")
    same = [f"{NS % m}\t<http://www.w3.org/2002/07/owl#sameAs>\t{WD % q}\t." for m, q in LINKS.items()]
    (folder / "fb2w.nt").write_text("\n".join(same) + "\n", "utf-8")
    with Hydra(store=folder / "store", settings=Settings()) as hydra:
        hydra.load(*(folder / f"{name}.nt" for name in ("freebase", "wikidata", "fb2w")))


def ask(path: Path, **changed: object):
    with Hydra(store=path, settings=Settings().changed(**changed)) as hydra:
        return hydra.ask(QUESTION)


WORKED = re.compile(
    r"(?P<rank>\d+)\. Orlena Vask — (?P<path>[^\n]+)\n(?:(?! +\d+\. )[^\n]*\n)*?"
    r" +Supp = \{(?P<supp>[^}]*)\} · f1 = ρ = (?P<f1>[\d.]+)"
    r" · f2 = min\((?P<n>\d+), (?P<most>\d+)\) / \d+ = (?P<f2>[\d.]+)"
    r" · f3 = (?P<inside>\d+) of (?P<of>\d+) entities in G_q = (?P<f3>[\d.]+)\n"
    r" +s_ver = \(f1 \+ f2 \+ f3\) / 3 = (?P<ver>[\d.]+)"
    r" · cross = (?P<alpha>[\d.]+) · (?P<rel>[\d.]+) \+ (?P<rest>[\d.]+) · s_ver = (?P<cross>[\d.]+)"
)


def why(path: Path) -> dict[str, dict[str, str]]:
    """What ``show --why -v`` prints of the paths to either place."""
    shown = CliRunner().invoke(main, ["show", "last", "--why", "-v", "--store", str(path)], prog_name="hydra-kg")
    assert shown.exit_code == 0, shown.output
    found = {m["path"].rsplit("→ ", 1)[-1].strip(): m.groupdict() for m in WORKED.finditer(shown.output)}
    assert {"Tarnholm", "Kelmoor"} <= set(found), shown.output
    return found


def test_a_path_rises_by_a_passage_and_its_rival_falls_behind_in_numbers_that_can_be_worked_out(tmp_path):
    alone, both = store(tmp_path / "alone"), store(tmp_path / "both", KELMOOR)
    first, second = ask(alone), ask(both)
    assert (first.answers[0].name, second.answers[0].name) == ("Tarnholm", "Kelmoor")
    before, after = why(alone), why(both)
    for shown in (*before.values(), *after.values()):
        supporters = [s for s in shown["supp"].split(", ") if s]
        f1, f2, f3 = 1.0, min(len(supporters), 3) / 3, int(shown["inside"]) / int(shown["of"])
        assert (int(shown["n"]), int(shown["most"])) == (len(supporters), 3)
        assert [float(shown[k]) for k in ("f1", "f2", "f3")] == pytest.approx([f1, f2, f3], abs=1e-3)
        verification = (f1 + f2 + f3) / 3
        assert float(shown["ver"]) == pytest.approx(verification, abs=1e-3)
        alpha, rest = float(shown["alpha"]), float(shown["rest"])
        assert (alpha, rest) == (0.8, pytest.approx(0.2))
        assert float(shown["cross"]) == pytest.approx(alpha * float(shown["rel"]) + rest * verification, abs=1e-3)
    assert set(before["Kelmoor"]["supp"].split(", ")) == {"wikidata"}
    assert set(after["Kelmoor"]["supp"].split(", ")) == {"wikidata", "passages"}
    assert before["Tarnholm"]["supp"] == after["Tarnholm"]["supp"] == "freebase"
    assert float(after["Kelmoor"]["cross"]) > float(before["Kelmoor"]["cross"])
    lead = [float(w["Tarnholm"]["cross"]) - float(w["Kelmoor"]["cross"]) for w in (before, after)]
    assert lead[1] < lead[0]


def test_what_more_independent_sources_state_is_believed_and_it_is_said_why(tmp_path):
    answer = ask(store(tmp_path, KELMOOR))
    assert (answer.answers[0].name, answer.verdict) == ("Kelmoor", "contested")
    assert answer.dissent[0] == "freebase says Tarnholm"
    assert answer.dissent[-1] == (
        "believed is passages (0.80), wikidata (1.00), together 1.80, over freebase (1.00), together 1.00"
    )


@pytest.mark.parametrize(
    "texts, changed",
    [
        ((), {}),
        ((TARNHOLM,), {}),
        ((DENIED,), {}),
        ((KELMOOR, TARNHOLM), {}),
        ((KELMOOR,), {"verification.rivals": False}),
    ],
    ids=["nobody else", "the passage says the same", "denied", "both are said", "switched off"],
)
def test_the_nearer_relation_stays_where_no_more_sources_state_its_rival(tmp_path, texts, changed):
    answer = ask(store(tmp_path, *texts), **changed)
    assert answer.answers[0].name == "Tarnholm"


def test_what_was_confirmed_of_sources_decides_between_rivals(tmp_path):
    path = store(tmp_path, KELMOOR)
    history = History(path / FILE)
    for n in range(200):
        history.confirm(f"a{n}", [("freebase", "x", True), ("wikidata", "y", False), ("pages", "y", False)])
    answer = ask(path)
    assert answer.answers[0].name == "Tarnholm"
    assert any(d.startswith("believed is freebase (1.80)") for d in answer.dissent)
