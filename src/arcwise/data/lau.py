"""Lau's data-file format (Lau 2004, section 1.1): a list of nodes, then a list of samples.

The paper describes the format in one sentence and its example is lost, so this is the definition:

- The first line that is not blank lists the nodes; every other line that is not blank is one sample, the values of
  those nodes in the same order.
- Items are separated by commas, with any spaces around them; if the first line has no comma, by spaces and tabs.
- A line may stand in square brackets, as the list of parents does in the structure-file format (``M [B, L]``).
- Text is UTF-8; there are no quotes, escapes or comments, so no name and no value contains the separator.

So these are the same two samples::

    G, B, M, L          [G, B, M, L]        G B M L
    0, 1, 1, 0          [0, 1, 1, 0]        0 1 1 0
    1, 1, 0, 0          [1, 1, 0, 0]        1 1 0 0
"""

from __future__ import annotations

import re

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.data.delimited import checked_header, merged_labels
from arcwise.data.source import Source, TextOptions
from arcwise.data.table import Column, Table
from arcwise.errors import FormatError
from arcwise.progress import ProgressCallback

__all__ = ["read_lau"]


def read_lau(source: Source, options: TextOptions, progress: ProgressCallback) -> Table:
    """Read a file in Lau's data-file format."""
    del progress  # samples are few
    names: list[str] | None = None
    separator: str | None = None
    lines: list[int] = []
    codes: list[list[int]] = []
    known: list[dict[str, int]] = []
    for number, line in enumerate(re.split(r"\r\n|\r|\n", source.text()), start=1):
        text = line.strip()
        if not text:
            continue
        if "\0" in text:
            raise FormatError(f"{source.name}: line {number:,}: a NUL byte. This is not a text file, or it is damaged.")
        if text.startswith("[") != text.endswith("]"):
            raise FormatError(f"{source.name}: line {number:,}: one square bracket has no partner.")
        items = _items(text.removeprefix("[").removesuffix("]"), separator if names else None)
        if names is None:
            separator = "," if "," in text else None
            names = checked_header(items, source.name, separator or " ")
            known = [{} for _ in names]
            codes = [[] for _ in names]
            continue
        if len(items) != len(names):
            raise FormatError(
                f"{source.name}: line {number:,} has {len(items):,} values, but the first line lists {len(names):,} "
                "nodes."
            )
        lines.append(number)
        for v, item in enumerate(items):
            codes[v].append(known[v].setdefault(item, len(known[v])))
    if names is None:
        raise FormatError(f"{source.name}: the file is empty; a list of nodes and at least one sample are needed.")
    columns = []
    for v, name in enumerate(names):
        lookup, kept = merged_labels(list(known[v]), options.missing, options.merge)
        kind = Dataset.code_type(len(kept) + 1)
        columns.append(Column(name, lookup.astype(kind)[np.array(codes[v], dtype=np.int64)], tuple(kept)))
    return Table(tuple(columns), source.name, lines=np.array(lines, dtype=np.int64))


def _items(text: str, separator: str | None) -> list[str]:
    if separator is None and "," not in text:
        return text.split()
    return [item.strip() for item in text.split(separator or ",")]
