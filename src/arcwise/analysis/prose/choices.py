"""The choices behind an analysis: what, why, and how to change it; and how to repeat the run."""

from __future__ import annotations

import platform
import shlex
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from arcwise.analysis.options import AUTO, score_text
from arcwise.analysis.prose.beliefs import beliefs_text
from arcwise.analysis.prose.constraints import constraints_text
from arcwise.analysis.prose.sources import Choice, setting_choices
from arcwise.analysis.thresholds import RuleName
from arcwise.graph import Beliefs, Constraints
from arcwise.option import options_of
from arcwise.report import Column, Paragraph, Table, Verbatim
from arcwise.scores import Score, make_score

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.ensemble import Recipe
    from arcwise.report.content.blocks import Block

__all__ = ["choices_table", "repeat_blocks", "repeat_line", "versions"]

PACKAGES = ("arcwise", "numpy", "scipy", "pandas", "scikit-learn", "duckdb")


def choices_table(analysis: Analysis) -> Table:
    """Return one row per choice."""
    options, recipe, source = analysis.options, analysis.main.recipe, analysis.main.recipe.source_facts
    by_user = "chosen by the user"
    why_method = (
        by_user
        if options.method != AUTO
        else "it serves any number of cases and variables, and in studies of known networks no source is clearly better"
        if source.is_sample
        else "what you said of ancestors is obeyed by all networks that the data cannot rule out, not by a bootstrap"
    )
    rows: list[Choice] = [
        ("method", source.title, why_method, "--method"),
        ("score", recipe.score_title, by_user if options.score is not None else _why_score(recipe), "--score"),
        *setting_choices(analysis),
        (
            "cut-off",
            f"{analysis.threshold:.3g}",
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
            "defined for every combination of states, even those without a case",
            "--score bdeu:ess=...",
        ),
        ("parents", _most_parents(recipe), _why_parents(analysis), "--max-parents"),
    ]
    if analysis.constraints is not None:
        rows.append(("constraints", constraints_text(analysis.constraints), by_user, "--constraints"))
    if options.beliefs is not None:
        rows.append(("prior odds", beliefs_text(options.beliefs, analysis.data.n_variables), by_user, "--beliefs"))
    return Table(
        "The choices.",
        (Column("choice"), Column("value"), Column("why"), Column("change it with")),
        tuple(rows),
    )


def _why_directions(analysis: Analysis) -> str:
    known = analysis.constraints
    if analysis.confidence.orient == "cpdag":
        return "a direction counts only where the data can show it" + (", or you said it" if known is not None else "")
    if known is not None and known.is_ancestral:
        return "constraints on ancestors cut classes in ways that single directions do not show"
    return "the set is too large to be listed class by class"


def _why_score(recipe: Recipe) -> str:
    source = recipe.source_facts
    return source.why_score or f"usual for the {source.title}"


def _why_cut(analysis: Analysis) -> str:
    cost = analysis.options.missed_edge_cost
    if analysis.options.threshold is not None:
        return "chosen by the user"
    if analysis.thresholds.chosen.label is RuleName.CALIBRATED:
        if analysis.options.false_rate is not None:
            return f"at most {analysis.options.false_rate:.3g} of the edges above it are false, on average"
        return (
            f"a missed edge costs {cost:g} extra edge{'' if cost == 1 else 's'}: an edge pays above a probability of "
            f"1 / (1 + {cost:g})"
        )
    if analysis.thresholds.chosen.label is RuleName.LEARNED:
        return f"of least cost on data from known networks, if a missed edge costs {cost:g} extra (Liao 2022, ch. 5)"
    return f"a missed edge costs {cost:g} extra edge{'' if cost == 1 else 's'}: an edge pays above 1 / (1 + {cost:g})"


def _most_parents(recipe: Recipe) -> str:
    return "no limit" if recipe.max_parents is None else f"at most {recipe.max_parents}"


def _why_parents(analysis: Analysis) -> str:
    if analysis.options.max_parents is not None:
        return "chosen by the user"
    if analysis.main.recipe.max_parents is not None:
        return "with more parents than the cases can support, this score finds edges in data that have none"
    if analysis.main.recipe.source_facts.is_sample:
        return "the score limits them"
    return "parent sets that cannot be in a good network are pruned by theorems, no limit is needed"


def repeat_line(analysis: Analysis) -> str:
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
    listed = [f"{name}={_python(value, names)}" for name, value in given.items()]
    return f"arcwise.learn({', '.join([repr(file) if file is not None else 'data', *listed])})"


def _can_be_spelled(score: object) -> bool:
    """Say whether a score can be made from its text."""
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


def repeat_blocks(analysis: Analysis) -> tuple[Block, ...]:
    """Return how to repeat the run: the command, the versions, the fingerprint of the data."""
    listed = ", ".join(f"{name} {number}" for name, number in versions().items())
    return (
        Verbatim(repeat_line(analysis), "command" if analysis.prepared.file is not None else "call"),
        Paragraph(f"Versions: {listed}. Seed {analysis.options.seed}. Data fingerprint (SHA-256): {analysis.digest}."),
        *(
            [Paragraph("Some parts ended at the time limit: to repeat them exactly, a run needs more time.")]
            if analysis.by_time
            else []
        ),
        Paragraph(
            "The folder also holds edges.csv (all edges described here), network.bif (the network with its tables), "
            "cpdag.dot and cpdag.graphml (the equivalence class, to draw), confidence.parquet (every pair) and "
            "run.json (all options)."
        ),
    )
