"""From the rows of a calibration study to calibrations: fitted to all, or to all but one family of worlds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.calibration.directions import DirectionMap, fit_directions
from arcwise.confidence.calibration.model import CalibrationModel, SetFacts, fit_model
from arcwise.confidence.calibration.table import ANY, CalibrationEntry, CalibrationTable
from arcwise.study.experiments.pair_states import ABSENT, FORWARD, UNDIRECTED, PairStates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["INDEPENDENT", "Samples"]

INDEPENDENT = "independent"  # the worlds without edges

LEAST_SHARE = 0.5  # directions are learned from true edges with more confidence than this: of others none is told


@dataclass(frozen=True, eq=False)
class Samples:
    """The samples of a study, one per element: a recipe, what it said, and the truth."""

    frame: pd.DataFrame  # the rows of the study

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def states(self) -> list[PairStates]:
        """The confidences and the truth of each sample."""
        return [PairStates.unpack(row) for row in self.frame[["states", "shares"]].to_dict(orient="records")]

    @cached_property
    def facts(self) -> list[SetFacts]:
        """What is known of each without its truth."""
        return [
            SetFacts.of(states.present, int(cases), states.n_variables)
            for states, cases in zip(self.states, self.frame["cases"], strict=True)
        ]

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the results, in any order."""
        hasher = hashlib.sha256()
        for line in sorted(f"{row.cell} {row.states} {row.shares}" for row in self.frame.itertuples()):
            hasher.update(line.encode())
        return hasher.hexdigest()

    @property
    def labels(self) -> tuple[str, ...]:
        """The recipes, "credible:qnml"."""
        return tuple(sorted(set(self.frame["method"] + ":" + self.frame["score"])))

    @property
    def families(self) -> tuple[str, ...]:
        """The families of worlds."""
        return tuple(sorted(set(self.frame["family"])))

    def take(self, rows: NDArray[np.bool_]) -> Samples:
        """Return some of the samples."""
        taken = Samples(self.frame[rows].reset_index(drop=True))
        for name in ("states", "facts"):
            taken.__dict__[name] = [value for value, kept in zip(getattr(self, name), rows, strict=True) if kept]
        return taken

    def of(self, label: str) -> Samples:
        """Return those of a recipe; "credible:any" for all recipes of a source."""
        method, _, score = label.partition(":")
        rows = (self.frame["method"] == method) & ((self.frame["score"] == score) | (score == ANY))
        return self.take(rows.to_numpy(dtype=bool))

    def without(self, family: str) -> Samples:
        """Return those of all families but one."""
        return self.take((self.frame["family"] != family).to_numpy(dtype=bool))

    def within(self, family: str) -> Samples:
        """Return those of one family."""
        return self.take((self.frame["family"] == family).to_numpy(dtype=bool))

    def splits(self) -> Iterator[tuple[str, Samples, Samples]]:
        """Return, part by part, a name, what to learn from and what to judge: each family left out as a whole.

        Independent variables are no family that could be new: what chance looks like is known beforehand. Half of their
        worlds are left out at a time.
        """
        for family in self.families:
            if family != INDEPENDENT:
                yield family, self.without(family), self.within(family)
                continue
            names = self.frame["truth"].to_numpy(dtype=str)
            known = {name: k for k, name in enumerate(np.unique(names[self.frame["family"] == family]).tolist())}
            for half in (0, 1):
                judged = np.array([known.get(name, 1 - half) % 2 == half and name in known for name in names])
                yield f"{family} {half}", self.take(~judged), self.take(judged)

    def model(self) -> CalibrationModel:
        """Fit the model of edges; every pair counts alike, so that probabilities are right over the pairs of all."""
        return fit_model(
            [states.present for states in self.states],
            [states.truth != ABSENT for states in self.states],
            self.facts,
            [1.0] * len(self.states),
        )

    def directions(self) -> DirectionMap:
        """Fit the map of directions, from true edges that some networks have."""
        shares, truth, cases = [], [], []
        for states, n_cases in zip(self.states, self.frame["cases"], strict=True):
            rows = (states.truth != ABSENT) & (states.present > LEAST_SHARE)
            shares.append(states.shares[:, rows] / states.present[rows])
            truth.append(np.where(states.truth == UNDIRECTED, 2, np.where(states.truth == FORWARD, 0, 1))[rows])
            cases.append(np.full(int(rows.sum()), float(n_cases)))
        every = np.concatenate(truth).astype(np.int64)
        return fit_directions(
            np.concatenate(shares, axis=1), every, np.concatenate(cases), np.ones(len(every)).tolist()
        )

    def entry(self, label: str) -> CalibrationEntry:
        """Fit what the package ships for a recipe."""
        own = self.of(label)
        oriented = own.take((own.frame["orient"] == "cpdag").to_numpy(dtype=bool))
        method, _, score = label.partition(":")
        return CalibrationEntry(
            method, score, own.model(), oriented.directions(), len(own), int(own.frame["truth"].nunique())
        )

    def table(self, provenance: Mapping[str, Any]) -> CalibrationTable:
        """Fit every recipe, and every source with all of its scores."""
        sources = sorted({label.partition(":")[0] for label in self.labels})
        labels: Sequence[str] = [*self.labels, *(f"{source}:{ANY}" for source in sources)]
        entries = [self.entry(label) for label in labels]
        return CalibrationTable({(entry.source, entry.score): entry for entry in entries}, provenance)
