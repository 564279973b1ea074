"""What a service is started with, as one value that goes to its worker processes."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from typing import Any, Final

VARIABLE: Final = "HYDRA_KG_SERVE"
"""The environment variable in which worker processes find it."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """``store``: what requests without a key ask, and keys without a store of their own · ``keys``: the file of keys ·
    ``open_``: whether requests need no key · ``hosts``: names that the header Host may have, beside the address ·
    ``settings``: those that are not as by default · ``threads``, ``queue``: questions that a worker answers at a time,
    and that wait · ``seconds``, ``job_seconds``: the longest that a question, a job may take, waiting included ·
    ``body``: bytes of a request · ``upload``: bytes of a table that is uploaded · ``inbox``: the folder whose files an
    admin key may load · ``load_seconds``: the longest that a load may take · ``patience``: seconds in which a request
    must have arrived, and in which a client must read something of a reply · ``grace``: seconds in which what is under
    way may end when the service does · ``log_questions``: whether logs have them.
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
    patience: float = 10.0
    grace: int = 10
    log_questions: bool = False

    def into_environment(self) -> None:
        """Leave it for the workers that this process starts."""
        os.environ[VARIABLE] = json.dumps(asdict(self))

    @classmethod
    def from_environment(cls) -> ServeOptions:
        """Return what the process that started this one left."""
        found = json.loads(os.environ[VARIABLE])
        return cls(**{**found, "hosts": tuple(found["hosts"])})
