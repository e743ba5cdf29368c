"""`learn`: from data to a network that can be defended, in one call."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal, get_args

from arcwise.analysis.analysis import Analysis
from arcwise.analysis.budget import TimeBudget
from arcwise.analysis.edges import describe_edges
from arcwise.analysis.ensembles import Averaged, EnsembleTask, Method, average_bootstrap, average_credible
from arcwise.analysis.preparation import BINS, Preparation, Prepared, open_table, prepare
from arcwise.analysis.prior_checks import check_prior
from arcwise.analysis.thresholds import Rule, choose_thresholds
from arcwise.confidence import consensus_network
from arcwise.data import Dataset, Table
from arcwise.ensemble.bayes_factors import log_slack_of
from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.model import fit_parameters
from arcwise.progress import ProgressCallback
from arcwise.scores import Score, make_score

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["METHODS", "learn", "learn_prepared"]

METHODS = ("auto", "credible", "bootstrap")
# Liao (2022, section 4.7): qNML averages best over a credible set, BDeu over a bootstrap. An ESS of 1 is the thesis's.
DEFAULT_SCORE: dict[str, str] = {"credible": "qnml", "bootstrap": "bdeu:ess=1"}
COMPARED = ("qnml", "bdeu:ess=1", "bic")
# A comparison that needs more is given up: a limit of memory, unlike one of time, is the same on every machine.
COMPARED_MEMORY = 2**28
SECONDS = 120.0


def learn(
    data: pd.DataFrame | Dataset | Table | str | os.PathLike[str],
    *,
    method: Literal["auto", "credible", "bootstrap"] = "auto",
    score: str | Score | None = None,
    bayes_factor: float = 20.0,
    replicates: int = 200,
    missed_edge_cost: float = 1.0,
    rule: Rule = "learned",
    threshold: float | None = None,
    permutations: int | None = None,
    compare: bool = True,
    impute: str | None = None,
    discretize: str | None = None,
    bins: int = BINS,
    target: str | None = None,
    drop: Iterable[str] = (),
    keep: Iterable[str] = (),
    categorical: Iterable[str] | bool = False,
    agree: bool = False,
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    seed: int = 0,
    threads: int = 1,
    limits: Limits = Limits(seconds=SECONDS),  # noqa: B008
    name: str | None = None,
    progress: bool | ProgressCallback | None = None,
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
    method
        "credible", "bootstrap", or "auto": the credible set if it can be completed, else the bootstrap.
    score
        By default the one that Liao (2022, section 4.7) recommends for the method: qNML for a credible set, BDeu
        with an equivalent sample size of 1 for a bootstrap.
    bayes_factor
        The credible set holds every network within this Bayes factor of the best: 20 leaves out those against which
        the evidence is strong.
    replicates
        How many networks a bootstrap learns.
    missed_edge_cost
        How many extra edges a missed edge is worth, alpha.
    rule
        How the cut-off follows from the cost: "learned" from data sets whose network is known (`recommend`), or "cost",
        1 / (1 + alpha), which is right if the confidences are calibrated probabilities.
    threshold
        A cut-off to use instead.
    permutations
        How many data sets with shuffled columns show what is found by chance (Broom's rule); 0 for none. By default
        20 where that is quick, none with many variables.
    compare
        Whether to find the confidences by other methods and scores too.
    impute, discretize, bins, target, drop, keep, categorical, agree
        What to do with missing values, numbers and useless columns: see `arcwise.analysis.Preparation`. With
        ``agree=True`` whatever is in the way is removed as the error message proposes.
    max_parents, constraints
        What every network must keep. Without a limit, qNML and qBDJ get one of 3: with tables of more cells than cases
        they find edges in data without any.
    seed
        Fixes all random numbers.
    threads
        Threads to use; results do not depend on it.
    limits
        `seconds` for the whole analysis, 120 by default.
    name
        What to call the data in the report; the file's name by default.
    progress
        See `arcwise.progress.show_progress`.

    Returns
    -------
    Analysis
        The confidences, the network, and the report: shown in notebooks, printed as text, saved as a folder.

    Raises
    ------
    PreparationError
        If the data are not complete and discrete, and nothing says what to do about it; the message proposes it.

    Examples
    --------
    >>> from arcwise import datasets
    >>> analysis = learn(datasets.load("balance-scale"), rule="cost", seed=1)
    >>> analysis
    Analysis(data: 5 variables, 625 cases; credible set, qNML; 4 edges above 0.5)
    >>> analysis.edge("class", "left-weight").present
    1.0
    """
    preparation = Preparation(
        drop=_names(drop),
        keep=_names(keep),
        impute=impute,
        discretize=discretize,
        bins=bins,
        target=target,
        categorical=categorical if isinstance(categorical, bool) else _names(categorical),
        agree=agree,
    )
    opened = open_table(data, progress=progress)
    return learn_prepared(
        prepare(opened, preparation, name=name or _name_of(data), progress=progress),
        method=method,
        score=score,
        bayes_factor=bayes_factor,
        replicates=replicates,
        missed_edge_cost=missed_edge_cost,
        rule=rule,
        threshold=threshold,
        permutations=permutations,
        compare=compare,
        max_parents=max_parents,
        constraints=constraints,
        seed=seed,
        threads=threads,
        limits=limits,
        progress=progress,
    )


def _names(names: Iterable[str]) -> tuple[str, ...]:
    """Return column names as a tuple; one name is a string, not its letters."""
    return (names,) if isinstance(names, str) else tuple(names)


