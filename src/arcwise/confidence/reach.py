"""`FamilyReach`: how probable each parent set of a variable is together with what the variable then reaches.

P(y | do(x)) depends on a network only through the parents of x and on whether x is an ancestor of y at all. So the
shares of x's families, each split by the variables that x reaches, are all that effects need to know of a set of
networks, be it of 10^12 of them (Pensar, Talvitie, Hyttinen and Koivisto 2020, section 3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import OptionError
from arcwise.base.run import Limits, Seed
from arcwise.base.showing import one_screen
from arcwise.confidence.averaging import edge_confidence
from arcwise.confidence.paths import PathProbability, path_probability, path_table
from arcwise.networks.classes import drawn_from_classes
from arcwise.networks.completions import (
    CompletionNetworks,
    CompletionWeights,
    completed_under,
    completion_of_networks,
)
from arcwise.networks.families import Families
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.recipe import Ensemble
from arcwise.posterior.posterior import as_ensemble

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.posterior.posterior import Posterior


# A credible set with more networks is drawn from, so many times: a probability is then within 0.014, 19 times of 20.
LISTED = 50_000
DRAWS = 5_000
# Bytes of one batch of reachability matrices.
BATCH = 2**26


@one_screen
@dataclass(frozen=True, eq=False)
class FamilyReach:
    """The shares of all families, and of each family with every variable that its child reaches.

    Parameters
    ----------
    names, families
        The variables, and the parent sets that occur.
    shares
        For every row of `families`, the weight of the networks that have it; those of one child sum to 1.
    reached
        Rows by variables: at [r, w], the weight of the networks that have family r and a directed path from its child
        to w.
    n_draws
        How many independent networks the draws are worth that what is reached was found from; None if all networks
        were looked at. Draws of chains depend on each other: they are worth their least effective number.
    completions
        Of data with gaps, which completions' networks have which family; None if that is not known.
    under
        The networks under which completions were drawn, where networks were learned from others: of a bootstrap.
    confidence
        What the networks say of edges: with it, shares of paths become probabilities (`paths`).
    """

    names: tuple[str, ...]
    families: Families
    shares: NDArray[np.float64]
    reached: NDArray[np.float64]
    n_draws: int | None = None
    completions: CompletionWeights | None = None
    under: CompletionNetworks | None = None
    confidence: EdgeConfidence | None = None

    @cached_property
    def paths(self) -> PathProbability:
        """How probable it is that one variable leads to another: calibrated, where a study tells."""
        return path_probability(self.confidence, self.ancestor_probabilities())

    def leads_to(self, first: str, second: str) -> float:
        """Return the weight of the networks with a directed path from one variable to another."""
        rows = self.rows_of(self.names.index(first))
        return float(self.reached[rows.start : rows.stop, self.names.index(second)].sum())

    def rows_of(self, variable: int) -> range:
        """Return the rows of a variable's families."""
        start, end = self.families.node_offsets[variable : variable + 2].tolist()
        return range(start, end)

    def ancestor_probabilities(self) -> NDArray[np.float64]:
        """Return the matrix of the shares of the networks with a directed path from v to w, at [v, w]."""
        n = len(self.names)
        sums = np.zeros((n, n))
        np.add.at(sums, self.families.row_nodes, self.reached)
        return np.clip(sums, 0.0, 1.0)

    def standard_errors(self) -> NDArray[np.float64]:
        """Return the Monte Carlo standard errors of these shares.

        They are 0 where all networks of data without gaps were seen; there are always more completions.
        """
        found = self.ancestor_probabilities()
        drawn = np.zeros_like(found) if self.n_draws is None else np.sqrt(found * (1 - found) / self.n_draws)
        return drawn if self.completions is None else np.maximum(drawn, self.completions.standard_errors())


def family_reach(
    networks: Ensemble | Posterior,
    *,
    shares: Ensemble | None = None,
    confidence: EdgeConfidence | None = None,
    seed: Seed = 0,
    limits: Limits | None = None,
) -> FamilyReach:
    """Sum the families of an ensemble up, by what their children reach.

    Parameters
    ----------
    networks
        A set of networks, or a posterior. A credible set of more than 50,000 is drawn from; the shares of its families
        are exact all the same. Networks of a bootstrap are replaced by members of their classes, drawn at random
        (`drawn_from_classes`): which one a search ends with says nothing of directions.
    shares
        The ensemble that `networks` were drawn from: the shares of families are taken from it.
    confidence
        What the networks say of edges (`edge_confidence`); it is found if a study tells what their paths are worth.
    seed, limits
        Of the draws.
    """
    networks = as_ensemble(networks)
    is_listed = networks.listed is not None or networks.count <= LISTED
    if shares is None and not is_listed:
        shares = networks.summed(limits)
    count = max(networks.count, 1) if is_listed else DRAWS
    listed = drawn_from_classes(networks.drawn(count, seed=seed, limits=limits), seed)
    weights = listed.weights
    reached = _reached(listed.families, listed.choices, weights)
    if confidence is None and any(source == networks.origin for source, _ in path_table().entries):
        confidence = edge_confidence(networks, limits=limits)
    found = FamilyReach(
        listed.names,
        listed.families,
        listed.family_probabilities(),
        reached,
        _worth(listed) if not listed.origin.is_whole or shares is not None else None,
        _by_completion(listed),
        completed_under(listed),
        confidence,
    )
    return found if shares is None else _with_shares(found, shares)


