"""How objects show themselves: at most one screen of text, tables in a notebook, and the words of numbers and lists.

A repr is read at a prompt. One that prints a matrix of 40 x 40 numbers, or ten thousand deviations, hides what it is;
these helpers say of such a value what it is and how large, and show the first few of many things.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

# A screen, less than most terminals have, and how many members of a collection it shows.
WIDTH = 110
LINES = 20
MEMBERS = 6
TEXT = 80

Kind = TypeVar("Kind", bound=type)


def one_screen(kind: Kind) -> Kind:
    """Give a dataclass a repr of at most one screen: the usual one where it is short."""

    def show(self: Any) -> str:
        fields = [field.name for field in dataclasses.fields(self) if field.repr]
        parts = [f"{name}={brief(getattr(self, name))}" for name in fields]
        name = type(self).__qualname__
        line = f"{name}({', '.join(parts)})"
        if len(line) <= WIDTH:
            return line
        more = [f"    ... {len(parts) - LINES} more fields"] if len(parts) > LINES else []
        return "\n".join([f"{name}(", *(f"    {clipped(part, WIDTH - 5)}," for part in parts[:LINES]), *more, ")"])

    show.__name__ = "__repr__"
    show.__qualname__ = f"{kind.__qualname__}.__repr__"
    setattr(kind, "__repr__", show)  # noqa: B010
    return kind


def data_frame(content: Any, **options: Any) -> pd.DataFrame:
    """Return a table of pandas, which takes a while to load and is loaded when the first table is asked for."""
    import pandas as pd

    return pd.DataFrame(content, **options)


def brief(value: Any) -> str:
    """Return a value in a few words: short ones whole, of many things the first few, of an array its shape.

    >>> brief(range(1000)), brief(np.zeros((40, 40)))
    ('range(0, 1000)', '<array of 40 x 40 float64>')
    """
    if isinstance(value, np.ndarray) and value.size > MEMBERS:
        text = f"<array of {_by(value.shape)} {value.dtype}>"
    elif isinstance(value, np.ndarray | np.generic):
        text = repr(value.tolist())
    elif isinstance(value, Enum):
        text = str(value)
    elif isinstance(value, str | bytes):
        text = repr(value) if len(value) <= TEXT else f"{value[:TEXT]!r}..."
    elif isinstance(value, (tuple, list, set, frozenset, Mapping)):
        text = _brief_collection(value)
    elif type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "shape"):
        text = f"<{type(value).__name__} of {_by(value.shape)}>"
    else:
        text = repr(value)
        if len(text) > TEXT or "\n" in text:
            first = text.partition("\n")[0].removesuffix("(")
            text = f"{first[:TEXT].rstrip()} ...)" if "(" in first else f"{type(value).__name__}(...)"
    return text


def _by(shape: Sequence[int]) -> str:
    return " x ".join(f"{size:,}" for size in shape)


def _brief_collection(value: Any) -> str:
    first = list(itertools.islice(value, MEMBERS))
    more = f", ... {len(value) - len(first):,} more" if len(value) > len(first) else ""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{brief(key)}: {brief(value[key])}' for key in first)}{more}}}"
    inner = ", ".join(map(brief, first)) + more
    if isinstance(value, list):
        return f"[{inner}]"
    if isinstance(value, tuple):
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return f"{{{inner}}}" if value else repr(value)


def clipped(text: str, width: int) -> str:
    """Return a text in one line of at most `width` characters."""
    line = " ".join(text.split("\n"))
    return line if len(line) <= width else f"{line[: width - 3]}..."


def wrapped(head: str, items: Iterable[str], end: str) -> str:
    """Return `head`, the items with commas between them, and `end`: in one line, or in lines that fill a screen."""
    listed = list(items)
    line = f"{head}{', '.join(listed)}{end}"
    if len(line) <= WIDTH:
        return line
    lines = [""]
    for k, item in enumerate(listed):
        own = clipped(item, WIDTH - 10) + ("," if k + 1 < len(listed) else "")
        if lines[-1] and len(lines[-1]) + 1 + len(own) > WIDTH - 4:
            if len(lines) == LINES:
                lines.append(f"... {len(listed) - k:,} more")
                break
            lines.append("")
        lines[-1] = f"{lines[-1]} {own}" if lines[-1] else own
    return "\n".join([head.rstrip(), *(f"    {line}" for line in lines)]) + end


def html_table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]], n_rows: int) -> str:
    """Return a table for a notebook: the given rows, of `n_rows` that there are; names and texts are escaped."""
    body = "".join(f"<tr>{''.join(f'<td>{escape(_cell(cell))}</td>' for cell in row)}</tr>" for row in rows)
    shown = body.count("<tr>")
    more = f"<p>... {n_rows - shown:,} more rows</p>" if n_rows > shown else ""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    return (
        f"<div><p>{escape(caption)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>"
    )


class ShowsFrame:
    """Something that a notebook shows as the first rows of its table."""

    def to_frame(self) -> pd.DataFrame:
        """Return it as a table."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        rows = frame.head(LINES).itertuples(index=False, name=None)
        return html_table(repr(self), list(map(str, frame)), rows, len(frame))


