"""The steps that the answer rests on: the main set of networks, the same without what was said, and the network.

Each takes what was found before it, and the run, and returns its part.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arcwise.base.errors import OptionError
from arcwise.base.run import Limits, Status
from arcwise.confidence.by_recipe import with_chance
from arcwise.confidence.calibration import Calibration
from arcwise.confidence.consensus import consensus_network
from arcwise.data.dataset import Dataset
from arcwise.findings.checks import check_prior
from arcwise.findings.edges import Origins, Withheld, believed_of, describe_edges
from arcwise.findings.method_result import MethodResult, Shortfall, average, average_kept, average_of, is_few
from arcwise.findings.parts import MainAnswer, MainSet, WithoutBeliefs, WithoutConstraints
from arcwise.findings.sites import with_sites
from arcwise.findings.thresholds import choose_thresholds
from arcwise.graph.dag import Dag
from arcwise.model.fitting import fit_parameters
from arcwise.recipes.optimum import find_best, single_network
from arcwise.report.remarks import no_networks_message
from arcwise.sampled.number_completions import NumberCompletions
from arcwise.scores.dirichlet import Bhd

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.analysis.run import LearnRun
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.exact.proof import Optimum
    from arcwise.networks.recipe import Recipe
    from arcwise.scores.score import Score

# Numbers that the tables of a copy whose numbers are cut may hold: ten parents in three bins are 59,049 rows.
MOST_CUT_CELLS = 2**20
# The part of the time that the main set may take.
MAIN_SHARE = 0.7
# Without a limit of time, a best network in place of a set that did not fit into memory is looked for as long as the
# set was, and at least so many seconds.
LEAST_SECONDS = 60.0


def main_set(_: Analysis, run: LearnRun) -> MainSet:
    """Average the networks of the method, by default a bootstrap's; where that cannot obey, a credible set's.

    What is averaged was chosen by log loss on families of worlds left out: a bootstrap with qNML, as good as any
    and the same for all sizes (docs/benchmarks/calibration.md). No limit chooses another recipe.
    """
    recipe = run.recipe(run.source, run.score)
    found = average(recipe, run.learned_from(recipe), run.share(MAIN_SHARE).replace(journal=run.journal), describe=True)
    run.seconds_by_source[recipe.source] = found.seconds
    if found.confidence is None:
        shown = _single(found, run) or _known(found, run)
        if shown is None:
            raise OptionError(no_networks_message(found))
        left = found.unfinished
        return _measured(MainSet(shown, replace(found, unfinished=None if left is None else left.summed_up)), run)
    return _measured(MainSet(found, enough=None if found.expected is None else found.expected / MAIN_SHARE), run)


def kept_set(run: LearnRun) -> MainSet:
    """Average the networks of the main set that were learned until the user stopped it."""
    recipe = run.recipe(run.source, run.score)
    return MainSet(average_kept(recipe, run.learned_from(recipe), run.clock.replace(journal=run.journal)))


def _measured(part: MainSet, run: LearnRun) -> MainSet:
    """Leave it to a later step to find how much of the posterior the set holds, and to let the set go then."""
    run.measure = part.result.find_covered
    return replace(part, result=replace(part.result, find_covered=None))


def _single(given_up: MethodResult, run: LearnRun) -> MethodResult | None:
    """Find one network where the time of a bootstrap did not suffice for any: an answer, if nothing to trust.

    A plain climb takes a tenth of the time of a replicate; where it is stopped, too, the network is how far it came.
    Of data with gaps it is that of one completion. None if the time was not what ended the bootstrap.
    """
    source = given_up.recipe.source_facts
    if not source.is_sample or not source.fallback or given_up.status is not Status.TIME_LIMIT:
        return None
    recipe = run.recipe(source.fallback, given_up.recipe.scorer)
    recipe = replace(recipe, settings={**recipe.settings, "refine": 0})
    made = average(recipe, run.whole, run.clock.grace.replace(journal=None), describe=True)
    found = made.confidence
    if found is None:
        return None
    stopped = made.status is Status.TIME_LIMIT
    return replace(
        made,
        confidence=_of_one_completion(found, run),
        status=Status.TIME_LIMIT,
        shortfall=Shortfall.EVERYTHING if stopped else Shortfall.SAMPLE,
    )


def _of_one_completion(found: EdgeConfidence, run: LearnRun) -> EdgeConfidence:
    """Return what confidences of one completion of data with gaps are; those of complete data stay."""
    gaps = run.prepared.data.gaps
    if gaps is None:
        return found
    return replace(found, filled=gaps.pair_shares_missing, data_digest=gaps.digest, completions=1)


def _known(given_up: MethodResult, run: LearnRun) -> MethodResult | None:
    """Return what is left of a credible set that a limit ended: a smaller one that is complete, or a best network.

    Both are looked for in half of the time that is left. Where none is, there is a best network all the same, with
    the bound that holds, or how far a climb came. None only if no network is known that satisfies the constraints.
    Of data with gaps it is that of one completion, of which no smaller set is averaged.
    """
    source = given_up.recipe.source_facts
    if source.is_sample or not source.fallback:
        return None
    assert given_up.status is not Status.COMPLETE
    half, given = run.clock.share(0.5), run.clock.given.seconds
    most = max(LEAST_SECONDS, given_up.seconds)
    climb = Limits(seconds=most) if given is None else run.clock.grace.uncounted
    unfinished, data = given_up.unfinished, run.complete.independent()
    alone = replace(given_up.recipe, source=source.fallback, settings={})
    if unfinished is None:  # too few completions
        best, _ = find_best(alone, data, half.replace(limits=_within(half.limits, most)), climb=climb)
        return None if best is None else _alone(given_up, alone, best, run)
    smaller = unfinished.smaller(half.share(0.5).limits) if run.data.gapless is not None else None
    if smaller is not None:
        own = {"bayes_factor": smaller.recipe.settings["bayes_factor"], "most_networks": None}  # all of them
        recipe = replace(given_up.recipe, settings={**given_up.recipe.settings, **own})
        found = average_of(recipe, smaller.made_by(recipe), data, half)
        if found.confidence is not None:
            return replace(
                found,
                status=given_up.status,
                shortfall=Shortfall.SMALLER,
                optimum=smaller.bracketed,
                asked=given_up.recipe,
                unfinished=unfinished.summed_up,
                seconds=given_up.seconds + half.seconds,
            )
    best = unfinished.best(half.replace(limits=_within(half.limits, most)), climb=climb)
    return None if best is None else _alone(given_up, alone, best, run)


def _within(limits: Limits, seconds: float) -> Limits:
    return replace(limits, seconds=seconds) if limits.seconds is None else limits


def _alone(given_up: MethodResult, recipe: Recipe, best: Optimum, run: LearnRun) -> MethodResult:
    if best.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    data = run.complete.independent()
    networks = single_network(recipe, data, best, given_up.status)
    found = average_of(recipe, networks, data, run.clock)
    assert found.confidence is not None
    return replace(
        found,
        confidence=_of_one_completion(found.confidence, run),
        status=given_up.status,
        shortfall=Shortfall.SINGLE,
        optimum=best,
        asked=given_up.recipe,
        unfinished=None if given_up.unfinished is None else given_up.unfinished.summed_up,
    )


def calibrated(found: Analysis, run: LearnRun) -> MainSet:
    """Turn confidences into probabilities by the package's table and by what shuffled columns show, or not at all."""
    part, kind = found.part(MainSet), run.options.calibration
    assert part.result.confidence is not None
    confidence, recipe = part.result.confidence, part.result.recipe
    if kind == "none" or is_few(confidence.n_networks, recipe):
        return _with(part, replace(confidence, calibration=Calibration.identity()))
    return _with(part, with_chance(confidence, recipe, run.whole, run.share(0.3)))


