"""Networks with parameters: fitting, likelihood, sampling, inference, and files."""

from arcwise.model.bif import format_bif, parse_bif, read_bif, write_bif
from arcwise.model.inference import Distribution
from arcwise.model.network import BayesianNetwork

__all__ = ["BayesianNetwork", "Distribution", "format_bif", "parse_bif", "read_bif", "write_bif"]
