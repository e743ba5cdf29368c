"""Samples of published networks, and what bnlearn says of them (`tests/golden/make_bnlearn_samples.R` makes both)."""

from __future__ import annotations

import functools
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.data import Dataset
from arcwise.graph import Dag

FILE = Path(__file__).resolve().parents[1] / "golden" / "bnlearn_samples.json.gz"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
NAMES = ("asia", "insurance", "alarm", "hailfinder")


@functools.cache
def golden(name: str) -> dict[str, Any]:
    """Return bnlearn's figures for the sample of a network."""
    return json.loads(gzip.decompress(FILE.read_bytes()))[name]


def read_sample(name: str) -> tuple[Dataset, Dag]:
    """Return the sample of a network, with the states that it declares, and its graph."""
    found = golden(name)
    codes = np.array([[DIGITS.index(code) for code in column] for column in found["codes"].values()]).T
    names = list(found["states"])
    data = Dataset.from_codes(codes, names=names, states=list(found["states"].values()))
    return data, Dag.from_arcs(names, found["arcs"])
