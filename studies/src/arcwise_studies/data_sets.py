"""Data sets for studies, made complete and discrete as Liao does (section 4.6.1).

A name in `arcwise.datasets` is that data set; any other is a file in the data folder. Missing values are filled in from
the 5 nearest neighbours; continuous columns are cut by the MDL method, guided by the class. The options:

target        the class column (default: the last one)
discretize    mdl (default), width, quantile, kmeans or mean
bins          intervals for width, quantile and kmeans (default 3)
drop          columns to leave out, separated by "+"

The thesis does not say what happens to a column in which MDL finds no cut: here it is cut at its median, so that every
variable stays. A column that shows one value only is left out, because it can have no arc.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.base.errors import suggestion
from arcwise.base.files import read_bytes
from arcwise.data import Dataset, discretize, impute, read_data, read_table, write_data
from arcwise.datasets import available, load
from arcwise.errors import ArcwiseError, ConfigError
from arcwise_studies.source_text import SourceText

if TYPE_CHECKING:
    from arcwise_studies.sources import Sources

__all__ = ["OPTIONS", "find_data", "read_source"]

SUFFIXES = tuple(kind + packed for kind in (".csv", ".parquet", ".arff", ".tsv") for packed in ("", ".gz"))
METHODS = ("mdl", "width", "quantile", "kmeans", "mean")
OPTIONS = {"target": str, "discretize": str, "bins": int, "drop": str}


def find_data(source: SourceText, sources: Sources) -> Path | None:
    """Return the file of a data set, or None if it is one of `arcwise.datasets`; check the options."""
    options = source.values(OPTIONS)
    if options.get("discretize", "mdl") not in METHODS:
        raise ConfigError(f"'{source.text}': {suggestion('method', options['discretize'], METHODS)}")
    found = sources.file(sources.data_folder, source.kind, SUFFIXES)
    if found is not None:
        return found
    if source.kind in available():
        if options:
            raise ConfigError(f"'{source.text}': the data set comes discrete and takes no options.")
        return None
    if source.kind.endswith(SUFFIXES):
        raise ConfigError(f"data '{source.kind}': no such file seen from {Path(sources.base_folder).resolve()}.")
    if sources.data_folder is None:
        raise ConfigError(
            f"{suggestion('data set', source.kind, available())} For other data give a folder: --data FOLDER, or "
            "data_folder in the configuration."
        )
    folder = Path(sources.base_folder, sources.data_folder, source.kind).parent
    prefix = source.kind.rpartition("/")[0]
    stems = {path.name.split(".")[0] for path in folder.glob("*") if path.name.endswith(SUFFIXES)}
    known = {*available(), *(f"{prefix}/{stem}" if prefix else stem for stem in stems)}
    raise ConfigError(f"{suggestion('data set', source.kind, known)} Looked in {folder}.")


def read_source(source: SourceText, sources: Sources) -> Dataset:
    """Return the data set, complete and discrete; it is prepared once and kept in the cache folder, if there is one."""
    path = find_data(source, sources)
    if path is None:
        return load(source.kind)
    kept: Path | None = None
    if sources.cache_folder is not None:
        name = hashlib.sha256(source.text.encode() + b"\n" + read_bytes(path)).hexdigest()[:32]
        kept = Path(sources.cache_folder, f"{name}.parquet")
        if kept.is_file():
            return read_data(kept, progress=False)
    data = _prepare(path, source)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_data(data, kept)
    return data


def _prepare(path: Path, source: SourceText) -> Dataset:
    options: dict[str, Any] = source.values(OPTIONS)
    drop = options["drop"].split("+") if "drop" in options else ()
    try:
        table = read_table(path, drop=drop, merge=True, progress=False)
        if any(table.n_missing.values()):
            table = impute(table, method="knn", k=5, progress=False)
        if table.continuous():
            method = options.get("discretize", "mdl")
            target = options.get("target", table.names[-1]) if method == "mdl" else None
            table = discretize(table, method=method, target=target, bins=options.get("bins", 3), without_cuts="median")
        constant = [column.name for column in table.columns if (column.counts() > 0).sum() < 2]
        return table.drop(constant).to_dataset()
    except ArcwiseError as error:
        raise type(error)(f"data '{source.text}': {error}") from None
