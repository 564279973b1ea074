"""The files of one load: arrays, adjacency, texts, details, with checksums."""
