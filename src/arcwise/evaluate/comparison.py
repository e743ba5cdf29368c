"""How far a learned graph, or confidences of edges, are from the true graph."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import Argument, DataError, GraphError, Remedy, check_argument, check_known
from arcwise.base.options import load_package
from arcwise.base.showing import data_frame, first_few, one_screen
from arcwise.confidence.edge_confidence import EdgeConfidence, rounded
from arcwise.confidence.probability import Reliability, reliability
from arcwise.graph.dag import Dag, Pdag
from arcwise.graph.nodes import LISTED_NAMES

if TYPE_CHECKING:
    import pandas as pd


# Two graphs over the same nodes, brought to the form and the node order that the measures compare.


Graph = Dag | Pdag


def align(true: Graph, learned: Graph) -> tuple[Pdag, Pdag]:
    """Return both graphs as partially directed graphs with the same node order.

    A `Dag` stands for its Markov equivalence class, so that it becomes its CPDAG. A `Pdag` is taken as it is: an edge
    that it leaves undirected counts as undirected. Nodes are matched by name.
    """
    given: tuple[tuple[str, object], ...] = (("true", true), ("learned", learned))
    for which, graph in given:
        if not isinstance(graph, Dag | Pdag):
            has = f"; it has one: {which}.dag" if hasattr(graph, "dag") else ""
            raise GraphError(f"the {which} graph must be a Dag or Pdag, not {type(graph).__name__}{has}.")
    first, second = (graph.cpdag if isinstance(graph, Dag) else graph for graph in (true, learned))
    match_names(first.names, second.names)
    return first, second if first.names == second.names else second.reorder(first.names)


def match_names(true: tuple[str, ...], learned: tuple[str, ...]) -> None:
    """Refuse graphs over different nodes."""
    alone = {"true": sorted(set(true) - set(learned)), "learned": sorted(set(learned) - set(true))}
    parts = [f"the {which} graph alone has {first_few(names, LISTED_NAMES)}" for which, names in alone.items() if names]
    if parts:
        raise GraphError(
            f"the graphs have different nodes: {'; '.join(parts)}. Compare graphs over the same variables."
        )


# `EdgeCounts`: how many edges of one kind were found, missed and invented.


@one_screen
@dataclass(frozen=True, slots=True)
class EdgeCounts:
    """True positives, false positives and false negatives among edges of one kind."""

    true_positives: int
    false_positives: int
    false_negatives: int

    @property
    def n_true(self) -> int:
        """The number of edges of this kind in the true graph."""
        return self.true_positives + self.false_negatives

    @property
    def precision(self) -> float:
        """The share of the learned edges that are true; 0 if none was learned although there are some, else 1."""
        learned = self.true_positives + self.false_positives
        return self.true_positives / learned if learned else float(self.false_negatives == 0)

    @property
    def recall(self) -> float:
        """The share of the true edges that were learned; 0 if there are none although some were learned, else 1."""
        return self.true_positives / self.n_true if self.n_true else float(self.false_positives == 0)

    def f_beta(self, beta: float = 1.0) -> float:
        """Return the F-beta score (Liao, Definition 2.3); beta < 1 favours precision, beta > 1 recall.

        Written with counts, (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP), it is 0 where precision and recall
        are both 0 (Liao's Example 2.4), and 1 if there is nothing to find and nothing was invented.
        """
        check_argument(beta >= 0 and math.isfinite(beta), "beta", beta, "must be 0 or more, and finite.")
        weight = beta * beta
        hits = (1 + weight) * self.true_positives
        errors = weight * self.false_negatives + self.false_positives
        if self.true_positives + self.false_negatives + self.false_positives == 0:
            return 1.0
        return hits / (hits + errors) if hits + errors else 0.0

    def cost(self, alpha: float = 1.0) -> float:
        """Return the misclassification cost alpha FN + FP (Liao, Definition 2.5)."""
        check_argument(alpha >= 0 and math.isfinite(alpha), "alpha", alpha, "must be 0 or more, and finite.")
        return alpha * self.false_negatives + self.false_positives


def skeleton_counts(true: Graph, learned: Graph) -> EdgeCounts:
    """Count the edges without their directions."""
    first, second = align(true, learned)
    return _count(_pairs(first.skeleton), _pairs(second.skeleton))


def directed_counts(true: Graph, learned: Graph) -> EdgeCounts:
    """Count the arcs of the CPDAGs; an arc with the wrong direction is a false positive and a false negative."""
    first, second = align(true, learned)
    return _count(set(first.arcs), set(second.arcs))


def undirected_counts(true: Graph, learned: Graph) -> EdgeCounts:
    """Count the undirected edges of the CPDAGs."""
    first, second = align(true, learned)
    return _count(_pairs(first.edges), _pairs(second.edges))


def misclassification_cost(true: Graph, learned: Graph, *, alpha: float = 1.0) -> float:
    """Return C_alpha = alpha FN + FP on undirected edges (Liao, Definition 2.5; used like this in Figures 4.3, 5.3).

    alpha > 1 makes a missing edge cost more than an extra one.
    """
    return skeleton_counts(true, learned).cost(alpha)


def _pairs(edges: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(min(edge), max(edge)) for edge in edges}


def _count(true: set[tuple[str, str]], learned: set[tuple[str, str]]) -> EdgeCounts:
    return EdgeCounts(len(true & learned), len(learned - true), len(true - learned))


# F-beta scores: on skeletons, and on CPDAGs where an edge must have its kind and direction.


Average = Literal["weighted", "macro"]


def f_beta(true: Graph, learned: Graph, *, beta: float = 1.0) -> float:
    """Return the binary F-beta score of the skeletons (Liao, section 2.4.2, Definition 2.3)."""
    return skeleton_counts(true, learned).f_beta(beta)


def multiclass_f_beta(true: Graph, learned: Graph, *, beta: float = 1.0, average: Average = "weighted") -> float:
    """Return the multi-class F-beta score of the CPDAGs (Liao, section 2.4.2, Definition 2.4).

    The classes are directed and undirected edges; each has its own F-beta score. "weighted" averages them by how many
    edges of the class the *true* CPDAG has, which the thesis uses; "macro" weighs them equally. Hence an edge of a
    class that the true CPDAG does not have at all costs nothing under "weighted"; the skeleton's score shows it.
    """
    return weigh_classes(directed_counts(true, learned), undirected_counts(true, learned), beta=beta, average=average)


def weigh_classes(
    directed: EdgeCounts, undirected: EdgeCounts, *, beta: float = 1.0, average: Average = "weighted"
) -> float:
    """Average the F-beta scores of the two classes; if the true graph has no edge, the score is 1 or 0."""
    check_known("average", average, get_args(Average))
    scores = directed.f_beta(beta), undirected.f_beta(beta)
    if average == "macro":
        return (scores[0] + scores[1]) / 2
    n_true = directed.n_true + undirected.n_true
    if n_true == 0:
        return float(directed.false_positives + undirected.false_positives == 0)
    return (scores[0] * directed.n_true + scores[1] * undirected.n_true) / n_true


# The Hamming distance between moral graphs.


def moral_distance(true: Graph, learned: Graph) -> int:
    """Return the number of pairs of nodes that are joined in one moral graph only (Scanagatta, section 4.1).

    All DAGs of a Markov equivalence class have the same moral graph. A `Pdag` stands for its consistent extensions, and
    is refused if it has none.
    """
    align(true, learned)  # the nodes must be the same
    first, second = (
        {frozenset(edge) for edge in (graph if isinstance(graph, Dag) else graph.extend()).moral_edges}
        for graph in (true, learned)
    )
    return len(first ^ second)


# The structural Hamming distance between two equivalence classes, and what it is made of.


@one_screen
@dataclass(frozen=True, slots=True)
class StructuralHamming:
    """The edges in which a learned graph differs from the true one, by kind (the columns of Ueno's Tables 1 and 2)."""

    missing: int
    """ME: edges of the true graph that the learned one does not have."""
    extra: int
    """EE: edges that only the learned graph has."""
    wrong_orientation: int
    """WO: directed in both, but in opposite directions."""
    missing_orientation: int
    """MO: directed in the true graph, undirected in the learned one."""
    extra_orientation: int
    """EO: undirected in the true graph, directed in the learned one."""

    @property
    def total(self) -> int:
        """The structural Hamming distance."""
        return sum(astuple(self))


def structural_hamming(true: Graph, learned: Graph) -> StructuralHamming:
    """Return the structural Hamming distance between the CPDAGs of two graphs, by kind of difference.

    Liao, Definition 2.2 (section 2.4.1), after Tsamardinos, Brown and Aliferis (2006): the number of edges to add or
    delete and of orientations to add, remove or reverse to turn one CPDAG into the other; an edge counts once. Ueno
    (2012, Tables 1 and 2) reports the five kinds. A `Dag` stands for its CPDAG; a `Pdag` is compared as it is.
    """
    first, second = align(true, learned)
    missing = extra = wrong = missing_orientation = extra_orientation = 0
    for v in range(first.n_nodes):
        true_in, learned_in = first.parent_masks[v], second.parent_masks[v]
        true_out, learned_out = first.child_masks[v], second.child_masks[v]
        true_free, learned_free = first.neighbour_masks[v], second.neighbour_masks[v]
        earlier = (1 << v) - 1  # every edge is looked at from its later node, once
        true_all, learned_all = true_in | true_out | true_free, learned_in | learned_out | learned_free
        missing += (true_all & ~learned_all & earlier).bit_count()
        extra += (learned_all & ~true_all & earlier).bit_count()
        wrong += ((true_in & learned_out | true_out & learned_in) & earlier).bit_count()
        missing_orientation += ((true_in | true_out) & learned_free & earlier).bit_count()
        extra_orientation += (true_free & (learned_in | learned_out) & earlier).bit_count()
    return StructuralHamming(missing, extra, wrong, missing_orientation, extra_orientation)


def shd(true: Graph, learned: Graph) -> int:
    """Return the structural Hamming distance between the CPDAGs of two graphs."""
    return structural_hamming(true, learned).total


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a learned graph differs from the true one; each field names its measure."""

    n_nodes: int
    hamming: StructuralHamming
    """The structural Hamming distance between the CPDAGs, by kind."""
    skeleton: EdgeCounts
    directed: EdgeCounts
    """Arcs of the CPDAGs."""
    undirected: EdgeCounts
    """Undirected edges of the CPDAGs."""
    moral_distance: int | None
    """The Hamming distance between the moral graphs; None if a graph has no consistent extension."""
    equivalent: bool
    """Whether the two graphs are Markov equivalent."""
    beta: float
    alpha: float

    def __repr__(self) -> str:
        kinds = f"{self.hamming.missing} missing, {self.hamming.extra} extra"
        same = "equivalent" if self.equivalent else "not equivalent"
        return (
            f"Comparison({self.n_nodes} nodes: SHD {self.shd} ({kinds}), F-beta {self.f_beta:.3f}, "
            f"cost {self.misclassification_cost:g}; {same})"
        )

    @property
    def shd(self) -> int:
        """The structural Hamming distance (Liao, Definition 2.2)."""
        return self.hamming.total

    @property
    def f_beta(self) -> float:
        """The F-beta score of the skeletons (Liao, Definition 2.3)."""
        return self.skeleton.f_beta(self.beta)

    @property
    def multiclass_f_beta(self) -> float:
        """The weighted multi-class F-beta score of the CPDAGs (Liao, Definition 2.4)."""
        return weigh_classes(self.directed, self.undirected, beta=self.beta)

    @property
    def misclassification_cost(self) -> float:
        """The cost alpha FN + FP on the skeletons (Liao, Definition 2.5)."""
        return self.skeleton.cost(self.alpha)

    def to_dict(self) -> dict[str, Any]:
        """Return all measures as plain numbers, for JSON and tables."""
        return {
            "nodes": self.n_nodes,
            "true_edges": self.skeleton.n_true,
            "learned_edges": self.skeleton.true_positives + self.skeleton.false_positives,
            "equivalent": self.equivalent,
            "shd": self.shd,
            **asdict(self.hamming),
            "skeleton_precision": self.skeleton.precision,
            "skeleton_recall": self.skeleton.recall,
            "beta": self.beta,
            "f_beta": self.f_beta,
            "multiclass_f_beta": self.multiclass_f_beta,
            "alpha": self.alpha,
            "misclassification_cost": self.misclassification_cost,
            "moral_distance": self.moral_distance,
        }


def compare(true: Graph, learned: Graph, *, beta: float = 1.0, alpha: float = 1.0) -> Comparison:
    """Compare a learned graph with the true one.

    Parameters
    ----------
    true, learned
        Graphs over the same nodes, matched by name: a `Dag` (it stands for its CPDAG), a `Cpdag` or a `Pdag`.
    beta
        How much more recall weighs than precision in the F-beta scores.
    alpha
        How much more a missing edge costs than an extra one.
    """
    first, second = align(true, learned)
    try:
        moral = moral_distance(true, learned)
    except GraphError:
        moral = None
    comparison = Comparison(
        n_nodes=first.n_nodes,
        hamming=structural_hamming(first, second),
        skeleton=skeleton_counts(first, second),
        directed=directed_counts(first, second),
        undirected=undirected_counts(first, second),
        moral_distance=moral,
        equivalent=first == second,
        beta=float(beta),
        alpha=float(alpha),
    )
    comparison.to_dict()  # refuses an alpha or beta out of range now, not when it is printed
    return comparison


# Causal distances: for how many pairs of variables a learned graph adjusts wrongly for the effect of one on the other.
#
# A graph is used to read off which variables to adjust for. The distances count the ordered pairs (t, y) for which the
# set that the learned graph proposes is not valid in the true one: the parents of t (the structural intervention
# distance, Peters and Bühlmann 2015), its ancestors, or the set of least asymptotic variance (Henckel, Würtzen and
# Weichwald 2024, who also give the algorithms that gadjid runs).


Strategy = Literal["ancestor", "parent", "optimal"]
DIRECTED, UNDIRECTED = 1, 2  # gadjid's entries of an adjacency matrix


@one_screen
@dataclass(frozen=True, slots=True)
class AdjustmentDistance:
    """How many of the ordered pairs of variables get a wrong adjustment, and their share."""

    mistakes: int
    pairs: int

    @property
    def share(self) -> float:
        """The mistakes as a share of all pairs; 0 for a single variable."""
        return self.mistakes / self.pairs if self.pairs else 0.0


def sid(true: Dag, learned: Dag) -> AdjustmentDistance:
    """Return the structural intervention distance between two DAGs; needs gadjid.

    The effect of t on y is computed by adjusting for the parents that t has in the learned graph; it counts as a
    mistake if that is wrong for some distribution of the true graph (Peters and Bühlmann 2015).

    >>> chain = Dag.from_parents({"a": [], "b": ["a"], "c": ["b"]})
    >>> sid(chain, Dag.from_parents({"a": ["b"], "b": ["c"], "c": []})).mistakes
    6
    """
    for graph in (true, learned):
        if not isinstance(graph, Dag):
            raise GraphError("the structural intervention distance is one between DAGs; use adjustment_distance.")
    return _distance("sid", true, learned)


def adjustment_distance(true: Graph, learned: Graph, strategy: Strategy = "ancestor") -> AdjustmentDistance:
    """Return the adjustment identification distance between two graphs; needs gadjid.

    Parameters
    ----------
    true, learned
        Graphs over the same nodes, matched by name, both DAGs or both CPDAGs (a `Dag` is taken as it is here, since an
        effect depends on directions: for classes, give ``dag.cpdag``).
    strategy
        Which set the learned graph proposes for t: "ancestor", "parent" or "optimal" (the O-set). It
        proposes no effect if y is no descendant of t in the learned graph ("parent": if y is a parent of t, so that for
        DAGs this is `sid`), and no set if the effect cannot be identified there.

    >>> chain = Dag.from_parents({"a": [], "b": ["a"], "c": ["b"]})
    >>> adjustment_distance(chain, chain).share
    0.0
    """
    check_known("strategy", strategy, get_args(Strategy))
    name = "oset_aid" if strategy == "optimal" else f"{strategy}_aid"
    return _distance(name, true, learned)


def _distance(name: str, true: Graph, learned: Graph) -> AdjustmentDistance:
    if isinstance(true, Dag) != isinstance(learned, Dag):
        raise GraphError("both graphs must be DAGs, or both CPDAGs; dag.cpdag is the class of a DAG.")
    match_names(true.names, learned.names)
    second = learned if true.names == learned.names else learned.reorder(true.names)
    remedy = Remedy("install it: pip install 'arcwise[adjustment]'")
    gadjid = load_package("gadjid", "adjustment distances need gadjid", remedy)
    _, mistakes = getattr(gadjid, name)(_matrix(true), _matrix(second), edge_direction="from row to column")
    return AdjustmentDistance(int(mistakes), true.n_nodes * (true.n_nodes - 1))


def _matrix(graph: Graph) -> NDArray[np.int8]:
    entries = graph.to_adjacency().astype(np.int8)
    if isinstance(graph, Dag):
        return entries * DIRECTED
    both = (entries & entries.T).astype(bool)
    # An undirected edge is there once.
    return np.where(np.triu(both), UNDIRECTED, np.where(both, 0, entries * DIRECTED)).astype(np.int8)


# The Borda count: which candidate does best over many instances.


@one_screen
@dataclass(frozen=True, eq=False)
class BordaCount:
    """Points per candidate: in total, and on each instance."""

    candidates: tuple[str, ...]
    by_instance: NDArray[np.int64]
    """Shape (instances, candidates)."""

    @property
    def points(self) -> NDArray[np.int64]:
        """The points of each candidate, over all instances."""
        return np.asarray(self.by_instance.sum(axis=0, dtype=np.int64))

    @property
    def ranking(self) -> tuple[tuple[str, int], ...]:
        """Candidates with their points, most points first; those with equal points in the order given."""
        order = np.argsort(-self.points, kind="stable")
        return tuple((self.candidates[k], int(self.points[k])) for k in order)

    @property
    def winners(self) -> tuple[str, ...]:
        """The candidate with the most points, or all of them if several have."""
        best = self.points.max()
        return tuple(name for name, points in zip(self.candidates, self.points, strict=True) if points == best)


def borda_count(
    values: ArrayLike,
    *,
    candidates: Sequence[str] | None = None,
    higher_is_better: bool = True,
    tolerance: float = 0.0,
) -> BordaCount:
    """Award each candidate, on each instance, one point per opponent that does strictly worse; ties give none.

    Liao, section 2.4.4.

    Parameters
    ----------
    values
        The metric: one row per instance, one column per candidate.
    candidates
        The names of the candidates; 0, 1, ... if None.
    higher_is_better
        False for costs and distances.
    tolerance
        Values that differ by no more than this tie.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise DataError(f"one row per instance and one column per candidate are needed, not the shape {table.shape}.")
    if np.isnan(table).any():
        instance, candidate = (int(i) for i in np.argwhere(np.isnan(table))[0])
        raise DataError(f"candidate {candidate} has no value (NaN) on instance {instance}; leave such instances out.")
    if not tolerance >= 0:
        raise DataError(Argument("tolerance", tolerance), "must be 0 or more.")
    names = tuple(str(k) for k in range(table.shape[1])) if candidates is None else tuple(candidates)
    if len(names) != table.shape[1]:
        raise DataError(f"{len(names)} candidates but {table.shape[1]} columns of values.")
    oriented = table if higher_is_better else -table
    with np.errstate(invalid="ignore"):  # inf - inf: a tie
        ahead = oriented[:, :, None] - oriented[:, None, :] > tolerance
    return BordaCount(names, ahead.sum(axis=2, dtype=np.int64))


# Precision and recall of edge confidences against a known graph at every threshold, and the areas under curves.


Kind = Literal["edges", "arcs"]


@one_screen
@dataclass(frozen=True, eq=False)
class ConfidenceCurve:
    """Right and wrong edges at every threshold, from the highest confidence down to 0.

    Parameters
    ----------
    thresholds
        The confidences that occur, falling: an edge counts as found if its confidence is at least the threshold.
    true_positives, false_positives
        How many of the found edges are in the true graph, and how many are not.
    n_true, n_false
        How many pairs are edges of the true graph, and how many are not.
    """

    thresholds: NDArray[np.float64]
    true_positives: NDArray[np.int64]
    false_positives: NDArray[np.int64]
    n_true: int
    n_false: int

    @cached_property
    def precision(self) -> NDArray[np.float64]:
        """The share of the found edges that are true."""
        return self.true_positives / (self.true_positives + self.false_positives)

    @cached_property
    def recall(self) -> NDArray[np.float64]:
        """The share of the true edges that are found; NaN if there are none."""
        with np.errstate(invalid="ignore"):
            return np.divide(self.true_positives, self.n_true)

    @property
    def average_precision(self) -> float:
        """The area under precision over recall, by steps: the mean precision at which the true edges are found.

        Steps, not lines: between two points precision is not linear in recall (Davis and Goadrich 2006). NaN if the
        true graph has no edge.
        """
        if not self.n_true:
            return float("nan")
        gained = np.diff(self.true_positives, prepend=0)
        return float((gained * self.precision).sum() / self.n_true)

    @property
    def roc_area(self) -> float:
        """The area under the ROC curve: how often a true edge has the higher confidence, ties counted half.

        NaN if all pairs are edges of the true graph, or none is.
        """
        if not self.n_true or not self.n_false:
            return float("nan")
        right = np.concatenate([[0], self.true_positives])
        wrong = np.concatenate([[0], self.false_positives])
        return float((np.diff(wrong) * (right[1:] + right[:-1])).sum() / (2 * self.n_true * self.n_false))

    def to_frame(self) -> pd.DataFrame:
        """Return the curve as a table: threshold, precision, recall, and the two counts."""
        return data_frame(
            {
                "threshold": self.thresholds,
                "precision": self.precision,
                "recall": self.recall,
                "true_positives": self.true_positives,
                "false_positives": self.false_positives,
            }
        )


def confidence_curve(confidence: EdgeConfidence, true: Graph, kind: Kind = "edges") -> ConfidenceCurve:
    """Compare confidences with the true graph at every threshold.

    Parameters
    ----------
    confidence
        The confidences.
    true
        The true graph over the same variables, matched by name.
    kind
        "edges": every pair counts once, whatever the direction. "arcs": every ordered pair counts, against the arcs of
        `true`, which must be a `Dag`; a confidence in an edge without a direction counts half for either.

    Examples
    --------
    >>> from arcwise.confidence import EdgeConfidence
    >>> present = np.array([[0, 0.9, 0.2], [0.9, 0, 0.6], [0.2, 0.6, 0]])
    >>> found = EdgeConfidence(("a", "b", "c"), np.zeros((3, 3)), present, "skeleton", "given", 10, "equal", True)
    >>> curve = confidence_curve(found, Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("a", "c")]))
    >>> curve.recall.tolist(), round(curve.average_precision, 3)
    ([0.5, 0.5, 1.0], 0.833)
    """
    check_known("kind", kind, get_args(Kind))
    graph = _matched(true, confidence)
    values, labels = _ranked_pairs(confidence, graph) if kind == "edges" else _ordered_pairs(confidence, graph)
    order = np.argsort(-values, kind="stable")
    falling, hits = values[order], labels[order]
    last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True)) if len(falling) else np.array([], dtype=int)
    right = np.cumsum(hits)[last]
    return ConfidenceCurve(
        thresholds=falling[last],
        true_positives=right.astype(np.int64),
        false_positives=(last + 1 - right).astype(np.int64),
        n_true=int(labels.sum()),
        n_false=int(len(labels) - labels.sum()),
    )


