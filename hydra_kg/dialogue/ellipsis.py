"""Complete fragments that continue the last question: "and of Spain?", "and when?", "and the second largest?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.agents.planning.lexicon import BE, PLACING, is_noun
from hydra_kg.dialogue.antecedents import subject
from hydra_kg.dialogue.follow_up_words import IDENTITY, Utterance, find_rank, split_utterance, stems
from hydra_kg.dialogue.set_pronouns import join_answer_names, set_phrase
from hydra_kg.dialogue.slot_replacement import replace_slot
from hydra_kg.dialogue.turn import Resolution, Resolved, Thing, Turn, Unresolved
from hydra_kg.language.dates import month_number, read_period
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.number_words import number_words
from hydra_kg.steps.retrieval.entity_types import kinds_named

_TIMED: Final = list_words("before since during leads_to_year")
_WHICH: Final = frozenset({"which", "who", "what"})
_SWAPPED: Final = frozenset({"when", "where"})
_ASKING: Final = list_words("question_word")
_CHOICE: Final = re.compile(r",?\s+(?:\S.*\s)?or\s+\S.*$")
_COUNT: Final = re.compile(r"^how many(?: (?:are|were) there(?: in all)?| in all)?$", re.IGNORECASE)
_HOW_MANY: Final = "how many "
NOTHING_LIKE_IT: Final = "the last question has nothing like “{}” that it could take the place of"


def part_of_question(sentence: Utterance, turn: Turn) -> Resolution:
    """Return the full question for a fragment without a verb."""
    first = sentence.word(0)
    if not sentence.words:
        return Unresolved("nothing was asked")
    if first in _ASKING:
        return _asking_word(sentence, turn)
    if _times(sentence):
        return _change_time(sentence, turn)
    if (replaced := replace_slot(sentence, turn)) is not None:
        return replaced
    ends = sentence.words[1:] if first in {"the", "a"} else sentence.words
    if (place := find_rank(ends)) is not None and place[0] == 0:
        return _change_rank(sentence, ends, turn)
    if not sentence.names and not any(w.name for w in sentence.words):
        return role_of_topic(sentence, turn)
    return _another_thing(sentence, turn)


def role_of_topic(sentence: Utterance, turn: Turn) -> Resolution:
    """Complete "the capital" after a question about a country, to "What is the capital of …?"."""
    noun = re.sub(r"^(?:the|a|an)\s+", "", sentence.text, flags=re.IGNORECASE)
    if not sentence.words or not is_noun(sentence.words[-1].low) or sentence.words[-1].low in {"one", "ones"}:
        return Unresolved(f"it is not clear what “{sentence.text}” asks for")
    topic = turn.topics[0] if len(turn.topics) == 1 else subject(turn)
    named_so = noun != sentence.text or (topic is not None and stems([sentence.words[-1].low]) & topic.related)
    if topic is None or not named_so:
        return Unresolved(f"it is not clear whose “{noun}” is meant")
    return identity(noun, f"the {noun} of {phrase_of(topic, turn)}", topic, turn)


def identity(noun: str, phrase: str, of: Thing, turn: Turn) -> Resolved:
    """Return the question "Who is the wife of _?" or "What is …?".

    It takes the tense of the last question if that had the same form.

    noun: noun that decides between "who" and "what", and between singular and plural.
    phrase: noun phrase that is asked for.
    of: thing that the phrase names.
    """
    asking = "Who" if "person" in kinds_named(noun) else "What"
    last = IDENTITY.match(turn.question)
    plural = noun.split()[-1:] == ["children"] or (noun.endswith("s") and not noun.endswith("ss"))
    past = last is not None and last[1].casefold() in {"was", "were"}
    be = ("were" if plural else "was") if past else ("are" if plural else "is")
    return Resolved(f"{asking} {be} {phrase}?", meant(of))


def complete_count(sentence: Utterance, turn: Turn) -> Resolution | None:
    """Complete "How many are there?" to a count of the last question's answers, or return None for other texts."""
    if not _COUNT.match(sentence.text):
        return None
    phrase = set_phrase(turn)
    if phrase is None:
        return Unresolved("the last question does not ask for things that can be counted")
    if not phrase.text:
        return Resolved(f"How many {phrase.head} {phrase.rest}?", meant(*turn.topics))
    text = re.sub(r"^the ", "", phrase.text)
    text = re.sub(r"^([\w ]+?) that ", r"\1 ", text) if " that " in text else f"{text} are there"
    return Resolved(f"How many {text}?", meant(*turn.topics))


