"""What the choice of vectors at run time is worth: `make vectors`. One core, CPU seconds, three modules in turns.

The module as it is chooses, loop by loop, what the processor has. Beside it are two without that choice: one for the
oldest processors of x86-64 (SSE2) and one whose every line is compiled for those with AVX2 (x86-64-v3).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from benchmarks._topic import parser_for

ROOT = Path(__file__).resolve().parents[1]
MODULES = {"chosen": None, "oldest": ROOT / "build" / "vectors-oldest", "v3": ROOT / "build" / "vectors-v3"}
ROUNDS = 3
PROGRAM = """
import json, math, sys, time
import arcwise
from arcwise.ensemble import find_posterior
from arcwise.model import BayesianNetwork

def sample(name, cases):
    return BayesianNetwork.read_bif(f"{sys.argv[1]}/{name}.bif.gz").sample(cases, seed=1, progress=False)

alarm, large = sample("alarm", 50_000), sample("andes", 5000)
child, insurance = sample("child", 500), sample("insurance", 2000)

def build():
    return arcwise.build_parent_sets(insurance, "bic", slack=math.log(20), threads=1, progress=False)

def resample():
    return arcwise.bootstrap_networks(child, "bic", replicates=100, seed=1, workers=1, progress=False)

def sum_all():
    return find_posterior(child, "bdeu:ess=1", max_parents=4, way="exact", threads=1, progress=False)

table = build()
jobs = {
    "`hill_climb`, alarm, 50,000 cases": lambda: arcwise.hill_climb(alarm, "bic", progress=False),
    "`hill_climb`, andes, 5,000 cases": lambda: arcwise.hill_climb(large, "bic", progress=False),
    "`bootstrap_networks`, child, 100 replicates": resample,
    "`build_parent_sets`, insurance, 2,000 cases": build,
    "`find_credible`, the same": lambda: arcwise.find_credible(table, bayes_factor=20, progress=False),
    "`find_posterior` exactly, child, 500 cases, 4 parents": sum_all,
}
taken = {}
for name, job in jobs.items():
    best = math.inf
    for _ in range(2):
        begin = time.process_time()
        job()
        best = min(best, time.process_time() - begin)
    taken[name] = best
print(json.dumps({"module": arcwise._core.__file__, "taken": taken}))
"""


def run(folder: Path | None) -> dict[str, float]:
    from benchmarks.local_search import NETWORKS

    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROGRAM, str(NETWORKS)]
    if folder is not None:  # without the hook that finds the module of `make develop` first
        environment["PYTHONPATH"] = os.pathsep.join([str(folder), sysconfig.get_path("purelib")])
        command.insert(1, "-S")
    found = json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    if folder is not None and not found["module"].startswith(str(folder)):
        sys.exit(f"{found['module']} was measured, which is not in {folder}.")
    taken: dict[str, float] = found["taken"]
    return taken


def main(arguments: Sequence[str] = ()) -> None:
    parser_for(__doc__).parse_args(arguments)
    missing = [str(folder) for folder in MODULES.values() if folder is not None and not folder.exists()]
    if missing:
        print(f"(Not measured: there is no {', '.join(missing)}; `make vectors` makes them.)")
        return
    best: dict[str, dict[str, float]] = {}
    for _ in range(ROUNDS):
        for title, folder in MODULES.items():
            for job, seconds in run(folder).items():
                own = best.setdefault(job, {})
                own[title] = min(seconds, own.get(title, seconds))
    print("| job | as it is, CPU s | oldest / as it is | v3 / as it is |\n|---|---:|---:|---:|")
    for job, own in best.items():
        print(
            f"| {job} | {own['chosen']:.3f} | {own['oldest'] / own['chosen']:.2f} | {own['v3'] / own['chosen']:.2f} |"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
