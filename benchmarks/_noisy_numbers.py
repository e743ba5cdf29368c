"""Samples of known networks in which every second variable is a number: its state, plus normal noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from arcwise.model import BayesianNetwork, read_bif

NOISE = 0.3


def known_network(shared: Path, name: str) -> tuple[BayesianNetwork, set[frozenset[str]]]:
    """Return a reference network and the pairs that it joins."""
    truth = read_bif(shared / "data" / "networks" / f"{name}.bif.gz")
    return truth, {frozenset(arc) for arc in truth.dag.arcs}


def noisy_sample(truth: BayesianNetwork, rows: int, seed: int) -> tuple[pd.DataFrame, list[str]]:
    """Return a sample with every second variable as a number, and the names of these."""
    sample = truth.sample(rows, seed=seed)
    frame = sample.to_dataframe().astype(str)
    rng = np.random.default_rng(1000 + seed)
    numbers = list(sample.names[::2])
    for name in numbers:
        frame[name] = sample.codes[sample.index(name)] + rng.normal(0, NOISE, rows)
    return frame, numbers


def without_constants(frame: pd.DataFrame, numbers: list[str], rows: int) -> tuple[pd.DataFrame, list[str]]:
    """Leave out the columns that do not vary in the first rows."""
    kept = frame.loc[:, frame.iloc[:rows].nunique() > 1]
    return kept, [name for name in numbers if name in kept.columns]
