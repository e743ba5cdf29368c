"""Studies: experiments from a TOML file, run cell by cell on one machine or a cluster, kept in a DuckDB store."""

from arcwise.study.config import Study, read_study
from arcwise.study.experiment import (
    CellContext,
    CellResult,
    Experiment,
    SummaryFigure,
    SummaryTable,
)
from arcwise.study.plan import Cell, plan_study
from arcwise.study.registry import EXPERIMENTS, load_experiment
from arcwise.study.sources import Sources

__all__ = [
    "EXPERIMENTS",
    "Cell",
    "CellContext",
    "CellResult",
    "Experiment",
    "Sources",
    "Study",
    "SummaryFigure",
    "SummaryTable",
    "load_experiment",
    "plan_study",
    "read_study",
]
