"""`NetworkSet`: many networks over the same variables, with scores, weights and where they come from."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import finite_or_none, open_parquet, read_array_file, write_array_file, write_parquet
from arcwise.base.errors import (
    Argument,
    FormatError,
    OptionError,
    Remedy,
    UnfinishedError,
    check_argument,
    check_known,
    reading,
)
from arcwise.base.files import parse_json
from arcwise.base.options import load_package
from arcwise.base.run import Limits, Seed, Status
from arcwise.base.showing import LINES, html_table
from arcwise.graph.dag import Dag
from arcwise.networks.families import Choices, Families, joined_families, numbered_families
from arcwise.networks.recipe import (
    EnsembleFacts,
    KnownFacts,
    NetworkOrigin,
    describe_completeness,
    facts_without,
    fields_of,
    known_facts,
    shared_constraints,
)
from arcwise.plotting.charts import plot_matrix
from arcwise.plotting.layout import axes_or_new

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


LIST_KIND = "arcwise-networks 1"
ARRAYS = ("node_offsets", "set_offsets", "members", "choices", "scores", "log_weights")

# What differs from run to run is no part of a result: the same input, options and seed give the same bytes.
CIRCUMSTANCES = ("seconds", "expected_seconds")


def _checked(path: str | os.PathLike[str], facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Return the fields of a network set from what its file holds."""
    with reading(f"{path}: the facts of the set", "Write the file again."):
        names = _names(path, facts)
        fields = fields_of(facts)
    families = _checked_families(path, names, arrays, "scores", "log_weights")
    choices, scores, log_weights = arrays["choices"], arrays["scores"], arrays["log_weights"]
    if len(set(names)) < len(names):
        raise FormatError(f"{path}: two variables have the same name.")
    if choices.ndim != 2 or choices.dtype.kind != "u" or choices.shape[1:] != (len(names),):
        raise FormatError(f"{path}: the networks should have one number for each of the {len(names)} variables.")
    if scores.shape != (len(choices),) or log_weights.shape != (len(choices),):
        raise FormatError(f"{path}: {len(choices)} networks, but {len(scores)} scores, {len(log_weights)} weights.")
    if len(choices):
        limits = np.diff(families.node_offsets)
        over = np.flatnonzero(choices.max(axis=0) >= limits)
        if len(over):
            raise FormatError(f"{path}: a network has an unknown parent set for '{names[over[0]]}'.")
        if (log_weights > 1e-6).any() or not abs(float(np.exp(log_weights).sum()) - 1.0) < 1e-6:
            raise FormatError(f"{path}: the weights of the networks do not sum to 1.")
    cyclic = first_cyclic(families, choices)
    if cyclic is not None:
        raise FormatError(f"{path}: network {cyclic} has a directed cycle; the file was edited or is damaged.")
    own = {"families": families, "choices": choices, "scores": scores, "log_weights": log_weights}
    return {"names": names, **own, **fields}


def _checked_families(
    path: str | os.PathLike[str], names: Sequence[str], arrays: Mapping[str, NDArray[Any]], *numbers: str
) -> Families:
    """Return the parent sets of a file; it also has lists of numbers."""
    kinds = {"node_offsets": "i8", "set_offsets": "i8", "members": "i4", **dict.fromkeys(numbers, "f8")}
    for name, kind in kinds.items():
        if arrays[name].dtype != np.dtype(kind) or arrays[name].ndim != 1:
            raise FormatError(f"{path}: array '{name}' should be a list of {kind}. Write the file again.")
    families = Families(arrays["node_offsets"], arrays["set_offsets"], arrays["members"])
    families.check(str(path), names)
    return families


def _names(path: str | os.PathLike[str], facts: dict[str, Any]) -> tuple[str, ...]:
    names = facts.get("names")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError(f"{path}: the facts of the set do not name the variables. Write the file again.")
    return tuple(names)


def _floats(path: str | os.PathLike[str], name: str, values: Any) -> NDArray[np.float64]:
    """Return a column as numbers, NaN where it has none."""
    try:
        return np.asarray(np.ma.filled(np.ma.asarray(values).astype(np.float64), np.nan), dtype=np.float64)
    except (TypeError, ValueError):
        raise FormatError(f"{path}: the column '{name}' does not hold numbers. Write the file again.") from None


