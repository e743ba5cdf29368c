"""Networks against pgmpy and pyAgrum, side by side: reading BIF, sampling; pgmpy also log-likelihood and queries.

Times are CPU seconds of one process and one thread; arcwise is the best of five runs, pgmpy of one run (two for short
ones), pyAgrum of three. Every comparison also checks that both libraries computed the same thing. Inference beside
pyAgrum is `python -m benchmarks inference`.
"""

from __future__ import annotations

import contextlib
import gzip
import logging
import math
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arcwise.data import Dataset
from arcwise.model import BayesianNetwork, parse_bif
from benchmarks._topic import SHARED, has_data, has_peer, parser_for

NETWORKS = SHARED / "data" / "networks"
ROWS = 100_000


def cpu_seconds(work: Callable[[], Any], *, runs: int) -> tuple[float, Any]:
    best, result = math.inf, None
    for _ in range(runs):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def text_of(name: str) -> str:
    return gzip.decompress((NETWORKS / f"{name}.bif.gz").read_bytes()).decode()


def row(task: str, ours: float, theirs: float, check: str) -> None:
    print(f"| {task} | {ours:.4f} | {theirs:.3f} | {theirs / ours:,.0f}x | {check} |", flush=True)


def read_networks(reader: Any) -> None:
    for name in ("barley", "mildew", "diabetes"):
        text = text_of(name)
        ours, network = cpu_seconds(lambda text=text: parse_bif(text), runs=5)
        theirs, model = cpu_seconds(lambda text=text: reader(string=text).get_model(), runs=1)
        other = BayesianNetwork.from_pgmpy(model)
        worst = 0.0
        for variable in network.names:
            axes = [other.parents(variable).index(p) for p in network.parents(variable)]
            table = other.table(variable).transpose([*axes, len(axes)])
            worst = max(worst, float(np.abs(table - network.table(variable)).max()))
        row(f"read {name}.bif ({len(text) / 1e6:.1f} MB)", ours, theirs, f"largest difference {worst:.0e}")


def sample_networks(sampler: Any, models: dict[str, Any], networks: dict[str, BayesianNetwork]) -> None:
    for name, network in networks.items():
        ours, data = cpu_seconds(lambda network=network: network.sample(ROWS, seed=1, threads=1), runs=5)
        theirs, frame = cpu_seconds(
            lambda name=name: sampler(models[name]).forward_sample(size=ROWS, seed=1, show_progress=False), runs=2
        )
        check = [f"{deviation(network, source):.1f}" for source in (data.to_dataframe(), frame)]
        row(f"sample {ROWS:,} rows of {name}", ours, theirs, f"marginals within {' and '.join(check)} sd")


def deviation(network: BayesianNetwork, sample: Any) -> float:
    """How far the shares of a sample are from the exact marginals at most, in standard deviations."""
    exact = network.marginals()
    found = []
    for v, states in zip(network.names, network.states, strict=True):
        shares = sample[v].value_counts(normalize=True).reindex(list(states)).fillna(0).to_numpy()
        p = exact[v].probabilities
        spread = np.sqrt(np.maximum(p * (1 - p), 1e-12) / ROWS)
        found.append(float((np.abs(shares - p) / spread).max()))
    return max(found)


def likelihoods(score: Any, models: dict[str, Any], networks: dict[str, BayesianNetwork]) -> None:
    for name, network in networks.items():
        data: Dataset = network.sample(ROWS, seed=2)
        frame = data.to_dataframe().astype(object)
        ours, value = cpu_seconds(lambda network=network, data=data: network.log_likelihood(data, threads=1), runs=5)
        theirs, other = cpu_seconds(lambda name=name, frame=frame: score(models[name], frame), runs=1)
        # pgmpy scales the rows of its tables to sum to 1; the files print them with seven digits.
        difference = abs(network.normalized().log_likelihood(data) - other) / abs(value)
        row(f"log-likelihood of {ROWS:,} rows of {name}", ours, theirs, f"relative difference {difference:.0e}")


