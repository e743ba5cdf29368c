"""Edges, constraints, odds and gaps in plain words: sentences for people who know neither BIC nor ESS."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from arcwise.base.showing import counted, first_few, listed, percent, plural, show_confidence, show_figure, show_range
from arcwise.confidence.consensus import Fate
from arcwise.data.impute import LEVEL, GapDependence, gap_dependences
from arcwise.findings.edge_picture import Boxes, EdgePicture
from arcwise.findings.edge_record import (
    FILLING,
    FREE_SHARE,
    NEARLY_ALL,
    USUAL_ESS,
    Agreement,
    BeliefTest,
    EdgeRecord,
    Origin,
    Support,
)
from arcwise.findings.price import ROUNDING, factor_words
from arcwise.findings.regression import EdgeRegression, Missed, Reason, Shape
from arcwise.findings.verdict import HALF, RIGHT_THOUGH_DISPUTED, Direction, Verdict
from arcwise.graph.beliefs import odds_text
from arcwise.graph.statements import StatementKind
from arcwise.report.blocks import Blocks, Bullets, bullets, gather, table
from arcwise.sampled.completions import BETWEEN, BURN_IN, CHAINS

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset
    from arcwise.findings.findings import Findings
    from arcwise.findings.price import ConstraintPrice
    from arcwise.graph.beliefs import Beliefs
    from arcwise.graph.constraints import Constraints
    from arcwise.priors.optima import EdgePrior


# What was believed before the data, in words: per edge, in a section of the report, and for the methods section.


# A difference of confidences that is worth a sentence about an edge without odds of its own.
NOTED_DIFFERENCE = 0.05
MEANING = (
    "Odds of 4 to 1 for an arc make a network with it 4 times as likely, before the data, as the same network without "
    "it. Odds of 1 say nothing. The data may overrule them: each confidence is shown with the odds and without any. "
    "Data and odds contradict each other where odds above 1 favour what the data alone give no more than one half. "
    "So do odds below 1 for what the data alone give more."
)


def beliefs_text(beliefs: Beliefs, n: int) -> str:
    """Return what was believed: "a → b: 4 to 1; a — c: 1 to 10; every other edge: 1 to 2"."""
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


def belief_sentence(edge: EdgeRecord) -> str:
    """Return what the prior odds did to an edge: always if it has odds of its own, else if they matter."""
    if edge.odds is None:
        return ""
    without = None if edge.without_odds is None else edge.without_odds.present
    if not edge.has_own_odds:
        if without is None or abs(without - edge.present) < NOTED_DIFFERENCE:
            return ""
        return f"Without your prior odds of other edges its confidence is {show_confidence(without)}."
    odds_text = f"You gave {_odds(edge, edge.odds)}"
    if edge.odds_decided or without is None:
        why = (
            f"that was {BeliefTest.DECIDED}" if edge.odds_decided else "what its confidence is without was not computed"
        )
        return f"{odds_text}; {why}."
    known = f"{odds_text}; without any prior odds its confidence is {show_confidence(without)}"
    if edge.belief_test is not BeliefTest.CONTRADICT:
        return f"{known}, and the data agree."
    return f"{known}: data and belief contradict each other, and {_winner(edge.present, without)}."


def _winner(present: float, without: float) -> str:
    return "the data prevail" if (present > HALF) == (without > HALF) else "your odds decide, not the data"


def _odds(edge: EdgeRecord, odds: tuple[float, float]) -> str:
    forward, backward = map(odds_text, odds)
    if odds[0] == odds[1]:
        return f"this edge prior odds of {forward}"
    return f"it prior odds of {edge.first} → {edge.second} {forward} and {edge.second} → {edge.first} {backward}"


def belief_blocks(analysis: Findings) -> Blocks:
    """Return the section about what was believed: each statement with the confidence with and without."""
    beliefs, data = analysis.options.beliefs, analysis.data
    if beliefs is None:
        return ()
    first = f"Your belief before the data: {beliefs_text(beliefs, data.n_variables)}. {MEANING}"
    without = analysis.without_beliefs
    if without is None or without.confidence is None:
        return gather(first)
    pairs = _pairs(beliefs, data)
    rows = [_row(analysis, *pair) for pair in pairs]
    contradicted = contradictions(analysis)
    tested = sum(analysis.belief(*pair).belief_test is not BeliefTest.DECIDED for pair in pairs)
    expected = [float(item.vector.sum()) for item in (without.confidence, analysis.confidence)]
    summary = f"On average a network has {expected[0]:.1f} edges without the odds, and {expected[1]:.1f} with them."
    if tested:
        which = _of_all(len(contradicted), tested) if contradicted else "Nothing that was believed is"
        summary += f" {which} contradicted by the data."
    if tested < len(rows):
        few = len(rows) - tested
        summary += f" {few} {plural(few, 'more was', 'more were')} not tested: your constraints decide."
    listed = table(
        "The pairs with odds of their own, and the confidence in their edge.",
        ("pair", "prior odds", ("confidence without", 3), ("confidence with", 3), "the data"),
        rows,
    )
    return gather(first, summary, listed if rows else None)


def _of_all(count: int, total: int) -> str:
    if total == 1:
        return "The pair with odds of its own is"
    return f"{count} of the {total} pairs with odds of their own {plural(count, 'is', 'are')}"


def contradictions(analysis: Findings) -> list[tuple[str, str]]:
    """Return the pairs about which data and belief contradict each other."""
    beliefs, without = analysis.options.beliefs, analysis.without_beliefs
    if beliefs is None or without is None:
        return []
    return [
        pair for pair in _pairs(beliefs, analysis.data) if analysis.belief(*pair).belief_test is BeliefTest.CONTRADICT
    ]


def contradiction_sentence(analysis: Findings) -> str:
    """Return in the summary about which pairs data and belief contradict each other; empty if about none."""
    found = contradictions(analysis)
    names = first_few([f"{a} — {b}" for a, b in found], 5)
    return f"Data and prior odds contradict each other about {names}." if found else ""


def _pairs(beliefs: Beliefs, data: Dataset) -> list[tuple[str, str]]:
    """Return the pairs with odds of their own, each once, in the order of the data."""
    pairs = {tuple(sorted((a, b), key=data.index)) for a, b, _ in (*beliefs.arcs, *beliefs.edges)}
    return [(a, b) for a, b in sorted(pairs, key=lambda pair: (data.index(pair[0]), data.index(pair[1])))]


def _row(analysis: Findings, first: str, second: str) -> tuple[str | float, ...]:
    edge = analysis.belief(first, second)
    assert edge.odds is not None
    assert edge.without_odds is not None
    forward, backward = map(odds_text, edge.odds)
    odds = forward if edge.odds[0] == edge.odds[1] else f"{first} → {second} {forward}; {second} → {first} {backward}"
    present, without = analysis.confidence.pair(first, second).present, edge.without_odds.present
    verdict = {BeliefTest.AGREE: "agree", BeliefTest.DECIDED: str(BeliefTest.DECIDED)}.get(
        edge.belief_test, f"contradict it; {_winner(present, without)}"
    )
    return f"{first} — {second}", odds, without, present, verdict


# What an analyst said, in words: as a list, as the origin of single edges, and what it cost.


# Confidences that are further apart with and without the constraints are worth a sentence.
CHANGED_BY = 0.1
# A list names at most this many statements.
MOST_LISTED = 40
# A sentence names at most this many edges.
MOST_NAMED = 5
# Beyond, a difference of log scores is no factor that people can imagine.
LARGEST_LOG_FACTOR = math.log(1e6)


def constraints_text(constraints: Constraints) -> str:
    """Return what every network had to satisfy: "a → b is required; the tiers are a, b | c"."""
    texts = [statement.text() for statement in constraints.statements]
    more = f"; and {len(texts) - MOST_LISTED:,} more" if len(texts) > MOST_LISTED else ""
    return "; ".join(texts[:MOST_LISTED]) + more or "none"


def origin_sentences(edge: EdgeRecord) -> tuple[str, ...]:
    """Return what of an edge is the analyst's own word, and what the data would say without it."""
    origin, pair, without = edge.origin, f"{edge.first} and {edge.second}", edge.without
    alone = "" if without is None else f" {_alone(edge, without)}"
    if origin is Origin.REQUIRED:
        if all(statement.kind is StatementKind.ANCESTOR for statement in edge.statements):
            asked = "; ".join(statement.text() for statement in edge.statements)
            return (
                f"{edge.tail} → {edge.head} is below the cut-off. It is there because it lies on the most credible of "
                f"the paths that you asked for: {asked}.{alone}",
            )
        return (f"You required {edge.tail} → {edge.head}: every network has it, whatever the data say.{alone}",)
    if origin is Origin.FORBIDDEN:
        return (f"You forbade an edge between {pair} ({edge.sources}): no network has it.{alone}",)
    if origin in (Origin.APPEARS, Origin.GONE) and without is not None:
        changed = "there" if origin is Origin.APPEARS else "gone"
        return (f"The edge between {pair} is {changed} because of what you said about other edges.{alone}",)
    return (alone.strip(),) if without is not None and abs(without.present - edge.present) > CHANGED_BY else ()


