"""From an analysis to the content of its report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from arcwise.base.errors import OptionError, UnfinishedError
from arcwise.base.options import MANY_VARIABLES
from arcwise.base.run import Limits, Run
from arcwise.base.showing import counted, first_few, listed, percent, plural
from arcwise.confidence.consensus import Fate
from arcwise.confidence.curves import KNOTS
from arcwise.confidence.cuts import false_rate_cut
from arcwise.confidence.edge_confidence import RuleName
from arcwise.counts import contingency
from arcwise.data.design import FEWEST_GROUPS
from arcwise.evaluate.prediction import NumberScores
from arcwise.findings.edges import floor_of
from arcwise.findings.method_result import is_few
from arcwise.findings.thresholds import COST_POWERS
from arcwise.findings.verdict import HALF, Direction, Verdict, track_record
from arcwise.report import blocks, edges, sections
from arcwise.report.blocks import Blocks, Chart, Guide, Section, Series, TableBlock, bullets, gather, table
from arcwise.report.remarks import analysis_remarks, is_by_time
from arcwise.report.report import Answer, Report

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset
    from arcwise.evaluate.fit import FitCheck
    from arcwise.evaluate.prediction import PredictionScores
    from arcwise.findings.edge_record import EdgeRecord
    from arcwise.findings.findings import Findings
    from arcwise.findings.network_facts import ChainFacts, CredibleFacts
    from arcwise.model.network import BayesianNetwork
    from arcwise.priors.ess_path import Saturation


# What the page needs to answer "and if I know this?": an order of elimination, or answers that are made beforehand.
#
# The page propagates evidence through a junction tree of its own (`assets/script/junction_tree.js`), exactly. Where
# that tree, or the tables for it, would be too much for a page, the distribution of every variable given each single
# state of every other is computed here instead; and where that is too much, too, the page says so.


# Cells of the page's junction tree: 20 bytes each, and some hundredths of a second for two million.
MOST_CELLS = 2_000_000
# Numbers in all tables together: 13 bytes each in the file.
MOST_PARAMETERS = 20_000
# States of all variables together up to which answers are made beforehand: their square is the number of numbers.
MOST_STATES = 220
# Cells of a clique up to which these are made.
MOST_PREPARED = 2**20
CUT = "Numbers are cut into bins here; `arcwise query` takes them as they are, so its figures differ a little."
# The part of a time limit that they may take, where it has decided something before.
PREPARING = 0.05


def elimination_order(arities: Sequence[int], parents: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], int]:
    """Return an order of the variables and how many cells the tree that it makes has: smallest next clique first.

    >>> elimination_order([2, 2, 2], [[], [0], [1]])
    ((0, 1, 2), 10)
    """
    near: list[set[int]] = [set() for _ in arities]
    for child, own in enumerate(parents):
        family = {child, *own}
        for v in family:
            near[v] |= family - {v}
    weights = [math.prod([arities[u] for u in (v, *near[v])]) for v in range(len(arities))]
    left, order, cells = set(range(len(arities))), [], 0
    while left:
        v = min(left, key=lambda u: (weights[u], u))
        left.remove(v)
        order.append(v)
        cells += weights[v]
        for u in near[v]:
            near[u] = (near[u] | near[v]) - {u, v}
        for u in near[v]:
            weights[u] = math.prod([arities[w] for w in (u, *near[u])])
    return tuple(order), cells


def plan_evidence(network: BayesianNetwork, limits: Limits | None = None) -> blocks.EvidencePlan:
    """Return how the page answers questions about evidence; what is to be prepared for them has its own `limits`."""
    arities = [int(arity) for arity in network.arities]
    parameters = sum(table.size for table in network.tables)
    if len(arities) > MANY_VARIABLES:
        return blocks.EvidencePlan(
            refusal=f"The network has more than {MANY_VARIABLES} variables, too many for that here. Ask it by `arcwise "
            "query`."
        )
    order, cells = elimination_order(arities, network.dag.parents)
    if cells <= MOST_CELLS and parameters <= MOST_PARAMETERS:
        return blocks.EvidencePlan(order=order)
    why = (
        f"its junction tree has {cells:,} cells, and a page carries {MOST_CELLS:,}"
        if cells > MOST_CELLS
        else f"its tables have {parameters:,} numbers, and a page carries {MOST_PARAMETERS:,}"
    )
    if sum(arities) > MOST_STATES:
        return blocks.EvidencePlan(refusal=f"The network is too large for that here: {why}. Ask it by `arcwise query`.")
    try:
        given = _given_single_states(network, Run.of(limits))
    except UnfinishedError:
        return blocks.EvidencePlan(refusal="There was too little time to prepare answers here. Ask by `arcwise query`.")
    except OptionError:
        return blocks.EvidencePlan(refusal=f"The network is too large for that: {why}.")
    return blocks.EvidencePlan(
        refusal=f"One state at a time: {why}. `arcwise query` answers questions about several.", given=given
    )


def _given_single_states(network: BayesianNetwork, run: Run) -> tuple[tuple[float, ...], ...]:
    """Return the probability of every state given each: rows are what is known, in the order of the variables."""
    rows = []
    for name, states in zip(network.names, network.states, strict=True):
        for known in states:
            if run.is_over:
                raise UnfinishedError("the time was over.")
            found = network.marginals({name: known}, max_cells=MOST_PREPARED, progress=False)
            row: list[float] = []
            for other, own in zip(network.names, network.states, strict=True):
                if other == name:
                    row += [float(state == known) for state in own]
                else:
                    row += [round(float(p), 4) for p in found[other].probabilities]
            rows.append(tuple(row))
    return tuple(rows)


# What the report says about probabilities: what they rest on, and what to expect at other cut-offs.


RATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)


def calibration_blocks(analysis: Findings) -> Blocks:
    """Return what a confidence is worth here, and what to expect of other cut-offs."""
    known = analysis.probability.calibration
    if known.kind == "none":
        return gather("The confidences were not calibrated: how often they are right is not known.")
    doubt = f" {known.doubt}" if known.doubt else ""
    return gather(
        "A confidence is a share of networks. How often an edge of that confidence is real is its probability. The "
        f"probabilities {known.basis}.{doubt}",
        _rates(analysis),
        _curve(analysis),
    )


def _rates(analysis: Findings) -> TableBlock:
    rows = []
    for rate in RATES:
        value, bar = false_rate_cut(analysis.confidence, rate)
        expected = analysis.probability.expected(analysis.confidence.vector > value)
        rows.append((f"{rate:.0%}", value, bar, expected.edges, expected.false, expected.missed))
    measured = (("cut-off", 3), ("probability there", 3), ("edges", 0), ("expected false", 1), ("expected missing", 1))
    return table(
        "Cut-offs by the share of false edges among those above, on average (the false discovery rate).",
        ("at most false", *measured),
        rows,
    )


def _curve(analysis: Findings) -> Chart:
    known = analysis.probability.calibration
    series = [
        Series("probability", tuple(KNOTS.tolist()), tuple(np.round(known.curve.values, 4).tolist())),
        Series("confidence itself", (0.0, 1.0), (0.0, 1.0)),
    ]
    worth = ", ".join(f"{value:g} is worth {float(known.curve(value)):.2f}" for value in (0.5, 0.9, 1.0))
    summary = f"A confidence of {worth}."
    return Chart(
        caption="What a confidence is worth: how often an edge of that confidence is real.",
        summary=summary,
        x_label="confidence",
        y_label="probability that the edge is real",
        series=tuple(series),
    )


# What the report says and shows about the chains that drew the networks.


MOST_SHOWN = 4  # chains, in a chart


def chain_blocks(facts: ChainFacts) -> Blocks:
    """Return the bound on what the chains could not see, and their traces and ranks."""
    shown = range(min(MOST_SHOWN, len(facts.traces)))
    some = "" if len(facts.traces) <= MOST_SHOWN else f" The first {MOST_SHOWN} of {len(facts.traces)} chains."
    lowest = min(min(own) for own in facts.traces)
    uneven = max(abs(value - 1) for own in facts.ranks for value in own)
    bins = tuple(float(k + 1) for k in range(len(facts.ranks[0])))
    unseen = (
        "The chains walked on the parent sets that can matter; what was left out has at most "
        f"{facts.left_out:.1g} of the posterior probability."
    )
    return gather(
        unseen if facts.left_out > 0 else "",
        Chart(
            caption=f"Traces: the score of the networks that each chain drew, below the best of all draws.{some}",
            summary=f"The lines of {len(facts.traces)} chains lie between {lowest:.1f} and 0. Chains that agree cover "
            "the same range from beginning to end; one that stays apart, or drifts, has not converged.",
            x_label="draw",
            y_label="score, below the best",
            series=tuple(Series(f"chain {k + 1}", tuple(map(float, facts.places)), facts.traces[k]) for k in shown),
        ),
        Chart(
            caption="Ranks: how the draws of each chain are spread over the ranks of all draws' scores, in twentieths; "
            f"1 is an equal share.{some}",
            summary=f"The shares are within {uneven:.2f} of 1. They are near 1 everywhere if all chains draw from the "
            "same distribution.",
            x_label="twentieth of the ranks",
            y_label="share of the draws, times 20",
            series=tuple(Series(f"chain {k + 1}", bins, facts.ranks[k], steps=True) for k in shown),
            guides=(Guide(1.0, "equal share"),),
        ),
    )


# Whether the network fits, and how well it predicts, in words, tables and a picture.


MOST_ROWS = 15  # of a table, which says how many there are
POINTS = 100  # of a curve


def fit_blocks(found: FitCheck) -> Blocks:
    """Return two sentences and a picture."""
    return gather(f"{_independences(found)} {_likelihood(found)}", _picture(found))


def fit_answer(found: FitCheck) -> Answer:
    """Return whether a network fits data, and which pairs do not."""
    rows = [
        (
            f"{pair.first} — {pair.second}",
            "an edge" if pair.given is None else ", ".join(pair.given) or "nothing",
            None if math.isnan(pair.p) else f"{pair.p:.2g}",
            pair.information / math.log(2),
            None if math.isnan(pair.expected) else pair.expected / math.log(2),
            None if math.isnan(pair.z) else pair.z,
        )
        for pair in found.misfits[:MOST_ROWS]
    ]
    many = f", {MOST_ROWS} of {len(found.misfits):,}" if len(found.misfits) > MOST_ROWS else ""
    worst = table(
        f"The pairs that fit worst{many}. The p-value tests the pair given the variables named. Information is that of "
        "the pair alone, in bits: in these data, as expected of the network, and how many standard deviations apart.",
        ("pair", "independent given", "p", ("information", 4), ("expected", 4), ("deviations", 1)),
        rows,
    )
    first, *picture = fit_blocks(found)
    replicated = _replicated(found) if found.replicates else ""
    return Answer("Does the network fit?", gather(first, replicated, picture, worst if rows else None))


def _independences(found: FitCheck) -> str:
    if not found.n_tests:
        return "The network implies no independence that these rows are enough to test."
    skipped = f" {found.n_untested:,} more have too few rows for a test." if found.n_untested else ""
    rejected = round(found.small * found.n_tests)
    share = f" ({percent(found.small)})" if found.n_tests >= 20 else ""
    which = f"the {found.n_tests:,} independences" if found.n_tests > 1 else "the one independence"
    chance = f"({found.n_tests / 20:.2g} by chance)"
    small = f"the data contradict {rejected:,}{share} of {which} that the network claims {chance}"
    first = next((pair for pair in found.misfits if pair.p <= 0.05), None)
    if first is not None:
        lead = "Not everywhere"
        given = f" given {', '.join(first.given)}" if first.given else ""
        verdict = f"The network leaves dependences out, first of all that of {first.first} and {first.second}{given}."
    elif found.small <= 0.1:
        lead = "As far as these rows can tell, yes"
        verdict = "There is no sign that an edge is missing."
    else:
        lead = "Perhaps not everywhere"
        verdict = "None is clear on its own, but dependences may be missing."
    return f"{lead}: {small}.{skipped} {verdict}"


def _likelihood(found: FitCheck) -> str:
    place = ""
    if found.all_edges:
        place = (
            f", between {found.independent:.3f} of a network without edges and {found.saturated:.3f} of one with all "
            "of them"
        )
    elif not math.isnan(found.share_explained):
        place = (
            f". That captures {percent(max(0.0, min(found.share_explained, 1.0)))} of what any model could, from "
            f"{found.independent:.3f} without edges to {found.saturated:.3f}, the frequencies of whole rows"
        )
    return f"Its log likelihood is {found.log_likelihood:.3f} per row{place}."


def _replicated(found: FitCheck) -> str:
    far = [pair for pair in found.misfits if not math.isnan(pair.z) and abs(pair.z) > 4]
    total = len(found.pairs)
    if not far:
        return (
            f"In {found.replicates:,} data sets drawn from the network, the dependence of every one of the {total:,} "
            "pairs is about as strong as in these data."
        )
    strong = sum(pair.z > 0 for pair in far)
    return (
        f"In {found.replicates:,} data sets drawn from the network, {len(far):,} of {total:,} pairs differ from these "
        f"data by more than chance: {strong:,} are more dependent here, {len(far) - strong:,} less."
    )


def _picture(found: FitCheck) -> Chart | None:
    values = found.p_values
    if len(values) < 5:
        return None
    at = np.unique(np.linspace(0, len(values) - 1, min(POINTS, len(values))).astype(int))
    uniform = (at + 0.5) / len(values)
    return Chart(
        caption="The p-values of the implied independences, rising, against what a right network would have.",
        summary=f"Below 0.05: {round(found.small * len(values)):,} of {len(values):,}.",
        x_label="expected p-value",
        y_label="p-value",
        series=(
            Series("implied independences", tuple(uniform.round(4).tolist()), tuple(values[at].round(4).tolist())),
            Series("a network that fits", (0.0, 1.0), (0.0, 1.0)),
        ),
    )


def number_prediction(found: NumberScores) -> str:
    """Return how well a number is predicted."""
    how = f"by {found.folds}-fold cross-validation" if found.folds else "in data that were not learned from"
    return (
        f"{found.target} is predicted with a typical error of {found.rmse:.4g} (±"
        f"{2 * found.rmse_error:.2g}) in {found.n_cases:,} rows {how}. Its mean alone would be off by "
        f"{found.usual_rmse:.4g}: {percent(max(found.explained, 0.0))} of its variance is explained. On average the "
        f"prediction is off by {found.absolute:.4g}. {percent(found.inside)} of the values lie in the intervals that "
        f"should hold {percent(found.level)}."
    )


def prediction_answer(found: PredictionScores | NumberScores) -> Answer:
    """Return how well a variable is predicted, with the tables of calibration and of mistakes."""
    if isinstance(found, NumberScores):
        return Answer(f"How well {found.target} is predicted", gather(number_prediction(found)))
    how = f"by {found.folds}-fold cross-validation" if found.folds else "in data that were not learned from"
    gain = found.usual_log_loss - found.log_loss
    better = "worse than" if gain < 0 else "hardly better than" if gain <= 2 * found.log_loss_error else "better than"
    text = (
        f"{found.target} is predicted right in {percent(found.accuracy)} (±"
        f"{percent(2 * found.accuracy_error)}) of {found.n_cases:,} rows {how}. Its most frequent state alone would be "
        f"right in {percent(found.usual_accuracy)}. The log loss is {found.log_loss:.3f} (±"
        f"{2 * found.log_loss_error:.3f}), {better} the {found.usual_log_loss:.3f} of its frequencies. On average, a "
        f"predicted probability and the share that comes true differ by {found.calibration.error:.3f}."
    )
    own, states = found.calibration, edges.state_labels(found.states)
    blocks = gather(
        text,
        table(
            "Predicted probabilities in ten classes, and the share of each that came true.",
            (("predicted", 3), ("came true", 3), ("predictions", 0)),
            zip(own.predicted.tolist(), own.observed.tolist(), own.count.tolist(), strict=True),
        ),
        table(
            "Rows by their true state (down) and the predicted one (across).",
            ("true", *((state, 0) for state in states)),
            [(state, *map(int, row.tolist())) for state, row in zip(states, found.confusion, strict=True)],
        ),
    )
    return Answer(f"How well {found.target} is predicted", blocks)


# What was found, in a few sentences that name it: the edges, the variables, and what is doubtful.


# Data without dependence pass for more than chance this often (the level of Broom's rule).
CHANCE = 0.05
# So many edges or variables are named; of more, the count.
MOST_NAMED = 5
MOST_SETS = 2  # of edges of which at least one is there
# Columns of these names come first in time in any table.
EARLY_COLUMNS = ("age", "sex", "gender", "race", "ethnicity", "birth", "birthyear", "year of birth")
# What a failed check means for the reader, where its own words are for those who know such tests.
CHECK_WORDS = {"fit": "the network does not fit, so edges may be missing"}
# How the headline counts the edges of each verdict.
COUNTED = {
    Verdict.RELY: "to rely on",
    Verdict.PROBABLY: "probable",
    Verdict.OPEN: "open",
    Verdict.YOURS: "that you assumed",
    Verdict.UNLIKELY: "unlikely",
}


def summary_sentences(analysis: Findings) -> tuple[str, ...]:
    """Return in a few sentences what the rows are worth, if they belong together, and what was found in them."""
    return (*_uncalibrated(analysis), *_rows_told(analysis.data), *_three_at_once(analysis), *_found(analysis))


def _three_at_once(analysis: Findings) -> tuple[str, ...]:
    """Return which variables depend on each other three at once, which no edge can show."""
    found = [f"{listed(one.names)} (t = {abs(one.t):.1f})" for one in analysis.triples]
    if not found:
        return ()
    return (
        f"Beware: {first_few(found, MOST_SETS, '; ')} depend on each other all three at once, such as one on the "
        "product of two. Edges between two do not show that.",
    )


def _uncalibrated(analysis: Findings) -> tuple[str, ...]:
    """Return that no study stands behind the probabilities of columns as they are; a warning says why."""
    if analysis.prepared.mixed is None or not analysis.probability.calibration.doubt or analysis.confidence.is_studied:
        return ()
    return ("Not calibrated for columns like these: rely on an edge only if a plain regression shows it, too.",)


def _rows_told(data: Dataset) -> tuple[str, ...]:
    if data.design is None:
        return ()
    if data.design.found:
        return (
            f"Beware: these rows do not look independent: {data.design.found}. The {data.n_cases:,} rows tell about as "
            f"much as {data.n_effective:,} independent ones, and probabilities are those of {data.n_effective:,}. If a "
            "column says which rows belong together, give it with --groups.",
        )
    groups, effect = data.design.n_groups, data.n_cases / data.n_effective
    if data.design.weights is not None:
        how = "whole groups are drawn by their weights" if data.design.is_grouped else "rows are drawn by their weights"
        how = how if data.design.replicates is None else "rows are drawn by the replicate weights"
        within = f", in {groups:,} groups ({data.design.name})," if data.design.is_grouped else ""
        return (
            f"The {data.n_cases:,} rows{within} are weighted by {data.design.weighed_by} and tell as much as "
            f"{data.n_effective:,} independent ones (design effect {effect:.2g}): {how}. Shares are those of the "
            f"population, and probabilities are those of {data.n_effective:,} rows.",
        )
    few = (
        f" {groups} groups say little about groups that were not seen: {FEWEST_GROUPS} are the fewest to rely on."
        if groups < FEWEST_GROUPS
        else ""
    )
    return (
        f"The {data.n_cases:,} rows belong to {groups:,} groups ({data.design.name}) and tell as much as "
        f"{data.n_effective:,} independent ones (design effect {effect:.2g}). Whole groups were resampled, and "
        f"probabilities are those of {data.n_effective:,} rows.{few}",
    )


def _found(analysis: Findings) -> tuple[str, ...]:
    """Return in a few sentences what was found, the best supported first."""
    kept = [e for e in analysis.edges if e.fate.in_network]
    by_chance = _chance(analysis)
    if not kept and by_chance:
        return (by_chance, *edges.constraint_summary(analysis), *_closing(analysis))
    if not kept and not analysis.has_few_networks:
        n = analysis.data.n_variables
        whose = "the data show no edge" if analysis.constraints is None else "within your constraints there is no edge"
        first = f"None of the {n * (n - 1) // 2:,} pairs of variables has {sections.cut_words(analysis)}"
        return (f"{first}: {whose}.", *edges.constraint_summary(analysis), *_closing(analysis))
    untold = by_chance or analysis.has_few_networks or analysis.probability.calibration.kind == "none"
    found = (
        by_chance,
        _counts(analysis) if by_chance else _few(analysis) if analysis.has_few_networks else "",
        edges.contradicted_sentence(analysis),  # a screen has place for few
        "" if untold else _expected(analysis, kept),
        *_about_target(analysis),
        "" if by_chance else _sets(analysis),
        "" if analysis.has_few_networks else _apart(analysis, kept),
        "" if analysis.has_few_networks else _directions(analysis, kept),
        *edges.constraint_summary(analysis),
        *_closing(analysis),
    )
    return tuple(sentence for sentence in found if sentence)


def headline(analysis: Findings) -> str:
    """Return the answer in one sentence, unless something else is to be said first: then ""."""
    kept = any(e.fate.in_network for e in analysis.edges)
    return "" if analysis.has_few_networks or _chance(analysis) or not kept else _counts(analysis)


def _counts(analysis: Findings) -> str:
    """Return how many edges of each verdict there are, and which checks speak against them."""
    kept = [e for e in analysis.edges if e.fate.in_network]
    counts = Counter(e.verdict for e in kept)
    kinds = [f"{counts[verdict]:,} {words}" for verdict, words in COUNTED.items() if counts[verdict]]
    failed = [CHECK_WORDS.get(check.key, check.words) for check in sections.checks(analysis) if check.ok is False]
    care = f" Take care: {'; '.join(failed)}." if failed else ""
    return f"{counted(len(kept), 'edge')}: {listed(kinds)}.{care}"


def _expected(analysis: Findings, kept: list[EdgeRecord]) -> str:
    """Return how many edges are wrong, of those that are established and of the open ones."""
    n, place = analysis.data.n_variables, analysis.data.index
    firm, opened = np.zeros((2, n * (n - 1) // 2), dtype=np.bool_)
    for edge in kept:
        i, j = sorted((place(edge.first), place(edge.second)))
        (opened if edge.verdict is Verdict.OPEN else firm)[i * n - i * (i + 1) // 2 + j - i - 1] = True
    probable = analysis.probability
    return analysis.expected.sentence((probable.expected(firm), probable.expected(opened)))


def _sets(analysis: Findings) -> str:
    """Return which variables are linked with at least one of several; of many, how many more."""
    told = edges.set_sentences(analysis.edges)
    more = f" {counted(len(told) - MOST_SETS, 'more such set')}: --details." if len(told) > MOST_SETS else ""
    return " ".join(told[:MOST_SETS]) + more


def _few(analysis: Findings) -> str:
    """Return that there are too few networks to say how far an edge can be trusted."""
    kept = sum(e.fate.in_network for e in analysis.edges)
    some = counted(kept, "edge") if kept else "no edge"
    best = analysis.main.optimum
    if best is not None and analysis.main.asked is None:  # one network is what was asked for
        return (
            f"The best network has {some} and the score {best.score:.6f}: "
            f"{sections.bound_words(best, analysis.main.recipe)}. How far each edge can be trusted, one network does "
            "not say: a method that averages does."
        )
    only = sections.few_networks(analysis.confidence.n_networks).removesuffix(".")
    return f"{only}, with {some} above the cut-off. {sections.FEW_SAY_NOTHING}"


def _apart(analysis: Findings, kept: list[EdgeRecord]) -> str:
    joined = {name for e in analysis.edges if e in kept or e.one_of for name in (e.first, e.second)}
    alone = [name for name in analysis.data.names if name not in joined]
    if not alone:
        return ""
    return f"No edge joins {listed(alone, 'or', MOST_NAMED)} to another variable."


def _directions(analysis: Findings, kept: list[EdgeRecord]) -> str:
    """Name the directions that the data settle, say how many are the analyst's, and what would settle more."""
    ways = Counter(e.direction for e in kept)
    sure = [e for e in kept if e.direction is Direction.SETTLED and e.verdict is not Verdict.OPEN]
    settled = sorted(sure, key=lambda e: -e.information)
    text = "The data settle no direction."
    if settled:
        text = f"The data settle {listed([f'{e.tail} → {e.head}' for e in settled], most=MOST_NAMED)}."
    if ways[Direction.YOURS]:
        text += f" {counted(ways[Direction.YOURS], 'direction follows', 'directions follow')} from what you said."
    text += " An arrow is not proof of cause."
    early = [name for name in analysis.data.names if name.lower() in EARLY_COLUMNS]
    against = [e for e in kept if e.direction is not Direction.UNKNOWN and e.head in early and e.tail not in early]
    if against:
        odd = against[0]
        text += f" {odd.tail} → {odd.head} would have {odd.tail} come before {odd.head}."
    elif settled and not _is_target_open(analysis, kept):
        return text
    if analysis.constraints is not None:
        return text
    first = ", ".join(early) or "COLUMN, COLUMN"
    return f'{text} Do you know what comes first in time? Then say so: --tiers "{first} | *".'


