"""The verbs that make something of one network: tables from data, samples, other formats."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arcwise.base.errors import FormatError, OptionError
from arcwise.base.options import REQUIRED, Common, option, row
from arcwise.cli import output as files
from arcwise.cli.options import DataArgument, DataVerb
from arcwise.cli.verb import Result
from arcwise.model.files import format_bif, network_format
from arcwise.model.fitting import ESTIMATORS, fit_parameters
from arcwise.model.mixed_network import MixedNetwork

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset
    from arcwise.data.mixed import MixedData


class StatesFrom(enum.StrEnum):
    """Where the states of the variables come from."""

    STRUCTURE = "structure"
    DATA = "data"


class FitVerb(DataVerb, files.ResultVerb):
    """Estimate the probability tables of a structure from data, and write the network.

    The suffix of the output says how it is written: .bif, .xmlbif, .net (Hugin), .xdsl (GeNIe) or .uai, each also with
    .gz; without -o, or with -o -, BIF goes to stdout. Tables estimated by mle may have undefined rows, where the data
    show no case; they are counted on stderr.

    Example: arcwise fit alarm.graphml alarm.csv --estimator bd --ess 10 -o fitted.bif
    """

    structure: files.GraphArgument
    data: DataArgument
    estimator: str = option(
        "bd",
        "mle, laplace, m-estimate, bd (posterior mean), snml, or sites (each its own tables, drawn towards each other)",
        choices=tuple(ESTIMATORS),
    )
    ess: float | None = option(None, "the equivalent sample size of the prior", usual="1", of="bd and sites")
    prior: str | None = option(None, "the prior, bdeu, k2, bdj, or a number for every cell", of="bd")
    m: float | None = option(None, "how many imaginary rows", usual="1", of="m-estimate")
    site: str | None = option(
        None, "the column of the sites, a parent of every other one", usual="site", of="sites", metavar="NAME"
    )
    alpha0: float | None = option(
        None, "the hyperparameter of each cell of what the sites share", usual="1", of="sites"
    )
    states_from: StatesFrom = option(
        StatesFrom.STRUCTURE,
        "which states the variables have: those that a structure with tables declares, or those of the data",
    )

    def _check(self) -> None:
        if self.as_json and str(self.output) == "-":
            raise typer.BadParameter("--json and -o - both want stdout; give -o FILE, or leave -o out.")
        if self.output is not None:
            files.check_network_name(self.output)

    def _run(self) -> Result:
        parameters = {"ess": self.ess, "alpha": _number_or_name(self.prior), "m": self.m}
        parameters |= {"site": self.site, "alpha0": self.alpha0}
        from_structure = self.states_from is StatesFrom.STRUCTURE
        given, cases = self.open_with_data(self.structure, self.data, what="structure", with_states=from_structure)
        options: dict[str, Any] = {name: value for name, value in parameters.items() if value is not None}
        dag = given.dag(cases.names)
        fitted = fit_parameters(dag, cases, estimator=self.estimator, progress=self.progress, **options)
        output = self.output if str(self.output) != "-" else None
        if output is not None:
            fitted.write(output)
            self.remark(f"wrote {fitted.n_free_parameters:,} free parameters to {output}")
        elif not self.as_json:
            typer.echo(format_bif(fitted), nl=False)
        undefined = fitted.n_undefined_rows
        payload = {
            "estimator": self.estimator,
            "variables": fitted.n_variables,
            "arcs": len(dag.arcs),
            "free_parameters": fitted.n_free_parameters,
            "undefined_rows": undefined,
            "cases": cases.n_cases,
            "log_likelihood": fitted.log_likelihood(cases) if self.as_json else None,
            "output": output,
        }
        remark = f"{undefined:,} rows are undefined: the data show no row for them."
        return Result(payload, remark=remark if undefined else "")


def _number_or_name(alpha: str | None) -> str | float | None:
    """Return a number if the text is one; a name is checked by the estimator."""
    if alpha is None:
        return None
    try:
        return float(alpha)
    except ValueError:
        return alpha


class SampleVerb(files.DataFileVerb):
    """Draw rows from a Bayesian network by forward sampling.

    The suffix of the output says how it is written: .csv, .tsv, .arff, each also with .gz, or .parquet; without -o, or
    with -o -, CSV goes to stdout. ARFF and Parquet keep the order of states, and states that no row shows. The first
    rows of a longer sample with the same seed are the shorter sample. Under --do, a last column `interventions` names
    the variables that were set, as --interventions reads it.

    Example: arcwise sample alarm.bif.gz --rows 100000 --seed 1 -o alarm.csv
    """

    network: files.NetworkArgument
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
        given = self.network
        if given.is_dir():
            given = given / ("network.json" if files.open_folder(given).mixed is not None else "network.bif")
        network = files.open_any_network(given)
        drawn: Dataset | MixedData
        if isinstance(network, MixedNetwork):
            if alone := [name for name, value in settings.items() if value is None]:
                raise OptionError(f"--do {alone[0]} needs a value with numbers as they are: --do {alone[0]}=VALUE.")
            drawn = network.sample(self.rows, seed=self.seed, do=settings)
        else:
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
        message = f"wrote {drawn.n_rows:,} rows of {drawn.n_variables} variables to {self.output}"
        return Result(payload, message="" if self.to_stdout else message)


class ConvertVerb(files.ResultVerb):
    """Write a network or a graph in another format; the two suffixes say which.

    Networks with tables: .bif, .xmlbif, .net (Hugin), .xdsl (GeNIe) and .uai. Graphs, also those of networks: .csv (arc
    list), .dot, .graphml, .txt (structure file) and .modelstring (bnlearn). Each also with .gz. Without -o, or with
    -o -, a network goes to stdout as BIF, a graph as CSV. What a format cannot hold is refused.

    Example: arcwise convert alarm.bif.gz -o alarm.xdsl
    """

    graph: files.GraphArgument

    def _run(self) -> Result:
        output = None if self.stdout_is_taken(self.output, otherwise=True) else self.output
        as_network = output is not None and network_format(output) is not None
        if output is not None and not as_network:
            files.check_output_name(output)
        elif output is not None:
            files.check_network_name(output)
        found = files.open_graph_file(self.graph)
        if output is not None and as_network:
            if found.mixed is not None:
                files.open_network(self.graph)  # says that it is over numbers as they are
            if found.network is None:
                raise FormatError(
                    f"{self.graph}: this is a graph without probability tables, which {output} needs. Estimate them "
                    f"from data: arcwise fit {self.graph} DATA -o {output}"
                )
            found.network.write(output)
        elif output is None and found.network is not None:
            typer.echo(format_bif(found.network), nl=False)
        else:
            files.write_graph_file(output or Path("-"), found.graph())
        content = found.graph()
        payload = {
            "graph": self.graph,
            "variables": content.n_nodes,
            "edges": len(content.skeleton),
            "has_tables": found.network is not None,
            "output": output,
        }
        return Result(payload, message="" if output is None else f"wrote {content.n_nodes:,} variables to {output}")
