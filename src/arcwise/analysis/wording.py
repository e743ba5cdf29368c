"""Findings in plain words: sentences for people who know neither BIC nor ESS."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from arcwise.analysis.edges import EdgeFinding

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis

__all__ = ["edge_sentences", "explain_edge", "percent", "state_label", "summary_sentences"]

# From this share on, the weight of the networks is said to settle a direction.
SETTLED = 0.75
# About an edge that is less likely, and not in the network, there is little to explain.
UNLIKELY = 0.1
HALF = 0.5
NOT_UNRELATED = "Without an edge, two variables can still go together, by way of others."
# Data without dependence pass for more than chance this often (the level of Broom's rule).
CHANCE = 0.05
INTERVAL = re.compile(r"\(([-+.\de]+|-inf),([-+.\de]+|inf)[\])]")


def percent(share: float) -> str:
    """Return a share as a percentage that never rounds to none or all.

    >>> percent(0.5), percent(0.9999), percent(0.0004), percent(1.0)
    ('50%', 'over 99%', 'under 1%', '100%')
    """
    if 0 < share < 0.005:
        return "under 1%"
    if 0.995 <= share < 1:
        return "over 99%"
    return f"{share:.0%}"


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
    if label == state:
        return f"{variable} = {state}"
    return f"{variable} {label}" if label[0] in "≤>" else f"{variable} from {label}"


def explain_edge(analysis: Analysis, edge: EdgeFinding) -> str:
    """Return the sentences about one edge as one text."""
    return " ".join(edge_sentences(analysis, edge))


def edge_sentences(analysis: Analysis, edge: EdgeFinding) -> tuple[str, ...]:
    """Say how far an edge can be trusted: presence, agreement, direction, effect, prior."""
    if edge.present < UNLIKELY and edge.fate == "below":
        return tuple(s for s in (_presence(analysis, edge), _agreement(analysis, edge), NOT_UNRELATED) if s)
    sentences = (
        _presence(analysis, edge),
        _agreement(analysis, edge),
        _direction(edge),
        _effect(analysis, edge),
        _prior(edge),
    )
    return tuple(sentence for sentence in sentences if sentence)


def _presence(analysis: Analysis, edge: EdgeFinding) -> str:
    pair = f"{edge.first} and {edge.second}"
    networks = analysis.confidence.n_networks
    if analysis.main.method == "bootstrap":
        count = round(edge.present * networks)
        error = f", give or take {2 * edge.standard_error:.2f}" if edge.standard_error > 0 else ""
        return f"An edge joins {pair} in {count:,} of {networks:,} networks learned from resampled data{error}."
    if edge.present == 0:
        which = "the only network" if networks == 1 else f"any of the {networks:,} networks"
        return f"No edge joins {pair} in {which} that the data cannot rule out."
    if networks == 1:
        return f"An edge joins {pair} in the only network that the data cannot rule out."
    if edge.present >= 1 - 1e-9:
        return f"An edge joins {pair} in every one of the {networks:,} networks that the data cannot rule out."
    return f"Of the {networks:,} networks that the data cannot rule out, those with an edge between {pair} have {percent(edge.present)} of the weight."  # noqa: E501


def _agreement(analysis: Analysis, edge: EdgeFinding) -> str:
    others = [(title, value) for title, value in edge.by_method[1:] if value is not None]
    if not others:
        return ""
    low, high = min(others, key=lambda item: item[1]), max(others, key=lambda item: item[1])
    # Cut-offs differ between methods; one half, more likely than not, means the same for all.
    same = all((value > HALF) == (edge.present > HALF) for _, value in others)
    if same:
        side = "above" if edge.present > HALF else "not above"
        span = f"{low[1]:.2f}" if round(low[1], 2) == round(high[1], 2) else f"{low[1]:.2f} to {high[1]:.2f}"
        who = {1: "The other combination", 2: "Both other combinations"}.get(
            len(others), f"All {len(others)} other combinations"
        )
        agree = "agrees" if len(others) == 1 else "agree"
        return f"{who} of method and score {agree} ({span}, {side} one half)."
    against = low if edge.present > HALF else high
    count = sum((value > HALF) != (edge.present > HALF) for _, value in others)
    return (
        f"Other methods disagree: {count} of {len(others)} put it on the other side of one half, most of all "
        f"{against[0]} with {against[1]:.2f}."
    )


def _direction(edge: EdgeFinding) -> str:
    if edge.fate == "dropped":
        return (
            f"It is above the cut-off, but {edge.tail} → {edge.head} would close a cycle of edges that are at least as "
            "certain, so the network leaves it out."
        )
    one_way, other_way = edge.forward / edge.present, edge.backward / edge.present
    free = edge.undirected / edge.present
    if free >= SETTLED:
        return f"Its direction cannot be told from data like these: in {percent(free)} of the weight it could be turned round without a change in fit."  # noqa: E501
    way = max(one_way, other_way)
    tail, head = (edge.first, edge.second) if one_way >= other_way else (edge.second, edge.first)
    if way >= SETTLED:
        return f"It points from {tail} to {head} with {percent(way)} of the weight."
    return (
        f"Its direction is open: {edge.first} → {edge.second} has {percent(one_way)} of the weight, "
        f"{edge.second} → {edge.first} {percent(other_way)}, and {percent(free)} could be either."
    )


def _effect(analysis: Analysis, edge: EdgeFinding) -> str:
    """Compare the two states of the tail that differ most, for the state of the head that they change most."""
    data = analysis.data
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


def _prior(edge: EdgeFinding) -> str:
    prior = edge.prior
    if prior is None:
        return ""
    given = f", given {', '.join(prior.given)}," if prior.given else ""
    favoured = prior.exact > 0
    lowest, highest = float(prior.ess[0]), float(prior.ess[-1])
    if favoured.all():
        words = (
            f"at every equivalent sample size from {lowest:g} to {highest:,.0f}: the choice of prior does not matter"
        )
    elif not favoured.any():
        words = f"at no equivalent sample size from {lowest:g} to {highest:,.0f}"
    else:
        words = " and ".join(_intervals(prior.sign_changes, bool(favoured[0]), bool(favoured[-1])))
        if bool(favoured[-1]) and prior.cause == "skewness":
            words += ", where not the data but the prior makes the edge: the two show no dependence"
    return f"BDeu{given} favours the arc {words}."


def _intervals(changes: tuple[float, ...], starts: bool, ends: bool) -> list[str]:
    """Say where a curve that changes sign at the given points is positive."""
    points = [f"{value:,.0f}" if value >= 10 else f"{value:.2g}" for value in changes]
    parts, position = [], 0
    if starts and points:
        parts.append(f"up to an equivalent sample size of {points[0]}")
        position = 1
    while position + 1 < len(points):
        parts.append(f"from {points[position]} to {points[position + 1]}")
        position += 2
    if ends and position < len(points):
        parts.append(f"from an equivalent sample size of {points[position]} on")
    return parts


def summary_sentences(analysis: Analysis) -> tuple[str, ...]:
    """Say in a few sentences what was found."""
    kept = [e for e in analysis.edges if e.fate in ("kept", "undirected")]
    n = analysis.data.n_variables
    pairs = n * (n - 1) // 2
    cut = analysis.threshold
    if not kept:
        first = f"None of the {pairs:,} pairs of variables has a confidence above {cut:.2g}: the data show no edge."
        return (first, *_closing(analysis))
    certain = [e for e in kept if e.present >= 0.95]
    directed = [e for e in kept if max(e.forward, e.backward) / e.present >= SETTLED]
    first = (
        f"Of {pairs:,} pairs of variables, {len(kept):,} are joined by an edge with a confidence above {cut:.2g}"
        + (f"; {len(certain):,} of them are at 0.95 or more." if cut < 0.9 else ".")
    )
    agreed = [e for e in kept if e.spread[0] > HALF]
    second = ""
    if len(kept[0].by_method) > 1:
        second = (
            f"Whichever of the {len(kept[0].by_method)} combinations of method and score is used, "
            f"{len(agreed):,} of the {len(kept):,} have a confidence above one half{_doubtful(kept)}."
        )
    open_ones = "; the others could be turned round, or the networks disagree" if len(directed) < len(kept) else ""
    third = (
        f"The data settle the direction of {len(directed):,} of the {len(kept):,} edges{open_ones}. A direction is not "
        "a "
        "cause: it says what independences the data show."
    )
    return tuple(s for s in (first, second, third, *_closing(analysis)) if s)


def _doubtful(kept: list[EdgeFinding]) -> str:
    """Name the edges that another method or score does not believe, the most doubtful first."""
    doubtful = sorted((e for e in kept if e.spread[0] <= HALF), key=lambda e: e.spread[0])
    if not doubtful:
        return ""
    listed = ", ".join(f"{e.tail} — {e.head}" for e in doubtful[:5])
    more = f" and {len(doubtful) - 5:,} more" if len(doubtful) > 5 else ""
    return f"; look twice at {listed}{more}"


def _closing(analysis: Analysis) -> tuple[str, ...]:
    dropped = analysis.consensus.dropped
    sentences = []
    for mark in analysis.thresholds.marks:
        facts = mark.threshold.details
        if mark.label == "Broom" and facts["p_value"] > CHANCE:
            sentences.append(
                "Beware: with this method and score, data whose columns were shuffled show "
                f"{facts['expected_by_chance']:.1f} edges on average, these data {facts['expected_edges']:.1f}. That "
                "is not more than chance: there is no dependence, or the score finds edges where there are none. Look "
                "at the other scores, and try --score bdeu or --score bic."
            )
    if dropped:
        listed = ", ".join(f"{e.tail} → {e.head}" for e in dropped[:5])
        sentences.append(
            f"{len(dropped)} edge{'s' if len(dropped) > 1 else ''} above the cut-off would close a cycle and "
            f"{'are' if len(dropped) > 1 else 'is'} left out of the network: {listed}."
        )
    return tuple(sentences)
