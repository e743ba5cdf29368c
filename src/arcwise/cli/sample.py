"""`arcwise sample`: data drawn from a network."""

from __future__ import annotations

from arcwise.base.options import REQUIRED, Common, option, row
from arcwise.cli.output import NetworkArgument, ResultOptions, open_network, print_json


def sample(
    network: NetworkArgument,
    *,
    rows: int = option(REQUIRED, "how many rows to draw", low=1, high=2**40, flags=("--rows", "-n")),
    seed: int = row(Common, "seed"),
    do: tuple[str, ...] = option(
        (),
        "set a variable, whatever its parents are; NAME alone sets every state equally often; may be repeated",
        metavar="NAME=STATE",
    ),
    threads: int | None = row(Common, "threads"),
    printing: ResultOptions,
) -> None:
    """Draw rows from a Bayesian network by forward sampling.

    The suffix of the output says how it is written: .csv, .tsv, .arff, each also with .gz, or .parquet; without -o, or
    with -o -, CSV goes to stdout. ARFF and Parquet keep the order of states, and states that no row shows. The first
    rows of a longer sample with the same seed are the shorter sample. Under --do, a last column `interventions` names
    the variables that were set, as --interventions reads it.

    Example: arcwise sample alarm.bif.gz --rows 100000 --seed 1 -o alarm.csv
    """
    from arcwise.data.write import format_to_write

    output = printing.output
    to_stdout = printing.stdout_is_taken(output, otherwise=True)
    format_to_write(output or "-")
    settings = {name: state if sign else None for name, sign, state in (text.partition("=") for text in do)}
    drawn = open_network(network).sample(rows, seed=seed, do=settings, threads=threads, progress=printing.progress)
    drawn.to_file(output or "-")
    if printing.as_json:
        print_json(
            {
                "network": network,
                "rows": drawn.n_rows,
                "variables": drawn.n_variables,
                "seed": seed,
                **({"do": settings} if settings else {}),
                "digest": drawn.digest,
                "output": output,
            }
        )
    elif not to_stdout:
        printing.remark(f"wrote {drawn.n_rows:,} rows of {drawn.n_variables} variables to {output}")
