"""Exact posteriors over all DAGs: CPU seconds, memory and the certificate; and what share of them credible sets hold.

`python -m benchmarks.posterior [--page FILE] [data ...]` prints Markdown tables, and with --page also puts them into
the page, under their headings. Times are CPU seconds of one thread from a finished table of all parent sets (BDeu with
equivalent sample size 1), for all families, arcs, edges and ancestors together, the best of five for what takes less
than a second; memory is that of the sums.
Each row runs in a process of its own.
"""

from __future__ import annotations

import math
import multiprocessing
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arcwise.data import Dataset, read_data
from arcwise.ensemble import count_credible, exact_posterior, find_posterior
from arcwise.model import BayesianNetwork
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from benchmarks._topic import SHARED, has_data, has_peer, parser_for

FACTORS = (3, 20, 150)
DRAWS = 5000
REPEATS = 5  # of what takes less than a second; the best counts


@dataclass(frozen=True)
class Row:
    """A data set: a file or a network to sample from, how many columns and cases of it, the parent limit, the goal."""

    name: str
    source: str
    columns: int | None = None
    cases: int | None = None
    max_parents: int | None = None
    goal: str = ""
    earlier: str = ""
    cut: float = 40.0

    def data(self) -> Dataset:
        path = SHARED / "data" / self.source
        if path.name.endswith(".bif.gz"):
            assert self.cases is not None
            data = BayesianNetwork.read_bif(path).sample(self.cases, seed=1)
        else:
            data = read_data(path)
        return data.select(data.names[: self.columns]) if self.columns else data


# The last column: the program of version 0.1, which summed all 3^n terms in long double, and 4^n for ancestors.
ROWS = (
    Row("sachs", "networks/sachs.bif.gz", cases=20_000, earlier="log total -inf, arcs NaN"),
    Row("letter, 11 columns", "liao2019/letter.csv.gz", columns=11, earlier="log total -inf, arcs NaN"),
    Row("zoo, 15 columns", "liao2019/zoo.csv.gz", columns=15, earlier="9.9 s"),
    Row("nltcs", "liao2019/nltcs.csv.gz", goal="0.1 s", earlier="38 s"),
    Row("child", "networks/child.bif.gz", cases=1_000, max_parents=4, goal="1 s"),
    Row("alarm, 20 columns", "networks/alarm.bif.gz", columns=20, cases=1_000, max_parents=4),
    Row("hepatitis", "liao2019/hepatitis.csv.gz", goal="60 s"),
    Row("alarm, 24 columns", "sampled/alarm_5000.csv.gz", columns=24, max_parents=3, goal="20 s, 3 GB"),
    Row("alarm, 28 columns", "sampled/alarm_5000.csv.gz", columns=28, max_parents=3, goal="10 min, 16 GB", cut=50.0),
)
# Variables of the random scores that draws are timed on, and what Talvitie et al. (2019) need: seconds, and ms a draw.
DRAWN = ((8, "", ""), (12, "0.93", "1.3"), (14, "14.9", "10.7"))
# Columns of data on which `aps` is timed as well. It sums 3^n terms for families, and has none for ancestors here.
BESIDE_APS = (
    ("zoo", "liao2019/zoo.csv.gz", 12),
    ("zoo", "liao2019/zoo.csv.gz", 14),
    ("zoo", "liao2019/zoo.csv.gz", 16),
    ("child", "networks/child.bif.gz", 12),
    ("child", "networks/child.bif.gz", 14),
    ("child", "networks/child.bif.gz", 16),
)
# The data of Liao's Table 3.1 with up to 20 variables. (parkinsons, with 23, takes a quarter of an hour: BIC only.)
HELD = ("tic-tac-toe", "wine", "adult", "nltcs", "msnbc", "letter", "voting", "zoo", "hepatitis")
# Those with more, their parent limits, and how often each of four chains draws at most.
DRAWN_FROM = (
    ("sensors", 3),
    ("autos", 4),
    ("insurance1000", 4),
    ("horse", 4),
    ("flag", 4),
    ("wdbc", 3),
    ("mildew1000", 3),
    ("soybean", 3),
    ("alarm", 3),
    ("bands", 3),
    ("spectf", 3),
    ("sponge", 3),
    ("barley1000", 3),
    ("hailfinder100", 3),
    ("hailfinder500", 3),
    ("lung-cancer", 3),
)
CHAIN_DRAWS = 60_000


