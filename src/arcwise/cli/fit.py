"""`arcwise fit`: the tables of a network, estimated from data."""

from __future__ import annotations

import enum
from typing import Any

import typer

from arcwise.base.options import option
from arcwise.cli.options import DataArgument, DataVerb
from arcwise.cli.output import GraphArgument, ResultVerb, check_network_name
from arcwise.cli.verb import Result
from arcwise.model.bif import format_bif
from arcwise.model.fitting import ESTIMATORS, fit_parameters


class StatesFrom(enum.StrEnum):
    """Where the states of the variables come from."""

    STRUCTURE = "structure"
    DATA = "data"


class Fit(DataVerb, ResultVerb):
    """Estimate the probability tables of a structure from data, and write the network.

    The suffix of the output says how it is written: .bif, .xmlbif, .net (Hugin), .xdsl (GeNIe) or .uai, each also with
    .gz; without -o, or with -o -, BIF goes to stdout. Tables estimated by mle may have undefined rows, where the data
    show no case; they are counted on stderr.

    Example: arcwise fit alarm.graphml alarm.csv --estimator bd --ess 10 -o fitted.bif
    """

    structure: GraphArgument
    data: DataArgument
    estimator: str = option("bd", "mle, laplace, m-estimate, bd (posterior mean) or snml", choices=tuple(ESTIMATORS))
    ess: float | None = option(None, "the equivalent sample size of the BDeu prior", usual="1", of="bd")
    prior: str | None = option(None, "the prior, bdeu, k2, bdj, or a number for every cell", of="bd")
    m: float | None = option(None, "how many imaginary cases", usual="1", of="m-estimate")
    states_from: StatesFrom = option(
        StatesFrom.STRUCTURE,
        "which states the variables have: those that a structure with tables declares, or those of the data",
    )

    def _check(self) -> None:
        if self.as_json and str(self.output) == "-":
            raise typer.BadParameter("--json and -o - both want stdout; give -o FILE, or leave -o out.")
        if self.output is not None:
            check_network_name(self.output)

    def _run(self) -> Result:
        parameters = {"ess": self.ess, "alpha": _number_or_name(self.prior), "m": self.m}
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
        remark = f"{undefined:,} rows are undefined: the data show no case for them."
        return Result(payload, remark=remark if undefined else "")


def _number_or_name(alpha: str | None) -> str | float | None:
    """Return a number if the text is one; a name is checked by the estimator."""
    if alpha is None:
        return None
    try:
        return float(alpha)
    except ValueError:
        return alpha
