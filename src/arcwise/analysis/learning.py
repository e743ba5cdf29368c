"""`learn`: from data to a network that can be defended, in one call, step by step.

The answer comes first: a result as soon as it exists, and then comparisons and checks that are added to it, of which
the last are what it does not rest on. A step that does not fit the time that is left is not begun; one that the user
stops leaves all that was finished before it. A new step is a function in `answer` or `additions`, and a line in one of
the two lists here.
"""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.analysis import additions
from arcwise.analysis.analysis import Analysis
from arcwise.analysis.answer import answer, calibrated, kept_set, main_set, without_beliefs, without_constraints
from arcwise.analysis.run import FIRST_NETWORKS, LearnRun, begin_run
from arcwise.base.cluster import open_cluster
from arcwise.base.errors import UnknownNameError, suggestion
from arcwise.base.options import from_keywords, option_lines, options_of, signature_with
from arcwise.base.progress import ProgressCallback, RunLine, run_line
from arcwise.base.run import Limits, Run, deferred_interrupt
from arcwise.bootstrap.completed import has_all_states
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.data.table import Table
from arcwise.findings.checks import seconds_to_check
from arcwise.findings.dependence import with_dependence
from arcwise.findings.options import LearnOptions
from arcwise.findings.parts import Part, WithoutBeliefs, WithoutConstraints
from arcwise.findings.preparation import Prepared, open_table, prepare
from arcwise.graph.constraints import Constraints
from arcwise.recipes.registry import SOURCES
from arcwise.sampled.completions import Completions

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.graph.statements import Arc


# A result is worth writing at once if it took so long; later, if so long has passed since, or so many times what it
# takes to write it.
WORTH_SECONDS = 2.0
WRITING_TIMES = 5.0
# What writing takes before it was done once, in seconds: of two cores shared by many, half of it was measured.
WRITING, WRITING_COLUMN, WRITING_CELL = 0.3, 4e-3, 1e-6

# What the answer rests on, in this order.
FIRST_STEPS: tuple[Callable[[Analysis, LearnRun], Part | None], ...] = (
    main_set,
    calibrated,
    without_constraints,
    without_beliefs,
    answer,
)


def learn(
    data: pd.DataFrame | Dataset | Incomplete | Table | str | os.PathLike[str],
    options: LearnOptions | None = None,
    *,
    tiers: str | Iterable[Iterable[str]] = (),
    required: Iterable[Arc | str] = (),
    forbidden: Iterable[Arc | str] = (),
    progress: bool | ProgressCallback | None = None,
    **keywords: Any,
) -> Analysis:
    """Learn a network from data and say which of its edges to trust: the whole pipeline with sensible choices.

    Networks learned from resampled data (the bootstrap) are averaged into a confidence for each edge, or those of
    another `method`: every network that the data cannot rule out (the credible set), or draws from the posterior. The
    edges above a cut-off that follows from the analyst's costs make the network; its parameters are fitted, and its
    sensitivity to the prior is examined.

    Parameters
    ----------
    data
        A DataFrame, a file, or what `read_table` and `Dataset` hold.
    options
        A `LearnOptions`; or give the options below as keywords.
    tiers
        What comes first in time, so that no later variable leads to an earlier one: ``[["age", "sex"], ["ill"]]``, or
        as text, ``"age, sex | ill"``. They add to the `constraints`, as do the next two.
    required, forbidden
        Arcs that every network has, or none: ``["smoke->cough"]``, or pairs. "a--b" forbids both directions.
    progress
        See `arcwise.progress.show_progress`.
    {options}

    Returns
    -------
    Analysis
        The confidences, the network, and the report: shown in notebooks, printed as text, saved as a folder.

    Raises
    ------
    PreparationError
        If the data are not complete and discrete, and nothing says what to do about it; the message makes a proposal.

    Examples
    --------
    >>> from arcwise import datasets
    >>> analysis = learn(datasets.load("balance-scale"), rule="cost", seed=1)
    >>> analysis
    Analysis(data: 5 variables, 625 rows; bootstrap, qNML; 4 edges, 4 to rely on)
    >>> analysis.edge("class", "left-weight").present
    1.0
    """
    words = keywords.pop("constraints", None)  # in any form: they are read when the variables are known
    chosen = from_keywords(LearnOptions, keywords, options)
    clock = Run(limits=Limits(chosen.limit_seconds))
    file = os.fspath(data) if isinstance(data, str | os.PathLike) else None
    opened = open_table(data, progress=progress, **(chosen.rows if file is None else chosen.reading))
    given = chosen.constraints if words is None else words
    more = {
        "tiers": tiers if isinstance(tiers, str) else [list(tier) for tier in tiers],
        "required": [*required],
        "forbidden": [*forbidden],
    }

    def known(names: tuple[str, ...]) -> Constraints | None:
        own = Constraints.from_description(names, given.describe()) if isinstance(given, Constraints) else given
        return Constraints.of(names, own, **more)

    is_new = words is not None or any(more.values())
    prepared = prepare(opened, chosen, file=file, progress=progress, known=known if is_new else None, clock=clock)
    if is_new:
        chosen = replace(chosen, constraints=known(prepared.data.names))
    return learn_prepared(prepared, chosen, progress=progress, clock=clock)


