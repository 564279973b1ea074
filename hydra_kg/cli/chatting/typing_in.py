"""Read lines as they are typed, with history and completion by prompt_toolkit, or from a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from prompt_toolkit.completion import Completer, Completion

from hydra_kg.cli.chatting.session import COMMANDS

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

Names = Callable[[str], list[str]]

LONGEST: Final = 1_000_000
"""Bytes of history above which its older half is dropped."""

_LETTERS: Final = 3
_WORDS: Final = 5
PROMPT: Final = "> "


class NameCompleter(Completer):
    """Completes commands, and elsewhere names, from the longest run of last words with which a name begins."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield replacements for what was typed last."""
        text = document.text_before_cursor
        if text.startswith("/"):
            yield from (Completion(c, -len(text), display_meta=COMMANDS[c]) for c in COMMANDS if c.startswith(text))
            return
        for begun in _endings(text):
            if found := self._names(begun):
                yield from (Completion(name, -len(begun)) for name in found)
                return


def read_typed_lines(history: Path | None, names: Names, *, warn: Callable[[str], None]) -> tuple[Iterator[str], bool]:
    """Return lines until the end of input, and whether a person types them.

    ``history``: the file that stores them.
    """
    if sys.stdin.isatty() and sys.stdout.isatty():
        return _read_typed(_session(history, names, warn)), True
    return iter(sys.stdin), False


def _session(history: Path | None, names: Names, warn: Callable[[str], None]) -> Any:
    """Return a prompt with history and completion of names."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    remembered: FileHistory | InMemoryHistory = InMemoryHistory()
    if history is not None:
        try:
            remembered = FileHistory(private_file(history))
        except OSError as e:
            warn(f"The history of questions cannot be saved: {e.strerror}: {history}")
    return PromptSession(
        history=remembered, completer=NameCompleter(names), complete_in_thread=True, complete_while_typing=False
    )


def _read_typed(session: Any) -> Iterator[str]:
    while True:
        try:
            yield session.prompt(PROMPT)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def private_file(path: Path) -> Path:
    """Return a file that only this user may read, created if needed. Raise OSError.

    If it is too long, only its newer half is kept.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(number, "r+b") as file:
        os.fchmod(number, 0o600)
        size = os.fstat(number).st_size
        if size > LONGEST:
            file.seek(size // 2)
            rest = file.read()
            rest = rest[max(rest.find(b"\n# "), 0) :]
            file.seek(0)
            file.write(rest)
            file.truncate()
    return path


def _endings(text: str) -> Iterator[str]:
    """Yield the last words of what was typed, longest first, except runs that are too short to begin a name."""
    words = text.split(" ")
    for i in range(max(len(words) - _WORDS, 0), len(words)):
        begun = " ".join(words[i:])
        if len(begun.strip()) >= _LETTERS and words[i]:
            yield begun
