"""The steps that add to an answer what it does not rest on: comparisons with other recipes, and checks.

Each takes what was found before it, and the run, and returns its part; what does not fit the time left is not begun.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from arcwise.analysis.number_score import DIFFERING
from arcwise.analysis.run import completions_of
from arcwise.base.run import Status
from arcwise.confidence.by_recipe import permuted_confidences, recipe_of
from arcwise.confidence.edge_confidence import RuleName
from arcwise.confidence.rules import choose_threshold
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.findings import checks, parts
from arcwise.findings.method_result import FEWEST_NETWORKS, MethodResult, average
from arcwise.findings.price import constraint_price
from arcwise.findings.thresholds import RuleMark
from arcwise.recipes.registry import SOURCES
from arcwise.recipes.source import FEWEST
from arcwise.sampled.completions import Completions
from arcwise.sampled.numeric_data import NumericData
from arcwise.scores.dirichlet import Bhd

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.analysis.run import LearnRun
    from arcwise.data.mixed import MixedData
    from arcwise.networks.recipe import Recipe
    from arcwise.scores.score import Score

COMPARED = ("qnml", "bdeu:ess=1", "bic")
# Not `bic-jcg`: it pays for a line in each state, so that it leaves out what has one line for all. Of 9 edges of 30
# tables that it alone vetoed, all were real. Where lines do differ, `learn` takes it in place of `bic-dg`.
COMPARED_AS_THEY_ARE = ("bic-dg", "bic-dg:functions=1,numbers=ranks", "bic-dg:penalty=1.5")
# Where lines differ between categories, a score with one line for all would vote against what only the others show.
COMPARED_DIFFERING = ("bic-jcg", "bic-jcg:penalty=1.5")
COMPARED_ALIKE = (1 / 16, 16.0)  # times as alike as sites are taken to be
# A comparison that needs more is given up: a limit of memory, unlike one of time, is the same on every machine.
COMPARED_MEMORY = 2**28
# Of the time that is left, for the share of the posterior that a credible set holds.
COVERED_SHARE = 0.4
PERMUTATIONS = 20
# Unasked, so many networks are learned from each where the source samples: four times the work of 200 replicates.
SHUFFLED_NETWORKS = 40
# Cases are shuffled, not distinct rows: of more values (cases times variables) that is not done unasked.
SHUFFLED_VALUES = 5 * 10**8
# With so many values, learning from shuffled columns takes longer than all the rest: no two rows are equal any more, so
# that 2,000,000 cases of 20 variables are as many rows (75 seconds were not enough). Chance has no part in such data.
SLOW_VALUES = 5_000_000
# The share of the time left that a comparison may take: the first of a source, which may take any time, and others.
FIRST_SHARE, AGAIN_SHARE = 0.3, 0.6


def compared_recipes(main: MethodResult, run: LearnRun) -> list[Recipe]:
    """Return the recipes to compare with: every usual source, three scores each.

    Beyond some twenty variables, of the exact ones only that with BIC is tried: its table is pruned best, and
    with a limit of parents it is known to fit.
    """
    exact, known = _exact(run), run.constraints
    main_score = main.recipe.scorer.data_score
    scores: Sequence[str | Score] = COMPARED_DIFFERING if main_score.name == DIFFERING else COMPARED_AS_THEY_ARE
    if run.prepared.mixed is None:
        scores = COMPARED
    if isinstance(main_score, Bhd):  # others know no sites
        scores = tuple(replace(main_score, alike=main_score.alike * times) for times in COMPARED_ALIKE)
    plan = [
        _limited(run.recipe(source.name, score), exact)
        for source in SOURCES.values()
        if source.is_usual and ((run.prepared.mixed is None and main_score.name != "bhd") or source.resamples)
        for score in (scores[-1:] if exact.is_large and not source.is_sample else scores)
        if source.obeys_ancestors or known is None or not known.is_ancestral
    ]
    had = [(one.source, one.score) for one in (main.recipe, main.asked) if one is not None]
    compared = [one for one in plan if (one.source, one.score) not in had]
    tables, batches = run.clock.tables, run.clock.batches
    assert tables is not None and batches is not None
    tables.reserve([one for one in compared if not one.source_facts.is_sample])
    batches.reserve([one for one in compared if one.source_facts.resamples])
    return compared


def _exact(run: LearnRun) -> checks.ExactComparison:
    data, known = run.prepared.data, run.constraints
    return checks.ExactComparison(
        len(data.names), data.n_cases, data.n_rows, 0 if known is None else known.most_required
    )


def _limited(recipe: Recipe, exact: checks.ExactComparison) -> Recipe:
    """Return an exact recipe with a limit of parents that it is known to fit."""
    most = None if recipe.source_facts.is_sample else exact.max_parents
    if most is None:
        return recipe
    return replace(recipe, max_parents=most if recipe.max_parents is None else min(most, recipe.max_parents))


def compare(found: Analysis, run: LearnRun, recipe: Recipe) -> parts.Comparisons:
    """Carry out another recipe if it fits the time and the size of the data.

    It is expected to take as long as its source took last time. What was given up before is expected to take as
    long as it was tried for. A sample that the time cut short is kept if it is large enough for shares, and begun if
    it is likely to be.
    """
    before, batches = found.part(parts.Comparisons), run.clock.batches
    seconds, wanted = run.seconds_by_source.get(recipe.source, 0.0), recipe.settings.get(recipe.source_facts.counted_by)
    least = seconds if wanted is None else seconds * min(1.0, FEWEST_NETWORKS / wanted / AGAIN_SHARE)
    try:
        if why := "" if recipe.source_facts.is_sample else _exact(run).excess(recipe.max_parents):
            made = MethodResult.not_begun(recipe, why, by_time=False)
        elif run.shortage(least):
            made = MethodResult.not_begun(recipe, run.shortage(seconds))
        else:
            made = run.average(
                recipe, AGAIN_SHARE if recipe.source in run.seconds_by_source else FIRST_SHARE, memory=COMPARED_MEMORY
            )
    finally:
        if batches is not None:
            batches.release(recipe)  # also if it was not begun
    if not made.is_usable:
        return parts.Comparisons(before.made, (*before.missing, (recipe.title, made)), len(before.made))
    return replace(before, made=(*before.made, made))


def when_cut(found: Analysis, run: LearnRun) -> parts.WhenCut:
    """Learn from the copy whose numbers are cut, as `learn` does from categories."""
    made = run.average(run.recipe(found.main.recipe.source, None), AGAIN_SHARE, memory=COMPARED_MEMORY)
    return parts.WhenCut(made if made.is_usable else None)


def share_of_posterior(found: Analysis, run: LearnRun) -> parts.PosteriorShare:
    """Find the share of the posterior that the credible set holds, and let the set go."""
    measure, run.measure = run.measure, None
    assert measure is not None and found.main.credible is not None
    return parts.PosteriorShare(replace(found.main.credible, **measure(run.clock.share(COVERED_SHARE).limits)))


def other_cuts(found: Analysis, run: LearnRun) -> checks.CutChecks | None:
    """Carry the main recipe out on numbers that are cut in other ways, as far as the time goes.

    Where gaps are completed, chains begin anew for every way to cut. What a cut does to an edge shows in a few
    completions, so that these are a fifth of those that the answer is averaged over.
    """
    main, options = found.main, run.options

    def again(data: NumericData) -> MethodResult | None:
        if run.shortage(run.seconds_by_source.get(main.recipe.source, 0.0)):
            return None
        if data.gaps is not None:
            few = replace(options, completions=max(FEWEST, options.completions // 5))
            made = completions_of(data.gaps, few)
            data = replace(data, completions=made if isinstance(made, Completions) else None)
        return average(main.recipe, data, run.share(0.15, COMPARED_MEMORY))

    return checks.check_cuts(run.prepared, found.confidence, options, run.clock, again)


def _why_not_shuffled(data: Dataset | Incomplete | NumericData | MixedData, main: MethodResult) -> str:
    """Return why shuffled columns are not learned from unless that is asked for; "" if they are."""
    if data.gaps is not None:
        return "it is slow with missing values."
    if data.n_variables > main.recipe.source_facts.quick_permutations:
        return "with this method and this many variables, learning from shuffled columns is slow."
    if data.n_cases * data.n_variables > SHUFFLED_VALUES:
        return f"to shuffle columns, each of the {data.n_cases:,} rows would have to be in memory."
    if data.n_cases * data.n_variables > SLOW_VALUES:
        return f"with {data.n_cases:,} rows, learning from shuffled columns is slow."
    return ""


def shuffled_columns(found: Analysis, run: LearnRun) -> parts.ShuffledColumns:
    """Learn from shuffled columns as from the data: what is found there is found by chance (Broom et al. 2012)."""
    main, numbers = found.main, run.numbers is not None
    given = run.uncut or run.prepared.data
    shuffles, most = run.options.permutations, None
    if shuffles is None:
        if reason := _why_not_shuffled(given, main):
            skipped = f"Broom's rule was skipped: {reason} --permutations {PERMUTATIONS} asks for it."
            return parts.ShuffledColumns(skipped=skipped)
        shuffles, most = PERMUTATIONS, SHUFFLED_NETWORKS
    if shuffles == 0:
        return parts.ShuffledColumns()
    # Shuffled columns have fewer edges, and are learned from faster than the data; but not by much.
    recipe = recipe_of(found.confidence, most=most)
    share = recipe.settings.get(recipe.source_facts.counted_by, main.count) / max(main.count, 1)
    needed = 0.3 * shuffles * share * main.seconds
    if needed > run.clock.seconds_left:
        return _no_cut(
            f"Broom's rule was not begun: learning from {shuffles} data sets with shuffled columns takes about "
            f"{needed:.0f} s, and {run.clock.seconds_left:.0f} s were left.",
            by_time=True,
        )
    permuted = permuted_confidences(
        run.whole if numbers else given,
        recipe,
        permutations=shuffles,
        seed=run.clock.seed,
        threads=run.clock.threads,
        limits=run.clock.limits,
        progress=run.clock.progress,
        cluster=run.clock.cluster,
    )
    if permuted.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    if not permuted.complete:
        return _no_cut(
            f"Broom's rule was not computed: {permuted.status} before all permutations were learned.",
            by_time=permuted.status is Status.TIME_LIMIT,
        )
    mark = RuleMark(
        RuleName.BROOM,
        choose_threshold(found.confidence, "broom", permuted=permuted.vectors),
        f"most edges beyond what {shuffles} data sets with shuffled columns show by chance (Broom et al. 2012)",
    )
    return parts.ShuffledColumns(mark)


def _no_cut(why: str, *, by_time: bool = False) -> parts.ShuffledColumns:
    return parts.ShuffledColumns(note=parts.Remark(why, by_time=by_time))


def price_of_constraints(found: Analysis, run: LearnRun) -> parts.PriceOfConstraints:
    """Find what the constraints cost in the data's own score, with proof where the main set has one."""
    known, main, data = run.constraints, found.main, run.complete.independent() if run.numbers is None else run.whole
    assert known is not None
    free = run.recipe(main.recipe.source, main.recipe.scorer.data_score, free=True)
    return parts.PriceOfConstraints(
        constraint_price(
            data,
            known,
            score=free.scorer,
            max_parents=None if free.max_parents is None else max(free.max_parents, known.most_required),
            exact=not main.recipe.source_facts.is_sample or data.n_variables <= checks.EXACT_COMPARED,
            seed=run.clock.seed,
            threads=run.clock.threads,
            limits=run.clock.share(0.3).limits,
        )
    )


def growing_parts(found: Analysis, run: LearnRun) -> parts.GrowingParts:
    """Learn from growing parts of the data: how much more data would still change the structure."""
    return checks.grow_parts(run.complete, run.options, found.ess, run.clock)


def fit(found: Analysis, run: LearnRun) -> parts.Fit:
    """Test whether the network fits, if that is not too much for an analysis, and fits the time."""
    if not checks.is_quick_to_check(found):
        return parts.Fit(too_large=True)
    why = run.shortage(checks.seconds_to_check(found))
    made = None if why else found.check_fit(replicates=0, limits=run.clock.limits, progress=False)
    return parts.Fit(made if made is not None and made.status is Status.COMPLETE else None, shortage=why)


def target_focus(found: Analysis, run: LearnRun) -> checks.TargetFocus:
    """Describe the target, and predict it by networks that are learned anew in every fold, in half of the time left."""
    target, share = run.options.target, run.clock.share(0.5)
    assert target is not None
    scores = found.cross_validate(
        target, folds=checks.FOLDS, seed=share.seed, limits=share.limits, progress=share.progress
    )
    return checks.TargetFocus(found.variable(target), scores)
