"""The twenty density data sets: test log-likelihood per row of one network, and of an average over networks.

Scores and priors of the tables are chosen on the validation rows, and the test rows are looked at once. Data: folder
`data/generative` of github.com/nicoladimauro/dcsn, or `datasets` of github.com/arranger1044/DEBD; NAME.ts.data has the
rows to learn from, NAME.valid.data and NAME.test.data the others, plain or gzip.

    python -m benchmarks.density [--data FOLDER] [--page] [NAME ...]
"""

from __future__ import annotations

import gzip
import math
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from arcwise.data import Dataset
from arcwise.effects import ModelAverage
from arcwise.ensemble import bootstrap_networks
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
SCORES = ("bic", "aic", "qnml", "bdeu:ess=1", "bdeu:ess=10")
ESTIMATORS = (("bd", {"ess": 1.0}), ("laplace", {}), ("snml", {}))
AVERAGED = ("aic", "qnml", "bdeu:ess=10")  # the scores that averages choose among
PRIORS = ("bdeu", "k2")
FEW = 10  # networks to choose by
MANY, MANY_COLUMNS = 100, 30  # networks of the average, and of one over more than 400 columns
WIDE = 400
HEADER = (
    *("data", "columns", "rows", "HCLT", "one network", "chosen", "% better", "CPU s"),
    *("average", "chosen", "networks", "% better", "CPU s"),
)


def read(folder: Path, name: str, part: str) -> Dataset:
    path = folder / f"{name}.{part}.data"
    with path.open() if path.exists() else gzip.open(f"{path}.gz", "rt") as text:
        codes = np.loadtxt(text, delimiter=",", dtype=np.uint8)
    return Dataset.from_codes(codes, states=[["0", "1"]] * codes.shape[1])


def mean(model: BayesianNetwork | ModelAverage, data: Dataset) -> float:
    return float(model.row_log_likelihoods(data, threads=1, progress=False).mean())


def networks(training: Dataset) -> Iterator[tuple[str, BayesianNetwork]]:
    """Yield single networks, and what they were made by."""
    for score in SCORES:
        dag = tabu_search(training, score, seed=1, progress=False).dag
        for estimator, options in ESTIMATORS:
            yield f"{score}, {estimator}", fit_parameters(dag, training, estimator=estimator, progress=False, **options)


def averages(
    training: Dataset, scores: Sequence[str], priors: Sequence[str], count: int
) -> Iterator[tuple[str, str, ModelAverage]]:
    """Yield averages over networks of resampled rows."""
    for score in scores:
        drawn = bootstrap_networks(
            training, score, replicates=count, draws="replacement", seed=1, workers=1, progress=False
        )
        for prior in priors:
            yield score, prior, ModelAverage(drawn, training, prior=prior)


def measure(folder: Path, name: str, fewer: int) -> list[object]:
    training, valid, test = (read(folder, name, part) for part in ("ts", "valid", "test"))
    begin = time.process_time()
    one, label = -math.inf, ""
    best: BayesianNetwork | None = None
    for told, network in networks(training):
        value = mean(network, valid)
        if value > one:
            one, label, best = value, told, network
    single_seconds = time.process_time() - begin
    assert best is not None
    begin = time.process_time()
    tried = ((mean(found, valid), score, prior) for score, prior, found in averages(training, AVERAGED, PRIORS, FEW))
    _, score, prior = max(tried)
    count = max(1, (MANY if training.n_variables <= WIDE else MANY_COLUMNS) // fewer)
    (_, _, average), *_ = averages(training, [score], [prior], count)
    found = mean(average, test)
    seconds = time.process_time() - begin
    printed, single = HCLT[name], mean(best, test)
    return [
        name,
        training.n_variables,
        f"{training.n_rows:,}",
        f"{printed:.3f}",
        *(f"{single:.3f}", label, f"{100 * (single - printed) / -printed:+.2f}", f"{single_seconds:.1f}"),
        *(f"{found:.3f}", f"{score}, {prior}", count, f"{100 * (found - printed) / -printed:+.2f}", f"{seconds:.0f}"),
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
        draw("density", {"one network": 6, "average": 11}, "better than HCLT, % of its log-likelihood")


if __name__ == "__main__":
    main(sys.argv[1:])
