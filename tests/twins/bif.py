"""A BIF reader in a page of Python, for plain files only: what the native reader is compared with."""

from __future__ import annotations

import itertools
import re

import numpy as np

from arcwise.graph import Dag
from arcwise.model import BayesianNetwork


def parse_bif_twin(text: str) -> BayesianNetwork:
    states = {
        name: [state.strip() for state in listed.split(",")]
        for name, listed in re.findall(r"variable\s+(\S+)\s*{\s*type discrete \[ \d+ \] { (.*?) };", text)
    }
    parents: dict[str, list[str]] = {}
    tables = {}
    names = list(states)
    for head, body in re.findall(r"probability \( (.*?) \) {(.*?)}", text, re.DOTALL):
        child, _, given = head.partition(" | ")
        parents[child] = given.split(", ") if given else []
        rows = {}
        for line in body.strip().splitlines():
            configuration, numbers = re.fullmatch(r"\s*(\(.*\)|table) (.*);", line).groups()  # type: ignore[union-attr]
            key = () if configuration == "table" else tuple(configuration[1:-1].split(", "))
            rows[key] = [float(number) for number in numbers.split(",")]
        ascending = sorted(parents[child], key=names.index)
        tables[child] = np.array(
            [
                rows[tuple(dict(zip(ascending, key, strict=True))[p] for p in parents[child])]
                for key in itertools.product(*(states[p] for p in ascending))
            ]
        )
    return BayesianNetwork(Dag.from_parents({name: parents[name] for name in names}), states, tables)
