"""Commands of ``hydra-kg db``: backup, copy, compact, doctor, and the local server."""
