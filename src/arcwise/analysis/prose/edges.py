"""Findings in plain words: sentences for people who know neither BIC nor ESS."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from arcwise.analysis.edges import HALF, Agreement, EdgeFinding
from arcwise.analysis.prose.beliefs import belief_sentence
from arcwise.analysis.prose.constraints import direction_said, origin_sentences
from arcwise.analysis.prose.gaps import filling_sentence
from arcwise.analysis.prose.prior import prior_sentence
from arcwise.confidence.calibration.settled import SETTLED_SHARE
from arcwise.confidence.consensus import Fate
from arcwise.report.content.blocks import OPEN
from arcwise.report.content.numbers import percent, show_confidence, show_range

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.data import Dataset

__all__ = ["edge_sentences", "explain_edge", "percent", "state_label", "statement"]

# About an edge that is less likely, and not in the network, there is little to explain.
UNLIKELY = 0.1
NOT_UNRELATED = "Without an edge, two variables can still be related, through others."
INTERVAL = re.compile(r"\(([-+.\de]+|-inf),([-+.\de]+|inf)[\])]")


def state_label(state: str) -> str:
    """Return an interval as people write it, and any other state as it is.

    >>> state_label("(-inf,2.45]"), state_label("(2.45,4.75]"), state_label("(4.75,inf)"), state_label("yes")
    ('≤ 2.45', '2.45 to 4.75', '> 4.75', 'yes')
    """
    match = INTERVAL.fullmatch(state)
    if match is None:
        return state
    low, high = match.groups()
    if low == "-inf":
        return f"≤ {high}"
    return f"> {low}" if high == "inf" else f"{low} to {high}"


def statement(variable: str, state: str) -> str:
    """Return "smoking = yes", or for an interval "age > 40"."""
    label = state_label(state)
    if label == state and state[:1] in "<>≤≥" and len(state) > 1:
        return f"{variable} {state}"
    if label == state:
        return f"{variable} = {state}"
    return f"{variable} {label}" if label[0] in "≤>" else f"{variable} from {label}"


def explain_edge(analysis: Analysis, edge: EdgeFinding) -> str:
    """Return the sentences about one edge as one text."""
    return " ".join(edge_sentences(analysis, edge))


def edge_sentences(analysis: Analysis, edge: EdgeFinding) -> tuple[str, ...]:
    """Say how far an edge can be trusted: presence, agreement, direction, effect, prior."""
    said = origin_sentences(edge)
    if edge.origin.kind.is_decided:  # neither the networks nor other methods have a say in it
        known = () if edge.present <= 0 else (effect_sentence(analysis.data, edge), prior_sentence(edge))
        return tuple(s for s in (*said, *known) if s)
    if edge.present < UNLIKELY and edge.fate is Fate.BELOW:
        unlikely = (_presence(analysis, edge), *said, belief_sentence(edge), _agreement(edge), NOT_UNRELATED)
        return tuple(s for s in unlikely if s)
    sentences = (
        _presence(analysis, edge),
        _probability(analysis, edge),
        *said,
        belief_sentence(edge),
        filling_sentence(edge),
        _agreement(edge),
        (edge.fate.in_network and direction_said(edge))
        or ("" if analysis.has_few_networks else _direction(analysis, edge)),
        effect_sentence(analysis.data, edge),
        prior_sentence(edge),
    )
    return tuple(sentence for sentence in sentences if sentence)


def _presence(analysis: Analysis, edge: EdgeFinding) -> str:
    pair = f"{edge.first} and {edge.second}"
    networks = analysis.confidence.n_networks
    source = analysis.main.recipe.source_facts
    if source.is_sample and networks == 1:
        has = "An edge" if edge.present > 0 else "No edge"
        return f"{has} joins {pair} in the one network that was learned: how far to trust that is not known."
    if source.is_sample:
        count = round(edge.present * networks)
        error = f", give or take {2 * edge.standard_error:.2f}" if edge.standard_error > 0 else ""
        return f"An edge joins {pair} in {count:,} of {networks:,} {source.networks}{error}."
    one = source.networks.replace("networks", "network", 1)
    if edge.present == 0:
        which = f"the only {one}" if networks == 1 else f"any of the {networks:,} {source.networks}"
        return f"No edge joins {pair} in {which}."
    if networks == 1:
        return f"An edge joins {pair} in the only {one}."
    if edge.present >= 1 - 1e-9:
        return f"An edge joins {pair} in every one of the {networks:,} {source.networks}."
    return (
        f"Of the {networks:,} {source.networks}, those with an edge between {pair} have {percent(edge.present)} of the "
        "weight."
    )


def _probability(analysis: Analysis, edge: EdgeFinding) -> str:
    """Say how often an edge like this one is real, where that was studied."""
    known = analysis.probability.calibration
    if edge.probability is None or known.kind == "none" or known.doubt:  # a warning says what the doubt is
        return ""
    where = "of known networks" if known.kind == "table" else "simulated from what was found"
    share = percent(edge.probability.edge)
    return f"In data {where}, {share} of the edges with this confidence are real."


def _agreement(edge: EdgeFinding) -> str:
    """Say whether other methods and scores say the same, and what it means if they do not."""
    others = [(title, value) for title, value in edge.by_method[1:] if value is not None]
    if not others:
        return ""
    low, high = min(others, key=lambda item: item[1]), max(others, key=lambda item: item[1])
    span = show_range(low[1], high[1])
    who = {1: "The other combination of method and score", 2: "Both other combinations of method and score"}.get(
        len(others), f"All {len(others)} other combinations of method and score"
    )
    likely = edge.present > HALF
    if edge.agreement is Agreement.AGREE:
        return f"{who} agree{'s' if len(others) == 1 else ''} (confidence {span})."
    if edge.agreement is Agreement.DIFFER:
        find = "finds" if len(others) == 1 else "find"
        what = "it likely" if likely else "it unlikely"
        all_as = "as" if len(others) == 1 else "all as"
        clearer = all(abs(value - HALF) >= abs(edge.present - HALF) for _, value in others)
        how = "and more clearly" if clearer else f"but not {all_as} clearly"
        return (
            f"{who} {find} {what} too, {how} (confidence {span}): take "
            f"{show_confidence(edge.present)} as what this method and score say, and report the range."
        )
    against = low if likely else high
    count = sum((value > HALF) != likely for _, value in others)
    total = f"{count} of the {len(others)} other combinations" if len(others) > 1 else "the other combination"
    verb = "does" if count == 1 else "do"
    if likely:
        text = f"Methods disagree: {total} of method and score {verb} not find it likely"
    else:
        text = f"Methods disagree: {total} of method and score {verb} find it likely"
    least, most = edge.spread
    return (
        f"{text}, least of all the {against[0]} ({show_confidence(against[1], 2)})"
        if likely
        else f"{text}, most of all the {against[0]} ({show_confidence(against[1], 2)})"
    ) + (
        f". So the data do not settle it: report the range ({show_range(least, most)}), or call the edge not "
        "established."
    )


def _direction(analysis: Analysis, edge: EdgeFinding) -> str:
    """Say where it points, in shares of the networks that have the edge."""
    if edge.fate is Fate.DROPPED:
        return (
            f"It is above the cut-off, but {edge.tail} → {edge.head} would close a cycle of edges that are at least as "
            "certain, so the network leaves it out."
        )
    if edge.fate.is_left_out:
        return f"It is above the cut-off, but {edge.fate.reason}, so the network leaves it out."
    one_way, other_way, free = edge.split
    weighted = "" if analysis.main.recipe.source_facts.is_sample else "the weight of "
    among = f"of {weighted}the networks with this edge"
    if free >= OPEN:
        return (
            f"Its direction cannot be told from data like these: in {percent(free)} {among} it could be turned round "
            "without a change in fit."
        )
    right = (
        ""
        if edge.way_probability is None
        else f"; of directions like this one, {percent(edge.way_probability)} are right"
    )
    if edge.is_settled:
        return f"It points from {edge.tail} to {edge.head} in {percent(edge.way)} {among}{right}."
    tail, head = (edge.first, edge.second) if one_way >= other_way else (edge.second, edge.first)
    way, back = max(one_way, other_way), min(one_way, other_way)
    parts = [f"from {tail} to {head} in {percent(way)} {among}"]
    parts += [f"from {head} to {tail} in {percent(back)}"] if back > 0 or way < SETTLED_SHARE else []
    turned = (
        f"; in {percent(free)} it could be turned round without a change in fit" if percent(free) != percent(0) else ""
    )
    if way >= SETTLED_SHARE and tail == edge.tail:
        return f"Its direction is not settled: it points {' and '.join(parts)}{turned}{right}."
    return f"Its direction is open: it points {' and '.join(parts)}{turned}."


def effect_sentence(data: Dataset, edge: EdgeFinding) -> str:
    """Compare the two states of the tail that differ most, for the state of the head that they change most."""
    rows = edge.counts.sum(axis=1)
    seen = np.flatnonzero(rows > 0)
    if len(seen) < 2:
        return ""
    shares = edge.counts[seen] / rows[seen, None]
    column = int(np.argmax(shares.max(axis=0) - shares.min(axis=0)))
    low, high = int(np.argmin(shares[:, column])), int(np.argmax(shares[:, column]))
    tails, heads = data.states[data.index(edge.tail)], data.states[data.index(edge.head)]
    few, many = percent(float(shares[low, column])), percent(float(shares[high, column]))
    before, after = statement(edge.tail, tails[seen[low]]), statement(edge.tail, tails[seen[high]])
    result = statement(edge.head, heads[column])
    return f"Of the cases with {before}, {few} have {result}; of those with {after}, {many}."
