"""Edges explained after the fact: of the folder that `learn` wrote, or of a network and data.

What a folder says about an edge is what its report says: the sentences are kept in edges.csv when it is written. To
them it adds what follows from the other files, which rules keep the edge (run.json) and what the network's table says
with the other parents held fixed (network.bif), and what to do about it.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.base.errors import FormatError, OptionError, suggestion
from arcwise.base.files import read_bytes
from arcwise.base.showing import counted, listed, one_screen, show_confidence
from arcwise.confidence.consensus import Fate
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.data.dataset import states_of
from arcwise.findings import edge_record
from arcwise.findings.edges import describe_arc
from arcwise.findings.method_result import FEWEST_NETWORKS
from arcwise.findings.verdict import Direction, Verdict
from arcwise.graph.dag import Dag
from arcwise.model.network import read_bif
from arcwise.recipes.registry import SOURCES
from arcwise.report.blocks import EdgeList
from arcwise.report.edges import NOT_UNRELATED, effect_sentence, prior_sentence, statement

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset, Frame
    from arcwise.graph.dag import Pdag
    from arcwise.model.network import BayesianNetwork


# A table with more rows is not spelled out.
MOST_ROWS = 100_000


@one_screen
@dataclass(frozen=True)
class EdgeExplanation:
    """One edge in words.

    Parameters
    ----------
    edge
        What is known about it.
    words
        What the report says.
    effect
        What the network's table says with the other parents held fixed; "" if there are none.
    rules
        The cut-off of each rule.
    few
        How many networks there are, if too few for a share of them to mean anything; else 0.
    """

    edge: edge_record.EdgeRecord
    words: str
    effect: str = ""
    rules: Mapping[str, float] = field(default_factory=dict)
    few: int = 0

    @property
    def title(self) -> str:
        """The edge with its verdict, and how far its direction is known; or what became of it."""
        edge = self.edge
        if not edge.has_confidence:
            return edge.name
        if self.few:
            where = "in the network" if edge.fate.in_network else "not in the network"
            return f"{edge.name}: in {round(edge.present * self.few)} of {counted(self.few, 'network')}, {where}"
        if edge.fate.in_network:
            return f"{edge.name}: {edge.verdict}; direction {edge_record.shown_direction(edge, 0) or Direction.UNKNOWN}"
        if edge.origin is edge_record.Origin.FORBIDDEN:
            return f"{edge.name}: not in the network, forbidden by you ({edge.stated_reason})"
        where = f"left out, {edge.fate.reason}" if edge.fate.is_left_out else "not in the network"
        return f"{edge.name}: {where} (probability {show_confidence(edge.real, 2)})"

    @property
    def kept_by(self) -> tuple[str, ...]:
        """The rules whose cut-off the confidence is above."""
        return tuple(rule for rule, value in self.rules.items() if self.edge.present > value)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything there is to say, one thing after the other."""
        sites = self.edge.sites and f"The rows of {self.edge.sites} sites alone show it."
        parts = (self.words, self.effect, sites, "" if self.few else self._rules(), self.advice)
        return tuple(part for part in parts if part)

    def _rules(self) -> str:
        """Return which rules would not decide as the one that was chosen did, if any."""
        edge, kept = self.edge, self.kept_by
        if edge.origin.is_decided or edge.fate.is_left_out:
            return ""
        others = [name for name in self.rules if (name in kept) != edge.fate.in_network]
        return (
            f"Other cut-offs {'leave it out' if edge.fate.in_network else 'keep it'}: {listed(others)}."
            if others
            else ""
        )

    @property
    def advice(self) -> str:
        """What to do about the edge."""
        edge = self.edge
        if not edge.has_confidence:
            return "What to do: one network does not say how far to trust it; `arcwise learn DATA -o DIR` does."
        more = ""
        if edge.verdict is Verdict.YOURS:
            alone = edge.without
            more = "" if alone is None else f" The data alone would give it {show_confidence(alone.real, 2)}."
        elif self.few:
            more = " Allow more time."
        elif edge.fate is Fate.DROPPED:
            more = " Decide which edge of the cycle is wrong, and forbid it (--blacklist), or require this one."
        elif edge.fate is Fate.BELOW and edge.present >= 0.01:
            more = f" It would be in with --threshold {_below(edge.present)}."
        elif edge.verdict in (Verdict.RELY, Verdict.PROBABLY):
            more = f" {self._way_advice()}"
        return f"What to do: {edge.action}.{more}"

    def _way_advice(self) -> str:
        edge, is_set = self.edge, self.edge.origin is edge_record.Origin.EXPERIMENT
        match edge.direction:
            case Direction.SETTLED:
                source = "from your experiment" if is_set else "from the data, which is not yet a cause"
                return f"Its direction is settled, {source}."
            case Direction.LIKELY:
                return f"Its direction is {edge_record.shown_direction(edge, 0)}: report it as such."
            case Direction.YOURS:
                return "Its direction is yours: do not report it as a finding."
            case Direction.UNKNOWN:
                if edge.without is not None:
                    return "Leave its direction open: neither the data nor what you said decides it."
                return "Leave its direction open. Do you know which comes first in time? Say so with --tiers."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        return {
            **edge_record.json_values(self.edge),
            "by_method": self.edge.others,
            "kept_by": list(self.kept_by),
            "rules": dict(self.rules),
            "sentences": list(self.sentences),
            "advice": self.advice,
        }