def first_cyclic(families: Families, choices: NDArray[Any]) -> int | None:
    """Return the first network with a directed cycle, or None; many networks at a time.

    Nodes without remaining parents are removed from all networks at once; a network with nodes left over that all
    keep a parent has a cycle.
    """
    masks = families.masks
    words = masks.shape[1]
    starts, chunk = families.node_offsets[:-1], 2**14
    for begin in range(0, len(choices), chunk):
        parents = masks[choices[begin : begin + chunk].astype(np.int64) + starts]
        left = np.ones(parents.shape[:2], dtype=bool)
        placed = np.zeros((len(parents), words), dtype=np.uint64)
        while left.any():
            free = left & ~(parents & ~placed[:, None, :]).any(axis=2)
            stuck = left.any(axis=1) & ~free.any(axis=1)
            if stuck.any():
                return begin + int(np.flatnonzero(stuck)[0])
            left &= ~free
            for v in np.flatnonzero(free.any(axis=0)):
                placed[free[:, v], v // 64] |= np.uint64(1) << np.uint64(v % 64)
    return None


def _save_parquet(networks: NetworkSet, path: str | os.PathLike[str], facts: dict[str, Any]) -> None:
    """Write one row per network: score, log_weight, and one column per variable with its parents as a JSON list."""
    import pandas as pd

    columns: dict[str, Any] = {"score": networks.scores, "log_weight": networks.log_weights}
    starts, tuples = networks.families.node_offsets.tolist(), networks.families.parent_tuples
    for v, name in enumerate(networks.names):
        sets = [json.dumps([networks.names[p] for p in ps]) for ps in tuples[starts[v] : starts[v + 1]]]
        columns[f"parents of {name}"] = pd.Categorical.from_codes(
            networks.choices[:, v].astype(np.int64), pd.Index(sets)
        )
    digest = _digest(networks.families, networks.choices, networks.scores, networks.log_weights)
    write_parquet(pd.DataFrame(columns), path, facts={**facts, "digest": digest})


def _digest(
    families: Families, choices: NDArray[Any], scores: NDArray[np.float64], log_weights: NDArray[np.float64]
) -> str:
    """Return the SHA-256 of scores, weights and networks, in any order of the dictionaries of parent sets."""
    import pandas as pd

    hasher = hashlib.sha256()
    for values in (scores, log_weights):
        hasher.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())
    starts, tuples = families.node_offsets.tolist(), families.parent_tuples
    for v in range(families.n_nodes):
        codes, used = pd.factorize(choices[:, v])
        hasher.update(repr([tuples[starts[v] + int(row)] for row in used]).encode())
        hasher.update(codes.astype("<u4").tobytes())
    return hasher.hexdigest()


def _read_parquet(path: str | os.PathLike[str]) -> dict[str, Any]:
    with open_parquet(path) as file:
        facts = file.facts()
        if facts is None:
            raise FormatError(f"{path}: a Parquet file, but not one of arcwise networks (no 'arcwise' metadata).")
        names = list(_names(path, facts))
        numbers = {name: file.column(name) for name in ("score", "log_weight")}
        # One column at a time: the texts of all the parent sets together are many times the size of the set.
        sets, columns = _parent_columns(path, names, (file.column(f"parents of {name}") for name in names))
    families = Families.from_sets(sets)
    kind = families.choice_type
    scores, log_weights = (_floats(path, name, numbers[name]) for name in ("score", "log_weight"))
    choices = np.stack(columns, axis=1).astype(kind) if columns else np.empty((len(scores), 0), dtype=kind)
    own = {"choices": choices, "scores": scores, "log_weights": log_weights}
    fields = _checked(path, facts, {**families.arrays, **own})
    if facts.get("digest") != _digest(families, choices, scores, log_weights):
        raise FormatError(f"{path}: the networks are not those that were saved; the file was edited or is damaged.")
    return fields


