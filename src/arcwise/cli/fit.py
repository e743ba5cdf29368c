"""`arcwise fit`: the tables of a network, estimated from data."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import typer

from arcwise.base.options import option
from arcwise.cli.options import DataArgument, DataOptions, read_data_for
from arcwise.cli.output import GraphArgument, ResultOptions, check_network_name, open_graph_file, print_json
from arcwise.model.fitting import ESTIMATORS


class StatesFrom(enum.StrEnum):
    """Where the states of the variables come from."""

    STRUCTURE = "structure"
    DATA = "data"


@dataclass(frozen=True)
class FittingOptions:
    """The estimator and its parameters."""

    estimator: str = option("bd", "mle, laplace, m-estimate, bd (posterior mean) or snml", choices=tuple(ESTIMATORS))
    ess: float | None = option(None, "the equivalent sample size of the BDeu prior", usual="1", of="bd")
    prior: str | None = option(None, "the prior, bdeu, k2, bdj, or a number for every cell", of="bd")
    m: float | None = option(None, "how many imaginary cases", usual="1", of="m-estimate")
    states_from: StatesFrom = option(
        StatesFrom.STRUCTURE,
        "which states the variables have: those that a structure with tables declares, or those of the data",
    )


def fit(
    structure: GraphArgument,
    data: DataArgument,
    *,
    fitting: FittingOptions,
    reading: DataOptions,
    printing: ResultOptions,
) -> None:
    """Estimate the probability tables of a structure from data, and write the network.

    The suffix of the output says how it is written: .bif, .xmlbif, .net (Hugin), .xdsl (GeNIe) or .uai, each also with
    .gz; without -o, or with -o -, BIF goes to stdout. Tables estimated by mle may have undefined rows, where the data
    show no case; they are counted on stderr.

    Example: arcwise fit alarm.graphml alarm.csv --estimator bd --ess 10 -o fitted.bif
    """
    from arcwise.model.bif import format_bif
    from arcwise.model.fitting import fit_parameters

    output = printing.output
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