def _with(part: MainSet, confidence: EdgeConfidence) -> MainSet:
    return replace(part, result=replace(part.result, confidence=confidence))


def without_constraints(found: Analysis, run: LearnRun) -> WithoutConstraints | None:
    """Carry out the same recipe without constraints and odds: what the data say if nobody else does."""
    if not run.is_told:
        return None
    main = found.main
    free = run.recipe(main.recipe.source, main.recipe.scorer.data_score, free=True)
    if main.shortfall is Shortfall.SMALLER:
        free = replace(free, settings=main.recipe.settings)
    made = run.average(free, 0.3)
    failed = made.confidence is None or made.shortfall is not None
    return WithoutConstraints(given_up=made) if failed else WithoutConstraints(made)


def without_beliefs(found: Analysis, run: LearnRun) -> WithoutBeliefs | None:
    """Average the main set again without prior odds, if there were any and the time suffices."""
    if run.options.beliefs is None:
        return None
    made = run.average(found.main.recipe.without_beliefs, 0.4)
    return WithoutBeliefs(made) if made.shortfall is None else WithoutBeliefs(given_up=made)


def _estimator(score: Score, data: Dataset, ess: float) -> dict[str, Any]:
    """Return how tables are fitted: those of sites are drawn towards each other."""
    if not isinstance(score, Bhd) or score.site is None:
        return {"estimator": "bd", "ess": ess}
    return {"estimator": "sites", "site": score.site, "ess": score.alike * int(data.arities[data.index(score.site)])}


