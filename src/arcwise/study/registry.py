"""The experiments by name."""

from __future__ import annotations

import importlib
from typing import Any

from arcwise.errors import UnknownNameError, suggestion
from arcwise.study.experiment import Experiment

__all__ = ["EXPERIMENTS", "load_experiment"]

# One line per experiment: where its class is. A module is imported when its experiment is used.
EXPERIMENTS: dict[str, str] = {
    "calibration": "arcwise.study.experiments.calibration:Calibration",
    "density": "arcwise.study.experiments.density:Density",
    "discovery": "arcwise.study.experiments.discovery:Discovery",
    "lau": "arcwise.study.experiments.lau:Lau",
    "scanagatta": "arcwise.study.experiments.scanagatta:Scanagatta",
    "steck": "arcwise.study.experiments.steck:Steck",
    "ueno": "arcwise.study.experiments.ueno:Ueno",
    "overhead": "arcwise.study.experiments.overhead:Overhead",
}


def load_experiment(name: str) -> Experiment[Any]:
    """Return the experiment of the given name."""
    if name not in EXPERIMENTS:
        raise UnknownNameError(suggestion("experiment", name, EXPERIMENTS))
    module, _, attribute = EXPERIMENTS[name].partition(":")
    experiment: Experiment[Any] = getattr(importlib.import_module(module), attribute)()
    return experiment
