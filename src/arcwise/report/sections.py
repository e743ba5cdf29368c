"""Sections of the report: data and choices, variables, cuts, and a methods section to paste, with its references."""

from __future__ import annotations

import math
import platform
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, Context
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import numpy as np

from arcwise.audit.finding import Finding, Kind, Severity, columns_words
from arcwise.base.bibliography import list_works
from arcwise.base.options import options_of
from arcwise.base.showing import counted, first_few, listed, percent, plural, show_confidence
from arcwise.confidence.consensus import Fate
from arcwise.confidence.edge_confidence import RuleName
from arcwise.findings.edge_record import FILLING, Agreement, EdgeRecord, Support, shown_direction
from arcwise.findings.options import AUTO, score_text
from arcwise.findings.parts import ShuffledColumns
from arcwise.findings.preparation import AS_THEY_ARE_ASKED, IS_ONE_WRONG
from arcwise.findings.regression import SHOWN, Reason
from arcwise.findings.verdict import HALF, Direction, Forest, ForestRow, Verdict
from arcwise.graph.beliefs import Beliefs
from arcwise.graph.constraints import Constraints
from arcwise.networks.recipe import MadeNetworks
from arcwise.report import edges
from arcwise.report.blocks import Blocks, Bullets, CheckLine, TableBlock, Verbatim, gather, table
from arcwise.report.report import Answer
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise.audit.audit import Audit
    from arcwise.base.errors import Argument
    from arcwise.confidence.edge_confidence import EdgeConfidence
    from arcwise.data.column import Column as DataColumn
    from arcwise.data.table import Table as DataTable
    from arcwise.evaluate.fit import FitCheck
    from arcwise.exact.proof import Optimum
    from arcwise.findings.checks import CutChecks
    from arcwise.findings.findings import Findings
    from arcwise.findings.preparation import Obstacle
    from arcwise.findings.variable import Neighbour, VariableFinding
    from arcwise.networks.recipe import Recipe


# What a report says about a source of networks: its account, its choices, its part of the methods section.
#
# The words of each source are its own (`arcwise.recipes.source.Source`).


# What was chosen, its value, why, and how to change it.
Choice = tuple[str, str, str, str]

_WHY = {
    "bayes_factor": "beyond 20 the evidence against a network is called strong (Kass and Raftery 1995)",
    "replicates": "the standard error of a confidence is at most 0.5 / sqrt(replicates)",
    "recut": "they are estimates, and part of the uncertainty",
}
_NAMES = {"bayes_factor": "Bayes factor", "recut": "cut points"}


def setting_choices(analysis: Findings) -> list[Choice]:
    """Return the settings of the main source that an option of `learn` can change."""
    recipe, known = analysis.main.recipe, {item.name: item for item in options_of(analysis.options)}
    return [
        (
            _NAMES.get(item.name, item.name.replace("_", " ")),
            _shown(recipe.settings.get(item.name, item.default)),
            _WHY.get(item.name, item.help),
            known[item.name].flag,
        )
        for item in options_of(recipe.source_facts.Settings)
        if item.name in known and item.name in recipe.settings  # what is off is not told
    ]


def _shown(value: object) -> str:
    if value is True:
        return "anew in each replicate"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def ensemble_title(analysis: Findings) -> str:
    """Return the heading of the section about the networks."""
    source = analysis.main.recipe.source_facts
    return source.heading or f"The {source.networks}"


def sample_summary(analysis: Findings) -> str:
    """Return how a sample of networks came about, and how accurate it is."""
    confidence, source = analysis.confidence, analysis.main.recipe.source_facts
    how = source.summary(_made(analysis))
    if confidence.n_networks == 1:
        return f"{how} It has an edge or not: that is no measure of how far the edge can be trusted."
    text = f"{how} The confidence in an edge is the share of the networks that have it."
    if not source.is_sample or analysis.data.n_variables < 2:
        return text
    worst = float(confidence.standard_error.max())
    return f"{text} With this many networks a confidence is accurate to about ±{2 * worst:.2f} at worst."


def completeness(recipe: Recipe) -> str:
    """Return of what a set is complete: "complete among networks with at most 3 parents per variable"."""
    return f"complete{recipe.restriction(' among networks')}"


def methods_of_networks(analysis: Findings) -> str:
    """Return the sentences of a methods section on how the networks were found and averaged."""
    which = " that satisfy the constraints" if analysis.constraints is not None else ""
    classes = (
        f"; directions were counted only where they are shared by all members of a network's equivalence class{which}."
        if analysis.confidence.orient == "cpdag"
        else "; directions are those of the networks themselves."
    )
    return analysis.main.recipe.source_facts.methods(_made(analysis)) + classes


def _made(analysis: Findings) -> MadeNetworks:
    """Return what a source is told of the networks that it made."""
    main = analysis.main
    return MadeNetworks(
        main.recipe,
        analysis.confidence.n_networks,
        analysis.data.n_effective,
        main.verdict,
        None if main.credible is None else (main.credible.count, main.credible.classes),
        "" if main.optimum is None else bound_words(main.optimum, main.recipe),
    )


# The choices behind an analysis: what, why, and how to change it; and how to repeat the run.


PACKAGES = ("arcwise", "numpy", "scipy", "pandas", "scikit-learn", "duckdb")


def skipped_rule(analysis: Findings) -> str:
    """Return which rule was not computed because it is slow and nobody asked for it; "" if none."""
    return analysis.part(ShuffledColumns).skipped


