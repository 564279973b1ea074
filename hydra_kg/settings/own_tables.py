"""Settings of questions read as queries over tables: what each word, piece and step costs, how far a reading goes."""

from __future__ import annotations

from pydantic import Field

from hydra_kg.settings.group import Amount, SettingsGroup, Share, Whole
from hydra_kg.settings.project_rules import Free


class OwnTables(SettingsGroup):
    """What a query costs: words cut into tables, columns, values and cues, then what a query makes of these. The
    cheapest query that finds something wins. Lengths of ways between tables are in steps."""

    beam: Free[Whole] = Field(
        default=80, description="cuts, cheapest first, that are continued at each word of a question"
    )
    slack: Free[Amount] = Field(
        default=0.7, description="how much dearer than the cheapest cut others may be that are still read as queries"
    )
    queries: Free[Whole] = Field(default=12, description="queries, cheapest first, that a question may be read as")
    executed: Free[Whole] = Field(default=6, description="queries, cheapest first, that are carried out")
    most: Free[Amount] = Field(default=0.6, description="cost beyond which the cheapest query is no answer")
    lead: Free[Amount] = Field(
        default=0.025, description="how much dearer the next query with other answers must be than a query that is dear"
    )
    lead_from: Free[Amount] = Field(default=0.15, description="cost from which a query without that lead is no answer")
    explored: Free[Share] = Field(
        default=0.5, description="confidence below which what ways between names give about tables is no answer"
    )
    difference_most: Free[Amount] = Field(
        default=0.4, description="cost beyond which what is taken from something else is no part of a difference"
    )
    listed_rows: Free[Whole] = Field(
        default=5_000, description='rows of a table of which it is looked up in which order they are listed ("last")'
    )
    empty: Free[Amount] = Field(default=0.5, description="cost of a query that finds nothing")
    none: Free[Amount] = Field(default=0.3, description="cost of a query that counts none")
    later: Free[Amount] = Field(
        default=0.14, description="cost of a question being about another table than the first that it names"
    )
    by_model: Free[Amount] = Field(default=0.5, description="cost of a query that a model wrote")
    confidence: Free[Share] = Field(default=0.95, description="confidence in a query that costs nothing, 0 to 1")
    confidence_cost: Free[Amount] = Field(default=0.6, description="confidence that a query loses for a cost of 1")
    confidence_least: Free[Share] = Field(default=0.05, description="least confidence in a query that is given, 0 to 1")

    same_name: Free[Amount] = Field(
        default=0.08, description='cost of "title" or "label" for "name" in a table or column'
    )
    same_form: Free[Amount] = Field(default=0.04, description="cost of another form of a word of a table or column")
    same_synonym: Free[Amount] = Field(default=0.14, description="cost of a synonym of a word of a table or column")
    same_synonym_own: Free[Amount] = Field(
        default=0.1, description="further cost where that word is itself in the name of a table or column"
    )

    table_missing: Free[Amount] = Field(
        default=0.14, description="cost of each word, up to two, of a table's name that is not said"
    )
    table_head: Free[Amount] = Field(
        default=0.12, description="further cost where the last word of that name is not said"
    )
    table_unlike: Free[Amount] = Field(
        default=0.3, description="how much dearer than the likeliest table others may be"
    )
    table_fit: Free[Amount] = Field(default=0.45, description="cost from which words do not mean a table")

    column_also: Free[Amount] = Field(default=0.01, description="cost of a column by another wording that it has")
    column_key: Free[Amount] = Field(
        default=0.02, description='cost of the key of what a column leads to: "hero id" for a column "hero"'
    )
    column_missing: Free[Amount] = Field(
        default=0.13, description="cost of each word of a column's name that is not said"
    )
    column_missing_table: Free[Amount] = Field(
        default=0.03, description="the same of a word that its table is called by"
    )
    column_missing_id: Free[Amount] = Field(
        default=0.07, description='the same of "id", "code", "number" or "identifier"'
    )
    column_head: Free[Amount] = Field(
        default=0.08, description="further cost where the last word of a column's name is not said"
    )
    column_by_table: Free[Amount] = Field(
        default=0.1, description="further cost of a column of which only words that its table is called by are said"
    )
    column_as_table: Free[Amount] = Field(
        default=0.12, description="cost of a reference to a table by words that this table is called by"
    )
    column_fit: Free[Amount] = Field(default=0.5, description="cost from which words do not mean a column")
    names_numbered: Free[Amount] = Field(
        default=0.32, description='cost of "name" for rows that are called by what they are and their key ("order 17")'
    )
    names_missing: Free[Amount] = Field(
        default=0.12, description='cost of each word of a table that is not said where others are, as in "singer name"'
    )

    value_places: Free[Whole] = Field(default=400, description="values that words may be the whole or a part of")
    value_spelling: Free[Amount] = Field(
        default=0.03, description="cost of a value that is not written as in the question"
    )
    value_lowercase: Free[Amount] = Field(
        default=0.12, description="cost of a whole value that is one word, neither quoted nor capitalised"
    )
    value_length: Free[Amount] = Field(default=0.03, description="gain for each word of a whole value after the first")
    part_quoted: Free[Amount] = Field(default=0.14, description="cost of quoted words that are part of a value")
    part_named: Free[Amount] = Field(default=0.2, description="the same of words that are all capitalised")
    part_lowercase: Free[Amount] = Field(default=0.45, description="the same of other words")
    abbreviation: Free[Amount] = Field(
        default=0.1, description='cost of a longer abbreviation than is said: USA for "US"'
    )
    demonym: Free[Amount] = Field(default=0.04, description='cost of a country read from its adjective ("French")')

    similar: Free[float] = Field(default=0.6, description="cosine from which a word may mean a column or a table")
    similar_lead: Free[Amount] = Field(
        default=0.08, description="how much farther than the nearest others may be that such a word may mean"
    )
    similar_column: Free[Amount] = Field(default=0.22, description="cost of a column that a word is only near to")
    similar_table: Free[Amount] = Field(default=0.24, description="cost of a table that a word is only near to")

    piece: Free[Amount] = Field(default=0.02, description="cost of each piece that a question is cut into")
    cue: Free[Amount] = Field(default=0.02, description="cost of words that say what is to be done")
    cue_word: Free[Amount] = Field(default=0.015, description="gain for each of these words")
    number: Free[Amount] = Field(default=0.03, description="cost of taking a number as a number")
    text: Free[Amount] = Field(default=0.12, description="cost of taking quoted words as a text to look for")

    skip_name: Free[Amount] = Field(
        default=0.9, description="cost of passing over a capitalised or quoted word, or over a number"
    )
    skip_light: Free[Amount] = Field(default=0.04, description='the same of words that say little, such as "details"')
    skip_light_spoken: Free[Amount] = Field(
        default=0.22, description="the same where they may be part of the name of a table or column"
    )
    skip_verb: Free[Amount] = Field(
        default=0.18, description="the same of a verb that stands before no name of a table"
    )
    skip_head: Free[Amount] = Field(default=0.65, description='the same of what is asked for: "which location"')
    skip_value: Free[Amount] = Field(default=0.55, description="the same of a word that is the whole of a value")
    skip_word: Free[Amount] = Field(default=0.42, description="the same of any other word")
    head: Free[Amount] = Field(
        default=0.5, description='cost of a column that is not shown where it is asked for first: "which location …"'
    )
    unlike_asked: Free[Amount] = Field(
        default=0.5, description='cost of answers that are not what the question word asks for: numbers for "who"'
    )
    step_about: Free[Amount] = Field(
        default=0.4,
        description="length of a step to or from a table without names that the question names, in place of 1",
    )
    yes: Free[float] = Field(default=-0.05, description='cost of a column of yes and no as what is so: "overdue loans"')
    undone: Free[Amount] = Field(
        default=0.3, description='least cost of passing over a word that says what is to be done, such as "count"'
    )
    undone_not: Free[Amount] = Field(default=0.7, description="the same of a denial")
    undone_share: Free[Amount] = Field(default=0.7, description='the same of a share: "percentage of"')
    undone_top: Free[Amount] = Field(default=0.6, description='the same of a superlative: "oldest"')
    undone_compare: Free[Amount] = Field(default=0.6, description='the same of a comparison: "more than"')
    undone_most: Free[Amount] = Field(default=0.5, description='the same of "the most"')
    undone_several: Free[Amount] = Field(default=0.5, description='the same of "multiple" and the like')
    undone_order: Free[Amount] = Field(
        default=0.55, description='the same of "average", "highest", "the most", "first three" and "both"'
    )
    undone_sum: Free[Amount] = Field(default=0.4, description='the same of a sum: "total"')

    step: Free[Amount] = Field(default=0.07, description="cost of each step from the table asked about to another")
    step_least: Free[Amount] = Field(default=0.5, description="least length of a way to another table")
    step_named: Free[Amount] = Field(
        default=0.1, description="length of a step over a reference that the question names, in place of 1"
    )
    step_nameless: Free[Amount] = Field(
        default=0.8, description="length of a step to a table whose rows have no names, in place of 1"
    )
    step_role: Free[Amount] = Field(
        default=0.02, description='length added for a relation that says more than the table it leads to ("chair")'
    )
    step_order: Free[Amount] = Field(
        default=0.001, description="length added for each join that its table has before it, so that one way is first"
    )
    unreachable: Free[Amount] = Field(default=9.0, description="cost of a table to which no joins lead")

    column_said: Free[Amount] = Field(
        default=0.05, description="gain for each word of a column that the question says elsewhere"
    )
    column_owned: Free[Amount] = Field(
        default=0.12, description='gain of a column of the table named right behind it: "name of the singer"'
    )
    column_not_owned: Free[Amount] = Field(default=0.06, description="cost of a column of another table than that")
    column_most: Free[Amount] = Field(default=1.5, description="cost from which words are no column of a query")
    several: Free[Share] = Field(
        default=0.95,
        description="share of a column's facts that are of different rows, below which a row may have several values",
    )

    measure_date: Free[Amount] = Field(
        default=0.1, description='cost of a date, or of "born" and the like, for what "older" or "latest" measures'
    )
    measure_other_date: Free[Amount] = Field(
        default=0.15, description="further cost of a date that is not when something began, for what is oldest"
    )
    measure_next: Free[Amount] = Field(default=0.02, description="cost of each measure of a cue after its first")
    measure_length: Free[Amount] = Field(default=0.02, description="cost of each word of a column that is measured")
    measure_unlike: Free[Amount] = Field(
        default=0.5, description="how far a column may be from the words of a measure, 0 to 1, before it is none"
    )
    measure_most: Free[Amount] = Field(default=0.6, description="cost from which no column is what a cue measures")
    by_year: Free[Amount] = Field(
        default=0.1, description="cost of comparing a year with a column of years or dates that no word says"
    )
    by_year_several: Free[Amount] = Field(default=0.1, description="further cost where there are several such columns")
    instant: Free[Amount] = Field(
        default=0.001, description="less than a day, in years, by which a date is before another"
    )
    period_several: Free[Amount] = Field(
        default=0.3, description="further cost of one of several columns that may say when, where no word chooses"
    )
    only_number: Free[Amount] = Field(
        default=0.15, description="cost of comparing with the only column of numbers, which no word says"
    )

    value_column: Free[Amount] = Field(default=0.16, description="gain of a value in a column that is named beside it")
    value_column_unlike: Free[Amount] = Field(
        default=0.5, description="what of that gain is lost for a cost of 1 over the likeliest column of those words"
    )
    value_column_most: Free[Amount] = Field(default=0.5, description="cost up to which it is lost")
    column_of_table: Free[Amount] = Field(
        default=0.12, description='gain where that column is of the table named before it: "the document with id 1"'
    )
    column_of_other: Free[Amount] = Field(default=0.1, description="cost where it is of another table than that")
    value_called: Free[Amount] = Field(
        default=0.12, description='gain of a name behind the table whose rows have it: "the singer Lind"'
    )
    value_common: Free[Amount] = Field(default=0.08, description='cost of a name written like a common noun: "aliens"')
    value_of_table: Free[Amount] = Field(default=0.05, description="gain of any other value behind its table")
    number_dated: Free[Amount] = Field(
        default=0.15, description="cost of a number as a value of a column of dates or years that is not named"
    )
    number_year: Free[Amount] = Field(
        default=0.4, description="the same of a number that may be a year, in other columns"
    )
    number_other: Free[Amount] = Field(default=0.22, description="the same of any other number")
    value_most: Free[Amount] = Field(default=1.5, description="cost beyond which words are no value of a query")
    like_name: Free[Amount] = Field(
        default=0.08, description="cost of looking for a text in what rows are called, where no column is said"
    )

    count_apart: Free[Amount] = Field(
        default=0.1, description="cost of a count where what is counted is not said behind it"
    )
    count_keys: Free[Amount] = Field(
        default=0.3, description="cost of counting the values of a key that are not said to be different ones"
    )
    count_links: Free[Amount] = Field(default=0.15, description="the same of a reference to another table")
    share_unclear: Free[Amount] = Field(
        default=0.9, description="cost of a share where it is not said what is counted, or of a ratio of one to another"
    )
    names_nameless: Free[Amount] = Field(default=0.7, description="cost of showing the names of rows that have none")
    names_key: Free[Amount] = Field(
        default=0.3, description="cost of showing names that are what rows are and their key, where names are asked for"
    )
    nothing_shown: Free[Amount] = Field(
        default=0.25, description="cost of a query of which the question names neither column, group nor table"
    )
    echo: Free[Amount] = Field(default=0.5, description="cost of answers that are the name which the question says")

    base_verb: Free[Amount] = Field(
        default=0.3, description='cost of looking among what only a verb says: players, where "played" is said of teams'
    )
    base_denied: Free[Amount] = Field(
        default=0.3, description='cost of looking among things of which there are none: "regions with no plant"'
    )
    differ_link: Free[Amount] = Field(
        default=0.05, description="cost of looking for what is not among the references of other rows"
    )
    link_unclear: Free[Amount] = Field(
        default=0.5, description="cost of rows of several references where a verb that nothing is made of may say which"
    )
    linking: Free[Amount] = Field(default=0.03, description="cost of a column that only says how two tables join")
    denied_table: Free[Amount] = Field(
        default=0.05, description="cost of a further table that is named of what is denied"
    )
    unused_column: Free[Amount] = Field(default=0.3, description="cost of a column or value that nothing is made of")
    unused_piece: Free[Amount] = Field(default=0.8, description="cost of a number, text or value left at the end")
    unused_condition: Free[Amount] = Field(
        default=0.9, description="cost of a denial, comparison or order left at the end"
    )
    unused_cue: Free[Amount] = Field(
        default=0.35, description="cost of other words for what is to be done, left at the end"
    )
