"""`NetworkSet`: many networks over the same variables, with scores, weights and where they come from."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument, FormatError, OptionError, Remedy, check_argument, check_known
from arcwise.base.options import load_figure
from arcwise.base.run import Limits, Seed, Status
from arcwise.base.showing import LINES, html_table
from arcwise.graph.dag import Dag
from arcwise.networks.families import Choices, Families, choice_type, joined_families, numbered_families
from arcwise.networks.files import arrays_of, read_networks, save_networks
from arcwise.networks.origin import (
    EnsembleFacts,
    Facts,
    describe_completeness,
    facts_without,
    fields_of,
    known_facts,
    shared_constraints,
)
from arcwise.networks.recipe import Origin
from arcwise.plotting.charts import plot_matrix

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


T = TypeVar("T")

# Deviation curves: how far the k-th best network falls short of the optimum (Liao Figure 3.1).


def deviation_curve(networks: NetworkSet) -> NDArray[np.float64]:
    """Return opt - score of the networks in rising order: entry k - 1 is the deviation of the k-th best."""
    if not np.isfinite(networks.scores).all() or math.isnan(networks.opt):
        raise OptionError(f"a deviation curve needs scores and an optimum; this set ('{networks.origin}') has none.")
    return np.sort(networks.opt - networks.scores)


def plot_deviations(
    sets: Mapping[str, NetworkSet], *, bayes_factors: tuple[float, ...] = (3.0, 20.0, 150.0), ax: Axes | None = None
) -> Axes:
    """Draw one deviation curve per set, with dashed lines where Bayes factors lie.

    All networks below the line of a factor are credible at that factor.
    """
    if ax is None:
        Figure = load_figure()
        ax = Figure(figsize=(7, 4.5), layout="constrained").add_subplot()
    longest = 1
    for label, networks in sets.items():
        curve = deviation_curve(networks)
        longest = max(longest, len(curve))
        ax.step(np.arange(1, len(curve) + 1), curve, where="post", label=label)
    for factor in bayes_factors:
        ax.axhline(math.log(factor), color="firebrick", linestyle="--", linewidth=0.8)
        ax.annotate(
            f"{factor:g}",
            (1.0, math.log(factor)),
            xycoords=("axes fraction", "data"),
            xytext=(3, -3),
            textcoords="offset points",
            color="firebrick",
            fontsize="small",
        )
    ax.set_xscale("log")
    ax.set_xlim(1, longest)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("k, rank of the network")
    ax.set_ylabel("deviation from the optimum (natural log); Bayes factor at the right")
    ax.legend()
    return ax


Weighting = Literal["posterior", "equal"]
WEIGHTINGS = ("posterior", "equal")


def check_weighting(weights: str) -> None:
    """Raise an error that lists the known weightings if `weights` is none of them."""
    check_known("weighting", weights, WEIGHTINGS)


def posterior_log_weights(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log weights proportional to exp(score), normalised; the posterior under a uniform structure prior."""
    shifted = scores - scores.max(initial=-np.inf)
    return np.asarray(shifted - np.log(np.exp(shifted).sum())) if len(scores) else np.empty(0)


def check_count(count: int) -> int:
    """Return how many networks to draw; raise an error if that is none."""
    check_argument(count >= 1, "count", count, "must be at least 1.")
    return count


def _family_text(name: str, parents: Sequence[str]) -> str:
    return f"[{name}|{','.join(parents)}]" if parents else f"[{name}]"


