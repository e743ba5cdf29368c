"""Studies: experiments from a TOML file, run cell by cell on one machine or a cluster, kept in a DuckDB store."""

from arcwise_studies.config import Study, read_study
from arcwise_studies.estimate import StudyEstimate, estimate_study
from arcwise_studies.experiment import CellContext, CellResult, Experiment, SummaryFigure, SummaryTable
from arcwise_studies.frames import export_rows, study_frames
from arcwise_studies.plan import Cell, plan_study
from arcwise_studies.registry import EXPERIMENTS, load_experiment
from arcwise_studies.run import RunReport, run_study
from arcwise_studies.sources import Sources
from arcwise_studies.status import StudyStatus, study_status
from arcwise_studies.summarize import StudySummary, summarize_study

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
