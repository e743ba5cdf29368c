"""Parts of large networks, as worlds of their own: ``part:network=andes,nodes=20,seed=3``.

network   the network that the part is taken from, by name or file (required)
nodes     how many variables the part has (required); fewer if the network has no connected part of that size
seed      fixes which variables, and the states of what is left out (default 0)

The variables are joined to each other: one is drawn, and neighbours of those chosen so far are added at random. A
parent outside of the part is set to a state, as in an experiment, so that what is left is a Bayesian network with the
arcs among its variables and slices of their tables: nothing is fitted, and no dependence comes from outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arcwise.errors import ConfigError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork
from arcwise_studies.source_text import SourceText

if TYPE_CHECKING:
    from arcwise_studies.sources import Sources

__all__ = ["check_part", "network_part", "part_of"]

OPTIONS = {"network": str, "nodes": int, "seed": int}


def check_part(source: SourceText) -> SourceText:
    """Check the options of a part; return what names the whole network."""
    options = source.values(OPTIONS)
    if "network" not in options or options.get("nodes", 0) < 2:
        raise ConfigError(f"'{source.text}': say which network and how many variables, 'part:network=andes,nodes=20'.")
    if options.get("seed", 0) < 0:
        raise ConfigError(f"'{source.text}': seed must be 0 or more.")
    return SourceText.parse(options["network"])


def network_part(source: SourceText, sources: Sources) -> BayesianNetwork:
    """Return the part that the text describes; the same text gives the same part."""
    whole = sources.network(check_part(source).text)
    options = source.values(OPTIONS)
    return part_of(whole, options["nodes"], np.random.default_rng([options.get("seed", 0), options["nodes"]]))


def part_of(whole: BayesianNetwork, nodes: int, rng: np.random.Generator) -> BayesianNetwork:
    """Return a random connected part of a network, its outer parents set to random states."""
    chosen = _connected(whole.dag, nodes, rng)
    position = {v: k for k, v in enumerate(chosen)}
    parents: list[list[int]] = []
    tables = []
    for v in chosen:
        own = whole.dag.parents[v]
        sizes = [len(whole.states[p]) for p in own]
        table = np.asarray(whole.tables[v]).reshape(*sizes, len(whole.states[v]))
        index = tuple(slice(None) if p in position else int(rng.integers(r)) for p, r in zip(own, sizes, strict=True))
        tables.append(table[index].reshape(-1, len(whole.states[v])))
        parents.append([position[p] for p in own if p in position])
    # Variables keep their order, so that a table's axes keep theirs.
    return BayesianNetwork(Dag([whole.names[v] for v in chosen], parents), [whole.states[v] for v in chosen], tables)


def _connected(dag: Dag, nodes: int, rng: np.random.Generator) -> list[int]:
    """Return variables that are joined to each other, as many as asked for if there are, in the network's order."""
    neighbours: list[set[int]] = [set(own) for own in dag.parents]
    for child, own in enumerate(dag.parents):
        for parent in own:
            neighbours[parent].add(child)
    best: set[int] = set()
    for start in rng.permutation(dag.n_nodes).tolist():
        found, border = {start}, set(neighbours[start])
        while border and len(found) < nodes:
            new = int(rng.choice(sorted(border)))
            found.add(new)
            border = (border | neighbours[new]) - found
        best = max(best, found, key=len)
        if len(best) >= nodes:
            break
    return sorted(best)