def _is_target_open(analysis: Findings, kept: list[EdgeRecord]) -> bool:
    """Whether there is a target with edges, and the direction of none of these is known."""
    name = "" if analysis.focus is None else analysis.focus.variable.name
    own = [e for e in kept if name in (e.first, e.second)]
    return bool(own) and all(e.direction is Direction.UNKNOWN for e in own)


def _chance(analysis: Findings) -> str:
    """Return that the data show no more than chance, and how many rows might; "" if they do, or nobody looked."""
    found = analysis.confidence.chance
    if found is None or found.is_exceeded:
        return ""
    n_cases = analysis.data.n_effective
    enough = found.cases_to_show(n_cases)
    more = "nothing hints at a dependence that more rows would show"
    if enough is not None:
        rounded = float(f"{max(enough, 1.1 * n_cases):.2g}")
        more = f"about {rounded:,.0f} rows might show what these {n_cases:,} hint at"
    return (
        f"These data show no dependence between the variables: of {len(found.gains)} tables with shuffled columns, at "
        f"least one shows as much; {more}."
    )


def _closing(analysis: Findings) -> tuple[str, ...]:
    dropped = analysis.consensus.dropped
    sentences = [contradiction] if (contradiction := edges.contradiction_sentence(analysis)) else []
    broom = analysis.thresholds.find(RuleName.BROOM)
    # With few permutations no p-value is small, and so a large one says nothing.
    tried = analysis.options.permutations
    enough = tried is None or 1 / (tried + 1) <= CHANCE
    if enough and not _chance(analysis) and broom is not None and broom.threshold.details["p_value"] > CHANCE:
        facts = broom.threshold.details
        sentences.append(
            "Beware: with this method and score, data whose columns were shuffled show "
            f"{facts['certain_by_chance']:.1f} nearly certain edges on average, these data "
            f"{facts['certain_edges']:.1f}. That is not more than chance: there is no dependence, or the score finds "
            "edges where there are none. Look at the other scores, and try --score bdeu or --score bic."
        )
    for why in dict.fromkeys(e.fate for e in dropped):
        arcs = [f"{e.tail} → {e.head}" for e in dropped if e.fate is why]
        broken = plural(len(arcs), "conflicts", "conflict") + " with the constraints and"
        reason = "would close a cycle and" if why is Fate.DROPPED else broken
        sentences.append(
            f"{counted(len(arcs), 'edge')} above the cut-off {reason} {plural(len(arcs), 'is', 'are')} left out of the "
            f"network: {', '.join(arcs[:5])}."
        )
    return tuple(sentences)


