"""`learn`: from data to a network that can be defended, in one call."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from arcwise.analysis.analysis import Analysis
from arcwise.analysis.averaged import Averaged, Shortfall, average
from arcwise.analysis.edges import describe_edges
from arcwise.analysis.options import AUTO, LearnOptions
from arcwise.analysis.preparation import Prepared, open_table, prepare
from arcwise.analysis.prior_checks import check_prior
from arcwise.analysis.prose.remarks import fallback_remark, missing_remark, no_networks_message, sample_remark
from arcwise.analysis.remark import Remark
from arcwise.analysis.thresholds import choose_thresholds
from arcwise.confidence import consensus_network
from arcwise.data import Dataset, Table
from arcwise.deadline import Deadline
from arcwise.ensemble import Recipe
from arcwise.ensemble.recipe import Run
from arcwise.ensemble.sources import SOURCES, find_source
from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.limits import Limits
from arcwise.model import fit_parameters
from arcwise.option import from_keywords, option_lines, options_of, signature_with
from arcwise.progress import ProgressCallback
from arcwise.scores import Score

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["learn", "learn_prepared"]

COMPARED = ("qnml", "bdeu:ess=1", "bic")
# What a table of parent sets, or the diagram of a credible set, may take.
MEMORY = 2**30
# A comparison that needs more is given up: a limit of memory, unlike one of time, is the same on every machine.
COMPARED_MEMORY = 2**28


def learn(
    data: pd.DataFrame | Dataset | Table | str | os.PathLike[str],
    options: LearnOptions | None = None,
    *,
    progress: bool | ProgressCallback | None = None,
    **keywords: Any,
) -> Analysis:
    """Learn a network from data and say which of its edges to trust: the whole pipeline with sensible choices.

    Every network that the data cannot rule out (the credible set) is averaged into a confidence for each edge. If the
    set cannot be completed in the time and memory allowed, networks are learned from resampled data instead (the
    bootstrap), and the report says so. The edges above a cut-off that follows from the analyst's costs make the
    network; its parameters are fitted, and its sensitivity to the prior is examined.

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
    Analysis(data: 5 variables, 625 cases; credible set, qNML; 4 edges above 0.5)
    >>> analysis.edge("class", "left-weight").present
    1.0
    """
    chosen = from_keywords(LearnOptions, keywords, options)
    file = os.fspath(data) if isinstance(data, str | os.PathLike) else None
    opened = open_table(data, progress=progress, **({} if file is None else chosen.reading))
    return learn_prepared(prepare(opened, chosen, file=file, progress=progress), chosen, progress=progress)


learn.__doc__ = (learn.__doc__ or "").replace("    {options}", option_lines(LearnOptions))
learn.__signature__ = signature_with(learn, LearnOptions)  # type: ignore[attr-defined]


def learn_prepared(
    prepared: Prepared, options: LearnOptions, *, progress: bool | ProgressCallback | None = None
) -> Analysis:
    """Learn from data that are prepared."""
    _check_settings(options)
    work = _Work(prepared, options, Deadline(Limits(options.limit_seconds, MEMORY)), progress)
    main, remarks = work.main_set()
    assert main.confidence is not None
    others, notes = work.comparisons(main) if options.compare else ((), ())
    data = prepared.data
    found = choose_thresholds(data, main, options, work.deadline, progress=progress)
    consensus = consensus_network(main.confidence, found.chosen.threshold)
    ess = float(main.recipe.score.get("ess", 1.0))
    network = fit_parameters(consensus.dag, data, estimator="bd", ess=ess)
    prior = check_prior(data, consensus.dag, options, ess=ess, deadline=work.deadline, progress=progress)
    return Analysis(
        prepared=prepared,
        options=options,
        main=main,
        comparisons=others,
        remarks=(*remarks, *notes, *found.notes),
        thresholds=found,
        consensus=consensus,
        network=network,
        edges=describe_edges(data, (main, *others), consensus),
        prior=prior,
    )


def _check_settings(options: LearnOptions) -> None:
    """Refuse a setting that no source has."""
    known = {item.name for source in SOURCES.values() for item in options_of(source.Settings)}
    for name in options.own_settings:
        if name not in known:
            raise UnknownNameError(suggestion("setting", name, known))


@dataclass(frozen=True, eq=False)
class _Work:
    """One analysis under way."""

    prepared: Prepared
    options: LearnOptions
    deadline: Deadline
    progress: bool | ProgressCallback | None

    def recipe(self, source: str, score: str | Score | None) -> Recipe:
        """Return the recipe of a source with the settings that the options have for it."""
        options, kind = self.options, find_source(source).Settings
        given = {item.name for item in options_of(options)}
        settings = {item.name: getattr(options, item.name) for item in options_of(kind) if item.name in given}
        own = {item.name: item for item in options_of(kind) if item.name in options.own_settings}
        settings |= {name: item.kind(options.own_settings[name]) for name, item in own.items()}
        return Recipe.usual(
            source,
            score,
            max_parents=options.max_parents,
            constraints=options.constraints,
            gaps=self.prepared.gaps,
            **settings,
        )

    def average(self, recipe: Recipe, share: float, *, memory: int | None = None, describe: bool = False) -> Averaged:
        """Carry a recipe out in a share of the time that is left."""
        limits = self.deadline.share(share).limits
        run = Run(
            seed=self.options.seed,
            threads=self.options.threads,
            limits=limits if memory is None else replace(limits, memory_bytes=memory),
            progress=self.progress,
        )
        return average(recipe, self.prepared.data, run, describe=describe)

    def main_set(self) -> tuple[Averaged, tuple[Remark, ...]]:
        """Average the credible set if it can be completed, else a bootstrap, and say why."""
        method, score = self.options.method, self.options.chosen_score
        names = tuple(name for name, source in SOURCES.items() if source.is_usual) if method == AUTO else (method,)
        given_up: list[Averaged] = []
        for name in names:
            last = name == names[-1]
            found = self.average(self.recipe(name, score), 0.7 if last else 0.5, describe=True)
            if found.confidence is None:
                given_up.append(found)
                continue
            remarks = [fallback_remark(first, found) for first in given_up]
            if found.shortfall is Shortfall.SAMPLE:
                remarks.append(sample_remark(found))
            return found, tuple(remarks)
        raise OptionError(no_networks_message(given_up[-1]))

    def comparisons(self, main: Averaged) -> tuple[tuple[Averaged, ...], tuple[Remark, ...]]:
        """Average other sets of networks, as far as the time goes: every source, three scores each.

        Where the main set is a sample because what is exact was too much, of the exact ones only that with BIC is
        tried: its table is pruned best.
        """
        is_sample = main.recipe.source_facts.is_sample
        plan = [
            self.recipe(source.name, score)
            for source in SOURCES.values()
            if source.is_usual
            for score in (COMPARED[-1:] if is_sample and not source.is_sample else COMPARED)
        ]
        found: list[Averaged] = []
        missing: list[tuple[str, Averaged | None]] = []
        for recipe in plan:
            if (recipe.source, recipe.score) == (main.recipe.source, main.recipe.score):
                continue
            if self.deadline.is_over:
                missing.append((recipe.title, None))
                continue
            made = self.average(recipe, 0.3, memory=COMPARED_MEMORY)
            if made.shortfall is not None:
                missing.append((recipe.title, made))
            else:
                found.append(made)
        return tuple(found), (missing_remark(missing),) if missing else ()
