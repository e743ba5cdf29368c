"""`arcwise fit`: the tables of a network, estimated from data."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from arcwise.cli.completion import names_of
from arcwise.cli.data_options import DataArgument, DataOptions
from arcwise.cli.graph_data import read_data_for
from arcwise.cli.graph_files import GraphArgument, check_network_name, open_graph_file
from arcwise.cli.option_group import OptionGroup, expanded
from arcwise.cli.output_file import OutputOption
from arcwise.cli.printing import PrintOptions, print_json

__all__ = ["register"]


class StatesFrom(enum.StrEnum):
    """Where the states of the variables come from."""

    STRUCTURE = "structure"
    DATA = "data"


@dataclass(frozen=True)
class FittingOptions(OptionGroup):
    """The estimator and its parameters."""

    estimator: Annotated[
        str,
        typer.Option(
            "--estimator",
            help="mle, laplace, m-estimate, bd (posterior mean) or snml.",
            autocompletion=names_of("arcwise.model", "ESTIMATORS"),
        ),
    ] = "bd"
    ess: Annotated[
        float | None, typer.Option("--ess", help="bd: the equivalent sample size of the BDeu prior (default 1).")
    ] = None
    prior: Annotated[
        str | None, typer.Option("--prior", help="bd: the prior, bdeu, k2, bdj, or a number for every cell.")
    ] = None
    m: Annotated[float | None, typer.Option("--m", help="m-estimate: how many imaginary cases (default 1).")] = None
    states_from: Annotated[
        StatesFrom,
        typer.Option(
            "--states-from",
            help="Which states the variables have: those that a structure with tables declares, or those of the data.",
        ),
    ] = StatesFrom.STRUCTURE


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("fit")(expanded(fit))


def fit(
    structure: GraphArgument,
    data: DataArgument,
    *,
    fitting: FittingOptions,
    reading: DataOptions,
    output: OutputOption = None,
    printing: PrintOptions,
) -> None:
    """Estimate the probability tables of a structure from data, and write the network.

    The suffix of the output says how it is written: .bif, .xmlbif, .net (Hugin), .xdsl (GeNIe) or .uai, each also with
    .gz; without -o, or with -o -, BIF goes to stdout. Tables estimated by mle may have undefined rows, where the data
    show no case; they are counted on stderr.

    Example: arcwise fit alarm.graphml alarm.csv --estimator bd --ess 10 -o fitted.bif
    """
    from arcwise.model import fit_parameters, format_bif

    to_stdout = output is None or str(output) == "-"
    if printing.as_json and output is not None and to_stdout:
        raise typer.BadParameter("--json and -o - both want stdout; give -o FILE, or leave -o out.")
    if output is not None:
        check_network_name(output)
    parameters: dict[str, Any] = {"ess": fitting.ess, "alpha": _number_or_name(fitting.prior), "m": fitting.m}
    if str(structure) == str(data) == "-":
        raise typer.BadParameter("only one of the structure and the data can come from stdin.")
    given = open_graph_file(structure)
    rows = read_data_for(
        given, data, reading, printing.progress, with_states=fitting.states_from is StatesFrom.STRUCTURE
    )
    dag = given.dag(rows.names)
    fitted = fit_parameters(
        dag,
        rows,
        estimator=fitting.estimator,
        progress=printing.progress,
        **{name: value for name, value in parameters.items() if value is not None},
    )
    undefined = fitted.n_undefined_rows
    if printing.as_json:
        print_json(
            {
                "estimator": fitting.estimator,
                "variables": fitted.n_variables,
                "arcs": len(dag.arcs),
                "free_parameters": fitted.n_free_parameters,
                "undefined_rows": undefined,
                "cases": rows.n_cases,
                "log_likelihood": fitted.log_likelihood(rows),
                "output": output,
            }
        )
    if output is not None and not to_stdout:
        fitted.write(output)
    elif not printing.as_json:
        typer.echo(format_bif(fitted), nl=False)
    if not to_stdout:
        printing.remark(f"wrote {fitted.n_free_parameters:,} free parameters to {output}")
    if undefined:
        printing.remark(f"{undefined:,} rows are undefined: the data show no case for them.")


def _number_or_name(alpha: str | None) -> str | float | None:
    """Return a number if the text is one; a name is checked by the estimator."""
    if alpha is None:
        return None
    try:
        return float(alpha)
    except ValueError:
        return alpha