def choice_blocks(analysis: Findings) -> Blocks:
    """Return a table with one row per choice."""
    options, recipe, source = analysis.options, analysis.main.recipe, analysis.main.recipe.source_facts
    by_user, usual_score = "chosen by the user", source.why_score or f"usual for the {source.title}"
    why_method = (
        by_user
        if options.method != AUTO
        else "it serves any number of rows and variables, and in studies of known networks no source is clearly better"
        if source.is_sample
        else "what you said of ancestors holds in all networks that the data cannot rule out, not in a bootstrap"
    )
    rows: list[Choice] = [
        ("method", source.title, why_method, "--method"),
        ("score", recipe.score_title, by_user if options.score is not None else usual_score, "--score"),
        *setting_choices(analysis),
        (
            "cut-off",
            cut_words(analysis),
            _why_cut(analysis),
            "--missed-edge-cost, --rule, --false-rate or --threshold",
        ),
        (
            "directions",
            "of equivalence classes" if analysis.confidence.orient == "cpdag" else "of the DAGs",
            _why_directions(analysis),
            "",
        ),
        (
            "parameters",
            f"posterior means, ESS {analysis.prior.sensitivity.ess:g}",
            "defined for every combination of states, even without a row",
            "--score bdeu:ess=...",
        ),
        (
            "parents",
            "no limit" if recipe.max_parents is None else f"at most {recipe.max_parents}",
            _why_parents(analysis),
            "--max-parents",
        ),
    ]
    if analysis.constraints is not None:
        rows.append(("constraints", edges.constraints_text(analysis.constraints), by_user, "--constraints"))
    if options.beliefs is not None:
        rows.append(
            ("prior odds", edges.beliefs_text(options.beliefs, analysis.data.n_variables), by_user, "--beliefs")
        )
    return gather(
        "Every choice was made for a reason and can be changed.",
        table("The choices.", ("choice", "value", "why", "change it with"), rows),
    )


def _why_directions(analysis: Findings) -> str:
    known = analysis.constraints
    if analysis.confidence.orient == "cpdag":
        return "a direction counts only where the data can show it" + (", or you said it" if known is not None else "")
    if known is not None and known.is_ancestral:
        return "constraints on ancestors cut classes in ways that single directions do not show"
    return "the set is too large to be listed class by class"


def _why_cut(analysis: Findings) -> str:
    cost = analysis.options.missed_edge_cost
    if analysis.options.threshold is not None:
        return "chosen by the user"
    if analysis.thresholds.chosen.label is RuleName.CALIBRATED:
        if analysis.options.false_rate is not None:
            return f"at most {analysis.options.false_rate:.3g} of the edges above it are false, on average"
        return (
            f"a missed edge costs {cost:g} extra {plural(cost, 'edge')}: an edge pays above a probability of "
            f"1 / (1 + {cost:g})"
        )
    if analysis.thresholds.chosen.label is RuleName.LEARNED:
        return f"of least cost on data from known networks, if a missed edge costs {cost:g} extra (Liao 2022, ch. 5)"
    return f"a missed edge costs {cost:g} extra {plural(cost, 'edge')}: an edge pays above 1 / (1 + {cost:g})"


def _why_parents(analysis: Findings) -> str:
    if analysis.options.max_parents is not None:
        return "chosen by the user"
    if analysis.main.recipe.max_parents is not None:
        return "with more parents than the rows can support, this score finds edges in data that have none"
    if analysis.main.recipe.source_facts.is_sample:
        return "the score limits them"
    return "parent sets that cannot be in a good network are pruned by theorems, no limit is needed"


def repeat_line(analysis: Findings) -> str:
    """Return the command that repeats the analysis of a file, or for other data the call of `learn`.

    A score with a prior network of the analyst's own has no spelling; the call then says so.
    """
    options, file = analysis.options, analysis.prepared.file
    if file is not None and (options.score is None or _can_be_spelled(options.score)):
        return shlex.join(["arcwise", "learn", file, "-o", "DIR", *options.command_words()])
    given = {
        item.name: getattr(options, item.name)
        for item in options_of(options)
        if item.recorded and getattr(options, item.name) != item.default
    }
    names = list(analysis.data.names)
    spelled = [f"{name}={_python(value, names)}" for name, value in given.items()]
    return f"arcwise.learn({', '.join([repr(file) if file is not None else 'data', *spelled])})"


def _can_be_spelled(score: object) -> bool:
    assert isinstance(score, Score)
    try:
        return make_score(score_text(score.describe())) == score
    except ValueError:
        return False


def _python(value: object, names: list[str]) -> str:
    if isinstance(value, Score):
        return repr(score_text(value.describe())) if _can_be_spelled(value) else f"<your score {value.title}>"
    if isinstance(value, Constraints):
        return f"arcwise.Constraints({names!r}, **{value.describe()!r})"
    if isinstance(value, Beliefs):
        return f"arcwise.graph.Beliefs(**{value.describe()!r})"
    return repr(value)