def measure(row: Row) -> str:
    data = row.data()
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.inf, max_parents=row.max_parents)
    seconds = math.inf
    for _ in range(REPEATS):
        start = time.process_time()
        found = exact_posterior(table, cut=row.cut, progress=False)
        seconds = min(seconds, time.process_time() - start)
        if seconds > 1:
            break
    n = data.n_variables
    return (
        f"| {row.name} | {n} | {data.n_cases:,} | {row.max_parents or 'any'} | {found.n_sets / 2**n:.2%} "
        f"| {found.n_terms / (3**n - 2**n):.2g} | {seconds:.3g} | {found.needed_bytes / 1e9:.2g} "
        f"| {found.left_out:.0e} | {found.defect:.0e} | {row.goal} | {row.earlier} |"
    )


def drawn(n: int, seconds: str, each: str) -> str:
    """Time draws from random scores of all parent sets, where next to nothing is pruned."""
    random = np.random.default_rng(1)
    sets = [[p for p in range(n) if mask >> p & 1] for mask in range(1 << n)]
    entries = [[(float(random.normal()), parents) for parents in sets if v not in parents] for v in range(n)]
    table = ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)
    found = exact_posterior(table, progress=False)
    start = time.process_time()
    found.sample(1, seed=1, progress=False)
    ready = time.process_time()
    found.sample(DRAWS, seed=1, progress=False)
    end = time.process_time()
    return f"| {n} | {ready - start:.3f} | {(end - ready) / DRAWS * 1000:.3f} | {seconds} | {each} |"


def beside_aps(name: str, source: str, n: int) -> str:
    """Time sums over all DAGs beside `aps` of the package sumu, from the same scores, and compare every family."""
    from sumu import aps

    row = Row(name, source, columns=n, cases=1_000)
    table = build_parent_sets(row.data(), "bdeu:ess=1", slack=math.inf)
    weights = np.full((n, 2 ** (n - 1)), -np.inf)
    places = np.empty(table.n_rows, dtype=np.int64)
    for v in range(n):
        for k in table.rows_of(v):
            places[k] = sum(1 << (p - (p > v)) for p in table.parents_of(k))
            weights[v, places[k]] = table.scores[k]
    nodes = np.repeat(np.arange(n), np.diff(table.node_offsets))
    start = time.process_time()
    ours = exact_posterior(table, progress=False)
    between = time.process_time()
    theirs = np.asarray(aps(weights, as_dict=False, normalize=True))
    end = time.process_time()
    difference = np.abs(np.exp(theirs[nodes, places]) - ours.family_probabilities()).max()
    return (
        f"| {name} | {n} | {between - start:.3g} | {end - between:.3g} | {(end - between) / (between - start):.0f} "
        f"| {difference:.0e} |"
    )


def held(name: str, score: str) -> str:
    data = read_data(SHARED / "data" / "liao2019" / f"{name}.csv.gz")
    table = build_parent_sets(data, score, slack=math.inf)
    found = exact_posterior(table, progress=False)
    pruned = build_parent_sets(data, score, slack=math.log(FACTORS[-1]))
    cells = []
    for factor in FACTORS:
        summary = count_credible(pruned, bayes_factor=factor, progress=False)
        share = found.covered_by(summary)
        cells.append(f"{summary.count:,} | {share:.1%}" if share >= 0.0005 else f"{summary.count:,} | {share:.0e}")
    return f"| {name} | {data.n_variables} | {score[:4].rstrip(':')} | {' | '.join(cells)} | {found.left_out:.0e} |"


