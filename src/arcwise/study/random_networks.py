"""Random networks for studies: ``random:nodes=20,max_degree=6,seed=1``.

nodes          how many variables (required)
seed           fixes structure, states and tables (default 0)
max_degree     a connected DAG with at most this many neighbours (Ide and Cozman 2002; the default, with 6)
mean_parents   instead: each pair is joined with the same probability, this many parents on average
uniform        instead: "yes", all DAGs are equally likely
min_states, max_states   the number of states of each variable is uniform between these (default 2 and 2)
concentration  every row of every table is drawn from the symmetric Dirichlet distribution with it (default 1: uniform)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arcwise.errors import ArcwiseError, ConfigError
from arcwise.graph import Dag, bounded_degree_dag, sparse_dag, uniform_dag
from arcwise.model import BayesianNetwork
from arcwise.study.source_text import SourceText

__all__ = ["check_random", "draw_tables", "random_network"]

OPTIONS = {
    **dict.fromkeys(("nodes", "seed", "max_degree", "min_states", "max_states"), int),
    **dict.fromkeys(("mean_parents", "concentration"), float),
    "uniform": str,
}
STRUCTURES = ("max_degree", "mean_parents", "uniform")


def check_random(source: SourceText) -> dict[str, Any]:
    """Return the options of a random network, checked."""
    options = source.values(OPTIONS)
    if options.get("nodes", 0) < 1:
        raise ConfigError(f"'{source.text}': say how many variables, at least 1, as in 'random:nodes=20'.")
    if len([key for key in STRUCTURES if key in options]) > 1:
        raise ConfigError(f"'{source.text}': only one of {', '.join(STRUCTURES)} can be asked for.")
    if options.get("uniform", "yes") != "yes":
        raise ConfigError(f"'{source.text}': uniform takes 'yes', or is left out.")
    least, most = options.get("min_states", 2), options.get("max_states", max(2, options.get("min_states", 2)))
    if not 2 <= least <= most:
        raise ConfigError(f"'{source.text}': 2 <= min_states <= max_states must hold, not {least} and {most}.")
    if not options.get("concentration", 1.0) > 0 or options.get("seed", 0) < 0:
        raise ConfigError(f"'{source.text}': concentration must be positive, and seed 0 or more.")
    return options | {"min_states": least, "max_states": most}


def random_network(source: SourceText) -> BayesianNetwork:
    """Return the network that the text describes; the same text gives the same network."""
    options = check_random(source)
    rng = np.random.default_rng(options.get("seed", 0))
    nodes = options["nodes"]
    try:
        if "uniform" in options:
            dag = uniform_dag(nodes, rng)
        elif "mean_parents" in options:
            dag = sparse_dag(nodes, rng, mean_parents=options["mean_parents"])
        else:
            dag = bounded_degree_dag(nodes, rng, max_degree=options.get("max_degree", 6))
    except ArcwiseError as error:
        raise ConfigError(f"'{source.text}': {error}") from None
    arities = rng.integers(options["min_states"], options["max_states"] + 1, size=nodes)
    return draw_tables(dag, arities.tolist(), rng, concentration=options.get("concentration", 1.0))


def draw_tables(
    dag: Dag, arities: list[int], rng: np.random.Generator, *, concentration: float = 1.0
) -> BayesianNetwork:
    """Return a network whose tables have rows drawn from the symmetric Dirichlet distribution."""
    tables = [
        rng.dirichlet(np.full(arities[v], concentration), size=math.prod(arities[p] for p in dag.parents[v]))
        for v in range(dag.n_nodes)
    ]
    states = [[str(k) for k in range(arity)] for arity in arities]
    return BayesianNetwork(dag, states, tables)