learn.__doc__ = (learn.__doc__ or "").replace("    {options}", option_lines(LearnOptions))
learn.__signature__ = signature_with(learn, LearnOptions)  # type: ignore[attr-defined]


def learn_prepared(
    prepared: Prepared,
    options: LearnOptions,
    *,
    progress: bool | ProgressCallback | None = None,
    on_result: Callable[[Analysis], None] | None = None,
    clock: Run | None = None,
) -> Analysis:
    """Learn from data that are prepared, in the time that the `clock` has left, if it was started before.

    `on_result` is given a first analysis as soon as the main result is there, and again when much was added to it: what
    is valid already need not wait for comparisons and checks. Where all that is left is known to take little it is not
    called.
    """
    prepared = with_dependence(prepared, options.seed)
    _check_settings(options)
    given, names = options.constraints, prepared.data.names
    if given is not None and given.names != names:  # over columns of which some were left out
        options = replace(options, constraints=Constraints.from_description(names, given.describe()))
    if options.beliefs is not None:
        options.beliefs.on(names)  # refuses odds of variables that are not there
    run = begin_run(prepared, options)
    with contextlib.ExitStack() as opened:
        cluster = None if options.cluster is None else opened.enter_context(open_cluster(options.cluster))
        line = opened.enter_context(run_line(progress))
        limits = run.clock.given if clock is None else replace(run.clock.given, seconds=clock.limits.seconds)
        run.clock = run.clock.replace(limits=limits, progress=line, cluster=cluster)  # the clock starts here
        if on_result is not None:
            run.until = clock
            run.keep_for_writing(writing_seconds(prepared))
        if on_result is not None and run.is_long:
            folder = opened.enter_context(tempfile.TemporaryDirectory())
            run.journal = str(Path(folder) / "networks")
            draft = _draft(run, line)
            try:
                if run.writing < run.clock.seconds_left:
                    on_result(draft)
                if isinstance(run.data, Completions) and not has_all_states(run.data):
                    run.journal = None  # the draft's time was over before
                first = first_result(run, line)
            except KeyboardInterrupt:
                return replace(_kept(draft, run, line), stopped=True)
        else:
            first = first_result(run, line)
        return refine(first, run, line, on_result)


def writing_seconds(prepared: Prepared) -> float:
    """Return about how long it takes to write a result: the page by its columns, and the files of the data."""
    data, copies = prepared.data, 1 if prepared.mixed is None else 2  # and numbers as they are
    return WRITING + copies * data.n_variables * (WRITING_COLUMN + WRITING_CELL * data.n_rows)


@dataclass(frozen=True, slots=True)
class Step:
    """What is added to an answer: its name, about how many seconds it takes (NaN if nobody knows), and its function.

    A step that is not `wanted` is left out.
    """

    name: str
    seconds: Callable[[], float]
    take: Callable[[Analysis, LearnRun], Part | None]
    wanted: bool = True


def later_steps(found: Analysis, run: LearnRun) -> list[Step]:
    """Return what is to be added, in its order."""
    options, compare = run.options, run.options.compare
    recipes = additions.compared_recipes(found.main, run) if compare else []
    broom = 0 if options.permutations == 0 else 20

    is_cut = run.prepared.mixed is None  # what is tested on intervals says nothing of numbers as they are

    def times(number: int) -> Callable[[], float]:
        return lambda: number * found.main.seconds

    steps = [
        *(
            Step(f"comparison: {one.title}", partial(run.expected, one.source), partial(additions.compare, recipe=one))
            for one in recipes
        ),
        Step("share of the posterior", times(1), additions.share_of_posterior, run.measure is not None),
        Step("other cuts", times(5), additions.other_cuts, compare and run.prepared.uncut is not None and is_cut),
        Step(
            "the columns cut", times(1), additions.when_cut, compare and run.prepared.uncut is not None and not is_cut
        ),
        Step("shuffled columns", times(broom), additions.shuffled_columns),
        Step("price of the constraints", times(1), additions.price_of_constraints, run.is_told),
        Step("growing parts of the data", times(1), additions.growing_parts, is_cut),
        Step("fit", partial(seconds_to_check, found), additions.fit),
        Step("prediction of the target", times(5), additions.target_focus, options.target is not None),
    ]
    return [step for step in steps if step.wanted]


