"""`arcwise impute`: missing values filled in."""

from __future__ import annotations

from typing import Annotated

import typer

from arcwise.cli.options import (
    ColumnOption,
    DataArgument,
    DropOption,
    JsonOption,
    OutputOption,
    QuietOption,
    SeparatorOption,
    print_json,
    progress_from,
    stdout_is_taken,
    table_from,
)

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("impute")(impute)


def impute(
    data: DataArgument,
    method: Annotated[
        str,
        typer.Option(
            "--method", help="knn (from the most similar rows), mode (the most frequent value) or drop (such rows)."
        ),
    ] = "knn",
    neighbours: Annotated[int, typer.Option("--neighbours", "-k", min=1, help="knn: how many rows.")] = 5,
    columns: ColumnOption = None,
    drop: DropOption = None,
    separator: SeparatorOption = None,
    output: OutputOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Fill in missing values, before `arcwise discretize`.

    The suffix of the output says how it is written: .csv, .tsv, .arff, each also with .gz, or .parquet; without -o, or
    with -o -, CSV goes to stdout.

    Example: arcwise impute survey.csv | arcwise discretize - --method quantile -o survey.parquet
    """
    from arcwise.data import impute as fill
    from arcwise.data import write_table
    from arcwise.data.write import format_to_write

    to_stdout = stdout_is_taken(output, as_json, otherwise=True)
    format_to_write(output or "-")
    table = table_from(data, columns=columns, drop=drop, separator=separator, quiet=quiet)
    filled = fill(table, method=method, k=neighbours, progress=progress_from(quiet))
    write_table(filled, output or "-")
    gaps = table.n_missing
    if as_json:
        print_json(
            {
                "method": method,
                "rows": filled.n_rows,
                "rows_dropped": table.n_rows - filled.n_rows,
                "missing": gaps,
                "output": output,
            }
        )
    elif not quiet:
        dropped = table.n_rows - filled.n_rows
        what = f"dropped {dropped:,} rows" if method == "drop" else f"filled {sum(gaps.values()):,} values"
        where = "" if to_stdout else f"; wrote {filled.n_rows:,} rows to {output}"
        typer.echo(f"{what} in {len(gaps)} of {len(table.names)} columns{where}", err=True)