def learn_prepared(
    prepared: Prepared,
    *,
    method: Literal["auto", "credible", "bootstrap"],
    score: str | Score | None,
    bayes_factor: float,
    replicates: int,
    missed_edge_cost: float,
    rule: Rule,
    threshold: float | None,
    permutations: int | None,
    compare: bool,
    max_parents: int | None,
    constraints: Constraints | None,
    seed: int,
    threads: int,
    limits: Limits,
    progress: bool | ProgressCallback | None,
) -> Analysis:
    """Learn from data that are prepared; the options are those of `learn`."""
    if method not in METHODS:
        raise UnknownNameError(suggestion("method", str(method), METHODS))
    log_slack_of(bayes_factor, None)
    if not missed_edge_cost > 0:
        raise OptionError(f"missed_edge_cost={missed_edge_cost!r} must be positive: 1 weighs both mistakes alike.")
    if permutations is not None and (permutations < 0 or permutations == 1):
        raise OptionError(f"permutations={permutations} must be at least 2 (20 are usual here), or 0 for none.")
    if rule not in get_args(Rule):
        raise UnknownNameError(suggestion("rule", str(rule), get_args(Rule)))
    chosen_score = None if score is None else make_score(score)
    budget = TimeBudget(limits.seconds)
    cases = prepared.data
    task = EnsembleTask(
        data=cases,
        bayes_factor=float(bayes_factor),
        replicates=replicates,
        max_parents=max_parents,
        constraints=constraints,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    main, remarks = _main_set(task, method, chosen_score, budget)
    assert main.confidence is not None
    others, notes = _comparisons(task, main, budget) if compare else ((), ())
    found = choose_thresholds(
        task, main, cost=missed_edge_cost, rule=rule, value=threshold, permutations=permutations, budget=budget
    )
    consensus = consensus_network(main.confidence, found.chosen.threshold)
    ess = float(main.score.describe().get("ess", 1.0))
    network = fit_parameters(consensus.dag, cases, estimator="bd", ess=ess)
    prior = check_prior(
        cases,
        consensus.dag,
        ess=ess,
        seed=seed,
        max_parents=max_parents,
        constraints=constraints,
        threads=threads,
        limits=budget.share(),
        spent=budget.is_spent,
        progress=progress,
    )
    return Analysis(
        name=prepared.name,
        data=cases,
        steps=prepared.steps,
        preparation=prepared.preparation,
        main=main,
        comparisons=others,
        remarks=(*remarks, *notes, *found.notes),
        thresholds=found,
        consensus=consensus,
        network=network,
        edges=describe_edges(cases, main.confidence, (main, *others), consensus),
        prior=prior,
        options={
            "method": method,
            "score": None if chosen_score is None else chosen_score.describe(),
            "bayes_factor": float(bayes_factor),
            "replicates": replicates,
            "missed_edge_cost": float(missed_edge_cost),
            "rule": rule,
            "threshold": threshold,
            "permutations": permutations,
            "compare": compare,
            "max_parents": max_parents,
            "constrained": constraints is not None,
            "limit_seconds": limits.seconds,
            **asdict(prepared.preparation),
        },
        seed=seed,
        status=main.status,
    )


def _name_of(data: object) -> str:
    if isinstance(data, str | os.PathLike):
        return os.path.basename(os.fspath(data)) if str(data) != "-" else "standard input"  # noqa: PTH119
    return ""


def _main_set(
    task: EnsembleTask, method: str, score: Score | None, budget: TimeBudget
) -> tuple[Averaged, tuple[str, ...]]:
    """Average the credible set if it can be completed, else a bootstrap, and say why."""
    remarks: list[str] = []
    if method != "bootstrap":
        first = average_credible(task, score or make_score(DEFAULT_SCORE["credible"]), budget.share(0.5))
        if first.confidence is not None:
            return first, ()
        if method == "credible":
            raise OptionError(
                f"the credible set could not be completed: {first.reason}. Allow more time (--limit-seconds), fewer "
                "parents (--max-parents 3), another score (--score bic prunes best), or use --method bootstrap."
            )
        remarks.append(
            f"The credible set under {first.title.split(', ', 1)[1]} could not be completed: {first.reason}. "
            f"The confidences therefore come from a bootstrap of {task.replicates:,} resampled data sets."
        )
    found = average_bootstrap(task, score or make_score(DEFAULT_SCORE["bootstrap"]), budget.share(0.7))
    if found.confidence is None:
        raise OptionError(f"the bootstrap ended before its first network: {found.reason}. Allow more --limit-seconds.")
    if found.reason:
        remarks.append(f"The bootstrap is not complete: {found.reason}. Allow more time with --limit-seconds.")
    return found, tuple(remarks)


def _comparisons(
    task: EnsembleTask, main: Averaged, budget: TimeBudget
) -> tuple[tuple[Averaged, ...], tuple[str, ...]]:
    """Average other sets of networks, as far as the time goes: the credible set and the bootstrap, three scores each.

    Where the main set is a bootstrap because the credible set was too much, of the credible sets only BIC's is tried:
    its table is pruned best.
    """
    plan: list[tuple[Method, str]] = [("credible", name) for name in COMPARED]
    if main.method == "bootstrap":
        plan = plan[-1:]
    plan += [("bootstrap", name) for name in COMPARED]
    found, missing = [], []
    for way, name in plan:
        score = make_score(name)
        if way == main.method and score.describe() == main.score.describe():
            continue
        title = Averaged(way, score, None, Status.COMPLETE).title
        if budget.is_spent:
            missing.append(f"{title} (the time was over)")
            continue
        limits = budget.share(0.3, memory=COMPARED_MEMORY)
        made = (
            average_credible(task, score, limits, facts=False)
            if way == "credible"
            else average_bootstrap(task, score, limits)
        )
        if made.confidence is None or made.reason:
            missing.append(f"{title} ({made.reason})")
        else:
            found.append(made)
    notes = (f"Not computed for comparison: {'; '.join(missing)}.",) if missing else ()
    return tuple(found), notes
