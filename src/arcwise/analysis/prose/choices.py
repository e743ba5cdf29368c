"""The choices behind an analysis: what, why, and how to change it; and how to repeat the run."""

from __future__ import annotations

import platform
import shlex
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from arcwise.report import Column, Paragraph, Table, Verbatim

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.report.content.blocks import Block

__all__ = ["choices_table", "command_line", "repeat_blocks", "versions"]

PACKAGES = ("arcwise", "numpy", "scipy", "pandas", "scikit-learn", "duckdb")


def choices_table(analysis: Analysis) -> Table:
    """Return one row per choice."""
    options, main = analysis.options, analysis.main
    credible = main.method == "credible"
    own_score = options["score"] is None
    most = main.max_parents
    why_method = (
        "chosen by the user"
        if options["method"] != "auto"
        else "every network that the data cannot rule out was found in the time allowed, so nothing is left to chance"
        if credible
        else "the credible set could not be completed in the time and memory allowed"
    )
    recommended = "qNML for credible sets" if credible else "BDeu for the bootstrap"
    rows: list[tuple[str, str, str, str]] = [
        ("method", "credible set" if credible else "bootstrap", why_method, "--method"),
        (
            "score",
            main.title.split(", ", 1)[1],
            f"Liao (2022, section 4.7) recommends {recommended}" if own_score else "chosen by the user",
            "--score",
        ),
    ]
    if credible:
        rows.append(
            (
                "Bayes factor",
                f"{options['bayes_factor']:g}",
                "beyond 20 the evidence against a network is called strong (Kass and Raftery 1995)",
                "--bayes-factor",
            )
        )
    else:
        rows.append(
            (
                "replicates",
                f"{options['replicates']:,}",
                "the standard error of a confidence is at most 0.5 / sqrt(replicates)",
                "--replicates",
            )
        )
    cost = float(options["missed_edge_cost"])
    rows += [
        (
            "cut-off",
            f"{analysis.threshold:.3g}",
            "chosen by the user"
            if options["threshold"] is not None
            else f"of least cost on data from known networks, if a missed edge costs {cost:g} extra (Liao 2022, ch. 5)"
            if analysis.thresholds.chosen.label == "learned"
            else f"a missed edge costs {cost:g} extra edge{'' if cost == 1 else 's'}: an edge pays above 1 / (1 + "
            f"{cost:g})",
            "--missed-edge-cost, --rule or --threshold",
        ),
        (
            "directions",
            "of equivalence classes" if analysis.confidence.orient == "cpdag" else "of the DAGs",
            "a direction counts only where the data can show it"
            if analysis.confidence.orient == "cpdag"
            else "the set is too large to be listed class by class",
            "",
        ),
        (
            "parameters",
            f"posterior means, ESS {analysis.prior.sensitivity.ess:g}",
            "defined for every combination of states, also for those without a case",
            "--score bdeu:ess=...",
        ),
        (
            "parents",
            "no limit" if most is None else f"at most {most}",
            "chosen by the user"
            if options["max_parents"] is not None
            else "with more parents than cases can fill, this score finds edges in data without any"
            if most is not None
            else "parent sets that cannot be in a good network are pruned by theorems, no limit is needed"
            if credible
            else "the score limits them",
            "--max-parents",
        ),
    ]
    return Table(
        "The choices.",
        (Column("choice"), Column("value"), Column("why"), Column("change it with")),
        tuple(rows),
    )


def command_line(analysis: Analysis) -> str:
    """Return the command that repeats the analysis."""
    options: dict[str, Any] = dict(analysis.options)
    words = ["arcwise", "learn", analysis.name, "-o", "DIR", "--seed", str(analysis.seed)]
    words += ["--method", analysis.main.method]
    if options["score"] is not None:
        facts = dict(options["score"])
        name = str(facts.pop("name"))
        parameters = ",".join(f"{key}={value}" for key, value in facts.items())
        words += ["--score", f"{name}:{parameters}" if parameters else name]
    defaults = {
        "bayes_factor": 20.0,
        "replicates": 200,
        "missed_edge_cost": 1.0,
        "rule": "learned",
        "permutations": None,
        "bins": 3,
    }
    for key, default in defaults.items():
        if options[key] != default:
            value = options[key]
            words += [f"--{key.replace('_', '-')}", value if isinstance(value, str) else f"{value:g}"]
    for key in ("threshold", "max_parents", "impute", "discretize", "target"):
        if options[key] is not None:
            words += [f"--{key.replace('_', '-')}", str(options[key])]
    if not options["compare"]:
        words.append("--no-compare")
    for key in ("drop", "keep"):
        for name in options[key]:
            words += [f"--{key}", name]
    if options["categorical"] is True:
        words.append("--categorical")
    return shlex.join(words)


def versions() -> dict[str, str]:
    """Return the versions of what the numbers depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def repeat_blocks(analysis: Analysis) -> tuple[Block, ...]:
    """Return how to repeat the run: the command, the versions, the fingerprint of the data."""
    listed = ", ".join(f"{name} {number}" for name, number in versions().items())
    return (
        Verbatim(command_line(analysis), "command"),
        Paragraph(f"Versions: {listed}. Seed {analysis.seed}. Data fingerprint (SHA-256): {analysis.data.digest}."),
        *(
            [Paragraph("Some parts ended at the limit of time: a run that is to repeat them exactly needs more time.")]
            if any("time" in remark for remark in (*analysis.remarks, *analysis.prior.notes))
            else []
        ),
        Paragraph(
            "The folder also holds edges.csv (all edges described here), network.bif (the network with its tables), "
            "cpdag.dot and cpdag.graphml (the equivalence class, to draw), confidence.parquet (every pair) and "
            "run.json "
            "(all options)."
        ),
    )