def complete_comparison(sentence: Utterance, turn: Turn) -> Resolved | None:
    """Complete "Who is older?" after a question about two things, to a question about the same two."""
    last = split_utterance(turn.question, turn.topics)
    tail = _CHOICE.search(last.text)
    if tail is None or sentence.names or not re.match(r"(who|which|what)\b", sentence.text, re.IGNORECASE):
        return None
    comma = last.text.rfind(",", 0, tail.end())
    choice = last.text[comma + 1 :].strip() if comma > 0 else ""
    if not choice or sentence.words[-1].low in PLACING:
        return None
    return Resolved(f"{_capital(sentence.text)}, {choice}?", meant(*turn.topics))


def phrase_of(thing: Thing, turn: Turn) -> str:
    """Return the name as it is in the last question, with its article: "the Danube"."""
    thing = next((t for t in turn.topics if t.key and t.key == thing.key), thing)
    before = turn.question[: max(thing.start, 0)]
    article = before.casefold().split()[-1:] == ["the"]
    plain = turn.question[thing.start : thing.end].casefold() in thing.name.casefold()
    return f"the {thing.name}" if article and plain and not thing.name.startswith("The ") else thing.name


def meant(*things: Thing) -> tuple[tuple[str, str], ...]:
    """Return the names with the keys that they stand for, without things that have no key."""
    return tuple((t.name, t.key) for t in things if t.key)


def _asking_word(sentence: Utterance, turn: Turn) -> Resolution:
    """Complete "and when?", where only "when" and "where" can replace each other, and "which ones?" after a count."""
    word = sentence.word(0)
    begun = re.match(r"(\w+)", turn.question)
    if (again := complete_count(sentence, turn)) is not None:
        return again
    ones = all(w.low in {"ones", "of", "them"} for w in sentence.words[1:])
    if word in _WHICH and ones and turn.question.casefold().startswith(_HOW_MANY):
        return Resolved(f"Which {turn.question[len(_HOW_MANY) :]}", meant(*turn.topics))
    if len(sentence.words) == 1 and word in _SWAPPED and begun and begun[1].casefold() in _SWAPPED - {word}:
        return Resolved(f"{word.capitalize()}{turn.question[begun.end() :]}", meant(*turn.topics))
    return Unresolved(f"“{sentence.text}” alone does not say what is asked about; ask the whole question")


def _times(sentence: Utterance) -> bool:
    """Return True if a fragment is a time: "in 1984", "before 1990", "1990"."""
    words = [w.low for w in sentence.words]
    at, found = int(words[0] in _TIMED), False
    while at < len(words):
        if (period := read_period(words, at)) is not None:
            at, found = period.end, True
        elif _dates(words[at]) or words[at].isdigit():
            at += 1
        else:
            return False
    return found


def _dates(word: str) -> bool:
    """Return True if a word may be between a preposition and a year."""
    return word.casefold() in {"the", "and", "year", "early", "late"} or month_number(word) > 0


def _change_time(sentence: Utterance, turn: Turn) -> Resolution:
    """Return the last question asked for another year or date."""
    last = split_utterance(turn.question, turn.topics)
    place = _time_in(last)
    new = sentence.text
    if place is None:
        if sentence.word(0) not in _TIMED or not re.match(r"(which|what|who|how many)\b", last.text, re.IGNORECASE):
            return Unresolved(NOTHING_LIKE_IT.format(new))
        return Resolved(f"{last.text} {new}?", meant(*turn.topics))
    start, end = place
    if sentence.word(0) not in _TIMED:
        new = f"{last.text[start:end].split()[0]} {new}" if last.text[start:end][:1].isalpha() else new
    return Resolved(f"{last.text[:start]}{new}{last.text[end:]}?", meant(*turn.topics))


def _time_in(sentence: Utterance) -> tuple[int, int] | None:
    """Return start and end, in characters, of the time in the last question with its preposition, or None."""
    words = [w.low for w in sentence.words]
    for i in range(len(words) - 1, -1, -1):
        if sentence.words[i].name or (period := read_period(words, i)) is None:
            continue
        start = i
        while start and _dates(words[start - 1]):
            start -= 1
        if start and words[start - 1] in _TIMED:
            start -= 1
        return sentence.words[start].start, sentence.words[period.end - 1].end
    return None


