"""Lau & Bush 2004, Figures 13 to 30 and sections 6.4 and 6.5: how randomised searches behave over many runs.

Their two data sets (A: 4 binary variables, 100 cases; B: 8, 5,000) are lost, so the same is done on any number of data
sets, among them samples of networks of the same sizes: a claim about "the" search can then be counted over problems. A
problem is a data set, or a network with a sample size, ``asia@5000``. One cell is one run of one search.

Iterations of first ascent are counted as Lau & Bush do, by passes of the loop: the last one, which finds nothing to
change, is one of them, so that "at a local maximum the number of iterations will always be 1" (section 4.4.2). That is
the length of the history of scores, which begins with the start.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from arcwise.data import Dataset
from arcwise.errors import ConfigError
from arcwise.exact import find_optimal
from arcwise.limits import Limits, Status
from arcwise.local import first_ascent, genetic_search
from arcwise.local.run_analysis import count_parameters
from arcwise.model.inference import sample
from arcwise.parent_sets import build_parent_sets
from arcwise.scores import make_score
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryFigure, SummaryTable
from arcwise_studies.sources import Sources

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["NEAR", "Lau", "LauSettings", "best_score", "problem_data"]

# The metrics of a run, and the figures of the paper that show them.
METRICS = {
    "score": "13",
    "iterations": "14 and 17 to 20",
    "operations": "15",
    "parameters": "21, 23, 25 and 26",
    "log_likelihood": "27 to 30",
}
NEAR = 1e-6  # scores that differ by no more are equal, relative to their size
TRIES = 16  # first ascents that are compared with one genetic search, whose population is as large
BINS = 16  # of a histogram
COMMON = 3  # networks that the table of common ones lists for each sample
EMPTY: Final = "empty"
RANDOM: Final = "random"
GENETIC: Final = "genetic"


@dataclass(frozen=True)
class LauSettings:
    """The settings: problems ("tic-tac-toe", "asia@5000"), scores, starts of first ascent, and runs of each."""

    problems: tuple[str, ...]
    scores: tuple[str, ...] = ("bic_laplace", "k2")
    searches: tuple[Literal["empty", "random", "genetic"], ...] = (EMPTY, RANDOM, GENETIC)
    runs: int = 50

    def __post_init__(self) -> None:
        if self.runs < 1:
            raise ConfigError(f"runs = {self.runs} must be at least 1.")
        for score in self.scores:
            make_score(score)
        for problem in self.problems:
            _, separator, cases = problem.rpartition("@")
            if separator and not (cases.isdecimal() and int(cases) > 0):
                raise ConfigError(f"problems: '{problem}': after @ comes the number of cases, as in 'asia@5000'.")


class Lau(Experiment[LauSettings]):
    """Runs of first ascent from the empty and from a random network, and of the genetic search."""

    Settings = LauSettings
    axes = ("problems", "scores", "searches", "runs")

    def check(self, settings: LauSettings, sources: Sources) -> None:
        """Check that every problem is there."""
        for problem in settings.problems:
            network, separator, _ = problem.rpartition("@")
            if separator:
                sources.check_network(network)
            else:
                sources.check_data(problem)

    def plan(self, settings: LauSettings) -> Iterable[Row]:
        """Return one cell per problem, score, search and run."""
        for problem in settings.problems:
            for score in settings.scores:
                for search in settings.searches:
                    for run in range(settings.runs):
                        yield {"problem": problem, "score_name": score, "search": search, "run": run}

    def run(self, settings: LauSettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Run a search once; the rows are the run and, for first ascent, the score after each iteration."""
        data = problem_data(parameters["problem"], context.sources, context.seed)
        name, search = parameters["score_name"], parameters["search"]
        score = make_score(name)
        # As in the paper, without a limit on parents.
        common: dict[str, Any] = {"max_parents": None, "seed": context.rng, "limits": context.limits, "progress": False}
        if search == GENETIC:
            found = genetic_search(data, score=score, **common)
        else:
            found = first_ascent(data, score=score, start=search, **common)
        best = best_score(parameters["problem"], name, context.sources, context.seed, context.limits.seconds)
        arcs = sorted((a, b) for a, b in found.dag.arcs)
        run: Row = {
            "kind": "run",
            "score": found.score,
            "iterations": found.iterations if search == GENETIC else len(found.history),
            "operations": found.operations,
            "parameters": count_parameters(data, found.dag),
            "log_likelihood": make_score("ll").score_network(data, found.dag),
            "network": hashlib.sha256(repr(arcs).encode()).hexdigest()[:12],
            "arcs": " ".join(f"{a}->{b}" for a, b in arcs),
            "optimum": best,
            "is_optimal": None if best is None else bool(best - found.score <= NEAR * abs(best)),
        }
        history = [] if search == GENETIC else found.history.tolist()
        steps: list[Row] = [{"kind": "step", "step": i, "score": value} for i, value in enumerate(history)]
        return CellResult([run, *steps], found.status)

    def summarize(
        self, settings: LauSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable | SummaryFigure]:
        """Return the figures' numbers per sample of runs, the claims counted over problems, and figures."""
        runs = rows[rows["kind"] == "run"]
        per_sample = _samples(runs, cells)
        parts: list[SummaryTable | SummaryFigure] = [
            SummaryTable(
                "runs",
                "Figures 13 to 30: means over the runs of each problem, score and search, with the spread (standard "
                "deviation) of the iterations; `networks` counts different results, `optimal` the runs that end at "
                "the optimum (found exactly).",
                per_sample,
            ),
            SummaryTable(
                "kinds",
                "The same, averaged over the problems of a kind; `optimal` is the share of the runs.",
                _kinds(per_sample),
            ),
            SummaryTable(
                "claims",
                "Their claims, and on how many of the problems each holds, by the kind of problem. Means over the runs "
                "are compared.",
                _claims(per_sample, rows),
            ),
        ]
        shown = settings.problems[:2]  # the tables have all problems, the figures the first two, as theirs have two
        parts += [
            SummaryTable(
                "distributions",
                "Figures 13 to 15, 17 to 21, 23 and 25 to 30 for the first two problems: how many runs have a value in "
                "each interval.",
                _distributions(runs[runs["problem"].isin(shown)]),
            ),
            SummaryTable(
                "history",
                f"Figure 16 for the first two problems: {settings.scores[0]} after each iteration; a run that has "
                "ended keeps its last score.",
                _histories(rows[rows["problem"].isin(shown)], settings.scores[0]),
            ),
        ]
        caption = (
            f"Figures 22 and 24: the {COMMON} most common results on the first two problems, and of how many runs."
        )
        parts.append(SummaryTable("common-networks", caption, _common(runs[runs["problem"].isin(shown)])))
        for problem in shown:
            of_problem = runs[runs["problem"] == problem]
            parts += [_histogram(problem, metric, figures, of_problem) for metric, figures in METRICS.items()]
            parts.append(_history_figure(problem, rows, settings.scores[0]))
        return parts


