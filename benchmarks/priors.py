"""The prior: an ESS path of 60 values, with one table and one search each, counted together, and rescored.

The data are those of Steck's Table 1 with 14 variables; they need the UCI files of the reference data, prepared as in
studies/steck.toml.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np

from arcwise.data import Dataset
from arcwise.errors import ConfigError
from arcwise.priors import EssSolver, Learning, find_optima
from arcwise.scores import make_score
from arcwise_studies import Sources, read_study
from arcwise_studies.experiments.steck import prepare, short_name
from benchmarks._topic import ROOT, SHARED, has_data, parser_for

DATA = SHARED / "data"


def prepared(name: str) -> Dataset | None:
    """Return the data set of that name in the study, or None if the reference data are not there."""
    texts = read_study(ROOT / "studies" / "steck.toml").experiments["steck"].data
    try:
        return prepare(next(text for text in texts if short_name(text) == name), Sources(data_folder=str(DATA)))
    except ConfigError:
        return None


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table; the scores of the three ways are compared as well."""
    parser_for(__doc__).parse_args(arguments)
    if not has_data(DATA):
        return
    print("| data | N | one table and one search each, CPU s | tables counted together | ratio | `EssSolver` | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    grid = np.logspace(-3, 5, 60)
    scores = [make_score("bdeu", ess=float(value)) for value in grid]
    for name in ("heart_statlog", "heart_cleveland", "wine", "adult_train"):
        data = prepared(name)
        if data is None:
            print(f"| {name} | reference data not found |")
            continue
        data = data.select(data.names[:14])  # adult has 15
        learning = Learning()
        start = time.process_time()
        apart = [find_optima(data, [score], learning, progress=False)[0] for score in scores]
        second = time.process_time()
        together = find_optima(data, scores, learning, progress=False)
        third = time.process_time()
        kept = EssSolver(data, learning, progress=False).solve(grid)
        end = time.process_time()
        for one, two, three in zip(apart, together, kept, strict=True):
            assert abs(one.score - two.score) + abs(one.score - three.score) < 1e-9 * abs(one.score)
        each, joint, rescored = second - start, third - second, end - third
        print(
            f"| {name} (n = {data.n_variables}) | {data.n_cases:,} | {each:.2f} | {joint:.2f} | {each / joint:.1f}x "
            f"| {rescored:.3f} | {each / rescored:.0f}x |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
