"""`arcwise discretize`: numbers into intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from arcwise.cli.completion import names_of
from arcwise.cli.data_options import DataArgument, TableOptions
from arcwise.cli.option_group import OptionGroup, expanded
from arcwise.cli.output_file import OutputOption
from arcwise.cli.printing import PrintOptions, print_json
from arcwise.defaults import BINS

__all__ = ["register"]


@dataclass(frozen=True)
class CuttingOptions(OptionGroup):
    """How columns are cut."""

    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="width, quantile or kmeans (--bins intervals), mean (two), or mdl (by the class --target).",
            autocompletion=names_of("arcwise.data.discretize", "METHODS"),
        ),
    ] = "quantile"
    bins: Annotated[int, typer.Option("--bins", min=2, max=10_000, help="The number of intervals.")] = BINS
    target: Annotated[str | None, typer.Option("--target", help="mdl: the class column.", show_default=False)] = None
    cut: Annotated[
        list[str] | None,
        typer.Option(
            "--cut",
            help="A column to cut; may be repeated. Default: numbers with more than 20 distinct values.",
            show_default=False,
        ),
    ] = None
    numeric: Annotated[bool, typer.Option("--numeric", help="Cut all columns of numbers.")] = False
    without_cuts: Annotated[
        str, typer.Option("--without-cuts", help="Columns in which mdl finds no cut: error, drop or median.")
    ] = "error"


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("discretize")(expanded(discretize))


def discretize(
    data: DataArgument,
    *,
    cutting: CuttingOptions,
    reading: TableOptions,
    output: OutputOption = None,
    printing: PrintOptions,
) -> None:
    """Cut columns of numbers into intervals, closed on the right; fill missing values first, with `arcwise impute`.

    The suffix of the output says how it is written: .csv, .tsv, .arff, each also with .gz, or .parquet; without -o, or
    with -o -, CSV goes to stdout. ARFF and Parquet keep the order of the intervals.

    Example: arcwise discretize survey.csv --method mdl --target disease --without-cuts median -o survey.arff
    """
    from arcwise.data import write_table
    from arcwise.data.discretize import discretize as cut_table
    from arcwise.data.discretize import find_cuts
    from arcwise.data.write import format_to_write

    to_stdout = printing.stdout_is_taken(output, otherwise=True)
    if cutting.cut and cutting.numeric:
        raise typer.BadParameter("--cut names columns and --numeric takes all: give one of them.")
    format_to_write(output or "-")
    table = reading.read_table(data, printing.progress)
    chosen: Any = cutting.cut or ("numeric" if cutting.numeric else "continuous")
    given: dict[str, Any] = {
        "method": cutting.method,
        "columns": chosen,
        "bins": cutting.bins,
        "target": cutting.target,
    }
    done = cut_table(table, without_cuts=cutting.without_cuts, **given)  # type: ignore[call-overload]
    write_table(done, output or "-")
    names = [name for name in find_cuts(table, **given) if name in done.names]
    if printing.as_json:
        cuts = {name: list(done.column(name).labels) for name in names}
        print_json({"method": cutting.method, "rows": done.n_cases, "intervals": cuts, "output": output})
        return
    where = "" if to_stdout else f"; wrote {done.n_cases:,} rows to {output}"
    printing.remark(f"cut {len(names)} of {len(table.names)} columns{where}")
