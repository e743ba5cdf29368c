"""The twenty density data sets: test log-likelihood per row of one network, and of an average over networks.

Scores and priors of the tables are chosen on the validation rows, and the test rows are looked at once. Data: folder
`data/generative` of github.com/nicoladimauro/dcsn, or `datasets` of github.com/arranger1044/DEBD; NAME.ts.data has the
rows to learn from, NAME.valid.data and NAME.test.data the others, plain or gzip.

    python -m benchmarks.density [--data FOLDER] [--page] [NAME ...]
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.data import Dataset
from arcwise.effects import ModelAverage
from arcwise.ensemble import NetworkSet, bootstrap_networks
from arcwise.graph import Dag
from arcwise.local import tabu_search
from arcwise.model import BayesianNetwork, fit_parameters
from benchmarks._page import PageTable, draw, page_option
from benchmarks._topic import SHARED, has_data, parser_for

# Hidden Chow-Liu trees: Liu and Van den Broeck, "Tractable regularization of probabilistic circuits", NeurIPS 2021; the
# median of five seeds, each at its best validation rows, from the logs in UCLA-StarAI/Tractable-PC-Regularization.
HCLT = {
    "nltcs": -5.999,
    "msnbc": -6.054,
    "kdd": -2.141,
    "plants": -14.319,
    "baudio": -39.767,
    "jester": -52.376,
    "bnetflix": -56.248,
    "accidents": -26.747,
    "tretail": -10.850,
    "pumsb_star": -23.663,
    "dna": -78.981,
    "kosarek": -10.596,
    "msweb": -9.919,
    "book": -33.529,
    "tmovie": -50.489,
    "cwebkb": -150.831,
    "cr52": -84.284,
    "c20ng": -151.707,
    "bbc": -248.991,
    "ad": -16.040,
}
# One circuit without hidden variables: Strudel (Dang, Vergari and Van den Broeck, PGM 2020) after 1,000 to 4,000 steps
# (dna: 50 to 1,200), smoothed in four ways; the best of all by its *test* rows, from the same logs.
STRUDEL = {
    "nltcs": -6.051,
    "msnbc": -6.045,
    "kdd": -2.167,
    "plants": -13.414,
    "baudio": -42.229,
    "jester": -55.155,
    "bnetflix": -58.555,
    "accidents": -29.368,
    "tretail": -10.969,
    "pumsb_star": -25.668,
    "dna": -87.300,
    "kosarek": -10.894,
    "msweb": -10.040,
    "book": -35.758,
    "tmovie": -59.359,
    "cwebkb": -159.673,
    "cr52": -91.867,
    "c20ng": -160.737,
    "bbc": -258.017,
    "ad": -16.360,
}
SCORES = ("bic", "aic", "qnml", "bdeu:ess=1", "bdeu:ess=10")
COMPLETE = 17  # columns, of which all may be joined
ESTIMATORS = (("bd", {"ess": 1.0}), ("laplace", {}), ("snml", {}))
# What averages choose among, one after the other: score, profiles of rows, how strongly these are drawn, prior.
AVERAGED = ("bic", "qnml", "aic")
FIRST: dict[str, Any] = {"prior": "k2", "profiles": 8, "strength": 30.0}
STEPS: tuple[tuple[dict[str, Any], ...], ...] = (
    ({"profiles": 1}, {"profiles": 4}, {"profiles": 20}),
    ({"strength": 10.0}, {"strength": 80.0}),
    ({"prior": "backoff", "ess": 8.0},),
)
FEW = 4  # networks to choose by, half of it for more than 400 columns
MANY, MANY_COLUMNS = 40, 16  # networks of the average, and of one over more than 400 columns
WIDE = 400
HEADER = (
    *("data", "columns", "rows", "HCLT", "Strudel", "one network", "chosen", "% better", "CPU s"),
    *("average", "chosen", "profiles", "networks", "% better", "CPU s"),
)


def read(folder: Path, name: str, part: str) -> Dataset:
    path = folder / f"{name}.{part}.data"
    with path.open() if path.exists() else gzip.open(f"{path}.gz", "rt") as text:
        codes = np.loadtxt(text, delimiter=",", dtype=np.uint8)
    return Dataset.from_codes(codes, states=[["0", "1"]] * codes.shape[1])


def mean(model: BayesianNetwork | ModelAverage, data: Dataset) -> float:
    """Return the mean log-likelihood of a row."""
    rows = data.collapse()
    return float(model.row_log_likelihoods(rows, threads=1, progress=False) @ rows.times / rows.n_cases)


def networks(training: Dataset) -> Iterator[tuple[str, BayesianNetwork]]:
    """Yield single networks, and what they were made by.

    Few columns and many rows may have no network to find: then all are joined, and tables are smoothed by levels.
    """
    if training.n_variables <= COMPLETE:
        names = training.names
        dag = Dag(names, [range(v) for v in range(len(names))])
        for ess in (10.0, 100.0):
            yield (
                f"complete, backoff {ess:g}",
                fit_parameters(dag, training, estimator="backoff", ess=ess, progress=False),
            )
    for score in SCORES:
        dag = tabu_search(training, score, seed=1, progress=False).dag
        for estimator, options in ESTIMATORS:
            yield f"{score}, {estimator}", fit_parameters(dag, training, estimator=estimator, progress=False, **options)


def drawn(training: Dataset, score: str, count: int) -> NetworkSet:
    """Return networks of resampled rows."""
    return bootstrap_networks(training, score, replicates=count, draws="replacement", seed=1, workers=1, progress=False)


def choose(training: Dataset, valid: Dataset, few: int) -> tuple[str, dict[str, Any]]:
    """Return the score of the average and its settings: the best on validation rows, each in its turn."""
    best, score, made = max(
        (
            (mean(ModelAverage(found, training, **FIRST), valid), name, found)
            for name in AVERAGED
            for found in [drawn(training, name, few)]
        ),
        key=lambda tried: tried[0],
    )
    chosen = FIRST
    for step in STEPS:
        if chosen["profiles"] == 1 and "strength" in step[0]:
            continue
        for change in step:
            value = mean(ModelAverage(made, training, **{**chosen, **change}), valid)
            if value > best:
                best, chosen = value, {**chosen, **change}
    return score, chosen


def measure_one(training: Dataset, valid: Dataset, test: Dataset, printed: float) -> list[object]:
    """Return the columns of one network."""
    begin = time.process_time()
    found = max(((mean(network, valid), told, network) for told, network in networks(training)), key=lambda own: own[0])
    seconds = time.process_time() - begin
    value = mean(found[2], test)
    return [f"{value:.3f}", found[1], f"{100 * (value - printed) / -printed:+.2f}", f"{seconds:.1f}"]


def measure_average(training: Dataset, valid: Dataset, test: Dataset, printed: float, fewer: int) -> list[object]:
    """Return the columns of the average."""
    begin = time.process_time()
    wide = training.n_variables > WIDE
    score, settings = choose(training, valid, max(1, FEW // (2 if wide else 1)))
    count = max(1, (MANY_COLUMNS if wide else MANY) // fewer)
    value = mean(ModelAverage(drawn(training, score, count), training, **settings), test)
    seconds = time.process_time() - begin
    strength = f", {settings['strength']:g}" if settings["profiles"] > 1 else ""
    return [
        *(f"{value:.3f}", f"{score}, {settings['prior']}{strength}", settings["profiles"], count),
        *(f"{100 * (value - printed) / -printed:+.2f}", f"{seconds:.0f}"),
    ]


def measure(folder: Path, name: str, fewer: int) -> list[object]:
    training, valid, test = (read(folder, name, part) for part in ("ts", "valid", "test"))
    printed = HCLT[name]
    return [
        *(name, training.n_variables, f"{training.n_rows:,}", f"{printed:.3f}", f"{STRUDEL[name]:.3f}"),
        *measure_one(training, valid, test, printed),
        *measure_average(training, valid, test, printed, fewer),
    ]


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"{', '.join(HCLT)} (default: all with --page, else nltcs)"
    )
    parser.add_argument("--data", type=Path, default=SHARED / "data" / "density20", help="the folder of the files")
    parser.add_argument("--fewer", type=int, default=1, help="average over so many times fewer networks")
    page_option(parser)
    given = parser.parse_args(arguments)
    unknown = [name for name in given.names if name not in HCLT]
    if unknown:
        parser.error(f"unknown data: {', '.join(unknown)}. Known: {', '.join(HCLT)}.")
    if not has_data(given.data):
        print("They are in data/generative of https://github.com/nicoladimauro/dcsn; say where by --data.")
        return
    table = PageTable("density", HEADER, list(HCLT), write=given.page)
    for name in given.names or (list(HCLT) if given.page else ["nltcs"]):
        table.add(measure(given.data, name, given.fewer))
    if given.page:
        draw("density", {"one network": 7, "average": 13}, "better than HCLT, % of its log-likelihood")


if __name__ == "__main__":
    main(sys.argv[1:])
