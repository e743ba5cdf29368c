"""`require_defined`: formats that have no word for a row without probabilities."""

from __future__ import annotations

import numpy as np

from arcwise.errors import FormatError
from arcwise.model.network import BayesianNetwork

__all__ = ["require_defined"]


def require_defined(network: BayesianNetwork, format_name: str) -> None:
    """Refuse a network with undefined rows, naming the first variable that has some."""
    for v, table in enumerate(network.tables):
        count = int(np.isnan(table[:, 0]).sum())
        if count:
            raise FormatError(
                f"{format_name} has no word for undefined rows, and the table of '{network.names[v]}' has {count:,}. "
                "Fit the parameters with an estimator that defines them, such as bd or laplace, or write BIF."
            )
