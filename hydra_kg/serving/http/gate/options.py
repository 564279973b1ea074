"""The options of a service as one value that is passed to its worker processes."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, field
from typing import Any, Final

from hydra_kg.util.fast_dataclass import dataclass

VARIABLE: Final = "HYDRA_KG_SERVE"
"""The environment variable in which worker processes find the options."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options of a service.

    Attributes:
        store: the store for requests without a key, and for keys without a store of their own.
        keys: the file of keys.
        open_: whether requests need no key.
        hosts: names that the header Host may have, in addition to the address.
        settings: the settings that differ from their defaults.
        threads, queue: how many questions a worker answers at a time, and how many may wait.
        seconds, job_seconds: the longest time that a question or a job may take, waiting included.
        body: the largest size of a request, in bytes.
        upload: the largest size of an uploaded table, in bytes.
        inbox: the folder whose files an admin key may load.
        load_seconds: the longest time that a load may take.
        allow_loading: whether everybody may load if no keys are needed, which only this machine can reach.
        patience: seconds in which a request must have arrived, and in which a client must read a part of a reply.
        grace: seconds that running work gets to finish when the service ends.
        log_questions: whether logs contain the questions.
    """

    store: str = ""
    keys: str = ""
    open_: bool = True
    host: str = "127.0.0.1"
    port: int = 8000
    hosts: tuple[str, ...] = ()
    strategy: str = "hydra"
    agent: str = "offline"
    settings: dict[str, Any] = field(default_factory=dict)
    threads: int = 2
    queue: int = 16
    seconds: float = 60.0
    job_seconds: float = 600.0
    body: int = 65_536
    upload: int = 10_000_000
    inbox: str = ""
    load_seconds: float = 21_600.0
    allow_loading: bool = False
    patience: float = 10.0
    grace: int = 10
    log_questions: bool = False

    def into_environment(self) -> None:
        """Store the options in the environment for the workers that this process starts."""
        os.environ[VARIABLE] = json.dumps(asdict(self))

    @classmethod
    def from_environment(cls) -> ServeOptions:
        """Return the options that the parent process stored in the environment."""
        found = json.loads(os.environ[VARIABLE])
        return cls(**{**found, "hosts": tuple(found["hosts"])})
