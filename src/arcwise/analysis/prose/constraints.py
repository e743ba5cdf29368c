"""What an analyst said, in words: as a list, as the origin of single edges, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.analysis.origins import NEARLY_ALL, Origin, Unconstrained
from arcwise.analysis.price import NOTHING, factor_words
from arcwise.graph import Kind
from arcwise.report import Bullets, Column, Paragraph, Table
from arcwise.report.content.blocks import OPEN
from arcwise.report.content.numbers import percent, show_confidence

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.analysis.edges import EdgeFinding
    from arcwise.analysis.price import ConstraintPrice
    from arcwise.graph import Constraints
    from arcwise.report.content.blocks import Block

__all__ = [
    "constraint_blocks",
    "constraint_summary",
    "constraints_text",
    "direction_said",
    "origin_sentences",
    "price_methods",
]

# Confidences that are further apart with and without the constraints are worth a sentence.
APART = 0.1
# A list names at most this many statements.
MOST_LISTED = 40


def constraints_text(constraints: Constraints) -> str:
    """Say what every network had to satisfy: "a → b is required; the tiers are a, b | c"."""
    texts = [said.text() for said in constraints.statements]
    more = f"; and {len(texts) - MOST_LISTED:,} more" if len(texts) > MOST_LISTED else ""
    return "; ".join(texts[:MOST_LISTED]) + more or "none"


def origin_sentences(edge: EdgeFinding) -> tuple[str, ...]:
    """Say what of an edge is the analyst's own word, and what the data would say without it."""
    origin, pair = edge.origin, f"{edge.first} and {edge.second}"
    without = origin.without
    if origin.kind is Origin.REQUIRED:
        alone = "" if without is None else f" {_alone(edge, without)}"
        if all(said.kind is Kind.ANCESTOR for said in origin.said):
            path = (
                f"{edge.tail} → {edge.head} is below the cut-off, but on the most credible path of those that you asked"
            )
            return (f"{path} for: {'; '.join(said.text() for said in origin.said)}.{alone}",)
        return (f"{edge.tail} → {edge.head} was required by you: every network has it, whatever the data say.{alone}",)
    if origin.kind is Origin.FORBIDDEN:
        alone = "" if without is None else f" {_alone(edge, without)}"
        return (f"An edge between {pair} was forbidden by you ({origin.sources}): no network has it.{alone}",)
    if origin.kind in (Origin.APPEARS, Origin.GONE) and without is not None:
        changed = "there" if origin.kind is Origin.APPEARS else "gone"
        verb = "require" if origin.kind is Origin.APPEARS else "forbid"
        said = f"The edge between {pair} is {changed} because of what you said about others; you did not {verb} it."
        return (f"{said} {_alone(edge, without)}",)
    if without is not None and abs(without.present - edge.present) > APART:
        return (_alone(edge, without),)
    return ()


def _alone(edge: EdgeFinding, without: Unconstrained) -> str:
    """Say what the data would have made of the pair."""
    would = "would have had it" if edge.origin.likely else "would not have had it"
    odds = "" if edge.belief is None else " and prior odds"
    return (
        f"Without your constraints{odds} the network {would}: its confidence would be "
        f"{show_confidence(without.present)}."
    )


def direction_said(edge: EdgeFinding) -> str:
    """Say of a direction that it is what the analyst said, or follows from it, and what the data say; "" if neither."""
    origin = edge.origin
    if origin.kind is Origin.FOLLOWS:
        return _follows(edge)
    if origin.kind is Origin.BELIEVED:
        return _believed(edge)
    if origin.kind is Origin.EXPERIMENT:
        way = f"{percent(origin.share)} of the weight of the networks with this edge point this way"
        return (
            f"Its direction, {edge.tail} → {edge.head}, comes from {origin.sources}: {way}; observations alone would "
            "leave it open."
        )
    if origin.kind is not Origin.DIRECTED:
        return ""
    text = f"Its direction, {edge.tail} → {edge.head}, comes from {origin.sources}"
    without = origin.without
    if without is None or without.present <= 0:
        return f"{text}, not from the data."
    return f"{text}{_ways_alone(edge, without)}."


