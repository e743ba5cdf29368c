"""What inference answers: distributions, all marginals, the most probable explanation, one distribution per row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.showing import WIDTH, clipped, wrapped

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Distribution", "Explanation", "Marginals", "RowDistributions"]


@dataclass(frozen=True, eq=False)
class Distribution:
    """The joint distribution of some variables.

    Parameters
    ----------
    names
        The variables.
    states
        The names of each variable's states.
    probabilities
        One axis per variable, in this order; sums to 1.
    log_evidence
        The natural logarithm of the probability of the evidence that was given (0 without evidence).
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]
    log_evidence: float = 0.0

    def __getitem__(self, states: object) -> float:
        """Return the probability of a state, or of a tuple of states, one per variable."""
        given = states if isinstance(states, tuple) else (states,)
        if len(given) != len(self.names):
            raise OptionError(f"{len(given)} states given for the variables {', '.join(self.names)}.")
        cell = []
        for name, known, state in zip(self.names, self.states, given, strict=True):
            text = state if isinstance(state, str) else str(state)
            if text not in known:
                raise OptionError(f"'{name}' has no state '{text}'; its states are {', '.join(known)}.")
            cell.append(known.index(text))
        return float(self.probabilities[tuple(cell)])

    @property
    def most_probable(self) -> tuple[str, ...]:
        """The most probable state of each variable, together; the first of several that are equally probable."""
        cell = np.unravel_index(int(self.probabilities.argmax()), self.probabilities.shape)
        return tuple(states[i] for states, i in zip(self.states, cell, strict=True))

    def to_series(self) -> pd.Series[float]:
        """Return a pandas Series indexed by the states; a MultiIndex for more than one variable."""
        import pandas as pd

        return pd.Series(self.probabilities.ravel(), index=_index(self.names, self.states), name="probability")

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame: one column per variable, and the probability of each combination of states."""
        return self.to_series().reset_index()

    def __repr__(self) -> str:
        cells = self.probabilities.size
        if len(self.names) == 1 and cells <= 12:
            shares = zip(self.states[0], self.probabilities.tolist(), strict=True)
            head = f"Distribution of {clipped(self.names[0], WIDTH // 2)} ("
            return wrapped(head, (f"{state}: {p:.4g}" for state, p in shares), ")")
        return wrapped("Distribution of ", self.names, f" ({cells:,} cells)")


class Marginals(Mapping[str, Distribution]):
    """The distribution of every variable that is not observed, by name.

    Parameters
    ----------
    distributions
        By variable.
    log_evidence
        The natural logarithm of the probability of the evidence that was given (0 without evidence).
    """

    __slots__ = ("_distributions", "log_evidence")

    def __init__(self, distributions: Mapping[str, Distribution], log_evidence: float) -> None:
        self._distributions = dict(distributions)
        self.log_evidence = log_evidence

    def __getitem__(self, name: str) -> Distribution:
        try:
            return self._distributions[name]
        except KeyError:
            raise UnknownNameError(
                suggestion("variable (or it is observed)", str(name), list(self._distributions))
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._distributions

    def __iter__(self) -> Iterator[str]:
        return iter(self._distributions)

    def __len__(self) -> int:
        return len(self._distributions)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame with the columns variable, state and probability."""
        import pandas as pd

        rows = [
            (name, state, p)
            for name, one in self._distributions.items()
            for state, p in zip(one.states[0], one.probabilities.tolist(), strict=True)
        ]
        return pd.DataFrame(rows, columns=["variable", "state", "probability"])

    def __repr__(self) -> str:
        return f"Marginals of {len(self)} variables"


@dataclass(frozen=True, eq=False)
class Explanation:
    """The most probable states of all variables that are not observed, together.

    Parameters
    ----------
    states
        By variable; the observed ones are not repeated.
    log_joint
        The natural logarithm of the probability of these states and the evidence, together.
    log_evidence
        The natural logarithm of the probability of the evidence (0 without evidence).
    """

    states: Mapping[str, str]
    log_joint: float
    log_evidence: float

    def __getitem__(self, name: str) -> str:
        """Return the state of a variable."""
        try:
            return self.states[name]
        except KeyError:
            raise UnknownNameError(suggestion("variable (or it is observed)", str(name), list(self.states))) from None

    @property
    def probability(self) -> float:
        """The probability of these states given the evidence."""
        return math.exp(min(self.log_joint - self.log_evidence, 0.0))

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame with the columns variable and state."""
        import pandas as pd

        return pd.DataFrame(list(self.states.items()), columns=["variable", "state"])

    def __repr__(self) -> str:
        return f"Explanation of {len(self.states)} variables, probability {self.probability:.4g}"


@dataclass(frozen=True, eq=False)
class RowDistributions:
    """The joint distribution of some variables, for each of many rows of evidence.

    Parameters
    ----------
    names, states
        The variables and the names of their states.
    probabilities
        One row per row of evidence, then one axis per variable. NaN in a row whose evidence is impossible, or that
        meets an undefined entry, if such rows were allowed.
    log_evidence
        The natural logarithm of the probability of each row's evidence: -inf if it is impossible, NaN if it meets an
        undefined entry. None if it was not asked for.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]
    log_evidence: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.probabilities)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame: a row per row of evidence, a column per state or combination of states."""
        import pandas as pd

        return pd.DataFrame(
            self.probabilities.reshape(len(self.probabilities), -1), columns=_index(self.names, self.states)
        )

    def __repr__(self) -> str:
        return wrapped("Distributions of ", self.names, f" for {len(self):,} rows")


def _index(names: tuple[str, ...], states: tuple[tuple[str, ...], ...]) -> pd.Index[str]:
    import pandas as pd

    if len(names) == 1:
        return pd.Index(states[0], name=names[0])
    return pd.MultiIndex.from_product(states, names=list(names))
