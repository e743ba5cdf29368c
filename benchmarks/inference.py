"""Exact inference beside pyAgrum's lazy propagation: 100 queries with evidence, and all marginals.

Each library runs each task in a process of its own, one after the other: CPU seconds of one thread, and by how much
the task raised the process's peak memory. A query asks for one variable given four others in the states of a sampled
row; the best of three rounds counts (one for long ones). pyAgrum is timed in both of its ways, a new engine for each
query and one engine that is given other evidence and another target, and the faster counts. Both sides' probabilities
are compared.

    python -m benchmarks.inference [NETWORK ...]
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from arcwise.model import BayesianNetwork, read_bif
from benchmarks._topic import SHARED, has_data, has_peer, parser_for

NETWORKS = SHARED / "data" / "networks"
NAMES = (
    *("asia", "cancer", "earthquake", "survey", "sachs", "child", "insurance", "alarm", "hailfinder", "hepar2"),
    *("win95pts", "water", "mildew", "barley", "andes", "pathfinder", "pigs", "diabetes", "munin1", "link"),
)
TASKS = ("queries", "marginals")
SECONDS = 300
GIGABYTES = 6
LONG = 1.0

Answers = list[list[float]]


def questions(network: BayesianNetwork) -> list[tuple[str, dict[str, str]]]:
    rng = random.Random(0)
    rows = network.sample(100, seed=3).codes
    asked = []
    for row in range(100):
        chosen = rng.sample(range(network.n_variables), min(5, network.n_variables))
        evidence = {network.names[v]: network.states[v][rows[v, row]] for v in chosen[1:]}
        asked.append((network.names[chosen[0]], evidence))
    return asked


def ours(network: BayesianNetwork, task: str) -> dict[str, Callable[[], Answers]]:
    asked = questions(network)

    def queries() -> Answers:
        return [network.query(v, e, threads=1, progress=False).probabilities.tolist() for v, e in asked]

    def marginals() -> Answers:
        return [one.probabilities.tolist() for one in network.marginals(threads=1, progress=False).values()]

    return {"": queries if task == "queries" else marginals}


def theirs(network: BayesianNetwork, task: str) -> dict[str, Callable[[], Answers]]:
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    model = gum.BayesNet()
    for name, states in zip(network.names, network.states, strict=True):
        model.add(gum.LabelizedVariable(name, name, list(states)))
    for v, name in enumerate(network.names):
        for parent in reversed(network.parents(name)):  # the child varies fastest, then the parent added first
            model.addArc(parent, name)
        table = network.tables[v]
        model.cpt(name).fillWith((table / table.sum(axis=1, keepdims=True)).ravel().tolist())
    asked = questions(network)

    def each_anew() -> Answers:
        found = []
        for variable, evidence in asked:
            engine = gum.LazyPropagation(model)
            engine.setEvidence(evidence)
            engine.addTarget(variable)
            engine.makeInference()
            found.append(engine.posterior(variable).tolist())
        return found

    def one_engine() -> Answers:
        engine = gum.LazyPropagation(model)
        found = []
        for variable, evidence in asked:
            engine.setEvidence(evidence)
            engine.setTargets({variable})
            engine.makeInference()
            found.append(engine.posterior(variable).tolist())
        return found

    def marginals() -> Answers:
        engine = gum.LazyPropagation(model)
        engine.makeInference()
        return [engine.posterior(name).tolist() for name in network.names]

    return {"one engine": one_engine, "each anew": each_anew} if task == "queries" else {"": marginals}


def measure(library: str, name: str, task: str) -> None:
    """In a process of its own: print seconds, megabytes and answers."""
    resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES * 2**30, GIGABYTES * 2**30))
    network = read_bif(NETWORKS / f"{name}.bif.gz")
    ways = (ours if library == "arcwise" else theirs)(network, task)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    best, megabytes, answers = float("inf"), float("inf"), []
    for work in ways.values():
        for _ in range(3):
            start = time.process_time()
            answers = work()
            seconds = time.process_time() - start
            best = min(best, seconds)
            if seconds > LONG:
                break
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        megabytes = min(megabytes, grown)  # of the first way; the peak never falls
    json.dump({"seconds": best, "megabytes": megabytes, "answers": answers}, sys.stdout)


def run(library: str, name: str, task: str) -> dict[str, Any] | str:
    command = [sys.executable, "-m", "benchmarks.inference", "--measure", library, task, name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"over {SECONDS} s"
    if done.returncode:
        return f"over {GIGABYTES} GB" if "emory" in done.stderr or "bad_alloc" in done.stderr else "failed"
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def main(arguments: Sequence[str] = ()) -> None:
    parser = parser_for(__doc__)
    parser.add_argument("networks", nargs="*", help=", ".join(NAMES))
    parser.add_argument("--measure", nargs=2, metavar=("LIBRARY", "TASK"), help="one network, in this process")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.networks if name not in NAMES]
    if unknown:
        parser.error(f"unknown networks: {', '.join(unknown)}. Known: {', '.join(NAMES)}.")
    if not has_data(NETWORKS):
        return
    chosen = given.networks or NAMES
    if given.measure is not None:
        measure(given.measure[0], chosen[0], given.measure[1])
        return
    peer = has_peer("pyagrum")
    for task in TASKS:
        print(f"\n{task}\n")
        print("| network | arcwise, CPU s | pyAgrum, CPU s | ratio | arcwise, MB | pyAgrum, MB | largest difference |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for name in chosen:
            mine, other = run("arcwise", name, task), run("pyagrum", name, task) if peer else "not installed"
            if isinstance(mine, str):
                print(f"| {name} | {mine} | | | | | |", flush=True)
            elif isinstance(other, str):
                print(f"| {name} | {mine['seconds']:.4f} | {other} | | {mine['megabytes']:.0f} | | |", flush=True)
            else:
                worst = max(
                    float(np.abs(np.subtract(a, b)).max())
                    for a, b in zip(mine["answers"], other["answers"], strict=True)
                )
                print(
                    f"| {name} | {mine['seconds']:.4f} | {other['seconds']:.4f} | "
                    f"{other['seconds'] / mine['seconds']:.1f} | {mine['megabytes']:.0f} | {other['megabytes']:.0f} | "
                    f"{worst:.0e} |",
                    flush=True,
                )


if __name__ == "__main__":
    main(sys.argv[1:])
