"""Greedy equivalence search (GES) beside hill climbing on samples of known networks, BIC; one core, CPU seconds.

GES is there for those who ask for it by name. Scores are recomputed from the data by one function for all; the distance
is that of the equivalence classes from the class of the network that the cases were drawn from (SHD).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from arcwise.data import Dataset, read_data
from arcwise.evaluate import compare
from arcwise.graph import Dag
from arcwise.local import LocalSearchResult, equivalence_search, hill_climb
from arcwise.model import BayesianNetwork
from arcwise.scores import make_score
from benchmarks._topic import has_data, parser_for
from benchmarks.local_search import NETWORKS, cpu_seconds, read_sample

NAMES = ("asia", "sachs", "child", "insurance", "alarm", "hailfinder")
CASES = (500, 5000, 50_000)
SEARCHES: dict[str, Callable[[Dataset], LocalSearchResult]] = {
    "climb": lambda data: hill_climb(data, "bic", progress=False),
    "GES": lambda data: equivalence_search(data, "bic", progress=False),
    "plain climb": lambda data: hill_climb(data, "bic", refine=0, progress=False),
}


def row(title: str, data: Dataset, truth: Dag) -> None:
    """Print what each search found on the data."""
    score = make_score("bic")
    found = {name: cpu_seconds(lambda search=search: search(data)) for name, search in SEARCHES.items()}
    values = [score.score_network(data, result.dag) for _, result in found.values()]
    distances = [compare(truth, result.dag).shd for _, result in found.values()]
    seconds = [taken for taken, _ in found.values()]
    first, *others = [*values, score.score_network(data, truth)]
    cells = [title, f"{data.n_cases:,}", f"{first:,.1f}", *(f"{value - first:+,.1f}" for value in others)]
    cells += [*(f"{distance:g}" for distance in distances), *(f"{taken:.3f}" for taken in seconds)]
    print(f"| {' | '.join(cells)} |", flush=True)


def main(arguments: Sequence[str] = ()) -> None:
    parser_for(__doc__).parse_args(arguments)
    if not has_data(NETWORKS):
        return
    names = list(SEARCHES)
    columns = ["data", "cases", f"BIC: {names[0]}", *names[1:], "the truth"]
    columns += [*(f"SHD: {name}" for name in names), *(f"CPU s: {name}" for name in names)]
    print(f"| {' | '.join(columns)} |\n|---{'|---:' * (len(columns) - 1)}|")
    stored = NETWORKS.parent / "sampled" / "alarm_5000.csv.gz"
    if stored.exists():
        row("alarm, a stored sample", read_data(stored), BayesianNetwork.read_bif(NETWORKS / "alarm.bif.gz").dag)
    else:
        print(f"(The stored sample is not here: {stored.name}.)")
    for name in NAMES:
        truth = BayesianNetwork.read_bif(NETWORKS / f"{name}.bif.gz").dag
        for cases in CASES:
            row(name, read_sample(name, cases), truth)


if __name__ == "__main__":
    main(sys.argv[1:])
