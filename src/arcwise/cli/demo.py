"""`arcwise demo`: the main job on embedded data, from a raw table to a report, for those who have no data at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arcwise.analysis.folder import check_folder, run_record
from arcwise.analysis.learning import learn
from arcwise.base.options import row
from arcwise.cli.output import FolderOptions
from arcwise.cli.verb import Result, Verb
from arcwise.report.text import print_report

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.analysis.analysis import Analysis

FOLDER = Path("demo-output")


class Demo(Verb):
    """Learn from data that are built in, 178 wines of three cultivars, and write a report: nothing of yours is needed.

    What is done is what `arcwise learn wine.csv --discretize width --seed 1 -o demo-output` would do.

    Example: arcwise demo -o demo-output
    """

    output: Path = row(FolderOptions, "output", help="the folder to write", default=FOLDER)
    force: bool = row(FolderOptions, "force")

    def _run(self) -> Result:
        check_folder(self.output, force=self.force)
        found = learn(wines(), discretize="width", seed=1, name="wine", progress=self.progress)
        found.save(self.output, force=self.force)
        payload = {**run_record(found), "output": self.output, "edges": found.to_frame()}
        return Result(payload, () if self.quiet else lambda: self._show(found), status=found.status)

    def _show(self, found: Analysis) -> None:
        from rich.console import Console

        console, strongest = Console(highlight=False, width=100), found.edges[0]
        print_report(found.report, console, sections=("ensemble", "prior"))
        for line in (
            f"\nFor example: {found.explain(strongest.first, strongest.second)}",
            f"\nFiles in {self.output}: {', '.join(sorted(path.name for path in self.output.iterdir()))}",
            f"Report: {self.output / 'report.html'}",
            f"Ask it: arcwise explain {self.output} {strongest.first}",
        ):
            console.print(line, markup=False, soft_wrap=not line.startswith("\n"))


def wines() -> pd.DataFrame:
    """Return the wines that come with scikit-learn: 13 measures of each, and the cultivar of its grapes."""
    from sklearn.datasets import load_wine

    bunch = load_wine(as_frame=True)
    frame: pd.DataFrame = bunch.data.rename(columns={"od280/od315_of_diluted_wines": "dilution"})
    return frame.assign(cultivar=bunch.target_names[bunch.target])