def _below(confidence: float) -> str:
    """Return a cut-off that the confidence is just above."""
    return f"{math.floor(confidence * 100 - 1e-9) / 100:.2f}"


def explain_folder(
    folder: str | os.PathLike[str], pairs: Sequence[tuple[str, str]] | None = None
) -> tuple[EdgeExplanation, ...]:
    """Explain edges of a folder that `arcwise learn -o` or `Analysis.save` wrote.

    Without `pairs`, all edges of the network, the most certain first; with them these, in their order, also pairs
    without an edge.
    """
    where = Path(folder)
    if not where.is_dir():
        raise FormatError(f"{where}: no such folder; `arcwise learn DATA -o {where}` would write it.")
    record = read_record(where / "run.json")
    rules, few = _rules_of(record, where / "run.json"), _few_of(record)
    network = read_bif(where / "network.bif")
    found = {}
    for row, edge in read_edges(where, record):
        known = edge.fate.in_network and edge.tail in network.names and edge.head in network.names
        # What is said of an edge at a number is in units; the tables are of the number cut.
        effect = _held_fixed(network, edge.tail, edge.head) if known and edge.regression is None else ""
        key, words = frozenset((edge.first, edge.second)), row[edge_record.EXPLANATION]
        found[key] = EdgeExplanation(replace(edge, is_guess=few > 0), words, effect, rules, few)
    if pairs is None:
        return tuple(one for one in found.values() if one.edge.fate.in_network)
    confidence = EdgeConfidence.load(where / "confidence.parquet")
    chosen = []
    for first, second in pairs:
        present = confidence.pair(first, second).present  # refuses unknown names, and one name twice
        unlikely = edge_record.EdgeRecord(first=first, second=second, tail=first, head=second, present=present)
        text = f"Hardly any network joins {first} and {second}. {NOT_UNRELATED}"
        chosen.append(found.get(frozenset((first, second))) or EdgeExplanation(unlikely, text, rules=rules, few=few))
    return tuple(chosen)


def explain_graph(
    graph: Dag | Pdag,
    data: Dataset | Frame,
    pairs: Sequence[tuple[str, str]] | None = None,
    *,
    network: BayesianNetwork | None = None,
) -> tuple[EdgeExplanation, ...]:
    """Explain the edges of a graph by data: what goes with what, and how far the prior decides.

    A single graph has no confidences; `network`, if it has tables, says what holds with other parents held fixed.
    """
    data = states_of(data)
    dag = graph if isinstance(graph, Dag) else graph.extend()
    open_edges = set() if isinstance(graph, Dag) else {frozenset(edge) for edge in graph.edges}
    arcs = {frozenset(arc): arc for arc in dag.arcs}
    for pair in pairs or ():
        for name in pair:
            if name not in dag.names:
                raise OptionError(suggestion("variable", name, dag.names))
        if pair[0] == pair[1]:
            raise OptionError(f"a pair needs two variables; got '{pair[0]}' twice.")
    chosen = []
    for pair in dag.arcs if pairs is None else pairs:
        key = frozenset(pair)
        tail, head = arcs.get(key, pair)
        fate = Fate.BELOW if key not in arcs else Fate.UNDIRECTED if key in open_edges else Fate.KEPT
        edge = replace(describe_arc(data, dag, tail, head), fate=fate)
        effect = "" if network is None or fate is Fate.BELOW else _held_fixed(network, tail, head)
        chosen.append(EdgeExplanation(edge, _graph_words(data, edge), effect))
    return tuple(chosen)


def _graph_words(data: Dataset, edge: edge_record.EdgeRecord) -> str:
    absent, either = "", ""
    if edge.fate is Fate.BELOW:
        absent = f"The network has no edge between {edge.first} and {edge.second}. {NOT_UNRELATED}"
    if edge.fate is Fate.UNDIRECTED:
        either = "Data cannot tell its direction: it fits either way."
    return " ".join(part for part in (absent, either, effect_sentence(data, edge), prior_sentence(edge)) if part)


