"""A Bayesian network as a scikit-learn estimator: for pipelines, cross-validation and searches over parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags, check_array, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from arcwise.base.errors import Hinted, UnknownNameError, hint, suggestion
from arcwise.base.run import Status
from arcwise.data.column import Column, spell
from arcwise.data.dataset import Dataset
from arcwise.data.discretize import apply_cuts, find_cuts
from arcwise.data.table import Table
from arcwise.exact.optimal import find_optimal
from arcwise.graph.constraints import assert_obeys
from arcwise.local.searches import hill_climb, tabu_search
from arcwise.model.fitting import fit_parameters
from arcwise.model.network import BayesianNetwork
from arcwise.parent_sets.build import build_parent_sets

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.graph.constraints import Constraints
    from arcwise.graph.dag import Dag
    from arcwise.scores.score import Score


METHODS = ("exact", "tabu", "hill-climbing")


def _has_target(estimator: BayesianNetworkEstimator) -> bool:
    if estimator.target is None:
        raise AttributeError(f"without a target nothing is predicted{hint('estimator', 'predict')}")
    return True


class BayesianNetworkEstimator(Hinted, BaseEstimator):  # type: ignore[misc]
    """Learn a Bayesian network from a table; then score and sample rows, and predict one variable from the others.

    With a `target`, it is a classifier: ``fit(X, y)`` takes `y` as one more variable of this name (or `X` has it as a
    column), `predict` and `predict_proba` predict it, and `score` is the accuracy. Without one, it is a density, and
    `score` the mean log-likelihood.

    Parameters
    ----------
    method
        How the structure is found: "tabu", "hill-climbing", or "exact" (the optimum, with a proof).
    criterion
        The score of structures, e.g. "bic" or "bdeu:ess=10".
    max_parents
        The largest number of parents of any variable; None for no limit.
    constraints
        Required and forbidden arcs, tiers and parent limits.
    target
        The variable to predict: the name that `y` gets, or a column of `X`; None for a density.
    ess
        The equivalent sample size of the Dirichlet prior of the parameters (BDeu).
    bins
        Columns of numbers with more than 20 distinct values are cut at quantiles into this many intervals; None refuses
        such columns.
    random_state
        Seeds ties of the search and, unless `sample` gets one of its own, samples.

    Attributes
    ----------
    network_ : BayesianNetwork
        The network with its parameters.
    dag_ : Dag
        Its structure.
    structure_score_ : float
        The score of the structure on the training data.
    cuts_ : dict
        The cut points of columns of numbers that were cut.
    classes_ : ndarray
        The states of the target, in the order of the columns of `predict_proba`; only with a target.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn; names only if a DataFrame was given.

    Examples
    --------
    >>> from arcwise import BayesianNetworkEstimator, datasets
    >>> frame = datasets.load("tic-tac-toe").to_dataframe()
    >>> model = BayesianNetworkEstimator(criterion="bdeu", max_parents=2).fit(frame)
    >>> len(model.dag_.arcs), model.sample(2, random_state=1).shape
    (10, (2, 10))
    >>> classifier = BayesianNetworkEstimator(target="Class").fit(frame)
    >>> classifier.predict(frame.drop(columns="Class")).shape
    (958,)
    """

    _KIND = "estimator"
    network_: BayesianNetwork
    dag_: Dag
    structure_score_: float
    cuts_: dict[str, NDArray[np.float64]]
    n_features_in_: int

    def __init__(
        self,
        *,
        method: str = "tabu",
        criterion: str | Score = "bic",
        max_parents: int | None = None,
        constraints: Constraints | None = None,
        ess: float = 1.0,
        bins: int | None = 3,
        target: str | None = None,
        random_state: Any = None,
    ) -> None:  # every parameter is a setting that scikit-learn searches over
        self.method = method
        self.criterion = criterion
        self.max_parents = max_parents
        self.constraints = constraints
        self.ess = ess
        self.bins = bins
        self.target = target
        self.random_state = random_state

    def fit(self, X: pd.DataFrame | ArrayLike, y: Any = None) -> Self:
        """Learn structure and parameters; `y` is used with a target only. Columns without a name are X0, X1, ..."""
        if self.method not in METHODS:
            raise UnknownNameError(suggestion("method", str(self.method), METHODS))
        table = self._table(X, fitting=True)
        if self.target is not None:
            table = self._with_target(table, y)
        if table.n_rows < 2:
            raise ValueError(f"n_samples={table.n_rows}: a network cannot be learned from one sample.")
        if len(table.names) < 2:
            raise ValueError("n_features=1: a structure needs at least two variables.")
        self.cuts_ = {} if self.bins is None else find_cuts(table, method="quantile", bins=self.bins)
        self.cuts_.pop(str(self.target), None)  # a class is not cut
        data = self._dataset(table)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        if self.method == "exact":
            sets = build_parent_sets(
                data, self.criterion, max_parents=self.max_parents, constraints=self.constraints, progress=False
            )
            _raise_if_interrupted(sets.status)
            best = find_optimal(sets, data=data, constraints=self.constraints, seed=seed, progress=False)
            _raise_if_interrupted(best.status)
            self.dag_, self.structure_score_ = best.dag, best.score
        else:
            search = tabu_search if self.method == "tabu" else hill_climb
            found = search(
                data,
                score=self.criterion,
                max_parents="usual" if self.max_parents is None else self.max_parents,
                constraints=self.constraints,
                seed=seed,
                progress=False,
            )
            _raise_if_interrupted(found.status)
            self.dag_, self.structure_score_ = found.dag, found.score
        assert_obeys(self.dag_, self.constraints)
        self.network_ = fit_parameters(self.dag_, data, estimator="bd", ess=self.ess, progress=False)
        return self

    def _with_target(self, table: Table, y: Any) -> Table:
        """Return the table with `y` as a column, and remember the classes as they were given."""
        assert self.target is not None
        if y is None:
            if self.target not in table.names:
                raise ValueError(f"y is None, and X has no column '{self.target}': give the classes.")
            labels = np.array(table.column(self.target).labels, dtype=object)
            self._given_classes_ = {str(label): label for label in labels}
            return table
        if self.target in table.names:
            raise ValueError(f"the target '{self.target}' is a column of X and y was given, too; give it once.")
        values = np.asarray(y).ravel()
        if len(values) != table.n_rows:
            raise ValueError(f"X has {table.n_rows} samples, and y {len(values)}.")
        classes, codes = np.unique(values, return_inverse=True)
        self._given_classes_ = {spell(label): label for label in classes.tolist()}
        kind = Dataset.code_type(len(classes) + 1)
        column = Column(self.target, codes.ravel().astype(kind), tuple(self._given_classes_), declared=len(classes) > 1)
        return replace(table, columns=(*table.columns, column))

    @property
    def classes_(self) -> NDArray[Any]:
        """The states of the target, as they were given, in the order of the columns of `predict_proba`."""
        check_is_fitted(self)
        if self.target is None:
            raise AttributeError("classes_ needs a target: BayesianNetworkEstimator(target=...).")
        states = self.network_.states[self.network_.index(self.target)]
        return np.array([self._given_classes_.get(state, state) for state in states])

    @available_if(_has_target)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: pd.DataFrame | ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class for each row, given all its other variables."""
        check_is_fitted(self)
        assert self.target is not None
        table = self._table(X)
        cut = apply_cuts(table, {k: v for k, v in self.cuts_.items() if k in table.names})
        return self.network_.predict_proba(cut, self.target, progress=False)

    @available_if(_has_target)  # type: ignore[untyped-decorator]
    def predict(self, X: pd.DataFrame | ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each row, given all its other variables."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def score_samples(self, X: pd.DataFrame | ArrayLike) -> NDArray[np.float64]:
        """Return the log-likelihood of every row."""
        check_is_fitted(self)
        data = self._dataset(self._table(X), dict(zip(self.network_.names, self.network_.states, strict=True)))
        return self.network_.row_log_likelihoods(data, progress=False)

    def score(self, X: pd.DataFrame | ArrayLike, y: Any = None) -> float:
        """Return the accuracy of predictions of the target; without one, the mean log-likelihood of the rows.

        The latter is what `GaussianMixture` returns. Where `y` is None, the classes are a column of `X`.
        """
        if self.target is None:
            return float(self.score_samples(X).mean())
        if y is None:
            table = self._table(X)
            column = table.column(self.target)
            known = np.array([self._given_classes_.get(label, label) for label in column.labels] + [None], dtype=object)
            y = known[column.codes]
        return float(np.mean(self.predict(X) == np.asarray(y).ravel()))

    def sample(self, n_samples: int = 1, *, random_state: Any = None) -> pd.DataFrame:
        """Draw rows; columns that were cut have their intervals as values."""
        check_is_fitted(self)
        chosen = check_random_state(self.random_state if random_state is None else random_state)
        return self.network_.sample(n_samples, seed=int(chosen.randint(2**31 - 1)), progress=False).to_dataframe()

    def _table(self, X: pd.DataFrame | ArrayLike, *, fitting: bool = False) -> Table:
        """Check the input as scikit-learn does: two dimensions, no gaps, the columns of the training data."""
        import pandas as pd

        values = check_array(X, dtype=None, estimator=self, input_name="X")
        named = isinstance(X, pd.DataFrame) and all(isinstance(name, str) for name in X.columns)
        names = np.array(X.columns, dtype=object) if named else None  # type: ignore[union-attr]
        if fitting:
            self.n_features_in_ = values.shape[1]
            if names is not None:
                self.feature_names_in_ = names
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        known = getattr(self, "feature_names_in_", None)
        if (
            not fitting
            and known is not None
            and names is not None
            and self.target in known
            and self.target not in names
        ):
            X = X.assign(**{str(self.target): None})[list(known)]  # type: ignore[union-attr]
            return Table.from_dataframe(X)
        _check_names(type(self).__name__, names, known)
        if values.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {values.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        columns = [f"X{v}" for v in range(values.shape[1])] if known is None else list(known)
        frame = X.copy() if isinstance(X, pd.DataFrame) else pd.DataFrame(values)
        frame.columns = pd.Index(columns)
        return Table.from_dataframe(frame)

    def _dataset(self, table: Table, states: dict[str, tuple[str, ...]] | None = None) -> Dataset:
        cut = apply_cuts(table, self.cuts_, keep_empty=states is not None)
        return cut.to_dataset(states=states)

    def __sklearn_tags__(self) -> Any:
        """Return what the estimator takes: categories and strings, no target."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        if self.target is not None:
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags()
            tags.target_tags.required = False
        return tags


def _check_names(estimator: str, given: NDArray[Any] | None, known: NDArray[Any] | None) -> None:
    """Warn or refuse as scikit-learn does where the names of columns are not those of the training data."""
    import warnings

    if given is None or known is None:
        if (given is None) != (known is None):
            was, isnt = ("with", "does not have") if given is None else ("without", "has")
            warnings.warn(f"X {isnt} valid feature names, but {estimator} was fitted {was} feature names", stacklevel=4)
        return
    if list(given) == list(known):
        return
    unexpected, missing = sorted(set(given) - set(known)), sorted(set(known) - set(given))
    message = "The feature names should match those that were passed during fit.\n"
    if unexpected:
        message += "Feature names unseen at fit time:\n" + "".join(f"- {name}\n" for name in unexpected[:5])
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + "".join(f"- {name}\n" for name in missing[:5])
    if not unexpected and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)


def _raise_if_interrupted(status: Status) -> None:
    """Raise KeyboardInterrupt after Ctrl-C: an estimator has no status to say that its network is unfinished."""
    if status is Status.INTERRUPTED:
        raise KeyboardInterrupt
