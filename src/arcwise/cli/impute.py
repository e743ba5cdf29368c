"""`arcwise impute`: missing values filled in."""

from __future__ import annotations

from typing import Annotated

import typer

from arcwise.cli.completion import names_of
from arcwise.cli.data_options import DataArgument, TableOptions
from arcwise.cli.option_group import expanded
from arcwise.cli.output_file import OutputOption
from arcwise.cli.printing import PrintOptions, print_json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("impute")(expanded(impute))


def impute(
    data: DataArgument,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="knn (from the most similar rows), mode (the most frequent value), state (a state of its own) or drop "
            "(such rows).",
            autocompletion=names_of("arcwise.data.impute", "METHODS"),
        ),
    ] = "knn",
    neighbours: Annotated[int, typer.Option("--neighbours", "-k", min=1, help="knn: how many rows.")] = 5,
    *,
    reading: TableOptions,
    output: OutputOption = None,
    printing: PrintOptions,
) -> None:
    """Fill in missing values once, before `arcwise discretize`.

    What is filled in is then taken for observed; `arcwise learn` averages over many completions instead.

    The suffix of the output says how it is written: .csv, .tsv, .arff, each also with .gz, or .parquet; without -o, or
    with -o -, CSV goes to stdout.

    Example: arcwise impute survey.csv | arcwise discretize - --method quantile -o survey.parquet
    """
    from arcwise.data import impute as fill
    from arcwise.data import write_table
    from arcwise.data.write import format_to_write

    to_stdout = printing.stdout_is_taken(output, otherwise=True)
    format_to_write(output or "-")
    table = reading.read_table(data, printing.progress)
    filled = fill(table, method=method, k=neighbours, progress=printing.progress)
    write_table(filled, output or "-")
    gaps = table.n_missing
    if printing.as_json:
        print_json(
            {
                "method": method,
                "rows": filled.n_cases,
                "rows_dropped": table.n_cases - filled.n_cases,
                "missing": gaps,
                "output": output,
            }
        )
        return
    dropped = table.n_cases - filled.n_cases
    what = f"dropped {dropped:,} rows" if method == "drop" else f"filled {sum(gaps.values()):,} values"
    where = "" if to_stdout else f"; wrote {filled.n_cases:,} rows to {output}"
    printing.remark(f"{what} in {len(gaps)} of {len(table.names)} columns{where}")
