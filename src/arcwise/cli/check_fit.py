"""`arcwise check-fit`: does the network fit the data?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from arcwise.base.errors import FormatError, OptionError
from arcwise.base.options import Common, option, row
from arcwise.cli.options import DataOptions, TimeLimit, read_data_for
from arcwise.cli.output import AnswerOptions, finish, open_folder, open_graph_file


def check_fit(
    source: Annotated[Path, typer.Argument(metavar="DIR|NETWORK", help="A folder of `arcwise learn`, or a .bif file.")],
    data: Annotated[
        Path | None,
        typer.Argument(
            help="New data, coded as the training data were; without it, the data that a folder was learned from.",
            show_default=False,
        ),
    ] = None,
    *,
    replicates: int = option(100, "how many data sets to draw from the network; 0 for none", low=0, high=100_000),
    seed: int = row(Common, "seed"),
    reading: DataOptions,
    limit: TimeLimit,
    printing: AnswerOptions,
) -> None:
    """Say whether a network fits data: the independences that it implies, its likelihood, and every pair of variables.

    If the network is right, one in twenty of the implied independences is rejected at 0.05, and in data sets drawn from
    it every pair of variables is about as dependent as in the data. The likelihood is compared with that of a network
    without edges, and with that of the frequencies of whole rows. The table of -o has every pair.

    Example: arcwise check-fit survey-report
    """
    from arcwise.evaluate.fit_check import check_fit as check
    from arcwise.report.page import fit_answer

    printing.check()
    options: dict[str, Any] = {
        "replicates": replicates,
        "seed": seed,
        "limits": limit.limits,
        "progress": printing.progress,
    }
    if source.is_dir():
        saved = open_folder(source)
        table = None if data is None else reading.read_rows(data, printing.progress)
        if table is not None:
            for remark in saved.coding.apply(table).remarks():
                printing.remark(remark)
        found = saved.check_fit(table, **options)
    else:
        if data is None and not source.exists():
            open_folder(source)  # says that it is not there
        if data is None:
            raise OptionError(f"{source} is one network: give the data to compare it with.")
        if str(source) == str(data) == "-":
            raise typer.BadParameter("only one of the network and the data can come from stdin.")
        given = open_graph_file(source)
        if given.network is None:
            raise FormatError(f"{source}: a graph without probability tables; `arcwise fit` estimates them.")
        found = check(given.network, read_data_for(given, data, reading, printing.progress), **options)
    facts = ("n_tests", "n_untested", "small", "uniformity", "log_likelihood", "independent", "saturated", "n_cases")
    printing.give(
        fit_answer(found),
        found.to_frame(),
        source=source,
        **{name: getattr(found, name) for name in facts},
        misfits=len(found.misfits),
        replicates=found.replicates,
    )
    finish(found.status)
