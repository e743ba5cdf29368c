"""Networks with parameters: fitting, likelihood, sampling, inference, and files."""

from arcwise.model.bif import format_bif, parse_bif, read_bif, write_bif
from arcwise.model.distribution import Distribution, Explanation, Marginals, RowDistributions
from arcwise.model.estimators import ESTIMATORS
from arcwise.model.fitting import fit_parameters
from arcwise.model.network import BayesianNetwork
from arcwise.model.structural_em import StructuralEm, structural_em

__all__ = [
    "ESTIMATORS",
    "BayesianNetwork",
    "Distribution",
    "Explanation",
    "Marginals",
    "RowDistributions",
    "StructuralEm",
    "fit_parameters",
    "format_bif",
    "parse_bif",
    "read_bif",
    "structural_em",
    "write_bif",
]
