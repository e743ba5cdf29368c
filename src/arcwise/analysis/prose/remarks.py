"""What a limit cost an analysis, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arcwise.analysis.averaged import NotBegun, Shortfall
from arcwise.analysis.prose.bounds import bound_words
from arcwise.analysis.prose.unfinished import known_words, remedy_words
from arcwise.analysis.remark import Remark
from arcwise.defaults import CANDIDATES, MANY_VARIABLES
from arcwise.limits import Status

if TYPE_CHECKING:
    from arcwise.analysis.averaged import Averaged
    from arcwise.analysis.price import ConstraintPrice
    from arcwise.confidence.calibration.self_calibration import SelfCalibration

__all__ = [
    "copies_remark",
    "cut_remark",
    "hurried_remark",
    "missing_remark",
    "no_networks_message",
    "price_remarks",
    "sample_remark",
    "shortened_remark",
    "shortfall_words",
    "simulated_remark",
    "single_remark",
    "stopped_remark",
    "to_come_remark",
    "too_large_to_test_remark",
    "uncalibrated_remark",
    "unchecked_prior_remark",
    "unconstrained_remark",
    "undescribed_remark",
    "unsimulated_remark",
    "untested_remark",
]


def shortfall_words(made: Averaged) -> str:
    """Say what was missing: "its networks could not all be counted (time limit)"."""
    wanted = made.recipe.settings.get(made.recipe.source_facts.counted_by)
    what = {
        None: "it is complete",
        Shortfall.TABLE: "the table of parent sets could not be completed",
        Shortfall.NETWORKS: "its networks could not all be counted",
        Shortfall.SAMPLE: f"{made.count:,}" + (f" of {wanted:,}" if wanted else "") + " networks",
        Shortfall.COMPLETIONS: f"{0 if made.confidence is None else made.confidence.completions:,} of "
        f"{made.recipe.completions:,} completions",
        Shortfall.EVERYTHING: "no network was finished",
        Shortfall.SMALLER: "all networks within a smaller Bayes factor than asked for",
        Shortfall.SINGLE: "the best network found",
    }[made.shortfall]
    return f"{what} ({made.status})"


def _longer(found: Averaged, enough: float | None) -> str:
    """Say which limit would be about enough for all networks, rounded up to two digits; None if that is not known."""
    wanted = found.recipe.settings.get(found.recipe.source_facts.counted_by)
    if enough is None or not wanted or found.status is not Status.TIME_LIMIT:
        return "Allow more time with --limit-seconds."
    step = 10.0 ** (math.floor(math.log10(enough)) - 1)
    return f"All {wanted:,} would need about --limit-seconds {float(f'{math.ceil(enough / step) * step:.2g}'):.10g}."


def single_remark(given_up: Averaged) -> Remark:
    """Say that no network of a bootstrap was finished, and that there is one all the same, to be looked at only."""
    wanted = given_up.recipe.settings.get(given_up.recipe.source_facts.counted_by)
    tried = f"none of its {wanted:,} networks" if wanted else "no network"
    return Remark(
        f"The bootstrap could not be completed: {tried} was finished in the {given_up.seconds:.1g} s that were left: "
        "how long they take is not known. What is shown is one network, by a plain hill climb on the data: it is there "
        "to be looked at, and says nothing of how far its edges can be trusted. Allow more time with --limit-seconds.",
        by_time=True,
    )


def sample_remark(found: Averaged, enough: float | None) -> Remark:
    """Say that there are fewer networks than asked for, or that chains do not agree; `enough` seconds might do."""
    if found.verdict.get("converged"):
        return Remark(
            f"{found.verdict['sentence']} But the time limit decided how the networks were drawn, so that another run "
            "may differ. Allow more time with --limit-seconds.",
            by_time=found.status is Status.TIME_LIMIT,
        )
    if found.verdict:
        return Remark(
            f"{found.verdict['sentence']} The confidences are those of the draws, not of the posterior. Allow more "
            "time with --limit-seconds, or more draws with --setting most_draws=.",
            by_time=found.status is Status.TIME_LIMIT,
        )
    if found.optimum is not None:
        return Remark(
            f"The best network is not proved to be one ({found.status}). What is shown has the score "
            f"{found.optimum.score:.6f}: {bound_words(found.optimum, found.recipe)}. "
            f"{remedy_words(found.status, found.recipe, found.optimum.most_parents)}",
            by_time=found.status is Status.TIME_LIMIT,
        )
    return Remark(
        f"The {found.recipe.source_facts.title} is not complete: {shortfall_words(found)}. {_longer(found, enough)}",
        by_time=found.status is Status.TIME_LIMIT,
    )


def copies_remark(copies: Mapping[str, str]) -> Remark:
    """Say which columns have the same content, and that edges are shown at the first of them."""
    listed = "; ".join(f"'{copy}' is a copy of '{first}'" for copy, first in copies.items())
    return Remark(
        f"Of columns that correspond one to one, data cannot tell which one another variable depends on, nor which of "
        f"them comes first: {listed}. All edges are shown at the column that comes first in the data, and the edge "
        "between the two is no finding. Leave one of them out with --drop."
    )


def undescribed_remark() -> Remark:
    """Say that the time was over before all was found that the report says of the main set."""
    return Remark(
        "What is said of the main set beyond the confidences (its classes, its share of the posterior, experiments) "
        "may be missing or less exact: the time did not suffice. Allow more with --limit-seconds.",
        by_time=True,
    )


def cut_remark() -> Remark:
    """Say that the time was over before the cuts were those that they would have been."""
    return Remark(
        "The cuts of the numbers are not the best ones: the time did not suffice to choose them. Allow more with "
        "--limit-seconds.",
        by_time=True,
    )


def simulated_remark(found: SelfCalibration) -> Remark:
    """Say that the probabilities come from fewer simulated data sets than they should."""
    return Remark(
        f"The probabilities come from {found.repeats} simulated data sets, or from networks that are not all "
        f"there: {found.status}. Allow more time with --limit-seconds.",
        by_time=found.status is Status.TIME_LIMIT,
    )


def unsimulated_remark(why: str, *, by_time: bool) -> Remark:
    """Say why no data were simulated from the networks."""
    return Remark(
        f"How often confidences are right in data simulated from these networks was not found, or from fewer data "
        f"sets than planned: {why}. Allow more time with --limit-seconds.",
        by_time=by_time,
    )


def missing_remark(missing: Sequence[tuple[str, Averaged | NotBegun]]) -> Remark:
    """Say which comparisons are missing."""
    listed = "; ".join(
        f"{title} ({made.why if isinstance(made, NotBegun) else _missing_words(made)})" for title, made in missing
    )
    by_time = any(
        made.by_time if isinstance(made, NotBegun) else made.status is Status.TIME_LIMIT for _, made in missing
    )
    return Remark(f"Not computed for comparison: {listed}.", by_time=by_time)


def _missing_words(made: Averaged) -> str:
    """Say why a comparison is missing, and what is known all the same."""
    known = known_words(made)
    return f"{shortfall_words(made)}{f'; {known}' if known else ''}"


def shortened_remark(made: Averaged) -> Remark:
    """Say that a comparison rests on fewer networks than asked for."""
    by_time = made.status is Status.TIME_LIMIT
    return Remark(f"The comparison with the {made.title} rests on {shortfall_words(made)}.", by_time=by_time)


def to_come_remark(steps: Sequence[str]) -> Remark:
    """Say what a first result does not have yet."""
    return Remark(f"This is a first result. Still to come, and then written in its place: {'; '.join(steps)}.")


def stopped_remark(steps: Sequence[str]) -> Remark:
    """Say what was not computed because the user stopped the run."""
    return Remark(f"You stopped the run before these were computed: {'; '.join(steps)}.", by_time=True)


def unchecked_prior_remark() -> Remark:
    """Say that it is not known what the prior does to each edge."""
    return Remark("What the strength of the prior does to each edge was not computed: the time was up.", by_time=True)


def many_variables_remark(n_variables: int) -> Remark:
    """Say what is done otherwise where there are very many variables."""
    return Remark(
        f"With {n_variables:,} variables, more than {MANY_VARIABLES}, the page draws what is around one of them at a "
        f"time, confidence.parquet lists the pairs that some network joins, replicates are refined among the "
        f"{CANDIDATES} parents of each variable that gained most, and which experiment would settle most is not asked."
    )


def too_many_priors_remark(most: int) -> Remark:
    """Say that what the prior does to each edge was left out, and how to ask for one."""
    return Remark(
        f"What the strength of the prior does to each edge was not computed: there are more than {most:,} pairs to "
        "describe. `arcwise prior edge` says it of one."
    )


def untested_remark(why: str) -> Remark:
    """Say that it was not tested whether the network fits."""
    return Remark(f"Whether the network fits was not tested ({why or 'the time was up'}).", by_time=True)


def too_large_to_test_remark() -> Remark:
    """Say that a network of this size is not tested unless somebody asks for it."""
    return Remark(
        "Whether the network fits was not tested: with so many variables and rows that takes long. arcwise check-fit "
        "does it."
    )


def unconstrained_remark(made: Averaged) -> Remark:
    """Say that it is not known what the data would say without the constraints."""
    return Remark(
        "What the data would say without your constraints was not computed: "
        f"{'the time was up' if not made.count else shortfall_words(made)}. Allow more time with --limit-seconds.",
        by_time=made.status is Status.TIME_LIMIT,
    )


def price_remarks(price: ConstraintPrice | None) -> tuple[Remark, ...]:
    """Say what is not known about the price of the constraints."""
    if price is None:
        text = "What your constraints cost was not computed: the time was up. Allow more time with --limit-seconds."
        return (Remark(text, by_time=True),)
    if price.unpriced:
        count, total = len(price.unpriced), len(price.unpriced) + len(price.parts)
        text = f"What {count:,} of the {total:,} constraints cost by themselves was not computed: the time was up."
        return (Remark(text, by_time=True),)
    return ()


def no_networks_message(given_up: Averaged) -> str:
    """Say that there is nothing to average, and what to do about it."""
    facts = given_up.recipe.source_facts
    remedy = "Allow more time: --limit-seconds." if facts.is_sample else remedy_words(given_up.status, given_up.recipe)
    return f"the {facts.title} could not be completed: {shortfall_words(given_up)}. {remedy}"


def hurried_remark(target: str) -> Remark:
    """Say that the time did not suffice to learn anew in every fold as the analysis did."""
    return Remark(
        f"How well {target} is predicted was found with networks by hill climbing in some folds: the time did not "
        "suffice to average over networks there.",
        by_time=True,
    )


def uncalibrated_remark(why: str) -> Remark:
    """Say that the probabilities are those of the package's table, since simulations took too long."""
    return Remark(f"The probabilities are those of studies of known networks: {why}", by_time=True)
