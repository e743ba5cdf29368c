"""What a limit cost an analysis, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from arcwise.base.options import CANDIDATES, MANY_VARIABLES
from arcwise.base.run import Status
from arcwise.findings import parts
from arcwise.findings.checks import TargetFocus
from arcwise.findings.edges import MOST_DESCRIBED
from arcwise.findings.method_result import MethodResult, Shortfall
from arcwise.findings.network_facts import CredibleFacts
from arcwise.findings.parts import Remark
from arcwise.report.sections import bound_words, factor_words

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset
    from arcwise.findings.findings import Findings
    from arcwise.findings.price import ConstraintPrice
    from arcwise.graph.beliefs import Beliefs
    from arcwise.graph.constraints import Constraints
    from arcwise.networks.recipe import Recipe


# What is known of a set of networks that a limit ended, in words.


# With so few parents most tables fit.
FEW_PARENTS = 3


def remedy_words(status: Status, recipe: Recipe, scored: int | None = None) -> str:
    """Return what would make a set fit its limit; `scored` is how many parents it has come to."""
    fewer = scored or FEW_PARENTS
    if recipe.max_parents is not None and recipe.max_parents <= fewer:
        fewer = recipe.max_parents - 1
    ways = [] if status is Status.MEMORY_LIMIT else ["allow more time (--limit-seconds)"]
    ways += [f"ask for fewer parents (--max-parents {fewer})"] if fewer > 0 else []
    ways += [] if recipe.score.get("name") == "bic" else ["take another score (--score bic prunes best)"]
    words = ", ".join([*ways, "or use --method bootstrap"]) if ways else "use --method bootstrap"
    return f"{words[0].upper()}{words[1:]}."


def why_unfinished(given_up: MethodResult) -> str:
    """Return where the set ended: "its networks could not all be counted (time limit)"."""
    scored = _scored(given_up)
    upto = "" if scored is None else f" beyond sets of {scored}"
    what = {
        Shortfall.TABLE: f"the table of parent sets could not be completed{upto}",
        Shortfall.NETWORKS: "its networks could not all be counted",
    }.get(given_up.shortfall or Shortfall.NETWORKS, "too few completions were finished")
    return f"{what} ({given_up.status})"


def _scored(given_up: MethodResult) -> int | None:
    return None if given_up.unfinished is None else given_up.unfinished.most_parents


def known_words(given_up: MethodResult) -> str:
    """Return what is known where a comparison has no set: the best network and its bound, and a smaller set's count."""
    unfinished = given_up.unfinished
    if unfinished is None:
        return ""
    parts = []
    if unfinished.found is not None:
        proved = bound_words(unfinished.found, given_up.recipe)
        parts.append(f"the best network found has the score {unfinished.found.score:.6f}, and {proved}")
    reached, slack = unfinished.facts.get("reached_count"), unfinished.facts.get("reached_slack")
    if reached is not None and slack is not None:
        count = int(reached)
        parts.append(f"{count:,} network{' is' if count == 1 else 's are'} within {factor_words(slack)} of the best")
    return "; ".join(parts)


def unfinished_remark(shown: MethodResult, given_up: MethodResult, *, gaps: bool) -> Remark:
    """Return the message that the set is not complete, what is shown instead, and what is known of the best."""
    best = shown.optimum
    asked = f"{given_up.recipe.settings['bayes_factor']:g}"
    begin = f"The credible set at a Bayes factor of {asked} is not complete: {why_unfinished(given_up)}. What is shown"
    proved = "" if best is None else bound_words(best, given_up.recipe)
    if shown.shortfall is Shortfall.SMALLER:
        factor = f"{shown.recipe.settings['bayes_factor']:.3g}"
        many = f"all {shown.count:,} networks" if shown.count != 1 else "the one network"
        text = (
            f"{begin} is the average over {many} within a Bayes factor of {factor} of the best, which were all found. "
            "Others that the data cannot rule out have no part in it. So confidences tend to be nearer to 0 and 1 than "
            "those of the whole set."
        )
        text += "" if best is None else f" The best network has the score {best.score:.6f}: {proved}."
    else:
        assert best is not None
        where = " of one completion of the data" if gaps else ""
        text = (
            f"{begin} is the best network{where} that was found, with the score {best.score:.6f}: {proved}. It does "
            "not say how far its edges can be trusted."
        )
    return Remark(
        f"{text} {remedy_words(given_up.status, given_up.recipe, _scored(given_up))}",
        by_time=Status.TIME_LIMIT in (given_up.status, shown.status),
    )


