"""Studies: experiments from a TOML file, run cell by cell on one machine or a cluster, kept in a DuckDB store."""

from arcwise.study.config import Study, read_study
from arcwise.study.estimate import StudyEstimate, estimate_study
from arcwise.study.experiment import (
    CellContext,
    CellResult,
    Experiment,
    SummaryFigure,
    SummaryTable,
)
from arcwise.study.frames import export_rows, study_frames
from arcwise.study.plan import Cell, plan_study
from arcwise.study.registry import EXPERIMENTS, load_experiment
from arcwise.study.run import RunReport, run_study
from arcwise.study.sources import Sources
from arcwise.study.status import StudyStatus, study_status
from arcwise.study.summarize import StudySummary, summarize_study

__all__ = [
    "EXPERIMENTS",
    "Cell",
    "CellContext",
    "CellResult",
    "Experiment",
    "RunReport",
    "Sources",
    "Study",
    "StudyEstimate",
    "StudyStatus",
    "StudySummary",
    "SummaryFigure",
    "SummaryTable",
    "estimate_study",
    "export_rows",
    "load_experiment",
    "plan_study",
    "read_study",
    "run_study",
    "study_frames",
    "study_status",
    "summarize_study",
]
