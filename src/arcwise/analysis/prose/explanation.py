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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.analysis.averaged import FEWEST_NETWORKS
from arcwise.analysis.edge_table import COLUMNS, EXPLANATION, ORIGIN, SETTLED, SPLIT, WITHOUT
from arcwise.analysis.edges import Agreement, EdgeFinding, describe_arc
from arcwise.analysis.origins import Origin, follows_words
from arcwise.analysis.prose.edges import NOT_UNRELATED, effect_sentence, statement
from arcwise.analysis.prose.prior import prior_sentence
from arcwise.confidence.consensus import Fate
from arcwise.ensemble.sources import SOURCES
from arcwise.errors import FormatError, OptionError, suggestion
from arcwise.files import read_bytes
from arcwise.report.content.numbers import percent, show_confidence
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.graph import Dag, Pdag
    from arcwise.model import BayesianNetwork

__all__ = ["Explanation", "explain_folder", "explain_graph"]

# From this confidence on an edge is as good as certain.
CERTAIN = 0.95
# A table with more rows is not spelled out.
MOST_ROWS = 100_000


@one_screen
@dataclass(frozen=True)
class Explanation:
    """One edge in words.

    Parameters
    ----------
    first, second
        The two variables.
    tail, head
        The arc of the network, or the more credible direction.
    fate
        What became of it.
    confidence, split
        How far an edge can be trusted, and where it points if it is there (first -> second, second -> first, either);
        None for a network without confidences.
    is_settled
        Whether its direction, from `tail` to `head`, is settled.
    by_method
        The confidence by other methods and scores.
    rules
        The cut-off of each rule.
    words
        What the report says.
    effect
        What the network's table says with the other parents held fixed; "" if there are none.
    agreement
        Whether other methods and scores say the same.
    origin, said, without
        Whether it is the data's finding or the analyst's own word, what was said, and the confidence without it.
    few
        How many networks there are, if too few for a share of them to mean anything; else 0.
    """

    first: str
    second: str
    tail: str
    head: str
    fate: Fate
    words: str
    effect: str = ""
    confidence: float | None = None
    split: tuple[float, float, float] | None = None
    is_settled: bool = False
    by_method: Mapping[str, float] = field(default_factory=dict)
    rules: Mapping[str, float] = field(default_factory=dict)
    agreement: Agreement = Agreement.NOT_COMPARED
    origin: Origin = Origin.FOUND
    said: str = ""
    without: float | None = None
    few: int = 0

    @property
    def title(self) -> str:
        """The edge, with an arrow if the network directs it, and what became of it."""
        sign = "→" if self.fate.is_arc else "—"
        if self.confidence is None:
            return f"{self.tail} {sign} {self.head}"
        where = {
            Fate.KEPT: "in the network",
            Fate.UNDIRECTED: "in the network, direction open",
            Fate.REQUIRED: "in the network",
            Fate.BELOW: "not in the network",
        }.get(self.fate, f"left out: {self.fate.reason}")
        if self.origin is Origin.FORBIDDEN:
            return f"{self.tail} {sign} {self.head}: not in the network, forbidden by you ({self.said})"
        said = {
            Origin.REQUIRED: ", required by you",
            Origin.DIRECTED: f", directed by {self.said}",
            Origin.BELIEVED: f", directed by {self.said}",
            Origin.EXPERIMENT: f", directed by {self.said}",
            Origin.FOLLOWS: f", {follows_words(self._way)}",
            Origin.APPEARS: ", there because of what you said",
            Origin.GONE: ", gone because of what you said",
        }.get(self.origin, "")
        share = f"confidence {show_confidence(self.confidence)}"
        if self.few:
            share = f"in {round(self.confidence * self.few)} of {self.few} network{'' if self.few == 1 else 's'}"
        return f"{self.tail} {sign} {self.head}: {share}, {where}{said}"

    @property
    def _way(self) -> float:
        """How often it points where the network has it."""
        return 1.0 if self.split is None else self.split[0 if self.tail == self.first else 1]

    @property
    def kept_by(self) -> tuple[str, ...]:
        """The rules whose cut-off the confidence is above."""
        return tuple(rule for rule, value in self.rules.items() if (self.confidence or 0.0) > value)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything there is to say, one thing after the other."""
        shares = () if self.few else (self._direction(), self._rules())
        parts = (self.words, self.effect, *shares, self.advice)
        return tuple(part for part in parts if part)

    def _direction(self) -> str:
        if self.split is None or not self.confidence or self.origin.is_decided:
            return ""
        one, other, free = self.split
        return (
            f"Columns of edges.csv: if there is an edge, it points {self.first} → {self.second} in {percent(one)} "
            f"({SPLIT[0]}), {self.second} → {self.first} in {percent(other)} ({SPLIT[1]}) and could do either in "
            f"{percent(free)} ({SPLIT[2]}); the three add up to 1."
        )

    def _rules(self) -> str:
        rules = self.rules
        if not rules or self.origin.is_decided:
            return ""

        def listed(names: Iterable[str]) -> str:
            return ", ".join(f"{name} (above {rules[name]:.3g})" for name in names)

        kept = self.kept_by
        others = [name for name in rules if name not in kept]
        if not others:
            return f"Every rule keeps it: {listed(kept)}."
        if not kept:
            return f"No rule keeps it: {listed(others)}."
        return f"Rules that keep it: {listed(kept)}. Rules that do not: {listed(others)}."

    @property
    def advice(self) -> str:
        """What to do about the edge."""
        if self.confidence is None:
            return "What to do: one network does not say how far to trust it; `arcwise learn DATA -o DIR` does."
        if not self.origin.is_found:
            return self._said_advice()
        return self._guess_advice() if self.few else self._found_advice(self.confidence)

    def _guess_advice(self) -> str:
        many = "one network does" if self.few == 1 else f"{self.few} networks do"
        return f"What to do: do not rely on it: {many} not say how far to trust an edge. Allow more time."

    def _found_advice(self, confidence: float) -> str:
        """What to do about an edge that the data alone speak of."""
        if self.fate.is_left_out:
            cycle = "decide which edge of the cycle is wrong, and forbid it (--blacklist), or require this one."
            known = "look at the constraints again: the data would have it."
            return f"What to do: {cycle if self.fate is Fate.DROPPED else known}"
        if not self.fate.in_network:
            cheap = f" It would be in with --threshold {_below(confidence)}." if confidence >= 0.01 else ""
            return f"What to do: do not draw it, and do not claim that the two are unrelated.{cheap}"
        if self.agreement is Agreement.DISAGREE:
            return "What to do: call it a candidate, not a finding; the methods disagree. More cases would decide."
        use = "rely on it" if confidence >= CERTAIN else "report it with its confidence"
        return f"What to do: {use}{self._way_advice()}"

    def _way_advice(self) -> str:
        """Say what to do about the direction of an edge that is in the network."""
        if not self.origin.is_directed_by_data:
            whose = {Origin.DIRECTED: "what you said", Origin.BELIEVED: "what your odds say"}.get(
                self.origin, "a consequence of what you said"
            )
            return f"; its direction is {whose}, so do not report it as a finding."
        if self.is_settled:
            shown = "your experiment shows" if self.origin is Origin.EXPERIMENT else "the data suggest"
            cause = "" if self.origin is Origin.EXPERIMENT else ", which is not yet a cause"
            return f"; its direction is what {shown}{cause}."
        return (
            ", but leave its direction open. What you know, such as which comes first in time, can be given with "
            "--constraints."
        )

    def _said_advice(self) -> str:
        """Say what to do about an edge that is there, or not, because the analyst said so."""
        alone = "" if self.without is None else f" The data alone would give it {show_confidence(self.without)}."
        if self.origin is Origin.REQUIRED:
            return f"What to do: report it as an assumption, not as a finding.{alone}"
        if self.origin is Origin.APPEARS:
            return f"What to do: report it as a consequence of what you said, not as a finding.{alone}"
        if self.origin is Origin.GONE:
            return f"What to do: report that it is missing because of what you said, not because of the data.{alone}"
        return f"What to do: report that you excluded it; the data had no say.{alone}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        return {
            "first": self.first,
            "second": self.second,
            "from": self.tail,
            "to": self.head,
            "fate": str(self.fate),
            "in_network": self.fate.in_network,
            "confidence": self.confidence,
            **dict(zip(SPLIT, self.split or (None, None, None), strict=True)),
            SETTLED: self.is_settled,
            "agreement": str(self.agreement),
            "origin": str(self.origin),
            "said": self.said,
            "without_constraints": self.without,
            "by_method": dict(self.by_method),
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
) -> tuple[Explanation, ...]:
    """Explain edges of a folder that `arcwise learn -o` or `Analysis.save` wrote.

    Without `pairs`, all edges of the network, the most certain first; with them these, in their order, also pairs
    without an edge.
    """
    from arcwise.confidence import EdgeConfidence

    where = Path(folder)
    if not where.is_dir():
        raise FormatError(f"{where}: no such folder; `arcwise learn DATA -o {where}` would write it.")
    record = _record(where / "run.json")
    reader = _RowReader(
        path=where / "edges.csv",
        rules=_rules_of(record, where / "run.json"),
        methods=_methods_of(record, where / "run.json"),
        network=_network(where / "network.bif"),
        few=_few_of(record),
    )
    rules = reader.rules
    found = {
        frozenset((row["first"], row["second"])): reader.explanation(row) for row in _rows(where / "edges.csv", record)
    }
    if pairs is None:
        return tuple(edge for edge in found.values() if edge.fate.in_network)
    confidence = EdgeConfidence.load(where / "confidence.parquet")
    chosen = []
    for first, second in pairs:
        known = confidence.pair(first, second)  # refuses unknown names, and one name twice
        edge = found.get(frozenset((first, second)))
        if edge is None:
            text = f"No edge joins {first} and {second}, or hardly ever: the confidence is below 0.01. {NOT_UNRELATED}"
            edge = Explanation(first, second, first, second, Fate.BELOW, text, confidence=known.present, rules=rules)
            edge = replace(edge, few=reader.few)
        chosen.append(edge)
    return tuple(chosen)


def explain_graph(
    graph: Dag | Pdag,
    data: Dataset,
    pairs: Sequence[tuple[str, str]] | None = None,
    *,
    network: BayesianNetwork | None = None,
) -> tuple[Explanation, ...]:
    """Explain the edges of a graph by data: what goes with what, and how far the prior decides.

    A single graph has no confidences; `network`, if it has tables, says what holds with other parents held fixed.
    """
    from arcwise.graph import Dag

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
        edge = describe_arc(data, dag, tail, head)
        fate = Fate.BELOW if key not in arcs else Fate.UNDIRECTED if key in open_edges else Fate.KEPT
        chosen.append(
            Explanation(
                first=edge.first,
                second=edge.second,
                tail=tail,
                head=head,
                fate=fate,
                words=_graph_words(data, edge, fate),
                effect="" if network is None or fate is Fate.BELOW else _held_fixed(network, tail, head),
            )
        )
    return tuple(chosen)


def _graph_words(data: Dataset, edge: EdgeFinding, fate: Fate) -> str:
    absent = (
        f"The network has no edge between {edge.first} and {edge.second}. {NOT_UNRELATED}" if fate is Fate.BELOW else ""
    )
    either = "Its direction cannot be told from data: it could be turned round." if fate is Fate.UNDIRECTED else ""
    return " ".join(part for part in (absent, either, effect_sentence(data, edge), prior_sentence(edge)) if part)


def _held_fixed(network: BayesianNetwork, tail: str, head: str) -> str:
    """Say how the head's table depends on the tail with the other parents held fixed."""
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