def held_by_chains(name: str, max_parents: int) -> str:
    """Estimate what sets hold, of the networks within a parent limit, by chains."""
    data = read_data(SHARED / "data" / "liao2019" / f"{name}.csv.gz", categorical=True)
    data = data.select([one for one in data.names if one not in data.constant])
    start = time.process_time()
    found = find_posterior(
        data, "bic", max_parents=max_parents, way="chains", seed=1, most_draws=CHAIN_DRAWS, progress=False
    )
    seconds = time.process_time() - start
    drawn = found.chains
    assert drawn is not None
    cells = []
    for factor in FACTORS:
        table = build_parent_sets(data, "bic", slack=math.log(factor), max_parents=max_parents)
        summary = count_credible(table, bayes_factor=factor, progress=False)
        share = drawn.share_within(summary.opt - math.log(factor))
        error = 1.96 * share.standard_error
        told = f"{share.value:.1%} ± {error:.1%}" if share.value > 0.01 else f"{share.value:.1e} ± {error:.0e}"
        if share.value == 0:
            told = f"below {2 * share.standard_error:.0e}"
        cells.append(f"{summary.count:,} | {told}")
    verdict = "yes" if drawn.verdict.score_r_hat < 1.01 else f"no ({drawn.verdict.score_r_hat:.2f})"
    return f"| {name} | {data.n_variables} | {max_parents} | {' | '.join(cells)} | {verdict} | {seconds:.0f} |"


SPEED = "| data | n | cases | parents | sets | terms | CPU s | GB | left out | rounding | goal | version 0.1 |"
APS = "| data | n | our CPU s | aps, CPU s | times | largest difference |"
DRAW_TIMES = "| n | sums, s | a draw, ms | published: sums, s | a draw, ms |"
DRAWN_SHARES = "| data | n | parents | at 3 | share | at 20 | share | at 150 | share | agree | CPU s |"
SHARES = "| data | n | score | at 3 | share | at 20 | share | at 150 | share | left out |"


def apart(function: object, *arguments: object) -> str:
    """Run a function in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        result: str = pool.apply(function, arguments)  # type: ignore[arg-type]
    return result


def put(page: Path, heading: str, table: list[str]) -> None:
    """Replace the table below a heading of the page."""
    lines = page.read_text(encoding="utf-8").splitlines()
    start = next(i for i in range(lines.index(heading), len(lines)) if lines[i].startswith("|"))
    end = next((i for i in range(start, len(lines)) if not lines[i].startswith("|")), len(lines))
    page.write_text("\n".join(lines[:start] + table + lines[end:]) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("data", nargs="*", help="rows whose name begins so; all by default")
    parser.add_argument("--page", type=Path, help="put the tables into this page")
    given = parser.parse_args(arguments)
    if not has_data(SHARED / "data"):
        return
    wanted = tuple(given.data) or ("",)
    beside = BESIDE_APS if "aps".startswith(wanted) and has_peer("sumu") else ()
    tables = (
        ("## Time and memory", SPEED, [(measure, row) for row in ROWS if row.name.startswith(wanted)]),
        (
            "## Beside aps",
            APS,
            [(beside_aps, *row) for row in beside],
        ),
        ("## Draws", DRAW_TIMES, [(drawn, *row) for row in DRAWN if "draws".startswith(wanted)]),
        (
            "## What credible sets hold",
            SHARES,
            [(held, name, score) for score in ("bic", "bdeu:ess=1") for name in HELD if name.startswith(wanted)]
            + [(held, "parkinsons", "bic") for _ in range("parkinsons" in wanted)],
        ),
        (
            "## What they hold of more variables",
            DRAWN_SHARES,
            [(held_by_chains, *row) for row in DRAWN_FROM if row[0].startswith(wanted)],
        ),
    )
    for heading, header, calls in tables:
        if not calls:
            continue
        lines = [header, "|---|" + "---:|" * (header.count("|") - 2)]
        print(f"\n{heading}\n\n{lines[0]}\n{lines[1]}", flush=True)
        for call in calls:
            lines.append(apart(*call))
            print(lines[-1], flush=True)
        if given.page:
            put(given.page, heading, lines)


if __name__ == "__main__":
    main(sys.argv[1:])