def _cell(value: object) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    return clipped(str(value), TEXT)


# Numbers and lists as people read them: what is only rounded to all or nothing is not shown as all or nothing.


EQUAL = 1e-9  # a sum of weights that differs from 1 by less is 1


def show_confidence(value: float, digits: int = 3) -> str:
    """Return a confidence with this many digits; 1 is shown only for every network, 0 only for none.

    >>> show_confidence(1.0), show_confidence(0.99996), show_confidence(0.8191), show_confidence(0.0001)
    ('1.000', '>0.999', '0.819', '<0.001')
    >>> show_confidence(0.996, 2), show_confidence(0.0, 2)
    ('>0.99', '0.00')
    """
    text = f"{round(value, 9):.{digits}f}"  # sums of weights that differ by rounding alone look the same
    step = 10.0**-digits
    if value < 1 - EQUAL and float(text) >= 1:
        return f">{1 - step:.{digits}f}"
    if value > EQUAL and float(text) <= 0:
        return f"<{step:.{digits}f}"
    return text


def show_range(low: float, high: float, digits: int = 2) -> str:
    """Return two confidences as a range, or as one number if they look the same.

    >>> show_range(0.71, 0.944), show_range(0.951, 0.949), show_range(0.5, 1.0)
    ('0.71 to 0.94', '0.95', '0.50 to 1.00')
    """
    first, last = show_confidence(low, digits), show_confidence(high, digits)
    return first if first == last else f"{first} to {last}"


def round_inside(value: float, digits: int) -> float:
    """Round a share for a file, but not to 0 or 1 if it is neither.

    >>> round_inside(0.9999999, 4), round_inside(1.0, 4), round_inside(0.00001, 4), round_inside(0.25, 4)
    (0.9999, 1.0, 0.0001, 0.25)
    """
    rounded, step = round(value, digits), 10.0**-digits
    if rounded >= 1 and value < 1 - EQUAL:
        return round(1 - step, digits)
    return step if rounded <= 0 and value > EQUAL else rounded


def show_figure(value: float, *, signed: bool = True) -> str:
    """Return a figure in units with the three digits that tell, and without an exponent below ten million.

    >>> show_figure(26071.3), show_figure(-0.04567), show_figure(999.7, signed=False), show_figure(4.2e8)
    ('+26,100', '-0.0457', '1,000', '+4.2e+08')
    """
    sign, rounded = "+" if signed else "", float(f"{value:.3g}")
    return f"{rounded:{sign},.0f}" if 1e3 <= abs(rounded) < 1e7 else f"{value:{sign}.3g}"


def percent(share: float) -> str:
    """Return a share as a percentage that never rounds to none or all.

    >>> percent(0.5), percent(0.9999), percent(0.0004), percent(1.0)
    ('50%', 'over 99%', 'under 1%', '100%')
    """
    if EQUAL < share < 0.005:
        return "under 1%"
    if 0.995 <= share < 1 - EQUAL:
        return "over 99%"
    return f"{share:.0%}"


def plural(count: float, noun: str, nouns: str = "") -> str:
    """Return the form of a word that fits a number: "edge" or "edges", "is" or "are".

    >>> plural(1, "edge"), plural(2, "edge"), plural(0, "class", "classes"), plural(3, "is", "are")
    ('edge', 'edges', 'classes', 'are')
    """
    return noun if count == 1 else nouns or f"{noun}s"


def counted(count: int, noun: str, nouns: str = "") -> str:
    """Return a number of things.

    >>> counted(1, "edge"), counted(2000, "edge"), counted(1, "edge is", "edges are")
    ('1 edge', '2,000 edges', '1 edge is')
    """
    return f"{count:,} {plural(count, noun, nouns)}"


def first_few(items: Sequence[str], most: int, separator: str = ", ") -> str:
    """Return the first of several things, and how many more there are.

    >>> first_few(["a", "b", "c", "d"], 2), first_few(["a", "b"], 2)
    ('a, b and 2 more', 'a, b')
    """
    more = f" and {len(items) - most:,} more" if len(items) > most else ""
    return separator.join(items[:most]) + more


def listed(names: Sequence[str], joint: str = "and", most: int | None = None) -> str:
    """Return names as in a sentence; of many the first, and how many more: never one more, which could be named.

    >>> listed(["a", "b", "c"]), listed(["a", "b"], "or"), listed(["a", "b", "c", "d"], most=2), listed([])
    ('a, b and c', 'a or b', 'a, b and 2 more', 'nothing')
    """
    if most is not None and len(names) > most + 1:
        return f"{', '.join(names[:most])} {joint} {len(names) - most:,} more"
    if len(names) < 2:
        return names[0] if names else "nothing"
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"
