"""`arcwise effect`: what would happen if a variable were set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.base.errors import OptionError
from arcwise.base.options import option
from arcwise.cli.options import DataOptions, TimeLimit, read_data_for
from arcwise.cli.output import AnswerOptions, finish, open_folder, open_graph_file

if TYPE_CHECKING:
    from arcwise.effects.possible_effects import PossibleEffects

HIDDEN = ("none", "possible")


@dataclass(frozen=True)
class EffectOptions:
    """What is assumed, and how sure intervals are."""

    hidden_causes: str = option(
        "none",
        "common causes that the data do not have: none (the assumption behind every estimate), or possible, which "
        "adds the bounds that hold whatever is missing",
    )
    within_class: bool = option(False, "the range of the effect within the class of the one network (IDA)")
    level: float = option(0.95, "the share of the posterior that intervals hold", low=0.01, high=0.9999)


def effect(
    source: Annotated[
        Path, typer.Argument(metavar="DIR|NETWORK", help="A folder of `arcwise learn`; or, with --data, a graph file.")
    ],
    cause: Annotated[
        str | None, typer.Argument(metavar="X", help="The variable to set; without it, all.", show_default=False)
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Argument(metavar="Y", help="What it may change; without it, all others.", show_default=False),
    ] = None,
    *,
    asked: EffectOptions,
    data: Path | None = option(None, "for a graph file: the data to estimate effects from"),
    reading: DataOptions,
    limit: TimeLimit,
    printing: AnswerOptions,
) -> None:
    """Say what would happen to Y if X were set: P(Y | do(X)) over all networks of an analysis.

    For each network the parents of X are adjusted for; the answer is the mixture over all of them, with the probability
    that there is no effect at all. It assumes that no common cause is missing from the data; --hidden-causes possible
    says what holds without. Without Y, the effects of X on all others; without X, all pairs.

    Example: arcwise effect survey-report smoke cough
    """
    from arcwise.effects.search import usable_cases
    from arcwise.report.effects import effect_answer, effects_answer, possible_answer

    if asked.hidden_causes not in HIDDEN:
        raise typer.BadParameter(f"--hidden-causes is {' or '.join(HIDDEN)}, not '{asked.hidden_causes}'.")
    level = asked.level
    printing.check()
    if data is not None or asked.within_class:
        if cause is None or outcome is None:
            raise OptionError("the range within one class is that of one effect: give X and Y.")
        found = _within_class(source, data, reading, (cause, outcome), level, printing)
        printing.give(
            possible_answer(found),
            found.to_frame(),
            source=source,
            cause=cause,
            outcome=outcome,
            possible_parents=[list(names) for names in found.parents],
        )
        return
    saved = open_folder(source)
    if cause is not None and outcome is not None:
        one = saved.effect(cause, outcome, level=level)
        printing.give(
            effect_answer(one, hidden_causes=asked.hidden_causes == "possible"),
            one.to_frame(),
            source=source,
            cause=cause,
            outcome=outcome,
            no_effect=one.no_effect,
            standard_error=one.standard_error,
            level=level,
            changes=one.changes().to_dict(orient="records"),
            assumes="no common cause is missing from the data",
        )
        return
    if cause is not None:
        saved.network.index(cause)  # refuses an unknown name
        usable_cases(saved.stacked, cause)  # refuses one of which no case tells
    matrix = saved.effects(level=level, limits=limit.limits, progress=printing.progress)
    frame = matrix.to_frame()
    if cause is not None:
        frame = frame[frame["cause"] == cause].reset_index(drop=True)
    printing.give(
        effects_answer(matrix, cause),
        frame,
        source=source,
        cause=cause,
        level=level,
        untold=list(matrix.untold),
        assumes="no common cause is missing from the data",
    )
    finish(matrix.status)


def _within_class(
    source: Path,
    data: Path | None,
    reading: DataOptions,
    pair: tuple[str, str],
    level: float,
    printing: AnswerOptions,
) -> PossibleEffects:
    """Return the range of an effect within the class of one network: that of a folder, or of a file and data."""
    from arcwise.effects.possible_effects import possible_effects

    if data is None:
        return open_folder(source).possible_effects(*pair, level=level)
    if source.is_dir():
        raise OptionError(f"--data is for a graph file; {source} is a folder, which has its data. Leave it out.")
    if str(source) == str(data) == "-":
        raise typer.BadParameter("only one of the network and the data can come from stdin.")
    given = open_graph_file(source)
    cases = read_data_for(given, data, reading, printing.progress)
    return possible_effects(given.graph(cases.names), cases, *pair, level=level)
