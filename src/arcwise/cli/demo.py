"""`arcwise demo`: the main job on embedded data, from a raw table to a report, for those who have no data at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arcwise.base.options import row
from arcwise.cli.output import FolderOptions, PrintOptions, finish, print_json

if TYPE_CHECKING:
    import pandas as pd

FOLDER = Path("demo-output")


def demo(
    output: Path = row(FolderOptions, "output", help="the folder to write", default=FOLDER),
    force: bool = row(FolderOptions, "force"),
    *,
    printing: PrintOptions,
) -> None:
    """Learn from data that are built in, 178 wines of three cultivars, and write a report: nothing of yours is needed.

    What is done is what `arcwise learn wine.csv --discretize width --seed 1 -o demo-output` would do.

    Example: arcwise demo -o demo-output
    """
    from arcwise.analysis.folder import check_folder, run_record
    from arcwise.analysis.learning import learn

    check_folder(output, force=force)
    found = learn(wines(), discretize="width", seed=1, name="wine", progress=printing.progress)
    found.save(output, force=force)
    strongest = found.edges[0]
    if printing.as_json:
        print_json({**run_record(found), "output": output, "edges": found.to_frame().to_dict(orient="records")})
    elif not printing.quiet:
        from rich.console import Console

        from arcwise.report.text import print_report

        console = Console(highlight=False, width=100)
        print_report(found.report, console, sections=("ensemble", "prior"))
        for line in (
            f"\nFor example: {found.explain(strongest.first, strongest.second)}",
            f"\nFiles in {output}: {', '.join(sorted(path.name for path in output.iterdir()))}",
            f"Report: {output / 'report.html'}",
            f"Ask it: arcwise explain {output} {strongest.first}",
        ):
            console.print(line, markup=False, soft_wrap=not line.startswith("\n"))
    finish(found.status)


def wines() -> pd.DataFrame:
    """Return the wines that come with scikit-learn: 13 measures of each, and the cultivar of its grapes."""
    from sklearn.datasets import load_wine

    bunch = load_wine(as_frame=True)
    frame: pd.DataFrame = bunch.data.rename(columns={"od280/od315_of_diluted_wines": "dilution"})
    return frame.assign(cultivar=bunch.target_names[bunch.target])
