"""Find what spans of a question may mean in a schema: tables, columns, values of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.extract.word_classes import ASKING, BE, DO, FUNCTION, PREPOSITIONS, VERB, described, kind
from hydra_kg.language.dates import abbreviate_time
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import abbreviations, family_stem, is_same_family, singular
from hydra_kg.language.number_words import cardinal_number, number_words
from hydra_kg.language.tokens import fold_words, split_identifier
from hydra_kg.language.units import unit_dimensions, unit_factors, unit_spellings
from hydra_kg.steps.retrieval.entity_types import drop_other_roles
from hydra_kg.steps.schema.schema_matching import Embed, is_value_of_noun, synonyms
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.column_dimensions import column_dimensions, is_interval, states_unit
from hydra_kg.steps.tables.graph_tables import Column, View
from hydra_kg.steps.tables.operation_words import QueryToken, superlative_words
from hydra_kg.steps.tables.rate_periods import rate_words
from hydra_kg.text.articles import ARTICLES
from hydra_kg.util.fast_dataclass import dataclass

LONGEST: Final = 8
_JOINING: Final = frozenset("of the a an 's for".split())
KEY_WORDS: Final = frozenset("id code number identifier".split())  # of headings of what tells rows apart
_HEADS: Final = KEY_WORDS | {"style", "type", "kind"}  # may follow a whole heading: which music *style*
_NO_VERBS: Final = _JOINING | PREPOSITIONS | {"and", "or"}
_BEING: Final = list_words("be be_infinitive have no_or_not") | {"with", "never", "without", "been"}
AMOUNT: Final = "amount"  # asks for a column of this name if there is one, else how many there are
_COUNTING: Final = frozenset(("number", "count", "total", AMOUNT))
_UNITS: Final = frozenset(
    singular(word)
    for spelling in (*((word,) for word in unit_factors()), *unit_spellings())
    for word in spelling
    if len(spelling) == 1 and unit_dimensions().get(word) != "time"
)
"""Units at the end of headings; units of time are also what is measured ("opening year")."""
_DAYS: Final = frozenset(("date", "day"))  # may follow the heading of a column of dates: the due *date*
_ON: Final = list_words("end_of_date_heading")
_SAYING: Final = frozenset(map(family_stem, list_words("saying_verb")))
_LEAST: Final = 3  # letters of a word that may be part of a value
_SHORTEST: Final = 4  # letters from which a word may be another form of a value: to miss, of those missed


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """Meanings of a span with costs: ``tables``, ``columns``, or ``values`` by column; ``near``: by vectors only."""

    start: int
    end: int
    cost: float
    tables: tuple[tuple[int, float], ...] = ()
    columns: tuple[tuple[Column, float], ...] = ()
    values: tuple[tuple[Column, Ids, float], ...] = ()
    near: bool = False


NO_TAG: Final = Tag(0, 0, 0.0)  # of a piece without a meaning in the schema


def tags(view: View, words: Sequence[QueryToken], embed: Embed | None) -> list[Tag]:
    """Return all tags of a question; those of the same span and kind are one."""
    found = [*_tables(view, words), *_columns(view, words), *_values(view, words)]
    found += [*_so(view, words, found), *_asked_sentences(view, words), *_in_unit(view, words), *_people(view, words)]
    if embed is not None:
        found += _near(view, words, found, embed)
    return found


def same(word: str, other: str, own: Set[str] = frozenset()) -> float:
    """Return how far two words differ, 0 to 1; ``own`` has the words of the schema, which are seldom synonyms."""
    cost = _difference(word, other)
    return cost + costs.SAME_SYNONYM_OWN if cost == costs.SAME_SYNONYM and singular(word) in own else cost


@lru_cache(maxsize=20_000)
def _difference(word: str, other: str) -> float:
    alike = singular(word) == other or singular(f"{word}s") == other  # "leave", of a heading "leaves"
    if alike or word in (f"{other}s", f"{other}es") or abbreviations().get(word) == (other,):
        return 0.0
    if other == "name" and word in ("title", "label", "titles", "labels"):
        return costs.SAME_NAME
    quality = word.removesuffix("able").removesuffix("ful")  # valuable, of a column "value"
    if is_same_family(word, other) or (len(quality) > _LEAST and is_same_family(quality, other)):
        return costs.SAME_FORM
    return costs.SAME_SYNONYM if family_stem(other) in synonyms().get(family_stem(word), frozenset()) else 1.0


def _spoken(said: Sequence[str], words: Sequence[str], own: Set[str]) -> tuple[float, set[str]] | None:
    """Return the cost of saying a name's words in this way, and the words that are said.

    Returns None if a word of the question says none of them.
    """
    cost, met = 0.0, set()
    for one in said:
        best = min(((same(one, w, own), w) for w in words if w not in met), default=(1.0, ""))
        if best[0] >= 1.0:
            return None
        cost += best[0]
        met.add(best[1])
    return cost, met


def _windows(words: Sequence[QueryToken], longest: int) -> Iterator[tuple[int, int, list[str]]]:
    for i, first in enumerate(words):
        if first.low in _JOINING or first.mark or first.quoted:
            continue
        for j in range(i + 1, min(len(words), i + longest) + 1):
            last = words[j - 1]
            if last.mark or last.quoted:
                break
            if last.low not in _JOINING:
                yield i, j, [w.low for w in words[i:j] if w.low not in _JOINING]


def _unit_words(column: Column) -> frozenset[str]:
    """Return the words at the end of a heading that only state the unit of its numbers, or the "on" of a date.

    Examples: "cm" of "height cm", "in" and "billion" of "sales in billion". The first word is never a unit.
    """
    if column.kind != "number":
        return _ON if column.kind == "date" else frozenset()
    heading, scales, begin = column.words, number_words("scale"), len(column.words)
    while begin > 1 and (heading[begin - 1] in scales or heading[begin - 1] in _UNITS):
        begin -= 1
    if 1 < begin < len(heading) and heading[begin - 1] == "in":
        begin -= 1
    return frozenset(heading[begin:])


def _tables(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    for i, j, said in _windows(words, 4):
        fits = []
        active = len(said) == 1 and kind(said[0]) == VERB and not (i and words[i - 1].low in _BEING | {"who"})
        for table in view.tables:
            found = []
            for name in table.names:
                if active and name[-1:] and name[-1].endswith(("er", "or")):
                    continue  # a team that played is no player, but what is taught, and who teaches, has a teacher
                if (spoken := _spoken(said, name, view.spoken)) is not None:
                    cost, met = spoken
                    left = [w for w in name if w not in met]
                    last = 0.0 if name and name[-1] in met else costs.TABLE_HEAD
                    found.append(cost + costs.TABLE_MISSING * min(2, len(left)) + last * bool(left))
            if found and min(found) < costs.TABLE_FIT:
                fits.append((table.place, min(found)))
        best = min((cost for _, cost in fits), default=0.0)
        if fits := [(t, cost) for t, cost in fits if cost <= best + costs.TABLE_UNLIKE]:
            yield Tag(i, j, 0.0, tables=tuple(sorted(fits, key=lambda f: f[1])[:6]))


def _columns(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    """Yield a tag for each span that may name columns: by heading, synonym, key, date or quoted heading."""
    titled = {c.table for c in view.columns if c.words == ("title",)}
    counting = _COUNTING - {w for c in view.columns if c.words == (AMOUNT,) for w in c.words}
    yield from _quoted_headings(view, words)
    often = [w.low for w in words[:3]] in (["how", "often", "is"], ["how", "often", "are"])  # not "was": so many times
    for i, j, said in _windows(words, 6):
        if said == ["no"] or (said[1:] == [] and said[0] in counting and [w.low for w in words[j : j + 1]] == ["of"]):
            continue  # without a year: not the number of a concert
        fits = []
        for column in view.columns:
            if column.kind == "link" and said[-1] in ("id", "ids", "code", "codes") and len(said) > 1:
                fits += [(key, costs.COLUMN_KEY) for key in _keys(view, column, said)]
            if any(
                (whole := _spoken(said, a, view.spoken)) is not None and len(whole[1]) == len(a) for a in column.also
            ):
                fits.append((column, costs.COLUMN_ALSO))
                continue
            last = singular(said[-1])
            yearly = last == "year" and column.kind == "number" and column.relation >= 0 and view.has_years(column)
            if len(said) > 1 and column.kind != "link" and (yearly or (column.relation >= 0 and last in _HEADS)):
                known = _spoken(said[:-1], column.words, view.spoken)
                if known is not None and len(known[1]) == len(column.words):
                    fits.append((column, known[0] + costs.COLUMN_KEY))
                    continue
            dated = column.kind == "date" and len(said) > 1 and said[-1] in _DAYS and not _DAYS & set(column.words)
            if dated and (day := _spoken(said[:-1], column.words, view.spoken)) and {*column.words} - day[1] <= _ON:
                fits.append((column, day[0] + costs.COLUMN_KEY))
                continue
            if column.relation < 0 and titled and column.table not in titled and {"title", "titles"} & set(said):
                continue
            if (spoken := _spoken(said, column.words, view.spoken)) is None:
                continue
            cost, met = spoken
            if (met <= ASKING and i < 2) or (superlative_words() & {*said} - met):
                continue
            if met <= PREPOSITIONS and not PREPOSITIONS.issuperset(column.words):
                continue  # assigned *to* Ada, of a column "reports to"
            nouns = {w for n in view.tables[column.table].names for w in n}
            if column.relation < 0 and ("name" not in met or (len(met) > 1 and not met & nouns)):
                continue
            every = column.words.index("every") if is_interval(column) and often else len(column.words)
            units = _unit_words(column) | {*column.words[every:]}  # how often a fern is watered
            said_so = met | rate_words(column.words)
            left = [w for w in column.words if w not in said_so and (w not in units or met <= units)]
            last = next((w for w in reversed(column.words) if w not in units), "")
            if column.relation < 0:
                cost += costs.NAMES_NUMBERED if view.tables[column.table].numbered else 0.0
                if met & nouns:
                    names = view.tables[column.table].names
                    cost += costs.NAMES_MISSING * min(len(set(name) - met) for name in names)
            if column.kind == "link" and met <= {w for t in column.to for n in view.tables[t].names for w in n}:
                cost += costs.COLUMN_AS_TABLE
            for word in left if column.relation >= 0 else ():
                little = word in KEY_WORDS or (word == "name" and not met & nouns)  # a product's supplier
                key = costs.COLUMN_MISSING_ID if little else costs.COLUMN_MISSING
                cost += costs.COLUMN_MISSING_TABLE if word in nouns else key
            if met <= nouns and left and column.relation >= 0:
                cost += costs.COLUMN_BY_TABLE
            elif last in left and last not in KEY_WORDS and len(last) > 3:
                cost += costs.COLUMN_HEAD
            units_of = last in left and said[-1] != singular(said[-1]) and "money" in column_dimensions(column)
            if cost < costs.COLUMN_FIT and not units_of:  # how many units: not the unit price
                fits.append((column, cost))
        if fits:
            yield Tag(i, j, 0.0, columns=tuple(sorted(fits, key=lambda f: f[1])[:40]))


def _quoted_headings(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    """Yield the columns whose whole heading is quoted: products with 'unitsInStock' above 20."""
    for i, word in enumerate(words):
        said = tuple(map(singular, split_identifier(word.text))) if word.quoted else ()
        if fits := tuple((c, 0.0) for c in view.columns if said and c.words == said and c.relation >= 0):
            yield Tag(i, i + 1, 0.0, columns=fits)


def _keys(view: View, link: Column, said: Sequence[str]) -> Iterator[Column]:
    """Yield the keys of what a column leads to: the hero id, if the column is called hero."""
    spoken = _spoken(said[:-1], link.words, view.spoken)
    if spoken is None or len(spoken[1]) < len(link.words):
        return
    for column in view.columns:
        if column.table in link.to and column.words[-1:] == (singular(said[-1]) if len(said[-1]) > 3 else "id",):
            yield column


def _values(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    """Yield a tag for each span that is a value of some column, with what another spelling costs."""
    graph = view.graph
    for i in range(len(words)):
        for j in range(min(len(words), i + LONGEST), i, -1):
            some = words[i:j]
            if any(w.mark for w in some) or (len(some) > 1 and any(w.quoted for w in some)):
                continue
            parts = [singular(p) for w in some for p in (fold_words(w.text) or [w.low])]
            places = graph.names.get(" ".join(parts))
            low = some[0].low
            digits = len(some) == 1 and (low[0].isdigit() or (low != "one" and cardinal_number(low) is not None))
            if places is None and some[0].number is not None and digits:
                places = graph.names.get(f"{some[0].number:g}")
            if places is None and len(some) == 1 and (short := abbreviate_time(parts[0])):  # "Sat", not of "Sat, Sun"
                alone = {*graph.tokens.find_all([short])} == {*graph.names.get(short, ())}
                places = graph.names.get(short) if alone else None
            small = all(w.text == w.low and not w.quoted for w in some)
            places = view.called(low) if places and small and len(some) == 1 and low in FUNCTION else places
            if places and small and is_value_of_noun(graph, parts):
                continue
            if some[-1].low in ("no", "not") and not some[0].quoted and len(some) == 1 and j < len(words):
                continue  # who has *no* animal: not those without a chip
            if len(some) == 1 and some[0].text in ARTICLES and not some[0].quoted and j < len(words):
                continue  # who took *a* lesson: not those of class A
            sure = some[0].quoted or any(w.named for w in some) or len(some) > 1
            if places:
                exact = [p for p in places if graph.name(p) == " ".join(w.text for w in some)]
                fits = [
                    (c, p, 0.0 if exact and set(p.tolist()) & set(exact) else costs.VALUE_SPELLING)
                    for c, p in view.holding(places[: costs.VALUE_PLACES])
                ]
                if fits:
                    cost = (0.0 if sure else costs.VALUE_LOWERCASE) - costs.VALUE_LENGTH * (len(some) - 1)
                    yield Tag(i, j, cost, values=tuple(fits))
                    continue
            if (sure and len(some) <= 4) or len(some) == 1:
                little = len(parts[0]) < _LEAST or (low in FUNCTION and not some[0].quoted)
                if len(parts) == 1 and (little or some[0].number is not None):
                    continue
                common = graph.tokens.find_all(parts)
                if common and len(common) <= costs.VALUE_PLACES:
                    named = all(w.named for w in some) and not {*parts} <= view.spoken  # "the top 3 Countries"
                    plain = costs.PART_NAMED if named else costs.PART_LOWERCASE
                    cost = costs.PART_QUOTED if some[0].quoted else plain
                    fits = [(c, p, 0.0) for c, p in view.holding(common)]
                    if fits:
                        yield Tag(i, j, cost, values=tuple(fits))
    for i, word in enumerate(words):
        if fits := [(c, p, 0.0) for c, p in view.holding(_other_forms(view, word)) if view.has_few(c)]:
            yield Tag(i, i + 1, costs.VALUE_LOWERCASE + costs.SAME_FORM, values=tuple(fits))
        if word.text.isupper() and word.text.isalpha() and 2 <= len(word.text) <= 4:
            longer = [
                p for t in (f"{word.low}a", f"{word.low}s") for p in graph.names.get(t, ()) if graph.name(p).isupper()
            ]
            if longer and (fits := [(c, p, 0.0) for c, p in view.holding(longer)]):
                yield Tag(i, i + 1, costs.ABBREVIATION, values=tuple(fits))
    for country, i, j in described([w.low for w in words] + ["thing"]):
        places = graph.names.get(" ".join(singular(w) for w in fold_words(country)))
        if places and j < len(words):
            yield Tag(i, j + 1, costs.DEMONYM, values=tuple((c, p, 0.0) for c, p in view.holding(places)))


def _other_forms(view: View, word: QueryToken) -> list[int]:
    """Return the values that are other forms of a word without a meaning of its own: vaccination for vaccinated."""
    if len(word.low) < _SHORTEST or word.named or word.quoted or word.number is not None:
        return []
    graph = view.graph
    known = word.low in graph.names or singular(word.low) in graph.names or word.low in FUNCTION
    if known or any(is_same_family(word.low, other) for other in view.spoken):
        return []
    past = {f"{word.low}{end}" for end in ("ed", "d", f"{word.low[-1]}ed")} | {f"{word.low[:-1]}ied"}
    alike = {*graph.families.get(family_stem(word.low), ()), *(form for form in past if form in graph.names)}
    return sorted(place for name in alike for place in graph.names.get(name, ()))


def _so(view: View, words: Sequence[QueryToken], found: Sequence[Tag]) -> Iterator[Tag]:
    """Yield columns of yes and no before a table or after a verb: overdue loans, that are overdue, with a projector."""
    nouns, subjects = {t.start for t in found if t.tables}, {t.end for t in found if t.tables}
    for tag in found:
        before, prior, *_ = *(w.low for w in reversed(words[: tag.start])), "", ""
        before = prior if before in ("a", "an") else before
        passed = prior in ("pass", "passed", "taken", "done") or (tag.start == 3 and words[1].low in BE)
        before = "is" if before == "the" and passed else before  # passed the test, who are the members
        before = "not" if before == "of" and prior == "out" else before
        plural = tag.end == tag.start + 1 and singular(words[tag.start].low) != words[tag.start].low
        asked = plural and before in ("which", "what", "many")  # which members, how many members
        done = tag.end == tag.start + 1 and any(w.low in DO for w in words[: tag.start])  # lessons that she did attend
        offers = tag.start - 1 in subjects and before not in _NO_VERBS  # huts that serve meals
        does = tag.start == 1 and before == "who" and tag.end < len(words)  # who pays late
        does = does and words[tag.end].low not in ("all", "every", "each")
        last = all(w.mark for w in words[tag.end :]) and words[1:2] and words[1].low in BE  # when was a show cancelled
        said = tag.end in nouns or before in _BEING or asked or offers or does or last
        if not tag.columns or not (said or done):
            continue
        fits = [(c, view.so[c], cost) for c, cost in tag.columns if c in view.so and cost <= costs.SAME_SYNONYM]
        fits = fits if said else [fit for fit in fits if fit[0].words[-1].endswith("ed")]
        if fits:
            yield Tag(tag.start, tag.end, costs.YES, values=tuple(fits))


def _asked_sentences(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    """Yield the columns of sentences for a verb of saying: what Mia *said* about the soup."""
    for k, word in enumerate(words):
        if k and not word.named and family_stem(word.low) in _SAYING:
            prose = [c for c in view.columns if view.has_sentences(c)]
            fits = tuple((c, costs.SAME_SYNONYM) for c in prose if sum(o.table == c.table for o in prose) == 1)
            if fits:
                yield Tag(k, k + 1, 0.0, columns=fits)


def _people(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    """Yield the tables of people for "person" and "people"."""
    tables = tuple((t, costs.SAME_SYNONYM) for t in sorted(view.people if "person" not in view.spoken else ()))
    said = (k for k, word in enumerate(words) if word.low in ("person", "persons", "people"))
    yield from (Tag(k, k + 1, 0.0, tables=tables) for k in said if tables)


def _in_unit(view: View, words: Sequence[QueryToken]) -> Iterator[Tag]:
    """Yield the columns in the unit after "how many": how many *kilometres*, of a column "length km"."""
    for k, word in enumerate(words):
        if k and words[k - 1].low in ("many", "much") and unit_dimensions().get(word.low):
            if any(c.words == (singular(word.low),) and c.kind == "number" for c in view.columns):
                continue  # the hours of a column "hours", not those of "estimate (h)"
            fits = tuple((c, costs.SAME_FORM) for c in view.columns if states_unit(c, word.low))
            if fits:
                yield Tag(k, k + 1, 0.0, columns=fits)


def _near(view: View, words: Sequence[QueryToken], found: Sequence[Tag], embed: Embed) -> Iterator[Tag]:
    """Yield columns and tables whose vectors are near words that match nothing else."""
    whole, asking = costs.VALUE_LOWERCASE, {k for k, w in enumerate(words) if w.low in ASKING}
    taken = {k for t in found for k in range(t.start, t.end) if t.tables or t.columns or t.cost <= whole}
    left = [
        k
        for k, w in enumerate(words)
        if k not in taken | asking
        and w.low not in superlative_words()
        and not (w.mark or w.quoted or w.named)
        and w.number is None
        and len(w.low) > 2
    ]
    texts = [" ".join(c.words) for c in view.columns] + [" ".join(t.names[0]) for t in view.tables]
    if not left or not texts:
        return
    vectors = embed([*texts, *(words[k].low for k in left)])
    near = vectors[len(texts) :] @ vectors[: len(texts)].T
    count = len(view.columns)
    for k, plain in zip(left, near, strict=True):
        row = drop_other_roles(words[k].low, texts, plain)
        good = np.flatnonzero(row >= max(costs.SIMILAR, float(row.max()) - costs.SIMILAR_LEAD)).tolist()
        columns = tuple((view.columns[g], costs.SIMILAR_COLUMN) for g in good if g < count)
        tables = tuple((view.tables[g - count].place, costs.SIMILAR_TABLE) for g in good if g >= count)
        if columns:
            yield Tag(k, k + 1, 0.0, columns=columns)
        if tables:
            yield Tag(k, k + 1, 0.0, tables=tables, near=True)
