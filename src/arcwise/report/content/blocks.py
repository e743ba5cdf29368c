"""The content of a report as plain values: what is said, not how it looks. HTML and text are made from it."""

from __future__ import annotations

from dataclasses import dataclass, field

from arcwise.confidence.consensus import Fate
from arcwise.report.content.evidence import EvidencePlan
from arcwise.report.content.forest import Forest
from arcwise.report.content.numbers import show_confidence
from arcwise.report.content.trust import Trust, edge_label, trust_of
from arcwise.showing import one_screen

__all__ = [
    "FOUND",
    "NOT_COMPARED",
    "OPEN",
    "Block",
    "Bullets",
    "Chart",
    "Column",
    "Guide",
    "NetworkEdge",
    "NetworkNode",
    "NetworkView",
    "Paragraph",
    "Report",
    "RuleLine",
    "Section",
    "Series",
    "Table",
    "Verbatim",
]

# The origin of an edge about which nothing was said, and the agreement of methods that were not asked.
FOUND, NOT_COMPARED = "found", "not compared"
GUESSED = 0.35  # as how probable the edges of too few networks are drawn
# From this share on an edge is said to be free to point either way.
OPEN = 0.75

Cell = str | float | int | None


@one_screen
@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str


@one_screen
@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@one_screen
@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text to be copied as it is: a command, a methods section."""

    text: str
    label: str


@one_screen
@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: text, or numbers with this many digits after the point."""

    title: str
    digits: int | None = None

    def show(self, cell: Cell) -> str:
        """Return a cell as text; what is not known is a dash."""
        if cell is None:
            return "–"
        if isinstance(cell, str):
            return cell
        return f"{cell:,.{self.digits or 0}f}"


@one_screen
@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text and numbers; None is shown as not known."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@one_screen
@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    steps: bool = False


@one_screen
@dataclass(frozen=True, slots=True)
class Guide:
    """A dashed horizontal line of a chart, with a label."""

    value: float
    label: str


@one_screen
@dataclass(frozen=True, slots=True)
class Chart:
    """A line chart: `summary` says in words what it shows, for those who cannot see it and for text."""

    caption: str
    summary: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    guides: tuple[Guide, ...] = ()
    log_x: bool = False
    log_y: bool = False


Block = Paragraph | Bullets | Table | Chart | Forest | Verbatim


@one_screen
@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under a heading; `key` is its anchor."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@one_screen
@dataclass(frozen=True, slots=True)
class NetworkNode:
    """A variable: its name, its states, and the share of the cases that show each."""

    name: str
    states: tuple[str, ...]
    shares: tuple[float, ...]


@one_screen
@dataclass(frozen=True, slots=True)
class NetworkEdge:
    """A pair of variables (positions) with all that is known about it.

    Parameters
    ----------
    first, second
        The two variables.
    present, forward, backward, undirected, error
        The confidence in an edge, how it splits by direction, and its standard error. Readers are shown the split as
        `shares`, in per cent of the networks that have the edge.
    by_method
        The confidence by each of the view's `methods`, None where it was not computed.
    tail
        Which of the two the arc starts from, for counts and the curve.
    counts
        Cases by the states of the tail (rows) and of the other end (columns).
    curve
        The log Bayes factor for the arc at each of the view's `ess`; empty if it was not computed.
    given
        The other parents of the head that the curve takes as given.
    words
        The explanation, in sentences.
    fate
        What became of it in the network at the view's threshold.
    agreement
        Whether the other methods say the same: "agree", "differ" (in strength only), "disagree" or "not compared";
        "too few networks" where the confidence itself means nothing.
    origin
        Whether it is the data's, or the analyst's own word: "found", "required by you", "directed by your tiers".
    probability
        How often an edge of this confidence is real; None if that is not known.
    is_settled
        Whether its direction, from the tail on, is settled (`arcwise.confidence.calibration.settled`).
    """

    first: int
    second: int
    present: float
    forward: float
    backward: float
    undirected: float
    error: float
    by_method: tuple[float | None, ...]
    tail: int
    counts: tuple[tuple[int, ...], ...]
    curve: tuple[float, ...]
    given: tuple[int, ...]
    words: tuple[str, ...]
    fate: Fate
    agreement: str
    origin: str = FOUND
    probability: float | None = None
    is_settled: bool = False

    @property
    def shares(self) -> tuple[float, float, float]:
        """If there is an edge: the share of its more credible direction, of the other, and of those that are free."""
        if self.present <= 0:
            return 0.0, 0.0, 0.0
        high, low = max(self.forward, self.backward), min(self.forward, self.backward)
        return high / self.present, low / self.present, self.undirected / self.present

    @property
    def trust(self) -> Trust:
        """What all methods together say about it."""
        return trust_of(self.present, self.agreement, self.by_method)

    @property
    def real(self) -> float:
        """Its probability; where that is not known, its confidence, or next to nothing if that means nothing."""
        if self.trust is Trust.GUESS:
            return GUESSED
        return self.present if self.probability is None else self.probability

    @property
    def label(self) -> str:
        """The number on its line, "" where it would tell nothing."""
        return edge_label(self.trust, self.real, self.by_method)