def _follows(edge: EdgeFinding) -> str:
    """Say that a direction follows from what was said, in how many networks, and what the data alone say."""
    forward, backward, _ = edge.split
    same, other = (forward, backward) if edge.tail == edge.first else (backward, forward)
    among = "of the weight of the networks with this edge"
    text = f"Its direction, {edge.tail} → {edge.head}, follows from what you said"
    if same >= NEARLY_ALL:
        text = f"{text}: {percent(same)} {among} point this way"
    else:
        against = f"; {percent(other)} point the other way" if other > 0 else ""
        text = f"{text} in {percent(same)} {among}{against}"
    without = edge.origin.without
    if without is None or without.present <= 0:
        return f"{text}."
    alone, _, free = without.split if edge.tail == edge.first else (without.split[1], 0.0, without.split[2])
    return f"{text}; by the data alone {percent(alone)} would, and {percent(free)} could be turned round."


def _believed(edge: EdgeFinding) -> str:
    """Say that a direction is what the odds say, and what there is without them."""
    text = f"Its direction is what your odds say, not the data: {percent(edge.origin.share)} of the weight of the "
    text += f"networks with this edge point from {edge.tail} to {edge.head}"
    alone = None if edge.belief is None else edge.belief.without
    if alone is None or alone.present <= 0:
        return f"{text}."
    same = alone.forward if edge.tail == edge.first else alone.backward
    return (
        f"{text}; without any odds {percent(same / alone.present)} would, and "
        f"{percent(alone.undirected / alone.present)} could be turned round."
    )


def _ways_alone(edge: EdgeFinding, without: Unconstrained) -> str:
    """Say where the data alone would point an edge."""
    forward, backward, free = without.split
    same, other = (forward, backward) if edge.tail == edge.first else (backward, forward)
    if free >= OPEN:
        return "; the data alone would leave it open"
    ahead = edge.tail == edge.first
    if without.settles(ahead=ahead):
        return f"; the data alone would say the same ({percent(same)})"
    if without.settles(ahead=not ahead):
        return f"; the data alone would point it the other way ({percent(other)})"
    return "; the data alone do not settle it"


def constraint_summary(analysis: Analysis) -> tuple[str, ...]:
    """Say in a few sentences what of the result is the analyst's own word, and what it cost."""
    if analysis.constraints is None:
        return ()
    kept = [edge for edge in analysis.edges if edge.fate.in_network]
    required = [edge for edge in kept if edge.origin.kind is Origin.REQUIRED]
    directed = [e for e in kept if e.origin.kind in (Origin.DIRECTED, Origin.FOLLOWS) and e.is_settled]
    missed = [edge for edge in analysis.edges if edge.origin.kind is Origin.FORBIDDEN and edge.origin.likely]
    parts = []
    if required:
        parts.append(f"{_count(required)} there because you required {'it' if len(required) == 1 else 'them'}")
    if directed:
        parts.append(f"the direction of {len(directed):,} is what you said or follows from it{_agreed(directed)}")
    sentences = [f"Of these edges, {', and '.join(parts)}."] if parts else []
    sentences += _changes(analysis)
    if missed:
        listed = ", ".join(f"{e.first} — {e.second} ({_value(e)})" for e in missed[:5])
        more = f" and {len(missed) - 5:,} more" if len(missed) > 5 else ""
        noun = "an edge" if len(missed) == 1 else f"{len(missed):,} edges"
        sentences.append(f"You forbade {noun} that the data would have had: {listed}{more}.")
    if analysis.price is not None:
        sentences.append(_price_sentence(analysis.price))
    return tuple(sentences)


def _changes(analysis: Analysis) -> list[str]:
    """Name the edges that are there, or are not, only because of what was said about others."""
    sentences = []
    for kind, what in ((Origin.APPEARS, "there that the data alone"), (Origin.GONE, "gone that the data alone")):
        there = kind is Origin.APPEARS
        edges = [edge for edge in analysis.edges if edge.origin.kind is kind and edge.fate.in_network is there]
        if not edges:
            continue
        would = "would not have" if there else "would have"
        shown = [f"{e.first} — {e.second} ({show_confidence(e.present)}, alone {_value(e)})" for e in edges[:5]]
        more = f" and {len(edges) - 5:,} more" if len(edges) > 5 else ""
        noun = "1 edge is" if len(edges) == 1 else f"{len(edges):,} edges are"
        sentences.append(f"Because of what you said, {noun} {what} {would}: {', '.join(shown)}{more}.")
    return sentences


