"""`arcwise sample`: data drawn from a network."""

from __future__ import annotations

from arcwise.base.options import REQUIRED, Common, option, row
from arcwise.cli.output import DataFileVerb, NetworkArgument, open_network
from arcwise.cli.verb import Result


class Sample(DataFileVerb):
    """Draw rows from a Bayesian network by forward sampling.

    The suffix of the output says how it is written: .csv, .tsv, .arff, each also with .gz, or .parquet; without -o, or
    with -o -, CSV goes to stdout. ARFF and Parquet keep the order of states, and states that no row shows. The first
    rows of a longer sample with the same seed are the shorter sample. Under --do, a last column `interventions` names
    the variables that were set, as --interventions reads it.

    Example: arcwise sample alarm.bif.gz --rows 100000 --seed 1 -o alarm.csv
    """

    network: NetworkArgument
    rows: int = option(REQUIRED, "how many rows to draw", low=1, high=2**40, flags=("--rows", "-n"))
    seed: int = row(Common, "seed")
    do: tuple[str, ...] = option(
        (),
        "set a variable, whatever its parents are; NAME alone sets every state equally often; may be repeated",
        metavar="NAME=STATE",
    )
    threads: int | None = row(Common, "threads")

    def _run(self) -> Result:
        settings = {name: state if sign else None for name, sign, state in (text.partition("=") for text in self.do)}
        network = open_network(self.network)
        drawn = network.sample(self.rows, seed=self.seed, do=settings, threads=self.threads, progress=self.progress)
        drawn.to_file(self.output or "-")
        payload = {
            "network": self.network,
            "rows": drawn.n_rows,
            "variables": drawn.n_variables,
            "seed": self.seed,
            **({"do": settings} if settings else {}),
            "digest": drawn.digest,
            "output": self.output,
        }
        told = f"wrote {drawn.n_rows:,} rows of {drawn.n_variables} variables to {self.output}"
        return Result(payload, told="" if self.to_stdout else told)