def count_ahead(run: LearnRun) -> int:
    """Return about how many steps there will be, before the first result is there."""
    comparisons = 5 if run.options.compare else 0
    return comparisons + len(("shuffled columns", "growing parts of the data", "fit"))


def first_result(run: LearnRun, line: RunLine) -> Analysis:
    """Find the main set of networks and what the answer rests on: cut-off, network, tables."""
    count = 1 + count_ahead(run)
    line.begin("networks", 1, count, steps=[math.nan] * count, most=partial(getattr, run.clock, "seconds_left"))
    found = Analysis(run.prepared, run.options)
    for take in FIRST_STEPS:
        found = found.plus(take(found, run))
    return found


def kept_result(draft: Analysis, run: LearnRun, line: RunLine) -> Analysis:
    """Return what a run has that the user stopped behind a draft: all networks that were learned until then.

    What takes as long as these, the networks without constraints or prior odds, is the draft's.
    """
    line.begin("networks learned until now", 1, 1, steps=[math.nan], most=partial(getattr, run.clock, "seconds_left"))
    kept = kept_set(run)
    main, drafted = kept.result, draft.main
    if main.confidence is None or main.count <= drafted.count:
        return draft
    found = Analysis(run.prepared, run.options, (kept,))
    found = found.plus(calibrated(found, run))
    found = found.plus(WithoutConstraints(draft.without_constraints)).plus(WithoutBeliefs(draft.without_beliefs))
    found = found.plus(answer(found, run))
    wanted, few = run.options.replicates, f"from more than {drafted.count:,} networks"
    return replace(
        found,
        unfinished=(
            *([f"{wanted:,} networks in place of {main.count:,}"] if main.count < wanted else []),
            *([f"what the data say without your constraints, {few}"] if run.constraints is not None else []),
            *([f"what they say without your prior odds, {few}"] if run.options.beliefs is not None else []),
            *(step.name for step in later_steps(found, run)),
        ),
    )


def refine(
    found: Analysis, run: LearnRun, line: RunLine, on_result: Callable[[Analysis], None] | None = None
) -> Analysis:
    """Add comparisons and checks one by one, as far as the time goes and until the user stops it."""
    plan = later_steps(found, run)
    written, offered = time.monotonic(), False
    for number, step in enumerate(plan):
        now = time.monotonic()
        seconds = [later.seconds() for later in plan[number:]]
        unknown = math.isnan(seconds[0])  # nobody knows how long the next step takes
        due = unknown or run.clock.seconds >= WORTH_SECONDS
        if offered:
            due = now - written > WRITING_TIMES * run.writing
        due = due and run.writing < run.clock.seconds_left  # else it would be written after the end, and then again
        draft = replace(found, unfinished=tuple(later.name for later in plan[number:]))
        try:
            if on_result is not None and due and now - written >= (WORTH_SECONDS if offered else 0.0):
                on_result(draft)
                written, offered = time.monotonic(), True
                run.keep_for_writing(written - now)
            line.begin(step.name, number + 2, len(plan) + 1, steps=seconds, most=lambda: run.clock.seconds_left)
            found = found.plus(step.take(found, run))
        except KeyboardInterrupt:
            return replace(draft, stopped=True)
    return found


def _draft(run: LearnRun, line: RunLine) -> Analysis:
    """Return what the first networks of a bootstrap say: with millions of rows, all of them take minutes.

    The result begins with the same networks, which are kept for it; it differs from a draft by chance alone. Only where
    the time of a draft is over before all completions of gaps are made, they are learned again from all of them.
    """
    few = replace(run, options=replace(run.options, replicates=FIRST_NETWORKS), seconds_by_source={})
    found = first_result(few, line)
    more = f"{run.options.replicates:,} networks in place of {found.main.count:,}"
    rest = "comparisons and checks" if run.options.compare else "checks"
    return replace(found, options=run.options, unfinished=(more, rest))  # the record has what was asked for


def _kept(draft: Analysis, run: LearnRun, line: RunLine) -> Analysis:
    """Return what a run has that was stopped behind its draft; the draft itself if it is stopped once more."""
    if run.journal is None:
        return draft
    try:
        with deferred_interrupt(lambda: None):  # a Ctrl-C may be passed on twice
            return kept_result(draft, run, line)
    except KeyboardInterrupt:
        return draft


def _check_settings(options: LearnOptions) -> None:
    known = {item.name for source in SOURCES.values() for item in options_of(source.Settings)}
    for name in options.own_settings:
        if name not in known:
            raise UnknownNameError(suggestion("setting", name, known))