# A probability table with more numbers than this is left to network.bif.
MOST_SHOWN_CELLS = 600
# A curve of many networks is thinned to about this many points, which a drawing cannot tell apart.
CURVE_POINTS = 300


def build_report(analysis: Findings) -> Report:
    """Return everything that the report says."""
    data, main = analysis.data, analysis.main
    kept, held = sum(edge.fate.in_network for edge in analysis.edges), main.credible
    remarks = analysis_remarks(analysis)
    return Report(
        title=f"Which edges to trust: {analysis.name}",
        subtitle=_subtitle(analysis),
        headline=headline(analysis),
        facts=(
            ("variables", f"{data.n_variables:,}"),
            ("rows", f"{data.n_cases:,}"),
            ("method", main.title),
            ("networks averaged", f"{analysis.confidence.n_networks:,}"),
            *([] if held is None or held.covered is None else [("of the posterior in the set", _covered(held))]),
            ("cut-off", sections.cut_words(analysis)),
            ("edges in the network", f"{kept:,}"),
        ),
        checks=sections.checks(analysis),
        summary=(*summary_sentences(analysis), *(one.text for one in remarks if not one.aside)),
        notes=tuple(one.text for one in remarks if one.aside),
        network=_network(analysis),
        glossary=_glossary(analysis),
        sections=tuple(section for section in _sections(analysis) if section.blocks),
    )


