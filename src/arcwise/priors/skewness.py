"""Steck's Figure 1: how skewness alone, without any dependence, speaks for an edge as the ESS grows (section 3.3).

Two binary variables are independent in the data, both with p(1) = z. The smaller z, the more skewed they are; the log
Bayes factor for an edge between them (eq. 7) rises with the skewness, and above some ESS it is positive: the
prior's imaginary cases are uniform, the real ones are not, and the mixture of two products is not a product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import OptionError
from arcwise.mentions import Argument
from arcwise.priors.edge_prior import log_bayes_factors
from arcwise.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["SkewnessEffect", "skewness_effect"]


@one_screen
@dataclass(frozen=True, eq=False)
class SkewnessEffect:
    """The log Bayes factor for an edge between two independent binary variables.

    Parameters
    ----------
    z
        The probability of state 1 of both variables, from 0 (constant) to 0.5 (uniform).
    ess
        The equivalent sample sizes.
    log_bayes_factors
        One row per ESS, one column per z.
    """

    n_cases: int
    z: NDArray[np.float64]
    ess: NDArray[np.float64]
    log_bayes_factors: NDArray[np.float64]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per z, one column per ESS."""
        import pandas as pd

        columns = {f"{ess:g}": values for ess, values in zip(self.ess, self.log_bayes_factors, strict=True)}
        return pd.DataFrame({"z": self.z, **columns})

    def plot(self) -> Figure:
        """Plot one curve per ESS over z; those above the number of cases are dashed, as in the paper."""
        from arcwise.extras import load_figure

        Figure = load_figure()
        figure = Figure(figsize=(6, 4), layout="constrained")
        axes = figure.subplots()
        axes.axhline(0, color="0.6", linewidth=1)
        for ess, values in zip(self.ess, self.log_bayes_factors, strict=True):
            axes.plot(self.z, values, "--" if ess > self.n_cases else "-", label=f"{ess:,g}")
        axes.set_xlabel("z: both variables have p(1) = z and are independent")
        axes.set_ylabel("log Bayes factor for the edge")
        axes.set_title(f"{self.n_cases:,} cases")
        axes.legend(title="ESS")
        return figure


def skewness_effect(
    n_cases: int = 100,
    *,
    z: Sequence[float] | NDArray[np.float64] | None = None,
    ess: Sequence[float] | NDArray[np.float64] = (1, 10, 100, 1_000, 10_000),
) -> SkewnessEffect:
    """Return the log Bayes factor (eq. 7) for independent variables with expected counts, over z and the ESS."""
    values = np.linspace(0, 0.5, 51) if z is None else np.asarray(z, dtype=np.float64)
    sizes = np.asarray(ess, dtype=np.float64)
    if n_cases < 1:
        raise OptionError(Argument("n_cases", n_cases), "must be at least 1.")
    if values.ndim != 1 or not ((values >= 0) & (values <= 0.5)).all():
        raise OptionError("z must be probabilities from 0 to 0.5; above that the picture repeats itself.")
    if sizes.ndim != 1 or not ((sizes > 0) & np.isfinite(sizes)).all():
        raise OptionError("equivalent sample sizes must be positive, finite numbers.")
    margins = np.stack([1 - values, values], axis=1)
    tables = n_cases * margins[:, :, None, None] * margins[:, None, :, None]
    factors = np.stack([log_bayes_factors(table, sizes) for table in tables], axis=1)
    return SkewnessEffect(n_cases, values, sizes, factors)