def versions() -> dict[str, str]:
    """Return the versions of what the numbers depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def repeat_blocks(analysis: Findings, *, by_time: bool) -> Blocks:
    """Return how to repeat the run: the command, the versions, the fingerprint of the data."""
    software = ", ".join(f"{name} {number}" for name, number in versions().items())
    again = "Some parts ended at the time limit: to repeat them exactly, a run needs more time."
    return gather(
        Verbatim(repeat_line(analysis), "command" if analysis.prepared.file is not None else "call"),
        f"Versions: {software}. Seed {analysis.options.seed}. Data fingerprint (SHA-256): {analysis.digest}.",
        again if by_time else "",
        "The folder also holds edges.csv (all edges described here) and network.bif (the network with its tables). "
        "The file confidence.parquet has every pair, run.json all options. To draw the class: cpdag.dot and "
        "cpdag.graphml.",
    )


# What the report says about experiments: those that were made, and which would settle most of what is open.


# Variables that settle less than this are not worth a line.
LEAST_SHOWN = 0.05
MOST_LINES = 12
EXPERIMENT_WORKS = frozenset({"cooper-1999", "hauser-2012"})


def experiment_blocks(analysis: Findings) -> Blocks:
    """Return which experiment to make next, where directions are open; else nothing."""
    found = analysis.main.experiments
    if found is None or found.best is None:
        return ()
    rows = [
        (str(row["set"]), float(row["settles"]), float(row["share"]))
        for row in found.to_frame().head(MOST_LINES).to_dict(orient="records")
        if row["settles"] >= LEAST_SHOWN
    ]
    if not rows:
        return ()
    first, best, _ = rows[0]
    open_now = f"{found.open_now:.1f} edges" if round(found.open_now, 1) != 1.0 else "1.0 edge"
    return gather(
        f"On average over the networks, {open_now} fit either way, and only an experiment can decide. Setting a "
        "variable shows the direction of every edge at it, and others follow. "
        f"Setting {first} would settle most, {best:.1f} of them on average. This assumes enough rows, and that nothing "
        "outside the data causes two variables at once.",
        table(
            "How many open directions an experiment on each variable would settle, expected over the networks"
            + (" (networks, or members of large classes, were drawn at random)." if found.drawn else "."),
            ("set", ("settles", 2), ("share of what is open", 2)),
            rows,
        ),
    )


def methods_of_experiments(analysis: Findings) -> str:
    """Return what the methods section says about cases in which variables were set; empty if there are none."""
    targets = analysis.data.targets
    if targets is None:
        return ""
    names = targets.names
    always = all(set(one) == set(names) for one in targets.sets)
    which = "all rows" if always else "some rows" if () in targets.sets else "every row one or more of"
    return (
        f"In {which} {listed(names)} {plural(len(names), 'was', 'were')} set by an experiment. Every variable was "
        "scored and estimated without the rows in which it was set (Cooper & Yoo, 1999). Networks count as equivalent "
        "if no such experiment tells them apart (Hauser & Bühlmann, 2012)."
    )


def methods_blocks(analysis: Findings) -> Blocks:
    """Return the methods section with its references."""
    return (Verbatim(methods_text(analysis), "methods section"), Bullets(references(analysis)))


def methods_text(analysis: Findings) -> str:
    """Return the methods section in the past tense."""
    options, data = analysis.options, analysis.data
    steps = [step.replace(IS_ONE_WRONG, "") for step in analysis.prepared.steps if AS_THEY_ARE_ASKED not in step]
    prepared = " ".join(("", *(step.replace("Taken as ", "Columns were taken as ", 1) for step in steps)))
    network = "discrete Bayesian network" if analysis.prepared.mixed is None else "Bayesian network"
    parts = [
        f"We learned the structure of a {network} over {data.n_variables} variables from "
        f"{data.n_cases:,} rows with arcwise {versions().get('arcwise', '')}.{prepared}"
    ]
    if analysis.constraints is not None:
        parts.append(f"Every network had to satisfy these constraints: {edges.constraints_text(analysis.constraints)}.")
        parts.append(edges.price_methods(analysis))
    if options.beliefs is not None:
        parts.append(
            "Networks were weighed by prior odds as well as by the data. An arc's odds compare a network with it to "
            f"the same network without it: {edges.beliefs_text(options.beliefs, data.n_variables)}."
        )
    parts += [methods_of_experiments(analysis), methods_of_networks(analysis), edges.completion_methods(analysis)]
    cost = options.missed_edge_cost
    as_much = "as much" if cost == 1 else f"{cost:g} times as much"
    if options.threshold is not None:
        cut = f"Edges with a confidence above {analysis.threshold:.3g} were kept."
    elif analysis.thresholds.chosen.label is RuleName.CALIBRATED:
        why = f"the cut-off of least expected cost if a missed edge costs {as_much} as an extra one"
        if options.false_rate is not None:
            why = f"the lowest cut-off with an expected share of false edges of at most {options.false_rate:.3g}"
        expected = analysis.expected
        cut = (
            f"Edges with a confidence above {analysis.threshold:.3g} were kept, {why}, by probabilities that "
            f"{analysis.probability.calibration.basis}. In nine of ten data sets, "
            f"{' to '.join(map(str, expected.false_range))} of the {expected.edges:,} edges are wrong, and "
            f"{' to '.join(map(str, expected.missed_range))} are missing."
        )
    elif analysis.thresholds.chosen.label is RuleName.LEARNED:
        cut = (
            f"Edges with a confidence above {analysis.threshold:.3g} were kept. On data sets sampled from known "
            f"networks, this cut-off has the least cost if a missed edge costs {as_much} as an extra one (Liao, 2022)."
        )
    else:
        cut = (
            f"Edges with a confidence above {analysis.threshold:.3g} were kept, the cut-off of least expected cost if "
            f"a missed edge costs {as_much} as an extra one."
        )
    fates = [edge.fate for edge in analysis.consensus.dropped]
    for fate in dict.fromkeys(fates):
        dropped = fates.count(fate)
        reason = "would have closed a cycle" if fate is Fate.DROPPED else "the constraints exclude"
        cut += f" {counted(dropped, 'edge')} that {reason} {plural(dropped, 'was', 'were')} left out."
    s = analysis.prior.sensitivity
    parts.append(
        f"{cut} Parameters are posterior means under a BDeu prior with equivalent sample size {s.ess:g}. The score of "
        f"the network varied by {s.relative:.2%} over an ε-contaminated set of priors (ε = {s.epsilon:g}; Scanagatta "
        "et al., 2014)."
    )
    if analysis.comparisons:
        titles = "; ".join(other.title for other in analysis.comparisons)
        kept = [e for e in analysis.edges if e.fate.in_network and not e.origin.is_decided]
        robust = sum(e.spread[0] > HALF for e in kept)
        forced = " that were not required" if analysis.constraints is not None else ""
        parts.append(
            f"As a check of robustness, the confidences were also computed by other methods and scores ({titles}): "
            f"{robust} of the {len(kept)} edges{forced} had a confidence above one half under all of them."
        )
    parts.append(f"The random seed was {options.seed}.")
    return " ".join(part for part in parts if part)


# The rules whose authors are cited where their cut-off is marked.
RULE_WORKS = {
    RuleName.LEARNED: "liao-2022",
    RuleName.SCUTARI: "scutari-2013",
    RuleName.GROSS: "gross-2019",
    RuleName.BROOM: "broom-2012",
}


def references(analysis: Findings) -> tuple[str, ...]:
    """Return the works that the methods section and the report refer to, by author."""
    wanted = {"liao-2022", "scanagatta-2014", "steck-2008"}
    for averaged in analysis.sets:
        recipe = averaged.recipe
        wanted |= {recipe.scorer.facts.citation, recipe.source_facts.cited_for(averaged.verdict)} - {""}
    if analysis.gaps is not None:
        wanted.add("tanner-1987")
    if analysis.options.beliefs is not None and analysis.options.beliefs.fair_sizes:
        wanted.add("koivisto-2004")
    if analysis.main.credible is not None:
        wanted.add("kass-1995")
    if analysis.data.targets is not None:
        wanted |= EXPERIMENT_WORKS
    wanted |= {RULE_WORKS[mark.label] for mark in analysis.thresholds.marks if mark.label in RULE_WORKS}
    return list_works(wanted)


# The audit in words: the columns with their distributions, the findings, and what is missing together.


BARS = "▁▂▃▄▅▆▇█"
MOST_BARS = 12  # of a histogram in text
MOST_COLUMNS = 200  # that are listed one by one
MOST_PATTERNS = 12  # of gaps that are listed
MOST_VALUES = 4  # that an option is spelled with
TITLES = {
    Severity.BLOCKS: "blocks",
    Severity.MISLEADS: "misleads",
    Severity.NOTE: "note",
}


def audit_blocks(audit: Audit, obstacles: Sequence[Obstacle] = ()) -> Blocks:
    """Return the page of the audit: findings, columns, gaps; and what else would be in the way of learning."""
    rows, columns = audit.table.n_cases, len(audit.table.columns)
    grave = sum(finding.severity is not Severity.NOTE for finding in audit.findings)
    serious = grave + len(obstacles)
    if not audit.findings and not obstacles:
        text = "Nothing was found that stands in the way of learning from them."
    else:
        notes = len(audit.findings) - grave
        text = (
            f"{counted(serious, 'point')} would have to be dealt with, and {counted(notes, 'more is', 'more are')} "
            "worth knowing."
        )
    patterns = missing_together(audit.repaired)
    return gather(
        f"The data have {columns:,} columns and {rows:,} rows. {text}",
        " ".join(
            audit.table.notes
        ),  # by the reader of a large file, who leaves out and cuts before anything is counted
        _findings(audit, obstacles) if audit.findings or obstacles else None,
        _columns(audit.read),
        patterns,
        None if patterns is None else edges.dependence_blocks(audit.gap_dependences),
    )


def _findings(audit: Audit, obstacles: Sequence[Obstacle]) -> TableBlock:
    order = list(Severity)
    listed = sorted(audit.findings, key=lambda finding: order.index(finding.severity))
    rows = [(TITLES[f.severity], _what(f.what, f.evidence), _proposal(f)) for f in listed]
    graver = sum(finding.severity is Severity.BLOCKS for finding in listed)
    rows[graver:graver] = [
        (TITLES[Severity.BLOCKS], _what(o.what, o.details), f"{o.proposal} ({_option(o.remedy)})") for o in obstacles
    ]
    return table("What was found, the gravest first", ("severity", "finding", "proposal"), rows)


def _what(what: str, evidence: str) -> str:
    text = f"{what}{f' ({evidence})' if evidence else ''}"
    return text[0].upper() + text[1:]


def _proposal(finding: Finding) -> str:
    option = "" if finding.remedy is None else _option(finding.remedy)
    if not finding.proposal:
        return f"none needed; {option}" if option else "none needed"
    if not finding.safe or finding.repair is None:
        return f"your choice: {finding.proposal} ({option})"
    return f"{finding.proposal} ({option})"


def _option(remedy: Argument) -> str:
    """Spell the option that applies a proposal: "--drop id", "--decimal ,", "--yes"."""
    if remedy.name == "agree":
        return "--yes"
    values = remedy.value if isinstance(remedy.value, list) else [remedy.value]
    spelled = [f"--{remedy.name.replace('_', '-')} {shlex.quote(str(value))}" for value in values[:MOST_VALUES]]
    return " ".join(spelled) + (" ..." if len(values) > MOST_VALUES else "")


def _columns(columns: Sequence[DataColumn]) -> TableBlock:
    shown = columns[:MOST_COLUMNS]
    more = len(columns) - len(shown)
    rows = []
    for column in shown:
        counts = column.counts()
        seen = counts[counts > 0]
        top = edges.state_label(column.labels[int(counts.argmax())]) if len(seen) else "–"
        share = counts.max(initial=0) / max(1, counts.sum())
        gaps = column.n_missing / max(1, column.n_cases)
        short = top if len(top) <= 24 else f"{top[:23]}…"
        rows.append((column.name, len(seen), _bars(column), f"{short} ({share:.0%})", f"{gaps:.1%}"))
    return table(
        f"The columns as they are read{f'; the first {MOST_COLUMNS} of {len(columns):,}' if more else ''}",
        ("column", ("values", 0), "how often", "most frequent", "missing"),
        rows,
    )


def _bars(column: DataColumn) -> str:
    """Return a small histogram: numbers in equal intervals, labels from the most frequent down."""
    counts = column.counts()
    if column.is_continuous():
        values = column.values()
        heights = np.histogram(values[~np.isnan(values)], bins=MOST_BARS)[0]
    else:
        heights = np.sort(counts[counts > 0])[::-1][:MOST_BARS]
    if not len(heights) or heights.max() == 0:
        return ""
    level = np.ceil(heights / heights.max() * (len(BARS) - 1)).astype(int)
    return "".join(BARS[k] if height else " " for k, height in zip(level.tolist(), heights.tolist(), strict=True))


def missing_together(data: DataTable) -> TableBlock | None:
    """Return which values are missing together: the patterns of gaps, the most frequent first."""
    gappy = [column for column in data.columns if column.n_missing]
    if not gappy:
        return None
    matrix = np.array([column.is_missing for column in gappy]).T
    patterns, of_row = np.unique(np.packbits(matrix, axis=1), axis=0, return_inverse=True)
    counts = np.bincount(of_row.ravel(), gappy[0].weights).astype(np.int64)
    order = np.argsort(-counts, kind="stable")[:MOST_PATTERNS]
    flags = np.unpackbits(patterns[order], axis=1, count=len(gappy)).astype(bool)
    rows = []
    for which, count in zip(flags, counts[order].tolist(), strict=True):
        names = [column.name for column, missing in zip(gappy, which.tolist(), strict=True) if missing]
        picture = "".join("■" if missing else "·" for missing in which.tolist()[:60])
        rows.append((count, f"{count / data.n_cases:.1%}", picture, ", ".join(names) if names else "nothing"))
    left = len(counts) - len(order)
    more = f"; {left:,} rarer {'pattern is' if left == 1 else 'patterns are'} not shown" if left else ""
    return table(
        f"What is missing together (■ missing, one sign per column with gaps{more})",
        (("rows", 0), "share", "pattern", "missing"),
        rows,
    )


# What one variable is linked with, in words and as a table.


MOST_NEIGHBOURS, MOST_OPEN = 30, 5
ROLES = {"parent": "parent", "child": "child", "partner": "parent of a child", "": "–"}
SET_STANDS_OUT = 0.5  # of the networks, by weight


FEW_SAY_NOTHING = "Shares of so few say nothing about an edge: take this as a first guess, and allow more time."


def few_networks(count: int) -> str:
    """Return that there are too few networks."""
    return "Only one network was learned." if count == 1 else f"Only {count:,} networks were learned."


def by_definition(analysis: Findings, target: str) -> str:
    """Return a warning of columns from which the target was computed, or that were computed from it; or ""."""
    audit, names = analysis.prepared.audit, set(analysis.data.names)
    for one in () if audit is None else audit.findings:
        if one.kind is Kind.DETERMINED and target in one.columns and names.issuperset(one.columns):
            computed, *others = one.columns
            drop = " ".join(f"--drop {shlex.quote(name)}" for name in (others if computed == target else [computed]))
            return f"Beware: {one.what}. Their edge is true by definition and hides others: learn again with {drop}. "
    return ""


def linked_sentence(name: str, records: Sequence[EdgeRecord]) -> str:
    """Return what a variable is linked with, by the verdicts of its edges; it depends on what points to it."""
    own: dict[Verdict, list[EdgeRecord]] = {verdict: [] for verdict in Verdict}
    for edge in records:
        if edge.fate.in_network and name in (edge.first, edge.second):
            own[edge.verdict].append(edge)
    sets = edges.set_sentences(records, (name,))
    if not any(own.values()):
        return " ".join(sets) or f"The data show no edge of {name}."

    def others(edges: list[EdgeRecord]) -> list[str]:
        return [edge.second if edge.first == name else edge.first for edge in edges]

    parts = []
    for verdict, maybe in ((Verdict.RELY, ""), (Verdict.PROBABLY, "probably ")):
        into = [edge for edge in own[verdict] if edge.head == name and edge.direction is not Direction.UNKNOWN]
        rest = [edge for edge in own[verdict] if edge not in into]
        parts += [f"{maybe}depends on {listed(others(into))}"] if into else []
        parts += [f"is {maybe}linked with {listed(others(rest))}"] if rest else []
    text = f"{name} {listed(parts)}." if parts else "" if sets else f"No edge of {name} is established."
    text = " ".join(part for part in (text, *sets) if part)
    text += f" You assume {listed(others(own[Verdict.YOURS]))}." if own[Verdict.YOURS] else ""
    unsure = others([*own[Verdict.OPEN], *own[Verdict.UNLIKELY]])
    return f"{text} Open: {listed(unsure, most=MOST_OPEN)}." if unsure else text


def variable_answer(found: VariableFinding, records: Iterable[EdgeRecord]) -> Answer:
    """Return everything that is to be said about one variable, whose edges are among these."""
    of = {frozenset((edge.first, edge.second)): edge for edge in records}
    rows = [(one, of.get(frozenset((found.name, one.name)))) for one in found.neighbours]
    order = list(Verdict)
    last = len(order)
    rows.sort(key=lambda row: (last, 0.0) if row[1] is None else (order.index(row[1].verdict), -row[1].real))
    text = gather(
        f"{few_networks(found.n_networks)} {FEW_SAY_NOTHING}" if found.few else "",
        linked_sentence(found.name, tuple(of.values())),
        _weight(found, is_told=any(edge.one_of == found.name for edge in of.values())),
        _blanket(found),
        _table(found, rows[:MOST_NEIGHBOURS]),
        f"{len(rows) - MOST_NEIGHBOURS:,} more variables are in the file of the table."
        if len(rows) > MOST_NEIGHBOURS
        else "",
        _missed_at(found.name, of.values()),
        f"Information: what a variable tells about {found.name} that the others do not, in bits (– if chance would "
        "tell as much). A dependence is not an effect: for what setting a variable would do, ask `arcwise effect`.",
    )
    return Answer(f"What is linked with {found.name}", text)


def _weight(found: VariableFinding, *, is_told: bool) -> str:
    """Return how much the neighbours in the network tell, and which matters most; if there are none, unless told."""
    if not found.blanket:
        nothing = f"The network joins {found.name} to nothing. It may still depend on something: these data do not "
        return "" if is_told else f"{nothing}show on what."
    first = max(found.neighbours, key=lambda one: one.information or 0.0)
    share = found.known / found.entropy if found.entropy > 0 else 0.0
    low, high, state = (edges.state_label(text) for text in first.at)
    text = (
        f"In the network, {listed(found.blanket)} {plural(len(found.blanket), 'removes', 'remove')} {percent(share)} "
        f"of the uncertainty about {found.name} ({found.known:.3f} of {found.entropy:.3f} bits)."
    )
    if first.information is None:
        return f"{text} Their tables are too large to say which of them matters most."
    return (
        f"{text} {first.name} matters most: P({found.name} = {state}) is {first.change or 0.0:.2f} higher if "
        f"{first.name} is {high} than if it is {low}."
    )


def _missed_at(name: str, records: Iterable[EdgeRecord]) -> str:
    """Return with which variables a regression on all other columns shows it related, without an edge, and why."""
    own = [edge for edge in records if edge.missed is not None and name in (edge.first, edge.second)]
    told = [f"{e.second if e.first == name else e.first} ({e.missed.reason})" for e in own if e.missed is not None]
    return f"No edge, though a regression on all other columns shows one: {listed(told, most=MOST_OPEN)}." * bool(told)


def missed_blocks(analysis: Findings) -> Blocks:
    """Return the pairs without an edge that a regression on all other columns shows, each with the reason."""
    missed = [(edge, edge.missed) for edge in analysis.edges if edge.missed is not None]
    rows = [
        (f"{edge.first} — {edge.second}", found.t, edge.real, edges.missed_words(found))
        for edge, found in sorted(missed, key=lambda one: -abs(one[1].t))
    ]
    if not rows:
        return ()
    return gather(
        "Each variable with one column (a number, a scale, two states) was regressed on all others. These pairs are "
        f"clear there (chance shows any in {percent(SHOWN)} of tables), and the network has no edge.",
        table("What a regression shows beside the network", ("pair", ("t", 1), ("probability", 2), "why"), rows),
    )


def _blanket(found: VariableFinding) -> str:
    """Return how sure it is that these variables, and no others, are enough to know."""
    if not found.blankets:
        return "No networks were kept, so nothing is known of the set as a whole."
    if found.n_networks == 1 or not found.blanket:
        return ""
    own = next((share for names, share in found.blankets if set(names) == set(found.blanket)), 0.0)
    if own < SET_STANDS_OUT:
        return "No set of variables stands out, so judge each on its own."
    if own > 1 - 1e-9:
        return f"All {found.networks} have this set, its Markov blanket."
    return f"This set, its Markov blanket, is that of {percent(own)} of the {found.networks}."


def _table(found: VariableFinding, rows: Sequence[tuple[Neighbour, EdgeRecord | None]]) -> TableBlock:
    return table(
        f"The variables that may be joined to {found.name}, by what to do about the edge.",
        (
            "variable",
            "verdict",
            ("probability", 2),
            "direction",
            "in the network",
            ("information", 3),
            f"change in P({found.name})",
        ),
        [
            (
                one.name,
                Verdict.UNLIKELY if edge is None else edge.verdict,
                None if edge is None or found.few else edge.real,
                "" if edge is None else _towards(edge, found),
                ROLES[one.in_network],
                one.information,
                _change(one),
            )
            for one, edge in rows
        ],
    )


def _towards(edge: EdgeRecord, found: VariableFinding) -> str:
    """Return how far the direction is known, and whether it points to the variable; "" where no edge is drawn."""
    words = shown_direction(edge, found.n_networks if found.few else 0) if edge.fate.in_network else ""
    if not words or edge.direction is Direction.UNKNOWN:
        return words
    return f"{'from' if edge.head == found.name else 'to'} it, {words}"


def _change(one: Neighbour) -> str:
    """Return the change, and between which states it is: of one that is shown as zero, there is nothing to say."""
    if one.change is None:
        return "–"
    size = f"{one.change:.2f}"
    before, after, state = map(edges.state_label, one.at)
    return size if float(size) == 0 else f"{size} ({before} → {after}: {state})"


# What the report says about edges that depend on how numbers were cut.


YES = {True: "yes", False: "no"}


def cut_title(analysis: Findings) -> str:
    """Return the heading of what is said about cuts."""
    return "Do the edges depend on how numbers were cut?" if analysis.when_cut is None else "What cutting would find"


def cut_blocks(analysis: Findings) -> Blocks:
    """Return what is said about cuts; nothing if nothing was cut."""
    if analysis.when_cut is not None and analysis.when_cut.confidence is not None:
        return _when_cut(analysis, analysis.when_cut.confidence)
    checks = analysis.cuts
    if checks is None or not (checks.checks or checks.notes):
        return ()
    listed = table(
        "Edges at numbers: the confidence as they were cut here, and the range over other ways to cut them.",
        ("edge", ("here", 2), ("lowest", 2), "by", ("highest", 2), "by", "depends on the cuts"),
        (
            (f"{e.first} — {e.second}", e.here, e.lowest, e.lowest_by, e.highest, e.highest_by, YES[e.depends])
            for e in checks.edges
        ),
    )
    notes = (note.text for note in checks.notes)
    return gather(cut_sentence(analysis, checks), *notes, listed if checks.edges else None)


def _when_cut(analysis: Findings, cut: EdgeConfidence) -> Blocks:
    """Return which edges are likely only with the columns as they are, and which only with numbers cut."""
    here, there = analysis.probability.vector, cut.probability.vector
    names = analysis.confidence.names
    pairs = [f"{names[i]} — {names[j]}" for i in range(len(names)) for j in range(i + 1, len(names))]
    likely, apart = here > HALF, np.flatnonzero((here > HALF) != (there > HALF))
    recipe = "" if cut.recipe is None else f" ({cut.recipe.title})"
    text = (
        f"With the columns cut in {analysis.options.bins}{recipe}, {int((likely & (there > HALF)).sum())} of the "
        f"{counted(int(likely.sum()), 'edge')} that {'is' if likely.sum() == 1 else 'are'} likely here "
        f"{'is' if likely.sum() == 1 else 'are'} likely too"
    )
    if not len(apart):
        return gather(f"{text}, and no other.")
    rows = [(pairs[k], float(here[k]), float(there[k])) for k in sorted(apart, key=lambda k: -here[k])]
    caption = "Edges that are likely one way alone: their probabilities."
    return gather(f"{text}.", table(caption, ("edge", ("as they are", 2), ("cut", 2)), rows))


def cut_sentence(analysis: Findings, checks: CutChecks) -> str:
    """Return how many of the network's edges at numbers some other way to cut would not have found."""
    inside = {frozenset((edge.first, edge.second)) for edge in analysis.edges if edge.fate.in_network}
    here = [edge for edge in checks.edges if frozenset((edge.first, edge.second)) in inside]
    depends = [edge for edge in here if edge.depends]
    ways = f"{counted(len(checks.checks), 'other way')} to cut {columns_words(checks.columns)}"
    if not checks.checks:
        return f"No other way to cut {columns_words(checks.columns)} was tried."
    if not here:
        return f"{ways[0].upper()}{ways[1:]}: the network has no edge there."
    if not depends:
        stay = (
            "the one edge of the network there stays"
            if len(here) == 1
            else f"all {len(here)} edges of the network there stay"
        )
        return f"{ways[0].upper()}{ways[1:]} were tried: {stay} likely."
    named = first_few([f"{edge.first} — {edge.second}" for edge in depends], 4)
    return (
        f"{ways[0].upper()}{ways[1:]} were tried. {len(depends)} of the network's {counted(len(here), 'edge')} there "
        f"{plural(len(depends), 'disappears', 'disappear')} under at least one: {named}. Report such an edge with its "
        "bins, or not at all."
    )