def _record(path: Path) -> dict[str, Any]:
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


NEEDED = (*(column.name for column in COLUMNS), EXPLANATION)


def _rows(path: Path, record: Mapping[str, Any]) -> list[dict[str, str]]:
    try:
        text = read_bytes(path).decode("utf-8")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        rows = list(reader)
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}.") from None
    except csv.Error as error:
        raise FormatError(f"{path}: damaged: {error}.") from None
    missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
    if missing:
        again = str(record.get("command", "arcwise learn"))
        raise FormatError(f"{path}: there is no column '{missing[0]}'. Write the folder again: {again}")
    if any(None in row or None in row.values() for row in rows):
        raise FormatError(f"{path}: damaged: a line has more or fewer fields than the header.")
    return rows


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


@dataclass(frozen=True)
class _RowReader:
    """What the other files of a folder say about every edge, and the file that is read."""

    path: Path
    rules: Mapping[str, float]
    methods: tuple[str, ...]
    network: BayesianNetwork
    few: int = 0

    def explanation(self, row: Mapping[str, str]) -> Explanation:
        tail, head = row["from"], row["to"]
        try:
            fate, agreement, origin = Fate(row["fate"]), Agreement(row["agreement"]), Origin(row[ORIGIN])
        except ValueError:
            fate, agreement, origin = Fate.BELOW, Agreement.NOT_COMPARED, Origin.FOUND
            tail = head = ""
        if {tail, head} != {row["first"], row["second"]}:
            raise FormatError(f"{self.path}: damaged in the line of {row['first']} and {row['second']}.")
        known = fate.in_network and tail in self.network.names and head in self.network.names
        one, other, free = (self._share(row, name) for name in SPLIT)
        return Explanation(
            first=row["first"],
            second=row["second"],
            tail=tail,
            head=head,
            fate=fate,
            words=row[EXPLANATION],
            effect=_held_fixed(self.network, tail, head) if known else "",
            confidence=self._share(row, "confidence"),
            split=(one, other, free),
            is_settled=row[SETTLED] == "True",
            by_method={name: self._share(row, name) for name in self.methods if row.get(name)},
            rules=self.rules,
            agreement=agreement,
            origin=origin,
            said=row["said"],
            without=self._share(row, WITHOUT) if row[WITHOUT] else None,
            few=self.few,
        )

    def _share(self, row: Mapping[str, str], name: str) -> float:
        try:
            value = float(row[name])
        except ValueError:
            value = math.nan
        if not 0 <= value <= 1 + 1e-9:
            raise FormatError(f"{self.path}: {name} of {row['first']} and {row['second']} is '{row[name]}', no share.")
        return value


def _network(path: Path) -> BayesianNetwork:
    from arcwise.model import read_bif

    return read_bif(path)
