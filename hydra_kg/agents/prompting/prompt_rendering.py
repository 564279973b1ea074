"""Render analyses and paths for a prompt: quoted, numbered, and within the limits that the settings set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from hydra_kg.agents.prompting.escaping import numbered, quote
from hydra_kg.domain import Analysis, Evidence
from hydra_kg.settings import Settings
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass

T = TypeVar("T")

_LINK: Final = re.compile(r"( → | — |; )")
_SET: Final = re.compile(r"\{([^{}]*)\}")
_NAME: Final = 80
"""Characters of a name in a path that is too long. A longer name loses its end."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on how much a prompt shows of what was found; 0 is no limit.

    characters: characters of everything that one prompt lists.
    choice: the same for prompts in which paths are only chosen.
    paths, options, sentences: number of items.
    """

    characters: int
    choice: int
    paths: int
    options: int
    sentences: int
    parts: int = 4

    def line(self, most: int) -> int:
        """Return the limit in characters for one line: ``most``, or 0 (no limit) if the prompt has no limit."""
        return most if self.characters else 0

    def plan(self, analysis: Analysis) -> Mapping[str, str]:
        """Return the analysis as data for a prompt, since it may repeat names from the store."""
        parts = [quote(q, self.line(160)) for q in self.parts_of(analysis)]
        return {"skyline": quote(analysis.skyline, self.line(320)) or "-", "parts": " ".join(parts) or "-"}

    def parts_of(self, analysis: Analysis) -> Sequence[str]:
        """Return the sub-questions that a prompt shows, without the question itself."""
        own = [q for q in analysis.sub_questions if fold(q) != fold(analysis.question)]
        return first(own, self.parts if self.characters else 0)

    def paths_of(self, evidence: Sequence[Evidence], *, choosing: bool = False) -> str:
        """Return the first paths that fit, numbered.

        A long path shows fewer names of its sets. Names and relations are not cut.
        """
        shown = first(evidence, self.paths)
        budget, most = (self.choice, 200) if choosing else (self.characters, 400)
        if not shown or not budget:
            return numbered([line_of(e) for e in shown], budget=0, most=0)
        share = max(60, min(most, budget // len(shown)))
        lines = [shortened(line_of(e), share) if e.path.hops else quote(line_of(e), share) for e in shown]
        fitting, left = list[str](), max(budget, share * len(shown))
        for line in lines:
            left -= len(line)
            if fitting and left < 0:
                break
            fitting.append(line)
        return numbered(fitting, budget=0, most=0)

    def evidence(self, analysis: Analysis, evidence: Sequence[Evidence], refined: str | None = None) -> dict[str, str]:
        """Return the analysis and the paths as data for a prompt.

        refined: the model's earlier summary of the paths, which is added.
        """
        said = {} if refined is None else {"refined": quote(refined, self.line(400)) or "-"}
        return {**self.plan(analysis), "paths": self.paths_of(evidence), **said}

    def listed(self, lines: Sequence[str], *, most: int, times: int = 1) -> str:
        """Return numbered lines of at most ``most`` characters each.

        times: how many times the characters of a prompt all lines together may have.
        """
        return numbered(lines, budget=times * self.characters, most=self.line(most))

    def options_of(self, options: Sequence[str], *, times: int = 1) -> list[str]:
        """Return the first options that fit into ``times`` the characters of a prompt, each uncut."""
        shown, left = list[str](), times * self.characters
        for text in first(options, self.options):
            left -= len(text)
            if self.characters and shown and left < 0:
                break
            shown.append(text)
        return shown


def limits_of(settings: Settings) -> Limits:
    """Return the limits that the settings set."""
    own = settings.agent
    return Limits(own.prompt_chars, own.choice_chars, own.prompt_paths, own.options, own.excerpts)


def first(items: Sequence[T], most: int) -> Sequence[T]:
    """Return the first ``most`` items, or all if ``most`` is 0."""
    return items[:most] if most else items


def line_of(evidence: Evidence) -> str:
    """Return a path as a prompt shows it, before it is quoted."""
    return evidence.line or evidence.path.text


def shortened(line: str, most: int) -> str:
    """Return a path shortened to about ``most`` characters.

    First its sets are reduced to one name each, then whole hops are removed from the middle of the path. Names of up to
    80 characters and relations are never cut.
    """
    line = quote(line, 0)
    if len(line) <= most:
        return line
    line = _SET.sub(lambda m: f"{{{m[1].split(', ')[0]}{', …' if ', ' in m[1] else ''}}}", line)
    parts = _LINK.split(line)
    if len(line) > most:
        chain = 0
        for at in range(0, len(parts), 2):
            chain = 0 if at and parts[at - 1] == "; " else chain
            if chain % 2 == 0 and len(parts[at]) > _NAME:
                parts[at] = f"{parts[at][:_NAME].rpartition(' ')[0] or parts[at][:_NAME]}…}}"
            chain += 1
    while len("".join(parts)) > most and len(parts) > 9:  # a hop is a relation and a name, each with its arrow
        middle = len(parts) // 8 * 4
        parts[middle : middle + 5] = ["…"]
    return "".join(parts)
