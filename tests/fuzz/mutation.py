"""How files are broken: bytes, tokens and lines of text, trees of JSON, arrays."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["mutate_arrays", "mutate_bytes", "mutate_json", "mutate_text"]

# Tokens that go where others were: too large, too small, not a number, the wrong kind, syntax, other scripts.
TOKENS = (
    *("", " ", "0", "-1", "1", "2", "1e999", "-1e308", "nan", "inf", "9" * 20, "9" * 400, "9" * 5000, "0x10", "1.5"),
    *(
        "abc",
        "a",
        "b",
        "NA",
        "?",
        "null",
        "true",
        "None",
        "é",
        "\u202e",
        "😀",
        "\0",
        "\x1c",
        "\u2028",
        "\x85",
        "\ufeff",
    ),
    *('"', "'", ",", ";", "\t", "{", "}", "[", "]", "(", ")", "|", "#", "%", "\\", "/", "..", "-", "->", "--", "="),
    *("\n", "\r", "\r\n", "\n\n", "<", ">", "&", "&#0;", "<!--", "-->", "]]>", "/*", "*/", "//", "@data", "@attribute"),
    *('"\\ud800"', "[" * 2000, "{" * 2000, '{"a":' * 500, "'" * 500, "\\'" * 500, "\n" * 3000, "a" * 5000, "(" * 3000),
    *("1979-05-27", "0000-00-00", "+inf", "1_000", "'''", '"""', "[[x]]", "a.b.c", "2024-13-01", "99:99:99"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 2**31, 2**63, 10**400, -(2**63), 0.5, -1.5, 1e308, float("nan"), float("inf")),
    *("", "a", "b", "zz", "complete", "\ud800", "\0", "a" * 3000, [], {}, [[]], [None], {"a": 1}, [0, 2**47, 2**47]),
    [0] * 70,
)
NUMBERS = (0, 1, 2, 3, 5, 127, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1)
FLOATS = (0.0, -0.0, 1.0, -1.0, 1e-300, 1e308, -1e308, float("inf"), float("-inf"), float("nan"))
TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)


def mutate_bytes(content: bytes, rng: random.Random) -> bytes:
    """Return the bytes with some changed, cut out, doubled or cut off."""
    found = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 5, 20))):
        at = rng.randrange(len(found) + 1)
        match rng.randrange(5):
            case 0 if found:
                found[at % len(found)] = rng.randrange(256)
            case 1:
                del found[at : at + rng.choice((1, 2, 8, 64))]
            case 2:
                found[at:at] = found[at : at + rng.choice((1, 4, 32))] * rng.choice((1, 2, 50))
            case 3:
                found[at:at] = rng.randbytes(rng.choice((1, 2, 8)))
            case _:
                del found[at:]
    return bytes(found)


def mutate_text(text: str, rng: random.Random) -> str:
    """Return the text with tokens or lines replaced, left out, doubled or swapped."""
    tokens = TOKEN.findall(text) or [""]
    for _ in range(rng.choice((1, 1, 1, 2, 3, 10))):
        at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        match rng.randrange(7):
            case 0 | 1:
                tokens[at] = rng.choice(TOKENS)
            case 2:
                tokens.insert(at, rng.choice(TOKENS))
            case 3:
                tokens[at] = ""
            case 4:
                tokens[at] = tokens[at] * rng.choice((2, 3, 100))
            case 5:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case _:
                lines = "".join(tokens).splitlines(keepends=True) or [""]
                here = rng.randrange(len(lines))
                lines[here : here + 1] = rng.choice(([], [lines[here]] * 2, [rng.choice(lines)], lines))
                tokens = TOKEN.findall("".join(lines)) or [""]
    return "".join(tokens)[: 1 << 20]


def mutate_json(value: Any, rng: random.Random) -> Any:
    """Return a tree with one of its values replaced, removed, doubled or renamed."""
    found = copy.deepcopy(value)
    places: list[tuple[Any, Any]] = []
    waiting = [found]
    while waiting:
        item = waiting.pop()
        keys: list[Any] = (
            list(item) if isinstance(item, dict) else list(range(len(item))) if isinstance(item, list) else []
        )
        places += [(item, key) for key in keys]
        waiting += [item[key] for key in keys]
    if not places:
        return rng.choice(VALUES)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        holder, key = rng.choice(places)
        if (isinstance(holder, list) and key >= len(holder)) or (isinstance(holder, dict) and key not in holder):
            continue
        match rng.randrange(5):
            case 0 | 1:
                holder[key] = copy.deepcopy(rng.choice(VALUES))
            case 2:
                del holder[key]
            case 3:
                other, place = rng.choice(places)
                if (isinstance(other, dict) and place in other) or (isinstance(other, list) and place < len(other)):
                    holder[key] = copy.deepcopy(other[place])
            case _ if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[key]))
            case _:
                holder[rng.choice(("zz", "names", "a"))] = holder[key]
    return found


def mutate_arrays(arrays: dict[str, NDArray[Any]], rng: random.Random) -> dict[str, NDArray[Any]]:
    """Return the arrays with entries, lengths, types or shapes of some changed."""
    found = {name: array.copy() for name, array in arrays.items()}
    for _ in range(rng.choice((1, 1, 2, 4))):
        name = rng.choice(list(found))
        array = found[name]
        match rng.randrange(8):
            case 0 | 1 | 2 if array.size:
                flat = array.reshape(-1)
                at = rng.randrange(array.size)
                near = flat[at].item() + rng.choice((-1, 1, 2))
                chosen = near if rng.random() < 0.5 else rng.choice(FLOATS if array.dtype.kind == "f" else NUMBERS)
                flat[at] = np.array(chosen).astype(array.dtype) if array.dtype.kind == "f" else _wrapped(chosen, array)
                found[name] = flat.reshape(array.shape)
            case 3:
                found[name] = array[:-1]
            case 4:
                found[name] = np.concatenate([array, array[:1]])
            case 5:
                with np.errstate(all="ignore"):
                    found[name] = array.astype(rng.choice(("u1", "u2", "u4", "i4", "i8", "f8")))
            case 6:
                found[name] = array.reshape(rng.choice(((1, -1), (-1, 1)))) if array.size else array
            case _ if len(array) > 1:
                one, two = rng.randrange(len(array)), rng.randrange(len(array))
                found[name][[one, two]] = found[name][[two, one]]
            case _:
                del found[name]
                if not found:
                    return dict(arrays)
    return found


def _wrapped(value: Any, array: NDArray[Any]) -> Any:
    bits = 8 * array.dtype.itemsize
    return np.array(int(value) & (2**bits - 1), dtype=f"u{bits // 8}").view(array.dtype)


def in_json(change: Callable[[Any, random.Random], Any], text: str, rng: random.Random) -> str:
    """Apply a change to what JSON text holds."""
    return json.dumps(change(json.loads(text), rng))
