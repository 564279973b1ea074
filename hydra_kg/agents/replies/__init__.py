"""What a language model writes: the schema of each reply, and lenient parsing of what is nearly one."""

from __future__ import annotations
