"""Networks with parameters: fitting, likelihood, sampling, inference, and files."""

from arcwise.model.bif import format_bif, parse_bif, read_bif, write_bif
from arcwise.model.distribution import Distribution, Explanation, Marginals, RowDistributions
from arcwise.model.estimators import ESTIMATORS
from arcwise.model.fitting import fit_parameters
from arcwise.model.network import BayesianNetwork
from arcwise.model.network_files import (
    NETWORK_FORMATS,
    NetworkFormat,
    format_network,
    network_format,
    parse_network,
    read_network,
    write_network,
)
from arcwise.model.structural_em import StructuralEm, structural_em

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