def shortfall_words(made: MethodResult) -> str:
    """Return what was missing: "its networks could not all be counted (time limit)"."""
    wanted = made.recipe.settings.get(made.recipe.source_facts.counted_by)
    what = {
        None: "it is complete",
        Shortfall.BEGINNING: made.why,
        Shortfall.TABLE: "the table of parent sets could not be completed",
        Shortfall.NETWORKS: "its networks could not all be counted",
        Shortfall.SAMPLE: f"{made.count:,}" + (f" of {wanted:,}" if wanted else "") + " networks"
        if made.recipe.source_facts.has_shares
        else "the search was stopped on its way",
        Shortfall.COMPLETIONS: f"{0 if made.confidence is None else made.confidence.completions:,} of "
        f"{made.recipe.completions:,} completions",
        Shortfall.EVERYTHING: "no network was finished",
        Shortfall.SMALLER: "all networks within a smaller Bayes factor than asked for",
        Shortfall.SINGLE: "the best network found",
    }[made.shortfall]
    return f"{what} ({made.status})"


def _longer(found: MethodResult, enough: float | None) -> str:
    """Return which limit would be about enough for all networks, rounded up to two digits."""
    wanted = found.recipe.settings.get(found.recipe.source_facts.counted_by)
    if enough is None or not wanted or found.status is not Status.TIME_LIMIT:
        return "Allow more time with --limit-seconds."
    step = 10.0 ** (math.floor(math.log10(enough)) - 1)
    return f"All {wanted:,} would need about --limit-seconds {float(f'{math.ceil(enough / step) * step:.2g}'):.10g}."


def single_remark(shown: MethodResult, given_up: MethodResult, *, gaps: bool = False) -> Remark:
    """Return the message that no network of a bootstrap was finished, and that there is one to be looked at."""
    of = "one completion of the data" if gaps else "the data"
    climb = f"a plain hill climb on {of}"
    if shown.shortfall is Shortfall.EVERYTHING:
        climb += " as far as it came"
    source = given_up.recipe.source_facts
    wanted = given_up.recipe.settings.get(source.counted_by)
    tried = f"none of its {wanted:,} networks" if wanted else "no network"
    return Remark(
        f"The {source.title} could not be completed: {tried} was finished in the {given_up.seconds:.1g} s that were "
        f"left. What is shown is one network, by {climb}. It does not say how far its edges can be trusted. Allow "
        "more time with --limit-seconds.",
        by_time=True,
    )


def sample_remark(found: MethodResult, enough: float | None) -> Remark:
    """Return the message that networks are missing, or chains do not agree; `enough` seconds might do."""
    if found.verdict.get("converged"):
        text = (
            f"{found.verdict['sentence']} But the time limit decided how the networks were drawn, so that another run "
            "may differ. Allow more time with --limit-seconds."
        )
    elif found.verdict:
        text = (
            f"{found.verdict['sentence']} The confidences are those of the draws, not of the posterior. Allow more "
            "time with --limit-seconds, or more draws with --setting most_draws=."
        )
    elif found.optimum is not None:
        text = (
            f"The best network is not proved to be one ({found.status}). What is shown has the score "
            f"{found.optimum.score:.6f}: {bound_words(found.optimum, found.recipe)}. "
            f"{remedy_words(found.status, found.recipe, found.optimum.most_parents)}"
        )
    else:
        title = found.recipe.source_facts.title
        text = f"The {title} is not complete: {shortfall_words(found)}. {_longer(found, enough)}"
    return Remark(text, by_time=found.status is Status.TIME_LIMIT)


def no_networks_message(given_up: MethodResult) -> str:
    """Return the message that there is nothing to average, and what to do about it."""
    facts = given_up.recipe.source_facts
    remedy = "Allow more time: --limit-seconds." if facts.is_sample else remedy_words(given_up.status, given_up.recipe)
    return f"the {facts.title} could not be completed: {shortfall_words(given_up)}. {remedy}"


# All remarks of an analysis, in the order of its parts.


UNDESCRIBED = Remark(
    "The main set's classes, its share of the posterior and experiments may be missing or less exact: the time did not "
    "suffice. Allow more with --limit-seconds.",
    by_time=True,
)


