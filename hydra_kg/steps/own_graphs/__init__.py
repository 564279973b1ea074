"""The parts of a store that have a schema of their own, read into memory."""
