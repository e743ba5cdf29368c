"""`TrainingTable`: pairs of variables of proxy networks, what each member of an ensemble said, and the truth."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FormatError

__all__ = ["MISSING", "TrainingTable", "training_table"]

KIND = "arcwise ensemble training table 1"
MISSING = -1.0  # the confidence of a member that found no network within its limits
FIXED = ("network", "cases", "edge", "weight")


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """One row per sampled pair of variables of a proxy data set.

    Parameters
    ----------
    network, cases
        The proxy network and the number of cases sampled from it.
    edge
        1 if the true skeleton has the edge.
    weight
        What the row stands for: pairs are sampled by strata, and every proxy data set has the same total weight, so
        that large networks do not dominate.
    confidences
        For each member, such as "bootstrap:bic", its confidence in the pair; `MISSING` if it found no network.
    """

    network: tuple[str, ...]
    cases: NDArray[np.int64]
    edge: NDArray[np.int64]
    weight: NDArray[np.float64]
    confidences: Mapping[str, NDArray[np.float64]]
    provenance: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.network)

    def take(self, rows: NDArray[np.bool_]) -> TrainingTable:
        """Return the given rows."""
        return TrainingTable(
            network=tuple(name for name, kept in zip(self.network, rows, strict=True) if kept),
            cases=self.cases[rows],
            edge=self.edge[rows],
            weight=self.weight[rows],
            confidences={label: values[rows] for label, values in self.confidences.items()},
            provenance=self.provenance,
        )

    def to_bytes(self) -> bytes:
        """Return the table as a compressed CSV; the same table gives the same bytes.

        Confidences are written in thousandths and weights to five digits: finer ones would not change a tree.
        """
        text = io.StringIO()
        text.write("# " + json.dumps({"kind": KIND, **self.provenance}, sort_keys=True) + "\n")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*FIXED, *self.confidences])
        columns = [np.rint(values * 1000).astype(int) for values in self.confidences.values()]
        for k in range(len(self)):
            facts = (self.network[k], self.cases[k], self.edge[k], f"{self.weight[k]:.5g}")
            writer.writerow([*facts, *("" if c[k] < 0 else c[k] for c in columns)])
        return gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0)

    @classmethod
    def from_bytes(cls, content: bytes, *, where: str = "training table") -> TrainingTable:
        """Read what `to_bytes` made, and check it."""
        try:
            first, _, rest = gzip.decompress(content).decode().partition("\n")
            provenance = json.loads(first.removeprefix("# "))
            if provenance.pop("kind") != KIND:
                raise ValueError("another kind of file")
            header, *rows = csv.reader(io.StringIO(rest))
            if tuple(header[: len(FIXED)]) != FIXED or any(len(row) != len(header) for row in rows):
                raise ValueError("the columns do not fit")
            columns = dict(zip(header, zip(*rows, strict=True), strict=True))
            confidences = {
                label: np.array([float(text) / 1000 if text else MISSING for text in columns[label]])
                for label in header[len(FIXED) :]
            }
            return cls(
                network=columns["network"],
                cases=np.array([int(text) for text in columns["cases"]], dtype=np.int64),
                edge=np.array([int(text) for text in columns["edge"]], dtype=np.int64),
                weight=np.array([float(text) for text in columns["weight"]]),
                confidences=confidences,
                provenance=provenance,
            )
        except (
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
            OSError,
            EOFError,
            RecursionError,
            zlib.error,
        ) as error:
            raise FormatError(f"{where}: not a training table ({error}). Make it with arcwise study export.") from error


@cache
def training_table() -> TrainingTable:
    """Return the table that comes with the package."""
    file = resources.files("arcwise.confidence").joinpath("data", "ensemble.csv.gz")
    return TrainingTable.from_bytes(file.read_bytes(), where="ensemble.csv.gz")