def _alone(edge: EdgeRecord, without: EdgeRecord) -> str:
    would = "would have" if edge.kept_without else "would not have"
    odds = "" if edge.odds is None else " and prior odds"
    return f"Without your constraints{odds} the network {would} it (probability {show_confidence(without.real, 2)})."


def direction_said(edge: EdgeRecord) -> str:
    """Return whose word a direction is, if the analyst's or what follows from it, and what the data say; else ""."""
    way = f"Its direction, {edge.tail} → {edge.head},"
    if edge.origin is Origin.FOLLOWS:
        return _follows(edge, way)
    if edge.origin is Origin.BELIEVED:
        return _believed(edge, way)
    if edge.origin is Origin.EXPERIMENT:
        return (
            f"{way} comes from {edge.sources}: {percent(edge.way)} of these networks point this way. Observations "
            "alone would not tell."
        )
    if edge.origin is not Origin.DIRECTED:
        return ""
    without = edge.without
    if without is not None and edge.is_settled_by_data:
        same = percent(without.split[0 if edge.is_ahead else 1])
        return f"{way} comes from {edge.sources}, and the data alone would settle it, too ({same})."
    text = f"{way} comes from {edge.sources}, not from the data."
    return text if without is None or without.present <= 0 else f"{text} {_ways_alone(edge, without)}"


def _follows(edge: EdgeRecord, way: str) -> str:
    """Return the message that a direction follows from what was said, in how many networks; what the data alone say."""
    forward, backward, _ = edge.split
    same, other = (forward, backward) if edge.is_ahead else (backward, forward)
    against = f"; {percent(other)} point the other way" if other > 0 and same < NEARLY_ALL else ""
    text = f"{way} follows from what you said: {percent(same)} of these networks point this way{against}."
    without = edge.without
    if without is None or without.present <= 0:
        return text
    alone, free = without.split[0 if edge.is_ahead else 1], without.split[2]
    return f"{text} By the data alone {percent(alone)} would; {percent(free)} fit either way."