def confidence_reliability(confidence: EdgeConfidence, true: Graph) -> Reliability:
    """Compare confidences, taken as probabilities, with the true edges: calibration error, log loss, Brier score.

    Parameters
    ----------
    confidence
        The confidences; every pair of variables counts once, whatever the direction.
    true
        The true graph over the same variables, matched by name.

    Examples
    --------
    >>> from arcwise.confidence import EdgeConfidence
    >>> present = np.array([[0, 0.9, 0.2], [0.9, 0, 0.6], [0.2, 0.6, 0]])
    >>> found = EdgeConfidence(("a", "b", "c"), np.zeros((3, 3)), present, "skeleton", "given", 10, "equal", True)
    >>> measured = confidence_reliability(found, Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("a", "c")]))
    >>> round(measured.error, 3), round(measured.brier, 3)
    (0.5, 0.337)
    """
    return reliability(*_ranked_pairs(confidence, _matched(true, confidence)))


def _matched(true: Graph, confidence: EdgeConfidence) -> Graph:
    match_names(true.names, confidence.names)
    return true.reorder(confidence.names) if true.names != confidence.names else true


def _ranked_pairs(confidence: EdgeConfidence, true: Dag | Pdag) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    joined = true.to_adjacency().astype(bool)
    above = np.triu_indices(len(confidence.names), 1)
    return confidence.present[above], (joined | joined.T)[above]


def _ordered_pairs(confidence: EdgeConfidence, true: Dag | Pdag) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    if not isinstance(true, Dag):
        raise GraphError("arcs are compared with those of a DAG; this graph is only partly directed. Compare edges.")
    apart = ~np.eye(len(confidence.names), dtype=bool)
    values = rounded(confidence.directed + confidence.undirected / 2)
    return values[apart], true.to_adjacency().astype(bool)[apart]