@lru_cache(maxsize=8)
def problem_data(problem: str, sources: Sources, seed: int) -> Dataset:
    """Return a problem's data; a sample depends on the problem and the study's seed alone, so all cells share it."""
    network, separator, cases = problem.rpartition("@")
    if not separator:
        return sources.data(problem)
    context = CellContext(np.random.default_rng(0), Limits(), sources, seed)
    return sample(sources.network(network), int(cases), seed=context.shared_rng("lau", problem), progress=False)


@lru_cache(maxsize=64)
def best_score(problem: str, score: str, sources: Sources, seed: int, seconds: float | None) -> float | None:
    """Return the exact optimum; None if it is not found within the limit of a cell."""
    data = problem_data(problem, sources, seed)
    limits = Limits(seconds=seconds)
    table = build_parent_sets(data, make_score(score), limits=limits, threads=1, progress=False)
    if table.status is not Status.COMPLETE:
        return None
    found = find_optimal(table, data=data, limits=limits, threads=1, progress=False)
    return found.score if found.status is Status.COMPLETE else None


def _samples(runs: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    keys = ["problem", "score_name", "search"]
    lines: list[dict[str, Any]] = []
    for values, planned in cells.groupby(keys, sort=False):
        of_sample = runs[(runs[keys] == pd.Series(dict(zip(keys, values, strict=True)))).all(axis=1)]
        line: dict[str, Any] = dict(zip(keys, values, strict=True))
        for metric in METRICS:
            line[metric] = float(of_sample[metric].mean()) if len(of_sample) else float("nan")
        line["iterations sd"] = float(of_sample["iterations"].std(ddof=1)) if len(of_sample) > 1 else float("nan")
        per_iteration = of_sample["operations"] / of_sample["iterations"]
        line["operations per iteration"] = float(per_iteration.mean())
        line["parameters median"] = float(of_sample["parameters"].median())
        line["best score"] = float(of_sample["score"].max())
        line["networks"] = int(of_sample["network"].nunique())
        known = of_sample["is_optimal"].dropna()
        line["optimal"] = int(known.astype(bool).sum()) if len(known) else None
        line["cells"] = len(planned)
        line["not finished"] = int((planned["status"] != "finished").sum())
        lines.append(line)
    return pd.DataFrame(lines)


def _kind(problem: str) -> str:
    """Return what a problem is: a sample of some size, of denser networks than theirs or not, or a data set."""
    network, separator, cases = problem.rpartition("@")
    denser = " (denser)" if "max_degree=4" in network else ""
    return f"samples of {cases}{denser}" if separator else "data sets"


def _kinds(samples: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    lines: list[dict[str, Any]] = []
    kinds = samples["problem"].map(_kind)
    for values, of_kind in samples.groupby([kinds.rename("kind"), "score_name", "search"], sort=False):
        line: dict[str, Any] = dict(zip(("kind", "score_name", "search"), values, strict=True))
        for metric in ("iterations", "iterations sd", "operations", "operations per iteration", "parameters median"):
            line[metric] = round(float(of_kind[metric].mean()), 2)
        line["networks"] = round(float(of_kind["networks"].mean()), 1)
        known = of_kind.dropna(subset=["optimal"])
        line["optimal"] = round(float((known["optimal"] / known["cells"]).mean()), 3) if len(known) else None
        lines.append({**line, "problems": len(of_kind), "cells": int(of_kind["cells"].sum())})
    return pd.DataFrame(lines)


def _claims(samples: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return each claim, and on how many problems of each kind it holds."""
    import pandas as pd

    table = {(line["problem"], line["score_name"], line["search"]): line for line in samples.to_dict("records")}
    problems = list(dict.fromkeys(samples["problem"]))
    scores = list(dict.fromkeys(samples["score_name"]))
    bic, bd = (scores * 2)[:2] if len(scores) < 2 else scores[:2]
    groups: dict[str, list[str]] = {}
    for problem in problems:
        groups.setdefault(_kind(problem), []).append(problem)
    lines: list[dict[str, Any]] = []

    def count(claim: str, where: str, holds: list[bool | None], cells: int) -> None:
        line: dict[str, Any] = {"claim": claim, "section": where}
        for group, members in {**groups, "all": problems}.items():
            known = [
                value
                for problem, value in zip(problems, holds, strict=True)
                if problem in members and value is not None
            ]
            line[group] = f"{sum(known)} of {len(known)}"
        lines.append({**line, "cells": cells})

    def compare(metric: str, more: tuple[str, str], less: tuple[str, str]) -> tuple[list[bool | None], int]:
        found: list[bool | None] = []
        cells = 0
        for problem in problems:
            a, b = table.get((problem, *more)), table.get((problem, *less))
            known = a is not None and b is not None and not (np.isnan(a[metric]) or np.isnan(b[metric]))
            found.append(bool(a[metric] > b[metric]) if known else None)  # type: ignore[index]
            cells += sum(int(side["cells"]) for side in (a, b) if side is not None)
        return found, cells

    count("a random start needs more iterations", "4.4.2", *compare("iterations", (bic, RANDOM), (bic, EMPTY)))
    count("... and they vary more", "4.4.2", *compare("iterations sd", (bic, RANDOM), (bic, EMPTY)))
    count("a random start needs more operations", "4.4.3", *compare("operations", (bic, RANDOM), (bic, EMPTY)))
    count("a random start ends at a higher score", "4.4.1", *compare("score", (bic, RANDOM), (bic, EMPTY)))
    count("the empty network scores below random ones", "4.4.4", *_starts(problems, bic, rows))
    count("... and catches up with them", "4.4.4", *_catching_up(problems, bic, rows))
    for start in (EMPTY, RANDOM):
        count(f"BD needs more iterations ({start} start)", "5.2.1", *compare("iterations", (bd, start), (bic, start)))
        count(f"BD finds more parameters ({start} start)", "5.2.2", *compare("parameters", (bd, start), (bic, start)))
        count(f"BD fits better ({start} start)", "5.2.3", *compare("log_likelihood", (bd, start), (bic, start)))
    for score in (bic, bd):
        evolved = [table.get((problem, score, GENETIC)) for problem in problems]
        always = [
            None if line is None or line["optimal"] is None else line["optimal"] == line["cells"] for line in evolved
        ]
        cells = sum(int(line["cells"]) for line in evolved if line is not None)
        count(f"the genetic search always finds the optimum ({score})", "6.1", always, cells)
        more, cells = compare("score", (score, GENETIC), (score, EMPTY))
        count(f"the genetic search scores higher than one first ascent ({score})", "6.4", more, cells)
        count(f"... and than the best of {TRIES} from random starts ({score})", "6.5", *_best_of(problems, score, rows))
    return pd.DataFrame(lines)


def _best_of(problems: list[str], score: str, rows: pd.DataFrame) -> tuple[list[bool | None], int]:
    """Return whether the genetic search's mean score is above the mean of the best of this many first ascents."""
    runs = rows[(rows["kind"] == "run") & (rows["score_name"] == score)]
    found: list[bool | None] = []
    cells = 0
    for problem in problems:
        of_problem = runs[runs["problem"] == problem].sort_values("run")
        evolved = of_problem.loc[of_problem["search"] == GENETIC, "score"].to_numpy(dtype=float)
        alone = of_problem.loc[of_problem["search"] == RANDOM, "score"].to_numpy(dtype=float)
        groups = len(alone) // TRIES
        cells += len(evolved) + groups * TRIES
        known = len(evolved) > 0 and groups > 0
        best = alone[: groups * TRIES].reshape(groups, TRIES).max(axis=1).mean() if known else 0.0
        found.append(bool(evolved.mean() > best + NEAR * abs(best)) if known else None)
    return found, cells


def _starts(problems: list[str], score: str, rows: pd.DataFrame) -> tuple[list[bool | None], int]:
    """Return whether the empty network scores below the mean random start."""
    first = rows[(rows["kind"] == "step") & (rows["step"] == 0) & (rows["score_name"] == score)]
    means = first.groupby(["problem", "search"])["score"].mean()
    found: list[bool | None] = []
    for problem in problems:
        known = (problem, EMPTY) in means.index and (problem, RANDOM) in means.index
        found.append(bool(means[problem, EMPTY] < means[problem, RANDOM]) if known else None)
    return found, len(first)


def _catching_up(problems: list[str], score: str, rows: pd.DataFrame) -> tuple[list[bool | None], int]:
    """Return whether the mean score from the empty network, where lower at first, ever is that from random ones."""
    means = _histories(rows, score).pivot(index=["problem", "iteration"], columns="search", values="mean")
    found: list[bool | None] = []
    for problem in problems:
        behind: list[bool] = []
        if {EMPTY, RANDOM} <= set(means.columns) and problem in means.index:
            of_problem = means.loc[problem].ffill()
            behind = (of_problem[EMPTY] < of_problem[RANDOM]).tolist()
        found.append(not all(behind) if behind and behind[0] else None)
    steps = rows[(rows["kind"] == "step") & (rows["score_name"] == score)]
    return found, int(steps["cell"].nunique())


def _common(runs: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    lines: list[dict[str, Any]] = []
    for values, of_sample in runs.groupby(["problem", "score_name", "search"], sort=False):
        counts = of_sample["network"].value_counts(sort=True)
        for network, count in counts.head(COMMON).items():
            example = of_sample[of_sample["network"] == network].iloc[0]
            line = dict(zip(("problem", "score_name", "search"), values, strict=True))
            own = {"arcs": example["arcs"], "parameters": int(example["parameters"]), "score": float(example["score"])}
            lines.append({**line, **own, "runs": int(count), "cells": len(of_sample)})
    return pd.DataFrame(lines)


def _distributions(runs: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    lines: list[dict[str, Any]] = []
    for problem, of_problem in runs[runs["search"] != GENETIC].groupby("problem", sort=False):
        for metric in METRICS:
            values = of_problem[metric].to_numpy(dtype=float)
            whole = metric in ("iterations", "parameters") and np.ptp(values) < 60
            edges = np.arange(values.min(), values.max() + 2) if whole else np.histogram_bin_edges(values, bins=BINS)
            for (score, search), part in of_problem.groupby(["score_name", "search"], sort=False):
                counts, _ = np.histogram(part[metric].to_numpy(dtype=float), bins=edges)
                own = {"problem": problem, "score_name": score, "search": search, "metric": metric}
                for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True):
                    if count:
                        place = {"from": float(low), "width": float(high - low), "runs": int(count)}
                        lines.append({**own, **place, "cells": len(part)})
    return pd.DataFrame(lines)


def _histories(rows: pd.DataFrame, score: str) -> pd.DataFrame:
    import pandas as pd

    lines = []
    steps = rows[(rows["kind"] == "step") & (rows["score_name"] == score)]
    for (problem, search), part in steps.groupby(["problem", "search"], sort=False):
        table = part.pivot_table(index="step", columns="cell", values="score").sort_index().ffill()
        for step, values in table.iterrows():
            own = {"problem": problem, "search": search, "iteration": step}
            spread = {"mean": values.mean(), "lowest": values.min(), "highest": values.max()}
            lines.append({**own, **spread, "cells": table.shape[1]})
    return pd.DataFrame(lines)


def _histogram(problem: str, metric: str, figures: str, runs: pd.DataFrame) -> SummaryFigure:
    samples = {
        f"{score}, {search}": of_sample[metric].to_numpy(dtype=float)
        for (score, search), of_sample in runs[runs["search"] != GENETIC].groupby(["score_name", "search"], sort=False)
    }

    def draw(axes: Axes) -> None:
        axes.hist(list(samples.values()), bins=12, label=list(samples))
        axes.set_xlabel(metric.replace("_", "-") + (" (natural log)" if metric in ("score", "log_likelihood") else ""))
        axes.set_ylabel("runs")
        axes.set_title(problem, fontsize=9)
        axes.legend(fontsize=8)

    cells = sum(len(values) for values in samples.values())
    caption = f"Figure {figures} for {problem}: {metric.replace('_', '-')} over the runs ({cells} cells)."
    return SummaryFigure(f"{metric.replace('_', '-')}-{_stem(problem)}", caption, draw)


def _stem(problem: str) -> str:
    """Return a problem as part of a file name."""
    return "".join(letter if letter.isalnum() else "-" for letter in problem)


def _history_figure(problem: str, rows: pd.DataFrame, score: str) -> SummaryFigure:
    """Figure 16: the score after each iteration, averaged over runs; a run that has ended keeps its last score."""
    steps = rows[(rows["kind"] == "step") & (rows["problem"] == problem) & (rows["score_name"] == score)]
    curves: dict[str, tuple[np.ndarray[Any, Any], int]] = {}
    for search, of_search in steps.groupby("search", sort=False):
        table = of_search.pivot_table(index="step", columns="cell", values="score").sort_index().ffill()
        curves[str(search)] = (table.mean(axis=1).to_numpy(), table.shape[1])

    def draw(axes: Axes) -> None:
        for search, (curve, runs) in curves.items():
            axes.plot(curve, label=f"{search} start, {runs} runs")
        axes.set_xlabel("iteration")
        axes.set_ylabel(f"mean {score} score (natural log)")
        axes.set_title(problem, fontsize=9)
        axes.legend()

    cells = sum(runs for _, runs in curves.values())
    return SummaryFigure(
        f"history-{_stem(problem)}",
        f"Figure 16 for {problem}: the mean score after each iteration ({cells} cells).",
        draw,
    )