def answer(found: Analysis, run: LearnRun) -> MainAnswer:
    """Choose the cut-off, build the network and fit its tables."""
    options, main, beliefs = run.options, found.main, run.options.beliefs
    assert main.confidence is not None
    # What needs complete data and does not average looks at one completion; counts are those of all of them.
    data = run.complete
    stacked = data if isinstance(run.data, Dataset) else run.data.stacked()
    thresholds = choose_thresholds(run.uncut or run.prepared.data, main, options)
    consensus = consensus_network(main.confidence, thresholds.chosen.threshold)
    known, unbelieved = run.constraints, found.without_beliefs
    withheld = None if run.prepared.mixed is not None else Withheld.of(consensus.dag, data, run.prepared.learned_cut)
    origins = Origins(known, consensus, found.without_constraints, main, unbelieved, data.targets, withheld)
    hurried = run.clock.is_over  # what the prior does to each edge takes long for hundreds of them
    edges = describe_edges(data, (main,), origins, stacked, with_priors=not hurried and run.prepared.mixed is None)
    if beliefs is not None:
        alone = None if unbelieved is None else unbelieved.confidence
        edges = tuple(believed_of(edge, beliefs, known, alone, data.n_variables) for edge in edges)
    score = main.recipe.scorer.data_score
    edges = with_sites(edges, data, consensus.dag, score)
    copies = stacked.n_cases // data.n_cases
    tabled = consensus.dag if run.prepared.mixed is None else _tabled(consensus.dag, stacked, main.confidence)
    return MainAnswer(
        thresholds,
        consensus,
        fit_parameters(tabled, stacked, **_estimator(score, data, found.ess * copies)),
        edges,
        check_prior(data.independent(), tabled, ess=found.ess),
        hurried,
        completion=None if run.data.gapless is not None else data,
        completions=None if run.data.gapless is not None else stacked,
        numbers=run.numbers.stacked() if isinstance(run.numbers, NumberCompletions) else None,
    )


def _tabled(dag: Dag, data: Dataset, confidence: EdgeConfidence) -> Dag:
    """Return a network whose tables fit: of the largest, the parent that is least sure goes, again and again."""
    parents, arities = [list(own) for own in dag.parents], data.arities.tolist()

    def cells(v: int) -> int:
        return math.prod(arities[p] for p in (v, *parents[v]))

    while sum(map(cells, range(len(parents)))) > MOST_CUT_CELLS:
        largest = max(range(len(parents)), key=cells)
        if not parents[largest]:
            break
        parents[largest].remove(min(parents[largest], key=lambda p: float(confidence.present[p, largest])))
    return Dag(dag.names, parents)
