"""``python -m hydra_kg`` is ``hydra-kg``."""

from __future__ import annotations

from hydra_kg.cli.main import main

main(prog_name="hydra-kg")
