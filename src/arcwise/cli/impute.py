"""`arcwise impute`: missing values filled in."""

from __future__ import annotations

from arcwise.base.options import option
from arcwise.cli.options import DataArgument, TableVerb
from arcwise.cli.output import DataFileVerb
from arcwise.cli.verb import Result
from arcwise.data.impute import METHODS, impute
from arcwise.data.write import write_table


class Impute(TableVerb, DataFileVerb):
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
        choices=METHODS,
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
        return Result(payload, told=f"{what} in {len(gaps)} of {len(table.names)} columns{where}")