@one_screen
@dataclass(frozen=True, slots=True)
class RuleLine:
    """The cut-off of a rule, to be marked on the slider."""

    label: str
    value: float
    meaning: str


@one_screen
@dataclass(frozen=True, slots=True)
class KnownRules:
    """Constraints that the network obeys at every cut-off, by the positions of the variables.

    Parameters
    ----------
    required
        Arcs that are there, whatever their confidence.
    limits
        The most parents of each variable.
    """

    required: tuple[tuple[int, int], ...]
    limits: tuple[int, ...]


@one_screen
@dataclass(frozen=True, slots=True)
class NetworkView:
    """The network with its edges, for any cut-off.

    Parameters
    ----------
    threshold, cost
        The cut-off, and how many extra edges a missed edge costs, that the view starts with.
    rules
        The cut-offs of the rules.
    methods
        The titles of the methods that `NetworkEdge.by_method` has values of, the main one first.
    ess
        The equivalent sample sizes of the curves.
    parents, tables
        For each variable, its parents in the network at `threshold` and its table: a row of probabilities for each
        combination of their states, the first parent varying slowest. None for a table that is too large to show.
    floor
        Pairs with a confidence up to this are not among the edges.
    cost_powers, cost_cutoffs
        The cut-off for a missed edge that costs 2^power extra edges, for each power.
    known
        What the network obeys at every cut-off; None for nothing.
    unseen
        How many real edges are expected among the pairs that are not listed; None if that is not known.
    evidence
        How the page finds out what evidence does.
    target
        The variable that the view starts from, in the middle; None to start with the whole network.
    few
        How many networks there are, if too few for shares: then an edge is in "2 of 3" of them; else 0.
    """

    nodes: tuple[NetworkNode, ...]
    edges: tuple[NetworkEdge, ...]
    threshold: float
    cost: float
    rules: tuple[RuleLine, ...]
    methods: tuple[str, ...]
    ess: tuple[float, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[tuple[tuple[float, ...], ...] | None, ...]
    floor: float
    cost_powers: tuple[float, ...]
    cost_cutoffs: tuple[float, ...]
    known: KnownRules | None = None
    unseen: float | None = None
    evidence: EvidencePlan = field(default_factory=EvidencePlan)
    target: int | None = None
    few: int = 0

    def shown_confidence(self, present: float) -> str:
        """Return a confidence as it is shown: a share, or of few networks, in how many it is."""
        return f"{round(present * self.few)} of {self.few}" if self.few else show_confidence(present)


@one_screen
@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. In a notebook it shows itself.

    Parameters
    ----------
    title, subtitle
        The heading, and a line below it.
    facts
        Short facts for the top: (label, value).
    summary
        The answer in a few sentences.
    glossary
        The words that the report uses, each with what it means.
    network
        The network view.
    sections
        Everything else.
    """

    title: str
    subtitle: str
    facts: tuple[tuple[str, str], ...]
    summary: tuple[str, ...]
    network: NetworkView
    sections: tuple[Section, ...] = field(default=())
    glossary: tuple[tuple[str, str], ...] = ()

    def to_html(self) -> str:
        """Return one self-contained HTML page: no other file and no network access."""
        from arcwise.report.render.html import render_html

        return render_html(self)

    def to_text(self, *, width: int = 100, color: bool = False) -> str:
        """Return the report as text for a terminal, with colour codes if asked for."""
        from arcwise.report.render.text import render_text

        return render_text(self, width=width, color=color)

    def to_svg(self, *, numbers: bool = True) -> str:
        """Return a picture of the network at its cut-off, with or without the confidences on the edges."""
        from arcwise.report.render.figure import network_svg

        return network_svg(self.network, numbers=numbers)

    def _repr_html_(self) -> str:
        from arcwise.report.render.html import render_frame

        return render_frame(self)
