"""Closed classes of English words, and a small part-of-speech tagger over them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

AUXILIARY, DETERMINER, PREPOSITION, VERB, ADVERB, NOUN, CONJUNCTION, NAME, NUMBER, BARRIER = "ADPVRNCK#X"


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


BE: Final = _set("is are was were be been being")
HAVE: Final = _set("has have had having")
DO: Final = _set("do does did")
PRESENT: Final = _set("now currently current today")
"""Words that restrict a question to the present."""
ASKING: Final = _set("what which who whom whose when where why how")
RELATIVES: Final = _set("who which whose whom where that")
FUNCTION: Final = _set(
    "a an the of in on at to for from by with about as into is are was were be been being am do does did done has"
    " have had having will would can could should may might must shall what which who whom whose where when why"
    " how many much long old and or but not no if then than that this these those there here it its he him his she"
    " her they them their we us our you your i me my mine s t d ll re ve also ever so such most more first last"
    " current currently name list tell give show all any some other another same during after before while between"
    " up out off over did one two three kind type part people person thing things get got make made take took go"
    " going goes went come came use used like call called play played plays live lived lives speak speaks spoken"
    " die died born start started year located location find found know known work works worked win won serve"
    " served have only two become became"
)
"""Words of questions that alone are no names."""

_AUXILIARIES: Final = _set("is was are were be been being has had have having became becomes become remains remained")
_DETERMINERS: Final = _set("the a an its his her their this that's one's")
PREPOSITIONS: Final = _set(
    "in on at by of to from with for as into near within against under over through about around along upon onto via"
    " alongside across among outside inside behind between off towards toward beside opposite below above"
)
_CONJUNCTIONS: Final = _set("and or &")
_ADVERBS: Final = _set(
    "also then later now currently presently first originally formerly subsequently initially mainly primarily mostly"
    " largely formally officially soon eventually again thereafter jointly directly once still today together finally"
    " recently previously previously best widely critically independently privately variously briefly twice originally"
    " both just very very well long all immediately"
)
_BARRIERS: Final = _set(
    "not never no nor neither nothing without would could should may might must can cannot will shall did do does if"
    " that which who whom whose what when where while because although though but than whether why how unless until"
    " he she it they we you i him them us me there these those here however so such said says say claimed claims"
    " reportedly allegedly supposedly rumored rumoured expected planned intended tried attempted refused failed wanted"
    " hoped unsuccessfully almost nearly only other another many several some most few each every any before after"
    " since during despite except like versus vs per half instead rather fictional unlike excluding"
)
_VERBS: Final = _set(
    "won wrote led made held left met sang built fought took ran spent taught grew found sold bought gave got sent"
    " came went saw drew wed beat broke brought chose flew lay lies rose set shot spoke stood stole swam wore born"
    " known written made built held led won sung shown seen taken given drawn chosen driven fought sent set shot sold"
    " spoken stolen worn woven run begun began grown located situated set based bound cut put split"
    " contains includes borders stars features serves belongs plays hosts owns operates houses comprises covers"
    " publishes produces manufactures makes provides runs represents leads teaches lives resides works directs writes"
    " sings performs flows empties joins connects crosses passes occupies competes manages coaches holds chairs stands"
    " starring featuring"
)
_NO_VERBS: Final = _set(
    "united red hundred kindred sacred wicked naked limited unlimited aged bed shed seed need speed breed feed weed"
    " reed exceed deed indeed sled led-zeppelin old-fashioned gifted talented renowned celebrated acclaimed noted famed"
    " retired self-titled so-called animated unnamed armed mixed-breed red-haired mediated three-time beloved"
)
_AGENT: Final = re.compile(
    r"(?:er|ers|or|ors|ist|ists|ian|ians|eur|man|men|woman|women|actress|king|queen|emperor|prince|princess|pope|bishop"
    r"|band|group|duo|company|studio|label|president|poet|poets|composer|artist|brothers|sisters|wife|husband|son"
    r"|daughter|brother|sister|father|mother|city|town|village|state|province|county|country|island|river|club|team)$"
)
_NUMBER: Final = re.compile(r"[0-9][0-9,.]*(?:st|nd|rd|th|s)?$")


@lru_cache(maxsize=1 << 16)
def kind(word: str) -> str:
    """The class of a word: one of the constants of this module. What no list knows is a noun, or a name if it is
    written with a capital; words in -ed are verbs, words in -ly adverbs."""
    low = word.lower()
    for letter, words in _CLASSES:
        if low in words:
            return letter
    if _NUMBER.match(low):
        return NUMBER
    if word[:1].isupper():
        return NAME
    if low in _VERBS or (len(low) > 3 and low.endswith("ed") and low not in _NO_VERBS and "-" not in low):
        return VERB
    if low.endswith("ly") and low not in {"family", "assembly", "ally", "monopoly", "anomaly", "reply"}:
        return ADVERB
    return NOUN


def is_agent(word: str) -> bool:
    """Whether a noun before a name says what the named thing is: "filmmaker", "river"."""
    return _AGENT.search(word.lower()) is not None


_CLASSES: Final = (
    (AUXILIARY, _AUXILIARIES),
    (DETERMINER, _DETERMINERS),
    (PREPOSITION, PREPOSITIONS),
    (CONJUNCTION, _CONJUNCTIONS),
    (BARRIER, _BARRIERS),
    (ADVERB, _ADVERBS),
)

INTERJECTIONS: Final = frozenset(
    "hello hi hey hallo greetings thanks thank thx please help bye goodbye ok okay yes no yeah sorry welcome there"
    " morning evening afternoon night good everybody everyone".split()
)
"""What people say without asking anything."""
