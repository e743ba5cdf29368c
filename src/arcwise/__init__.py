"""arcwise learns Bayesian-network structure from discrete data and says which arcs to trust."""

from __future__ import annotations

import importlib
from typing import Any

# Public names and the stage that defines each. Stages are imported on first use, so that `import arcwise` is fast.
_PUBLIC: dict[str, str] = {
    "Dataset": "arcwise.data",
    "Constraints": "arcwise.graph",
    "Cpdag": "arcwise.graph",
    "Table": "arcwise.data",
    "discretize": "arcwise.data",
    "impute": "arcwise.data",
    "read_data": "arcwise.data",
    "read_table": "arcwise.data",
    "write_data": "arcwise.data",
    "Dag": "arcwise.graph",
    "SCORES": "arcwise.scores",
    "make_score": "arcwise.scores",
    "NetworkSet": "arcwise.ensemble",
    "NetworkSummary": "arcwise.ensemble",
    "count_credible": "arcwise.ensemble",
    "exact_posterior": "arcwise.ensemble",
    "find_credible": "arcwise.ensemble",
    "k_best": "arcwise.ensemble",
    "Pdag": "arcwise.graph",
    "LocalSearchResult": "arcwise.search",
    "bootstrap_networks": "arcwise.ensemble",
    "first_ascent": "arcwise.search",
    "genetic_search": "arcwise.search",
    "hill_climb": "arcwise.search",
    "analyse_runs": "arcwise.search",
    "order_search": "arcwise.search",
    "tabu_search": "arcwise.search",
    "BayesianNetwork": "arcwise.model",
    "fit_parameters": "arcwise.model",
    "read_bif": "arcwise.model",
    "write_bif": "arcwise.model",
    "Comparison": "arcwise.evaluate",
    "compare": "arcwise.evaluate",
    "ParentSetTable": "arcwise.parent_sets",
    "build_parent_sets": "arcwise.parent_sets",
    "read_parent_sets": "arcwise.parent_sets",
    "write_parent_sets": "arcwise.parent_sets",
    "Optimum": "arcwise.search",
    "find_optimal": "arcwise.search",
    "edge_confidence": "arcwise.confidence",
}

__all__ = ["__version__", *_PUBLIC]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("arcwise")
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'arcwise' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