def _believed(edge: EdgeRecord, way: str) -> str:
    text = f"{way} is what your odds say, not the data: {percent(edge.way)} of these networks point this way."
    alone = edge.without_odds
    if alone is None or alone.present <= 0:
        return text
    same = alone.forward if edge.is_ahead else alone.backward
    free = percent(alone.undirected / alone.present)
    return f"{text} Without any odds {percent(same / alone.present)} would; {free} fit either way."


def _ways_alone(edge: EdgeRecord, without: EdgeRecord) -> str:
    forward, backward, free = without.split
    ahead = edge.is_ahead
    same, other = (forward, backward) if ahead else (backward, forward)
    if free >= FREE_SHARE:
        return "The data alone would not tell."
    if without.settles(ahead=ahead):
        return f"The data alone would say the same ({percent(same)})."
    if without.settles(ahead=not ahead):
        return f"The data alone would point it the other way ({percent(other)})."
    return "The data alone do not settle it."


def constraint_summary(analysis: Findings) -> tuple[str, ...]:
    """Return in a few sentences what of the result is the analyst's own word, and what it cost."""
    if analysis.constraints is None:
        return ()
    required = sum(edge.origin is Origin.REQUIRED and edge.fate.in_network for edge in analysis.edges)
    missed = [edge for edge in analysis.edges if edge.origin is Origin.FORBIDDEN and edge.kept_without]
    sentences = [f"{counted(required, 'edge is', 'edges are')} there because you said so."] if required else []
    sentences += _changes(analysis)
    if missed:
        noun = "an edge" if len(missed) == 1 else f"{len(missed):,} edges"
        names = first_few([f"{e.first} — {e.second} ({_value(e)})" for e in missed], MOST_NAMED)
        sentences.append(f"You forbade {noun} that the data would have: {names}.")
    if analysis.price is not None and not _is_contradicted(analysis.price):
        sentences.append(_price_sentence(analysis.price))
    return tuple(sentences)


def contradicted_sentence(analysis: Findings) -> str:
    """Return that the data contradict what the analyst said, which the first lines say; else ""."""
    price = analysis.price
    return _price_sentence(price) if price is not None and _is_contradicted(price) else ""


def _is_contradicted(price: ConstraintPrice) -> bool:
    return price.cost > ROUNDING and not (price.is_factor and math.exp(min(price.cost, LARGEST_LOG_FACTOR)) < STRONG)


def _changes(analysis: Findings) -> list[str]:
    sentences = []
    for kind, changed in ((Origin.APPEARS, "there"), (Origin.GONE, "gone")):
        there = kind is Origin.APPEARS
        edges = [edge for edge in analysis.edges if edge.origin is kind and edge.fate.in_network is there]
        if edges:
            names = [f"{e.first} — {e.second} ({show_confidence(e.real, 2)}, without it {_value(e)})" for e in edges]
            noun = counted(len(edges), "edge is", "edges are")
            sentences.append(f"Only because of what you said, {noun} {changed}: {first_few(names, MOST_NAMED)}.")
    return sentences


def _value(edge: EdgeRecord) -> str:
    return "" if edge.without is None else show_confidence(edge.without.real, 2)


# From this Bayes factor on, evidence is called strong (Kass and Raftery 1995). Less says nothing here: the best of all
# networks always fits a little better than the best of some.
STRONG = 20


def _price_sentence(price: ConstraintPrice) -> str:
    how = "" if price.exact else ", as far as a local search can tell"
    one = len(price.parts) + len(price.unpriced) == 1
    yours, without = ("your constraint", "without it") if one else ("your constraints", "without them")
    if price.cost <= ROUNDING:
        costs, them = plural(one, "costs", "cost"), "it" if one else "them"
        return f"{yours[0].upper()}{yours[1:]} {costs} nothing: the best network satisfies {them}{how}."
    times = math.exp(min(price.cost, LARGEST_LOG_FACTOR))
    if not price.is_factor or price.cost > LARGEST_LOG_FACTOR:
        against = f"{without}, the best network scores {price.cost:,.1f} more"
    else:
        against = f"{without}, the best network fits {times:,.{1 if times < 10 else 0}f} times better"
    if not _is_contradicted(price):
        return f"{yours[0].upper()}{yours[1:]} {plural(one, 'costs', 'cost')} little: {against}{how}."
    degree = "strongly" if price.is_factor else ""
    dearest = price.binding[:1]
    most = f" Most of all, they object to {dearest[0].statement.objection}." if dearest and not one else ""
    sure = f"Are you sure of {'it' if one else 'them'}? Then a common cause may be missing from the table."
    return f"The data {degree} contradict {yours}: {against}{how}.{most} {sure}".replace("  ", " ")


def price_methods(analysis: Findings) -> str:
    """Return the sentence of a methods section on what the constraints did; "" if that is not known."""
    price = analysis.price
    if price is None:
        return ""
    how = "exact optima" if price.exact else "local optima"
    factor = f", {factor_words(price.cost, is_factor=True)}" if price.is_factor and price.cost > ROUNDING else ""
    odds = ", prior odds left out" if analysis.options.beliefs is not None else ""
    return (
        f"They lowered the log score of the best network by {price.cost:.1f}{factor} (difference of {how} with and "
        f"without them{odds})."
    )


