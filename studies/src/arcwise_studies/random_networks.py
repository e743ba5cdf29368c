"""Random networks for studies: ``random:nodes=20,max_degree=6,seed=1``.

nodes          how many variables (required)
seed           fixes structure, states and tables (default 0)
max_degree     a connected DAG with at most this many neighbours (Ide and Cozman 2002; the default, with 6)
mean_parents   instead: each pair is joined with the same probability, this many parents on average
uniform        instead: "yes", all DAGs are equally likely
shape          instead: tree, polytree, lattice, small-world, ... (`arcwise_studies.shapes`)
min_states, max_states   the number of states of each variable is uniform between these (default 2 and 2)
tables         monotone, noisy-or, parity, rare, ... (`arcwise_studies.shapes`), some with two states; else:
concentration  every row of every table is drawn from the symmetric Dirichlet distribution with it (default 1: uniform)
hidden         so many more variables of two states, each a common cause of two to four others (default 0)
mixture        one more variable of two states that is a parent of this share of the others (default 0): the cases come
               from two populations

Variables that a study must not see are named ``hidden1``, ``hidden2``, ... and come last; `visible_names` leaves them
out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from arcwise.base.errors import suggestion
from arcwise.errors import ArcwiseError, ConfigError
from arcwise.graph import Dag, bounded_degree_dag, sparse_dag, uniform_dag
from arcwise.model import BayesianNetwork
from arcwise_studies.shapes import BINARY, SHAPES, TABLES, shape_parents
from arcwise_studies.source_text import SourceText

__all__ = ["check_random", "draw_tables", "random_network", "visible_names"]

HIDDEN = "hidden"
CHILDREN = (2, 5)  # of a hidden common cause: from two to four

OPTIONS = {
    **dict.fromkeys(("nodes", "seed", "max_degree", "min_states", "max_states", "hidden"), int),
    **dict.fromkeys(("mean_parents", "concentration", "mixture"), float),
    **dict.fromkeys(("uniform", "shape", "tables"), str),
}
STRUCTURES = ("max_degree", "mean_parents", "uniform", "shape")


def check_random(source: SourceText) -> dict[str, Any]:
    """Return the options of a random network, checked."""
    options = source.values(OPTIONS)
    if options.get("nodes", 0) < 1:
        raise ConfigError(f"'{source.text}': say how many variables, at least 1, as in 'random:nodes=20'.")
    if len([key for key in STRUCTURES if key in options]) > 1:
        raise ConfigError(f"'{source.text}': only one of {', '.join(STRUCTURES)} can be asked for.")
    if options.get("uniform", "yes") != "yes":
        raise ConfigError(f"'{source.text}': uniform takes 'yes', or is left out.")
    for key, known in (("shape", SHAPES), ("tables", TABLES)):
        if options.get(key, next(iter(known))) not in known:
            raise ConfigError(f"'{source.text}': {suggestion(key, options[key], known)}")
    least, most = options.get("min_states", 2), options.get("max_states", max(2, options.get("min_states", 2)))
    if not 2 <= least <= most:
        raise ConfigError(f"'{source.text}': 2 <= min_states <= max_states must hold, not {least} and {most}.")
    if options.get("tables") in BINARY and most > 2:
        raise ConfigError(f"'{source.text}': tables={options['tables']} is for variables of two states.")
    if not options.get("concentration", 1.0) > 0 or options.get("seed", 0) < 0:
        raise ConfigError(f"'{source.text}': concentration must be positive, and seed 0 or more.")
    if options.get("hidden", 0) < 0 or not 0 <= options.get("mixture", 0.0) <= 1:
        raise ConfigError(f"'{source.text}': hidden must be 0 or more, and mixture a share between 0 and 1.")
    if (options.get("hidden", 0) or options.get("mixture", 0.0)) and options["nodes"] < 2:
        raise ConfigError(f"'{source.text}': a hidden common cause needs two variables.")
    return options | {"min_states": least, "max_states": most}


def random_network(source: SourceText) -> BayesianNetwork:
    """Return the network that the text describes; the same text gives the same network."""
    options = check_random(source)
    rng = np.random.default_rng(options.get("seed", 0))
    nodes = options["nodes"]
    try:
        if "shape" in options:
            parents = shape_parents(options["shape"], nodes, rng)
            dag = Dag([f"x{v + 1}" for v in range(nodes)], parents)
        elif "uniform" in options:
            dag = uniform_dag(nodes, rng)
        elif "mean_parents" in options:
            dag = sparse_dag(nodes, rng, mean_parents=options["mean_parents"])
        else:
            dag = bounded_degree_dag(nodes, rng, max_degree=options.get("max_degree", 6))
    except ArcwiseError as error:
        raise ConfigError(f"'{source.text}': {error}") from None
    arities = rng.integers(options["min_states"], options["max_states"] + 1, size=nodes).tolist()
    causes = _hidden_causes(nodes, options, rng)
    if causes:
        more = [[nodes + k for k, children in enumerate(causes) if v in children] for v in range(nodes)]
        dag = Dag(
            [*dag.names, *(f"{HIDDEN}{k + 1}" for k in range(len(causes)))],
            [*([*own, *new] for own, new in zip(dag.parents, more, strict=True)), *([] for _ in causes)],
        )
    arities += [2 for _ in causes]
    if "tables" not in options:
        return draw_tables(dag, arities, rng, concentration=options.get("concentration", 1.0))
    table = TABLES[options["tables"]]
    tables = [table([arities[p] for p in own], arities[v], rng) for v, own in enumerate(dag.parents)]
    return BayesianNetwork(dag, [[str(k) for k in range(arity)] for arity in arities], tables)


def visible_names(names: Iterable[str]) -> list[str]:
    """Return the variables that a study may see."""
    return [name for name in names if not name.startswith(HIDDEN)]


def _hidden_causes(nodes: int, options: Mapping[str, Any], rng: np.random.Generator) -> list[set[int]]:
    """Return the children of each variable that nobody sees."""
    sizes = [min(nodes, int(rng.integers(*CHILDREN))) for _ in range(options.get("hidden", 0))]
    if options.get("mixture", 0.0):
        sizes.append(max(2, round(options["mixture"] * nodes)))
    return [set(rng.permutation(nodes)[:size].tolist()) for size in sizes]


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
