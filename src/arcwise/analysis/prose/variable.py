"""What one variable depends on, in words and as a table."""

from __future__ import annotations

from arcwise.analysis.prose.edges import state_label
from arcwise.analysis.variable import Neighbour, VariableFinding
from arcwise.report import Answer, Bullets, Column, Paragraph, Table
from arcwise.report.content.blocks import Block
from arcwise.report.content.numbers import percent, show_confidence

__all__ = ["listed", "these", "variable_answer"]

MOST_ROWS = 30
ROLES = {"parent": "parent", "child": "child", "partner": "parent of a child", "": "–"}


def variable_answer(found: VariableFinding) -> Answer:
    """Return everything that is to be said about one variable."""
    blocks: list[Block] = [Paragraph(_summary(found)), Paragraph(_blanket(found))]
    blocks.append(_table(found))
    if len(found.neighbours) > MOST_ROWS:
        blocks.append(Paragraph(f"{len(found.neighbours) - MOST_ROWS:,} more variables are in the file of the table."))
    if opened := _open(found):
        blocks += [Paragraph("What remains open:"), Bullets(tuple(opened))]
    blocks.append(
        Paragraph(
            "Information is in bits: what a variable tells about "
            f"{found.name} beyond the rest of the blanket, and alone, under the network. A dependence is not an "
            "effect: what setting a variable would do is what `arcwise effect` says."
        )
    )
    return Answer(f"What {found.name} depends on", tuple(blocks))


def these(names: tuple[str, ...]) -> str:
    """Return the pronoun of one or several variables."""
    return "it" if len(names) == 1 else "these"


def listed(names: tuple[str, ...]) -> str:
    """Return names as in a sentence: "a, b and c"."""
    if not names:
        return "nothing"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _summary(found: VariableFinding) -> str:
    if not found.blanket:
        return (
            f"The network joins {found.name} to nothing: no edge has a confidence above the cut-off. That does not "
            "show that it depends on nothing, only that these data do not show on what."
        )
    matter = sorted(found.neighbours, key=lambda one: -one.information)
    first = matter[0]
    share = found.known / found.entropy if found.entropy > 0 else 0.0
    low, high, state = (state_label(text) for text in first.at)
    return (
        f"In the network, {found.name} depends on {listed(found.blanket)}; given {these(found.blanket)}, no other "
        f"variable tells more about it. {'It tells' if len(found.blanket) == 1 else 'Together they tell'} "
        f"{found.known:.3f} of the {found.entropy:.3f} bits of uncertainty about {found.name} ({percent(share)}). "
        f"{first.name} matters most: it tells {first.information:.3f} bits beyond the others, and P({found.name} = "
        f"{state}) is {first.change:.2f} higher if {first.name} is {high} than if it is {low}."
    )


def _blanket(found: VariableFinding) -> str:
    if not found.blankets:
        return "How sure the whole blanket is cannot be told: no networks were kept."
    own = next((share for names, share in found.blankets if set(names) == set(found.blanket)), 0.0)
    best, share = found.blankets[0]
    if found.n_networks == 1:
        return f"How far to trust that this is the Markov blanket of {found.name}, one network does not say."
    if set(best) == set(found.blanket) and share > 1 - 1e-9:
        return f"This is the Markov blanket of {found.name} in all of the {found.networks}."
    if set(best) == set(found.blanket):
        return (
            f"This is the Markov blanket of {found.name} in {percent(share)} of the {found.networks}, by "
            "weight; no other set has more."
        )
    return (
        f"This is the Markov blanket of {found.name} in {percent(own) if own else 'hardly any'} of the "
        f"{found.networks}, by weight; the most frequent one, {listed(best)}, is that of {percent(share)}. Rely on the "
        "variables one by one."
    )


def _table(found: VariableFinding) -> Table:
    rows = tuple(
        (
            one.name,
            show_confidence(one.confidence),
            one.direction or "–",
            ROLES[one.in_network],
            None if one.in_blanket is None else show_confidence(one.in_blanket),
            one.information,
            one.alone,
            _change(one),
        )
        for one in found.neighbours[:MOST_ROWS]
    )
    return Table(
        f"The variables that may be joined to {found.name}, the most trusted first.",
        (
            Column("variable"),
            Column("confidence"),
            Column("direction"),
            Column("in the network"),
            Column("in the blanket"),
            Column("information", 3),
            Column("alone", 3),
            Column(f"change in P({found.name})"),
        ),
        rows,
    )


def _change(one: Neighbour) -> str:
    """Return the change, and between which states it is: of one that is shown as zero, there is nothing to say."""
    size = f"{one.change:.2f}"
    before, after, state = map(state_label, one.at)
    return size if float(size) == 0 else f"{size} ({before} → {after}: {state})"


def _open(found: VariableFinding) -> list[str]:
    told = []
    unsure = found.open
    if unsure:
        pairs = ", ".join(f"{one.name} ({show_confidence(one.confidence, 2)})" for one in unsure)
        told.append(f"whether there is an edge to {pairs}: neither shown nor ruled out;")
    free = [one.name for one in found.neighbours if one.confidence >= 0.5 and one.direction == "open"]
    if free:
        one = len(free) == 1
        told.append(f"which way the edge{'' if one else 's'} to {listed(tuple(free))} point{'s' if one else ''};")
    if found.blankets and found.blankets[0][1] < 0.5:
        told.append("which variables the blanket has as a whole: no set of them has half of the weight.")
    return [text.rstrip(";.") + "." for text in told]