def constraint_blocks(analysis: Findings) -> Blocks:
    """Return the section on what was said: the list, the edges that it made, and its price."""
    known, price = analysis.constraints, analysis.price
    if known is None:
        return ()
    texts, more = [statement.text() for statement in known.statements], len(known.statements) - MOST_LISTED
    rows = [
        (edge.name, edge.origin_label, edge.real, None if edge.without is None else edge.without.real)
        for edge in analysis.edges
        if edge.origin.is_constrained
    ]
    yours = "your constraints" + (" and prior odds" if analysis.options.beliefs is not None else "")
    edges = table(
        "Edges that are there, point where they do, or are missing because of what you said. The last column "
        f"is the probability by the same method and score without {yours}.",
        ("edge", "origin", ("probability", 2), (f"without {yours}", 2)),
        rows,
    )
    return gather(
        "You said what every network must satisfy. What follows from it is not a finding of the data:",
        Bullets(tuple(texts[:MOST_LISTED])),
        f"And {more:,} more; run.json has them all." if more > 0 else "",
        edges if rows else None,
        None if price is None else _price_blocks(price),
    )


def _price_blocks(price: ConstraintPrice) -> Blocks:
    sentence = _price_sentence(price)
    if not price.binding:
        alone = "No single one costs anything by itself: dropped alone, the others would still say the same."
        return gather(sentence, alone if price.cost > ROUNDING else "")
    costs = table(
        "What each constraint that binds costs: the log score that dropping it alone would regain. These need "
        "not add up.",
        ("constraint", ("price", 2)),
        ((part.statement.text(), part.cost) for part in price.binding),
    )
    return gather(sentence, Bullets(price.sentences), costs)


# Which gaps depend on which observed values, in words: for the audit and for the report.


# Dependences of gaps that are listed.
MOST_ROWS = 12


def dependence_blocks(clear: Sequence[GapDependence], tests: int | None = None) -> Blocks:
    """Return what the tests found; `tests` is their number, if it is known."""
    if not clear:
        which = "no test" if tests is None else f"none of {tests:,} tests"
        return gather(
            f"Nothing shows that gaps depend on observed values: {which} is significant at {LEVEL:g} "
            "(likelihood-ratio tests, Holm's correction)."
        )
    pairs = "pair" if len(clear) == 1 and tests is None else "pairs"
    among = "" if tests is None else f" of {tests:,}"
    return gather(
        f"Gaps are not completely at random: in {len(clear):,}{among} {pairs} they depend on an observed variable. "
        "Complete rows alone would be a biased sample. Completions allow for it, if values are missing at random given "
        "what is observed.",
        table(
            "Gaps that depend on observed values, the clearest first (likelihood-ratio tests, Holm's correction).",
            ("gaps of", "depend on", ("p", 4), "fewest where it is", ("share", 3), "most where it is", ("share", 3)),
            ((t.variable, t.on, t.p_value, t.least, t.least_share, t.most, t.most_share) for t in clear[:MOST_ROWS]),
        ),
    )


# What a report says about missing values: what was done, what it assumes, and what it means for each edge.


def filling_sentence(edge: EdgeRecord) -> str:
    """Return how much of an edge's data was filled in, and what that does to its confidence."""
    if edge.share_filled <= 0:
        return ""
    share = f"In {percent(edge.share_filled)} of the rows one of the two values was missing"
    if edge.between_completions is None:
        return f"{share}; each network was learned from its own completion."
    if edge.between_completions < FILLING:
        return f"{share}; what fills them hardly matters (±{edge.between_completions:.2f})."
    return f"{share}. What fills them matters: the confidence varies by ±{edge.between_completions:.2f} with it."


def completion_summary(analysis: Findings) -> str:
    """Return how the completions came about; nothing without gaps."""
    gaps, confidence = analysis.gaps, analysis.confidence
    if gaps is None:
        return ""
    law = "a network, its parameters," if analysis.mixed is None else "the means and covariances of all columns"
    how = (
        f"Completions are drawn, not guessed: in turns {law} and the missing values given the observed ones of each "
        f"row. {CHAINS} chains run from different starts, after {BURN_IN} steps to forget these."
    )
    if confidence.spread is None:
        return f"Each network was learned from a sample of the rows with their gaps, which was completed anew. {how}"
    worst = float(confidence.spread.max())
    steady = (
        ""
        if confidence.standard_error.max() < FILLING
        else (" Some confidences still move from completion to completion: ask for more with --completions.")
    )
    return (
        f"There were gaps, so all of this was done for {confidence.completions:,} completions of the data. Confidences "
        f"are averages over them, numbers of networks are sums. {how} Between completions a confidence varies by "
        f"±{worst:.2f} at most.{steady}"
    )


def completion_methods(analysis: Findings) -> str:
    """Return the sentences of a methods section; nothing without gaps."""
    gaps, confidence = analysis.gaps, analysis.confidence
    if gaps is None:
        return ""
    if confidence.spread is None:
        what = "Each bootstrap sample was drawn with its gaps and completed anew."
    else:
        what = (
            f"The data were completed {confidence.completions:,} times, networks were learned from each completion, "
            "and confidences were averaged over the completions."
        )
    drawn = (
        "a network by Metropolis steps under BDeu, its parameters from their Dirichlet posterior, and then the missing "
        "values of each row jointly, by exact inference. BDeu had equivalent sample size 1 and at most 3 parents, and "
        "compared arcs over rows with both ends observed"
        if analysis.mixed is None
        else "means and covariances of all columns, and missing values given these and the rest of the row"
    )
    return (
        f"{percent(gaps.share_of_cells)} of the values were missing and were assumed to be missing at random. {what} "
        f"Completions were drawn by data augmentation (Tanner & Wong, 1987): {drawn}. There were {CHAINS} chains, with "
        f"{BURN_IN} steps of burn-in and {BETWEEN} steps between completions."
    )


