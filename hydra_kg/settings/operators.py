"""Settings of a plan's operators: which relation and which property a phrase means, and how sure what they give is."""

from __future__ import annotations

from pydantic import Field

from hydra_kg.settings.group import Amount, SettingsGroup, Share, Whole
from hydra_kg.settings.project_rules import Free


class Operators(SettingsGroup):
    """Relevance runs from 0 to about 2.5, a cosine from -1 to 1; scores add up relevance, and costs are taken off."""

    readings: Free[Whole] = Field(default=5, description="relations that are kept for a phrase, best first")
    bases: Free[Whole] = Field(default=2, description="readings of a set from which relations are followed")
    valued: Free[Whole] = Field(default=3, description="readings of a set whose values are looked at")
    other_name: Free[Amount] = Field(
        default=0.3, description="cost of another reading of a name; each further one half of it"
    )
    other_kind: Free[Amount] = Field(
        default=2.0, description="cost of a reading of a name that is not of the kind said"
    )
    empty: Free[Amount] = Field(default=0.2, description="cost of a reading under which nothing is left")

    relation_says: Free[Share] = Field(
        default=0.66, description="how surely a relation must say a phrase, 0 to 1, to be what is meant"
    )
    relation_full: Free[float] = Field(default=1.2, description="relevance from which a relation surely says a phrase")
    relation_short: Free[float] = Field(
        default=1.0, description="relevance that it may lack to the best of all relations, where that surety ends"
    )
    relation_clear: Free[float] = Field(
        default=0.4, description="lead in relevance from which no other relation is meant"
    )
    relation_ends: Free[Whole] = Field(default=10, description="relations, best first, whose objects are looked at")
    relation_synonym: Free[float] = Field(
        default=0.05, description="cost of a wording that only another source has for the same relation"
    )
    larger_holds: Free[Share] = Field(
        default=0.8, description="share of a set that another reading of it must hold to be the same with more"
    )
    larger_behind: Free[Share] = Field(default=0.1, description="surety by which such a reading may be behind")
    relation_rival: Free[float] = Field(
        default=0.2, description="lead in relevance by which one of two relations of a source has that wording alone"
    )
    relation_contrary: Free[float] = Field(
        default=0.1,
        description="relevance by which a relation may be behind one that is known to state something else",
    )
    relation_unqualified: Free[float] = Field(
        default=0.3, description='cost of a relation without what qualifies a noun: "language" for "official language"'
    )
    hint_weight: Free[float] = Field(
        default=0.8,
        description="least weight of the wordings that a phrase suggests; relevance.hint_weight may be more",
    )
    hint_cosine: Free[float] = Field(
        default=0.3, description="1 - cosine to a suggested wording from which it is another"
    )
    right_kind: Free[float] = Field(
        default=0.25, description="gain of objects of the kind asked for; the cost of others is twice that"
    )
    area: Free[float] = Field(default=0.1, description="cost of answering with the area that holds what is stated")
    area_places: Free[Whole] = Field(default=50, description="places whose area is looked for")

    groups: Free[Whole] = Field(
        default=10, description="relations, best first, each of which may be what a phrase means"
    )
    group_candidates: Free[Whole] = Field(default=150, description="relations that may state the same as one of them")
    group_near: Free[float] = Field(
        default=0.15, description="relevance within which relations to the same objects here are taken together"
    )
    group_named: Free[float] = Field(default=0.4, description="the same of relations that only their names say are one")
    group_here: Free[Share] = Field(default=0.7, description="share of objects that must be common for that, 0 to 1")
    group_objects: Free[Whole] = Field(default=4, description="objects of which that share is taken, at least")

    same_shown: Free[Whole] = Field(
        default=4, description="common subjects from which data decide whether two relations state the same"
    )
    same: Free[Share] = Field(
        default=0.75, description="share of what two relations could both state that both must state"
    )
    different_shown: Free[Whole] = Field(
        default=8, description="what two relations could both state from which data decide that they are different"
    )
    different: Free[Share] = Field(default=0.1, description="share of that which they may both state then, at most")
    meet: Free[Share] = Field(
        default=0.05,
        description="share of the things with one relation that have another of things like them",
    )
    same_named: Free[Share] = Field(default=0.5, description="the same of relations with similar names")
    same_source: Free[Share] = Field(default=0.9, description="the same of two relations of one source")
    same_larger: Free[Share] = Field(
        default=0.3, description="share of what the relation with more states that the other must state too"
    )
    same_larger_source: Free[Share] = Field(default=0.6, description="the same of two relations of one source")
    same_surpassed: Free[Share] = Field(
        default=0.2, description="how much better another relation of its source agrees, that one is not the same"
    )
    same_called: Free[float] = Field(default=0.7, description="cosine below which that one is called something else")
    same_name: Free[float] = Field(default=0.5, description="cosine from which two relations have similar names")

    property_near: Free[float] = Field(
        default=0.45, description="cosine from which a property may be what is asked for"
    )
    property_sure: Free[float] = Field(default=0.8, description="cosine from which it surely is")
    property_slack: Free[float] = Field(
        default=0.1, description="cosine that it may lack to the best of all properties"
    )
    property_short: Free[float] = Field(default=0.5, description="further cosine that it may lack, where its fit is 0")
    property_fit: Free[Share] = Field(default=0.5, description="fit, 0 to 1, below which it is not what is asked for")
    property_wording: Free[float] = Field(default=0.04, description="cost of each further wording of an attribute")
    property_covered: Free[float] = Field(default=0.3, description="gain of a property that every entity has")
    property_mediated: Free[float] = Field(default=0.05, description="cost of a property that a mediator holds")
    property_own_term: Free[float] = Field(
        default=0.15, description="gain of a property of the mediator through which an entity was found"
    )
    property_direct: Free[float] = Field(
        default=0.65,
        description="cosine from which the entities' own properties are enough, and mediators are not read",
    )
    property_kind: Free[Share] = Field(
        default=0.6, description="share of a property's literals that must be of the kind asked for"
    )
    property_lead: Free[float] = Field(
        default=2.0, description="surety gained for each cosine of lead over the next property"
    )
    property_has: Free[float] = Field(
        default=0.7, description="cosine from which having a property is having what is asked"
    )
    property_same: Free[float] = Field(
        default=0.2, description="cosine within which properties may be the same by wording"
    )
    property_same_values: Free[float] = Field(default=0.5, description="the same where their values agree")
    property_same_texts: Free[float] = Field(default=0.5, description="cosine of their texts from which they may be")
    property_same_share: Free[Share] = Field(
        default=0.6, description="share of common entities whose values must agree"
    )
    property_same_sources: Free[float] = Field(
        default=0.6, description="cosine from which properties of two sources without common entities are the same"
    )
    valued_gain: Free[float] = Field(default=0.1, description="gain of a reading that has a fitting value")
    unvalued: Free[float] = Field(default=0.1, description="cost of a reading that has none")

    term_fit: Free[Share] = Field(
        default=0.75, description="fit of a date from which it orders things whose order the question does not name"
    )
    stated_number: Free[Share] = Field(
        default=0.75, description="fit from which a stated number is taken in place of a count"
    )
    extreme_known: Free[Share] = Field(
        default=0.6, description="share of a set whose value must be known before one is its first or greatest"
    )
    extreme_sure: Free[Share] = Field(default=0.8, description="the same from which it is surely so")
    belongs: Free[Amount] = Field(
        default=0.5,
        description="members that a set lacks if things without a value are like the others, from which it is in doubt",
    )
    count_known: Free[Share] = Field(default=0.5, description="share of what is counted whose condition must be known")
    years_open: Free[Share] = Field(
        default=0.5, description="surety of a number of years that partial dates leave open"
    )
    ordinal: Free[Share] = Field(default=0.75, description="fit from which a property numbers what is put in order")
    ordinal_share: Free[Share] = Field(default=0.5, description="share of the set that must have a number")
    ordinal_distinct: Free[Share] = Field(default=0.9, description="share of those numbers that must be distinct")
    ordinal_first: Free[Whole] = Field(default=3, description="largest number with which an order may begin")
    successor: Free[float] = Field(default=0.5, description="surety from which a relation says who comes next")

    holds_near: Free[float] = Field(
        default=0.7, description="score that a relation may lack to the best and still say yes"
    )
    holds_relevance: Free[float] = Field(default=0.4, description="surety that it must have for that, 0 to 1")
    denies_relevance: Free[float] = Field(default=0.5, description="surety from which a relation may say no, 0 to 1")
    denies_plainly: Free[float] = Field(
        default=0.97, description="surety from which it may say no in other words, 0 to 1"
    )
    some_kinds: Free[float] = Field(
        default=0.5, description="surety of kinds over which a claim of some things is true"
    )
    times_fit: Free[float] = Field(default=0.7, description="fit that a date must have to say when something was there")
    life: Free[float] = Field(default=120.0, description="years after which nobody lives whose death is not stated")
    living_since: Free[float] = Field(default=1900.0, description="year before which nobody was born who lives today")
    after_death: Free[float] = Field(default=1.0, description="years by which a date of a life may be off in a claim")
    made_after_death: Free[float] = Field(
        default=5.0, description="years after a death in which what was made may come out"
    )
    released_after_death: Free[float] = Field(default=100.0, description="the same of what is said to be released then")
    single: Free[Share] = Field(
        default=0.8, description="share of subjects with one object from which a relation has one"
    )
    single_subjects: Free[Whole] = Field(default=3, description="subjects of which that share is taken, at least")

    decided: Free[float] = Field(
        default=0.5, description="surety above which a plan without answers decides that there are none"
    )
    confidence_start: Free[float] = Field(
        default=-2.6, description="log-odds of an answer of no surety; with those below it"
    )
    confidence_relevance: Free[float] = Field(
        default=2.4, description="log-odds for a relation that surely says the phrase"
    )
    confidence_lead: Free[float] = Field(default=1.2, description="log-odds for one that no other comes near to")
    confidence_kinds: Free[float] = Field(default=1.4, description="log-odds for objects of the kind asked for")
    confidence_coverage: Free[float] = Field(default=1.2, description="log-odds for values that are known of all")
