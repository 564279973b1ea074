"""The prompts of the agent's steps: files of chat turns with placeholders, any of which a user may replace.

A file has turns under the lines ``=== system``, ``=== user`` and ``=== assistant``. The instructions come first, then
worked examples as turns, and last the user's turn with the placeholders. So everything before the last turn is the same
for every question, and a server can cache it. Examples behind a line ``=== more`` are shown only if the setting
``agent.shots`` asks for so many. Text from sources is placed between ``<data-{{fence}}>`` and ``</data-{{fence}}>``,
each on a line of its own. A placeholder for such text anywhere else is refused.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, get_args

from hydra_kg.agents.prompting.escaping import code, quote
from hydra_kg.errors import SettingsError
from hydra_kg.ports import Composed
from hydra_kg.util.fast_dataclass import dataclass

Message = dict[str, str]

OPEN: Final = "<data-{{fence}}>"
CLOSE: Final = "</data-{{fence}}>"
_ASKED: Final = frozenset({"question"})
_SHOWN: Final = frozenset({"skyline", "parts"})
_PLACEHOLDER: Final = re.compile(r"\{\{([A-Za-z_]\w*)\}\}")
_TURN: Final = re.compile(r"^=== (system|user|assistant|more)[ \t]*$", re.MULTILINE)
_LONGEST: Final = 100_000  # characters of a file

STEPS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "topics": (_ASKED, frozenset()),
    "analyse": (_ASKED | {"kinds", "d_max"}, frozenset({"topics"})),
    "analyse_plan": (_ASKED | {"kinds", "d_max"}, frozenset({"topics"})),
    "select_sources": (_ASKED | {"kinds"}, _SHOWN),
    "select_pages": (_ASKED | {"most"}, _SHOWN | {"results"}),
    "write_paths": (_ASKED, _SHOWN | {"sentences"}),
    "summarise": (_ASKED, _SHOWN | {"paths"}),
    "select_paths": (_ASKED | {"most"}, _SHOWN | {"paths"}),
    "select_path": (_ASKED, _SHOWN | {"path"}),
    "refine": (_ASKED, _SHOWN | {"paths"}),
    "judge": (_ASKED, _SHOWN | {"paths", "refined"}),
    "judge_joined": (_ASKED, _SHOWN | {"paths"}),
    "judge_enough": (_ASKED, _SHOWN | {"paths", "refined"}),
    "follow_up": (_ASKED, _SHOWN | {"paths"}),
    "predict": (_ASKED | {"most"}, _SHOWN | {"paths"}),
    "answer": (_ASKED, _SHOWN | {"paths", "refined"}),
    "judge_clues": (_ASKED, _SHOWN | {"paths", "refined"}),
    "prune_topics": (_ASKED, frozenset({"options"})),
    "prune_relations": (_ASKED | {"most"}, frozenset({"options"})),
    "prune_entities": (_ASKED | {"most"}, frozenset({"options"})),
    "prune_chunks": (_ASKED | {"most"}, frozenset({"options"})),
    "read_statements": (_ASKED, frozenset({"subject", "relation", "sentences"})),
    "prune_authority": (_ASKED | {"most"}, frozenset({"options"})),
    "know": (_ASKED, frozenset()),
    "know_chain": (_ASKED, frozenset()),
    "extract_names": (_ASKED, frozenset({"sentences"})),
    "extract_triples": (_ASKED, frozenset({"sentences", "names"})),
    "extract_standard": (_ASKED, frozenset({"triples", "known"})),
    **{f"compose_{what}": (_ASKED, frozenset({"notes", "paths"})) for what in get_args(Composed)},
}
"""Placeholders of each prompt: first those of the question and the settings, then those of data."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt: the turns that are always the same, and the last turn with its placeholders.

    usual: how many of the examples in ``before`` are shown by default.
    """

    name: str
    before: tuple[tuple[str, str], ...]
    last: str
    usual: int = 0

    def messages(
        self, question: str, values: Mapping[str, str], data: Mapping[str, str], *, shots: int = 0
    ) -> list[Message]:
        """Return the chat for a question, without labels that have no content.

        data: blocks quoted by :func:`hydra_kg.agents.prompting.escaping.quote`. The boundary is derived from them.
        shots: number of examples, 0 for the default.
        """
        filled = {**values, **data, "question": quote(question, 600), "fence": code([*data.values(), question])}
        lines = _PLACEHOLDER.sub(lambda m: filled[m[1]], self.last).split("\n")
        text = "\n".join(line for line in lines if not (line.endswith(": -") and line[:-3].isalpha()))
        shown = self.before[: 1 + 2 * (shots or self.usual)]
        chat = [{"role": role, "content": content} for role, content in shown]
        return [*chat, {"role": "user", "content": text}]


def load_prompts(folder: Path | None = None) -> Mapping[str, Prompt]:
    """Return the prompts by name, from the files ``NAME.md`` in ``folder`` or else from the package.

    Raises SettingsError for unreadable, unknown or malformed files.
    """
    own = _own(folder) if folder is not None else {}
    return {n: parse(n, own[n]) if n in own else _packaged(n) for n in STEPS}


def checksum(prompts: Mapping[str, Prompt]) -> str:
    """Return twelve hex digits of a hash over all prompts, for the manifest of an answer."""
    turns = [(p.name, *(text for turn in p.before for text in turn), p.last) for _, p in sorted(prompts.items())]
    return hashlib.sha256(repr(turns).encode()).hexdigest()[:12]


@cache
def _packaged(name: str) -> Prompt:
    return parse(name, files("hydra_kg.agents.prompting").joinpath("prompts", f"{name}.md").read_text("utf-8"))


def _own(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise SettingsError(f"There is no folder {folder}.", remedy="--prompts names a folder with .md files.")
    found = {}
    for path in sorted(folder.glob("*.md")):
        if path.stem not in STEPS:
            raise SettingsError(f"No step uses the prompt {path.name}.", remedy=f"Prompts: {', '.join(STEPS)}.")
        try:
            found[path.stem] = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as e:
            raise SettingsError(f"{path} cannot be read: {e}", remedy="Prompts are text files in UTF-8.") from e
    return found


def parse(name: str, text: str) -> Prompt:
    """Return a prompt from the text of its file.

    Raises SettingsError for malformed text.
    """
    parts = _TURN.split(text.replace("\r\n", "\n"))
    turns = [(role, content.strip()) for role, content in zip(parts[1::2], parts[2::2], strict=True)]
    roles = [role for role, _ in turns]
    if parts[0].strip() or len(text) > _LONGEST or len(turns) < 2 or roles[0] != "system" or roles[-1] != "user":
        raise _wrong(name, "does not go from “=== system” to a last “=== user”")
    *before, (_, last) = [turn for turn in turns if turn[0] != "more"]
    usual = (roles.index("more") if "more" in roles else len(before)) // 2
    if roles.count("more") > 1 or ("more" in roles and roles[roles.index("more") - 1] not in {"system", "assistant"}):
        raise _wrong(name, "has “=== more” twice, or inside an example")
    if any(_PLACEHOLDER.search(content) for _, content in before):
        raise _wrong(name, "has a placeholder before its last turn")
    _check(name, last)
    return Prompt(name, tuple(before), last, usual)


def _check(name: str, last: str) -> None:
    asked, data = STEPS[name]
    inside = False
    found = set[str]()
    for line in last.splitlines():
        if line.strip() in {OPEN, CLOSE}:
            if inside is (line.strip() == OPEN):
                raise _wrong(name, "opens or closes its boundary twice")
            inside = not inside
            continue
        names = set(_PLACEHOLDER.findall(line))
        if unknown := sorted(names - asked - data):
            raise _wrong(name, f"has the unknown placeholder {', '.join(unknown)}")
        if outside := sorted(names & data if not inside else names - data):
            raise _wrong(name, f"has {', '.join(outside)} {'in' if inside else 'out'}side the boundary")
        found |= names
    if inside:
        raise _wrong(name, "does not close its boundary")
    if "question" not in found:
        raise _wrong(name, "does not ask {{question}}")


def _wrong(name: str, what: str) -> SettingsError:
    asked, data = (", ".join(sorted(names)) or "none" for names in STEPS[name])
    return SettingsError(
        f"The prompt {name}.md {what}.",
        remedy=f"Placeholders of the question: {asked}; of data, between {OPEN} and {CLOSE}: {data}.",
    )
