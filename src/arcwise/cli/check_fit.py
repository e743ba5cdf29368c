"""`arcwise check-fit`: does the network fit the data?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from arcwise.base.errors import FormatError, OptionError
from arcwise.base.options import Common, option, row
from arcwise.cli.options import DataVerb, TimeLimit
from arcwise.cli.output import AnswerVerb, open_folder
from arcwise.cli.verb import Result, facts
from arcwise.evaluate.fit_check import FitCheck, check_fit
from arcwise.report.page import fit_answer

FACTS = ("n_tests", "n_untested", "small", "uniformity", "log_likelihood", "independent", "saturated", "n_cases")


class CheckFit(DataVerb, TimeLimit, AnswerVerb):
    """Say whether a network fits data: the independences that it implies, its likelihood, and every pair of variables.

    If the network is right, one in twenty of the implied independences is rejected at 0.05, and in data sets drawn from
    it every pair of variables is about as dependent as in the data. The likelihood is compared with that of a network
    without edges, and with that of the frequencies of whole rows. The table of -o has every pair.

    Example: arcwise check-fit survey-report
    """

    source: Annotated[Path, typer.Argument(metavar="DIR|NETWORK", help="A folder of `arcwise learn`, or a .bif file.")]
    data: Annotated[
        Path | None,
        typer.Argument(
            help="New data, coded as the training data were; without it, the data that a folder was learned from.",
            show_default=False,
        ),
    ] = None
    replicates: int = option(100, "how many data sets to draw from the network; 0 for none", low=0, high=100_000)
    seed: int = row(Common, "seed")

    def _run(self) -> Result:
        found = self._compared(
            {"replicates": self.replicates, "seed": self.seed, "limits": self.limits, "progress": self.progress}
        )
        return self.answer(
            fit_answer(found),
            found.to_frame(),
            found.status,
            source=self.source,
            **facts(found, *FACTS),
            misfits=len(found.misfits),
            replicates=found.replicates,
        )

    def _compared(self, options: dict[str, Any]) -> FitCheck:
        if self.source.is_dir():
            saved = open_folder(self.source)
            table = None if self.data is None else self.read_rows(self.data)
            if table is not None:
                for remark in saved.coding.apply(table).remarks():
                    self.remark(remark)
            return saved.check_fit(table, **options)
        if self.data is None and not self.source.exists():
            open_folder(self.source)  # says that it is not there
        if self.data is None:
            raise OptionError(f"{self.source} is one network: give the data to compare it with.")
        given, cases = self.open_with_data(self.source, self.data)
        if given.network is None:
            raise FormatError(f"{self.source}: a graph without probability tables; `arcwise fit` estimates them.")
        return check_fit(given.network, cases, **options)
