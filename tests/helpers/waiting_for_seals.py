"""Wait for the checksums of SQLite files that a busy machine puts off."""

from __future__ import annotations

import threading


def wait_for_seals() -> None:
    """Wait until every write of this process is sealed.

    On a busy machine a timer seals a file some seconds after its write (``hydra_kg.util.sidecar_db.Sealing``). Until
    then a bit that turns where nothing is stored cannot be noticed, and a store must be neither copied nor moved.
    """
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()
