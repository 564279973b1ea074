"""Comparable lists of names in a group: names that one source runs together and others give alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz

from hydra_kg.fusion.normalisation.person_names import Tokens, compatible, name_key, people, tokens_of

# Spelling variants of one name differ by a letter or two; names of two people of one group seldom do.
ALIKE = 90.0


def usual_names(statements: Iterable[str]) -> frozenset[str]:
    """Return the keys of names of two or three words that stand alone in two or more statements of any group."""
    seen: Counter[str] = Counter()
    for text, count in Counter(statements).items():
        for words in map(tokens_of, people(text)[0]):
            if len(words) in (2, 3):
                seen[name_key(words)] += count
    return frozenset(key for key, count in seen.items() if count > 1)


def same_people(
    statements: Sequence[tuple[int, str]], usual: frozenset[str] = frozenset()
) -> tuple[tuple[str, ...], list[tuple[int, int, int]]]:
    """Return the persons that the statements (source, text) of one group name, and which source names whom.

    The result is texts (one for each person, as most sources write it) and rows (source, person, index of the
    statement).

    Bare surnames and run-together names are resolved by names that others give alone. These names come from the group,
    or from any group (``usual``) if the whole run consists of them. A surname that fits several persons is dropped; one
    that fits none stays. Names that can belong to one person, with initials, middle names or a letter's difference, are
    one person.
    """
    if len(statements) == 1:  # most groups: nothing to compare with
        source, text = statements[0]
        if all(len(tokens_of(name)) < 4 for name in people(text)[0]):
            alone = {name_key(tokens_of(name)): name for name in people(text)[0]}
            return tuple(alone.values()), [(source, person, 0) for person in range(len(alone))]
    named: list[tuple[int, int, str, Tokens]] = []
    for index, (source, text) in enumerate(statements):
        named += [(source, index, name, tokens_of(name)) for name in people(text)[0]]
    spellings: dict[Tokens, set[int]] = {}
    for source, _, _, words in named:
        spellings.setdefault(words, set()).add(source)
    known = {name_key(w): w for w in sorted(spellings, key=lambda w: (-len(spellings[w]), w)) if _long(w) > 1}
    parts = {words: _lift(words, known, spellings, usual) for words in spellings}
    spelled: dict[str, Counter[str]] = {}
    form: dict[str, Tokens] = {}
    rows: list[tuple[int, int, str]] = []
    for source, index, name, words in named:
        for piece in parts[words]:
            key = name_key(piece)
            rows.append((source, index, key))
            form.setdefault(key, piece)
            own = parts[words] == (words,)
            spelled.setdefault(key, Counter())[name if own else " ".join(piece)] += own
    support = Counter(key for _, key in {(source, key) for source, _, key in rows})
    person = _clusters(support, form)
    order: dict[str, int] = {}
    for _, _, key in rows:
        order.setdefault(person[key], len(order))
    texts = tuple(max(spelled[key].items(), key=lambda item: (item[1], item[0]))[0] for key in order)
    return texts, [(source, order[person[key]], index) for source, index, key in rows]


def _long(words: Iterable[str]) -> int:
    return sum(len(w) > 1 for w in words)


def _lift(
    words: Tokens, known: dict[str, Tokens], spellings: dict[Tokens, set[int]], usual: frozenset[str]
) -> tuple[Tokens, ...]:
    """Return the names in a run of words, by names that others give, or the run itself if nothing is known of it."""
    if len(words) == 1:
        return _expand_surname(words, known, spellings)
    left, found = list(words), []
    shorter = [name for name in known.values() if len(name) < len(words) and _long(name) > 1]
    for name in sorted(shorter, key=lambda n: (-len(spellings[n]), len(n), n)):
        at = _inside(name, left)
        if at is not None:
            found.append(name)
            left[at : at + len(name)] = ["\n"]
    runs = [tuple(run.split()) for run in " ".join(left).split("\n") if run.strip()]
    if not found:
        return _halves(words, usual) or _split_attached_surname(words, known, spellings)
    rest: list[Tokens] = []
    for run in runs:
        if _long(run) > 1:
            rest.append(run)
        elif _long(run) == 1:
            rest += [name for name in _expand_surname(run, known, spellings) if len(name) > 1 and name not in found]
    # One known name and a word that is nobody's: a middle name or a second surname.
    return (*found, *rest) if len(found) + len(rest) > 1 else (words,)


def _expand_surname(words: Tokens, known: dict[str, Tokens], spellings: dict[Tokens, set[int]]) -> tuple[Tokens, ...]:
    """Return the group's full name for a bare surname, or for a name without its space."""
    word = max(words, key=len)
    names = [name for name in known.values() if len(name) < 5]
    glued = [n for n in names if word in ("".join(n), "".join((n[-1], *n[:-1])), "".join((*n[1:], n[0])))]
    holders = glued or [name for name in names if word in (name[0], name[-1])]
    if not holders:
        return (words,)
    best = max(holders, key=lambda n: (len(spellings[n]), n))
    return (best,) if all(compatible(best, n) for n in holders) else ()


def _halves(words: Tokens, usual: frozenset[str]) -> tuple[Tokens, ...]:
    """Return the run cut into names of two or three words that are all usual, or nothing."""
    if len(words) < 4:
        return ()
    for size in (2, 3):
        head, tail = words[:size], words[size:]
        if name_key(head) in usual:
            rest = (tail,) if len(tail) in (2, 3) and name_key(tail) in usual else _halves(tail, usual)
            if rest:
                return (head, *rest)
    return ()


def _split_attached_surname(
    words: Tokens, known: dict[str, Tokens], spellings: dict[Tokens, set[int]]
) -> tuple[Tokens, ...]:
    """Return a name without the surname of the next person in a list, if it was attached to the name's end.

    Two sources must know that person.
    """
    body, last = words[:-1], words[-1]
    others = [n for n in known.values() if last in (n[0], n[-1]) and len(n) < len(words) + 2 and len(spellings[n]) > 1]
    if _long(body) > 1 and others and not any(compatible(words, n) or set(body) & set(n) for n in others):
        return (body,)
    return (words,)


def _inside(name: Tokens, words: list[str]) -> int | None:
    """Return the index where the words of a name occur next to each other, in any order, or None."""
    wanted = sorted(name)
    return next((i for i in range(len(words) - len(name) + 1) if sorted(words[i : i + len(name)]) == wanted), None)


def _clusters(support: Counter[str], form: dict[str, Tokens]) -> dict[str, str]:
    """Return the person of each key, named by the key with the most sources.

    A key joins one person only, the best supported one.
    """
    person: dict[str, str] = {}
    heads: list[str] = []
    for key in sorted(support, key=lambda k: ("?" in k, -support[k], -len(k), k)):
        fits = [h for h in heads if compatible(form[key], form[h]) or fuzz.ratio(key, h) >= ALIKE]
        person[key] = fits[0] if fits else key
        if not fits:
            heads.append(key)
    return person
