"""Think-on-Graph 2: graph search and document retrieval in turns."""

from __future__ import annotations
