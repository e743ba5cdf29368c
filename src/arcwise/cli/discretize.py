"""`arcwise discretize`: numbers into intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from arcwise.base.options import Common, option, row
from arcwise.cli.options import DataArgument, TableOptions
from arcwise.cli.output import ResultOptions, print_json
from arcwise.data.discretize import METHODS


@dataclass(frozen=True)
class CuttingOptions:
    """How columns are cut."""

    method: str = option(
        "quantile",
        "width, quantile or kmeans (--bins intervals), mean (two), or mdl (by the class --target)",
        choices=METHODS,
    )
    bins: int = row(Common, "bins")
    target: str | None = option(None, "the class column", of="mdl")
    cut: tuple[str, ...] = option(
        (), "a column to cut; may be repeated", usual="numbers with more than 20 distinct values", metavar=""
    )
    numeric: bool = option(False, "cut all columns of numbers")
    without_cuts: str = option("error", "columns in which mdl finds no cut: error, drop or median")


def discretize(
    data: DataArgument,
    *,
    cutting: CuttingOptions,
    reading: TableOptions,
    printing: ResultOptions,
) -> None:
    """Cut columns of numbers into intervals, closed on the right; fill missing values first, with `arcwise impute`.

    The suffix of the output says how it is written: .csv, .tsv, .arff, each also with .gz, or .parquet; without -o, or
    with -o -, CSV goes to stdout. ARFF and Parquet keep the order of the intervals.

    Example: arcwise discretize survey.csv --method mdl --target disease --without-cuts median -o survey.arff
    """
    from arcwise.data.discretize import discretize as cut_table
    from arcwise.data.discretize import find_cuts
    from arcwise.data.write import format_to_write, write_table

    output = printing.output
    to_stdout = printing.stdout_is_taken(output, otherwise=True)
    if cutting.cut and cutting.numeric:
        raise typer.BadParameter("--cut names columns and --numeric takes all: give one of them.")
    format_to_write(output or "-")
    table = reading.read_table(data, printing.progress)
    chosen: Any = cutting.cut or ("numeric" if cutting.numeric else "continuous")
    given: dict[str, Any] = {"columns": chosen} | {n: getattr(cutting, n) for n in ("method", "bins", "target")}
    done = cut_table(table, without_cuts=cutting.without_cuts, **given)  # type: ignore[arg-type]
    write_table(done, output or "-")
    names = [name for name in find_cuts(table, **given) if name in done.names]
    if printing.as_json:
        cuts = {name: list(done.column(name).labels) for name in names}
        print_json({"method": cutting.method, "rows": done.n_cases, "intervals": cuts, "output": output})
        return
    where = "" if to_stdout else f"; wrote {done.n_cases:,} rows to {output}"
    printing.remark(f"cut {len(names)} of {len(table.names)} columns{where}")
