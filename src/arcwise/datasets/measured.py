"""Data sets of measurements that come with scikit-learn, made discrete by a fixed recipe."""

from __future__ import annotations

from typing import Any

from arcwise.data import Dataset, Table, discretize

__all__ = ["breast_cancer", "iris", "wine"]


def iris() -> Dataset:
    """Return Fisher's irises: four measures, each in 3 intervals of equal width, and the species."""
    from sklearn.datasets import load_iris

    return _discrete(load_iris(), "species", "width")


def wine() -> Dataset:
    """Return the wines: thirteen chemical measures, each in 3 intervals of equal width, and the cultivar."""
    from sklearn.datasets import load_wine

    return _discrete(load_wine(), "cultivar", "width")


def breast_cancer() -> Dataset:
    """Return the Wisconsin diagnostic data: thirty measures, each cut in two at its mean, and the diagnosis."""
    from sklearn.datasets import load_breast_cancer

    return _discrete(load_breast_cancer(), "diagnosis", "mean")


def _discrete(bunch: Any, target: str, method: str) -> Dataset:
    """Cut every measure; the class comes last, under the name `target`, with its state names in their order."""
    import pandas as pd

    names = [str(name).replace(" (cm)", "").replace(" ", "-") for name in bunch.feature_names]
    frame = pd.DataFrame(bunch.data, columns=names)
    frame[target] = pd.Categorical.from_codes(
        bunch.target, categories=pd.Index([str(name) for name in bunch.target_names])
    )
    return discretize(Table.from_dataframe(frame), method=method, columns=names).to_dataset()