def analysis_remarks(analysis: Findings) -> tuple[Remark, ...]:
    """Return what the reader of an analysis has to know: of the data, of each part, and of what is unfinished."""
    remarks = [*_remarks_before(analysis.data, analysis)]
    for part in analysis.parts:
        new = _of_main_set(part, analysis) if isinstance(part, parts.MainSet) else _of_part(part)
        remarks += [remark for remark in new if remark not in remarks]
    steps = "; ".join(analysis.unfinished)
    if steps and analysis.stopped:
        remarks.append(Remark(f"You stopped the run before these were computed: {steps}.", by_time=True))
    elif steps:
        remarks.append(Remark(f"This is a first result. Still to come, and then written in its place: {steps}."))
    return tuple(remarks)


def is_by_time(analysis: Findings) -> bool:
    """Whether the clock decided something: a run with more time, or on a faster machine, may differ."""
    notes = () if analysis.cuts is None else analysis.cuts.notes
    others = (*analysis.sets, analysis.without_constraints, analysis.without_beliefs)
    if any(one is not None and one.hurried for one in others):
        return True
    return any(remark.by_time for remark in (*analysis_remarks(analysis), *analysis.prior.notes, *notes))


def status_of(analysis: Findings) -> Status:
    """Return how the analysis ended: see `Analysis.status`."""
    if analysis.unfinished:
        return Status.INTERRUPTED
    if analysis.main.status is not Status.COMPLETE:
        return analysis.main.status
    return Status.TIME_LIMIT if is_by_time(analysis) else Status.COMPLETE


def _remarks_before(data: Dataset, analysis: Findings) -> Iterator[Remark]:
    """Return what is to be said of the data and of what was said about them, whatever networks there are."""
    beliefs, constraints = analysis.options.beliefs, analysis.constraints
    if data.n_variables > MANY_VARIABLES:
        yield Remark(
            f"With more than {MANY_VARIABLES} variables, the page draws what is around one of them at a time. "
            "The file confidence.parquet lists the pairs that some network joins. Replicates are refined among the "
            f"{CANDIDATES} parents of each variable that gained most. Which experiment would settle most is not asked."
        )
    idle = None if beliefs is None else idle_remark(beliefs, analysis.options.constraints, data)
    yield from () if idle is None else (idle,)
    if constraints is None or data.targets is None:
        return
    for name in constraints.names:
        if name in data.names and data.cases_without(name).n_cases == 0:
            for tail in constraints.required_parents(name):
                yield Remark(
                    f"{tail} → {name} is required, but {name} was set in all {data.n_cases:,} rows: the data say "
                    "nothing about its parents. The arc is there because you said so."
                )


def idle_remark(beliefs: Beliefs, constraints: Constraints | None, data: Dataset) -> Remark | None:
    """Return which odds have no effect: constraints decide, or a variable never varies or was always set."""
    sentences = [] if constraints is None else list(beliefs.idle_under(constraints))
    constant = [name for name in beliefs.names if data.constant[data.index(name)]]
    sentences += [f"the odds of {name} do nothing: it has the same value in all rows" for name in constant]
    heads = {name for a, b, _ in beliefs.edges for name in (a, b)} | {head for _, head, _ in beliefs.arcs}
    always = [name for name in sorted(heads - {*constant}) if data.cases_without(name).n_cases == 0]
    sentences += [f"the odds of arcs into {name} do nothing: it was set in all rows" for name in always]
    if not sentences:
        return None
    return Remark(f"Prior odds without effect: {'; '.join(sentences)}.")


def _of_main_set(part: parts.MainSet, analysis: Findings) -> Iterator[Remark]:
    found, given_up, uncut = part.result, part.given_up, analysis.prepared.uncut
    if given_up is None:
        yield from _of_networks(part)
    elif given_up.recipe.source_facts.is_sample:
        yield single_remark(found, given_up, gaps=analysis.gaps is not None)
    else:
        yield unfinished_remark(found, given_up, gaps=analysis.gaps is not None)
    if analysis.prepared.hurried:
        yield Remark(f"{analysis.prepared.hurried} Allow more with --limit-seconds.", by_time=True)
    if uncut is not None and uncut.cut_status is not Status.COMPLETE:
        yield Remark(
            "The cuts of the numbers are not the best ones: the time did not suffice to choose them. Allow more with "
            "--limit-seconds.",
            by_time=True,
        )


