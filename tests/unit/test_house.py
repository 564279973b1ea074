"""The house rules that a reader relies on: which room may use which, small modules, one public face, no leaks."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

import hydra_kg

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MODULES = sorted([*(ROOT / "hydra_kg").rglob("*.py"), *(ROOT / "loaders" / "hydra_kg_loaders").rglob("*.py")])

GROUPS = PROJECT["entry-points"]
NO_MODULES = {*GROUPS, "hydra_kg.methods"}
"""Groups of entry points, the last of them one that only other packages fill."""

# The text of an entry point or of importlib.import_module is an import as well.
_NAME = re.compile(r"hydra_kg(_loaders)?(\.\w+)*(:\w+)?")

ARROWS = tomllib.loads((Path(__file__).parent / "rooms.toml").read_text("utf-8"))

GROUND = set(ARROWS.pop("ground"))
"""Rooms that every other may use. They use one another, and nothing above them."""

PACKAGES: Mapping[str, Mapping[str, str]] = ARROWS
"""For every other package: which packages it may use, and why. A new arrow needs a reason."""

MOST = 15
"""Modules on one level of a folder."""


def inside(path: Path) -> Path:
    return path.relative_to(ROOT / "loaders" if path.is_relative_to(ROOT / "loaders") else ROOT)


@dataclass(frozen=True)
class Module:
    """What is asked of a module. Its tree is not kept: all of them together slow down whatever runs after."""

    docstring: str
    classes: frozenset[str]
    imports: frozenset[str]
    """Full names of all that it imports of ours, at its top, in a function or for types only."""


@cache
def read(path: Path) -> Module:
    """A module, parsed once for all tests."""
    tree = ast.parse(path.read_text("utf-8"))
    classes = frozenset(node.name for node in tree.body if isinstance(node, ast.ClassDef))
    return Module(ast.get_docstring(tree) or "", classes, imports(tree, path))


@cache
def place(path: Path) -> str:
    """The room of a module: its folder; in a folder that has rooms of its own, each module stands for itself."""
    folder = path.parent
    whole = any(child.is_dir() and any(child.glob("*.py")) for child in folder.iterdir())
    parts = inside(path.with_suffix("") if whole else folder).parts
    name = ".".join(parts).removesuffix(".__init__")
    return name.replace("hydra_kg_loaders", "loaders", 1).removeprefix("hydra_kg.")


def imports(tree: ast.Module, path: Path) -> frozenset[str]:
    package = list(inside(path).parent.parts)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and _NAME.fullmatch(str(node.value)) and node.value not in NO_MODULES:
            found.add(str(node.value).replace(":", "."))
    return frozenset(name for name in found if name.split(".")[0] in {"hydra_kg", "hydra_kg_loaders"})


def used(path: Path, names: Mapping[str, Path]) -> set[str]:
    """The rooms that a module uses, its own left out. ``names``: every module by its full name."""
    found = {module_of(name, names) for name in read(path).imports if name != "hydra_kg"} - {""}
    return {place(names[name]) for name in found} - {place(path)}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def uses_of_rooms() -> dict[str, set[str]]:
    """Return the rooms that each room uses, without those of the ground."""
    names = {module_name(path): path for path in MODULES}
    found: dict[str, set[str]] = {}
    for path in MODULES:
        if (room := place(path)) not in GROUND:
            found.setdefault(room, set()).update(used(path, names) - GROUND)
    return found


def test_every_package_uses_what_its_reasons_name_and_nothing_else():
    found: dict[str, set[str]] = {}
    for room, others in uses_of_rooms().items():
        package = room.split(".")[0]
        found.setdefault(package, set()).update({other.split(".")[0] for other in others} - {package})
    assert found == {package: set(reasons) for package, reasons in PACKAGES.items()}
    assert [package for package, reasons in PACKAGES.items() if not all(reasons.values())] == []


def test_the_ground_uses_nothing_above_it():
    names = {module_name(path): path for path in MODULES}
    wrong = {}
    for path in MODULES:
        if (room := place(path)) in GROUND:
            allowed = {"plan", "util"} if room == "domain" else GROUND
            if beyond := used(path, names) - allowed:
                wrong[relative(path)] = sorted(beyond)
    assert wrong == {}
    assert GROUND - {place(path) for path in MODULES} == set()


def test_rooms_have_no_circles():
    TopologicalSorter(uses_of_rooms()).prepare()


def test_modules_have_no_circles():
    """Of imports at run time, in functions and for types alike: each module is read after all that it uses."""
    names = {module_name(path): path for path in MODULES}
    uses = {}
    for name, path in names.items():
        if path.name != "__init__.py":
            uses[name] = {module_of(full, names) for full in read(path).imports} - {"", name}
    TopologicalSorter({name: {other for other in others if other in uses} for name, others in uses.items()}).prepare()


def module_name(path: Path) -> str:
    return ".".join(inside(path).with_suffix("").parts).removesuffix(".__init__")


def module_of(full: str, names: Mapping[str, Path]) -> str:
    """The module that a full name is, or is in."""
    while full and full not in names:
        full = full.rpartition(".")[0]
    return full


def test_no_folder_has_too_many_modules():
    folders = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for top in ("hydra_kg", "loaders", "bench", "tests")
        for path in (ROOT / top).rglob("*.py")
        if path.name != "__init__.py"
    )
    assert {folder: count for folder, count in folders.items() if count > MOST} == {}


def test_the_map_names_every_package_and_every_folder_of_steps():
    said = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## Where things are")[1].split("## Habits")[0]
    top = ROOT / "hydra_kg"
    folders = [f"{path.parent.name}/" for path in top.glob("*/__init__.py")]
    steps = [path.parent.name for path in (top / "steps").glob("*/__init__.py")]
    modules = [path.name for path in (*top.glob("*.py"), *(top / "questions").glob("*.py")) if path.name[0] != "_"]
    assert [name for name in (*folders, *steps, *modules) if f"`{name}`" not in said] == []


def test_every_folder_of_the_product_is_a_package():
    assert [relative(path) for path in MODULES if not (path.parent / "__init__.py").is_file()] == []


def test_the_readme_of_bench_names_every_script():
    said = (ROOT / "bench" / "README.md").read_text("utf-8")
    scripts = [path.relative_to(ROOT / "bench").as_posix() for path in (ROOT / "bench").rglob("*.py")]
    assert [script for script in sorted(scripts) if f"`{script}`" not in said] == []


def test_the_arrow_test_sees_every_form_of_import(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    modules = ["steps/cut", "steps/sibling", "cli/main", "stores/x", "models/y", "web/search"]
    paths = [tmp_path / "hydra_kg" / f"{name}.py" for name in modules]
    paths.append(tmp_path / "loaders" / "hydra_kg_loaders" / "__init__.py")
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    paths[0].write_text(
        "import hydra_kg.cli.main\n"
        "def f():\n    from hydra_kg.stores import x\n    from ..models import y\n"
        "    importlib.import_module('hydra_kg.web.search')\n    import hydra_kg_loaders\n    from .sibling import z\n"
    )
    names = {module_name(path): path for path in paths}
    assert used(paths[0], names) == {"cli", "stores", "models", "web", "loaders"}


def test_every_module_says_what_it_is_for():
    wrong = []
    for path in MODULES:
        text = path.read_text("utf-8")
        doc = read(path).docstring
        if not doc.split("\n", 1)[0].endswith((".", "…")):
            wrong.append(f"{relative(path)}: the first line of the docstring is one sentence")
        if text.count("\n") > 400 and "one room because" not in doc:
            wrong.append(f"{relative(path)}: over 400 lines: the docstring says 'one room because …'")
    assert wrong == []


def test_modules_are_small():
    sizes = [len(path.read_text("utf-8").splitlines()) for path in MODULES]
    assert statistics.median(size for size in sizes if size > 10) <= 150


def test_the_public_face_is_what_it_says():
    public = {
        name
        for name in dir(hydra_kg)
        if not name.startswith("_")
        and name not in {"annotations", "Any", "TYPE_CHECKING"}
        and not isinstance(getattr(hydra_kg, name), ModuleType)
    }
    assert hydra_kg.__all__ == sorted(hydra_kg.__all__)
    assert {name for name in hydra_kg.__all__ if not name.startswith("__")} == public


def test_help_loads_nothing_heavy():
    heavy = "duckdb faiss numpy onnxruntime tokenizers rich rdflib neo4j openai httpx pydantic pydantic_settings"
    heavy += " httpcore lxml tld"
    code = f"import sys, hydra_kg.cli.main; print(*set({heavy!r}.split()) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def tracked() -> list[Path]:
    """Files that git tracks or would track."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout: " + done.stderr.strip())
    return [path for name in sorted(set(done.stdout.split("\0"))) if name and (path := ROOT / name).is_file()]


