"""Settings of questions in the words of a store's own schema: what each step of a reading costs, how far it goes."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from hydra_kg.settings.group import Amount, SettingsGroup, Share, Whole
from hydra_kg.settings.project_rules import Free


class OwnWords(SettingsGroup):
    """What a reading costs: the cheapest tree of names, classes and relations that accounts for the words wins."""

    rounds: Free[Whole] = Field(
        default=7, description="steps of a reading: relations, classes and joins one after the other"
    )
    beam: Free[Whole] = Field(default=140, description="partial readings, cheapest first, that a round grows from")
    bound: Free[Amount] = Field(default=1.3, description="cost beyond which a partial reading is dropped")
    slack: Free[Amount] = Field(
        default=0.25, description="how much dearer than the best reading others may be that are still looked at"
    )
    nodes: Free[Whole] = Field(default=30_000, description="nodes of a partial reading above which it is dropped")
    hope: Free[Amount] = Field(
        default=0.7, description="share of the cost of words not yet accounted for by which readings are ranked"
    )
    complete: Free[Amount] = Field(
        default=0.5, description="cost of unaccounted words below which a reading bounds the search for others"
    )

    name_word: Free[Amount] = Field(
        default=0.9, description="cost of a capitalised word or number that nothing accounts for"
    )
    plain_word: Free[Amount] = Field(default=0.5, description="the same of an ordinary word")
    shared_word: Free[Amount] = Field(default=0.3, description='the same of words such as "same" and "shared"')
    light_word: Free[Amount] = Field(
        default=0.1, description='the same of words that say little, such as "list" and "all"'
    )

    exact_name: Free[Amount] = Field(
        default=0.12, description="cost of an uncapitalised single word that is a whole name"
    )
    name_length: Free[Amount] = Field(default=0.01, description="gain for each word of a whole name")
    name_gain: Free[Amount] = Field(default=0.1, description="most that a whole name gains")
    demonym: Free[Amount] = Field(default=0.02, description='cost of a country read from its adjective ("French")')
    family: Free[Amount] = Field(
        default=0.14, description='cost of a value read from another word of its family ("inspected")'
    )
    part_of_name: Free[Amount] = Field(default=0.08, description="cost of words that are part of a name")
    part_missing: Free[Amount] = Field(default=0.2, description="cost of the share of a name's words that is not said")
    part_lowercase: Free[Amount] = Field(default=0.1, description="further cost of a part of a name without capitals")
    part_names: Free[Whole] = Field(default=60, description="names that a part of a name may belong to")

    class_name: Free[Amount] = Field(default=0.03, description="cost of a class by its whole name")
    class_head: Free[Amount] = Field(default=0.2, description="cost of a class by the last word of its name")
    class_synonym: Free[Amount] = Field(default=0.12, description="cost of a class by a synonym of its name")
    class_rows: Free[Amount] = Field(
        default=0.02, description="cost of a noun for what the facts of a store without classes are about"
    )
    class_first: Free[Amount] = Field(default=0.1, description="further cost of a reading that begins with a class")
    class_after_unsaid: Free[Amount] = Field(
        default=0.2, description="what a class takes off the cost of a step before it that no word says"
    )

    synonym: Free[Share] = Field(
        default=0.75, description="how well a synonym says a relation, 0 to 1; its own word: 1"
    )
    similar_word: Free[Share] = Field(
        default=0.65, description="how well a word says a relation that it is only near to"
    )
    similar: Free[float] = Field(default=0.6, description="cosine from which a word may mean a relation")
    similar_lead: Free[Amount] = Field(
        default=0.05, description="how much farther than the nearest relation others may be that a word may mean"
    )
    kind_cosine: Free[float] = Field(
        default=0.33,
        description="mean cosine to all relations from which a noun may be what the things of a store are called",
    )
    kind_word: Free[Amount] = Field(default=0.06, description="cost of such a noun where nothing else accounts for it")
    unknown_word: Free[Amount] = Field(
        default=0.25, description="cost of a word near no relation, in a store without classes"
    )
    unknown_name: Free[Amount] = Field(default=0.5, description="the same of a word that is part of a whole name")

    step: Free[Amount] = Field(default=0.04, description="cost of a relation that the question says")
    step_unlike: Free[Amount] = Field(
        default=0.3, description="cost of a relation said badly, times 1 - how well it is said"
    )
    step_missing: Free[Amount] = Field(
        default=0.03, description="cost of each word of a relation's name that is not said"
    )
    step_head: Free[Amount] = Field(
        default=0.15, description='cost of a relation without its last word: team for "team captain"'
    )
    step_after: Free[Amount] = Field(
        default=0.05, description="cost of words for a relation behind what it starts from"
    )
    step_of: Free[Amount] = Field(
        default=0.15, description='the same where "of" follows, which binds them to what is next'
    )
    step_agent: Free[Amount] = Field(
        default=0.12, description='cost of taking who does it for whom it is done to: "that supply Intel"'
    )
    having: Free[Amount] = Field(
        default=0.1, description="cost of words that only say which relation a nameless node has"
    )
    step_farther: Free[Amount] = Field(default=0.1, description="cost of words for a relation that are not the nearest")
    step_back: Free[Amount] = Field(default=0.08, description="cost of words nearer than those of the step before")
    unsaid: Free[Amount] = Field(default=0.35, description="cost of a relation that no word says")
    unsaid_nameless: Free[Amount] = Field(
        default=0.08, description="the same from or to nodes without names (mediators)"
    )
    value: Free[Amount] = Field(
        default=0.04, description='gain where such a node leads on to what is called its "value"'
    )
    unsaid_modifier: Free[Amount] = Field(
        default=0.15, description='the same from a value back to what has it: "large companies", "in Toulouse"'
    )
    unsaid_from: Free[Amount] = Field(
        default=0.3, description="cost above which a step counts as one that no word says"
    )
    up: Free[Amount] = Field(default=0.12, description="cost of going up a hierarchy as far as it leads")
    down: Free[Amount] = Field(default=0.04, description="cost of going down a hierarchy as far as it leads")
    shared: Free[Amount] = Field(
        default=0.05, description="cost of going there and back by one relation where the question says so"
    )
    shared_unsaid: Free[Amount] = Field(
        default=0.14, description="the same where only a class or no word of it says so"
    )
    two_events: Free[Amount] = Field(
        default=0.12, description="cost of joining what two nodes without names lead to, in place of these"
    )
    join: Free[Amount] = Field(default=0.02, description="cost of taking what two parts of a question both mean")
    apart: Free[Amount] = Field(
        default=0.04, description="cost of each word, up to three, between two parts that are joined"
    )

    comparison: Free[Amount] = Field(
        default=0.05, description="cost of comparing with a property that the question says"
    )
    comparison_unsaid: Free[Amount] = Field(default=0.25, description="the same with one that it does not say")
    comparison_when: Free[Amount] = Field(default=0.15, description='the same of a date with "in 2023" and the like')
    superlative: Free[Amount] = Field(default=0.06, description="cost of what is first by a property")
    superlative_next: Free[Amount] = Field(
        default=0.05, description="cost of each wording of a superlative after the first"
    )
    numeric: Free[Share] = Field(
        default=0.9,
        description="share of the values of a relation or a column that must be numbers or dates to compare by it",
    )

    head: Free[Amount] = Field(
        default=0.25, description="cost of an answer that is not what the question asks for by a noun"
    )
    head_untyped: Free[Amount] = Field(default=0.05, description="the same where nothing is known of what things are")
    echo: Free[Amount] = Field(default=0.4, description="cost of an answer that the question itself names")
    nameless: Free[Amount] = Field(default=0.6, description="cost of answers most of which have no names")
    not_a_date: Free[Amount] = Field(default=0.4, description='cost of an answer to "when" that is no number or date')
    a_number: Free[Amount] = Field(default=0.5, description='cost of a number as answer to "who" or "where"')
    a_literal: Free[Amount] = Field(default=0.15, description='cost of a literal as answer to "who"')
    a_row: Free[Amount] = Field(default=0.3, description='cost of a row of a table as answer to "who"')

    most: Free[Amount] = Field(default=0.75, description="cost beyond which the cheapest reading is no answer")
    denied_most: Free[Amount] = Field(default=0.5, description="the same of what is denied")
    most_left: Free[Amount] = Field(default=0.45, description="cost of unaccounted words beyond which it is none")
    left: Free[Amount] = Field(
        default=0.25, description="cost above which an unaccounted word is an unchecked condition"
    )
    lead: Free[Amount] = Field(
        default=0.03, description="by how much the cheapest reading must be cheaper than the next one"
    )
    lead_from: Free[Amount] = Field(
        default=0.35, description="cost from which a reading without that lead is no answer"
    )
    confidence: Free[Share] = Field(default=0.95, description="confidence in a reading that costs nothing, 0 to 1")
    confidence_cost: Free[Amount] = Field(default=0.55, description="confidence that a reading loses for a cost of 1")
    confidence_close: Free[Amount] = Field(default=0.15, description="confidence that a reading without the lead loses")
    confidence_least: Free[Share] = Field(
        default=0.05, description="least confidence in a reading that is given, 0 to 1"
    )

    hierarchy_continues: Free[Share] = Field(
        default=0.5, description="share of a relation's objects that must have it themselves, for it to be a hierarchy"
    )
    hierarchy_narrows: Free[Share] = Field(
        default=0.7, description="its objects by its subjects must be fewer than this"
    )
    hierarchy_mutual: Free[Share] = Field(
        default=0.02, description="share of its facts that may also hold the other way"
    )


DEFAULT: Final = OwnWords()