def gap_blocks(analysis: Findings) -> Blocks:
    """Return what the section on the data says about gaps: how many, the assumption, and what the check found."""
    gaps = analysis.gaps
    if gaps is None:
        return ()
    shares = dict(zip(gaps.names, gaps.shares_missing.tolist(), strict=True))
    tests = gap_dependences(gaps)
    return gather(
        f"{percent(gaps.share_of_cells)} of the values are missing; {percent(gaps.share_of_complete_cases)} of the "
        "rows are complete. Averages over completions are right if values are missing at random. Then whether a value "
        "is missing depends on observed values only, not on the missing value itself. Data cannot show whether that "
        "holds; who collected them may know.",
        table(
            "Missing values by variable.",
            ("variable", ("share missing", 3)),
            ((name, shares[name]) for name in sorted(shares, key=lambda name: -shares[name]) if shares[name]),
        ),
        dependence_blocks([test for test in tests if test.is_clear], len(tests)),
    )


# What the strength of the prior does to the edges, in plain words: for people who have never heard of an ESS.
#
# BDeu starts as if it had seen some imagined cases, spread evenly over all combinations of states. How many they count
# for is the equivalent sample size; here it is called the strength of the prior.


MOST_LISTED_OF_PRIOR = 6  # of a sentence


def prior_sentence(edge: EdgeRecord) -> str:
    """Return whether an edge depends on the strength of the prior, what that means, and what to do."""
    prior = edge.prior
    if prior is None:
        return ""
    support, skewed = edge.prior_support, ""
    if prior.exact[-1] > 0 and prior.cause == "skewness":
        skewed = " A strong prior supports it only because some states are rare: it is no dependence of the two."
    beside = f", given {listed(prior.given)}," if prior.given else ""
    supports = f"BDeu supports {edge.tail} → {edge.head}{beside}"
    few = f"{USUAL_ESS[0]:g} to {USUAL_ESS[1]:g}"
    if support is Support.ALWAYS:
        return f"It does not depend on the prior: {supports} at any strength."
    if support is Support.USUAL:
        return f"It does not depend on the prior: {supports} at every usual strength ({few} imaginary rows)."
    where = _where(prior)
    if support is Support.NEVER:
        only = f"only {where} ({few} are usual)" if where else "at no strength of the prior"
        return f"Take care: {supports} {only}.{skewed}"
    return f"It depends on the prior: {supports} only {where} ({few} are usual). Say so when you report it.{skewed}"


def _where(prior: EdgePrior) -> str:
    """Return at which strengths the edge is supported: "if the prior counts for at least 5.1 imagined cases"."""
    ends = [float(prior.ess[0]), *prior.sign_changes, float(prior.ess[-1])]
    parts = []
    for number, (low, high) in enumerate(pairwise(ends)):
        if not (prior.exact[(prior.ess >= low) & (prior.ess <= high)] > 0).any():
            continue
        if number == 0:
            parts.append(f"for less than {_cases(high)}")
        elif number == len(ends) - 2:
            parts.append(f"for at least {_cases(low)}")
        else:
            parts.append(f"for {_number(low)} to {_cases(high)}")
    return f"if the prior counts {' or '.join(parts)}" if parts else ""


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _cases(value: float) -> str:
    text = _number(value)
    return f"{text} imaginary row{'' if text == '1' else 's'}"


def prior_blocks(analysis: Findings) -> Blocks:
    """Return what the prior is, which edges depend on its strength, how far it moves the score, and what to do."""
    checks = analysis.prior
    s = checks.sensitivity
    usual = f"{USUAL_ESS[0]:g} to {USUAL_ESS[1]:g}"
    own = "ess" in analysis.main.recipe.score
    title = analysis.main.recipe.score_title
    uses = (
        f"The probabilities above come from {title}."
        if own
        else f"The probabilities above come from {title}, which has no such setting. So the check uses BDeu, which has."
    )
    meaning = (
        "What the prior is: BDeu starts as if it had already seen some imaginary rows, spread evenly over all "
        "combinations of states. How many these count for is the strength of the prior (equivalent sample size, ESS): "
        f"{usual} as a rule, against the {analysis.data.n_effective:,} real rows here. An edge that BDeu supports at "
        f"every strength rests on the data. One that comes and goes with it rests on that choice, too. {uses}"
    )
    kept = [edge for edge in analysis.edges if edge.fate.in_network and edge.prior is not None]
    strength = "little" if s.relative < 0.01 else "somewhat" if s.relative < 0.05 else "much"
    text = (
        f"For the network as a whole the prior matters {strength}. If half of the imaginary rows may lie anywhere, its "
        f"log score is between {s.lower:,.1f} and {s.upper:,.1f}, a range of {s.relative:.2%} (Scanagatta et al. 2014)."
    )
    if s.value > 0:
        worst = np.argsort(-s.by_node, kind="stable")[:3]
        shares = ", ".join(f"{s.names[v]} ({s.by_node[v] / s.value:.0%})" for v in worst)
        text += f" Most of that range comes from {shares}."
    formula = ""
    if checks.alpha_star is not None:
        formula = (
            f"The probability tables use a strength of {s.ess:g}. For this network, a formula of Steck's (2008) "
            f"suggests {_number(checks.alpha_star)}. Try it if an edge that you care about depends on it (--score bdeu "
            f"--ess {_number(checks.alpha_star).replace(',', '')})."
        )
    return gather(meaning, _by_support(kept) if kept else None, text, formula)


