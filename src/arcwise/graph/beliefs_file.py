"""Files of prior odds: CSV for single arcs and edges; TOML or JSON for everything that `Beliefs` can say.

from,to,odds,kind                 every_edge = 0.5                        # or expected_edges = 12
smoke,cancer,4,->                 arcs = [["smoke", "cancer", 4]]
age,sex,1:10,--                   edges = [["age", "sex", "1:10"]]

Without a column `kind` the rows are arcs. Further columns are ignored, such as one with the reasons.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from arcwise.errors import ArcwiseError, FormatError, OptionError, suggestion
from arcwise.files import parse_json, parse_toml, read_bytes
from arcwise.graph.beliefs import Beliefs
from arcwise.mentions import Argument

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["beliefs_from_frame", "make_beliefs", "parse_beliefs", "read_beliefs"]

KEYS = ("arcs", "edges", "every_edge", "expected_edges", "expected_parents", "fair_sizes")
COLUMNS = ("from", "to", "odds")
KINDS = {"->": "arcs", "arc": "arcs", "": "arcs", "--": "edges", "-": "edges", "edge": "edges"}
SUFFIXES = (".csv", ".toml", ".json")


def read_beliefs(path: str | os.PathLike[str]) -> Beliefs:
    """Read odds from a .csv, .toml or .json file, plain or gzip."""
    name = str(path)
    stem = name.removesuffix(".gz")
    if not stem.endswith(SUFFIXES):
        raise FormatError(f"{path}: beliefs are read from a .csv, .toml or .json file.")
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}.") from None
    if stem.endswith(".csv"):
        return _from_csv(text, name)
    content = parse_toml(text, source=name) if stem.endswith(".toml") else parse_json(text, source=name)
    return _from_content(content, name)


def parse_beliefs(text: str) -> Beliefs:
    """Read odds from JSON text, as the record of a run has them."""
    return _from_content(parse_json(text, source="the beliefs"), "the beliefs")


def beliefs_from_frame(frame: pd.DataFrame) -> Beliefs:
    """Make beliefs of a table with the columns from, to, odds and perhaps kind ("->", or "--" for an edge)."""
    columns = [str(name) for name in frame.columns]
    rows = ([str(value) for value in row] for row in frame.itertuples(index=False))
    return _from_rows(columns, enumerate(rows, start=1), "the table of beliefs", "row")


def make_beliefs(given: object) -> Beliefs | None:
    """Return beliefs however they are given: `Beliefs`, a DataFrame, a file, a description; None for the uniform prior.

    Odds that are all 1 are the uniform prior, too.
    """
    if given is None:
        return None
    if isinstance(given, Beliefs):
        made = given
    elif isinstance(given, str | os.PathLike):
        text = os.fspath(given)
        made = parse_beliefs(text) if text.lstrip().startswith("{") else read_beliefs(text)
    elif isinstance(given, Mapping):
        made = Beliefs.from_description(given)
    elif hasattr(given, "itertuples"):
        made = beliefs_from_frame(cast("pd.DataFrame", given))
    else:
        raise OptionError(
            Argument("beliefs", given),
            "must be Beliefs(arcs=..., edges=...), a table with the columns from, to, odds, or a file.",
        )
    return None if made.is_trivial else made


def _from_csv(text: str, source: str) -> Beliefs:
    try:
        rows = [(line, row) for line, row in enumerate(csv.reader(io.StringIO(text), strict=True), start=1) if row]
    except csv.Error as error:
        raise FormatError(f"{source}: not a CSV file ({error}).") from None
    if not rows:
        raise FormatError(f"{source}: empty; the header is from,to,odds or from,to,odds,kind.")
    return _from_rows([cell.strip() for cell in rows[0][1]], rows[1:], source, "line")


def _from_rows(columns: list[str], rows: Iterable[tuple[int, list[str]]], source: str, unit: str) -> Beliefs:
    places = {name.lower(): place for place, name in enumerate(columns)}
    if missing := [name for name in COLUMNS if name not in places]:
        raise FormatError(
            f"{source}: there is no column '{missing[0]}'; the columns of odds are from,to,odds or from,to,odds,kind."
        )
    found: dict[str, Any] = {"arcs": [], "edges": []}
    for number, row in rows:
        if len(row) != len(columns):
            raise FormatError(f"{source}, {unit} {number}: {len(row)} cells, where the header has {len(columns)}.")
        cells = {name: row[place].strip() for name, place in places.items()}
        kind = cells.get("kind", "")
        if kind not in KINDS:
            raise FormatError(f"{source}, {unit} {number}: the kind '{kind}'; it is -> for an arc, or -- for an edge.")
        own = (cells["from"], cells["to"], cells["odds"])
        found[KINDS[kind]].append(own)
        try:
            Beliefs(arcs=[own]) if KINDS[kind] == "arcs" else Beliefs(edges=[own])
        except ArcwiseError as error:
            raise error.within(f"{source}, {unit} {number}:", kind=FormatError) from None
    try:
        return Beliefs(**found)
    except ArcwiseError as error:
        raise error.within(f"{source}:", kind=FormatError) from None


def _from_content(content: Any, source: str) -> Beliefs:
    if not isinstance(content, dict):
        raise FormatError(f"{source}: a table with the keys {', '.join(KEYS)} is needed.")
    for key in content:
        if key not in KEYS:
            raise FormatError(f"{source}: {suggestion('key', str(key), KEYS)}")
    for key in ("arcs", "edges"):
        if not isinstance(content.get(key, []), list):
            raise FormatError(f"{source}: {key} must be a list of rows [from, to, odds].")
    try:
        return Beliefs(**content)
    except ArcwiseError as error:
        raise error.within(f"{source}:", kind=FormatError) from None
