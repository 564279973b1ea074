"""The sample in both stores: the same ids, cuts, truncation, paths, provenance and answers."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import neo4j_stores
import numpy as np
import pytest

from hydra_kg import Settings
from hydra_kg.content import content
from hydra_kg.domain import Subgraph
from hydra_kg.evaluate.datasets import read_questions
from hydra_kg.ingest.load import load_files
from hydra_kg.ports import Snapshot, Store
from hydra_kg.reasoner import Reasoner
from hydra_kg.serialise import answer_json
from hydra_kg.stores.embedded.store import EmbeddedStore

pytestmark = pytest.mark.server

SAMPLE = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")
KEPT = 12  # topics of each kind that are compared
