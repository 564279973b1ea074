"""Names say what they mean to somebody who knows the field: no private words, and no class name for two things."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

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
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(relative(path))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}