# The checks: one line each, with what it counts and how much it changes, for the summary.


def cut_words(analysis: Findings) -> str:
    """Return the cut-off on the scale that edges are shown on: "a probability above 0.50"."""
    if analysis.probability.calibration.kind == "none" or analysis.has_few_networks:
        return f"a confidence above {analysis.threshold:.3g}"
    return f"a probability above {float(analysis.probability.calibration.curve(analysis.threshold)):.2f}"


# A fit check of fewer tests says nothing of the whole network; of more, chance rejects a twentieth.
FEWEST_TESTS = 20
MOST_REJECTED = 0.1


def checks(analysis: Findings) -> tuple[CheckLine, ...]:
    """Return what was checked: methods, prior, bins, fit, rows, gaps, and whether there are networks enough."""
    kept = [e for e in analysis.edges if e.fate.in_network and e.origin.is_found]
    n = len(kept)
    found = [_networks_check(analysis)]
    if analysis.comparisons and n and not analysis.has_few_networks:
        apart = sum(e.agreement is Agreement.DISAGREE for e in kept)
        words = f"some of {len(analysis.sets)} disagree on" if apart else f"all {len(analysis.sets)} agree on"
        found.append(_counted_check("ranges", "methods", words, (apart, n), "every edge"))
    depend = sum(e.prior_support in (Support.DEPENDS, Support.NEVER) for e in kept)
    if n and any(e.prior_support is not None for e in kept):
        found.append(_counted_check("prior", "prior", "decides", (depend, n)))
    if analysis.cuts is not None and analysis.cuts.checks:
        numbers = {*analysis.cuts.columns}
        at = [e for e in kept if {e.first, e.second} & numbers]
        changed = sum(e.cuts_decide for e in at)
        line = _counted_check("cuts", "bins", "other bins remove", (changed, len(at)), "no edge", " at numbers")
        found.append(replace(line, ok=False) if 2 * changed > len(at) else line)
    if analysis.fit is not None and analysis.fit.n_tests:
        found.append(_fit_check(analysis.fit))
    missed = [e.missed.reason for e in analysis.edges if e.missed is not None]
    if missed:
        left = sum(reason in (Reason.UNKNOWN, Reason.UNSURE) for reason in missed)
        which = counted(len(missed), "pair")
        told = f"a regression on all other columns shows {which} without an edge; {left or 'none'} without a reason"
        found.append(CheckLine("missed", "regression", None if left else True, told, f"{left:,}" if left else ""))
    grown = analysis.prior.saturation
    if grown is not None:
        rows, changed = int(grown.sizes[-1] - grown.sizes[-2]), round(float(grown.change[-1]))
        edges_changed = counted(changed, "edge") if changed else "no edge"
        words = f"the last {rows:,} changed {edges_changed}"
        found.append(CheckLine("prior", "enough rows", True if grown.settled else None, words, edges_changed))
    if analysis.gaps is not None:
        matter = sum((e.between_completions or 0.0) >= FILLING for e in kept)
        found.append(_counted_check("data", "gaps", "what fills them matters for", (matter, n)))
    return tuple(check for check in found if check is not None)