def _of_networks(part: parts.MainSet) -> Iterator[Remark]:
    found = part.result
    if found.kept is not None and found.kept.networks.copies:
        copies = (f"'{copy}' is a copy of '{first}'" for copy, first in found.kept.networks.copies.items())
        yield Remark(
            f"Of columns that correspond one to one, data cannot tell which one another variable depends on, nor which "
            f"of them comes first: {'; '.join(copies)}. All edges are shown at the column that comes first in the "
            "data, and the edge between the two is no finding. Leave one of them out with --drop."
        )
    if found.status is Status.INTERRUPTED:  # what the user stopped is said at the end
        return
    if found.shortfall in (Shortfall.SAMPLE, Shortfall.COMPLETIONS):
        yield sample_remark(found, part.enough)
    if found.hurried and found.shortfall is None:
        yield UNDESCRIBED


def _of_part(part: parts.Part) -> Iterator[Remark]:  # noqa: PLR0912 - one case for each kind of part
    match part:
        case parts.WithoutConstraints(given_up=MethodResult() as made):
            why = "the time was up" if not made.count else shortfall_words(made)
            yield Remark(
                f"What the data would say without your constraints was not computed: {why}. Allow more time with "
                "--limit-seconds.",
                by_time=made.status is Status.TIME_LIMIT,
            )
        case parts.WithoutBeliefs(given_up=MethodResult() as made):
            text = f"What the confidences are without the prior odds was not computed: {shortfall_words(made)}."
            yield Remark(text, by_time=made.status is Status.TIME_LIMIT)
        case parts.MainAnswer():
            yield from part.thresholds.notes
            if left_out := part.consensus.dag.n_arcs - part.network.dag.n_arcs:
                yield Remark(
                    f"{left_out} of {part.consensus.dag.n_arcs:,} arcs are not in network.bif. With the numbers cut, "
                    "tables of so many parents would not fit. network.json has all arcs, and the numbers as they are."
                )
            text = "What the strength of the prior does to each edge was not computed:"
            if part.hurried:
                yield Remark(f"{text} the time was up.", by_time=True)
            elif len(part.edges) > MOST_DESCRIBED:
                yield Remark(
                    f"{text} there are more than {MOST_DESCRIBED:,} pairs to describe. `arcwise prior edge` says it of "
                    "one."
                )
        case parts.Comparisons():
            for place in range(len(part.made) + 1):
                if part.missing and place == part.last_missing:
                    listed = "; ".join(f"{title} ({_missing_words(made)})" for title, made in part.missing)
                    by_time = any(made.status is Status.TIME_LIMIT for _, made in part.missing)
                    yield Remark(f"Not computed for comparison: {listed}.", by_time=by_time, aside=True)
                if place < len(part.made) and (made := part.made[place]).shortfall is not None:
                    text = f"The comparison with the {made.title} rests on {shortfall_words(made)}."
                    yield Remark(text, by_time=made.status is Status.TIME_LIMIT, aside=True)
        case parts.PosteriorShare(credible=CredibleFacts(covered_by_time=True)):
            yield UNDESCRIBED
        case parts.ShuffledColumns(note=Remark() as note):
            yield note
        case parts.PriceOfConstraints():
            yield from _price_remarks(part.found)
        case parts.Fit(too_large=True):
            yield Remark(
                "Whether the network fits was not tested: with so many variables and rows that takes long. arcwise "
                "check-fit does it."
            )
        case parts.Fit(found=None):
            text = f"Whether the network fits was not tested ({part.shortage or 'the time was up'})."
            yield Remark(text, by_time=True)
        case TargetFocus() if part.scores.by_time:
            yield Remark(
                f"How well {part.variable.name} is predicted was found with networks by hill climbing in some folds: "
                "the time did not suffice to average over networks there.",
                by_time=True,
                aside=True,
            )


def _missing_words(made: MethodResult) -> str:
    """Return why a comparison is missing, and what is known all the same."""
    return made.why or "; ".join(words for words in (shortfall_words(made), known_words(made)) if words)


def _price_remarks(price: ConstraintPrice | None) -> Iterator[Remark]:
    if price is None:
        text = "What your constraints cost was not computed: the time was up. Allow more time with --limit-seconds."
        yield Remark(text, by_time=True)
    elif price.unpriced:
        count, total = len(price.unpriced), len(price.unpriced) + len(price.parts)
        text = f"What {count:,} of the {total:,} constraints cost by themselves was not computed: the time was up."
        yield Remark(text, by_time=True)
