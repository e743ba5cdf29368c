"""The experiments by name."""

from __future__ import annotations

import importlib
from typing import Any

from arcwise.base.errors import suggestion
from arcwise.errors import UnknownNameError
from arcwise_studies.experiment import Experiment

__all__ = ["EXPERIMENTS", "load_experiment"]

# One line per experiment: where its class is. A module is imported when its experiment is used.
EXPERIMENTS: dict[str, str] = {
    "calibration": "arcwise_studies.experiments.calibration:CalibrationExperiment",
    "calibration_check": "arcwise_studies.experiments.calibration_check:CalibrationCheck",
    "credible_counts": "arcwise_studies.experiments.credible_counts:CredibleCounts",
    "density": "arcwise_studies.experiments.density:Density",
    "discovery": "arcwise_studies.experiments.discovery:Discovery",
    "lau": "arcwise_studies.experiments.lau:Lau",
    "lau_genetic": "arcwise_studies.experiments.lau_genetic:LauGenetic",
    "scanagatta": "arcwise_studies.experiments.scanagatta:Scanagatta",
    "scanagatta_variations": "arcwise_studies.experiments.scanagatta_variations:ScanagattaVariations",
    "steck": "arcwise_studies.experiments.steck:Steck",
    "steck_averaging": "arcwise_studies.experiments.steck_averaging:SteckAveraging",
    "ueno": "arcwise_studies.experiments.ueno:Ueno",
    "ueno_fitted": "arcwise_studies.experiments.ueno_fitted:UenoFitted",
    "overhead": "arcwise_studies.experiments.overhead:Overhead",
}


def load_experiment(name: str) -> Experiment[Any]:
    """Return the experiment of the given name."""
    if name not in EXPERIMENTS:
        raise UnknownNameError(suggestion("experiment", name, EXPERIMENTS))
    module, _, attribute = EXPERIMENTS[name].partition(":")
    experiment: Experiment[Any] = getattr(importlib.import_module(module), attribute)()
    return experiment