def _by_support(kept: list[EdgeRecord]) -> Blocks:
    """Count the edges that do not depend on the strength of the prior, and list those that do."""
    groups = {support: [edge for edge in kept if edge.prior_support is support] for support in Support}
    firm = len(groups[Support.ALWAYS]) + len(groups[Support.USUAL])
    all_of = {1: "the edge", 2: "both edges"}.get(len(kept), f"all {len(kept):,} edges")
    if firm == len(kept):
        return gather(f"Here BDeu supports {all_of} of the network at every usual strength of the prior.")
    count = f"{firm:,} of the {len(kept):,} edges of the network" if firm else "none of the edges of the network"
    depend, never = _by_strength(groups[Support.DEPENDS]), _by_strength(groups[Support.NEVER])
    items = [f"These depend on it: {depend}. Report them as such, or collect more rows."] if depend else []
    items += [f"These BDeu supports at no usual strength: {never}. Treat them with care."] if never else []
    return gather(f"Here BDeu supports {count} at every usual strength of the prior.", bullets(items))


def _by_strength(edges: list[EdgeRecord]) -> str:
    parts = []
    for edge in edges:
        where = "" if edge.prior is None else _where(edge.prior).removeprefix("if the prior counts ")
        parts.append(f"{edge.tail} → {edge.head}" + (f" ({where})" if where else ""))
    return first_few(parts, MOST_LISTED_OF_PRIOR, "; ")


# About an edge that is less likely, and not in the network, there is little to explain.
UNLIKELY = 0.1
NOT_UNRELATED = "Without an edge, two variables can still be related, through others."
INTERVAL = re.compile(r"\(([-+.\de]+|-inf),([-+.\de]+|inf)[\])]")
# A whole number that was read as 1.0, and the digits that binary numbers add to decimals: 8.899999618530273.
WHOLE = re.compile(r"([-+]?\d+)\.0+")
LONG = re.compile(r"[-+]?\d+\.\d{9,}")


def state_label(state: str) -> str:
    """Return an interval or a number as people write it, and any other state as it is.

    >>> state_label("(-inf,2.45]"), state_label("(2.45,4.75]"), state_label("(4.75,inf)"), state_label("yes")
    ('≤ 2.45', '2.45 to 4.75', '> 4.75', 'yes')
    >>> state_label("1.0"), state_label("8.899999618530273")
    ('1', '8.9')
    """
    match = INTERVAL.fullmatch(state)
    if match is None:
        whole = WHOLE.fullmatch(state)
        return whole[1] if whole else f"{float(state):.6g}" if LONG.fullmatch(state) else state
    low, high = match.groups()
    if low == "-inf":
        return f"≤ {high}"
    return f"> {low}" if high == "inf" else f"{low} to {high}"


def state_labels(states: Sequence[str]) -> tuple[str, ...]:
    """Return all states of a variable as people write them; bins also by their place.

    >>> state_labels(("(-inf,31]", "(31,44]", "(44,inf)")), state_labels(("no", "yes"))
    (('low (≤ 31)', 'middle (31 to 44)', 'high (> 44)'), ('no', 'yes'))
    """
    labels = tuple(map(state_label, states))
    if not 2 <= len(states) <= 3 or not all(map(INTERVAL.fullmatch, states)):
        return labels
    places = ("low", "middle", "high") if len(states) == 3 else ("low", "high")
    return tuple(f"{place} ({label})" for place, label in zip(places, labels, strict=True))


def statement(variable: str, state: str) -> str:
    """Return "smoking = yes", or for an interval "age > 40"."""
    label = state_label(state)
    if label[:1] in "<>≤≥" and len(label) > 1:
        return f"{variable} {label}"
    return f"{variable} from {label}" if INTERVAL.fullmatch(state) else f"{variable} = {label}"


def edge_pictures(analysis: Findings) -> tuple[EdgePicture | None, ...]:
    """Return the picture of each edge that has one, with states as people write them."""
    return tuple(
        replace(picture, states=tuple(map(state_label, picture.states))) if isinstance(picture, Boxes) else picture
        for picture in analysis.pictures
    )


def explain_edge(analysis: Findings, edge: EdgeRecord) -> str:
    """Return the sentences about one edge as one text."""
    return " ".join(edge_sentences(analysis, edge))


def edge_sentences(analysis: Findings, edge: EdgeRecord) -> tuple[str, ...]:
    """Return how far an edge can be trusted: presence, agreement, direction, effect, prior."""
    origin = origin_sentences(edge)
    if edge.origin.is_decided:  # neither the networks nor other methods have a say in it
        known = () if edge.present <= 0 else (effect_sentence(analysis.data, edge), prior_sentence(edge))
        return tuple(s for s in (*origin, *known) if s)
    if edge.present < UNLIKELY and edge.fate is Fate.BELOW:
        shown = effect_sentence(analysis.data, edge) if edge.missed is not None else ""
        unlikely = (
            _presence(analysis, edge),
            *origin,
            belief_sentence(edge),
            _agreement(edge),
            *set_sentences(analysis.edges, edge.one_of and (edge.one_of,)),
            shown,
            NOT_UNRELATED,
        )
        return tuple(s for s in unlikely if s)
    sentences = (
        _presence(analysis, edge),
        _probability(analysis, edge),
        *origin,
        belief_sentence(edge),
        filling_sentence(edge),
        _agreement(edge),
        *set_sentences(analysis.edges, edge.one_of and (edge.one_of,)),
        _which_way(analysis, edge),
        effect_sentence(analysis.data, edge),
        prior_sentence(edge),
    )
    return tuple(sentence for sentence in sentences if sentence)