def _counted_check(
    key: str, name: str, words: str, bad: tuple[int, int], none: str = "no edge", where: str = ""
) -> CheckLine:
    """Return a check that counts the edges for which something holds that should not."""
    count, total = bad
    share = f"{count:,} of {total:,}"
    which = f"{share} {plural(total, 'edge')}" if count else none
    return CheckLine(key, name, None if count else True, f"{words} {which}{where}", share if count else "")


def _networks_check(analysis: Findings) -> CheckLine | None:
    """Return whether there are networks enough to average over, and whether the chains that drew them agree."""
    verdict, count = analysis.main.verdict, analysis.confidence.n_networks
    if verdict and not verdict.get("converged"):
        return CheckLine("ensemble", "convergence", False, "the chains do not agree yet")
    if analysis.has_few_networks:
        return CheckLine("ensemble", "networks", False, f"only {count:,}, too few to trust their shares")
    return CheckLine("ensemble", "convergence", True, "the chains agree") if verdict else None


def _fit_check(found: FitCheck) -> CheckLine:
    """Return whether the network fits: it fails where many of its claims are rejected, and some clearly."""
    rejected, clear = round(found.small * found.n_tests), any(pair.p <= 0.05 for pair in found.misfits[:1])
    words = f"the data contradict {rejected:,} of the {found.n_tests:,} independences that it claims"
    words += f" ({found.n_tests / 20:.0f} by chance)" if found.n_tests >= FEWEST_TESTS else ""
    many = found.n_tests >= FEWEST_TESTS and found.small > MOST_REJECTED
    ok = False if clear and many else None if clear or many else True
    return CheckLine("fit", "fit", ok, words, "" if ok else f"{rejected:,} of {found.n_tests:,}")


