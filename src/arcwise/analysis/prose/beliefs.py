"""What was believed before the data, in words: per edge, in a section of the report, and for the methods section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.analysis.edge_beliefs import HALF, EdgeBelief, Verdict
from arcwise.analysis.remark import Remark
from arcwise.graph.beliefs import odds_text
from arcwise.limits import Status
from arcwise.report import Column, Paragraph, Table
from arcwise.report.content.numbers import show_confidence

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.analysis.averaged import Averaged
    from arcwise.analysis.edges import EdgeFinding
    from arcwise.data import Dataset
    from arcwise.graph import Beliefs, Constraints
    from arcwise.report.content.blocks import Block

__all__ = [
    "belief_blocks",
    "belief_sentence",
    "beliefs_text",
    "contradiction_sentence",
    "contradictions",
    "idle_remark",
    "without_remark",
]

# A difference of confidences that is worth a sentence about an edge without odds of its own.
TOLD = 0.05
MEANING = (
    "Odds of 4 to 1 for an arc mean that, before the data, a network with the arc was 4 times as likely as the same "
    "network without it; odds of 1 say nothing. The data may overrule them: each confidence is shown with the odds and "
    "without any. Data and odds contradict each other where odds above 1 favour what the data alone give no more than "
    "one half, or odds below 1 disfavour what they give more than one half."
)


def beliefs_text(beliefs: Beliefs, n: int) -> str:
    """Say what was believed: "a → b: 4 to 1; a — c: 1 to 10; every other edge: 1 to 2"."""
    parts = [f"{a} → {b}: {odds_text(odds)}" for a, b, odds in beliefs.arcs]
    parts += [f"{a} — {b}: {odds_text(odds)}" for a, b, odds in beliefs.edges]
    general = odds_text(beliefs.general_odds(n))
    every = "every other edge" if parts else "every edge"
    if beliefs.expected_edges is not None:
        parts.append(f"{every}: {general}, so that {beliefs.expected_edges:g} edges are expected beforehand")
    elif beliefs.expected_parents is not None:
        parts.append(
            f"{every}: {general}, so that {beliefs.expected_parents:g} parents per variable are expected beforehand"
        )
    elif beliefs.every_edge != 1:
        parts.append(f"{every}: {general}")
    if beliefs.fair_sizes:
        parts.append("all numbers of parents equally likely")
    return "; ".join(parts)


def belief_sentence(edge: EdgeFinding) -> str:
    """Say what the prior odds did to an edge: always if it has odds of its own, else if they matter."""
    belief = edge.belief
    if belief is None:
        return ""
    without = None if belief.without is None else belief.without.present
    if not belief.own:
        if without is None or abs(without - edge.present) < TOLD:
            return ""
        return f"Without your prior odds of other edges its confidence is {show_confidence(without)}."
    said = f"You gave {_odds(edge, belief)}"
    if belief.decided or without is None:
        why = f"that was {Verdict.DECIDED}" if belief.decided else "what its confidence is without was not computed"
        return f"{said}; {why}."
    known = f"{said}; without any prior odds its confidence is {show_confidence(without)}"
    if belief.verdict is not Verdict.CONTRADICT:
        return f"{known}, and the data agree."
    return f"{known}: data and belief contradict each other, and {_winner(edge.present, without)}."


def _winner(present: float, without: float) -> str:
    if (present > HALF) == (without > HALF):
        return "the data prevail"
    return "your odds decide, not the data"


def _odds(edge: EdgeFinding, belief: EdgeBelief) -> str:
    if belief.forward == belief.backward:
        return f"this edge prior odds of {odds_text(belief.forward)}"
    first = f"{edge.first} → {edge.second} {odds_text(belief.forward)}"
    return f"it prior odds of {first} and {edge.second} → {edge.first} {odds_text(belief.backward)}"


def belief_blocks(analysis: Analysis) -> list[Block]:
    """Return the section about what was believed: each statement with the confidence with and without."""
    beliefs = analysis.options.beliefs
    assert beliefs is not None
    data = analysis.data
    blocks: list[Block] = [
        Paragraph(f"What was believed before the data: {beliefs_text(beliefs, data.n_variables)}. {MEANING}")
    ]
    without = analysis.without_beliefs
    if without is None or without.confidence is None:
        return blocks
    pairs = _pairs(beliefs, data)
    rows = [_row(analysis, *pair) for pair in pairs]
    contradicted = contradictions(analysis)
    tested = sum(analysis.belief(*pair).verdict is not Verdict.DECIDED for pair in pairs)
    expected = [float(item.vector.sum()) for item in (without.confidence, analysis.confidence)]
    summary = f"On average a network has {expected[0]:.1f} edges without the odds, and {expected[1]:.1f} with them."
    if tested:
        summary += (
            " Nothing that was believed is contradicted by the data."
            if not contradicted
            else f" {_of_all(len(contradicted), tested)} contradicted by the data."
        )
    if tested < len(rows):
        few = len(rows) - tested
        summary += f" {few} {'more was' if few == 1 else 'more were'} not tested: your constraints decide."
    blocks.append(Paragraph(summary))
    if rows:
        blocks.append(
            Table(
                "The pairs with odds of their own, and the confidence in their edge.",
                (
                    Column("pair"),
                    Column("prior odds"),
                    Column("confidence without", 3),
                    Column("confidence with", 3),
                    Column("the data"),
                ),
                tuple(rows),
            )
        )
    return blocks


def _of_all(count: int, total: int) -> str:
    """Return "2 of the 3 pairs with odds of their own are"."""
    if total == 1:
        return "The pair with odds of its own is"
    return f"{count} of the {total} pairs with odds of their own {'is' if count == 1 else 'are'}"


def contradictions(analysis: Analysis) -> list[tuple[str, str]]:
    """Return the pairs about which data and belief contradict each other."""
    beliefs, without = analysis.options.beliefs, analysis.without_beliefs
    if beliefs is None or without is None:
        return []
    return [pair for pair in _pairs(beliefs, analysis.data) if analysis.belief(*pair).verdict is Verdict.CONTRADICT]


def contradiction_sentence(analysis: Analysis) -> str:
    """Say in the summary about which pairs data and belief contradict each other; empty if about none."""
    found = contradictions(analysis)
    listed = ", ".join(f"{a} — {b}" for a, b in found[:5]) + (f" and {len(found) - 5:,} more" if len(found) > 5 else "")
    return f"Data and prior odds contradict each other about {listed}." if found else ""


def _pairs(beliefs: Beliefs, data: Dataset) -> list[tuple[str, str]]:
    """Return the pairs with odds of their own, each once, in the order of the data."""
    pairs = {tuple(sorted((a, b), key=data.index)) for a, b, _ in (*beliefs.arcs, *beliefs.edges)}
    return [(a, b) for a, b in sorted(pairs, key=lambda pair: (data.index(pair[0]), data.index(pair[1])))]


def _row(analysis: Analysis, first: str, second: str) -> tuple[str | float, ...]:
    belief = analysis.belief(first, second)
    assert belief.without is not None
    odds = (
        odds_text(belief.forward)
        if belief.forward == belief.backward
        else f"{first} → {second} {odds_text(belief.forward)}; {second} → {first} {odds_text(belief.backward)}"
    )
    present, without = analysis.confidence.pair(first, second).present, belief.without.present
    verdict = {Verdict.AGREE: "agree", Verdict.DECIDED: str(Verdict.DECIDED)}.get(
        belief.verdict, f"contradict it; {_winner(present, without)}"
    )
    return f"{first} — {second}", odds, without, present, verdict


def without_remark(made: Averaged) -> Remark:
    """Say that the confidences without prior odds are missing."""
    from arcwise.analysis.prose.remarks import shortfall_words

    return Remark(
        f"What the confidences are without the prior odds was not computed: {shortfall_words(made)}.",
        by_time=made.status is Status.TIME_LIMIT,
    )


def idle_remark(beliefs: Beliefs, constraints: Constraints | None, data: Dataset) -> Remark | None:
    """Say which odds have no effect: constraints decide, or a variable never varies or was always set."""
    sentences = [] if constraints is None else list(beliefs.idle_under(constraints))
    constant = [name for name in beliefs.names if data.constant[data.index(name)]]
    sentences += [f"the odds of {name} do nothing: it has the same value in all cases" for name in constant]
    heads = {name for a, b, _ in beliefs.edges for name in (a, b)} | {head for _, head, _ in beliefs.arcs}
    always = [name for name in sorted(heads - {*constant}) if data.cases_without(name).n_cases == 0]
    sentences += [f"the odds of arcs into {name} do nothing: it was set in all cases" for name in always]
    if not sentences:
        return None
    return Remark(f"Prior odds without effect: {'; '.join(sentences)}.")
