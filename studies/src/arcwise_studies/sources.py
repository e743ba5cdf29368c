"""`Sources`: where a study finds the networks and the data that its configuration names.

A network is named by a text::

    alarm                                          alarm.bif, alarm.net, ... in the networks folder, else from pgmpy
    models/my.bif                                  a file, seen from the folder of the configuration
    random:nodes=20,max_degree=6,seed=1            a random network
    system:nodes=10,mean_parents=1.5,seed=1        numbers cut into intervals, see `arcwise_studies.cut_systems`
    numbers:nodes=10,mean_parents=1.5,seed=1       numbers, scales and categories as they are, and
    copula:data=uci/wine,columns=12,seed=1         such as a table has them: `arcwise_studies.number_systems`
    fitted:data=tic-tac-toe,score=bic              learned from data (Liao 4.6.1), see `arcwise_studies.fitted`
    part:network=andes,nodes=20,seed=3             a part of a network, see `arcwise_studies.network_parts`

and a data set by::

    tic-tac-toe                                    a data set of `arcwise.datasets`
    uci/flags                                      uci/flags.csv (.csv.gz, .parquet, ...) in the data folder
    uci/flags:target=religion,discretize=mdl       with options, see `arcwise_studies.data_sets`
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from arcwise.base.showing import one_screen
from arcwise.errors import ConfigError
from arcwise_studies.cut_systems import CutSystem, check_system, cut_system
from arcwise_studies.number_systems import (
    CopulaSystem,
    NumberSystem,
    check_copula,
    check_numbers,
    copula_system,
    number_system,
)
from arcwise_studies.source_text import SourceText

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.model import BayesianNetwork

__all__ = ["Sources"]

World: TypeAlias = "BayesianNetwork | CutSystem | NumberSystem | CopulaSystem"


@one_screen
@dataclass(frozen=True, slots=True)
class Sources:
    """Folders, as texts: they may be on another machine.

    Parameters
    ----------
    networks_folder
        A folder of BIF files; None if there is none (networks then come from an installed pgmpy).
    data_folder
        A folder of data files, or None.
    base_folder
        What the paths of a configuration are relative to.
    cache_folder
        Where prepared data and networks learned from data are kept, so that not every worker makes them again; None for
        nowhere.
    """

    networks_folder: str | None = None
    data_folder: str | None = None
    base_folder: str = "."
    cache_folder: str | None = None

    def network(self, text: str) -> BayesianNetwork:
        """Return the network of that name; the last ones are kept in memory."""
        found = self.world(text)
        if isinstance(found, CutSystem | NumberSystem | CopulaSystem):
            raise ConfigError(f"'{text}': a system of numbers has no network; only studies of samples take it.")
        return found

    def world(self, text: str) -> World:
        """Return what cases can be drawn of: a network, or a system of numbers."""
        return _world(self, text)

    def data(self, text: str) -> Dataset:
        """Return the data set of that name, complete and discrete; the last ones are kept in memory."""
        return _data(self, text)

    def check_network(self, text: str) -> None:
        """Raise an error if the text is wrong or the file is not there; nothing is read or learned."""
        from arcwise_studies.data_sets import find_data
        from arcwise_studies.fitted import check_fitted
        from arcwise_studies.network_files import find_network
        from arcwise_studies.network_parts import check_part
        from arcwise_studies.random_networks import check_random

        source = SourceText.parse(text)
        if source.kind == "random":
            check_random(source)
        elif source.kind == "system":
            check_system(source)
        elif source.kind == "numbers":
            check_numbers(source)
        elif source.kind == "copula":
            check_copula(source, self)
        elif source.kind == "part":
            self.check_network(check_part(source).text)
        elif source.kind == "fitted":
            find_data(check_fitted(source), self)
        else:
            find_network(source, self)

    def check_data(self, text: str) -> None:
        """Raise an error if the text is wrong or the file is not there; nothing is read."""
        from arcwise_studies.data_sets import find_data

        find_data(SourceText.parse(text), self)

    def file(self, folder: str | None, name: str, suffixes: tuple[str, ...]) -> Path | None:
        """Return the file of that name in the folder, or, if it has one of the suffixes, seen from the base folder."""
        if name.endswith(suffixes):
            path = Path(self.base_folder, name)
            return path if path.is_file() else None
        if folder is None:
            return None
        paths = (Path(self.base_folder, folder, name + suffix) for suffix in suffixes)
        return next((path for path in paths if path.is_file()), None)


@lru_cache(maxsize=16)
def _world(sources: Sources, text: str) -> World:
    from arcwise.model import read_network
    from arcwise_studies.fitted import fitted_network
    from arcwise_studies.network_files import find_network
    from arcwise_studies.network_parts import network_part
    from arcwise_studies.random_networks import random_network

    source = SourceText.parse(text)
    made: dict[str, Callable[[], World]] = {
        "random": lambda: random_network(source),
        "system": lambda: cut_system(source),
        "numbers": lambda: number_system(source),
        "copula": lambda: copula_system(source, sources),
        "part": lambda: network_part(source, sources),
        "fitted": lambda: fitted_network(source, sources),
    }
    if source.kind in made:
        return made[source.kind]()
    return read_network(find_network(source, sources)).normalized()


@lru_cache(maxsize=8)
def _data(sources: Sources, text: str) -> Dataset:
    from arcwise_studies.data_sets import read_source

    return read_source(SourceText.parse(text), sources)