def queries(elimination: Any, models: dict[str, Any], networks: dict[str, BayesianNetwork]) -> None:
    for name, variable, evidence in (
        ("alarm", "HYPOVOLEMIA", {"BP": "LOW", "HR": "HIGH"}),
        ("hailfinder", "R5Fcst", {"Date": "Jul2_Jul15", "MorningBound": "Strong"}),
    ):
        network, model = networks[name], models[name]
        ours, found = cpu_seconds(
            lambda network=network, v=variable, e=evidence: network.query([v], evidence=e), runs=5
        )
        theirs, factor = cpu_seconds(
            lambda model=model, v=variable, e=evidence: elimination(model).query([v], e, show_progress=False), runs=2
        )
        states = [factor.state_names[variable].index(s) for s in found.states[0]]
        difference = float(np.abs(factor.values[states] - found.probabilities).max())
        row(
            f"query {name}: {variable} given {len(evidence)}",
            ours,
            theirs,
            f"largest difference {difference:.0e}",
        )


def beside_pgmpy(networks: dict[str, BayesianNetwork]) -> None:
    """Sampling, likelihoods (which pgmpy 1.1 no longer has), single queries, reading files."""
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader
    from pgmpy.sampling import BayesianModelSampling

    print("| task | arcwise, CPU s | pgmpy, CPU s | ratio | agreement |")
    print("|---|---:|---:|---:|---|")
    models = {name: BIFReader(string=text_of(name)).get_model() for name in networks}
    sample_networks(BayesianModelSampling, models, networks)
    with contextlib.suppress(ImportError):
        from pgmpy.metrics import log_likelihood_score

        likelihoods(log_likelihood_score, models, networks)
    queries(VariableElimination, models, networks)
    read_networks(BIFReader)


def beside_pyagrum(folder: Path, networks: dict[str, BayesianNetwork]) -> None:
    """Reading files of the literature, and sampling: pyAgrum reads from a file, and so do we."""
    import pyagrum

    print("\n| task | arcwise, CPU s | pyAgrum, CPU s | ratio | agreement |")
    print("|---|---:|---:|---:|---|")
    for name, network in networks.items():
        (folder / f"{name}.bif").write_text(text_of(name))
        ours, data = cpu_seconds(lambda network=network: network.sample(ROWS, seed=1, threads=1), runs=5)
        model = pyagrum.loadBN(str(folder / f"{name}.bif"))  # which the generator does not keep alive
        generator = pyagrum.BNDatabaseGenerator(model)
        theirs, _ = cpu_seconds(lambda generator=generator: generator.drawSamples(ROWS), runs=3)
        check = [f"{deviation(network, source):.1f}" for source in (data.to_dataframe(), generator.to_pandas())]
        row(f"sample {ROWS:,} rows of {name}", ours, theirs, f"marginals within {' and '.join(check)} sd")
    for name in (*networks, "barley", "mildew", "diabetes", "munin1"):
        path = folder / f"{name}.bif"
        path.write_text(text_of(name))
        ours, network = cpu_seconds(lambda path=path: BayesianNetwork.read(path), runs=5)
        theirs, model = cpu_seconds(lambda path=path: pyagrum.loadBN(str(path)), runs=3)
        other = BayesianNetwork.from_pyagrum(model)
        same = set(network.names) == set(other.names) and network.dag.n_arcs == other.dag.n_arcs
        both = f"{len(network.names)} variables and {network.dag.n_arcs} arcs in {'both' if same else 'OURS ALONE'}"
        row(f"read {name}.bif ({path.stat().st_size / 1e6:.2f} MB)", ours, theirs, both)


def main(arguments: Sequence[str] = ()) -> None:
    parser_for(__doc__).parse_args(arguments)
    if not has_data(NETWORKS):
        return
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    networks = {name: parse_bif(text_of(name)) for name in ("alarm", "hailfinder")}
    if has_peer("pgmpy"):
        beside_pgmpy(networks)
    if has_peer("pyagrum"):
        with tempfile.TemporaryDirectory() as folder:
            beside_pyagrum(Path(folder), networks)


if __name__ == "__main__":
    main(sys.argv[1:])
