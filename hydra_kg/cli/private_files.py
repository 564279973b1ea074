"""Set file permissions of a command: only the user may read what it creates, except files written for others."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import click

_UMASK = "private_files.umask"
_OTHERS = 0o077


def make_files_private(context: click.Context) -> None:
    """Create files and folders of this command and its children without rights for others until the context closes."""
    before = os.umask(_OTHERS)
    os.umask(before | _OTHERS)
    context.meta[_UMASK] = before
    context.call_on_close(lambda: os.umask(before))


@contextmanager
def create_shared_files() -> Iterator[None]:
    """Create files with the rights of the user's umask, because others are meant to read them."""
    context = click.get_current_context(silent=True)
    private = os.umask(_OTHERS)
    os.umask(private if context is None else context.meta.get(_UMASK, private))
    try:
        yield
    finally:
        os.umask(private)