def _subtitle(analysis: Findings) -> str:
    """Return what was read, what was learned, and with what it was compared."""
    data, networks, compared = analysis.data, analysis.confidence.n_networks, len(analysis.comparisons)
    beside = f", and {counted(compared, 'other method')}" if compared else ""
    return (
        f"{counted(data.n_variables, 'variable')}, {counted(data.n_cases, 'row')}; "
        f"{counted(networks, 'network')} by {analysis.main.recipe.source_facts.title}{beside}"
    )


def _sections(analysis: Findings) -> tuple[Section, ...]:
    """Return all sections; one without blocks is left out of the report."""
    focus, answers = analysis.focus, {}
    if focus is not None:
        answers = {
            "target": sections.variable_answer(focus.variable, analysis.edges),
            "prediction": prediction_answer(focus.scores),
        }
    return (
        *(Section(key, answer.title, answer.blocks) for key, answer in answers.items()),
        Section("ranges", "How far the methods agree", sections.range_blocks(analysis)),
        Section("ensemble", sections.ensemble_title(analysis), _ensemble(analysis)),
        Section("constraints", "What you said, and what it cost", edges.constraint_blocks(analysis)),
        Section("beliefs", "Your prior odds, and what the data say", edges.belief_blocks(analysis)),
        Section("experiments", "Which experiment next", sections.experiment_blocks(analysis)),
        Section("rules", "Where to cut", _rules(analysis)),
        Section("prior", "Does the prior decide, and are there enough data?", _prior(analysis)),
        Section("fit", "Does the network fit?", () if analysis.fit is None else fit_blocks(analysis.fit)),
        Section("missed", "What a regression shows, and there is no edge", sections.missed_blocks(analysis)),
        Section("cuts", sections.cut_title(analysis), sections.cut_blocks(analysis)),
        Section("data", "The data", _data(analysis)),
        Section("choices", "What was chosen, and why", sections.choice_blocks(analysis)),
        Section("methods", "Methods, ready to paste", sections.methods_blocks(analysis)),
        Section("repeat", "How to repeat it", sections.repeat_blocks(analysis, by_time=is_by_time(analysis))),
    )