def _which_way(analysis: Findings, edge: EdgeRecord) -> str:
    """Return whose word the direction is, or how far the data tell it; of no edge, only what is decided."""
    if edge.fate is Fate.BELOW and edge.origin is Origin.DIRECTED:
        return f"If there is an edge, its direction, {edge.tail} → {edge.head}, comes from {edge.sources}."
    if edge.fate.in_network and (whose := direction_said(edge)):
        return whose
    return "" if analysis.has_few_networks else _direction(analysis, edge)


def _presence(analysis: Findings, edge: EdgeRecord) -> str:
    pair = f"{edge.first} and {edge.second}"
    networks = analysis.confidence.n_networks
    source = analysis.main.recipe.source_facts
    if source.is_sample and networks == 1:
        has = "An edge" if edge.present > 0 else "No edge"
        return f"{has} joins {pair} in the one network that was learned: how far to trust that is not known."
    if source.is_sample:
        count = round(edge.present * networks)
        error = f" (±{2 * edge.standard_error:.2f})" if edge.standard_error > 0 else ""
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


def _probability(analysis: Findings, edge: EdgeRecord) -> str:
    """Return how often an edge like this one is real, where that was studied."""
    known = analysis.probability.calibration
    if edge.probability is None or known.kind == "none" or known.doubt:  # a warning says what the doubt is
        return ""
    text = f"{percent(edge.probability.edge)} of such edges are real where the truth is known."
    return f"By this method alone, {text}" if edge.agreement is Agreement.DISAGREE else text[0].upper() + text[1:]


def _agreement(edge: EdgeRecord) -> str:
    """Return whether other methods and scores say the same, and what it means if they do not."""
    others = list(edge.others.items())
    if not others or edge.agreement is Agreement.TOO_FEW:
        return ""
    low, high = min(others, key=lambda item: item[1]), max(others, key=lambda item: item[1])
    span = show_range(low[1], high[1])
    who = {1: "The other method", 2: "Both other methods"}.get(len(others), f"All {len(others)} other methods")
    likely = edge.present > HALF
    if edge.agreement is Agreement.AGREE:
        return f"{who} {plural(len(others), 'agrees', 'agree')} (confidence {span})."
    if edge.agreement is Agreement.DIFFER:
        find, what = plural(len(others), "finds", "find"), "likely" if likely else "unlikely"
        clearer = all(abs(value - HALF) >= abs(edge.present - HALF) for _, value in others)
        how = "even more clearly" if clearer else "but less clearly" if len(others) == 1 else "but not all as clearly"
        return f"{who} {find} it {what} too, {how} (confidence {span}). Report the range."
    against = low if likely else high
    count = sum((value > HALF) != likely for _, value in others)
    which = f"{count} of the {len(others)} others" if len(others) > 1 else "the other one"
    finds = plural(count, "does not find", "do not find") if likely else plural(count, "finds", "find")
    how = "least" if likely else "most"
    return (
        f"Methods disagree: {which} {finds} it likely, {how} of all the {against[0]} "
        f"({show_confidence(against[1], 2)}). {_despite(edge)}"
    )


def _despite(edge: EdgeRecord) -> str:
    """Return what it means for an edge that methods disagree: less, if it is very probable."""
    if edge.verdict is not Verdict.PROBABLY:
        return "So the data do not settle whether there is an edge."
    right, total = RIGHT_THOUGH_DISPUTED
    return f"Of edges as probable as this, {percent(right / total)} were real all the same. Report the range."


def _direction(analysis: Findings, edge: EdgeRecord) -> str:
    if edge.fate is Fate.DROPPED:
        return (
            f"It is above the cut-off, but {edge.tail} → {edge.head} would close a cycle of surer edges, so the "
            "network leaves it out."
        )
    if edge.fate.is_left_out:
        return f"It is above the cut-off, but {edge.fate.reason}, so the network leaves it out."
    weighted = "" if analysis.main.recipe.source_facts.is_sample else ", weighted"
    one_way, other_way, free = edge.split
    if free >= FREE_SHARE:
        return f"Its direction is unknown: {percent(free)} of the networks with this edge fit either way{weighted}."
    tail, head = edge.likelier if edge.direction is Direction.UNKNOWN else (edge.tail, edge.head)
    way, back = (one_way, other_way) if tail == edge.first else (other_way, one_way)
    right = None if edge.is_withheld or edge.lacks_reason else edge.way_probability
    shares = [f"{tail} → {head} in {percent(way)} of the networks with this edge{weighted}"]
    shares += [f"{head} → {tail} in {percent(back)}"] if percent(back) != percent(0) else []
    uncompelled = "no third variable compels it as probably"
    doubt = edge.withheld if edge.is_withheld else uncompelled if edge.lacks_reason else ""
    why = f", not settled, because {doubt}" if doubt else ""
    text = f"Its direction is {edge.direction}{why}: {' and '.join(shares)}"
    text += f"; {percent(free)} fit either way" if percent(free) != percent(0) else ""
    if right is None or edge.direction is Direction.UNKNOWN:
        return f"{text}."
    return f"{text}. Of such directions, {percent(right)} are right."


