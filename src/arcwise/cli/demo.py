"""`make demo`: the main job on embedded data, from a raw table to a report, with its files in demo-output/."""

from __future__ import annotations

import shutil
from pathlib import Path

from arcwise.analysis import learn

__all__ = ["main"]

FOLDER = Path("demo-output")


def main() -> None:
    """Learn from the wines that come with scikit-learn, print the summary, and say where the report is."""
    from rich.console import Console
    from sklearn.datasets import load_wine

    from arcwise.report.render.text import print_report

    bunch = load_wine(as_frame=True)
    frame = bunch.data.rename(columns={"od280/od315_of_diluted_wines": "dilution"})
    frame["cultivar"] = bunch.target_names[bunch.target]
    # The measures are numbers: cut each into three intervals, as `arcwise learn --discretize width` does.
    analysis = learn(frame, discretize="width", seed=1, name="wine")
    if FOLDER.is_dir():  # of an earlier demo
        shutil.rmtree(FOLDER)
    analysis.save(FOLDER)
    console = Console(highlight=False, width=100)
    print_report(analysis.report, console, sections=("ensemble", "prior"))
    strongest = analysis.edges[0]
    console.print(f"\nFor example: {analysis.explain(strongest.first, strongest.second)}", markup=False)
    console.print(f"\nFiles: {', '.join(sorted(path.name for path in FOLDER.iterdir()))}", markup=False)
    console.print(f"Report: {FOLDER / 'report.html'}", markup=False)


if __name__ == "__main__":
    main()
