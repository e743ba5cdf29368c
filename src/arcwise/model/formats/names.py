"""Names that a format cannot hold: an identifier stands for each, and what it stands for is kept beside it.

Hugin and GeNIe ask for identifiers, GeNIe for states as well, XML strips blanks and knows no control characters. A
name that a format takes is written as it is. For a variable with any other name the file also has a property of ours,
`arcwise_names`, with the variable's name and states as JSON; other programs skip it and show the identifiers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arcwise.errors import FormatError
from arcwise.files import parse_json

__all__ = ["PROPERTY", "Spelling", "identifier", "read_property", "spell", "spell_all"]

PROPERTY = "arcwise_names"

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*+")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a variable is written: its identifier, those of its states, and the property with what they stand for."""

    name: str
    states: tuple[str, ...]
    note: str | None


def identifier(text: str) -> bool:
    """Say whether a text is a letter followed by letters, digits and underscores, all ASCII."""
    return _IDENTIFIER.fullmatch(text) is not None


def spell_all(
    names: Sequence[str],
    states: Sequence[Sequence[str]],
    is_name: Callable[[str], bool],
    is_state: Callable[[str], bool],
) -> list[Spelling]:
    """Return how the variables of a network are written, given which names and states the format takes."""
    written = spell(names, is_name)
    found = []
    for name, own, called in zip(names, states, written, strict=True):
        words = spell(own, is_state)
        same = called == name and list(own) == words
        note = None if same else json.dumps({"name": name, "states": list(own)})
        found.append(Spelling(called, tuple(words), note))
    return found


def spell(texts: Sequence[str], is_taken: Callable[[str], bool]) -> list[str]:
    """Return a text for each that the format takes, all different; those that it takes stay as they are."""
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise FormatError(f"the name {text!r} is not valid Unicode. Rename it.") from None
    used = {text for text in texts if is_taken(text)}
    found = []
    for text in texts:
        if is_taken(text):
            found.append(text)
            continue
        plain = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")[:60]
        stem = plain if identifier(plain) and is_taken(plain) else f"x_{plain}".rstrip("_")
        number, chosen = 1, stem
        while chosen in used:
            number += 1
            chosen = f"{stem}_{number}"
        used.add(chosen)
        found.append(chosen)
    return found


def read_property(text: str, count: int, source: str) -> tuple[str, list[str]]:
    """Return the name and the `count` states that a property says."""
    found = parse_json(text, source=source)
    name = found.get("name") if isinstance(found, dict) else None
    states = found.get("states") if isinstance(found, dict) else None
    if not isinstance(name, str) or not isinstance(states, list) or not all(isinstance(s, str) for s in states):
        raise FormatError(f"{source}: the property {PROPERTY} must have a name and a list of states.")
    if len(states) != count:
        raise FormatError(f"{source}: the property {PROPERTY} names {len(states)} states of '{name}'; it has {count}.")
    return name, states