@dataclass(frozen=True, eq=False)
class NetworkSet(EnsembleFacts):
    """Networks over the same variables: DAGs, scores, log weights and an origin.

    A network is stored as one small number per node, its row in the node's dictionary of parent sets; a million
    networks of 20 variables take 36 to 56 MB. Iterating gives `Dag` objects; an integer index gives one `Dag`, a
    slice, an index array or a mask gives a `NetworkSet` with the weights normalised again.

    Parameters
    ----------
    names
        The variables.
    families
        The dictionary of parent sets.
    choices
        Array of shape (networks, variables): the row of each node's parent set, counted within the node.
    scores
        The log score of each network; NaN where it is not known.
    log_weights
        Normalised log weights: their exponentials sum to 1.
    origin
        How the networks were found: "credible", "k-best", "bootstrap", ...

    The other fields are those of `EnsembleFacts`, by keyword.
    """

    names: tuple[str, ...]
    families: Families
    choices: Choices
    scores: NDArray[np.float64]
    log_weights: NDArray[np.float64]
    origin: Origin

    # -- what every ensemble offers (see `arcwise.ensemble.ensemble`) ------------------------------------------------

    @property
    def count(self) -> int:
        """The number of networks."""
        return len(self.choices)

    @property
    def listed(self) -> NetworkSet:
        """The networks themselves."""
        return self

    def drawn(self, count: int, *, seed: Seed = 0, limits: Limits | None = None) -> NetworkSet:
        """Return the networks, or that many of them, drawn by their weights, if there are more."""
        if self.count <= check_count(count):
            return self
        rng = np.random.default_rng(seed if not isinstance(seed, int) else [seed, 1])
        rows = np.sort(rng.choice(self.count, size=count, p=self.weights))
        return self[rows].with_weights("equal")

    def family_probabilities(self, weights: Weighting | None = None) -> NDArray[np.float64]:
        """Return, for every row of `families`, the weight of the networks that have this family.

        `weights` replaces the set's own weights: "posterior" (by score) or "equal".
        """
        return self._by_family(np.exp(self.log_weights if weights is None else self.weights_by(weights)))

    def _by_family(self, weights: NDArray[np.float64] | None = None) -> NDArray[Any]:
        """Sum weights, or count networks, for every row of `families`."""
        sizes = np.diff(self.families.node_offsets).tolist()
        parts = [np.bincount(self.choices[:, v], weights=weights, minlength=size) for v, size in enumerate(sizes)]
        return np.concatenate(parts) if parts else np.empty(0)

    # -- weights ------------------------------------------------------------------------------------------------------

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights; they sum to 1."""
        return np.exp(self.log_weights)

    def weights_by(self, weights: Weighting) -> NDArray[np.float64]:
        """Return normalised log weights: by score ("posterior") or "equal" (Liao section 4.4 compares the two)."""
        check_weighting(weights)
        if weights == "equal":
            return np.full(self.count, -np.log(self.count)) if self.count else np.empty(0)
        if not np.isfinite(self.scores).all():
            raise OptionError(
                Argument("weights", "posterior"),
                f"needs the score of every network; this set (origin '{self.origin}') has "
                f"{int((~np.isfinite(self.scores)).sum())} without one.",
                remedies=Remedy("use", Argument("weights", "equal")),
            )
        return posterior_log_weights(self.scores)

    def with_weights(self, weights: Weighting | NDArray[np.float64]) -> NetworkSet:
        """Return the same networks with other weights: "posterior", "equal", or an array of weights (not logs)."""
        if isinstance(weights, str):
            return replace(self, log_weights=self.weights_by(weights))
        given = np.asarray(weights, dtype=np.float64)
        if given.shape != (self.count,) or not (given >= 0).all() or not 0 < given.sum() < np.inf:
            raise OptionError(
                f"weights must be {self.count} finite numbers >= 0 with a positive sum, one per network; got an array "
                f"of shape {given.shape}."
            )
        with np.errstate(divide="ignore"):
            return replace(self, log_weights=np.log(given / given.sum()))

    # -- networks -----------------------------------------------------------------------------------------------------

    def parents(self, network: int) -> tuple[tuple[int, ...], ...]:
        """Return the parents of every node in one network, as positions."""
        tuples, starts = self.families.parent_tuples, self.families.node_offsets
        return tuple(tuples[int(starts[v]) + int(row)] for v, row in enumerate(self.choices[network]))

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Dag]:
        return (Dag(self.names, self.parents(i)) for i in range(self.count))

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> Dag: ...
    @overload
    def __getitem__(self, key: slice | NDArray[Any]) -> NetworkSet: ...
    def __getitem__(self, key: int | np.integer[Any] | slice | NDArray[Any]) -> Dag | NetworkSet:
        if isinstance(key, int | np.integer):
            if not -self.count <= key < self.count:
                raise IndexError(f"network {key} of a set of {self.count}")
            return Dag(self.names, self.parents(int(key)))
        part = replace(
            self,
            choices=self.choices[key],
            scores=self.scores[key],
            log_weights=posterior_log_weights(self.log_weights[key]),
            facts=facts_without(self.facts, "by_completion"),
        ).compact()
        if not self.origin.is_whole or part.count >= self.count:
            return part
        # A part of all that there are is not all, and nothing makes just these.
        return replace(part, status=Status.COUNT_LIMIT, carried_out=None, facts=facts_without(part.facts, "recipe"))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per network, in the order of the set: score, weight, number of arcs, and its families.

        The families are written as ``[a][b|a]``: each variable, and after a bar its parents.
        """
        import pandas as pd

        starts, tuples = self.families.node_offsets.tolist(), self.families.parent_tuples
        sizes = np.diff(self.families.set_offsets)
        arcs = np.zeros(self.count, dtype=np.int64)
        texts: list[list[str]] = []
        for v, (a, b) in enumerate(itertools.pairwise(starts)):
            arcs += sizes[a:b][self.choices[:, v]]
            own = [_family_text(self.names[v], [self.names[p] for p in tuples[row]]) for row in range(a, b)]
            texts.append([own[row] for row in self.choices[:, v].tolist()])
        networks = ["".join(parts) for parts in zip(*texts, strict=True)] if texts else [""] * self.count
        return pd.DataFrame({"score": self.scores, "weight": self.weights, "arcs": arcs, "network": networks})

    def compact(self) -> NetworkSet:
        """Return the same set with a dictionary that holds only the parent sets in use."""
        used = self.family_counts > 0
        if used.all():
            return self
        rows = np.flatnonzero(used)
        families = self.families.take(rows)
        kind = choice_type(int(np.diff(families.node_offsets).max(initial=1)))
        choices = np.empty(self.choices.shape, dtype=kind)
        for v, (a, b) in enumerate(itertools.pairwise(self.families.node_offsets)):
            position = (np.cumsum(used[a:b]) - 1).astype(kind)
            choices[:, v] = position[self.choices[:, v]]
        return replace(self, families=families, choices=choices)

    @cached_property
    def family_counts(self) -> NDArray[np.int64]:
        """For every row of `families`, the number of networks that have this family."""
        return self._by_family().astype(np.int64)

    def sorted(self) -> NetworkSet:
        """Return the set by falling score; networks with equal scores stay in their order."""
        return self[np.argsort(-self.scores, kind="stable")]

    @property
    def nbytes(self) -> int:
        """The memory of the arrays, in bytes."""
        return sum(array.nbytes for array in arrays_of(self).values())

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw how far the k-th best network falls short of the best; without scores, the matrix of the arcs."""
        if self.count and np.isfinite(self.scores).all():
            best = self if np.isfinite(self.opt) else replace(self, opt=float(self.scores.max()))
            return plot_deviations({self.origin: best}, ax=ax)
        return plot_matrix(self.names, self.arc_probabilities(), labels=("from", "to"), legend="share", ax=ax)

    def __repr__(self) -> str:
        state = describe_completeness(self.status, self.max_parents, self.n_variables)
        return f"NetworkSet({self.count:,} networks over {self.n_variables} variables, {self.origin}, {state})"

    def _repr_html_(self) -> str:
        frame = self[:LINES].to_frame() if self.count else self.to_frame()
        frame["weight"] = self.weights[:LINES]  # those of the whole set
        return html_table(repr(self), list(map(str, frame)), frame.itertuples(index=False, name=None), self.count)

    # -- making and files ---------------------------------------------------------------------------------------------

    @classmethod
    def from_dags(
        cls,
        dags: Sequence[Dag],
        *,
        origin: str,
        scores: Sequence[float] | NDArray[np.float64] | None = None,
        weights: Weighting | None = None,
        **facts: Any,
    ) -> NetworkSet:
        """Make a set from DAGs over the same names; the default weights are equal without scores, else posterior.

        Further keywords are fields of the set (`opt`, `status`, `facts`, ...).
        """
        if not dags:
            raise OptionError("a network set needs at least one network to know its variables; got none.")
        names = _same_names("networks", dags)
        families, choices = numbered_families([dag.parents for dag in dags], len(names))
        values = np.full(len(dags), np.nan) if scores is None else np.asarray(scores, dtype=np.float64)
        if values.shape != (len(dags),):
            raise OptionError(f"{len(dags)} networks but {values.size} scores.")
        made = cls(
            names=names,
            families=families,
            choices=choices,
            scores=values,
            log_weights=np.zeros(len(dags)),
            origin=Origin(origin),
            **facts,
        )
        return made.with_weights(weights or ("equal" if scores is None else "posterior"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the set: ``*.parquet`` for other programs, any other name for arcwise's own compact format."""
        save_networks(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> NetworkSet:
        """Read a set that `save` wrote; the content is checked, nothing in it is executed."""
        made = cls(**read_networks(path, fields_of)).check_known(str(path))
        try:
            made.families.assert_obey(made.obeyed, made.family_counts > 0)
        except AssertionError:
            raise FormatError(f"{path}: a network does not satisfy the constraints; the file was edited.") from None
        return made


# What joined sets keep of their facts, if it is the same for all: how they were made and from how many cases.
KEPT = frozenset({"recipe", "n_cases", "learner", "constraints", "targets", "copies"})


def concatenate(
    sets: Sequence[NetworkSet], *, weights: Weighting | None = None, origin: str | None = None
) -> NetworkSet:
    """Join sets over the same variables into one.

    Without `weights`, every set keeps its weights, scaled by its share of the networks: joining two halves of a
    bootstrap sample gives the whole sample. The result is complete if all parts are, and satisfies what all satisfy.
    """
    if not sets:
        raise OptionError("concatenate needs at least one set; got none.")
    names = _same_names("sets", sets)
    families, numbers = joined_families([part.families for part in sets])
    kind = choice_type(int(np.diff(families.node_offsets).max(initial=1)))
    choices = np.empty((sum(part.count for part in sets), len(names)), dtype=kind)
    row = 0
    for part, own in zip(sets, numbers, strict=True):
        for v, start in enumerate(part.families.node_offsets[:-1]):
            choices[row : row + part.count, v] = own[start + part.choices[:, v].astype(np.int64)]
        row += part.count
    total = max(row, 1)
    with np.errstate(divide="ignore"):
        shares = [part.log_weights + np.log(part.count / total) for part in sets]
    joined = NetworkSet(
        names=names,
        families=families,
        choices=choices,
        scores=np.concatenate([part.scores for part in sets]),
        log_weights=posterior_log_weights(np.concatenate(shares)),
        origin=Origin.joined(part.origin for part in sets) if origin is None else Origin(origin),
        opt=_common([part.opt for part in sets], math.nan),
        slack=_common([part.slack for part in sets], math.nan),
        status=next((part.status for part in sets if not part.complete), Status.COMPLETE),
        max_parents=_common([part.max_parents for part in sets], None),
        tolerance=max(part.tolerance for part in sets),
        score=_common([part.score for part in sets], {}),
        data_digest=_common([part.data_digest for part in sets], None),
        facts=_shared_facts(sets),
    )
    return joined if weights is None else joined.with_weights(weights)


def _shared_facts(sets: Sequence[NetworkSet]) -> Facts:
    """Return what holds of all sets; of different constraints, and experiments, those that all share."""
    first = sets[0].facts
    different = [name for name, value in first.items() if any(part.facts.get(name) != value for part in sets)]
    found = facts_without(first, *different, *(first.keys() - KEPT))
    if found.get("constraints") is None and found.get("recipe") is None:
        found |= known_facts(shared_constraints([part.obeyed for part in sets]))
    experiments = [target for target in sets[0].targets if all(target in part.targets for part in sets)]
    return found if found.get("targets") is not None else found | known_facts(None, experiments)


def _common(values: Sequence[T], otherwise: T) -> T:
    """Return the value that all have."""
    return values[0] if all(value == values[0] for value in values) else otherwise


def _same_names(what: str, parts: Sequence[Dag | NetworkSet]) -> tuple[str, ...]:
    names = parts[0].names
    for position, part in enumerate(parts):
        if part.names != names:
            raise OptionError(f"{what} {position} and 0 have different variables: {part.names} and {names}.")
    return names


# `to_arviz`: sampled networks, such as bootstrap replicates, for ArviZ.


def to_arviz(networks: NetworkSet) -> Any:
    """Return networks that were drawn, one by one, as ``arviz.InferenceData``; needs ArviZ (``arcwise[arviz]``).

    The group is one chain with a draw per network: `score`, and for every pair of variables that some network joins and
    some does not, whether it does, as "a - b". Replicates of a bootstrap are independent, so that ArviZ's means and
    standard errors are those of the confidences. Chains have a method of their own: `ChainPosterior.to_arviz`.
    """
    try:
        import arviz as az
    except ImportError:
        raise OptionError("ArviZ is not installed: pip install arviz, or pip install 'arcwise[arviz]'.") from None
    if np.ptp(networks.log_weights) > 1e-9:
        raise OptionError(
            "ArviZ takes draws that count the same, and these networks have weights of their own. Draw from them "
            "first: CredibleSet.sample."
        )
    return az.from_dict(posterior={name: values[None] for name, values in edge_draws(networks).items()})


def edge_draws(networks: NetworkSet) -> dict[str, NDArray[Any]]:
    """Return, for each network, its score ("score") and whether it joins the pairs ("a - b") that not all do alike."""
    found: dict[str, NDArray[Any]] = {"score": networks.scores}
    starts, tuples = networks.families.node_offsets, networks.families.parent_tuples
    for i, j in itertools.combinations(range(networks.n_variables), 2):
        joined = np.zeros(len(networks), dtype=bool)
        for child, parent in ((i, j), (j, i)):
            own = np.array(
                [parent in tuples[row] for row in range(int(starts[child]), int(starts[child + 1]))], dtype=bool
            )
            joined |= own[networks.choices[:, child]]
        if joined.any() and not joined.all():
            found[f"{networks.names[i]} - {networks.names[j]}"] = joined
    return found