# States of a category that a sentence compares.
MOST_COMPARED = 4


def regression_sentence(regression: EdgeRegression) -> str:
    """Return what a linear regression says, in units: a check that any reader knows."""
    y, x, held = regression.outcome, regression.of, ""
    if regression.given:
        held = f" with {first_few(list(regression.given), MOST_COMPARED)} held fixed,"
    figures = f"partial correlation {regression.partial:.2f}"
    if len(regression.compared) > 2:
        degrees = f"{len(regression.compared) - 1} and {regression.freedom:,.0f}"
        figures = f"F = {regression.f:.3g} on {degrees} degrees of freedom, {figures}"
    else:
        figures = f"t = {regression.t:.3g}, {figures}"
    if not regression.compared:
        what = f"{_change(regression.slope)} with 1 more of {x}"
    else:
        base, *others = (statement(x, state) for state in regression.compared)
        shifts = [f"{_change(by)} with {state}" for state, by in zip(others, regression.shifts, strict=True)]
        what = f"{first_few(shifts, MOST_COMPARED)} than with {base}"
    told = f"In a linear regression,{held} the mean of {y} is {what} ({figures})."
    direct = " That is the direct part; `effect` has the whole." if regression.given and not regression.compared else ""
    return f"{told}{direct}{_shape_words(regression)}"


def _shape_words(regression: EdgeRegression) -> str:
    """Return what shows the dependence beside the slope, or in its place."""
    y, x, (first, second) = regression.outcome, regression.of, regression.figures
    match regression.shape:
        case Shape.LINE:
            return ""
        case Shape.CURVE:
            text = f"a curve explains {percent(second)} of the variance, the line {percent(first)}"
            return f" It is no straight line: {text}."
        case Shape.TURNED:
            text = f"{y} explains {percent(second)} of the variance of {x} by a curve, and {percent(first)} by a line"
            return f" No slope shows the edge, but a curve does: {text}."
        case Shape.SPREAD:
            text = f"the spread of {y} differs by {x} (F of its squares = {first:.3g})"
            return f" The means do not show the edge; {text}."
        case Shape.RANKS:
            text = f"which no single rows far away decide (F = {first**2:.3g}, partial correlation {second:.2f})"
            return f" Ranks show the edge, {text}."
        case Shape.NOTHING:
            return (
                " Neither a slope nor a curve nor ranks show it beside what is held fixed: networks that have it leave "
                "some of that out."
            )


def _change(by: float) -> str:
    return f"{show_figure(abs(by), signed=False)} {'lower' if by < 0 else 'higher'}"


def effect_sentence(data: Dataset, edge: EdgeRecord) -> str:
    """Return the regression of an edge at a number, as it is; else compare two states.

    These are the two states of the tail that differ most, for the state of the head that they change most.
    """
    missed = f" {missed_sentence(edge)}" if edge.missed is not None else ""
    if edge.regression is not None and edge.regression.outcome:
        return regression_sentence(edge.regression) + missed
    return _compared_states(data, edge) + missed


def missed_sentence(edge: EdgeRecord) -> str:
    """Return why there is no edge where a regression on all other columns shows one."""
    missed = edge.missed
    assert missed is not None
    return f"A regression on all other columns shows the two (t = {missed.t:.3g}). {missed_words(missed)}"


def missed_words(missed: Missed) -> str:
    """Return the reason why there is no edge."""
    names, without = missed.names, f"t = {missed.without:.3g}"
    sums = f"{listed(names)} {plural(len(names), 'follows', 'follow')} from other columns"
    what = "what depends on both" if names else "what comes after them"
    what = f"{listed(names)}, which depends on both," if len(names) == 1 else what
    alone = f"With its parents alone held fixed {without}."
    return {
        Reason.YOURS: "What you said leaves no edge.",
        Reason.ONE_OF: "The networks have this edge or another one in its place.",
        Reason.SUM: f"But {sums}: such slopes rest on little, and an edge may stand at another part of the sum.",
        Reason.COMMON: f"But that holds {what} fixed, which makes two causes depend; without it {without}.",
        Reason.RANKS: f"{alone} But few rows far away decide: ranks do not show it.",
        Reason.CURVE: f"{alone} But nothing is left if these may act by curves.",
        Reason.PRICE: f"{alone} But the edge costs the score more than it gains.",
        Reason.UNSURE: f"Some networks have the edge, in others something else stands for it ({without}): it is open.",
        Reason.UNKNOWN: f"{alone} No reason was found: the edge may be missing.",
    }[missed.reason]


def set_sentences(records: Sequence[EdgeRecord], names: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return of which edges at least one is nearly certain, though none is alone: of all variables, or of some."""
    sets: dict[str, list[EdgeRecord]] = {}
    for edge in records:
        if edge.one_of and (names is None or edge.one_of in names):
            sets.setdefault(edge.one_of, []).append(edge)
    found = []
    for name, own in sorted(sets.items(), key=lambda one: -(one[1][0].one_of_probability or 0.0)):
        others = listed([edge.second if edge.first == name else edge.first for edge in own])
        how = show_confidence(own[0].one_of_probability or 0.0, 2)
        found.append(f"{name} is linked with at least one of {others} ({how}); the data cannot tell which.")
    return tuple(found)


def _compared_states(data: Dataset, edge: EdgeRecord) -> str:
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
    return f"Of the rows with {before}, {few} have {result}; of those with {after}, {many}."
