"""`arcwise impute`: missing values filled in."""

from __future__ import annotations

from arcwise.base.options import option
from arcwise.cli.options import DataArgument, TableOptions
from arcwise.cli.output import ResultOptions, print_json
from arcwise.data.impute import METHODS


def impute(
    data: DataArgument,
    method: str = option(
        "knn",
        "knn (from the most similar rows), mode (the most frequent value), state (a state of its own) or drop (such "
        "rows)",
        choices=METHODS,
    ),
    k: int = option(5, "how many rows", low=1, of="knn", flags=("--neighbours", "-k")),
    *,
    reading: TableOptions,
    printing: ResultOptions,
) -> None:
    """Fill in missing values once, before `arcwise discretize`.

    What is filled in is then taken for observed; `arcwise learn` averages over many completions instead.

    The suffix of the output says how it is written: .csv, .tsv, .arff, each also with .gz, or .parquet; without -o, or
    with -o -, CSV goes to stdout.

    Example: arcwise impute survey.csv | arcwise discretize - --method quantile -o survey.parquet
    """
    from arcwise.data.impute import impute as fill
    from arcwise.data.write import format_to_write, write_table

    output = printing.output
    to_stdout = printing.stdout_is_taken(output, otherwise=True)
    format_to_write(output or "-")
    table = reading.read_table(data, printing.progress)
    filled = fill(table, method=method, k=k, progress=printing.progress)
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
