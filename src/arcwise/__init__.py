"""arcwise learns Bayesian-network structure from discrete data and says which arcs to trust."""

from __future__ import annotations

# Nothing is imported here that Python has not loaded already: until `arcwise.cli.entry` listens, Ctrl-C is a traceback.
TYPE_CHECKING = False  # type checkers know it by its name

if TYPE_CHECKING:
    # The names below once more, for type checkers and editors; a test compares the two lists. A function in a module of
    # its own name comes from that module: mypy would take it for the module otherwise.
    from arcwise import analysis as analysis
    from arcwise import audit as audit
    from arcwise import certificate as certificate
    from arcwise import confidence as confidence
    from arcwise import counts as counts
    from arcwise import data as data
    from arcwise import datasets as datasets
    from arcwise import effects as effects
    from arcwise import ensemble as ensemble
    from arcwise import errors as errors
    from arcwise import evaluate as evaluate
    from arcwise import exact as exact
    from arcwise import graph as graph
    from arcwise import limits as limits
    from arcwise import local as local
    from arcwise import model as model
    from arcwise import parent_sets as parent_sets
    from arcwise import plotting as plotting
    from arcwise import priors as priors
    from arcwise import progress as progress
    from arcwise import report as report
    from arcwise import scores as scores
    from arcwise.analysis import Analysis as Analysis
    from arcwise.analysis import learn as learn
    from arcwise.analysis.estimator import BayesianNetworkEstimator as BayesianNetworkEstimator
    from arcwise.audit import check as check
    from arcwise.confidence import EdgeConfidence as EdgeConfidence
    from arcwise.confidence import consensus_network as consensus_network
    from arcwise.confidence import recommend as recommend
    from arcwise.confidence.averaging import edge_confidence as edge_confidence
    from arcwise.data import Dataset as Dataset
    from arcwise.data import read_data as read_data
    from arcwise.data import read_table as read_table
    from arcwise.data.discretize import discretize as discretize
    from arcwise.data.impute import impute as impute
    from arcwise.ensemble import CredibleSet as CredibleSet
    from arcwise.ensemble import Recipe as Recipe
    from arcwise.ensemble import bootstrap_networks as bootstrap_networks
    from arcwise.ensemble import find_credible as find_credible
    from arcwise.exact import find_optimal as find_optimal
    from arcwise.graph import Constraints as Constraints
    from arcwise.graph import Dag as Dag
    from arcwise.limits import Limits as Limits
    from arcwise.local import hill_climb as hill_climb
    from arcwise.local import tabu_search as tabu_search
    from arcwise.model import BayesianNetwork as BayesianNetwork
    from arcwise.model import fit_parameters as fit_parameters
    from arcwise.model import read_bif as read_bif
    from arcwise.model import write_bif as write_bif
    from arcwise.parent_sets import build_parent_sets as build_parent_sets

    __version__: str

# The names of a first day by the stage that defines them, in the order of the pipeline; all others are in their stages,
# as `arcwise.ensemble.k_best`. A stage is imported on first use, so that `import arcwise` is fast.
_PUBLIC: dict[str, tuple[str, ...]] = {
    "limits": ("Limits",),
    "data": ("Dataset", "read_data", "read_table", "impute", "discretize"),
    "audit": ("check",),
    "graph": ("Dag", "Constraints"),
    "parent_sets": ("build_parent_sets",),
    "exact": ("find_optimal",),
    "local": ("hill_climb", "tabu_search"),
    "ensemble": ("Recipe", "CredibleSet", "find_credible", "bootstrap_networks"),
    "confidence": ("EdgeConfidence", "edge_confidence", "recommend", "consensus_network"),
    "model": ("BayesianNetwork", "fit_parameters", "read_bif", "write_bif"),
    "analysis": ("Analysis", "BayesianNetworkEstimator", "learn"),
}
_MODULES = (
    *_PUBLIC,
    *("certificate", "counts", "datasets", "effects", "errors", "evaluate", "plotting", "priors", "progress", "report"),
    "scores",
)
_STAGE = {name: stage for stage, names in _PUBLIC.items() for name in names}

__all__ = ["__version__", "datasets", *_STAGE]  # noqa: PLE0604


if not TYPE_CHECKING:  # a type checker would believe that every name exists

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
    """Return the stage of a name that the package itself does not have."""
    if not name.startswith("_"):
        import importlib

        for stage in _MODULES:
            if name in getattr(importlib.import_module(f"arcwise.{stage}"), "__all__", ()):
                return f"; it is arcwise.{stage}.{name}"
    return ""


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