def test_no_file_names_one_machine_or_a_registry():
    # In pieces, so that this file does not match itself.
    folders = "|".join(("wo" + "rk", "fa" + "rm", "ro" + "ot", "tmp" + "/w"))
    hosts = "|".join(("py" + "pi.org", "python" + "hosted.org", "registry." + "npmjs", "crates" + ".io"))
    private = re.compile(rf"(?<![\w.)\]}}>])/(?:{folders})/|{re.escape(hosts)}".replace(r"\|", "|").encode())
    found = [
        f"{relative(path)}:{number}: {line[:100]!r}"
        for path in tracked()
        if private.search(content := path.read_bytes())
        for number, line in enumerate(content.split(b"\n"), 1)
        if private.search(line)
    ]
    assert found == []


def test_no_file_is_large():
    assert [relative(path) for path in tracked() if path.stat().st_size > 3_000_000] == []


def test_every_dependency_is_pinned_within_its_bounds():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    versions = {pin.name.lower().replace("_", "-"): str(pin.specifier).removeprefix("==") for pin in pins}
    extras = PROJECT["optional-dependencies"]
    wanted = [Requirement(line) for line in (*PROJECT["dependencies"], *extras["eval"], *extras["test"])]
    outside = [
        str(one)
        for one in wanted
        if one.name != PROJECT["name"] and not one.specifier.contains(versions.get(one.name.lower(), "0"))
    ]
    assert outside == []
    assert "torch" not in versions


def test_every_entry_point_names_a_class_of_ours():
    assert set(GROUPS) == {"hydra_kg.loaders", "hydra_kg.strategies"}
    for target in (target for group in GROUPS.values() for target in group.values()):
        module, _, name = target.partition(":")
        inside = Path(*module.split(".")).with_suffix(".py")
        path = next(folder / inside for folder in (ROOT, ROOT / "loaders") if (folder / inside).is_file())
        assert name in read(path).classes, target


def test_every_query_and_migration_says_what_it_does():
    for folder, suffix in (("cypher", ".cypher"), ("migrations", ".cypher")):
        for path in sorted((ROOT / folder).glob(f"*{suffix}")):
            assert path.read_text("utf-8").startswith("//"), f"{relative(path)} has no header comment"
