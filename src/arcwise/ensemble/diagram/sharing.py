"""`Sharing`: among whom the building of a credible set is shared out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from arcwise.showing import one_screen

if TYPE_CHECKING:
    from distributed import Client

    from arcwise.cluster import Cluster

__all__ = ["Sharing", "SharingKeywords"]


@one_screen
@dataclass(frozen=True, slots=True)
class Sharing:
    """Who builds a credible set. The set does not depend on it, to the last bit.

    Parameters
    ----------
    threads
        How many threads of this process; None for all cores.
    cluster
        A Dask cluster (an address, a client or an open `Cluster`). Where the linear relaxation has a gap, the set is
        built in parts (ensemble/diagram/cover.py): those that are not small are tasks, each with one thread of a
        worker. A set that is one part, and the search for parts, stay here.
    """

    threads: int | None = None
    cluster: Any = None  # str | Client | Cluster | None: Dask is not there for everybody


class SharingKeywords(TypedDict, total=False):
    """`Sharing` as keywords."""

    settings: Sharing
    threads: int | None
    cluster: str | Client | Cluster | None
