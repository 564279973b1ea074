"""Define every error that hydra-kg raises on purpose, drawn as a tree; each class says when you would catch it.

HydraError
├── UserError                 you can fix this: the message says how (exit status 2 for usage, 1 otherwise)
│   ├── UsageError            an option or argument is wrong
│   ├── SettingsError         a setting is unknown, out of range, or its file is unreadable
│   ├── NotFoundError         an id, source, exploration or file that does not exist
│   │   ├── AlreadyDoneError  what was to be dropped, flipped or discarded was so before (exit status 0)
│   │   └── NoStoreError      there is no store, or no file of one, at an address
│   ├── FormatError           a file whose format cannot be recognised or read
│   ├── MissingPackageError   a file needs an extra of hydra-kg that is not installed
│   └── TooMuchWorkError      a question would look at more facts than one question may
├── StoreError                the store could not do it
│   ├── StoreCorruptError     a file of the store is truncated, of another version, or fails its checksum
│   ├── StoreBusyError        another process loads the same source
│   ├── LoadedAlreadyError    a load of that name is in use or waits to be flipped
│   └── DiskFullError         not enough space for what was asked
├── LoadError                 a load stopped; nothing of it is visible
│   ├── RejectedLinesError    --strict, and at least one line was rejected
│   └── PartialLoadError      some of several files could not be loaded; the others were
├── ModelError                a language model or embedder failed, or its weights are not what they should be
├── StoppedError              the caller stopped the question
├── BudgetError               the next step would spend more than was allowed
└── NetworkError              a fetch or search failed, or the network is forbidden
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class HydraError(Exception):
    """Base of all errors of this package. Catch it to keep a program running, whatever error hydra-kg raises.

    ``remedy`` is one sentence that says what to do; it is part of the message shown to people.
    """

    exit_code = 1

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message.encode("utf-8", "replace").decode())  # half a character could not be printed
        self.remedy = remedy

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text}\n{self.remedy}" if self.remedy else text


class UserError(HydraError):
    """Catch it to show the message and let the person correct the call."""


class UsageError(UserError):
    """Catch it like click's own usage errors: an argument of the call is wrong."""

    exit_code = 2


class SettingsError(UserError):
    """Catch it around start-up: a setting, its file or its environment variable is wrong."""

    exit_code = 2


class NotFoundError(UserError):
    """Catch it when a name given by a person may not exist."""


class AlreadyDoneError(NotFoundError):
    """Catch it to go on: the same command did its work before, for example when it was killed before it could say so.

    ``name`` is the load or source that it was about.
    """

    exit_code = 0

    def __init__(self, message: str, *, name: str, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.name = name


class NoStoreError(NotFoundError):
    """Catch it when an address may have no store. Its message names the address, which other users should not see."""


class FormatError(UserError):
    """Catch it when loading files of unknown origin."""


class MissingPackageError(UserError):
    """Catch it to install what the remedy names."""


class TooMuchWorkError(UserError):
    """Catch it to ask something narrower: the question was ended because it looked at too many facts."""

    def __init__(self) -> None:
        super().__init__(
            "The question was ended because it looked at too many facts. Name the relation or the things that you mean."
        )


class StoreError(HydraError):
    """Catch it around any store call: the store failed, and its data are unchanged."""


class StoreCorruptError(StoreError):
    """Catch it to offer a repair: a file of the store is not what was written."""


class StoreBusyError(StoreError):
    """Catch it to wait: another process uses the source."""


class LoadedAlreadyError(StoreError):
    """Catch it to replace the load of that name, or to leave it as it is."""


class DiskFullError(StoreError):
    """Catch it to free space and run the same command again."""


class LoadError(HydraError):
    """Catch it around a load: it stopped, and nothing of it is visible to readers."""


class RejectedLinesError(LoadError):
    """Catch it with ``strict=True``: the rejects file names the lines."""


class PartialLoadError(LoadError):
    """Catch it to continue with what was loaded.

    ``report`` is the LoadReport of the other loads. ``failed`` has name and error of each file or source that was not
    loaded.
    """

    def __init__(self, report: Any, failed: Sequence[tuple[str, HydraError]]) -> None:
        lines = [f"  {name}: {' '.join(str(error).split())}" for name, error in failed]
        super().__init__(
            "\n".join(["Not loaded:", *lines]),
            remedy="Everything else was loaded. Correct these and load them again; a folder needs --replace."
            if report.loads
            else "Nothing was loaded. Correct these and load them again.",
        )
        self.report, self.failed = report, tuple(failed)


class ModelError(HydraError):
    """Catch it around anything that calls a model."""


class StoppedError(HydraError):
    """Catch it if you stop questions: its Cancellation or its deadline stopped this one."""


class BudgetError(HydraError):
    """Catch it to answer with the best so far."""


class NetworkError(HydraError):
    """Catch it around web search and page fetches."""
