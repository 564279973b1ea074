"""Names and texts say what they mean to readers from outside: no private words, and no class name for two things."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted([*(ROOT / "hydra_kg").rglob("*.py"), *(ROOT / "loaders" / "hydra_kg_loaders").rglob("*.py")])

PRIVATE = frozenset("held told beside written standing heard face blame stretches tidying voiced".split())
"""Words that meant several things each, and nothing to a reader from outside; docs and comments may use them. So did
``kept`` alone: where, by whom?"""

ALLOWED = {
    "kept": "a field of documents (Evidence.kept in ask --json, counts of lines in the report of a load)",
    "WrittenPath": "a path that an agent writes from text, as HydraRAG App. E says",
}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix().removeprefix("hydra_kg/")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def identifiers(tree: ast.Module) -> Iterator[tuple[str, int, bool]]:
    """All names that are made, each with its line and whether documents show it: fields of classes, parameters."""
    fields = {
        id(n.target) for c in ast.walk(tree) if isinstance(c, ast.ClassDef) for n in c.body if hasattr(n, "target")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno, isinstance(node, ast.ClassDef)
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno, True
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno, id(node) in fields
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno, False


def private(path: Path) -> list[str]:
    text = path.read_text("utf-8").casefold()
    if not any(word in text for word in (*PRIVATE, "kept")):
        return []  # most modules, which need not be parsed then
    found = []
    for name, line, shown in identifiers(tree(path)):
        words = {w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
        if (words & PRIVATE or name.strip("_") == "kept") and not (shown and name in ALLOWED):
            found.append(f"{relative(path)}:{line}: {name}")
    return found


def test_no_name_is_a_private_word():
    assert [name for path in MODULES for name in private(path)] == []


@pytest.mark.parametrize(
    "text, count",
    [
        ("def f(x):\n    kept = [x]\n    return kept\n", 1),
        ("class A:\n    kept: int\n    standing: int\n", 1),
        ("def told(held): ...\n", 2),
        ("class WrittenPath: ...\nclass Bystanding: ...\nheading = 1\n", 0),
        ("self._beside = 1\n", 1),
    ],
)
def test_the_test_sees_every_kind_of_name(tmp_path, monkeypatch, text, count):
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    (tmp_path / "m.py").write_text(text)
    assert len(private(tmp_path / "m.py")) == count


def test_a_class_name_is_one_thing():
    places = defaultdict(list)
    for path in MODULES:
        for name in re.findall(r"^ *class (\w+)", path.read_text("utf-8"), re.MULTILINE):
            places[name].append(relative(path))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


TEMPLATES = sorted((ROOT / "hydra_kg" / "pages" / "templates").glob("*.j2"))
CATALOGUE = ROOT / "hydra_kg" / "serving" / "web" / "src" / "texts" / "en.ts"

PRIVATE_TEXT = re.compile(
    r"\b(?:beside|held|told|kept|stands?|standing|stood|nought|somebody|whoever|blame|heard|aside|goes by|go by|"
    r"lies? (?:in|at|on|with|under|here)|(?:is|was|are|were) read as)\b",
    re.IGNORECASE,
)
"""Words and phrases that hide who does what: stored, next to, waiting, means, is, another process say it."""

QUERY = re.compile(r"\b(?:SELECT|FROM|WHERE|CREATE|JOIN|CASE|ALTER|TABLE)\b")
HIDDEN = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<style.*?</style>|<script.*?</script>|<[^>]*>", re.DOTALL)
"""Parts of a template that nobody reads."""

ALLOWED_TEXTS = {
    "Whoever runs it gives you one.": "a text of the application that changes with its next build",
    "on|near|by|beside|along": "a pattern of sentences, not a text",
    "located|locates|situated|lies|lie": "a pattern of claims, not a text",
    "self::aside": "an element of HTML",
    "ABOUT ANSWERED BECAUSE": "names of relationships in Neo4j",
    "kept: W_2": "a column of a table, named after the field",
    "kept (W_2)": "the same",
    "phase kept": "fields of an explored path",
    "acronym_letters": "former names of settings",
}


def python_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module with spaces, with their lines: no docstrings, word lists or queries."""
    nodes = list(ast.walk(tree(path)))
    skipped = set()
    for node in nodes:
        for statement in getattr(node, "body", None) if isinstance(getattr(node, "body", None), list) else ():
            if isinstance(statement, ast.Expr):
                skipped.add(id(statement.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            skipped.add(id(node.func.value))
    for node in nodes:
        text = node.value if isinstance(node, ast.Constant) and id(node) not in skipped else None
        if isinstance(text, str) and " " in text.strip() and not QUERY.search(text):
            yield node.lineno, text


def commands(group: click.Command, name: str = "hydra-kg") -> Iterator[tuple[str, click.Command]]:
    yield name, group
    if isinstance(group, click.Group):
        context = click.Context(group)
        for part in group.list_commands(context):
            if (found := group.get_command(context, part)) is not None:
                yield from commands(found, f"{name} {part}")


def private_words(text: str) -> list[str]:
    return [] if any(one in text for one in ALLOWED_TEXTS) else PRIVATE_TEXT.findall(text)


def test_no_message_has_a_private_word():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {words} in {text[:80]!r}"
        for path in MODULES
        for line, text in python_texts(path)
        if (words := private_words(text))
    ]
    assert found == []


def test_no_help_has_a_private_word():
    from hydra_kg.cli.main import main

    found = [f"{name}: {words}" for name, one in commands(main) if (words := private_words(one.help or ""))]
    assert found == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_page_has_a_private_word(path: Path):
    shown = HIDDEN.sub(" ", path.read_text("utf-8"))
    assert private_words(shown) == []


def test_no_text_of_the_application_has_a_private_word():
    shown = re.findall(r'"([^"]*)"|`([^`]*)`', re.sub(r"\$\{[^}]*\}", "", CATALOGUE.read_text("utf-8")))
    found = [text for pair in shown for text in pair if " " in text and private_words(text)]
    assert found == []


@pytest.mark.parametrize(
    "text, words",
    [
        ("The kept answer", ["kept"]),
        ("A load is held beside it.", ["held", "beside"]),
        ("“1,5” is read as 1.5", ["is read as"]),
        ("The file lies in a folder", ["lies in"]),
        ("Understand the answer stored next to it", []),
        ("Print one JSON document", []),
    ],
)
def test_the_test_sees_private_words(tmp_path: Path, text: str, words: list[str]):
    (tmp_path / "m.py").write_text(f'"""{text}"""\nf = """{text}"""\n')
    assert [word for _, one in python_texts(tmp_path / "m.py") for word in private_words(one)] == words
