"""All posteriors of 2,000 cases with a fifth of the variables observed, as in Table 1 of Fast-BNI; one core.

Jiang, Wen, Mansoor and Mian, "Fast parallel exact inference on Bayesian networks", PPoPP 2023 (arXiv 2212.04241): cases
are sampled from the network, 20 % of the variables are observed, and the posteriors of all others are computed. Reading
the network and drawing the cases is not timed. The networks are those of `make networks`.

    python -m benchmarks.posteriors [--cases N] [--page] [NETWORK ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np

from arcwise.model import read_bif
from benchmarks._page import PageTable, draw, parse_networks
from benchmarks._topic import NETWORKS, has_data, parser_for

# Seconds in the paper, one core and the best number of threads, on two Xeon 8167M of 26 cores, 2 GHz.
PRINTED = {
    "hailfinder": (4.0, 2.5),
    "pathfinder": (68.9, 11.1),
    "pigs": (3_729.0, 222.0),
    "munin2": (2_643.0, 242.0),
    "diabetes": (6_944.0, 559.0),
    "munin4": (34_198.0, 3_021.0),
}
# Networks that are not in that table.
OTHERS = ("munin3", "mildew", "water", "barley", "munin", "munin1", "link")
CASES, OBSERVED = 2000, 0.2
HEADER = ("network", "variables", "rows", "ours, one core: CPU s", "printed, one core: s", "printed, best: s", "ratio")


def measure(name: str, cases: int) -> list[object]:
    network = read_bif(NETWORKS / f"{name}.bif.gz")
    rows = network.sample(cases, seed=1, progress=False)
    rng = np.random.default_rng(1)
    count = round(OBSERVED * network.n_variables)
    asked = []
    for row in range(cases):
        chosen = rng.choice(network.n_variables, size=count, replace=False).tolist()
        asked.append({network.names[v]: network.states[v][rows.codes[v, row]] for v in chosen})
    begin = time.process_time()
    for evidence in asked:
        network.marginals(evidence, threads=1, progress=False)
    seconds = time.process_time() - begin
    printed = []
    if name in PRINTED:
        one, best = PRINTED[name]
        ratio = f"{one * cases / CASES / seconds:.1f}"
        printed = [*(f"{said:,.1f}" if said < 100 else f"{said:,.0f}" for said in (one, best)), ratio]
    return [
        "`link`" if name == "link" else name,  # so that it is not read as a word
        network.n_variables,
        f"{cases:,}",
        f"{seconds:.1f}",
        *printed,
    ]


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--cases", type=int, default=CASES, help=f"how many cases (default {CASES:,}, as in the paper)")
    given = parse_networks(parser, arguments, [*PRINTED, *OTHERS], "hailfinder")
    if not has_data(NETWORKS):
        print("`make networks` downloads them.")
        return
    named = [f"`{name}`" if name == "link" else name for name in OTHERS]
    for own, header, keys in ((PRINTED, HEADER, list(PRINTED)), (OTHERS, HEADER[:4], named)):
        if chosen := [name for name in given.networks if name in own]:
            table = PageTable("posteriors" if own is PRINTED else "posteriors-others", header, keys, write=given.page)
            for name in chosen:
                table.add(measure(name, given.cases))
    if given.page:
        draw("posteriors", {"arcwise": 3, "printed": 4}, "seconds of one core", scale="log")


if __name__ == "__main__":
    main(sys.argv[1:])
