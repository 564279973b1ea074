"""Adds to the documentation site what lies outside of docs/ or is made from the code: see mkdocs.yml."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT: Final = Path(__file__).resolve().parents[1]
OUTSIDE: Final = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Pages of the top folder, by the name that they have in the site."""
_LINK: Final = re.compile(r"\]\((?P<to>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the top folder, and those that are made from the code."""
    for name, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=_linked(ROOT / name, ROOT)))
    for page, text in (("commands.md", _commands()), ("all-settings.md", _settings()), ("api.md", _api())):
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:
    """Make links that lead out of docs/ lead to the site's copy, or leave their words."""
    file = page.file
    if file.generated_by:
        return markdown
    return _linked(Path(file.abs_src_path), ROOT / "docs", text=markdown)


def _linked(path: Path, base: Path, *, text: str = "") -> str:
    """Return a page whose links lead to pages of the site; files that are no page of it become code."""

    def link(match: re.Match[str]) -> str:
        target = (path.parent / match["to"]).resolve()
        if target.is_relative_to(ROOT / "docs"):
            here = path.parent if base == ROOT / "docs" else ROOT / "docs"
            up = "../" * len(here.relative_to(ROOT / "docs").parts)
            return f"]({up}{target.relative_to(ROOT / 'docs')}{match['anchor'] or ''})"
        if target.parent == ROOT and target.name in OUTSIDE:
            depth = len(path.parent.relative_to(ROOT / "docs").parts) if base != ROOT else 0
            return f"]({'../' * depth}{OUTSIDE[target.name]}{match['anchor'] or ''})"
        return f'](#){{title="{target.relative_to(ROOT)} in the repository"}}'

    return _LINK.sub(link, text or path.read_text("utf-8"))


def _commands() -> str:
    options = {"module": "hydra_kg.cli.main", "command": "main", "prog_name": "hydra-kg", "depth": "1"}
    body = "\n".join(["::: mkdocs-click", *(f"    :{name}: {value}" for name, value in options.items()), ""])
    return f"# Commands\n\nEvery command with its options, as `--help` prints them.\n\n{body}"


def _settings() -> str:
    from hydra_kg.settings import Settings
    from hydra_kg.settings.settings import descriptions

    default = Settings().by_name()
    rows = [f"| `{name}` | `{default[name]!s}` | {_cell(reason)} |" for name, reason in descriptions().items()]
    intro = "Every setting with its default and its reason; [how they are set](settings.md) is a page of its own."
    return "\n".join(
        ["# All settings", "", intro, "", "| setting | default | what it decides |", "|---|---|---|", *rows]
    )


def _api() -> str:
    from hydra_kg import _HOMES

    intro = "What `from hydra_kg import …` offers. These names stay until a major version."
    return f"# Python API\n\n{intro}\n\n" + "\n\n".join(f"::: {home}.{name}" for name, home in sorted(_HOMES.items()))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
