"""Tables of the world that freebase_dump.py writes down: kinds of nodes, links between them, words, literals.

Names of types and properties, and which property is the reverse of which, are Freebase's own; everything that
they connect is invented.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

NS = b"<http://rdf.freebase.com/ns/"
XSD = b"<http://www.w3.org/2001/XMLSchema#"
RDF_TYPE = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
RDFS_LABEL = b"<http://www.w3.org/2000/01/rdf-schema#label>"
METADATA = ("common.notable_for.", "common.topic.notable_for", "type.type.")  # no facts about the world
SUBJECT, NAME, KEY = b"\x00", b"\x01", b"\x02"  # placeholders: no line of the dump holds these bytes


def term(predicate: str) -> bytes:
    """The IRI of a predicate: ``rdf:type``, ``rdfs:label``, ``key/wikipedia.en`` or a Freebase path."""
    if predicate.startswith("key/"):
        return b"<http://rdf.freebase.com/" + predicate.encode() + b">"
    return {"rdf:type": RDF_TYPE, "rdfs:label": RDFS_LABEL}.get(predicate, NS + predicate.encode() + b">")


def line(predicate: str, value: bytes, subject: bytes = SUBJECT) -> bytes:
    """One line of the dump; the subject stays a placeholder until its node is written."""
    return NS + subject + b">\t" + term(predicate) + b"\t" + value + b"\t.\n"


@dataclass(frozen=True)
class Text:
    """Lines of one node with placeholders, and what they count for."""

    lines: bytes = b""
    predicates: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Text) -> Text:
        return Text(self.lines + other.lines, self.predicates + other.predicates, self.languages + other.languages)


def text(predicate: str, value: bytes) -> Text:
    """A ``Text`` of one line."""
    tag = re.search(rb'"@([A-Za-z-]+)$', value)
    language = Counter({tag[1].decode(): 1} if tag else {})
    return Text(line(predicate, value), Counter({predicate: 1}), language)


def texts(pairs: Iterable[tuple[str, bytes]]) -> Text:
    """A ``Text`` of several lines."""
    return sum((text(predicate, value) for predicate, value in pairs), Text())


# Languages of a name: how often (per cent), and what stands around it.
_PLAIN = {tag: b'"\x01"@' + tag.encode() for tag in ("en", "de", "fr", "es", "it", "nl", "pl", "pt", "sv")}
_SCRIPTS = {
    "ru": '"\x01 (имя)"@ru'.encode(),
    "ja": '"\x01・名"@ja'.encode(),
    "zh": '"\x01（名）"@zh'.encode(),
    "ar": '"\x01 اسم"@ar'.encode(),
    "en-GB": b'"\x01"@en-GB',
}
_FORMS = _PLAIN | _SCRIPTS
NAME_VARIANTS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (45, ("en",)),
    (20, ("en", "de")),
    (15, ("en", "de", "fr")),
    (8, ("en", "en-GB")),
    (12, ("en", "de", "fr", "es", "it", "nl", "ru", "ja", "zh", "ar")),
)


def name_lines(languages: Sequence[str]) -> Text:
    """A name in some languages: each as ``type.object.name`` and again as ``rdfs:label``, as the dump has it."""
    both = [(predicate, _FORMS[tag]) for predicate in ("type.object.name", "rdfs:label") for tag in languages]
    return texts(both)


def type_lines(types: Sequence[str]) -> Text:
    """The types of a node: each as ``type.object.type`` and again as ``rdf:type``."""
    return texts((predicate, NS + of.encode() + b">") for predicate in ("type.object.type", "rdf:type") for of in types)


def key_text(name: str) -> str:
    """A name as a key: spaces are underscores, everything else odd is ``$`` and four hexadecimal digits."""
    return "".join(
        c if re.fullmatch(r"[A-Za-z0-9_-]", c) else "_" if c == " " else f"${ord(c):04X}"
        for c in name.replace('\\"', '"')
    )


@dataclass(frozen=True)
class Kind:
    """A kind of node.

    ``share`` and ``fixed`` give its number, ``share`` × units + ``fixed``. ``types`` are common to all, ``roles``
    are further types that every second, third … node has. ``heads`` and ``tails`` make its names (none: a mediator).
    ``values`` are literals: probability, predicate, forms.
    """

    name: str
    share: float
    fixed: int
    types: tuple[str, ...]
    roles: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    values: tuple[tuple[float, str, tuple[bytes, ...]], ...] = ()
    key_share: float = 0.0
    text_share: float = 0.0  # of nodes with an alias, and of nodes with a description
    key_suffix: str = ""
    prefix: bytes = b"m.0"

    @property
    def mediator(self) -> bool:
        """Whether its nodes join others and have no name."""
        return not self.heads

    def count(self, units: int) -> int:
        """How many nodes there are of it."""
        return round(self.share * units) + self.fixed


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FIRST = _words(
    "Ada Ahmed Aiko Ana André Anna Björn Boris Carla Chen Chloé Clara Daniel Diego Dmitri Elena Emil Emma Eva Fatima "
    "Felix Fiona Gábor Giulia Hana Hugo Ines Ivan Jana José Julia Karl Keiko Lars Laura Léa Leo Lina Luis Maja Marco "
    "Maria Mateo Mei Mia Milan Mona Nadia Nils Nina Noah Olga Oscar Paula Pedro Petra Rafael Rosa Sami Sara Sofia "
    "Søren Tara Thomas Tomás Uma Vera Viktor Wanda Yusuf Zoë"
)
_STEMS = _words(
    "Ander Berg Bran Carl Dahl Eben Fair Gold Hal Harr Holm Iver Jans Kell Lind Mar Mill Nor Ost Pal Quin Rask Rich "
    "Sand Silver Sten Stone Thorn Under Vall Wald West Wind York Zell"
)
_LAST = tuple(f" {stem}{end}" for stem in _STEMS for end in _words("son er berg ström feld ini ov ez field wood"))
_FAMILIES = tuple(last.strip() for last in _LAST)
_PLACES = tuple(
    f"{stem}{end}" for stem in _STEMS for end in _words("ton ville burg stad mouth bridge ford haven dorf ham")
)
_ADJECTIVES = tuple(
    f"{article}{word} "
    for article in ("The ", "", "A ")
    for word in _words("Silent Red Last Broken Golden Lost Long Bright Hidden Cold Second Wild Empty Blue Early")
)
_NOUNS = _words(
    "River City Winter Garden Letter Road Mountain Dream Island Night Mirror Summer Stranger Bridge Song Harbour "
    "Promise Window Storm Journey"
)
_FIELDS = _words("Physics Drama History Jazz Opera Chemistry Comedy Poetry Surgery Football Law Design")
_DATES = tuple(
    b'"%d-%02d-%02d"^^%bdate>' % (year, month, day, XSD)
    for year in range(1860, 2015)
    for month in range(1, 13)
    for day in (1, 4, 9, 13, 17, 22, 28)
)
_YEARS = tuple(b'"%d"^^%bgYear>' % (year, XSD) for year in range(1900, 2015))
_METRES = tuple(b'"1.%d"' % cm for cm in range(50, 100))
_AREAS = tuple(b'"%d.%d"' % (area, area % 10) for area in range(3, 9000, 7))
_TIMES = tuple(b'"%d.%d"' % (seconds, seconds % 7) for seconds in range(60, 600))
_COUNTS = tuple(b'"%d"' % count for count in range(1, 3000, 3))
_BOOLEANS = (b'"true"', b'"false"')
_TITLES = ('The \\"Great\\" ', *_ADJECTIVES)  # one name in 46 has quotes to unescape

_NAMED = (
    Kind(
        "person",
        1.0,
        20,
        ("people.person", "common.topic"),
        roles=("film.actor", "award.award_winner", "people.deceased_person"),
        heads=_FIRST,
        tails=_LAST,
        key_share=0.5,
        text_share=0.35,
        values=((0.7, "people.person.date_of_birth", _DATES), (0.3, "people.person.height_meters", _METRES)),
    ),
    Kind(
        "film",
        0.15,
        20,
        ("film.film", "common.topic"),
        roles=("tv.tv_program",),
        heads=_TITLES,
        tails=_NOUNS,
        key_share=0.7,
        text_share=0.4,
        key_suffix=" (film)",
        values=(
            (0.9, "film.film.initial_release_date", _YEARS),
            (0.2, "tv.tv_program.currently_in_production", _BOOLEANS),
        ),
    ),
    Kind(
        "place",
        0.3,
        20,
        ("location.location", "common.topic"),
        roles=("location.citytown",),
        heads=("", "New ", "North ", "Saint "),
        tails=_PLACES,
        key_share=0.8,
        text_share=0.3,
        key_suffix=", Freedonia",
        values=((0.5, "location.location.area", _AREAS), (0.2, "location.dated_location.date_founded", _YEARS)),
    ),
    Kind(
        "organization",
        0.25,
        10,
        ("organization.organization", "common.topic"),
        roles=("business.employer",),
        heads=_FAMILIES,
        tails=(" & Sons", " Industries", " Group", " Systems", " GmbH", " S.A."),
        key_share=0.4,
        text_share=0.3,
        values=((0.6, "organization.organization.date_founded", _YEARS),),
    ),
    Kind(
        "band",
        0.12,
        10,
        ("music.artist", "common.topic"),
        roles=("music.musical_group",),
        heads=_ADJECTIVES,
        tails=tuple(f"{noun}s" for noun in _NOUNS),
        key_share=0.6,
        text_share=0.4,
        key_suffix=" (band)",
        values=((0.5, "music.artist.active_start", _YEARS),),
    ),
    Kind(
        "team",
        0.05,
        10,
        ("sports.sports_team", "common.topic"),
        heads=_PLACES,
        tails=(" United", " F.C.", " Rovers", " Bears"),
        key_share=0.8,
        text_share=0.3,
        values=((0.6, "sports.sports_team.founded", _YEARS),),
    ),
    Kind(
        "university",
        0.03,
        10,
        ("education.educational_institution", "common.topic"),
        roles=("education.university",),
        heads=("University of ", "College of ", "Institute of "),
        tails=_PLACES,
        key_share=0.9,
        text_share=0.5,
        values=((0.4, "education.university.number_of_undergraduates", _COUNTS),),
    ),
    Kind(
        "award",
        0.01,
        10,
        ("award.award_category", "common.topic"),
        heads=_FAMILIES,
        tails=tuple(f" Prize for {of}" for of in _FIELDS),
        key_share=0.6,
        text_share=0.3,
        values=((0.6, "award.award_category.date_established", _YEARS),),
    ),
    Kind(
        "recording",
        1.4,
        20,
        ("music.recording", "common.topic"),
        heads=_TITLES,
        tails=_NOUNS,
        values=((0.8, "music.recording.length", _TIMES),),
    ),
    Kind(
        "country",
        0.0,
        180,
        ("location.country", "common.topic"),
        roles=("location.location",),
        heads=("", "Upper ", "Lower ", "East "),
        tails=tuple(f"{stem}land" for stem in _STEMS),
        key_share=1.0,
        text_share=0.9,
        values=((1.0, "location.country.calling_code", _COUNTS),),
    ),
    Kind(
        "concept",
        0.0005,
        300,
        ("common.topic",),
        roles=("people.profession", "film.film_genre", "music.genre"),
        heads=_ADJECTIVES,
        tails=tuple(of.lower() for of in _FIELDS),
        key_share=0.3,
        text_share=0.5,
    ),
)
_MEDIATORS = (  # about a fifth of all nodes
    Kind("performance", 0.35, 0, ("film.performance",)),
    Kind("education", 0.12, 0, ("education.education",), values=((0.3, "education.education.end_date", _YEARS),)),
    Kind(
        "roster",
        0.12,
        0,
        ("sports.sports_team_roster",),
        values=(
            (0.5, "sports.sports_team_roster.from", _YEARS),
            (0.3, "sports.sports_team_roster.number", _COUNTS[:33]),
        ),
    ),
    Kind("honor", 0.1, 0, ("award.award_honor",), values=((0.8, "award.award_honor.year", _YEARS),)),
    Kind(
        "marriage",
        0.07,
        0,
        ("people.marriage",),
        values=((0.5, "people.marriage.from", _DATES), (0.1, "people.marriage.to", _YEARS)),
    ),
    Kind(
        "office",
        0.06,
        0,
        ("government.government_position_held",),
        values=((0.6, "government.government_position_held.from", _DATES),),
    ),
    Kind("notable", 0.2, 0, ("common.notable_for",), prefix=b"g.12"),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in (*_NAMED, *_MEDIATORS)}

_OCCUPATIONS = (
    {"en": "Film actor", "de": "Filmschauspieler", "fr": "Acteur", "es": "Actor", "ru": "Актёр", "ja": "俳優"},
    {"en": "Politician", "de": "Politiker", "fr": "Politicien", "it": "Politico", "pl": "Polityk", "nl": "Politicus"},
    {
        "en": "Football player",
        "de": "Fußballspieler",
        "fr": "Footballeur",
        "pt": "Futebolista",
        "sv": "Fotbollsspelare",
        "zh": "足球运动员",
    },
)
NOTABLE_TEXTS = tuple(
    texts(
        [("common.notable_for.predicate", b'"/type/object/type"')]
        + [("common.notable_for.display_name", f'"{value}"@{tag}'.encode()) for tag, value in names.items()]
    )
    for names in _OCCUPATIONS
)
DESCRIPTIONS = tuple(
    text("common.topic.description", value.encode())
    for value in (
        '"\x01 is known for work that began early and is still going on."@en',
        '"\x01 first became known in the north of the country.\\nLater years brought recognition abroad, several '
        'prizes and a long quarrel with the press about what had \\"really\\" happened."@en',
        '"Über \x01 ist wenig bekannt; die meisten Quellen nennen nur Ort und Jahr."@de',
        '"\x01 est mentionné dans plusieurs ouvrages, avec des dates qui ne concordent pas toujours."@fr',
        '"\x01: see also the list of all others of the same kind. ' + "Nothing more is recorded here. " * 6 + '"@en',
    )
)
ALIASES = tuple(
    text("common.topic.alias", value.encode())
    for value in ('"\x01 the Elder"@en', '"\x01 II"@en', '"\x01 (1)"@de', '"Old \x01"@en')
)
KEYS = texts(
    [
        ("type.object.key", b'"/wikipedia/en/\x01"'),
        ("type.object.key", b'"/wikipedia/en_id/\x02"'),
        ("key/wikipedia.en", b'"\x01"'),
        ("key/wikipedia.en_id", b'"\x02"'),
        ("common.topic.topic_equivalent_webpage", b"<http://en.wikipedia.org/wiki/index.html?curid=\x02>"),
    ]
)


@dataclass(frozen=True)
class Link:
    """A property between two kinds, with its reverse where Freebase declares one.

    ``each`` facts per source on average, spread evenly; the targets' degrees follow a power law, steeper for a
    higher ``power`` (1 flat, 2 or 4): target ``n·(x/E)^power`` for slot x of E, so that degree falls with rank as
    rank^(1/power - 1). Slots of sources and targets are matched by an invertible permutation, so the facts of any
    node, in either direction, follow from arithmetic alone, without a list of edges in memory.
    """

    forward: str
    reverse: str | None
    source: str
    target: str
    each: float
    power: int


LINKS: tuple[Link, ...] = (
    Link("people.person.place_of_birth", "location.location.people_born_here", "person", "place", 0.8, 4),
    Link("people.person.nationality", None, "person", "country", 0.9, 2),
    Link("people.person.profession", "people.profession.people_with_this_profession", "person", "concept", 1.4, 2),
    Link("people.person.parents", "people.person.children", "person", "person", 0.3, 2),
    Link("influence.influence_node.influenced_by", "influence.influence_node.influenced", "person", "person", 0.2, 4),
    Link("film.film.directed_by", "film.director.film", "film", "person", 1.0, 4),
    Link("film.film.produced_by", "film.producer.film", "film", "person", 0.6, 4),
    Link("film.film.genre", "film.film_genre.films_in_this_genre", "film", "concept", 2.2, 2),
    Link("film.film.country", None, "film", "country", 1.0, 4),
    Link("film.film.production_companies", "film.production_company.films", "film", "organization", 0.7, 4),
    Link("location.location.containedby", "location.location.contains", "place", "country", 1.0, 2),
    Link("location.location.containedby", "location.location.contains", "place", "place", 0.8, 4),
    Link(
        "organization.organization.founders",
        "organization.organization_founder.organizations_founded",
        "organization",
        "person",
        0.5,
        2,
    ),
    Link("location.location.containedby", "location.location.contains", "university", "place", 1.0, 2),
    Link("sports.sports_team.location", "sports.sports_team_location.teams", "team", "place", 1.0, 2),
    Link("music.artist.genre", "music.genre.artists", "band", "concept", 2.0, 2),
    Link("music.artist.origin", None, "band", "place", 0.8, 4),
    Link("music.recording.artist", "music.artist.track", "recording", "band", 1.0, 4),
    Link("film.performance.actor", "film.actor.film", "performance", "person", 1.0, 4),
    Link("film.performance.film", "film.film.starring", "performance", "film", 1.0, 2),
    Link("education.education.student", "people.person.education", "education", "person", 1.0, 2),
    Link(
        "education.education.institution",
        "education.educational_institution.students_graduates",
        "education",
        "university",
        1.0,
        4,
    ),
    Link(
        "education.education.degree",
        "education.educational_degree.people_with_this_degree",
        "education",
        "concept",
        0.5,
        4,
    ),
    Link(
        "education.education.major_field_of_study",
        "education.field_of_study.students_majoring",
        "education",
        "concept",
        0.4,
        2,
    ),
    Link("sports.sports_team_roster.player", "sports.pro_athlete.teams", "roster", "person", 1.0, 2),
    Link("sports.sports_team_roster.team", "sports.sports_team.roster", "roster", "team", 1.0, 2),
    Link("sports.sports_team_roster.position", "sports.sports_position.players", "roster", "concept", 0.8, 4),
    Link("award.award_honor.award_winner", "award.award_winner.awards_won", "honor", "person", 1.0, 4),
    Link("award.award_honor.award", "award.award_category.winners", "honor", "award", 1.0, 2),
    Link("award.award_honor.honored_for", "award.award_winning_work.awards_won", "honor", "film", 0.6, 4),
    Link("people.marriage.spouse", "people.person.spouse_s", "marriage", "person", 2.0, 1),
    Link(
        "people.marriage.type_of_union", "people.marriage_union_type.unions_of_this_type", "marriage", "concept", 0.9, 4
    ),
    Link("people.marriage.location_of_ceremony", None, "marriage", "place", 0.3, 4),
    Link(
        "government.government_position_held.office_holder",
        "government.politician.government_positions_held",
        "office",
        "person",
        1.0,
        4,
    ),
    Link(
        "government.government_position_held.jurisdiction_of_office",
        "government.governmental_jurisdiction.governing_officials",
        "office",
        "country",
        1.0,
        2,
    ),
    Link(
        "government.government_position_held.basic_title",
        "government.government_office_category.officeholders",
        "office",
        "concept",
        0.7,
        4,
    ),
    Link("common.notable_for.notable_object", "common.topic.notable_for", "notable", "person", 1.0, 1),
)
