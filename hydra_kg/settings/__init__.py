"""All settings of a question: frozen groups of fields, each with its default and what it does."""

from __future__ import annotations

from hydra_kg.settings.folders import get_default_store, user_file
from hydra_kg.settings.loading import load_settings
from hydra_kg.settings.search import KINDS
from hydra_kg.settings.services import Prices, ReaderSettings
from hydra_kg.settings.settings import Settings

__all__ = ["KINDS", "Prices", "ReaderSettings", "Settings", "get_default_store", "load_settings", "user_file"]
