"""CPDAGs, consistent extensions and equivalence classes, compared with pyAgrum and pgmpy where they offer the same."""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from tests.twins.classes import class_key_twin

from arcwise.graph import Cpdag, Dag, class_keys_from_masks, number_classes, sparse_dag, uniform_dag
from arcwise.graph.nodes import to_words
from benchmarks._topic import has_peer, parser_for


def main(arguments: Sequence[str] = ()) -> None:
    parser_for(__doc__).parse_args(arguments)
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    print("Milliseconds of CPU, median; random DAG of 1,000 nodes with two parents on average.\n")
    print("| task | arcwise | peer | ratio |")
    print("|---|---:|---:|---:|")
    dag = sparse_dag(1000, rng, mean_parents=2)
    ours = milliseconds(lambda: Cpdag.from_dag(dag))
    row("CPDAG of a DAG", ours, "pyAgrum", pyagrum_essential_graph(dag))
    row("DAG from parent lists, checked, and its CPDAG", milliseconds(lambda: Dag(dag.names, dag.parents).cpdag))
    cpdag = dag.cpdag
    row("DAG of a CPDAG (Dor and Tarsi)", milliseconds(cpdag.extend), "pgmpy", pgmpy_extension(cpdag))
    row(f"size of the class ({cpdag.size:,} DAGs)", milliseconds(lambda: Cpdag.from_dag(dag).size))
    tree = Dag(dag.names, [[int(rng.integers(v))] if v else [] for v in range(1000)])
    row("size of the class of a tree (1,000 DAGs)", milliseconds(lambda: Cpdag.from_dag(tree).size, rounds=3))

    print("\nClass keys of a million DAGs (one core).\n")
    print("| nodes | mean arcs | seconds of CPU | DAGs per second | the twin in Python, per second | ratio |")
    print("|---:|---:|---:|---:|---:|---:|")
    for n in (10, 20, 40, 80):
        dags = [uniform_dag(n, rng) if n == 10 else sparse_dag(n, rng, mean_parents=1.5) for _ in range(1000)]
        masks = np.tile(np.stack([to_words(d.parent_masks, n) for d in dags]), (1000, 1, 1))
        start = time.process_time()
        number_classes(class_keys_from_masks(masks, progress=False))
        seconds = time.process_time() - start
        start = time.process_time()
        for dag in dags:
            class_key_twin(dag)
        twin = (time.process_time() - start) / len(dags) * len(masks)
        arcs = statistics.mean(d.n_arcs for d in dags)
        speeds = f"{len(masks) / seconds:,.0f} | {len(masks) / twin:,.0f} | {twin / seconds:,.0f}x"
        print(f"| {n} | {arcs:.1f} | {seconds:.2f} | {speeds} |", flush=True)


def milliseconds(task: Callable[[], object], rounds: int = 21) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return 1000 * statistics.median(times)


def row(task: str, ours: float, peer: str = "", theirs: float | None = None) -> None:
    there = "" if theirs is None else f"{peer} {theirs:,.3f}"
    ratio = "" if theirs is None else f"{theirs / ours:,.1f}x"
    print(f"| {task} | {ours:.3f} | {there} | {ratio} |", flush=True)


def pyagrum_essential_graph(dag: Dag) -> float | None:
    if not has_peer("pyagrum"):
        return None
    import pyagrum as gum

    graph = gum.DAG()
    graph.addNodes(dag.n_nodes)
    for child, parents in enumerate(dag.parents):
        for p in parents:
            graph.addArc(p, child)
    network = gum.BayesNet()
    for name in dag.names:
        network.add(gum.LabelizedVariable(name, "", 2))
    for tail, head in graph.arcs():
        network.addArc(tail, head)
    return milliseconds(lambda: gum.EssentialGraph(network), rounds=5)


def pgmpy_extension(cpdag: Cpdag) -> float | None:
    if not has_peer("pgmpy"):
        return None
    from pgmpy.base import PDAG

    pdag = PDAG(directed_ebunch=list(cpdag.arcs), undirected_ebunch=list(cpdag.edges))
    return milliseconds(pdag.to_dag, rounds=1)


if __name__ == "__main__":
    main(sys.argv[1:])
