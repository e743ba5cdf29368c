"""The verbs that prepare data: missing values filled in, numbers cut into intervals."""

from __future__ import annotations

from typing import Any

import typer

from arcwise.base.options import Common, option, row
from arcwise.cli.options import DataArgument, TableVerb
from arcwise.cli.output import DataFileVerb
from arcwise.cli.verb import Result
from arcwise.data.discretize import METHODS as CUTTING
from arcwise.data.discretize import discretize, find_cuts
from arcwise.data.impute import METHODS as FILLING
from arcwise.data.impute import impute
from arcwise.data.write import write_table


class ImputeVerb(TableVerb, DataFileVerb):
    """Fill in missing values once, before `arcwise discretize`.

    What is filled in is then taken for observed; `arcwise learn` averages over many completions instead.

    The suffix of the output says how it is written: .csv, .tsv, .arff, each also with .gz, or .parquet; without -o, or
    with -o -, CSV goes to stdout.

    Example: arcwise impute survey.csv | arcwise discretize - --method quantile -o survey.parquet
    """

    data: DataArgument
    method: str = option(
        "knn",
        "knn (from the most similar rows), mode (the most frequent value), state (a state of its own) or drop (such "
        "rows)",
        choices=FILLING,
    )
    k: int = option(5, "how many rows", low=1, of="knn", flags=("--neighbours", "-k"))

    def _run(self) -> Result:
        table = self.read_table(self.data)
        filled = impute(table, method=self.method, k=self.k, progress=self.progress)
        write_table(filled, self.output or "-")
        gaps, dropped = table.n_missing, table.n_cases - filled.n_cases
        payload = {
            "method": self.method,
            "rows": filled.n_cases,
            "rows_dropped": dropped,
            "missing": gaps,
            "output": self.output,
        }
        what = f"dropped {dropped:,} rows" if self.method == "drop" else f"filled {sum(gaps.values()):,} values"
        where = "" if self.to_stdout else f"; wrote {filled.n_cases:,} rows to {self.output}"
        return Result(payload, message=f"{what} in {len(gaps)} of {len(table.names)} columns{where}")


class DiscretizeVerb(TableVerb, DataFileVerb):
    """Cut columns of numbers into bins; fill missing values first, with `arcwise impute`.

    The suffix of the output says how it is written: .csv, .tsv, .arff, each also with .gz, or .parquet; without -o, or
    with -o -, CSV goes to stdout. ARFF and Parquet keep the order of the intervals.

    Example: arcwise discretize survey.csv --method mdl --target disease --without-cuts median -o survey.arff
    """

    data: DataArgument
    method: str = option(
        "quantile",
        "width, quantile or kmeans (by --bins), mean (two), or mdl (by the class --target)",
        choices=CUTTING,
    )
    bins: int = row(Common, "bins")
    target: str | None = option(None, "the class column", of="mdl")
    cut: tuple[str, ...] = option(
        (), "a column to cut; may be repeated", usual="numbers with more than 20 distinct values", metavar=""
    )
    numeric: bool = option(False, "cut all columns of numbers")
    without_cuts: str = option("error", "columns in which mdl finds no cut: error, drop or median")

    def _run(self) -> Result:
        if self.cut and self.numeric:
            raise typer.BadParameter("--cut names columns and --numeric takes all: give one of them.")
        table = self.read_table(self.data)
        chosen: Any = self.cut or ("numeric" if self.numeric else "continuous")
        given: dict[str, Any] = {"columns": chosen} | {n: getattr(self, n) for n in ("method", "bins", "target")}
        done = discretize(table, without_cuts=self.without_cuts, **given)  # type: ignore[arg-type]
        write_table(done, self.output or "-")
        names = [name for name in find_cuts(table, **given) if name in done.names]
        cuts = {name: done.column(name).labels for name in names}
        where = "" if self.to_stdout else f"; wrote {done.n_cases:,} rows to {self.output}"
        return Result(
            {"method": self.method, "rows": done.n_cases, "intervals": cuts, "output": self.output},
            message=f"cut {len(names)} of {len(table.names)} columns{where}",
        )
