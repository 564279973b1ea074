"""Every sentence that the service can send has German words: the source is searched for them."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hydra_kg.serving.wording.replies import german, german_templates, quoted, translation

PACKAGE = Path(__file__).resolve().parents[4] / "hydra_kg"

ANSWERS = (
    "agents/offline.py",
    "agents/llm.py",
    "citations.py",
    "dialogue",
    "execution",
    "extract/languages",
    "fusion/conflicts",
    "pages/scores.py",
    "phrases.py",
    "questions",
    "reasoner.py",
    "steps/answering",
    "steps/crosscheck",
    "steps/executions.py",
    "steps/linking",
    "steps/operators",
    "steps/own_graphs",
    "steps/queries/table_answers.py",
    "steps/reading",
    "steps/schema",
    "strategies/hydra",
)
"""Modules and folders that say why there is no answer, what is doubtful, and what was done."""

PROBLEMS = ("curation", "fusion/gathering", "serving")
"""Those whose errors reach a client."""

LOADERS = Path(__file__).resolve().parents[4] / "loaders" / "hydra_kg_loaders"

LOADS = (
    *(f"{LOADERS}/{folder}" for folder in ("feeds", "nested", "table_files", "tables", "values")),
    *(f"ingest/{name}" for name in ("appending.py", "formats/archives.py", "contract/choices.py", "load.py")),
    *(f"ingest/{name}" for name in ("folders.py", "forecast.py", "contract/feed.py", "contract/work.py", "report.py")),
)
"""Those whose errors say on the page why files were not loaded. Their remedies are for the terminal."""

CALLS = {"Missing": (0,), "AssertionResult": (1,), "Step": (1,), "Judgement": (2,), "ProblemError": (1,)}
KEYWORDS = frozenset("reason unmet in_doubt doubt computation why remedy missing sentence dissent words".split())
NAMES = frozenset("reason words said shown computation sentence".split())
FUNCTIONS = re.compile(r"reason|missing|doubt|explain|perhaps|not_checked|sentence|note|words|alone|certainty|silence")
ELSEWHERE = frozenset(
    "serving/mcp.py serving/stdio.py serving/http/tools.py serving/http/service_start.py questions/model_sql.py"
    " questions/model_cypher.py serving/web/question_edits.py".split()
)
"""Modules whose sentences go to agents, to a language model, to the terminal, or are questions that are asked again."""

SAMPLES = ("Xyz Qrst", "7")


def modules(places: tuple[str, ...]) -> Iterator[Path]:
    for place in places:
        path = PACKAGE / place
        found = [path] if path.suffix else sorted(path.rglob("*.py"))
        yield from (one for one in found if one.as_posix().rpartition("hydra_kg/")[2] not in ELSEWHERE)


def errors(path: Path) -> Iterator[tuple[int, ast.expr]]:
    """Yield the first arguments of a module's errors, each with its line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name.endswith("Error"):
                yield node.lineno, first


def sentences(path: Path) -> Iterator[tuple[int, ast.expr]]:
    """Yield the expressions of a module that become sentences for people, each with its line."""
    tree = ast.parse(path.read_text("utf-8"))
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        if FUNCTIONS.search(function.name):
            yield from ((n.lineno, n.value) for n in ast.walk(function) if isinstance(n, ast.Return) and n.value)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                places = (0,) if name.endswith("Error") and name not in CALLS else CALLS.get(name, ())
                yield from ((node.lineno, node.args[place]) for place in places if place < len(node.args))
                yield from ((node.lineno, k.value) for k in node.keywords if k.arg in KEYWORDS)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in NAMES:
                yield node.lineno, value