# How far the methods agree on each edge: a forest plot, and what it shows.


# Of more edges than this, those on which all methods agree are left out of the plot.
MOST_RANGES = 60
WHY_METHODS_DIFFER = (
    "A confidence of 1 means that every network of the set has the edge; it is not a proof. Each score weighs fit "
    "against complexity in its own way. A bootstrap also asks what other samples of this size would have shown, so it "
    "is more careful. An edge on which all agree can be reported. One on which they disagree needs its range, or more "
    "data."
)


def range_blocks(analysis: Findings) -> Blocks:
    """Return the ranges of all edges that some method finds likely or that are in the network."""
    if not analysis.comparisons:
        return ()
    asked = [
        e
        for e in analysis.edges
        if e.agreement is not Agreement.NOT_COMPARED and (e.fate.in_network or e.spread[1] > HALF)
    ]
    if not asked:
        return ()
    shown = asked if len(asked) <= MOST_RANGES else [e for e in asked if e.agreement is not Agreement.AGREE]
    left = len(asked) - len(shown)
    shown = sorted(shown, key=lambda e: (not e.fate.in_network, -e.spread[0], -e.present))[:MOST_RANGES]
    beyond = len(asked) - left - len(shown)
    notes = [f"{left:,} edges on which all methods agree are not drawn"] if left else []
    notes += [f"the {beyond:,} least certain are left to the table"] if beyond else []
    widest = max(asked, key=lambda e: e.spread[1] - e.spread[0])
    low, high = widest.spread
    summary = (
        f"The widest range is that of {widest.first} — {widest.second}, from {show_confidence(low, 2)} to "
        f"{show_confidence(high, 2)}{'; ' + '; '.join(notes) if notes else ''}."
    )
    forest = Forest(
        f"The confidence in each edge by the {analysis.main.title} (dot) and by {len(analysis.comparisons)} other "
        "methods (ticks).",
        summary,
        tuple(ForestRow(e.name, e.present, tuple(e.others.values()), e.verdict) for e in shown),
        ((analysis.threshold, f"cut-off {analysis.threshold:.2g}"),),
    )
    return gather(WHY_METHODS_DIFFER, forest if shown else summary)


