"""`learn`: from data to a network that can be defended, in one call."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.analysis.analysis import Analysis
from arcwise.analysis.options import AUTO, LearnOptions
from arcwise.analysis.preparation import Prepared, open_table, prepare
from arcwise.analysis.prose.remarks import stopped_remark, to_come_remark
from arcwise.analysis.refinement import first_result, kept_result, refine
from arcwise.analysis.work import FIRST_NETWORKS, Work, completions_of
from arcwise.cluster import open_cluster
from arcwise.data import Dataset, Incomplete, Table
from arcwise.deadline import Deadline
from arcwise.ensemble.gaps.completions import Completions
from arcwise.ensemble.replicates.completed_task import has_all_states
from arcwise.ensemble.sources import SOURCES, find_source
from arcwise.ensemble.uncut import Uncut
from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.exact.interruption import deferred_interrupt
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.mentions import Argument, Remedy
from arcwise.option import from_keywords, option_lines, options_of, signature_with
from arcwise.progress import ProgressCallback, RunLine, run_line

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["learn", "learn_prepared"]

# What a table of parent sets, or the diagram of a credible set, may take.
MEMORY = 2**30


def learn(
    data: pd.DataFrame | Dataset | Incomplete | Table | str | os.PathLike[str],
    options: LearnOptions | None = None,
    *,
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
    Analysis(data: 5 variables, 625 cases; bootstrap, qNML; 4 edges above 0.5)
    >>> analysis.edge("class", "left-weight").present
    1.0
    """
    chosen = from_keywords(LearnOptions, keywords, options)
    file = os.fspath(data) if isinstance(data, str | os.PathLike) else None
    opened = open_table(data, progress=progress, **(chosen.experiments if file is None else chosen.reading))
    return learn_prepared(prepare(opened, chosen, file=file, progress=progress), chosen, progress=progress)


learn.__doc__ = (learn.__doc__ or "").replace("    {options}", option_lines(LearnOptions))
learn.__signature__ = signature_with(learn, LearnOptions)  # type: ignore[attr-defined]


def learn_prepared(
    prepared: Prepared,
    options: LearnOptions,
    *,
    progress: bool | ProgressCallback | None = None,
    on_result: Callable[[Analysis], None] | None = None,
) -> Analysis:
    """Learn from data that are prepared.

    `on_result` is given a first analysis as soon as the main result is there, and again when much was added to it: what
    is valid already need not wait for comparisons and checks. Where all that is left is known to take little it is not
    called.
    """
    _check_settings(options)
    said, names = options.constraints, prepared.data.names
    if said is not None and said.names != names:  # over columns of which some were left out
        options = replace(options, constraints=Constraints.from_description(names, said.describe()))
    if options.calibration == "self" and not isinstance(prepared.data, Dataset):
        raise OptionError(
            Argument("calibration", "self"),
            "simulates complete data, and these have gaps.",
            remedies=(
                Remedy("fill them first:", Argument("impute", "knn")),
                Remedy("use", Argument("calibration", "table")),
            ),
        )
    given = completions_of(prepared.data, options)
    uncut = _recut(prepared, given, options)
    with contextlib.ExitStack() as opened:
        cluster = None if options.cluster is None else opened.enter_context(open_cluster(options.cluster))
        line = opened.enter_context(run_line(progress))
        deadline = Deadline(Limits(options.limit_seconds, MEMORY))
        work = Work(prepared, options, deadline, line, given, uncut, cluster=cluster)
        if on_result is not None and work.is_long:
            folder = opened.enter_context(tempfile.TemporaryDirectory())
            work = replace(work, journal=str(Path(folder) / "networks"))
            draft = _draft(work, line)
            try:
                on_result(draft.with_remark(to_come_remark))
                if not isinstance(given, Dataset) and not has_all_states(given):  # the draft's time was over before
                    work = replace(work, journal=None)
                first = first_result(work, line)
            except KeyboardInterrupt:
                return _kept(draft, work, line).with_remark(stopped_remark)
        else:
            first = first_result(work, line)
        return refine(first, work, line, on_result)


def _draft(work: Work, line: RunLine) -> Analysis:
    """Return what the first networks of a bootstrap say: with millions of rows, all of them take minutes.

    The result begins with the same networks, which are kept for it; it differs from a draft by chance alone. Only where
    the time of a draft is over before all completions of gaps are made, they are learned again from all of them.
    """
    few = replace(work, options=replace(work.options, replicates=FIRST_NETWORKS), seconds={})
    found = first_result(few, line)
    more = f"{work.options.replicates:,} networks in place of {found.main.count:,}"
    rest = "comparisons and checks" if work.options.compare else "checks"
    return replace(found, options=work.options, unfinished=(more, rest))  # the record has what was asked for


def _kept(draft: Analysis, work: Work, line: RunLine) -> Analysis:
    """Return what a run has that was stopped behind its draft; the draft itself if it is stopped once more."""
    if work.journal is None:
        return draft
    try:
        with deferred_interrupt(lambda: None):  # a Ctrl-C may be passed on twice
            return kept_result(draft, work, line)
    except KeyboardInterrupt:
        return draft


def _recut(prepared: Prepared, given: Dataset | Completions, options: LearnOptions) -> Uncut | None:
    """Return the numbers to cut anew in every replicate, if that was asked for."""
    if not options.recut:
        return None
    if options.method not in (AUTO, "bootstrap"):
        raise OptionError(
            Argument("recut", True),
            f"cuts numbers anew in each replicate of a bootstrap; the {find_source(options.method).title} has none.",
            remedies=Remedy("take", Argument("method", "bootstrap")),
        )
    if prepared.uncut is None:
        raise OptionError(
            Argument("recut", True),
            "cuts columns of numbers anew, and none of the data was cut.",
            remedies=Remedy("leave it out"),
        )
    return replace(prepared.uncut, completions=None if isinstance(given, Dataset) else given)


def _check_settings(options: LearnOptions) -> None:
    """Refuse a setting that no source has."""
    known = {item.name for source in SOURCES.values() for item in options_of(source.Settings)}
    for name in options.own_settings:
        if name not in known:
            raise UnknownNameError(suggestion("setting", name, known))
