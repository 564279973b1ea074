"""The last part of an IRI is a name if it is words; codes, files and hosts are none."""

from __future__ import annotations

import pytest

from hydra_kg_loaders.rdf.rdf_names import local_name


@pytest.mark.parametrize(
    "iri, name",
    [
        ("http://e.org/id/InesHolt", "Ines Holt"),
        ("http://e.org/vocab#BlastFurnace", "Blast Furnace"),
        ("http://e.org/id/north_dock", "north dock"),
        ("http://e.org/id/tarn-light", "tarn light"),
        ("http://e.org/id/crane7", "crane 7"),
        ("http://e.org/id/pier-3/", "pier-3"),
        ("http://dbpedia.org/resource/Jean-Paul_Sartre", "Jean-Paul Sartre"),
        ("http://dbpedia.org/resource/Paris_(Texas)", "Paris (Texas)"),
        ("http://e.org/id/S%C3%A6by", "Sæby"),
        ("http://e.org/HTTPServer", "HTTP Server"),
        ("urn:place:LowFen", "Low Fen"),
        ("ex:Fen", "Fen"),
        ("http://e.org#fen", "fen"),
        ("http://e.org/", ""),
        ("http://e.org", ""),
        ("http://e.org/id/12345", ""),
        ("http://e.org/id/B12", ""),
        ("http://e.org/id/f3a9c0d1e2", ""),
        ("http://e.org/id/1b4e28ba-2fa1-11d2-883f-0016d3cca427", ""),
        ("http://e.org/photo.jpg", ""),
        ("http://e.org/search?q=fen", ""),
        ("mailto:ines@e.org", ""),
        ("a text", ""),
        ("", ""),
    ],
)
def test_local_names(iri: str, name: str) -> None:
    assert local_name(iri) == name
