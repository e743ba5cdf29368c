"""`arcwise sample`: data drawn from a network."""

from __future__ import annotations

from typing import Annotated

import typer

from arcwise.cli.graph_files import NetworkArgument, open_network
from arcwise.cli.option_group import expanded
from arcwise.cli.output_file import OutputOption
from arcwise.cli.printing import PrintOptions, print_json
from arcwise.cli.repeat_options import SeedOption
from arcwise.defaults import MOST_THREADS

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("sample")(expanded(sample))


def sample(
    network: NetworkArgument,
    *,
    rows: Annotated[int, typer.Option("--rows", "-n", min=1, max=2**40, help="How many rows to draw.")],
    seed: SeedOption = 0,
    do: Annotated[
        list[str] | None,
        typer.Option(
            "--do",
            metavar="NAME=STATE",
            help="Set a variable, whatever its parents are; NAME alone sets every state equally often; may be "
            "repeated.",
            show_default=False,
        ),
    ] = None,
    output: OutputOption = None,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            min=1,
            max=MOST_THREADS,
            help="Threads to use (default: all cores); results do not depend on them.",
        ),
    ] = None,
    printing: PrintOptions,
) -> None:
    """Draw rows from a Bayesian network by forward sampling.

    The suffix of the output says how it is written: .csv, .tsv, .arff, each also with .gz, or .parquet; without -o, or
    with -o -, CSV goes to stdout. ARFF and Parquet keep the order of states, and states that no row shows. The first
    rows of a longer sample with the same seed are the shorter sample. Under --do, a last column `interventions` names
    the variables that were set, as --interventions reads it.

    Example: arcwise sample alarm.bif.gz --rows 100000 --seed 1 -o alarm.csv
    """
    from arcwise.data.write import format_to_write

    to_stdout = printing.stdout_is_taken(output, otherwise=True)
    format_to_write(output or "-")
    settings = {name: state if sign else None for name, sign, state in (text.partition("=") for text in do or ())}
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
