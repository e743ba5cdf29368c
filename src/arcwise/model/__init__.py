"""Networks with parameters: fitting, likelihood, sampling, inference, and files."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "model.files": "NETWORK_FORMATS NetworkFormat format_bif format_network network_format write_bif write_network",
        "model.fitting": "ESTIMATORS fit_parameters",
        "model.mixed_network": "MixedNetwork NumberAnswer StateAnswer",
        "model.network": "BayesianNetwork parse_bif parse_network read_bif read_network",
        "model.structural_em": "StructuralEm structural_em",
        "model.tables": "Distribution Explanation Marginals RowDistributions",
    },
)