def _change_rank(sentence: Utterance, ends: Sequence[object], turn: Turn) -> Resolution:
    """Put "the second largest" in place of "the largest"; choose it among the answers if there were several."""
    words = [w for w in sentence.words if w.low not in {"the", "a", "one", "ones"}]
    new = " ".join(w.text for w in words)
    last = split_utterance(turn.question, turn.topics)
    place = find_rank(last.words)
    if place is None:
        group = set_phrase(turn)
        among = group.text if group is not None and group.text else join_answer_names(turn)
        if len(turn.answers) > 1 and among:
            return Resolved(f"Which of {among} is the {new}?", meant(*turn.topics, *turn.answers))
        return Unresolved(NOTHING_LIKE_IT.format(sentence.text))
    start, end = last.words[place[0]].start, last.words[place[1] - 1].end
    old = last.words[place[0] : place[1]]
    if len(words) == 1 and len(old) == 2 and words[0].low in number_words("ordinal"):
        end = old[0].end  # "the third" after "the second largest"
    noun = last.word(place[1])
    if len(words) > 1 and noun and words[-1].low == noun:
        new = " ".join(w.text for w in words[:-1])
    return Resolved(f"{last.text[:start]}{new}{last.text[end:]}?", meant(*turn.topics))


def _another_thing(sentence: Utterance, turn: Turn) -> Resolution:
    """Complete "of Spain" or "Wes Anderson" by putting the name in place of one in the last question."""
    preposition = sentence.word(0) if sentence.word(0) in PLACING else ""
    text = sentence.text[len(preposition) :].strip() if preposition else sentence.text
    new = _thing_said(sentence, text)
    options = _replaceable(turn, new, preposition)
    if not options:
        return Unresolved(NOTHING_LIKE_IT.format(text))
    full = tuple(_replace_name(turn, old, text) for old in options)
    if len(full) > 1:
        return Unresolved(f"“{text}” may take the place of {' or '.join(o.name for o in options)}", full)
    others = [t for t in turn.topics if t is not options[0]]
    return Resolved(full[0], meant(*others, *((new,) if new.key else ())))


def _thing_said(sentence: Utterance, text: str) -> Thing:
    """Return the one entity that is linked in the fragment, under the words that were used for it."""
    if len(sentence.names) == 1:
        return replace(sentence.names[0], name=sentence.text[sentence.names[0].start : sentence.names[0].end])
    return Thing(text)


def _replaceable(turn: Turn, new: Thing, preposition: str) -> list[Thing]:
    """Return the topics that a new thing may replace: those behind the same preposition, else those of its kind."""
    placed = [t for t in turn.topics if t.start >= 0 and _is_other(t, new)]
    if preposition:
        same = [t for t in placed if _behind(turn, t) == preposition]
        if not same and IDENTITY.match(turn.question) and not any(_behind(turn, t) for t in placed):
            return []  # "in Husum" is nothing like Ada in "Who is Ada?"
        return same or [t for t in placed if len(placed) == 1 and _alike(t, new) is not False]
    if len(placed) > 1:
        kin = [t for t in placed if t.kinds & new.kinds] or [t for t in placed if _alike(t, new)]
        return kin or [t for t in placed if _alike(t, new) is None]
    return [t for t in placed if _alike(t, new) is not False]


def _is_other(old: Thing, new: Thing) -> bool:
    return old.key != new.key if old.key and new.key else True


def _alike(old: Thing, new: Thing) -> bool | None:
    """Return True if both are persons or neither, and both places or neither; None if that is unknown."""
    if old.person is None or new.person is None:
        return None
    return old.person == new.person and old.place == new.place


def _behind(turn: Turn, topic: Thing) -> str:
    """Return the preposition before a topic: "of" in "the capital of the _", and also in "_'s capital"."""
    if turn.question[topic.end :][:2].casefold() in {"'s", "’s"}:
        return "of"
    before = [
        w.low for w in split_utterance(turn.question[: topic.start]).words if w.low not in {"the", "a", "an", "both"}
    ]
    return before[-1] if before and before[-1] in PLACING and before[-1] not in BE else ""


def _replace_name(turn: Turn, old: Thing, new: str) -> str:
    before, behind = turn.question[: old.start], turn.question[old.end :]
    if f" {before}".casefold().endswith(" the "):
        before = before[:-4]
    return before + new + behind


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