def _about_target(analysis: Findings) -> tuple[str, ...]:
    """Return what the target is linked with, by the verdicts of its edges, and how well it is predicted."""
    if analysis.focus is None:
        return ()
    variable, scores = analysis.focus.variable, analysis.focus.scores
    text = sections.by_definition(analysis, variable.name) + sections.linked_sentence(variable.name, analysis.edges)
    if next((check.ok for check in sections.checks(analysis) if check.key == "fit"), None) is False:
        text += " The network does not fit, so other variables may matter too."
    if isinstance(scores, NumberScores):
        return (
            f"{text} In rows that were left out, {percent(max(scores.explained, 0.0))} of its variance is explained.",
        )
    gain = scores.accuracy - scores.usual_accuracy
    use = "" if gain > 2 * scores.accuracy_error else ": hardly better" if gain > 0 else ": no better"
    return (
        f"{text} It is predicted right in {percent(scores.accuracy)} of the rows that were left out; its most frequent "
        f"state alone in {percent(scores.usual_accuracy)}{use}.",
    )


def _glossary(analysis: Findings) -> tuple[tuple[str, str], ...]:
    source = analysis.main.recipe.source_facts
    networks = f"the {source.networks}" if source.is_sample else f"all {source.networks} (weighted)"
    used = {item.recipe.source: item.recipe.source_facts for item in analysis.sets}
    methods = "; ".join(f"{facts.title}: {facts.meaning}" for facts in used.values())
    return (
        ("edge", "two variables depend on each other, even when the others are known"),
        ("probability", "how often edges like this one were real where the truth was known: 0 to 1"),
        ("confidence", f"the share of {networks} that contain the edge: 0 to 1"),
        ("cut-off", "edges with a probability above it are in the network; the slider moves it"),
        ("direction", "not a cause; an edge that fits either way has no arrow head"),
        ("score", "how fit is weighed against complexity; qNML, BDeu and BIC are three ways"),
        ("method", methods),
        ("prior", "what BDeu assumes before it sees data, as a number of imaginary rows"),
    )


