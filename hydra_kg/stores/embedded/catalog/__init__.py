"""Which loads a store holds: catalog, generations, locks, same-as classes."""

from __future__ import annotations
