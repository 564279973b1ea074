"""Make the labels of common Wikidata properties that the loaders ship, for files that hold items alone.

    python bench/rdf/wikidata_properties.py [FILE.nt.gz]

FILE is N-Triples with rdfs:label of properties, by default ``wikidata.nt.gz`` of the data pack. Labels of Wikidata are
in the public domain (CC0). Properties that the file lacks come from the list below.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import ROOT, data

OUT: Final = ROOT / "loaders" / "hydra_kg_loaders" / "data" / "wikidata_properties.json.gz"
_LABEL: Final = re.compile(
    r'<http://www\.wikidata\.org/entity/(P\d+)> <http://www\.w3\.org/2000/01/rdf-schema#label> "(.*)"@en \.'
)
_MORE: Final = """
P18 image; P41 flag image; P59 constellation; P94 coat of arms image; P105 taxon rank; P109 signature; P141 IUCN
conservation status; P143 imported from Wikimedia project; P154 logo image; P171 parent taxon; P196 minor planet
group; P212 ISBN-13; P213 ISNI; P214 VIAF ID; P215 spectral class; P218 ISO 639-1 code; P225 taxon name; P227 GND ID;
P231 CAS Registry Number; P233 canonical SMILES; P235 InChIKey; P236 ISSN; P238 IATA airport code; P239 ICAO airport
code; P242 locator map image; P243 OCLC control number; P244 Library of Congress authority ID; P248 stated in; P249
ticker symbol; P268 Bibliothèque nationale de France ID; P274 chemical formula; P281 postal code; P297 ISO 3166-1
alpha-2 code; P298 ISO 3166-1 alpha-3 code; P300 ISO 3166-2 code; P304 page(s); P345 IMDb ID; P348 software version
identifier; P351 Entrez Gene ID; P352 UniProt protein ID; P353 HGNC gene symbol; P356 DOI; P373 Commons category; P376
located on astronomical body; P397 parent astronomical body; P398 child astronomical body; P402 OpenStreetMap relation
ID; P408 software engine; P433 issue; P434 MusicBrainz artist ID; P443 pronunciation audio; P453 character role; P459
determination method; P473 local dialing code; P474 country calling code; P478 volume; P486 MeSH descriptor ID; P490
provisional designation; P492 OMIM ID; P496 ORCID iD; P498 ISO 4217 code; P516 powered by; P518 applies to part; P528
catalog code; P560 direction; P606 first flight; P619 UTC date of spacecraft launch; P620 time of spacecraft landing;
P625 coordinate location; P646 Freebase ID; P648 Open Library ID; P662 PubChem CID; P729 service entry; P730 service
retirement; P746 date of disappearance; P805 statement is subject of; P813 retrieved; P854 reference URL; P856
official website; P881 type of variable star; P935 Commons gallery; P946 ISIN; P953 full work available at URL; P957
ISBN-10; P972 catalog; P973 described at URL; P1000 record held; P1011 excluding; P1012 including; P1013 criterion
used; P1036 Dewey Decimal Classification; P1039 kinship to subject; P1072 readable file format; P1073 writable file
format; P1080 from narrative universe; P1086 atomic number; P1087 Elo rating; P1090 redshift; P1098 number of
speakers; P1107 proportion; P1191 date of first performance; P1215 apparent magnitude; P1249 time of earliest written
record; P1264 valid in period; P1278 Legal Entity Identifier; P1317 floruit; P1326 latest date; P1448 official name;
P1449 nickname; P1457 absolute magnitude; P1476 title; P1477 birth name; P1480 sourcing circumstances; P1534 end
cause; P1545 series ordinal; P1559 name in native language; P1560 given name version for other gender; P1566 GeoNames
ID; P1598 consecrator; P1619 date of official opening; P1686 for work; P1705 native label; P1716 brand; P1733 Steam
application ID; P1810 subject named as; P1813 short name; P1843 taxon common name; P1932 object named as; P2002 X
(Twitter) username; P2003 Instagram username; P2012 cuisine; P2013 Facebook username; P2052 speed; P2054 density;
P2060 luminosity; P2076 temperature; P2093 author name string; P2101 melting point; P2102 boiling point; P2146 orbital
period; P2147 rotation period; P2233 semi-major axis; P2241 reason for deprecated rank; P2293 genetic association;
P2384 statement describes; P2386 diameter; P2397 YouTube channel ID; P2583 distance from Earth; P2671 Google Knowledge
Graph ID; P3448 stepparent; P3701 incarnation of; P3716 social classification; P3828 wears; P3831 object has role;
P3999 date of official closure; P4584 first appearance; P4647 location of first performance; P4656 Wikimedia import
URL; P4884 court; P5021 assessment; P5800 narrative role; P6216 copyright status; P6782 ROR ID; P7015 surface gravity;
P7452 reason for preferred rank; P7888 merged into; P7937 form of creative work
"""


def build(file: Path) -> dict[str, str]:
    """Return the label of each property, by number."""
    pairs = (one.strip().partition(" ") for one in " ".join(_MORE.split()).split(";"))
    labels = {key: label for key, _, label in pairs}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        labels |= {match[1]: match[2] for line in lines if (match := _LABEL.match(line)) is not None}
    return dict(sorted(labels.items(), key=lambda pair: int(pair[0][1:])))


def main() -> None:
    """See the module."""
    labels = build(Path(sys.argv[1]) if len(sys.argv) > 1 else data() / "wikidata.nt.gz")
    OUT.write_bytes(gzip.compress(json.dumps(labels, ensure_ascii=False).encode(), mtime=0))
    print(f"{len(labels)} labels, {OUT.stat().st_size:,} bytes: {OUT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
