"""Networks learned from data, as ground truth: ``fitted:data=tic-tac-toe,score=bic`` (Liao 4.6.1, Liu et al. 2012).

The data set is scored, an optimal network learned and its parameters fitted; a study then samples from it. Options:

data          the data set (required); its own options, `target` and so on, may follow (see `arcwise_studies.data_sets`)
score         the score, e.g. bic or bdeu:ess=10 (default bic)
max_parents   the largest number of parents of any variable (default: no limit)
estimator     how the tables are fitted (default bd: the posterior mean under BDeu with ess 1, so that nothing is 0)
search        exact (default), or order: order search from seed 0, for data sets on which exact search takes too long
seconds       the time that exact search may take (default: as long as it takes, so that no clock decides whether there
              is a network); one that is not proved by then is an error
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.base.errors import suggestion
from arcwise.base.files import write_text
from arcwise.errors import ConfigError
from arcwise.exact import find_optimal
from arcwise.limits import Limits, Status
from arcwise.local import order_search
from arcwise.model import ESTIMATORS, BayesianNetwork, fit_parameters, read_bif, write_bif
from arcwise.parent_sets import build_parent_sets
from arcwise.scores import make_score
from arcwise_studies.source_text import SourceText

if TYPE_CHECKING:
    from arcwise_studies.sources import Sources

__all__ = ["check_fitted", "fitted_network"]

OPTIONS = {"data": str, "score": str, "max_parents": int, "estimator": str, "search": str, "seconds": float}
SEARCHES = ("exact", "order")


def check_fitted(source: SourceText) -> SourceText:
    """Check the options of a fitted network; return what names its data."""
    options = _options(source)
    if "data" not in options:
        raise ConfigError(f"'{source.text}': say which data, as in 'fitted:data=tic-tac-toe'.")
    make_score(options.get("score", "bic"))
    if options.get("estimator", "bd") not in ESTIMATORS:
        raise ConfigError(f"'{source.text}': {suggestion('estimator', options['estimator'], ESTIMATORS)}")
    if options.get("search", "exact") not in SEARCHES:
        raise ConfigError(f"'{source.text}': {suggestion('search', options['search'], SEARCHES)}")
    rest = ",".join(f"{key}={value}" for key, value in source.without(*OPTIONS).items())
    return SourceText.parse(f"{options['data']}:{rest}" if rest else options["data"])


def fitted_network(source: SourceText, sources: Sources) -> BayesianNetwork:
    """Return the network; it is learned once and kept in the cache folder, if there is one.

    A search that did not end with a proof is kept as well: otherwise, every cell of the network would try it again.
    """
    data = sources.data(check_fitted(source).text)
    options = _options(source)
    kept: Path | None = None
    if sources.cache_folder is not None:
        name = hashlib.sha256(f"{source.text}\n{data.digest}".encode()).hexdigest()[:32]
        kept = Path(sources.cache_folder, f"{name}.bif.gz")
        if kept.is_file():
            return read_bif(kept)
        if _unproved(kept).is_file():
            raise ConfigError(_unproved(kept).read_text(encoding="utf-8"))
    table = build_parent_sets(
        data, make_score(options.get("score", "bic")), max_parents=options.get("max_parents"), threads=1, progress=False
    )
    if options.get("search", "exact") == "exact":
        seconds = options.get("seconds")
        found = find_optimal(table, data=data, limits=Limits(seconds=seconds), threads=1, progress=False)
        if found.status is not Status.COMPLETE:
            ended = f"({found.status})" if seconds is None else f"in {seconds:g} s"
            message = (
                f"'{source.text}': the optimal network was not proved {ended}. Allow more time (seconds=), fewer "
                "parents (max_parents=), or any good network (search=order)."
            )
            if kept is not None and found.status is not Status.INTERRUPTED:
                write_text(_unproved(kept), message)
            raise ConfigError(message)
        dag = found.dag
    else:
        dag = order_search(table, seed=0, progress=False).dag
    network = fit_parameters(dag, data, estimator=options.get("estimator", "bd"), progress=False)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_bif(network, kept)
    return network


def _unproved(kept: Path) -> Path:
    return kept.with_name(f"{kept.name}.unproved.txt")


def _options(source: SourceText) -> dict[str, Any]:
    """Return the options that are about the network, converted; the others are about the data."""
    return SourceText(source.text, source.kind, source.without(*source.without(*OPTIONS))).values(OPTIONS)