def _network(analysis: Findings) -> blocks.NetworkView:
    data, dag = analysis.data, analysis.dag
    index = {name: position for position, name in enumerate(data.names)}
    nodes = []
    for v, name in enumerate(data.names):
        counts = contingency(data, [v])
        states = edges.state_labels(data.states[v])
        nodes.append(blocks.NetworkNode(name, states, tuple((counts / counts.sum()).round(4).tolist())))
    # Where the clock has decided nothing yet, it must not decide what the page can do.
    limit = analysis.options.limit_seconds
    plan = plan_evidence(analysis.network, Limits(limit and PREPARING * limit) if is_by_time(analysis) else None)
    tables = tuple(
        tuple(tuple(row) for row in table.tolist()) if plan.order or table.size <= MOST_SHOWN_CELLS else None
        for table in analysis.network.tables
    )
    rules = analysis.consensus.constraints
    known = None
    if rules is not None:  # what the slider's networks must obey
        known = blocks.KnownRules(tuple((index[tail], index[head]) for tail, head in rules.required), rules.limits)
    return blocks.NetworkView(
        nodes=tuple(nodes),
        edges=analysis.edges,
        words=tuple(edges.edge_sentences(analysis, edge) for edge in analysis.edges),
        pictures=edges.edge_pictures(analysis),
        threshold=analysis.threshold,
        cost=analysis.options.missed_edge_cost,
        rules=tuple(blocks.RuleLine(m.label, m.threshold.value, m.meaning) for m in analysis.thresholds.marks),
        methods=tuple(item.title for item in analysis.sets),
        ess=next((tuple(e.prior.ess.tolist()) for e in analysis.edges if e.prior is not None), ()),
        parents=dag.parents,
        tables=tables,
        floor=float(f"{floor_of(analysis.confidence, analysis.threshold):.3g}"),
        cost_powers=COST_POWERS,
        cost_cutoffs=analysis.thresholds.by_cost,
        known=known,
        unseen=_unseen(analysis),
        evidence=plan if analysis.prepared.mixed is None else replace(plan, note=CUT),
        target=None if analysis.focus is None else index[analysis.focus.variable.name],
        few=analysis.confidence.n_networks if analysis.has_few_networks else 0,
        scale=_scale(analysis),
        record="" if analysis.probability.calibration.doubt or _scale(analysis) is None else track_record(),
    )


