"""arcwise learns Bayesian networks from tables and says which edges to rely on."""

from __future__ import annotations

# Nothing is imported here that Python has not loaded already: until `arcwise.cli.entry` listens, Ctrl-C is a traceback.

# The names of a first day by the stage that defines them, in the order of the pipeline; all others are in their stages,
# as `arcwise.ensemble.k_best`. A stage is imported on first use, so that `import arcwise` is fast; type checkers and
# editors know the names from __init__.pyi, which docs/update.py writes.
_PUBLIC: dict[str, tuple[str, ...]] = {
    "limits": ("Limits",),
    "data": ("Dataset", "read_data", "read_table", "impute", "discretize"),
    "audit": ("check",),
    "graph": ("Dag", "Constraints"),
    "parent_sets": ("build_parent_sets",),
    "exact": ("find_optimal",),
    "local": ("hill_climb", "tabu_search"),
    "ensemble": ("CredibleSet", "find_credible", "bootstrap_networks"),
    "confidence": ("EdgeConfidence", "edge_confidence", "recommend", "consensus_network"),
    "model": ("BayesianNetwork", "fit_parameters", "read_bif", "write_bif"),
    "analysis": ("Analysis", "BayesianNetworkEstimator", "learn", "open"),
}
_MODULES = (
    *_PUBLIC,
    *("certificate", "counts", "datasets", "effects", "errors", "evaluate", "plotting", "priors", "progress", "report"),
    "scores",
)
_STAGE = {name: stage for stage, names in _PUBLIC.items() for name in names}

__all__ = ["__version__", "datasets", *_STAGE]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    import importlib

    if name in _STAGE:
        value = getattr(importlib.import_module(f"arcwise.{_STAGE[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"arcwise.{name}")
    elif name == "__version__":
        from importlib.metadata import version

        value = version("arcwise")
    else:
        raise AttributeError(f"module 'arcwise' has no attribute '{name}'{_found_elsewhere(name)}")
    globals()[name] = value
    return value


def _found_elsewhere(name: str) -> str:
    """Return where a name is that the package itself does not have, or what is called in its place."""
    if not name.startswith("_"):
        import importlib

        from arcwise.base.errors import hint

        if advice := hint("arcwise", name):
            return advice
        for stage in _MODULES:
            if name in getattr(importlib.import_module(f"arcwise.{stage}"), "__all__", ()):
                return f"; it is arcwise.{stage}.{name}"
    return ""


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