def _count(edges: list[EdgeFinding]) -> str:
    return f"{len(edges):,} {'is' if len(edges) == 1 else 'are'}"


def _agreed(edges: list[EdgeFinding]) -> str:
    """Say for how many edges the data alone would point where the analyst does."""
    alike = [
        edge.origin.without.settles(ahead=edge.tail == edge.first) for edge in edges if edge.origin.without is not None
    ]
    same = sum(alike)
    return f" (the data alone would say the same of {f'{same:,}' if same else 'none'})" if alike else ""


def _value(edge: EdgeFinding) -> str:
    without = edge.origin.without
    return "" if without is None else show_confidence(without.present)


def _price_sentence(price: ConstraintPrice) -> str:
    """Say what all constraints cost together."""
    how = "" if price.exact else ", as far as a local search can tell"
    if price.cost <= NOTHING:
        one = len(price.parts) + len(price.unpriced) == 1
        nothing = "Your constraint costs nothing" if one else "Your constraints cost nothing"
        return f"{nothing}: the best network of all satisfies {'it' if one else 'them'}{how}."
    factor = factor_words(price.cost, is_factor=price.is_factor)
    against = f"{price.cost:.1f} in log score" + (f", {factor}" if price.is_factor else "")
    if len(price.parts) + len(price.unpriced) == 1:
        return f"Your constraint costs {against}{how}."
    dearest = price.binding[:1]
    most = f" Most of all, the data object to {dearest[0].statement.objection}." if dearest else ""
    return f"Together your constraints cost {against}{how}.{most}"


def price_methods(analysis: Analysis) -> str:
    """Return the sentence of a methods section on what the constraints did; "" if that is not known."""
    price = analysis.price
    if price is None:
        return ""
    how = "exact optima" if price.exact else "local optima"
    factor = f", {factor_words(price.cost, is_factor=True)}" if price.is_factor and price.cost > NOTHING else ""
    odds = ", prior odds left out" if analysis.options.beliefs is not None else ""
    return (
        f"They lowered the log score of the best network by {price.cost:.1f}{factor} (difference of {how} with and "
        f"without them{odds})."
    )


def constraint_blocks(analysis: Analysis) -> tuple[Block, ...]:
    """Return the section on what was said: the list, the edges that it made, and its price."""
    known = analysis.constraints
    assert known is not None
    texts = tuple(said.text() for said in known.statements)
    blocks: list[Block] = [
        Paragraph("You stated what every network had to satisfy; what follows from it is not a finding of the data:"),
        Bullets(texts[:MOST_LISTED]),
    ]
    if len(texts) > MOST_LISTED:
        blocks.append(Paragraph(f"And {len(texts) - MOST_LISTED:,} more; run.json has them all."))
    said = [edge for edge in analysis.edges if edge.origin.kind.is_constrained]
    yours = "your constraints" + (" and prior odds" if analysis.options.beliefs is not None else "")
    if said:
        blocks.append(
            Table(
                "Edges that are there, point where they do, or are missing because of what you said. The last column "
                f"is the confidence by the same method and score without {yours}.",
                (Column("edge"), Column("origin"), Column("confidence", 2), Column(f"without {yours}", 2)),
                tuple(
                    (
                        f"{edge.tail} {'→' if edge.fate.is_arc else '—'} {edge.head}",
                        edge.origin.label,
                        edge.present,
                        None if edge.origin.without is None else edge.origin.without.present,
                    )
                    for edge in said
                ),
            )
        )
    return (*blocks, *_price_blocks(analysis.price))


def _price_blocks(price: ConstraintPrice | None) -> tuple[Block, ...]:
    if price is None:
        return ()
    blocks: list[Block] = [Paragraph(_price_sentence(price))]
    if price.sentences:
        blocks.append(Bullets(price.sentences))
        blocks.append(
            Table(
                "What each constraint that binds costs: the log score that dropping it alone would regain. These need "
                "not add up.",
                (Column("constraint"), Column("price", 2)),
                tuple((part.statement.text(), part.cost) for part in price.binding),
            )
        )
    elif price.cost > NOTHING:
        blocks.append(
            Paragraph("No single one costs anything by itself: dropped alone, the others would still say the same.")
        )
    return tuple(blocks)
