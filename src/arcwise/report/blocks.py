"""The content of a report as plain values: what is said, not how it looks. HTML and text are made from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from arcwise.base.showing import one_screen
from arcwise.findings.edge_picture import EdgePicture
from arcwise.findings.edge_record import EdgeRecord
from arcwise.findings.verdict import Forest, Verdict

# `EvidencePlan`: how the page finds out what evidence does to all other variables.


@one_screen
@dataclass(frozen=True, slots=True)
class EvidencePlan:
    """An order in which the page eliminates variables, or what was computed for it, or why neither."""

    order: tuple[int, ...] = ()  # all variables; empty if the page cannot compute
    refusal: str = ""  # what the page cannot do, and why; "" if it can
    # The probability of every state of all variables (columns) given each of them (rows); empty if not computed.
    given: tuple[tuple[float, ...], ...] = ()
    note: str = ""  # what the reader has to know of the bars


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
class TableColumn:
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
class TableBlock:
    """Rows of text and numbers; None is shown as not known."""

    caption: str
    columns: tuple[TableColumn, ...]
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


Block = Paragraph | Bullets | TableBlock | Chart | Forest | Verbatim
Blocks = tuple[Block, ...]


def gather(*things: Block | str | Iterable[Block] | None) -> Blocks:
    """Return blocks one after the other: a text is a paragraph, and "" or None is nothing."""
    found: list[Block] = []
    for thing in things:
        if isinstance(thing, str):
            found += [Paragraph(thing)] if thing else []
        elif isinstance(thing, Block):
            found.append(thing)
        else:
            found.extend(thing or ())
    return tuple(found)


def table(caption: str, columns: Iterable[str | tuple[str, int]], rows: Iterable[tuple[Cell, ...]]) -> TableBlock:
    """Return a table; a column is a title, or for numbers a title with how many digits they have."""
    titles = tuple(TableColumn(one) if isinstance(one, str) else TableColumn(*one) for one in columns)
    return TableBlock(caption, titles, tuple(rows))


def bullets(items: Iterable[str]) -> Bullets | None:
    """Return a list of sentences; None for none."""
    found = Bullets(tuple(items))
    return found if found.items else None


@one_screen
@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report under a heading; `key` is its anchor."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@one_screen
@dataclass(frozen=True, slots=True)
class CheckLine:
    """What was checked, and what came of it.

    `key` is the section that has the details, `ok` None for a note, and `count` how much is wrong in a few letters.
    """

    key: str
    name: str
    ok: bool | None
    words: str
    count: str = ""

    @property
    def text(self) -> str:
        """The check on one line."""
        return f"{ {True: 'ok', False: 'FAIL', None: 'note'}[self.ok] }  {self.name}: {self.words}"

    @property
    def short(self) -> str:
        """The check in a few letters: "prior (9 of 16)"."""
        return f"{self.name} ({self.count})" if self.count and not self.ok else self.name


@one_screen
@dataclass(frozen=True, slots=True)
class NetworkNode:
    """A variable: its name, its states, and the share of the cases that show each."""

    name: str
    states: tuple[str, ...]
    shares: tuple[float, ...]


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
@dataclass(frozen=True)
class EdgeList:
    """Pairs of variables that are described, the cut-off, and how many networks there are if too few for shares."""

    edges: tuple[EdgeRecord, ...]
    threshold: float
    few: int = field(default=0, kw_only=True)

    @property
    def by_verdict(self) -> list[tuple[Verdict, list[EdgeRecord]]]:
        """The edges of the network by their verdicts, in the order of these; a verdict without edges is left out."""
        kept = [edge for edge in self.edges if edge.fate.in_network]
        groups = [(verdict, [edge for edge in kept if edge.verdict is verdict]) for verdict in Verdict]
        return [(verdict, own) for verdict, own in groups if own]


@one_screen
@dataclass(frozen=True, kw_only=True)
class NetworkView(EdgeList):
    """The network with its edges, for any cut-off.

    Parameters
    ----------
    nodes, edges, words, pictures
        The variables; the pairs of them that are described; what is said about each of these, in sentences; and the
        picture of each that has one.
    threshold, cost
        The cut-off, and how many extra edges a missed edge costs, that the view starts with.
    rules
        The cut-offs of the rules.
    methods
        The titles of the methods that `EdgeRecord.by_method` has values of, the main one first.
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
    scale
        Confidences, rising, and the probability that each is worth; None where that is not known.
    record
        How often the verdicts were right where the truth was known; "" if that says nothing here.
    """

    nodes: tuple[NetworkNode, ...]
    words: tuple[tuple[str, ...], ...]
    pictures: tuple[EdgePicture | None, ...]
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
    scale: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    record: str = ""

    @property
    def index(self) -> dict[str, int]:
        """The position of each variable, by its name."""
        return {node.name: position for position, node in enumerate(self.nodes)}

    @property
    def ends(self) -> list[tuple[int, int]]:
        """The positions of the two variables of each edge."""
        index = self.index
        return [(index[edge.first], index[edge.second]) for edge in self.edges]