def _parent_columns(
    path: str | os.PathLike[str], names: list[str], per_node: Iterator[Any]
) -> tuple[list[list[tuple[int, ...]]], list[NDArray[np.int64]]]:
    import pandas as pd

    index = {name: v for v, name in enumerate(names)}
    sets: list[list[tuple[int, ...]]] = []
    columns: list[NDArray[np.int64]] = []
    for name, values in zip(names, per_node, strict=True):
        try:
            codes, texts = pd.factorize(np.asarray(np.ma.filled(values, None), dtype=object))
        except TypeError:  # lists and the like
            raise FormatError(f"{path}: the parents of '{name}' are no text. Write the file again.") from None
        where = f"{path}: the parents of '{name}'"
        with reading(where):
            listed = [parse_json(text, source=where) for text in texts]
            sets.append([tuple(sorted(index[p] for p in parents)) for parents in listed])
        columns.append(np.asarray(codes, dtype=np.int64))
    if any((column < 0).any() for column in columns):
        raise FormatError(f"{path}: a network has no parent set for a variable.")
    return sets, columns


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
    ax = axes_or_new(ax, 7, 4.5)
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
    origin: NetworkOrigin

    # -- what every ensemble offers (see `Ensemble` in networks/recipe.py) --------------------------------------------

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
            parents = (",".join(self.names[p] for p in own) for own in tuples[a:b])
            own = [f"[{self.names[v]}|{names}]" if names else f"[{self.names[v]}]" for names in parents]
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
        choices = np.empty(self.choices.shape, dtype=families.choice_type)
        for v, (a, b) in enumerate(itertools.pairwise(self.families.node_offsets)):
            choices[:, v] = (np.cumsum(used[a:b]) - 1)[self.choices[:, v]]
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
        return sum(array.nbytes for array in self._arrays.values())

    @property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays, by the names that files have."""
        own = {"choices": self.choices, "scores": self.scores, "log_weights": self.log_weights}
        return {**self.families.arrays, **own}

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
            origin=NetworkOrigin(origin),
            **facts,
        )
        return made.with_weights(weights or ("equal" if scores is None else "posterior"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the set: ``*.parquet`` for other programs, any other name for arcwise's own compact format."""
        self.families.assert_obey(self.obeyed, self.family_counts > 0)
        facts = {"names": list(self.names), "origin": self.origin, **self.describe()}
        facts["facts"] = {name: fact for name, fact in self.facts.items() if name not in CIRCUMSTANCES}
        if str(path).endswith(".parquet"):
            _save_parquet(self, path, facts)
        else:
            write_array_file(path, LIST_KIND, facts, self._arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> NetworkSet:
        """Read a set that `save` wrote; the content is checked, nothing in it is executed."""
        if str(path).endswith(".parquet"):
            fields = _read_parquet(path)
        else:
            facts, arrays = read_array_file(path, LIST_KIND)
            if set(arrays) != set(ARRAYS):
                raise FormatError(f"{path}: holds the arrays {', '.join(arrays)}; expected {', '.join(ARRAYS)}.")
            fields = _checked(path, facts, arrays)
        made = cls(**fields)
        return made.check_known(str(path), made.family_counts > 0)


# What joined sets keep of their facts, if it is the same for all: how they were made and from how many cases.
SHARED_FACTS = frozenset({"recipe", "n_cases", "learner", "constraints", "targets", "copies"})


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
    choices = np.empty((sum(part.count for part in sets), len(names)), dtype=families.choice_type)
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
        origin=NetworkOrigin.joined(part.origin for part in sets) if origin is None else NetworkOrigin(origin),
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


def _shared_facts(sets: Sequence[NetworkSet]) -> KnownFacts:
    """Return what holds of all sets; of different constraints, and experiments, those that all share."""
    first = sets[0].facts
    different = [name for name, value in first.items() if any(part.facts.get(name) != value for part in sets)]
    found = facts_without(first, *different, *(first.keys() - SHARED_FACTS))
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


def load_arviz() -> Any:
    """Import ArviZ, which is not installed with arcwise."""
    return load_package("arviz", "draws are handed to ArviZ", Remedy("install it: pip install 'arcwise[arviz]'"))


def to_arviz(networks: NetworkSet) -> Any:
    """Return networks that were drawn, one by one, as ``arviz.InferenceData``; needs ArviZ (``arcwise[arviz]``).

    The group is one chain with a draw per network: `score`, and for every pair of variables that some network joins and
    some does not, whether it does, as "a - b". Replicates of a bootstrap are independent, so that ArviZ's means and
    standard errors are those of the confidences. Chains have a method of their own: `ChainPosterior.to_arviz`.
    """
    az = load_arviz()
    if np.ptp(networks.log_weights) > 1e-9:
        raise OptionError(
            "ArviZ takes draws that count the same, and these networks have weights of their own. Draw from them "
            "first: CredibleSet.sample."
        )
    return az.from_dict(posterior={name: values[None] for name, values in edge_draws(networks).items()})


def edge_draws(networks: NetworkSet) -> dict[str, NDArray[Any]]:
    """Return, for each network, its score ("score") and whether it joins the pairs ("a - b") that not all do alike."""
    found: dict[str, NDArray[Any]] = {"score": networks.scores}
    for i, j in itertools.combinations(range(networks.n_variables), 2):
        joined = networks.families.joins(networks.choices, i, j)
        if joined.any() and not joined.all():
            found[f"{networks.names[i]} - {networks.names[j]}"] = joined
    return found


# `NetworkSummary`: a set of networks that is counted and averaged exactly without being listed.


SUMMARY_KIND = "arcwise-summary 1"


@dataclass(frozen=True, eq=False)
class NetworkSummary(EnsembleFacts):
    """The exact count of a set of networks and the exact share of each family, without the networks themselves.

    It works for sets of any size (`count` is a Python integer) and offers what `NetworkSet` offers for averaging.

    Parameters
    ----------
    posterior, equal
        For every row of `families`, the share of the networks with this family, with weights proportional to
        exp(score) and with equal weights.
    log_mass
        The log of the sum of exp(score - opt) over the networks.
    class_count
        The number of equivalence classes (of `fixed`, where pairs are fixed), or None if not counted.

    The other fields are those of `NetworkSet` and `EnsembleFacts`.
    """

    names: tuple[str, ...]
    families: Families
    count: int
    posterior: NDArray[np.float64]
    equal: NDArray[np.float64]
    origin: NetworkOrigin
    log_mass: float = float("nan")
    class_count: int | None = None

    @classmethod
    def unfinished(cls, names: tuple[str, ...], status: Status, origin: str = "credible", **fields: Any) -> Self:
        """Return what is left of a set that a limit stopped: its status, and what else is known."""
        families, nothing = Families.from_sets([[] for _ in names]), np.empty(0)
        return cls(names, families, 0, nothing, nothing, NetworkOrigin(origin), status=status, **fields)

    def family_probabilities(self, weights: Weighting | None = None) -> NDArray[np.float64]:
        """Return the share of every family; by default with posterior weights.

        Raises
        ------
        UnfinishedError
            If a limit stopped the work before there was a share.
        """
        weights = weights or "posterior"
        check_weighting(weights)
        if self.count == 0 and not self.complete:
            raise UnfinishedError(
                f"the networks were not summed up ({self.status}), so there are no probabilities. Raise the limit."
            )
        return self.posterior if weights == "posterior" else self.equal

    def __repr__(self) -> str:
        state = describe_completeness(self.status, self.max_parents, self.n_variables)
        return f"NetworkSummary({self.count:,} networks over {self.n_variables} variables, {self.origin}, {state})"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the summary to a compact checksummed file."""
        self.families.assert_obey(self.obeyed, self.equal > 0)
        facts = {
            "names": list(self.names),
            "count": str(self.count),
            "origin": self.origin,
            "log_mass": finite_or_none(self.log_mass),
            "class_count": None if self.class_count is None else str(self.class_count),
            **self.describe(),
        }
        write_array_file(
            path, SUMMARY_KIND, facts, {**self.families.arrays, "posterior": self.posterior, "equal": self.equal}
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> NetworkSummary:
        """Read a summary that `save` wrote, and check it."""
        facts, arrays = read_array_file(path, SUMMARY_KIND)
        nan = float("nan")
        with reading(f"{path}: the summary", "Write the file again."):
            names = _names(path, facts)
            families = _checked_families(path, names, arrays, "posterior", "equal")
            made = cls(
                names=names,
                families=families,
                count=int(facts["count"]),
                posterior=arrays["posterior"],
                equal=arrays["equal"],
                log_mass=nan if facts["log_mass"] is None else float(facts["log_mass"]),
                class_count=None if facts["class_count"] is None else int(facts["class_count"]),
                **fields_of(facts),
            )
        for values in (made.posterior, made.equal):
            if values.shape != (families.n_rows,) or not ((values >= 0) & (values <= 1 + 1e-9)).all():
                raise FormatError(f"{path}: the shares of the families are not numbers between 0 and 1, one for each.")
        return made.check_known(str(path), made.equal > 0)
