"""How a staged load is written to a server in chunks, resumed and removed."""
