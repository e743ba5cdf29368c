"""The pages of the papers: a verdict on every element, and figures like theirs, from the summaries of the studies.

    python docs/papers.py     # draws the figures that are no longer of their summaries; then docs/update.py

`papers/elements.toml` lists every table, figure and claim with what is printed, what we found, and a verdict;
`docs/update.py` writes the list of a page between its marks (`<!-- begin verdicts steck -->`). A number of ours is read
where a study has it: ``[[STUDY/TABLE: COLUMN; KEY=VALUE; ...; FORMAT]]`` is a cell of
``studies/summaries/STUDY/TABLE.csv``. Instead of a column, ``count`` is the number of rows, ``sum COLUMN`` and ``mean
COLUMN`` are over them, and ``same A / B`` is on how many of the rows that have both columns the two agree ("27 of 29").

Each figure carries the digest of its summaries and of the function that draws it; a test compares.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import re
import sys
import tomllib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

PAPERS = Path(__file__).resolve().parent / "papers"
SUMMARIES = PAPERS.parents[1] / "studies" / "summaries"
PAGES = ("scanagatta", "ueno", "steck", "lau", "liao-credible", "liao-scores", "liao-thresholds")
ROWS = 72  # elements of the list that a reviewer made of the five papers; further ones have a letter
VERDICTS = ("agrees", "differs", "nothing printed", "cannot be had", "not yet run")
HEADINGS = ("The paper", "Every table, figure and claim", "Figures", "Corrections to the paper", "How to run it")
CELL = re.compile(r"\[\[(?P<study>[a-z0-9-]+)/(?P<table>[a-z0-9-]+): (?P<what>[^\]]+)\]\]")


@lru_cache(maxsize=64)
def table(name: str) -> pd.DataFrame:
    """Return a table of a frozen summary, "STUDY/TABLE"."""
    import pandas as pd

    return pd.read_csv(SUMMARIES / f"{name}.csv")


def elements() -> list[dict[str, str]]:
    """Return the list, in the order of the pages."""
    with (PAPERS / "elements.toml").open("rb") as file:
        found: list[dict[str, str]] = tomllib.load(file)["element"]
    return found


def read_cell(match: re.Match[str]) -> str:
    """Return the number that a mention names."""
    what, *others = [part.strip() for part in match["what"].split(";")]
    frame = table(f"{match['study']}/{match['table']}")
    form = ""
    for part in others:
        column, equals, value = part.partition("=")
        if not equals:
            form = part
            continue
        kept = frame[column.strip()].map(lambda cell: f"{cell:g}" if isinstance(cell, float) else str(cell))
        frame = frame[kept == value.strip()]
    if not len(frame):
        raise ValueError(f"{match[0]}: no such row")
    return _value(frame, what, form, match[0])


def _value(frame: pd.DataFrame, what: str, form: str, mention: str) -> str:
    kind, _, column = what.partition(" ")
    if what == "count":
        return f"{len(frame):,}"
    if kind in ("sum", "mean") and column in frame:
        return format(float(getattr(frame[column], kind)()), form or ",.6g")
    if kind == "same":
        a, b = (part.strip() for part in column.split(" / "))
        known = frame.dropna(subset=[a, b])
        return f"{int((known[a] == known[b]).sum())} of {len(known)}"
    if len(frame) > 1:
        raise ValueError(f"{mention}: {len(frame)} rows, not one")
    value = frame[what].iloc[0]
    return str(value) if isinstance(value, str) else format(float(value), form or ",.6g")


def filled(text: str) -> str:
    """Return a text with its numbers."""
    return CELL.sub(read_cell, text)


def verdict_table(page: str) -> str:
    """Return the list of a page, as a Markdown table."""
    rows = ["| # | what | printed | ours | verdict |", "|---|---|---|---|---|"]
    for one in elements():
        if one["page"] == page:
            why = filled(one.get("why", ""))
            verdict = f"**{one['verdict']}**" + (f": {why}" if why else "")
            cells = (one["row"], f"{one['what']} ({one['where']})", one["printed"], filled(one["ours"]), verdict)
            rows.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def counts_table() -> str:
    """Return how many elements of each page have each verdict, as a Markdown table."""
    rows = [f"| page | {' | '.join(VERDICTS)} |", "|---|" + "---:|" * len(VERDICTS)]
    total = dict.fromkeys(VERDICTS, 0)
    for page in PAGES:
        found = [one["verdict"] for one in elements() if one["page"] == page]
        for verdict in found:
            total[verdict] += 1
        rows.append(f"| [{page}]({page}.md) | " + " | ".join(str(found.count(v)) for v in VERDICTS) + " |")
    rows.append("| all | " + " | ".join(str(total[v]) for v in VERDICTS) + " |")
    return "\n".join(rows) + "\n"


# Tables of the pages, made of several columns of a summary.


def _rows(head: str, lines: list[str], numbers_from: int = 0) -> str:
    columns = head.count("|") + 1
    rule = "|".join("---:" if i >= numbers_from else "---" for i in range(columns))
    return f"| {head} |\n|{rule}|\n" + "".join(f"| {line} |\n" for line in lines)


def _wide(name: str, measure: str) -> pd.DataFrame:
    return table(name).pivot_table(index="size", columns="score", values=measure)


def _differences(name: str, measure: str, score: str) -> dict[int, str]:
    part = table(name).query("measure == @measure and score == @score")
    return {
        int(size): f"{difference:+.2f} ± {error:.2f}".replace("-", "−")
        for size, difference, error in part[["size", "difference", "error"]].itertuples(index=False)
    }


def _accuracy(study: str) -> str:
    means = _wide(f"{study}/means", "accuracy")
    low, high = (_differences(f"{study}/differences", "accuracy", score) for score in ("min_bdeu", "max_bdeu"))
    lines = [
        f"{size:,} | {row['empty']:.1f} | {row['min_bdeu']:.1f} | {row['bdeu']:.1f} | {row['max_bdeu']:.1f} | "
        f"{low[size]} | {high[size]}"
        for size, row in means.iterrows()
    ]
    return _rows("N | empty | Min-BDeu | BDeu | Max-BDeu | Min − BDeu | Max − BDeu", lines)


def _structure(study: str) -> str:
    arcs, moral, large = (_wide(f"{study}/means", measure) for measure in ("arcs", "moral", "accuracy_large"))
    low, high = (_differences(f"{study}/differences", "moral", score) for score in ("min_bdeu", "max_bdeu"))
    three = ("min_bdeu", "bdeu", "max_bdeu")
    lines = [
        f"{size:,} | "
        + " | ".join(f"{frame.loc[size, score]:.1f}" for frame in (arcs, moral) for score in three)
        + f" | {low[size]} | {high[size]} | "
        + " | ".join(f"{large.loc[size, score]:.1f}" for score in three)
        for size in arcs.index
    ]
    head = "N | arcs Min | BDeu | Max | moral distance Min | BDeu | Max | Min − BDeu | Max − BDeu"
    return _rows(f"{head} | large sample: Min | BDeu | Max", lines)


def _sensitivity(study: str) -> str:
    means = table(f"{study}/means").query("score == 'bdeu'").set_index("size")
    within = table(f"{study}/correlation").set_index("over")["correlation"]
    lines = [
        f"{size:,} | {row['sensitivity']:.4f} | {row['accuracy']:.1f} | {within[f'samples of {size}']:+.2f}".replace(
            "-", "−"
        )
        for size, row in means.iterrows()
    ]
    return _rows("N | sensitivity | accuracy score | rank correlation within this N", lines)


def _steck_table(study: str) -> str:
    lines = []
    for row in table(f"{study}/table-1").to_dict("records"):
        own = row["alpha^I"] if row["same"] else f"**{row['alpha^I']}**"
        lines.append(
            f"{row['data']} | {row['N']:,} | {row['n']} | {row['alpha^I printed']} | {own} | "
            f"{row['alpha^M printed']} | {row['alpha^M']} ({row['alpha^M exact']:.2f}) | {row['alpha* printed']} | "
            f"{row['alpha*']:.2f} | "
            f"{row['k printed']} | {row['k']}"
        )
    head = "data | N | n | α^I printed | α^I ours | α^M printed | α^M ours | α* printed | α* ours | k printed | k ours"
    return _rows(head, lines, 1)


def _ueno_table(study: str, number: int, score: str) -> str:
    columns = ("correct", "SHD", "ME", "EE", "WO", "MO", "EO")
    lines = []
    for row in table(f"{study}/table-{number}").query("score == @score").to_dict("records"):
        pairs = [
            f"{'?' if row[f'{c} printed'] != row[f'{c} printed'] else int(row[f'{c} printed'])} / {row[c]}"
            for c in columns
        ]
        lines.append(f"{row['network']} | {row['ESS']:g} | {row['n']:,} | " + " | ".join(pairs))
    return _rows("network | ESS | n | correct | SHD | ME | EE | WO | MO | EO", lines, 1)


TABLES: dict[str, Callable[[], str]] = {
    "scanagatta-accuracy": lambda: _accuracy("scanagatta"),
    "scanagatta-structure": lambda: _structure("scanagatta"),
    "scanagatta-sensitivity": lambda: _sensitivity("scanagatta"),
    "scanagatta-known-accuracy": lambda: _accuracy("scanagatta-known"),
    "scanagatta-known-structure": lambda: _structure("scanagatta-known"),
    "steck-1": lambda: _steck_table("steck"),
    "ueno-1": lambda: _ueno_table("ueno-fitted", 1, "bdeu"),
    "ueno-2": lambda: _ueno_table("ueno-fitted", 2, "expected_log_bde_local"),
    "counts": counts_table,
}


def paper_table(name: str) -> str:
    """Return a table of a page, as Markdown."""
    return TABLES[name]()


# The figures. Each function takes a matplotlib figure; its summaries are named in FIGURES.

SCORES = {"aic": "AIC", "bdeu": "BDeu", "bic": "BIC", "qbdj": "qBDJ", "qnml": "qNML"}
SIZES = ("50-100", "500-1000", "5000-10000")
MARKS = {"min_bdeu": "o", "bdeu": "s", "max_bdeu": "x", "empty": "."}
NAMES = {"min_bdeu": "Min-BDeu", "bdeu": "BDeu", "max_bdeu": "Max-BDeu", "empty": "empty"}


def _by_size(axes: Any, means: pd.DataFrame, measure: str, label: str, *, log: bool = False) -> None:
    for score, mark in MARKS.items():
        part = means[means["score"] == score].dropna(subset=[measure])
        if len(part):
            axes.plot(part["size"], part[measure], marker=mark, markersize=4, linewidth=1, label=NAMES[score])
    axes.set_xscale("log")
    if log:
        axes.set_yscale("log")
    axes.set_title(label, fontsize=9)
    axes.tick_params(labelsize=7)


def scanagatta_random(figure: Figure) -> None:
    """Figures 1, 3, 4, 5 and 6: random networks of 20 nodes."""
    means = table("scanagatta/means")
    panels = figure.subplots(2, 3)
    _by_size(panels[0, 0], means, "accuracy", "Figure 1: accuracy score", log=True)
    _by_size(panels[0, 1], means, "moral", "Figure 3: moral distance")
    _by_size(panels[0, 2], means, "arcs", "Figure 4: arcs")
    _by_size(panels[1, 0], means, "accuracy_large", "Figure 5: parameters from 5,000 cases", log=True)
    _by_size(panels[1, 1], means[means["score"] == "bdeu"], "accuracy", "Figure 6: accuracy of BDeu", log=True)
    _by_size(panels[1, 2], means[means["score"] == "bdeu"], "sensitivity", "Figure 6: sensitivity", log=True)
    panels[0, 0].legend(fontsize=7)


def scanagatta_known(figure: Figure) -> None:
    """Figure 2: four networks of the repository; and their moral distance."""
    means = table("scanagatta-known/by-network")
    networks = list(dict.fromkeys(means["network"]))
    panels = figure.subplots(2, len(networks), squeeze=False)
    for column, network in enumerate(networks):
        part = means[means["network"] == network]
        _by_size(panels[0, column], part, "accuracy", f"{network}: accuracy score", log=True)
        _by_size(panels[1, column], part, "moral", f"{network}: moral distance")
    panels[0, 0].legend(fontsize=7)


def scanagatta_parents(figure: Figure) -> None:
    """Figure 7: limits on parents."""
    curves = table("scanagatta-variations/parents")
    axes = figure.subplots()
    for column in curves.columns[1:-1]:
        axes.plot(curves["size"], curves[column], marker=".", linewidth=1, label=f"{column} parents")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("cases")
    axes.set_ylabel("accuracy score of BDeu (lower is better)")
    axes.legend(fontsize=7)


def steck_skewness(figure: Figure) -> None:
    """Figure 1: the log Bayes factor for an edge between two independent variables with p(1) = z, 100 cases."""
    import numpy as np

    from arcwise.priors import skewness_effect

    frame = skewness_effect(z=np.linspace(0, 0.5, 51)).to_frame()
    axes = figure.subplots()
    for column in frame.columns[1:]:
        axes.plot(frame["z"], frame[column], linewidth=1, label=f"ESS {float(column):g}")
    axes.axhline(0, color="0.6", linewidth=0.8)
    axes.set_xlabel("z")
    axes.set_ylabel("log Bayes factor for the edge")
    axes.legend(fontsize=7)


def ueno_correct(figure: Figure) -> None:
    """Correct structures over the ESS, printed and ours, for each network and size."""
    tables = {"BDeu": table("ueno-fitted/table-1"), "expected log-BDe": table("ueno-fitted/table-2")}
    tables["expected log-BDe"] = tables["expected log-BDe"].query("score == 'expected_log_bde_local'")
    panels = figure.subplots(3, 4, sharex=True, sharey=True)
    for column, network in enumerate(("g1", "g2", "g3", "g4")):
        for row, size in enumerate((200, 500, 1000)):
            axes = panels[row, column]
            for colour, (name, frame) in zip(("tab:blue", "tab:orange"), tables.items(), strict=True):
                part = frame[(frame["network"] == network) & (frame["n"] == size)]
                axes.plot(part["ESS"], part["correct"], color=colour, marker=".", linewidth=1, label=name)
                axes.plot(part["ESS"], part["correct printed"], color=colour, linestyle=":", marker="x", linewidth=1)
            axes.set_xscale("log")
            axes.set_title(f"{network}, n = {size:,}", fontsize=8)
            axes.tick_params(labelsize=7)
    panels[0, 0].legend(fontsize=6)


def ueno_theorem(figure: Figure) -> None:
    """Theorem 1: log-BDeu against fit − penalty, for a hundred DAGs of five nodes; on a line where eq. 7 is exact."""
    import numpy as np

    from arcwise.graph import Dag, all_parent_masks
    from arcwise.scores import make_score
    from arcwise_studies.experiments.ueno import STRUCTURE, fit_and_penalty, ueno_network

    data = ueno_network(0.9, 0.35).sample(1000, seed=1)
    masks = list(all_parent_masks(5))[::293]
    dags = [Dag(STRUCTURE.names, [[p for p in range(5) if mask >> p & 1] for mask in one]) for one in masks]
    panels = figure.subplots(1, 4)
    for axes, ess in zip(panels, (0.1, 1, 10, 100), strict=True):
        exact = np.array([make_score("bdeu", ess=ess).score_network(data, dag) for dag in dags])
        fit, penalty = np.array([fit_and_penalty(data, dag, ess) for dag in dags]).T
        axes.plot(fit - penalty, exact - exact.max(), ".", markersize=2)
        axes.set_title(f"ESS {ess:g}", fontsize=8)
        axes.set_xlabel("fit − penalty", fontsize=7)
        axes.tick_params(labelsize=6)
    panels[0].set_ylabel("log-BDeu below the best", fontsize=7)


def _bars(axes: Any, part: pd.DataFrame) -> None:
    """Draw a histogram as one path; intervals without runs are not in the summary."""
    import numpy as np

    width = float(part["width"].iloc[0])
    first, last = float(part["from"].min()), float(part["from"].max()) + width
    edges = np.linspace(first, last, round((last - first) / width) + 1)
    counts = np.zeros(len(edges) - 1)
    counts[np.round((part["from"] - first) / width).astype(int)] = part["runs"]
    axes.stairs(counts, edges, fill=True)


def lau_runs(figure: Figure) -> None:
    """Figures 13 to 16 for the first stand-in of A and of B: BIC, from the empty and from a random network."""
    runs, history = table("lau/distributions"), table("lau/history")
    panels = figure.subplots(4, 4)
    cases = [(p, s) for p in dict.fromkeys(runs["problem"]) for s in ("empty", "random")]
    for column, (problem, search) in enumerate(cases[:4]):
        of_case = runs[
            (runs["problem"] == problem) & (runs["search"] == search) & (runs["score_name"] == "bic_laplace")
        ]
        where = "A" if problem.endswith("@100") else "B"
        for row, metric in enumerate(("score", "iterations", "operations")):
            part = of_case[of_case["metric"] == metric]
            axes = panels[row, column]
            _bars(axes, part)
            axes.set_title(f"{row + 13}: {metric}, {where}, {search}", fontsize=7)
            axes.tick_params(labelsize=6)
        of_case = history[(history["problem"] == problem) & (history["search"] == search)]
        axes = panels[3, column]
        axes.fill_between(of_case["iteration"], of_case["lowest"], of_case["highest"], alpha=0.3)
        axes.plot(of_case["iteration"], of_case["mean"], color="tab:red", linewidth=1)
        axes.set_title(f"16: score after each iteration, {where}, {search}", fontsize=7)
        axes.tick_params(labelsize=6)


def liao_deviations(figure: Figure) -> None:
    """Figure 3.1: how far the k-th best network lies below the best (BDeu)."""
    import math

    frame = table("liao-credible/deviations")
    axes = figure.subplots()
    for data, part in frame.groupby("data", sort=False):
        axes.plot(part["k"], part["deviation"], linewidth=1, label=str(data))
    for factor in (3, 20, 150):
        axes.axhline(math.log(factor), color="tab:red", linestyle="--", linewidth=0.8)
        axes.annotate(f"{factor}", (1000, math.log(factor)), fontsize=7, color="tab:red")
    axes.set_xlabel("k")
    axes.set_ylabel("deviation from the best score")
    axes.set_ylim(0, 8)
    axes.legend(fontsize=7)


def _liao_scores(figure: Figure, method: str, first: int) -> None:
    frame = table("liao-scores/by-weight")
    panels = figure.subplots(3, 4, sharex=True)
    for row, (metric, name) in enumerate((("f-cpdag", "F of CPDAGs"), ("f", "F of skeletons"), ("cost", "cost"))):
        for column, size in enumerate((*SIZES, "all")):
            part = frame[
                (frame["metric"] == metric) & (frame["method"] == method) & (frame["cases of a sample"] == size)
            ].sort_values("weight")
            axes = panels[row, column]
            for score, label in SCORES.items():
                axes.plot(part["weight"], part[score], linewidth=1, label=label)
            axes.set_xscale("log", base=2)
            axes.set_title(f"4.{first + row} ({'abcd'[column]}): {name}, N {size}", fontsize=7)
            axes.tick_params(labelsize=6)
    panels[0, 0].legend(fontsize=6)


def liao_scores_bootstrap(figure: Figure) -> None:
    """Figures 4.1 to 4.3: Borda points by beta or alpha, with the bootstrap."""
    _liao_scores(figure, "bootstrap", 1)


def liao_scores_credible(figure: Figure) -> None:
    """Figures 4.4 to 4.6: the same with credible sets."""
    _liao_scores(figure, "credible", 4)


def liao_thresholds(figure: Figure) -> None:
    """Figures 5.1 to 5.3: learned thresholds by score, size and weight, with the bootstrap and with credible sets."""
    frame = table("liao-thresholds/thresholds")
    panels = figure.subplots(3, 6, sharex=True, sharey=True)
    for block, metric in enumerate(("f-cpdag", "f", "cost")):
        for side, method in enumerate(("bootstrap", "credible")):
            for row, size in enumerate(SIZES):
                axes = panels[row, 2 * block + side]
                part = frame[(frame["metric"] == metric) & (frame["method"] == method) & (frame["cases"] == size)]
                for score, label in SCORES.items():
                    line = part[part["score"] == score].sort_values("weight")
                    axes.plot(line["weight"], line["threshold"], linewidth=1, label=label)
                axes.set_xscale("log", base=2)
                axes.set_ylim(0, 1)
                axes.set_title(f"5.{block + 1}: {method}, N {size}", fontsize=7)
                axes.tick_params(labelsize=6)
    panels[0, 0].legend(fontsize=6)


def liao_curves(figure: Figure) -> None:
    """Figures 5.4 to 5.11: cumulative losses of single scores, and of ensembles within a method and of both."""
    frame = table("liao-ensembles/curves")
    colours = dict(zip(("aic", "bdeu", "bic", "qnml", "boosting"), ("C0", "C1", "C2", "C3", "k"), strict=True))
    lines = {"bootstrap": ":", "credible": "-", "both": "--"}
    single, ensemble = tuple(colours)[:-1], ("boosting",)
    rows = (
        ("5.4, 5.5", {"bootstrap": single, "credible": single}),
        ("5.6, 5.7", {"bootstrap": (*single, *ensemble)}),
        ("5.8, 5.9", {"credible": (*single, *ensemble)}),
        ("5.10, 5.11", {"bootstrap": ("bdeu", *ensemble), "credible": ("qnml", *ensemble), "both": ensemble}),
    )
    metrics = (("shd", "SHD"), ("f-cpdag", "1 − F of CPDAGs"), ("cost", "cost"), ("f", "1 − F of skeletons"))
    panels = figure.subplots(len(rows), len(metrics), sharex=True)
    for row, (number, shown) in enumerate(rows):
        for column, (metric, name) in enumerate(metrics):
            axes = panels[row, column]
            for method, scores in shown.items():
                for score in scores:
                    line = frame[(frame["metric"] == metric) & (frame["method"] == method) & (frame["score"] == score)]
                    label = f"{method}: {SCORES.get(score, score)}"
                    style = {"color": colours[score], "linestyle": lines[method]}
                    axes.plot(line["share"], line["cumulative loss"], linewidth=1, label=label, **style)
            axes.set_title(f"{number}: {name}", fontsize=8)
            axes.tick_params(labelsize=6)
        panels[row, 0].legend(fontsize=5)


Draw = Callable[["Figure"], None]
FIGURES: dict[str, tuple[Draw, tuple[str, ...], tuple[float, float]]] = {
    "scanagatta-random": (scanagatta_random, ("scanagatta/means",), (10, 6)),
    "scanagatta-known": (scanagatta_known, ("scanagatta-known/by-network",), (11, 5)),
    "scanagatta-parents": (scanagatta_parents, ("scanagatta-variations/parents",), (6, 4)),
    "steck-skewness": (steck_skewness, (), (6, 4)),
    "ueno-correct": (ueno_correct, ("ueno-fitted/table-1", "ueno-fitted/table-2"), (9, 6)),
    "ueno-theorem": (ueno_theorem, (), (9, 2.6)),
    "lau-runs": (lau_runs, ("lau/distributions", "lau/history"), (11, 9)),
    "liao-deviations": (liao_deviations, ("liao-credible/deviations",), (7, 4.5)),
    "liao-scores-bootstrap": (liao_scores_bootstrap, ("liao-scores/by-weight",), (11, 7)),
    "liao-scores-credible": (liao_scores_credible, ("liao-scores/by-weight",), (11, 7)),
    "liao-curves": (liao_curves, ("liao-ensembles/curves",), (11, 10)),
    "liao-thresholds": (liao_thresholds, ("liao-thresholds/thresholds",), (14, 7)),
}


def digest(name: str) -> str:
    """Return the digest of what a figure is drawn from: its summaries and its function."""
    draw, tables, size = FIGURES[name]
    parts = [inspect.getsource(draw), repr(size), *((SUMMARIES / f"{one}.csv").read_text("utf-8") for one in tables)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def drawn(name: str) -> str:
    """Return the text of a figure, with its digest."""
    import matplotlib as mpl

    from arcwise.base.options import load_figure

    draw, _, size = FIGURES[name]
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure = load_figure()(figsize=size, layout="constrained")
        draw(figure)
        for axes in figure.axes:
            _few_ticks(axes)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return f"{_smaller(file.getvalue())}\n<!-- {digest(name)} -->\n"


def _few_ticks(axes: Any) -> None:
    """Leave a few ticks, which are most of the text of a small panel."""
    from matplotlib.ticker import MaxNLocator

    axes.minorticks_off()
    if axes.get_xscale() == "linear":
        axes.xaxis.set_major_locator(MaxNLocator(4))
    elif axes.get_xlim()[1] < 100:  # weights
        axes.set_xticks([0.125, 1, 8], ["1/8", "1", "8"])
    if axes.get_yscale() == "linear":
        axes.yaxis.set_major_locator(MaxNLocator(4))


def _smaller(text: str) -> str:
    """Return a picture without comments and indentation, places rounded to a tenth of a point."""
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' id="(?:[a-z2]+|matplotlib\.axis)_\d+"', "", text)
    text = re.sub(r"(?<=[ \"MLQCz(\n])-?\d+\.\d{2,}(?=[ \")\n])", lambda number: f"{float(number[0]):.1f}", text)
    return re.sub(r"\s*\n\s*", "\n", text).strip()


def main() -> None:
    """Draw the figures whose summaries or functions have changed, or those that are named."""
    for name in FIGURES:
        path = PAPERS / f"{name}.svg"
        fits = path.exists() and f"<!-- {digest(name)} -->" in path.read_text(encoding="utf-8")
        if name in sys.argv[1:] or not fits:
            path.write_text(drawn(name), encoding="utf-8")
            print(f"drew {path.relative_to(PAPERS.parents[1])}")


if __name__ == "__main__":
    main()
