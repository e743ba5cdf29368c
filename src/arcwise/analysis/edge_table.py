"""The table of edges: one list of columns, from which edges.csv is written, read and documented."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arcwise.analysis.edges import EdgeFinding

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "BELIEF_COLUMNS",
    "COLUMNS",
    "EXPLANATION",
    "ORIGIN",
    "SETTLED",
    "SPLIT",
    "WAYS",
    "WITHOUT",
    "EdgeColumn",
    "edge_frame",
]

SPLIT = ("forward_if_edge", "backward_if_edge", "either_if_edge")
WAYS = ("probability_forward_if_edge", "probability_backward_if_edge", "probability_either_if_edge")
EXPLANATION = "explanation"
ORIGIN = "origin"
WITHOUT = "without_constraints"
SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class EdgeColumn:
    """A column: its name, what it holds, and the value for an edge."""

    name: str
    meaning: str
    value: Callable[[EdgeFinding], Any]


# Behind these stand a column for each other method and score, named by its title, and the explanation.
COLUMNS: tuple[EdgeColumn, ...] = (
    EdgeColumn("first", "one variable", lambda e: e.first),
    EdgeColumn("second", "the other, in the order of the data", lambda e: e.second),
    EdgeColumn("confidence", "that an edge joins them, in either direction", lambda e: e.present),
    EdgeColumn(
        "probability",
        "that the edge is real: of edges with 0.9, nine in ten are",
        lambda e: e.probability and e.probability.edge,
    ),
    EdgeColumn("standard_error", "its Monte Carlo error; 0 for a credible set", lambda e: e.standard_error),
    EdgeColumn(
        "share_filled",
        "the share of the cases in which a value of the two was missing and filled in",
        lambda e: e.share_filled,
    ),
    EdgeColumn(
        "spread",
        "the standard deviation of the confidence between completions; empty without",
        lambda e: e.between_completions,
    ),
    EdgeColumn(SPLIT[0], "if there is an edge, how often it points first → second", lambda e: e.split[0]),
    EdgeColumn(SPLIT[1], "... second → first", lambda e: e.split[1]),
    EdgeColumn(SPLIT[2], "... and could do either; they sum to 1, or are 0 if it was forbidden", lambda e: e.split[2]),
    EdgeColumn(
        WAYS[0],
        "if the edge is real, the probability that it points first → second",
        lambda e: e.probability and e.probability.forward,
    ),
    EdgeColumn(WAYS[1], "... second → first", lambda e: e.probability and e.probability.backward),
    EdgeColumn(
        WAYS[2], "... and that data cannot tell; they sum to 1", lambda e: e.probability and e.probability.either
    ),
    EdgeColumn(
        SETTLED,
        "whether the direction, from → to, is settled: its probability is at least 0.95, or, where no study tells it, "
        "nine tenths of the networks with the edge agree",
        lambda e: e.is_settled,
    ),
    EdgeColumn("from", "the tail of the network's arc, or of the more credible direction", lambda e: e.tail),
    EdgeColumn("to", "its head", lambda e: e.head),
    EdgeColumn("in_network", "whether the network has the edge", lambda e: e.fate.in_network),
    EdgeColumn(
        "fate",
        "kept, undirected (its direction is open), required (by the constraints), below (the cut-off), or left out: "
        "dropped (it would close a cycle), forbidden (both ways) or limited (too many parents)",
        lambda e: str(e.fate),
    ),
    EdgeColumn(
        "agreement",
        "whether other methods and scores agree, differ in strength, or disagree",
        lambda e: str(e.agreement),
    ),
    EdgeColumn(
        ORIGIN,
        "found by the data, or directed by an experiment; required or forbidden by the analyst; directed by what was "
        "said or believed (odds), or follows from it; appears or is gone because of what was said about others",
        lambda e: str(e.origin.kind),
    ),
    EdgeColumn("said", "what it is owed to, such as your tiers; empty for what is found", lambda e: e.origin.text),
    EdgeColumn(
        WITHOUT,
        "the confidence by the same method and score without constraints and prior odds; empty without constraints",
        lambda e: None if e.origin.without is None else e.origin.without.present,
    ),
)


# Where there were prior odds, these stand behind the others.
BELIEF_COLUMNS: tuple[EdgeColumn, ...] = (
    EdgeColumn("odds_forward", "the prior odds of first → second", lambda e: e.belief and e.belief.forward),
    EdgeColumn("odds_backward", "those of second → first", lambda e: e.belief and e.belief.backward),
    EdgeColumn(
        "confidence_without_beliefs",
        "the confidence without any prior odds; empty if it was not computed",
        lambda e: e.belief and e.belief.without and e.belief.without.present,
    ),
    EdgeColumn(
        "belief",
        "whether the data agree with the odds of this edge, or contradict them; not tested where a constraint decides",
        lambda e: e.belief and str(e.belief.verdict),
    ),
)


def edge_frame(
    edges: Iterable[EdgeFinding], methods: Sequence[str], explain: Callable[[EdgeFinding], str]
) -> pd.DataFrame:
    """Return the edges as a table; `methods` are the titles of the other methods and scores."""
    import pandas as pd

    edges = tuple(edges)
    columns = (*COLUMNS, *(BELIEF_COLUMNS if any(edge.belief is not None for edge in edges) else ()))
    rows = [
        {
            **{column.name: column.value(edge) for column in columns},
            **dict(edge.by_method[1:]),
            EXPLANATION: explain(edge),
        }
        for edge in edges
    ]
    return pd.DataFrame(rows, columns=[*(column.name for column in columns), *methods, EXPLANATION])
