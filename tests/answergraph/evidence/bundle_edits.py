"""Edits of a saved bundle: one value changed, removed, added or moved, or one character of its file changed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from answergraph.evidence import verify_bundle
from answergraph.runtime.errors import BundleError

Place = tuple[Any, ...]
JUNK: tuple[Any, ...] = (None, True, 7, -1, 1.5, 1e400, "", "x", "\ud800", [], {}, [[]], {"": None})


def is_found(bundle: Any, *, key: bytes | None = None) -> bool:
    """Return whether the verifier rejects a bundle, or says that it does not hold."""
    try:
        verdicts = verify_bundle(bundle, key=key)
    except BundleError:
        return True
    return not (verdicts and all(verdict.holds for verdict in verdicts))


def places_in(value: Any, path: Place = ()) -> Iterator[Place]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places_in(item, (*path, key))


def at(value: Any, place: Place) -> Any:
    for key in place:
        value = value[key]
    return value


def left_out(parent: Any, key: Any, saved: Any, random: Random) -> None:
    del parent[key]


def put_in(parent: Any, key: Any, saved: Any, random: Random) -> None:
    if isinstance(parent, list):
        parent.insert(key, random.choice([copy.deepcopy(parent[key]), random.choice(JUNK)]))
    else:
        parent[f"{key}_2"] = parent[key]


def renamed(parent: Any, key: Any, saved: Any, random: Random) -> None:
    if isinstance(parent, dict):
        parent[f"{key} "] = parent.pop(key)


def swapped(parent: Any, key: Any, saved: Any, random: Random) -> None:
    other = random.choice(list(parent) if isinstance(parent, dict) else range(len(parent)))
    parent[key], parent[other] = parent[other], parent[key]


def replaced(parent: Any, key: Any, saved: Any, random: Random) -> None:
    parent[key] = copy.deepcopy(random.choice(JUNK))


def taken_from_elsewhere(parent: Any, key: Any, saved: Any, random: Random) -> None:
    others = [at(saved, place) for place in places_in(saved)]
    parent[key] = copy.deepcopy(random.choice([one for one in others if type(one) is type(parent[key])]))


def changed_a_little(parent: Any, key: Any, saved: Any, random: Random) -> None:
    value = parent[key]
    if isinstance(value, bool):
        parent[key] = not value
    elif isinstance(value, int | float):
        parent[key] = value + random.choice([-1, 1, 0.5])
    elif isinstance(value, str):
        parent[key] = one_character_changed(value, random)


Edit = Callable[[Any, Any, Any, Random], None]
EDITS: tuple[Edit, ...] = (left_out, put_in, renamed, swapped, replaced, taken_from_elsewhere, changed_a_little)


def edited(saved: dict[str, Any], random: Random) -> tuple[str, Place, dict[str, Any]]:
    """Return the kind and place of an edit, and an edited copy of the bundle."""
    places = list(places_in(saved))
    while True:
        changed, place, edit = copy.deepcopy(saved), random.choice(places), random.choice(EDITS)
        edit(at(changed, place[:-1]), place[-1], saved, random)
        if repr(changed) != repr(saved) and changed != saved:
            return edit.__name__, place, changed


def one_character_changed(text: str, random: Random) -> str:
    """Return a text with one character removed, added or replaced."""
    place, new = random.randrange(len(text) + 1), random.choice(' \n\t",:{}[]\\01eu.-aZé')
    return text[:place] + random.choice(["", new]) + text[place + random.choice([0, 1]) :]


def as_read(text: str) -> Any:
    """Return the content of a JSON file: every name with its value, duplicate names included."""
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: sorted(map(repr, pairs)))
    except ValueError:
        return None
