"""What setting a variable would do, in words and as tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.showing import counted, first_few, listed, percent, plural, show_confidence, show_figure
from arcwise.effects.effect import Effect, PossibleEffects, state_pairs
from arcwise.effects.effect_matrix import EffectMatrix
from arcwise.effects.mixed_effect import MixedEffect, MixedEffects
from arcwise.findings.verdict import HALF, Verdict
from arcwise.report.blocks import Cell, TableBlock, gather, table
from arcwise.report.edges import set_sentences, state_label, state_labels
from arcwise.report.report import Answer

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.effects.model_average import AveragedDistribution
    from arcwise.findings.edge_record import EdgeRecord


ASSUMPTION = (
    "This assumes that no common cause of the two is missing from the data. If something that was not measured drives "
    "both, the figures are wrong, and no analysis of these data shows it."
)
MOST_ROWS = 25  # of a table, which says how many there are
LEAST_WITHOUT_OVERLAP = 0.01  # rarer gaps hardly move an average
UNCHECKED = "The probabilities are shares of the networks and not calibrated: no study shows how often they are right."
LEAST_REVERSE = 0.05  # rarer reverse paths are not worth a sentence
# What goes through other variables is told if the whole is further from the direct part than its interval reaches:
# those that carry so much of the largest one's part, and so many at most.
ERRORS, CARRIED, MOST_CARRIERS = 1.96, 0.2, 3


def effect_answer(
    found: Effect,
    *,
    hidden_causes: bool = False,
    average: bool = False,
    reverse: float = 0.0,
    constrained: bool = False,
    between: tuple[str, str] | None = None,
    edges: Sequence[EdgeRecord] = (),
    record: str = "",
) -> Answer:
    """Return what setting one variable does to another; `between` two of its states, or where it does most.

    With `hidden_causes`, also what holds if causes are missing; with `average`, also the mean over having an effect and
    having none. `reverse` is the weight of the networks in which it is the outcome that leads to the cause,
    `constrained` whether the analyst has already said something about directions. `edges` say which are established;
    `record` how often those to rely on were right where the probabilities were not studied.
    """
    x, y = found.cause, found.outcome
    text = gather(
        _verdict(found, between),
        _by_sets(found, edges),
        _reversed(x, y, reverse, constrained),
        _overlap(found),
        _robust(found),
        _changes(found),
        _table(found),
        _average(found) if average else None,
        _rests(found, record),
        ASSUMPTION,
    )
    if hidden_causes:
        text = gather(text, _without(found), _bounds(found))
    return Answer(f"What setting {found.cause} would do to {found.outcome}", text)


def _by_sets(found: Effect | MixedEffect, edges: Sequence[EdgeRecord]) -> str:
    """Return by which edges the networks lead there, where no single edge of the outcome is established."""
    y = found.outcome
    if not edges or found.share <= HALF:
        return ""
    sets = set_sentences(edges, (found.cause, y))
    if sets:
        return " ".join(sets)
    own = [edge for edge in edges if edge.fate.in_network and y in (edge.first, edge.second)]
    if any(edge.verdict in (Verdict.RELY, Verdict.PROBABLY, Verdict.YOURS) for edge in own):
        return ""
    return f"No single edge of {y} is established: the networks lead there by different ones."


def _reversed(x: str, y: str, share: float, constrained: bool) -> str:
    if share <= LEAST_REVERSE:
        return ""
    remedy = f"give {x} an earlier tier than {y}" if constrained else f'--tiers "{x} | {y}"'
    return (
        f"In {percent(share)} of the networks it is {y} that leads to {x}. Does {x} come first in time? Then learn "
        f"again{', and' if constrained else ' with'} {remedy}."
    )


def _by_state(found: Effect | PossibleEffects, *values: NDArray[np.float64]) -> Iterator[tuple[Cell, ...]]:
    """Return a row for each state of the cause and each of the outcome: both, and what the matrices have there."""
    for a, cause in enumerate(state_labels(found.cause_states)):
        for s, outcome in enumerate(state_labels(found.outcome_states)):
            cells = [float(own[a, s]) for own in values]
            yield (cause, outcome, *(None if math.isnan(cell) else cell for cell in cells))


def _leads(found: Effect | MixedEffect) -> str:
    """Return how probable it is that there is an effect at all."""
    x, y = found.cause, found.outcome
    if not found.basis:
        error = f" (±{percent(2 * found.standard_error)})" if found.standard_error > 0.0025 else ""
        return f"{x} leads to {y} in {percent(found.share)} of the weight of the networks{error}."
    return f"The probability that {x} leads to {y} is {show_confidence(found.probability, 2)}."


def _rests(found: Effect | MixedEffect, record: str) -> str:
    """Return what the probability that there is an effect rests on."""
    if not found.basis:
        return "That share is not calibrated: no study shows how often it is right for networks made in this way."
    doubt = f" {found.doubt} {record}".rstrip() if found.doubt else ""
    return f"How often such a probability is right {found.basis}.{doubt}"


def _verdict(found: Effect, between: tuple[str, str] | None) -> str:
    x, y = found.cause, found.outcome
    if found.strongest is None or found.change_if_effect is None or found.set_if_effect is None:
        return f"{_leads(found)} In none of the networks it does, so {y} would stay as it is."
    (pair, state), pairs = found.strongest, state_pairs(len(found.cause_states))
    a, b = pairs[pair]
    if between is not None:
        a, b = map(found.cause_states.index, between)
        pair = pairs.index((min(a, b), max(a, b)))
        state = int(np.abs(found.change_if_effect.mean[pair]).argmax())
    ends = found.change_if_effect.mean, found.change_if_effect.low, found.change_if_effect.high
    mean, low, high = (float(values[pair, state]) for values in ends)
    if a > b:  # the pair the other way round
        mean, low, high = -mean, -high, -low
    causes, outcomes = state_labels(found.cause_states), state_labels(found.outcome_states)
    settled = "" if low > 0 or high < 0 else " The interval holds 0: which way it goes is not settled."
    before, after = (float(found.set_if_effect.mean[k, state]) for k in (a, b))
    return (
        f"{_leads(found)} If it does, setting {x} to {causes[b]} instead of {causes[a]} changes P({y} = "
        f"{outcomes[state]}) from {before:.3f} to {after:.3f}. That is {mean:+.3f}, with a {percent(found.level)} "
        f"interval of {low:+.3f} to {high:+.3f}. In these data it is {found.marginal[state]:.3f}.{settled}"
    )


def _robust(found: Effect | MixedEffect) -> str:
    """Return how strong a missing cause would have to be, in a sentence."""
    values = found.e_values
    if values is None:
        return ""
    end = f", and {_times(values[1])} at the end of the interval" if values[1] > 1 else ""
    nothing = "" if values[1] > 1 else " The interval holds no difference, so for its end nothing is needed."
    return (
        f"The E-value is {_times(values[0])}{end}. To explain this difference alone, a cause that was not measured "
        f"would have to make both {_made_likely(found)} that many times as likely.{nothing}"
    )


def _made_likely(found: Effect | MixedEffect) -> str:
    """Return what a common cause makes more likely: of a number, which is no event, its values at one end."""
    x, y = found.cause, found.outcome
    if isinstance(found, Effect):
        return f"{x} and {y}"
    _, arrow, state = found.steps[found.strongest[0]].partition(" -> ")
    cause = f"{x} = {state_label(state)}" if arrow else f"high or low values of {x}"
    return f"{cause} and high or low values of {y}"


def _times(value: float) -> str:
    return "above 100" if value > 100 else f"{value:.1f}"


def _overlap(found: Effect) -> str:
    """Return which cases there is nothing to compare with, if they are many enough to matter."""
    shares = [
        f"{state} for {percent(share)}"
        for state, share in zip(state_labels(found.cause_states), found.no_overlap.tolist(), strict=True)
        if share >= LEAST_WITHOUT_OVERLAP
    ]
    if not shares:
        return (
            f"The data overlap: nearly all rows have others that are alike in what leads to {found.cause}, for every "
            "setting of it."
        )
    example = ""
    if found.lacking is not None:
        a, given = found.lacking
        values = {found.cause: found.cause_states[a], **given}
        example = f" No row has {' and '.join(f'{name} = {state_label(own)}' for name, own in values.items())}."
    return (
        f"The data lack overlap.{example} What {found.outcome} would be if {found.cause} were set to "
        f"{', and to '.join(shares)} of the rows is the prior's guess. No row that is alike in what leads to "
        f"{found.cause} has it so, and the figures for these settings say little."
    )


def _changes(found: Effect) -> TableBlock | None:
    change = found.change_if_effect
    if change is None:
        return None
    causes = state_labels(found.cause_states)
    rows = [
        (
            f"{causes[a]} → {causes[b]}",
            state,
            *(f"{float(value[k, s]):+.3f}" for value in (change.mean, change.low, change.high)),
        )
        for k, (a, b) in enumerate(state_pairs(len(found.cause_states)))
        for s, state in enumerate(state_labels(found.outcome_states))
    ]
    return table(
        f"If there is an effect: the change in P({found.outcome}) if {found.cause} is set to the second state, not the "
        f"first ({percent(found.level)} intervals).{_part_of(len(rows), MOST_ROWS)}",
        (f"set {found.cause}", found.outcome, "change", "low", "high"),
        rows[:MOST_ROWS],
    )


def _table(found: Effect) -> TableBlock | None:
    given = found.set_if_effect
    if given is None:
        return None
    rows = list(_by_state(found, found.observed, given.mean, given.low, given.high))
    return table(
        f"P({found.outcome}) as observed where {found.cause} happens to be so, and, if there is an effect, if it were "
        f"set so ({percent(found.level)} intervals).{_part_of(len(rows), 4 * MOST_ROWS)}",
        (found.cause, found.outcome, ("observed", 3), ("if set", 3), ("low", 3), ("high", 3)),
        rows[: 4 * MOST_ROWS],
    )


def _average(found: Effect) -> TableBlock:
    rows = list(_by_state(found, found.set_to.mean, found.set_to.low, found.set_to.high))
    return table(
        f"P({found.outcome}) if {found.cause} were set, averaged: with probability {found.probability:.2f} what there "
        f"is with an effect, else P({found.outcome}) as it is ({percent(found.level)} intervals)."
        f"{_part_of(len(rows), 4 * MOST_ROWS)}",
        (found.cause, found.outcome, ("average", 3), ("low", 3), ("high", 3)),
        rows[: 4 * MOST_ROWS],
    )


def _part_of(rows: int, most: int) -> str:
    return f" The first {most} of {rows:,} rows." if rows > most else ""


def _without(found: Effect) -> str:
    return (
        f"Without that assumption, P({found.outcome} | do({found.cause})) lies within these bounds (Manski 1990). Rows "
        f"that have a state of {found.cause} anyway keep their {found.outcome}; all others could have any. Only "
        "experiments or knowledge narrow the bounds."
    )


def _bounds(found: Effect) -> TableBlock:
    return table(
        "Bounds that hold whatever causes are missing.",
        (found.cause, found.outcome, ("at least", 3), ("at most", 3)),
        _by_state(found, *found.without_assumption()),
    )


def effects_answer(found: EffectMatrix, cause: str | None = None) -> Answer:
    """Return the effects of all variables, or of one, the largest to be expected first."""
    frame = found.to_frame()
    if cause is not None:
        frame = frame[frame["cause"] == cause]
    rows = tuple(
        (
            f"{row.cause} → {row.outcome}",
            show_confidence(float(str(row.probability)), 2),
            f"{state_label(str(row.change_from))} → {state_label(str(row.change_to))}",
            state_label(str(row.outcome_state)),
            f"{row.change:+.3f}",
            f"{row.low:+.3f}",
            f"{row.high:+.3f}",
        )
        for row in frame.rename(columns={"from": "change_from", "to": "change_to"}).head(MOST_ROWS).itertuples()
    )
    n = len(found.names)
    of = f"of {cause} on the {n - 1:,} others" if cause is not None else f"of {n:,} variables on each other"
    more = f" The {MOST_ROWS} largest to be expected are shown; the file has all." if len(frame) > MOST_ROWS else ""
    untold = [name for name in found.untold if cause in (None, name)]
    if untold:
        listed = ", ".join(untold)
        more += f" What setting {listed} does is not known: in every row another variable was set."
    likely = int((frame["probability"].astype(float) > 0.5).sum())
    checked = f"How often the probabilities are right {found.basis}. " if found.basis else f"{UNCHECKED} "
    text = (
        f"Of the effects {of}, {likely:,} {plural(likely, 'is', 'are')} more likely there than not. {checked}"
        f"The change is in the probability of a state of the outcome, if there is an effect. It is the largest from "
        f"one state of the cause to another, with its {percent(found.level)} interval.{more}"
    )
    title = f"What setting {cause} would do" if cause is not None else "What setting each variable would do"
    columns = ("effect", "probability", "set", "outcome", "change", "low", "high")
    return Answer(title, gather(text, table("", columns, rows), ASSUMPTION))


# Effects on numbers, or of them, in their units.


def mixed_effect_answer(
    found: MixedEffect,
    *,
    reverse: float = 0.0,
    constrained: bool = False,
    between: tuple[str, str] | None = None,
    edges: Sequence[EdgeRecord] = (),
    record: str = "",
    effect_on: Callable[[str], Effect | MixedEffect] | None = None,
) -> Answer:
    """Return what setting a variable does to another one, of which at least one is a number; see `effect_answer`.

    `effect_on` gives the effect of the same cause on another variable, of which some may be on the way.
    """
    x, y, apart = found.cause, found.outcome, ""
    what = f"P({y})" if found.of != ("mean",) else f"the mean of {y}"
    rows: list[tuple[Cell, ...]] = []
    if found.change is None:
        text = f"{_leads(found)} In none of the networks it does, so {y} would stay as it is."
    else:
        (step, of), name, sign = found.strongest, "", 1
        if between is not None:
            a, b = between
            name, sign = f"{a} -> {b}", 1 if f"{a} -> {b}" in found.steps else -1
            step = found.steps.index(name if sign == 1 else f"{b} -> {a}")
            of = int(np.abs(found.change.mean[step]).argmax())
        mean, low, high = (float(part[step, of]) for part in (found.change.mean, found.change.low, found.change.high))
        if sign == -1:
            mean, low, high = -mean, -high, -low
        unclear = "" if low > 0 or high < 0 else " The interval holds 0: which way it goes is not settled."
        changed = f"P({y} = {found.of[of]})" if found.of != ("mean",) else what
        text = (
            f"{_leads(found)} If it does, setting {x} ({_step(name or found.steps[step])}) changes {changed} by "
            f"{show_figure(mean)} ({percent(found.level)} interval {show_figure(low)} to {show_figure(high)}).{unclear}"
        )
        if between is None and found.of == ("mean",):
            apart = _apart(found, mean, float(found.observed[step, of]), edges, effect_on)
        for k, name in enumerate(found.steps):
            for s, state in enumerate(found.of):
                cells = (
                    part[k, s] for part in (found.observed, found.change.mean, found.change.low, found.change.high)
                )
                rows.append((_step(name), state_label(state), *(show_figure(float(cell)) for cell in cells)))
    caption = (
        f"If there is an effect: the change in {what}, in its units, over {counted(found.n_families, 'parent set')} of "
        f"{x}. Observed is the difference that goes with it in the data, whatever the reason."
        f"{_part_of(len(rows), MOST_ROWS)}"
    )
    columns = (f"set {x}", y, "observed", "change", "low", "high")
    changes = table(caption, columns, rows[:MOST_ROWS]) if rows else None
    lines = (
        f"Effects are taken to be straight lines: of {x}, of its parents, and of other likely causes of {y} that {x} "
        "does not change."
    )
    return Answer(
        f"What setting {x} would do to {y}",
        gather(
            text,
            apart,
            _by_sets(found, edges),
            _reversed(x, y, reverse, constrained),
            found.lacks_overlap or "",
            _robust(found),
            changes,
            lines,
            _rests(found, record),
            ASSUMPTION,
        ),
    )


def _apart(
    found: MixedEffect,
    change: float,
    observed: float,
    edges: Sequence[EdgeRecord],
    effect_on: Callable[[str], Effect | MixedEffect] | None,
) -> str:
    """Return why what is seen, what setting the cause does, and what a regression leaves are three figures."""
    x, y, step = found.cause, found.outcome, found.steps[found.strongest[0]]
    (both, rows), where = found.pairs, ""
    if both < rows:
        where = f", in the {both:,} of {rows:,} rows with both values"
    told = (
        f"In the data, {show_figure(observed)} goes with it, whatever the reason{where}. The effect, "
        f"{show_figure(change)}, is what setting {x} changes along all paths."
    )
    known = {edge.tail: edge.regression for edge in edges if edge.head == y and edge.regression is not None}
    if x not in known or math.isnan(known[x].slope) or len(found.steps) > 1:  # of three states there is no slope
        return told
    direct = known[x].slope * (1.0 if "->" in step else float(step))
    told += f" The direct part is {show_figure(direct)}: with the other parents of {y} held fixed, as `explain` has it."
    if effect_on is None or abs(change - direct) <= ERRORS * abs(direct / known[x].t):
        return told
    through = {name: _through(effect_on(name), step, own.slope) for name, own in known.items() if name != x}
    sign = math.copysign(1.0, change - direct)
    most = max((sign * part for part in through.values()), default=0.0)
    carriers = sorted(
        (name for name in through if sign * through[name] > CARRIED * most), key=lambda v: -abs(through[v])
    )
    if sum(max(0.0, sign * part) for part in through.values()) <= CARRIED * abs(change - direct):
        return told
    names = listed(carriers[:MOST_CARRIERS])
    return f"{told} Between the two are paths through {names}. An order in time (`--tiers`) removes impossible ones."


def _through(found: Effect | MixedEffect, step: str, slope: float) -> float:
    """Return what a step of the cause does by way of another variable, whose own slope a regression gives."""
    if isinstance(found, Effect) or found.change is None or math.isnan(slope):  # of three states there is no slope
        return 0.0
    return found.share * float(found.change.mean[found.steps.index(step), -1]) * slope


def _step(step: str) -> str:
    return step.replace(" -> ", " → ")


def mixed_effects_answer(found: MixedEffects, cause: str | None = None) -> Answer:
    """Return the effects of all variables, or of one, in units, the largest to be expected first."""
    rows: list[tuple[Cell, ...]] = []
    for row in found.to_frame().head(MOST_ROWS).to_dict(orient="records"):
        there = show_confidence(float(row["probability"]), 2)
        figures = (show_figure(float(row[name])) for name in ("change", "low", "high"))
        effect = f"{row['cause']} → {row['outcome']}"
        rows.append((effect, there, _step(str(row["set"])), state_label(str(row["of"])), *figures))
    likely, some = sum(one.probability > 0.5 for one in found.effects), len(found.effects) > MOST_ROWS
    text = (
        f"Of {counted(len(found.effects), 'effect')} that some network has, {likely:,} "
        f"{plural(likely, 'is', 'are')} more likely there than not. The change is that of the mean of a number, in its "
        f"units, or of the probability of a state, if there is an effect. Largest are those of most standard "
        f"deviations.{f' The {MOST_ROWS} largest to be expected are shown; the file has all.' if some else ''}"
    )
    title = f"What setting {cause} would do" if cause is not None else "What setting each variable would do"
    return Answer(
        title,
        gather(text, table("", ("effect", "probability", "set", "of", "change", "low", "high"), rows), ASSUMPTION),
    )


def possible_mixed_answer(found: Sequence[tuple[tuple[str, ...], MixedEffect]]) -> Answer:
    """Return the effects over the sets of parents of one class, in units."""
    first = found[0][1]
    rows: list[tuple[Cell, ...]] = []
    for parents, one in found:
        step, of = first.strongest
        figures: tuple[str, ...] = ("0", "0", "0")
        if one.change is not None:
            ends = one.change.mean, one.change.low, one.change.high
            figures = tuple(show_figure(float(part[step, of])) for part in ends)
        rows.append((", ".join(parents) or "none", _step(one.steps[step]), state_label(one.of[of]), *figures))
    text = (
        f"Data of this kind cannot tell the networks of this one class apart. They give {first.cause} "
        f"{counted(len(found), 'possible set')} of parents; with {sum(one.change is not None for _, one in found):,} "
        f"of them it has an effect on {first.outcome}."
    )
    columns = ("parents", f"set {first.cause}", first.outcome, "change", "low", "high")
    return Answer(
        f"What setting {first.cause} would do to {first.outcome}, within one class",
        gather(text, table("", columns, rows), f"The class is taken to be the right one. {ASSUMPTION}"),
    )


def possible_answer(found: PossibleEffects) -> Answer:
    """Return the range of an effect within one class of equivalent networks."""
    sets = first_few([", ".join(names) or "none" for names in found.parents], 8, "; ")
    text = (
        f"Data of this kind cannot tell the networks of this one class apart. They give {found.cause} "
        f"{counted(len(found.parents), 'possible set')} of parents ({sets}); with {sum(found.is_cause):,} of "
        f"them it has an effect on {found.outcome}. The range is that of the estimates over these sets."
    )
    ranges = table(
        f"P({found.outcome}) if {found.cause} is set: the range of the estimates, and of the intervals.",
        (found.cause, found.outcome, ("at least", 3), ("at most", 3), ("lowest end", 3), ("highest end", 3)),
        _by_state(found, *found.range, found.low.min(axis=0), found.high.max(axis=0)),
    )
    return Answer(
        f"What setting {found.cause} would do to {found.outcome}, within one class",
        gather(text, ranges, f"The class is taken to be the right one. {ASSUMPTION}"),
    )


# A distribution averaged over networks and parameters, in words and as a table.


SMALL_SHARE = 0.1  # of the variance
NUMBERS = ("probability", "low", "high", "between_networks")


def averaged_answer(question: str, found: AveragedDistribution, frame: pd.DataFrame, networks: str) -> Answer:
    """Return a distribution with how sure it is; `frame` has the rows asked for, `networks` says what they are."""
    at = frame["probability"].to_numpy().argmax()
    row = frame.iloc[int(at)]
    states = ", ".join(f"{name} = {state_label(str(row[name]))}" for name in found.names)
    most = "The most probable is " if len(frame) > 1 else ""
    text = (
        f"{most}{states}, with probability {row['probability']:.3f} ({percent(found.level)} interval {row['low']:.3f} "
        f"to {row['high']:.3f}). This is an average over {found.networks:,} different {networks}, and the interval "
        f"holds what is not known about the network as well as about its probabilities; {_structure(found)}."
    )
    numbers = [(name.replace("_", " "), 3) for name in NUMBERS]
    rows: list[tuple[Cell, ...]] = []
    for values in frame.to_dict(orient="records"):
        labels = [state_label(str(values[name])) for name in found.names]
        rows.append((*labels, *(float(values[name]) for name in NUMBERS)))
    caption = (
        f"{question}, with {percent(found.level)} intervals from {found.draws:,} draws; the last column is the "
        "standard deviation between networks."
    )
    return Answer(question, gather(text, table(caption, (*found.names, *numbers), rows)))


def _structure(found: AveragedDistribution) -> str:
    widest = np.unravel_index(int(np.argmax(found.high - found.low)), found.mean.shape)
    deviations = 2 * NormalDist().inv_cdf(0.5 + found.level / 2)  # from end to end of the interval
    whole = float(found.high[widest] - found.low[widest]) / deviations
    share = 0.0 if whole <= 0 else min(1.0, (float(found.between[widest]) / whole) ** 2)
    if share < SMALL_SHARE:
        return "which network it is hardly matters for it"
    return f"which network it is accounts for about {percent(share)} of the variance"


def table_answer(question: str, frame: pd.DataFrame, remark: str = "") -> Answer:
    """Return the table that answers a question of one network, as it is."""
    rows = (
        tuple(f"{cell:.4g}" if isinstance(cell, float) else state_label(str(cell)) for cell in row)
        for row in frame.itertuples(index=False, name=None)
    )
    return Answer(question, gather(table("", map(str, frame), rows), remark))