def _scale(analysis: Findings) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Return which probability each confidence is worth, for the slider; None where that is not known."""
    known = analysis.probability.calibration
    if known.kind == "none" or analysis.has_few_networks:
        return None
    return tuple(KNOTS.tolist()), tuple(np.round(known.curve.values, 6).tolist())


def _unseen(analysis: Findings) -> float | None:
    """Return how many real edges to expect among the pairs that the report does not list."""
    if analysis.probability.calibration.kind == "none" or analysis.has_few_networks:
        return None
    described = sum(edge.probability.edge for edge in analysis.edges if edge.probability is not None)
    return round(max(0.0, float(analysis.probability.vector.sum()) - described), 4)


def _ensemble(analysis: Findings) -> Blocks:
    facts, chains = analysis.main.credible, analysis.main.chains
    return gather(
        sections.sample_summary(analysis) if facts is None else _credible(analysis, facts),
        None if chains is None else chain_blocks(chains),
        edges.completion_summary(analysis),
        _compared(analysis) if analysis.comparisons else None,
    )


def _compared(analysis: Findings) -> TableBlock:
    rows = []
    for made in analysis.sets:
        assert made.confidence is not None
        vector, count = made.confidence.vector, made.confidence.n_networks
        certain = None if is_few(count, made.recipe) else int((vector >= 0.95).sum())
        apart = float(np.abs(vector - analysis.confidence.vector).mean())
        rows.append((made.title, count, int((vector > HALF).sum()), certain, apart))
    counts = (("networks", 0), ("edges above one half", 0), ("edges at 0.95 or more", 0))
    return table(
        "The same data by other methods and scores. The last column is the mean difference of the confidences "
        "from those in the first row, over all pairs.",
        ("method, score", *counts, ("mean difference", 3)),
        rows,
    )


def _covered(facts: CredibleFacts) -> str:
    """Return the share of the posterior that a set holds, as accurately as it is known."""
    assert facts.covered is not None
    if facts.covered_error == 0:
        return percent(facts.covered)
    if facts.covered == 0:
        return f"less than {percent(2 * facts.covered_error)}"
    return f"about {percent(facts.covered)} (±{percent(2 * facts.covered_error)})"


def _reliance(facts: CredibleFacts) -> str:
    if facts.covered_error == 0:
        return ""
    if not facts.covered_verdict:
        return ", by networks that chains drew from all of it"
    return f", by chains that had not converged, so that this is a guess ({facts.covered_verdict.rstrip('.')})"


def _credible(analysis: Findings, facts: CredibleFacts) -> Blocks:
    classes = (
        ""
        if facts.classes is None
        else f" They fall into {counted(facts.classes, 'class', 'classes')} of equivalent networks: "
        "those of one class fit data of this kind equally well, whatever the values are."
    )
    which = analysis.main.recipe.restriction("networks") or "networks"
    covered = f" What share of the posterior probability of all {which} they hold could not be found within the limits."
    if facts.covered is not None:
        covered = (
            f" Together they hold {_covered(facts)} of the posterior probability of all {which}{_reliance(facts)}."
        )
    odds = ", prior odds included," if analysis.main.recipe.beliefs else ""
    count = f"{facts.count:,} networks are" if facts.count != 1 else "One network is"
    text = (
        f"{count} within a factor of {facts.bayes_factor:g}{odds} of the best single one: this is the credible set. "
        f"It is {sections.completeness(analysis.main.recipe)}.{classes}{covered} One best network has "
        f"{percent(facts.best_share)} of the weight of the set: so far it can be trusted alone."
    )
    if len(facts.deviations) > 1:
        return gather(text, _deviations(analysis.main.title, facts))
    whole = "The set is too large to be listed; it was counted and averaged as a whole."
    return gather(text, whole if facts.count > 1 else "")


def _deviations(title: str, facts: CredibleFacts) -> Chart:
    kind, count = "class" if facts.by_class else "network", len(facts.deviations)
    # Many ranks are thinned evenly on a logarithmic scale.
    thinned = np.unique(np.round(np.geomspace(1, count, CURVE_POINTS)).astype(int)).tolist()
    ranks = range(1, count + 1) if count <= CURVE_POINTS else thinned
    curve = tuple(round(facts.deviations[k - 1], 4) for k in ranks)
    factors = [f for f in (3.0, 20.0, 150.0) if math.log(f) <= max(curve[-1], math.log(facts.bayes_factor)) + 1e-9]
    median = facts.deviations[count // 2]
    return Chart(
        caption=f"How far the k-th best {kind} falls short of the best, on the scale of natural logarithms.",
        summary=f"The curve rises from 0 to {curve[-1]:.2f} over {count:,} "
        f"{'classes' if facts.by_class else 'networks'}; half of them are within {median:.2f}, a Bayes factor "
        f"of {math.exp(median):.1f}.",
        x_label=f"k, rank of the {kind}",
        y_label="deviation from the best",
        series=(Series(title, tuple(map(float, ranks)), curve, steps=True),),
        guides=tuple(Guide(math.log(f), f"Bayes factor {f:g}") for f in factors),
        log_x=count > 30,
    )


def _rules(analysis: Findings) -> Blocks:
    vector, chosen = analysis.confidence.vector, analysis.thresholds.chosen
    return gather(
        f"An edge is in the network if its confidence is above the cut-off, here {chosen.threshold.value:.3g}. These "
        f"are {chosen.meaning.replace(': ', ', with ', 1)}. This assumes that {chosen.threshold.assumes}. The slider "
        "of the report shows what another choice changes.",
        analysis.thresholds.advice,
        sections.skipped_rule(analysis),
        calibration_blocks(analysis),
        table(
            "The cut-offs of the rules.",
            ("rule", ("cut-off", 3), ("edges above it", 0), "what it is"),
            [
                (m.label, m.threshold.value, int((vector > m.threshold.value).sum()), m.meaning)
                for m in analysis.thresholds.marks
            ],
        ),
    )


def _prior(analysis: Findings) -> Blocks:
    saturation = analysis.prior.saturation
    return gather(
        edges.prior_blocks(analysis),
        None if saturation is None else _saturation(saturation),
        *(note.text for note in analysis.prior.notes),
    )


def _saturation(saturation: Saturation) -> Blocks:
    """Return whether more data would change the structure, in whole edges: no graph has 7.3 of them."""
    sizes = tuple(float(size) for size in saturation.sizes)
    before, after = int(sizes[-2]), int(sizes[-1])
    changed, final = round(float(saturation.change[-1])), round(float(saturation.edges[-1]))
    verdict = "would probably change little" if saturation.settled else "may well change the structure"
    how_many = "hardly any edge" if changed == 0 else f"about {counted(changed, 'edge')}"
    text = (
        f"More data {verdict}. The step from {before:,} to all {after:,} rows added, removed or reversed {how_many}. "
        f"The best network of all has {final:,} (BDeu, {saturation.repetitions} shuffles of the rows)."
    )
    if not saturation.settled:
        text += (
            " So do not rely on the details of one best network: the confidences show which edges all good ones share."
        )
    least = round(float(saturation.edges[0]))
    return gather(
        text,
        Chart(
            caption="The best network of growing parts of the data: its edges, and how many of them changed since the "
            "previous part.",
            summary=f"With {int(sizes[0])} rows about {counted(least, 'edge')}, with all {after:,} "
            f"rows {final:,}; the last step changed {how_many}.",
            x_label="rows",
            y_label="edges",
            series=(
                Series("edges", sizes, tuple(saturation.edges.round(3).tolist())),
                Series("changed", sizes[1:], tuple(saturation.change[1:].round(3).tolist())),
            ),
            log_x=True,
        ),
    )


def _data(analysis: Findings) -> Blocks:
    data, steps, audit = analysis.data, analysis.prepared.steps, analysis.prepared.audit
    as_it_is = "The data were complete and discrete, and were used as they are."
    rows = []
    for v, name in enumerate(data.names):
        counts = contingency(data, [v]) if analysis.gaps is None else analysis.gaps.observed_counts(v)
        shares = "; ".join(
            f"{state}: {percent(count / counts.sum())}"
            for state, count in zip(edges.state_labels(data.states[v]), counts.tolist(), strict=True)
        )
        rows.append((name, len(data.states[v]), shares))
    return gather(
        "Before learning, the data were prepared:" if steps else as_it_is,
        bullets(steps),
        edges.gap_blocks(analysis),
        None if audit is None else sections.audit_blocks(audit),
        table(
            f"The variables, and the share of the rows {'that have a value ' if analysis.gaps else ''}in each state.",
            ("variable", ("states", 0), "shares"),
            rows,
        ),
    )