def _by_completion(networks: NetworkSet) -> CompletionWeights | None:
    """Sum families up by what their children reach, for each completion of data with gaps on its own."""
    of_network = completion_of_networks(networks)
    if of_network is None or not len(of_network):
        return None
    n, starts = len(networks.names), networks.families.node_offsets[:-1]
    count = int(of_network.max()) + 1
    found: dict[int, tuple[list[int], list[NDArray[np.float64]]]] = {}
    ancestors = np.zeros((count, n, n))
    for completion in range(count):
        own = np.flatnonzero(of_network == completion)
        choices, weights = networks.choices[own], networks.weights[own]
        reached = _reached(networks.families, choices, weights)
        rows = np.unique(choices.astype(np.int64) + starts)
        for row in rows.tolist():
            completions, values = found.setdefault(row, ([], []))
            completions.append(completion)
            values.append(reached[row])
        np.add.at(ancestors[completion], networks.families.row_nodes, reached / max(weights.sum(), 1e-300))
    families = {row: (np.array(first), np.array(second)) for row, (first, second) in found.items()}
    return CompletionWeights(families, np.clip(ancestors, 0.0, 1.0))


def _worth(drawn: NetworkSet) -> int:
    """Return how many independent draws networks are worth; chains say it in their verdict."""
    effective = (drawn.facts.get("verdict") or {}).get("effective")
    return drawn.count if effective is None else max(1, min(drawn.count, int(effective)))


def _reached(families: Families, taken: NDArray[Any], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up, by family of v, the weight of the networks in which v reaches w."""
    n = len(families.node_offsets) - 1
    found = np.zeros((families.n_rows, n))
    size = max(1, BATCH // max(1, n * n))
    for start in range(0, len(taken), size):
        choices = taken[start : start + size].astype(np.int64)
        own = weights[start : start + size]
        rows = choices + families.node_offsets[:-1]
        reaches = _descendants(families.masks[rows], n)
        for v in range(n):
            a, b = families.node_offsets[v : v + 2].tolist()
            sums = [np.bincount(choices[:, v], weights=own * reaches[:, v, w], minlength=b - a) for w in range(n)]
            found[a:b] += np.stack(sums, axis=1)
    return found


def _descendants(masks: NDArray[np.uint64], n: int) -> NDArray[np.bool_]:
    """Return, for networks given by the parents of each node as bits, whether v reaches w, at [network, v, w].

    Warshall's closure, on the ancestors of every node as bits: if k is an ancestor of w, so are all those of k.
    """
    ancestors = masks.copy()  # networks x nodes x words
    for k in range(n):
        has = (ancestors[:, :, k // 64] >> np.uint64(k % 64)) & np.uint64(1)
        ancestors |= np.where(has[:, :, None] != 0, ancestors[:, k, None, :], np.uint64(0))
    word, bit = np.arange(n) // 64, (np.arange(n) % 64).astype(np.uint64)
    # [network, w, v] -> [network, v, w]
    return np.asarray(((ancestors[:, :, word] >> bit) & np.uint64(1)) != 0).transpose(0, 2, 1)


def _with_shares(drawn: FamilyReach, exact: Ensemble) -> FamilyReach:
    """Replace the shares of families by exact ones; what is reached given a family stays as drawn.

    A family that was not drawn reaches w as often as those of the same variable that were, w among its parents aside.
    """
    exact = exact.summed()
    if exact.names != drawn.names:
        raise OptionError("the shares are of other variables than the networks.")
    families, shares, n = exact.families, exact.family_probabilities(), len(drawn.names)
    before = zip(drawn.families.row_nodes.tolist(), drawn.families.parent_tuples, strict=True)
    known = {family: row for row, family in enumerate(before)}
    reached = np.zeros((families.n_rows, n))
    known_rows: dict[int, int] = {}
    usual = drawn.ancestor_probabilities()
    nodes = families.row_nodes.tolist()
    for row, (node, parents) in enumerate(zip(nodes, families.parent_tuples, strict=True)):
        at = known.get((node, parents))
        if at is not None:
            known_rows[at] = row
        if at is not None and drawn.shares[at] > 0:
            reached[row] = shares[row] * drawn.reached[at] / drawn.shares[at]
        else:
            reached[row] = shares[row] * usual[node]
            reached[row, list(parents)] = 0.0
    own = drawn.completions
    if own is not None:
        renamed = {known_rows[at]: value for at, value in own.families.items() if at in known_rows}
        own = replace(own, families=renamed)
    return replace(drawn, families=families, shares=shares, reached=reached, completions=own)