def _held_fixed(network: BayesianNetwork, tail: str, head: str) -> str:
    parents = network.parents(head)
    if tail not in parents or len(parents) < 2:
        return ""
    table = np.asarray(network.table(head), dtype=np.float64)
    if table.size > MOST_ROWS:
        return ""
    rows = np.moveaxis(table, parents.index(tail), 0)
    rows = rows.reshape(rows.shape[0], -1, rows.shape[-1])  # tail, combination of the others, head
    rows = rows[:, np.isfinite(rows).all(axis=(0, 2))]
    if not rows.shape[1]:
        return ""
    means = rows.mean(axis=1)
    column = int(np.argmax(means.max(axis=0) - means.min(axis=0)))
    low, high = int(np.argmin(means[:, column])), int(np.argmax(means[:, column]))
    if low == high:
        return ""
    gain = rows[high, :, column] - rows[low, :, column]
    states = dict(zip(network.names, network.states, strict=True))
    others = " and ".join(name for name in parents if name != tail)
    result, more, less = (
        statement(head, states[head][column]),
        statement(tail, states[tail][high]),
        statement(tail, states[tail][low]),
    )
    raised = int((gain > 0).sum())
    mixed = "" if raised == len(gain) else f" That holds in {raised:,} of {len(gain):,} combinations."
    return (
        f"With {others} held fixed, {result} is on average more likely with {more} than with {less} "
        f"({means[high, column]:.0%} against {means[low, column]:.0%}).{mixed}"
    )


def read_record(path: Path) -> dict[str, Any]:
    """Return what run.json says."""
    try:
        record = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise FormatError(f"{error} A folder of `arcwise learn` has a run.json.") from None
        raise FormatError(f"{path}: not JSON ({error}). Run `arcwise learn` again.") from None
    if not isinstance(record, dict) or not isinstance(record.get("result"), dict):
        raise FormatError(f"{path}: this is not the record of an `arcwise learn` run.")
    return record


def _rules_of(record: Mapping[str, Any], path: Path) -> dict[str, float]:
    rules = record["result"].get("rules")
    if not isinstance(rules, dict) or not all(_is_number(value) for value in rules.values()):
        raise FormatError(f"{path}: the rules' cut-offs are not there, or no numbers. Run `arcwise learn` again.")
    return {str(name): float(value) for name, value in rules.items()}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def read_edges(folder: Path, record: Mapping[str, Any]) -> list[tuple[dict[str, str], edge_record.EdgeRecord]]:
    """Return the rows of edges.csv, each with what it says about its edge."""
    path, methods = folder / "edges.csv", _methods_of(record, folder / "run.json")
    try:
        text = read_bytes(path).decode("utf-8")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        rows = list(reader)
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}.") from None
    except csv.Error as error:
        raise FormatError(f"{path}: damaged: {error}.") from None
    missing = [name for name in edge_record.FIRST_COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        again = str(record.get("command", "arcwise learn"))
        raise FormatError(f"{path}: there is no column '{missing[0]}'. Write the folder again: {again}")
    if any(None in row or None in row.values() for row in rows):
        raise FormatError(f"{path}: damaged: a line has more or fewer fields than the header.")
    return [(row, edge_record.read_edge(row, methods, str(path))) for row in rows]


def list_edges(folder: Path, record: Mapping[str, Any], threshold: float) -> EdgeList:
    """Return the edges of a folder with their cut-off, to be printed."""
    few = _few_of(record)
    edges = tuple(replace(edge, is_guess=few > 0) for _, edge in read_edges(folder, record))
    return EdgeList(edges, threshold, few=few)


def _methods_of(record: Mapping[str, Any], path: Path) -> tuple[str, ...]:
    """Return the titles of the other methods and scores: the columns of edges.csv that hold their confidences."""
    titles = record["result"].get("compared")
    if not isinstance(titles, list) or not all(isinstance(title, str) for title in titles):
        raise FormatError(f"{path}: the methods that were compared are not there. Run `arcwise learn` again.")
    return tuple(titles)


def _few_of(record: Mapping[str, Any]) -> int:
    """Return how many networks an analysis has, if they are a sample that is too small for shares; else 0."""
    recipe, count = record.get("recipe"), record["result"].get("networks")
    source = SOURCES.get(str(recipe.get("source"))) if isinstance(recipe, dict) else None
    if source is None or not source.is_sample or type(count) is not int:
        return 0
    return count if 0 < count < FEWEST_NETWORKS or not source.has_shares else 0