def texts(value: ast.expr) -> Iterator[str]:
    """Yield examples of the texts that an expression can be, with every alternative of its conditions."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            pieces = [list(pieces_of(part)) for part in parts]
            yield from ("".join(found) for found in itertools.islice(itertools.product(*pieces), 4096))
        case ast.IfExp(body=body, orelse=other):
            yield from (*texts(body), *texts(other))
        case ast.BoolOp(values=values):
            yield from itertools.chain.from_iterable(map(texts, values))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            yield from itertools.chain.from_iterable(map(texts, parts))


def pieces_of(part: ast.expr) -> Iterator[str]:
    match part:
        case ast.Constant(value=text):
            yield str(text)
        case ast.FormattedValue(value=ast.IfExp() as choice):
            yield from texts(choice) if list(texts(choice)) else SAMPLES
        case _:
            yield from SAMPLES


def is_sentence(text: str) -> bool:
    """Return True for a text with at least three English words in small letters that is no code."""
    said = re.sub(r"Xyz Qrst|[“„].*?[”“]", " ", text)
    words = re.findall(r"(?<![\w./-])[A-Za-z]?[a-z]+(?![\w/])", said)
    return len(words) >= 3 and not re.search(r"[<>{}|\\]|SELECT", text)


def untranslated(path: Path, found_in: Callable[[Path], Iterator[tuple[int, ast.expr]]] = sentences) -> Iterator[str]:
    """Yield the sentences of a module of which no example has German words."""
    for line, value in found_in(path):
        found = [text for text in texts(value) if is_sentence(text)]
        shapes = {re.sub(r"Xyz Qrst|7", "…", text): text for text in found}
        for shape in shapes:
            same = [text for text in found if re.sub(r"Xyz Qrst|7", "…", text) == shape]
            if not any(translation(text, {}) for text in same):
                yield f"{path.name}:{line}: {shape}"


@pytest.mark.parametrize("places", [ANSWERS, PROBLEMS], ids=["answers", "problems"])
def test_every_sentence_of_the_service_has_german_words(places: tuple[str, ...]):
    missing = sorted({one for path in modules(places) for one in untranslated(path)})
    assert not missing, "Add them to hydra_kg/serving/wording/german.tsv:\n" + "\n".join(missing)


def test_every_reason_why_files_are_not_loaded_has_german_words():
    missing = sorted({one for path in modules(LOADS) for one in untranslated(path, errors)})
    assert not missing, "Add them to hydra_kg/serving/wording/german.tsv:\n" + "\n".join(missing)


def test_a_sentence_is_found_by_its_template_and_its_parts_are_translated():
    known = {"films that Nolan directed": "films „directed by“ Nolan"}
    said = "Nothing that the sources state about the names of the question answers it."
    assert german(said, {}) == "Nichts, was die Quellen über die Namen der Frage sagen, beantwortet sie."
    assert german("none of 6 films that Nolan directed has a stated budget", known) == (
        "keines der 6 films „directed by“ Nolan hat eine Angabe zu „budget“"
    )
    two = "No table or column says “x”, and no row or value is called “DC”. The tables are: boat, pier and 5 more."
    assert german(two, {}) == (
        "Keine Tabelle oder Spalte heißt „x“, und keine Zeile und kein Wert heißt „DC“."
        " Die Tabellen sind: boat, pier und 5 weitere."
    )


def test_every_column_of_a_list_is_translated():
    said = german("crop (group), kilos (number), delivered (date)", {})
    assert said == "crop (Ding, das Zeilen teilen), kilos (Zahl), delivered (Datum)"


def test_each_side_of_a_conflict_is_translated():
    said = german("Sources disagree: a and b say 3; c says The End; and 2 more values.", {})
    assert said == "Quellen widersprechen sich: a und b nennen 3; c nennt The End; und 2 weitere Werte."


def test_names_stay_as_they_are():
    assert german("Only Lovers and 3 more", {"Only Lovers and 3 more": "Only Lovers and 3 more"}).endswith("more")
    assert german("The Lord of the Rings", {}) == "The Lord of the Rings"
    assert quoted("films by Nolan", {}) == "„films by Nolan“"


def test_german_templates_have_the_placeholders_of_the_english_ones():
    for template in german_templates():
        names = set(template.pattern.groupindex)
        assert set(re.findall(r"\{(\w+)\}", template.german)) <= names, template.german
        template.german.format_map(dict.fromkeys(names, "x"))


def test_a_sentence_without_german_words_is_found(tmp_path: Path):
    module = tmp_path / "odd.py"
    module.write_text('def explain_it(n):\n    return f"the moon hides {n} of these facts"\n')
    assert list(untranslated(module)) == ["odd.py:2: the moon hides … of these facts"]
