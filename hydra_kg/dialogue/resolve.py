"""Resolve a follow-up to a question that can be asked alone, or explain why that is impossible.

Resolving is a pure function of the follow-up and the last turn. The graph's knowledge of the entities is passed with
them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Final

from hydra_kg.agents.planning.lexicon import BE, CLOSED, PLACING, is_noun
from hydra_kg.dialogue.antecedents import antecedent, find_related_thing, refers_to_missing_answer
from hydra_kg.dialogue.ellipsis import complete_comparison, complete_count, identity, meant, part_of_question, phrase_of
from hydra_kg.dialogue.follow_up_words import (
    IDENTITY,
    Utterance,
    fits,
    is_plural,
    owns,
    pronoun_of,
    split_utterance,
    stems,
)
from hydra_kg.dialogue.set_pronouns import MOST_NAMED, join_answer_names, join_names, phrase_of_last_set, set_phrase
from hydra_kg.dialogue.turn import Resolution, Resolved, Thing, Turn, Unresolved
from hydra_kg.steps.retrieval.entity_types import kinds_named

_POINTING: Final = frozenset("this that these those".split())
_EXPLETIVE: Final = re.compile(r"\bis it true\b|\bit is\b|\bis it (?:that|known)\b", re.IGNORECASE)
_ROLE: Final = re.compile(r"^(?:who|what) (?:is|are|was|were) (the [\w -]+)$", re.IGNORECASE)


def resolve(text: str, turn: Turn, names: Sequence[Thing] = ()) -> Resolution:
    """Return the full question for a follow-up, unchanged if it refers to nothing.

    names: entities that the follow-up names itself.
    """
    sentence = split_utterance(text, names)
    if not sentence.words:
        return Unresolved("nothing was asked")
    if turn.question and sentence.text.casefold() in ("why", "how come", "how do you know", "how do you know that"):
        return Resolved(turn.question, meant(*turn.topics))  # its answer comes with the evidence
    if (found := _others(sentence, turn)) is not None:
        return found
    if any(w.low == "else" for w in sentence.words):
        return Unresolved("“else” leaves out what was answered, which is not understood: ask the whole question")
    if (again := _resolve_set(sentence, turn) or complete_count(sentence, turn)) is not None:
        return again
    if spots := _pronouns(sentence):
        return _replace_pronouns(sentence, spots, turn)
    if (pointed := _resolve_demonstrative(sentence, turn)) is not None:
        return pointed
    if not sentence.whole:
        if not sentence.continued and not turn.question:
            return Resolved(text, changed=False)
        return part_of_question(sentence, turn)
    if (again := complete_comparison(sentence, turn)) is not None:
        return again
    if not any(w.name for w in sentence.words) and (role := _ROLE.match(sentence.text)):
        found = part_of_question(split_utterance(role[1]), turn)
        return (
            found if isinstance(found, Resolved) or turn.topics else Resolved(_question(sentence.text), changed=False)
        )
    if not sentence.continued:
        return Resolved(text, changed=False)
    return Resolved(_question(sentence.text), changed=False)


def _others(sentence: Utterance, turn: Turn) -> Resolution | None:
    """Resolve "what other films did he direct?" to a question that excludes the films of the last turn."""
    at = next(
        (i for i, w in enumerate(sentence.words) if w.low == "other" and sentence.word(i - 1) in ("what", "which")), -1
    )
    if at < 0:
        return None
    noun = sentence.word(at + 1)
    rest = f"{sentence.text[: sentence.words[at].start]}{sentence.text[sentence.words[at].end :].lstrip()}"
    found = resolve(rest, turn, ())
    kinds = kinds_named(noun) or kinds_named(noun.removesuffix("s"))
    spoken = [t for t in (*turn.topics, *turn.answers) if t.kinds & kinds]
    if not isinstance(found, Resolved) or not found.changed or not spoken or len(spoken) > MOST_NAMED:
        return found
    text = f"{found.text.rstrip('?. ')} other than {join_names(tuple(spoken))}"
    return Resolved(_question(text), (*found.meant, *meant(*spoken)))


def _resolve_set(sentence: Utterance, turn: Turn) -> Resolution | None:
    found = phrase_of_last_set(sentence, turn)
    if found is None:
        return None
    if not found:
        return Unresolved("“them” has too many meanings here to be put into a question: ask with names")
    return Resolved(_question(found), meant(*turn.topics, *turn.answers[:MOST_NAMED]))


def _pronouns(sentence: Utterance) -> list[int]:
    """Return the places of pronouns that refer to the last turn, and not to a name before them in the sentence."""
    if _EXPLETIVE.search(sentence.text):
        return []
    spots = []
    for i, w in enumerate(sentence.words):
        pronoun = pronoun_of(w, i == 0)
        around = {sentence.word(i - 1), sentence.word(i + 1)}
        if not pronoun or (pronoun == "there" and around & (BE | {"s"})):
            continue
        if not any(n.end <= w.start and _explains(n, pronoun, sentence) for n in sentence.names):
            spots.append(i)
    return spots


def _explains(name: Thing, pronoun: str, sentence: Utterance) -> bool:
    """Return True if a later pronoun may stand for this name; a single lower-case word may not be a name."""
    text = sentence.text[name.start : name.end]
    return fits(name, pronoun) is not False and (" " in text or not text.islower())


def _replace_pronouns(sentence: Utterance, spots: Sequence[int], turn: Turn) -> Resolution:
    """Return the question with names in place of its pronouns."""
    text, put, shift = sentence.text, [], 0
    alone = not sentence.whole
    for i in spots:
        word, pronoun = sentence.words[i], sentence.words[i].low
        found = _meant_by(pronoun, turn, stems(w.low for w in sentence.words if not w.name))
        if not alone and refers_to_missing_answer(turn, partial(fits, pronoun=pronoun)):
            return Unresolved(f"“{pronoun}” may mean the answer of the last question, which had none")
        if isinstance(found, Unresolved):
            return found
        phrase, things = found
        owning = owns(sentence, i)
        if alone:
            return _fragment(sentence, i, phrase, things, turn)
        new, end = phrase, word.end
        if owning and len(things) == 1:
            new = f"{phrase}'s"
        elif owning:
            end = _end_of_noun(sentence, i + 1)
            new = f"the {sentence.text[word.end : end].strip()} of {phrase}"
        elif pronoun == "there" and sentence.word(i - 1) not in PLACING:
            new = f"in {phrase}"
        text = text[: word.start + shift] + new + text[end + shift :]
        shift += len(new) - (end - word.start)
        put += list(things)
    return Resolved(_question(text), meant(*dict.fromkeys(put)))


def _meant_by(pronoun: str, turn: Turn, about: frozenset[str]) -> tuple[str, tuple[Thing, ...]] | Unresolved:
    """Return the phrase and the things that a pronoun stands for, or why it cannot be resolved.

    about: stems of the other words of the follow-up.
    """
    if is_plural(pronoun) and len(turn.answers) > 1:
        phrase = set_phrase(turn)
        text = phrase.text if phrase is not None and phrase.text else join_answer_names(turn)
        if not text:
            return Unresolved(f"“{pronoun}” means {len(turn.answers)} answers, which no phrase names")
        return text, turn.answers
    found = antecedent(turn, partial(fits, pronoun=pronoun))
    if is_plural(pronoun) and found == ():
        found = antecedent(turn, lambda t: t.person or None)  # "they" of one person
    if isinstance(found, Thing):
        if found.person is False:
            found = find_related_thing(turn, found, partial(fits, pronoun=pronoun), about)
        return phrase_of(found, turn), (found,)
    if not found:
        return Unresolved(f"nothing in the last question or its answer fits “{pronoun}”")
    several = " or ".join(t.name for t in found[:MOST_NAMED])
    return Unresolved(f"“{pronoun}” could mean {several}{' or others' if len(found) > MOST_NAMED else ''}")


def _fragment(sentence: Utterance, i: int, phrase: str, things: tuple[Thing, ...], turn: Turn) -> Resolution:
    """Resolve "his wife" to a question who she is.

    After a question about him alone, it may also ask the same about her. Both questions are then offered.
    """
    noun = sentence.text[sentence.words[i].end :].strip()
    if i or not owns(sentence, 0) or not noun or not is_noun(sentence.words[-1].low):
        return Unresolved(f"“{sentence.text}” does not say what is asked; ask the whole question")
    if len(things) > 1:
        return Resolved(f"What are the {noun} of {phrase}?", meant(*things))
    one = things[0]
    full = identity(noun, f"{phrase}'s {noun}", one, turn)
    again = "person" in kinds_named(noun) and one.person and one.start >= 0 and not _is_possessor(turn, one)
    if again:
        same = f"{turn.question[: one.start]}{phrase}'s {noun}{turn.question[one.end :]}"
        return Unresolved(f"“{sentence.text}” may ask two things", (full.text, same))
    return full


def _is_possessor(turn: Turn, one: Thing) -> bool:
    """Return True if the last question already asked for something of this thing: "who was _'s father"."""
    return IDENTITY.match(turn.question) is not None


def _resolve_demonstrative(sentence: Utterance, turn: Turn) -> Resolution | None:
    """Resolve "that film" or "the series" to a thing of the last turn; return None if nothing is pointed at."""
    for i, w in enumerate(sentence.words):
        if w.name or w.low not in _POINTING | {"the"}:
            continue
        end = i + 1
        noun = sentence.word(end)
        pointing, kinds = w.low in _POINTING, kinds_named(noun)
        if not kinds or sentence.words[end].name:
            if pointing and (not noun or noun in CLOSED) and (i == 0 or sentence.word(i - 1) in BE):
                return Unresolved(f"it is not clear what “{w.low}” means; ask the whole question")
            continue
        after = sentence.word(end + 1)
        if not pointing and (
            after in PLACING | {"that", "which", "who", "whose", "where"} or _is_name_at(sentence, end + 1)
        ):
            continue
        if _is_name_at(sentence, end + 1):
            continue
        one = noun if pointing else noun.removesuffix("s")
        found = antecedent(turn, partial(_is_so, noun=one, kinds=kinds, strictly=not pointing))
        if isinstance(found, Thing):
            put = f"{sentence.text[: w.start]}{phrase_of(found, turn)}{sentence.text[sentence.words[end].end :]}"
            return Resolved(_question(put), meant(found))
        if pointing:
            return Unresolved(f"nothing in the last question or its answer is “{w.low} {noun}”")
    return None


def _is_so(thing: Thing, noun: str, kinds: frozenset[str], *, strictly: bool) -> bool | None:
    if strictly and "person" in kinds:
        return noun in thing.nouns
    return bool(thing.kinds & kinds) if thing.kinds else False


def _is_name_at(sentence: Utterance, i: int) -> bool:
    return i < len(sentence.words) and sentence.words[i].name


def _end_of_noun(sentence: Utterance, i: int) -> int:
    """Return the position where the noun phrase that begins at a word ends."""
    while i < len(sentence.words) - 1 and sentence.word(i + 1) not in CLOSED and is_noun(sentence.word(i + 1)):
        i += 1
    return sentence.words[min(i, len(sentence.words) - 1)].end


def _question(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}?"
