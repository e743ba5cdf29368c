"""Networks with parameters: fitting, likelihood, sampling, inference, and files."""

from arcwise.model.bif import format_bif, write_bif
from arcwise.model.files import NETWORK_FORMATS, NetworkFormat, format_network, network_format, write_network
from arcwise.model.fitting import ESTIMATORS, fit_parameters
from arcwise.model.network import BayesianNetwork, parse_bif, parse_network, read_bif, read_network
from arcwise.model.structural_em import StructuralEm, structural_em
from arcwise.model.tables import Distribution, Explanation, Marginals, RowDistributions

__all__ = [
    "ESTIMATORS",
    "NETWORK_FORMATS",
    "BayesianNetwork",
    "Distribution",
    "Explanation",
    "Marginals",
    "NetworkFormat",
    "RowDistributions",
    "StructuralEm",
    "fit_parameters",
    "format_bif",
    "format_network",
    "network_format",
    "parse_bif",
    "parse_network",
    "read_bif",
    "read_network",
    "structural_em",
    "write_bif",
    "write_network",
]