WIDEST = math.log(1e6)  # beyond, a Bayes factor tells nobody anything
DECIMALS = 1e6  # a score is shown in millionths


def bound_words(found: Optimum, recipe: Recipe) -> str:
    """Return what is proved: "no network can have more than -97.100000, so that none is better by more than 1.2 nats".

    If only parent sets of up to `found.most_parents` were scored, it is said of networks of these, as nothing is known
    of others.
    """
    most = found.most_parents
    within = recipe if most is None else replace(recipe, max_parents=most)
    which = (within.restriction("network") or "network").replace("that satisfy", "that satisfies")
    others = "" if most is None else ", and nothing is known of others"
    if found.is_proved:
        return f"no {which} has a better one, which is proved"
    if not math.isfinite(found.gap):
        return "no bound is known"
    if most is not None and found.gap <= 0:
        return f"no {which} has a better one{others}"
    bound = math.ceil(found.upper_bound * DECIMALS) / DECIMALS
    meaning = factor_words(found.gap) if found.gap < WIDEST else "too much to tell how near the best it is"
    return (
        f"no {which} can have more than {bound:.6f}, so that none is better by more than {_up(found.gap, 4)} nats, "
        f"{meaning}{others}"
    )


def factor_words(gap: float) -> str:
    """Return a difference of scores as a Bayes factor, rounded up; beyond a million, in nats.

    >>> factor_words(1.2), factor_words(38770)
    ('a Bayes factor of 3.33', '38,770 nats')
    """
    return f"a Bayes factor of {_up(math.exp(gap), 3)}" if gap < WIDEST else f"{_up(gap, 4)} nats"


def _up(value: float, digits: int) -> str:
    """Return a number with so many digits that is not below the value, without a power of ten."""
    text = f"{Context(prec=digits, rounding=ROUND_CEILING).create_decimal(value):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
